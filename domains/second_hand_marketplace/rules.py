"""Rules of the marketplace's customer office that its tools do not enforce."""

from runtime import Database, days_between
from runtime.rules import Call, duty, rule


def _fees(db, member_id, cents):
    return db.value(
        "SELECT count(*) FROM account_entry WHERE member_id = ? AND kind = 'fee' AND amount_cents = ?",
        member_id,
        -cents,
    )


@rule(
    "SELLING_TIER",
    on={"create_listing": "member_id", "publish_listing": "listing_id"},
    reads=["member", "listing"],
    exempt={
        "cancel_purchase": "It puts an item back on sale that was on sale before the purchase.",
        "update_listing": "It changes a listing that is already there.",
        "change_price": "It changes a listing that is already there.",
    },
)
def selling_tier(call: Call, now: Database, start: Database) -> bool:
    """Only members who are in the plus or pro tier right now can draft a listing or put one of theirs on sale, also a
    listing that was hidden before. Basic membership is for buying. What a basic member already has on sale stays on
    sale, and they can still change, extend, hide, or remove it."""
    if call.tool == "create_listing":
        member_id = call.arguments["member_id"]
    else:
        member_id = now.require("listing", call.arguments["listing_id"])["seller_id"]
    return now.require("member", member_id)["tier"] != "basic"


@rule(
    "TERMS_FIXED_DURING_OFFERS",
    on={"change_price": "listing_id", "update_listing": "listing_id"},
    reads=["offer"],
    exempt={"create_listing": "A new listing has no offers yet."},
)
def terms_fixed_during_offers(call: Call, now: Database, start: Database) -> bool:
    """While any offer for a listing is open, that is, pending or countered, neither its price nor its title,
    description, condition, or shipping can be changed. Offers that were accepted, declined, or withdrawn do not
    count. Once the last open offer is settled, changes are fine again."""
    return (
        now.value(
            "SELECT count(*) FROM offer WHERE listing_id = ? AND status IN ('pending', 'countered')",
            call.arguments["listing_id"],
        )
        == 0
    )


@rule(
    "HIDE_AFTER",
    on={"hide_listing": "listing_id"},
    reads=["listing"],
    exempt={
        "decline_offer": "It turns down a single offer and leaves the listing on sale.",
        "accept_offer": "The item is sold, not hidden.",
        "accept_counter_offer": "The item is sold, not hidden.",
        "buy_now": "The item is sold, not hidden.",
    },
    days=21,
)
def hide_after(call: Call, now: Database, start: Database, days: int) -> bool:
    """A listing can be taken off sale only once at least {days} days have passed since the latest day it went on sale;
    exactly {days} days is enough. Extending a listing does not start the count again. Drafts and items already
    hidden are not covered."""
    published = now.require("listing", call.arguments["listing_id"])["published_on"]
    return published is None or days_between(published, now.today) >= days


@rule(
    "SINGLE_OPEN_OFFER",
    on={"make_offer": "member_id"},
    reads=["offer"],
    exempt={"change_offer": "It changes an offer that is open already."},
)
def single_open_offer(call: Call, now: Database, start: Database) -> bool:
    """A member who has an open offer, pending or countered, on any listing cannot make another. Only offers the member
    made count, not those they received, and accepted, declined, or withdrawn offers do not count. Buying at the
    asking price is not covered."""
    return (
        now.value(
            "SELECT count(*) FROM offer WHERE member_id = ? AND status IN ('pending', 'countered')",
            call.arguments["member_id"],
        )
        == 0
    )


@rule(
    "BINDING_OFFER",
    on={"withdraw_offer": "offer_id", "change_offer": "offer_id"},
    reads=["offer"],
    exempt={"make_offer": "It makes a new offer and leaves the old ones as they are."},
    most_cents=5000,
)
def binding_offer(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """An offer of more than {most_cents} is binding: its buyer can neither take it back nor change its amount. An
    offer of exactly {most_cents} or less is not binding. What counts is the amount the buyer offers at present, not
    a counter price and not the new amount. The seller's answers to an offer are not covered."""
    return now.require("offer", call.arguments["offer_id"])["amount_cents"] <= most_cents


@rule(
    "OFFER_STANDS",
    on={"accept_offer": "offer_id", "counter_offer": "offer_id", "accept_counter_offer": "offer_id"},
    reads=["offer"],
    exempt={
        "buy_now": "The buyer pays the asking price; no offer is accepted.",
        "decline_offer": "Turning down an old offer is fine.",
        "hide_listing": "Turning down old offers is fine.",
    },
    days=5,
)
def offer_stands(call: Call, now: Database, start: Database, days: int) -> bool:
    """An offer stands for {days} days after the day it was made. Later, the seller can neither accept nor counter it,
    and the buyer cannot accept a counter price for it. An offer made on Monday still stands on Saturday, but not on
    Sunday. A change of the amount or a counter price does not start the count again. Declining or taking back an
    old offer is not covered."""
    return days_between(now.require("offer", call.arguments["offer_id"])["made_on"], now.today) <= days


@rule("PAYOUT_BALANCE", on={"request_payout": "member_id"}, reads=["member"], least_cents=5000)
def payout_balance(call: Call, now: Database, start: Database, least_cents: int) -> bool:
    """A payout can be requested only by a member whose balance, before the payout, is at least {least_cents}; exactly
    {least_cents} is enough. The amount asked for does not matter, nor do earlier payouts."""
    return now.require("member", call.arguments["member_id"])["balance_cents"] >= least_cents


@rule(
    "COSTLY_PURCHASE",
    on={"cancel_purchase": "purchase_id", "change_delivery_address": "purchase_id"},
    reads=["purchase"],
    exempt={"publish_listing": "It puts a draft or hidden listing on sale and touches no purchase."},
    most_cents=6000,
)
def costly_purchase(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """A purchase whose item price is more than {most_cents} can be neither canceled nor sent to another address,
    whether it is paid yet or not, and whoever asks. Shipping does not count toward the price, and exactly
    {most_cents} is still fine."""
    return now.require("purchase", call.arguments["purchase_id"])["item_cents"] <= most_cents


@rule(
    "AFTER_DELIVERY",
    on={"open_dispute": "purchase_id", "write_review": "purchase_id"},
    reads=["purchase"],
    exempt={
        "change_dispute": "It changes a dispute that was opened before.",
        "change_review": "It changes a review that was written before.",
    },
    days=14,
)
def after_delivery(call: Call, now: Database, start: Database, days: int) -> bool:
    """A purchase that has arrived can be disputed or reviewed up to {days} days after the day of its delivery; the
    last of these days is still fine. A purchase that has not been delivered yet can be disputed at any time.
    Changing an existing dispute or review is not covered."""
    delivered = now.require("purchase", call.arguments["purchase_id"])["delivered_on"]
    return delivered is None or days_between(delivered, now.today) <= days


@rule("VACATION_LISTINGS", on={"start_vacation": "member_id"}, reads=["listing"])
def vacation_listings(call: Call, now: Database, start: Database) -> bool:
    """A member can be set as away only while none of their listings is on sale. Drafts and hidden, reserved, sold, or
    removed listings do not count. A listing that is taken off sale first no longer stands in the way."""
    return (
        now.value("SELECT count(*) FROM listing WHERE seller_id = ? AND status = 'active'", call.arguments["member_id"])
        == 0
    )


@duty("DECLINED_STAYS_UNDONE", reads=["declined_request", "listing"])
def declined_stays_undone(start: Database, end: Database) -> bool:
    """One thing stays undone for the rest of the day once you recorded it as declined, even if the reason goes away: a
    listing whose hiding you declined under HIDE_AFTER is not hidden today, even if the caller asks again or in
    other words. Other requests are judged anew."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        before, after = start.get("listing", note["subject_id"]), end.get("listing", note["subject_id"])
        if note["rule_code"] == "HIDE_AFTER" and before and after and after["status"] == "hidden" != before["status"]:
            return False
    return True


@duty("EXTENSION_FEE", reads=["listing", "account_entry"], fee_cents=120)
def extension_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When you extend a listing, charge its seller a fee of {fee_cents} for each extension, whatever their tier. Do
    not tie the fee to a purchase."""
    for row in end.select("SELECT seller_id, sum(extensions) AS total FROM listing GROUP BY seller_id"):
        seller = row["seller_id"]
        added = row["total"] - (start.value("SELECT sum(extensions) FROM listing WHERE seller_id = ?", seller) or 0)
        if added > 0:
            charged = end.value(
                "SELECT count(*) FROM account_entry WHERE member_id = ? AND kind = 'fee' AND amount_cents = ? AND purchase_id IS NULL",
                seller,
                -fee_cents,
            )
            earlier = start.value(
                "SELECT count(*) FROM account_entry WHERE member_id = ? AND kind = 'fee' AND amount_cents = ? AND purchase_id IS NULL",
                seller,
                -fee_cents,
            )
            if charged - earlier != added:
                return False
    return True


@duty("UPGRADE_FEE", reads=["member", "account_entry"], plus_cents=400, pro_cents=900)
def upgrade_fee(start: Database, end: Database, plus_cents: int, pro_cents: int) -> bool:
    """When you move a member up to a higher tier, charge them a fee: {plus_cents} if the new tier is plus, {pro_cents}
    if it is pro, whichever tier they had before. Moving down costs nothing."""
    for row in end.select("SELECT member_id, tier FROM member"):
        old = start.get("member", row["member_id"])
        if old is None or row["tier"] == "basic" or old["tier"] in (row["tier"], "pro"):
            continue
        fee = plus_cents if row["tier"] == "plus" else pro_cents
        if _fees(end, row["member_id"], fee) - _fees(start, row["member_id"], fee) != 1:
            return False
    return True
