"""The part of `worldsmith tasks` that makes tasks: options, progress, and what is printed."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from generator.isolation.answer import ProofFailed
from generator.isolation.prove import ProveAll, prove_all
from generator.tasks.make import MOST_SEED, MOST_TASKS, Made, Making, make_tasks, write_lines
from generator.tasks.plan import LEAST_ROWS, MOST_ROWS, SIZES
from generator.tasks.proofs.shortcuts import describe_shortcuts
from runtime.commands.engine import ray_address
from runtime.commands.output_file import TASKS, TRACE, check_output
from runtime.commands.progress import Progress
from runtime.domain.find import find_folder, is_carried
from runtime.errors import StageFailed, UsageError
from runtime.sandbox.files import is_there, read_lines
from runtime.task.task import Task
from runtime.task.task_file import parse_task, task_line
from runtime.terminal import print_lines
from runtime.wording import counted

_MOST_PROCESSES = 256


def run(arguments: argparse.Namespace) -> int:
    """Make tasks, write them, and say what became of the candidates."""
    _check_options(arguments)
    folder = find_folder(arguments.domain)
    place = _choose_place(arguments, folder)
    others = [] if arguments.replace or place.is_own else _read_others(place.tasks, folder.name)
    if arguments.replace and place.tasks.exists():
        check_output(place.tasks, TASKS, force=arguments.force)
    if arguments.trace:
        check_output(Path(arguments.trace), TRACE, force=arguments.force)
    making = Making(
        folder=folder,
        count=arguments.count,
        seed=arguments.seed,
        complexity=arguments.level,
        rows=arguments.rows,
        unverified=arguments.unverified,
        processes=arguments.processes,
        beside=tuple(others),
    )
    try:
        with _prover_of(arguments) as prover, Progress(f"making {counted(making.count, 'task')}") as progress:
            made = make_tasks(replace(making, processes=prover.processes), progress.tell, prover.prove_all)
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    place.tasks.parent.mkdir(exist_ok=True)
    ids = {task.id for task in made.tasks}
    kept = made.kept if place.is_own else [task_line(task) for task in others if task.id not in ids]
    if arguments.replace:
        kept = []
    write_lines(place.tasks, [*kept, *made.lines])
    if arguments.trace:
        write_lines(Path(arguments.trace), [json.dumps(asdict(trace)) for trace in made.traces])
    if arguments.json:
        print(json.dumps(_as_json(made, place, len(kept)), ensure_ascii=False))
    else:
        print_lines(_described(made, making, place, len(kept)))
    return 0


@dataclass(frozen=True)
class _Prover:
    """What proves candidates, and in how many processes at a time; None for all of this machine's cores."""

    prove_all: ProveAll
    processes: int | None


@contextmanager
def _prover_of(arguments: argparse.Namespace) -> Iterator[_Prover]:
    """This machine, or a Ray cluster; errors: UsageError if that cannot be joined."""
    address = ray_address(arguments)
    if address is None:
        yield _Prover(prove_all, arguments.processes)
        return
    from runtime.cluster.joined import joined

    with joined(address) as cluster:
        from generator.isolation.on_ray import prove_all_on_ray

        yield _Prover(prove_all_on_ray, cluster.workers(arguments.processes))


@dataclass(frozen=True)
class _TasksPlace:
    """Where the tasks go; whether that is the domain's own folder."""

    tasks: Path
    is_own: bool


def _choose_place(arguments: argparse.Namespace, folder: Path) -> _TasksPlace:
    """What `--out` names, else the domain's folder; what belongs to the package has its tasks in a folder here."""
    carried = is_carried(arguments.domain)
    here = Path("tasks")
    out: Path = arguments.out or (here / f"{folder.name}.jsonl" if carried else folder / "tasks.jsonl")
    if arguments.out is not None and not out.parent.is_dir():
        raise UsageError(f"{str(out)!r} cannot be written: there is no folder {str(out.parent)!r}.")
    return _TasksPlace(out, out.resolve() == folder / "tasks.jsonl")


def _read_others(path: Path, domain: str) -> list[Task]:
    """The tasks that a file holds, to be kept there; errors: UsageError if it holds anything else."""
    if not is_there(path):
        return []
    tasks: list[Task] = []
    for number, line in read_lines(path):
        try:
            task = parse_task(line)
            fault = "" if task.domain == domain else f"which is of domain {task.domain!r}"
        except ValueError:
            fault = "which is not a task"
        if fault:
            raise UsageError(
                f"Tasks of {domain!r} cannot be added to {str(path)!r} because of line {number}, {fault}; "
                "give another --out, or --replace to write the file anew."
            )
        tasks.append(task)
    return tasks


def _check_options(arguments: argparse.Namespace) -> None:
    if not 1 <= arguments.count <= MOST_TASKS:
        raise UsageError(f"-n is {arguments.count}; 1 to {MOST_TASKS:,} tasks can be made")
    if arguments.level is not None and arguments.level not in SIZES:
        raise UsageError(f"--level is {arguments.level}; have: {', '.join(map(str, SIZES))}")
    if arguments.rows is not None and not LEAST_ROWS <= arguments.rows <= MOST_ROWS:
        raise UsageError(f"--rows is {arguments.rows}; a task's world has {LEAST_ROWS} to {MOST_ROWS:,}")
    if not 0 <= arguments.seed < MOST_SEED:
        raise UsageError(f"--seed is {arguments.seed}; it is a number from 0 to {MOST_SEED - 1:,}")
    if arguments.processes is not None and not 1 <= arguments.processes <= _MOST_PROCESSES:
        raise UsageError(f"--processes is {arguments.processes}; 1 to {_MOST_PROCESSES} can be used")


def _as_json(made: Made, place: _TasksPlace, others: int) -> dict[str, Any]:
    return {
        "file": str(place.tasks),
        "others": others,
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
        "touching_wishes": made.with_touching_wishes,
        "one_story": made.with_one_story,
        "joined_by_caller": made.joined_by_caller,
        "level": made.complexities,
        "split": dict(Counter(task.split for task in made.tasks)),
        "median_bytes": median(len(line.encode()) for line in made.lines),
        "shortcuts": asdict(made.shortcuts),
        "per_second": round(made.per_second, 1),
    }


def _described(made: Made, making: Making, place: _TasksPlace, others: int) -> Iterator[str]:
    split = Counter(task.split for task in made.tasks)
    what = "unverified task" if making.unverified else "proven task"
    yield f"{place.tasks}: {counted(made.tally.kept, what)}, {split['train']} to train and {split['held_out']} held out"
    if others:
        yield f"  added to {counted(others, 'task')} that the file holds; --replace would write it anew"
    if not place.is_own:
        yield f"  to play them: worldsmith eval {making.folder.name} --tasks {place.tasks}"
    yield f"  {counted(made.tried, 'candidate')}, {sum(made.tally.rejected.values())} rejected"
    yield from made.rejections
    for name, (passed, tried) in made.tally.proofs.items():
        yield f"  {name:<16}  {passed:,} of {tried:,}"
    yield f"  tools in chains   {len(made.covered)} of {len(made.tools)}{_named_missing(made)}"
    least, middle = made.executable[0], median(made.executable)
    yield f"  executable tools  least {least}, median {middle:g} of {len(made.tools)}"
    yield f"  outside wishes    in {made.with_outside_wish} of {counted(made.tally.kept, 'task')}"
    touching, whole, joined = made.with_touching_wishes, made.with_one_story, made.joined_by_caller
    yield (
        f"  several wishes    touch each other in {touching} (all of them in {whole}), have nothing but the caller in "
        f"common in {joined}"
    )
    by_level = ", ".join(f"{count} of {level}" for level, count in made.complexities.items())
    yield f"  level             {by_level}"
    yield f"  bytes in a line   {median(len(line.encode()) for line in made.lines):,.0f} in the median"
    if not making.unverified:
        yield from (f"  {line}" for line in (*describe_shortcuts(made.shortcuts), *made.shortcuts.faults))
    yield f"  {made.per_second:.1f} {what}s per second"


def _named_missing(made: Made) -> str:
    """The tools that no chain calls; those that write are marked, as a task is what is written."""
    named = [f"{name} (writes)" if name in made.writing else name for name in made.missing]
    return f"; not {', '.join(named)}" if named else ""
