"""Reports: counts, rates, and composed reminders."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class StatusCount(TypedDict):
    status: Annotated[Literal["submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "state"]
    application_count: Annotated[int, "applications in it"]


class ApplicationReport(TypedDict):
    total_applications: Annotated[int, "applications counted"]
    status_counts: Annotated[list[StatusCount], "by status"]
    total_interviews: Annotated[int, "interviews not canceled"]
    total_offers: Annotated[int, "offers in any state"]


class PreparationTime(TypedDict):
    days_until_interview: Annotated[int, "whole days"]
    hours_until_interview: Annotated[int, "whole hours"]
    is_urgent: Annotated[bool, "under 24 hours left"]


class ApplicationRoi(TypedDict):
    interview_conversion_rate: Annotated[float, "percent"]
    offer_conversion_rate: Annotated[float, "percent"]
    interview_to_offer_rate: Annotated[float, "percent"]


class SuccessRates(TypedDict):
    success_rate: Annotated[float, "percent"]
    rejection_rate: Annotated[float, "percent"]
    pending_rate: Annotated[float, "percent"]


class Reminder(TypedDict):
    reminder_message: Annotated[str, "composed reminder"]


def _percent(part, whole):
    """Compute a percentage, 0 of nothing."""
    return round(100 * part / whole, 2) if whole else 0


@tool(
    reads=["applicant", "job_application", "interview_schedule", "job_offer"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"]
)
def summarize_applications(
    db: Database,
    applicant_id: Annotated[str | None, "only this applicant"] = None,
    applied_from: Annotated[Date | None, "first day of application"] = None,
    applied_to: Annotated[Date | None, "last day of application"] = None,
) -> ApplicationReport:
    """Count filed applications, their interviews, and their offers.

    Requires: applied_from is not after applied_to.

    Counts applications other than drafts by the day of application_date; status_counts has only statuses that occur, by
    status. Interviews (scheduled or missed) and offers are those of the counted applications.
    """
    if applied_from is not None and applied_to is not None and applied_from > applied_to:
        raise Rejection.invalid_argument(f"applied_from {applied_from!r} is after applied_to {applied_to!r}.")
    if applicant_id is not None:
        db.require("applicant", applicant_id)
    applications = db.select(
        """
        SELECT status,
            (SELECT count(*) FROM interview_schedule AS i
                WHERE i.application_id = a.application_id AND i.status <> 'canceled') AS interviews,
            (SELECT count(*) FROM job_offer AS o WHERE o.application_id = a.application_id) AS offers
        FROM job_application AS a
        WHERE status <> 'draft' AND (? IS NULL OR applicant_id = ?)
            AND (? IS NULL OR substr(application_date, 1, 10) >= ?)
            AND (? IS NULL OR substr(application_date, 1, 10) <= ?)
        """,
        applicant_id,
        applicant_id,
        applied_from,
        applied_from,
        applied_to,
        applied_to,
    )
    counts = Counter([application["status"] for application in applications])
    return {
        "total_applications": len(applications),
        "status_counts": [{"status": status, "application_count": counts[status]} for status in sorted(counts)],
        "total_interviews": sum([application["interviews"] for application in applications]),
        "total_offers": sum([application["offers"] for application in applications]),
    }


@tool()
def calculate_interview_preparation_time(
    db: Database,
    current_date: Annotated[Timestamp, "moment to count from"],
    interview_date: Annotated[Timestamp, "when the interview starts"],
) -> PreparationTime:
    """Compute the time left before an interview.

    is_urgent is true if less than 24 hours are left, also when the interview is past.
    """
    left = datetime.fromisoformat(interview_date) - datetime.fromisoformat(current_date)
    return {
        "days_until_interview": left // timedelta(days=1),
        "hours_until_interview": left // timedelta(hours=1),
        "is_urgent": left < timedelta(hours=24),
    }


@tool()
def calculate_application_roi(
    db: Database,
    total_applications: Annotated[int, "applications filed", Field(ge=0)],
    total_interviews: Annotated[int, "interviews held", Field(ge=0)],
    total_offers: Annotated[int, "offers received", Field(ge=0)],
) -> ApplicationRoi:
    """Compute how applications turn into interviews and offers.

    interview_conversion_rate is interviews per application, offer_conversion_rate offers per application,
    interview_to_offer_rate offers per interview, each in percent.
    """
    return {
        "interview_conversion_rate": _percent(total_interviews, total_applications),
        "offer_conversion_rate": _percent(total_offers, total_applications),
        "interview_to_offer_rate": _percent(total_offers, total_interviews),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_application_success_rate(
    db: Database,
    total_applications: Annotated[int, "applications filed", Field(ge=0)],
    successful_applications: Annotated[int, "applications accepted", Field(ge=0)],
    rejected_applications: Annotated[int, "applications rejected", Field(ge=0)],
) -> SuccessRates:
    """Compute shares of successful, rejected, and pending applications.

    Requires: Successful and rejected applications together do not exceed total_applications.

    Each rate is a percentage of total_applications; pending is the rest of the applications.
    """
    settled = successful_applications + rejected_applications
    if settled > total_applications:
        raise Rejection.invalid_argument(
            f"{settled} successful and rejected applications exceed the total of {total_applications}."
        )
    return {
        "success_rate": _percent(successful_applications, total_applications),
        "rejection_rate": _percent(rejected_applications, total_applications),
        "pending_rate": _percent(total_applications - settled, total_applications),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def generate_follow_up_reminder(
    db: Database,
    company_name: Annotated[str, "employer", Field(min_length=1)],
    job_title: Annotated[str, "job sought", Field(min_length=1)],
    application_date: Annotated[Timestamp, "when filed"],
    follow_up_date: Annotated[Timestamp, "when to follow up"],
) -> Reminder:
    """Compose a reminder to follow up on an application.

    Requires: follow_up_date is not before application_date.

    reminder_message is 'Follow up on your {job_title} application at {company_name} (applied on {date})'; date is the
    day of application_date as YYYY-MM-DD.
    """
    if follow_up_date < application_date:
        raise Rejection.invalid_argument(
            f"follow_up_date {follow_up_date!r} is before application_date {application_date!r}."
        )
    return {
        "reminder_message": (
            f"Follow up on your {job_title} application at {company_name} (applied on {application_date[:10]})"
        )
    }
