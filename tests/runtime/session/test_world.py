"""Worlds: the same bytes from the same seed everywhere, one clear sentence for each fault, a person's own file."""

from __future__ import annotations

import hashlib
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.session.session import Session
from runtime.session.world import World, WorldBuilder, build_world, read_world
from tests.conftest import LIBRARY, refused
from tests.making import make_domain, world_of


def count_rows(world: World) -> int:
    connection = world.open()
    counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in world.schema.tables]
    connection.close()
    return sum(counts)


def test_a_seed_and_a_size_always_make_the_same_bytes(library: Domain) -> None:
    first, second = world_of(library), world_of(library)
    assert (first.image, first.digest, first.counter) == (second.image, second.digest, second.counter)


def test_dealt_ids_say_nothing_of_the_order_in_which_rows_were_made(library: Domain) -> None:
    make = partial(build_world, library.populate, library.schema, library.policies, library.now, 3, 100)
    counted, dealt = make(), make("dealt")
    assert (dealt.image, dealt.origin) == (make("dealt").image, {"seed": 3, "size": 100, "ids": "dealt"})
    with closing(counted.open()) as one, closing(dealt.open()) as other:
        emails = [made.execute("SELECT email FROM member ORDER BY member_id").fetchall() for made in (one, other)]
        (highest,) = other.execute("SELECT max(CAST(substr(loan_id, 6) AS INTEGER)) FROM loan").fetchone()
    assert emails[0] != emails[1]
    assert sorted(emails[0]) == sorted(emails[1])
    assert len(emails[0]) < highest <= dealt.counter == 9_999


IN_ANOTHER_PROCESS = """
import hashlib, sys
from pathlib import Path
from runtime.domain.load import load_domain
from runtime.session.session import Session
from runtime.session.world import build_world
domain = load_domain(Path(sys.argv[1]))
world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed=3, size=100)
with Session(domain, world) as session:
    for number in range(60):
        session.call("register_member", name="Ada Park", email=f"ada{number % 7}.{number}@example.org")
    with session.fork() as fork:
        images = world.image + session.image() + fork.image()
        print(hashlib.sha256(images).hexdigest(), session.digest())
"""


def test_worlds_and_states_are_the_same_in_processes_that_hash_differently() -> None:
    answers = set()
    for seed in ("0", "1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", IN_ANOTHER_PROCESS, str(LIBRARY)]
        answers.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(answers) == 1


TWO_TABLES = """
CREATE TABLE thing (       -- A thing
    thing_id TEXT PRIMARY KEY,  -- Its id
    label TEXT NOT NULL,   -- What it is called
    amount INTEGER         -- How many
) STRICT, WITHOUT ROWID;
CREATE TABLE part (        -- A part of a thing
    part_id INTEGER PRIMARY KEY,  -- Its id
    thing_id TEXT NOT NULL REFERENCES thing ON DELETE RESTRICT  -- What it belongs to
) STRICT, WITHOUT ROWID;
CREATE INDEX part_by_thing ON part (thing_id);
"""


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        pytest.param("1 // 0", "world.py crashed: ZeroDivisionError", id="crash"),
        pytest.param(
            "world.insert('part', thing_id='x')", "a row of part that does not fit: FOREIGN KEY", id="foreign"
        ),
        pytest.param("world.insert('thing', label='a', amount='many')", "row of thing that does not fit", id="type"),
        pytest.param("sum(i for i in range(10**12))", "does too much at size 10", id="endless"),
    ],
)
def test_a_fault_of_a_world_program_is_one_sentence(tmp_path: Path, code: str, complaint: str) -> None:
    world = f'"""Fill."""\n\n\ndef populate(world):\n    {code}\n'
    domain = make_domain(tmp_path, schema=TWO_TABLES, world=world)
    with refused(complaint, EnvironmentFault):
        world_of(domain, size=10)


CIRCLE = """
CREATE TABLE team (        -- A team
    team_id INTEGER PRIMARY KEY,  -- Its id
    lead_id INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT  -- Who leads it
) STRICT, WITHOUT ROWID;
CREATE INDEX team_by_lead ON team (lead_id);
CREATE TABLE player (      -- A player
    player_id INTEGER PRIMARY KEY,  -- Their id
    team_id INTEGER NOT NULL REFERENCES team ON DELETE RESTRICT  -- Whom they play for
) STRICT, WITHOUT ROWID;
CREATE INDEX player_by_team ON player (team_id);
"""


def test_a_world_can_hold_rows_that_require_each_other(tmp_path: Path) -> None:
    def populate(world: WorldBuilder) -> None:
        world.insert("team", lead_id=world.size)
        world.insert("player", team_id=1)

    domain = make_domain(tmp_path, schema=CIRCLE)
    make = partial(build_world, populate, domain.schema, domain.policies, domain.now, 1)
    assert count_rows(make(size=1)) == 2
    with pytest.raises(EnvironmentFault, match="a row of 'team' that refers to a missing row of 'player'"):
        make(size=2)


def test_a_row_refers_to_one_that_is_made_after_it_and_counting_goes_on_above_given_keys(tmp_path: Path) -> None:
    def populate(world: WorldBuilder) -> None:
        world.insert("team", team_id=7)
        world.count("team", 7)
        player = world.insert("player", team_id=7)["player_id"]
        world.update("team", 7, lead_id=player if world.size < 2 else 99)
        assert world.insert("team")["team_id"] == 8

    domain = make_domain(tmp_path, schema=CIRCLE.replace("lead_id INTEGER NOT NULL", "lead_id INTEGER"))
    make = partial(build_world, populate, domain.schema, domain.policies, domain.now, 1)
    assert make(size=1).counter == 8
    with pytest.raises(EnvironmentFault, match="changes a row of team so that it does not fit: FOREIGN KEY"):
        make(size=2)


def test_a_world_with_added_rows_is_another_world(library: Domain, world: World) -> None:
    member: dict[str, Any] = {"member_id": "M1", "name": "Ada", "email": "a@b.org", "phone": None}
    member |= {"status": "active", "owed_cents": 0}
    loan: dict[str, Any] = {"loan_id": "L1", "book_id": "BOOK-0001", "member_id": "M1", "borrowed_on": "2026-03-01"}
    loan |= {"due_on": "2026-03-15", "renewals": 0, "status": "out", "returned_at": None}
    more = world.with_rows([("loan", loan), ("member", member)])
    assert count_rows(more) == count_rows(world) + 2
    assert more.digest != world.digest
    with Session(library, more) as session:
        assert [row["loan_id"] for row in session.call("list_loans", member_id="M1")["loans"]] == ["L1"]


# A person's own file


def test_a_file_with_a_damaged_catalog_is_refused_in_one_line(library: Domain, tmp_path: Path) -> None:
    path = own_file(library, tmp_path / "own.db", lambda own: own.execute("CREATE TABLE zzzzzz (a)"))
    path.write_bytes(path.read_bytes().replace(b"zzzzzz", b"z\xff\xfe((("))
    with pytest.raises(UsageError, match="cannot be read: its catalog of tables is damaged"):
        read(library, path)


def own_file(library: Domain, path: Path, fill: Callable[[sqlite3.Connection], object] = lambda _: None) -> Path:
    connection = sqlite3.connect(path, isolation_level=None)
    library.schema.create(connection)
    connection.execute("INSERT INTO member (member_id, name, email) VALUES ('M1', 'Ada', 'ada@example.org')")
    fill(connection)
    connection.close()
    return path


def read(library: Domain, path: Path) -> World:
    return read_world(path, library.schema, library.policies)


def test_a_persons_file_becomes_a_world_and_stays_as_it_is(library: Domain, tmp_path: Path) -> None:
    path = own_file(library, tmp_path / "own.db")
    before = hashlib.sha256(path.read_bytes()).digest()
    world = read(library, path)
    with Session(library, world) as session:
        assert session.call("find_member", email="ADA@example.org")["member_id"] == "M1"
        session.call("register_member", name="Bo Lind", email="bo@example.org")
    assert world.origin == {"file": "own.db"}
    assert hashlib.sha256(path.read_bytes()).digest() == before
    assert [each.name for each in tmp_path.iterdir()] == ["own.db"]


@pytest.mark.parametrize(
    ("statements", "complaint"),
    [
        pytest.param(
            "INSERT INTO loan VALUES ('L', 'B', 'M1', '2026-01-01', '2026-01-02', 0, 'out', NULL)",
            "has a row of 'loan' that refers to a missing row of 'book'",
            id="foreign_key",
        ),
        pytest.param(
            "DROP TABLE book; CREATE TABLE book (book_id, title, author, topic, copies);"
            "INSERT INTO book VALUES ('B', 't', 'a', 't', 'many')",
            "cannot be used as a world: cannot store TEXT value in INTEGER column book.copies",
            id="type",
        ),
        pytest.param(
            "DROP TABLE book; CREATE TABLE book (book_id, title, author, topic, copies);"
            "INSERT INTO book VALUES ('B', 't', 'a', 't', 0)",
            "cannot be used as a world: CHECK constraint failed",
            id="check",
        ),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_one_line(
    library: Domain, tmp_path: Path, statements: str, complaint: str
) -> None:
    path = own_file(library, tmp_path / "own.db", lambda own: own.executescript(statements))
    with refused(complaint):
        read(library, path)
