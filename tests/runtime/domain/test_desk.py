"""The two tools and the two rules that every domain with people has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from runtime.domain.domain import Domain
from runtime.errors import Rejection
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.judge import AcceptedCall, find_violations

NORA = {"member_id": "MEMBER-0009"}
EMAIL, PHONE = "nora.moreno9@example.org", "(937) 555-0174"
KNOWN = {**NORA, "email": EMAIL, "phone": PHONE}
RENEWED = AcceptedCall(2, "renew_loan", {"loan_id": "LOAN-0016"})
IDENTIFIED = AcceptedCall(1, "note_identification", KNOWN)


@pytest.mark.parametrize(
    ("details", "kind", "said"),
    [
        ({"email": EMAIL}, "INVALID_ARGUMENT", "at least 2"),
        ({}, "INVALID_ARGUMENT", "at least 2"),
        ({"email": EMAIL, "phone": "(937) 555-0175"}, "FAILED_PRECONDITION", "phone"),
        ({"email": "nora@example.org", "phone": PHONE}, "FAILED_PRECONDITION", "email"),
    ],
)
def test_too_few_details_and_those_that_do_not_match_are_refused(
    library: Domain, world: World, details: dict[str, str], kind: str, said: str
) -> None:
    with Session(library, world) as session:
        with pytest.raises(Rejection, match=said) as refused:
            session.call("note_identification", **NORA, **details)
        assert refused.value.kind == kind
        assert not session.changes.rows


def test_details_match_in_any_spelling_and_the_caller_is_noted_once_a_day(library: Domain, world: World) -> None:
    with Session(library, world) as session:
        noted = session.call("note_identification", **NORA, email=EMAIL.upper(), phone="937-555-0174")
        assert noted == {"member_id": "MEMBER-0009", "noted_on": library.now[:10]}
        with pytest.raises(Rejection) as refused:
            session.call("note_identification", **KNOWN)
        assert refused.value.kind == "ALREADY_EXISTS"
        with pytest.raises(Rejection) as refused:
            session.call("note_identification", member_id="MEMBER-9999", email=EMAIL, phone=PHONE)
        assert refused.value.kind == "NOT_FOUND"


def test_a_refusal_is_about_a_record_that_the_rule_names_and_is_noted_once(library: Domain, world: World) -> None:
    early = {**NORA, "rule_code": "RENEWAL_WINDOW"}
    with Session(library, world) as session:
        with pytest.raises(Rejection, match="'BOOK-0014' is not a loan_id") as refused:
            session.call("decline_request", **early, subject_id="BOOK-0014")
        assert refused.value.kind == "NOT_FOUND"
        session.call("decline_request", **early, subject_id="LOAN-0016")
        with pytest.raises(Rejection) as refused:
            session.call("decline_request", **early, subject_id="LOAN-0016")
        assert refused.value.kind == "ALREADY_EXISTS"
        with pytest.raises(Rejection) as refused:
            session.call("decline_request", **NORA, rule_code="NO_RULE", subject_id="LOAN-0016")
        assert refused.value.kind == "INVALID_ARGUMENT"


def codes(library: Domain, world: World, *calls: AcceptedCall) -> list[str]:
    return [each.rule for each in find_violations(library, world, calls)]


def test_nothing_of_anybodys_is_changed_before_the_caller_is_identified(library: Domain, world: World) -> None:
    assert codes(library, world, RENEWED) == ["IDENTIFIED_FIRST"]
    assert codes(library, world, RENEWED, replace(IDENTIFIED, number=3)) == ["IDENTIFIED_FIRST"]
    assert codes(library, world, IDENTIFIED, RENEWED) == []


def test_nothing_of_somebody_else_is_changed(library: Domain, world: World) -> None:
    with world.open() as connection:
        (loan,) = connection.execute(
            "SELECT loan_id FROM loan WHERE status = 'out' AND member_id <> ? AND renewals = 0"
            " AND due_on BETWEEN ? AND ? AND book_id NOT IN (SELECT book_id FROM hold WHERE status = 'waiting')"
            " ORDER BY loan_id",
            ("MEMBER-0009", library.now[:10], "2026-03-20"),
        ).fetchone()
    others = AcceptedCall(2, "renew_loan", {"loan_id": loan})
    assert codes(library, world, IDENTIFIED, others) == ["OWN_RECORDS"]


def test_what_anybody_may_ask_for_and_who_is_new_need_no_identification(library: Domain, world: World) -> None:
    back = AcceptedCall(1, "return_book", {"loan_id": "LOAN-0016"})
    assert "IDENTIFIED_FIRST" not in codes(library, world, back)
    made = AcceptedCall(1, "register_member", {"name": "Ada Byron", "email": "ada@example.org"})
    waits = AcceptedCall(2, "place_hold", {"member_id": "MEMBER-0051", "book_id": "BOOK-0014"})
    assert codes(library, world, made, waits) == []
