"""Note which tables each tool really reads and writes, by handing it a database that notes what it is asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.schema import Schema, Value
from runtime.domain.tool import Tool
from runtime.sandbox.connect import open_memory
from runtime.sandbox.preparing import tables_read
from runtime.session.database import Database, Record

_MOST_TEXTS = 5_000  # of SQL that are remembered


@dataclass
class TouchedTables:
    """The tables that one tool touched; a row that is changed or removed counts as written only."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)


Touched = dict[str, TouchedTables]  # by tool


def watch(domain: Domain) -> tuple[Domain, Touched]:
    """The domain with tools that behave as before, and the tables that they will have touched."""
    reader = _SqlReader(domain.schema)
    touched = {name: TouchedTables() for name in domain.tools}
    tools = {name: _watched(tool, touched[name], reader) for name, tool in domain.tools.items()}
    return replace(domain, tools=tools), touched


def _watched(tool: Tool, touched: TouchedTables, reader: _SqlReader) -> Tool:
    function: Callable[..., Any] = tool.function

    def call(db: Database, **arguments: Any) -> Any:
        return function(_WatchedDatabase(db, touched, reader), **arguments)

    return replace(tool, function=call)


class _SqlReader:
    """Finds the tables that a SELECT reads by preparing it on empty tables."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._known: dict[str, frozenset[str]] = {}

    def tables_in(self, sql: str) -> frozenset[str]:
        """The tables that this SQL reads; none if SQLite does not accept it."""
        known = self._known.get(sql)
        if known is None:
            known = self._prepared(sql)
            if len(self._known) < _MOST_TEXTS:
                self._known[sql] = known
        return known

    def _prepared(self, sql: str) -> frozenset[str]:
        with closing(open_memory()) as connection:
            self._schema.create(connection)
            try:
                return tables_read(connection, sql, self._schema.tables)
            except (sqlite3.Error, ValueError):
                return frozenset()


class _WatchedDatabase(Database):
    """A database that notes the tables it is asked for and passes every request on."""

    def __init__(self, inner: Database, touched: TouchedTables, reader: _SqlReader) -> None:
        self.now = inner.now
        self.today = inner.today
        self.principal = inner.principal
        self._inner = inner
        self._touched = touched
        self._reader = reader

    def select(self, sql: str, *values: Value) -> list[Record]:
        self._touched.reads |= self._reader.tables_in(sql)
        return self._inner.select(sql, *values)

    def first(self, sql: str, *values: Value) -> Record | None:
        self._touched.reads |= self._reader.tables_in(sql)
        return self._inner.first(sql, *values)

    def value(self, sql: str, *values: Value) -> Any:
        self._touched.reads |= self._reader.tables_in(sql)
        return self._inner.value(sql, *values)

    def get(self, table: str, *key: Value) -> Record | None:
        self._touched.reads.add(table)
        return self._inner.get(table, *key)

    def require(self, table: str, *key: Value) -> Record:
        self._touched.reads.add(table)
        return self._inner.require(table, *key)

    def insert(self, table: str, /, **values: Value) -> Record:
        stored = self._inner.insert(table, **values)
        self._touched.writes.add(table)
        return stored

    def update(self, table: str, /, *key: Value, **values: Value) -> Record:
        stored = self._inner.update(table, *key, **values)
        self._touched.writes.add(table)
        return stored

    def delete(self, table: str, *key: Value) -> Record:
        removed = self._inner.delete(table, *key)
        self._touched.writes.add(table)
        return removed

    def new_id(self, table: str) -> Any:
        return self._inner.new_id(table)
