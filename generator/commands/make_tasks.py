"""The part of `worldsmith tasks` that makes tasks: options, progress, and what is printed."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from generator.commands.narrate_tasks import check_model, describe_narration, narrate_tasks
from generator.isolation.answer import ProofFailed
from generator.tasks.make import MOST_SEED, MOST_TASKS, Made, Making, make_tasks, write_lines
from generator.tasks.plan import SIZES
from runtime.domain.find import find_folder
from runtime.errors import StageFailed, UsageError
from runtime.wording import counted

_MOST_PROCESSES = 256


def run(arguments: argparse.Namespace) -> int:
    """Make tasks, write them, and say what became of the candidates."""
    _check_options(arguments)
    making = Making(
        folder=find_folder(arguments.domain),
        count=arguments.n,
        seed=arguments.seed,
        complexity=arguments.complexity,
        unverified=arguments.unverified,
        processes=arguments.processes,
    )
    path = Path(arguments.out) if arguments.out else making.folder / "tasks.jsonl"
    if not path.parent.is_dir():
        raise UsageError(f"{str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
    if arguments.narrate:
        check_model(arguments.model, making.folder)
    try:
        made = make_tasks(making, _say)
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    finally:
        _say("")
    narration = narrate_tasks(made, making, arguments.model) if arguments.narrate else None
    # A file of its own holds what was made now; that of the domain keeps its other tasks.
    write_lines(path, made.lines if arguments.out else [*made.replaced, *made.lines])
    if arguments.trace:
        write_lines(Path(arguments.trace), [json.dumps(asdict(trace)) for trace in made.traces])
    if arguments.json:
        told = {"narrated": narration.as_json} if narration else {}
        print(json.dumps({**_as_json(made, path), **told}, ensure_ascii=False))
    else:
        print("\n".join([*_described(made, making, path), *(describe_narration(narration) if narration else ())]))
    return 0


def _check_options(arguments: argparse.Namespace) -> None:
    if not 1 <= arguments.n <= MOST_TASKS:
        raise UsageError(f"-n is {arguments.n}; 1 to {MOST_TASKS:,} tasks can be made")
    if arguments.complexity is not None and arguments.complexity not in SIZES:
        raise UsageError(f"--complexity is {arguments.complexity}; have: {', '.join(map(str, SIZES))}")
    if not 0 <= arguments.seed < MOST_SEED:
        raise UsageError(f"--seed is {arguments.seed}; it is a number from 0 to {MOST_SEED - 1:,}")
    if arguments.narrate != bool(arguments.model):
        raise UsageError("--narrate asks a model: give --model SPEC with it, and --model with nothing else")
    if arguments.processes is not None and not 1 <= arguments.processes <= _MOST_PROCESSES:
        raise UsageError(f"--processes is {arguments.processes}; 1 to {_MOST_PROCESSES} can be used")


def _as_json(made: Made, path: Path) -> dict[str, Any]:
    return {
        "file": str(path),
        "kept": made.tally.kept,
        "tried": made.tried,
        "rejected": made.tally.rejected,
        "proofs": {name: list(counts) for name, counts in made.tally.proofs.items()},
        "tools_covered": len(made.covered),
        "tools": len(made.tools),
        "tools_missing": made.missing,
        "writing_tools_missing": [name for name in made.missing if name in made.writing],
        "executable_tools": {"least": made.executable[0], "median": median(made.executable), "of": len(made.tools)},
        "outside_wishes": made.with_outside_wish,
        "complexity": made.complexities,
        "split": dict(Counter(task.split for task in made.tasks)),
        "median_bytes": median(len(line.encode()) for line in made.lines),
        "per_second": round(made.per_second, 1),
    }


def _described(made: Made, making: Making, path: Path) -> Iterator[str]:
    split = Counter(task.split for task in made.tasks)
    what = "unverified task" if making.unverified else "proven task"
    yield f"{path}: {counted(made.tally.kept, what)}, {split['train']} to train and {split['held_out']} held out"
    yield f"  {counted(made.tried, 'candidate')}, {sum(made.tally.rejected.values())} rejected"
    for reason, count in sorted(made.tally.rejected.items(), key=lambda entry: (-entry[1], entry[0])):
        first = made.first_reasons.get(reason)
        yield f"  {count:>6}  {reason}" + (f"; the first: {first}" if first else "")
    for name, (passed, tried) in made.tally.proofs.items():
        yield f"  {name:<16}  {passed:,} of {tried:,}"
    yield f"  tools in chains   {len(made.covered)} of {len(made.tools)}{_named_missing(made)}"
    least, middle = made.executable[0], median(made.executable)
    yield f"  executable tools  least {least}, median {middle:g} of {len(made.tools)}"
    yield f"  outside wishes    in {made.with_outside_wish} of {counted(made.tally.kept, 'task')}"
    by_complexity = ", ".join(f"{count} of {complexity}" for complexity, count in made.complexities.items())
    yield f"  complexity        {by_complexity}"
    yield f"  bytes in a line   {median(len(line.encode()) for line in made.lines):,.0f} in the median"
    yield f"  {made.per_second:.1f} {what}s per second"


def _named_missing(made: Made) -> str:
    """The tools that no chain calls; those that write are marked, as a task is what is written."""
    named = [f"{name} (writes)" if name in made.writing else name for name in made.missing]
    return f"; not {', '.join(named)}" if named else ""


def _say(words: str) -> None:
    """One line on a terminal, in place of the one before."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{words}", end="", file=sys.stderr, flush=True)
