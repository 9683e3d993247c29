"""Keys of several columns, which a program can make collide, and what a world program inserts are paid for."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.session.world import build_world
from tests.making import make_domain

SCHEMA = """
CREATE TABLE pair (        -- A pair
    one INTEGER NOT NULL,  -- One
    other INTEGER NOT NULL,  -- Other
    note TEXT,  -- A note
    PRIMARY KEY (one, other)
) STRICT, WITHOUT ROWID;
"""

# 0 and 2^61 - 1 have the same hash, and so have all pairs of them and of their multiples
TOOLS = """
@tool(reads=["pair"])
def look_up(db: Database, count: Annotated[int, "How many"]) -> Done:
    \"\"\"Look pairs up.\"\"\"
    for n in range(count):
        db.get("pair", (n % 4) * 2305843009213693951, n // 4)
    return {"done": True}


@tool(writes=["pair"])
def put_in(db: Database, first: Annotated[int, "From"], count: Annotated[int, "How many"]) -> Done:
    \"\"\"Put pairs in.\"\"\"
    for n in range(first, first + count):
        db.insert("pair", one=n, other=n)
    return {"done": True}
"""


def open_domain(folder: Path, world: str) -> Domain:
    return make_domain(folder, schema=SCHEMA, tools=TOOLS, world=f'"""Pairs."""\n\n\ndef populate(world):\n{world}')


@pytest.fixture
def session(tmp_path: Path) -> Session:
    domain = open_domain(tmp_path, "    return None\n")
    return Session(domain, build_world(domain.populate, domain.schema, domain.policies, domain.now, seed=1, size=10))


def test_looking_up_many_keys_of_numbers_ends(session: Session) -> None:
    assert session.call("look_up", count=200) == {"done": True}
    started = time.process_time()
    with pytest.raises(Rejection, match="RESOURCE_EXHAUSTED"):
        session.call("look_up", count=7_000)  # each of which was 30 steps
    assert time.process_time() - started < 2
    session.close()


def test_a_key_among_many_changed_rows_costs_more(session: Session) -> None:
    for first in range(0, 1_500, 500):
        session.call("put_in", first=first, count=500)
    with pytest.raises(Rejection, match="RESOURCE_EXHAUSTED"):
        session.call("put_in", first=1_500, count=1_500)
    session.close()


@pytest.mark.parametrize(
    "world",
    [
        '    for n in range(world.size * 1_000):\n        world.insert("pair", one=n, other=n)\n',
        '    text = "x" * 200_000\n    for n in range(world.size * 100):\n'
        '        world.insert("pair", one=n, other=n, note=text)\n',
    ],
    ids=["rows", "texts"],
)
def test_a_world_program_pays_for_what_it_inserts(tmp_path: Path, world: str) -> None:
    domain = open_domain(tmp_path, world)
    with pytest.raises(EnvironmentFault, match="does too much at size 100"):
        build_world(domain.populate, domain.schema, domain.policies, domain.now, seed=1, size=100)
