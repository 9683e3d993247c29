"""Who calls a domain: the table of people, how each one is found and identified, and which tables they own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from runtime.domain.schema import ForeignKey, Schema, Table
from runtime.domain.tool import Tool
from runtime.wording import have

Role = Literal["customer", "delegate", "staff"]
"""A customer has their own rows only; a delegate somebody else's, within limits; staff all, with rules on authority."""

MARK = "__"
"""Stands between the name of an office and that of its tool or table, where several offices are one domain."""

LEAST_PROOFS = 2  # columns that prove who somebody is
_OF_AGE = 18  # years


IDENTIFY, DECLINE = "note_identification", "decline_request"
"""The tools that record who calls, and that a rule forbids a request; `runtime/domain/caller_rules.py` makes them."""

IDENTIFICATION, DECLINED = "identification", "declined_request"
"""The tables that they write to, which a generated world leaves empty."""

DESK_TABLES = (IDENTIFICATION, DECLINED)


class People(BaseModel):
    """`people` of `domain.json`.

    `found_by` has, for each column by which people say who they are, the tool that finds a person by it: its parameter
    has the column's name. `proven_by` are the columns that prove it, with what each is called ("phone number"). `born`
    is the column of the date of birth, if there is one: who calls in a task is of age. `owns`
    names the columns of foreign keys that lead from a table to its owner: "member_id", or "loan_id.member_id"; a list
    of such where several people own a row. `anybody` names tools that anyone may ask for, each with the reason.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str
    name: str
    found_by: dict[str, str] = Field(min_length=1)
    proven_by: dict[str, str]
    born: str = ""
    owns: dict[str, str | list[str]] = {}
    roles: list[Role] = ["customer"]
    anybody: dict[str, str] = {}

    def way_of(self, table: str) -> tuple[str, ...] | None:
        """Return the columns that lead from a row to its first owner; empty for people, None where nobody owns it."""
        return next(iter(self.ways_of(table)), None)

    def ways_of(self, table: str) -> tuple[tuple[str, ...], ...]:
        """Return the columns that lead from a row to each of its owners."""
        if table == self.table:
            return ((),)
        ways = self.owns.get(table, [])
        return tuple(tuple(way.split(".")) for way in ([ways] if isinstance(ways, str) else ways))


def own_name(name: str) -> str:
    """Return the name that a tool or table has in its own office, without the prefix that a hybrid domain gives it."""
    return name.rpartition(MARK)[2]


def is_desk_tool(tool: str) -> bool:
    """True for a tool that records a caller or a refusal and carries out no request."""
    return own_name(tool) in (IDENTIFY, DECLINE)


def can_call_in_sql(people: People, today: str) -> str:
    """Return the condition in SQL that a person can say who they are, can prove it, and is of age."""
    columns = dict.fromkeys((people.name, *people.found_by, *people.proven_by))
    conditions = [f'"{people.table}"."{column}" IS NOT NULL' for column in columns]
    if people.born:
        conditions.append(f'"{people.table}"."{people.born}" <= \'{int(today[:4]) - _OF_AGE}{today[4:10]}\'')
    return " AND ".join(conditions)


def owner_in_sql(schema: Schema, people: People, table: str) -> str:
    """Return SQL for the key of a row's owner."""
    way = people.way_of(table)
    assert way is not None
    if not way:
        return f'"{table}"."{schema.tables[people.table].primary_key[0]}"'
    sql, at = f'"{table}"."{way[0]}"', table
    for column, following in zip(way, way[1:], strict=False):
        parent = _parent(schema.tables[at], column)
        assert parent is not None
        at = parent.parent
        sql = f'(SELECT "{at}"."{following}" FROM "{at}" WHERE "{at}"."{parent.parent_columns[0]}" = {sql})'
    return sql


def faults_of_people(schema: Schema, people: People, tools: Mapping[str, Tool]) -> Iterator[str]:
    """Yield what does not fit, each as a sentence about `people`."""
    table = schema.tables.get(people.table)
    if table is None:
        yield f"names table {people.table!r}; {have(people.table, schema.tables)}."
        return
    if len(table.primary_key) != 1:
        yield f"names table {people.table!r}, whose key has {len(table.primary_key)} columns; it must have one."
    for column in filter(None, (people.name, people.born, *people.found_by, *people.proven_by)):
        if column not in table.positions:
            yield f"names column {column!r} of {people.table!r}; {have(column, table.positions)}."
    if len(people.proven_by) < LEAST_PROOFS:
        yield f"proves people by {len(people.proven_by)} column; at least {LEAST_PROOFS} are needed."
    for column, name in people.found_by.items():
        if name not in tools:
            yield f"names tool {name!r}; {have(name, tools)}."
        elif column not in tools[name].arguments.names:
            yield f"gives {column!r} to tool {name!r}; {have(column, tools[name].arguments.names)}."
    for owned in people.owns:
        for way in people.ways_of(owned):
            yield from _faults_of_way(schema, people, owned, way)


def _faults_of_way(schema: Schema, people: People, owned: str, way: Sequence[str]) -> Iterator[str]:
    at = owned
    for column in way:
        table = schema.tables.get(at)
        if table is None:
            yield f"says who owns rows of {at!r}; {have(at, schema.tables)}."
            return
        found = _parent(table, column)
        if found is None:
            yield f"leads from {owned!r} to its owner by {at}.{column}, which is not a foreign key of one column."
            return
        at = found.parent
    if at != people.table:
        yield f"leads from {owned!r} to {at!r}, not to {people.table!r}; name the columns of foreign keys on the way."


def _parent(table: Table, column: str) -> ForeignKey | None:
    return next((each for each in table.foreign_keys if each.columns == (column,)), None)
