"""Offers: job offers and the answers to them."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool

OfferStatus = Literal["pending", "accepted", "declined"]


class JobOffer(TypedDict):
    job_offer_id: Annotated[str, "offer"]
    application_id: Annotated[str, "its application"]
    job_title: Annotated[str, "job of the application"]
    company_name: Annotated[str, "employer of the application"]
    annual_salary: Annotated[int, "whole currency units per year"]
    salary_currency: Annotated[str, "currency code"]
    respond_by: Annotated[Timestamp, "answer due"]
    offer_status: Annotated[OfferStatus, "its status"]


class JobOfferList(TypedDict):
    offers: Annotated[list[JobOffer], "offers found"]
    total: Annotated[int, "all matches"]


class OfferDecision(TypedDict):
    job_offer_id: Annotated[str, "offer"]
    offer_status: Annotated[OfferStatus, "its status"]
    application_id: Annotated[str, "its application"]
    application_status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "status of the application",
    ]


OPEN = ("submitted", "under_review")


def _require_pending(db, job_offer_id):
    offer = db.require("job_offer", job_offer_id)
    if offer["offer_status"] != "pending":
        raise Rejection.failed_precondition(f"Offer {job_offer_id!r} is {offer['offer_status']}, not pending.")
    return offer


def _shown(offer, application):
    fields = ("job_offer_id", "application_id", "annual_salary", "salary_currency", "respond_by", "offer_status")
    shown = {field: offer[field] for field in fields}
    return {**shown, "job_title": application["job_title"], "company_name": application["company_name"]}


@tool(
    reads=["job_application"],
    writes=["job_offer"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def record_job_offer(
    db: Database,
    application_id: Annotated[str, "application meant"],
    annual_salary: Annotated[int, "whole currency units per year", Field(ge=1)],
    respond_by: Annotated[Timestamp, "answer due"],
    salary_currency: Annotated[str, "three-letter currency code", Field(min_length=3, max_length=3)] = "USD",
) -> JobOffer:
    """Record an offer made on an application under review.

    offer_status is pending; the application stays as it is.
    """
    if respond_by <= db.now:
        raise Rejection.invalid_argument(f"respond_by {respond_by} is not after {db.now}.")
    application = db.require("job_application", application_id)
    if application["status"] != "under_review":
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not under_review."
        )
    pending = db.value(
        "SELECT job_offer_id FROM job_offer WHERE application_id = ? AND offer_status = 'pending'", application_id
    )
    if pending is not None:
        raise Rejection.already_exists(f"Offer {pending!r} on application {application_id!r} is still pending.")
    offer = db.insert(
        "job_offer",
        job_offer_id=db.new_id("job_offer"),
        application_id=application_id,
        annual_salary=annual_salary,
        salary_currency=salary_currency,
        respond_by=respond_by,
        offer_status="pending",
        created_at=db.now,
    )
    return _shown(offer, application)


@tool(reads=["job_application", "job_offer"])
def list_job_offers(
    db: Database,
    offer_status: Annotated[OfferStatus | None, "only this status"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> JobOfferList:
    """List offers.

    Order: earliest respond_by first.
    """
    offers = db.select(
        """SELECT o.job_offer_id, o.application_id, a.job_title, a.company_name, o.annual_salary, o.salary_currency,
            o.respond_by, o.offer_status
        FROM job_offer o JOIN job_application a ON a.application_id = o.application_id
        WHERE (? IS NULL OR o.offer_status = ?)
        ORDER BY o.respond_by, o.job_offer_id""",
        offer_status,
        offer_status,
    )
    return {"offers": offers[:limit], "total": len(offers)}


@tool(reads=["job_application"], writes=["job_offer"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def revise_job_offer(
    db: Database,
    job_offer_id: Annotated[str, "offer to change"],
    annual_salary: Annotated[int | None, "whole currency units per year", Field(ge=1)] = None,
    respond_by: Annotated[Timestamp | None, "new answer date"] = None,
) -> JobOffer:
    """Change salary or answer date of a pending offer.

    Only the given fields change; an offer whose respond_by has passed may be revised.
    """
    given = {"annual_salary": annual_salary, "respond_by": respond_by}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Nothing to change; give annual_salary or respond_by.")
    if respond_by is not None and respond_by <= db.now:
        raise Rejection.invalid_argument(f"respond_by {respond_by} is not after {db.now}.")
    _require_pending(db, job_offer_id)
    offer = db.update("job_offer", job_offer_id, updated_at=db.now, **changes)
    return _shown(offer, db.get("job_application", offer["application_id"]))


@tool(writes=["job_application", "job_offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def accept_job_offer(db: Database, job_offer_id: Annotated[str, "offer to accept"]) -> OfferDecision:
    """Accept a pending offer in time.

    offer_status becomes accepted; the application's status becomes accepted; its interviews and other applications
    stay.
    """
    offer = _require_pending(db, job_offer_id)
    if offer["respond_by"] < db.now:
        raise Rejection.failed_precondition(f"Offer {job_offer_id!r} was to be answered by {offer['respond_by']}.")
    application = db.get("job_application", offer["application_id"])
    if application["status"] not in OPEN:
        raise Rejection.failed_precondition(
            f"Application {application['application_id']!r} is {application['status']}, not submitted or under_review."
        )
    db.update("job_offer", job_offer_id, offer_status="accepted", updated_at=db.now)
    db.update("job_application", application["application_id"], status="accepted", updated_at=db.now)
    return {
        "job_offer_id": job_offer_id,
        "offer_status": "accepted",
        "application_id": application["application_id"],
        "application_status": "accepted",
    }


@tool(writes=["job_application", "job_offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def decline_job_offer(db: Database, job_offer_id: Annotated[str, "offer to decline"]) -> OfferDecision:
    """Decline a pending offer.

    offer_status becomes declined; an open application becomes withdrawn, any other keeps its status and stays
    untouched.
    """
    offer = _require_pending(db, job_offer_id)
    db.update("job_offer", job_offer_id, offer_status="declined", updated_at=db.now)
    application = db.get("job_application", offer["application_id"])
    if application["status"] in OPEN:
        application = db.update("job_application", application["application_id"], status="withdrawn", updated_at=db.now)
    return {
        "job_offer_id": job_offer_id,
        "offer_status": "declined",
        "application_id": application["application_id"],
        "application_status": application["status"],
    }
