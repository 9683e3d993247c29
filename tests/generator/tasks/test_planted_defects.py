"""Each defect that was ever repaired by hand in a published task is planted in a sound one, and refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from generator.tasks.proofs.all import prove_line
from generator.tasks.proofs.replayer import Candidate
from runtime.domain.domain import Domain
from runtime.task.origin import spoken
from runtime.task.story import Story
from runtime.task.user import KnownFact
from tests.generator.tasks.candidates import PROGRAMS, candidate_of, changed_wish, refused, tell_both, with_task
from tests.generator.tasks.things import make_things, queue_things, set_amounts
from tests.making import make_domain

SCHEMA = """
CREATE TABLE purchase (         -- What a customer ordered
    purchase_id TEXT PRIMARY KEY,  -- Its id
    customer TEXT NOT NULL,     -- Who ordered it
    item TEXT NOT NULL,         -- What was ordered
    status TEXT NOT NULL,       -- How far it is
    paid_by TEXT,               -- Means of payment
    reason TEXT,                -- Why it was called off
    called_at TEXT              -- When it was called off
) STRICT, WITHOUT ROWID;
"""
TOOLS = '''
from typing import Literal


class Purchase(TypedDict):
    purchase_id: Annotated[str, "Which one"]
    item: Annotated[str, "What was ordered"]
    status: Annotated[str, "How far it is"]


class Purchases(TypedDict):
    purchases: Annotated[list[Purchase], "In order"]


def _shown(row):
    return {"purchase_id": row["purchase_id"], "item": row["item"], "status": row["status"]}


@tool(reads=["purchase"])
def list_purchases(db: Database, customer: Annotated[str, "Who ordered"]) -> Purchases:
    """List what a customer ordered."""
    rows = db.select("SELECT * FROM purchase WHERE customer = ? ORDER BY purchase_id", customer)
    return {"purchases": [_shown(row) for row in rows]}


@tool(writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_purchase(
    db: Database,
    purchase_id: Annotated[str, "Which one"],
    paid_by: Annotated[Literal["credit_card", "gift_card", "invoice"], "Means of payment"],
) -> Purchase:
    """Pay a purchase that is open."""
    row = db.require("purchase", purchase_id)
    if row["status"] != "open":
        raise Rejection.failed_precondition(f"Purchase {purchase_id!r} is {row['status']}, not open.")
    return _shown(db.update("purchase", purchase_id, status="paid", paid_by=paid_by))


@tool(writes=["purchase"], rejects=["NOT_FOUND"])
def call_off(
    db: Database,
    purchase_id: Annotated[str, "Which one"],
    reason: Annotated[str | None, "Why"] = None,
    called_at: Annotated[str | None, "When it was called off, if not now"] = None,
) -> Purchase:
    """Call a purchase off."""
    db.require("purchase", purchase_id)
    return _shown(
        db.update("purchase", purchase_id, status="off", reason=reason or "none given", called_at=called_at or db.now)
    )
'''
WORLD = '''"""Purchases."""


def populate(world):
    for number in range(world.size // 10):
        item = f"Lamp number {number}" if number % 5 else "Oak table"
        world.insert("purchase", customer=f"Customer {number // 5}", item=item, status="open")
'''
PRICED = """    for number, (amount, rank) in enumerate(((2000, 3), (1999, 1), (500, 2))):
        item = f"Lamp number {number}"
        world.insert("purchase", customer="Ada", item=item, amount=amount, rank=rank, status="open")
"""
COLUMNS = {
    "purchase.reason": {"policy": "optional", "reason": "a remark"},
    "purchase.called_at": {"policy": "generated", "reason": "the time of the call"},
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """A shop with purchases to pay and to call off."""
    return make_domain(tmp_path_factory.mktemp("shop"), schema=SCHEMA, tools=TOOLS, world=WORLD, columns=COLUMNS)


@pytest.fixture(scope="module")
def things(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    """The domain of things to count."""
    return make_things(tmp_path_factory.mktemp("things"))


Program = Callable[[Story], None]
CASES: list[Any] = []


def case(domain: str, proof: str = "", reason: str = "") -> Callable[[Program], Program]:
    """Add a scenario of which a proof refuses the task, with this in the reason; without a proof, none does."""

    def add(program: Program) -> Program:
        CASES.append(
            pytest.param(domain, partial(candidate_of, program=program, seed=1), proof, reason, id=_id(program))
        )
        return program

    return add


def damage(domain: str, program: Program | str, proof: str, reason: str) -> Callable[[Any], Any]:
    """Add what is done to a sound candidate of a scenario so that a proof refuses it."""

    def add(change: Callable[[Candidate], Candidate]) -> Any:
        def damaged(domain: Domain) -> Candidate:
            sound = candidate_of(domain, program, 1)
            assert refused(sound) == ("", "")
            return change(sound)

        CASES.append(pytest.param(domain, damaged, proof, reason, id=_id(change)))
        return change

    return add


def _id(named: Any) -> str:
    return str(named.__name__)


def find_lamp(story: Story, words: str, **told: Any) -> Any:
    """Find a lamp of a customer who says what is wanted."""
    lamp = story.pick("purchase", "status = 'open' AND item LIKE 'Lamp%'")
    story.tell("I'm {customer}. " + words, customer=lamp["customer"], item=lamp["item"], **told)
    listed = story.call("list_purchases", customer=lamp["customer"])["purchases"]
    return story.find(listed, item=lamp["item"])["purchase_id"]


def pay(story: Story, words: str, given: Any, **told: Any) -> None:
    story.call("pay_purchase", purchase_id=find_lamp(story, words, **told), paid_by=given)


def call_off(story: Story, words: str, given: dict[str, Any], **told: Any) -> None:
    story.call("call_off", purchase_id=find_lamp(story, words, **told), **given)


@case("shop", "sufficiency", "paid_by is 'gift_card'; it is a choice (method) that the user had not told by then.")
def means_of_payment_left_open(story: Story) -> None:
    pay(story, "Pay for {item}.", story.choose("method", ("gift_card",)))


@case("shop", "sufficiency", "the user says 'the voucher from my aunt', of which nobody knows")
def value_of_a_closed_set_said_otherwise(story: Story) -> None:
    method = spoken(story.choose("method", ("gift_card",)), "the voucher from my aunt")
    pay(story, "Pay for {item} with {method}.", method, method=method)


@case("shop")
def pay_as_told(story: Story) -> None:
    method = story.choose("method", ("gift_card",))
    pay(story, "Pay for {item} with my {method}.", method, method=method)


@damage("shop", pay_as_told, "replay", "is rejected: Purchase")
def step_that_is_rejected(candidate: Candidate) -> Candidate:
    return with_task(candidate, chain=[*candidate.task.chain, candidate.task.chain[-1]])


@damage("shop", pay_as_told, "sufficiency", "not among their facts")
def user_who_cannot_confirm(candidate: Candidate) -> Candidate:
    user = candidate.task.user
    return with_task(candidate, user=changed_wish(user, facts=[each for each in user.facts if each.name != "method"]))


@damage("shop", pay_as_told, "sufficiency", "the words do not say 'gift card'")
def words_that_leave_something_out(candidate: Candidate) -> Candidate:
    user = candidate.task.user
    brief = [each.replace("gift card", "usual") for each in user.words]
    return with_task(candidate, user=changed_wish(user, words=brief))


@case("shop")
def call_off_for_a_reason(story: Story) -> None:
    why = story.choose("why", ("I found one at the flea market",))
    call_off(story, 'Call off {item} and put "{why}" as the reason.', {"reason": why}, why=why)


UNCOUNTED = "{} holds what the user asked for, but no policy of the task counts it."


@damage("shop", call_off_for_a_reason, "sensitivity", UNCOUNTED.format("purchase.reason"))
def optional_column_that_nothing_counts(candidate: Candidate) -> Candidate:
    assert {name: policy.policy for name, policy in candidate.task.policies.items()} == {"purchase.reason": "semantic"}
    return with_task(candidate, policies={})


@case("shop")
def call_off_yesterday(story: Story) -> None:
    when = story.moment(story.day(-1), "18:00")
    call_off(story, "Call off {item}; I did so by phone {when}.", {"called_at": when}, when=when)


@damage("shop", call_off_yesterday, "sensitivity", UNCOUNTED.format("purchase.called_at"))
def bookkeeping_column_that_the_user_set(candidate: Candidate) -> Candidate:
    assert {name: policy.policy for name, policy in candidate.task.policies.items()} == {"purchase.called_at": "hard"}
    return with_task(candidate, policies={})


@case("shop", "necessity", "Not telling the own orders is rewarded: another answer is the same.")
def answer_that_another_one_gives_away(story: Story) -> None:
    lamp = story.pick("purchase", "status = 'open' AND item LIKE 'Lamp%'")
    words = "I'm {customer}: call off {item}. How many orders have I, and how many did I ever have?"
    story.tell(words, customer=lamp["customer"], item=lamp["item"])
    own = story.call("list_purchases", customer=lamp["customer"])["purchases"]
    story.answer("own orders", story.count(own))
    story.answer("orders ever", story.count(own))
    story.call("call_off", purchase_id=story.find(own, item=lamp["item"])["purchase_id"])


@case("shop", "necessity", "Repeating the user's own words answers everything.")
def answer_that_the_user_gives(story: Story) -> None:
    method = story.choose("method", ("gift_card",))
    lamp = find_lamp(story, "With a {method}, pay {item}.", method=method)
    paid = story.call("pay_purchase", purchase_id=lamp, paid_by=method)
    story.answer("item that was paid", paid["item"], source="purchase.item")


@case("things")
def a_question_alone(story: Story) -> None:
    thing = story.pick("thing", "amount = 7")
    story.tell("How many of {label} are there?", label=thing["label"])
    story.answer("amount", story.call("find_thing", label=thing["label"])["amount"])


@case("things", "necessity", "Leaving out step 1 (set_amount) is rewarded.")
def step_that_a_later_one_makes_pointless(story: Story) -> None:
    thing = story.pick("thing", "amount = 3")
    story.tell("About {label}.", label=thing["label"])
    found = story.call("find_thing", label=thing["label"])
    for amount in (story.choose("first", (70,)), story.choose("then", (80,))):
        story.tell("There are {amount}.", amount=amount)
        story.call("set_amount", thing_id=found["thing_id"], amount=amount)


case("things", "order", "The wishes cannot be fulfilled in the order 2, 1.")(queue_things)


@case("things", "tolerance", "With other ids it is not rewarded:")
def value_made_of_a_new_id(story: Story) -> None:
    label = story.choose("label", ("Screws",))
    story.tell("Put a stamp on {label}.", label=label)
    story.call("stamp_thing", label=label)


@case("things", "sufficiency", "a choice (new) that the user had not told")
def equal_value_of_something_else(story: Story) -> None:
    thing = story.pick("thing", "amount = 4")
    story.tell("There are {old} of {label}, I thought.", old=story.choose("old", (9,)), label=thing["label"])
    found = story.call("find_thing", label=thing["label"])
    story.call("set_amount", thing_id=found["thing_id"], amount=story.choose("new", (9,)))


def queue_for_a_book(story: Story, words: str, note: Any, **told: Any) -> None:
    hold = story.pick("hold", "status = 'waiting'")
    book = story.row("book", hold["book_id"])
    member = story.pick("member", "member_id NOT IN (SELECT member_id FROM hold WHERE book_id = ?)", hold["book_id"])
    told |= {"email": member["email"], "title": book["title"], "author": book["author"]}
    story.tell(f"I'm {{email}}. Queue me for {{title}} by {{author}}{words}.", **told)
    found = story.call("find_member", email=member["email"])
    books = story.call("search_books", words=book["title"])["books"]
    wanted = [entry for entry in books if entry["book_id"] == book["book_id"]][0]
    story.call("place_hold", member_id=found["member_id"], book_id=wanted["book_id"], note=note)


@case("library", "sufficiency", "note is 'On Saturdays'; nothing that the user tells or a tool returns says so.")
def value_out_of_nowhere(story: Story) -> None:
    queue_for_a_book(story, "", "On Saturdays")


@case("library")
def default_of_a_tool(story: Story) -> None:
    queue_for_a_book(story, "", None)


@case("library")
def own_words(story: Story) -> None:
    when = story.choose("when", ["on Saturdays"])
    note = story.compose("note", "Can only come {when}", when=when)
    queue_for_a_book(story, ", and tell the desk that I can come only {when}", note, when=when)


def ask_for_the_fee(story: Story, returned: Any) -> None:
    """Bring a late book back, and have the fee of another one worked out for a day that nobody speaks of."""
    PROGRAMS["bring_a_book_back"](story)
    due = story.choose("due", ("2026-03-01",))
    story.tell("What would a book cost that was due on {due}?", due=due)
    story.call("calculate_late_fee", due_on=due, returned_on=returned)


@case("library")
def today_of_the_clock(story: Story) -> None:
    ask_for_the_fee(story, story.today)


@case("library", "sufficiency", "returned_on is '2026-03-20'; ")
def another_day_that_nobody_said(story: Story) -> None:
    ask_for_the_fee(story, story.day(4))


@damage("library", "keep_a_book_longer", "sufficiency", "says the id 'LOAN-0047', which only the database knows.")
def id_that_only_the_database_knows(candidate: Candidate) -> Candidate:
    known = KnownFact(name="loan", value="LOAN-0047", said="loan LOAN-0047")
    return with_task(candidate, user=changed_wish(candidate.task.user, facts=[*candidate.task.user.facts, known]))


@damage("library", "keep_a_book_longer", "explorability", "2 tools can be used in its world; at least 9 must be.")
def too_few_tools(candidate: Candidate) -> Candidate:
    return with_task(candidate, explorable=["find_member", "list_loans"])


@pytest.mark.parametrize(("domain", "made", "proof", "reason"), CASES)
def test_each_planted_defect_is_refused_by_the_proof_for_it(
    domain: str, made: Callable[[Domain], Candidate], proof: str, reason: str, request: pytest.FixtureRequest
) -> None:
    refused_by, why = refused(made(request.getfixturevalue(domain)))
    assert refused_by == proof, why
    assert reason in why


def test_a_step_that_changes_nothing_is_refused_by_its_line(shop: Domain) -> None:
    candidate = candidate_of(shop, call_off_for_a_reason, 1)
    twice = with_task(candidate, chain=[*candidate.task.chain, candidate.task.chain[-1]])
    trials = prove_line(shop, twice.task, twice.world).trials
    assert list(trials)[-1] == "inert"
    assert trials["inert"][-1].fault == "Step 2 (call_off) changes nothing that counts."


@pytest.mark.parametrize("words", ["Call off {item}.", "Call off {item}: {why}."])
def test_what_is_not_asked_for_or_told_without_quotes_is_not_counted(shop: Domain, words: str) -> None:
    def program(story: Story) -> None:
        why = {"why": story.choose("why", ("I found one",))} if "{why}" in words else {}
        call_off(story, words, {"reason": why["why"]} if why else {}, **why)

    candidate = candidate_of(shop, program, 1)
    assert refused(candidate) == ("", "")
    assert candidate.task.policies == {}


def test_two_goals_that_contradict_each_other_are_refused(shop: Domain) -> None:
    def on_the_table(story: Story, words: str, tool: str, **told: Any) -> None:
        table = story.pick("purchase", "item = 'Oak table' AND customer = 'Customer 0'")
        given = {name: story.choose(name, (value,)) for name, value in told.items()}
        story.tell("I'm {customer}. " + words, customer=table["customer"], item=table["item"], **given)
        listed = story.call("list_purchases", customer=table["customer"])["purchases"]
        story.call(tool, purchase_id=story.find(listed, item=table["item"])["purchase_id"], **given)

    goals: Sequence[Program] = [
        partial(on_the_table, words="I want the {item}, by {paid_by}.", tool="pay_purchase", paid_by="invoice"),
        partial(on_the_table, words="Call off the {item}.", tool="call_off"),
    ]
    assert refused(tell_both(shop, goals))[0] == "order"


def test_a_value_told_in_a_later_scenario_is_told_too_late(things: Domain) -> None:
    candidate = tell_both(things, [partial(set_amounts, amounts=(30,)), queue_things])
    first, second = candidate.scripts
    late = (replace(first, told_in={}), replace(second, told_in=first.told_in | second.told_in))
    proof, reason = refused(replace(candidate, scripts=late))
    assert (proof, "had not told by then" in reason) == ("sufficiency", True)


@pytest.mark.parametrize(
    ("column", "refused_by"),
    [pytest.param("amount", "identifiability", id="near_tie"), pytest.param("rank", "", id="by_a_margin")],
)
def test_a_best_one_that_is_so_by_a_hair_is_refused(tmp_path: Path, column: str, refused_by: str) -> None:
    def call_off_the_dearest(story: Story) -> None:
        customer = story.choose("customer", ("Ada",))
        story.tell("I'm {customer}. Call off whatever of mine costs the most.", customer=customer)
        listed = story.call("list_purchases", customer=customer)["purchases"]
        story.call("call_off", purchase_id=story.highest(listed, column)["purchase_id"])

    schema = SCHEMA.replace(
        "    item TEXT",
        "    amount INTEGER NOT NULL,    -- Cents\n    rank INTEGER NOT NULL,    -- How dear\n    item TEXT",
    )
    tools = TOOLS.replace(
        "    status: Annotated",
        '    amount: Annotated[int, "Cents"]\n    rank: Annotated[int, "How dear"]\n    status: Annotated',
    )
    tools = tools.replace(
        '"status": row["status"]}', '"status": row["status"], "amount": row["amount"], "rank": row["rank"]}'
    )
    world = WORLD.split("    for")[0] + PRICED
    priced = make_domain(tmp_path, schema=schema, tools=tools, world=world, columns=COLUMNS)
    proof, reason = refused(candidate_of(priced, call_off_the_dearest, 1))
    assert proof == refused_by
    assert reason == ("The best amount is 2000, and the next one 1999: alike for a person." if refused_by else "")


def test_a_world_in_which_something_does_not_hold_is_refused(tmp_path: Path) -> None:
    stated = """INVARIANTS = {"Nobody orders a thing twice.":
    "SELECT customer, item FROM purchase GROUP BY customer, item HAVING count(*) > 1"}\n"""
    strict = make_domain(tmp_path, schema=SCHEMA, tools=TOOLS, world=WORLD + stated, columns=COLUMNS)
    candidate = candidate_of(strict, pay_as_told, 1)
    assert refused(candidate) == ("", "")
    row = {"purchase_id": "P-9", "customer": "Customer 1", "item": "Lamp number 6", "status": "paid"}
    row |= dict.fromkeys(("paid_by", "reason", "called_at"))
    world = candidate.world.with_rows([("purchase", row)])
    proof, reason = refused(replace(candidate, world=world))
    assert (proof, reason.startswith("In its world 'Nobody orders a thing twice.' does not hold: customer ")) == (
        "replay",
        True,
    )
