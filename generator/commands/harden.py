"""`worldsmith harden`: raise the tasks that an agent always solves, and keep what it then solves less often."""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.calibrate import place_of_rates
from runtime.commands.evaluate import choice_of, config_of, play_as_asked
from runtime.commands.evaluation_options import add_evaluation_options
from runtime.domain.domain import Domain
from runtime.domain.find import find_domain, find_folder, is_carried
from runtime.errors import StageFailed, UsageError
from runtime.harness.evaluation.config import RunConfig
from runtime.harness.evaluation.plan import TaskName, choose_tasks
from runtime.harness.evaluation.rates import Rate, conditions_of, digests_of, fresh_rates, read_rates
from runtime.harness.evaluation.scores import TaskTrials
from runtime.sandbox.files import is_there, read_lines, replacing
from runtime.task.task import Task
from runtime.task.task_file import parse_task, read_tasks, task_line
from runtime.terminal import print_lines
from runtime.wording import counted

if TYPE_CHECKING:
    from generator.tasks.hardening.ways import Way
    from runtime.harness.evaluation.summary import Summary

FILE = "harder.jsonl"
_LEAST_TRIALS = 4


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "harden",
        help="raise the tasks that an agent always solves (asks a model only if agent or user is one)",
        description="Take the tasks that an agent solved in all of their trials, by the rates that `worldsmith "
        "calibrate` keeps under the same conditions, and raise each: a level up, the denied side of its rule, another "
        "form, more near-duplicates, of the same seed. What comes of it is proven like any task, then played; the "
        "first that the agent does not always solve is kept in harder.jsonl in the domain's folder, or in "
        "harder/NAME.jsonl here if the domain belongs to the installed package, and names its easier sibling, which "
        "stays as it is. `worldsmith eval --tasks FILE` plays them. The same command goes on where a stopped one was. "
        "Exit 1: some episodes are void or still owed.",
    )
    parser.add_argument("domain", nargs=1, help="name or path of a domain")
    add_evaluation_options(parser, trials=8)
    parser.add_argument("--rates", type=Path, metavar="FILE", help="take the rates from this file instead")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keep the harder tasks in this file instead")
    parser.add_argument(
        "--least",
        type=int,
        default=_LEAST_TRIALS,
        metavar="N",
        help=f"trials that a task must have to count as always solved (default {_LEAST_TRIALS})",
    )
    parser.add_argument("--json", action="store_true", help="print what was raised as JSON")
    parser.set_defaults(run=run, suite=None, without="")


@dataclass(frozen=True)
class Raised:
    """A task that is kept since it measures harder: how it was raised, its trials and how many were rewarded."""

    task: Task
    way: str
    n: int
    c: int


@dataclass
class Hardening:
    """What came of it: how many tasks were `measured` before, those that are kept, and why others were not raised."""

    file: Path
    store: Path
    agent: str
    measured: int
    solved: Sequence[Task]
    raised: list[Raised] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)  # proposals, by what refused them
    as_easy: int = 0  # proposals that were solved in every trial, too
    unjudged: int = 0  # proposals of which trials are owed

    def as_json(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {
            "file": str(self.file),
            "store": str(self.store),
            "agent": self.agent,
            "measured": self.measured,
            "solved": len(self.solved),
            "raised": [
                {"task": each.task.id, "easier": each.task.easier, "way": each.way, "n": each.n, "c": each.c}
                for each in self.raised
            ],
            "as_easy": self.as_easy,
            "refused": dict(self.refused.most_common()),
            "unjudged": self.unjudged,
        }

    def describe(self) -> Iterator[str]:
        """The figures as lines that a person reads."""
        yield (
            f"{self.agent}: {len(self.solved)} of {counted(self.measured, 'measured task')} always solved, "
            f"{len(self.raised)} raised"
        )
        for each in self.raised:
            yield f"  {each.task.id} ({each.way}): {each.c} of {each.n}"
            yield f"    from {each.task.easier}"
        if self.as_easy:
            yield f"{counted(self.as_easy, 'proposal')} solved in every trial, too, and not kept"
        for reason, count in self.refused.most_common():
            yield f"{counted(count, 'proposal')} not made or not proven: {reason}"
        if self.unjudged:
            yield f"{counted(self.unjudged, 'proposal')} with trials that are owed; the same command plays them"
        if self.raised:
            yield f"{self.file}: play them with --tasks {self.file}"


def run(arguments: argparse.Namespace) -> int:
    """Raise what is always solved, round by round; 0 if every episode has a verdict."""
    from generator.tasks.hardening.ways import ways_of

    if arguments.least < 1:
        raise UsageError(f"--least is {arguments.least}; it is a number of trials from 1.")
    domain = find_domain(arguments.domain[0])
    config = config_of(arguments)
    chosen = [each.task for each in choose_tasks([domain], choice_of(arguments))]
    rates = _rates_of(arguments, domain, config, chosen)
    solved = [task for task in chosen if _is_always_solved(rates.get((domain.name, task.id)), arguments.least)]
    hardening = Hardening(_place_of(arguments), _store_of(arguments, domain, config), config.shown, len(rates), solved)
    _check_makeable(domain)
    ways = {task.id: ways_of(task, arguments.seed) for task in solved}
    hardening.refused.update("its id ends in no number of a made task" for each in ways.values() if not each)
    status, pending = 0, [task for task in solved if ways[task.id]]
    played: list[Task] = []
    for turn in range(max(map(len, ways.values()), default=0)):
        proposed = [(task, ways[task.id][turn]) for task in pending if turn < len(ways[task.id])]
        made = _make(domain, proposed, hardening, chosen)
        if made:
            played += made.values()
            ended = _play(arguments, domain, hardening, played, made)
            if ended is None:
                return 130
            status = max(status, ended.status)
            _keep(hardening, domain, made, {task.id: way for task, way in proposed}, ended.tallies, arguments.trials)
        done = {each.task.easier for each in hardening.raised}
        pending = [task for task in pending if task.id not in done]
    if arguments.json:
        print(json.dumps(hardening.as_json(), ensure_ascii=False, indent=2))
    else:
        print_lines(hardening.describe())
    return status


def _rates_of(
    arguments: argparse.Namespace, domain: Domain, config: RunConfig, chosen: Sequence[Task]
) -> dict[TaskName, Rate]:
    """The rates of the chosen tasks, of this agent under these conditions; errors: UsageError if there are none."""
    path = arguments.rates or place_of_rates(arguments.domain[0])
    digests = digests_of({(domain.name, task.id): task for task in chosen}, {domain.name: domain.digest})
    player = (config.shown, config.program, conditions_of(config))
    rates = {each.name: each for each in fresh_rates(read_rates(path), digests) if each.player == player}
    if not rates:
        raise UsageError(
            f"{str(path)!r} has no rate of agent {config.shown!r} for these tasks as they are now, with this user and "
            f"these limits; `worldsmith calibrate {arguments.domain[0]} --agent {arguments.agent}` measures some."
        )
    return rates


def _is_always_solved(rate: Rate | None, least: int) -> bool:
    return rate is not None and rate.n >= least and rate.c == rate.n


def _check_makeable(domain: Domain) -> None:
    for name in ("scenarios.py", "graph.json"):
        if not is_there(domain.path / name):
            raise UsageError(f"Domain {domain.name!r} has no {name}, which tasks are made of, so none can be raised.")


def _place_of(arguments: argparse.Namespace) -> Path:
    """Where harder tasks are kept: in the domain's folder, or in one here for a domain of the package."""
    path: Path | None = arguments.out
    if path is not None:
        if not path.parent.is_dir():
            raise UsageError(f"--out {str(path)!r} cannot be written: there is no folder {str(path.parent)!r}.")
        return path
    name = arguments.domain[0]
    folder = find_folder(name)
    return Path("harder") / f"{folder.name}.jsonl" if is_carried(name) else folder / FILE


def _store_of(arguments: argparse.Namespace, domain: Domain, config: RunConfig) -> Path:
    path: Path | None = arguments.store
    name = re.sub(r"[^A-Za-z0-9_.+-]+", "-", f"{domain.name}-{config.agent}").strip("-")[:100]
    return path or Path("runs") / f"{name}-harder.db"


def _make(
    domain: Domain, proposed: Sequence[tuple[Task, Way]], hardening: Hardening, chosen: Sequence[Task]
) -> dict[str, Task]:
    """The proven tasks of proposals, by the id of the easier one; what refused the others is counted."""
    from generator.isolation.answer import ProofFailed
    from generator.isolation.prove import prove_all
    from generator.tasks.hardening.raising import RaiseProposal, RaiseRequest, raise_tasks
    from generator.tasks.make import chain_and_rows, limits_of
    from generator.tasks.plan import plan_of
    from runtime.commands.progress import Progress

    if not proposed:
        return {}
    order = sorted(proposed, key=lambda each: (each[0].world.base, each[0].id))
    processes = os.cpu_count() or 1
    size = -(-len(order) // processes)
    shares = [order[first : first + size] for first in range(0, len(order), size)]
    asked = [
        RaiseRequest(domain.path.resolve(), [RaiseProposal(task.id, way) for task, way in share]) for share in shares
    ]
    rows = max(plan_of(way.made).size for _, way in proposed)
    try:
        with Progress(f"raising {counted(len(proposed), 'task')}"):
            reports = prove_all(raise_tasks, asked, limits_of(size, rows), processes, reads=[domain.path])
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    known = {chain_and_rows(task) for task in [*chosen, *read_tasks(domain).values()]}
    crowded = {task.id: chain_and_rows(task) for task, way in proposed if way.name == "near-duplicates"}
    made: dict[str, Task] = {}
    for line in (line for report in reports for line in report.lines):
        if line.why_not:
            hardening.refused[line.why_not] += 1
            continue
        task = parse_task(line.line)
        own = chain_and_rows(task)
        if own in known and crowded.get(line.easier) != own:
            hardening.refused["the same chain and rows as another task"] += 1
            continue
        known.add(own)
        made[line.easier] = task
    return {task.id: made[task.id] for task, _ in proposed if task.id in made}


@dataclass(frozen=True)
class _Played:
    status: int
    tallies: dict[TaskName, TaskTrials]


def _play(
    arguments: argparse.Namespace, domain: Domain, hardening: Hardening, played: Sequence[Task], made: dict[str, Task]
) -> _Played | None:
    """Play what was made in this round, in one store with the rounds before; None if it was stopped."""
    tasks = hardening.store.with_suffix(".proposed.jsonl")
    _write(tasks, [task_line(task) for task in played])
    tallies: dict[TaskName, TaskTrials] = {}

    def tell(summary: Summary) -> None:
        tallies.update(summary.tallies)

    chosen = {"tasks": tasks, "task": ",".join(task.id for task in made.values()), "store": hardening.store}
    nothing = {"count": None, "split": None, "level": None}
    status = play_as_asked(argparse.Namespace(**{**vars(arguments), **chosen, **nothing}), tell)
    arguments.fresh = False  # which began the store anew in the first round
    return None if status == 130 else _Played(status, tallies)


def _keep(
    hardening: Hardening,
    domain: Domain,
    made: dict[str, Task],
    ways: dict[str, Way],
    tallies: dict[TaskName, TaskTrials],
    trials: int,
) -> None:
    """Keep what measures harder than its easier sibling, which was always solved; written at once."""
    for easier, task in made.items():
        tally = tallies.get((domain.name, task.id), TaskTrials(0, 0))
        if tally.trials < trials:
            hardening.unjudged += 1
        elif tally.rewarded == tally.trials:
            hardening.as_easy += 1
        else:
            hardening.raised.append(Raised(task, ways[easier].name, tally.trials, tally.rewarded))
    lines = {parse_task(line).id: line.decode().rstrip("\n") for line in _lines_of(hardening.file)}
    lines |= {each.task.id: task_line(each.task) for each in hardening.raised}
    if lines:
        _write(hardening.file, list(lines.values()))


def _lines_of(path: Path) -> Iterator[bytes]:
    return (line for _, line in read_lines(path) if line.strip()) if is_there(path) else iter(())


def _write(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as file:
        file.writelines(f"{line}\n".encode() for line in lines)
