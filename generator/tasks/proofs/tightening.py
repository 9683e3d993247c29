"""The policies that a task must tighten: an exempt column that the user asked for is not exempt in that task.

Asked for is what an argument sets that the user told, or that the tool does not require: the chain gives it for no
other reason. So a moment that a tool is given counts, even where the domain calls the column bookkeeping.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.knowledge import ToldKnowledge
from generator.tasks.proofs.replayer import TaskReplayer
from runtime.domain.changes import Changes, RowName
from runtime.domain.policies import ColumnPolicy
from runtime.domain.schema import Value
from runtime.task.paths import JsonPath, is_reference, leaves_of, value_at

_ASKED_FOR = "the user asks for it"
_WORDS_OF_A_TEXT = 4
_SLIGHT = 1e-6  # of a real number


def tightened(candidate: Candidate) -> dict[str, ColumnPolicy]:
    """The candidate's policies and those that it lacks, by "table.column"; errors: EnvironmentFault."""
    with TaskReplayer(candidate.domain, candidate.task, candidate.world) as replayer:
        return {**tightenings(replayer, ToldKnowledge(candidate)), **candidate.task.policies}


def tightenings(replayer: TaskReplayer, knowledge: ToldKnowledge) -> dict[str, ColumnPolicy]:
    """The columns that a step fills with what the user asked for and that nothing counts, each with its policy."""
    found: dict[str, ColumnPolicy] = {}
    for number, step in enumerate(replayer.task.chain):
        written = list(_exempt_values(replayer, replayer.reference[number].changes))
        if not written:
            continue
        for leaf, value in leaves_of(step.arguments):
            if leaf and _is_asked_for(replayer, knowledge, number, leaf, value):
                bound = value_at(replayer.reference[number].arguments, leaf)
                for each in _decided_by(replayer, number, leaf, bound, written):
                    found.setdefault(each.name, _policy_of(replayer, each))
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class _WrittenCell:
    """What a step wrote to an exempt column of a row."""

    row: RowName
    column: str
    value: Value
    optional: bool

    @property
    def name(self) -> str:
        return f"{self.row[0]}.{self.column}"


def _exempt_values(replayer: TaskReplayer, changes: Changes) -> Iterator[_WrittenCell]:
    """What a step wrote to columns, other than keys, that the task's policies leave out."""
    for name, (before, after) in changes.rows.items():
        table = replayer.domain.schema.tables[name[0]]
        for column, position in table.positions.items() if after is not None else ():
            policy = replayer.policies.of(name[0], column).policy
            if policy not in ("optional", "generated") or column in table.key_columns:
                continue
            if after is not None and after[position] != (before[position] if before is not None else None):
                yield _WrittenCell(name, column, after[position], policy == "optional")


def _is_asked_for(replayer: TaskReplayer, knowledge: ToldKnowledge, number: int, leaf: JsonPath, value: Any) -> bool:
    if is_reference(value):
        tool = replayer.domain.tools[replayer.task.chain[number].tool]
        return leaf[0] not in tool.arguments.schema.get("required", ())
    return knowledge.is_told(number, leaf, value)


def _decided_by(
    replayer: TaskReplayer, number: int, leaf: JsonPath, value: Value, written: list[_WrittenCell]
) -> Iterator[_WrittenCell]:
    """The columns that one argument decides: they hold its value, or, optional, another one where it is left out."""
    yield from (each for each in written if each.value == value)
    rest = [each for each in written if each.value != value and each.optional]
    tool = replayer.domain.tools[replayer.reference[number].tool]
    if rest and leaf[0] not in tool.arguments.schema.get("required", ()):
        without = _changes_without(replayer, number, str(leaf[0]))
        if without is None:
            return
        values = {(each.row, each.column): each.value for each in _exempt_values(replayer, without)}
        yield from (each for each in rest if values.get((each.row, each.column)) != each.value)


def _policy_of(replayer: TaskReplayer, written: _WrittenCell) -> ColumnPolicy:
    """A text in words may be put otherwise; everything else is exact."""
    column = replayer.domain.schema.tables[written.row[0]].by_name[written.column]
    in_words = isinstance(written.value, str) and len(written.value.split()) >= _WORDS_OF_A_TEXT
    if column.type == "TEXT" and written.optional and (written.value in replayer.task.texts or in_words):
        return ColumnPolicy(policy="semantic", reason=_ASKED_FOR)
    spelled = replayer.policies.of(written.row[0], written.column).spelled
    tolerance = _SLIGHT if column.type == "REAL" else None
    return ColumnPolicy(policy="hard", reason=_ASKED_FOR, tolerance=tolerance, spelled=spelled)


def _changes_without(replayer: TaskReplayer, number: int, parameter: str) -> Changes | None:
    """What a step changes when one of its arguments is left out; None if it is rejected then."""
    session = replayer.session
    replayer.go_to(replayer.beginning)
    replayer.leave()
    for step in replayer.reference[:number]:
        session.call(step.tool, **step.arguments)
    ran = replayer.reference[number]
    left = {name: value for name, value in ran.arguments.items() if name != parameter}
    return session.open().changes if session.perform(ran.tool, left).rejection is None else None
