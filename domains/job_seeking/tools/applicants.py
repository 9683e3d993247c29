"""Applicants: finding and keeping them, identifications and declined requests."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool

ServiceTier = Literal["basic", "plus", "premium"]


class Applicant(TypedDict):
    applicant_id: Annotated[str, "applicant"]
    full_name: Annotated[str, "name"]
    email: Annotated[str, "email address"]
    phone: Annotated[str, "phone number"]
    date_of_birth: Annotated[Date, "day of birth"]
    service_tier: Annotated[ServiceTier, "kind of service"]
    created_at: Annotated[Timestamp, "when registered"]


class Identification(TypedDict):
    applicant_id: Annotated[str, "applicant"]
    noted_on: Annotated[Date, "day"]


class DeclinedRequest(TypedDict):
    applicant_id: Annotated[str, "applicant"]
    subject_id: Annotated[str, "what it was about"]
    rule_code: Annotated[str, "code of the rule"]
    declined_on: Annotated[Date, "day"]


class DeskNotes(TypedDict):
    identifications: Annotated[list[Identification], "the newest first"]
    declined_requests: Annotated[list[DeclinedRequest], "the newest first"]


def _check_email(email):
    if email is not None and "@" not in email:
        raise Rejection.invalid_argument(f"Email {email!r} contains no @.")


def _check_free(db, email, phone, own_id):
    """Nobody but the applicant with own_id has the email or the phone."""
    if db.first("SELECT 1 FROM applicant WHERE lower(email) = lower(?) AND applicant_id <> ?", email, own_id):
        raise Rejection.already_exists(f"Another applicant has the email {email!r}.")
    if db.first("SELECT 1 FROM applicant WHERE phone = ? AND applicant_id <> ?", phone, own_id):
        raise Rejection.already_exists(f"Another applicant has the phone {phone!r}.")


@tool(reads=["applicant"], rejects=["NOT_FOUND"])
def find_applicant_by_email(
    db: Database, email: Annotated[str, "their email address", Field(min_length=1)]
) -> Applicant:
    """Find the applicant who has an email address."""
    row = db.first("SELECT * FROM applicant WHERE lower(email) = lower(?) ORDER BY applicant_id", email)
    if row is None:
        raise Rejection.not_found(f"No applicant has the email {email!r}.")
    return row


@tool(reads=["applicant"], rejects=["NOT_FOUND"])
def find_applicant_by_phone(
    db: Database, phone: Annotated[str, "their phone number", Field(min_length=1)]
) -> Applicant:
    """Find the applicant who has a phone number."""
    row = db.first("SELECT * FROM applicant WHERE phone = ?", phone)
    if row is None:
        raise Rejection.not_found(f"No applicant has the phone {phone!r}.")
    return row


@tool(reads=["applicant"], rejects=["NOT_FOUND"])
def get_applicant(db: Database, applicant_id: Annotated[str, "applicant"]) -> Applicant:
    """Show one applicant."""
    return db.require("applicant", applicant_id)


@tool(writes=["applicant"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def register_applicant(
    db: Database,
    full_name: Annotated[str, "name", Field(min_length=1)],
    email: Annotated[str, "email address", Field(min_length=1)],
    phone: Annotated[str, "phone number", Field(min_length=1)],
    date_of_birth: Annotated[Date, "day of birth"],
    service_tier: Annotated[ServiceTier, "kind of service"] = "basic",
) -> Applicant:
    """Add a new applicant."""
    _check_email(email)
    if date_of_birth >= db.today:
        raise Rejection.invalid_argument(f"Date of birth {date_of_birth} is not before today, {db.today}.")
    _check_free(db, email, phone, "")
    return db.insert(
        "applicant",
        applicant_id=db.new_id("applicant"),
        full_name=full_name,
        email=email,
        phone=phone,
        date_of_birth=date_of_birth,
        service_tier=service_tier,
        created_at=db.now,
    )


@tool(writes=["applicant"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_applicant_contact(
    db: Database,
    applicant_id: Annotated[str, "applicant"],
    email: Annotated[str | None, "new email", Field(min_length=1)] = None,
    phone: Annotated[str | None, "new phone", Field(min_length=1)] = None,
) -> Applicant:
    """Change an applicant's email, phone or both.

    Only the given fields change.
    """
    if email is None and phone is None:
        raise Rejection.invalid_argument("Neither email nor phone is given; give one or both.")
    _check_email(email)
    row = db.require("applicant", applicant_id)
    _check_free(db, email, phone, applicant_id)
    return db.update(
        "applicant",
        applicant_id,
        email=row["email"] if email is None else email,
        phone=row["phone"] if phone is None else phone,
    )


@tool(writes=["applicant"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_service_tier(
    db: Database, applicant_id: Annotated[str, "applicant"], service_tier: Annotated[ServiceTier, "new tier"]
) -> Applicant:
    """Move an applicant to another service tier.

    service_tier becomes the given one.
    """
    row = db.require("applicant", applicant_id)
    if row["service_tier"] == service_tier:
        raise Rejection.failed_precondition(
            f"Applicant {applicant_id!r} has the tier {service_tier} already; choose another."
        )
    return db.update("applicant", applicant_id, service_tier=service_tier)


@tool(reads=["applicant", "identification", "declined_request"], rejects=["NOT_FOUND"])
def list_desk_notes(db: Database, applicant_id: Annotated[str, "applicant"]) -> DeskNotes:
    """List the identifications and declined requests of an applicant.

    identifications by noted_on, the newest first; declined_requests by declined_on, the newest first, then by
    subject_id, then rule_code.
    """
    db.require("applicant", applicant_id)
    return {
        "identifications": db.select(
            "SELECT * FROM identification WHERE applicant_id = ? ORDER BY noted_on DESC", applicant_id
        ),
        "declined_requests": db.select(
            """
            SELECT * FROM declined_request
            WHERE applicant_id = ?
            ORDER BY declined_on DESC, subject_id, rule_code
            """,
            applicant_id,
        ),
    }
