"""Convert a source's rows to what a twin's tables hold, and load those that fit together; the others are counted."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from datetime import date, datetime, timedelta
from typing import Any

from generator.twin.settled import SettledTable
from generator.twin.source import SourceColumn
from runtime.domain.schema import Schema
from runtime.sandbox.sqlite import open_memory

MOST_ROWS = 2_000  # of a table, beside those that they refer to
_LONGEST = 1_000  # characters of a text that a row keeps
_SAMPLED = 1_000  # values of a column that say of what kind it is
_MOST_MISFITS = 0.05  # of a column's values, before the column is taken to be text
_START = "09:00:00"
_MOMENT = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d\d)(?::(\d\d))?(?:\.\d+)?\s*(?:Z|UTC|[+-]\d\d(?::?\d\d)?)?)?"
)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)(?: (\d\d):(\d\d):(\d\d))?")
_TIME = re.compile(r"(\d{1,2}):(\d\d)(?::(\d\d))?")
_FLAGS = {
    "t": 1,
    "true": 1,
    "y": 1,
    "yes": 1,
    "on": 1,
    "\x01": 1,
    "f": 0,
    "false": 0,
    "n": 0,
    "no": 0,
    "off": 0,
    "\0": 0,
}

Losses = dict[str, list[str]]


def convert(value: Any, column: SourceColumn) -> int | float | str | None:
    """Return a value as its column holds it in the twin; errors: ValueError."""
    if value is None:
        return None
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if column.kind in ("integer", "boolean"):
        return _whole(value, column)
    if column.kind == "real":
        number = float(value if not isinstance(value, str) else re.sub(r"[$,\s]", "", value))
        if number != number or abs(number) == float("inf"):
            raise ValueError("no number")
        return number
    if column.kind == "json":
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = str(value)
    if column.kind in ("date", "timestamp"):
        if text.startswith("0000-00-00"):  # MySQL's way to say that there is none
            return None
        found = _MOMENT.fullmatch(text.strip()) or _COMPACT.fullmatch(text.strip())
        if found is None:
            raise ValueError("no date")
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
        moment = datetime(year, month, day, hour, minute, second)
        return str(moment.date()) if column.kind == "date" else str(moment)
    if column.kind == "time":
        found = _TIME.match(text)
        if found is None:
            raise ValueError("no time")
        return f"{int(found[1]):02d}:{found[2]}:{found[3] or '00'}"
    if isinstance(value, float) and value.is_integer():
        text = str(int(value))
    return text.replace("\0", "").encode(errors="replace").decode().rstrip()


def _whole(value: Any, column: SourceColumn) -> int:
    flag = _FLAGS.get(value.lower()) if isinstance(value, str) else None
    number = float(value) if flag is None and not isinstance(value, int) else int(value if flag is None else flag)
    if number != int(number) or not -(2**63) <= number < 2**63:
        raise ValueError("not a whole number")
    if isinstance(value, str) and flag is None and re.fullmatch(r"[+-]?\d+", value.strip()):
        number = int(value)
    return (1 if number else 0) if column.kind == "boolean" else int(number)


def cut_rows(tables: Mapping[str, SettledTable], lost: Losses) -> None:
    """Keep some rows of each long table, and those that they refer to."""
    long = {name: len(table.rows) for name, table in tables.items() if len(table.rows) > 2 * MOST_ROWS}
    places: dict[tuple[str, tuple[str, ...]], dict[tuple[Any, ...], int]] = {}
    for table in tables.values():
        for key in table.references:
            if key.table in long and (key.table, key.theirs) not in places:
                rows = tables[key.table].rows
                held = {tuple(row.get(name) for name in key.theirs): at for at, row in enumerate(rows)}
                places[key.table, key.theirs] = held
    steps = {name: 1 + (many - 1) // MOST_ROWS for name, many in long.items()}
    kept = {name: set(range(0, len(table.rows), steps.get(name, 1))) for name, table in tables.items()}
    pending = [(name, at) for name, own in kept.items() for at in own]
    while pending:
        name, at = pending.pop()
        for key in tables[name].references:
            if (known := places.get((key.table, key.theirs))) is None:
                continue
            parent = known.get(tuple(tables[name].rows[at].get(column) for column in key.columns))
            if parent is not None and parent not in kept[key.table]:
                kept[key.table].add(parent)
                pending.append((key.table, parent))
    for name, many in long.items():
        tables[name].rows = [tables[name].rows[at] for at in sorted(kept[name])]
        lost["Rows of long tables, of which some were read"].append(
            f"{tables[name].said} ({len(tables[name].rows):,} of {many:,})"
        )


def fit_kinds(table: SettledTable, lost: Losses) -> None:
    """Take a column for text, or real, if that is what its rows hold whatever it was declared as."""
    keys = {*table.key, *(name for key in table.references for name in key.columns)}
    for column in table.columns.values():
        values = [row[column.name] for row in table.rows if row.get(column.name) is not None]
        if column.kind == "text":
            _fit_text(table, column, values, lost)
            continue
        values = values[:: 1 + len(values) // _SAMPLED]
        if column.kind == "real" and column.name in keys:  # which are compared exactly
            column.kind = "integer"
        misfits = [value for value in values if _misfits(value, column)]
        if len(misfits) <= _MOST_MISFITS * len(values):
            continue
        declared = column.kind
        column.kind = "real"
        if (
            declared not in ("integer", "boolean")
            or column.name in keys
            or any(_misfits(value, column) for value in misfits)
        ):
            column.kind = "text"
        example = f"{table.said}.{column.name} (a {declared}, holds {str(misfits[0])[:30]!r})"
        lost[f"Columns that are {column.kind} in the twin, as their rows are"].append(example)


def _fit_text(table: SettledTable, column: SourceColumn, values: Iterable[Any], lost: Losses) -> None:
    """Let a column be as long as its texts are, and be NULL where they are empty."""
    lengths = [len(str(value).rstrip()) for value in values]
    if column.longest is not None and max(lengths, default=0) > column.longest:
        column.longest = None
    if (column.default == "" or 0 in lengths) and column.name not in table.key:
        column.default, column.required = column.default or None, False
        lost["Columns whose empty text is NULL in the twin"].append(f"{table.said}.{column.name}")


def _misfits(value: Any, column: SourceColumn) -> bool:
    try:
        convert(value, column)
    except (ValueError, OverflowError):
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


def broken_checks(table: SettledTable, sql: str) -> list[str]:
    """Return the conditions that given rows break, so that they cannot mean what the source means."""
    if not table.checks or not table.rows:
        return []
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for row in _converted(table, "2000-01-01 00:00:00", Counter()):
            _insert(connection, table, row)
        query = f"SELECT count(*) FROM {table.name} WHERE NOT ({{}})"
        return [check for check in table.checks if connection.execute(query.format(check)).fetchone()[0]]


def load_rows(tables: Mapping[str, SettledTable], sql: str, clock: str, lost: Losses) -> None:
    """Replace the rows of the tables by those that load together; say how many do not, and why."""
    faults: Counter[str] = Counter()
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        for table in tables.values():
            noted: Counter[str] = Counter()
            kept = []
            for row in _converted(table, clock, noted):
                if wrong := _insert(connection, table, row):
                    noted[wrong] += 1
                else:
                    kept.append(row)
            table.rows = kept
            faults.update({f"{table.said}, {why}": many for why, many in noted.items()})
    _drop_orphans(tables, faults)
    told = [f"{why} ({many:,})" for why, many in faults.items()]
    lost["Rows that are left out, or values that are"] = told


def _converted(table: SettledTable, clock: str, noted: Counter[str]) -> Iterator[dict[str, Any]]:
    """Yield complete rows; a value that does not convert is NULL, or its row is left out."""
    columns = table.columns.values()
    numbers = [row.get(table.key[0]) for row in table.rows] if table.counted else []
    number = max((int(str(each)) for each in numbers if str(each).isdigit()), default=0)
    for given in table.rows:
        row: dict[str, Any] = {}
        for column in columns:
            value = given.get(column.name, column.default)
            try:
                row[column.name] = convert(value, column)
            except (ValueError, OverflowError):
                row[column.name] = None
                noted[f"{column.name} is not a valid {column.kind}: NULL"] += 1
            text = row[column.name]
            if text == "" and not column.required:
                row[column.name] = None
            elif isinstance(text, str) and len(text) > _LONGEST and column.name not in table.key:
                row[column.name] = None if column.kind == "json" else text[:_LONGEST].rstrip()
                noted[f"{column.name} has more than {_LONGEST:,} characters: shortened"] += 1
            if row[column.name] is None and column.made == "clock" and column.required:
                row[column.name] = convert(clock, column)
        if table.counted and row[table.key[0]] is None:
            number += 1
            kind = table.columns[table.key[0]].kind
            row[table.key[0]] = number if kind == "integer" else f"{table.name.upper()}-{number:04d}"
        missing = next((column.name for column in columns if column.required and row[column.name] is None), None)
        if missing:
            noted[f"{missing} is missing: row left out"] += 1
        else:
            yield row


def _insert(connection: sqlite3.Connection, table: SettledTable, row: Mapping[str, Any]) -> str:
    """Insert a row; return what SQLite says against it, or nothing."""
    marks = ", ".join("?" * len(row))
    try:
        connection.execute(f"INSERT INTO {table.name} ({', '.join(row)}) VALUES ({marks})", list(row.values()))
    except (sqlite3.Error, OverflowError) as error:
        return f"{str(error).replace(f'{table.name}.', '')}: row left out"
    return ""


def _drop_orphans(tables: Mapping[str, SettledTable], faults: Counter[str]) -> None:
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
                named = f"{table.said}, {', '.join(key.columns)} names a missing row of {tables[key.table].said}"
                faults[f"{named}: {'NULL' if free else 'row left out'}"] += len(orphans)
                if free:
                    for row in orphans:
                        row[free] = None
                else:
                    gone = {id(row) for row in orphans}
                    table.rows = [row for row in table.rows if id(row) not in gone]
                    again = True
