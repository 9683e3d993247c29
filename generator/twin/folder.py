"""Write the folder of a twin: card, schema, world, tools, cases, and the README with all that the twin lacks."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.isolation.job import ProofFailed
from generator.twin.operations import offer_operations
from generator.twin.prove import prove_twin
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation, SourceColumn
from generator.twin.tools import write_tools
from generator.twin.words import is_note, referring
from generator.twin.world import write_world
from runtime.domain.domain import FORMAT
from runtime.errors import StageFailed
from runtime.wording import counted

_VERSION = "1.0.0"


@dataclass
class WrittenTwin:
    """What was written, for the terminal and the README."""

    tables: int
    tools: int
    tasks: int = 0
    losses: list[str] = field(default_factory=list)
    opened: list[str] = field(default_factory=list)


def write_twin(
    settled: Settled, folder: Path, name: str, origin: str, *, real_rows: bool, say: Callable[[str], None]
) -> WrittenTwin:
    """Write all files of a twin into an empty folder; errors: UsageError, StageFailed."""
    say("growing its world")
    world = write_world(settled)
    say("writing its tools")
    operations = offer_operations(settled)
    card = _card(settled, name, origin, real_rows=real_rows)
    _write(folder, "domain.json", json.dumps(card, indent=2, ensure_ascii=False) + "\n")
    _write(folder, "schema.sql", f"-- {settled.title}: a twin of {origin}\n\n{settled.sql}")
    _write(folder, "world.py", world)
    for file, text in write_tools(settled, operations).items():
        _write(folder, f"tools/{file}", text)
    try:
        proof = prove_twin(folder, settled, operations, say)
    except ProofFailed as failed:
        raise StageFailed(f"The twin could not be proven: {failed}") from failed
    written = WrittenTwin(len(settled.tables), len(operations), proof.tasks, settled.losses, settled.opened)
    _write(folder, "README.md", _readme(settled, operations, name, origin, written, real_rows=real_rows))
    return written


def _write(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _card(settled: Settled, name: str, origin: str, *, real_rows: bool) -> dict[str, Any]:
    columns = {
        f"{table.name}.{column.name}": policy
        for table in settled.tables.values()
        for column in table.columns.values()
        if (policy := _policy(table, column))
    }
    return {
        "format": FORMAT,
        "name": name,
        "version": _VERSION,
        "title": settled.title,
        "summary": f"A twin of {origin}: {', '.join(table.nouns for table in settled.tables.values())}."[:600],
        "clock": settled.clock,
        "real_rows": real_rows,
        "columns": columns,
        "provenance": {"twin_of": origin, "known": ["calendar", "history"]},  # real rows keep to no tools of ours
    }


def _policy(table: SettledTable, column: SourceColumn) -> dict[str, Any] | None:
    if (column.name,) == table.key and not table.counted and column.name not in referring(table):
        return {"policy": "hard", "reason": "the key is chosen by whoever adds a row"}
    if column.name in table.key or column.name in referring(table):
        return None
    if column.made == "clock":
        return {"policy": "generated", "reason": "taken from the clock"}
    if column.kind == "real":
        tolerance = 0.5 * 10 ** -(column.decimals if column.decimals is not None else 2)
        return {"policy": "hard", "tolerance": tolerance, "reason": "half of the last digit"}
    if is_note(column):
        return {"policy": "semantic", "reason": "words that a person writes"}
    return None


def _readme(
    settled: Settled, operations: list[Operation], name: str, origin: str, written: WrittenTwin, *, real_rows: bool
) -> str:
    lines = [f"# {settled.title}", "", f"A twin of {origin}, made by `worldsmith twin` without a model.", ""]
    if real_rows:
        lines += [
            "**Its world is grown from given rows, which may be about real people.** `--synthetic` makes rows up.",
            "",
        ]
    lines += ["| table | rows given | tools |", "| --- | --- | --- |"]
    for table in settled.tables.values():
        own = ", ".join(f"`{each.name}`" for each in operations if each.table == table.name)
        lines.append(f"| {table.name} | {len(table.rows):,} | {own} |")
    lines += ["", f"Look at it with `worldsmith show {name}`, prove it with `worldsmith check {name}`.", ""]
    lines += ["## What the source has and this twin lacks", ""]
    lines += [f"- {_plain(each)}" for each in written.losses] or ["Nothing."]
    if written.opened:
        lines += ["", "## Left open", "", "The source does not fix what these do, so they are not tools:", ""]
        lines += [f"- {_plain(each)}" for each in written.opened]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())


def summary_of(written: WrittenTwin) -> str:
    """Return what was made in a few words."""
    parts = [counted(written.tables, "table"), counted(written.tools, "tool"), counted(written.tasks, "task")]
    return ", ".join(parts)
