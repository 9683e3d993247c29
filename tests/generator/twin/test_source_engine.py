"""A twin's tools accept, refuse, round, and store what the source's own engine does: PostgreSQL and MariaDB judge."""

from __future__ import annotations

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
from generator.twin.world import given_database, write_world
from runtime.domain.load import load_domain
from runtime.session.session import Session
from runtime.session.world import read_world
from tests.generator.twin.servers import Server, mariadb, postgres

SCHEMA = """
CREATE TABLE owner (id integer PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, phone varchar(20));
CREATE TABLE pet (id integer PRIMARY KEY, owner_id integer NOT NULL, name varchar(40) NOT NULL,
    weight decimal(6, 2) CHECK (weight > 0), is_tame boolean NOT NULL DEFAULT true, born_on date,
    UNIQUE (owner_id, name), FOREIGN KEY (owner_id) REFERENCES owner (id));
CREATE TABLE visit (pet_id integer NOT NULL, day date NOT NULL, fee decimal(8, 2) NOT NULL DEFAULT 25,
    stars integer CHECK (stars BETWEEN 1 AND 5), PRIMARY KEY (pet_id, day), FOREIGN KEY (pet_id) REFERENCES pet (id));
INSERT INTO owner VALUES (1, 'Ann Lee', '555'), (2, 'Bo Hill', NULL), (3, 'Cy Drew', '556'), (4, 'Di Moe', '1');
INSERT INTO pet VALUES (1, 1, 'Rex', 4.5, true, '2020-01-02'), (2, 1, 'Tom', NULL, false, NULL),
    (3, 2, 'Rex', 2.25, true, '2021-05-06'), (4, 3, 'Kit', 3, true, NULL);
INSERT INTO visit VALUES (1, '2024-01-02', 30, 5), (1, '2024-02-02', 12.5, NULL), (2, '2024-01-02', 0, 1);
"""
CALLS = 300


@pytest.fixture(params=[postgres, mariadb])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with request.param(tmp_path_factory.mktemp("server")) as server:
        server.run(SCHEMA)
        yield server


def test_each_write_comes_to_what_it_comes_to_in_the_source(server: Server, tmp_path: Path) -> None:
    settled = settle(read_source(server.address))
    operations = {each.name: each for each in offer_operations(settled) if each.verb in ("create", "update", "delete")}
    folder = tmp_path / "pets"
    folder.mkdir()
    draft_of(settled, offer_operations(settled), "pets", "pets", write_world(settled)).write(folder)
    given_database(settled, tmp_path / "given.db")
    domain, chance, outcomes = load_domain(folder), random.Random(7), Counter[tuple[str, bool]]()
    world = read_world(tmp_path / "given.db", domain.schema, domain.policies)
    start = Start(domain, world)
    samplers = {name: Sampler(domain.tools[name], start) for name in operations}
    spoiler = Spoiler(start, chance)
    address = server.address.replace("postgresql:", "postgresql+psycopg:").replace("mariadb:", "mariadb+pymysql:")
    with closing(sqlalchemy.create_engine(address, poolclass=sqlalchemy.NullPool).connect()) as source:
        for number in range(CALLS):
            name = list(operations)[number % len(operations)]
            operation, table = operations[name], settled.tables[operations[name].table]
            arguments = samplers[name].sample(chance, samplers[name].anchor(chance))
            arguments = spoiler.name_nothing(arguments) if chance.random() < 0.2 else arguments
            for each in operation.parameters:  # to be rounded
                if isinstance(arguments.get(each.name), float):
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
            if theirs is not None:
                assert sorted(map(repr, own)) == sorted(map(repr, theirs)), (name, arguments)
    assert all(outcomes[verb, accepted] for verb in ("create", "update", "delete") for accepted in (True, False))


def _in_source(
    source: sqlalchemy.Connection,
    operation: Operation,
    table: SettledTable,
    arguments: dict[str, Any],
    made: set[tuple[Any, ...]],
) -> list[tuple[Any, ...]] | None:
    """The rows of a table after the same write in the source, which is rolled back; None if it refuses it."""
    given = {
        each.column: arguments[each.name] for each in operation.parameters if each.name in arguments and each.column
    }
    given = {name: value for name, value in given.items() if operation.verb == "create" or value is not None}
    key = {name: given.pop(name) for name in table.key if name in given} if operation.verb != "create" else {}
    where = " AND ".join(f"{name} = :{name}" for name in key)
    for each in operation.parameters:
        if each.role == "clear":
            given |= dict.fromkeys(arguments.get(each.name) or [])
    try:
        if operation.verb == "create":
            if table.counted:  # the key is the tool's to choose
                given[table.key[0]] = next(iter(made))[0] if made else 10_000
            columns, marks = ", ".join(given), ", ".join(f":{name}" for name in given)
            source.execute(sqlalchemy.text(f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"), given)
        elif operation.verb == "delete":
            done = source.execute(sqlalchemy.text(f"DELETE FROM {table.name} WHERE {where}"), key)
            if not done.rowcount:
                return None
        else:
            if not source.execute(sqlalchemy.text(f"SELECT 1 FROM {table.name} WHERE {where}"), key).fetchone():
                return None
            settings = ", ".join(f"{name} = :{name}" for name in given)
            source.execute(sqlalchemy.text(f"UPDATE {table.name} SET {settings} WHERE {where}"), {**given, **key})
        rows = source.execute(sqlalchemy.text(f"SELECT {', '.join(table.columns)} FROM {table.name}")).fetchall()
        return [tuple(_plain(value) for value in row) for row in rows]
    except (sqlalchemy.exc.IntegrityError, sqlalchemy.exc.DataError, sqlalchemy.exc.OperationalError):
        return None
    finally:
        source.rollback()


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str):
        return value
    return float(value) if isinstance(value, Decimal) else int(value) if isinstance(value, bool | int) else str(value)
