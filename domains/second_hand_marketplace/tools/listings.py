"""Listings: searching, creating and changing them."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool

Category = Literal["clothing", "electronics", "furniture", "books", "toys", "sports", "household"]


Condition = Literal["new", "like_new", "good", "fair", "for_parts"]


State = Literal["draft", "active", "reserved", "sold", "withdrawn"]


class ListingEntry(TypedDict):
    listing_id: Annotated[str, "id"]
    member_id: Annotated[str, "seller"]
    title: Annotated[str, "title"]
    category: Annotated[Category, "category"]
    condition: Annotated[Condition, "condition"]
    price_cents: Annotated[int, "asking price in cents"]
    state: Annotated[State, "state"]
    created_at: Annotated[Timestamp, "when created"]


class ListingList(TypedDict):
    listings: Annotated[list[ListingEntry], "the listings"]
    total: Annotated[int, "all matches"]


class Listing(TypedDict):
    listing_id: Annotated[str, "id"]
    member_id: Annotated[str, "seller"]
    title: Annotated[str, "title"]
    description: Annotated[str | None, "longer text"]
    category: Annotated[Category, "category"]
    condition: Annotated[Condition, "condition of the item"]
    price_cents: Annotated[int, "asking price in cents"]
    postage_cents: Annotated[int, "postage in cents"]
    negotiable: Annotated[bool, "whether offers are welcome"]
    state: Annotated[State, "state"]
    price_changes: Annotated[int, "how often the price changed"]
    renewals: Annotated[int, "how often renewed"]
    created_at: Annotated[Timestamp, "when created"]
    published_at: Annotated[Timestamp | None, "when last published"]
    expires_on: Annotated[Date | None, "last day on offer"]


class ListingDetail(TypedDict):
    listing: Annotated[Listing, "the listing"]
    seller_name: Annotated[str, "name of the seller"]
    seller_tier: Annotated[Literal["basic", "plus", "pro"], "tier of the seller"]
    pending_offers: Annotated[int, "pending offers on it"]
    highest_offer_cents: Annotated[int | None, "highest pending amount in cents"]


class ListingBatch(TypedDict):
    listings: Annotated[list[Listing], "the listings"]


def _listing(row):
    return row | {"negotiable": bool(row["negotiable"])}


def _require_state(listing, *states):
    if listing["state"] not in states:
        raise Rejection.failed_precondition(
            f"Listing {listing['listing_id']!r} is {listing['state']}, not {' or '.join(states)}."
        )


@tool(reads=["listing"], rejects=["INVALID_ARGUMENT"])
def search_listings(
    db: Database,
    keyword: Annotated[str | None, "part of title or description", Field(min_length=1)] = None,
    category: Annotated[Category | None, "only this category"] = None,
    condition: Annotated[Condition | None, "only this condition"] = None,
    min_price_cents: Annotated[int | None, "lowest price in cents", Field(ge=0)] = None,
    max_price_cents: Annotated[int | None, "highest price in cents", Field(ge=0)] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ListingList:
    """Search the listings on offer.

    Only listings on offer whose title or description contains the keyword; by price_cents ascending.
    """
    if min_price_cents is not None and max_price_cents is not None and min_price_cents > max_price_cents:
        raise Rejection.invalid_argument(
            f"min_price_cents {min_price_cents} is above max_price_cents {max_price_cents}."
        )
    found = db.select(
        """
        SELECT listing_id, member_id, title, category, condition, price_cents, state, created_at
        FROM listing
        WHERE state = 'active' AND expires_on >= ?
          AND (? IS NULL OR instr(lower(title), lower(?)) > 0 OR instr(lower(description), lower(?)) > 0)
          AND (? IS NULL OR category = ?)
          AND (? IS NULL OR condition = ?)
          AND (? IS NULL OR price_cents >= ?)
          AND (? IS NULL OR price_cents <= ?)
        ORDER BY price_cents, listing_id
        """,
        db.today,
        keyword,
        keyword,
        keyword,
        category,
        category,
        condition,
        condition,
        min_price_cents,
        min_price_cents,
        max_price_cents,
        max_price_cents,
    )
    return {"listings": found[:limit], "total": len(found)}


@tool(reads=["member", "listing"], rejects=["NOT_FOUND"])
def list_member_listings(
    db: Database,
    member_id: Annotated[str, "the member"],
    state: Annotated[State | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ListingList:
    """List what a member sells.

    By created_at, newest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT listing_id, member_id, title, category, condition, price_cents, state, created_at
        FROM listing
        WHERE member_id = ? AND (? IS NULL OR state = ?)
        ORDER BY created_at DESC, listing_id
        """,
        member_id,
        state,
        state,
    )
    return {"listings": found[:limit], "total": len(found)}


@tool(reads=["member", "listing", "offer"], rejects=["NOT_FOUND"])
def get_listing(db: Database, listing_id: Annotated[str, "the listing"]) -> ListingDetail:
    """Show a listing with seller and pending offers.

    highest_offer_cents is the highest amount_cents of its pending offers, null without any.
    """
    listing = db.require("listing", listing_id)
    seller = db.get("member", listing["member_id"])
    offers = db.first(
        """
        SELECT count(*) AS pending, max(amount_cents) AS highest
        FROM offer WHERE listing_id = ? AND state IN ('open', 'countered')
        """,
        listing_id,
    )
    return {
        "listing": _listing(listing),
        "seller_name": seller["name"],
        "seller_tier": seller["tier"],
        "pending_offers": offers["pending"],
        "highest_offer_cents": offers["highest"],
    }


@tool(reads=["member"], writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def create_listing(
    db: Database,
    member_id: Annotated[str, "seller"],
    title: Annotated[str, "title", Field(min_length=1, max_length=80)],
    category: Annotated[Category, "category"],
    condition: Annotated[Condition, "condition of the item"],
    price_cents: Annotated[int, "asking price in cents", Field(ge=100)],
    description: Annotated[str | None, "longer text", Field(min_length=1)] = None,
    postage_cents: Annotated[int, "postage in cents", Field(ge=0)] = 0,
    negotiable: Annotated[bool, "whether offers are welcome"] = True,
) -> Listing:
    """Create a draft of a listing.

    state is draft, price_changes and renewals 0.
    """
    member = db.require("member", member_id)
    if member["state"] != "active":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not active.")
    return _listing(
        db.insert(
            "listing",
            listing_id=db.new_id("listing"),
            member_id=member_id,
            title=title,
            description=description,
            category=category,
            condition=condition,
            price_cents=price_cents,
            postage_cents=postage_cents,
            negotiable=int(negotiable),
            state="draft",
            price_changes=0,
            renewals=0,
            created_at=db.now,
        )
    )


@tool(reads=["offer"], writes=["listing"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def edit_listing(
    db: Database,
    listing_id: Annotated[str, "the listing"],
    title: Annotated[str | None, "new title", Field(min_length=1, max_length=80)] = None,
    description: Annotated[str | None, "new longer text", Field(min_length=1)] = None,
    condition: Annotated[Condition | None, "new condition"] = None,
    postage_cents: Annotated[int | None, "new postage in cents", Field(ge=0)] = None,
) -> Listing:
    """Correct a listing; only the given fields change."""
    given = {"title": title, "description": description, "condition": condition, "postage_cents": postage_cents}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of title, description, condition and postage_cents.")
    _require_state(db.require("listing", listing_id), "draft", "active")
    if db.first("SELECT 1 FROM offer WHERE listing_id = ? AND state IN ('open', 'countered')", listing_id):
        raise Rejection.failed_precondition(f"Listing {listing_id!r} has a pending offer.")
    return _listing(db.update("listing", listing_id, **changes))


@tool(reads=["member"], writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def publish_listing(db: Database, listing_id: Annotated[str, "the listing"]) -> Listing:
    """Put a draft or withdrawn listing on offer.

    state becomes active, published_at the clock, expires_on 30 days after today.
    """
    listing = db.require("listing", listing_id)
    _require_state(listing, "draft", "withdrawn")
    seller = db.get("member", listing["member_id"])
    if seller["state"] != "active":
        raise Rejection.failed_precondition(f"The seller of listing {listing_id!r} is {seller['state']}, not active.")
    return _listing(
        db.update("listing", listing_id, state="active", published_at=db.now, expires_on=add_days(db.today, 30))
    )


@tool(writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_price(
    db: Database,
    listing_id: Annotated[str, "the listing"],
    price_cents: Annotated[int, "new price in cents", Field(ge=100)],
) -> Listing:
    """Change the asking price of a listing.

    price_changes goes up by 1; offers stay as they are.
    """
    listing = db.require("listing", listing_id)
    _require_state(listing, "draft", "active")
    if listing["price_cents"] == price_cents:
        raise Rejection.failed_precondition(f"Listing {listing_id!r} has the price {price_cents} already.")
    return _listing(
        db.update("listing", listing_id, price_cents=price_cents, price_changes=listing["price_changes"] + 1)
    )


@tool(writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def renew_listing(db: Database, listing_id: Annotated[str, "the listing"]) -> Listing:
    """Keep an active listing, expired or not, on offer for longer.

    expires_on becomes 30 days after today; renewals goes up by 1.
    """
    listing = db.require("listing", listing_id)
    _require_state(listing, "active")
    return _listing(
        db.update("listing", listing_id, expires_on=add_days(db.today, 30), renewals=listing["renewals"] + 1)
    )


@tool(writes=["listing", "offer"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_listings(
    db: Database, listing_ids: Annotated[list[str], "listings to withdraw", Field(min_length=1, max_length=20)]
) -> ListingBatch:
    """Take active listings off the market.

    state becomes withdrawn; pending offers on them become declined, decided_at the clock.
    """
    if len(set(listing_ids)) < len(listing_ids):
        raise Rejection.invalid_argument("listing_ids holds the same id twice.")
    listings = [db.require("listing", listing_id) for listing_id in listing_ids]
    for listing in listings:
        _require_state(listing, "active")
    withdrawn = []
    for listing_id in listing_ids:
        for offer in db.select(
            "SELECT offer_id FROM offer WHERE listing_id = ? AND state IN ('open', 'countered') ORDER BY offer_id",
            listing_id,
        ):
            db.update("offer", offer["offer_id"], state="declined", decided_at=db.now)
        withdrawn.append(_listing(db.update("listing", listing_id, state="withdrawn")))
    return {"listings": withdrawn}


@tool(reads=["offer", "purchase"], writes=["listing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def delete_draft(db: Database, listing_id: Annotated[str, "the listing"]) -> Listing:
    """Delete a draft of a listing.

    The listing is deleted.
    """
    _require_state(db.require("listing", listing_id), "draft")
    if db.first("SELECT 1 FROM offer WHERE listing_id = ?", listing_id):
        raise Rejection.failed_precondition(f"Listing {listing_id!r} has an offer.")
    if db.first("SELECT 1 FROM purchase WHERE listing_id = ?", listing_id):
        raise Rejection.failed_precondition(f"Listing {listing_id!r} has a purchase.")
    return _listing(db.delete("listing", listing_id))
