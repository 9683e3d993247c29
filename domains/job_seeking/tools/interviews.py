"""Interviews: scheduling, moving and cancelling interviews."""

from datetime import datetime, timedelta
from typing import Annotated

from runtime import Database, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class InterviewAdded(TypedDict):
    interview_id: Annotated[str, "new interview"]
    application_id: Annotated[str, "its application"]


class Interview(TypedDict):
    interview_id: Annotated[str, "interview"]
    interview_type: Annotated[str, "such as phone_screening"]
    interview_date: Annotated[Timestamp, "when it begins"]
    interviewer_name: Annotated[str | None, "who interviews"]
    interview_location: Annotated[str | None, "where"]
    interview_duration_minutes: Annotated[int | None, "planned length"]


class ApplicationInterviews(TypedDict):
    interviews: Annotated[list[Interview], "interviews of the application"]


class InterviewLine(TypedDict):
    interview_id: Annotated[str, "interview"]
    application_id: Annotated[str, "its application"]
    job_title: Annotated[str, "job applied for"]
    company_name: Annotated[str, "employer"]
    interview_type: Annotated[str, "such as phone_screening"]
    interview_date: Annotated[Timestamp, "when it begins"]


class InterviewList(TypedDict):
    interviews: Annotated[list[InterviewLine], "interviews found"]
    total: Annotated[int, "all matches"]


class PreparationTime(TypedDict):
    days_until_interview: Annotated[int, "whole days"]
    hours_until_interview: Annotated[int, "all whole hours, days included"]
    is_urgent: Annotated[bool, "less than 24 hours left"]


def _require_upcoming(db, interview_id):
    interview = db.require("interview_schedule", interview_id)
    if interview["interview_date"] <= db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} was on {interview['interview_date']}; it must be later than {db.now}."
        )
    return interview


def _interview_at(db, application_id, interview_date):
    return db.value(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND interview_date = ?",
        application_id,
        interview_date,
    )


def _shown(interview):
    return {field: value for field, value in interview.items() if field != "application_id"}


@tool(
    reads=["job_application"],
    writes=["interview_schedule"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_interview_schedule(
    db: Database,
    application_id: Annotated[str, "application meant"],
    interview_type: Annotated[str, "such as phone_screening, technical_interview", Field(min_length=1)],
    interview_date: Annotated[Timestamp, "when it begins"],
    interviewer_name: Annotated[str | None, "who interviews", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "where", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "planned length", Field(ge=1, le=1440)] = None,
) -> InterviewAdded:
    """Schedule an interview for an open application."""
    if interview_date <= db.now:
        raise Rejection.invalid_argument(f"interview_date {interview_date} is not after {db.now}.")
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not submitted or under_review."
        )
    twin = _interview_at(db, application_id, interview_date)
    if twin is not None:
        raise Rejection.already_exists(f"Interview {twin!r} of application {application_id!r} is on {interview_date}.")
    interview = db.insert(
        "interview_schedule",
        interview_id=db.new_id("interview_schedule"),
        application_id=application_id,
        interview_type=interview_type,
        interview_date=interview_date,
        interviewer_name=interviewer_name,
        interview_location=interview_location,
        interview_duration_minutes=interview_duration_minutes,
    )
    return {"interview_id": interview["interview_id"], "application_id": application_id}


@tool(reads=["job_application", "interview_schedule"], rejects=["NOT_FOUND"])
def get_application_interviews(
    db: Database, application_id: Annotated[str, "application meant"]
) -> ApplicationInterviews:
    """List all interviews of an application.

    Past and upcoming ones; order: earliest interview_date first.
    """
    db.require("job_application", application_id)
    interviews = db.select(
        """SELECT interview_id, interview_type, interview_date, interviewer_name, interview_location,
            interview_duration_minutes
        FROM interview_schedule
        WHERE application_id = ?
        ORDER BY interview_date, interview_id""",
        application_id,
    )
    return {"interviews": interviews}


@tool(reads=["job_application", "interview_schedule"])
def list_upcoming_interviews(
    db: Database,
    days_ahead: Annotated[int, "days from the clock", Field(ge=1, le=365)] = 14,
    interview_type: Annotated[str | None, "exactly this type"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> InterviewList:
    """List upcoming interviews of all applications.

    Upcoming interviews up to the clock plus days_ahead times 24 hours, whatever the application's status. Order:
    earliest interview_date first.
    """
    interviews = db.select(
        """SELECT i.interview_id, i.application_id, a.job_title, a.company_name, i.interview_type, i.interview_date
        FROM interview_schedule i JOIN job_application a ON a.application_id = i.application_id
        WHERE i.interview_date > ? AND i.interview_date <= ?
          AND (coalesce(?, '') = '' OR i.interview_type = ?)
        ORDER BY i.interview_date, i.interview_id""",
        db.now,
        add_minutes(db.now, days_ahead * 24 * 60),
        interview_type,
        interview_type,
    )
    return {"interviews": interviews[:limit], "total": len(interviews)}


@tool(writes=["interview_schedule"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def reschedule_interview(
    db: Database,
    interview_id: Annotated[str, "interview to move"],
    interview_date: Annotated[Timestamp, "new beginning"],
) -> Interview:
    """Move an upcoming interview to another time."""
    if interview_date <= db.now:
        raise Rejection.invalid_argument(f"interview_date {interview_date} is not after {db.now}.")
    interview = _require_upcoming(db, interview_id)
    twin = _interview_at(db, interview["application_id"], interview_date)
    if twin is not None and twin != interview_id:
        raise Rejection.already_exists(f"Interview {twin!r} of the same application is on {interview_date}.")
    return _shown(db.update("interview_schedule", interview_id, interview_date=interview_date))


@tool(writes=["interview_schedule"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_interview_details(
    db: Database,
    interview_id: Annotated[str, "interview meant"],
    interviewer_name: Annotated[str | None, "who interviews", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "where", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "planned length", Field(ge=1, le=1440)] = None,
) -> Interview:
    """Change interviewer, place or length of an upcoming interview.

    Only the given fields change.
    """
    given = {
        "interviewer_name": interviewer_name,
        "interview_location": interview_location,
        "interview_duration_minutes": interview_duration_minutes,
    }
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument(
            "Nothing to change; give interviewer_name, interview_location or interview_duration_minutes."
        )
    _require_upcoming(db, interview_id)
    return _shown(db.update("interview_schedule", interview_id, **changes))


@tool(
    writes=["interview_schedule", "interview_feedback", "preparation_task"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def cancel_interview(db: Database, interview_id: Annotated[str, "interview to cancel"]) -> Interview:
    """Cancel an upcoming interview.

    The interview is removed with its preparation tasks and feedback.
    """
    _require_upcoming(db, interview_id)
    for row in db.select("SELECT feedback_id FROM interview_feedback WHERE interview_id = ?", interview_id):
        db.delete("interview_feedback", row["feedback_id"])
    for row in db.select("SELECT preparation_task_id FROM preparation_task WHERE interview_id = ?", interview_id):
        db.delete("preparation_task", row["preparation_task_id"])
    return _shown(db.delete("interview_schedule", interview_id))


@tool(rejects=["INVALID_ARGUMENT"])
def calculate_interview_preparation_time(
    db: Database,
    current_date: Annotated[Timestamp, "moment counted from"],
    interview_date: Annotated[Timestamp, "when it begins"],
) -> PreparationTime:
    """Work out the time left before an interview.

    hours_until_interview is the whole time in hours, rounded down; is_urgent if the exact time is less than 24 hours.
    """
    if interview_date < current_date:
        raise Rejection.invalid_argument(f"interview_date {interview_date} is before current_date {current_date}.")
    left = datetime.fromisoformat(interview_date) - datetime.fromisoformat(current_date)
    return {
        "days_until_interview": left // timedelta(days=1),
        "hours_until_interview": left // timedelta(hours=1),
        "is_urgent": left < timedelta(hours=24),
    }
