"""A clock that moves: what happens when, what an agent is told, and that time is state like rows."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.clock import ClockPlan
from runtime.session.faults import FaultPlan, FaultSource
from runtime.session.session import Session, open_stored_session
from runtime.session.world import World, read_world
from runtime.task.task import write_world
from tests.making import world_of, write_domain

WORLD = '''
def populate(world):
    """Two things."""
    for label in ("a", "b"):
        world.insert("thing", thing_id=label, label=label, amount=5)
'''
TOOLS = '''
@tool(writes=["thing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def take(db: Database, thing_id: Annotated[str, "Which"]) -> Done:
    """Take one."""
    amount = db.require("thing", thing_id)["amount"]
    if amount == 0:
        raise Rejection.failed_precondition("There is none left.")
    db.update("thing", thing_id, amount=amount - 1)
    return {"done": True}


@tool(writes=["thing"])
def label_all(db: Database) -> Done:
    """Label all with the time."""
    for thing in db.select("SELECT thing_id, strftime('%H:%M') AS at FROM thing"):
        db.update("thing", thing["thing_id"], label=thing["at"] + " " + db.now[11:16])
    return {"done": True}


@tool(reads=["thing"])
def look(db: Database) -> Done:
    """Look."""
    return {"done": bool(db.value("SELECT count(*) FROM thing"))}


@tool()
def peek(db: Database, table: Annotated[str, "Which"]) -> Done:
    """Read what no tool may read."""
    return {"done": bool(db.value("SELECT plan FROM " + table))}
'''
SOLD = {"table": "thing", "kind": "changed", "key": ["a"], "columns": {"amount": 0}}
TAKE_B = {"tool": "take", "arguments": {"thing_id": "b"}}
MINUTE = {"seconds": 60}
PLAN: dict[str, Any] = {
    "until": "2026-03-16 18:00:00",
    "events": [
        {"id": "news", "at": "2026-03-16 11:00:00", "notice": "A message came."},
        {"id": "sold", "at": "2026-03-16 12:00:00", "rows": [SOLD]},
        {"id": "told", "after": {"event": "sold", "seconds": 1800}, "notice": "All of a are sold."},
        {
            "id": "look",
            "after": {"tool": "look", "seconds": 600},
            "call": {"tool": "take", "arguments": {"thing_id": "b"}},
        },
        {
            "id": "few",
            "when": {
                "sql": "SELECT 1 FROM thing WHERE thing_id = :t AND amount < 4",
                "values": {"t": "b"},
                "seconds": 60,
            },
            "rows": [{"table": "thing", "kind": "added", "key": ["c"], "columns": {"label": "c", "amount": 9}}],
            "notice": "More has come.",
        },
        {"id": "late", "at": "2026-03-16 17:00:00", "call": {"tool": "take", "arguments": {"thing_id": "a"}}},
    ],
}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return load_domain(write_domain(tmp_path_factory.mktemp("clock"), tools=TOOLS, world=WORLD))


@pytest.fixture(scope="module")
def planned(small: Domain) -> World:
    return world_of(small, 1, 20).planned(ClockPlan.model_validate(PLAN))


@pytest.fixture
def session(small: Domain, planned: World) -> Iterator[Session]:
    with Session(small, planned) as opened:
        yield opened


def amounts(session: Session) -> dict[str, int]:
    session.open()
    assert session.connection is not None
    return dict(session.connection.execute("SELECT thing_id, amount FROM thing").fetchall())


def wait(session: Session, **arguments: Any) -> tuple[str, list[str]]:
    found = session.call("wait", **arguments)
    return found["now"][11:16], [each["text"] for each in found["notices"]]


def test_waiting_jumps_to_the_first_notice_and_events_happen_on_the_way(session: Session) -> None:
    assert wait(session, minutes=15) == ("09:45", [])
    assert wait(session, until="2026-03-16 14:00") == ("11:00", ["A message came."])
    assert wait(session, minutes=500) == ("12:30", ["All of a are sold."])
    assert amounts(session) == {"a": 0, "b": 5}
    assert session.perform("take", {"thing_id": "a"}).text == "FAILED_PRECONDITION: There is none left."
    assert [each["text"] for each in session.call("notices")["notices"]] == ["A message came.", "All of a are sold."]
    session.settle()
    assert [(moment[11:16], event.id, fault) for moment, event, fault in session.clock.happened] == [
        ("11:00", "news", ""),
        ("12:00", "sold", ""),
        ("12:30", "told", ""),
        ("17:00", "late", "FAILED_PRECONDITION: There is none left."),
    ]


def test_events_follow_calls_and_conditions(session: Session) -> None:
    session.call("look")
    session.call("take", thing_id="b")
    assert wait(session, minutes=10) == ("09:40", [])
    assert amounts(session)["b"] == 3
    assert wait(session, minutes=10) == ("09:41", ["More has come."])
    assert amounts(session)["c"] == 9


def test_a_condition_that_no_longer_holds_when_its_time_comes_sets_nothing_off(session: Session) -> None:
    session.call("take", thing_id="b")
    session.call("take", thing_id="b")
    held = session.snapshot()
    session.settle()
    assert "c" in amounts(session)
    session.restore(held)
    back = {"table": "thing", "kind": "changed", "key": ["b"], "columns": {"amount": 5}}
    plan = PLAN | {"events": [{"id": "back", "at": "2026-03-16 09:30:30", "rows": [back]}, *PLAN["events"]]}
    session.plan_for(ClockPlan.model_validate(plan))
    session.settle()
    assert "c" not in amounts(session)


def test_tools_and_their_sql_see_the_time(session: Session) -> None:
    wait(session, until="2026-03-16 10:15")
    session.call("label_all")
    assert {row.after["label"] for row in session.diff() if row.after} == {"10:15 10:15"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "INVALID_ARGUMENT: wait takes one of minutes, until and seconds."),
        ({"minutes": 1, "seconds": 1}, "INVALID_ARGUMENT: wait takes one of"),
        ({"minutes": 0}, "INVALID_ARGUMENT: Argument 'minutes' is 0: it should be"),
        ({"until": "noon"}, "INVALID_ARGUMENT: until is 'noon'; it must be a date and time, as in '2026-03-16 09:30'."),
        ({"until": "2026-03-16T08:00"}, "FAILED_PRECONDITION: It is 2026-03-16 09:30:00 already"),
        ({"until": "2026-03-16 10:00+02:00"}, "INVALID_ARGUMENT: until is"),
    ],
)
def test_a_wrong_wait_is_refused(session: Session, arguments: dict[str, Any], said: str) -> None:
    assert session.perform("wait", arguments).text.startswith(said)
    session.settle()
    assert session.perform("wait", {"minutes": 1}).text.startswith(
        "FAILED_PRECONDITION: It is 2026-03-16 18:00:00, and"
    )


def test_time_is_part_of_snapshots_forks_parking_and_images(session: Session, small: Domain, tmp_path: Path) -> None:
    wait(session, until="2026-03-16 12:10", until_notice=False)
    held, digest = session.snapshot(), session.digest()
    with session.fork() as fork:
        wait(fork, minutes=60)
        assert fork.clock.now == "2026-03-16 12:30:00"
    session.park()
    assert (session.clock.now, amounts(session)["a"]) == ("2026-03-16 12:10:00", 0)
    session.reset()
    assert (session.clock.now, amounts(session)["a"]) == ("2026-03-16 09:30:00", 5)
    session.restore(held)
    assert (session.clock.now, session.digest()) == ("2026-03-16 12:10:00", digest)
    write_world(World(session.image(), 0, small.schema, small.policies, {}), tmp_path / "w.db")
    assert read_world(tmp_path / "w.db", small.schema, small.policies).plan == session.plan


def test_a_session_of_the_same_world_starts_in_the_morning_again(small: Domain, planned: World) -> None:
    for _ in range(2):
        with Session(small, planned) as session:
            session.call("label_all")
            assert {row.after["label"] for row in session.diff() if row.after} == {"09:30 09:30"}
            session.settle()


def test_no_tool_reads_the_plan(session: Session) -> None:
    with pytest.raises(EnvironmentFault, match="reads table 'worldsmith_clock', which it does not declare"):
        session.call("peek", table="worldsmith_clock")


def test_without_a_plan_nobody_can_wait(small: Domain) -> None:
    with Session(small, world_of(small, 1, 20)) as session:
        for name in ("wait", "notices"):
            with pytest.raises(Rejection, match=f"No tool '{name}' exists"):
                session.call(name)
        session.settle()
        assert session.clock.now == small.now


def test_calls_take_the_seconds_that_the_plan_says(small: Domain) -> None:
    world = world_of(small, 1, 20).planned(ClockPlan.model_validate(PLAN | {"call_seconds": 3000}))
    with Session(small, world) as session:
        session.call("look")
        assert session.perform("take", {"thing_id": "x"}).rejection is not None
        assert session.clock.now == "2026-03-16 11:10:00"
        assert wait(session, minutes=1) == ("11:10", ["A message came."])  # it was there already


def test_the_faults_of_a_service_take_time_on_the_same_clock(small: Domain, planned: World) -> None:
    faults = FaultSource(FaultPlan(slow=1.0, slow_seconds=(20.0, 20.0)), 1)
    with Session(small, planned, faults=faults) as session:
        session.perform("look", {})
        assert session.clock.now == "2026-03-16 09:30:21"
        assert session.perform("wait", {"seconds": 9}).result == {"now": "2026-03-16 09:30:30", "notices": []}


def test_a_throttle_ends_though_the_clock_came_to_its_end(small: Domain, planned: World) -> None:
    throttled = FaultSource(FaultPlan(rate_limit=1.0, most_in_a_row=1, retry_after_seconds=(20, 20)), 1)
    with Session(small, planned, faults=throttled) as session:
        session.settle()
        session.perform("notices", {})
        closing = session.clock.now
        assert session.perform("look", {}).fault is not None
        assert "nothing more" in session.perform("wait", {"minutes": 1}).text
        assert session.perform("look", {}).fault is not None  # it was told to wait
        assert session.perform("wait", {"seconds": 20}).result == {"now": closing, "notices": []}
        assert session.perform("look", {}).fault is None
        assert session.clock.now == closing


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ({"id": "x", "notice": "Hm."}, "needs one of at, after and when"),
        ({"id": "x", "at": "2026-03-16 10:00:00"}, "does nothing"),
        ({"id": "x", "after": {"event": "y"}, "notice": "Hm."}, "follows 'y', which is no earlier event"),
        ({"id": "x", "after": {"event": "x"}, "notice": "Hm."}, "follows 'x', which is no earlier event"),
        ({"id": "x", "after": {}, "notice": "Hm."}, "give one of the two"),
        ({"id": "x", "at": "2026-03-16 10:00:00", "rows": [SOLD], "call": {"tool": "look"}}, "it does one of the two"),
    ],
)
def test_a_wrong_event_is_refused(event: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ClockPlan.model_validate({"until": "2026-03-16 18:00:00", "events": [event]})


def open_small(domain: Domain, root: Path, world: World | None = None) -> Session:
    return open_stored_session(domain, root, "s", lambda: world or world_of(domain, 1, 20), {})


def test_a_stored_session_goes_on_at_the_time_at_which_it_was_killed(
    small: Domain, planned: World, tmp_path: Path
) -> None:
    open_small(small, tmp_path, planned).close()
    command = [sys.executable, "-m", "tests.runtime.session.test_clock", str(small.path), str(tmp_path)]
    killed = subprocess.run(command, check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    with open_small(small, tmp_path) as session, Session(small, planned) as undisturbed:
        assert session.plan == planned.plan
        assert [event.id for _, event, _ in session.clock.happened] == ["news", "sold"]
        assert (session.clock.now, amounts(session)["a"]) == ("2026-03-16 12:00:00", 0)
        for each in (session, undisturbed):
            each.settle()
        assert (session.digest(), session.clock.state.fired) == (undisturbed.digest(), undisturbed.clock.state.fired)
        assert (session.changes, session.digest()) == session.scanned()


if __name__ == "__main__":
    held = open_small(load_domain(Path(sys.argv[1])), Path(sys.argv[2]))
    apply = held.apply_event

    def apply_and_die(event: Any) -> str:
        fault = apply(event)
        if event.id == "sold":
            os.kill(os.getpid(), signal.SIGKILL)
        return fault

    held.apply_event = apply_and_die  # type: ignore[method-assign]
    held.call("wait", minutes=600, until_notice=False)
