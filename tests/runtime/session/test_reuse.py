"""A database that one session hands on to the next is exactly as a fresh copy of the world."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import Rejection
from runtime.session import reuse
from runtime.session.session import Session
from runtime.session.workspace import Limits
from runtime.session.world import World

Doing = Callable[[Session], Any]
CARD = {"name": "Ada Byron", "email": "ada@example.org"}


def read(session: Session) -> list[Any]:
    """Everything in a database in the order in which it stands, and what is handed out next."""
    connection = session.open().connection
    tables = [connection.execute(f"SELECT * FROM {name}").fetchall() for name in session.domain.schema.tables]
    return [*tables, connection.execute("PRAGMA user_version").fetchone()]


def register(session: Session) -> None:
    session.call("register_member", **CARD)


def reject(session: Session) -> None:
    register(session)
    with pytest.raises(Rejection):
        register(session)


def go_back(session: Session) -> None:
    start = session.snapshot()
    session.call("renew_loan", loan_id="LOAN-0016")
    session.restore(start)


def swap(session: Session) -> None:
    """Take a row out and put it back, which moves it to the end."""
    workspace = session.open()
    with workspace.enter_call(session.domain.tools["register_member"], session.limits, session._changes):
        workspace._tool = _Anything()  # type: ignore[assignment]
        row = workspace.delete("hold", ("HOLD-0001",))
        workspace.insert("hold", row)
        workspace.leave_call()
    workspace.commit()


class _Anything:
    name = label = "test"
    reads = writes = frozenset({"hold"})


DOINGS = [lambda _: None, register, lambda s: s.call("renew_loan", loan_id="LOAN-0016"), reject, go_back, swap]


@pytest.mark.parametrize("do", DOINGS, ids=["nothing", "insert", "update", "rejected", "restored", "deleted"])
@pytest.mark.parametrize("judges", [False, True])
def test_what_a_session_did_is_not_seen_by_the_next(library: Domain, world: World, do: Doing, judges: bool) -> None:
    reuse._waiting().clear()
    with Session(library, world, judges=judges) as fresh:
        expected = read(fresh)
    with Session(library, world, judges=judges) as first:
        do(first)
        changed = first.changes
        first.unmet_duties()
    with Session(library, world, judges=judges) as second:
        assert read(second) == expected
        assert second.changes.rows == {}
        second.call("register_member", name="Charles B", email="charles@example.org")
        do(second)
        assert second.scanned() == (second.changes, second.digest())
    assert first.changes.rows == changed.rows, "what was done is known after the end, too"


def test_a_database_is_handed_on_within_its_thread_its_world_and_its_limits(library: Domain, world: World) -> None:
    reuse._waiting().clear()

    def connection(limits: Limits | None = None, of: World = world) -> Any:
        with Session(library, of, limits=limits) as session:
            return session.open().connection

    first = connection()
    assert connection() is first
    assert connection(Limits(growth_bytes=0)) is not first
    assert connection(of=world.named("other")) is first, "a task's world without rows of its own has the same image"
    elsewhere: list[Any] = []
    thread = threading.Thread(target=lambda: elsewhere.append(connection()))
    thread.start()
    thread.join()
    assert elsewhere[0] is not first


@pytest.mark.parametrize("most", ["_MOST", "_MOST_BYTES"])
def test_few_are_kept(library: Domain, world: World, monkeypatch: pytest.MonkeyPatch, most: str) -> None:
    reuse._waiting().clear()
    before = reuse._Waiting.bytes_of_all
    monkeypatch.setattr(reuse, most, before + 2 * len(world.image) if "BYTES" in most else 2)
    sessions = [Session(library, world) for _ in range(4)]
    for session in sessions:
        session.open()
    for session in sessions:
        session.close()
    assert len(reuse._waiting()) == 2
    assert reuse._Waiting.bytes_of_all == before + 2 * len(world.image)
