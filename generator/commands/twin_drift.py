"""`worldsmith twin SOURCE --diff DOMAIN` and `--update DOMAIN`: keep a twin in step with its source."""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from generator.commands.check import check_rest
from generator.commands.place import building_beside, exchange
from generator.gates.past.history import prove_past
from generator.gates.worth import find_worth
from generator.scenarios.lint import prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.proofs.recheck import recheck_tasks
from generator.twin.drift import Drift, find_drift, record_of
from generator.twin.make import MOST_TASKS, write_twin
from generator.twin.parts import OPTIONS, PARKED, RECORD, REPORT, read_record, write_record
from generator.twin.source import SourceSchema, TwinSource
from generator.twin.upkeep import Keeper, Upkeep
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder, is_carried
from runtime.errors import UsageError
from runtime.wording import counted

IN_STEP, BROKEN, DRIFTED = 0, 1, 3
"""Exit statuses: nothing is different; parts of the domain no longer hold; the source is different, and all hold."""
_DONE = (prove_past, find_worth, recheck_tasks, prove_scenarios, measure_guesses)


Reader = Callable[[str, Mapping[str, Any]], tuple[TwinSource, SourceSchema]]


def compare_twin(arguments: argparse.Namespace, read: Reader) -> Result:
    """Compare a twin with its source, execute its parts on a new twin, and put that in its place for `--update`."""
    named, is_update = arguments.diff or arguments.update, bool(arguments.update)
    if given := [each for each in ("model", "name", "out") if getattr(arguments, each)]:
        raise UsageError(f"--{given[0]} cannot go with --diff or --update; these take the twin as it was made.")
    if is_update and is_carried(named):
        raise UsageError(f"{named!r} belongs to the installed package; copy it to ./domains to update it.")
    folder = find_folder(named)
    record = read_record(folder)
    options = record["options"] | {name: value for name in OPTIONS if (value := getattr(arguments, name))}
    with Progress(f"comparing {folder.name}") as progress:
        source, settled = read(arguments.source, options)
        now = record_of(source, settled)
        drift = find_drift(record["source"], now)
        if not drift.differences:
            waiting = f"; {PARKED} has parts to mend" if (folder / PARKED).is_dir() else ""
            lines = [f"{folder.name} is in step with {source.origin}{waiting}."]
            return Result({"domain": folder.name, "source": source.origin, "in_step": True}, lines, IN_STEP)
        real_rows = source.real_rows and any(table.rows for table in settled.tables.values())
        with building_beside(folder) as building:
            new, work = (building / each / folder.name for each in ("new", "kept"))
            new.mkdir(parents=True)
            name, tasks = record["name"], MOST_TASKS if is_update else 0
            written = write_twin(settled, new, name, source.origin, real_rows=real_rows, say=progress.tell, tasks=tasks)
            upkeep = Keeper(folder, new, work, record["generated"], drift).keep(progress.tell)
            content = {"domain": name, "source": source.origin, "in_step": False} | _content(drift, upkeep)
            if is_update:
                progress.tell("running the gates of check")
                content["faults"] = check_rest(work, _DONE).named("faults", "stopped")
                write_record(new, name, now, options, vars(written))
                shutil.copyfile(new / RECORD, work / RECORD)
                (work / REPORT).write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
                exchange(work, folder)
    is_broken = any(content[each] for each in ("tools", "parked", "unbound", "faults"))
    return Result(content, _lines(content, folder, is_update=is_update), BROKEN if is_broken else DRIFTED)


def _content(drift: Drift, upkeep: Upkeep) -> dict[str, Any]:
    parked = [
        {"file": file, "part": part.replace("\n", "."), "reason": why} for (file, part), why in upkeep.parked.items()
    ]
    return {"differences": [each.as_json for each in drift.differences], **vars(upkeep), "parked": parked, "faults": []}


def _lines(content: Mapping[str, Any], folder: Path, *, is_update: bool) -> Iterator[str]:
    yield f"{content['domain']} and {content['source']}: {counted(len(content['differences']), 'difference')}"
    yield from (f"  - {each['sentence']}" for each in content["differences"])
    yield "What holds, executed on a twin of the source as it is now:"
    yield f"  generated tools: {content['held']['tools']}"
    yield from (f"  own parts of {name}: {many}" for name, many in content["held"].items() if name != "tools")
    yield f"  tasks: {', '.join(f'{many} {fate}' for fate, many in content['tasks'].items()) or 'none'}"
    if content["tools"]:
        yield "Generated tools that do not do what they did:"
        yield from (f"  - {name}: {why}" for name, why in content["tools"].items())
    parked: dict[tuple[str, str], list[str]] = {}
    for each in content["parked"]:
        parked.setdefault((each["file"], each["reason"]), []).append(each["part"])
    if parked:
        yield f"Own parts that {'went to' if is_update else 'would go to'} {folder.name}/{PARKED}:"
    for (file, why), parts in parked.items():
        yield f"  - {file}, {parts[0]}{f' and {len(parts) - 1} more' if parts[1:] else ''}: {why}"
    for title, lines in (("Rules to extend:", content["unbound"]), ("Faults:", content["faults"])):
        yield from [title, *(f"  - {each}" for each in lines)] if lines else []
    if not is_update:
        yield f"Next: `worldsmith twin SOURCE --update {content['domain']}` makes it anew and keeps what holds."
