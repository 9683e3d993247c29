"""The gates that `worldsmith check` runs again: each job with what it is asked, and what all of them told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.gates.calls.random_calls import CallsRequest, prove_random_calls
from generator.gates.cases.run import prove_cases
from generator.gates.lively import find_fixed_shares, find_lifeless
from generator.gates.mutants import MutantsRequest, prove_mutants
from generator.gates.request import FolderRequest
from generator.gates.rules.prove import prove_rules
from generator.gates.worlds import prove_worlds
from generator.graph.evidence import recheck_graph
from generator.isolation.job import Job, Told
from generator.scenarios.guesses import GuessesRequest, measure_guesses
from generator.scenarios.run import ScenariosRequest, prove_scenarios
from generator.tasks.proofs.recheck import recheck_tasks, shares_of_tasks
from runtime.domain.load import RULES
from runtime.errors import WorldsmithError

ANSWERS, CASES, GRAPH, TASKS = "answers.jsonl", "cases.jsonl", "graph.json", "tasks.jsonl"
SCENARIOS = "scenarios.py"

_SHARES = 2  # of the random calls: a fixed number, so that the calls do not depend on the machine
_TOOLS_AT_ONCE = 8  # whose mutants are killed in one process
_SEED_STEP = 1_000  # between the shares


@dataclass(frozen=True)
class Checked:
    """What the jobs of a check told, in their order; an error stands in the place of what was not told."""

    told: Sequence[tuple[Job[Any, Any], Any]] = ()

    def of(self, job: Job[Any, Told]) -> list[Told]:
        """What one job told, as often as it ran."""
        return [each for own, each in self.told if own is job and not isinstance(each, WorldsmithError)]

    def errors_of(self, job: Job[Any, Any]) -> list[str]:
        """The lines of the errors that stand in the place of others."""
        errors = [str(each) for own, each in self.told if own is job and isinstance(each, WorldsmithError)]
        return list(dict.fromkeys(line for error in errors for line in error.splitlines()))


def planned_gates(
    folder: Path, tools: Sequence[str], *, calls: int, seed: int, mutants: bool
) -> list[tuple[Job[Any, Any], Any]]:
    """The jobs that a folder takes, the longest first; one that can be split among processors comes several times.

    The worlds come twice: another process gives sets another order, and the worlds must be the same all the same.
    """
    whole = FolderRequest(folder)
    planned: list[tuple[Job[Any, Any], Any]] = []
    if (folder / CASES).is_file() and mutants:
        for start in range(0, len(tools), _TOOLS_AT_ONCE):
            planned.append((prove_mutants, MutantsRequest(folder, list(tools[start : start + _TOOLS_AT_ONCE]))))
    if (folder / RULES).is_file():
        planned.append((prove_rules, whole))
    for share in range(_SHARES):
        part = calls * (share + 1) // _SHARES - calls * share // _SHARES
        planned.append((prove_random_calls, CallsRequest(folder, part, seed + share * _SEED_STEP)))
    if (folder / GRAPH).is_file():
        planned.append((recheck_graph, whole))
    if (folder / SCENARIOS).is_file():
        planned.append((prove_scenarios, ScenariosRequest(folder)))
        planned.append((measure_guesses, GuessesRequest(folder)))
    planned += [(prove_worlds, whole), (prove_worlds, whole), (find_lifeless, whole), (find_fixed_shares, whole)]
    if (folder / CASES).is_file():
        planned.append((prove_cases, whole))
    if (folder / TASKS).is_file():
        # What is proven of a task does not depend on its share.
        planned += [(recheck_tasks, share) for share in shares_of_tasks(folder)]
    return planned
