"""Who calls a domain's office: the table of people, how each is found and proven, and which tables are whose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from runtime.domain.schema import ForeignKey, Schema, Table, Value
from runtime.domain.tool import Tool
from runtime.wording import have

Role = Literal["customer", "delegate", "staff"]
"""A customer has their own rows only; a delegate somebody else's, within limits; staff all, with rules on authority."""

LEAST_PROOFS = 2  # columns that prove who somebody is


class NotingTool(BaseModel):
    """A tool that notes something about a person, by the parameters that take what is noted.

    `given` are arguments that are always the same.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    person: str
    row: str = ""
    rule: str = ""
    given: dict[str, Value | list[Value]] = {}

    @property
    def parameters(self) -> list[str]:
        """The parameters that are named."""
        return [name for name in (self.person, self.row, self.rule, *self.given) if name]


class People(BaseModel):
    """`people` of `domain.json`.

    `found_by` has, for each column by which people say who they are, the tool that finds a person by it: its parameter
    has the column's name. `proven_by` are the columns that prove it, with what each is called ("phone number"). `owns`
    names the columns of foreign keys that lead from a table to its owner: "member_id", or "loan_id.member_id".
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    table: str
    name: str
    found_by: dict[str, str] = Field(min_length=1)
    proven_by: dict[str, str]
    owns: dict[str, str] = {}
    roles: list[Role] = ["customer"]
    identification: NotingTool | None = None
    refusal: NotingTool | None = None

    def way_of(self, table: str) -> tuple[str, ...] | None:
        """The columns that lead from a row of a table to its owner; empty for people themselves, None for others'."""
        if table == self.table:
            return ()
        way = self.owns.get(table)
        return None if way is None else tuple(way.split("."))

    def noting(self, tool: str) -> NotingTool | None:
        """How a tool notes an identification or a refusal, if it is one that does."""
        return next((each for each in (self.identification, self.refusal) if each and each.tool == tool), None)


def owner_in_sql(schema: Schema, people: People, table: str) -> str:
    """The key of the owner of a row, as an expression of SQL on this table."""
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
    """What does not fit, each as a sentence about `people`."""
    table = schema.tables.get(people.table)
    if table is None:
        yield f"names table {people.table!r}; {have(people.table, schema.tables)}."
        return
    if len(table.primary_key) != 1:
        yield f"names table {people.table!r}, whose key has {len(table.primary_key)} columns; it must have one."
    for column in (people.name, *people.found_by, *people.proven_by):
        if column not in table.positions:
            yield f"names column {column!r} of {people.table!r}; {have(column, table.positions)}."
    if len(people.proven_by) < LEAST_PROOFS:
        yield f"proves people by {len(people.proven_by)} column; at least {LEAST_PROOFS} are needed."
    for column, name in people.found_by.items():
        yield from _faults_of_parameters(tools, name, [column])
    for noting in (people.identification, people.refusal):
        if noting is not None:
            yield from _faults_of_parameters(tools, noting.tool, noting.parameters)
    for owned, written in people.owns.items():
        yield from _faults_of_way(schema, people, owned, written.split("."))


def _faults_of_parameters(tools: Mapping[str, Tool], name: str, parameters: Sequence[str]) -> Iterator[str]:
    tool = tools.get(name)
    if tool is None:
        yield f"names tool {name!r}; {have(name, tools)}."
        return
    for parameter in parameters:
        if parameter not in tool.arguments.names:
            yield f"gives {parameter!r} to tool {name!r}; {have(parameter, tool.arguments.names)}."


def _faults_of_way(schema: Schema, people: People, owned: str, way: Sequence[str]) -> Iterator[str]:
    at = owned
    for column in way:
        table = schema.tables.get(at)
        if table is None:
            yield f"says who owns rows of {at!r}; {have(at, schema.tables)}."
            return
        found = _parent(table, column)
        if found is None:
            yield f"leads from {owned!r} to its owner by {at}.{column}, which is no foreign key of one column."
            return
        at = found.parent
    if at != people.table:
        yield f"leads from {owned!r} to {at!r}, not to {people.table!r}; name the columns of foreign keys on the way."


def _parent(table: Table, column: str) -> ForeignKey | None:
    return next((each for each in table.foreign_keys if each.columns == (column,)), None)
