"""Money: movements of balances, fees, credits and a price calculator."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool

Kind = Literal["top_up", "payment", "sale", "refund", "withdrawal", "fee", "credit"]


class Movement(TypedDict):
    movement_id: Annotated[str, "id"]
    member_id: Annotated[str, "whose money"]
    kind: Annotated[Kind, "kind"]
    amount_cents: Annotated[int, "cents, negative if taken"]
    purchase_id: Annotated[str | None, "purchase it belongs to"]
    reason: Annotated[str | None, "why"]
    created_at: Annotated[Timestamp, "when booked"]


class MovementList(TypedDict):
    movements: Annotated[list[Movement], "the movements"]
    total: Annotated[int, "all matches"]
    sum_cents: Annotated[int, "sum of all matches, cents"]


class Booking(TypedDict):
    movement: Annotated[Movement, "the new movement"]
    balance_cents: Annotated[int, "balance after it, cents"]


class Quote(TypedDict):
    protection_cents: Annotated[int, "buyer protection in cents"]
    total_cents: Annotated[int, "what the buyer pays, cents"]
    commission_cents: Annotated[int, "commission in cents"]
    proceeds_cents: Annotated[int, "what the seller gets, cents"]


def _balance(db, member_id):
    return db.value("SELECT coalesce(sum(amount_cents), 0) FROM movement WHERE member_id = ?", member_id)


def _book(db, member_id, kind, amount_cents, purchase_id=None, reason=None):
    movement = db.insert(
        "movement",
        movement_id=db.new_id("movement"),
        member_id=member_id,
        kind=kind,
        amount_cents=amount_cents,
        purchase_id=purchase_id,
        reason=reason,
        created_at=db.now,
    )
    return {"movement": movement, "balance_cents": _balance(db, member_id)}


def _require_open_account(member):
    if member["state"] == "closed":
        raise Rejection.failed_precondition(f"Member {member['member_id']!r} is closed.")


def _require_balance(db, member_id, amount_cents):
    balance = _balance(db, member_id)
    if balance < amount_cents:
        raise Rejection.failed_precondition(f"The balance of member {member_id!r} is {balance}, below {amount_cents}.")


def _require_party(db, member_id, purchase_id):
    """The member exists and is not closed; the purchase, if given, exists and is theirs on either side."""
    member = db.require("member", member_id)
    purchase = None if purchase_id is None else db.require("purchase", purchase_id)
    _require_open_account(member)
    if purchase and member_id not in (purchase["buyer_id"], purchase["seller_id"]):
        raise Rejection.failed_precondition(f"Member {member_id!r} is not buyer or seller of purchase {purchase_id!r}.")


@tool(reads=["member", "movement"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_movements(
    db: Database,
    member_id: Annotated[str, "the member"],
    kind: Annotated[Kind | None, "only this kind"] = None,
    from_day: Annotated[Date | None, "first day"] = None,
    to_day: Annotated[Date | None, "last day"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> MovementList:
    """List the movements of a member's money.

    The days bound the day of created_at; by created_at, newest first.
    """
    if from_day is not None and to_day is not None and from_day > to_day:
        raise Rejection.invalid_argument(f"from_day {from_day} is after to_day {to_day}.")
    db.require("member", member_id)
    found = db.select(
        """
        SELECT * FROM movement
        WHERE member_id = ? AND (? IS NULL OR kind = ?)
          AND (? IS NULL OR substr(created_at, 1, 10) >= ?)
          AND (? IS NULL OR substr(created_at, 1, 10) <= ?)
        ORDER BY created_at DESC, movement_id
        """,
        member_id,
        kind,
        kind,
        from_day,
        from_day,
        to_day,
        to_day,
    )
    total = sum(movement["amount_cents"] for movement in found)
    return {"movements": found[:limit], "total": len(found), "sum_cents": total}


@tool(reads=["member"], writes=["movement"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def top_up(
    db: Database, member_id: Annotated[str, "the member"], amount_cents: Annotated[int, "cents to add", Field(ge=100)]
) -> Booking:
    """Add money to the balance of a member.

    A movement top_up over the amount.
    """
    member = db.require("member", member_id)
    if member["state"] != "active":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not active.")
    return _book(db, member_id, "top_up", amount_cents)


@tool(reads=["member"], writes=["movement"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_money(
    db: Database,
    member_id: Annotated[str, "the member"],
    amount_cents: Annotated[int, "cents to pay out", Field(ge=100)],
) -> Booking:
    """Pay out money from a balance to the member's bank.

    A movement withdrawal over minus the amount.
    """
    _require_open_account(db.require("member", member_id))
    _require_balance(db, member_id, amount_cents)
    return _book(db, member_id, "withdrawal", -amount_cents)


@tool(reads=["member", "purchase"], writes=["movement"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def charge_fee(
    db: Database,
    member_id: Annotated[str, "the member"],
    amount_cents: Annotated[int, "cents to take", Field(ge=1)],
    reason: Annotated[str, "what for", Field(min_length=1)],
    purchase_id: Annotated[str | None, "purchase it belongs to"] = None,
) -> Booking:
    """Charge a member a fee.

    A movement fee over minus the amount, with reason and purchase.
    """
    _require_party(db, member_id, purchase_id)
    _require_balance(db, member_id, amount_cents)
    return _book(db, member_id, "fee", -amount_cents, purchase_id, reason)


@tool(reads=["member", "purchase"], writes=["movement"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def give_credit(
    db: Database,
    member_id: Annotated[str, "the member"],
    amount_cents: Annotated[int, "cents to give", Field(ge=1)],
    reason: Annotated[str, "what for", Field(min_length=1)],
    purchase_id: Annotated[str | None, "purchase it belongs to"] = None,
) -> Booking:
    """Give a member goodwill money.

    A movement credit over the amount, with reason and purchase.
    """
    _require_party(db, member_id, purchase_id)
    return _book(db, member_id, "credit", amount_cents, purchase_id, reason)


@tool()
def quote_price(
    db: Database,
    price_cents: Annotated[int, "price in cents", Field(ge=1)],
    postage_cents: Annotated[int, "postage in cents", Field(ge=0)] = 0,
) -> Quote:
    """Work out what a buyer pays and a seller gets.

    As the conventions say.
    """
    protection, commission = 70 + price_cents * 5 // 100, price_cents * 8 // 100
    return {
        "protection_cents": protection,
        "total_cents": price_cents + postage_cents + protection,
        "commission_cents": commission,
        "proceeds_cents": price_cents + postage_cents - commission,
    }
