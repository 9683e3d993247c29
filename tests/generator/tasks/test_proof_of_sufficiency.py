"""What the user did not say, or could not, licenses no argument."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.task.story import Story
from runtime.task.user import KnownFact
from tests.generator.tasks.candidates import PROGRAMS, candidate_of, changed_wish, refused, tell_both, with_task
from tests.generator.tasks.things import make_things, queue_things, set_amounts

NOTE = "Can only come on Saturdays"


@pytest.fixture
def things(tmp_path: Path) -> Domain:
    """The domain of things to count."""
    return make_things(tmp_path)


def queue_unsaid(story: Story, note: Any) -> None:
    """Queue for a book with a note that the user never speaks of."""
    hold = story.pick("hold", "status = 'waiting'")
    book = story.row("book", hold["book_id"])
    member = story.pick("member", "member_id NOT IN (SELECT member_id FROM hold WHERE book_id = ?)", hold["book_id"])
    story.tell("I'm {email}. Queue me for {title}.", email=member["email"], title=book["title"])
    found = story.call("find_member", email=member["email"])
    books = story.call("search_books", words=book["title"])["books"]
    wanted = [entry for entry in books if entry["book_id"] == book["book_id"]][0]
    story.call("place_hold", member_id=found["member_id"], book_id=wanted["book_id"], note=note)


def test_a_value_out_of_nowhere_is_refused(library: Domain) -> None:
    proof, reason = refused(candidate_of(library, partial(queue_unsaid, note=NOTE), 1))
    assert (proof, reason) == (
        "sufficiency",
        f"Step 2 (place_hold): note is {NOTE!r}; nothing that the user tells or a tool returns says so.",
    )


def test_the_default_of_a_tool_needs_nobody_to_say_it(library: Domain) -> None:
    assert refused(candidate_of(library, partial(queue_unsaid, note=None), 1)) == ("", "")


def test_an_equal_value_of_something_else_licenses_nothing(things: Domain) -> None:
    def mistake(story: Story) -> None:
        thing = story.pick("thing", "amount = 4")
        story.tell("There are {old} of {label}, I thought.", old=story.choose("old", (9,)), label=thing["label"])
        found = story.call("find_thing", label=thing["label"])
        story.call("set_amount", thing_id=found["thing_id"], amount=story.choose("new", (9,)))

    proof, reason = refused(candidate_of(things, mistake, 1))
    assert proof == "sufficiency"
    assert "a choice (new) that the user had not told" in reason


def ask_for_the_fee(story: Story, days_from_now: int | None) -> None:
    """Bring a late book back and have the fee of another one worked out, for some day that nobody speaks of."""
    PROGRAMS["bring_a_book_back"](story)
    due = story.choose("due", ("2026-03-01",))
    story.tell("What would a book cost that was due on {due}?", due=due)
    returned = story.today if days_from_now is None else story.day(days_from_now)
    story.call("calculate_late_fee", due_on=due, returned_on=returned)


def test_the_clock_says_what_day_it_is_and_no_more(library: Domain) -> None:
    today, friday = (partial(ask_for_the_fee, days_from_now=days) for days in (None, 4))
    assert refused(candidate_of(library, today, 1)) == ("", "")
    proof, reason = refused(candidate_of(library, friday, 1))
    assert proof == "sufficiency"
    assert "returned_on is '2026-03-20'; " in reason


def test_a_value_told_in_a_later_scenario_is_told_too_late(things: Domain) -> None:
    candidate = tell_both(things, [partial(set_amounts, amounts=(30,)), queue_things])
    first, second = candidate.scripts
    late = (replace(first, told_in={}), replace(second, told_in=first.told_in | second.told_in))
    proof, reason = refused(replace(candidate, scripts=late))
    assert (proof, "had not told by then" in reason) == ("sufficiency", True)


def test_an_id_that_only_the_database_knows_is_refused(library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    known = KnownFact(name="loan", value="LOAN-0047", said="loan LOAN-0047")
    user = changed_wish(candidate.task.user, facts=[*candidate.task.user.facts, known])
    fault = "The user says the id 'LOAN-0047', which only the database knows."
    assert refused(with_task(candidate, user=user)) == ("sufficiency", fault)
