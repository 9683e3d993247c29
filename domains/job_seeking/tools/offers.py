"""Holds: recording, revising, accepting and declining offers."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class OfferDetails(TypedDict):
    offer_id: Annotated[str, "the offer"]
    application_id: Annotated[str, "the application"]
    base_salary: Annotated[int, "per year, whole currency units"]
    salary_currency: Annotated[str, "three-letter currency code"]
    respond_by: Annotated[Timestamp, "last moment to answer"]
    offer_status: Annotated[Literal["pending", "accepted", "declined"], "state of the offer"]
    created_at: Annotated[Timestamp, "when recorded"]


class OfferEntry(TypedDict):
    offer_id: Annotated[str, "the offer"]
    application_id: Annotated[str, "the application"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    base_salary: Annotated[int, "per year, whole currency units"]
    salary_currency: Annotated[str, "three-letter currency code"]
    respond_by: Annotated[Timestamp, "last moment to answer"]
    offer_status: Annotated[Literal["pending", "accepted", "declined"], "state of the offer"]


class OfferList(TypedDict):
    offers: Annotated[list[OfferEntry], "offers found"]
    total: Annotated[int, "all matches"]


class OfferDecision(TypedDict):
    offer_id: Annotated[str, "the offer"]
    offer_status: Annotated[Literal["pending", "accepted", "declined"], "state of the offer"]
    application_id: Annotated[str, "the application"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]


def _pending_offer(db, offer_id):
    offer = db.require("job_offer", offer_id)
    if offer["offer_status"] != "pending":
        raise Rejection.failed_precondition(f"Offer {offer_id!r} is {offer['offer_status']}, not pending.")
    return offer


def _remove_upcoming_interviews(db, application_id):
    upcoming = db.select(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND interview_date > ? ORDER BY interview_id",
        application_id,
        db.now,
    )
    for interview in upcoming:
        db.delete("interview_schedule", interview["interview_id"])


def _details(offer):
    return {
        "offer_id": offer["offer_id"],
        "application_id": offer["application_id"],
        "base_salary": offer["base_salary"],
        "salary_currency": offer["salary_currency"],
        "respond_by": offer["respond_by"],
        "offer_status": offer["offer_status"],
        "created_at": offer["created_at"],
    }


def _decision(offer, application):
    return {
        "offer_id": offer["offer_id"],
        "offer_status": offer["offer_status"],
        "application_id": application["application_id"],
        "status": application["status"],
    }


@tool(
    reads=["job_application", "interview_schedule"],
    writes=["job_offer"],
    rejects=["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"],
)
def add_job_offer(
    db: Database,
    application_id: Annotated[str, "the application"],
    base_salary: Annotated[int, "per year, whole currency units", Field(ge=1)],
    respond_by: Annotated[Timestamp, "last moment to answer"],
    salary_currency: Annotated[str | None, "three-letter currency code", Field(min_length=3, max_length=3)] = None,
) -> OfferDetails:
    """Record an employer's offer for an application."""
    application = db.require("job_application", application_id)
    standing = db.first(
        """
        SELECT offer_id, offer_status FROM job_offer
        WHERE application_id = ? AND offer_status IN ('pending', 'accepted')
        ORDER BY offer_id
        """,
        application_id,
    )
    if standing:
        raise Rejection.already_exists(
            f"Application {application_id!r} has the {standing['offer_status']} offer {standing['offer_id']!r} already."
        )
    if application["status"] != "under_review":
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not under_review."
        )
    held = db.value(
        "SELECT count(*) FROM interview_schedule WHERE application_id = ? AND interview_date <= ?",
        application_id,
        db.now,
    )
    if held == 0:
        raise Rejection.failed_precondition(
            f"Application {application_id!r} needs an interview that took place before an offer."
        )
    if respond_by <= db.now:
        raise Rejection.failed_precondition(f"respond_by {respond_by!r} must be after {db.now!r}.")
    offer = db.insert(
        "job_offer",
        offer_id=db.new_id("job_offer"),
        application_id=application_id,
        base_salary=base_salary,
        salary_currency=application["salary_currency"] if salary_currency is None else salary_currency,
        respond_by=respond_by,
        offer_status="pending",
        created_at=db.now,
    )
    return _details(offer)


@tool(reads=["job_application", "job_offer"])
def list_job_offers(
    db: Database,
    offer_status: Annotated[Literal["pending", "accepted", "declined"] | None, "only this state"] = None,
    email: Annotated[str | None, "the applicant's email"] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> OfferList:
    """List offers by state and applicant."""
    offers = db.select(
        """
        SELECT o.offer_id, o.application_id, a.job_title, a.company_name,
               o.base_salary, o.salary_currency, o.respond_by, o.offer_status
        FROM job_offer o
        JOIN job_application a ON a.application_id = o.application_id
        WHERE o.offer_status = coalesce(?, o.offer_status) AND coalesce(?, '') IN ('', a.email)
        ORDER BY o.respond_by, o.offer_id
        """,
        offer_status,
        email,
    )
    return {"offers": offers[:limit], "total": len(offers)}


@tool(writes=["job_offer"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def revise_job_offer(
    db: Database,
    offer_id: Annotated[str, "the offer"],
    base_salary: Annotated[int | None, "new amount per year", Field(ge=1)] = None,
    respond_by: Annotated[Timestamp | None, "new last moment to answer"] = None,
) -> OfferDetails:
    """Record a better salary or a new answer date of a pending offer."""
    if base_salary is None and respond_by is None:
        raise Rejection.invalid_argument("Nothing to change: give base_salary, respond_by or both.")
    offer = _pending_offer(db, offer_id)
    if base_salary is not None and base_salary < offer["base_salary"]:
        raise Rejection.failed_precondition(
            f"base_salary {base_salary} must not be below {offer['base_salary']}, the salary of offer {offer_id!r}."
        )
    if respond_by is not None and respond_by <= db.now:
        raise Rejection.failed_precondition(f"respond_by {respond_by!r} must be after {db.now!r}.")
    offer = db.update(
        "job_offer",
        offer_id,
        base_salary=offer["base_salary"] if base_salary is None else base_salary,
        respond_by=offer["respond_by"] if respond_by is None else respond_by,
        updated_at=db.now,
    )
    return _details(offer)


@tool(writes=["job_application", "interview_schedule", "job_offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def accept_job_offer(db: Database, offer_id: Annotated[str, "the offer"]) -> OfferDecision:
    """Take a pending offer."""
    offer = _pending_offer(db, offer_id)
    if offer["respond_by"] < db.now:
        raise Rejection.failed_precondition(f"Offer {offer_id!r} had to be answered by {offer['respond_by']}.")
    application = db.require("job_application", offer["application_id"])
    application_id = application["application_id"]
    if application["status"] != "under_review":
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not under_review."
        )
    accepted = db.first(
        """
        SELECT o.offer_id
        FROM job_offer o
        JOIN job_application a ON a.application_id = o.application_id
        WHERE a.email = ? AND o.offer_status = 'accepted'
        ORDER BY o.offer_id
        """,
        application["email"],
    )
    if accepted:
        raise Rejection.failed_precondition(
            f"{application['email']} has accepted offer {accepted['offer_id']!r} already."
        )
    offer = db.update("job_offer", offer_id, offer_status="accepted", updated_at=db.now)
    application = db.update("job_application", application_id, status="accepted", updated_at=db.now)
    _remove_upcoming_interviews(db, application_id)
    return _decision(offer, application)


@tool(writes=["job_application", "interview_schedule", "job_offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def decline_job_offer(db: Database, offer_id: Annotated[str, "the offer"]) -> OfferDecision:
    """Turn a pending offer down."""
    offer = _pending_offer(db, offer_id)
    application = db.require("job_application", offer["application_id"])
    offer = db.update("job_offer", offer_id, offer_status="declined", updated_at=db.now)
    if application["status"] in ("submitted", "under_review"):
        application = db.update("job_application", application["application_id"], status="withdrawn", updated_at=db.now)
        _remove_upcoming_interviews(db, application["application_id"])
    return _decision(offer, application)
