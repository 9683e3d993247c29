"""Holds: planning, moving and cancelling interviews, and feedback on them."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class InterviewAdded(TypedDict):
    interview_id: Annotated[str, "the interview"]
    application_id: Annotated[str, "the application"]


class InterviewEntry(TypedDict):
    interview_id: Annotated[str, "the interview"]
    interview_type: Annotated[str, "kind of interview"]
    interview_date: Annotated[Timestamp, "when it starts"]
    interviewer_name: Annotated[str | None, "who interviews"]
    interview_location: Annotated[str | None, "place or way of meeting"]
    interview_duration_minutes: Annotated[int | None, "length in minutes"]


class ApplicationInterviews(TypedDict):
    interviews: Annotated[list[InterviewEntry], "its interviews"]


class InterviewListEntry(TypedDict):
    interview_id: Annotated[str, "the interview"]
    application_id: Annotated[str, "the application"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    interview_type: Annotated[str, "kind of interview"]
    interview_date: Annotated[Timestamp, "when it starts"]


class InterviewList(TypedDict):
    interviews: Annotated[list[InterviewListEntry], "interviews found"]
    total: Annotated[int, "all matches"]


class InterviewDetails(TypedDict):
    interview_id: Annotated[str, "the interview"]
    application_id: Annotated[str, "the application"]
    interview_type: Annotated[str, "kind of interview"]
    interview_date: Annotated[Timestamp, "when it starts"]
    interviewer_name: Annotated[str | None, "who interviews"]
    interview_location: Annotated[str | None, "place or way of meeting"]
    interview_duration_minutes: Annotated[int | None, "length in minutes"]


class FeedbackAdded(TypedDict):
    feedback_id: Annotated[str, "the feedback"]
    interview_id: Annotated[str, "the interview"]


class FeedbackEntry(TypedDict):
    feedback_id: Annotated[str, "the feedback"]
    feedback_content: Annotated[str, "what was noted"]
    performance_rating: Annotated[int | None, "1 to 5, 5 is best"]
    created_at: Annotated[Timestamp, "when written"]


class InterviewFeedback(TypedDict):
    interview_id: Annotated[str, "the interview"]
    feedback: Annotated[list[FeedbackEntry], "feedback on it"]
    average_rating: Annotated[float | None, "mean rating, two decimals"]


class FeedbackDetails(TypedDict):
    feedback_id: Annotated[str, "the feedback"]
    interview_id: Annotated[str, "the interview"]
    feedback_content: Annotated[str, "what was noted"]
    performance_rating: Annotated[int | None, "1 to 5, 5 is best"]
    created_at: Annotated[Timestamp, "when written"]


UNSAID_MINUTES = 60


def _details(interview):
    """All columns of an interview, as its details show them."""
    return {
        "interview_id": interview["interview_id"],
        "application_id": interview["application_id"],
        "interview_type": interview["interview_type"],
        "interview_date": interview["interview_date"],
        "interviewer_name": interview["interviewer_name"],
        "interview_location": interview["interview_location"],
        "interview_duration_minutes": interview["interview_duration_minutes"],
    }


def _require_upcoming(db, interview_id):
    """The interview, which must exist and lie ahead."""
    interview = db.require("interview_schedule", interview_id)
    if interview["interview_date"] <= db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} took place on {interview['interview_date']}; it is not upcoming."
        )
    return interview


def _require_ahead(db, interview_date):
    """A time that is set for an interview must lie ahead."""
    if interview_date <= db.now:
        raise Rejection.failed_precondition(f"interview_date {interview_date} is not after the present, {db.now}.")


def _refuse_overlap(db, email, start, minutes, besides=""):
    """Reject if another interview of the applicant overlaps the one that starts then."""
    end = add_minutes(start, minutes or UNSAID_MINUTES)
    for other in db.select(
        """SELECT interview_id, interview_date, interview_duration_minutes
           FROM interview_schedule JOIN job_application USING (application_id)
           WHERE email = ? AND interview_id <> ?
           ORDER BY interview_date, interview_id""",
        email,
        besides,
    ):
        other_end = add_minutes(other["interview_date"], other["interview_duration_minutes"] or UNSAID_MINUTES)
        if other["interview_date"] < end and start < other_end:
            raise Rejection.failed_precondition(
                f"From {start} to {end}, {email} has interview {other['interview_id']!r} at {other['interview_date']}."
            )


@tool(reads=["job_application"], writes=["interview_schedule"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_interview_schedule(
    db: Database,
    application_id: Annotated[str, "the application"],
    interview_type: Annotated[str, "such as phone_screening or system_design", Field(min_length=1)],
    interview_date: Annotated[Timestamp, "when it starts"],
    interviewer_name: Annotated[str | None, "who interviews", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "place or way of meeting", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "length in minutes", Field(ge=1, le=480)] = None,
) -> InterviewAdded:
    """Plan an interview for an application."""
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not submitted or under_review."
        )
    _require_ahead(db, interview_date)
    _refuse_overlap(db, application["email"], interview_date, interview_duration_minutes)
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
    db: Database, application_id: Annotated[str, "the application"]
) -> ApplicationInterviews:
    """List the interviews of an application, past and upcoming."""
    db.require("job_application", application_id)
    interviews = db.select(
        """SELECT interview_id, interview_type, interview_date, interviewer_name, interview_location,
                  interview_duration_minutes
           FROM interview_schedule WHERE application_id = ?
           ORDER BY interview_date, interview_id""",
        application_id,
    )
    return {"interviews": interviews}


@tool(reads=["job_application", "interview_schedule"], rejects=["INVALID_ARGUMENT"])
def list_interviews(
    db: Database,
    from_date: Annotated[Date | None, "first day"] = None,
    to_date: Annotated[Date | None, "last day"] = None,
    interview_type: Annotated[str | None, "only this type"] = None,
    email: Annotated[str | None, "the applicant's email"] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> InterviewList:
    """List interviews over all applications by day, type and applicant."""
    if from_date is not None and to_date is not None and to_date < from_date:
        raise Rejection.invalid_argument(f"to_date {to_date} is before from_date {from_date}.")
    interviews = db.select(
        """SELECT interview_id, application_id, job_title, company_name, interview_type, interview_date
           FROM interview_schedule JOIN job_application USING (application_id)
           WHERE substr(interview_date, 1, 10) BETWEEN coalesce(?, '0000-01-01') AND coalesce(?, '9999-12-31')
             AND coalesce(?, '') IN ('', interview_type)
             AND coalesce(?, '') IN ('', email)
           ORDER BY interview_date, interview_id""",
        from_date,
        to_date,
        interview_type,
        email,
    )
    return {"interviews": interviews[:limit], "total": len(interviews)}


@tool(reads=["job_application"], writes=["interview_schedule"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def reschedule_interview(
    db: Database, interview_id: Annotated[str, "the interview"], interview_date: Annotated[Timestamp, "new start"]
) -> InterviewDetails:
    """Move an upcoming interview to another time."""
    interview = _require_upcoming(db, interview_id)
    _require_ahead(db, interview_date)
    application = db.get("job_application", interview["application_id"])
    _refuse_overlap(
        db, application["email"], interview_date, interview["interview_duration_minutes"], besides=interview_id
    )
    return _details(db.update("interview_schedule", interview_id, interview_date=interview_date))


@tool(
    reads=["job_application"],
    writes=["interview_schedule"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def update_interview_details(
    db: Database,
    interview_id: Annotated[str, "the interview"],
    interviewer_name: Annotated[str | None, "who interviews", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "place or way of meeting", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "length in minutes", Field(ge=1, le=480)] = None,
) -> InterviewDetails:
    """Change interviewer, place or length of an upcoming interview."""
    given = {
        "interviewer_name": interviewer_name,
        "interview_location": interview_location,
        "interview_duration_minutes": interview_duration_minutes,
    }
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument(f"Give at least one of {', '.join(given)}.")
    interview = _require_upcoming(db, interview_id)
    if interview_duration_minutes is not None:
        application = db.get("job_application", interview["application_id"])
        _refuse_overlap(
            db, application["email"], interview["interview_date"], interview_duration_minutes, besides=interview_id
        )
    return _details(db.update("interview_schedule", interview_id, **changes))


@tool(writes=["application_note", "interview_schedule"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_interview(
    db: Database,
    interview_id: Annotated[str, "the interview"],
    reason: Annotated[str, "why it is called off", Field(min_length=1)],
) -> InterviewDetails:
    """Call off an upcoming interview."""
    interview = _require_upcoming(db, interview_id)
    db.delete("interview_schedule", interview_id)
    db.insert(
        "application_note",
        note_id=db.new_id("application_note"),
        application_id=interview["application_id"],
        note_content=f"Cancelled {interview['interview_type']} on {interview['interview_date'][:10]}: {reason}",
        note_type="cancellation",
        created_at=db.now,
    )
    return _details(interview)


@tool(reads=["interview_schedule"], writes=["interview_feedback"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_interview_feedback(
    db: Database,
    interview_id: Annotated[str, "the interview"],
    feedback_content: Annotated[str, "what was said or noticed", Field(min_length=1)],
    performance_rating: Annotated[int | None, "5 is best", Field(ge=1, le=5)] = None,
    created_at: Annotated[Timestamp | None, "time of the feedback"] = None,
) -> FeedbackAdded:
    """Record how an interview went."""
    interview = db.require("interview_schedule", interview_id)
    if interview["interview_date"] > db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} is on {interview['interview_date']} and did not take place yet."
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
def get_interview_feedback(db: Database, interview_id: Annotated[str, "the interview"]) -> InterviewFeedback:
    """Read the feedback on an interview."""
    db.require("interview_schedule", interview_id)
    feedback = db.select(
        """SELECT feedback_id, feedback_content, performance_rating, created_at
           FROM interview_feedback WHERE interview_id = ?
           ORDER BY created_at, feedback_id""",
        interview_id,
    )
    ratings = [entry["performance_rating"] for entry in feedback if entry["performance_rating"] is not None]
    average = float(round(Decimal(sum(ratings)) / len(ratings), 2)) if ratings else None
    return {"interview_id": interview_id, "feedback": feedback, "average_rating": average}


@tool(writes=["interview_feedback"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_interview_feedback(
    db: Database,
    feedback_id: Annotated[str, "the feedback"],
    feedback_content: Annotated[str | None, "new text", Field(min_length=1)] = None,
    performance_rating: Annotated[int | None, "new rating", Field(ge=1, le=5)] = None,
) -> FeedbackDetails:
    """Correct recent feedback on an interview."""
    given = {"feedback_content": feedback_content, "performance_rating": performance_rating}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument(f"Give at least one of {', '.join(given)}.")
    feedback = db.require("interview_feedback", feedback_id)
    age = datetime.fromisoformat(db.now) - datetime.fromisoformat(feedback["created_at"])
    if age.days > 30:
        raise Rejection.failed_precondition(
            f"Feedback {feedback_id!r} was given on {feedback['created_at']}, more than 30 days ago."
        )
    changed = db.update("interview_feedback", feedback_id, **changes)
    return {
        "feedback_id": feedback_id,
        "interview_id": changed["interview_id"],
        "feedback_content": changed["feedback_content"],
        "performance_rating": changed["performance_rating"],
        "created_at": changed["created_at"],
    }


@tool(reads=["job_application", "interview_schedule", "interview_feedback"])
def list_interviews_without_feedback(
    db: Database,
    email: Annotated[str | None, "the applicant's email"] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> InterviewList:
    """List interviews that took place and have no feedback yet."""
    interviews = db.select(
        """SELECT interview_id, application_id, job_title, company_name, interview_type, interview_date
           FROM interview_schedule JOIN job_application USING (application_id)
           WHERE interview_date <= ?
             AND coalesce(?, '') IN ('', email)
             AND NOT EXISTS (SELECT 1 FROM interview_feedback
                             WHERE interview_feedback.interview_id = interview_schedule.interview_id)
           ORDER BY interview_date, interview_id""",
        db.now,
        email,
    )
    return {"interviews": interviews[:limit], "total": len(interviews)}
