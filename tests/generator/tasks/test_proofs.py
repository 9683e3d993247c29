"""Every proof holds for a sound task, and each planted defect is refused by the proof that is for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.tasks.compose import Composer
from generator.tasks.plan import TaskPlan
from generator.tasks.proofs.all import prove_candidate, prove_line
from generator.tasks.proofs.replayer import ProofName, TaskReplayer
from runtime.domain.domain import Domain
from runtime.task.story import Story
from runtime.task.task import EndCheck, TaskEnd
from tests.generator.tasks.candidates import candidate_of, refused, with_task
from tests.generator.tasks.things import make_things, queue_things


@pytest.fixture
def things(tmp_path: Path) -> Domain:
    """The domain of things to count."""
    return make_things(tmp_path)


ALL: set[ProofName] = {
    "replay",
    "inert",
    "necessity",
    "sensitivity",
    "tolerance",
    "sufficiency",
    "identifiability",
    "obedience",
    "order",
    "documented",
    "explorability",
}


@pytest.mark.parametrize("name", ["bring_a_book_back", "keep_a_book_longer", "queue_for_a_lent_book"])
def test_a_sound_task_passes_every_trial_of_every_proof(library: Domain, name: str) -> None:
    proofs = prove_candidate(candidate_of(library, name, 1)).proofs
    assert proofs.keys() == ALL
    assert all(proof.holds and proof.passed == proof.tried > 0 for proof in proofs.values())


def test_an_extra_write_is_tried_in_every_table_that_tools_write(library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    trials = prove_line(library, candidate.task, candidate.world).trials["sensitivity"]
    assert [trial.what for trial in trials].count("extra") == 4  # declined_request, hold, loan, member
    assert [trial.what for trial in trials].count("gone") == 6


def test_a_question_alone_makes_a_task(things: Domain) -> None:
    def ask(story: Story) -> None:
        thing = story.pick("thing", "amount = 7")
        story.tell("How many of {label} are there?", label=thing["label"])
        story.answer("amount", story.call("find_thing", label=thing["label"])["amount"])

    assert refused(candidate_of(things, ask, 1)) == ("", "")


def test_a_step_that_a_later_one_makes_pointless_is_refused(things: Domain) -> None:
    def change_mind(story: Story) -> None:
        thing = story.pick("thing", "amount = 3")
        story.tell("About {label}.", label=thing["label"])
        found = story.call("find_thing", label=thing["label"])
        for amount in (story.choose("first", (70,)), story.choose("then", (80,))):
            story.tell("There are {amount}.", amount=amount)
            story.call("set_amount", thing_id=found["thing_id"], amount=amount)

    candidate = candidate_of(things, change_mind, 1)
    assert refused(candidate) == ("necessity", "Leaving out step 1 (set_amount) is rewarded.")


def test_a_state_that_depends_on_the_order_of_the_goals_is_refused(things: Domain) -> None:
    proof, reason = refused(candidate_of(things, queue_things, 1))
    assert proof == "order"
    assert reason == "The wishes cannot be fulfilled in the order 2, 1."


def test_a_value_made_of_a_new_id_is_refused(things: Domain) -> None:
    def stamp(story: Story) -> None:
        label = story.choose("label", ("Screws",))
        story.tell("Put a stamp on {label}.", label=label)
        story.call("stamp_thing", label=label)

    proof, reason = refused(candidate_of(things, stamp, 1))
    assert proof == "tolerance"
    assert reason.startswith("With other ids it is not rewarded:")


def test_a_composed_text_counts_for_nothing(library: Domain) -> None:
    candidate = candidate_of(library, queue_with_own_words, 1)
    with TaskReplayer(library, candidate.task, candidate.world) as replayer:
        (name, change), *_ = replayer.final.changes.rows.items()
        position = library.schema.tables["hold"].positions["note"]
        assert change.before is None
        assert change.after is not None
        changes = replayer.final.changes.copy()
        del changes.rows[name]
        changes.record(*name, None, (*change.after[:position], "Whatever", *change.after[position + 1 :]))
        assert replayer.dictated == set()
        assert replayer.judged.is_rewarded(changes)
    assert refused(candidate) == ("", "")


NOTE = "Can only come on Saturdays"


def queue_with_own_words(story: Story) -> None:
    """Queue for a book, and have the desk told about Saturdays."""
    when = story.choose("when", ["on Saturdays"])
    note = story.compose("note", "Can only come {when}", when=when)
    hold = story.pick("hold", "status = 'waiting'")
    book = story.row("book", hold["book_id"])
    member = story.pick("member", "member_id NOT IN (SELECT member_id FROM hold WHERE book_id = ?)", hold["book_id"])
    words = "I'm {email}. Queue me for {title} by {author}, and tell the desk that I can come only {when}."
    story.tell(words, email=member["email"], title=book["title"], author=book["author"], when=when)
    found = story.call("find_member", email=member["email"])
    books = story.call("search_books", words=book["title"])["books"]
    wanted = [entry for entry in books if entry["book_id"] == book["book_id"]][0]
    story.call("place_hold", member_id=found["member_id"], book_id=wanted["book_id"], note=note)


def test_a_task_that_offers_too_few_tools_is_refused(library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    assert refused(with_task(candidate, explorable=["find_member", "list_loans"])) == (
        "explorability",
        "2 tools can be used in its world; at least 9 must be.",
    )


PLAN = TaskPlan(1, 1, 1, "train", 1, has_forms=True)


def test_a_further_end_is_another_one_and_is_proven_like_the_first(composer: Composer) -> None:
    candidate = composer.compose_alone("leave_one_of_two_numbers", PLAN)
    task = candidate.task
    (end,) = task.ends
    assert refused(candidate) == ("", "")
    same = TaskEnd(chain=task.chain, expected=task.expected)
    assert refused(with_task(candidate, ends=[same])) == ("ends", "Ends 0 and 1 are the same.")
    unreached = end.model_copy(update={"chain": end.chain[:-1]})
    assert refused(with_task(candidate, ends=[unreached]))[1].startswith("The chain is not rewarded: ")


def test_a_check_fails_somewhere_and_what_it_does_not_ask_for_stays(composer: Composer) -> None:
    candidate = composer.compose_alone("get_at_least_some_fees_waived", PLAN)
    waived, identified = candidate.task.checks
    assert refused(candidate) == ("", "")
    empty = EndCheck(claim="somebody has a card", sql="SELECT 1 FROM member")
    proof, why = refused(with_task(candidate, checks=[waived, identified, empty]))
    assert (proof, why.partition(" holds at the start")[0]) == ("checks", "The check 'somebody has a card'")
    assert refused(with_task(candidate, checks=[identified]))[0] == "necessity"
    assert refused(with_task(candidate, may_change=[]))[0] == "replay"
