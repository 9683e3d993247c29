"""The gates that `worldsmith check` runs again: which proofs a folder takes, and one of them in a child process."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from generator.gates.calls.proof import prove_random_calls
from generator.gates.cases.proof import prove_cases
from generator.gates.folder import describe_folder
from generator.gates.mutants.kill import prove_mutants
from generator.gates.worlds.lifeless import find_lifeless
from generator.gates.worlds.proof import prove_worlds
from generator.graph.proof import recheck_graph
from generator.scenarios.proof import prove_scenarios
from generator.tasks.proofs.recheck import recheck_tasks

JOB = "generator.commands.gates:run_gate"
ANSWERS, CASES, GRAPH, TASKS = "answers.jsonl", "cases.jsonl", "graph.json", "tasks.jsonl"
SCENARIOS = "scenarios.py"

_SHARES = 2  # of the random calls: a fixed number, so that the calls do not depend on the machine
_TOOLS_AT_ONCE = 8  # whose mutants are killed in one process
_SEED_STEP = 1_000  # between the shares

_GATES: dict[str, Callable[..., Any]] = {
    "folder": describe_folder,
    "mutants": prove_mutants,
    "calls": prove_random_calls,
    "graph": recheck_graph,
    "scenarios": prove_scenarios,
    "worlds": prove_worlds,
    "lifeless": find_lifeless,
    "cases": prove_cases,
    "tasks": recheck_tasks,
}


def run_gate(gate: str, arguments: Mapping[str, Any]) -> Any:
    """The answer of one proof."""
    return _GATES[gate](**arguments)


def planned_gates(
    folder: Path, tools: Sequence[str], *, calls: int, seed: int, mutants: bool
) -> list[tuple[str, dict[str, Any]]]:
    """The proofs that a folder takes, the longest first; one that can be split among processors stands several times.

    The worlds stand twice: another process gives sets another order, and the worlds must be the same all the same.
    """
    where = {"folder": str(folder)}
    planned: list[tuple[str, dict[str, Any]]] = []
    if (folder / CASES).is_file() and mutants:
        for start in range(0, len(tools), _TOOLS_AT_ONCE):
            planned.append(("mutants", {**where, "tools": list(tools[start : start + _TOOLS_AT_ONCE])}))
    for share in range(_SHARES):
        part = calls * (share + 1) // _SHARES - calls * share // _SHARES
        planned.append(("calls", {**where, "calls": part, "seed": seed + share * _SEED_STEP}))
    if (folder / GRAPH).is_file():
        planned.append(("graph", where))
    if (folder / SCENARIOS).is_file():
        planned.append(("scenarios", where))
    planned += [("worlds", where), ("worlds", where), ("lifeless", where)]
    if (folder / CASES).is_file():
        planned.append(("cases", where))
    if (folder / TASKS).is_file():
        shares = os.cpu_count() or 1  # what is proven of a task does not depend on its share
        planned += [("tasks", {**where, "share": share, "shares": shares}) for share in range(shares)]
    return planned
