"""The table: where a wish stands, what the assistant's message is, and what the user does."""

from __future__ import annotations

from collections.abc import Collection
from typing import get_args

import pytest

from runtime.harness.user import CallSeen
from runtime.harness.users.heard import Heard, LeftOut
from runtime.harness.users.machine import MOST_HELD, MOST_REPLIES, Machine
from runtime.harness.users.table import TABLE, Event, Stand
from runtime.task.closed_question import ClosedQuestion
from runtime.task.user import Belief, KnownFact, User, Wish
from tests.runtime.harness.users.hand_made import BOOK, COUNT, MOVE, REJECTED, WRITES

MUCH = LeftOut(tuple(MOVE.facts) * 2)  # more than are said once more, in short
ASKS = Heard("question", compare=lambda: MUCH)
OTHER, REFUSES = Heard("other"), Heard("refusal")
FITS, UNFIT = Heard("proposal", fits=True), Heard("proposal")


class Open:
    """Answers of which these are still to be asked for, by wish."""

    def __init__(self, **open_ones: list[str]) -> None:
        self.left = {int(wish[1:]): names for wish, names in open_ones.items()}

    def next_question(self, wishes: Collection[int]) -> ClosedQuestion | None:
        names = [name for wish in wishes for name in self.left.pop(wish, [])]
        return ClosedQuestion(tuple(names), times=0) if names else None


def begin(*wishes: Wish, answers: Open | None = None) -> Machine:
    machine = Machine(User(profile="Curt.", wishes=list(wishes)), answers or Open())
    machine.open()
    return machine


def test_the_table_has_a_deed_for_every_event_wherever_a_wish_stands() -> None:
    assert set(TABLE) == set(get_args(Stand))
    assert {len(row) for row in TABLE.values()} == {len(get_args(Event))}


@pytest.mark.parametrize("heard", [FITS, UNFIT, ASKS, OTHER])
def test_after_a_write_nothing_is_restated_or_approved(heard: Heard) -> None:
    machine = begin(MOVE, BOOK)
    machine.see(WRITES)
    assert machine.move(heard).deed in ("settle", "pass", "open")


def test_whoever_noted_a_refusal_refuses_whatever_the_words() -> None:
    machine = begin(MOVE, BOOK)
    machine.see((CallSeen("note_it", writes=False, accepted=True, declines=True),))
    assert machine.move(OTHER).after == "refused"


def test_after_a_write_whatever_asks_nothing_is_a_report() -> None:
    machine = begin(MOVE, BOOK)
    machine.see(WRITES)
    move = machine.move(OTHER)
    assert (move.deed, move.wishes, move.after) == ("open", (1,), "seen_to")


def test_a_plan_after_a_write_gets_one_sentence_and_then_the_next_wish() -> None:
    machine = begin(MOVE, BOOK)
    machine.see(WRITES)
    plan = Heard("proposal", plans=True)
    assert [machine.move(plan).deed, machine.move(plan).wishes] == ["settle", (1,)]


def test_a_finished_report_that_asks_whether_it_is_right_gets_thanks_and_the_next_wish() -> None:
    machine = begin(MOVE, BOOK)
    machine.see(WRITES)
    move = machine.move(UNFIT)
    assert (move.deed, move.wishes, move.after, move.first) == ("open", (1,), "seen_to", None)


def test_an_extra_that_a_finished_report_tells_of_is_never_just_thanked_for() -> None:
    machine = begin(MOVE, BOOK)
    machine.see(WRITES)
    move = machine.move(Heard("proposal", adds=True))
    assert (move.wishes, move.first and move.first.deed) == ((1,), "decline")


def test_what_differs_from_the_wish_holds_up_the_next_one() -> None:
    machine = begin(MOVE, BOOK)
    machine.see(WRITES)
    differs = LeftOut(differing=tuple(MOVE.facts[:1]))
    move = machine.move(Heard("proposal", compare=lambda: differs))
    assert (move.deed, move.facts) == ("hold", (MOVE.facts[0],))


def test_a_correction_is_owned_once() -> None:
    machine = begin(MOVE, BOOK)
    corrects = Heard("other", corrects=True)
    assert [machine.move(corrects).owns for _ in range(2)] == [True, False]


def test_whoever_also_asks_for_what_else_there_is_gets_the_next_wish_at_once() -> None:
    machine = begin(MOVE, BOOK)
    offers = Heard("proposal", offers=True, closes=True)
    assert machine.fork(Open()).move(offers).deed == "limit"  # nothing was done yet
    machine.see(WRITES)
    move = machine.move(offers)
    assert (move.deed, move.wishes, move.first and move.first.deed) == ("open", (1,), "decline")


def test_an_offer_beside_what_was_only_asked_gets_the_next_wish_at_once() -> None:
    machine = begin(COUNT, BOOK)
    move = machine.move(Heard("proposal", offers=True))
    assert (move.wishes, move.first and move.first.deed) == ((1,), "decline")


def test_what_is_offered_in_place_of_what_was_asked_is_waived() -> None:
    move = begin(COUNT, BOOK).move(Heard("proposal", offers=True, refuses=True))
    assert (move.wishes, move.first and move.first.deed) == ((1,), "waive")


@pytest.mark.parametrize(
    ("calls", "said", "ahead"),
    [
        pytest.param(WRITES * 2, "I moved it, and booked the Elm Room for 12.", True, id="both"),
        pytest.param(WRITES, "I moved it, and you may book the Elm Room for 12.", False, id="one_write"),
        pytest.param(WRITES * 2, "I moved it, and booked the Elm Room.", False, id="not_all_told"),
        pytest.param(WRITES + REJECTED, "I moved it; the Elm Room for 12 is taken.", False, id="rejected"),
    ],
)
def test_a_wish_that_may_have_been_seen_to_before_is_said_as_such_and_not_again(
    calls: tuple[CallSeen, ...], said: str, ahead: bool
) -> None:
    machine = begin(MOVE, BOOK)
    machine.see(calls, said)
    move = machine.move(OTHER)
    assert (move.wishes, move.unless_done) == ((1,), ahead)
    assert machine.stand == ("ahead" if ahead else "wanted")
    assert machine.move(Heard("other", compare=lambda: MUCH)).ends == ahead


def test_before_a_write_a_statement_is_a_refusal_once_all_was_said() -> None:
    machine = begin(MOVE)
    empty = Heard("other", compare=lambda: MUCH)
    assert [machine.move(empty).deed for _ in range(2)] == ["limit", "restate"]
    assert machine.fork(Open()).move(OTHER).deed == "limit"  # it holds all that was wished: a plan that asks nothing
    move = machine.move(empty)
    assert (move.ends, move.after) == (True, "refused")


def test_where_a_write_was_rejected_a_statement_is_a_refusal_at_once() -> None:
    machine = begin(MOVE)
    machine.see(REJECTED)
    assert machine.move(OTHER).ends


def test_a_wish_that_only_asks_ends_with_any_statement() -> None:
    assert begin(COUNT).move(OTHER).ends


def test_what_it_cannot_match_is_restated_once_and_then_held_back_a_few_times() -> None:
    machine = begin(MOVE)
    deeds = [machine.move(ASKS).deed for _ in range(2 + MOST_HELD)]
    assert deeds == ["restate", *["shrug"] * MOST_HELD, "open"]


def test_a_yes_is_given_only_to_a_proposal_that_fits() -> None:
    assert [begin(MOVE).move(heard).deed for heard in (FITS, UNFIT)] == ["agree", "limit"]


def test_a_plan_that_holds_nothing_of_the_wish_gets_the_wish_again() -> None:
    machine = begin(MOVE)
    facts = tuple(machine.facts_in_words())
    heard = Heard("proposal", compare=lambda: LeftOut(facts, (), facts))
    assert heard.unsaid
    assert [machine.move(heard).deed, machine.move(heard).deed] == ["restate", "hold"]


def test_a_plan_without_the_one_thing_that_was_said_is_agreed_to_if_that_is_what_it_is() -> None:
    machine = begin(
        Wish(words=["Take back the book by Ada Stern."], facts=[KnownFact(name="author", value="Ada Stern")])
    )
    (author,) = machine.facts_in_words()
    move = machine.move(Heard("proposal", compare=lambda: LeftOut((author,), (), (author,), (author,))))
    assert (move.deed, move.facts) == ("provided", (author,))
    assert machine.move(Heard("proposal", compare=lambda: LeftOut((author,), (), (author,)))).deed == "limit"


def test_what_is_only_believed_is_no_fact_of_the_words() -> None:
    facts = [KnownFact(name="title", value="On Roses"), KnownFact(name="day", value="March 19")]
    belief = Belief(name="due date", said="March 19", truth="2026-03-18")
    machine = begin(Wish(words=["On Roses is due on March 19, renew it."], facts=facts, beliefs=[belief]))
    assert [fact.said for fact in machine.facts_in_words()] == ["On Roses"]


def test_a_wish_that_says_a_fact_again_holds_it() -> None:
    first = Wish(words=["Renew On Roses."], facts=[KnownFact(name="title", value="On Roses")])
    machine = begin(first, Wish(words=["Then take On Roses back."], otherwise=0))
    machine.move(Heard("refusal"))
    machine.move(Heard("refusal"))
    assert [fact.said for fact in machine.facts_in_words()] == ["On Roses"]


def test_a_question_gets_the_facts_that_it_asks_for_of_the_wishes_said_so_far() -> None:
    machine = begin(MOVE, BOOK)
    assert [fact.said for fact in machine.move(Heard("question", ("partner", "room"))).facts] == ["Ada Stern"]
    assert machine.move(Heard("question", ("room",), compare=lambda: MUCH)).deed == "restate"


def test_what_a_message_leaves_out_is_not_looked_for_where_the_move_is_the_same_anyway() -> None:
    machine = begin(MOVE, BOOK)
    looked: list[Machine] = []

    def compare() -> LeftOut:
        looked.append(machine)
        return LeftOut()

    machine.see(WRITES)
    assert machine.move(Heard("report", compare=compare)).wishes == (1,)
    assert not looked
    machine.move(Heard("proposal", compare=compare))
    assert looked


def test_a_refusal_is_insisted_on_in_turn_and_then_taken() -> None:
    machine = begin(MOVE.model_copy(update={"insists": ["But I must.", "It is urgent."]}))
    moves = [machine.move(REFUSES) for _ in range(4)]
    assert [move.insists for move in moves[:2]] == ["But I must.", "It is urgent."]
    assert (moves[2].deed, moves[3].ends) == ("stand", True)


def test_a_second_choice_is_said_only_on_a_refusal_of_the_first() -> None:
    wishes = MOVE, BOOK.model_copy(update={"otherwise": 0}), COUNT
    refused, done = begin(*wishes), begin(*wishes)
    refused.see(REJECTED)
    assert refused.move(REFUSES).wishes == (1,)
    done.see(WRITES)
    assert done.move(OTHER).wishes == (2,)


def test_joined_wishes_are_said_and_seen_to_together() -> None:
    machine = Machine(User(profile="", wishes=[MOVE, BOOK.model_copy(update={"joined": True}), COUNT]), Open())
    assert machine.open().wishes == (0, 1)
    machine.see(WRITES)
    assert machine.move(OTHER).wishes == (2,)


def test_answers_are_asked_for_before_the_next_wish_whatever_is_said_meanwhile() -> None:
    machine = begin(COUNT, BOOK, answers=Open(w0=["count", "last"]))
    moves = [machine.move(heard) for heard in (OTHER, UNFIT)]
    assert [move.asks and move.asks.names for move in moves] == [("count", "last"), None]
    assert [move.after for move in moves] == ["seen_to", "noted"]
    assert moves[1].wishes == (1,)


def test_the_answers_of_what_was_refused_are_not_asked_for() -> None:
    machine = begin(MOVE, answers=Open(w0=["day"]))
    machine.see(REJECTED)
    assert machine.move(REFUSES).ends


def test_enough_replies_end_every_wish() -> None:
    machine = begin(MOVE)
    moves = [machine.move(Heard("question", ("partner",))) for _ in range(MOST_REPLIES + len(MOVE.facts) + 1)]
    assert [move.ends for move in moves[-2:]] == [False, True]


def test_whoever_did_nothing_and_asks_what_else_there_is_hears_that_the_wish_stands() -> None:
    machine = begin(MOVE, BOOK)
    through = Heard("other", closes=True, compare=LeftOut)
    assert machine.move(through).deed == "stand"
    gone_on = machine.move(through)
    assert gone_on.deed == "open"
    assert gone_on.after == "refused"
