"""What the user tells must single out each row that is meant."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from generator.tasks.proofs.replayer import Candidate
from runtime.domain.domain import Domain
from runtime.domain.schema import Key
from runtime.session.world import World
from runtime.task.story import Story
from tests.generator.tasks.candidates import candidate_of, refused
from tests.generator.tasks.things import make_things
from tests.making import world_of


def with_copy(world: World, table: str, key: str, **columns: Any) -> World:
    """A world with one more row: a copy of an existing one with some columns changed."""
    declared = world.schema.tables[table]
    connection = world.open()
    record = declared.record(connection.execute(declared.select_row, (key,)).fetchone())
    connection.close()
    return replace(world.with_rows([(table, {**record, **columns})]), origin=world.origin)


def keep_by(story: Story, spoken: Sequence[str] = ()) -> None:
    """Renew one certain loan, told by its book, the member, and some columns of its own."""
    loan = story.pick("loan", "status = 'out' AND renewals < 2 AND due_on >= ?", story.today)
    book, member = story.row("book", loan["book_id"]), story.row("member", loan["member_id"])
    more = "".join(f" {name.replace('_', ' ')}: {{{name}}}." for name in spoken)
    own = {name: loan[name] for name in spoken}
    story.tell("Renew {title} for me, {email}." + more, title=book["title"], email=member["email"], **own)
    found = story.call("find_member", email=member["email"])
    loans = story.call("list_loans", member_id=found["member_id"])["loans"]
    mine = [entry for entry in loans if entry["loan_id"] == loan["loan_id"]][0]
    story.call("renew_loan", loan_id=mine["loan_id"])


@pytest.fixture
def library(library: Domain) -> Domain:
    """The library, in whose worlds anything may hold: what is planted here is a copy of a row in all but one thing."""
    return replace(library, invariants={})


@pytest.fixture
def a_loan(library: Domain) -> Candidate:
    """A sound task about one loan, which copies of the loan can make ambiguous."""
    return candidate_of(library, "keep_a_book_longer", 2)


def picked(candidate: Candidate) -> Key:
    """The key of the first row that a candidate's scenario picked."""
    return candidate.scripts[0].picks[0][1]


def rerun(candidate: Candidate, program: Callable[[Story], None], **columns: Any) -> Candidate:
    """Another candidate about the same loan, in a world that also has a copy of it with some columns changed."""
    key = picked(candidate)
    world = with_copy(candidate.world, "loan", str(key[0]), loan_id="LOAN-9000", **columns)
    return candidate_of(candidate.domain, program, 2, world=world, pins={0: key})


def test_a_row_that_two_fit_is_refused(a_loan: Candidate) -> None:
    assert refused(a_loan) == ("", "")
    proof, reason = refused(rerun(a_loan, keep_by, due_on="2026-12-24"))
    assert proof == "identifiability"
    assert f", renew_loan, is about loan {picked(a_loan)[0]}: what the user tells (" in reason
    assert " fits LOAN-9000 as well." in reason
    assert " Tell what differs: loan." in reason


def test_a_column_that_is_told_sets_the_row_apart(a_loan: Candidate) -> None:
    candidate = rerun(a_loan, partial(keep_by, spoken=("due_on",)), due_on="2026-12-24")
    assert refused(candidate) == ("", "")


def test_a_row_that_the_tool_refuses_is_no_rival(a_loan: Candidate) -> None:
    candidate = rerun(a_loan, keep_by, status="returned", returned_at="2026-03-15 10:00:00")
    assert refused(candidate) == ("", "")


def cancel_a_hold(story: Story) -> None:
    """Leave a queue, told by the day of queueing."""
    hold = story.pick("hold", "status = 'waiting'")
    member = story.row("member", hold["member_id"])
    story.tell("I'm {email} and queued on {placed_at}; forget it.", email=member["email"], placed_at=hold["placed_at"])
    found = story.call("find_member", email=member["email"])
    holds = story.call("list_holds", member_id=found["member_id"])["holds"]
    mine = [entry for entry in holds if entry["hold_id"] == hold["hold_id"]][0]
    story.call("cancel_hold", hold_id=mine["hold_id"])


def test_a_day_that_is_told_sets_a_row_apart(library: Domain) -> None:
    def cancel(story: Story) -> None:
        hold = story.pick("hold", "status = 'waiting'")
        member, day = story.row("member", hold["member_id"]), story.date_of(hold["placed_at"])
        story.tell("I'm {email}. Forget my hold of {day}.", email=member["email"], day=day)
        found = story.call("find_member", email=member["email"])
        holds = story.call("list_holds", member_id=found["member_id"])["holds"]
        mine = [entry for entry in holds if entry["hold_id"] == hold["hold_id"]][0]
        story.call("cancel_hold", hold_id=mine["hold_id"])

    hold = picked(candidate_of(library, cancel, 1))
    for day, proof in (("2024-01-02", ""), (None, "identifiability")):
        moment = {"placed_at": f"{day} 09:00:00"} if day else {}
        world = with_copy(world_of(library, 1, 300), "hold", str(hold[0]), hold_id="HOLD-9000", **moment)
        assert refused(candidate_of(library, cancel, 1, world=world, pins={0: hold}))[0] == proof


LISTED = '''

class Things(TypedDict):
    things: Annotated[list[Thing], "All of them"]


@tool(reads=["thing"])
def list_things(db: Database) -> Things:
    """List all things."""
    return {"things": [_shown(row) for row in db.select("SELECT * FROM thing ORDER BY thing_id")]}


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def read_thing(db: Database, thing_id: Annotated[str, "Which one"]) -> Thing:
    """Read a thing."""
    return _shown(db.require("thing", thing_id))
'''


def test_rows_that_are_only_looked_at_on_the_way_need_no_telling(tmp_path: Path) -> None:
    def count_anew(story: Story) -> None:
        thing, amount = story.pick("thing"), story.choose("amount", (70, 80))
        story.tell("There are {amount} of {label}. How many before?", label=thing["label"], amount=amount)
        things = story.call("list_things")["things"]
        for each in things[:5]:
            story.call("read_thing", thing_id=each["thing_id"])
        own = story.find(things, label=thing["label"])
        story.answer("number before", own["amount"])
        story.call("set_amount", thing_id=own["thing_id"], amount=amount)

    assert refused(candidate_of(make_things(tmp_path, LISTED), count_anew, 1)) == ("", "")


def cancel_holds(story: Story, most: int) -> None:
    """Leave so many of the queues that a member stands in, who says no more than that."""
    hold = story.pick("hold", "status = 'waiting'")
    member = story.row("member", hold["member_id"])
    story.tell("I'm {email}. I don't want the books that I wait for any more.", email=member["email"])
    found = story.call("find_member", email=member["email"])
    for entry in story.call("list_holds", member_id=found["member_id"])["holds"][:most]:
        story.call("cancel_hold", hold_id=entry["hold_id"])


def test_all_rows_that_fit_may_be_meant_together(library: Domain) -> None:
    hold = picked(candidate_of(library, cancel_a_hold, 1))
    world = with_copy(world_of(library, 1, 300), "hold", str(hold[0]), hold_id="HOLD-9000")
    both = candidate_of(library, partial(cancel_holds, most=9), 1, world=world, pins={0: hold})
    assert refused(both) == ("", "")
    one_of_two = candidate_of(library, partial(cancel_holds, most=1), 1, world=world, pins={0: hold})
    assert refused(one_of_two)[0] == "identifiability"
