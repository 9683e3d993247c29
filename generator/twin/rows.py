"""Convert a source's rows to what a twin's tables hold, and load those that fit together; the others are counted."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.twin.account import Account
from generator.twin.settled import SettledTable
from generator.twin.source import SourceColumn
from runtime.domain.schema import Schema
from runtime.sandbox.sqlite import open_memory
from runtime.wording import counted

MOST_ROWS = 2_000  # of a table, beside those that they refer to
_LONGEST = 1_000  # characters of a text that a row keeps
_SAMPLED = 1_000  # values of a column that say of what kind it is
_MOST_MISFITS = 0.05  # of a column's values, before the column is taken to be text
_MOST_EXACT = 2**53  # the integers that JSON keeps everywhere
_MOST_DIGITS = 15  # of a decimal that a REAL keeps
_START = "09:00:00"
_MOMENT = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d))?(\.\d+)?\s*(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?"
)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?: (\d\d):(\d\d):(\d\d))?()()")
_TIME = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?")
_FLAGS = {
    **dict.fromkeys(("t", "true", "y", "yes", "on", "\x01"), 1),
    **dict.fromkeys(("f", "false", "n", "no", "off", "\0"), 0),
}
_PLAIN = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_COMMA = re.compile(r"[+-]?(?:0|[1-9]\d*|[1-9]\d{0,2}(?:\.\d{3})+),\d+|[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}")
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")  # 1,234 is less than two, or more than a thousand
_SIGNED = re.compile(r"\s*([+-]?)\s*[$€£¥]?\s*(.*?)\s*[$€£¥]?\s*", re.DOTALL)


def convert(value: Any, column: SourceColumn) -> int | float | str | None:
    """Return a value as its column holds it in the twin; errors: ValueError."""
    if value is None:
        return None
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    match column.kind:
        case "integer" | "boolean" | "real":
            return _number(value, column)
        case "json":
            return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        case "date" | "timestamp":
            if str(value).startswith("0000-00-00"):  # MySQL's way to say that there is none
                return None
            moment = datetime(*(int(part or 0) for part in _moment(value).groups()[:6]))  # type: ignore[arg-type]
            return str(moment.date()) if column.kind == "date" else str(moment)
        case "time":
            found = _TIME.match(str(value))
            if found is None:
                raise ValueError("no time")
            return f"{int(found[1]):02d}:{found[2]}:{found[3] or '00'}"
    text = str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
    return text.replace("\0", "").encode(errors="replace").decode().rstrip()


def _moment(value: Any) -> re.Match[str]:
    text = str(value).strip()
    if (found := _MOMENT.fullmatch(text) or _COMPACT.fullmatch(text)) is None:
        raise ValueError("no date")
    return found


def _number(value: Any, column: SourceColumn) -> int | float:
    if isinstance(value, str):
        is_flag = column.kind == "boolean" or value in ("\0", "\x01")
        value = _FLAGS[value.lower()] if is_flag and value.lower() in _FLAGS else Decimal(_plain(value))
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
    found = _SIGNED.fullmatch(text)
    sign, number = (found[1], found[2]) if found else ("", text)
    if _THOUSANDS.fullmatch(number):
        number = number.replace(",", "")
    elif _COMMA.fullmatch(number):
        number = number.replace(".", "").replace(",", ".")
    if not _PLAIN.fullmatch(number):
        raise ValueError("no number")
    return sign + number


def cut_rows(tables: Mapping[str, SettledTable], account: Account) -> None:
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
        tables[name].rows = [tables[name].rows[at] for at in sorted(kept[name])]
        why = "only some of a long table are taken"
        account.rows[tables[name].said].left_out[why] += many - len(tables[name].rows)


# Kinds


def fit_kinds(tables: Mapping[str, SettledTable], account: Account) -> None:
    """Take a column for what its rows hold, whatever it was declared as; a key and its references stay of one type."""
    now_text: list[tuple[str, str]] = []
    for table in tables.values():
        keys = {*table.key, *(name for key in table.references for name in key.columns)}
        for column in table.columns.values():
            held = (row.get(column.name) for row in table.rows)
            values = [value for value in held if value is not None]
            if column.kind == "text":
                _fit_text(table, column, values, account)
                continue
            if column.kind == "real" and column.name in keys:
                column.kind = "integer"
                why = "Columns of a key that are integer in the twin, since keys are compared exactly"
                account.change("column", table.where(column.name), why)
            kind, why = _kind_held(column, [each for each in values if str(each).strip()], table.checks)
            if kind == "real" and column.name in keys:
                kind = "text"
            if kind != column.kind:
                _retype(table, column, f"Columns that are {kind} in the twin, {why}", account)
                column.kind = kind
                now_text += [(table.name, column.name)] if kind == "text" else []
            elif column.kind in ("integer", "real"):
                _bound(table, column, values, account)
                if any(isinstance(each, str) and not _PLAIN.fullmatch(each.strip()) for each in values):
                    why = "Columns whose numbers are given as people write them, such as $1,234.50 or 12,50"
                    account.change("column", table.where(column.name), why)
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
                why = "Columns that are text in the twin, as what they refer to or are referred to by is"
                _retype(tables[name], linked, why, account)
                linked.kind = "text"
                now_text.append((name, other))


def _kind_held(column: SourceColumn, values: Sequence[Any], checks: Sequence[str]) -> tuple[Any, str]:
    """Return of what kind the values of a column are, and why if that is another than was declared."""
    if column.kind == "boolean":
        wider = SourceColumn(column.name, "integer")
        others = [each for each in (*values, column.default, *_compared(column.name, checks)) if _misfits(each, column)]
        if others and not any(_misfits(each, wider) for each in others):
            return "integer", "since they hold more than 0 and 1"
    if column.kind in ("integer", "real"):
        texts = [each.strip() for each in values if isinstance(each, str)]
        if column.kind == "integer" and any(_is_beyond(each) for each in values):
            return "text", "since they hold integers beyond 2^53, which many programs round"
        if any(re.fullmatch(r"[+-]?0\d+|[+-]?\d+(?:[ \u00a0]\d+)+", each) for each in texts):
            return "text", "since they hold numbers with zeros in front or blanks inside"
        is_comma = any(_COMMA.fullmatch(each) and not _THOUSANDS.fullmatch(each) for each in texts)
        if is_comma and any(_EITHER.fullmatch(each) for each in texts):
            return "text", "since a comma or point in their numbers may mean either of two things"
    sampled = values[:: 1 + len(values) // _SAMPLED]
    misfits = [value for value in sampled if _misfits(value, column)]
    if len(misfits) <= _MOST_MISFITS * len(sampled):
        return column.kind, ""
    is_number = column.kind in ("integer", "boolean")
    wider = SourceColumn(column.name, "real")
    return "real" if is_number and not any(_misfits(each, wider) for each in sampled) else "text", "as their rows are"


def _retype(table: SettledTable, column: SourceColumn, why: str, account: Account) -> None:
    """Note that a column is of another kind, and drop what is said of its numbers alone."""
    account.change("column", table.where(column.name), why)
    column.least = column.most = column.digits = None
    if "are text" in why:
        for check in [each for each in table.checks if any(True for _ in _compared(column.name, [each]))]:
            table.checks.remove(check)
            account.lose("check", table.where_check(check), "CHECKs of numbers in columns that are text in the twin")


def _compared(name: str, checks: Iterable[str]) -> Iterator[str]:
    """Yield the numbers with which conditions compare a column."""
    for check in checks:
        try:
            tree = sqlglot.parse_one(check, read="sqlite")
        except SqlglotError:
            continue
        for node in tree.find_all(exp.Predicate):
            parts = [node.this, node.args.get("expression")]
            if any(isinstance(each, exp.Expression) and each.unnest().name == name for each in parts if each):
                yield from (each.name for each in node.find_all(exp.Literal) if not each.is_string)


def _is_beyond(value: Any) -> bool:
    try:
        return abs(int(value if isinstance(value, float) else str(value))) > _MOST_EXACT
    except (ValueError, OverflowError):
        return False


def _bound(table: SettledTable, column: SourceColumn, values: Iterable[Any], account: Account) -> None:
    """Set the least and the greatest value that the digits of a DECIMAL leave room for."""
    if column.digits is None or column.digits > _MOST_DIGITS or (column.kind == "real" and column.decimals is None):
        return
    decimals = column.decimals or 0
    most = float(10 ** (column.digits - decimals)) - 10.0**-decimals
    if any(abs(float(convert(each, column) or 0)) > most for each in values if not _misfits(each, column)):
        why = "Columns with greater numbers than their digits leave room for"
        account.change("column", table.where(column.name), why)
    else:
        column.least = -most if column.least is None else column.least
        column.most = most if column.most is None else column.most


def _fit_text(table: SettledTable, column: SourceColumn, values: Iterable[Any], account: Account) -> None:
    """Let a column be as long as its texts are, and be NULL where they are empty."""
    lengths = [len(str(value).rstrip()) for value in values]
    if column.longest is not None and max(lengths, default=0) > column.longest:
        column.longest = None
        account.change("column", table.where(column.name), "Columns whose rows hold longer texts than they may")
    if (column.default == "" or 0 in lengths) and column.name not in table.key:
        column.default, column.required = column.default or None, False
        account.change("column", table.where(column.name), "Columns whose empty text is NULL in the twin")


def _misfits(value: Any, column: SourceColumn) -> bool:
    try:
        convert(value, column)
    except (ValueError, ArithmeticError):
        return True
    return False


def latest_time(tables: Iterable[SettledTable]) -> str:
    """Return the morning after the latest time in the rows that is not in the future; today's if there is none."""
    today = str(date.today())
    latest = ""
    for table in tables:
        for column in table.columns.values():
            if column.kind in ("date", "timestamp"):
                for row in table.rows:
                    if found := _MOMENT.match(str(row.get(column.name))):
                        day = f"{found[1]}-{int(found[2]):02d}-{int(found[3]):02d}"
                        latest = max(latest, day) if day <= today else latest
    try:
        return f"{date.fromisoformat(latest) + timedelta(days=1)} {_START}"
    except ValueError:
        return f"{today} {_START}"


# Loading


@dataclass
class _Noted:
    """What happens to the rows of a table on their way, counted: values by column and reason, rows by reason."""

    values: Counter[tuple[str, str]] = field(default_factory=Counter)
    rows: Counter[str] = field(default_factory=Counter)

    def tell(self, table: SettledTable, account: Account) -> None:
        for (name, why), many in self.values.items():
            account.change("column", table.where(name), f"{counted(many, 'value')} {why}")
        account.rows[table.said].left_out.update(self.rows)


def broken_checks(table: SettledTable, sql: str) -> list[str]:
    """Return the conditions that given rows break, so that they cannot mean what the source means."""
    if not table.checks or not table.rows:
        return []
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for row in _converted(table, "2000-01-01 00:00:00", _Noted()):
            _insert(connection, table, row)
        query = f"SELECT count(*) FROM {table.name} WHERE NOT ({{}})"
        return [check for check in table.checks if connection.execute(query.format(check)).fetchone()[0]]


def load_rows(tables: Mapping[str, SettledTable], sql: str, clock: str, account: Account) -> None:
    """Replace the rows of the tables by those that load together; say how many do not, and why."""
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        for table in tables.values():
            noted = _Noted()
            kept = []
            for row in _converted(table, clock, noted):
                if wrong := _insert(connection, table, row):
                    noted.rows[wrong] += 1
                else:
                    kept.append(row)
            table.rows = kept
            noted.tell(table, account)
    _drop_orphans(tables, account)
    for table in tables.values():
        account.rows[table.said].kept = len(table.rows)


def _converted(table: SettledTable, clock: str, noted: _Noted) -> Iterator[dict[str, Any]]:
    """Yield complete rows; a value that does not convert is NULL, or its row is left out."""
    columns = table.columns.values()
    numbers = [row.get(table.key[0]) for row in table.rows] if table.counted else []
    number = max((int(str(each)) for each in numbers if str(each).isdigit()), default=0)
    for given in table.rows:
        row: dict[str, Any] = {}
        for column in columns:
            value = given.get(column.name, column.default)
            is_given = column.name in given
            try:
                row[column.name] = convert(value, column)
                lost = _dropped(value, row[column.name], column) if is_given else ""
            except (ValueError, ArithmeticError):
                row[column.name] = None
                what = f"not valid as {column.kind}" if str(value).strip() else "left empty"
                is_clock = column.made == "clock" and column.required
                lost = f"{what}, {'the time of the clock' if is_clock else 'NULL'} in the twin"
            if lost:
                noted.values[column.name, lost] += 1
            text = row[column.name]
            if text == "" and not column.required:
                row[column.name] = None
            elif isinstance(text, str) and len(text) > _LONGEST and column.name not in table.key:
                row[column.name] = None if column.kind == "json" else text[:_LONGEST].rstrip()
                cut = "NULL in the twin" if column.kind == "json" else "shortened"
                noted.values[column.name, f"of more than {_LONGEST:,} characters, {cut}"] += 1
            if row[column.name] is None and column.made == "clock" and (column.required or not is_given):
                row[column.name] = convert(clock, column)
        if table.counted and row[table.key[0]] is None:
            number += 1
            kind = table.columns[table.key[0]].kind
            row[table.key[0]] = number if kind == "integer" else f"{table.name.upper()}-{number:04d}"
        missing = next((column.name for column in columns if column.required and row[column.name] is None), None)
        if missing:
            noted.rows[f"{missing} is missing"] += 1
        else:
            yield row


def _dropped(given: Any, held: Any, column: SourceColumn) -> str:
    """Return what a value loses where it is converted, if it does."""
    if held is None or isinstance(given, bytes):
        return ""
    if column.kind == "real":
        number = _plain(given) if isinstance(given, str) else given
        return f"rounded to {column.decimals} decimals" if abs(float(number) - held) > 1e-9 * abs(held) else ""
    if column.kind in ("date", "timestamp"):
        *_, hour, minute, second, fraction, zone = _moment(given).groups()
        if column.kind == "date" and any(each and int(each) for each in (hour, minute, second)):
            return "whose time of day is left out"
        if (fraction or "").strip(".0") or (zone or "").strip("ZUTC+-0:"):
            return "whose time zone or fractions of a second are left out"
    if column.kind == "text" and isinstance(given, str) and given != given.rstrip().replace("\0", ""):
        return "whose blanks at the end are left out" if given.rstrip() else ""
    return ""


def _insert(connection: sqlite3.Connection, table: SettledTable, row: Mapping[str, Any]) -> str:
    """Insert a row; return what SQLite says against it, or nothing."""
    marks = ", ".join("?" * len(row))
    try:
        connection.execute(f"INSERT INTO {table.name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    except (sqlite3.Error, OverflowError) as error:
        return str(error).replace(f"{table.name}.", "")
    return ""


def _drop_orphans(tables: Mapping[str, SettledTable], account: Account) -> None:
    """Set references to missing rows to NULL, or leave their rows out, until all that is left holds together."""
    again = True
    while again:
        again = False
        for table in tables.values():
            for key in table.references:
                known = {tuple(row[name] for name in key.theirs) for row in tables[key.table].rows}
                orphans = [
                    row
                    for row in table.rows
                    if None not in (held := tuple(row[name] for name in key.columns)) and held not in known
                ]
                if not orphans:
                    continue
                free = next((name for name in key.columns if not table.columns[name].required), None)
                if free:
                    why = f"naming a missing row of {tables[key.table].said}, NULL in the twin"
                    account.change("column", table.where(free), f"{counted(len(orphans), 'value')} {why}")
                    for row in orphans:
                        row[free] = None
                else:
                    gone = {id(row) for row in orphans}
                    table.rows = [row for row in table.rows if id(row) not in gone]
                    why = f"{', '.join(key.columns)} names a missing row of {tables[key.table].said}"
                    account.rows[table.said].left_out[why] += len(orphans)
                    again = True
