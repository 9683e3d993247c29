"""A thousand sessions in one process: each ends in exactly its own state, and takes little memory."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
import sys
import threading
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.session.pool import ServedSession, SessionPool
from runtime.session.session import Session
from runtime.session.world import World
from tests.conftest import LIBRARY

SESSIONS = 1_000
CALLS = 4  # of each session
TASKS = 60


def calls_of(number: int, world: World) -> list[tuple[str, dict[str, Any]]]:
    """The calls of one session, most of which change something."""
    chance = random.Random(number)
    connection = world.open()
    loans = [row[0] for row in connection.execute("SELECT loan_id FROM loan WHERE status = 'out' ORDER BY 1")]
    connection.close()
    calls: list[tuple[str, dict[str, Any]]] = []
    for turn in range(CALLS):
        loan = {"loan_id": chance.choice(loans)}
        email = f"ada{number}.{turn}@example.org"
        calls.append(
            chance.choice(
                [
                    ("register_member", {"name": "Ada Park", "email": email}),
                    ("register_member", {"name": "Ada Park", "email": email}),
                    ("return_book", loan),
                    ("renew_loan", loan),
                    ("search_books", {"words": "the"}),
                ]
            )
        )
    return calls


def test_a_thousand_interleaved_sessions_end_each_in_its_own_state(library: Domain, world: World) -> None:
    plans = [calls_of(number, world) for number in range(SESSIONS)]
    answers: list[list[str]] = [[] for _ in plans]
    chance = random.Random(0)

    async def work(served: list[ServedSession], share: list[int]) -> None:
        for _ in range(CALLS):
            chance.shuffle(share)
            for number in share:
                name, arguments = plans[number][len(answers[number])]
                outcome = await served[number].run(served[number].session.perform, name, arguments)
                answers[number].append(outcome.text)

    async def whole() -> list[tuple[str, int]]:
        pool = SessionPool(most_open=16)
        served = [pool.add(Session(library, world)) for _ in plans]
        await asyncio.gather(*(work(served, list(range(task, SESSIONS, TASKS))) for task in range(TASKS)))
        assert pool.open_count <= 16
        states = [(each.session.digest(), each.session.snapshot().counter) for each in served]
        for each in served[::50]:
            assert (each.session.changes, each.session.digest()) == await each.run(each.session.scanned)
        await pool.close()
        return states

    before = threading.active_count()
    states = asyncio.run(whole())
    assert threading.active_count() == before
    for plan, texts, state in zip(plans, answers, states, strict=True):
        with Session(library, world) as alone:
            assert [alone.perform(*call).text for call in plan] == texts
            assert (alone.digest(), alone.snapshot().counter) == state
    assert len({digest for digest, _ in states}) > SESSIONS * 0.9


MEASURE = """
import gc, json, sys
from pathlib import Path
from runtime.domain.load import load_domain
from runtime.session.session import Session
from runtime.session.world import build_world

def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

domain = load_domain(Path(sys.argv[1]))
world = build_world(domain.populate, domain.schema, domain.policies, domain.now, seed=1, size=1_900)

def use(session):
    for number in range(20):
        session.perform("register_member", {"name": "Ada Park", "email": f"ada{number}@example.org"})
        session.perform("list_loans", {"member_id": f"MEMBER-{number + 1:04d}"})
    session.perform("search_books", {"words": "the"})

def measure(count, then):
    before = resident()
    sessions = [Session(domain, world) for _ in range(count)]
    for session in sessions:
        use(session)
        then(session)
    each = (resident() - before) / count
    for session in sessions:
        session.close()
    return each

measure(20, Session.park)  # what the first ones load belongs to none
print(json.dumps({
    "world": len(world.image),
    "parked": measure(60, Session.park),
    "open": measure(60, lambda session: None),
}))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_a_session_takes_little_more_memory_than_its_world() -> None:
    command = [sys.executable, "-c", MEASURE, str(LIBRARY)]
    figures = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    print(figures)  # shown by pytest -s
    assert 200_000 < figures["world"] < 320_000
    assert figures["parked"] < 1.5 * figures["world"] + 150 * 1024
    assert figures["open"] < 1.5 * figures["world"] + 400 * 1024
