"""`worldsmith tasks`: make tasks from a domain's scenarios, or export a task's world."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from generator.isolation.job import ProofFailed
from generator.tasks.make import (
    MOST_SEED,
    MOST_TASKS,
    Made,
    Making,
    make_tasks,
    write_lines,
)
from generator.tasks.plan import LEAST_ROWS, MOST_ROWS, SIZES
from generator.tasks.proofs.shortcuts import describe_shortcuts
from runtime.commands.options import add_tasks_file
from runtime.commands.output import check_output, print_result
from runtime.commands.progress import Progress
from runtime.domain.load import find_domain, find_folder, is_carried
from runtime.errors import StageFailed, UsageError
from runtime.sandbox.files import is_there, read_lines
from runtime.task.task import Task, start_world, write_world
from runtime.task.task_file import find_task, parse_task, task_line
from runtime.wording import counted

_MOST_PROCESSES = 256
_MOST_LACKING = 8  # things that a set lacks, shown to a person
_WITH_COUNT = ("level", "rows", "unverified", "replace", "out")


def add_tasks(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "tasks",
        description="Make tasks from the scenarios of a domain, prove them by execution, and add them to its "
        "tasks.jsonl, or to tasks/NAME.jsonl here if the domain belongs to the installed package; the same seed makes "
        "the same tasks. With --export, write the world that a task starts from, to play it on any server of the "
        "domain with --world.",
    )
    parser.add_argument("domain", help="name or path of a domain")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("-n", "--count", type=int, metavar="N", help="make N tasks")
    what.add_argument(
        "--export", nargs=2, metavar=("ID", "FILE.db"), help="write a task's world to a file that is not there yet"
    )
    add_tasks_file(parser)
    parser.add_argument("--seed", type=int, default=1, help="of the tasks and their worlds (default 1)")
    parser.add_argument("--level", type=int, metavar="1..5", help="what makes them hard (default: a mix)")
    parser.add_argument("--rows", type=int, metavar="R", help="rows of each world (default 300 to 3,000, by level)")
    parser.add_argument("--unverified", action="store_true", help="keep every task without proving it, marked so")
    parser.add_argument("--out", type=Path, metavar="FILE", help="add the tasks to this file instead")
    parser.add_argument("--replace", action="store_true", help="write the file anew, without the tasks that it holds")
    parser.add_argument("--processes", type=int, metavar="P", help="child processes at a time (default: all cores)")
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Make tasks, or write a world."""
    if arguments.count is not None:
        if arguments.tasks is not None:
            raise UsageError("--tasks goes with --export; --out names a file for new tasks")
        return _make(arguments)
    given = [name for name in _WITH_COUNT if getattr(arguments, name) not in (None, False)]
    if given:
        raise UsageError(f"--{given[0]} does not go with --export; it is for the tasks that -n makes")
    return _export(arguments)


def _export(arguments: argparse.Namespace) -> int:
    task_id, path = arguments.export
    domain = find_domain(arguments.domain)
    world = start_world(find_task(domain, task_id, arguments.tasks), domain)
    write_world(world, Path(path))
    digest = f"{world.digest:032x}"
    told = {"task": task_id, "file": path, "bytes": len(world.image), "digest": digest}
    size = f"{len(world.image) / 1024:.0f} KiB"
    print_result(arguments, told, [f"{path}: the world of task {task_id!r}, {size}, digest {digest}"])
    return 0


def _make(arguments: argparse.Namespace) -> int:
    _check_options(arguments)
    folder = find_folder(arguments.domain)
    out, is_own = _place_of(arguments, folder)
    others = [] if arguments.replace or is_own else _read_others(out, folder.name)
    if arguments.replace and out.exists():
        check_output(out)
    try:
        with Progress(f"making {counted(arguments.count, 'task')}") as told:
            making = Making(
                folder=folder,
                count=arguments.count,
                seed=arguments.seed,
                complexity=arguments.level,
                rows=arguments.rows,
                unverified=arguments.unverified,
                processes=arguments.processes,
                beside=tuple(others),
                replace=arguments.replace and is_own,
            )
            made = make_tasks(making, told.tell)
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    out.parent.mkdir(exist_ok=True)
    ids = {task.id for task in made.tasks}
    kept = made.kept if is_own else [task_line(task) for task in others if task.id not in ids]
    if arguments.replace:
        kept = []
    write_lines(out, [*kept, *made.lines])
    figures = {"file": str(out), "others": len(kept), **_figures_of(made)}
    plays = "" if is_own else f"worldsmith eval {folder.name} --tasks {out}"
    print_result(arguments, figures, _described(made, figures, making, plays))
    return 0


def _place_of(arguments: argparse.Namespace, folder: Path) -> tuple[Path, bool]:
    """The file for tasks, and whether it is the domain's own; a packaged domain has its tasks in a folder here."""
    own = folder / "tasks.jsonl"
    usual = Path("tasks") / f"{folder.name}.jsonl" if is_carried(arguments.domain) else own
    out: Path = arguments.out or usual
    if arguments.out is not None and not out.parent.is_dir():
        raise UsageError(f"{str(out)!r} cannot be written: there is no folder {str(out.parent)!r}.")
    return out, out.resolve() == own.resolve()


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


def _figures_of(made: Made) -> dict[str, Any]:
    return {
        "kept": made.tally.kept,
        "tried": made.tried,
        "rejected": made.tally.rejected,
        "first_rejected": made.first_reasons,
        "proofs": {name: list(counts) for name, counts in made.tally.proofs.items()},
        "tools_covered": len(made.covered),
        "tools": len(made.tools),
        "tools_missing": made.missing,
        "executable_tools": {"least": made.executable[0], "median": median(made.executable), "of": len(made.tools)},
        "level": made.worth.levels,
        "split": dict(Counter(task.split for task in made.tasks)),
        "shortcuts": asdict(made.shortcuts),
        "worth": made.worth.as_json(),
        "unmet": made.unmet,
        "per_second": round(made.per_second, 1),
    }


def _described(made: Made, figures: dict[str, Any], making: Making, plays: str) -> Iterator[str]:
    """What a person reads of the same figures; `plays` is the command that plays tasks elsewhere than in the domain."""
    split, what = figures["split"], "unverified task" if making.unverified else "proven task"
    train, held_out = (split.get(name, 0) for name in ("train", "held_out"))
    yield f"{figures['file']}: {counted(figures['kept'], what)}, {train} to train and {held_out} held out"
    if figures["others"]:
        yield f"  added to {counted(figures['others'], 'task')} that the file holds; --replace would write it anew"
    if plays:
        yield f"  to play them: {plays}"
    yield f"  {counted(made.tried, 'candidate')}, {sum(made.tally.rejected.values())} rejected"
    yield from made.rejections
    for name, (passed, tried) in made.tally.proofs.items():
        yield f"  {name:<16}  {passed:,} of {tried:,}"
    missing = f"; not {', '.join(made.missing)}" if made.missing else ""
    yield f"  tools in chains   {len(made.covered)} of {len(made.tools)}{missing}"
    yield "  executable tools  least {least}, median {median:g} of {of}".format(**figures["executable_tools"])
    if not making.unverified:
        yield from (f"  {line}" for line in (*describe_shortcuts(made.shortcuts), *made.shortcuts.faults))
    yield from (f"  {line}" for line in (*made.worth.lines, *made.worth.uses))
    if made.unmet:
        yield "What the tasks lack, and why"
        yield from (f"  {line}" for line in made.unmet[:_MOST_LACKING])
        if len(made.unmet) > _MOST_LACKING:
            yield f"  and {len(made.unmet) - _MOST_LACKING} more; --json lists all of them"
    yield f"  {figures['per_second']} {what}s per second"
