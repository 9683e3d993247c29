"""Read parts of statements that sqlglot has parsed: types and values of columns, conditions, keys, comments."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from typing import Any

from sqlglot import exp

from generator.twin.loading import number_of
from generator.twin.source import Kind, SourceColumn
from generator.twin.sql import Dialect
from generator.twin.words import word_set

_INTEGERS = word_set(
    "TINYINT SMALLINT MEDIUMINT INT BIGINT INT128 UTINYINT USMALLINT UMEDIUMINT UINT UBIGINT SERIAL SMALLSERIAL "
    "BIGSERIAL BIT YEAR"
)
_REALS = word_set("FLOAT DOUBLE DECIMAL UDECIMAL UDOUBLE MONEY SMALLMONEY BIGDECIMAL")
_NESTED = word_set("JSON JSONB ARRAY HSTORE STRUCT MAP OBJECT VARIANT")
_BINARY = re.compile(
    r"BLOB|BINARY|BYTEA|IMAGE|GEOMETRY|GEOGRAPHY|\bPOINT|POLYGON|TSVECTOR|\bVECTOR|ROWVERSION", re.IGNORECASE
)
_BY_WORD: tuple[tuple[str, Kind], ...] = (  # the type of a column whose name of a type SQLite takes as it stands
    ("INT", "integer"),
    ("BOOL", "boolean"),
    ("CHAR|CLOB|TEXT|STR", "text"),
    ("REAL|FLOA|DOUB|NUM|DEC|MONEY|CURRENCY", "real"),
    ("DATETIME|TIMESTAMP", "timestamp"),
    ("DATE", "date"),
    ("TIME", "time"),
)
_NOW = re.compile(
    r"now\b|current_?(date|time)|getdate|sysdate|localtime|statement_timestamp|'now'|julianday", re.IGNORECASE
)
_UUID = re.compile(r"uuid|newid|randomblob|gen_random|nanoid|ulid|cuid", re.IGNORECASE)


_TEXTS = (  # types whose form nothing checks, and why they are listed
    ("INTERVAL", "Intervals, which are plain text"),
    ("INET|CIDR|MACADDR|IPV[46]|IPADDRESS|IPPREFIX", "Addresses of networks, whose form is not checked"),
    ("RANGE", "Ranges, which are plain text"),
    ("XML", "XML, which is plain text"),
    ("CITEXT", "citext, so that values are compared exactly"),
    (r"^BIT|^VARBIT", "Bit strings, which are plain text"),
    (r"^SET\b", "SET columns, which hold their values as one text"),
)


def set_type(column: SourceColumn, given: exp.Expression, dialect: Dialect) -> tuple[bool, str]:
    """Set what a column of a built-in type holds; return whether a twin can hold it, and what is lost by it."""
    raw = given.sql(dialect=dialect)
    name = given.this.value.upper() if type(given) is exp.DataType else raw.upper()
    if _BINARY.search(raw) and name not in _NESTED:
        return False, ""
    sizes = [int(each.name) for each in given.expressions if each.name.isdigit()]
    is_flag = dialect in ("mysql", "tsql") and raw.upper() in ("TINYINT(1)", "BIT", "BIT(1)")
    if name == "BOOLEAN" or is_flag:
        column.kind = "boolean"
    elif name == "BIT" and dialect == "postgres":
        column.kind = "text"
    elif name in _INTEGERS or ("DECIMAL" in name and sizes and sizes[1:] in ([], [0])):
        column.kind = "integer"
        column.least = 0 if name[0] == "U" else None
        column.made = "counter" if "SERIAL" in name else ""
        column.digits = sizes[0] if sizes and "DECIMAL" in name else None
    elif name in _REALS:
        column.kind = "real"
        column.decimals = sizes[1] if len(sizes) == 2 else 2 if "MONEY" in name else None
        column.digits = sizes[0] if len(sizes) == 2 and "DECIMAL" in name else None
    elif name in _NESTED:
        column.kind = "json"
        is_array = name == "ARRAY"
        return (
            True,
            "Arrays, which are one JSON text" if is_array else "JSON, which is one text whose parts nothing checks",
        )
    elif name.startswith(("TIMESTAMP", "DATETIME", "SMALLDATETIME")):
        column.kind = "timestamp"
        if name.endswith("TZ") or "OFFSET" in name:
            return True, "Time zones, so that times are as written"
    elif name in ("DATE", "DATE32"):
        column.kind = "date"
    elif name in ("TIME", "TIMETZ"):
        column.kind = "time"
    elif name == "ENUM":
        column.choices = tuple(each.name for each in given.expressions)
    elif "CHAR" in name:
        column.longest = sizes[0] if sizes and sizes[0] <= 10_000 else None
    elif name in ("UUID", "UNIQUEIDENTIFIER"):
        column.longest, column.form = 36, "uuid"
    elif name in ("USERDEFINED", "USER-DEFINED") and dialect == "sqlite":
        column.kind = next((kind for words, kind in _BY_WORD if re.search(words, raw, re.IGNORECASE)), "text")
        if column.kind == "text" and sizes:
            column.longest = sizes[0]
        return True, ""
    told = next((why for words, why in _TEXTS if re.search(words, f"{name} {raw}".upper())), "")
    is_own = name in ("USERDEFINED", "USER-DEFINED") and not told and dialect != "sqlite"
    return (
        True,
        told if column.kind == "text" and not is_own else f"Columns of the type {raw}, as text" if is_own else "",
    )


def plain(value: Any, column: SourceColumn, *, is_array: bool = False) -> Any:
    """Return a value as its column's kind says it, however the source wrote it; it stays if it does not fit."""
    if isinstance(value, Decimal):
        value = number_of(format(value, "f"))
    elif isinstance(value, bool):
        value = int(value)
    elif isinstance(value, memoryview | bytearray):
        value = bytes(value)
    elif value is not None and not isinstance(value, int | float | str | bytes):
        value = str(value)
    if isinstance(value, bytes) and column.kind in ("boolean", "integer") and len(value) <= 8:  # bits of MySQL
        return int.from_bytes(value, "big")
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    if not isinstance(value, str):
        return value
    if column.kind == "boolean":
        return {"t": 1, "true": 1, "f": 0, "false": 0, "\x01": 1, "\0": 0}.get(value.lower(), plain_number(value))
    if column.kind in ("integer", "real"):
        return plain_number(value)
    return _array_json(value) if is_array and value.startswith("{") else value


def plain_number(text: str) -> int | float | str:
    """Return a number that is written plainly; a text such as 007 or 1,50 stays."""
    return number_of(text) if re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", text) else text


def _array_json(text: str) -> str:
    """Return PostgreSQL's {a,"b c",NULL} as JSON."""
    parts = []
    for found in re.finditer(r'"((?:[^"\\]|\\.)*)"|([{},])|([^{},"]+)', text):
        if found[2]:
            parts.append({"{": "[", "}": "]", ",": ", "}[found[2]])
        elif found[3] is not None:
            number = plain_number(found[3])
            parts.append("null" if found[3] == "NULL" else json.dumps(number, ensure_ascii=False))
        else:
            parts.append(json.dumps(re.sub(r"\\(.)", r"\1", found[1]), ensure_ascii=False))
    return "".join(parts)


def sequences_in(default: exp.Expression) -> list[str]:
    """Return the sequences that a default counts by."""
    if "NEXTVAL" not in default.sql().upper():
        return []
    return [each.name for each in default.find_all(exp.Literal)]


def set_default(column: SourceColumn, given: exp.Expression) -> str:
    """Set a column's default, or what makes its value; return the SQL of a default that is neither."""
    value = given
    while isinstance(value, exp.Cast | exp.Paren):
        value = value.this
    text = value.sql(dialect="sqlite")
    if sequences_in(value) or _UUID.search(text):
        column.made = "counter"
    elif column.kind in ("date", "timestamp", "time") and _NOW.search(text):
        column.made, column.may_be_given = "clock", True
    elif isinstance(value, exp.Literal):
        column.default = value.name if value.is_string else _number(value.name)
    elif isinstance(value, exp.Neg) and isinstance(value.this, exp.Literal):
        column.default = -_number(value.this.name)
    elif isinstance(value, exp.Boolean):
        column.default = int(value.this)
    elif isinstance(value, exp.National | exp.ByteString | exp.BitString):
        column.default = int(value.name, 2) if isinstance(value, exp.BitString) else value.name
    elif isinstance(value, exp.Column) and not value.table:  # "words" as SQLite and MySQL take them
        column.default = value.name
    elif not isinstance(value, exp.Null):
        return text
    return ""


def cured(sql: str, dialect: Dialect) -> str:
    """Return a CREATE TABLE without what sqlglot does not read."""
    if dialect == "mysql":
        sql = re.sub(r"\)([^()]*)\s+PARTITION\s+BY.*$", r")\1", sql, flags=re.IGNORECASE | re.DOTALL)
        sql = re.sub(
            r"\b(float|real|double|decimal|numeric)(\s*\([^)]*\))?\s+unsigned", r"\1\2", sql, flags=re.IGNORECASE
        )
        return re.sub(r"\bSRID\s+\d+", "", sql, flags=re.IGNORECASE)
    if dialect == "postgres":
        sql = re.sub(r"\bWITHOUT\s+OVERLAPS\b", "", sql, flags=re.IGNORECASE)
        return re.sub(r"\)\s+VIRTUAL\b", ") STORED", sql, flags=re.IGNORECASE)
    if dialect == "sqlite":
        sql = _one_word(re.sub(r"\bBLOB\s+SUB_TYPE\s+TEXT\b", "TEXT", sql, flags=re.IGNORECASE))
        return re.sub(r"\)\s*(?:(?:STRICT|WITHOUT\s+ROWID)\s*,?\s*)+$", ")", sql, flags=re.IGNORECASE)
    return re.sub(r"\b(?:NON)?CLUSTERED\b|\bASC(?=\s*[,)])", "", sql, flags=re.IGNORECASE)


def _one_word(sql: str) -> str:
    """Write a type of several words, which SQLite allows, as one, as SQLite itself reads it: UNSIGNED_BIG_INT."""
    with closing(sqlite3.connect(":memory:")) as engine:
        try:
            engine.execute(sql)
            (name,) = engine.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchone()
            types = [each for (each,) in engine.execute("SELECT type FROM pragma_table_xinfo(?)", (name,))]
        except (sqlite3.Error, TypeError):
            return sql
    for given in {each.partition("(")[0].strip() for each in types}:
        if " " in given and "GENERATED" not in given.upper():
            words = r"\s+".join(map(re.escape, given.split()))
            sql = re.sub(rf"\b{words}\b", "_".join(given.split()), sql)
    return sql


def columns_of(parts: Sequence[exp.Expression | None]) -> list[str] | None:
    """Return the columns that a key or index names; None if one of them is an expression."""
    names = []
    for part in parts:
        while isinstance(part, exp.Ordered | exp.Paren | exp.ColumnPrefix):
            part = part.this
        if not isinstance(part, exp.Column | exp.Identifier):
            return None
        names.append(part.name)
    return names


def in_sqlite(check: exp.Expression) -> str:
    """Return a condition in SQLite's SQL, without casts and `= ANY (ARRAY[...])`."""

    def as_list(node: exp.Expression) -> exp.Expression:
        anything = node.expression if isinstance(node, exp.EQ) else None
        found = anything.find(exp.Array) if isinstance(anything, exp.Any) else None
        return exp.In(this=node.this, expressions=found.expressions) if found else node

    tree: exp.Expression = exp.Paren(this=check.copy())
    while cast := tree.find(exp.Cast):
        cast.replace(cast.this)
    tree = tree.transform(as_list)
    while isinstance(tree, exp.Paren):
        tree = tree.this
    for column in tree.find_all(exp.Column):
        column.set("table", None)
    return tree.sql(dialect="sqlite", comments=False)


def comment_at(part: exp.Expression) -> str:
    return next((" ".join(each.split()) for node in part.walk() for each in node.comments or ()), "")


def _number(text: str) -> int | float:
    return int(text) if text.isdigit() else float(text)
