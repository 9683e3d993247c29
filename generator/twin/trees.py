"""Read parts of statements that sqlglot has parsed: types and values of columns, conditions, keys, comments."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sqlglot import exp

from generator.twin.loading import number_of
from generator.twin.source import Kind, SourceColumn
from generator.twin.sql import Dialect

_BINARY = re.compile(r"BLOB|BINARY|BYTEA|IMAGE|GEOMETRY|GEOGRAPHY|\bPOINT|POLYGON|TSVECTOR|\bVECTOR|ROWVERSION", re.I)
_KINDS: tuple[
    tuple[str, Kind], ...
] = (  # by words in sqlglot's name of a type, or in a type that SQLite takes as it is
    ("BOOL", "boolean"),
    ("^(JSONB?|ARRAY|HSTORE|STRUCT|MAP|OBJECT|VARIANT)$", "json"),
    ("^ENUM|CHAR|CLOB|TEXT|STR|INTERVAL|RANGE|POINT", "text"),
    ("INT|SERIAL|^BIT$|^YEAR$", "integer"),
    ("REAL|FLOA|DOUB|NUM|DEC|MONEY|CURRENCY", "real"),
    ("DATETIME|TIMESTAMP", "timestamp"),
    ("DATE", "date"),
    ("TIME", "time"),
)
_TOLD = (  # what is lost by a type, by sqlglot's name and the source's
    ("^ARRAY", "Arrays, which are one JSON text"),
    ("^(JSON|HSTORE|STRUCT|MAP|OBJECT|VARIANT)", "JSON, which is one text whose parts nothing checks"),
    ("^(TIMESTAMP|DATETIME).*(TZ|OFFSET)", "Time zones, so that times are as written"),
    ("INTERVAL", "Intervals, which are plain text"),
    ("INET|CIDR|MACADDR|IPV[46]|IPADDRESS|IPPREFIX", "Addresses of networks, whose form is not checked"),
    ("RANGE", "Ranges, which are plain text"),
    ("XML", "XML, which is plain text"),
    ("CITEXT", "citext, so that values are compared exactly"),
    ("^(BIT|VARBIT)", "Bit strings, which are plain text"),
    (r"^SET\b", "SET columns, which hold their values as one text"),
)
_NOW = re.compile(r"now\b|current_?(date|time)|getdate|sysdate|localtime|statement_timestamp|'now'|julianday", re.I)
_UUID = re.compile(r"uuid|newid|randomblob|gen_random|nanoid|ulid|cuid", re.IGNORECASE)


def set_type(column: SourceColumn, given: exp.Expression, dialect: Dialect) -> tuple[bool, str]:
    """Set what a column of a built-in type holds; return whether a twin can hold it, and what is lost by it."""
    raw = given.sql(dialect=dialect)
    name = given.this.value.upper() if type(given) is exp.DataType else raw.upper()
    is_own = name in ("USERDEFINED", "USER-DEFINED")
    sizes = [int(each.name) for each in given.expressions if each.name.isdigit()]
    words = name if not is_own else raw.upper() if dialect == "sqlite" else ""
    kind: Kind = next((kind for mark, kind in _KINDS if re.search(mark, words)), "text")
    if _BINARY.search(raw) and kind != "json":
        return False, ""
    if dialect in ("mysql", "tsql") and raw.upper() in ("TINYINT(1)", "BIT", "BIT(1)"):
        kind = "boolean"
    elif name == "BIT" and dialect == "postgres":
        kind = "text"
    elif "DECIMAL" in name and sizes and sizes[1:] in ([], [0]):
        kind = "integer"
    column.kind = kind
    if kind == "integer":
        column.least = 0 if name[0] == "U" and not is_own else None
        column.made = "counter" if "SERIAL" in name else ""
    elif kind == "real":
        column.decimals = sizes[1] if len(sizes) == 2 else 2 if "MONEY" in name else None
    elif name == "ENUM":
        column.choices = tuple(each.name for each in given.expressions)
    elif name in ("UUID", "UNIQUEIDENTIFIER"):
        column.longest, column.form = 36, "uuid"
    elif kind == "text" and ("CHAR" in name or (is_own and dialect == "sqlite")):
        column.longest = sizes[0] if sizes and sizes[0] <= 10_000 else None
    if "DECIMAL" in name and sizes:
        column.digits = sizes[0] if kind == "integer" or sizes[1:] else None
    told = next((why for mark, why in _TOLD if re.search(mark, f"{name} {raw}".upper())), "")
    if is_own and not told and dialect != "sqlite":
        told = f"Columns of the type {raw}, as text"
    return True, told if kind in ("text", "json", "timestamp") else ""


def plain(value: Any, column: SourceColumn, *, is_array: bool = False) -> Any:
    """Return a value as its column's kind says it, however the source wrote it; it stays if it does not fit."""
    if isinstance(value, Decimal):
        value = number_of(format(value, "f"))
    elif isinstance(value, bool):
        value = int(value)
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

    def told(found: re.Match[str]) -> str:
        if found[2] or found[3] == "NULL":
            return {"{": "[", "}": "]", ",": ", "}.get(found[2], "null")
        value = re.sub(r"\\(.)", r"\1", found[1]) if found[3] is None else plain_number(found[3])
        return json.dumps(value, ensure_ascii=False)

    return re.sub(r'"((?:[^"\\]|\\.)*)"|([{},])|([^{},"]+)', told, text)


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


_UNREAD: dict[Dialect, tuple[tuple[str, str], ...]] = {  # what sqlglot does not read, and what stands for it
    "mysql": (
        (r"\)([^()]*)\s+PARTITION\s+BY.*$", r")\1"),
        (r"\b(float|real|double|decimal|numeric)(\s*\([^)]*\))?\s+unsigned", r"\1\2"),
        (r"\bSRID\s+\d+", ""),
    ),
    "postgres": ((r"\bWITHOUT\s+OVERLAPS\b", ""), (r"\)\s+VIRTUAL\b", ") STORED")),
    "sqlite": (
        (r"\bBLOB\s+SUB_TYPE\s+TEXT\b", "TEXT"),
        (r"([\w\"\]`]\s+(?:UNSIGNED|LONG|NATIVE|VARYING|BIG))\s+(?=(?:BIG\s+)?(?:INT|CHARACTER|VARCHAR|TEXT))", r"\1_"),
        (r"(_BIG)\s+(?=INT)", r"\1_"),
        (r"\)\s*(?:(?:STRICT|WITHOUT\s+ROWID)\s*,?\s*)+$", ")"),
    ),
    "tsql": ((r"\b(?:NON)?CLUSTERED\b|\bASC(?=\s*[,)])", ""),),
}


def cured(sql: str, dialect: Dialect) -> str:
    """Return a CREATE TABLE without what sqlglot does not read."""
    for unread, instead in _UNREAD[dialect]:
        sql = re.sub(unread, instead, sql, flags=re.IGNORECASE | re.DOTALL)
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
