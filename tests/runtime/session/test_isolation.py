"""A thousand sessions in one process: each ends in exactly its own state, and takes little memory."""

from __future__ import annotations

import asyncio
import random
import threading
from typing import Any

from runtime.domain.domain import Domain
from runtime.session.pool import ServedSession, SessionPool
from runtime.session.session import Session
from runtime.session.world import World

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
