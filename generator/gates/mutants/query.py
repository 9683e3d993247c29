"""A tool's query as sqlglot reads it: the tables of each SELECT, and whose column a name is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from runtime.domain.schema import Schema

DIALECT = "sqlite"


@dataclass(frozen=True)
class Owner:
    """The table of a column, and the name that the query gives it."""

    given: str
    table: str


def read_query(text: str) -> exp.Query | None:
    """The tree of a query; None for what is not a query."""
    try:
        tree = sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError:
        return None
    return tree if isinstance(tree, exp.Query) else None


def tables_of(select: exp.Select) -> Iterator[exp.Table]:
    """The tables that a SELECT names itself, in their order."""
    return (table for table in select.find_all(exp.Table) if table.find_ancestor(exp.Select) is select)


def owner_of(column: exp.Column, schema: Schema) -> Owner | None:
    """Whose column this is, looked for in the SELECT around it, then in those around that one."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        for table in tables_of(select):
            given = table.alias_or_name
            has_it = table.name in schema.tables and column.name in schema.tables[table.name].positions
            if has_it and column.table in ("", given):
                return Owner(given, table.name)
        select = select.find_ancestor(exp.Select)
    return None
