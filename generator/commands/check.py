"""`worldsmith check`: run every gate of a domain again, on the folder as it lies."""

from __future__ import annotations

import argparse
import contextlib
import heapq
import itertools
import json
import math
import os
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from generator.commands.check_report import (
    ANSWERS,
    CASES,
    GRAPH,
    PEERS,
    SCENARIOS,
    TASKS,
    Checked,
    CheckReport,
    make_report,
    unloaded_report,
)
from generator.gates.calls.random_calls import CallsRequest, prove_random_calls
from generator.gates.cases.run import prove_cases
from generator.gates.folder import describe_folder
from generator.gates.lively import find_fixed_shares, find_lifeless
from generator.gates.mutants import MutantsRequest, prove_mutants
from generator.gates.request import FolderRequest, cut_in_shares
from generator.gates.rules.prove import prove_rules
from generator.gates.worlds import prove_worlds
from generator.graph.evidence import recheck_graph
from generator.isolation.job import Job, ProofFailed, ProvingLimits
from generator.isolation.process import Ended, prove, prove_each
from generator.scenarios.guesses import GuessesRequest, measure_guesses
from generator.scenarios.run import ScenariosRequest, prove_scenarios
from generator.tasks.proofs.recheck import recheck_tasks, shares_of_tasks
from runtime.commands.output import print_result
from runtime.commands.progress import Progress
from runtime.domain.find import find_folder
from runtime.domain.load import RULES
from runtime.errors import BrokenDomain, UsageError
from runtime.sandbox.files import is_there, read_lines
from runtime.wording import counted

_MOST_SHOWN = 20  # faults of a gate, or survivors, that a person is shown
_MOST_CALLS = 10_000_000
_MAX_SECONDS = 3_600  # of processor time for one proof, which takes a minute at most on the domains that ship
_WALL_PER_PROCESSOR = 10  # a proof may take so many times as long on a busy machine
_CALL_SHARES = 2  # a fixed number, so that the random calls do not depend on the machine
_RULE_SHARES = 6
_TOOLS_AT_ONCE = 8  # whose mutants are killed in one process
_SEED_STEP = 1_000  # between the shares of the calls


def add_check(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check",
        description="Load a domain, attack its constraints, build its worlds, run its cases and mutants, recheck its "
        "graph, make random calls, replay its tasks; each in a child process. Exit 0: all pass; exit 1: one failed, or "
        "was stopped by a limit.",
    )
    parser.add_argument("domain", help="name or path of a domain")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--mutants", action="store_true", help="list the mutants that no case notices")
    which.add_argument("--no-mutants", action="store_true", help="leave the mutants out")
    parser.add_argument("--calls", type=int, default=20_000, metavar="N", help="random calls (default 20000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random calls and their worlds (default 1)")
    parser.add_argument(
        "--max-seconds",
        type=int,
        default=_MAX_SECONDS,
        metavar="N",
        help=f"stop a proof after N seconds of processor time (default {_MAX_SECONDS:,})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report; 0 if every gate passes."""
    if not 1 <= arguments.calls <= _MOST_CALLS:
        raise UsageError(f"--calls is {arguments.calls}; 1 to {_MOST_CALLS:,} can be made")
    if arguments.max_seconds < 1:
        raise UsageError(f"--max-seconds is {arguments.max_seconds}; it must be at least 1")
    folder = find_folder(arguments.domain)
    for name in (ANSWERS, CASES, GRAPH, SCENARIOS, TASKS):
        is_there(folder / name)  # each is a file, if it is there; whether it is one of its kind, its gate says
    report = _check(arguments, folder)
    listed = {"survivors": report.survivors} if arguments.mutants else {}
    print_result(arguments, report.as_json() | listed, _described(report, survivors=arguments.mutants))
    return 0 if report.passed else 1


def _check(arguments: argparse.Namespace, folder: Path) -> CheckReport:
    mutants = not arguments.no_mutants
    limits = ProvingLimits(arguments.max_seconds, wall_seconds=float(_WALL_PER_PROCESSOR * arguments.max_seconds))
    with Progress(f"loading {folder.name}"):
        try:
            described = prove(describe_folder, FolderRequest(folder), limits)
        except (BrokenDomain, ProofFailed) as error:
            return unloaded_report(folder, error)
    planned = planned_proofs(folder, list(described.tools), arguments.calls, arguments.seed, mutants=mutants)
    time_left = TimeLeft(planned, os.cpu_count() or 1)
    with Progress(f"checking {described.domain}", len(planned), left=time_left.seconds) as progress:

        def ended(each: Ended) -> None:
            time_left.ended(each)
            progress.advance()

        told = prove_each([(each.job, each.asked) for each in planned], limits, ended=ended)
    checked = Checked([(planned.job, each) for planned, each in zip(planned, told, strict=True)])
    return make_report(folder, described, checked, mutants=mutants)


class PlannedProof(NamedTuple):
    """A job of a check with its request, and how many units of its kind it does: tools, calls, tasks."""

    job: Job[Any, Any]
    asked: Any
    units: float = 1


def planned_proofs(folder: Path, tools: Sequence[str], calls: int, seed: int, *, mutants: bool) -> list[PlannedProof]:
    """The jobs that a folder takes: the first share of everything that is cut into shares, what is whole, the rest.

    So the time that everything takes is known early. The worlds come twice: another process gives sets another order,
    and the worlds must be the same all the same.
    """
    shares: list[list[PlannedProof]] = []
    if (folder / RULES).is_file():
        shares.append([PlannedProof(prove_rules, each) for each in cut_in_shares(folder, _RULE_SHARES)])
    if (folder / TASKS).is_file():
        cut = shares_of_tasks(folder)
        work = _work_of(folder, len(cut))
        shares.append([PlannedProof(recheck_tasks, *each) for each in zip(cut, work, strict=True)])
    if (folder / CASES).is_file() and mutants:
        groups = [list(tools[start : start + _TOOLS_AT_ONCE]) for start in range(0, len(tools), _TOOLS_AT_ONCE)]
        shares.append([PlannedProof(prove_mutants, MutantsRequest(folder, each), len(each)) for each in groups])
    parts = [calls * (share + 1) // _CALL_SHARES - calls * share // _CALL_SHARES for share in range(_CALL_SHARES)]
    seeds = [seed + share * _SEED_STEP for share in range(_CALL_SHARES)]
    shares.append(
        [
            PlannedProof(prove_random_calls, CallsRequest(folder, part, own), part)
            for part, own in zip(parts, seeds, strict=True)
        ]
    )
    whole: list[tuple[Job[Any, Any], Any]] = []
    if (folder / SCENARIOS).is_file():
        whole += [(measure_guesses, GuessesRequest(folder)), (prove_scenarios, ScenariosRequest(folder))]
    jobs: list[Job[Any, Any]] = [find_lifeless, find_fixed_shares, prove_worlds, prove_worlds]
    jobs += [recheck_graph] * (folder / GRAPH).is_file() + [prove_cases] * (folder / CASES).is_file()
    whole += [(job, FolderRequest(folder)) for job in jobs]
    first = [each[0] for each in shares if each]
    return [*first, *(PlannedProof(*each) for each in whole), *(each for own in shares for each in own[1:])]


def _work_of(folder: Path, shares: int) -> list[float]:
    """How much work the tasks of each share are, which grows with their worlds, though more slowly."""
    sizes = []
    with contextlib.suppress(UsageError):  # the job says why
        for _, line in read_lines(folder / TASKS, within=folder):
            with contextlib.suppress(ValueError, LookupError, TypeError):
                sizes.append(math.sqrt(json.loads(line)["world"]["size"]))
    sizes.sort()
    cuts = [len(sizes) * share // shares for share in range(shares + 1)]
    return [sum(sizes[first:end]) or 1.0 for first, end in itertools.pairwise(cuts)]


class TimeLeft:
    """How long the rest of a check takes, by what has ended in this run.

    A job takes as much processor time for a unit as its kind did so far, or as the mean job where none of its kind has
    ended; and as much more of a clock's time as those that have ended. Jobs begin in order, one to a worker.
    """

    def __init__(self, planned: Sequence[PlannedProof], workers: int) -> None:
        self._planned, self._workers = planned, workers
        self._lock = threading.Lock()
        self._began = [time.monotonic()] * workers  # of each job that has begun
        self._ended: dict[int, Ended] = {}

    def ended(self, ended: Ended) -> None:
        """Take note of a job that has ended, in whose place the next one begins."""
        with self._lock:
            self._ended[ended.place] = ended
            self._began.append(time.monotonic())

    def seconds(self) -> float | None:
        """The seconds that are left; None before anything has ended."""
        with self._lock:
            ended, began = dict(self._ended), list(self._began)
        processor = sum(each.processor for each in ended.values())
        if not processor:
            return None
        slowness = sum(each.wall for each in ended.values()) / processor
        now = time.monotonic()
        free = [0.0] * self._workers
        for place, planned in enumerate(self._planned):
            if place in ended:
                continue
            own = [place for place in ended if self._planned[place].job is planned.job]
            units = sum(self._planned[place].units for place in own)
            spent = sum(ended[place].processor for place in own)
            needed = slowness * (spent / units * planned.units if units else processor / len(ended))
            if place < len(began):
                needed = max(needed - (now - began[place]), needed / 10)
            heapq.heapreplace(free, free[0] + needed)
        return max(free)


def _described(report: CheckReport, *, survivors: bool) -> Iterator[str]:
    figures = report.figures
    size = f"{counted(figures['tools'], 'tool')}, {counted(figures['tables'], 'table')}"
    yield f"{report.title} ({report.domain}): {size}"
    width = max(len(gate.figure) for gate in report.gates.values())
    for name, gate in report.gates.items():
        yield f"  {name:<12}  {gate.figure:<{width}}  {gate.verdict}"
    peers = figures["peers"]
    if any(count is not None for count in peers.values()):
        yield "What must be zero"
        for name, words in PEERS.items():
            yield f"  {'-' if peers[name] is None else peers[name]:>4}  {words}"
    tokens = figures["tokens"]
    if total := tokens["prompt"] + tokens["completion"]:
        yield f"Made with {total:,} tokens{', estimated' * tokens['estimated']}"
    for name, gate in report.gates.items():
        yield from _some(f"Faults: {name}", gate.faults)
        yield from _some(f"Stopped by a limit: {name}", gate.stopped)
    if survivors:
        yield from _some(f"Mutants that no case notices: {len(report.survivors)}", report.survivors)
    yield from _some("Worth a look", report.notes)
    yield f"{report.domain}: {_summary(report)}"


def _some(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield title
    for line in lines[:_MOST_SHOWN]:
        yield f"  {line}"
    if len(lines) > _MOST_SHOWN:
        yield f"  and {len(lines) - _MOST_SHOWN} more; --json lists all of them"


def _summary(report: CheckReport) -> str:
    failed = [name for name, gate in report.gates.items() if gate.faults]
    stopped = [name for name, gate in report.gates.items() if gate.stopped]
    parts = [f"FAILED at {', '.join(failed)}"] if failed else []
    parts += [f"stopped by a limit of ours at {', '.join(stopped)}, which is no fault of the domain"] if stopped else []
    parts = parts or ["ok as far as it goes" if report.missing else "ok"]
    return "; ".join([*parts, *([f"not there: {', '.join(report.missing)}"] if report.missing else [])])
