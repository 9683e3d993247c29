"""The parts of a task's goal, each reached or not: identified, each request, the answers, the rules, nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace

from runtime.domain.domain import Domain
from runtime.domain.people import IDENTIFICATION, IDENTIFY
from runtime.domain.schema import RowRef
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.task import Task, bind
from runtime.verification.verdict import Verdict


def components_of(task: Task, domain: Domain, world: World, verdict: Verdict) -> dict[str, int]:
    """Return 1 or 0 for each part of a task's goal; all are 1 exactly if the verdict's reward is.

    A request is a wish for which the reference chain writes; what the user must be told is among the answers.
    """
    own = task.to_end(verdict.nearest)
    writing = {step.wish for step in own.chain if step.tool != IDENTIFY and not domain.tools[step.tool].read_only}
    requests = sorted(writing) or [0]
    names = {
        "identified": any(row.table == IDENTIFICATION for row in own.expected),
        **{_request(wish): bool(own.expected) for wish in requests},
        "checks": bool(task.checks),
        "answers": bool(task.answers),
        "rules": bool(domain.rules or verdict.violations),
        "nothing_else": True,
    }
    missed = {"rules"} if verdict.violations else set()
    partners = {pair.actual: pair.expected for pair in verdict.pairs}
    makers: Mapping[RowRef, int] | None = None
    for each in verdict.differences:
        if each.row is None:
            missed.add("checks" if each.answer is None else "answers")
        elif each.kind in ("extra_row", "removed_row", "changed_value"):
            missed.add("nothing_else")
        else:
            row = partners.get(each.row.row, each.row.row)
            if row.table == IDENTIFICATION:
                missed.add("identified")
                continue
            makers = _makers(own, domain, world) if makers is None else makers
            cells = [replace(row, column=column) for column in each.columns]
            if cells:
                wishes = {makers.get(cell, makers.get(row)) for cell in cells}
            else:
                wishes = {wish for cell, wish in makers.items() if cell.row == row}
            missed |= {_request(wish) for wish in wishes if wish in requests} or {_request(requests[0])}
    return {name: int(name not in missed) for name, is_there in names.items() if is_there}


def _request(wish: int) -> str:
    return f"request_{wish + 1}"


def _makers(task: Task, domain: Domain, world: World) -> dict[RowRef, int]:
    """Return the request that makes each expected cell, or each row that it adds or removes, counted from 0."""
    makers: dict[RowRef, int] = {}
    results: list[Mapping[str, object]] = []
    with Session(domain, world) as session, suppress(Rejection, EnvironmentFault):
        for step in task.chain:
            before = session.changes
            results.append(session.call(step.tool, **bind(step.arguments, results)))
            for (table, key), (was, now) in before.steps_to(session.changes):
                if was is None or now is None:
                    makers[RowRef(table, key)] = step.wish
                    continue
                for column, at in domain.schema.tables[table].positions.items():
                    if was[at] != now[at]:
                        makers[RowRef(table, key, column)] = step.wish
    return makers
