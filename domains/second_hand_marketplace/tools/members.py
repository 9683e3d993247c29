"""Members: finding, registering and changing them."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool

Tier = Literal["basic", "plus", "pro"]


class Member(TypedDict):
    member_id: Annotated[str, "id"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email address"]
    phone: Annotated[str, "phone number"]
    postcode: Annotated[str, "home postcode"]
    city: Annotated[str, "home city"]
    tier: Annotated[Tier, "kind of membership"]
    state: Annotated[Literal["active", "suspended", "closed"], "state of the account"]
    state_reason: Annotated[str | None, "why it is suspended"]
    joined_on: Annotated[Date, "day of joining"]


class MemberProfile(TypedDict):
    member: Annotated[Member, "the member"]
    balance_cents: Annotated[int, "balance in cents"]
    listings_on_offer: Annotated[int, "own listings on offer"]
    pending_offers: Annotated[int, "pending offers made"]
    running_purchases: Annotated[int, "running purchases as buyer"]
    running_sales: Annotated[int, "running purchases as seller"]
    completed_sales: Annotated[int, "completed purchases as seller"]
    average_rating: Annotated[float, "average rating as seller"]
    disputes_opened: Annotated[int, "disputes as buyer, any state"]


def _check_email(email):
    if "@" not in email:
        raise Rejection.invalid_argument(f"Email {email!r} contains no @.")


def _check_unused(db, email, phone, member_id=None):
    """Refuse an email or phone that another member has; None is not looked for."""
    if db.first(
        "SELECT 1 FROM member WHERE lower(email) = lower(?) AND (? IS NULL OR member_id <> ?)",
        email,
        member_id,
        member_id,
    ):
        raise Rejection.already_exists(f"Another member has the email {email!r}.")
    if db.first("SELECT 1 FROM member WHERE phone = ? AND (? IS NULL OR member_id <> ?)", phone, member_id, member_id):
        raise Rejection.already_exists(f"Another member has the phone {phone!r}.")


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_email(db: Database, email: Annotated[str, "whole email address", Field(min_length=1)]) -> Member:
    """Find the member with an email address."""
    member = db.first("SELECT * FROM member WHERE lower(email) = lower(?) ORDER BY member_id", email)
    if member is None:
        raise Rejection.not_found(f"No member has the email {email!r}.")
    return member


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_phone(db: Database, phone: Annotated[str, "phone number as stored", Field(min_length=1)]) -> Member:
    """Find the member with a phone number."""
    member = db.first("SELECT * FROM member WHERE phone = ?", phone)
    if member is None:
        raise Rejection.not_found(f"No member has the phone {phone!r}.")
    return member


@tool(reads=["member", "listing", "offer", "purchase", "movement"], rejects=["NOT_FOUND"])
def get_member(db: Database, member_id: Annotated[str, "the member"]) -> MemberProfile:
    """Show a member with balance and counts.

    average_rating is over the rated purchases of which the member is the seller.
    """
    member = db.require("member", member_id)
    sales = db.first(
        """
        SELECT count(CASE WHEN state IN ('awaiting_payment', 'paid', 'shipped', 'disputed') THEN 1 END) AS running,
               count(CASE WHEN state = 'completed' THEN 1 END) AS completed,
               count(rating) AS rated, coalesce(sum(rating), 0) AS stars
        FROM purchase WHERE seller_id = ?
        """,
        member_id,
    )
    return {
        "member": member,
        "balance_cents": db.value("SELECT coalesce(sum(amount_cents), 0) FROM movement WHERE member_id = ?", member_id),
        "listings_on_offer": db.value(
            "SELECT count(*) FROM listing WHERE member_id = ? AND state = 'active' AND expires_on >= ?",
            member_id,
            db.today,
        ),
        "pending_offers": db.value(
            "SELECT count(*) FROM offer WHERE member_id = ? AND state IN ('open', 'countered')", member_id
        ),
        "running_purchases": db.value(
            """
            SELECT count(*) FROM purchase
            WHERE buyer_id = ? AND state IN ('awaiting_payment', 'paid', 'shipped', 'disputed')
            """,
            member_id,
        ),
        "running_sales": sales["running"],
        "completed_sales": sales["completed"],
        "average_rating": round(sales["stars"] / sales["rated"], 2) if sales["rated"] else 0,
        "disputes_opened": db.value(
            "SELECT count(*) FROM dispute JOIN purchase USING (purchase_id) WHERE buyer_id = ?", member_id
        ),
    }


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def register_member(
    db: Database,
    name: Annotated[str, "full name", Field(min_length=1)],
    email: Annotated[str, "email address", Field(min_length=3)],
    phone: Annotated[str, "phone number", Field(min_length=1)],
    postcode: Annotated[str, "home postcode", Field(min_length=1)],
    city: Annotated[str, "home city", Field(min_length=1)],
) -> Member:
    """Register a new member.

    tier is basic, state active, joined_on today.
    """
    _check_email(email)
    _check_unused(db, email, phone)
    return db.insert(
        "member",
        member_id=db.new_id("member"),
        name=name,
        email=email,
        phone=phone,
        postcode=postcode,
        city=city,
        tier="basic",
        state="active",
        joined_on=db.today,
    )


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def update_contact(
    db: Database,
    member_id: Annotated[str, "the member"],
    name: Annotated[str | None, "new full name", Field(min_length=1)] = None,
    email: Annotated[str | None, "new email address", Field(min_length=3)] = None,
    phone: Annotated[str | None, "new phone number", Field(min_length=1)] = None,
    postcode: Annotated[str | None, "new postcode", Field(min_length=1)] = None,
    city: Annotated[str | None, "new city", Field(min_length=1)] = None,
) -> Member:
    """Change contact details of a member; only the given fields change."""
    given = {"name": name, "email": email, "phone": phone, "postcode": postcode, "city": city}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of name, email, phone, postcode and city.")
    if email is not None:
        _check_email(email)
    member = db.require("member", member_id)
    if member["state"] == "closed":
        raise Rejection.failed_precondition(f"Member {member_id!r} is closed.")
    _check_unused(db, email, phone, member_id)
    return db.update("member", member_id, **changes)


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_tier(db: Database, member_id: Annotated[str, "the member"], tier: Annotated[Tier, "new tier"]) -> Member:
    """Move a member to another tier.

    tier is the given one; nothing is charged.
    """
    member = db.require("member", member_id)
    if member["state"] != "active":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not active.")
    if member["tier"] == tier:
        raise Rejection.failed_precondition(f"Member {member_id!r} has the tier {tier!r} already.")
    return db.update("member", member_id, tier=tier)


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def suspend_member(
    db: Database, member_id: Annotated[str, "the member"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Member:
    """Suspend an active member.

    state becomes suspended, state_reason the reason.
    """
    member = db.require("member", member_id)
    if member["state"] != "active":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not active.")
    return db.update("member", member_id, state="suspended", state_reason=reason)


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def reinstate_member(db: Database, member_id: Annotated[str, "the member"]) -> Member:
    """Make a suspended member active again.

    state becomes active, state_reason null.
    """
    member = db.require("member", member_id)
    if member["state"] != "suspended":
        raise Rejection.failed_precondition(f"Member {member_id!r} is {member['state']}, not suspended.")
    return db.update("member", member_id, state="active", state_reason=None)
