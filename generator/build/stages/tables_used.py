"""The tables that each function of a tool file uses, read off its code: what the declaration is compared with."""

from __future__ import annotations

import ast
import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from runtime.domain.schema import Schema
from runtime.sandbox.connect import open_memory
from runtime.sandbox.preparing import tables_read
from runtime.sandbox.syntax import parse

_READS = ("select", "first", "value")
_WRITES = ("insert", "update", "delete", "new_id")


@dataclass(frozen=True)
class TablesUsed:
    """What one tool uses, with the functions it calls; `is_exact` if every SQL text and table name is a constant."""

    reads: frozenset[str]
    writes: frozenset[str]
    is_exact: bool


def tables_used(source: str, schema: Schema) -> dict[str, TablesUsed]:
    """The tables that each function of a file uses, by itself or through others of the file."""
    functions = {node.name: node for node in parse(source).body if isinstance(node, ast.FunctionDef)}
    with closing(open_memory()) as connection:
        schema.create(connection)
        own = {name: _own_use(node, connection, schema) for name, node in functions.items()}
    return {name: _joined([own[each] for each in _reached(name, functions)]) for name in functions}


def lines_with_built_sql(source: str) -> list[int]:
    """The lines on which SQL is put together at run time: an agent's text could get into it."""
    return sorted(
        first.lineno
        for verb, first in _database_calls(parse(source))
        if verb in _READS and first is not None and not _is_constant(first)
    )


def _is_constant(sql: ast.expr) -> bool:
    if isinstance(sql, ast.Name):
        return sql.id.isupper()
    return isinstance(sql, ast.Constant) and isinstance(sql.value, str)


def _own_use(function: ast.FunctionDef, connection: sqlite3.Connection, schema: Schema) -> TablesUsed:
    reads: set[str] = set()
    writes: set[str] = set()
    is_exact = True
    for verb, first in _database_calls(function):
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            is_exact = False
        elif verb in _READS:
            with contextlib.suppress(sqlite3.Error, ValueError):  # loading the file names what is wrong with it
                reads |= tables_read(connection, first.value, schema.tables)
        elif first.value in schema.tables:
            (writes if verb in _WRITES else reads).add(first.value)
    return TablesUsed(frozenset(reads | writes), frozenset(writes), is_exact)


def _database_calls(function: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "db"
        ):
            yield node.func.attr, node.args[0] if node.args else None


def _reached(name: str, functions: dict[str, ast.FunctionDef]) -> list[str]:
    found: list[str] = []
    pending = [name]
    while pending:
        current = pending.pop()
        if current in functions and current not in found:
            found.append(current)
            pending += [node.id for node in ast.walk(functions[current]) if isinstance(node, ast.Name)]
    return found


def _joined(parts: list[TablesUsed]) -> TablesUsed:
    return TablesUsed(
        frozenset().union(*(part.reads for part in parts)),
        frozenset().union(*(part.writes for part in parts)),
        all(part.is_exact for part in parts),
    )
