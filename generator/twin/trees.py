"""Read parts of statements that sqlglot has parsed: types of columns, conditions, the columns of a key, comments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

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


def set_plain_type(column: SourceColumn, given: exp.Expression, name: str, dialect: Dialect) -> bool:
    """Set what a column of a built-in type holds; false if it is nothing that a twin can hold."""
    raw = given.sql(dialect=dialect)
    if _BINARY.search(raw) and name not in _NESTED:
        return False
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
    elif name in _REALS:
        column.kind = "real"
        column.decimals = sizes[1] if len(sizes) == 2 else 2 if "MONEY" in name else None
    elif name in _NESTED:
        column.kind = "json"
    elif name.startswith(("TIMESTAMP", "DATETIME", "SMALLDATETIME")):
        column.kind = "timestamp"
    elif name in ("DATE", "DATE32"):
        column.kind = "date"
    elif name in ("TIME", "TIMETZ"):
        column.kind = "time"
    elif name == "ENUM":
        column.choices = tuple(each.name for each in given.expressions)
    elif "CHAR" in name:
        column.longest = sizes[0] if sizes and sizes[0] <= 10_000 else None
    elif name == "UUID":
        column.longest = 36
    elif name == "USERDEFINED" and dialect == "sqlite":
        column.kind = next((kind for words, kind in _BY_WORD if re.search(words, raw, re.IGNORECASE)), "text")
    return True


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
        column.made = "clock"
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
        sql = re.sub(r"\bBLOB\s+SUB_TYPE\s+TEXT\b", "TEXT", sql, flags=re.IGNORECASE)
        return re.sub(r"\)\s*(?:(?:STRICT|WITHOUT\s+ROWID)\s*,?\s*)+$", ")", sql, flags=re.IGNORECASE)
    return re.sub(r"\b(?:NON)?CLUSTERED\b", "", sql, flags=re.IGNORECASE)


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
