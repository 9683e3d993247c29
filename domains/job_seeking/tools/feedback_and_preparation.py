"""Feedback and preparation: how interviews went and what to prepare for them."""

from typing import Annotated

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class FeedbackAdded(TypedDict):
    feedback_id: Annotated[str, "new feedback"]
    interview_id: Annotated[str, "its interview"]


class Feedback(TypedDict):
    feedback_id: Annotated[str, "feedback"]
    interview_id: Annotated[str, "its interview"]
    feedback_content: Annotated[str, "what it says"]
    performance_rating: Annotated[int | None, "1 to 5"]
    created_at: Annotated[Timestamp, "when written"]


class FeedbackList(TypedDict):
    feedback: Annotated[list[Feedback], "feedback found"]


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


class PreparationTask(TypedDict):
    preparation_task_id: Annotated[str, "task"]
    interview_id: Annotated[str, "its interview"]
    task_description: Annotated[str, "what to prepare"]
    completed_at: Annotated[Timestamp | None, "null while to be done"]


class PreparationTaskList(TypedDict):
    tasks: Annotated[list[PreparationTask], "preparation tasks"]


def _shown(task):
    return {field: value for field, value in task.items() if field != "created_at"}


@tool(reads=["interview_schedule"], writes=["interview_feedback"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_interview_feedback(
    db: Database,
    interview_id: Annotated[str, "interview meant"],
    feedback_content: Annotated[str, "what it says", Field(min_length=1)],
    performance_rating: Annotated[int | None, "5 is best", Field(ge=1, le=5)] = None,
    created_at: Annotated[Timestamp | None, "the clock if left out"] = None,
) -> FeedbackAdded:
    """Record how an interview went."""
    interview = db.require("interview_schedule", interview_id)
    if interview["interview_date"] > db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} is on {interview['interview_date']}; it has not taken place by {db.now}."
        )
    if created_at is not None and created_at < interview["interview_date"]:
        raise Rejection.failed_precondition(
            f"created_at {created_at} is before the interview on {interview['interview_date']}."
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


@tool(reads=["job_application", "interview_schedule", "interview_feedback"], rejects=["NOT_FOUND"])
def get_application_feedback(db: Database, application_id: Annotated[str, "application meant"]) -> FeedbackList:
    """Show the feedback on all interviews of an application.

    Order: earliest created_at first.
    """
    db.require("job_application", application_id)
    feedback = db.select(
        """SELECT f.feedback_id, f.interview_id, f.feedback_content, f.performance_rating, f.created_at
        FROM interview_feedback f JOIN interview_schedule i ON i.interview_id = f.interview_id
        WHERE i.application_id = ?
        ORDER BY f.created_at, f.feedback_id""",
        application_id,
    )
    return {"feedback": feedback}


@tool(
    reads=["job_application", "interview_schedule"],
    writes=["interview_feedback"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def correct_interview_feedback(
    db: Database,
    feedback_id: Annotated[str, "feedback to correct"],
    feedback_content: Annotated[str | None, "new text", Field(min_length=1)] = None,
    performance_rating: Annotated[int | None, "new rating, 5 is best", Field(ge=1, le=5)] = None,
) -> Feedback:
    """Correct the text or rating of feedback.

    Only the given fields change.
    """
    given = {"feedback_content": feedback_content, "performance_rating": performance_rating}
    changes = {column: value for column, value in given.items() if value is not None}
    if not changes:
        raise Rejection.invalid_argument("Nothing to correct; give feedback_content or performance_rating.")
    feedback = db.require("interview_feedback", feedback_id)
    interview = db.get("interview_schedule", feedback["interview_id"])
    application = db.get("job_application", interview["application_id"])
    if application["status"] == "archived":
        raise Rejection.failed_precondition(
            f"Application {application['application_id']!r} is archived; its feedback stays as it is."
        )
    return db.update("interview_feedback", feedback_id, **changes)


@tool(reads=["job_application", "interview_schedule", "interview_feedback"])
def list_interviews_without_feedback(
    db: Database, limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20
) -> InterviewList:
    """List interviews that took place but have no feedback.

    Whatever the application's status; order: latest interview_date first.
    """
    interviews = db.select(
        """SELECT i.interview_id, i.application_id, a.job_title, a.company_name, i.interview_type, i.interview_date
        FROM interview_schedule i JOIN job_application a ON a.application_id = i.application_id
        WHERE i.interview_date <= ?
          AND NOT EXISTS (SELECT 1 FROM interview_feedback f WHERE f.interview_id = i.interview_id)
        ORDER BY i.interview_date DESC, i.interview_id""",
        db.now,
    )
    return {"interviews": interviews[:limit], "total": len(interviews)}


@tool(
    reads=["interview_schedule"],
    writes=["preparation_task"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_preparation_task(
    db: Database,
    interview_id: Annotated[str, "interview meant"],
    task_description: Annotated[str, "what to prepare", Field(min_length=1)],
) -> PreparationTask:
    """Note something to prepare for an upcoming interview.

    completed_at is null.
    """
    interview = db.require("interview_schedule", interview_id)
    if interview["interview_date"] <= db.now:
        raise Rejection.failed_precondition(
            f"Interview {interview_id!r} was on {interview['interview_date']}; it must be later than {db.now}."
        )
    twin = db.value(
        "SELECT preparation_task_id FROM preparation_task WHERE interview_id = ? AND task_description = ?",
        interview_id,
        task_description,
    )
    if twin is not None:
        raise Rejection.already_exists(
            f"Task {twin!r} of interview {interview_id!r} says {task_description!r} already."
        )
    task = db.insert(
        "preparation_task",
        preparation_task_id=db.new_id("preparation_task"),
        interview_id=interview_id,
        task_description=task_description,
        created_at=db.now,
    )
    return _shown(task)


@tool(writes=["preparation_task"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def complete_preparation_tasks(
    db: Database, preparation_task_ids: Annotated[list[str], "tasks done", Field(min_length=1, max_length=20)]
) -> PreparationTaskList:
    """Mark preparation tasks as done.

    completed_at of each becomes the clock.
    """
    if len(set(preparation_task_ids)) < len(preparation_task_ids):
        raise Rejection.invalid_argument("preparation_task_ids holds the same id twice; give each once.")
    tasks = [db.require("preparation_task", task_id) for task_id in preparation_task_ids]
    for task in tasks:
        if task["completed_at"] is not None:
            raise Rejection.failed_precondition(
                f"Task {task['preparation_task_id']!r} was completed at {task['completed_at']}."
            )
    done = [db.update("preparation_task", task_id, completed_at=db.now) for task_id in preparation_task_ids]
    return {"tasks": [_shown(task) for task in done]}


@tool(reads=["interview_schedule", "preparation_task"], rejects=["NOT_FOUND"])
def list_preparation_tasks(
    db: Database,
    interview_id: Annotated[str, "interview meant"],
    only_open: Annotated[bool, "leave out completed ones"] = False,
) -> PreparationTaskList:
    """List the preparation tasks of an interview.

    Order: preparation_task_id.
    """
    db.require("interview_schedule", interview_id)
    tasks = db.select(
        """SELECT preparation_task_id, interview_id, task_description, completed_at FROM preparation_task
        WHERE interview_id = ?
          AND (NOT ? OR completed_at IS NULL)
        ORDER BY preparation_task_id""",
        interview_id,
        int(only_open),
    )
    return {"tasks": tasks}
