"""The tools of twins do what plain SQL does, on schemas of every kind: cases by recording cannot show that."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import Spoiler
from generator.gates.calls.start import start_on
from generator.twin.author import draft_of
from generator.twin.ddl import read_sql
from generator.twin.operations import offer_operations
from generator.twin.schema import settle
from generator.twin.source import Operation, SettledTable
from generator.twin.words import free_texts
from generator.twin.world import write_world
from runtime.domain.load import load_domain
from runtime.session.session import Session

SCHEMAS = {
    "keys and references": """
        CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, phone TEXT);
        CREATE TABLE pet (id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES owner (id), name TEXT NOT NULL,
            weight DECIMAL(6, 2) CHECK (weight > 0), is_tame BOOLEAN NOT NULL DEFAULT 1, born_on DATE,
            UNIQUE (owner_id, name));
        CREATE TABLE visit (pet_id INTEGER NOT NULL REFERENCES pet (id), day DATE NOT NULL, fee DECIMAL(8, 2) NOT NULL,
            PRIMARY KEY (pet_id, day));
        INSERT INTO owner VALUES (1, 'Ann Lee', '555'), (2, 'Bo Hill', NULL), (3, 'Cy Drew', '556'), (4, 'Di Moe', '1');
        INSERT INTO pet VALUES (1, 1, 'Rex', 4.5, 1, '2020-01-02'), (2, 1, 'Tom', NULL, 0, NULL), (3, 2, 'Rex', 2.25, 1,
            '2021-05-06');
        INSERT INTO visit VALUES (1, '2024-01-02', 30), (1, '2024-02-02', 12.5), (2, '2024-01-02', 0);
    """,
    "choices, ranges and defaults": """
        CREATE TABLE ticket (code TEXT PRIMARY KEY, title VARCHAR(20) NOT NULL, state TEXT NOT NULL DEFAULT 'new'
            CHECK (state IN ('new', 'open', 'done')), points INTEGER NOT NULL DEFAULT 1 CHECK (points BETWEEN 1 AND 8),
            starts_on DATE NOT NULL, ends_on DATE NOT NULL, CHECK (ends_on >= starts_on));
        INSERT INTO ticket VALUES ('T-1', 'Paint', 'new', 1, '2024-01-01', '2024-01-05'), ('T-2', 'Sand', 'open', 3,
            '2024-01-02', '2024-01-02'), ('T-3', 'Oil', 'done', 8, '2024-02-01', '2024-03-01');
    """,
}
CALLS = 400


@pytest.mark.parametrize("schema", SCHEMAS)
def test_each_call_comes_to_what_plain_sql_comes_to(schema: str, tmp_path: Path) -> None:
    settled = settle(read_sql(SCHEMAS[schema], "office", "office.sql", "sqlite"))
    operations = {each.name: each for each in offer_operations(settled)}
    folder = tmp_path / "office"
    folder.mkdir()
    draft_of(settled, [*operations.values()], "office", "office.sql", write_world(settled)).write(folder)
    domain, chance, outcomes = load_domain(folder), random.Random(schema), Counter[tuple[str, bool]]()
    start = start_on(domain, 1, 30)
    samplers = {name: Sampler(tool, start) for name, tool in domain.tools.items()}
    spoiler = Spoiler(start, chance)
    for number in range(CALLS):
        name = list(operations)[number % len(operations)]
        arguments = samplers[name].sample(chance, samplers[name].anchor(chance))
        arguments = spoiler.name_nothing(arguments) if chance.random() < 0.2 else arguments
        with Session(domain, start.world) as session, closing(start.world.open()) as plain:
            plain.row_factory = sqlite3.Row
            plain.execute("PRAGMA foreign_keys = ON")
            outcome = session.perform(name, arguments)
            if outcome.rejection is not None and outcome.rejection.kind == "INVALID_ARGUMENT":
                continue
            table = settled.tables[operations[name].table]
            made = json.loads(outcome.text).get(table.key[0]) if outcome.rejection is None else None
            wanted = _plainly(plain, operations[name], table, arguments, made)
            is_accepted = outcome.rejection is None
            if operations[name].verb == "find":
                assert json.loads(outcome.text)["total"] == wanted, (name, arguments)
            assert is_accepted == (wanted is not None), (name, arguments, outcome.text, wanted)
            outcomes[operations[name].verb, is_accepted] += 1
            after = {table: plain.execute(f"SELECT * FROM {table}").fetchall() for table in settled.tables}
            session.open()
            assert session.connection is not None
            for table, rows in after.items() if is_accepted else ():
                own = session.connection.execute(f"SELECT * FROM {table}").fetchall()
                assert sorted(map(tuple, own), key=repr) == sorted(map(tuple, rows), key=repr), (name, arguments)
    verbs = ("find", "get", "create", "update", "delete")
    assert all(outcomes[verb, True] for verb in verbs)
    assert all(outcomes[verb, False] for verb in verbs[1:])


def _plainly(
    plain: sqlite3.Connection, operation: Operation, table: SettledTable, arguments: Mapping[str, Any], made: Any
) -> Any:
    """What plain SQL makes of a call: None if the engine refuses it, or no row is meant."""
    by_role: dict[str, dict[str, Any]] = {}
    for each in operation.parameters:
        if each.name in arguments and each.column:
            value = arguments[each.name]
            kept = table.columns[each.column].decimals
            value = round(value, kept) if isinstance(value, float) and kept is not None else value
            by_role.setdefault(each.role, {})[each.column] = value
    values, key = by_role.get("value", {}), by_role.get("key", {})
    where = " AND ".join(f"{name} = ?" for name in key)
    if operation.verb == "find":
        words = next(
            (
                arguments[each.name]
                for each in operation.parameters
                if each.role == "search" and arguments.get(each.name)
            ),
            "",
        ).lower()
        found = plain.execute(f"SELECT * FROM {table.name}").fetchall()
        return sum(
            all(row[name] == value for name, value in by_role.get("equals", {}).items() if value is not None)
            and all((row[name] or "") >= value for name, value in by_role.get("least", {}).items() if value)
            and all(row[name] and row[name] <= value for name, value in by_role.get("most", {}).items() if value)
            and (not words or any(words in (row[name] or "").lower() for name in free_texts(table)))
            for row in found
        )
    if (
        operation.verb != "create"
        and not plain.execute(f"SELECT 1 FROM {table.name} WHERE {where}", [*key.values()]).fetchone()
    ):
        return None
    if operation.verb == "get":
        return True
    try:
        if operation.verb == "create":
            if table.counted:
                values = {table.key[0]: made, **values}  # a key that no row has yet, as the constraint says
            marks = ", ".join("?" * len(values))
            plain.execute(f"INSERT INTO {table.name} ({', '.join(values)}) VALUES ({marks})", [*values.values()])
        elif operation.verb == "delete":
            plain.execute(f"DELETE FROM {table.name} WHERE {where}", [*key.values()])
        else:
            cleared = next(
                (
                    arguments[each.name]
                    for each in operation.parameters
                    if each.role == "clear" and arguments.get(each.name)
                ),
                [],
            )
            values = values | dict.fromkeys(cleared)
            settings = ", ".join(f"{name} = ?" for name in values)
            plain.execute(f"UPDATE {table.name} SET {settings} WHERE {where}", [*values.values(), *key.values()])
    except sqlite3.IntegrityError:
        return None
    return True
