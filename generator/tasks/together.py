"""Whether scenarios can be told by one user as one story, and which rows of the world that user is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from generator.tasks.studied_world import StudiedWorld
from generator.tasks.telling import ToldScenario
from runtime.domain.changes import RowName
from runtime.domain.domain import Domain
from runtime.domain.rows import RowRef
from runtime.domain.schema import Key, Value
from runtime.task.paths import scalars_of
from runtime.task.script import Script


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
    """The row of the world that is the user, if the scenario has a caller."""
    people = studied.domain.people
    return frozenset() if people is None or script.caller is None else frozenset([(people.table, script.caller)])


def are_told_by_one(parts: Sequence[ToldScenario], studied: StudiedWorld) -> bool:
    """Whether scenarios are about one user, whom all agree on, and each about rows of its own."""
    if len({part.script.caller for part in parts}) > 1:
        return False
    user = frozenset(row for part in parts for row in user_of(part.script, studied))
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


def do_touch(one: ToldScenario, other: ToldScenario, domain: Domain) -> bool:
    """Whether one changes a row that the other changes or looks up; identifying the caller does not count."""
    changed = [_named(part, domain) for part in (one, other)]
    return bool(
        changed[0] & changed[1] or changed[0] & _looked_up(other, domain) or changed[1] & _looked_up(one, domain)
    )


def count_touching(parts: Sequence[ToldScenario], domain: Domain) -> int:
    """How many scenarios touch another one."""
    return sum(any(do_touch(part, other, domain) for other in parts if other is not part) for part in parts)


def _named(part: ToldScenario, domain: Domain) -> set[tuple[str, Any]]:
    """The rows that a scenario changes, by the column and the value of a key of one column."""
    tables = domain.schema.tables
    rows = [(tables[name].primary_key, key) for name, key in part.changed]
    return {(columns[0], key[0]) for columns, key in rows if len(columns) == 1}


def _looked_up(part: ToldScenario, domain: Domain) -> set[tuple[str, Any]]:
    """Every value that reading tools return to a scenario, with its column, but for finding the caller."""
    script = part.script
    known = script.identified.steps if script.identified is not None else ()
    return {
        (str(path[-1]), value)
        for number, call in enumerate(script.calls, script.first_step)
        if number not in known and not domain.tools[call.step.tool].writes
        for path, value in scalars_of(call.result)
        if path
    }
