"""The calls that fulfil what the user of a scenario wants, what is looked up in their results, and what is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from runtime.domain.rows import read_column_ref
from runtime.errors import EnvironmentFault, Rejection
from runtime.task.answers import kind_of
from runtime.task.origin import Origin, ResultRef, base_of, computed, origin_of, plain, traced
from runtime.task.paths import JsonPath, reference_to
from runtime.task.picks import Entry
from runtime.task.script import Best, Lookup, Origins, TracedCall
from runtime.task.task import Step, TaskAnswer
from runtime.task.wishes import StoryWishes, values_in


class StoryCalls(StoryWishes):
    """One run of one scenario, as far as it calls tools."""

    # Results: the entry that is meant, and what can be said of all entries

    def find(self, results: Sequence[Entry], **wanted: Any) -> Any:
        """The one entry of a result's list that has these values; without any, the only entry."""
        entries = self._entries(results)
        found = [each for each in entries if _has(each, wanted)]
        if len(found) != 1:
            raise EnvironmentFault(
                f"A lookup by {_shown(wanted)} finds {len(found)} of {len(entries)} entries, not one."
            )
        self._note_lookup(wanted)
        return found[0]

    def all_but(self, results: Sequence[Entry], **wanted: Any) -> list[Any]:
        """All entries of a result's list but those that have these values, of which there is one at least."""
        entries = self._entries(results)
        rest = [each for each in entries if not _has(each, wanted)]
        if len(rest) == len(entries):
            raise EnvironmentFault(f"No entry has {_shown(wanted)}, so that all but it would be all.")
        self._note_lookup(wanted)
        places = [origin_of(value) for each in rest for value in each.values()]
        self._script.chosen.update(origin for origin in places if origin is not None)
        return rest

    def highest(self, results: Sequence[Entry], column: str) -> Any:
        """The one entry of a result's list with the greatest value: the latest, the most expensive."""
        return self._extreme(results, column, max)

    def lowest(self, results: Sequence[Entry], column: str) -> Any:
        """The one entry of a result's list with the least value: the earliest, the cheapest."""
        return self._extreme(results, column, min)

    def count(self, results: Sequence[Entry]) -> Any:
        """How many entries a result's list has, as an answer."""
        return self._summed(len(results), "count of entries")

    def total(self, results: Sequence[Entry], column: str) -> Any:
        """The sum of a column over the entries of a result's list, as an answer."""
        return self._summed(sum(plain(each[column]) or 0 for each in results), f"total of {column}")

    def call(self, tool: str, wish: int | None = None, **arguments: Any) -> Any:
        """Call a tool through the real path and return its result, traced; errors: EnvironmentFault.

        An optional argument that is None counts as left out. The call is for the wish that is named, or the last one.
        """
        declared = self._session.domain.tools.get(tool)
        if declared is not None:
            needed = declared.arguments.schema.get("required", [])
            arguments = {name: value for name, value in arguments.items() if value is not None or name in needed}
        number = self._first_step + len(self._script.calls)
        step, origins = self._step(tool, self._wish_now if wish is None else self._known_wish(wish), arguments)
        before = self._session.digest() if declared is not None and declared.writes else ""
        try:
            result = self._session.call(tool, **plain(arguments))
        except Rejection as rejection:
            raise EnvironmentFault(f"The scenario's call of {tool} was rejected: {rejection}") from rejection
        changes = bool(before) and self._session.digest() != before
        self._script.calls.append(TracedCall(step, origins, self._heard_by(step.wish), changes, result))
        return _traced_result(result, number)

    def answer(self, name: str, value: Any, source: str | None = None, wish: int | None = None) -> None:
        """State what the user must be told in the end."""
        if value is None or isinstance(plain(value), bool | list | dict):
            raise EnvironmentFault(f"The answer {name!r} is {plain(value)!r}; an answer is a text or a number.")
        column = None if source is None else read_column_ref(source)
        told = plain(value)
        minor = getattr(value, "minor", None)
        self._script.answers.append(
            TaskAnswer(
                name=name,
                kind="money" if minor else kind_of(told),
                minor=minor or 1,
                value=told,
                source=column,
                wish=self._wish_now if wish is None else self._known_wish(wish),
            )
        )
        origins = self._roots(value)
        self._script.answered.append(None if None in origins else origins[0])

    def _step(self, tool: str, wish: int, arguments: Mapping[str, Any]) -> tuple[Step, Origins]:
        """A call as a step of the chain, and where its arguments came from."""
        written = {name: _reference(value) for name, value in arguments.items()}
        return Step(tool=tool, arguments=written, wish=wish), self._origins(arguments)

    def _entries(self, results: Any) -> list[Entry]:
        if not isinstance(results, list) or not all(isinstance(each, dict) for each in results):
            raise EnvironmentFault("A lookup takes the list of entries in a result, as in found['loans'].")
        return results

    def _extreme(self, results: Any, column: str, which: Callable[[list[Any]], Any]) -> Entry:
        entries = [each for each in self._entries(results) if each.get(column) is not None]
        values = [plain(each[column]) for each in entries]
        best = which(values) if values else None
        if values.count(best) != 1:
            raise EnvironmentFault(f"Of {len(results)} entries, none or several have the utmost {column!r}, not one.")
        others = [value for value in values if value != best]
        self._note_lookup({}, Best(column, best, which(others)) if others else None)
        return entries[values.index(best)]

    def _summed(self, number: int | float, what: str) -> Any:
        last = Origin(ResultRef(self._first_step + len(self._script.calls) - 1))
        return computed(number, traced(0, last) if self._script.calls else 0, what)

    def _note_lookup(self, wanted: Mapping[str, Any], best: Best | None = None) -> None:
        before = self._first_step + len(self._script.calls)
        wish = max(self._wish_now, *(call.step.wish for call in self._script.calls[-1:]), self._first_wish)
        self._script.lookups.append(Lookup(self._origins(wanted), self._heard_by(wish), before, best))

    def _origins(self, arguments: Mapping[str, Any]) -> Origins:
        """Where the values in arguments came from, by path."""
        return {
            path: tuple(self._roots(leaf)) for name, value in arguments.items() for path, leaf in values_in(value, name)
        }

    def _roots(self, value: Any) -> list[Origin | None]:
        """Where a value came from, or, if it was computed and not told itself, where that came from."""
        origin, base = origin_of(value), base_of(value)
        if origin is None or base is None or origin in self._script.told:
            return [origin]
        return [root for part in (base, *value.amounts) for root in self._roots(part)]


def _has(entry: Entry, wanted: Mapping[str, Any]) -> bool:
    return all(plain(entry.get(name)) == plain(value) for name, value in wanted.items())


def _shown(wanted: Mapping[str, Any]) -> str:
    return " and ".join(f"{name} {plain(value)!r}" for name, value in wanted.items()) or "nothing to tell it by"


def _reference(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _reference(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_reference(item) for item in value]
    origin = origin_of(value)
    if origin is not None and isinstance(origin.source, ResultRef) and base_of(value) is None:
        return reference_to(origin.source.step, origin.source.path)
    return plain(value)


def _traced_result(value: Any, step: int, path: JsonPath = ()) -> Any:
    if isinstance(value, Mapping):
        return {name: _traced_result(item, step, (*path, name)) for name, item in value.items()}
    if isinstance(value, list):
        return [_traced_result(item, step, (*path, number)) for number, item in enumerate(value)]
    return traced(value, _origin_of_result(step, path))


@lru_cache(maxsize=10_000)
def _origin_of_result(step: int, path: JsonPath) -> Origin:
    """The same few places are named again and again."""
    return Origin(ResultRef(step, path))
