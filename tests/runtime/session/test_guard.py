"""What one call is held to: its budgets and the frozen clock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.session.workspace import Limits
from runtime.session.world import World

SMALL = Limits(code_steps=20_000, sql_steps=30_000, growth_bytes=100_000)


@pytest.fixture
def open_one(warehouse: Domain, worlds: World) -> Iterator[Callable[..., Session]]:
    opened: list[Session] = []

    def open_session(limits: Limits = SMALL) -> Session:
        opened.append(Session(warehouse, worlds, limits=limits))
        return opened[-1]

    yield open_session
    for session in opened:
        session.close()


@pytest.mark.parametrize(
    ("how", "error"),
    [
        pytest.param("reject", Rejection, id="rejection"),
        pytest.param("crash", EnvironmentFault, id="crash"),
        pytest.param("recursion", Rejection, id="recursive_sql"),
        pytest.param("fill", Rejection, id="filled_database"),
    ],
)
def test_a_tool_that_fails_after_writing_leaves_nothing_behind(
    open_one: Callable[..., Session], how: str, error: type[Exception]
) -> None:
    session = open_one()
    session.call("add_item", label="before")
    before = (session.digest(), session.diff(), session.snapshot().counter, session.image())
    messages = set()
    for _ in range(3):
        with pytest.raises(error) as raised:
            session.call("add_and_fail", how=how)
        messages.add(str(raised.value))
    assert len(messages) == 1
    assert (session.digest(), session.diff(), session.snapshot().counter) == before[:3]
    assert (session.changes, session.digest()) == session.scanned()
    assert session.call("add_item", label="after")["rows"][0]["item_id"] == "ITEM-0012"


def test_a_text_beyond_its_limit_is_rejected(open_one: Callable[..., Session]) -> None:
    session = open_one(Limits(text_bytes=5_000))
    assert session.perform("add_item", {"label": "x" * 4_000}).rejection is None
    for sql in (
        "SELECT printf('%4000d', 1) || printf('%4000d', 1) AS n",
        "SELECT replace('aaa', 'a', printf('%4000d', 1)) AS n",
    ):
        rejection = session.perform("query", {"sql": sql}).rejection
        assert rejection is not None
        assert rejection.kind == "RESOURCE_EXHAUSTED"
    rejection = session.perform("add_item", {"label": "x" * 6_000}).rejection
    assert rejection is not None
    assert rejection.kind == "RESOURCE_EXHAUSTED"


NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) "


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param(NUMBERS + "SELECT count(*) AS n FROM n", id="loop"),
        pytest.param("SELECT count(*) AS n FROM item a, item b, item c, item d, item e, item f, item g", id="join"),
    ],
)
def test_a_statement_that_would_hold_the_call_up_is_rejected_soon(open_one: Callable[..., Session], sql: str) -> None:
    session = open_one(Limits())
    started = time.process_time()
    assert session.perform("query", {"sql": sql}).text.startswith("RESOURCE_EXHAUSTED")
    assert time.process_time() - started < 5
    assert rows(session, "SELECT 1 AS n") == [{"n": 1}]


def test_a_query_reads_no_table_that_the_tool_does_not_declare_however_it_is_named(
    warehouse: Domain, worlds: World
) -> None:
    with closing(worlds.open()) as connection:
        connection.execute("CREATE TABLE bookkeeping (note TEXT)")
        image = connection.serialize()
    for sql in (
        "SELECT count(*) AS n FROM SECRET",
        "SELECT 1 AS n FROM [Secret] AS item",
        "SELECT count(*) AS n FROM SQLITE_Schema",
        "SELECT count(*) AS n FROM bookkeeping",
        "SELECT note FROM bookkeeping",
        "WITH n AS (SELECT note FROM Bookkeeping) SELECT count(*) AS n FROM n",
    ):
        with Session(warehouse, replace(worlds, image=image)) as session:
            with pytest.raises(EnvironmentFault, match="reads table '(secret|sqlite_schema|bookkeeping)'"):
                session.call("query", sql=sql)
            assert rows(session, "WITH n(i) AS (SELECT 1) SELECT count(*) AS n FROM N, ITEM")[0]["n"] >= 0


# The clock


@pytest.mark.parametrize(
    ("sql", "values", "answer"),
    [
        pytest.param("SELECT date('now')", [], "2026-03-16", id="date"),
        pytest.param("SELECT time('now')", [], "09:30:00", id="time"),
        pytest.param("SELECT strftime('%Y-%m-%d %H:%M', 'now')", [], "2026-03-16 09:30", id="strftime"),
        pytest.param("SELECT date(?)", ["now"], "2026-03-16", id="bound"),
        pytest.param("SELECT datetime('2026-03-16 09:30:00', 'localtime')", [], None, id="localtime"),
    ],
)
def test_sql_sees_only_the_frozen_clock(
    open_one: Callable[..., Session], sql: str, values: list[Any], answer: object
) -> None:
    session = open_one()
    for _ in range(2):
        assert list(rows(session, sql, *values)[0].values()) == [answer]


def test_the_clock_can_be_asked_for_after_a_call_that_ended_in_the_middle_of_a_result(
    open_one: Callable[..., Session],
) -> None:
    session = open_one(Limits(code_steps=2_000))
    kept = [session.perform("count_rows", {"to": 3_000}) for _ in range(3)]
    assert [outcome.text[:18] for outcome in kept] == ["RESOURCE_EXHAUSTED"] * 3
    assert rows(session, "SELECT date('now') AS day") == [{"day": "2026-03-16"}]


def rows(session: Session, sql: str, *values: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = session.call("query", sql=sql, values=list(values))["rows"]
    return found
