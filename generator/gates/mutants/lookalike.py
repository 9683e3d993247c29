"""Which column of a table could be mistaken for another: same type, and as like in name as there is one."""

from __future__ import annotations

from collections.abc import Mapping


def lookalike(columns: Mapping[str, str], column: str) -> str | None:
    """The column of the same type that is most like this one, `columns` being names and types in declared order."""
    names = [name for name, kind in columns.items() if kind == columns.get(column)]
    if column not in names or len(names) < 2:
        return None
    start = names.index(column)
    others = names[start + 1 :] + names[:start]
    return next((name for name in others if _ending(name) == _ending(column)), others[0])


def _ending(name: str) -> str:
    """The last word of a name, which says what its values are: `_id`, `_on`, `_cents`."""
    return name.rpartition("_")[2]
