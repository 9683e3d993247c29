"""What one call is held to: its budgets, which end it at the same step in every session, and the frozen clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.limits import Limits
from runtime.session.session import Session
from runtime.session.world import World
from tests.runtime.session.warehouse import make_warehouse, stock

SMALL = Limits(code_steps=20_000, sql_steps=30_000, growth_bytes=100_000)


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return make_warehouse(tmp_path_factory.mktemp("warehouse"))


@pytest.fixture(scope="module")
def worlds(warehouse: Domain) -> World:
    return stock(warehouse)


@pytest.fixture
def open_one(warehouse: Domain, worlds: World) -> Iterator[Callable[..., Session]]:
    opened: list[Session] = []

    def open_session(limits: Limits = SMALL) -> Session:
        opened.append(Session(warehouse, worlds, limits=limits))
        return opened[-1]

    yield open_session
    for session in opened:
        session.close()


def warmed(session: Session) -> Session:
    """A session whose statements are cached and have run many times, to odd step counts."""
    for number in range(40):
        session.perform("count_up", {"to": 13 + 7 * number})
        session.perform("count_rows", {"to": 13 + 7 * number})
    session.reset()
    return session


def parked(session: Session) -> Session:
    warmed(session).park()
    return session


@pytest.mark.parametrize(
    ("how", "error"),
    [
        pytest.param("reject", Rejection, id="rejection"),
        pytest.param("crash", EnvironmentFault, id="crash"),
        pytest.param("wrong_type", EnvironmentFault, id="wrong_type"),
        pytest.param("missing", EnvironmentFault, id="missing_field"),
        pytest.param("extra", EnvironmentFault, id="extra_field"),
        pytest.param("not_a_row", EnvironmentFault, id="list"),
        pytest.param("large", EnvironmentFault, id="large_text_for_a_number"),
        pytest.param("loop", Rejection, id="loop"),
        pytest.param("recursion", Rejection, id="recursive_sql"),
        pytest.param("join", Rejection, id="cross_join"),
        pytest.param("double", Rejection, id="doubled_text"),
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


@pytest.mark.parametrize("how", ["loop", "recursion", "join", "double", "fill"])
def test_what_outgrows_a_budget_is_rejected_as_exhausted(open_one: Callable[..., Session], how: str) -> None:
    outcome = open_one().perform("add_and_fail", {"how": how})
    assert outcome.rejection is not None
    assert outcome.rejection.kind == "RESOURCE_EXHAUSTED"


def test_a_result_of_too_many_bytes_is_rejected(open_one: Callable[..., Session]) -> None:
    session = open_one(Limits(result_bytes=1_000))
    assert len(session.perform("list_numbers", {"count": 20, "text": "a"}).text) < 1_000
    outcome = session.perform("list_numbers", {"count": 100, "text": "a"})
    assert outcome.text.startswith("RESOURCE_EXHAUSTED: The result has 2,")


def test_a_write_whose_result_is_too_large_is_undone(open_one: Callable[..., Session]) -> None:
    session = open_one(Limits(result_bytes=1_000))
    outcome = session.perform("add_item", {"label": "x" * 2_000})
    assert outcome.rejection is not None
    assert outcome.rejection.kind == "RESOURCE_EXHAUSTED"
    assert session.scanned()[0].rows == {}


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


def border(holds: Callable[[int], bool], high: int) -> int:
    """The largest number for which something holds, which holds for 1."""
    low = 1
    assert holds(low)
    assert not holds(high)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


@pytest.mark.parametrize("tool", ["count_up", "count_rows"])
@pytest.mark.parametrize("steps", [5_000, 30_000])
def test_the_sql_budget_has_one_border_in_every_session(
    open_one: Callable[..., Session], tool: str, steps: int
) -> None:
    limits = Limits(sql_steps=steps)

    def fits(session: Session, to: int) -> bool:
        outcome = session.perform(tool, {"to": to})
        assert outcome.rejection is None or outcome.rejection.kind == "RESOURCE_EXHAUSTED"
        return outcome.rejection is None

    def fits_fresh(to: int) -> bool:
        with open_one(limits) as session:
            return fits(session, to)

    most = border(fits_fresh, 10_000)
    used = [warmed(open_one(limits)), parked(open_one(limits)), warmed(open_one(limits)).fork()]
    for session in used:
        for _ in range(25):
            assert fits(session, most)
            assert not fits(session, most + 1)
            assert fits(session, most - 1)
        session.close()


def test_a_rejection_that_is_kept_does_not_move_the_border(open_one: Callable[..., Session]) -> None:
    limits = Limits(code_steps=4_000, sql_steps=50_000)
    fresh = open_one(limits)
    most = border(lambda to: fresh.perform("count_rows", {"to": to}).rejection is None, 4_000)
    used = open_one(limits)
    kept = [used.perform("count_rows", {"to": 3_900 + number}) for number in range(20)]
    assert {outcome.rejection.kind for outcome in kept if outcome.rejection} == {"RESOURCE_EXHAUSTED"}
    assert used.perform("count_rows", {"to": most}).rejection is None
    assert used.perform("count_rows", {"to": most + 1}).rejection is not None


def test_the_python_budget_has_one_border_in_every_session(open_one: Callable[..., Session]) -> None:
    limits = Limits(code_steps=700)
    fresh = open_one(limits)
    most = border(lambda count: fresh.perform("list_numbers", {"count": count, "text": ""}).rejection is None, 5_000)
    for session in (open_one(limits), warmed(open_one(limits)), parked(open_one(limits))):
        for _ in range(5):
            assert session.perform("list_numbers", {"count": most, "text": ""}).rejection is None
            assert session.perform("list_numbers", {"count": most + 1, "text": ""}).rejection is not None


def fill(session: Session) -> int:
    """How many items of 700 characters fit."""
    count = 0
    while session.perform("add_item", {"label": f"{session.snapshot().counter:0700d}"}).rejection is None:
        count += 1
    return count


def test_a_database_is_full_at_the_same_row_however_it_came_about(open_one: Callable[..., Session]) -> None:
    whole = fill(open_one())
    session = open_one()
    for number in range(60):
        session.call("add_item", label=f"{number:0700d}")
        if number % 3 == 0:
            item_id = session.diff()[number // 7].key[0]
            session.call("write", verb="delete", table="item", key=[item_id], values={})
    rows = len(session.diff())
    fork, snapshot = session.fork(), session.snapshot()
    left = fill(session)
    assert fill(fork) == left
    fork.close()
    session.restore(snapshot)
    session.park()
    assert fill(session) == left
    assert rows + left == whole > 100
    session.reset()
    assert fill(session) == whole


def test_a_full_database_can_still_shrink(open_one: Callable[..., Session]) -> None:
    session = open_one()
    fill(session)
    item_id = session.diff()[0].key[0]
    session.call("write", verb="delete", table="item", key=[item_id], values={})
    session.call("add_item", label="x" * 600)
    assert session.perform("add_item", {"label": "y" * 900}).rejection is not None


# The clock


@pytest.mark.parametrize(
    ("sql", "values", "answer"),
    [
        pytest.param("SELECT date('now')", [], "2026-03-16", id="date"),
        pytest.param("SELECT date()", [], "2026-03-16", id="date_of_nothing"),
        pytest.param("SELECT time('now')", [], "09:30:00", id="time"),
        pytest.param("SELECT datetime('NOW', '+1 day')", [], "2026-03-17 09:30:00", id="modifier"),
        pytest.param("SELECT strftime('%Y-%m-%d %H:%M', 'now')", [], "2026-03-16 09:30", id="strftime"),
        pytest.param("SELECT strftime('%Y')", [], "2026", id="strftime_of_nothing"),
        pytest.param("SELECT date(?)", ["now"], "2026-03-16", id="bound"),
        pytest.param("SELECT strftime(?, ?)", ["%Y", "Now"], "2026", id="bound_format"),
        pytest.param("SELECT julianday('now') = julianday('2026-03-16 09:30:00')", [], 1, id="julianday"),
        pytest.param("SELECT unixepoch('now')", [], 1773653400, id="unixepoch"),
        pytest.param("SELECT date(CAST('now' AS BLOB))", [], "2026-03-16", id="bytes"),
        pytest.param("SELECT date(x'6e6f77')", [], "2026-03-16", id="bytes_literal"),
        pytest.param("SELECT date('now' || char(0))", [], "2026-03-16", id="now_before_nul"),
        pytest.param("SELECT datetime('2026-03-16 09:30:00', 'localtime')", [], None, id="localtime"),
        pytest.param("SELECT datetime('2026-03-16 09:30:00', x'6c6f63616c74696d65')", [], None, id="localtime_bytes"),
        pytest.param("SELECT datetime('2026-03-16 09:30:00', 'utc')", [], None, id="utc"),
        pytest.param("SELECT datetime('subsec')", [], None, id="subsec"),
        pytest.param("SELECT date('2024-02-28', '+1 day')", [], "2024-02-29", id="arithmetic"),
        pytest.param("SELECT date('tomorrow')", [], None, id="no_date"),
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
