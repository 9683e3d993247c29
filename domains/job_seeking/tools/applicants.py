"""Applicants: registering, finding, and updating applicants, and listing their applications."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Applicant(TypedDict):
    applicant_id: Annotated[str, "the applicant"]
    full_name: Annotated[str, "first and last name"]
    email: Annotated[str, "email address"]
    phone: Annotated[str | None, "phone number"]
    date_of_birth: Annotated[Date, "day of birth"]
    membership_tier: Annotated[Literal["basic", "plus", "premium"], "service tier"]
    created_at: Annotated[Timestamp, "when registered"]


class ApplicationSummary(TypedDict):
    application_id: Annotated[str, "application concerned"]
    job_title: Annotated[str, "job sought"]
    company_name: Annotated[str, "employer"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "state"
    ]
    application_date: Annotated[Timestamp, "when filed, or draft added"]
    priority_level: Annotated[int | None, "1 to 5, 5 highest"]
    deadline_date: Annotated[Timestamp | None, "next deadline"]


class ApplicantApplications(TypedDict):
    applications: Annotated[list[ApplicationSummary], "newest first"]
    total: Annotated[int, "matches before the cut"]


def _refuse_taken(db, email, phone, applicant_id):
    """Reject an email or phone that another applicant has."""
    if db.first("SELECT 1 FROM applicant WHERE lower(email) = lower(?) AND applicant_id IS NOT ?", email, applicant_id):
        raise Rejection.already_exists(f"Email {email!r} belongs to another applicant.")
    if db.first("SELECT 1 FROM applicant WHERE phone = ? AND applicant_id IS NOT ?", phone, applicant_id):
        raise Rejection.already_exists(f"Phone {phone!r} belongs to another applicant.")


@tool(writes=["applicant"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def register_applicant(
    db: Database,
    full_name: Annotated[str, "first and last name", Field(min_length=1)],
    email: Annotated[str, "email address", Field(min_length=3)],
    date_of_birth: Annotated[Date, "day of birth"],
    phone: Annotated[str | None, "phone number", Field(min_length=1)] = None,
    membership_tier: Annotated[Literal["basic", "plus", "premium"], "service tier"] = "basic",
) -> Applicant:
    """Add a person who seeks a job.

    Requires: date_of_birth is before today. No applicant has this email. No applicant has this phone, if one is given.
    """
    if date_of_birth >= db.today:
        raise Rejection.invalid_argument(f"Date of birth {date_of_birth!r} is not before today, {db.today}.")
    _refuse_taken(db, email, phone, None)
    return db.insert(
        "applicant",
        applicant_id=db.new_id("applicant"),
        full_name=full_name,
        email=email,
        phone=phone,
        date_of_birth=date_of_birth,
        membership_tier=membership_tier,
        created_at=db.now,
    )


@tool(reads=["applicant"], rejects=["NOT_FOUND"])
def find_applicant_by_email(
    db: Database, email: Annotated[str, "exact email address", Field(min_length=1)]
) -> Applicant:
    """Find the applicant with an email address.

    The whole email must match, ignoring case.
    """
    applicant = db.first("SELECT * FROM applicant WHERE lower(email) = lower(?)", email)
    if applicant is None:
        raise Rejection.not_found(f"No applicant has the email {email!r}.")
    return applicant


@tool(reads=["applicant"], rejects=["NOT_FOUND"])
def find_applicant_by_phone(
    db: Database, phone: Annotated[str, "exact phone number", Field(min_length=1)]
) -> Applicant:
    """Find the applicant with a phone number.

    The whole phone must match exactly.
    """
    applicant = db.first("SELECT * FROM applicant WHERE phone = ?", phone)
    if applicant is None:
        raise Rejection.not_found(f"No applicant has the phone {phone!r}.")
    return applicant


@tool(writes=["applicant"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_applicant(
    db: Database,
    applicant_id: Annotated[str, "applicant concerned"],
    full_name: Annotated[str | None, "new name", Field(min_length=1)] = None,
    email: Annotated[str | None, "new email address", Field(min_length=3)] = None,
    phone: Annotated[str | None, "new phone number", Field(min_length=1)] = None,
    membership_tier: Annotated[Literal["basic", "plus", "premium"] | None, "new service tier"] = None,
) -> Applicant:
    """Change an applicant's name, contact details, or tier.

    Requires: At least one field to change is given. No other applicant has the given email. No other applicant has the
    given phone.

    Only the given fields change.
    """
    given = {"full_name": full_name, "email": email, "phone": phone, "membership_tier": membership_tier}
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of full_name, email, phone, and membership_tier.")
    db.require("applicant", applicant_id)
    _refuse_taken(db, email, phone, applicant_id)
    return db.update("applicant", applicant_id, **changes)


@tool(reads=["applicant", "job_application"], rejects=["NOT_FOUND"])
def list_applicant_applications(
    db: Database,
    applicant_id: Annotated[str, "applicant concerned"],
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"] | None,
        "only this state",
    ] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ApplicantApplications:
    """List the applications of an applicant.

    Sorted by application_date, newest first.
    """
    db.require("applicant", applicant_id)
    applications = db.select(
        """
        SELECT application_id, job_title, company_name, status, application_date, priority_level, deadline_date
        FROM job_application
        WHERE applicant_id = ? AND (? IS NULL OR status = ?)
        ORDER BY application_date DESC, application_id
        """,
        applicant_id,
        status,
        status,
    )
    return {"applications": applications[:limit], "total": len(applications)}
