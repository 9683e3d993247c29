"""The final state beside the expected one agrees with the verdict, row by row and value by value."""

from __future__ import annotations

from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.harness.evaluation.store import DomainInRun, describe_domain
from runtime.harness.record import EpisodeRecord
from runtime.page.tell import compare_state, required_answers
from runtime.task.task_file import read_tasks
from tests.runtime.harness.played import Turn, play, play_reference, void


@pytest.fixture(scope="module")
def described(library: Domain) -> DomainInRun:
    return describe_domain(library)


def _compare(record: EpisodeRecord, library: Domain, described: DomainInRun) -> list[dict[str, Any]]:
    return compare_state(record, read_tasks(library)[record.task], described)


def _statuses(rows: list[dict[str, Any]]) -> list[str]:
    return [row["status"] for row in rows]


def _column(row: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in row["columns"] if each["name"] == name)


@pytest.mark.parametrize("task", ["keep-a-book", "card-and-queue", "late-and-next"])
def test_a_reached_goal_has_every_expected_row_and_no_other(library: Domain, described: DomainInRun, task: str) -> None:
    rows = _compare(play_reference(library, task), library, described)
    assert set(_statuses(rows)) - {"ignored"} == {"made"}  # a log is ignored
    assert {each["status"] for row in rows for each in row["columns"]} <= {"same", "accepted", "ignored"}


def test_new_rows_with_other_numbers_are_paired_and_count_as_right(library: Domain, described: DomainInRun) -> None:
    """Another member is registered first and takes the number that the expected member has."""
    stray: list[Turn] = [[("register_member", {"name": "A B", "email": "a@example.org"})]]
    note = "can only pick up on Saturdays after 2 PM"
    numbered: list[Turn] = [
        [("register_member", {"name": "Tom Kowalski", "email": "tom.kowalski@example.org", "phone": "(614) 555-0142"})],
        [("place_hold", {"member_id": "MEMBER-0052", "book_id": "BOOK-0014", "note": note})],
    ]
    rows = _compare(play(library, "card-and-queue", [*stray, *numbered]), library, described)
    assert _statuses(rows) == ["made", "made", "extra"]
    member, hold, other = rows
    assert (member["key"], other["key"]) == (["MEMBER-0052"], ["MEMBER-0051"])
    assert _column(hold, "member_id")["status"] == "accepted"
    assert _column(hold, "hold_id")["status"] == "accepted"
    assert _column(hold, "book_id")["status"] == "same"


def test_a_wrong_value_is_marked_and_the_right_ones_beside_it_are_not(library: Domain, described: DomainInRun) -> None:
    wrong: list[Turn] = [
        [("register_member", {"name": "Tom Kowalski", "email": "other@example.org", "phone": "(614) 555-0142"})],
        [("place_hold", {"member_id": "MEMBER-0051", "book_id": "BOOK-0014", "note": "Only on Mondays"})],
    ]
    member, hold = _compare(play(library, "card-and-queue", wrong), library, described)
    assert (member["status"], hold["status"]) == ("wrong", "made")  # its note is in the assistant's own words
    assert _column(member, "email") == {
        "name": "email",
        "wanted": "tom.kowalski@example.org",
        "found": "other@example.org",
        "status": "wrong",
    }
    assert _column(member, "name")["status"] == "same"
    assert _column(hold, "note")["status"] == "accepted"


def test_what_was_not_done_is_missing(library: Domain, described: DomainInRun) -> None:
    assert _statuses(_compare(play(library, "card-and-queue", []), library, described)) == ["missing", "missing"]
    loan, identification = _compare(play(library, "keep-a-book", []), library, described)
    assert identification["status"] == "missing"
    assert loan["status"] == "missing"
    due = _column(loan, "due_on")
    assert (due["was"], due["found"], due["wanted"]) == ("2026-03-20", "2026-03-20", "2026-04-03")


def test_a_value_changed_in_a_row_nobody_asked_about_is_extra(library: Domain, described: DomainInRun) -> None:
    other: list[Turn] = [[("return_book", {"loan_id": "LOAN-0016"})]]
    (loan, *rest) = _compare(play(library, "keep-a-book", other), library, described)
    assert loan["status"] == "wrong"
    assert _column(loan, "status") == {
        "name": "status",
        "was": "out",
        "wanted": "out",
        "found": "returned",
        "status": "extra",
    }
    assert _column(loan, "returned_at")["status"] == "ignored"
    assert [row["status"] for row in rest if row["table"] == "identification"] == ["missing"]
    assert all(row["status"] == "extra" for row in rest if row["table"] != "identification")


def test_a_void_episode_is_not_judged(library: Domain, described: DomainInRun) -> None:
    record = void(play_reference(library, "late-and-next"))
    rows = _compare(record, library, described)
    assert set(_statuses(rows)) == {"unjudged"}
    assert [each["status"] for each in required_answers(record, read_tasks(library)[record.task])] == ["unjudged"]
