"""Purchases: buying, paying, shipping, and delivery."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, tool


class PurchaseEntry(TypedDict):
    purchase_id: Annotated[str, "the purchase"]
    title: Annotated[str, "what was bought"]
    total_cents: Annotated[int, "item and shipping in cents"]
    status: Annotated[str, "state"]
    made_on: Annotated[Date, "when it was made"]


class PurchaseList(TypedDict):
    purchases: Annotated[list[PurchaseEntry], "purchases"]


class Purchase(TypedDict):
    purchase_id: Annotated[str, "the purchase"]
    listing_id: Annotated[str, "what was bought"]
    title: Annotated[str, "title of the listing"]
    buyer_id: Annotated[str, "member who buys"]
    seller_id: Annotated[str, "member who sells"]
    item_cents: Annotated[int, "price in cents"]
    shipping_cents: Annotated[int, "shipping in cents"]
    total_cents: Annotated[int, "both in cents"]
    status: Annotated[str, "state"]
    made_on: Annotated[Date, "when it was made"]
    pay_by: Annotated[Date, "last day to pay"]
    paid_on: Annotated[Date | None, "when it was paid"]
    payment_method: Annotated[str | None, "card or balance"]
    shipped_on: Annotated[Date | None, "when it shipped"]
    carrier: Annotated[str | None, "carrier"]
    tracking_number: Annotated[str | None, "tracking number"]
    ship_to: Annotated[str | None, "delivery address"]
    delivered_on: Annotated[Date | None, "when it arrived"]
    closed_on: Annotated[Date | None, "when it was canceled or refunded"]


class PurchaseMade(TypedDict):
    purchase_id: Annotated[str, "the purchase"]
    title: Annotated[str, "what is bought"]
    total_cents: Annotated[int, "item and shipping in cents"]
    pay_by: Annotated[Date, "last day to pay"]


DAYS_TO_PAY = 3


def _purchase(db, purchase_id):
    return db.first(
        "SELECT purchase_id, listing_id, title, buyer_id, seller_id, item_cents, purchase.shipping_cents AS shipping_cents, "
        "item_cents + purchase.shipping_cents AS total_cents, purchase.status AS status, made_on, pay_by, paid_on, "
        "payment_method, shipped_on, carrier, tracking_number, ship_to, delivered_on, closed_on "
        "FROM purchase JOIN listing USING (listing_id) WHERE purchase_id = ?",
        purchase_id,
    )


def _require(db, purchase_id, *states):
    db.require("purchase", purchase_id)
    purchase = _purchase(db, purchase_id)
    if purchase["status"] not in states:
        raise Rejection.failed_precondition(
            f"Purchase {purchase_id!r} is {purchase['status']}; it must be {' or '.join(states)}."
        )
    return purchase


def _check_tracking(db, purchase_id, tracking_number):
    other = db.value(
        "SELECT purchase_id FROM purchase WHERE tracking_number = ? AND purchase_id <> ?", tracking_number, purchase_id
    )
    if other is not None:
        raise Rejection.already_exists(f"Purchase {other!r} has the tracking number {tracking_number!r} already.")


def _book(db, member_id, kind, amount_cents, purchase):
    """Book an amount of a purchase to a member's balance."""
    balance = db.get("member", member_id)["balance_cents"]
    db.update("member", member_id, balance_cents=balance + amount_cents)
    db.insert(
        "account_entry",
        entry_id=db.new_id("account_entry"),
        member_id=member_id,
        kind=kind,
        label=purchase["title"],
        amount_cents=amount_cents,
        status="posted",
        booked_on=db.today,
        purchase_id=purchase["purchase_id"],
    )


@tool(reads=["member", "listing", "purchase"], rejects=["NOT_FOUND"])
def list_purchases(
    db: Database,
    member_id: Annotated[str, "member in question"],
    status: Annotated[
        Literal["awaiting_payment", "paid", "shipped", "delivered", "disputed", "refunded", "canceled"] | None,
        "state of the purchase",
    ] = None,
) -> PurchaseList:
    """List what a member bought.

    Sorted by made_on, latest first.
    """
    db.require("member", member_id)
    purchases = db.select(
        """
        SELECT purchase_id, title, item_cents + purchase.shipping_cents AS total_cents, purchase.status AS status, made_on
        FROM purchase JOIN listing USING (listing_id)
        WHERE buyer_id = ? AND (? IS NULL OR purchase.status = ?)
        ORDER BY made_on DESC, purchase_id
        """,
        member_id,
        status,
        status,
    )
    return {"purchases": purchases}


@tool(reads=["member", "listing", "purchase"], rejects=["NOT_FOUND"])
def list_sales(
    db: Database,
    member_id: Annotated[str, "member in question"],
    status: Annotated[
        Literal["awaiting_payment", "paid", "shipped", "delivered", "disputed", "refunded", "canceled"] | None,
        "state of the purchase",
    ] = None,
) -> PurchaseList:
    """List what a member sold.

    Purchases of their listings; sorted by made_on, latest first.
    """
    db.require("member", member_id)
    purchases = db.select(
        """
        SELECT purchase_id, title, item_cents + purchase.shipping_cents AS total_cents, purchase.status AS status, made_on
        FROM purchase JOIN listing USING (listing_id)
        WHERE seller_id = ? AND (? IS NULL OR purchase.status = ?)
        ORDER BY made_on DESC, purchase_id
        """,
        member_id,
        status,
        status,
    )
    return {"purchases": purchases}


@tool(reads=["listing", "purchase"], rejects=["NOT_FOUND"])
def get_purchase(db: Database, purchase_id: Annotated[str, "purchase in question"]) -> Purchase:
    """Show one purchase in full."""
    db.require("purchase", purchase_id)
    return _purchase(db, purchase_id)


@tool(reads=["member"], writes=["listing", "offer", "purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def buy_now(
    db: Database, member_id: Annotated[str, "member in question"], listing_id: Annotated[str, "listing in question"]
) -> PurchaseMade:
    """Buy an active listing at the asking price.

    Requires: The listing is active. The member is not its seller.

    Adds a purchase: item_cents is price_cents; the listing becomes reserved. Its pending and countered offers become
    declined with decided_on today.
    """
    member = db.require("member", member_id)
    listing = db.require("listing", listing_id)
    if listing["status"] != "active":
        raise Rejection.failed_precondition(f"Listing {listing_id!r} is {listing['status']}, not active.")
    if listing["seller_id"] == member_id:
        raise Rejection.failed_precondition(
            f"Member {member_id!r} sells listing {listing_id!r}; only others can buy it."
        )
    for offer in db.select(
        "SELECT offer_id FROM offer WHERE listing_id = ? AND status IN ('pending', 'countered') ORDER BY offer_id",
        listing_id,
    ):
        db.update("offer", offer["offer_id"], status="declined", decided_on=db.today)
    db.update("listing", listing_id, status="reserved")
    purchase = db.insert(
        "purchase",
        purchase_id=db.new_id("purchase"),
        listing_id=listing_id,
        buyer_id=member_id,
        item_cents=listing["price_cents"],
        shipping_cents=listing["shipping_cents"],
        status="awaiting_payment",
        made_on=db.today,
        pay_by=add_days(db.today, DAYS_TO_PAY),
        ship_to=member["home_address"],
    )
    return {
        "purchase_id": purchase["purchase_id"],
        "title": listing["title"],
        "total_cents": listing["price_cents"] + listing["shipping_cents"],
        "pay_by": purchase["pay_by"],
    }


@tool(reads=["listing"], writes=["member", "purchase", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_purchase(
    db: Database,
    purchase_id: Annotated[str, "purchase in question"],
    method: Annotated[Literal["card", "balance"], "how it is paid"],
) -> Purchase:
    """Record that the buyer paid.

    Requires: The purchase is awaiting payment. If paid from the balance, the buyer's balance covers total_cents.

    status becomes paid, paid_on today, payment_method the method. From the balance: the buyer's balance goes down by
    total_cents, and a posted payment entry over minus total_cents is added.
    """
    purchase = _require(db, purchase_id, "awaiting_payment")
    total = purchase["total_cents"]
    if method == "balance":
        balance = db.get("member", purchase["buyer_id"])["balance_cents"]
        if balance < total:
            raise Rejection.failed_precondition(
                f"The balance of {balance} cents does not cover the total of {total} cents."
            )
        _book(db, purchase["buyer_id"], "payment", -total, purchase)
    db.update("purchase", purchase_id, status="paid", paid_on=db.today, payment_method=method)
    return _purchase(db, purchase_id)


@tool(writes=["member", "listing", "purchase", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_purchase(
    db: Database,
    purchase_id: Annotated[str, "purchase in question"],
    reason: Annotated[str, "reason in a person's words", Field(min_length=1, max_length=300)],
) -> Purchase:
    """Cancel a purchase that has not shipped.

    Requires: The purchase is awaiting payment or paid.

    status becomes canceled, cancel_reason the reason, closed_on today; the listing becomes active. If it was paid:
    total_cents is added to the buyer's balance, with a posted refund entry.
    """
    purchase = _require(db, purchase_id, "awaiting_payment", "paid")
    if purchase["status"] == "paid":
        _book(db, purchase["buyer_id"], "refund", purchase["total_cents"], purchase)
    db.update("purchase", purchase_id, status="canceled", cancel_reason=reason, closed_on=db.today)
    db.update("listing", purchase["listing_id"], status="active")
    return _purchase(db, purchase_id)


@tool(reads=["listing"], writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def mark_shipped(
    db: Database,
    purchase_id: Annotated[str, "purchase in question"],
    carrier: Annotated[Literal["USPS", "UPS", "FedEx"], "carrier"],
    tracking_number: Annotated[str, "tracking number", Field(min_length=6, max_length=30)],
) -> Purchase:
    """Record that the seller shipped.

    Requires: The purchase is paid. No other purchase has this tracking number.

    status becomes shipped, shipped_on today; carrier and tracking_number are stored.
    """
    _require(db, purchase_id, "paid")
    _check_tracking(db, purchase_id, tracking_number)
    db.update(
        "purchase", purchase_id, status="shipped", shipped_on=db.today, carrier=carrier, tracking_number=tracking_number
    )
    return _purchase(db, purchase_id)


@tool(reads=["listing"], writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_delivery_address(
    db: Database,
    purchase_id: Annotated[str, "purchase in question"],
    address: Annotated[str, "street, city, state, ZIP", Field(min_length=5)],
) -> Purchase:
    """Change where a purchase ships.

    Requires: The purchase is awaiting payment or paid.

    ship_to changes.
    """
    _require(db, purchase_id, "awaiting_payment", "paid")
    db.update("purchase", purchase_id, ship_to=address)
    return _purchase(db, purchase_id)


@tool(
    reads=["listing"],
    writes=["purchase"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def correct_tracking(
    db: Database,
    purchase_id: Annotated[str, "purchase in question"],
    tracking_number: Annotated[str | None, "right tracking number", Field(min_length=6, max_length=30)] = None,
    carrier: Annotated[Literal["USPS", "UPS", "FedEx"] | None, "right carrier"] = None,
) -> Purchase:
    """Correct the carrier or tracking number of a shipped purchase.

    Requires: A tracking number or a carrier is given. The purchase is shipped. No other purchase has this tracking
    number.

    Only the given fields change.
    """
    if tracking_number is None and carrier is None:
        raise Rejection.invalid_argument("Neither a tracking number nor a carrier was given; give at least one.")
    _require(db, purchase_id, "shipped")
    changes = {}
    if tracking_number is not None:
        _check_tracking(db, purchase_id, tracking_number)
        changes["tracking_number"] = tracking_number
    if carrier is not None:
        changes["carrier"] = carrier
    db.update("purchase", purchase_id, **changes)
    return _purchase(db, purchase_id)


@tool(writes=["member", "listing", "purchase", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def confirm_delivery(db: Database, purchase_id: Annotated[str, "purchase in question"]) -> Purchase:
    """Record that the buyer received the item, and pay the seller.

    Requires: The purchase is shipped.

    status becomes delivered, delivered_on today; the listing becomes sold. total_cents is added to the seller's
    balance, with a posted sale entry.
    """
    purchase = _require(db, purchase_id, "shipped")
    _book(db, purchase["seller_id"], "sale", purchase["total_cents"], purchase)
    db.update("purchase", purchase_id, status="delivered", delivered_on=db.today)
    db.update("listing", purchase["listing_id"], status="sold")
    return _purchase(db, purchase_id)
