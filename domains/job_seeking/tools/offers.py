"""Offers: recording and answering job offers."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class JobOffer(TypedDict):
    offer_id: Annotated[str, "the offer"]
    application_id: Annotated[str, "application concerned"]
    job_title: Annotated[str, "job offered"]
    company_name: Annotated[str, "employer"]
    offered_salary: Annotated[int, "yearly, whole dollars"]
    start_date: Annotated[Date, "first day of work"]
    respond_by: Annotated[Date, "last day to answer"]
    status: Annotated[Literal["pending", "accepted", "declined"], "state"]
    created_at: Annotated[Timestamp, "when recorded"]
    responded_at: Annotated[Timestamp | None, "when answered"]


class OfferList(TypedDict):
    offers: Annotated[list[JobOffer], "newest first"]
    total: Annotated[int, "matches before the cut"]


class OfferAnswer(TypedDict):
    offer_id: Annotated[str, "the offer"]
    status: Annotated[Literal["pending", "accepted", "declined"], "offer state"]
    application_id: Annotated[str, "application concerned"]
    application_status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "application state",
    ]
    canceled_interviews: Annotated[int, "interviews canceled now"]


def _shown(offer, application):
    """Show an offer with the job it is for."""
    return {**offer, "job_title": application["job_title"], "company_name": application["company_name"]}


def _require_pending(db, offer_id):
    """Return an offer that is pending."""
    offer = db.require("job_offer", offer_id)
    if offer["status"] != "pending":
        raise Rejection.failed_precondition(f"Offer {offer_id!r} is {offer['status']}, not pending.")
    return offer


def _answer(db, offer_id, answer, application_id, status, canceled):
    """Record the answer to an offer and return it."""
    db.update("job_offer", offer_id, status=answer, responded_at=db.now)
    return {
        "offer_id": offer_id,
        "status": answer,
        "application_id": application_id,
        "application_status": status,
        "canceled_interviews": canceled,
    }


def _close(db, application, status):
    """Close an open application."""
    db.update(
        "job_application",
        application["application_id"],
        status=status,
        previous_status=application["status"],
        updated_at=db.now,
    )


def _cancel_upcoming_interviews(db, application_id):
    """Cancel the upcoming interviews of an application that closes; return how many."""
    upcoming = db.select(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND status = 'scheduled' AND interview_date > ?",
        application_id,
        db.now,
    )
    for interview in upcoming:
        db.update(
            "interview_schedule",
            interview["interview_id"],
            status="canceled",
            canceled_at=db.now,
            cancel_reason="Application closed",
        )
    return len(upcoming)


@tool(
    reads=["job_application"],
    writes=["job_offer"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def record_job_offer(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    offered_salary: Annotated[int, "yearly, whole dollars", Field(ge=1)],
    start_date: Annotated[Date, "first day of work"],
    respond_by: Annotated[Date, "last day to answer"],
) -> JobOffer:
    """Record an employer's offer on an application under review.

    Requires: respond_by is today or later. start_date is after respond_by. The application is under_review. The
    application has no pending offer.

    status is pending; the application does not change.
    """
    if respond_by < db.today:
        raise Rejection.invalid_argument(f"respond_by {respond_by!r} is before today, {db.today}.")
    if start_date <= respond_by:
        raise Rejection.invalid_argument(f"start_date {start_date!r} is not after respond_by {respond_by!r}.")
    application = db.require("job_application", application_id)
    if application["status"] != "under_review":
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not under_review."
        )
    pending = db.value("SELECT offer_id FROM job_offer WHERE application_id = ? AND status = 'pending'", application_id)
    if pending is not None:
        raise Rejection.already_exists(f"Application {application_id!r} has the pending offer {pending!r}.")
    offer = db.insert(
        "job_offer",
        offer_id=db.new_id("job_offer"),
        application_id=application_id,
        offered_salary=offered_salary,
        start_date=start_date,
        respond_by=respond_by,
        status="pending",
        created_at=db.now,
    )
    return _shown(offer, application)


@tool(reads=["applicant", "job_application", "job_offer"], rejects=["NOT_FOUND"])
def list_applicant_offers(
    db: Database,
    applicant_id: Annotated[str, "applicant concerned"],
    status: Annotated[Literal["pending", "accepted", "declined"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> OfferList:
    """List the offers an applicant received.

    Sorted by created_at, newest first.
    """
    db.require("applicant", applicant_id)
    offers = db.select(
        """
        SELECT o.*, a.job_title, a.company_name
        FROM job_offer AS o JOIN job_application AS a ON a.application_id = o.application_id
        WHERE a.applicant_id = ? AND (? IS NULL OR o.status = ?)
        ORDER BY o.created_at DESC, o.offer_id
        """,
        applicant_id,
        status,
        status,
    )
    return {"offers": offers[:limit], "total": len(offers)}


@tool(writes=["job_application", "interview_schedule", "job_offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def accept_job_offer(db: Database, offer_id: Annotated[str, "offer to answer"]) -> OfferAnswer:
    """Accept a pending offer in time.

    Requires: The offer is pending. respond_by is today or later. The application is open.

    Offer becomes accepted, responded_at now; application becomes accepted; its upcoming interviews are canceled. Other
    applications and offers do not change.
    """
    offer = _require_pending(db, offer_id)
    if offer["respond_by"] < db.today:
        raise Rejection.failed_precondition(f"Offer {offer_id!r} had to be answered by {offer['respond_by']}.")
    application = db.require("job_application", offer["application_id"])
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application['application_id']!r} is {application['status']}, not open."
        )
    _close(db, application, "accepted")
    canceled = _cancel_upcoming_interviews(db, application["application_id"])
    return _answer(db, offer_id, "accepted", application["application_id"], "accepted", canceled)


@tool(writes=["job_application", "interview_schedule", "job_offer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def decline_job_offer(db: Database, offer_id: Annotated[str, "offer to answer"]) -> OfferAnswer:
    """Decline a pending offer, even after its last day.

    Requires: The offer is pending.

    Offer becomes declined, responded_at now; an open application becomes withdrawn, and its upcoming interviews are
    canceled; one that is not open does not change, nor do its interviews.
    """
    offer = _require_pending(db, offer_id)
    application = db.require("job_application", offer["application_id"])
    status, canceled = application["status"], 0
    if status in ("submitted", "under_review"):
        status = "withdrawn"
        _close(db, application, status)
        canceled = _cancel_upcoming_interviews(db, application["application_id"])
    return _answer(db, offer_id, "declined", application["application_id"], status, canceled)
