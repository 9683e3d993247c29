"""Purchases: buying, paying, shipping, receiving and rating."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool

State = Literal["awaiting_payment", "paid", "shipped", "disputed", "completed", "cancelled", "refunded"]


CancelledBy = Literal["buyer", "seller"]


class Purchase(TypedDict):
    purchase_id: Annotated[str, "id"]
    listing_id: Annotated[str, "listing"]
    listing_title: Annotated[str, "title of the listing"]
    buyer_id: Annotated[str, "member who buys"]
    seller_id: Annotated[str, "member who sells"]
    price_cents: Annotated[int, "agreed price in cents"]
    postage_cents: Annotated[int, "postage in cents"]
    protection_cents: Annotated[int, "buyer protection in cents"]
    commission_cents: Annotated[int, "commission in cents"]
    total_cents: Annotated[int, "total the buyer pays, cents"]
    refunded_cents: Annotated[int, "refunded to the buyer, cents"]
    state: Annotated[State, "state"]
    address: Annotated[str, "where to send it"]
    carrier: Annotated[str | None, "who carries the parcel"]
    tracking_code: Annotated[str | None, "code of the parcel"]
    cancelled_by: Annotated[CancelledBy | None, "who cancelled"]
    rating: Annotated[int | None, "stars from the buyer"]
    review: Annotated[str | None, "words of the buyer"]
    created_at: Annotated[Timestamp, "when bought"]
    paid_at: Annotated[Timestamp | None, "when paid"]
    shipped_at: Annotated[Timestamp | None, "when shipped"]
    ended_at: Annotated[Timestamp | None, "when completed, cancelled or refunded"]


class PurchaseEntry(TypedDict):
    purchase_id: Annotated[str, "id"]
    listing_title: Annotated[str, "title of the listing"]
    buyer_id: Annotated[str, "member who buys"]
    seller_id: Annotated[str, "member who sells"]
    total_cents: Annotated[int, "total in cents"]
    state: Annotated[State, "state"]
    cancelled_by: Annotated[CancelledBy | None, "who cancelled"]
    created_at: Annotated[Timestamp, "when bought"]


class PurchaseList(TypedDict):
    purchases: Annotated[list[PurchaseEntry], "the purchases"]
    total: Annotated[int, "all matches"]


class PurchaseBalance(TypedDict):
    purchase: Annotated[Purchase, "the purchase"]
    balance_cents: Annotated[int, "balance of the buyer, cents"]


class PurchaseBatch(TypedDict):
    purchases: Annotated[list[Purchase], "the purchases"]


def _total(row):
    return row["price_cents"] + row["postage_cents"] + row["protection_cents"]


def _purchase(db, row):
    title = db.get("listing", row["listing_id"])["title"]
    return row | {"listing_title": title, "total_cents": _total(row)}


def _balance(db, member_id):
    return db.value("SELECT coalesce(sum(amount_cents), 0) FROM movement WHERE member_id = ?", member_id)


def _book(db, member_id, kind, amount_cents, purchase_id):
    db.insert(
        "movement",
        movement_id=db.new_id("movement"),
        member_id=member_id,
        kind=kind,
        amount_cents=amount_cents,
        purchase_id=purchase_id,
        created_at=db.now,
    )


def _require_state(purchase, *states):
    if purchase["state"] not in states:
        raise Rejection.failed_precondition(
            f"Purchase {purchase['purchase_id']!r} is {purchase['state']}, not {' or '.join(states)}."
        )


@tool(reads=["member"], writes=["listing", "offer", "purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def buy_listing(
    db: Database,
    member_id: Annotated[str, "who buys"],
    listing_id: Annotated[str, "the listing"],
    address: Annotated[str, "where to send it", Field(min_length=1)],
) -> Purchase:
    """Buy a listing at the asking price.

    A new purchase of the member; the price is the asking price.
    """
    member = db.require("member", member_id)
    listing = db.require("listing", listing_id)
    if member["state"] != "active":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not active.")
    if listing["member_id"] == member_id:
        raise Rejection.failed_precondition(f"Member {member_id!r} is the seller of listing {listing_id!r}.")
    if listing["state"] != "active" or listing["expires_on"] < db.today:
        raise Rejection.failed_precondition(f"Listing {listing_id!r} is not on offer.")
    if db.get("member", listing["member_id"])["state"] != "active":
        raise Rejection.failed_precondition(f"The seller of listing {listing_id!r} is not active.")
    for offer in db.select(
        "SELECT offer_id FROM offer WHERE listing_id = ? AND state IN ('open', 'countered') ORDER BY offer_id",
        listing_id,
    ):
        db.update("offer", offer["offer_id"], state="declined", decided_at=db.now)
    db.update("listing", listing_id, state="reserved")
    price = listing["price_cents"]
    return _purchase(
        db,
        db.insert(
            "purchase",
            purchase_id=db.new_id("purchase"),
            listing_id=listing_id,
            buyer_id=member_id,
            seller_id=listing["member_id"],
            price_cents=price,
            postage_cents=listing["postage_cents"],
            protection_cents=70 + price * 5 // 100,
            commission_cents=price * 8 // 100,
            refunded_cents=0,
            state="awaiting_payment",
            address=address,
            created_at=db.now,
        ),
    )


@tool(reads=["listing", "purchase"], rejects=["NOT_FOUND"])
def get_purchase(db: Database, purchase_id: Annotated[str, "the purchase"]) -> Purchase:
    """Show a purchase."""
    return _purchase(db, db.require("purchase", purchase_id))


@tool(reads=["member", "listing", "purchase"], rejects=["NOT_FOUND"])
def list_member_purchases(
    db: Database,
    member_id: Annotated[str, "the member"],
    side: Annotated[CancelledBy, "role of the member"],
    state: Annotated[State | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> PurchaseList:
    """List what a member bought or sold.

    Purchases in which the member has this role; by created_at, newest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT purchase_id, listing.title AS listing_title, buyer_id, seller_id,
               purchase.price_cents + purchase.postage_cents + protection_cents AS total_cents,
               purchase.state, cancelled_by, purchase.created_at
        FROM purchase JOIN listing USING (listing_id)
        WHERE CASE ? WHEN 'buyer' THEN buyer_id ELSE seller_id END = ?
          AND (? IS NULL OR purchase.state = ?)
        ORDER BY purchase.created_at DESC, purchase_id
        """,
        side,
        member_id,
        state,
        state,
    )
    return {"purchases": found[:limit], "total": len(found)}


@tool(writes=["listing", "purchase", "movement"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_purchase(db: Database, purchase_id: Annotated[str, "the purchase"]) -> PurchaseBalance:
    """Pay a purchase from the balance of its buyer.

    A movement payment over minus the total for the buyer. state becomes paid, paid_at the clock; the listing becomes
    sold.
    """
    purchase = db.require("purchase", purchase_id)
    _require_state(purchase, "awaiting_payment")
    balance, total = _balance(db, purchase["buyer_id"]), _total(purchase)
    if balance < total:
        raise Rejection.failed_precondition(f"The balance of the buyer is {balance}, below the total {total}.")
    _book(db, purchase["buyer_id"], "payment", -total, purchase_id)
    db.update("listing", purchase["listing_id"], state="sold")
    paid = db.update("purchase", purchase_id, state="paid", paid_at=db.now)
    return {"purchase": _purchase(db, paid), "balance_cents": balance - total}


@tool(writes=["listing", "purchase", "movement"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_purchase(
    db: Database, purchase_id: Annotated[str, "the purchase"], cancelled_by: Annotated[CancelledBy, "who wants it"]
) -> PurchaseBalance:
    """Cancel a purchase that was not shipped.

    If it was paid: a movement refund over the total for the buyer, and refunded_cents is the total. state becomes
    cancelled, ended_at the clock; the listing becomes active.
    """
    purchase = db.require("purchase", purchase_id)
    _require_state(purchase, "awaiting_payment", "paid")
    refund = _total(purchase) if purchase["state"] == "paid" else 0
    if refund:
        _book(db, purchase["buyer_id"], "refund", refund, purchase_id)
    db.update("listing", purchase["listing_id"], state="active")
    cancelled = db.update(
        "purchase", purchase_id, state="cancelled", cancelled_by=cancelled_by, refunded_cents=refund, ended_at=db.now
    )
    return {"purchase": _purchase(db, cancelled), "balance_cents": _balance(db, purchase["buyer_id"])}


@tool(reads=["listing"], writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_address(
    db: Database,
    purchase_id: Annotated[str, "the purchase"],
    address: Annotated[str, "new address", Field(min_length=1)],
) -> Purchase:
    """Change where a purchase is sent."""
    _require_state(db.require("purchase", purchase_id), "awaiting_payment", "paid")
    return _purchase(db, db.update("purchase", purchase_id, address=address))


@tool(reads=["listing"], writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def ship_purchase(
    db: Database,
    purchase_id: Annotated[str, "the purchase"],
    carrier: Annotated[str, "who carries the parcel", Field(min_length=1)],
    tracking_code: Annotated[str | None, "code of the parcel", Field(min_length=1)] = None,
) -> Purchase:
    """Note that the seller shipped a paid purchase.

    state becomes shipped, shipped_at the clock.
    """
    _require_state(db.require("purchase", purchase_id), "paid")
    return _purchase(
        db,
        db.update(
            "purchase", purchase_id, state="shipped", shipped_at=db.now, carrier=carrier, tracking_code=tracking_code
        ),
    )


@tool(
    reads=["listing"], writes=["purchase", "movement"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def confirm_receipts(
    db: Database, purchase_ids: Annotated[list[str], "purchases that arrived", Field(min_length=1, max_length=20)]
) -> PurchaseBatch:
    """Note that shipped purchases arrived, and pay the sellers.

    In the order given, a movement sale over the proceeds for each seller. state becomes completed, ended_at the clock.
    """
    if len(set(purchase_ids)) < len(purchase_ids):
        raise Rejection.invalid_argument("purchase_ids holds the same id twice.")
    purchases = [db.require("purchase", purchase_id) for purchase_id in purchase_ids]
    for purchase in purchases:
        _require_state(purchase, "shipped")
    completed = []
    for purchase in purchases:
        proceeds = purchase["price_cents"] + purchase["postage_cents"] - purchase["commission_cents"]
        _book(db, purchase["seller_id"], "sale", proceeds, purchase["purchase_id"])
        completed.append(db.update("purchase", purchase["purchase_id"], state="completed", ended_at=db.now))
    return {"purchases": [_purchase(db, purchase) for purchase in completed]}


@tool(reads=["listing"], writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def rate_purchase(
    db: Database,
    purchase_id: Annotated[str, "the purchase"],
    rating: Annotated[int, "stars", Field(ge=1, le=5)],
    review: Annotated[str | None, "words of the buyer", Field(min_length=1)] = None,
) -> Purchase:
    """Note how the buyer rates a completed purchase."""
    purchase = db.require("purchase", purchase_id)
    _require_state(purchase, "completed")
    if purchase["rating"] is not None:
        raise Rejection.already_exists(f"Purchase {purchase_id!r} has a rating already.")
    return _purchase(db, db.update("purchase", purchase_id, rating=rating, review=review))
