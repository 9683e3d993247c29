"""`worldsmith check`: run every gate of a domain again, each in a child process, and print what they found."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from generator.commands.check_report import (
    ANSWERS,
    CASES,
    GRAPH,
    SCENARIOS,
    TASKS,
    CheckReport,
    make_report,
    unloaded_report,
)
from generator.gates.calls.random_calls import CallsRequest, prove_random_calls
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest, describe_folder
from generator.gates.lively import find_lifeless
from generator.gates.mutants import MutantsRequest, prove_mutants
from generator.gates.past.history import prove_past
from generator.gates.rules.handbook import prove_handbook
from generator.gates.rules.prove import prove_rules
from generator.gates.worlds import prove_worlds
from generator.gates.worth import find_worth
from generator.graph.find import find_whole_graph, recheck_graph, write_graph
from generator.isolation.job import Job, ProofFailed, ProvingLimits
from generator.isolation.process import run_each_job, run_job
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.scenarios.trial import measure_guesses
from generator.tasks.make import write_lines
from generator.tasks.proofs.recheck import recheck_tasks, sets_of_tasks, shares_of_tasks
from runtime.commands.options import DOMAIN, JSON, command, flag, int_option, option, path_option
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.handbook import HANDBOOK
from runtime.domain.load import RULES, find_folder, is_carried
from runtime.errors import BrokenDomain, StageFailed, UsageError
from runtime.sandbox.files import is_there
from runtime.task.task_file import task_file
from runtime.wording import counted

_MOST_SHOWN = 20  # faults of a gate, or survivors, that a person is shown
_CALLS = 20_000
_MAX_SECONDS = 3_600  # of processor time for one proof, which takes a minute at most on the domains that ship
_WALL_PER_PROCESSOR = 10  # wall-clock limit as a multiple of processor time, for busy machines
_CALL_SHARES = 2  # a fixed number, so that the random calls do not depend on the machine
_SEED_STEP = 1_000  # between the shares of the calls

Plan: TypeAlias = list[tuple[Job[Any, Any], Any]]
"""Jobs, each with its request."""


@command(
    "check",
    "Load a domain, attack its constraints, build its worlds, run its cases and mutants, recheck its graph, make "
    "random calls, replay its tasks; each in a child process. Exit 0: all pass; exit 1: one failed, or was stopped by "
    "a limit.",
    DOMAIN,
    path_option("--tasks", "FILE", "prove the tasks in this file, or set of the domain (expert), and nothing else"),
    flag("--write-graph", "first find the graph by execution and write graph.json"),
    flag("--survivors", "list the mutants that no case notices"),
    flag("--no-mutants", "leave the mutants out"),
    int_option("--calls", said="random calls", within=(1, 10_000_000), default=_CALLS),
    option("--seed", type=int, default=1, metavar="S", help="of the random calls and their worlds (default 1)"),
    int_option(
        "--max-seconds", said="stop a proof after N seconds of processor time", within=(1, 10**6), default=_MAX_SECONDS
    ),
    JSON,
)
def check(arguments: argparse.Namespace) -> Result:
    """Run the gates; 0 if every one passes."""
    folder = find_folder(arguments.domain)
    if arguments.tasks is not None and not is_there(task_file(folder, arguments.tasks)):
        raise UsageError(f"There is no task file {str(arguments.tasks)!r}.")
    for name in (ANSWERS, CASES, GRAPH, SCENARIOS, TASKS):
        is_there(folder / name)  # each is a file, if it is there; whether it is one of its kind, its gate says
    if arguments.write_graph:
        _write_graph(arguments.domain, folder)
    report = _check(arguments, folder)
    listed = {"survivors": report.survivors} if arguments.survivors else {}
    lines = _described(report, survivors=arguments.survivors)
    return Result(report.as_json() | listed, lines, 0 if report.passed else 1)


def _write_graph(name: str, folder: Path) -> None:
    """Find the dependencies between the tools by execution; the same folder gives the same file."""
    if is_carried(name):
        raise UsageError(f"{folder.name} belongs to the installed package; copy it to ./domains to write its graph.")
    try:
        with Progress(f"finding the dependencies of {folder.name}"):
            graph = find_whole_graph(folder)
    except ProofFailed as failed:
        raise StageFailed(str(failed)) from failed
    write_lines(folder / GRAPH, write_graph(graph).splitlines())


def check_rest(folder: Path, done: Collection[Job[Any, Any]], before: CheckReport | None = None) -> CheckReport:
    """Run the gates of a folder, except jobs that were done already; as `check` does.

    What these told is taken from the report `before`, if there is one.
    """
    planned = [each for each in _plan(folder, _CALLS, 1, mutants=True) if each[0] not in done]
    limits = _limits(_MAX_SECONDS)
    described = run_job(describe_folder, FolderRequest(folder), limits)
    told = [each for each in (before.answers if before else ()) if each[0] in done]
    return make_report(folder, described, [*told, *_run(planned, limits)], mutants=True)


def _check(arguments: argparse.Namespace, folder: Path) -> CheckReport:
    limits, mutants = _limits(arguments.max_seconds), not arguments.no_mutants
    with Progress(f"loading {folder.name}"):
        try:
            described = run_job(describe_folder, FolderRequest(folder), limits)
        except (BrokenDomain, ProofFailed) as error:
            return unloaded_report(folder, error)
    planned: Plan = []
    if arguments.tasks is not None:
        planned += [
            (recheck_tasks, share) for share in shares_of_tasks(folder, task_file(folder, arguments.tasks).resolve())
        ]
    else:
        planned += _plan(folder, arguments.calls, arguments.seed, mutants=mutants)
    with Progress(f"checking {described.domain}", len(planned)) as progress:
        told = _run(planned, limits, lambda _: progress.advance())
    return make_report(folder, described, told, mutants=mutants, only_tasks=arguments.tasks is not None)


def _limits(seconds: int) -> ProvingLimits:
    return ProvingLimits(seconds, wall_seconds=float(_WALL_PER_PROCESSOR * seconds))


def _run(
    planned: Plan, limits: ProvingLimits, proven: Callable[[int], None] = lambda _: None
) -> list[tuple[Job[Any, Any], Any]]:
    """Run jobs and return each with what it found."""
    told = run_each_job(planned, limits, proven=proven)
    return [(job, each) for (job, _), each in zip(planned, told, strict=True)]


def _plan(folder: Path, calls: int, seed: int, *, mutants: bool) -> Plan:
    """Return the jobs that a folder takes with their requests, those that take longest first."""
    planned: Plan = []
    for file in sets_of_tasks(folder):
        planned += [(recheck_tasks, share) for share in shares_of_tasks(folder, file)]
    if (folder / RULES).is_file():
        planned.append((prove_rules, FolderRequest(folder)))
    if (folder / SCENARIOS).is_file():
        planned += [(measure_guesses, FolderRequest(folder)), (prove_scenarios, ScenariosRequest(folder))]
    if (folder / CASES).is_file() and mutants:
        planned.append((prove_mutants, MutantsRequest(folder)))
    for share in range(_CALL_SHARES):
        part = calls * (share + 1) // _CALL_SHARES - calls * share // _CALL_SHARES
        planned.append((prove_random_calls, CallsRequest(folder, part, seed + share * _SEED_STEP)))
    whole: list[Job[Any, Any]] = [prove_past, prove_worlds, find_lifeless]
    whole += [prove_handbook] * (folder / HANDBOOK).is_file()
    whole += [find_worth] * (folder / TASKS).is_file()
    whole += [recheck_graph] * (folder / GRAPH).is_file() + [prove_cases] * (folder / CASES).is_file()
    return [*planned, *((job, FolderRequest(folder)) for job in whole)]


def _described(report: CheckReport, *, survivors: bool) -> Iterator[str]:
    figures = report.figures
    size = f"{counted(figures['tools'], 'tool')}, {counted(figures['tables'], 'table')}"
    yield f"{report.title} ({report.domain}): {size}"
    width = max(len(gate.figure) for gate in report.gates.values())
    for name, gate in report.gates.items():
        yield f"  {name:<12}  {gate.figure:<{width}}  {gate.verdict}"
    if lines := [line for gate in report.gates.values() for line in gate.lines]:
        yield "What the tasks are worth"
        yield from (f"  {line}" for line in lines)
    for name, gate in report.gates.items():
        yield from _some(f"Faults: {name}", gate.faults)
        yield from _some(f"Stopped by a limit: {name}", gate.stopped)
        yield from _some(f"Known shortcomings: {name}", gate.known)
    if survivors:
        yield from _some(f"Mutants that no case notices: {len(report.survivors)}", report.survivors)
    yield from _some("Worth a look", report.notes)
    failed = [name for name, gate in report.gates.items() if gate.faults]
    stopped = [name for name, gate in report.gates.items() if gate.stopped]
    parts = [f"FAILED at {', '.join(failed)}"] if failed else []
    parts += [f"stopped by a limit of ours at {', '.join(stopped)}, which is not the domain's fault"] if stopped else []
    parts = parts or ["ok as far as it goes" if report.missing else "ok"]
    known = [name for name, gate in report.gates.items() if gate.known]
    parts += [f"known shortcomings: {', '.join(known)}"] if known else []
    parts += [f"not there: {', '.join(report.missing)}"] if report.missing else []
    yield f"{report.domain}: {'; '.join(parts)}"


def _some(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield title
    for line in lines[:_MOST_SHOWN]:
        yield f"  {line}"
    if len(lines) > _MOST_SHOWN:
        yield f"  and {len(lines) - _MOST_SHOWN} more; --json lists all of them"
