"""Convert a source's rows to what a twin's tables hold, and load those that fit together; the others are counted."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import count
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.twin.source import Kind, SettledTable, SourceColumn
from generator.twin.words import referring
from runtime.domain.schema import Schema
from runtime.sandbox.sqlite import open_memory
from runtime.wording import counted

MOST_ROWS = 2_000  # of a table, beside those that they refer to
_LONGEST = 1_000  # characters of a text that a row keeps
_SAMPLED = 1_000  # values of a column that say of what kind it is
_MOST_MISFITS = 0.05  # of a column's values, before the column is taken to be text
_MOST_EXACT = 2**53  # the integers that JSON keeps everywhere
_MOST_DIGITS = 15  # of a decimal that a REAL keeps
_START, _UNDATED = "09:00:00", "2026-03-15"
_FLAGS = {"t": 1, "true": 1, "y": 1, "yes": 1, "on": 1, "f": 0, "false": 0, "n": 0, "no": 0, "off": 0}
_ONE_DIGIT = re.compile(r"(?<![\d.])(?=\d(?!\d))")  # of a month, a day or an hour
_PLAIN = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_COMMA = re.compile(r"[+-]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+),\d+|[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")  # 1,234 is less than two, or more than a thousand
_SPACED = re.compile(r"[+-]?0\d+|[+-]?\d+(?:[ \u00a0]\d+)+")
_SIGNED = re.compile(r"\s*([+-]?)\s*[$€£¥]?\s*(.*?)\s*[$€£¥]?\s*", re.DOTALL)


def convert(value: Any, column: SourceColumn) -> int | float | str | None:
    """Return a value as its column holds it in the twin; errors: ValueError, ArithmeticError."""
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if value is None or (column.kind in ("date", "timestamp") and str(value).startswith("0000-00-00")):
        return None  # the second is MySQL's way to say that there is none
    match column.kind:
        case "integer" | "boolean" | "real":
            return _number(value, column)
        case "json":
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        case "date":
            return str(_moment(value).date())
        case "timestamp":
            return str(_moment(value).replace(microsecond=0, tzinfo=None))
        case "time":
            return str(_moment(f"2000-01-01 {value}").time().replace(microsecond=0))
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return text.replace("\0", "").encode(errors="replace").decode().rstrip()


def _moment(value: Any) -> datetime:
    text = str(value).strip().replace("/", "-").removesuffix(" UTC")
    return datetime.fromisoformat(re.sub(r"\s+(?=[+-])", "", _ONE_DIGIT.sub("0", text)))


def _number(value: Any, column: SourceColumn) -> int | float:
    if isinstance(value, str):
        is_flag = column.kind == "boolean" and value.lower() in _FLAGS
        value = _FLAGS[value.lower()] if is_flag else Decimal(_plain(value))
    elif not isinstance(value, int | float):
        raise ValueError("no number")
    number = Decimal(str(value) if isinstance(value, float) else value)
    if not number.is_finite() or (column.kind == "boolean" and number not in (0, 1)):
        raise ValueError("no such number")
    if column.kind == "real":
        if column.decimals is not None and column.decimals < 10 and abs(number) < 10**_MOST_DIGITS:
            number = number.quantize(Decimal(1).scaleb(-column.decimals), ROUND_HALF_UP)
        return float(number)
    if number != int(number) or not -(2**63) <= number < 2**63:
        raise ValueError("not a whole number")
    return int(number)


def _plain(text: str) -> str:
    """Return a number without the marks with which people write it; leading zeros and blanks inside make none."""
    sign, number = found.groups() if (found := _SIGNED.fullmatch(text)) else ("", text)
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    elif _COMMA.fullmatch(number):
        number = number.replace(".", "").replace(",", ".")
    if not _PLAIN.fullmatch(number):
        raise ValueError("no number")
    return str(sign + number)


def _misfits(value: Any, column: SourceColumn) -> bool:
    try:
        convert(value, column)
    except (ValueError, ArithmeticError):
        return True
    return False


def latest_time(tables: Iterable[SettledTable]) -> str:
    """Return the morning after the latest time in the rows that is not in the future; a fixed one if there is none."""
    today = date.today()
    days = (
        str(convert(row.get(column.name), column) or "")[:10]
        for table in tables
        for column in table.columns.values()
        if column.kind in ("date", "timestamp")
        for row in table.rows
        if not _misfits(row.get(column.name), column)
    )
    latest = max((day for day in days if day <= str(today)), default="") or _UNDATED
    return f"{date.fromisoformat(latest) + timedelta(1)} {_START}"


def cut_rows(tables: Mapping[str, SettledTable]) -> None:
    """Keep some rows of each long table, and those that they refer to."""
    long = {name: len(table.rows) for name, table in tables.items() if len(table.rows) > 2 * MOST_ROWS}
    places = {
        key: {tuple(row.get(name) for name in key.theirs): at for at, row in enumerate(tables[key.table].rows)}
        for table in tables.values()
        for key in table.references
        if key.table in long
    }
    kept = {name: set(range(0, many, 1 + (many - 1) // MOST_ROWS)) for name, many in long.items()}
    pending = [(name, at) for name, table in tables.items() for at in kept.get(name, range(len(table.rows)))]
    while pending:
        name, at = pending.pop()
        for key in tables[name].references:
            held = tuple(tables[name].rows[at].get(column) for column in key.columns)
            parent = places.get(key, {}).get(held)
            if parent is not None and parent not in kept[key.table]:
                kept[key.table].add(parent)
                pending.append((key.table, parent))
    for name, many in long.items():
        table = tables[name]
        table.rows = [table.rows[at] for at in sorted(kept[name])]
        table.account.rows[table.said].left_out["only some of a long table are taken"] += many - len(table.rows)


# Kinds


def fit_kinds(tables: Mapping[str, SettledTable]) -> None:
    """Take a column for what its rows hold, whatever it was declared as; a key and its references stay of one type."""
    now_text: list[tuple[str, str]] = []
    for table in tables.values():
        keys = {*table.key, *referring(table)}
        for column in table.columns.values():
            values = [value for row in table.rows if (value := row.get(column.name)) is not None]
            if column.kind == "text":
                _fit_text(table, column, values)
                continue
            if column.kind == "real" and column.name in keys:
                column.kind = "integer"
                table.change(column.name, "Columns of a key that are integer in the twin, since keys are exact")
            kind, why = _kind_held(column, [each for each in values if str(each).strip()], table.checks)
            kind = "text" if kind == "real" and column.name in keys else kind
            if kind != column.kind:
                _retype(table, column, kind, why)
                now_text += [(table.name, column.name)] if kind == "text" else []
            elif column.kind in ("integer", "real"):
                _bound(table, column, values)
                if any(isinstance(each, str) and not _PLAIN.fullmatch(each.strip()) for each in values):
                    why = "Columns whose numbers are given as people write them, such as $1,234.50 or 12,50"
                    table.change(column.name, why)
    links = [
        ((table.name, mine), (key.table, theirs))
        for table in tables.values()
        for key in table.references
        for mine, theirs in zip(key.columns, key.theirs, strict=False)
    ]
    links += [(theirs, mine) for mine, theirs in links]
    for place in now_text:  # grows
        for name, other in (there for here, there in links if here == place):
            linked = tables[name].columns.get(other)
            if linked and linked.kind in ("integer", "real"):
                _retype(tables[name], linked, "text", "as what they refer to or are referred to by is")
                now_text.append((name, other))


def _kind_held(column: SourceColumn, values: Sequence[Any], checks: Sequence[str]) -> tuple[Kind, str]:
    """Return of what kind the values of a column are, and why if that is another than was declared."""
    whole, real = SourceColumn(column.name, "integer"), SourceColumn(column.name, "real")
    if column.kind == "boolean":
        others = [each for each in (*values, column.default, *_compared(column.name, checks)) if _misfits(each, column)]
        if others and not any(_misfits(each, whole) for each in others):
            return "integer", "since they hold more than 0 and 1"
    if column.kind in ("integer", "real"):
        texts = [each.strip() for each in values if isinstance(each, str)]
        whole_numbers = [int(each) for each in map(str, values) if re.fullmatch(r"[+-]?\d+", each)]
        if column.kind == "integer" and any(abs(each) > _MOST_EXACT for each in whole_numbers):
            return "text", "since they hold integers beyond 2^53, which many programs round"
        if any(map(_SPACED.fullmatch, texts)):
            return "text", "since they hold numbers with zeros in front or blanks inside"
        is_comma = any(_COMMA.fullmatch(each) and not _THOUSANDS.fullmatch(each) for each in texts)
        if is_comma and any(map(_EITHER.fullmatch, texts)):
            return "text", "since a comma or point in their numbers may mean either of two things"
    sampled = values[:: 1 + len(values) // _SAMPLED]
    if sum(_misfits(value, column) for value in sampled) <= _MOST_MISFITS * len(sampled):
        return column.kind, ""
    is_number = column.kind in ("integer", "boolean") and not any(_misfits(each, real) for each in sampled)
    return "real" if is_number else "text", "as their rows are"


def _retype(table: SettledTable, column: SourceColumn, kind: Kind, why: str) -> None:
    """Give a column another kind, and drop what is said of its numbers alone."""
    table.change(column.name, f"Columns that are {kind} in the twin, {why}")
    column.kind, column.least, column.most, column.digits = kind, None, None, None
    for check in table.checks:
        if kind == "text" and any(_compared(column.name, [check])):
            table.lose_check(check, "CHECKs of numbers in columns that are text in the twin")


def _compared(name: str, checks: Iterable[str]) -> Iterator[str]:
    """Yield the numbers with which conditions compare a column."""
    for check in checks:
        try:
            tree = sqlglot.parse_one(check, read="sqlite")
        except SqlglotError:
            continue
        for node in tree.find_all(exp.Predicate):
            parts = [node.this, node.args.get("expression")]
            if any(isinstance(each, exp.Expression) and each.unnest().name == name for each in parts):
                yield from (each.name for each in node.find_all(exp.Literal) if not each.is_string)


def _bound(table: SettledTable, column: SourceColumn, values: Iterable[Any]) -> None:
    """Set the least and the greatest value that the digits of a DECIMAL leave space for."""
    if column.digits is None or column.digits > _MOST_DIGITS or (column.kind == "real" and column.decimals is None):
        return
    decimals = column.decimals or 0
    most = float(10 ** (column.digits - decimals)) - 10.0**-decimals
    if any(abs(float(convert(each, column) or 0)) > most for each in values if not _misfits(each, column)):
        table.change(column.name, "Columns with greater numbers than their digits leave room for")
    else:
        column.least = -most if column.least is None else column.least
        column.most = most if column.most is None else column.most


def _fit_text(table: SettledTable, column: SourceColumn, values: Iterable[Any]) -> None:
    """Let a column be as long as its texts are, and be NULL where they are empty."""
    lengths = {len(str(value).rstrip()) for value in values}
    if column.longest is not None and max(lengths, default=0) > column.longest:
        column.longest = None
        table.change(column.name, "Columns whose rows hold longer texts than they may")
    if (column.default == "" or 0 in lengths) and column.name not in table.key:
        column.default, column.required = column.default or None, False
        table.change(column.name, "Columns whose empty text is NULL in the twin")


# Loading


def convert_rows(table: SettledTable, clock: str) -> None:
    """Make the rows of a table complete; a value that does not convert is NULL, or its row is left out."""
    noted: Counter[tuple[str, str]] = Counter()
    keys = {str(row.get(table.key[0])) for row in table.rows} if table.counted else set()
    numbers = count(1 + max((int(each) for each in keys if each.isdigit()), default=0))
    given, table.rows = table.rows, []
    for old in given:
        row: dict[str, Any] = {}
        for name, column in table.columns.items():
            row[name], lost = _held(old.get(name, column.default), column, table)
            if lost and name in old:
                noted[name, lost] += 1
            if row[name] is None and column.made == "clock" and (column.required or name not in old):
                row[name] = convert(clock, column)
            elif row[name] is None and table.counted and name in table.key:
                number = next(numbers)
                row[name] = number if column.kind == "integer" else f"{table.name.upper()}-{number:04d}"
        missing = [name for name, column in table.columns.items() if column.required and row[name] is None]
        if missing:
            table.account.rows[table.said].left_out[f"{missing[0]} is missing"] += 1
        else:
            table.rows.append(row)
    for (name, why), many in noted.items():
        table.change(name, f"{counted(many, 'value')} {why}")


def _held(given: Any, column: SourceColumn, table: SettledTable) -> tuple[Any, str]:
    """Return a value as the twin holds it, and what it loses by that."""
    try:
        held = convert(given, column)
    except (ValueError, ArithmeticError):
        what = f"not valid as {column.kind}" if str(given).strip() else "left empty"
        is_clock = column.made == "clock" and column.required
        return None, f"{what}, {'the time of the clock' if is_clock else 'NULL'} in the twin"
    if isinstance(held, str) and len(held) > _LONGEST and column.name not in table.key:
        is_json, many = column.kind == "json", f"of more than {_LONGEST:,} characters"
        return (None, f"{many}, NULL in the twin") if is_json else (held[:_LONGEST].rstrip(), f"{many}, shortened")
    lost = "" if held is None or isinstance(given, bytes) else _dropped(given, held, column)
    return (None if held == "" and not column.required else held), lost


def _dropped(given: Any, held: Any, column: SourceColumn) -> str:
    """Return what a value loses where it is converted, if it does."""
    if column.kind == "real":
        number = _plain(given) if isinstance(given, str) else given
        return f"rounded to {column.decimals} decimals" if abs(float(number) - held) > 1e-9 * abs(held) else ""
    if column.kind in ("date", "timestamp"):
        moment = _moment(given)
        if column.kind == "date" and (moment.hour or moment.minute or moment.second):
            return "whose time of day is left out"
        if moment.microsecond or moment.utcoffset():
            return "whose time zone or fractions of a second are left out"
    if column.kind == "text" and isinstance(given, str) and held and len(given) > len(held):
        return "whose blanks at the end are left out"
    return ""


def broken_checks(table: SettledTable, sql: str) -> list[str]:
    """Return the conditions that given rows break, so that they cannot mean what the source means."""
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for row in table.rows if table.checks else []:
            _insert(connection, table, row)
        query = f"SELECT count(*) FROM {table.name} WHERE NOT ({{}})"
        return [check for check in table.checks if connection.execute(query.format(check)).fetchone()[0]]


def load_rows(tables: Mapping[str, SettledTable], sql: str) -> None:
    """Leave out rows that do not load together, and say how many do not, and why."""
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        for table in tables.values():
            faults = [_insert(connection, table, row) for row in table.rows]
            table.account.rows[table.said].left_out.update(each for each in faults if each)
            table.rows = [row for row, fault in zip(table.rows, faults, strict=True) if not fault]
    while sum(_drop_orphans(table, tables) for table in tables.values()):
        pass
    for table in tables.values():
        table.account.rows[table.said].kept = len(table.rows)


def _insert(connection: sqlite3.Connection, table: SettledTable, row: Mapping[str, Any]) -> str:
    """Insert a row; return what SQLite says against it, or nothing."""
    marks = ", ".join("?" * len(row))
    try:
        connection.execute(f"INSERT INTO {table.name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    except (sqlite3.Error, OverflowError) as error:
        return str(error).replace(f"{table.name}.", "")
    return ""


def _drop_orphans(table: SettledTable, tables: Mapping[str, SettledTable]) -> int:
    """Set references to missing rows to NULL, or leave their rows out; return how many are left out."""
    many = len(table.rows)
    for key in table.references:
        parent = tables[key.table]
        known = {tuple(row[name] for name in key.theirs) for row in parent.rows}
        held = [tuple(row[name] for name in key.columns) for row in table.rows]
        orphans = [None not in each and each not in known for each in held]
        free = next((name for name in key.columns if not table.columns[name].required), None)
        if free and any(orphans):
            what = counted(sum(orphans), "value")
            table.change(free, f"{what} naming a missing row of {parent.said}, NULL in the twin")
            for row, is_orphan in zip(table.rows, orphans, strict=True):
                row[free] = None if is_orphan else row[free]
        elif any(orphans):
            why = f"{', '.join(key.columns)} names a missing row of {parent.said}"
            table.account.rows[table.said].left_out[why] += sum(orphans)
            table.rows = [row for row, is_orphan in zip(table.rows, orphans, strict=True) if not is_orphan]
    return many - len(table.rows)
