"""Every proof holds for a sound task, and each planted defect is refused by the proof that is for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from generator.tasks.candidate import Candidate, ProofName
from generator.tasks.proofs.all import prove_candidate, try_line
from generator.tasks.proofs.tightening import tightened
from runtime.domain.domain import Domain
from runtime.session.session import Session
from runtime.session.world import World
from runtime.task.story import Script, Story
from runtime.task.task import Fact, Step
from tests.generator.tasks.candidates import PROGRAMS, candidate_of, compose, with_task, world_of
from tests.making import make_domain

ALL: set[ProofName] = {
    "replay",
    "inert",
    "necessity",
    "sensitivity",
    "tolerance",
    "sufficiency",
    "identifiability",
    "explorability",
}

THINGS = '''
class Thing(TypedDict):
    thing_id: Annotated[str, "Which one"]
    label: Annotated[str, "What it is called"]
    amount: Annotated[int | None, "How many"]


def _shown(row):
    return {"thing_id": row["thing_id"], "label": row["label"], "amount": row["amount"]}


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def find_thing(db: Database, label: Annotated[str, "What it is called"]) -> Thing:
    """Find a thing."""
    row = db.first("SELECT * FROM thing WHERE label = ?", label)
    if row is None:
        raise Rejection.not_found(f"No thing is called {label!r}.")
    return _shown(row)


@tool(writes=["thing"], rejects=["NOT_FOUND"])
def set_amount(
    db: Database, thing_id: Annotated[str, "Which one"], amount: Annotated[int, "How many"]
) -> Thing:
    """Say how many there are."""
    db.require("thing", thing_id)
    return _shown(db.update("thing", thing_id, amount=amount))


@tool(writes=["thing"], rejects=["NOT_FOUND"])
def describe_thing(
    db: Database,
    thing_id: Annotated[str, "Which one"],
    label: Annotated[str, "What to call it"],
    amount: Annotated[int | None, "How many, if it changed"] = None,
) -> Thing:
    """Call a thing something else."""
    row = db.require("thing", thing_id)
    return _shown(db.update("thing", thing_id, label=label, amount=amount or row["amount"]))


@tool(writes=["thing"])
def queue_thing(db: Database, label: Annotated[str, "What to call it"]) -> Thing:
    """Add a thing, numbered by how many there are."""
    count = db.value("SELECT count(*) FROM thing")
    return _shown(db.insert("thing", thing_id=db.new_id("thing"), label=label, amount=count + 1))


@tool(writes=["thing"])
def stamp_thing(db: Database, label: Annotated[str, "What to call it"]) -> Thing:
    """Add a thing, named by its number."""
    key = db.new_id("thing")
    return _shown(db.insert("thing", thing_id=key, label=f"{label} {key}"))
'''
WORLD = '''"""Things."""


def populate(world):
    for number in range(world.size // 10):
        world.insert("thing", label=f"Thing {number}", amount=number)
'''


@pytest.fixture
def things(tmp_path: Path) -> Domain:
    """A domain of things to count, with some tools that a task had better not use."""
    return make_domain(tmp_path, tools=THINGS, world=WORLD)


def refused(candidate: Candidate) -> tuple[str, str]:
    """The proof that refuses a candidate, and why; two empty texts if none does."""
    proofs = prove_candidate(candidate)
    last = list(proofs.values())[-1]
    assert all(proof.holds for proof in list(proofs.values())[:-1])
    return ("", "") if last.holds else (last.name, last.reason)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
@pytest.mark.parametrize("seed", range(1, 4))
def test_a_sound_task_passes_every_trial_of_every_proof(library: Domain, name: str, seed: int) -> None:
    proofs = prove_candidate(candidate_of(library, name, seed))
    assert proofs.keys() == ALL
    assert all(proof.holds and proof.passed == proof.tried > 0 for proof in proofs.values())


def test_the_same_candidate_has_the_same_proofs(library: Domain) -> None:
    candidate = candidate_of(library, "bring_a_book_back", 1)
    assert prove_candidate(candidate) == prove_candidate(candidate)


def test_an_extra_write_is_tried_in_every_table_that_tools_write(library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    trials = try_line(library, candidate.task, candidate.world)["sensitivity"]
    assert [trial.what for trial in trials].count("extra") == 3  # hold, loan, member
    assert [trial.what for trial in trials].count("gone") == 4


# replay


def test_a_reference_step_that_is_rejected_is_refused(library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    chain = [*candidate.task.chain, Step(tool="renew_loan", arguments={"loan_id": "LOAN-9999"})]
    proof, reason = refused(with_task(candidate, chain=chain))
    assert (proof, reason) == ("replay", "Step 3 (renew_loan) is rejected: No loan 'LOAN-9999' exists.")


def test_an_expected_state_that_the_chain_does_not_reach_is_refused(library: Domain) -> None:
    candidate = candidate_of(library, "queue_for_a_lent_book", 1)
    assert refused(with_task(candidate, expected=[]))[0] == "replay"


# inert


def set_amounts(story: Story, amounts: Sequence[int]) -> None:
    """Set the amounts of the first things, one after another."""
    for number, amount in enumerate(amounts):
        thing = story.pick("thing", "amount = ?", number)
        wanted = story.choose(f"amount {number}", (amount,))
        story.tell("There are {amount} of {label}.", amount=wanted, label=thing["label"])
        found = story.call("find_thing", label=thing["label"])
        story.call("set_amount", thing_id=found["thing_id"], amount=wanted)


def test_a_step_that_changes_nothing_is_refused(things: Domain) -> None:
    assert refused(candidate_of(things, partial(set_amounts, amounts=(7, 8)), 1)) == ("", "")
    candidate = candidate_of(things, partial(set_amounts, amounts=(7, 1)), 1)
    assert refused(candidate) == ("inert", "Step 3 (set_amount) changes nothing that counts.")


def test_an_answer_that_reciting_gives_is_refused(things: Domain) -> None:
    def ask(story: Story) -> None:
        thing = story.pick("thing", "amount = 7")
        story.tell("How many of {label} are there?", label=thing["label"])
        story.answer("amount", story.call("find_thing", label=thing["label"])["amount"])

    assert refused(candidate_of(things, ask, 1)) == (
        "inert",
        "Reciting every result without a change is rewarded.",
    )


# necessity


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


def describe(story: Story, known: str, named: str, amount: int | None = None) -> None:
    """Call a thing something else, and perhaps say how many there are."""
    known, named = story.choose("known", (known,)), story.choose("named", (named,))
    story.tell("What you call {known} are {named}.", known=known, named=named)
    found = story.call("find_thing", label=known)
    if amount is None:
        story.call("describe_thing", thing_id=found["thing_id"], label=named)
    else:
        counted = story.choose("amount", (amount,))
        story.tell("There are {counted}.", counted=counted)
        story.call("describe_thing", thing_id=found["thing_id"], label=named, amount=counted)


def tell_both(domain: Domain, programs: Sequence[Callable[[Story], None]]) -> Candidate:
    """A candidate of several scenarios for one user; the steps are numbered through all of them."""
    world = world_of(domain, 1)
    scripts: list[Script] = []
    with Session(domain, world) as session:
        for program in programs:
            story = Story(session, 1)
            program(story)
            story.close()
            done = sum(len(script.calls) for script in scripts)
            scripts.append(replace(story.script, calls=[shifted(call, done) for call in story.script.calls]))
        return compose(domain, world, session, scripts, [], 1)


def shifted(call: Any, offset: int) -> Any:
    """A call whose references to results begin after the steps of earlier scenarios."""
    arguments = {
        name: {**value, "$step": value["$step"] + offset} if isinstance(value, dict) else value
        for name, value in call.step.arguments.items()
    }
    return replace(call, step=Step(tool=call.step.tool, arguments=arguments))


def test_two_goals_that_contradict_each_other_are_refused(things: Domain) -> None:
    count = partial(describe, known="Thing 3", named="Screws", amount=45)
    rename = partial(describe, known="Screws", named="Nails")
    proof, reason = refused(tell_both(things, [count, rename]))
    assert proof == "necessity"
    assert reason == "thing THING-0004: one goal sets label to 'Screws', and another one leaves it at 'Nails'."


# sensitivity


def get_a_card(story: Story) -> None:
    """Make a card with a phone number, an optional column."""
    name, email = story.choose("name", ("Ada Byron",)), story.choose("email", ("ada@example.org",))
    phone = story.choose("phone", ("555-0142",))
    story.tell("I'm {name}, {email}; call me at {phone}.", name=name, email=email, phone=phone)
    story.call("register_member", name=name, email=email, phone=phone)


def test_an_optional_column_that_the_user_asked_for_must_count(library: Domain) -> None:
    candidate = candidate_of(library, get_a_card, 1)
    assert {name: policy.policy for name, policy in tightened(candidate).items()} == {"member.phone": "hard"}
    assert refused(candidate) == ("", "")
    assert refused(with_task(candidate, policies={})) == (
        "sensitivity",
        "member.phone holds what the user asked for, but no policy of the task counts it.",
    )


def test_an_optional_column_that_nobody_asked_for_stays_optional(library: Domain) -> None:
    assert tightened(candidate_of(library, "bring_a_book_back", 1)) == {}


# tolerance


def queue_things(story: Story) -> None:
    """Add two things whose numbers depend on their order."""
    for label in (story.choose("first", ("Screws",)), story.choose("second", ("Nails",))):
        story.tell("Put {label} on the list.", label=label)
        story.call("queue_thing", label=label)


def test_a_state_that_depends_on_the_order_of_the_goals_is_refused(things: Domain) -> None:
    proof, reason = refused(candidate_of(things, queue_things, 1))
    assert proof == "tolerance"
    assert reason.startswith("Writing in the order 1, 0 is not rewarded:")


def test_a_value_made_of_a_new_id_is_refused(things: Domain) -> None:
    def stamp(story: Story) -> None:
        label = story.choose("label", ("Screws",))
        story.tell("Put a stamp on {label}.", label=label)
        story.call("stamp_thing", label=label)

    proof, reason = refused(candidate_of(things, stamp, 1))
    assert proof == "tolerance"
    assert reason.startswith("With other ids it is not rewarded:")


def test_another_wording_of_a_text_must_be_rewarded(library: Domain) -> None:
    candidate = candidate_of(library, queue_with_note, 1)
    assert refused(reworded(candidate, "Available Saturdays only")) == ("", "")
    proof, reason = refused(reworded(candidate, "Available Sundays only"))
    assert proof == "tolerance"
    assert reason.startswith("The words 'Available Sundays only' are not rewarded:")


NOTE = "Can only come on Saturdays"


def queue_with_note(story: Story) -> None:
    """Queue for a book with a note."""
    hold = story.pick("hold", "status = 'waiting'")
    book = story.row("book", hold["book_id"])
    member = story.pick("member", "member_id NOT IN (SELECT member_id FROM hold WHERE book_id = ?)", hold["book_id"])
    note = story.text("note", NOTE, ["Saturdays"])
    told = {"email": member["email"], "title": book["title"], "author": book["author"], "note": note}
    story.tell("I'm {email}. Queue me for {title} by {author}. {note}.", **told)
    found = story.call("find_member", email=member["email"])
    books = story.call("search_books", words=book["title"])["books"]
    wanted = [entry for entry in books if entry["book_id"] == book["book_id"]][0]
    story.call("place_hold", member_id=found["member_id"], book_id=wanted["book_id"], note=note)


def reworded(candidate: Candidate, other: str) -> Candidate:
    """The candidate with another way to put its note."""
    (script,) = candidate.scripts
    script = replace(script)
    vars(script)["wordings"] = {NOTE: other}
    return replace(candidate, scripts=(script,))


# sufficiency


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


def test_a_choice_that_the_words_leave_open_is_refused(library: Domain) -> None:
    def choose(story: Story) -> None:
        queue_unsaid(story, story.choose("note", (NOTE,)))

    assert refused(candidate_of(library, choose, 1)) == (
        "sufficiency",
        f"Step 2 (place_hold): note is {NOTE!r}; it is a choice (note) that the user had not told by then.",
    )


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
    assert "it is a clock (today+4) that the user had not told by then" in reason


def test_a_value_told_in_a_later_scenario_is_told_too_late(things: Domain) -> None:
    candidate = tell_both(things, [partial(set_amounts, amounts=(30,)), queue_things])
    first, second = candidate.scripts
    late = (replace(first, told=set()), replace(second, told=first.told | second.told))
    proof, reason = refused(replace(candidate, scripts=late))
    assert (proof, "had not told by then" in reason) == ("sufficiency", True)


def test_a_user_who_cannot_confirm_what_is_asked_back_is_refused(library: Domain) -> None:
    candidate = candidate_of(library, "queue_for_a_lent_book", 1)
    user = candidate.task.user
    forgetful = user.model_copy(update={"facts": [fact for fact in user.facts if fact.name != "note"]})
    proof, reason = refused(with_task(candidate, user=forgetful))
    assert proof == "sufficiency"
    assert reason.endswith("the user does not know it when asked back: it is not among their facts.")


def test_a_goal_that_the_words_state_incompletely_is_refused(library: Domain) -> None:
    candidate = candidate_of(library, "queue_for_a_lent_book", 1)
    user = candidate.task.user
    note = next(fact.said for fact in user.facts if fact.name == "note")
    brief = user.model_copy(update={"words": [words.replace(note, "the usual") for words in user.words]})
    proof, reason = refused(with_task(candidate, user=brief))
    assert proof == "sufficiency"
    assert reason.endswith(f"the words do not say {note!r}.")


@pytest.mark.parametrize(
    ("said", "found"),
    [
        pytest.param("Please use renew_loan.", "the name 'renew_loan'", id="tool"),
        pytest.param("My member_id is on the card.", "the name 'member_id'", id="column"),
        pytest.param("It is LOAN-0047, I think.", "the id 'LOAN-0047'", id="id"),
    ],
)
def test_words_that_only_the_database_knows_are_refused(said: str, found: str, library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    user = candidate.task.user
    spoken = user.model_copy(update={"words": [*user.words, said]})
    proof, reason = refused(with_task(candidate, user=spoken))
    assert (proof, reason) == ("sufficiency", f"The user says {found}, which only the database knows: {said!r}.")
    known = user.model_copy(update={"facts": [*user.facts, Fact(name="hint", value=said, said=said)]})
    assert refused(with_task(candidate, user=known))[0] == "sufficiency"


# identifiability


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
def a_loan(library: Domain) -> Candidate:
    """A sound task about one loan, which copies of the loan can make ambiguous."""
    return candidate_of(library, "keep_a_book_longer", 2)


def rerun(candidate: Candidate, program: Callable[[Story], None], **columns: Any) -> Candidate:
    """Another candidate about the same loan, in a world that also has a copy of it with some columns changed."""
    ((_, key),) = candidate.picks
    world = with_copy(candidate.world, "loan", str(key[0]), loan_id="LOAN-9000", **columns)
    return candidate_of(candidate.domain, program, 2, world=world, pins={0: key})


def test_a_row_that_two_fit_is_refused(a_loan: Candidate) -> None:
    assert refused(a_loan) == ("", "")
    proof, reason = refused(rerun(a_loan, keep_by, due_on="2026-12-24"))
    assert proof == "identifiability"
    assert reason.endswith(f"fits loan {a_loan.picks[0][1][0]} and LOAN-9000 alike.")


def test_a_column_that_is_told_sets_the_row_apart(a_loan: Candidate) -> None:
    candidate = rerun(a_loan, partial(keep_by, spoken=("due_on",)), due_on="2026-12-24")
    assert refused(candidate) == ("", "")


def test_a_row_that_the_tool_refuses_is_no_rival(a_loan: Candidate) -> None:
    candidate = rerun(a_loan, keep_by, status="returned", returned_at="2026-03-15 10:00:00")
    assert refused(candidate) == ("", "")


def test_nobody_hears_the_case_of_a_title(a_loan: Candidate) -> None:
    ((_, key),) = a_loan.picks
    connection = a_loan.world.open()
    sql = "SELECT book_id, title FROM loan JOIN book USING (book_id) WHERE loan_id = ?"
    book, title = connection.execute(sql, key).fetchone()
    connection.close()
    shouting = with_copy(a_loan.world, "book", book, book_id="BOOK-9000", title=title.upper())
    candidate = rerun(replace(a_loan, world=shouting), keep_by, book_id="BOOK-9000")
    assert refused(candidate)[0] == "identifiability"


def cancel_a_hold(story: Story) -> None:
    """Leave a queue, told by the day of queueing."""
    hold = story.pick("hold", "status = 'waiting'")
    member = story.row("member", hold["member_id"])
    story.tell("I'm {email} and queued on {placed_at}; forget it.", email=member["email"], placed_at=hold["placed_at"])
    found = story.call("find_member", email=member["email"])
    holds = story.call("list_holds", member_id=found["member_id"])["holds"]
    mine = [entry for entry in holds if entry["hold_id"] == hold["hold_id"]][0]
    story.call("cancel_hold", hold_id=mine["hold_id"])


def test_a_moment_told_by_its_day_is_no_more_than_that_day(library: Domain) -> None:
    candidate = candidate_of(library, cancel_a_hold, 1)
    ((_, key),) = candidate.picks
    (moment,) = [fact for fact in candidate.task.user.facts if fact.name == "placed_at"]
    later = f"{moment.value}"[:11] + "17:45:00"
    world = with_copy(candidate.world, "hold", str(key[0]), hold_id="HOLD-9000", placed_at=later)
    to_the_minute = candidate_of(library, cancel_a_hold, 1, world=world, pins={0: key})
    assert moment.said.endswith("at 11:15")
    assert refused(to_the_minute) == ("", "")
    user = to_the_minute.task.user
    by_the_day = user.model_copy(
        update={
            "words": [words.replace(" at 11:15", "") for words in user.words],
            "facts": [fact.model_copy(update={"said": fact.said.replace(" at 11:15", "")}) for fact in user.facts],
        }
    )
    proof, reason = refused(with_task(to_the_minute, user=by_the_day))
    assert proof == "identifiability"
    assert f"placed_at '{f'{moment.value}'[:10]}'" in reason


def test_which_of_several_rows_the_words_leave_open_is_refused(library: Domain) -> None:
    def keep_one(story: Story) -> None:
        member = story.pick(
            "member",
            """2 = (SELECT count(*) FROM loan WHERE loan.member_id = member.member_id AND status = 'out'
            AND renewals < 2 AND due_on >= ? AND book_id NOT IN (SELECT book_id FROM hold))""",
            story.today,
        )
        story.tell("I'm {email}. Let me keep my book longer.", email=member["email"])
        found = story.call("find_member", email=member["email"])
        loans = story.call("list_loans", member_id=found["member_id"])["loans"]
        renewable = [loan for loan in loans if loan["due_on"] >= story.today and loan["renewals"] < 2]
        story.call("renew_loan", loan_id=renewable[0]["loan_id"])

    proof, reason = refused(candidate_of(library, keep_one, 1))
    assert proof == "identifiability"
    assert reason.startswith("What the user tells (email ")


def cancel_holds(story: Story, most: int) -> None:
    """Leave so many of the queues that a member stands in, who says no more than that."""
    hold = story.pick("hold", "status = 'waiting'")
    member = story.row("member", hold["member_id"])
    story.tell("I'm {email}. I don't want the books that I wait for any more.", email=member["email"])
    found = story.call("find_member", email=member["email"])
    for entry in story.call("list_holds", member_id=found["member_id"])["holds"][:most]:
        story.call("cancel_hold", hold_id=entry["hold_id"])


def test_all_rows_that_fit_may_be_meant_together(library: Domain) -> None:
    hold = candidate_of(library, cancel_a_hold, 1).picks[0][1]
    world = with_copy(world_of(library, 1), "hold", str(hold[0]), hold_id="HOLD-9000")
    both = candidate_of(library, partial(cancel_holds, most=9), 1, world=world, pins={0: hold})
    assert refused(both) == ("", "")
    one_of_two = candidate_of(library, partial(cancel_holds, most=1), 1, world=world, pins={0: hold})
    assert refused(one_of_two)[0] == "identifiability"


# explorability


def test_a_task_that_offers_too_few_tools_is_refused(library: Domain) -> None:
    candidate = candidate_of(library, "keep_a_book_longer", 1)
    assert refused(with_task(candidate, explorable=["find_member", "list_loans"])) == (
        "explorability",
        "2 tools can be used in its world; at least 11 must be.",
    )


BROKEN = '''

@tool(reads=["thing"])
def share_things(db: Database, among: Annotated[int, "How many people"]) -> Done:
    """Share all things."""
    return {"done": db.value("SELECT count(*) FROM thing") // among > 0}
'''


def test_a_tool_that_a_random_call_crashes_is_refused(tmp_path: Path) -> None:
    domain = make_domain(tmp_path, tools=THINGS + BROKEN, world=WORLD)
    proof, reason = refused(candidate_of(domain, partial(set_amounts, amounts=(7,)), 1))
    assert proof == "explorability"
    assert "Tool 'share_things' crashed: ZeroDivisionError" in reason
