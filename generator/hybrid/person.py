"""Make a caller of one office somebody known at another: name, email, phone and what else both call the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing

from generator.tasks.telling import CannotCompose
from runtime.domain.domain import Domain, broken_invariants
from runtime.domain.people import People, owner_in_sql
from runtime.domain.schema import Key, Value
from runtime.errors import UsageError
from runtime.session.world import World
from runtime.task.task import FittedRow

_NAME, _BORN = "name", "born"


def details_of(domain: Domain, world: World, key: Key) -> dict[str, Value]:
    """Return what is known of a person that another office can know, too."""
    assert domain.people is not None
    table = domain.schema.tables[domain.people.table]
    with closing(world.open()) as connection:
        record = table.record(connection.execute(table.select_row, key).fetchone())
    return {detail: record[column] for column, detail in _columns(domain.people).items()}


def fit_person(domain: Domain, world: World, key: Key, person: Mapping[str, Value]) -> tuple[World, list[FittedRow]]:
    """Return a world in which a person has the details of another, and the rows that differ.

    What identifies them elsewhere in the world, such as a name on a bill, changes with it. A detail that the world does
    not take stays as it was; name and email must fit. Errors: CannotCompose.
    """
    people = domain.people
    assert people is not None
    table, own = domain.schema.tables[people.table], details_of(domain, world, key)
    rows: list[FittedRow] = []
    for column, detail in _columns(people).items():
        new = _written_as(person.get(detail), own[detail])
        if new is None or new == own[detail]:
            continue
        changed = [FittedRow(table=table.name, key=list(key), columns={column: new})]
        if detail == _NAME or column in people.found_by:
            with closing(world.open()) as connection:
                if connection.execute(f'SELECT 1 FROM "{table.name}" WHERE "{column}" = ?', (new,)).fetchone():
                    raise CannotCompose("somebody else there has the caller's name or details")
            changed = list(_rows_with(domain, people, world, key, own[detail], new))
        try:
            for row in changed:
                world = world.with_values(row.table, tuple(row.key), row.columns)
        except UsageError as error:
            if detail in (_NAME, "email"):
                raise CannotCompose("an office does not take the caller's details", str(error)) from None
            continue
        rows += changed
    with closing(world.open()) as connection:
        if broken := next(broken_invariants(connection, domain.invariants), None):
            raise CannotCompose("an office does not take the caller's details", broken)
    return world, joined(rows)


def _columns(people: People) -> dict[str, str]:
    """Return the columns that say who somebody is, each with how every office calls it."""
    columns = {column: column for column in (*people.found_by, *people.proven_by)}
    return columns | {people.name: _NAME} | ({people.born: _BORN} if people.born else {})


def _written_as(new: Value, old: Value) -> Value:
    """Return a value in the form of another: a number such as a phone's with the same marks between its digits."""
    if not isinstance(new, str) or not isinstance(old, str):
        return new if old is not None else None
    digits = [letter for letter in new if letter.isdigit()]
    if any(map(str.isalpha, new + old)) or len(digits) != sum(map(str.isdigit, old)):
        return new
    return "".join(digits.pop(0) if letter.isdigit() else letter for letter in old)


def _rows_with(domain: Domain, people: People, world: World, key: Key, old: Value, new: Value) -> Iterator[FittedRow]:
    """Yield the rows of a person that hold a text as the whole of a column, with another in its place."""
    with closing(world.open()) as connection:
        for table in domain.schema.tables.values():
            if people.way_of(table.name) is None:
                continue
            keys = ", ".join(f'"{name}"' for name in table.primary_key)
            owned = f"{owner_in_sql(domain.schema, people, table.name)} = ?"
            for column in table.columns:
                if column.type == "TEXT" and column.name not in table.key_columns:
                    sql = f'SELECT {keys} FROM "{table.name}" WHERE "{column.name}" = ? AND {owned} ORDER BY {keys}'
                    for row in connection.execute(sql, (old, *key)):
                        yield FittedRow(table=table.name, key=list(row), columns={column.name: new})


def joined(rows: Sequence[FittedRow]) -> list[FittedRow]:
    """Return rows with all that changes in one."""
    by_row: dict[tuple[str, str], FittedRow] = {}
    for row in rows:
        name = row.table, repr(row.key)
        earlier = by_row.get(name)
        by_row[name] = row if earlier is None else row.model_copy(update={"columns": earlier.columns | row.columns})
    return list(by_row.values())
