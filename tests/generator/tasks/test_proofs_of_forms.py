"""What makes a wish hard is fair: each defect that is planted in a form is caught by the proof meant for it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from generator.tasks.candidate import Candidate
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.proofs.mistakes import fingerprints
from generator.tasks.proofs.replayer import TaskReplayer
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.task.mistakes import mistake_of
from runtime.task.story import NoSuchRow, Story, scenario
from tests.generator.tasks.candidates import PROGRAMS, candidate_of, refused

ONE_OF_THAT_TITLE = PROGRAMS["keep_a_book_longer"].__globals__["ONLY_ONE_OF_THAT_TITLE"]
LATER = f"status = 'out' AND renewals < 2 AND due_on > ? AND {ONE_OF_THAT_TITLE}"
WAITED_FOR = "book_id IN (SELECT book_id FROM hold WHERE status = 'waiting' AND hold.member_id <> loan.member_id)"


def first_candidate(library: Domain, program: str | Callable[[Story], None], denied: bool | None = None) -> Candidate:
    """The candidate of a scenario on the first world where it is denied, or permitted, or asks nothing of a rule."""
    for seed in range(1, 40):
        try:
            candidate = candidate_of(library, program, seed)
        except NoSuchRow:
            continue
        if candidate.scripts[0].is_denied is denied:
            return candidate
    raise AssertionError(f"no world has a row for {program!r}")


def ask_to_keep(story: Story, where: str = "1") -> tuple[int, str]:
    loan = story.pick("loan", f"{LATER} AND {where}", story.day(6), mine=True)
    title = story.row("book", loan["book_id"])["title"]
    keep = story.wish("I'd like to keep {title}.", title=title)
    loans = story.call("list_loans", member_id=story.identify())["loans"]
    return keep, story.find(loans, title=title)["loan_id"]


@scenario(form="direct")
def renew_too_early(story: Story) -> None:
    _, loan = ask_to_keep(story)
    story.call("renew_loan", loan_id=loan)


@scenario(form="denied")
def renew_against_two_rules(story: Story) -> None:
    keep, loan = ask_to_keep(story, WAITED_FOR)
    if not story.permits("renew_loan", loan_id=loan):
        story.decline(keep)


def hand_in(story: Story, *titles: str) -> None:
    loans = story.call("list_loans", wish=story.wish("That is all."), member_id=story.identify())["loans"]
    for number, title in enumerate(titles):
        story.call("return_book", wish=number, loan_id=story.find(loans, title=title)["loan_id"])


@scenario(form="coupled")
def hand_in_two(story: Story) -> None:
    loans = story.pick_several("loan", 2, f"status = 'out' AND {ONE_OF_THAT_TITLE}", mine=True)
    titles = [story.row("book", loan["book_id"])["title"] for loan in loans]
    with story.together():
        for title in titles:
            story.wish("Here is {title}.", title=title)
    hand_in(story, *reversed(titles))


@scenario
def swap_without_saying_so(story: Story) -> None:
    PROGRAMS["swap_places_in_queues"](story)


@scenario(form="withheld")
def choose_of_two(story: Story) -> None:
    story.wish("I have a new phone number.")
    phone = story.choose("number", ("555-7301", "555-7310"))
    story.keep_back("new number", phone)
    story.call("change_phone", member_id=story.identify(), phone=phone)


@scenario(form="withheld")
def keep_back_what_does_not_matter(story: Story) -> None:
    story.wish("My new phone number is {phone}.", phone=story.choose("number", ("555-7301", "555-7310")))
    phone = story._script.wishes[0].facts[0].value
    story.keep_back("colour", story.choose("colour", ("red", "green", "blue", "white")))
    story.call("change_phone", member_id=story.identify(), phone=story.choose("number", [phone]))


@scenario(form="mistaken")
def go_wrong_rightly(story: Story) -> None:
    phone = story.choose("number", ("555-7301", "555-7310"))
    story.wish("My new phone number is {phone}.", phone=phone)
    me = story.identify()
    with story.wrong("trusts the user"):
        story.call("change_phone", member_id=me, phone=phone)
    story.call("change_phone", member_id=me, phone=phone)


@scenario(form="mistaken")
def go_right_only(story: Story) -> None:
    phone = story.choose("number", ("555-7301", "555-7310"))
    story.wish("My new phone number is {phone}.", phone=phone)
    story.call("change_phone", member_id=story.identify(), phone=phone)


@pytest.mark.parametrize(
    ("program", "proof", "reason"),
    [
        pytest.param(renew_too_early, "obedience", "is not permitted: Rule ", id="forbidden"),
        pytest.param(hand_in_two, "order", "The coupled wishes can be fulfilled as they are told", id="told_order"),
        pytest.param(swap_without_saying_so, "order", "cannot be fulfilled in the order", id="hidden_coupling"),
        pytest.param(choose_of_two, "asking", "one of only 2 values; at least 4 are needed", id="few_alternatives"),
        pytest.param(keep_back_what_does_not_matter, "asking", "'red' instead of|is rewarded", id="needless_question"),
        pytest.param(go_wrong_rightly, "mistakes", "An agent that trusts the user is rewarded", id="right_mistake"),
        pytest.param(
            go_right_only, "mistakes", "No mistake is known of a scenario of the form mistaken", id="no_mistake"
        ),
    ],
)
def test_a_planted_defect_is_caught(library: Domain, program: Callable[[Story], None], proof: str, reason: str) -> None:
    caught, why = refused(first_candidate(library, program))
    assert caught == proof
    assert re.search(reason, why)


def test_a_call_that_two_rules_deny_has_no_twin(library: Domain) -> None:
    caught, why = refused(first_candidate(library, renew_against_two_rules, denied=True))
    assert (caught, "one rule must do it" in why) == ("twins", True)


@pytest.mark.parametrize("denied", [True, False])
def test_both_twins_are_proven_and_an_agent_that_decides_otherwise_is_recognised(library: Domain, denied: bool) -> None:
    candidate = first_candidate(library, "wait_for_one_more_book", denied)
    assert all(proof.holds for proof in prove_candidate(candidate).values())
    name = "complies against a rule" if denied else "refuses what is permitted"
    with TaskReplayer(library, candidate.task, candidate.world) as replayer:
        known = fingerprints(replayer, candidate)
        task = candidate.task.model_copy(update={"mistakes": known})
        right = mistake_of(task, replayer.final.changes, {}, library.schema, replayer.policies)
    assert (list(known), right) == ([name], None)


def test_a_wish_that_is_not_denied_cannot_be_declined(library: Domain) -> None:
    @scenario(form="denied")
    def decline_anything(story: Story) -> None:
        story.decline(story.wish("I want to speak to somebody."))

    with pytest.raises(EnvironmentFault, match="but no rule denied a call"):
        candidate_of(library, decline_anything, 1)
