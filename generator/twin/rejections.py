"""Which kinds of rejection a tool of a twin can come to: by its key, and by constraints that arguments can break."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import islice, product
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation, SourceColumn
from generator.twin.words import has_blanks
from runtime.errors import RejectionKind

_MOST_TRIED = 3_000  # combinations of values of a check
_EARLY, _LATE = "1900-01-01", "2100-01-01"


def kinds_of(operation: Operation, settled: Settled) -> dict[RejectionKind, str]:
    """Return each kind of rejection that an operation can come to, with its case: "if ..." or "unless ..."."""
    table = settled.tables[operation.table]
    written = written_by(operation, table)
    kinds: dict[RejectionKind, list[str]] = {}
    if operation.verb in ("get", "update", "set", "delete"):
        kinds["NOT_FOUND"] = [f"there is no such {table.noun}"]
    if operation.verb == "update" and is_free(operation):
        kinds["INVALID_ARGUMENT"] = ["no change is given"]
    given = {each.column for each in operation.parameters if each.role == "value"}
    parents = [each.table for each in table.references if given & {*each.columns}]
    if parents and operation.verb != "find":
        nouns = dict.fromkeys(settled.tables[each].noun for each in parents)
        kinds.setdefault("NOT_FOUND", []).append(f"the {' or '.join(nouns)} does not exist")
    if same := [" and ".join(each).replace("_", " ") for each in breakable_uniques(operation, table)]:
        kinds["ALREADY_EXISTS"] = [f"another {table.noun} has the same {' or the same '.join(same)}"]
    if broken := [each for each in table.checks if any(True for _ in breaking(each, table, operation, written))]:
        kept = " and ".join(" ".join(each.split()) for each in broken)
    if operation.verb == "delete" and referring_tables(table, settled):
        nouns = dict.fromkeys(each.nouns for each in referring_tables(table, settled))
        kinds["FAILED_PRECONDITION"] = [f"{' or '.join(nouns)} still refer to it"]
    cases = {kind: f"if {', or '.join(each)}" for kind, each in kinds.items()}
    return {**cases, "FAILED_PRECONDITION": f"unless {kept}"} if broken else cases


def written_by(operation: Operation, table: SettledTable) -> set[str]:
    """The columns whose value a call may set."""
    if operation.verb not in ("create", "update", "set"):
        return set()
    written = {each.column for each in operation.parameters if each.role == "value" and each.column}
    written |= {*operation.constants}
    if any(each.role == "clear" for each in operation.parameters):
        written |= {*clearable(operation, table)}
    return written


def clearable(operation: Operation, table: SettledTable) -> list[str]:
    """The columns that an update can empty."""
    given = [each.column for each in operation.parameters if each.role == "value"]
    return [name for name, column in table.columns.items() if name in given and not column.required]


def is_free(operation: Operation) -> bool:
    """Whether a call need not say any value, so that it may say none."""
    values = [each for each in operation.parameters if each.role == "value"]
    return not operation.constants and not any(each.required for each in values)


def breakable_uniques(operation: Operation, table: SettledTable) -> list[tuple[str, ...]]:
    """The keys and uniques that a call can find taken."""
    written = written_by(operation, table)
    if operation.verb == "create":
        known = {name for name, column in table.columns.items() if column.default is not None or column.made == "clock"}
        keys = [] if table.counted else [table.key]
        return [each for each in [*keys, *table.uniques] if {*each} <= written | known and {*each} & written]
    return [each for each in table.uniques if {*each} & written and not {*table.key} <= {*each}]


def referring_tables(table: SettledTable, settled: Settled) -> list[SettledTable]:
    """The tables with a foreign key to a table."""
    return [
        each for each in settled.tables.values() if any(reference.table == table.name for reference in each.references)
    ]


def breaking(
    check: str, table: SettledTable, operation: Operation, written: set[str], row: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """Values of the written columns that a tool's own types let through and that break a check.

    The columns that are not written have the values of `row`, or any value.
    """
    try:
        tree = sqlglot.parse_one(check, dialect="sqlite")
    except SqlglotError:
        return
    names = list(dict.fromkeys(column.name for column in tree.find_all(exp.Column)))
    if not names or not written & {*names} or not {*names} <= table.columns.keys():
        return
    constants = [each.this if each.is_string else _number(each.this) for each in tree.find_all(exp.Literal)]
    choices = []
    for name in names:
        column = table.columns[name]
        if name not in written and row is not None:
            choices.append([row[name]])
        elif name not in written and operation.verb == "create":
            choices.append([column.default])
        else:
            choices.append([*_tried(column, constants, table, operation)])
    columns = ", ".join(f'? AS "{name}"' for name in names)
    with closing(sqlite3.connect(":memory:")) as connection:
        for values in islice(product(*choices), _MOST_TRIED):
            try:
                (broken,) = connection.execute(f"SELECT ({check}) IS 0 FROM (SELECT {columns})", values).fetchone()
            except sqlite3.Error:
                return
            if broken:
                yield {name: value for name, value in zip(names, values, strict=True) if name in written}


def _tried(column: SourceColumn, constants: list[Any], table: SettledTable, operation: Operation) -> Iterator[Any]:
    """Values that a parameter for this column takes."""
    match column.kind:
        case _ if column.choices:
            yield from column.choices
        case "boolean":
            yield from (0, 1)
        case "integer" | "real":
            numbers = [each for each in constants if isinstance(each, int | float)]
            near = {0, 1, 2, *(each + step for each in numbers for step in (-1, 0, 1)), *(-each for each in numbers)}
            near |= {-1}
            kind = int if column.kind == "integer" else float
            least, most = column.least, column.most
            yield from sorted(
                kind(each) for each in near if (least is None or each >= least) and (most is None or each <= most)
            )
        case "date":
            yield from (_EARLY, _LATE)
        case "timestamp":
            yield from (f"{_EARLY} 00:00:00", f"{_LATE} 00:00:00")
        case _:
            texts = [each for each in constants if isinstance(each, str)]
            is_needed = column.required and not has_blanks(table, column.name)
            tried = ["x", *texts, *([] if is_needed else [""]), "x" * min(column.longest or 400, 400)]
            yield from (each for each in tried if column.longest is None or len(each) <= column.longest)
    is_optional = operation.verb == "create" or any(each.role == "clear" for each in operation.parameters)
    if not column.required and is_optional:
        yield None


def _number(text: str) -> int | float:
    return float(text) if "." in text or "e" in text.lower() else int(text)
