"""The policies that a task must tighten: an optional column that the user asked for is not optional in that task."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.knowledge import Knowledge, TracedKnowledge, literal_leaves
from generator.tasks.proofs.leaves import Leaf
from generator.tasks.proofs.rehearsal import Rehearsal
from runtime.domain.policies import ColumnPolicy
from runtime.domain.schema import Value
from runtime.session.changes import Changes, RowName


def tightened(candidate: Candidate) -> dict[str, ColumnPolicy]:
    """The candidate's policies and those that it lacks, by "table.column"; errors: EnvironmentFault."""
    with Rehearsal(candidate.domain, candidate.task, candidate.world) as rehearsal:
        return {**tightenings(rehearsal, TracedKnowledge(candidate)), **candidate.task.policies}


def tightenings(rehearsal: Rehearsal, knowledge: Knowledge) -> dict[str, ColumnPolicy]:
    """The optional columns that a step fills with what the user told, each with its policy."""
    found: dict[str, ColumnPolicy] = {}
    for number, step in enumerate(rehearsal.task.chain):
        written = list(_optional_values(rehearsal, rehearsal.reference[number].changes))
        if not written:
            continue
        for leaf, value in literal_leaves(step):
            if knowledge.is_told(number, leaf, value):
                reason = f"the user says what it must be, for {leaf[0]} of {step.tool}"
                for column in _columns_of(rehearsal, number, leaf, value, written):
                    found.setdefault(column, ColumnPolicy(policy="hard", reason=reason))
    return found


@dataclass(frozen=True)
class _Written:
    """What a step wrote to an optional column of a row."""

    row: RowName
    column: str
    value: Value

    @property
    def name(self) -> str:
        return f"{self.row[0]}.{self.column}"


def _optional_values(rehearsal: Rehearsal, changes: Changes) -> Iterator[_Written]:
    """What a step wrote to columns that the domain calls optional."""
    for name, (before, after) in changes.rows.items():
        for column, position in rehearsal.domain.schema.tables[name[0]].positions.items():
            if after is None or rehearsal.domain.policies.of(name[0], column).policy != "optional":
                continue
            if after[position] != (before[position] if before is not None else None):
                yield _Written(name, column, after[position])


def _columns_of(rehearsal: Rehearsal, number: int, leaf: Leaf, value: Value, written: list[_Written]) -> Iterator[str]:
    """The columns that one argument decides: they hold its value, or another one where it is left out."""
    yield from (each.name for each in written if each.value == value)
    tool = rehearsal.domain.tools[rehearsal.reference[number].tool]
    if leaf[0] not in tool.arguments.schema.get("required", ()):
        without = _changes_without(rehearsal, number, str(leaf[0]))
        if without is None:
            return
        values = {(each.row, each.column): each.value for each in _optional_values(rehearsal, without)}
        yield from (each.name for each in written if values.get((each.row, each.column)) != each.value)


def _changes_without(rehearsal: Rehearsal, number: int, parameter: str) -> Changes | None:
    """What a step changes when one of its arguments is left out; None if it is rejected then."""
    session = rehearsal.session
    rehearsal.go_to(rehearsal.beginning)
    rehearsal.leave()
    for step in rehearsal.reference[:number]:
        session.call(step.tool, **step.arguments)
    ran = rehearsal.reference[number]
    left = {name: value for name, value in ran.arguments.items() if name != parameter}
    return session.open().changes if session.perform(ran.tool, left).rejection is None else None
