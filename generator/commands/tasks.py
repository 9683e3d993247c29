"""`worldsmith tasks`: make tasks from a domain's scenarios, prove them, and add them to its file."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from generator.author.mend import MendAsker
from generator.author.stages.expansion import rule_expansions
from generator.commands.new import choose_models_of
from generator.commands.place import building_beside, exchange
from generator.commands.watch_build import BuildWatcher, relay_folders
from generator.day.make import MOST_ITEMS, make_days
from generator.day.office import SUFFIX, check_days
from generator.isolation.job import ProofFailed
from generator.tasks.make import (
    MOST_SEED,
    MOST_TASKS,
    Made,
    Making,
    make_tasks,
    write_lines,
)
from generator.tasks.plan import LEAST_ROWS, MOST_ROWS
from generator.tasks.proofs.shortcuts import describe_shortcuts
from generator.tasks.sessions import own_file, tasks_by_hand
from runtime.commands.options import (
    DOMAIN,
    JSON,
    PRICE,
    command,
    flag,
    group,
    int_option,
    list_option,
    option,
    path_option,
    text_option,
)
from runtime.commands.output import Result, check_output
from runtime.commands.progress import Progress
from runtime.domain.domain import Domain
from runtime.domain.hybrid import JOINER, is_hybrid
from runtime.domain.load import find_folder, find_place, is_carried, load_domain
from runtime.errors import StageFailed, UsageError
from runtime.model.book import AnswerBook
from runtime.model.choose import CHOICES
from runtime.sandbox.files import is_there, parse_json, read_lines
from runtime.task.task import Step, Task
from runtime.task.task_file import parse_task, task_line
from runtime.wording import counted

GATE = ".gate"  # in place of the ending of a file of tasks: the answers at its gate
_MOST_AIMED = 6  # parts that fail, shown to a person
_MOST_LACKING = 8  # things that a set lacks, shown to a person


@command(
    "tasks",
    "Make tasks from the scenarios of a domain, prove them by execution, and add them to its tasks.jsonl, or to "
    "tasks/NAME.jsonl here if the domain belongs to the installed package; the same seed makes the same tasks.",
    DOMAIN,
    int_option("-n", "--count", said="make N tasks", within=(1, MOST_TASKS)),
    int_option("--seed", said="of the tasks and their worlds", within=(0, MOST_SEED - 1), default=1, metavar="S"),
    int_option("--level", said="what makes them hard, 1 to 7 (default: a mix of 1 to 5)", within=(1, 7), metavar="L"),
    int_option("--rows", said="rows of each world (default 300 to 3,000, by level)", within=(LEAST_ROWS, MOST_ROWS)),
    path_option("--aim", "STORE", "more of the forms, rules and tools that the agent of this run fails"),
    int_option(
        "--day",
        said="make days at the office instead, each with ITEMS messages of different customers, as a domain of their "
        "own (default: domains/NAME_day)",
        within=(2, MOST_ITEMS),
        metavar="ITEMS",
    ),
    text_option(
        "--gate", "MODEL", f"ask {CHOICES} how many more chains of tools must run in a task's world, not the formula"
    ),
    option("--max-cost", type=float, above=0, metavar="USD", help="with --gate, stop before more than this is spent"),
    PRICE,
    flag("--unverified", "keep every task without proving it, marked so"),
    path_option("--out", "FILE", "add the tasks to this file instead"),
    flag("--replace", "write the file anew, without those of its tasks that were made of scenarios"),
    int_option("--processes", said="child processes at a time (default: all cores)", within=(1, 256)),
    JSON,
    group(
        "instead, one task of a session that was played",
        text_option("--from", "PLAY", "RUN, RUN:TASK or RUN:NUMBER of a run store, or a file of debug_save_play"),
        list_option("--say", "WORDS", "a request of the user (default: the words of the task that was played)"),
        list_option("--tell", "NAME=VALUE", "what the user tells only when asked"),
        list_option("--answer", "NAME=VALUE", "what the user must be told"),
        text_option(
            "--calls",
            "FILE",
            "the calls that are right, one JSON object a line; `played` or `reference` (default: played if it won)",
        ),
        flag("--sure", "the words single out each row that is meant, such as the cheapest one"),
        flag("--mend", "accept whatever is offered to mend it"),
    ),
)
def tasks(arguments: argparse.Namespace) -> Result:
    """Make tasks and say what they are."""
    if is_hybrid(arguments.domain):
        return _make_hybrids(arguments)
    folder = find_folder(arguments.domain)
    out, is_own = _place_of(arguments, folder)
    if arguments.gate and (arguments.day is not None or getattr(arguments, "from") is not None):
        raise UsageError("--gate decides about tasks that are made of scenarios; leave it out with --day and --from.")
    if getattr(arguments, "from") is not None:
        return _from_play(arguments, load_domain(folder), out)
    if arguments.day is not None:
        return _make_days(arguments, folder)
    if arguments.count is None:
        raise UsageError("Say how many tasks to make with -n N, or which play becomes one with --from PLAY.")
    if arguments.replace:
        if out.exists():
            check_output(out)
        others = tasks_by_hand(out, folder.name)
    else:
        others = [] if is_own else _read_others(out, folder.name)
    try:
        with ExitStack() as stack:
            told = stack.enter_context(Progress(f"making {counted(arguments.count, 'task')}"))
            asker = _asker_of(arguments, out, told, stack) if arguments.gate else None
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
                aim=arguments.aim.resolve() if arguments.aim else None,
            )
            made = make_tasks(making, told.tell)
            if asker is not None:
                ruled = asyncio.run(rule_expansions(asker, load_domain(folder), folder, made.lines))
                made.lines, made.tasks = ruled.lines, [parse_task(line) for line in ruled.lines]
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    out.parent.mkdir(exist_ok=True)
    ids = {task.id for task in made.tasks}
    kept = [task_line(task) for task in others if task.id not in ids]
    kept = made.kept if is_own and not arguments.replace else kept
    write_lines(out, [*kept, *made.lines])
    figures = {"file": str(out), "others": len(kept), **_figures_of(made)}
    if arguments.gate:
        figures["gate"] = {"answers": str(out.with_suffix(GATE)), "asked": ruled.asked, "went_on": ruled.went_on}
    plays = "" if is_own else f"worldsmith eval {folder.name} --tasks {out}"
    stay = "kept, as no scenario makes them" if arguments.replace else ""
    return Result(figures, _described(made, figures, making, plays, stay))


def _make_hybrids(arguments: argparse.Namespace) -> Result:
    """Make tasks of several domains, in which one caller asks each of them for something."""
    from generator.hybrid.compose import LEVELS, make_hybrids

    for name in ("rows", "aim", "day", "from", "gate"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} is for tasks of one domain; {arguments.domain!r} names several.")
    if arguments.unverified or arguments.count is None:
        raise UsageError("Tasks of several domains are all proven; say how many to make with -n N.")
    if arguments.level not in (None, *LEVELS):
        raise UsageError(f"--level is {arguments.level}; tasks of several domains have 4, 5 or 6.")
    place = find_place(arguments.domain)
    is_apart = JOINER in str(place.parent) or any(map(is_carried, arguments.domain.split(JOINER)))
    own = Path("tasks", f"{place.name}.jsonl") if is_apart else place / "tasks.jsonl"
    out: Path = arguments.out or own
    if out.exists() and not arguments.replace:
        raise UsageError(f"{str(out)!r} has tasks already; give --replace to write it anew, or another --out.")
    with Progress(f"making {counted(arguments.count, 'task')}") as told:
        made = make_hybrids(place, arguments.count, arguments.seed, arguments.level, arguments.processes, told.tell)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_lines(out, [task_line(task) for task in made.tasks])
    levels = dict(sorted(Counter(task.level or 0 for task in made.tasks).items()))
    figures = {"file": str(out), "kept": len(made.tasks), "tried": made.tried, "rejected": dict(made.rejected)}
    lines = [f"{out}: {counted(len(made.tasks), 'proven task')} of {counted(made.tried, 'candidate')}"]
    lines += [f"  level {level}: {number}" for level, number in levels.items()]
    lines += [f"  {number:>6}  {reason}" for reason, number in made.rejected.most_common()]
    where = "" if out == place / "tasks.jsonl" else f" --tasks {out}"
    return Result(figures | {"level": levels}, [*lines, f"Play them: worldsmith eval {arguments.domain}{where}"])


def _asker_of(arguments: argparse.Namespace, out: Path, progress: Progress, stack: ExitStack) -> MendAsker:
    """Return who answers at the gate, with the file of its answers open; errors: UsageError."""
    out.parent.mkdir(exist_ok=True)
    book = stack.enter_context(AnswerBook.open(out.with_suffix(GATE), {"gate": True}))
    arguments.model = [arguments.gate]
    watcher = BuildWatcher(book, progress, relay_folders(arguments.model), arguments.count, is_whole=False)
    models = choose_models_of(arguments, ["expansion"], book)
    return MendAsker(models, watcher, max_cost=arguments.max_cost, questions=arguments.count)


def _make_days(arguments: argparse.Namespace, folder: Path) -> Result:
    """Make days, as the tasks of an office with an inbox."""
    out = Path(arguments.out) if arguments.out else Path("domains", folder.name + SUFFIX)
    if arguments.count is None:
        raise UsageError("Say how many days to make with -n N.")
    making = Making(folder=folder, count=arguments.count, seed=arguments.seed, processes=arguments.processes)
    made = put_days(making, [arguments.day], out, replace=arguments.replace)
    figures = {"folder": str(out), "days": len(made), "items": arguments.day, "calls": [len(day.chain) for day in made]}
    denied = [sum(each.decides == "denied" for each in day.decisions) for day in made]
    lines = [f"{out}: {counted(len(made), 'day')} with {arguments.day} messages each"]
    lines += [
        f"  {day.id}: {counted(len(day.chain), 'call')}, {of} of {arguments.day} denied"
        for day, of in zip(made, denied, strict=True)
    ]
    lines.append(f"Play them: worldsmith eval {out} --agent reference")
    return Result(figures | {"denied": denied}, lines)


def put_days(making: Making, sizes: Sequence[int], out: Path, *, replace: bool) -> list[Task]:
    """Make days of some sizes in a folder, which appears whole or not at all; errors: UsageError."""
    if out.exists():
        check_days(out, replace=replace)
    out.parent.mkdir(exist_ok=True)
    said = f"making {counted(making.count * len(sizes), 'day')} of {making.folder.name}"
    with Progress(said) as told, building_beside(out) as building:
        made = make_days(making, sizes, building / out.name, told.tell)
        if out.exists():
            exchange(building / out.name, out)
        else:
            (building / out.name).rename(out)
    return made


def _from_play(arguments: argparse.Namespace, domain: Domain, out: Path) -> Result:
    """Make a task of a session, and write it if it is proven; otherwise say what is missing, with exit status 1."""
    from generator.tasks.played import TaskEdit, first_edit, prove_played, typed_value
    from generator.tasks.sessions import add_task, ids_in, read_session

    played = read_session(getattr(arguments, "from"), domain)
    chosen = arguments.calls or ("played" if played.lost is None else "reference")
    if chosen in ("played", "reference"):
        edit = first_edit(played, from_reference=chosen == "reference")
    else:
        edit = TaskEdit(calls=[Step.model_validate(parse_json(line)) for _, line in read_lines(Path(chosen))])
    told, answers = (
        {name: typed_value(value) for name, value in map(pair_of, each)} for each in (arguments.tell, arguments.answer)
    )
    edit = edit.model_copy(update={"words": arguments.say, "told": told, "answers": answers, "sure": arguments.sure})
    taken, mended = ids_in(out), []
    proof = prove_played(played, edit, taken)
    while arguments.mend and (mend := next((each for each in proof.missing if each.mend), None)) is not None:
        mended.append(mend.offer)
        assert mend.mend is not None
        proof = prove_played(played, mend.mend, taken)
    lines = [f"Mended: {each}." for each in mended]
    if proof.task is None or proof.missing:
        lines += [f"{each.sentence}{f' {each.offer}?' if each.offer else ''}" for each in proof.missing]
        lines += ["--mend accepts what is offered."] * any(each.mend for each in proof.missing)
        return Result(proof, [f"{getattr(arguments, 'from')} is not a task yet.", *lines], 1)
    add_task(proof.task, out)
    lines += [f"{out}: {proof.task.id} is proven and written.", *proof.lines]
    return Result(proof, lines)


def pair_of(text: str) -> tuple[str, str]:
    """Return the name and the value of an option that is given as NAME=VALUE; errors: UsageError."""
    name, is_there, value = text.partition("=")
    if not (name and is_there):
        raise UsageError(f'{text!r} is not NAME=VALUE, such as "new due date=2026-04-03".')
    return name, value


def _place_of(arguments: argparse.Namespace, folder: Path) -> tuple[Path, bool]:
    """The file for tasks, and whether it is the domain's own; a packaged domain has its tasks in a folder here."""
    own = folder / "tasks.jsonl"
    out: Path = arguments.out or own_file(arguments.domain, folder)
    if out.parent.resolve() == (folder / "tasks").resolve():
        out.parent.mkdir(exist_ok=True)  # of the domain's further sets
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
        "aimed": [asdict(each) for each in made.aimed],
    }


def _described(made: Made, figures: dict[str, Any], making: Making, plays: str, stay: str) -> Iterator[str]:
    """What a person reads of the same figures; `plays` is the command that plays tasks elsewhere than in the domain."""
    split, what = figures["split"], "unverified task" if making.unverified else "proven task"
    train, held_out = (split.get(name, 0) for name in ("train", "held_out"))
    yield f"{figures['file']}: {counted(figures['kept'], what)}, {train} to train and {held_out} held out"
    if figures["others"]:
        held = counted(figures["others"], "task")
        yield f"  {stay}: {held}" if stay else f"  added to {held} that the file holds; --replace would write it anew"
    if plays:
        yield f"  to play them: {plays}"
    yield f"  {counted(made.tried, 'candidate')}, {sum(made.tally.rejected.values())} rejected"
    worst = [f"{each.part} ({each.failed} of {each.requests})" for each in made.aimed[:_MOST_AIMED]]
    yield from [f"  aimed at what fails: {', '.join(worst)}"] * bool(worst)
    yield from made.rejections
    for name, (passed, tried) in made.tally.proofs.items():
        yield f"  {name:<16}  {passed:,} of {tried:,}"
    missing = f"; not {', '.join(made.missing)}" if made.missing else ""
    yield f"  tools in chains   {len(made.covered)} of {len(made.tools)}{missing}"
    if "gate" in figures:
        yield "  gate              {went_on} of {asked} answers add a chain; they are in {answers}".format(
            **figures["gate"]
        )
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
