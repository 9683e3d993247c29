"""Listings: drafting, pricing, publishing, and hiding listings."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, tool


class ListingEntry(TypedDict):
    listing_id: Annotated[str, "the listing"]
    title: Annotated[str, "what is sold"]
    category: Annotated[str, "category"]
    condition: Annotated[str, "condition"]
    price_cents: Annotated[int, "asking price in cents"]
    shipping_cents: Annotated[int, "shipping in cents"]
    status: Annotated[str, "state"]


class ListingList(TypedDict):
    listings: Annotated[list[ListingEntry], "listings found"]
    total: Annotated[int, "matches before the limit"]


class Listing(TypedDict):
    listing_id: Annotated[str, "the listing"]
    seller_id: Annotated[str, "member who sells"]
    title: Annotated[str, "what is sold"]
    description: Annotated[str | None, "seller's description"]
    category: Annotated[str, "category"]
    condition: Annotated[str, "condition"]
    price_cents: Annotated[int, "asking price in cents"]
    shipping_cents: Annotated[int, "shipping in cents"]
    status: Annotated[str, "state"]
    published_on: Annotated[Date | None, "latest day it went on sale"]
    expires_on: Annotated[Date | None, "last day on sale"]
    extensions: Annotated[int, "times extended"]
    open_offers: Annotated[int, "pending or countered offers"]


DAYS_ON_SALE = 30


def _entry(listing):
    columns = ("listing_id", "title", "category", "condition", "price_cents", "shipping_cents", "status")
    return {column: listing[column] for column in columns}


def _listing(db, listing):
    open_offers = db.value(
        "SELECT count(*) FROM offer WHERE listing_id = ? AND status IN ('pending', 'countered')", listing["listing_id"]
    )
    shown = {column: value for column, value in listing.items() if column != "created_at"}
    return {**shown, "open_offers": open_offers}


def _require(db, listing_id, *states):
    listing = db.require("listing", listing_id)
    if listing["status"] not in states:
        raise Rejection.failed_precondition(
            f"Listing {listing_id!r} is {listing['status']}; it must be {' or '.join(states)}."
        )
    return listing


@tool(reads=["listing"])
def search_listings(
    db: Database,
    words: Annotated[str | None, "text the title contains", Field(min_length=1)] = None,
    category: Annotated[
        Literal["electronics", "furniture", "clothing", "books", "toys", "sports", "home"] | None, "category"
    ] = None,
    condition: Annotated[Literal["new", "like_new", "good", "fair"] | None, "condition"] = None,
    max_price_cents: Annotated[int | None, "highest price in cents", Field(ge=0)] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ListingList:
    """Search active listings.

    Active listings only; sorted by price_cents, then title, ascending.
    """
    listings = db.select(
        """
        SELECT * FROM listing
        WHERE status = 'active'
          AND (? IS NULL OR instr(lower(title), lower(?)) > 0)
          AND (? IS NULL OR category = ?)
          AND (? IS NULL OR condition = ?)
          AND (? IS NULL OR price_cents <= ?)
        ORDER BY price_cents, title, listing_id
        """,
        words,
        words,
        category,
        category,
        condition,
        condition,
        max_price_cents,
        max_price_cents,
    )
    return {"listings": [_entry(listing) for listing in listings[:limit]], "total": len(listings)}


@tool(reads=["member", "listing"], rejects=["NOT_FOUND"])
def list_member_listings(
    db: Database,
    member_id: Annotated[str, "member in question"],
    status: Annotated[
        Literal["draft", "active", "hidden", "reserved", "sold", "removed"] | None, "state of the listing"
    ] = None,
) -> ListingList:
    """List what a member sells.

    Sorted by created_at, latest first; total is their number.
    """
    db.require("member", member_id)
    listings = db.select(
        "SELECT * FROM listing WHERE seller_id = ? AND (? IS NULL OR status = ?) ORDER BY created_at DESC, listing_id",
        member_id,
        status,
        status,
    )
    return {"listings": [_entry(listing) for listing in listings], "total": len(listings)}


@tool(reads=["listing", "offer"], rejects=["NOT_FOUND"])
def get_listing(db: Database, listing_id: Annotated[str, "listing in question"]) -> Listing:
    """Show one listing in full.

    open_offers counts its offers that are pending or countered.
    """
    return _listing(db, db.require("listing", listing_id))


@tool(reads=["member", "offer"], writes=["listing"], rejects=["NOT_FOUND"])
def create_listing(
    db: Database,
    member_id: Annotated[str, "member in question"],
    title: Annotated[str, "what is sold", Field(min_length=3, max_length=80)],
    category: Annotated[Literal["electronics", "furniture", "clothing", "books", "toys", "sports", "home"], "category"],
    condition: Annotated[Literal["new", "like_new", "good", "fair"], "condition"],
    price_cents: Annotated[int, "asking price in cents", Field(ge=100, le=500000)],
    shipping_cents: Annotated[int, "shipping in cents, 0 if free", Field(ge=0, le=20000)],
    description: Annotated[str | None, "seller's description", Field(min_length=1)] = None,
) -> Listing:
    """Draft a listing for a member.

    Adds a draft listing; published_on and expires_on are null.
    """
    db.require("member", member_id)
    listing = db.insert(
        "listing",
        listing_id=db.new_id("listing"),
        seller_id=member_id,
        title=title,
        description=description,
        category=category,
        condition=condition,
        price_cents=price_cents,
        shipping_cents=shipping_cents,
        status="draft",
        created_at=db.now,
    )
    return _listing(db, listing)


@tool(reads=["offer"], writes=["listing"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_listing(
    db: Database,
    listing_id: Annotated[str, "listing in question"],
    title: Annotated[str | None, "new title", Field(min_length=3, max_length=80)] = None,
    description: Annotated[str | None, "new description", Field(min_length=1)] = None,
    condition: Annotated[Literal["new", "like_new", "good", "fair"] | None, "new condition"] = None,
    shipping_cents: Annotated[int | None, "new shipping in cents", Field(ge=0, le=20000)] = None,
) -> Listing:
    """Change a listing's title, description, condition, or shipping.

    Requires: At least one field is given. The listing is draft, active, or hidden.

    Only the given fields change.
    """
    given = {"title": title, "description": description, "condition": condition, "shipping_cents": shipping_cents}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Nothing to change was given; give at least one field.")
    _require(db, listing_id, "draft", "active", "hidden")
    return _listing(db, db.update("listing", listing_id, **changes))


@tool(reads=["offer"], writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_price(
    db: Database,
    listing_id: Annotated[str, "listing in question"],
    price_cents: Annotated[int, "new price in cents", Field(ge=100, le=500000)],
) -> Listing:
    """Change a listing's asking price.

    Requires: The listing is draft, active, or hidden. The new price differs from the present one.

    price_cents changes.
    """
    listing = _require(db, listing_id, "draft", "active", "hidden")
    if listing["price_cents"] == price_cents:
        raise Rejection.failed_precondition(
            f"Listing {listing_id!r} costs {price_cents} cents already; give another price."
        )
    return _listing(db, db.update("listing", listing_id, price_cents=price_cents))


@tool(reads=["offer"], writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def publish_listing(db: Database, listing_id: Annotated[str, "listing in question"]) -> Listing:
    """Put a draft or hidden listing on sale for 30 days.

    Requires: The listing is draft or hidden. It has a description.

    status becomes active, published_on today, expires_on 30 days from today.
    """
    listing = _require(db, listing_id, "draft", "hidden")
    if listing["description"] is None:
        raise Rejection.failed_precondition(f"Listing {listing_id!r} has no description; it needs one to go on sale.")
    published = db.update(
        "listing",
        listing_id,
        status="active",
        published_on=db.today,
        expires_on=add_days(db.today, DAYS_ON_SALE),
    )
    return _listing(db, published)


@tool(writes=["listing", "offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def hide_listing(db: Database, listing_id: Annotated[str, "listing in question"]) -> Listing:
    """Take an active listing off sale for now.

    Requires: The listing is active.

    status becomes hidden; its pending and countered offers become declined with decided_on today.
    """
    _require(db, listing_id, "active")
    for offer in db.select(
        "SELECT offer_id FROM offer WHERE listing_id = ? AND status IN ('pending', 'countered') ORDER BY offer_id",
        listing_id,
    ):
        db.update("offer", offer["offer_id"], status="declined", decided_on=db.today)
    return _listing(db, db.update("listing", listing_id, status="hidden"))


@tool(reads=["offer"], writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def extend_listing(db: Database, listing_id: Annotated[str, "listing in question"]) -> Listing:
    """Keep an active listing on sale for another 30 days.

    Requires: The listing is active.

    expires_on moves 30 days on from where it was; extensions goes up by 1.
    """
    listing = _require(db, listing_id, "active")
    extended = db.update(
        "listing",
        listing_id,
        expires_on=add_days(listing["expires_on"], DAYS_ON_SALE),
        extensions=listing["extensions"] + 1,
    )
    return _listing(db, extended)


@tool(reads=["offer"], writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def remove_listing(db: Database, listing_id: Annotated[str, "listing in question"]) -> Listing:
    """Remove a draft or hidden listing for good.

    Requires: The listing is draft or hidden.

    status becomes removed.
    """
    _require(db, listing_id, "draft", "hidden")
    return _listing(db, db.update("listing", listing_id, status="removed"))
