"""`worldsmith check`: run every gate of a domain again, on the folder as it lies."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from generator.commands.check_figures import PEERS
from generator.commands.check_plan import ANSWERS, CASES, GRAPH, SCENARIOS, TASKS, Checked, planned_gates
from generator.commands.check_report import CheckReport, broken_report, make_report
from generator.gates.folder import describe_folder
from generator.gates.request import FolderRequest
from generator.isolation.job import ProofFailed, ProvingLimits
from generator.isolation.process import prove, prove_each
from runtime.commands.progress import Progress
from runtime.domain.find import find_folder
from runtime.errors import BrokenDomain, UsageError
from runtime.sandbox.files import is_there
from runtime.terminal import print_lines
from runtime.wording import counted

_MOST_SHOWN = 20  # faults of a gate, or survivors, that a person is shown
_MOST_CALLS = 10_000_000
_CALLS_PER_SECOND = 200  # that even a slow machine makes


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "check",
        description="Load a domain, attack its constraints, build its worlds, run its cases and mutants, recheck its "
        "graph, make random calls, replay its tasks; each in a child process. Exit 0: all pass; exit 1: one failed.",
    )
    parser.add_argument("domain", help="name or path of a domain")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--mutants", action="store_true", help="list the mutants that no case notices")
    which.add_argument("--no-mutants", action="store_true", help="leave the mutants out")
    parser.add_argument("--calls", type=int, default=20_000, metavar="N", help="random calls (default 20000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random calls and their worlds (default 1)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the report; 0 if every gate passes."""
    if not 1 <= arguments.calls <= _MOST_CALLS:
        raise UsageError(f"--calls is {arguments.calls}; 1 to {_MOST_CALLS:,} can be made")
    folder = find_folder(arguments.domain)
    for name in (ANSWERS, CASES, GRAPH, SCENARIOS, TASKS):
        is_there(folder / name)  # what is there is a file; whether it is one of its kind, its gate says
    report = _check(arguments, folder)
    if arguments.json:
        listed = {"survivors": report.survivors} if arguments.mutants else {}
        json.dump(report.as_json() | listed, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print_lines(_described(report, survivors=arguments.mutants))
    return 0 if report.passed else 1


def _check(arguments: argparse.Namespace, folder: Path) -> CheckReport:
    calls, mutants = arguments.calls, not arguments.no_mutants
    limits = ProvingLimits(cpu_seconds=120 + calls // _CALLS_PER_SECOND, wall_seconds=1_200.0 + calls / 50)
    with Progress(f"loading {folder.name}"):
        try:
            described = prove(describe_folder, FolderRequest(folder), limits)
        except BrokenDomain as broken:
            return broken_report(folder, broken.faults)
        except ProofFailed as failed:
            return broken_report(folder, [str(failed)])
    planned = planned_gates(
        folder,
        list(described.tools),
        calls=calls,
        seed=arguments.seed,
        mutants=mutants,
    )
    with Progress(f"checking {described.domain}", len(planned)) as progress:
        told = prove_each(planned, limits, ended=lambda _: progress.advance())
    checked = Checked([(job, each) for (job, _), each in zip(planned, told, strict=True)])
    return make_report(folder, described, checked, mutants=mutants)


def _described(report: CheckReport, *, survivors: bool) -> Iterator[str]:
    figures = report.figures
    yield (f"{report.title} ({report.domain}): {counted(figures.tools, 'tool')}, {counted(figures.tables, 'table')}")
    width = max(len(gate.figure) for gate in report.gates.values())
    for name, gate in report.gates.items():
        verdict = "FAILED" if gate.faults else "ok" if gate.ran else "-"
        yield f"  {name:<12}  {gate.figure:<{width}}  {verdict}"
    if any(count is not None for count in figures.peers.values()):
        yield "What must be zero"
        for name, words in PEERS.items():
            count = figures.peers[name]
            yield f"  {'-' if count is None else count:>4}  {words}"
    tokens = figures.tokens
    if tokens.prompt or tokens.completion:
        estimated = ", estimated" if tokens.estimated else ""
        yield f"Made with {tokens.prompt + tokens.completion:,} tokens{estimated}"
    for name, gate in report.gates.items():
        if gate.faults:
            yield f"Faults: {name}"
            yield from _some(gate.faults)
    if survivors:
        yield f"Mutants that no case notices: {len(report.survivors)}"
        yield from _some(report.survivors)
    if report.notes:
        yield "Worth a look"
        yield from _some(report.notes)
    yield f"{report.domain}: {_summary(report)}"


def _some(lines: Sequence[str]) -> Iterator[str]:
    for line in lines[:_MOST_SHOWN]:
        yield f"  {line}"
    if len(lines) > _MOST_SHOWN:
        yield f"  and {len(lines) - _MOST_SHOWN} more; --json lists all of them"


def _summary(report: CheckReport) -> str:
    failed = [name for name, gate in report.gates.items() if gate.faults]
    without = f"; not there: {', '.join(report.missing)}" if report.missing else ""
    if failed:
        return f"FAILED at {', '.join(failed)}{without}"
    return f"ok as far as it goes{without}" if report.missing else "ok"
