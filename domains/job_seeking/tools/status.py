"""Holds: filing, review, rejection, withdrawal, reopening and archiving of applications."""

from datetime import datetime
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class SubmittedApplication(TypedDict):
    application_id: Annotated[str, "the application"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    application_date: Annotated[Timestamp, "when applied"]


class ReviewStart(TypedDict):
    application_id: Annotated[str, "the application"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    stage_id: Annotated[str, "the stage"]
    stage_name: Annotated[str, "name of the stage"]
    stage_date: Annotated[Timestamp, "when reached"]


class ClosedApplication(TypedDict):
    application_id: Annotated[str, "the application"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    removed_interviews: Annotated[int, "upcoming interviews removed"]
    note_id: Annotated[str | None, "note added"]


class ApplicationState(TypedDict):
    application_id: Annotated[str, "the application"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]
    updated_at: Annotated[Timestamp, "last change"]


class BatchStatusUpdate(TypedDict):
    updated_count: Annotated[int, "applications changed"]
    failed_updates: Annotated[list[str], "ids of those not changed"]


class ArchivedApplications(TypedDict):
    archived_count: Annotated[int, "applications changed"]
    archived_application_ids: Annotated[list[str], "their ids"]


_MAY_COME_FROM = {
    "under_review": ("submitted",),
    "accepted": ("under_review",),
    "rejected": ("submitted", "under_review"),
    "withdrawn": ("submitted", "under_review"),
    "archived": ("submitted", "rejected", "accepted", "withdrawn"),
}


def _active_application(db, application_id):
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, neither submitted nor under_review."
        )
    return application


def _remove_upcoming_interviews(db, application_id):
    upcoming = db.select(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND interview_date > ? ORDER BY interview_id",
        application_id,
        db.now,
    )
    for interview in upcoming:
        db.delete("interview_schedule", interview["interview_id"])
    return len(upcoming)


def _add_note(db, application_id, note_type, note_content):
    note = db.insert(
        "application_note",
        note_id=db.new_id("application_note"),
        application_id=application_id,
        note_content=note_content,
        note_type=note_type,
        created_at=db.now,
    )
    return note["note_id"]


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def submit_application(db: Database, application_id: Annotated[str, "the application"]) -> SubmittedApplication:
    """File a draft with the employer."""
    application = db.require("job_application", application_id)
    if application["status"] != "draft":
        raise Rejection.failed_precondition(f"Application {application_id!r} is {application['status']}, not draft.")
    if application["resume_content"] is None:
        raise Rejection.failed_precondition(
            f"Application {application_id!r} has no resume_content; it needs one to be submitted."
        )
    db.update("job_application", application_id, status="submitted", application_date=db.now, updated_at=db.now)
    return {"application_id": application_id, "status": "submitted", "application_date": db.now}


@tool(writes=["job_application", "application_stage"], rejects=["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"])
def start_application_review(
    db: Database,
    application_id: Annotated[str, "the application"],
    stage_name: Annotated[str, "first stage, such as phone_screening", Field(min_length=1)],
    stage_notes: Annotated[str | None, "remarks on the stage", Field(min_length=1)] = None,
) -> ReviewStart:
    """Record that the employer took up an application, with the stage it starts at."""
    application = db.require("job_application", application_id)
    known = db.value(
        "SELECT stage_id FROM application_stage WHERE application_id = ? AND stage_name = ?", application_id, stage_name
    )
    if known is not None:
        raise Rejection.already_exists(
            f"Application {application_id!r} has the stage {stage_name!r} already, as {known!r}."
        )
    if application["status"] != "submitted":
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not submitted."
        )
    db.update("job_application", application_id, status="under_review", updated_at=db.now)
    stage = db.insert(
        "application_stage",
        stage_id=db.new_id("application_stage"),
        application_id=application_id,
        stage_name=stage_name,
        stage_date=db.now,
        stage_notes=stage_notes,
    )
    return {
        "application_id": application_id,
        "status": "under_review",
        "stage_id": stage["stage_id"],
        "stage_name": stage_name,
        "stage_date": stage["stage_date"],
    }


@tool(
    reads=["job_offer"],
    writes=["job_application", "application_note", "interview_schedule"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def record_rejection(
    db: Database,
    application_id: Annotated[str, "the application"],
    reason: Annotated[str | None, "the employer's reason", Field(min_length=1)] = None,
) -> ClosedApplication:
    """Record that the employer turned an application down."""
    _active_application(db, application_id)
    pending = db.value(
        "SELECT offer_id FROM job_offer WHERE application_id = ? AND offer_status = 'pending' ORDER BY offer_id",
        application_id,
    )
    if pending is not None:
        raise Rejection.failed_precondition(
            f"Application {application_id!r} has the pending offer {pending!r}, which must be answered first."
        )
    db.update("job_application", application_id, status="rejected", updated_at=db.now)
    removed = _remove_upcoming_interviews(db, application_id)
    note_id = None
    if reason is not None:
        note_id = _add_note(db, application_id, "rejection", f"Rejected: {reason}")
    return {"application_id": application_id, "status": "rejected", "removed_interviews": removed, "note_id": note_id}


@tool(
    writes=["job_application", "application_note", "interview_schedule", "job_offer"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def withdraw_application(
    db: Database,
    application_id: Annotated[str, "the application"],
    reason: Annotated[str, "the applicant's reason", Field(min_length=1)],
) -> ClosedApplication:
    """Withdraw a running application for the applicant."""
    _active_application(db, application_id)
    db.update("job_application", application_id, status="withdrawn", updated_at=db.now)
    pending = db.select(
        "SELECT offer_id FROM job_offer WHERE application_id = ? AND offer_status = 'pending' ORDER BY offer_id",
        application_id,
    )
    for offer in pending:
        db.update("job_offer", offer["offer_id"], offer_status="declined", updated_at=db.now)
    removed = _remove_upcoming_interviews(db, application_id)
    note_id = _add_note(db, application_id, "withdrawal", f"Withdrawn: {reason}")
    return {"application_id": application_id, "status": "withdrawn", "removed_interviews": removed, "note_id": note_id}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def reopen_application(db: Database, application_id: Annotated[str, "the application"]) -> ApplicationState:
    """Take up a rejected, withdrawn or archived application again."""
    application = db.require("job_application", application_id)
    if application["status"] not in ("rejected", "withdrawn", "archived"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not rejected, withdrawn or archived."
        )
    applied = application["application_date"]
    # Whole days between the two moments; days_between would count calendar days.
    age = (datetime.fromisoformat(db.now) - datetime.fromisoformat(applied)).days
    if age > 180:
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is of {applied}, {age} days ago; at most 180 are allowed."
        )
    twin = db.value(
        """
        SELECT application_id FROM job_application
        WHERE email = ? AND job_title = ? AND company_name = ?
          AND status IN ('draft', 'submitted', 'under_review') AND application_id <> ?
        ORDER BY application_id
        """,
        application["email"],
        application["job_title"],
        application["company_name"],
        application_id,
    )
    if twin is not None:
        raise Rejection.already_exists(f"Application {twin!r} for the same job is open already.")
    db.update("job_application", application_id, status="submitted", updated_at=db.now)
    return {"application_id": application_id, "status": "submitted", "updated_at": db.now}


@tool(writes=["job_application"], rejects=["NOT_FOUND"])
def batch_update_application_status(
    db: Database,
    application_ids: Annotated[list[str], "the applications", Field(min_length=1, max_length=20)],
    new_status: Annotated[
        Literal["under_review", "rejected", "accepted", "withdrawn", "archived"], "status to move to"
    ],
    updated_at: Annotated[Timestamp | None, "time of the change"] = None,
) -> BatchStatusUpdate:
    """Move several applications to one status."""
    if len(set(application_ids)) < len(application_ids):
        raise Rejection.invalid_argument(f"application_ids {application_ids} must not hold an id twice.")
    applications = [db.require("job_application", application_id) for application_id in application_ids]
    changed_at = db.now if updated_at is None else updated_at
    failed = []
    for application in applications:
        if application["status"] in _MAY_COME_FROM[new_status]:
            db.update("job_application", application["application_id"], status=new_status, updated_at=changed_at)
        else:
            failed.append(application["application_id"])
    return {"updated_count": len(applications) - len(failed), "failed_updates": failed}


@tool(writes=["job_application"], rejects=["FAILED_PRECONDITION"])
def archive_old_applications(
    db: Database,
    cutoff_date: Annotated[Date, "first day that is kept"],
    archive_status: Annotated[Literal["archived", "withdrawn"], "status to give"] = "archived",
) -> ArchivedApplications:
    """Archive what was applied for before a day."""
    if cutoff_date > db.today:
        raise Rejection.failed_precondition(f"cutoff_date {cutoff_date!r} must not be after {db.today!r}.")
    old = db.select(
        "SELECT application_id, status FROM job_application WHERE application_date < ? ORDER BY application_id",
        cutoff_date,
    )
    archived = [row["application_id"] for row in old if row["status"] in _MAY_COME_FROM[archive_status]]
    for application_id in archived:
        db.update("job_application", application_id, status=archive_status, updated_at=db.now)
    return {"archived_count": len(archived), "archived_application_ids": archived}
