"""Members: finding them, their contact details, waiver, and membership tier."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, days_between, tool


class Member(TypedDict):
    member_id: Annotated[str, "the member"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone"]
    date_of_birth: Annotated[Date, "date of birth"]
    address: Annotated[str, "street, city, state"]
    zip_code: Annotated[str, "ZIP code"]
    tier: Annotated[Literal["rookie", "varsity", "all_star"], "membership tier"]
    joined_on: Annotated[Date, "member since"]
    waiver_expires_on: Annotated[Date | None, "last day the waiver covers"]
    credit_cents: Annotated[int, "account credit"]


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_email(db: Database, email: Annotated[str, "the email", Field(min_length=1)]) -> Member:
    """Find the member with an email."""
    member = db.first("SELECT * FROM member WHERE lower(email) = lower(?)", email)
    if member is None:
        raise Rejection.not_found(f"No member has the email {email!r}; it must be the one on file.")
    return member


@tool(reads=["member"], rejects=["NOT_FOUND"])
def find_member_by_phone(db: Database, phone: Annotated[str, "as (614) 555-0142", Field(min_length=1)]) -> Member:
    """Find the member with a phone number."""
    member = db.first("SELECT * FROM member WHERE phone = ?", phone)
    if member is None:
        raise Rejection.not_found(f"No member has the phone {phone!r}; it must be written as (614) 555-0142.")
    return member


@tool(writes=["member"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_contact(
    db: Database,
    member_id: Annotated[str, "the member"],
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=1)] = None,
    address: Annotated[str | None, "new street, city, state", Field(min_length=1)] = None,
    zip_code: Annotated[str | None, "new ZIP code", Field(min_length=1)] = None,
) -> Member:
    """Change a member's email, phone, or address.

    Requires: At least one new value is given. No other member has the new email (ignoring case). No other member has
    the new phone.

    Only the given fields change.
    """
    given = {"email": email, "phone": phone, "address": address, "zip_code": zip_code}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("No new value is given; give an email, phone, address, or ZIP code.")
    db.require("member", member_id)
    if db.first("SELECT member_id FROM member WHERE lower(email) = lower(?) AND member_id <> ?", email, member_id):
        raise Rejection.already_exists(f"Another member has the email {email!r}; it must be nobody else's.")
    if db.first("SELECT member_id FROM member WHERE phone = ? AND member_id <> ?", phone, member_id):
        raise Rejection.already_exists(f"Another member has the phone {phone!r}; it must be nobody else's.")
    return db.update("member", member_id, **changes)


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def sign_waiver(db: Database, member_id: Annotated[str, "the member"]) -> Member:
    """Record that a member signed this year's liability waiver.

    Requires: The waiver is missing, has expired, or expires within 60 days from today.

    waiver_expires_on becomes the day 365 days after today.
    """
    expires_on = db.require("member", member_id)["waiver_expires_on"]
    if expires_on is not None and days_between(db.today, expires_on) > 60:
        raise Rejection.failed_precondition(
            f"The waiver runs through {expires_on}; a new one can be signed in its last 60 days."
        )
    return db.update("member", member_id, waiver_expires_on=add_days(db.today, 365))


@tool(writes=["member"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_tier(
    db: Database,
    member_id: Annotated[str, "the member"],
    tier: Annotated[Literal["rookie", "varsity", "all_star"], "new tier"],
) -> Member:
    """Move a member to another membership tier.

    Requires: The member is not on that tier already.

    Only tier changes.
    """
    if db.require("member", member_id)["tier"] == tier:
        raise Rejection.failed_precondition(f"Member {member_id!r} is on tier {tier!r} already; give another tier.")
    return db.update("member", member_id, tier=tier)
