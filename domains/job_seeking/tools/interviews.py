"""Interviews: scheduling, moving, and canceling interviews, and recording feedback."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class InterviewReceipt(TypedDict):
    interview_id: Annotated[str, "the interview"]
    application_id: Annotated[str, "application concerned"]


class PlannedInterview(TypedDict):
    interview_id: Annotated[str, "the interview"]
    interview_type: Annotated[str, "such as phone_screening"]
    interview_date: Annotated[Timestamp, "when it starts"]
    interviewer_name: Annotated[str | None, "who interviews"]
    interview_location: Annotated[str | None, "place or link"]
    interview_duration_minutes: Annotated[int | None, "planned length"]


class ApplicationInterviews(TypedDict):
    interviews: Annotated[list[PlannedInterview], "earliest first"]


class Interview(TypedDict):
    interview_id: Annotated[str, "the interview"]
    application_id: Annotated[str, "application concerned"]
    job_title: Annotated[str, "job sought"]
    company_name: Annotated[str, "employer"]
    interview_type: Annotated[str, "such as phone_screening"]
    interview_date: Annotated[Timestamp, "when it starts"]
    interviewer_name: Annotated[str | None, "who interviews"]
    interview_location: Annotated[str | None, "place or link"]
    interview_duration_minutes: Annotated[int | None, "planned length"]
    status: Annotated[Literal["scheduled", "canceled", "missed"], "state"]
    reschedule_count: Annotated[int, "times moved"]
    canceled_at: Annotated[Timestamp | None, "when canceled"]
    cancel_reason: Annotated[str | None, "why canceled"]


class ApplicantInterviews(TypedDict):
    interviews: Annotated[list[Interview], "earliest first"]
    total: Annotated[int, "matches before the cut"]


class FeedbackReceipt(TypedDict):
    feedback_id: Annotated[str, "the feedback"]
    interview_id: Annotated[str, "interview concerned"]


class Feedback(TypedDict):
    feedback_id: Annotated[str, "the feedback"]
    interview_id: Annotated[str, "interview concerned"]
    interview_type: Annotated[str, "such as phone_screening"]
    feedback_content: Annotated[str, "what was said"]
    performance_rating: Annotated[int | None, "1 to 5"]
    created_at: Annotated[Timestamp, "when given"]


class FeedbackList(TypedDict):
    feedback: Annotated[list[Feedback], "oldest first"]
    average_rating: Annotated[float, "mean of given ratings"]


_DETAILS = (
    "interview_id",
    "application_id",
    "interview_type",
    "interview_date",
    "interviewer_name",
    "interview_location",
    "interview_duration_minutes",
    "status",
    "reschedule_count",
    "canceled_at",
    "cancel_reason",
)


def _shown(db, interview):
    """Show an interview with the job it is for."""
    application = db.require("job_application", interview["application_id"])
    shown = {name: interview[name] for name in _DETAILS}
    shown["job_title"] = application["job_title"]
    shown["company_name"] = application["company_name"]
    return shown


def _require_upcoming(db, interview_id):
    """Return an interview that is upcoming."""
    interview = db.require("interview_schedule", interview_id)
    if interview["status"] != "scheduled":
        raise Rejection.failed_precondition(f"Interview {interview_id!r} is {interview['status']}, not scheduled.")
    if interview["interview_date"] <= db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} was due {interview['interview_date']}, not after now."
        )
    return interview


def _require_held(db, interview_id):
    """Return an interview that took place."""
    interview = db.require("interview_schedule", interview_id)
    if interview["status"] != "scheduled" or interview["interview_date"] > db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} is {interview['status']} for {interview['interview_date']}; it did not take place."
        )
    return interview


def _require_free(db, application, moment):
    """Reject an application that is not open or an applicant who is busy at that moment."""
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application['application_id']!r} is {application['status']}, not open."
        )
    busy = db.value(
        """
        SELECT interview_id FROM interview_schedule AS i JOIN job_application AS a ON a.application_id = i.application_id
        WHERE a.applicant_id = ? AND i.interview_date = ? AND i.status = 'scheduled'
        """,
        application["applicant_id"],
        moment,
    )
    if busy is not None:
        raise Rejection.failed_precondition(f"The applicant has interview {busy!r} at {moment}.")


@tool(
    reads=["job_application"],
    writes=["interview_schedule"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def add_interview_schedule(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    interview_type: Annotated[str, "such as phone_screening, system_design", Field(min_length=1)],
    interview_date: Annotated[Timestamp, "when it starts"],
    interviewer_name: Annotated[str | None, "who interviews", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "place or link", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "planned length", Field(ge=1, le=480)] = None,
) -> InterviewReceipt:
    """Schedule an interview for an open application.

    Requires: interview_date is after now. The application is open. The applicant has no scheduled interview at that
    moment, for any application.

    status is scheduled, reschedule_count 0; the application does not change.
    """
    if interview_date <= db.now:
        raise Rejection.invalid_argument(f"Interview date {interview_date!r} is not after now, {db.now}.")
    _require_free(db, db.require("job_application", application_id), interview_date)
    interview = db.insert(
        "interview_schedule",
        interview_id=db.new_id("interview_schedule"),
        application_id=application_id,
        interview_type=interview_type,
        interview_date=interview_date,
        interviewer_name=interviewer_name,
        interview_location=interview_location,
        interview_duration_minutes=interview_duration_minutes,
        status="scheduled",
        reschedule_count=0,
    )
    return {"interview_id": interview["interview_id"], "application_id": application_id}


@tool(reads=["job_application", "interview_schedule"], rejects=["NOT_FOUND"])
def get_application_interviews(
    db: Database, application_id: Annotated[str, "application concerned"]
) -> ApplicationInterviews:
    """List the interviews of an application.

    Canceled interviews are left out; sorted by interview_date, earliest first.
    """
    db.require("job_application", application_id)
    interviews = db.select(
        """
        SELECT interview_id, interview_type, interview_date, interviewer_name, interview_location, interview_duration_minutes
        FROM interview_schedule
        WHERE application_id = ? AND status <> 'canceled'
        ORDER BY interview_date, interview_id
        """,
        application_id,
    )
    return {"interviews": interviews}


@tool(reads=["applicant", "job_application", "interview_schedule"], rejects=["NOT_FOUND"])
def list_applicant_interviews(
    db: Database,
    applicant_id: Annotated[str, "applicant concerned"],
    status: Annotated[Literal["scheduled", "canceled", "missed"] | None, "only this state"] = None,
    upcoming_only: Annotated[bool, "only upcoming interviews"] = False,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ApplicantInterviews:
    """List an applicant's interviews over all applications.

    Sorted by interview_date, earliest first; both filters apply together.
    """
    db.require("applicant", applicant_id)
    interviews = db.select(
        """
        SELECT i.*
        FROM interview_schedule AS i JOIN job_application AS a ON a.application_id = i.application_id
        WHERE a.applicant_id = ? AND (? IS NULL OR i.status = ?)
            AND (? = 0 OR (i.status = 'scheduled' AND i.interview_date > ?))
        ORDER BY i.interview_date, i.interview_id
        """,
        applicant_id,
        status,
        status,
        int(upcoming_only),
        db.now,
    )
    return {"interviews": [_shown(db, interview) for interview in interviews[:limit]], "total": len(interviews)}


@tool(
    reads=["job_application"],
    writes=["interview_schedule"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def reschedule_interview(
    db: Database,
    interview_id: Annotated[str, "interview concerned"],
    new_interview_date: Annotated[Timestamp, "new start"],
) -> Interview:
    """Move an upcoming interview to another moment.

    Requires: new_interview_date is after now. The interview is upcoming. The application is open. The applicant has no
    scheduled interview at that moment, this one included.

    interview_date becomes the new moment; reschedule_count goes up by 1.
    """
    if new_interview_date <= db.now:
        raise Rejection.invalid_argument(f"New interview date {new_interview_date!r} is not after now, {db.now}.")
    interview = _require_upcoming(db, interview_id)
    _require_free(db, db.require("job_application", interview["application_id"]), new_interview_date)
    return _shown(
        db,
        db.update(
            "interview_schedule",
            interview_id,
            interview_date=new_interview_date,
            reschedule_count=interview["reschedule_count"] + 1,
        ),
    )


@tool(
    reads=["job_application"],
    writes=["interview_schedule"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def update_interview_details(
    db: Database,
    interview_id: Annotated[str, "interview concerned"],
    interviewer_name: Annotated[str | None, "new interviewer", Field(min_length=1)] = None,
    interview_location: Annotated[str | None, "new place or link", Field(min_length=1)] = None,
    interview_duration_minutes: Annotated[int | None, "new length", Field(ge=1, le=480)] = None,
) -> Interview:
    """Change who, where, or how long an upcoming interview is.

    Requires: At least one field to change is given. The interview is upcoming.

    Only the given fields change.
    """
    given = {
        "interviewer_name": interviewer_name,
        "interview_location": interview_location,
        "interview_duration_minutes": interview_duration_minutes,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument(
            "Give at least one of interviewer_name, interview_location, and interview_duration_minutes."
        )
    _require_upcoming(db, interview_id)
    return _shown(db, db.update("interview_schedule", interview_id, **changes))


@tool(reads=["job_application"], writes=["interview_schedule"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_interview(
    db: Database,
    interview_id: Annotated[str, "interview concerned"],
    cancel_reason: Annotated[str, "why it is canceled", Field(min_length=1)],
) -> Interview:
    """Cancel an upcoming interview.

    Requires: The interview is upcoming.

    status becomes canceled, canceled_at now; cancel_reason is stored.
    """
    _require_upcoming(db, interview_id)
    return _shown(
        db,
        db.update(
            "interview_schedule", interview_id, status="canceled", canceled_at=db.now, cancel_reason=cancel_reason
        ),
    )


@tool(
    reads=["job_application", "interview_feedback"],
    writes=["interview_schedule"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def mark_interview_missed(db: Database, interview_id: Annotated[str, "interview concerned"]) -> Interview:
    """Record that the applicant did not show up.

    Requires: The interview took place, as far as recorded. The interview has no feedback.

    status becomes missed.
    """
    _require_held(db, interview_id)
    if db.first("SELECT 1 FROM interview_feedback WHERE interview_id = ?", interview_id):
        raise Rejection.failed_precondition(f"Interview {interview_id!r} has feedback, so it was not missed.")
    return _shown(db, db.update("interview_schedule", interview_id, status="missed"))


@tool(
    reads=["interview_schedule"],
    writes=["interview_feedback"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def add_interview_feedback(
    db: Database,
    interview_id: Annotated[str, "interview concerned"],
    feedback_content: Annotated[str, "what was said", Field(min_length=1)],
    performance_rating: Annotated[int | None, "1 to 5, 5 best", Field(ge=1, le=5)] = None,
    created_at: Annotated[Timestamp | None, "when given, now if left out"] = None,
) -> FeedbackReceipt:
    """Record how an interview went.

    Requires: created_at is not after now. The interview took place. created_at is not before interview_date.

    created_at is as given or now.
    """
    given_at = db.now if created_at is None else created_at
    if given_at > db.now:
        raise Rejection.invalid_argument(f"created_at {given_at!r} is after now, {db.now}.")
    interview = _require_held(db, interview_id)
    if given_at < interview["interview_date"]:
        raise Rejection.failed_precondition(
            f"created_at {given_at!r} is before the interview, {interview['interview_date']}."
        )
    feedback = db.insert(
        "interview_feedback",
        feedback_id=db.new_id("interview_feedback"),
        interview_id=interview_id,
        feedback_content=feedback_content,
        performance_rating=performance_rating,
        created_at=given_at,
    )
    return {"feedback_id": feedback["feedback_id"], "interview_id": interview_id}


@tool(reads=["job_application", "interview_schedule", "interview_feedback"], rejects=["NOT_FOUND"])
def list_interview_feedback(db: Database, application_id: Annotated[str, "application concerned"]) -> FeedbackList:
    """List the feedback on an application's interviews.

    Sorted by created_at, oldest first; average_rating counts only feedback with a rating.
    """
    db.require("job_application", application_id)
    feedback = db.select(
        """
        SELECT f.feedback_id, f.interview_id, i.interview_type, f.feedback_content, f.performance_rating, f.created_at
        FROM interview_feedback AS f JOIN interview_schedule AS i ON i.interview_id = f.interview_id
        WHERE i.application_id = ?
        ORDER BY f.created_at, f.feedback_id
        """,
        application_id,
    )
    ratings = [entry["performance_rating"] for entry in feedback if entry["performance_rating"] is not None]
    return {"feedback": feedback, "average_rating": round(sum(ratings) / len(ratings), 2) if ratings else 0}


@tool(
    reads=["job_application", "interview_schedule"],
    writes=["interview_feedback"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def revise_interview_feedback(
    db: Database,
    feedback_id: Annotated[str, "feedback to correct"],
    feedback_content: Annotated[str | None, "new text", Field(min_length=1)] = None,
    performance_rating: Annotated[int | None, "new rating", Field(ge=1, le=5)] = None,
) -> Feedback:
    """Correct recorded feedback.

    Requires: At least one field to change is given. The application is not archived.

    Only the given fields change.
    """
    given = {"feedback_content": feedback_content, "performance_rating": performance_rating}
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Give at least one of feedback_content and performance_rating.")
    feedback = db.require("interview_feedback", feedback_id)
    interview = db.require("interview_schedule", feedback["interview_id"])
    application = db.require("job_application", interview["application_id"])
    if application["status"] == "archived":
        raise Rejection.failed_precondition(f"Application {application['application_id']!r} is archived.")
    feedback = db.update("interview_feedback", feedback_id, **changes)
    return {
        "feedback_id": feedback_id,
        "interview_id": feedback["interview_id"],
        "interview_type": interview["interview_type"],
        "feedback_content": feedback["feedback_content"],
        "performance_rating": feedback["performance_rating"],
        "created_at": feedback["created_at"],
    }
