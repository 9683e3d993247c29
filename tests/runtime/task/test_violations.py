"""Which rules an episode broke: each accepted call by the state it was made in, the duties at the end."""

from __future__ import annotations

from pydantic import TypeAdapter

from runtime.domain.domain import Domain
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.judge import AcceptedCall, find_violations
from runtime.verification.verdict import Verdict, Violation


def someone(world: World) -> tuple[str, str, dict[str, str]]:
    """An active member without debts or loans of late, a book to borrow, and what identifies the member."""
    with world.open() as connection:
        (member,) = (
            connection.execute(
                "SELECT member_id FROM member WHERE status = 'active' AND owed_cents = 0 AND member_id NOT IN"
                " (SELECT member_id FROM loan WHERE status = 'out' OR borrowed_on > '2026-02-20') ORDER BY member_id"
            ).fetchone()
            or connection.execute(
                "SELECT member_id FROM member WHERE status = 'active' AND owed_cents = 0 ORDER BY member_id"
            ).fetchone()
        )
        (book,) = connection.execute(
            "SELECT book_id FROM book WHERE copies > (SELECT count(*) FROM loan WHERE loan.book_id = book.book_id AND"
            " status = 'out') AND book_id NOT IN (SELECT book_id FROM loan WHERE member_id = ?) ORDER BY book_id",
            (member,),
        ).fetchone()
        email, phone = connection.execute("SELECT email, phone FROM member WHERE member_id = ?", (member,)).fetchone()
    return member, book, {"member_id": member, "email": email, "phone": phone}


def test_a_call_that_the_tool_refused_and_one_that_only_reads_break_nothing(library: Domain, world: World) -> None:
    calls = [
        AcceptedCall(1, "find_member", {"email": "nobody@example.org"}),
        AcceptedCall(2, "borrow_book", {"member_id": "nobody", "book_id": "nothing"}),
        AcceptedCall(3, "no_tool", {}),
    ]
    assert find_violations(library, world, calls) == ()


def test_a_duty_left_undone_is_a_violation_without_a_call(library: Domain, world: World) -> None:
    member, book, known = someone(world)
    calls = [
        AcceptedCall(1, "note_identification", known),
        AcceptedCall(2, "decline_request", {"member_id": member, "subject_id": book, "rule_code": "DEBT_LIMIT"}),
        AcceptedCall(3, "borrow_book", {"member_id": member, "book_id": book}),
    ]
    last = find_violations(library, world, calls)[-1]
    assert last == Violation("DECLINED_STAYS")
    assert last.sentence == "The duty DECLINED_STAYS was not fulfilled."
    with Session(library, world) as strict:
        assert strict.unmet_duties() == ()


def test_a_violation_takes_the_reward_but_not_that_of_the_final_state_alone() -> None:
    broken = Violation("LOAN_LIMIT", 3, "borrow_book", "BOOK-0001")
    verdict = Verdict((), 1, 1, 0, 0, violations=(broken,))
    assert (verdict.reward, verdict.reward_by("final_state"), verdict.reward_by("final_state_and_rules")) == (0, 1, 0)
    assert broken.sentence == "borrow_book for BOOK-0001 broke LOAN_LIMIT."
    assert TypeAdapter(Violation).validate_python(verdict.as_json()["violations"][0]) == broken
