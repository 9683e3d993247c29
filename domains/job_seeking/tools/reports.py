"""Reports: calculators, deadlines ahead and summaries of an applicant."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, minutes_between, tool


class PreparationTime(TypedDict):
    days_until_interview: Annotated[int, "whole days"]
    hours_until_interview: Annotated[int, "whole hours in all"]
    is_urgent: Annotated[bool, "less than 24 hours"]


class ApplicationRoi(TypedDict):
    interview_conversion_rate: Annotated[float, "percent, two decimals"]
    offer_conversion_rate: Annotated[float, "percent, two decimals"]
    interview_to_offer_rate: Annotated[float, "percent, two decimals"]


class SuccessRate(TypedDict):
    success_rate: Annotated[float, "percent, two decimals"]
    rejection_rate: Annotated[float, "percent, two decimals"]
    pending_rate: Annotated[float, "percent, two decimals"]


class Reminder(TypedDict):
    reminder_message: Annotated[str, "text to remind with"]


class DeadlineEntry(TypedDict):
    application_id: Annotated[str, "application"]
    job_title: Annotated[str, "position"]
    company_name: Annotated[str, "employer"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    deadline_date: Annotated[Timestamp, "deadline"]
    deadline_type: Annotated[Literal["follow_up", "response", "interview", "offer_decision"], "kind of deadline"]


class DeadlineList(TypedDict):
    deadlines: Annotated[list[DeadlineEntry], "page of deadlines"]
    total: Annotated[int, "all matches"]


class PipelineSummary(TypedDict):
    applicant_id: Annotated[str, "applicant"]
    draft: Annotated[int, "applications in this state"]
    submitted: Annotated[int, "applications in this state"]
    under_review: Annotated[int, "applications in this state"]
    rejected: Annotated[int, "applications in this state"]
    accepted: Annotated[int, "applications in this state"]
    withdrawn: Annotated[int, "applications in this state"]
    archived: Annotated[int, "applications in this state"]
    total: Annotated[int, "all applications"]
    interviews_held: Annotated[int, "interviews that took place"]
    interviews_ahead: Annotated[int, "interviews ahead"]


class RatingSummary(TypedDict):
    applicant_id: Annotated[str, "applicant"]
    feedback_count: Annotated[int, "all feedback"]
    rated_count: Annotated[int, "feedback with a rating"]
    average_rating: Annotated[float, "mean rating, two decimals"]
    lowest_rating: Annotated[int | None, "lowest rating"]
    highest_rating: Annotated[int | None, "highest rating"]


_STATUSES = ("draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived")


def _percent(part, whole):
    return round(100 * part / whole, 2) if whole else 0


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_interview_preparation_time(
    db: Database, current_date: Annotated[Timestamp, "from"], interview_date: Annotated[Timestamp, "to"]
) -> PreparationTime:
    """Reckon the time left before an interview.

    hours_until_interview counts all hours, not those beyond the days; is_urgent if the difference is less than 24 hours
    to the second.
    """
    if interview_date < current_date:
        raise Rejection.invalid_argument(f"Interview date {interview_date} is before {current_date}.")
    hours = minutes_between(current_date, interview_date) // 60
    return {"days_until_interview": hours // 24, "hours_until_interview": hours, "is_urgent": hours < 24}


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_application_roi(
    db: Database,
    total_applications: Annotated[int, "applications", Field(ge=0)],
    total_interviews: Annotated[int, "interviews", Field(ge=0)],
    total_offers: Annotated[int, "offers", Field(ge=0)],
) -> ApplicationRoi:
    """Reckon how often applications lead to interviews and offers.

    interview_conversion_rate: interviews per applications; offer_conversion_rate: offers per applications;
    interview_to_offer_rate: offers per interviews.
    """
    if total_offers > total_applications:
        raise Rejection.invalid_argument(f"{total_offers} offers are more than {total_applications} applications.")
    return {
        "interview_conversion_rate": _percent(total_interviews, total_applications),
        "offer_conversion_rate": _percent(total_offers, total_applications),
        "interview_to_offer_rate": _percent(total_offers, total_interviews),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_application_success_rate(
    db: Database,
    total_applications: Annotated[int, "all applications", Field(ge=0)],
    successful_applications: Annotated[int, "successful ones", Field(ge=0)],
    rejected_applications: Annotated[int, "rejected ones", Field(ge=0)],
) -> SuccessRate:
    """Reckon the shares of successful, rejected and pending applications.

    Shares of total_applications; pending are those neither successful nor rejected; each share is rounded by itself.
    """
    pending = total_applications - successful_applications - rejected_applications
    if pending < 0:
        raise Rejection.invalid_argument(
            f"{successful_applications} successful and {rejected_applications} rejected are more than {total_applications}."
        )
    return {
        "success_rate": _percent(successful_applications, total_applications),
        "rejection_rate": _percent(rejected_applications, total_applications),
        "pending_rate": _percent(pending, total_applications),
    }


@tool(rejects=["INVALID_ARGUMENT"])
def generate_follow_up_reminder(
    db: Database,
    company_name: Annotated[str, "employer", Field(min_length=1)],
    job_title: Annotated[str, "position", Field(min_length=1)],
    application_date: Annotated[Timestamp, "when filed"],
    follow_up_date: Annotated[Timestamp, "when to follow up"],
) -> Reminder:
    """Compose the text of a follow-up reminder.

    reminder_message: 'Follow up on your {job_title} application at {company_name} (applied on {date})', where date is
    that of application_date as YYYY-MM-DD.
    """
    if follow_up_date < application_date:
        raise Rejection.invalid_argument(
            f"Follow-up date {follow_up_date} is before the application date {application_date}."
        )
    applied_on = application_date[:10]
    return {
        "reminder_message": f"Follow up on your {job_title} application at {company_name} (applied on {applied_on})"
    }


@tool(reads=["applicant", "job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_upcoming_deadlines(
    db: Database,
    applicant_id: Annotated[str, "applicant"],
    until_date: Annotated[Date | None, "last day to list"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> DeadlineList:
    """List the deadlines ahead of an applicant.

    Draft and open applications of the applicant with a deadline_date after the clock, up to the end of until_date.
    Order: deadline_date, the earliest first.
    """
    if until_date is not None and until_date < db.today:
        raise Rejection.invalid_argument(f"until_date {until_date} is before today, {db.today}.")
    db.require("applicant", applicant_id)
    rows = db.select(
        """
        SELECT application_id, job_title, company_name, status, deadline_date, deadline_type
        FROM job_application
        WHERE applicant_id = ? AND status IN ('draft', 'submitted', 'under_review')
            AND deadline_date > ? AND (? IS NULL OR substr(deadline_date, 1, 10) <= ?)
        ORDER BY deadline_date, application_id
        """,
        applicant_id,
        db.now,
        until_date,
        until_date,
    )
    return {"deadlines": rows[:limit], "total": len(rows)}


@tool(reads=["applicant", "job_application", "interview_schedule"], rejects=["NOT_FOUND"])
def summarize_applicant_pipeline(db: Database, applicant_id: Annotated[str, "applicant"]) -> PipelineSummary:
    """Count an applicant's applications by status, and their interviews.

    Interviews of all applications of the applicant are counted.
    """
    db.require("applicant", applicant_id)
    rows = db.select(
        "SELECT status, count(*) AS number FROM job_application WHERE applicant_id = ? GROUP BY status", applicant_id
    )
    counts = {row["status"]: row["number"] for row in rows}
    interviews = db.first(
        """
        SELECT coalesce(sum(interview_date <= ?), 0) AS held, coalesce(sum(interview_date > ?), 0) AS ahead
        FROM interview_schedule
        JOIN job_application USING (application_id)
        WHERE applicant_id = ?
        """,
        db.now,
        db.now,
        applicant_id,
    )
    return {
        "applicant_id": applicant_id,
        **{status: counts.get(status, 0) for status in _STATUSES},
        "total": sum(counts.values()),
        "interviews_held": interviews["held"],
        "interviews_ahead": interviews["ahead"],
    }


@tool(reads=["applicant", "job_application", "interview_schedule", "interview_feedback"], rejects=["NOT_FOUND"])
def summarize_interview_ratings(
    db: Database,
    applicant_id: Annotated[str, "applicant"],
    interview_type: Annotated[
        Literal["phone_screening", "technical_interview", "behavioral_interview", "system_design", "final_interview"]
        | None,
        "only this kind",
    ] = None,
) -> RatingSummary:
    """Sum up how an applicant's interviews were rated.

    Over the feedback on all interviews of the applicant's applications; average_rating is the mean of the ratings, 0 if
    there is none; then lowest and highest are null.
    """
    db.require("applicant", applicant_id)
    row = db.first(
        """
        SELECT count(*) AS number, count(performance_rating) AS rated, coalesce(sum(performance_rating), 0) AS points,
            min(performance_rating) AS lowest, max(performance_rating) AS highest
        FROM interview_feedback
        JOIN interview_schedule USING (interview_id)
        JOIN job_application USING (application_id)
        WHERE applicant_id = ? AND (? IS NULL OR interview_type = ?)
        """,
        applicant_id,
        interview_type,
        interview_type,
    )
    return {
        "applicant_id": applicant_id,
        "feedback_count": row["number"],
        "rated_count": row["rated"],
        "average_rating": round(row["points"] / row["rated"], 2) if row["rated"] else 0,
        "lowest_rating": row["lowest"],
        "highest_rating": row["highest"],
    }
