"""Planning: deadlines, priorities, salary expectations and reminders."""

from datetime import datetime, timedelta
from typing import Annotated

from runtime import Database, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class DeadlineSetting(TypedDict):
    application_id: Annotated[str, "application"]
    deadline_set: Annotated[bool, "always true"]


class DeadlineLine(TypedDict):
    application_id: Annotated[str, "application"]
    job_title: Annotated[str, "job applied for"]
    company_name: Annotated[str, "employer"]
    deadline_date: Annotated[Timestamp, "when it ends"]
    deadline_type: Annotated[str | None, "such as follow_up, response"]
    days_left: Annotated[int, "days from the clock"]


class DeadlineList(TypedDict):
    deadlines: Annotated[list[DeadlineLine], "deadlines found"]
    total: Annotated[int, "all matches"]


class ApplicationPriority(TypedDict):
    application_id: Annotated[str, "application"]
    priority_level: Annotated[int, "1 to 5, 5 is highest"]
    priority_reason: Annotated[str | None, "why this priority"]


class SalarySetting(TypedDict):
    application_id: Annotated[str, "application"]
    success: Annotated[bool, "always true"]


class FollowUpReminder(TypedDict):
    reminder_message: Annotated[str, "composed reminder"]


LIVE = ("draft", "submitted", "under_review")


def _require_live(db, application_id):
    application = db.require("job_application", application_id)
    if application["status"] not in LIVE:
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, neither a draft nor open."
        )
    return application


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_deadline(
    db: Database,
    application_id: Annotated[str, "application meant"],
    deadline_date: Annotated[Timestamp, "when it ends"],
    deadline_type: Annotated[str, "such as follow_up, response", Field(min_length=1)],
) -> DeadlineSetting:
    """Set the deadline of an application, replacing an earlier one."""
    if deadline_date <= db.now:
        raise Rejection.invalid_argument(f"deadline_date {deadline_date} is not after {db.now}.")
    _require_live(db, application_id)
    db.update(
        "job_application", application_id, deadline_date=deadline_date, deadline_type=deadline_type, updated_at=db.now
    )
    return {"application_id": application_id, "deadline_set": True}


@tool(reads=["job_application"])
def list_application_deadlines(
    db: Database,
    days_ahead: Annotated[int, "days from the clock", Field(ge=1, le=365)] = 14,
    include_overdue: Annotated[bool, "also those before the clock"] = False,
    deadline_type: Annotated[str | None, "exactly this type"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> DeadlineList:
    """List deadlines of draft and open applications.

    Draft or open applications with deadline_date from the clock to the clock plus days_ahead times 24 hours; with
    include_overdue, earlier ones too. days_left is rounded down: half a day overdue is -1. Order: earliest
    deadline_date first.
    """
    rows = db.select(
        """SELECT application_id, job_title, company_name, deadline_date, deadline_type
        FROM job_application
        WHERE status IN ('draft', 'submitted', 'under_review')
          AND deadline_date <= ?
          AND (? OR deadline_date >= ?)
          AND (coalesce(?, '') = '' OR deadline_type = ?)
        ORDER BY deadline_date, application_id""",
        add_minutes(db.now, days_ahead * 24 * 60),
        int(include_overdue),
        db.now,
        deadline_type,
        deadline_type,
    )
    now = datetime.fromisoformat(db.now)
    deadlines = [
        {**row, "days_left": (datetime.fromisoformat(row["deadline_date"]) - now) // timedelta(days=1)}
        for row in rows[:limit]
    ]
    return {"deadlines": deadlines, "total": len(rows)}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_application_priority(
    db: Database,
    application_id: Annotated[str, "application meant"],
    priority_level: Annotated[int, "5 is highest", Field(ge=1, le=5)],
    priority_reason: Annotated[str | None, "why; emptied if left out", Field(min_length=1)] = None,
) -> ApplicationPriority:
    """Set how important an application is.

    priority_reason becomes null when left out.
    """
    _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        priority_level=priority_level,
        priority_reason=priority_reason,
        updated_at=db.now,
    )
    return {"application_id": application_id, "priority_level": priority_level, "priority_reason": priority_reason}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def add_salary_expectation(
    db: Database,
    application_id: Annotated[str, "application meant"],
    expected_salary_min: Annotated[int, "least, whole currency units", Field(ge=0)],
    expected_salary_max: Annotated[int | None, "highest; emptied if left out", Field(ge=0)] = None,
    salary_currency: Annotated[str, "three-letter currency code", Field(min_length=3, max_length=3)] = "USD",
) -> SalarySetting:
    """Set the expected salary of an application, replacing an earlier one.

    All three salary fields are replaced; expected_salary_max becomes null when left out.
    """
    if expected_salary_max is not None and expected_salary_max < expected_salary_min:
        raise Rejection.invalid_argument(
            f"expected_salary_max {expected_salary_max} is below expected_salary_min {expected_salary_min}."
        )
    _require_live(db, application_id)
    db.update(
        "job_application",
        application_id,
        expected_salary_min=expected_salary_min,
        expected_salary_max=expected_salary_max,
        salary_currency=salary_currency,
        updated_at=db.now,
    )
    return {"application_id": application_id, "success": True}


@tool(rejects=["INVALID_ARGUMENT"])
def generate_follow_up_reminder(
    db: Database,
    company_name: Annotated[str, "employer", Field(min_length=1)],
    job_title: Annotated[str, "job applied for", Field(min_length=1)],
    application_date: Annotated[Timestamp, "when applied"],
    follow_up_date: Annotated[Timestamp, "when to follow up"],
) -> FollowUpReminder:
    """Compose a reminder to follow up on an application.

    reminder_message is: Follow up on your {job_title} application at {company_name} (applied on {date}) - where {date}
    is the day of application_date, YYYY-MM-DD; no full stop follows.
    """
    if follow_up_date < application_date:
        raise Rejection.invalid_argument(
            f"follow_up_date {follow_up_date} is before application_date {application_date}."
        )
    applied_on = application_date[:10]
    return {
        "reminder_message": f"Follow up on your {job_title} application at {company_name} (applied on {applied_on})"
    }
