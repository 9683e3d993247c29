"""`worldsmith twin SOURCE --diff DOMAIN` and `--update DOMAIN`: keep a twin in step with its source."""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from generator.commands.check import check_rest
from generator.commands.twin import OPTIONS, read_and_settle
from generator.gates.past.history import prove_past
from generator.gates.worth import find_worth
from generator.scenarios.lint import prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.proofs.recheck import recheck_tasks
from generator.twin.drift import Drift, find_drift, record_of
from generator.twin.make import MOST_TASKS, write_twin
from generator.twin.parts import CARD, PARKED, REPORT, read_record, write_record
from generator.twin.upkeep import Keeper, Upkeep, exchange
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder, is_carried
from runtime.errors import UsageError
from runtime.wording import counted

DRIFTED = 3  # the exit status where the source is different and all parts still hold


def compare_twin(arguments: argparse.Namespace) -> Result:
    """Compare a twin with its source, execute its parts on a new twin, and put that in its place for `--update`."""
    named = arguments.diff or arguments.update
    if given := [each for each in ("model", "name", "out") if getattr(arguments, each)]:
        raise UsageError(
            f"--{given[0]} cannot go with --{'diff' if arguments.diff else 'update'}, which keep the twin's."
        )
    if arguments.update and is_carried(named):
        raise UsageError(f"{named!r} belongs to the installed package; copy it to ./domains to update it.")
    folder = find_folder(named)
    record = read_record(folder)
    options = record["options"] | {name: value for name in OPTIONS if (value := getattr(arguments, name))}
    name = json.loads((folder / CARD).read_text(encoding="utf-8"))["name"]
    with Progress(f"comparing {name}") as progress:
        source, settled = read_and_settle(arguments.source, options)
        now = record_of(source, settled)
        drift = find_drift(record["source"], now)
        if not drift.differences:
            content = {"domain": name, "source": source.origin, "in_step": True, "differences": []}
            return Result(content, [f"{name} is in step with {source.origin}.", *_waiting(folder)])
        real_rows = source.real_rows and any(table.rows for table in settled.tables.values())
        with tempfile.TemporaryDirectory(prefix=f".{name}.", dir=folder.parent) as building:
            new, work = (Path(building).resolve() / each / folder.name for each in ("new", "kept"))
            new.mkdir(parents=True)
            tasks = MOST_TASKS if arguments.update else 0
            written = write_twin(settled, new, name, source.origin, real_rows=real_rows, say=progress.tell, tasks=tasks)
            upkeep = Keeper(folder, new, work, record["generated"], drift).keep(progress.tell)
            faults: list[str] = []
            if arguments.update:
                progress.tell("running the gates of check")
                report = check_rest(work, (prove_past, find_worth, recheck_tasks, prove_scenarios, measure_guesses))
                faults = report.named("faults", "stopped")
            content = _content(name, source.origin, drift, upkeep, faults)
            if arguments.update:
                write_record(new, now, options, vars(written))
                shutil.copyfile(new / "twin.json", work / "twin.json")
                (work / REPORT).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
                exchange(work, folder)
    status = 1 if upkeep.is_broken or faults else DRIFTED
    return Result(content, _lines(content, folder, updated=bool(arguments.update)), status)


def _content(name: str, origin: str, drift: Drift, upkeep: Upkeep, faults: Sequence[str]) -> dict[str, Any]:
    parked = [
        {"file": file, "part": part.replace("\n", "."), "reason": why} for (file, part), why in upkeep.parked.items()
    ]
    return {
        "domain": name,
        "source": origin,
        "in_step": False,
        "differences": [each.as_json for each in drift.differences],
        "tools": upkeep.tools,
        "held": upkeep.held,
        "tasks": upkeep.tasks,
        "parked": parked,
        "warnings": upkeep.warnings,
        "faults": list(faults),
    }


def _lines(content: dict[str, Any], folder: Path, *, updated: bool) -> Iterator[str]:
    yield f"{content['domain']} and {content['source']}: {counted(len(content['differences']), 'difference')}"
    yield from (f"  - {each['sentence']}" for each in content["differences"])
    yield "What holds on a twin of the source as it is now:"
    held = dict(content["held"])
    yield f"  {counted(held.pop('tools'), 'generated tool')}"
    yield from (f"  {counted(many, 'own part')} of {name}" for name, many in held.items())
    if content["tasks"]:
        yield f"  tasks: {', '.join(f'{many} {fate}' for fate, many in content['tasks'].items())}"
    if content["tools"]:
        yield "Generated tools that are not what they were:"
        yield from (f"  - {name}: {why}" for name, why in content["tools"].items())
    if content["parked"]:
        yield f"Own parts that {'are' if updated else 'would be'} parked in {folder.name}/{PARKED}:"
        grouped: dict[tuple[str, str], list[str]] = {}
        for each in content["parked"]:
            grouped.setdefault((each["file"], each["reason"]), []).append(each["part"])
        for (file, why), parts in grouped.items():
            more = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
            yield f"  - {file}, {parts[0]}{more}: {why}"
    for title, kind in (("To be looked at:", "warnings"), ("Faults that check finds now:", "faults")):
        yield from [title, *(f"  - {each}" for each in content[kind])] if content[kind] else []
    if not updated:
        yield f"Next: `worldsmith twin SOURCE --update {content['domain']}` makes it anew and keeps the rest."


def _waiting(folder: Path) -> list[str]:
    """Say that something is parked."""
    parked = folder / PARKED / "README.md"
    return [f"{folder.name}/{PARKED} has parts that wait for a person: see its README.md."] if parked.is_file() else []
