"""Row shortcuts: which entry of a list is taken by somebody who does not look, and where a chain takes an entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.task.paths import JsonPath, is_reference, leaves_of, path_of
from runtime.task.task import Step

Entries = Sequence[Mapping[str, Any]]

_DATE = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class RowChoice:
    """That a step of a chain takes one entry of a list that an earlier step returned."""

    step: int
    source: int  # the earlier step
    path: JsonPath  # of the list in its result
    index: int


def row_choices(chain: Sequence[Step]) -> list[RowChoice]:
    """The entries that a chain takes of lists, each once; none of a list of which it takes several."""
    found: dict[tuple[int, JsonPath], list[RowChoice]] = {}
    for number, step in enumerate(chain):
        for source, path in _references(step):
            place = next((at for at, part in enumerate(path) if isinstance(part, int)), None)
            if place is not None:
                choice = RowChoice(number, source, path[:place], int(path[place]))
                found.setdefault((source, path[:place]), []).append(choice)
    return [choices[0] for choices in found.values() if len({each.index for each in choices}) == 1]


def take_row(shortcut: str, entries: Sequence[Any]) -> int:
    """The place of the entry that a shortcut takes of a list; the first where the entries have no columns."""
    if not entries or not all(isinstance(each, Mapping) for each in entries):
        return 0
    return ROW_SHORTCUTS[shortcut](entries)


def _references(step: Step) -> Iterator[tuple[int, JsonPath]]:
    for _, value in leaves_of(step.arguments):
        if is_reference(value):
            yield value["$step"], path_of(value)


def _lowest_id(entries: Entries) -> int:
    """Of the first column that is named as an id, or else of the first one."""
    names = list(entries[0])
    column = next((name for name in names if name == "id" or name.endswith("_id")), names[0] if names else "")
    return min(range(len(entries)), key=lambda at: (str(type(entries[at].get(column))), entries[at].get(column) or ""))


def _newest(entries: Entries) -> int:
    """By the first column of dates; without one the last entry."""
    for name in entries[0]:
        values = [each.get(name) for each in entries]
        if all(isinstance(value, str) and _DATE.match(value) for value in values):
            return values.index(max(map(str, values)))
    return len(entries) - 1


def _most_frequent(entries: Entries) -> int:
    """The entry whose values most others share."""
    counts = Counter((name, str(value)) for each in entries for name, value in each.items())
    return max(range(len(entries)), key=lambda at: sum(counts[name, str(value)] for name, value in entries[at].items()))


ROW_SHORTCUTS: Mapping[str, Callable[[Entries], int]] = {
    "first_row": lambda entries: 0,
    "last_row": lambda entries: len(entries) - 1,
    "lowest_id": _lowest_id,
    "newest_row": _newest,
    "most_frequent_row": _most_frequent,
}
