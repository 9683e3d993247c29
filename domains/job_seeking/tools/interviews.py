"""Interviews: planning, moving and cancelling them, and feedback on them."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool

InterviewType = Literal[
    "phone_screening", "technical_interview", "behavioral_interview", "system_design", "final_interview"
]


class InterviewReceipt(TypedDict):
    interview_id: Annotated[str, "interview"]
    application_id: Annotated[str, "application"]


class Interview(TypedDict):
    interview_id: Annotated[str, "interview"]
    interview_type: Annotated[InterviewType, "kind of interview"]
    interview_date: Annotated[Timestamp, "when it begins"]
    interviewer_name: Annotated[str | None, "who interviews"]
    interview_location: Annotated[str | None, "where or how"]
    interview_duration_minutes: Annotated[int | None, "length in minutes"]


class InterviewList(TypedDict):
    interviews: Annotated[list[Interview], "the earliest first"]


class UpcomingInterview(TypedDict):
    interview_id: Annotated[str, "interview"]
    application_id: Annotated[str, "application"]
    job_title: Annotated[str, "position"]
    company_name: Annotated[str, "employer"]
    interview_type: Annotated[InterviewType, "kind of interview"]
    interview_date: Annotated[Timestamp, "when it begins"]


class UpcomingInterviewList(TypedDict):
    interviews: Annotated[list[UpcomingInterview], "page of interviews"]
    total: Annotated[int, "all matches"]


class InterviewDetails(TypedDict):
    interview_id: Annotated[str, "interview"]
    application_id: Annotated[str, "application"]
    interview_type: Annotated[InterviewType, "kind of interview"]
    interview_date: Annotated[Timestamp, "when it begins"]
    interviewer_name: Annotated[str | None, "who interviews"]
    interview_location: Annotated[str | None, "where or how"]
    interview_duration_minutes: Annotated[int | None, "length in minutes"]


class FeedbackReceipt(TypedDict):
    feedback_id: Annotated[str, "feedback"]
    interview_id: Annotated[str, "interview"]


class Feedback(TypedDict):
    feedback_id: Annotated[str, "feedback"]
    feedback_content: Annotated[str, "text"]
    performance_rating: Annotated[int | None, "1 to 5, 5 best"]
    created_at: Annotated[Timestamp, "when given"]


class FeedbackList(TypedDict):
    feedback: Annotated[list[Feedback], "the oldest first"]


def _check_ahead(db, moment):
    if moment <= db.now:
        raise Rejection.invalid_argument(f"Interview date {moment} is not after now, {db.now}.")


def _require_open(db, application_id):
    row = db.require("job_application", application_id)
    if row["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(f"Application {application_id!r} is {row['status']}, not open.")


def _check_free(db, application_id, moment):
    """No interview of the application is at the moment."""
    taken = db.value(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND interview_date = ?",
        application_id,
        moment,
    )
    if taken is not None:
        raise Rejection.already_exists(f"Interview {taken!r} of application {application_id!r} is at {moment} already.")


def _require_ahead(db, interview_id):
    """The interview, which lies ahead."""
    row = db.require("interview_schedule", interview_id)
    if row["interview_date"] <= db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} took place at {row['interview_date']}; it must lie ahead."
        )
    return row


@tool(
    reads=["job_application"],
    writes=["interview_schedule"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_interview_schedule(
    db: Database,
    application_id: Annotated[str, "application"],
    interview_type: Annotated[InterviewType, "kind of interview"],
    interview_date: Annotated[Timestamp, "when it begins"],
    interviewer_name: Annotated[str | None, "who interviews", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "where or how", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "length in minutes", Field(ge=5, le=480)] = None,
) -> InterviewReceipt:
    """Plan an interview for an open application."""
    _check_ahead(db, interview_date)
    _require_open(db, application_id)
    _check_free(db, application_id, interview_date)
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
def get_application_interviews(db: Database, application_id: Annotated[str, "application"]) -> InterviewList:
    """List the interviews of an application.

    Order: interview_date, the earliest first.
    """
    db.require("job_application", application_id)
    return {
        "interviews": db.select(
            """
            SELECT interview_id, interview_type, interview_date, interviewer_name, interview_location,
                interview_duration_minutes
            FROM interview_schedule
            WHERE application_id = ?
            ORDER BY interview_date, interview_id
            """,
            application_id,
        )
    }


@tool(reads=["applicant", "job_application", "interview_schedule"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_upcoming_interviews(
    db: Database,
    applicant_id: Annotated[str, "applicant"],
    until_date: Annotated[Date | None, "last day to list"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> UpcomingInterviewList:
    """List the interviews ahead of an applicant.

    Interviews ahead on all applications of the applicant, whatever their status, up to the end of until_date. Order:
    interview_date, the earliest first.
    """
    if until_date is not None and until_date < db.today:
        raise Rejection.invalid_argument(f"until_date {until_date} is before today, {db.today}.")
    db.require("applicant", applicant_id)
    rows = db.select(
        """
        SELECT interview_id, application_id, job_title, company_name, interview_type, interview_date
        FROM interview_schedule
        JOIN job_application USING (application_id)
        WHERE applicant_id = ? AND interview_date > ? AND (? IS NULL OR substr(interview_date, 1, 10) <= ?)
        ORDER BY interview_date, interview_id
        """,
        applicant_id,
        db.now,
        until_date,
        until_date,
    )
    return {"interviews": rows[:limit], "total": len(rows)}


@tool(
    reads=["job_application"],
    writes=["interview_schedule"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def reschedule_interview(
    db: Database, interview_id: Annotated[str, "interview"], new_interview_date: Annotated[Timestamp, "new beginning"]
) -> InterviewDetails:
    """Move an interview ahead to another moment.

    interview_date becomes new_interview_date.
    """
    _check_ahead(db, new_interview_date)
    interview = _require_ahead(db, interview_id)
    _require_open(db, interview["application_id"])
    _check_free(db, interview["application_id"], new_interview_date)
    return db.update("interview_schedule", interview_id, interview_date=new_interview_date)


@tool(writes=["interview_schedule"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_interview_details(
    db: Database,
    interview_id: Annotated[str, "interview"],
    interviewer_name: Annotated[str | None, "who interviews", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "where or how", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "length in minutes", Field(ge=5, le=480)] = None,
) -> InterviewDetails:
    """Change interviewer, place or length of an interview ahead.

    Only the given fields change.
    """
    given = {
        "interviewer_name": interviewer_name,
        "interview_location": interview_location,
        "interview_duration_minutes": interview_duration_minutes,
    }
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("None of interviewer, location and duration is given; give at least one.")
    _require_ahead(db, interview_id)
    return db.update("interview_schedule", interview_id, **changes)


@tool(writes=["interview_schedule"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_interview(db: Database, interview_id: Annotated[str, "interview"]) -> InterviewDetails:
    """Cancel an interview ahead.

    The interview is deleted.
    """
    _require_ahead(db, interview_id)
    return db.delete("interview_schedule", interview_id)


@tool(
    reads=["interview_schedule"],
    writes=["interview_feedback"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def add_interview_feedback(
    db: Database,
    interview_id: Annotated[str, "interview"],
    feedback_content: Annotated[str, "text", Field(min_length=1)],
    performance_rating: Annotated[int | None, "5 is best", Field(ge=1, le=5)] = None,
    created_at: Annotated[Timestamp | None, "when given; the clock if left out"] = None,
) -> FeedbackReceipt:
    """Record how an interview went."""
    if created_at is not None and created_at > db.now:
        raise Rejection.invalid_argument(f"created_at {created_at} is after now, {db.now}.")
    interview = db.require("interview_schedule", interview_id)
    if interview["interview_date"] > db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} is at {interview['interview_date']}; it did not take place yet."
        )
    feedback = db.insert(
        "interview_feedback",
        feedback_id=db.new_id("interview_feedback"),
        interview_id=interview_id,
        feedback_content=feedback_content,
        performance_rating=performance_rating,
        created_at=created_at or db.now,
    )
    return {"feedback_id": feedback["feedback_id"], "interview_id": interview_id}


@tool(reads=["interview_schedule", "interview_feedback"], rejects=["NOT_FOUND"])
def list_interview_feedback(db: Database, interview_id: Annotated[str, "interview"]) -> FeedbackList:
    """List the feedback on an interview.

    Order: created_at, the oldest first.
    """
    db.require("interview_schedule", interview_id)
    return {
        "feedback": db.select(
            """
            SELECT feedback_id, feedback_content, performance_rating, created_at
            FROM interview_feedback
            WHERE interview_id = ?
            ORDER BY created_at, feedback_id
            """,
            interview_id,
        )
    }
