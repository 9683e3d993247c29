"""Write the folder of a twin, prove what it serves, and list in its README all that the twin lacks."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.cases.case import write_cases
from generator.gates.folder import FolderRequest
from generator.gates.worlds import columns_with_ids
from generator.graph.find import prove_graph, with_chain_flows, write_graph
from generator.isolation.job import Job, ProofFailed
from generator.isolation.process import prove_each
from generator.scenarios.judge import ScenariosRequest, prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.make import Making, make_tasks, write_lines
from generator.twin.cases import write_cases_of
from generator.twin.examples import read_world
from generator.twin.operations import offer_operations
from generator.twin.scenarios import ScenarioBook
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation, SourceColumn
from generator.twin.tools import write_tools
from generator.twin.words import is_note, referring
from generator.twin.world import write_world
from runtime.domain.domain import FORMAT
from runtime.domain.load import load_domain
from runtime.errors import StageFailed, WorldsmithError
from runtime.graph import Graph
from runtime.session.world import build_world
from runtime.wording import counted

_VERSION = "1.0.0"


@dataclass
class WrittenTwin:
    """What was written, for the terminal and the README."""

    tables: int
    tools: int
    tasks: int = 0
    losses: list[str] = field(default_factory=list)
    opened: dict[str, str] = field(default_factory=dict)


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
        lines += [f"- {_plain(each)}: {_plain(why)}" for each, why in written.opened.items()]
    return "\n".join(lines) + "\n"


def _plain(text: str) -> str:
    return " ".join(text.split())


def summary_of(written: WrittenTwin) -> str:
    """Return what was made in a few words."""
    parts = [counted(written.tables, "table"), counted(written.tools, "tool"), counted(written.tasks, "task")]
    return ", ".join(parts)


USUAL_TASKS = 40
_SEED, _SIZE = 1, 300  # of the world whose values people mention


@dataclass
class TwinProof:
    """What was made of a twin."""

    cases: int = 0
    scenarios: int = 0
    dropped: dict[str, str] = field(default_factory=dict)
    """Scenarios by templates that were left out, each with its first fault."""
    edges: int = 0
    tasks: int = 0
    levels: dict[int, int] = field(default_factory=dict)


def prove_twin(
    folder: Path,
    settled: Settled,
    operations: Sequence[Operation],
    say: Callable[[str], None] = lambda _: None,
    tasks: int = USUAL_TASKS,
) -> TwinProof:
    """Write `cases.jsonl`, `scenarios.py`, `graph.json` and `tasks.jsonl` of a folder that can be served.

    `say` is told what is done now. Errors: BrokenDomain, ProofFailed.
    """
    proof = TwinProof()
    say("writing cases")
    domain = load_domain(folder)
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, _SEED, _SIZE)
    if columns := columns_with_ids(world):
        settled.losses.append(f"Foreign keys of columns that hold keys without one: {', '.join(columns)}.")
    cases = write_cases_of(settled, operations, domain)
    (folder / "cases.jsonl").write_text(write_cases(cases), encoding="utf-8")
    proof.cases = sum(len(topic.cases) for topic in cases.values())
    say("writing scenarios")
    book = ScenarioBook(settled, operations, read_world(domain, _SEED, _SIZE))
    graph = _leave_out_faulty(folder, book, proof, say)
    say("finding the graph")
    graph = with_chain_flows(folder, graph) if proof.scenarios else graph
    write_lines(folder / "graph.json", write_graph(graph).splitlines())
    proof.edges = len(graph.edges)
    if proof.scenarios:
        made = make_tasks(Making(folder, tasks, least=0), say)
        write_lines(folder / "tasks.jsonl", made.lines)
        proof.tasks, proof.levels = len(made.lines), made.worth.levels
    return proof


def _leave_out_faulty(folder: Path, book: ScenarioBook, proof: TwinProof, say: Callable[[str], None]) -> Graph:
    """Write the scenarios that pass their gate, and find the part of the graph that needs none, at the same time."""
    path, asked = folder / "scenarios.py", FolderRequest(folder)
    jobs: list[tuple[Job[Any, Any], Any]] = [(prove_graph, asked)]
    if book.names:
        say(f"trying {len(book.names)} scenarios")
        path.write_text(book.text(), encoding="utf-8")
        jobs += [(measure_guesses, asked), (prove_scenarios, ScenariosRequest(folder, worded=True))]
    graph, *told = _each(jobs)
    if told:
        guessed, judged = told
        proof.dropped = {each.name: each.faults[0] for each in judged.scenarios if each.faults}
        proof.dropped |= {each.scenario: each.fault for each in guessed.scenarios if each.is_guessable}
        proof.scenarios = len(book.names) - len(proof.dropped)
        if proof.scenarios:
            path.write_text(book.text(without=[*proof.dropped]), encoding="utf-8")
        else:
            path.unlink()
    assert isinstance(graph, Graph)
    return graph


def _each(asked: Sequence[tuple[Job[Any, Any], Any]]) -> list[Any]:
    """What jobs tell; errors: the first one."""
    told = prove_each(asked)
    for each in told:
        if isinstance(each, WorldsmithError):
            raise each
    return told
