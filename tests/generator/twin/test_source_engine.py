"""A twin's tools find, accept, refuse, round, and store what the source's own engine does: each engine judges."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy

from generator.commands.twin import read_source
from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import Spoiler
from generator.gates.calls.start import Start
from generator.twin.author import draft_of
from generator.twin.operations import offer_operations
from generator.twin.schema import settle
from generator.twin.source import Operation, SettledTable
from generator.twin.words import free_texts
from generator.twin.world import given_database, write_world
from runtime.domain.load import load_domain
from runtime.session.session import Session
from runtime.session.world import read_world
from tests.generator.twin.servers import mariadb, postgres

SCHEMA = """
CREATE TABLE owner (id integer PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, phone varchar(20));
CREATE TABLE pet (id integer PRIMARY KEY, owner_id integer NOT NULL, name varchar(40) NOT NULL,
    weight decimal(6, 2) CHECK (weight > 0), is_tame boolean NOT NULL DEFAULT true, born_on date,
    UNIQUE (owner_id, name), FOREIGN KEY (owner_id) REFERENCES owner (id));
CREATE TABLE visit (pet_id integer NOT NULL, day date NOT NULL, fee decimal(8, 2) NOT NULL DEFAULT 25,
    stars integer CHECK (stars BETWEEN 1 AND 5), PRIMARY KEY (pet_id, day), FOREIGN KEY (pet_id) REFERENCES pet (id));
CREATE TABLE ticket (code varchar(8) PRIMARY KEY, title varchar(20) NOT NULL, state varchar(8) NOT NULL DEFAULT 'new'
    CHECK (state IN ('new', 'open', 'done')), starts_on date NOT NULL, ends_on date NOT NULL,
    CHECK (ends_on >= starts_on));
INSERT INTO owner VALUES (1, 'Ann Lee', '555'), (2, 'Bo Hill', NULL), (3, 'Cy Drew', '556'), (4, 'Di Moe', '1');
INSERT INTO pet VALUES (1, 1, 'Rex', 4.5, true, '2020-01-02'), (2, 1, 'Tom', NULL, false, NULL),
    (3, 2, 'Rex', 2.25, true, '2021-05-06'), (4, 3, 'Kit', 3, true, NULL);
INSERT INTO visit VALUES (1, '2024-01-02', 30, 5), (1, '2024-02-02', 12.5, NULL), (2, '2024-01-02', 0, 1);
INSERT INTO ticket VALUES ('T-1', 'Paint', 'new', '2024-01-01', '2024-01-05'), ('T-2', 'Sand', 'open', '2024-01-02',
    '2024-01-02'), ('T-3', 'Oil', 'done', '2024-02-01', '2024-03-01');
"""
CALLS = 500


@pytest.fixture(params=["sqlite", "postgres", "mariadb"])
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("server")
    if request.param == "sqlite":
        with closing(sqlalchemy.create_engine(f"sqlite:///{place}/pets.db").raw_connection()) as source:
            source.executescript(SCHEMA)  # type: ignore[attr-defined]
        yield f"sqlite:///{place}/pets.db"
        return
    with {"postgres": postgres, "mariadb": mariadb}[request.param](place) as server:
        server.run(SCHEMA)
        yield server.address


def test_each_call_comes_to_what_it_comes_to_in_the_source(address: str, tmp_path: Path) -> None:
    settled = settle(read_source(address))
    operations = {each.name: each for each in offer_operations(settled)}
    folder = tmp_path / "pets"
    folder.mkdir()
    draft_of(settled, [*operations.values()], "pets", "pets", write_world(settled)).write(folder)
    given_database(settled, tmp_path / "given.db")
    domain, chance, outcomes = load_domain(folder), random.Random(7), Counter[tuple[str, bool]]()
    world = read_world(tmp_path / "given.db", domain.schema, domain.policies)
    start = Start(domain, world)
    samplers = {name: Sampler(domain.tools[name], start) for name in operations}
    spoiler = Spoiler(start, chance)
    driver = address.replace("postgresql:", "postgresql+psycopg:").replace("mariadb:", "mariadb+pymysql:")
    with closing(sqlalchemy.create_engine(driver, poolclass=sqlalchemy.NullPool).connect()) as source:
        if driver.startswith("sqlite"):
            source.execute(sqlalchemy.text("PRAGMA foreign_keys = ON"))
            source.commit()
        for number in range(CALLS):
            name = list(operations)[number % len(operations)]
            operation, table = operations[name], settled.tables[operations[name].table]
            arguments = samplers[name].sample(chance, samplers[name].anchor(chance))
            arguments = spoiler.name_nothing(arguments) if chance.random() < 0.2 else arguments
            for each in operation.parameters:  # to be rounded, which SQLite does not do
                if isinstance(arguments.get(each.name), float) and not driver.startswith("sqlite"):
                    arguments[each.name] += 0.004
            with Session(domain, world) as session:
                outcome = session.perform(name, arguments)
                if outcome.rejection is not None and outcome.rejection.kind == "INVALID_ARGUMENT":
                    continue
                session.open()
                assert session.connection is not None
                own = session.connection.execute(f"SELECT * FROM {table.name}").fetchall()
            made = {*own} - {tuple(row.values()) for row in table.rows} if operation.verb == "create" else set()
            theirs = _in_source(source, operation, table, arguments, made)
            is_accepted = outcome.rejection is None
            assert is_accepted == (theirs is not None), (name, arguments, outcome.text)
            outcomes[operation.verb, is_accepted] += 1
            if operation.verb == "find":
                assert json.loads(outcome.text)["total"] == len(theirs or []), (name, arguments)
            elif theirs is not None:
                assert sorted(map(repr, own)) == sorted(map(repr, theirs)), (name, arguments)
    assert all(outcomes[verb, True] for verb in ("find", "get", "create", "update", "delete"))
    assert all(outcomes[verb, False] for verb in ("get", "create", "update", "delete"))


def _in_source(
    source: sqlalchemy.Connection,
    operation: Operation,
    table: SettledTable,
    arguments: dict[str, Any],
    made: set[tuple[Any, ...]],
) -> list[tuple[Any, ...]] | None:
    """The rows of a table that a call finds, or that its write leaves; None if the source refuses it."""
    told = {each.role: arguments.get(each.name) for each in operation.parameters}
    given = {
        each.column: arguments[each.name] for each in operation.parameters if each.name in arguments and each.column
    }
    if operation.verb == "find":
        return [
            row
            for row in _rows(source, table)
            if _is_meant(dict(zip(table.columns, row, strict=True)), operation, table, arguments)
        ]
    given = {name: value for name, value in given.items() if operation.verb == "create" or value is not None}
    key = {name: given.pop(name) for name in table.key if name in given} if operation.verb != "create" else {}
    where = " AND ".join(f"{name} = :{name}" for name in key)
    given |= dict.fromkeys(told.get("clear") or [])
    try:
        if operation.verb == "create":
            if table.counted:  # the key is the tool's to choose
                given[table.key[0]] = next(iter(made))[0] if made else 10_000
            columns, marks = ", ".join(given), ", ".join(f":{name}" for name in given)
            source.execute(sqlalchemy.text(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"), given)
        elif not source.execute(sqlalchemy.text(f"SELECT 1 FROM {table.name} WHERE {where}"), key).fetchone():
            return None
        elif operation.verb == "delete":
            source.execute(sqlalchemy.text(f"DELETE FROM {table.name} WHERE {where}"), key)
        elif operation.verb == "update":
            settings = ", ".join(f"{name} = :{name}" for name in given)
            source.execute(sqlalchemy.text(f"UPDATE {table.name} SET {settings} WHERE {where}"), {**given, **key})
        return _rows(source, table)
    except (sqlalchemy.exc.IntegrityError, sqlalchemy.exc.DataError, sqlalchemy.exc.OperationalError):
        return None
    finally:
        source.rollback()


def _rows(source: sqlalchemy.Connection, table: SettledTable) -> list[tuple[Any, ...]]:
    rows = source.execute(sqlalchemy.text(f"SELECT {', '.join(table.columns)} FROM {table.name}")).fetchall()
    floats = [column.kind == "real" for column in table.columns.values()]
    return [tuple(_plain(value, real) for value, real in zip(row, floats, strict=True)) for row in rows]


def _is_meant(row: dict[str, Any], operation: Operation, table: SettledTable, arguments: dict[str, Any]) -> bool:
    for each in operation.parameters:
        wanted, held = arguments.get(each.name), row.get(each.column or "")
        if wanted is None:
            continue
        if each.role == "search" and not any(wanted.lower() in (row[name] or "").lower() for name in free_texts(table)):
            return False
        if each.role in ("least", "most") and (
            held is None or (held < wanted if each.role == "least" else held > wanted)
        ):
            return False
        if each.role == "equals" and held != wanted:
            return False
    return True


def _plain(value: Any, is_real: bool) -> Any:
    if value is None or isinstance(value, str):
        return value
    if is_real:
        return float(value)
    return int(value) if isinstance(value, bool | int | Decimal) else str(value)
