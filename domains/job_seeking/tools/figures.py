"""Holds: reports over the tables, and calculators that touch none."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class StatusCount(TypedDict):
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    applications: Annotated[int, "how many"]
    share: Annotated[float, "percent, two decimals"]


class StatusSummary(TypedDict):
    statuses: Annotated[list[StatusCount], "one entry per status"]
    total: Annotated[int, "all applications counted"]


class ReferralLine(TypedDict):
    referral_source: Annotated[str, "the source"]
    applications: Annotated[int, "applications filed"]
    interviewed: Annotated[int, "with an interview"]
    accepted: Annotated[int, "accepted ones"]
    interview_rate: Annotated[float, "percent, two decimals"]


class ReferralReport(TypedDict):
    sources: Annotated[list[ReferralLine], "one entry per source"]
    total: Annotated[int, "all sources"]


class PerformanceLine(TypedDict):
    interview_type: Annotated[str, "kind of interview"]
    interviews: Annotated[int, "interviews that took place"]
    feedback_count: Annotated[int, "feedback on them"]
    average_rating: Annotated[float | None, "mean rating, two decimals"]


class PerformanceReport(TypedDict):
    types: Annotated[list[PerformanceLine], "one entry per type"]
    total: Annotated[int, "all types"]


class PreparationTime(TypedDict):
    days_until_interview: Annotated[int, "whole days left"]
    hours_until_interview: Annotated[int, "whole hours left"]
    is_urgent: Annotated[bool, "less than 24 hours left"]


class ApplicationRoi(TypedDict):
    interview_conversion_rate: Annotated[float, "interviews of applications, percent"]
    offer_conversion_rate: Annotated[float, "offers of applications, percent"]
    interview_to_offer_rate: Annotated[float, "offers of interviews, percent"]


class SuccessRate(TypedDict):
    success_rate: Annotated[float, "percent, two decimals"]
    rejection_rate: Annotated[float, "percent, two decimals"]
    pending_rate: Annotated[float, "percent, two decimals"]


class FollowUpReminder(TypedDict):
    reminder_message: Annotated[str, "text of the reminder"]


def _mean(total, count):
    # Decimal, because floats cannot hold most of the exact halves that are to go to the even digit.
    return float(round(Decimal(total) / count, 2))


def _percent(part, whole):
    return _mean(100 * part, whole) if whole else 0.0


_STATUSES = ("draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived")


@tool(reads=["job_application"], rejects=["INVALID_ARGUMENT"])
def summarize_applications_by_status(
    db: Database,
    email: Annotated[str | None, "the applicant's email"] = None,
    applied_from: Annotated[Date | None, "first day of application"] = None,
    applied_to: Annotated[Date | None, "last day of application"] = None,
) -> StatusSummary:
    """Count applications in each status."""
    if applied_from is not None and applied_to is not None and applied_to < applied_from:
        raise Rejection.invalid_argument(f"applied_to {applied_to!r} must not be before applied_from {applied_from!r}.")
    rows = db.select(
        """
        SELECT status, count(*) AS applications
        FROM job_application
        WHERE coalesce(?, '') IN ('', email)
          AND substr(application_date, 1, 10) BETWEEN coalesce(?, '0001-01-01') AND coalesce(?, '9999-12-31')
        GROUP BY status
        """,
        email,
        applied_from,
        applied_to,
    )
    counts = {row["status"]: row["applications"] for row in rows}
    total = sum(counts.values())
    return {
        "statuses": [
            {"status": status, "applications": counts.get(status, 0), "share": _percent(counts.get(status, 0), total)}
            for status in _STATUSES
        ],
        "total": total,
    }


@tool(reads=["job_application", "interview_schedule"])
def report_referral_sources(
    db: Database,
    email: Annotated[str | None, "the applicant's email"] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> ReferralReport:
    """Compare how well the sources of applications work."""
    rows = db.select(
        """
        SELECT coalesce(referral_source, 'unknown') AS source,
               count(*) AS applications,
               sum(application_id IN (SELECT application_id FROM interview_schedule)) AS interviewed,
               sum(status = 'accepted') AS accepted
        FROM job_application
        WHERE status <> 'draft' AND coalesce(?, '') IN ('', email)
        GROUP BY source
        ORDER BY applications DESC, source
        """,
        email,
    )
    sources = [
        {
            "referral_source": row["source"],
            "applications": row["applications"],
            "interviewed": row["interviewed"],
            "accepted": row["accepted"],
            "interview_rate": _percent(row["interviewed"], row["applications"]),
        }
        for row in rows[:limit]
    ]
    return {"sources": sources, "total": len(rows)}


@tool(reads=["job_application", "interview_schedule", "interview_feedback"])
def report_interview_performance(
    db: Database,
    email: Annotated[str | None, "the applicant's email"] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> PerformanceReport:
    """Show how interviews of each type were rated."""
    rows = db.select(
        """
        SELECT i.interview_type,
               count(DISTINCT i.interview_id) AS interviews,
               count(f.feedback_id) AS feedback_count,
               count(f.performance_rating) AS rating_count,
               sum(f.performance_rating) AS rating_sum
        FROM interview_schedule i
        JOIN job_application a ON a.application_id = i.application_id
        LEFT JOIN interview_feedback f ON f.interview_id = i.interview_id
        WHERE i.interview_date <= ? AND coalesce(?, '') IN ('', a.email)
        GROUP BY i.interview_type
        ORDER BY i.interview_type
        """,
        db.now,
        email,
    )
    types = [
        {
            "interview_type": row["interview_type"],
            "interviews": row["interviews"],
            "feedback_count": row["feedback_count"],
            "average_rating": _mean(row["rating_sum"], row["rating_count"]) if row["rating_count"] else None,
        }
        for row in rows[:limit]
    ]
    return {"types": types, "total": len(rows)}


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_interview_preparation_time(
    db: Database,
    current_date: Annotated[Timestamp, "moment to count from"],
    interview_date: Annotated[Timestamp, "start of the interview"],
) -> PreparationTime:
    """Work out the time left before an interview."""
    if interview_date < current_date:
        raise Rejection.invalid_argument(
            f"interview_date {interview_date!r} must not be before current_date {current_date!r}."
        )
    left = datetime.fromisoformat(interview_date) - datetime.fromisoformat(current_date)
    return {
        "days_until_interview": left.days,
        "hours_until_interview": left // timedelta(hours=1),
        "is_urgent": left < timedelta(hours=24),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_application_roi(
    db: Database,
    total_applications: Annotated[int, "applications made", Field(ge=0)],
    total_interviews: Annotated[int, "interviews had", Field(ge=0)],
    total_offers: Annotated[int, "offers got", Field(ge=0)],
) -> ApplicationRoi:
    """Work out what applications led to, from counts."""
    if total_offers > total_applications:
        raise Rejection.invalid_argument(
            f"total_offers {total_offers} must not be above total_applications {total_applications}."
        )
    return {
        "interview_conversion_rate": _percent(total_interviews, total_applications),
        "offer_conversion_rate": _percent(total_offers, total_applications),
        "interview_to_offer_rate": _percent(total_offers, total_interviews),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_application_success_rate(
    db: Database,
    total_applications: Annotated[int, "applications made", Field(ge=0)],
    successful_applications: Annotated[int, "those that succeeded", Field(ge=0)],
    rejected_applications: Annotated[int, "those turned down", Field(ge=0)],
) -> SuccessRate:
    """Work out success, rejection and pending rates, from counts."""
    pending = total_applications - successful_applications - rejected_applications
    if pending < 0:
        raise Rejection.invalid_argument(
            f"successful_applications {successful_applications} plus rejected_applications {rejected_applications} "
            f"must not be above total_applications {total_applications}."
        )
    return {
        "success_rate": _percent(successful_applications, total_applications),
        "rejection_rate": _percent(rejected_applications, total_applications),
        "pending_rate": _percent(pending, total_applications),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def generate_follow_up_reminder(
    db: Database,
    company_name: Annotated[str, "the employer", Field(min_length=1)],
    job_title: Annotated[str, "title of the job", Field(min_length=1)],
    application_date: Annotated[Timestamp, "when applied"],
    follow_up_date: Annotated[Timestamp, "when to follow up"],
) -> FollowUpReminder:
    """Compose the text of a reminder to follow up."""
    if follow_up_date < application_date:
        raise Rejection.invalid_argument(
            f"follow_up_date {follow_up_date!r} must not be before application_date {application_date!r}."
        )
    applied_on = application_date[:10]
    return {
        "reminder_message": f"Follow up on your {job_title} application at {company_name} (applied on {applied_on})"
    }
