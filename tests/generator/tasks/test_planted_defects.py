"""Each defect that was ever repaired by hand in a published task is planted in a sound one, and refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from generator.tasks.proofs.all import prove_line
from generator.tasks.proofs.knowledge import tightened
from generator.tasks.proofs.replayer import Candidate
from runtime.domain.domain import Domain
from runtime.task.origin import spoken
from runtime.task.story import Story
from tests.generator.tasks.candidates import candidate_of, changed_wish, refused, tell_both, with_task
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
    folder: Path = tmp_path_factory.mktemp("shop")
    return make_domain(folder, schema=SCHEMA, tools=TOOLS, world=WORLD, columns=COLUMNS)


Act = Callable[[Story, Any], None]
CHANGED_MIND = "I found one at the flea market"


def about_a_lamp(story: Story, words: str, act: Act, **told: Any) -> None:
    """Find a lamp of a customer who says what is wanted, and act on it."""
    lamp = story.pick("purchase", "status = 'open' AND item LIKE 'Lamp%'")
    story.tell("I'm {customer}. " + words, customer=lamp["customer"], item=lamp["item"], **told)
    listed = story.call("list_purchases", customer=lamp["customer"])["purchases"]
    act(story, story.find(listed, item=lamp["item"])["purchase_id"])


def pay(story: Story, words: str, said: Any, given: Any) -> None:
    about_a_lamp(
        story,
        words,
        lambda story, key: story.call("pay_purchase", purchase_id=key, paid_by=given),
        **({} if said is None else {"method": said}),
    )


def pay_as_told(story: Story) -> None:
    method = story.choose("method", ("gift_card",))
    pay(story, "Pay for {item} with my {method}.", method, method)


def call_off(story: Story, words: str, told: dict[str, Any], given: dict[str, Any]) -> None:
    about_a_lamp(story, words, lambda story, key: story.call("call_off", purchase_id=key, **given), **told)


def call_off_for_a_reason(story: Story) -> None:
    why = story.choose("why", (CHANGED_MIND,))
    call_off(story, 'Call off {item} and put "{why}" as the reason.', {"why": why}, {"reason": why})


def sound(shop: Domain, program: Callable[[Story], None] = pay_as_told) -> Candidate:
    """A candidate that every proof accepts."""
    candidate = candidate_of(shop, program, 1)
    assert refused(candidate) == ("", "")
    return candidate


def refused_line(candidate: Candidate) -> tuple[str, str]:
    """The proof that refuses the line of a candidate, without its origins, and why."""
    trials = prove_line(candidate.domain, candidate.task, candidate.world).trials
    return next(((name, trial.fault) for name, tried in trials.items() for trial in tried if trial.fault), ("", ""))


def test_a_means_of_payment_that_the_words_leave_open_is_refused(shop: Domain) -> None:
    def leave_open(story: Story) -> None:
        pay(story, "Pay for {item}.", None, story.choose("method", ("gift_card",)))

    candidate = candidate_of(shop, leave_open, 1)
    assert refused(candidate) == (
        "sufficiency",
        "Step 1 (pay_purchase): paid_by is 'gift_card'; it is a choice (method) that the user had not told by then.",
    )


def test_words_that_a_closed_set_renders_otherwise_are_refused(shop: Domain) -> None:
    def paraphrase(story: Story) -> None:
        method = spoken(story.choose("method", ("gift_card",)), "the voucher from my aunt")
        pay(story, "Pay for {item} with {method}.", method, method)

    proof, reason = refused(candidate_of(shop, paraphrase, 1))
    assert proof == "sufficiency"
    assert "the user says 'the voucher from my aunt', of which nobody knows" in reason


def test_a_reference_step_that_is_rejected_is_refused(shop: Domain) -> None:
    candidate = sound(shop)
    again = candidate.task.chain[-1]
    proof, reason = refused(with_task(candidate, chain=[*candidate.task.chain, again]))
    assert (proof, "is rejected: Purchase" in reason) == ("replay", True)


def test_a_reference_step_that_changes_nothing_is_refused(shop: Domain) -> None:
    candidate = sound(shop, call_off_for_a_reason)
    again = candidate.task.chain[-1]
    proof, reason = refused_line(with_task(candidate, chain=[*candidate.task.chain, again]))
    assert (proof, reason) == ("inert", "Step 2 (call_off) changes nothing that counts.")


def test_a_user_who_cannot_confirm_what_is_asked_back_is_refused(shop: Domain) -> None:
    candidate = sound(shop)
    user = candidate.task.user
    forgetful = changed_wish(user, facts=[fact for fact in user.facts if fact.name != "method"])
    proof, reason = refused(with_task(candidate, user=forgetful))
    assert (proof, "not among their facts" in reason) == ("sufficiency", True)


def test_a_goal_that_the_words_state_incompletely_is_refused(shop: Domain) -> None:
    candidate = sound(shop)
    user = candidate.task.user
    brief = changed_wish(user, words=[words.replace("gift card", "usual") for words in user.words])
    proof, reason = refused(with_task(candidate, user=brief))
    assert (proof, "the words do not say 'gift card'" in reason) == ("sufficiency", True)


def test_two_goals_that_contradict_each_other_are_refused(shop: Domain) -> None:
    def on_the_table(story: Story, act: Act, words: str) -> None:
        table = story.pick("purchase", "item = 'Oak table' AND customer = 'Customer 0'")
        story.tell("I'm {customer}. " + words, customer=table["customer"], item=table["item"])
        listed = story.call("list_purchases", customer=table["customer"])["purchases"]
        act(story, story.find(listed, item=table["item"])["purchase_id"])

    def pay_it(story: Story, key: Any) -> None:
        method = story.choose("method", ("invoice",))
        story.tell("Pay it by {method}.", method=method)
        story.call("pay_purchase", purchase_id=key, paid_by=method)

    def drop_it(story: Story, key: Any) -> None:
        story.call("call_off", purchase_id=key)

    goals: Sequence[Callable[[Story], None]] = [
        partial(on_the_table, act=pay_it, words="I want the {item} after all."),
        partial(on_the_table, act=drop_it, words="Call off the {item}."),
    ]
    assert refused(tell_both(shop, goals))[0] == "order"


def test_an_optional_column_that_the_user_asked_for_and_no_policy_counts_is_refused(shop: Domain) -> None:
    candidate = sound(shop, call_off_for_a_reason)
    assert {name: policy.policy for name, policy in candidate.task.policies.items()} == {"purchase.reason": "semantic"}
    reason = "purchase.reason holds what the user asked for, but no policy of the task counts it."
    assert refused(with_task(candidate, policies={})) == ("sensitivity", reason)


def test_a_text_that_is_told_without_quotes_is_no_matter_of_the_reward(shop: Domain) -> None:
    def call_off_in_passing(story: Story) -> None:
        why = story.choose("why", (CHANGED_MIND,))
        call_off(story, "Call off {item}: {why}.", {"why": why}, {"reason": why})

    assert sound(shop, call_off_in_passing).task.policies == {}


def test_a_bookkeeping_column_that_the_user_set_and_no_policy_counts_is_refused(shop: Domain) -> None:
    def call_off_yesterday(story: Story) -> None:
        when = story.moment(story.day(-1), "18:00")
        call_off(story, "Call off {item}; I did so by phone {when}.", {"when": when}, {"called_at": when})

    candidate = sound(shop, call_off_yesterday)
    assert {name: policy.policy for name, policy in candidate.task.policies.items()} == {"purchase.called_at": "hard"}
    reason = "purchase.called_at holds what the user asked for, but no policy of the task counts it."
    assert refused(with_task(candidate, policies={})) == ("sensitivity", reason)


def test_what_nobody_asked_for_is_not_counted(shop: Domain) -> None:
    def just_call_off(story: Story) -> None:
        call_off(story, "Call off {item}.", {}, {})

    assert tightened(sound(shop, just_call_off)) == {}


def test_an_answer_that_another_one_gives_away_is_refused(shop: Domain) -> None:
    def ask_twice(story: Story) -> None:
        lamp = story.pick("purchase", "status = 'open' AND item LIKE 'Lamp%'")
        words = "I'm {customer}: call off {item}. How many orders have I, and how many did I ever have?"
        story.tell(words, customer=lamp["customer"], item=lamp["item"])
        own = story.call("list_purchases", customer=lamp["customer"])["purchases"]
        story.answer("own orders", story.count(own))
        story.answer("orders ever", story.count(own))
        story.call("call_off", purchase_id=story.find(own, item=lamp["item"])["purchase_id"])

    proof, reason = refused(candidate_of(shop, ask_twice, 1))
    assert proof == "necessity"
    assert reason == "Not telling the own orders is rewarded: another answer is the same."


def test_an_answer_that_the_user_gives_is_refused(shop: Domain) -> None:
    def ask_what_is_known(story: Story) -> None:
        method = story.choose("method", ("gift_card",))
        lamp = story.pick("purchase", "status = 'open' AND item LIKE 'Lamp%'")
        story.tell(
            "I'm {customer}, with a {method}: pay {item}.", customer=lamp["customer"], method=method, item=lamp["item"]
        )
        own = story.call("list_purchases", customer=lamp["customer"])["purchases"]
        paid = story.call("pay_purchase", purchase_id=story.find(own, item=lamp["item"])["purchase_id"], paid_by=method)
        story.answer("item that was paid", paid["item"], source="purchase.item")

    proof, reason = refused(candidate_of(shop, ask_what_is_known, 1))
    assert (proof, reason) == ("necessity", "Repeating the user's own words answers everything.")


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
    candidate = sound(strict)
    row = {"purchase_id": "P-9", "customer": "Customer 1", "item": "Lamp number 6", "status": "paid"}
    row |= dict.fromkeys(("paid_by", "reason", "called_at"))
    world = candidate.world.with_rows([("purchase", row)])
    proof, reason = refused(replace(candidate, world=world))
    assert (proof, reason.startswith("In its world 'Nobody orders a thing twice.' does not hold: customer ")) == (
        "replay",
        True,
    )
