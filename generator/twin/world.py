"""Write world.py: given rows as patterns, or rows made by column name and type, and the engine that grows them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from generator.twin.invented import FAMILY_NAMES, GIVEN_NAMES, NAMES, holds_people, invent_rows, pairs_in_order
from generator.twin.schema import is_required, make_sql, table_sql
from generator.twin.settled import Settled, SettledTable
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
_DAYS = 120  # by which the dates of a copy may be earlier
_SIZES = ((1, 1), (30, 2), (300, 3), (1_000, 4))  # and seeds that are tried
_COUNTABLE = 2**30  # keys above it are counted anew, from 1


def write_world(settled: Settled) -> str:
    """Return the text of world.py; errors: UsageError if its rows cannot be made to fit."""
    invented = _invent(settled)
    given = sum(len(table.rows) for name, table in settled.tables.items() if name not in invented)
    steady: set[str] = set()
    text = ""
    for most in _PATTERNS:
        patterns = {name: _choose_patterns(table, invented.get(name), most) for name, table in settled.tables.items()}
        text = _text(settled, patterns, invented.keys(), steady)
        if len(text) <= MOST_CHARACTERS:
            break
    while problem := _try_world(settled, text):
        table = settled.tables.get(problem[0])
        if table is None or (table.name in steady and not table.checks):
            raise UsageError(f"No world could be grown: {problem[1]}")
        if table.name in steady:
            _drop_checks(settled, table, "CHECKs that copies of rows do not meet")
        steady.add(table.name)
        text = _text(settled, patterns, invented.keys(), steady)
    kept = sum(len(rows) for name, rows in patterns.items() if name not in invented)
    if given > kept:
        settled.account.remarks.append(
            f"Rows: world.py holds {kept:,} of {given:,} as patterns; worlds of any size are grown from them."
        )
    if invented:
        few = "too few" if any(settled.tables[name].rows for name in invented) else "none"
        settled.account.remarks.append(
            f"Rows made by column name and type, since {few} are given: {', '.join(invented)}."
        )
    return text


def _invent(settled: Settled) -> dict[str, list[dict[str, Any]]]:
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


def _drop_checks(settled: Settled, table: SettledTable, why: str) -> None:
    for check in table.checks:
        table.lose_check(check, why)
    settled.sql = make_sql(settled.tables)


def _choose_patterns(
    table: SettledTable, invented: Sequence[dict[str, Any]] | None, most: int
) -> Sequence[dict[str, Any]]:
    rows = invented if invented is not None else table.rows
    return rows if len(rows) <= most else [rows[at * len(rows) // most] for at in range(most)]


def _text(
    settled: Settled,
    patterns: Mapping[str, Sequence[dict[str, Any]]],
    invented: Sequence[str] | Any,
    steady: set[str],
) -> str:
    plans = {
        name: _plan(settled, table, patterns, is_invented=name in invented, is_steady=name in steady)
        for name, table in settled.tables.items()
    }
    weights = {
        name: (len(table.rows) or 20 * (1 + len(table.references))) ** 0.6 for name, table in settled.tables.items()
    }
    lines = ["TABLES: dict[str, dict[str, Any]] = {"]
    for name, plan in plans.items():
        plan["share"] = round(weights[name] / sum(weights.values()), 4)
        lines.append(f"    {name!r}: {{")
        lines += [f"        {key!r}: {value!r}," for key, value in plan.items() if key != "rows"]
        lines += ['        "rows": (', *(f"            {row!r}," for row in plan["rows"]), "        ),", "    },"]
    engine = Path(__file__).with_name("engine.py").read_text(encoding="utf-8").replace("  # noqa: C420", "")
    engine = engine.replace('"""TITLE"""', f'"""{_title(settled)}"""')
    engine = engine.replace("TABLES: dict[str, dict[str, Any]] = {}", "\n".join([*lines, "}"]))
    for names, values in (("GIVEN_NAMES", GIVEN_NAMES), ("FAMILY_NAMES", FAMILY_NAMES)):
        engine = engine.replace(f"{names}: tuple[str, ...] = ()", f"{names}: tuple[str, ...] = {values!r}")
    return engine


def _title(settled: Settled) -> str:
    plain = settled.title.replace("\\", "").replace('"', "")
    return f"Worlds of {plain}: rows that were given, and copies of them with values of their own."


def _plan(
    settled: Settled,
    table: SettledTable,
    patterns: Mapping[str, Sequence[dict[str, Any]]],
    *,
    is_invented: bool,
    is_steady: bool,
) -> dict[str, Any]:
    """Return what the engine knows of a table."""
    order = list(settled.tables)
    place, own = order.index(table.name), referring(table)
    behind = {
        key
        for key in table.references
        if order.index(key.table) < place or (key.table == table.name and is_required(table, key))
    }
    fixed_columns = {name for key in behind for name in key.columns}
    waiting = [
        name
        for key in table.references
        if key not in behind and not is_required(table, key)
        for name in key.columns
        if name not in fixed_columns and not table.columns[name].required
    ]
    numbers = [row[table.key[0]] for row in table.rows] if table.counted else []
    greatest = max((each for each in numbers if isinstance(each, int)), default=0)
    keeps = (
        table.counted and not is_invented and table.columns[table.key[0]].kind == "integer" and greatest < _COUNTABLE
    )
    columns = [name for name in table.columns if keeps or not (table.counted and name in table.key)]
    free = [name for name in columns if name not in own and name not in table.key]
    is_people = holds_people(table)
    people = {name: "given" for name in free if name in NAMES["given"]} | {
        name: "family" for name in free if name in NAMES["family"]
    }
    if is_people and table.label in ("name", "full_name", "display_name", "contact_name"):
        people[table.label] = "full"
    label = table.label if table.label in free and table.label not in people else ""
    if label and ("email" in label or "username" in label):
        label = ""
    is_named = any(key.table == table.name for other in settled.tables.values() for key in other.references)
    fixed = is_named and not (is_invented or is_people or table.references or len(table.rows) > _FIXED)
    uniques = [each for each in [table.key, *table.uniques] if not (table.counted and table.key[0] in each)]
    fresh = {name: None for name in free if is_people and "email" in name and _is_free_text(table, name)}
    for columns_of in uniques:
        if not set(columns_of) <= own and not {label, *people} & set(columns_of):
            fresh.update(dict.fromkeys(_fresh_of(table, columns_of, own)))
    if table.label and _is_distinct(table) and [table.label] not in [list(each) for each in uniques]:
        uniques.append((table.label,))
        fresh.update({table.label: None} if table.label not in (label, *people) else {})
    checked = " ".join(table.checks)
    paired = {name for pair in pairs_in_order(table) for name in pair}
    swapped = [
        name
        for name in free
        if table.columns[name].kind in ("integer", "real")
        and name not in fresh
        and name not in paired
        and not re.search(rf"\b{name}\b", checked)
        and not any(name in each for each in uniques)
    ]
    dates = [name for name in free if table.columns[name].kind in ("date", "timestamp")]
    if is_steady:
        swapped, dates = [], []
    places = {
        key: {tuple(row[name] for name in key.theirs): at for at, row in enumerate(patterns[key.table])}
        for key in table.references
    }
    rows: list[tuple[tuple[Any, ...], tuple[int | None, ...]]] = []
    for row in patterns[table.name]:
        parents: list[int | None] = []
        for key in table.references:
            held = tuple(row[name] for name in key.columns)
            is_empty = None in held and not (is_invented and len(parents) + len(rows) % 4)
            parents.append(None if is_empty else places[key].get(held, -1))
        rows.append((tuple(None if name in own else row[name] for name in columns), tuple(parents)))
    return {
        "name": table.name,
        "key": table.key[0] if table.counted else "",
        "keys": table.key,
        "named": table.counted and table.columns[table.key[0]].kind == "text",
        "greatest": greatest if keeps else 0,
        "fixed": fixed,
        "columns": tuple(columns),
        "references": tuple(
            (key.columns, key.table, key.theirs, is_required(table, key), key not in behind) for key in table.references
        ),
        "waiting": tuple(dict.fromkeys(waiting)),
        "unique": tuple(uniques),
        "single": tuple(key.table for key in table.references if key.columns in uniques and key.table != table.name),
        "label": label,
        "people": people,
        "swapped": tuple(swapped),
        "dates": tuple(dates),
        "days": _DAYS,
        "fresh": tuple(fresh),
        "numbers": tuple(name for name in fresh if table.columns[name].kind in ("integer", "real")),
        "limits": {
            name: (table.columns[name].least or 0, table.columns[name].most)
            for name in fresh
            if table.columns[name].most is not None
        },
        "longest": {name: table.columns[name].longest for name in columns if table.columns[name].longest},
        "rows": tuple(rows),
    }


def _is_free_text(table: SettledTable, name: str) -> bool:
    return table.columns[name].kind == "text" and not table.columns[name].choices


def _fresh_of(table: SettledTable, columns: Sequence[str], own: set[str]) -> list[str]:
    """Return the column of a unique set that is changed so that a copy differs."""
    free = [name for name in columns if name not in own and not table.columns[name].choices]
    texts = [name for name in free if table.columns[name].kind == "text"]
    return (texts or [name for name in free if table.columns[name].kind in ("integer", "real")])[:1]


def _is_distinct(table: SettledTable) -> bool:
    """Return whether people can tell rows apart by their label."""
    values = [row[table.label] for row in table.rows if table.label and row[table.label] is not None]
    return len(set(values)) >= 0.7 * len(values)


def _try_world(settled: Settled, text: str) -> tuple[str, str] | None:
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


def given_database(settled: Settled, path: Path) -> None:
    """Write a database with exactly the given rows, under the source's own keys, for `serve --world`."""
    schema = read_schema(settled.sql).schema
    with closing(open_memory()) as connection:
        schema.create(connection)
        for table in settled.tables.values():
            insert = schema.tables[table.name].insert_row
            names = schema.tables[table.name].column_names
            connection.executemany(insert, [[row[name] for name in names] for row in table.rows])
        numbers = [row[table.key[0]] for table in settled.tables.values() if table.counted for row in table.rows]
        greatest = max((each for each in numbers if isinstance(each, int) and each < _COUNTABLE), default=0)
        connection.execute(f"PRAGMA user_version = {max(0, greatest)}")
        path.write_bytes(connection.serialize())
