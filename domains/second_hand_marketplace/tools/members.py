"""Members: finding members, contact details, tiers, and vacations."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Member(TypedDict):
    member_id: Annotated[str, "the member"]
    name: Annotated[str, "full name"]
    email: Annotated[str | None, "email address"]
    phone: Annotated[str | None, "phone number"]
    home_address: Annotated[str | None, "street, city, state, ZIP"]
    tier: Annotated[Literal["basic", "plus", "pro"], "tier"]
    tier_since: Annotated[Date, "day of the latest change of tier"]
    joined_on: Annotated[Date, "date of joining"]
    balance_cents: Annotated[int, "balance in cents"]
    away_until: Annotated[Date | None, "last day away"]


class MemberSummary(TypedDict):
    member_id: Annotated[str, "the member"]
    active_listings: Annotated[int, "active listings"]
    pending_offers: Annotated[int, "open offers made"]
    open_purchases: Annotated[int, "open purchases as buyer"]
    open_sales: Annotated[int, "open purchases as seller"]
    completed_sales: Annotated[int, "delivered sales"]
    average_stars: Annotated[float | None, "average stars received"]


def _member(row):
    columns = (
        "member_id",
        "name",
        "email",
        "phone",
        "home_address",
        "tier",
        "tier_since",
        "joined_on",
        "balance_cents",
        "away_until",
    )
    return {column: row[column] for column in columns}


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_email(db: Database, email: Annotated[str, "email address", Field(min_length=1)]) -> Member:
    """Find the member with an email address."""
    member = db.first("SELECT * FROM member WHERE lower(email) = lower(?)", email)
    if member is None:
        raise Rejection.not_found(f"No member has the email {email!r}.")
    return _member(member)


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_phone(
    db: Database, phone: Annotated[str, "phone number, as in (614) 555-0142", Field(min_length=1)]
) -> Member:
    """Find the member with a phone number."""
    member = db.first("SELECT * FROM member WHERE phone = ?", phone)
    if member is None:
        raise Rejection.not_found(f"No member has the phone number {phone!r}.")
    return _member(member)


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_contact_details(
    db: Database,
    member_id: Annotated[str, "member in question"],
    email: Annotated[str | None, "new email address", Field(min_length=3)] = None,
    phone: Annotated[str | None, "new phone number", Field(min_length=7)] = None,
) -> Member:
    """Change a member's email or phone number.

    Requires: An email or a phone number is given. No other member has this email, ignoring the case of ASCII letters.
    No other member has this phone number.

    Only the given fields change.
    """
    if email is None and phone is None:
        raise Rejection.invalid_argument("Neither an email nor a phone number was given; give at least one.")
    db.require("member", member_id)
    changes = {}
    if email is not None:
        if db.first("SELECT 1 FROM member WHERE lower(email) = lower(?) AND member_id <> ?", email, member_id):
            raise Rejection.already_exists(f"Another member has the email {email!r}.")
        changes["email"] = email
    if phone is not None:
        if db.first("SELECT 1 FROM member WHERE phone = ? AND member_id <> ?", phone, member_id):
            raise Rejection.already_exists(f"Another member has the phone number {phone!r}.")
        changes["phone"] = phone
    return _member(db.update("member", member_id, **changes))


@tool(writes=["member"], rejects=["NOT_FOUND"])
def update_home_address(
    db: Database,
    member_id: Annotated[str, "member in question"],
    address: Annotated[str, "street, city, state, ZIP", Field(min_length=5)],
) -> Member:
    """Change the address to which a member's future purchases ship.

    home_address changes; purchases made before keep their address.
    """
    db.require("member", member_id)
    return _member(db.update("member", member_id, home_address=address))


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_tier(
    db: Database,
    member_id: Annotated[str, "member in question"],
    tier: Annotated[Literal["basic", "plus", "pro"], "new tier"],
) -> Member:
    """Change a member's tier.

    Requires: The member does not have this tier already.

    tier changes; tier_since becomes today.
    """
    member = db.require("member", member_id)
    if member["tier"] == tier:
        raise Rejection.failed_precondition(f"Member {member_id!r} has the tier {tier} already.")
    return _member(db.update("member", member_id, tier=tier, tier_since=db.today))


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def start_vacation(
    db: Database, member_id: Annotated[str, "member in question"], until: Annotated[Date, "last day away"]
) -> Member:
    """Set a member as away until a date.

    Requires: until is after today. The member is not away already.

    away_until becomes until.
    """
    if until <= db.today:
        raise Rejection.invalid_argument(f"The vacation ends on {until}; it must end after today, {db.today}.")
    member = db.require("member", member_id)
    if member["away_until"] is not None:
        raise Rejection.failed_precondition(f"Member {member_id!r} is away until {member['away_until']} already.")
    return _member(db.update("member", member_id, away_until=until))


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def end_vacation(db: Database, member_id: Annotated[str, "member in question"]) -> Member:
    """Set a member as back from vacation.

    Requires: The member is away: away_until is not null.

    away_until becomes null.
    """
    member = db.require("member", member_id)
    if member["away_until"] is None:
        raise Rejection.failed_precondition(f"Member {member_id!r} is not away.")
    return _member(db.update("member", member_id, away_until=None))


@tool(reads=["member", "listing", "offer", "purchase", "review"], rejects=["NOT_FOUND"])
def summarize_member(db: Database, member_id: Annotated[str, "member in question"]) -> MemberSummary:
    """Count what a member has going on.

    active_listings: their active listings; pending_offers: offers they made that are pending or countered;
    open_purchases and open_sales: open purchases as buyer and as seller; completed_sales: delivered purchases as
    seller. average_stars: average stars of the reviews on their sales, null if none.
    """
    db.require("member", member_id)
    return {
        "member_id": member_id,
        "active_listings": db.value(
            "SELECT count(*) FROM listing WHERE seller_id = ? AND status = 'active'", member_id
        ),
        "pending_offers": db.value(
            "SELECT count(*) FROM offer WHERE member_id = ? AND status IN ('pending', 'countered')", member_id
        ),
        "open_purchases": db.value(
            "SELECT count(*) FROM purchase "
            "WHERE buyer_id = ? AND status IN ('awaiting_payment', 'paid', 'shipped', 'disputed')",
            member_id,
        ),
        "open_sales": db.value(
            "SELECT count(*) FROM purchase JOIN listing USING (listing_id) "
            "WHERE seller_id = ? AND purchase.status IN ('awaiting_payment', 'paid', 'shipped', 'disputed')",
            member_id,
        ),
        "completed_sales": db.value(
            "SELECT count(*) FROM purchase JOIN listing USING (listing_id) "
            "WHERE seller_id = ? AND purchase.status = 'delivered'",
            member_id,
        ),
        "average_stars": db.value(
            "SELECT round(avg(stars), 2) FROM review JOIN purchase USING (purchase_id) JOIN listing USING (listing_id) "
            "WHERE seller_id = ?",
            member_id,
        ),
    }
