"""Write world.py: given rows as patterns, or rows made by column name and type, and the engine that grows them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from generator.twin.invented import FAMILY_NAMES, GIVEN_NAMES, NAMES, holds_people, invent_rows, pairs_in_order
from generator.twin.schema import is_required, make_sql, table_sql
from generator.twin.source import SettledTable, SourceSchema
from generator.twin.words import referring
from runtime.domain.policies import Policies
from runtime.domain.schema import read_schema
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.module import load_module
from runtime.sandbox.sqlite import open_memory
from runtime.session.world import build_world

MOST_CHARACTERS = 180_000  # of world.py
_PATTERNS = (40, 30, 20, 12, 8, 5)  # at most so many of a table, fewer if the file would be too long
_FIXED = 60  # rows that a short list may have
_FEW = 6  # examples of a document: of fewer alone no world is grown
_SIZES = ((1, 1), (30, 2), (300, 3), (1_000, 4))  # and seeds that are tried
_COUNTABLE = 2**30  # keys above it are counted anew, from 1
Patterns = Mapping[str, Sequence[dict[str, Any]]]


def write_world(settled: SourceSchema) -> str:
    """Return the text of world.py; errors: UsageError if its rows cannot be made to fit."""
    invented = _invent(settled)
    steady: set[str] = set()
    for most in _PATTERNS:
        patterns = {name: invented.get(name, table.rows) for name, table in settled.tables.items()}
        for name, rows in patterns.items():
            if len(rows) > most:
                patterns[name] = [rows[at * len(rows) // most] for at in range(most)]
        text = _text(settled, patterns, invented, steady)
        if len(text) <= MOST_CHARACTERS:
            break
    while problem := _try_world(settled, text):
        table = settled.tables.get(problem[0])
        if table is None or (table.name in steady and not table.checks):
            raise UsageError(f"No world could be grown: {problem[1]}")
        if table.name in steady:
            _drop_checks(settled, table, "CHECKs that copies of rows do not meet")
        steady.add(table.name)
        text = _text(settled, patterns, invented, steady)
    given = {name: table.rows for name, table in settled.tables.items() if name not in invented}
    many, kept = sum(map(len, given.values())), sum(len(patterns[name]) for name in given)
    if many > kept:
        remark = f"Rows: world.py holds {kept:,} of {many:,} as patterns; worlds of any size are grown from them."
        settled.account.remarks.append(remark)
    if invented:
        few = "too few" if any(settled.tables[name].rows for name in invented) else "none"
        remark = f"Rows made by column name and type, since {few} are given: {', '.join(invented)}."
        settled.account.remarks.append(remark)
    return text


def _invent(settled: SourceSchema) -> dict[str, list[dict[str, Any]]]:
    """Return rows for the tables that have none, or examples alone; a CHECK that none of them meets is left out."""
    invented: dict[str, list[dict[str, Any]]] = {}
    for name, table in settled.tables.items():
        if len(table.rows) >= (_FEW if settled.has_examples else 1):
            continue
        rows = invent_rows(table, table_sql(table), settled.clock)
        if not rows and table.checks:
            _drop_checks(settled, table, "CHECKs that no made row meets")
            rows = invent_rows(table, table_sql(table), settled.clock)
        if not rows:
            raise UsageError(f"No row could be made for the table {table.said!r}; leave it out by --tables.")
        own = referring(table)
        invented[name] = [*({key: None if key in own else row[key] for key in row} for row in table.rows), *rows]
    return invented


def _drop_checks(settled: SourceSchema, table: SettledTable, why: str) -> None:
    for check in table.checks:
        table.lose_check(check, why)
    settled.sql = make_sql(settled.tables)


def _text(settled: SourceSchema, patterns: Patterns, invented: Collection[str], steady: set[str]) -> str:
    tables = settled.tables.items()
    weights = {name: (len(table.rows) or 20 * (1 + len(table.references))) ** 0.6 for name, table in tables}
    lines = ["TABLES: dict[str, dict[str, Any]] = {"]
    for name, table in tables:
        plan = _plan(settled, table, is_invented=name in invented, is_steady=name in steady)
        plan["share"] = round(weights[name] / sum(weights.values()), 4)
        lines += [f"    {name!r}: {{", *(f"        {key!r}: {value!r}," for key, value in plan.items())]
        rows = _rows(table, patterns, plan["columns"], is_invented=name in invented)
        lines += ['        "rows": (', *(f"            {row!r}," for row in rows), "        ),", "    },"]
    title = settled.title.replace("\\", "").replace('"', "")
    engine = Path(__file__).with_name("engine.py").read_text(encoding="utf-8").replace("  # noqa: C420", "")
    for start, filled in (
        ('"""TITLE"""', f'"""Worlds of {title}: rows that were given, and copies of them with values of their own."""'),
        ("TABLES: dict[str, dict[str, Any]] = {}", "\n".join([*lines, "}"])),
        ("GIVEN_NAMES: tuple[str, ...] = ()", f"GIVEN_NAMES: tuple[str, ...] = {GIVEN_NAMES!r}"),
        ("FAMILY_NAMES: tuple[str, ...] = ()", f"FAMILY_NAMES: tuple[str, ...] = {FAMILY_NAMES!r}"),
    ):
        engine = engine.replace(start, filled, 1)
    return engine


def _rows(
    table: SettledTable, patterns: Patterns, columns: Sequence[str], *, is_invented: bool
) -> list[tuple[tuple[Any, ...], tuple[int | None, ...]]]:
    """Return the patterns of a table: values, and for each reference the place of the pattern, or -1 for another."""
    own = referring(table)
    places = [
        {tuple(row[name] for name in key.theirs): at for at, row in enumerate(patterns[key.table])}
        for key in table.references
    ]
    rows = []
    for number, row in enumerate(patterns[table.name]):
        parents: list[int | None] = []
        for key, known in zip(table.references, places, strict=True):
            held = tuple(row[name] for name in key.columns)
            is_empty = None in held and not (is_invented and (parents or number % 4))
            parents.append(None if is_empty else known.get(held, -1))
        rows.append((tuple(None if name in own else row[name] for name in columns), tuple(parents)))
    return rows


def _plan(settled: SourceSchema, table: SettledTable, *, is_invented: bool, is_steady: bool) -> dict[str, Any]:
    """Return what the engine knows of a table, but for its rows."""
    order, own, counted = list(settled.tables), referring(table), table.counted
    ahead = {
        key: order.index(key.table) > order.index(table.name)
        or (key.table == table.name and not is_required(table, key))
        for key in table.references
    }
    behind = {name for key, is_ahead in ahead.items() if not is_ahead for name in key.columns}
    waiting = [
        name
        for key, is_ahead in ahead.items()
        if is_ahead and not is_required(table, key)
        for name in key.columns
        if name not in behind and not table.columns[name].required
    ]
    is_text = table.columns[table.key[0]].kind == "text"
    greatest = _greatest(table)
    keeps = counted and not is_invented and not is_text and greatest < _COUNTABLE
    columns = [name for name in table.columns if keeps or not (counted and name in table.key)]
    free = {name: table.columns[name] for name in columns if name not in own and name not in table.key}
    is_people = holds_people(table)
    people = {name: part for name in free for part in ("given", "family") if name in NAMES[part]}
    if is_people and table.label in NAMES["full"]:
        people[table.label or ""] = "full"
    label = table.label if table.label in free and table.label not in people else ""
    label = "" if label and ("email" in label or "username" in label) else label
    is_named = any(key.table == table.name for other in settled.tables.values() for key in other.references)
    uniques = [each for each in [table.key, *table.uniques] if not (counted and table.key[0] in each)]
    texts = [name for name, column in free.items() if column.kind == "text" and not column.choices]
    fresh = [name for name in texts if is_people and "email" in name]
    for each in uniques:
        if not set(each) <= own and not {label, *people} & set(each):
            fresh += _fresh_of(table, [name for name in each if name not in own])
    if table.label and _is_distinct(table) and (table.label,) not in uniques:
        uniques.append((table.label,))
        fresh += [table.label] if table.label not in (label, *people) else []
    bound = {*fresh, *(name for each in (*uniques, *pairs_in_order(table)) for name in each)}
    bound |= set(re.findall(r"\w+", " ".join(table.checks)))
    numbers = [name for name, column in free.items() if column.kind in ("integer", "real") and name not in bound]
    dates = [name for name, column in free.items() if column.kind in ("date", "timestamp")]
    return {
        "name": table.name,
        "key": table.key[0] if counted else "",
        "keys": table.key,
        "named": counted and is_text,
        "greatest": greatest if keeps else 0,
        "fixed": is_named and not (is_invented or is_people or table.references or len(table.rows) > _FIXED),
        "columns": tuple(columns),
        "references": tuple(
            (key.columns, key.table, key.theirs, is_required(table, key), ahead[key]) for key in table.references
        ),
        "waiting": tuple(dict.fromkeys(waiting)),
        "unique": tuple(uniques),
        "single": tuple(key.table for key in table.references if key.columns in uniques and key.table != table.name),
        "label": label,
        "people": people,
        "swapped": () if is_steady else tuple(numbers),
        "dates": () if is_steady else tuple(dates),
        "fresh": tuple(dict.fromkeys(fresh)),
        "limits": {name: (each.least or 0, each.most) for name, each in free.items() if each.most is not None},
        "longest": {name: longest for name in columns if (longest := table.columns[name].longest)},
    }


def _greatest(table: SettledTable) -> int:
    """Return the greatest of the counted keys."""
    numbers = [row[table.key[0]] for row in table.rows] if table.counted else []
    return max((each for each in numbers if isinstance(each, int)), default=0)


def _fresh_of(table: SettledTable, names: Sequence[str]) -> list[str]:
    """Return the column of a unique set that is changed so that a copy differs."""
    free = [name for name in names if not table.columns[name].choices]
    texts = [name for name in free if table.columns[name].kind == "text"]
    return (texts or [name for name in free if table.columns[name].kind in ("integer", "real")])[:1]


def _is_distinct(table: SettledTable) -> bool:
    """Return whether people can tell rows apart by their label."""
    values = [row[table.label] for row in table.rows if table.label and row[table.label] is not None]
    return len(set(values)) >= 0.7 * len(values)


def _try_world(settled: SourceSchema, text: str) -> tuple[str, str] | None:
    """Build some worlds; return the table at fault, and what is wrong."""
    schema = read_schema(settled.sql).schema
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "world.py"
        path.write_text(text, encoding="utf-8")
        populate = load_module(path, "twin_world", "world.py").populate
    for size, seed in _SIZES:
        try:
            build_world(populate, schema, Policies(schema, {}, {}), settled.clock, seed, size)
        except EnvironmentFault as fault:
            named = re.search(r"a row of '?(\w+)'?", str(fault))
            return (named[1] if named else "", str(fault)[:300])
    return None


def given_database(settled: SourceSchema, path: Path) -> None:
    """Write a database with exactly the given rows, under the source's own keys, for `serve --world`."""
    schema = read_schema(settled.sql).schema
    with closing(open_memory()) as connection:
        schema.create(connection)
        for name, table in settled.tables.items():
            connection.executemany(schema.tables[name].insert_row, [tuple(row.values()) for row in table.rows])
        greatest = [_greatest(table) for table in settled.tables.values()]
        connection.execute(f"PRAGMA user_version = {max((each for each in greatest if each < _COUNTABLE), default=0)}")
        path.write_bytes(connection.serialize())
