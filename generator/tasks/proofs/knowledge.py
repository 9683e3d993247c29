"""What the user tells: what it licenses, which columns of a row it speaks of, and which policies it tightens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from generator.tasks.proofs.replayer import Candidate, TaskReplayer
from generator.tasks.telling import rows_picked
from runtime.domain.arguments import closed_set
from runtime.domain.changes import Changes, RowName
from runtime.domain.domain import Domain
from runtime.domain.policies import ColumnPolicy
from runtime.domain.schema import Key, RowRef, Value
from runtime.task.origin import AS_A_DAY, JsonPath, Origin, ResultRef, dotted, is_reference, leaves_of, value_at
from runtime.task.script import Best, TracedCall
from runtime.task.task import Step
from runtime.task.user import KnownFact
from runtime.task.values import kind_of
from runtime.verification.texts import says

_CLUES = ((), (AS_A_DAY,))  # what may be done to a row's value so that it still tells the row apart
_TIME = re.compile(r"\d:\d\d|\b\d{1,2} ?[ap]\.?m\b", re.IGNORECASE)


@dataclass(frozen=True)
class SpokenColumn:
    """A column of a row that the user speaks of; a moment may be told by its day alone."""

    name: str
    with_time: bool


class ToldKnowledge:
    """What the scripts of a candidate trace to the user."""

    def __init__(self, candidate: Candidate) -> None:
        self._task = candidate.task
        self._domain = candidate.domain
        self._scripts = candidate.scripts
        self.rows_picked = rows_picked(candidate.domain, candidate.scripts)
        self._calls = [(number, call) for number, script in enumerate(self._scripts) for call in script.calls]

    def licence(self, number: int, leaf: JsonPath, value: Any) -> str:
        """An origin that the user told by then, an earlier result, the stated clock, or the tool's own default."""
        if is_reference(value) or _is_default(self._domain, self._task.chain[number], leaf, value):
            return ""
        if number >= len(self._calls):
            return "no scenario calls it"
        script, call = self._calls[number]
        for origin in call.origins.get(leaf) or (None,):
            if gap := self._gap(origin, script, call.wish):
                return gap
        return self._lost(script, call, value)

    def is_told(self, number: int, leaf: JsonPath, value: Any) -> bool:
        """Return True if the user told the value."""
        if is_reference(value) or number >= len(self._calls):
            return False
        script, call = self._calls[number]
        origins = call.origins.get(leaf, ())
        return any(
            origin is not None and origin.kind != "result" and self._told_by(origin, script, call.wish)
            for origin in origins
        )

    def is_prose(self, number: int, leaf: JsonPath, value: Any) -> bool:
        """Return True if an argument is a text of the user's own choosing: no value of a row or of a closed set."""
        if not isinstance(value, str) or kind_of(value) != "text" or not any(map(str.isalpha, value)):
            return False
        _, call = self._calls[number]
        schema = self._domain.tools[call.step.tool].arguments.schema["properties"].get(leaf[0], {})
        origins = call.origins.get(leaf, ())
        return not any(closed_set(schema)) and all(each is not None and each.kind == "choice" for each in origins)

    def is_told_apart(self, number: int) -> bool:
        """Return True if the step names the extreme or only entry of a lookup, or one of all but one."""
        if any(lookup.before == number and not lookup.origins for lookup in self._lookups):
            return True
        script, call = self._calls[number]
        return any(origin in self._scripts[script].chosen for origins in call.origins.values() for origin in origins)

    def steps_used(self) -> frozenset[int]:
        """Return the steps whose results the answers, and the choices among entries, were taken from."""
        looked_up = [origin for lookup in self._lookups for own in lookup.origins.values() for origin in own]
        sources = [origin.source for origin in looked_up if origin is not None]
        used = {source.step for source in sources if isinstance(source, ResultRef)}
        return frozenset(used.union(*(steps for script in self._scripts for steps in script.answer_steps)))

    def extremes_taken(self) -> Iterator[Best]:
        """Yield the extremes that the scripts note."""
        return (lookup.best for lookup in self._lookups if lookup.best is not None)

    def further_gaps(self) -> Iterator[str]:
        """Yield lookups by values, and answers, as far as the scripts note them."""
        for number, script in enumerate(self._scripts):
            for lookup in script.lookups:
                gaps = [
                    f"{dotted(path)!r}: {gap}"
                    for path, origins in lookup.origins.items()
                    for origin in origins
                    if (gap := self._gap(origin, number, lookup.wish))
                ]
                yield f"Before step {lookup.before}, an entry is looked up by {gaps[0]}." if gaps else ""
            for answer, origin in zip(script.answers, script.answered, strict=False):
                known = origin is not None and origin.kind == "result"
                yield "" if known else f"The answer {answer.name!r} is {answer.value!r}, which no tool returned."

    def spoken_columns(self, table: str, key: Key, record: Mapping[str, Value]) -> Iterator[SpokenColumn]:
        """Yield the columns of this row that were told."""
        for name, value in record.items():
            if RowRef(table, key, name) in self._places_told:
                yield SpokenColumn(name, _is_told_with_time(value, self._task.user.facts))

    def _gap(self, origin: Origin | None, number: int, wish: int) -> str:
        """Why an origin licenses nothing in a scenario after a wish; empty if it does."""
        if origin is None:
            return "nothing that the user tells or a tool returns says so"
        if any(script.licenses(origin, wish) for script in self._scripts[: number + 1]):
            return ""
        return f"it is a {origin.kind} ({origin}) that the user had not told by then"

    def _told_by(self, origin: Origin, number: int, wish: int) -> bool:
        """Return True if a value was told up to a wish, in a scenario up to this one."""
        return any(origin in script.told and script.told_in[origin] <= wish for script in self._scripts[: number + 1])

    @property
    def _lookups(self) -> Iterator[Any]:
        return (lookup for script in self._scripts for lookup in script.lookups)

    def _lost(self, number: int, call: TracedCall, value: Any) -> str:
        """Return why a value that was told is not known to the user after all.

        A value made of told ones, such as a moment of a day and a time, is not a fact of its own.
        """
        if not any(fact.value == value for script in self._scripts[: number + 1] for fact in script.facts):
            return ""
        known = [fact for fact in self._task.user.facts if fact.value == value]
        if not known:
            return "the user does not know it when asked back: it is not among their facts"
        said_in_time = [fact for fact in self._task.user.facts_until(call.wish) if fact in known]
        if not said_in_time:
            return "the user tells it only in a later wish"
        words = "\n".join(self._task.user.words)
        if not any(fact.withheld or _says(words, fact) for fact in said_in_time):
            return f"the words do not say {said_in_time[0].said!r}"
        return ""

    @cached_property
    def _places_told(self) -> frozenset[RowRef]:
        told = [origin for script in self._scripts for origin in script.told]
        return frozenset(each.source for each in told if isinstance(each.source, RowRef) and each.made in _CLUES)


def literal_leaves(step: Step) -> Iterator[tuple[JsonPath, Any]]:
    """Yield the single values of a step's arguments that are not references."""
    return ((leaf, value) for leaf, value in leaves_of(step.arguments) if leaf and not is_reference(value))


def _says(words: str, fact: KnownFact) -> bool:
    return fact.said.casefold() in words.casefold() or says(words, fact.said)


def _is_default(domain: Domain, step: Step, leaf: JsonPath, value: Any) -> bool:
    """Return True if the argument is the tool's default."""
    schema = domain.tools[step.tool].arguments.schema["properties"].get(leaf[0], {})
    return len(leaf) == 1 and "default" in schema and bool(schema["default"] == value)


def _is_told_with_time(value: Value, facts: list[KnownFact]) -> bool:
    """Return True if a moment is told to the minute, not only by its day."""
    return any(fact.value == value and _TIME.search(fact.said) for fact in facts)


_ASKED_FOR = "the user asks for it"
_SLIGHT = 1e-6  # of a real number


def tightened(candidate: Candidate) -> dict[str, ColumnPolicy]:
    """Return the candidate's policies and those that it lacks, by "table.column"; errors: EnvironmentFault."""
    with TaskReplayer(candidate.domain, candidate.task, candidate.world, candidate.start) as replayer:
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
                is_prose = knowledge.is_prose(number, leaf, bound)
                for each in _decided_by(replayer, number, leaf, bound, written):
                    policy = _policy_of(replayer, each, is_prose)
                    if policy is not None:
                        found.setdefault(each.name, policy)
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class _WrittenCell:
    """What a step wrote to a column of a row that does not count there."""

    row: RowName
    column: str
    value: Value
    optional: bool

    @property
    def name(self) -> str:
        return f"{self.row[0]}.{self.column}"


def _exempt_values(replayer: TaskReplayer, changes: Changes) -> Iterator[_WrittenCell]:
    """What a step wrote to columns, other than keys, that the task's policies leave out, and texts not dictated."""
    for name, (before, after) in changes.rows.items():
        table = replayer.domain.schema.tables[name[0]]
        for column, position in table.positions.items() if after is not None else ():
            policy = replayer.policies.of(name[0], column).policy
            counts = policy == "hard" or (policy == "semantic" and after and after[position] in replayer.dictated)
            if counts or column in table.key_columns:
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


def _policy_of(replayer: TaskReplayer, written: _WrittenCell, is_prose: bool) -> ColumnPolicy | None:
    """Compare dictated texts as such and values exactly; None for a text that anybody would put differently."""
    column = replayer.domain.schema.tables[written.row[0]].by_name[written.column]
    if column.type == "TEXT" and written.optional and written.value in replayer.task.texts_said("dictated"):
        return ColumnPolicy(policy="semantic", reason=_ASKED_FOR)
    if is_prose or written.value in replayer.task.texts:
        return None
    spelled = replayer.policies.of(written.row[0], written.column).spelled
    tolerance = _SLIGHT if column.type == "REAL" else None
    return ColumnPolicy(policy="hard", reason=_ASKED_FOR, tolerance=tolerance, spelled=spelled)


def _changes_without(replayer: TaskReplayer, number: int, parameter: str) -> Changes | None:
    """Return what a step changes when one of its arguments is left out; None if it is rejected then."""
    session = replayer.session
    session.restore(replayer.state_before(number))
    ran = replayer.reference[number]
    left = {name: value for name, value in ran.arguments.items() if name != parameter}
    return session.open().changes if session.perform(ran.tool, left).rejection is None else None
