"""Find example calls of each tool on a start: some that succeed, and some that the state does not allow."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from generator.gates.cases.case import CaseBook
from generator.graph.draw import Drawer
from generator.graph.runner import CallRunner, TriedCall

_ENOUGH = 6  # succeeding calls of a tool
_ENOUGH_REJECTED = 8
_ALIKE = 2  # rejected calls whose sentences differ in values only
_LEAST_ATTEMPTS, _MOST_ATTEMPTS = 80, 240
_OF_THE_STATE = ("FAILED_PRECONDITION", "ALREADY_EXISTS", "PERMISSION_DENIED", "NOT_FOUND")


@dataclass
class ExampleCalls:
    """Calls of one tool on a start: those that succeed there, and those that are rejected for what its rows are."""

    succeeding: list[TriedCall] = field(default_factory=list)
    rejected: list[TriedCall] = field(default_factory=list)


def find_examples(
    runner: CallRunner, drawers: Mapping[str, Drawer], given: Mapping[str, Sequence[TriedCall]]
) -> dict[str, ExampleCalls]:
    """Examples of every tool; `given` calls are tried first."""
    return {name: _examples_of(runner, drawer, given.get(name, ())) for name, drawer in drawers.items()}


def arguments_of_cases(book: CaseBook) -> dict[str, list[dict[str, Any]]]:
    """The arguments of each tool's success cases."""
    found: dict[str, list[dict[str, Any]]] = {}
    for topic in book.values():
        for case in topic.cases:
            if case.is_success:
                found.setdefault(case.tool, []).append(case.arguments)
    return found


def _examples_of(runner: CallRunner, drawer: Drawer, given: Sequence[TriedCall]) -> ExampleCalls:
    rng = random.Random(f"examples of {drawer.tool.name} on {runner.start.place.model_dump_json()}")
    found, seen, alike = ExampleCalls(), set(), Counter[str]()
    most = _MOST_ATTEMPTS if runner.start.place.case is None else _LEAST_ATTEMPTS  # few rows, few ways to call
    for attempt in range(most + len(given)):
        has_enough = len(found.succeeding) >= _ENOUGH
        if has_enough and (attempt >= _LEAST_ATTEMPTS or len(found.rejected) >= _ENOUGH_REJECTED):
            break
        call = (
            given[attempt]
            if attempt < len(given)
            else TriedCall(drawer.tool.name, drawer.draw(rng, drawer.anchor(rng)))
        )
        if call.text in seen:
            continue
        seen.add(call.text)
        ran = runner.run(call, runner.beginning)
        if ran.accepted:
            if not has_enough:
                found.succeeding.append(call)
        elif ran.rejection in _OF_THE_STATE and len(found.rejected) < _ENOUGH_REJECTED:
            reason = re.sub(r"'[^']*'|\"[^\"]*\"|\d+", "", ran.text)
            alike[reason] += 1
            if alike[reason] <= _ALIKE:
                found.rejected.append(call)
    return found
