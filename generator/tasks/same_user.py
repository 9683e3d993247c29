"""Which person speaks in a scenario, and whether scenarios can be told by one user without getting in each other's way.

A scenario need not say who the user is. Where its words do ("I'm {email}", "my address is {email}"), the row that the
value comes from is the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generator.tasks.studied_world import StudiedWorld
from generator.tasks.telling import ToldScenario
from runtime.domain.changes import RowName
from runtime.domain.rows import RowRef
from runtime.domain.schema import Key, Value
from runtime.task.story import Script, said

_OF_ONESELF = re.compile(
    r"(?:\b(?:I['’]?m|I am|this is|call me|name['’]s)"
    r"|\bmy (?:[\w-]+ ){0,2}(?:name|address|e-?mail|phone|number|account|card|log-?in|id|profile|membership)"
    r"(?: is| address is| number is|:|,)?)\s*[\"'(]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ToldColumn:
    """A column of a row of the world that the user was told to know, and its value."""

    row: RowRef
    column: str
    value: Value


def told_columns(script: Script, studied: StudiedWorld) -> list[ToldColumn]:
    """The columns that the words of a script carry, sorted."""
    found = []
    for origin in sorted(script.told, key=str):
        place = origin.source
        if isinstance(place, RowRef) and place.column is not None and not origin.made:
            row = studied.row(place.table, place.key)
            if row is not None:
                found.append(ToldColumn(place.row, place.column, row[place.column]))
    return found


def user_of(script: Script, studied: StudiedWorld) -> frozenset[RowName]:
    """The rows of the world that are the user: the caller, or who the words of a script say; usually one, or none."""
    people = studied.domain.people
    if people is not None and script.caller is not None:
        return frozenset([(people.table, script.caller)])
    return frozenset(
        (told.row.table, told.row.key)
        for told in told_columns(script, studied)
        if _speaks_of_self(script.words, told.value)
    )


def are_told_by_one(parts: Sequence[ToldScenario], studied: StudiedWorld) -> bool:
    """Whether scenarios are about one user, whom all agree on, and each about rows of its own."""
    if len({part.script.caller for part in parts}) > 1:
        return False
    users = [user_of(part.script, studied) for part in parts]
    user = frozenset(row for own in users for row in own)
    if len({table for table, _ in user}) < len(user):
        return False  # two rows of one table say "I"
    tables = {table for table, _ in user}
    for part, own in zip(parts, users, strict=True):
        if user and not own and any(_parents_in(tables, name, studied) - user for name in part.picks):
            return False  # it does not say who speaks, and is about somebody else's rows
    return all(
        _are_apart(one, other, user, studied) for position, one in enumerate(parts) for other in parts[position + 1 :]
    )


def rows_of_user(user: frozenset[RowName], table: str, studied: StudiedWorld) -> list[Key]:
    """The keys of a table that are the user's: the user's own row, and those that refer to it or to one that does."""
    own = {row for row in user if row[0] == table}
    if own:
        return sorted((key for _, key in own), key=str)
    below = [row for one in sorted(user, key=str) for row in studied.referring(one)]
    rows = [*below, *(row for one in below for row in studied.referring(one))]
    return list(dict.fromkeys(key for name, key in rows if name == table))


def _are_apart(one: ToldScenario, other: ToldScenario, user: frozenset[RowName], studied: StudiedWorld) -> bool:
    if (set(one.picks) & set(other.picks)) - user:
        return False
    for changing, bystander in ((one, other), (other, one)):
        about = {*bystander.picks, *bystander.changed}
        about |= {parent for name in about for parent in _parents_of(name, studied)}
        if (changing.changed & about) - user:
            return False
    return True


def _parents_of(name: RowName, studied: StudiedWorld) -> Iterator[RowName]:
    """The rows of the world that a row refers to."""
    table, key = name
    row = studied.row(table, key)
    if row is None:
        return
    for foreign_key in studied.domain.schema.tables[table].foreign_keys:
        parent = studied.domain.schema.tables[foreign_key.parent]
        if foreign_key.parent_columns == parent.primary_key:
            above = tuple(row[column] for column in foreign_key.columns)
            if None not in above:
                yield parent.name, above


def _parents_in(tables: set[str], name: RowName, studied: StudiedWorld) -> set[RowName]:
    return {row for row in (name, *_parents_of(name, studied)) if row[0] in tables}


def _speaks_of_self(words: Sequence[str], value: Value) -> bool:
    shown = said(value)
    if not shown or value is None:
        return False
    return any(
        _OF_ONESELF.search(text[: found.start()])
        for text in words
        for found in re.finditer(rf"(?<!\w){re.escape(shown)}(?!\w)", text)
    )
