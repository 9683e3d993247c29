"""Offers: making, countering, accepting and declining them."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool

State = Literal["open", "countered", "accepted", "declined", "withdrawn"]


class Offer(TypedDict):
    offer_id: Annotated[str, "id"]
    listing_id: Annotated[str, "listing"]
    listing_title: Annotated[str, "title of the listing"]
    member_id: Annotated[str, "who offers"]
    amount_cents: Annotated[int, "offered price in cents"]
    counter_cents: Annotated[int | None, "price the seller countered, cents"]
    state: Annotated[State, "state"]
    created_at: Annotated[Timestamp, "when made"]
    decided_at: Annotated[Timestamp | None, "when accepted, declined or withdrawn"]


class OfferList(TypedDict):
    offers: Annotated[list[Offer], "the offers"]
    total: Annotated[int, "all matches"]


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
    state: Annotated[
        Literal["awaiting_payment", "paid", "shipped", "disputed", "completed", "cancelled", "refunded"], "state"
    ]
    address: Annotated[str, "where to send it"]
    carrier: Annotated[str | None, "who carries the parcel"]
    tracking_code: Annotated[str | None, "code of the parcel"]
    cancelled_by: Annotated[Literal["buyer", "seller"] | None, "who cancelled"]
    rating: Annotated[int | None, "stars from the buyer"]
    review: Annotated[str | None, "words of the buyer"]
    created_at: Annotated[Timestamp, "when bought"]
    paid_at: Annotated[Timestamp | None, "when paid"]
    shipped_at: Annotated[Timestamp | None, "when shipped"]
    ended_at: Annotated[Timestamp | None, "when completed, cancelled or refunded"]


class OfferBatch(TypedDict):
    offers: Annotated[list[Offer], "the offers"]


def _offer(db, row):
    return row | {"listing_title": db.get("listing", row["listing_id"])["title"]}


def _require_on_offer(db, listing):
    if listing["state"] != "active" or listing["expires_on"] < db.today:
        raise Rejection.failed_precondition(f"Listing {listing['listing_id']!r} is not on offer.")


def _require_pending(offer):
    if offer["state"] not in ("open", "countered"):
        raise Rejection.failed_precondition(f"Offer {offer['offer_id']!r} is {offer['state']}, not open or countered.")


@tool(reads=["member", "listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def make_offer(
    db: Database,
    member_id: Annotated[str, "who offers"],
    listing_id: Annotated[str, "the listing"],
    amount_cents: Annotated[int, "offered price in cents", Field(ge=1)],
) -> Offer:
    """Offer less than the asking price for a listing.

    state is open.
    """
    member = db.require("member", member_id)
    listing = db.require("listing", listing_id)
    if member["state"] != "active":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not active.")
    if listing["member_id"] == member_id:
        raise Rejection.failed_precondition(f"Member {member_id!r} is the seller of listing {listing_id!r}.")
    _require_on_offer(db, listing)
    if not listing["negotiable"]:
        raise Rejection.failed_precondition(f"Listing {listing_id!r} is not negotiable.")
    if amount_cents >= listing["price_cents"]:
        raise Rejection.failed_precondition(f"{amount_cents} is not below the asking price {listing['price_cents']}.")
    if db.first(
        "SELECT 1 FROM offer WHERE listing_id = ? AND member_id = ? AND state IN ('open', 'countered')",
        listing_id,
        member_id,
    ):
        raise Rejection.already_exists(f"Member {member_id!r} has a pending offer on listing {listing_id!r}.")
    return _offer(
        db,
        db.insert(
            "offer",
            offer_id=db.new_id("offer"),
            listing_id=listing_id,
            member_id=member_id,
            amount_cents=amount_cents,
            state="open",
            created_at=db.now,
        ),
    )


@tool(reads=["member", "listing", "offer"], rejects=["NOT_FOUND"])
def list_member_offers(
    db: Database,
    member_id: Annotated[str, "the member"],
    state: Annotated[State | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> OfferList:
    """List the offers that a member made.

    By created_at, newest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT offer.*, listing.title AS listing_title
        FROM offer JOIN listing USING (listing_id)
        WHERE offer.member_id = ? AND (? IS NULL OR offer.state = ?)
        ORDER BY offer.created_at DESC, offer.offer_id
        """,
        member_id,
        state,
        state,
    )
    return {"offers": found[:limit], "total": len(found)}


@tool(reads=["listing", "offer"], rejects=["NOT_FOUND"])
def list_listing_offers(
    db: Database,
    listing_id: Annotated[str, "the listing"],
    state: Annotated[State | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> OfferList:
    """List the offers on a listing.

    By amount_cents, highest first.
    """
    db.require("listing", listing_id)
    found = db.select(
        """
        SELECT offer.*, listing.title AS listing_title
        FROM offer JOIN listing USING (listing_id)
        WHERE offer.listing_id = ? AND (? IS NULL OR offer.state = ?)
        ORDER BY offer.amount_cents DESC, offer.offer_id
        """,
        listing_id,
        state,
        state,
    )
    return {"offers": found[:limit], "total": len(found)}


@tool(reads=["listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def counter_offer(
    db: Database,
    offer_id: Annotated[str, "the offer"],
    counter_cents: Annotated[int, "price of the seller, cents", Field(ge=1)],
) -> Offer:
    """Answer an open offer with a price in between.

    state becomes countered, counter_cents the given price.
    """
    offer = db.require("offer", offer_id)
    if offer["state"] != "open":
        raise Rejection.failed_precondition(f"Offer {offer_id!r} is {offer['state']}, not open.")
    listing = db.get("listing", offer["listing_id"])
    _require_on_offer(db, listing)
    if not offer["amount_cents"] < counter_cents < listing["price_cents"]:
        raise Rejection.failed_precondition(
            f"{counter_cents} is not between the offered {offer['amount_cents']} and the asking price {listing['price_cents']}."
        )
    return _offer(db, db.update("offer", offer_id, state="countered", counter_cents=counter_cents))


@tool(reads=["member"], writes=["listing", "offer", "purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def accept_offer(
    db: Database,
    offer_id: Annotated[str, "the offer"],
    address: Annotated[str, "where to send it", Field(min_length=1)],
) -> Purchase:
    """Accept a pending offer, which makes a purchase.

    The offer becomes accepted, decided_at the clock. A new purchase of the one who offers; the price is amount_cents if
    it was open, counter_cents if countered.
    """
    offer = db.require("offer", offer_id)
    _require_pending(offer)
    listing = db.get("listing", offer["listing_id"])
    _require_on_offer(db, listing)
    for member_id in (offer["member_id"], listing["member_id"]):
        member = db.get("member", member_id)
        if member["state"] != "active":
            raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not active.")
    price = offer["amount_cents"] if offer["state"] == "open" else offer["counter_cents"]
    db.update("offer", offer_id, state="accepted", decided_at=db.now)
    for other in db.select(
        "SELECT offer_id FROM offer WHERE listing_id = ? AND state IN ('open', 'countered') ORDER BY offer_id",
        listing["listing_id"],
    ):
        db.update("offer", other["offer_id"], state="declined", decided_at=db.now)
    db.update("listing", listing["listing_id"], state="reserved")
    purchase = db.insert(
        "purchase",
        purchase_id=db.new_id("purchase"),
        listing_id=listing["listing_id"],
        buyer_id=offer["member_id"],
        seller_id=listing["member_id"],
        price_cents=price,
        postage_cents=listing["postage_cents"],
        protection_cents=70 + price * 5 // 100,
        commission_cents=price * 8 // 100,
        refunded_cents=0,
        state="awaiting_payment",
        address=address,
        created_at=db.now,
    )
    total = price + purchase["postage_cents"] + purchase["protection_cents"]
    return purchase | {"listing_title": listing["title"], "total_cents": total}


@tool(reads=["listing"], writes=["offer"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def decline_offers(
    db: Database, offer_ids: Annotated[list[str], "offers to decline", Field(min_length=1, max_length=20)]
) -> OfferBatch:
    """Decline pending offers.

    state becomes declined, decided_at the clock.
    """
    if len(set(offer_ids)) < len(offer_ids):
        raise Rejection.invalid_argument("offer_ids holds the same id twice.")
    offers = [db.require("offer", offer_id) for offer_id in offer_ids]
    for offer in offers:
        _require_pending(offer)
    declined = [db.update("offer", offer_id, state="declined", decided_at=db.now) for offer_id in offer_ids]
    return {"offers": [_offer(db, offer) for offer in declined]}


@tool(reads=["listing"], writes=["offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_offer(db: Database, offer_id: Annotated[str, "the offer"]) -> Offer:
    """Take back a pending offer of a buyer.

    state becomes withdrawn, decided_at the clock.
    """
    _require_pending(db.require("offer", offer_id))
    return _offer(db, db.update("offer", offer_id, state="withdrawn", decided_at=db.now))
