"""Offers: making, countering, and settling offers."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, tool


class Offer(TypedDict):
    offer_id: Annotated[str, "the offer"]
    listing_id: Annotated[str, "its listing"]
    title: Annotated[str, "what is sold"]
    member_id: Annotated[str, "who made it"]
    amount_cents: Annotated[int, "amount in cents"]
    counter_cents: Annotated[int | None, "seller's price in cents"]
    message: Annotated[str | None, "words to the seller"]
    status: Annotated[str, "state"]
    made_on: Annotated[Date, "when it was made"]
    changes: Annotated[int, "times the amount changed"]


class OfferList(TypedDict):
    offers: Annotated[list[Offer], "offers"]


class PurchaseMade(TypedDict):
    purchase_id: Annotated[str, "the purchase"]
    title: Annotated[str, "what is bought"]
    total_cents: Annotated[int, "item and shipping in cents"]
    pay_by: Annotated[Date, "last day to pay"]


DAYS_TO_PAY = 3


def _offer(db, offer_id):
    return db.first(
        "SELECT offer_id, listing_id, title, member_id, amount_cents, counter_cents, message, offer.status AS status, "
        "made_on, changes FROM offer JOIN listing USING (listing_id) WHERE offer_id = ?",
        offer_id,
    )


def _require(db, offer_id, *states):
    offer = db.require("offer", offer_id)
    if offer["status"] not in states:
        raise Rejection.failed_precondition(
            f"Offer {offer_id!r} is {offer['status']}; it must be {' or '.join(states)}."
        )
    return offer


def _accept(db, offer, item_cents):
    listing = db.get("listing", offer["listing_id"])
    if listing["status"] != "active":
        raise Rejection.failed_precondition(f"Listing {listing['listing_id']!r} is {listing['status']}, not active.")
    db.update("offer", offer["offer_id"], status="accepted", decided_on=db.today)
    others = db.select(
        "SELECT offer_id FROM offer WHERE listing_id = ? AND status IN ('pending', 'countered') ORDER BY offer_id",
        listing["listing_id"],
    )
    for other in others:
        db.update("offer", other["offer_id"], status="declined", decided_on=db.today)
    db.update("listing", listing["listing_id"], status="reserved")
    purchase = db.insert(
        "purchase",
        purchase_id=db.new_id("purchase"),
        listing_id=listing["listing_id"],
        buyer_id=offer["member_id"],
        item_cents=item_cents,
        shipping_cents=listing["shipping_cents"],
        status="awaiting_payment",
        made_on=db.today,
        pay_by=add_days(db.today, DAYS_TO_PAY),
        ship_to=db.get("member", offer["member_id"])["home_address"],
    )
    return {
        "purchase_id": purchase["purchase_id"],
        "title": listing["title"],
        "total_cents": item_cents + listing["shipping_cents"],
        "pay_by": purchase["pay_by"],
    }


@tool(reads=["listing", "offer"], rejects=["NOT_FOUND"])
def list_offers_on_listing(
    db: Database,
    listing_id: Annotated[str, "listing in question"],
    status: Annotated[
        Literal["pending", "countered", "accepted", "declined", "withdrawn"] | None, "state of the offer"
    ] = None,
) -> OfferList:
    """List the offers on a listing.

    Sorted by amount_cents, highest first.
    """
    db.require("listing", listing_id)
    offers = db.select(
        """
        SELECT offer_id, listing_id, title, member_id, amount_cents, counter_cents, message, offer.status AS status,
               made_on, changes
        FROM offer JOIN listing USING (listing_id)
        WHERE listing_id = ? AND (? IS NULL OR offer.status = ?)
        ORDER BY amount_cents DESC, offer_id
        """,
        listing_id,
        status,
        status,
    )
    return {"offers": offers}


@tool(reads=["member", "listing", "offer"], rejects=["NOT_FOUND"])
def list_member_offers(
    db: Database,
    member_id: Annotated[str, "member in question"],
    status: Annotated[
        Literal["pending", "countered", "accepted", "declined", "withdrawn"] | None, "state of the offer"
    ] = None,
) -> OfferList:
    """List the offers that a member made.

    Sorted by made_on, latest first.
    """
    db.require("member", member_id)
    offers = db.select(
        """
        SELECT offer_id, listing_id, title, member_id, amount_cents, counter_cents, message, offer.status AS status,
               made_on, changes
        FROM offer JOIN listing USING (listing_id)
        WHERE member_id = ? AND (? IS NULL OR offer.status = ?)
        ORDER BY made_on DESC, offer_id
        """,
        member_id,
        status,
        status,
    )
    return {"offers": offers}


@tool(reads=["member", "listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def make_offer(
    db: Database,
    member_id: Annotated[str, "member in question"],
    listing_id: Annotated[str, "listing in question"],
    amount_cents: Annotated[int, "price offered in cents", Field(ge=100, le=500000)],
    message: Annotated[str | None, "words to the seller", Field(min_length=1, max_length=300)] = None,
) -> Offer:
    """Offer a price for an active listing.

    Requires: The listing is active. The member is not its seller. amount_cents is below the asking price. The member
    has no pending or countered offer on this listing.

    Adds a pending offer made today.
    """
    db.require("member", member_id)
    listing = db.require("listing", listing_id)
    if listing["status"] != "active":
        raise Rejection.failed_precondition(f"Listing {listing_id!r} is {listing['status']}, not active.")
    if listing["seller_id"] == member_id:
        raise Rejection.failed_precondition(
            f"Member {member_id!r} sells listing {listing_id!r}; only others can make an offer."
        )
    if amount_cents >= listing["price_cents"]:
        raise Rejection.failed_precondition(
            f"The offer of {amount_cents} cents is not below the asking price of {listing['price_cents']} cents."
        )
    open_offer = db.value(
        "SELECT offer_id FROM offer WHERE listing_id = ? AND member_id = ? AND status IN ('pending', 'countered')",
        listing_id,
        member_id,
    )
    if open_offer is not None:
        raise Rejection.already_exists(
            f"Member {member_id!r} has the open offer {open_offer!r} on this listing already."
        )
    offer = db.insert(
        "offer",
        offer_id=db.new_id("offer"),
        listing_id=listing_id,
        member_id=member_id,
        amount_cents=amount_cents,
        message=message,
        status="pending",
        made_on=db.today,
    )
    return _offer(db, offer["offer_id"])


@tool(reads=["listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_offer(
    db: Database,
    offer_id: Annotated[str, "offer in question"],
    amount_cents: Annotated[int, "new price offered in cents", Field(ge=100, le=500000)],
) -> Offer:
    """Change the amount of a pending offer.

    Requires: The offer is pending. amount_cents differs from the present amount and is below the asking price.

    amount_cents changes; changes goes up by 1.
    """
    offer = _require(db, offer_id, "pending")
    price = db.get("listing", offer["listing_id"])["price_cents"]
    if amount_cents == offer["amount_cents"] or amount_cents >= price:
        raise Rejection.failed_precondition(
            f"{amount_cents} cents must differ from the {offer['amount_cents']} cents offered and be below the price of {price} cents."
        )
    db.update("offer", offer_id, amount_cents=amount_cents, changes=offer["changes"] + 1)
    return _offer(db, offer_id)


@tool(reads=["listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_offer(db: Database, offer_id: Annotated[str, "offer in question"]) -> Offer:
    """Take back an open offer.

    Requires: The offer is pending or countered.

    status becomes withdrawn, decided_on today.
    """
    _require(db, offer_id, "pending", "countered")
    db.update("offer", offer_id, status="withdrawn", decided_on=db.today)
    return _offer(db, offer_id)


@tool(reads=["listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def decline_offer(db: Database, offer_id: Annotated[str, "offer in question"]) -> Offer:
    """Turn down a pending offer for the seller.

    Requires: The offer is pending.

    status becomes declined, decided_on today.
    """
    _require(db, offer_id, "pending")
    db.update("offer", offer_id, status="declined", decided_on=db.today)
    return _offer(db, offer_id)


@tool(reads=["listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def counter_offer(
    db: Database,
    offer_id: Annotated[str, "offer in question"],
    counter_cents: Annotated[int, "price the seller asks in cents", Field(ge=100, le=500000)],
) -> Offer:
    """Answer a pending offer with another price.

    Requires: The offer is pending. counter_cents is above the offer and below the asking price.

    status becomes countered, counter_cents the given amount.
    """
    offer = _require(db, offer_id, "pending")
    price = db.get("listing", offer["listing_id"])["price_cents"]
    if not offer["amount_cents"] < counter_cents < price:
        raise Rejection.failed_precondition(
            f"{counter_cents} cents must be above the offer of {offer['amount_cents']} cents and below the price of {price} cents."
        )
    db.update("offer", offer_id, status="countered", counter_cents=counter_cents)
    return _offer(db, offer_id)


@tool(reads=["member"], writes=["listing", "offer", "purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def accept_offer(db: Database, offer_id: Annotated[str, "offer in question"]) -> PurchaseMade:
    """Accept a pending offer for the seller.

    Requires: The offer is pending. Its listing is active.

    The offer becomes accepted with decided_on today; the listing becomes reserved; its other pending and countered
    offers become declined with decided_on today. Adds a purchase by the offer's member: item_cents is amount_cents.
    """
    offer = _require(db, offer_id, "pending")
    return _accept(db, offer, offer["amount_cents"])


@tool(reads=["member"], writes=["listing", "offer", "purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def accept_counter_offer(db: Database, offer_id: Annotated[str, "offer in question"]) -> PurchaseMade:
    """Accept the seller's counter price for the buyer.

    Requires: The offer is countered. Its listing is active.

    The offer becomes accepted with decided_on today; the listing becomes reserved; its other pending and countered
    offers become declined with decided_on today. Adds a purchase by the offer's member: item_cents is counter_cents.
    """
    offer = _require(db, offer_id, "countered")
    return _accept(db, offer, offer["counter_cents"])
