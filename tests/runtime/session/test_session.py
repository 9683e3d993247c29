"""A session's state: what calls do to it, and that going back, over and aside leads to exactly the state asked for."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import Rejection, UsageError
from runtime.session.session import Session
from runtime.session.world import World
from tests.making import world_of
from tests.runtime.session.lending import random_call

CALLS = 2_500  # of each seed


@pytest.fixture
def store(warehouse: Domain, worlds: World) -> Iterator[Session]:
    with Session(warehouse, worlds) as session:
        yield session


def write(session: Session, verb: str, table: str, *key: Any, **values: Any) -> None:
    session.call("write", verb=verb, table=table, key=list(key), values=values)


def assert_sound(session: Session) -> None:
    """What is kept agrees with a full scan, and the database with its schema."""
    assert (session.changes, session.digest()) == session.scanned()
    connection = session.connection
    assert connection is not None
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize("seed", [1])
def test_any_sequence_of_calls_and_moves_keeps_state_diff_and_digest_right(session: Session, seed: int) -> None:
    chance = random.Random(seed)
    snapshots = [(session.snapshot(), session.digest())]
    kinds: dict[str, int] = {}
    for number in range(CALLS):
        before = session.digest()
        outcome = session.perform(*random_call(chance, session))
        kinds[outcome.rejection.kind if outcome.rejection else "OK"] = (
            kinds.get(outcome.rejection.kind if outcome.rejection else "OK", 0) + 1
        )
        if outcome.rejection is not None:
            assert session.digest() == before
        if number % 7 == 0:
            move_about(chance, session, snapshots)
        if number % 25 == 0:
            assert_sound(session)
    assert_sound(session)
    for snapshot, digest in snapshots:
        session.restore(snapshot)
        assert session.digest() == digest
        assert_sound(session)
    assert session.call_count == CALLS
    assert kinds["OK"] > CALLS // 4
    assert kinds.keys() >= {"INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"}


def move_about(chance: random.Random, session: Session, snapshots: list[Any]) -> None:
    match chance.choice(["snapshot", "restore", "park", "fork", "reset", "none", "none"]):
        case "snapshot":
            snapshots.append((session.snapshot(), session.digest()))
        case "restore":
            snapshot, digest = chance.choice(snapshots)
            session.restore(snapshot)
            assert session.digest() == digest
        case "park":
            digest = session.digest()
            session.park()
            assert session.digest() == digest
        case "fork":
            with session.fork() as fork:
                assert fork.digest() == session.digest()
                assert fork.scanned() == session.scanned()
        case "reset" if chance.random() < 0.2:
            session.reset()
            assert session.diff() == []
            assert session.digest() == snapshots[0][1]


def test_chains_of_references_can_be_restored_in_both_directions(store: Session) -> None:
    start = store.snapshot()
    write(store, "insert", "item", item_id="A", label="a")
    write(store, "insert", "crate", crate_id=50, item_id="A")
    write(store, "insert", "slot", aisle=9, order=1, crate_id=50)
    write(store, "delete", "slot", 0, 0)
    write(store, "delete", "crate", 1)
    write(store, "delete", "item", "ITEM-0001")
    far, digest = store.snapshot(), store.digest()
    for _ in range(2):
        store.restore(start)
        assert store.diff() == []
        assert_sound(store)
        store.restore(far)
        assert store.digest() == digest
        assert_sound(store)
    with pytest.raises(Rejection, match="refer"):
        write(store, "delete", "item", "A")


def test_a_snapshot_of_another_world_is_refused(store: Session, warehouse: Domain) -> None:
    with Session(warehouse, world_of(warehouse, 1, 20)) as other, pytest.raises(UsageError, match="another world"):
        store.restore(other.snapshot())


def test_a_row_that_differs_only_in_generated_columns_shows_in_neither_diff_nor_digest(store: Session) -> None:
    digest = store.digest()
    store.call("touch", item_id="ITEM-0001", at="2026-03-16 09:30:00")
    assert (store.digest(), store.diff()) == (digest, [])
    assert len(store.changes.rows) == 1
    assert_sound(store)
    store.park()
    assert store.call("query", sql="SELECT touched_at FROM item WHERE touched_at IS NOT NULL", values=None) == {
        "rows": [{"touched_at": "2026-03-16 09:30:00"}]
    }


def test_a_diff_is_sorted_by_table_and_key_and_says_what_changed(store: Session) -> None:
    write(store, "insert", "crate", crate_id=100, item_id="ITEM-0001")
    write(store, "insert", "crate", crate_id=20, item_id="ITEM-0001")
    write(store, "update", "item", "ITEM-0009", amount=1, price=2)
    write(store, "delete", "slot", 0, 0)
    write(store, "update", "item", "ITEM-0002", amount=5)
    diff = store.diff()
    assert [(line.table, line.key, line.kind) for line in diff] == [
        ("item", ("ITEM-0002",), "changed"),
        ("item", ("ITEM-0009",), "changed"),
        ("crate", (20,), "added"),
        ("crate", (100,), "added"),
        ("slot", (0, 0), "removed"),
    ]
    assert diff[1].changed == {"price": (4.0, 2.0), "amount": (8, 1)}
    assert store.diff() == diff
    store.park()
    assert store.diff() == diff


def test_a_closed_session_refuses_clearly(warehouse: Domain, worlds: World) -> None:
    session = Session(warehouse, worlds)
    snapshot = session.snapshot()
    session.close()
    session.close()
    uses: list[Callable[[], object]] = [
        lambda: session.call("add_item", label="a"),
        session.scanned,
        session.image,
        session.reset,
        lambda: session.restore(snapshot),
    ]
    for use in uses:
        with pytest.raises(UsageError, match="closed; open a new one"):
            use()
