"""What the office keeps to, though its tools would do otherwise."""

from runtime import Database, days_between
from runtime.rules import Call, duty, rule


def _bought(note, start, end):
    """Whether the member of a note has a new purchase of its listing, or its offer was accepted."""
    found = end.select(
        "SELECT purchase_id FROM purchase WHERE listing_id = ? AND buyer_id = ?", note["subject_id"], note["member_id"]
    )
    if any(start.get("purchase", row["purchase_id"]) is None for row in found):
        return True
    before, after = start.get("offer", note["subject_id"]), end.get("offer", note["subject_id"])
    return after is not None and after["state"] == "accepted" and (before is None or before["state"] != "accepted")


def _purchase_granted(code, purchase_id, start, end):
    before, after = start.get("purchase", purchase_id), end.get("purchase", purchase_id)
    if before is None or after is None:
        return False
    if code == "CANCEL_WINDOW":
        return before["state"] == "paid" and after["state"] == "cancelled" and after["cancelled_by"] == "buyer"
    if code == "ADDRESS_FIXED":
        return before["address"] != after["address"]
    found = end.select("SELECT dispute_id FROM dispute WHERE purchase_id = ?", purchase_id)
    return code == "DISPUTE_WAIT" and any(start.get("dispute", row["dispute_id"]) is None for row in found)


def _listing_granted(note, start, end):
    code, listing_id = note["rule_code"], note["subject_id"]
    before, after = start.get("listing", listing_id), end.get("listing", listing_id)
    if after is None:
        return False
    if code == "NEEDS_TEXT":
        return (
            after["state"] == "active"
            and after["description"] is None
            and (before is None or before["state"] != "active")
        )
    if code == "FRESH_LISTING":
        found = end.select(
            "SELECT offer_id FROM offer WHERE listing_id = ? AND member_id = ?", listing_id, note["member_id"]
        )
        return any(start.get("offer", row["offer_id"]) is None for row in found)
    if before is None:
        return False
    if code == "RENEW_LATE":
        return after["renewals"] > before["renewals"]
    pending = end.select(
        "SELECT offer_id FROM offer WHERE listing_id = ? AND state IN ('open', 'countered')", listing_id
    )
    stood = any(
        (start.get("offer", row["offer_id"]) or {"state": ""})["state"] in ("open", "countered") for row in pending
    )
    return code == "PRICE_STANDS" and stood and after["price_cents"] != before["price_cents"]


def _granted(note, start, end):
    """Whether a request that was declined came about after all."""
    code, subject = note["rule_code"], note["subject_id"]
    if code == "OPEN_PURCHASES":
        return _bought(note, start, end)
    if code == "DISPUTE_HOLD":
        found = end.select("SELECT movement_id FROM movement WHERE member_id = ? AND kind = 'withdrawal'", subject)
        return any(start.get("movement", row["movement_id"]) is None for row in found)
    if code in ("CANCEL_WINDOW", "ADDRESS_FIXED", "DISPUTE_WAIT"):
        return _purchase_granted(code, subject, start, end)
    if code in ("NEEDS_TEXT", "FRESH_LISTING", "RENEW_LATE", "PRICE_STANDS"):
        return _listing_granted(note, start, end)
    return False


@rule(
    "CANCEL_WINDOW",
    on={"cancel_purchase": "purchase_id"},
    reads=["purchase"],
    exempt={
        "accept_offer": "cancels no purchase",
        "buy_listing": "cancels no purchase",
        "pay_purchase": "cancels no purchase",
        "change_address": "cancels no purchase",
        "ship_purchase": "cancels no purchase",
        "confirm_receipts": "cancels no purchase",
        "rate_purchase": "cancels no purchase",
        "open_dispute": "cancels no purchase",
        "withdraw_dispute": "cancels no purchase",
        "resolve_dispute": "cancels no purchase",
        "top_up": "cancels no purchase",
        "withdraw_money": "cancels no purchase",
        "charge_fee": "cancels no purchase",
        "give_credit": "cancels no purchase",
        "create_listing": "cancels no purchase",
        "publish_listing": "cancels no purchase",
        "withdraw_listings": "cancels no purchase",
        "delete_draft": "cancels no purchase",
    },
    days=2,
)
def cancel_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A purchase that is paid is cancelled for its buyer at most {days} days after the day of paid_at, the last of
    these days included. Unpaid purchases, and cancellations by the seller, are free."""
    purchase = now.require("purchase", call.arguments["purchase_id"])
    if purchase["state"] != "paid" or call.arguments["cancelled_by"] != "buyer":
        return True
    return days_between(purchase["paid_at"], now.today) <= days


@rule(
    "ADDRESS_FIXED",
    on={"change_address": "purchase_id"},
    reads=["purchase"],
    exempt={
        "accept_offer": "makes a new purchase with its own address",
        "buy_listing": "makes a new purchase with its own address",
    },
    days=2,
)
def address_fixed(call: Call, now: Database, start: Database, days: int) -> bool:
    """The address of a purchase that is paid is changed at most {days} days after the day of paid_at, the last of
    these days included. While it is not paid, the address is free."""
    purchase = now.require("purchase", call.arguments["purchase_id"])
    return purchase["paid_at"] is None or days_between(purchase["paid_at"], now.today) <= days


@rule(
    "DISPUTE_WAIT",
    on={"open_dispute": "purchase_id"},
    reads=["purchase"],
    exempt={
        "answer_dispute": "opens no dispute",
        "withdraw_dispute": "opens no dispute",
        "resolve_dispute": "opens no dispute",
        "accept_offer": "opens no dispute",
        "buy_listing": "opens no dispute",
        "pay_purchase": "opens no dispute",
        "cancel_purchase": "opens no dispute",
        "change_address": "opens no dispute",
        "ship_purchase": "opens no dispute",
        "confirm_receipts": "opens no dispute",
        "rate_purchase": "opens no dispute",
    },
    days=3,
)
def dispute_wait(call: Call, now: Database, start: Database, days: int) -> bool:
    """A dispute is opened only when at least {days} days lie between the day of shipped_at and today: today is the day
    of shipped_at plus {days} days, or later. The reason makes no difference."""
    purchase = now.require("purchase", call.arguments["purchase_id"])
    return purchase["shipped_at"] is None or days_between(purchase["shipped_at"], now.today) >= days


@rule(
    "FRESH_LISTING",
    on={"make_offer": "listing_id"},
    reads=["listing"],
    exempt={
        "counter_offer": "makes no new offer",
        "accept_offer": "makes no new offer",
        "decline_offers": "makes no new offer",
        "withdraw_offer": "makes no new offer",
        "buy_listing": "makes no new offer",
        "withdraw_listings": "makes no new offer",
    },
    days=10,
)
def fresh_listing(call: Call, now: Database, start: Database, days: int) -> bool:
    """An offer is made for a listing only when at least {days} days lie between the day of its published_at and today:
    today is that day plus {days} days, or later. Buying at the asking price is free."""
    listing = now.require("listing", call.arguments["listing_id"])
    return listing["published_at"] is None or days_between(listing["published_at"], now.today) >= days


@rule(
    "OPEN_PURCHASES",
    on={"buy_listing": "listing_id", "accept_offer": "offer_id"},
    reads=["member", "offer", "purchase"],
    exempt={
        "pay_purchase": "makes no new purchase",
        "cancel_purchase": "makes no new purchase",
        "change_address": "makes no new purchase",
        "ship_purchase": "makes no new purchase",
        "confirm_receipts": "makes no new purchase",
        "rate_purchase": "makes no new purchase",
        "open_dispute": "makes no new purchase",
        "withdraw_dispute": "makes no new purchase",
        "resolve_dispute": "makes no new purchase",
        "create_listing": "makes no new purchase",
        "publish_listing": "makes no new purchase",
        "withdraw_listings": "makes no new purchase",
        "delete_draft": "makes no new purchase",
        "make_offer": "makes no new purchase",
        "counter_offer": "makes no new purchase",
        "decline_offers": "makes no new purchase",
        "withdraw_offer": "makes no new purchase",
    },
    basic=1,
    plus=2,
    pro=3,
)
def open_purchases(call: Call, now: Database, start: Database, basic: int, plus: int, pro: int) -> bool:
    """A member has at most {basic} running purchases as buyer if the tier is basic, {plus} if plus, {pro} if pro,
    counting the new purchase; running is awaiting_payment, paid, shipped or disputed. With an accepted offer, the
    buyer is the member who made it."""
    if call.tool == "buy_listing":
        buyer_id = call.arguments["member_id"]
    else:
        buyer_id = now.require("offer", call.arguments["offer_id"])["member_id"]
    most = {"basic": basic, "plus": plus, "pro": pro}[now.require("member", buyer_id)["tier"]]
    running = now.value(
        """
        SELECT count(*) FROM purchase
        WHERE buyer_id = ? AND state IN ('awaiting_payment', 'paid', 'shipped', 'disputed')
        """,
        buyer_id,
    )
    return running < most


@rule(
    "NEEDS_TEXT",
    on={"publish_listing": "listing_id"},
    reads=["listing"],
    exempt={
        "create_listing": "publishes nothing",
        "withdraw_listings": "publishes nothing",
        "delete_draft": "publishes nothing",
        "accept_offer": "publishes nothing",
        "buy_listing": "publishes nothing",
        "pay_purchase": "publishes nothing",
        "cancel_purchase": "publishes nothing",
        "renew_listing": "publishes nothing",
    },
    cents=2000,
)
def needs_text(call: Call, now: Database, start: Database, cents: int) -> bool:
    """A listing whose asking price is {cents} cents or more is published only if its description is not null. Below
    that price it is free."""
    listing = now.require("listing", call.arguments["listing_id"])
    return listing["price_cents"] < cents or listing["description"] is not None


@rule(
    "RENEW_LATE",
    on={"renew_listing": "listing_id"},
    reads=["listing"],
    exempt={"create_listing": "does not renew", "delete_draft": "does not renew", "publish_listing": "does not renew"},
    days=12,
)
def renew_late(call: Call, now: Database, start: Database, days: int) -> bool:
    """A listing is renewed only when today is at most {days} days before its expires_on, or is that day or later."""
    listing = now.require("listing", call.arguments["listing_id"])
    return listing["expires_on"] is None or days_between(now.today, listing["expires_on"]) <= days


@rule(
    "PRICE_STANDS",
    on={"change_price": "listing_id"},
    reads=["offer"],
    exempt={
        "create_listing": "sets or removes the price with the listing",
        "delete_draft": "sets or removes the price with the listing",
    },
)
def price_stands(call: Call, now: Database, start: Database) -> bool:
    """The asking price of a listing is not changed, neither up nor down, while an offer on it is pending, that is open
    or countered."""
    return (
        now.first(
            "SELECT offer_id FROM offer WHERE listing_id = ? AND state IN ('open', 'countered')",
            call.arguments["listing_id"],
        )
        is None
    )


@rule(
    "DISPUTE_HOLD",
    on={"withdraw_money": "member_id"},
    reads=["purchase"],
    exempt={
        "pay_purchase": "pays nothing to a bank",
        "cancel_purchase": "pays nothing to a bank",
        "confirm_receipts": "pays nothing to a bank",
        "top_up": "pays nothing to a bank",
        "charge_fee": "pays nothing to a bank",
        "give_credit": "pays nothing to a bank",
        "resolve_dispute": "pays nothing to a bank",
    },
)
def dispute_hold(call: Call, now: Database, start: Database) -> bool:
    """No money is withdrawn for a member who is buyer or seller of a purchase whose state is disputed."""
    return (
        now.first(
            "SELECT purchase_id FROM purchase WHERE ? IN (buyer_id, seller_id) AND state = 'disputed'",
            call.arguments["member_id"],
        )
        is None
    )


@duty("DECLINED_STAYS", reads=["declined_request", "member", "listing", "offer", "purchase", "movement", "dispute"])
def declined_stays(start: Database, end: Database) -> bool:
    """What a note of today says was declined is not granted by the end of the day. Granted is, for the subject of the
    note, by its rule: CANCEL_WINDOW: paid in the morning, cancelled by the buyer at the end. ADDRESS_FIXED: another
    address. DISPUTE_WAIT: a new dispute about the purchase. FRESH_LISTING: a new offer of the note's member.
    OPEN_PURCHASES: a new purchase of the listing by the note's member, or the offer became accepted. NEEDS_TEXT:
    became active, and has no description at the end. RENEW_LATE: renewals went up. PRICE_STANDS: another price,
    while an offer pending in the morning is pending at the end. DISPUTE_HOLD: a new withdrawal of the member. Other
    notes bind to nothing."""
    notes = end.select("SELECT * FROM declined_request WHERE declined_on = ?", end.today)
    return not any(_granted(note, start, end) for note in notes)


@duty("CANCEL_FEE", reads=["member", "purchase", "movement"], basic=150, plus=100)
def cancel_fee(start: Database, end: Database, basic: int, plus: int) -> bool:
    """For every purchase that is cancelled by its buyer at the end, was not cancelled in the morning, and has a
    paid_at, the buyer's new movements of kind fee with that purchase sum up to {basic} cents if the tier of the
    buyer at the end is basic, to {plus} cents if plus, and to nothing if pro."""
    cancelled = end.select(
        """
        SELECT purchase_id, buyer_id, tier
        FROM purchase JOIN member ON member_id = buyer_id
        WHERE purchase.state = 'cancelled' AND cancelled_by = 'buyer' AND paid_at IS NOT NULL
        """
    )
    for purchase in cancelled:
        before = start.get("purchase", purchase["purchase_id"])
        if before is not None and before["state"] == "cancelled":
            continue
        fees = end.select(
            "SELECT movement_id, amount_cents FROM movement WHERE kind = 'fee' AND purchase_id = ? AND member_id = ?",
            purchase["purchase_id"],
            purchase["buyer_id"],
        )
        charged = -sum(fee["amount_cents"] for fee in fees if start.get("movement", fee["movement_id"]) is None)
        if charged != {"basic": basic, "plus": plus, "pro": 0}[purchase["tier"]]:
            return False
    return True
