"""Claims about the session on which stories are told: it says what any other says, and executes a call once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.tasks.remembering_session import RememberingSession
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.session.session import Session, Snapshot
from runtime.session.world import World, build_world
from tests.conftest import SHIPPED_LIBRARY

Call = tuple[str, Mapping[str, Any]]


@pytest.fixture(scope="module")
def domain() -> Domain:
    return load_domain(SHIPPED_LIBRARY)


@pytest.fixture(scope="module")
def world(domain: Domain) -> World:
    return build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, 100)


@pytest.fixture(scope="module")
def remembering(domain: Domain, world: World) -> Iterator[RememberingSession]:
    """One for all examples, so that most of what they ask is remembered from others."""
    with RememberingSession(domain, world) as session:
        yield session


KNOWN = {"email": "elena.costa1@example.org", "phone": "(216) 555-0197"}
CALLS: tuple[Call, ...] = (
    ("search_books", {"words": "the"}),
    ("list_loans", {"member_id": "MEMBER-0001"}),
    (
        "note_identification",
        {"member_id": "MEMBER-0001", "email": "elena.costa1@example.org", "phone": "(216) 555-0197"},
    ),
    ("return_book", {"loan_id": "LOAN-0003"}),
    ("renew_loan", {"loan_id": "LOAN-0016"}),
    ("borrow_book", {"member_id": "MEMBER-0001", "book_id": "BOOK-0007"}),
    ("place_hold", {"member_id": "MEMBER-0001", "book_id": "BOOK-0018"}),
    ("register_member", {"name": "Ada Byron", "email": "ada@example.org"}),
    ("register_member", {"name": "Eve Adams", "email": "ada@example.org"}),
    ("list_loans", {"member_id": "nobody"}),
    ("no_such_tool", {}),
)
ACTS = st.one_of(st.integers(0, len(CALLS) - 1), st.sampled_from(["reset", "keep", "back", "park"]))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(ACTS, max_size=9))
def test_it_says_what_any_other_session_says(
    domain: Domain, world: World, remembering: RememberingSession, acts: list[int | str]
) -> None:
    with Session(domain, world) as plain:
        remembering.reset()
        told: list[list[Any]] = [_play(session, acts) for session in (plain, remembering)]
        assert told[0] == told[1]
        assert remembering.scanned() == plain.scanned()


def _play(session: Session, acts: list[int | str]) -> list[Any]:
    """All that can be seen of a session after each act."""
    seen: list[Any] = []
    kept: Snapshot = session.snapshot()
    for act in acts:
        match act:
            case "reset":
                session.reset()
            case "keep":
                kept = session.snapshot()
            case "back":
                session.restore(kept)
            case "park":
                session.park()
            case int():
                tool, arguments = CALLS[act]
                seen.append(session.forbidding(tool, arguments) if tool != "no_such_tool" else ())
                outcome = session.perform(tool, arguments)
                seen.append((outcome.result, outcome.text, str(outcome.rejection)))
        state = session.snapshot()
        seen.append((session.digest(), state.changes, state.changes.grown, state.counter))
        seen.append(session.read_start("SELECT count(*) FROM member WHERE member_id > ?", ["MEMBER-0001"]))
    return seen


def test_a_call_is_executed_once_in_a_state(domain: Domain, world: World) -> None:
    with RememberingSession(domain, world) as session:
        story = CALLS[2], CALLS[1], CALLS[7]
        first = [session.perform(*call).result for call in story]
        assert None not in first
        ends_as = session.digest()
        session.reset()
        session.park()
        assert [session.perform(*call).result for call in story] == first
        assert session.connection is None, "nothing of it had to be executed again"
        assert session.digest() == ends_as
        session.perform(*CALLS[3])
        assert session.scanned()[1] == session.digest()


def test_a_call_that_reads_nothing_of_what_changed_is_remembered(domain: Domain, world: World) -> None:
    with RememberingSession(domain, world) as session:
        found = session.perform(*CALLS[0]).result
        assert found is not None
        session.perform(*CALLS[2])
        session.park()
        assert session.perform(*CALLS[0]).result == found
        assert session.connection is None
        book = next(each for each in found["books"] if each["available"])
        lent = session.perform("borrow_book", {"member_id": "MEMBER-0002", "book_id": book["book_id"]})
        assert lent.result is not None
        assert session.perform(*CALLS[0]).result != found, "a copy less can be borrowed"


def test_a_snapshot_of_another_world_is_refused(domain: Domain, world: World) -> None:
    other = build_world(domain.populate, domain.schema, domain.policies, domain.now, 2, 100)
    with RememberingSession(domain, world) as session, pytest.raises(UsageError, match="another world"):
        session.restore(Session(domain, other).snapshot())
