"""Progress: documents, filing and every change of an application's status."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool

Status = Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"]


class ResumeReceipt(TypedDict):
    application_id: Annotated[str, "application"]
    resume_uploaded_at: Annotated[Timestamp, "when uploaded"]


class CoverLetterReceipt(TypedDict):
    application_id: Annotated[str, "application"]
    cover_letter_uploaded_at: Annotated[Timestamp, "when uploaded"]


class ApplicationState(TypedDict):
    application_id: Annotated[str, "application"]
    status: Annotated[Status, "state of the application"]
    application_date: Annotated[Timestamp, "when filed"]


class Withdrawal(TypedDict):
    application_id: Annotated[str, "application"]
    status: Annotated[Status, "state of the application"]
    removed_interviews: Annotated[int, "interviews removed"]


class BatchResult(TypedDict):
    updated_count: Annotated[int, "applications changed"]
    failed_updates: Annotated[list[str], "ids of those not changed"]


class ArchiveResult(TypedDict):
    archived_count: Annotated[int, "applications changed"]
    archived_application_ids: Annotated[list[str], "their ids"]


def _require_status(db, application_id, *allowed):
    """The application, which has one of the statuses allowed."""
    row = db.require("job_application", application_id)
    if row["status"] not in allowed:
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {row['status']}, not {' or '.join(allowed)}."
        )
    return row


def _set_status(db, application_id, status):
    row = db.update("job_application", application_id, status=status, updated_at=db.now)
    return {"application_id": application_id, "status": status, "application_date": row["application_date"]}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def upload_resume(
    db: Database,
    application_id: Annotated[str, "application"],
    resume_content: Annotated[str, "text of the resume", Field(min_length=1)],
    resume_format: Annotated[Literal["pdf", "docx", "txt"], "format"],
) -> ResumeReceipt:
    """Store or replace the resume of an application.

    Content and format are stored; resume_uploaded_at is the clock.
    """
    _require_status(db, application_id, "draft", "submitted", "under_review")
    db.update(
        "job_application",
        application_id,
        resume_content=resume_content,
        resume_format=resume_format,
        resume_uploaded_at=db.now,
        updated_at=db.now,
    )
    return {"application_id": application_id, "resume_uploaded_at": db.now}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def upload_cover_letter(
    db: Database,
    application_id: Annotated[str, "application"],
    cover_letter_content: Annotated[str, "text of the letter", Field(min_length=1)],
) -> CoverLetterReceipt:
    """Store or replace the cover letter of a draft.

    The content is stored; cover_letter_uploaded_at is the clock.
    """
    _require_status(db, application_id, "draft")
    db.update(
        "job_application",
        application_id,
        cover_letter_content=cover_letter_content,
        cover_letter_uploaded_at=db.now,
        updated_at=db.now,
    )
    return {"application_id": application_id, "cover_letter_uploaded_at": db.now}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def submit_application(db: Database, application_id: Annotated[str, "application"]) -> ApplicationState:
    """File a draft with the employer.

    status becomes submitted; application_date becomes the clock.
    """
    row = _require_status(db, application_id, "draft")
    if row["resume_content"] is None:
        raise Rejection.failed_precondition(f"Application {application_id!r} has no resume; upload one first.")
    db.update("job_application", application_id, status="submitted", application_date=db.now, updated_at=db.now)
    return {"application_id": application_id, "status": "submitted", "application_date": db.now}


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def mark_application_under_review(db: Database, application_id: Annotated[str, "application"]) -> ApplicationState:
    """Record that the employer reviews an application.

    status becomes under_review.
    """
    _require_status(db, application_id, "submitted")
    return _set_status(db, application_id, "under_review")


@tool(reads=["interview_schedule"], writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def mark_application_accepted(db: Database, application_id: Annotated[str, "application"]) -> ApplicationState:
    """Record that the employer accepted the applicant.

    status becomes accepted.
    """
    _require_status(db, application_id, "under_review")
    held = db.first(
        "SELECT 1 FROM interview_schedule WHERE application_id = ? AND interview_date <= ?", application_id, db.now
    )
    if held is None:
        raise Rejection.failed_precondition(f"No interview of application {application_id!r} took place yet.")
    return _set_status(db, application_id, "accepted")


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def mark_application_rejected(db: Database, application_id: Annotated[str, "application"]) -> ApplicationState:
    """Record that the employer rejected the application.

    status becomes rejected.
    """
    _require_status(db, application_id, "submitted", "under_review")
    return _set_status(db, application_id, "rejected")


@tool(
    writes=["job_application", "application_note", "interview_schedule"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"]
)
def withdraw_application(
    db: Database,
    application_id: Annotated[str, "application"],
    reason: Annotated[str | None, "kept as a note", Field(min_length=1)] = None,
) -> Withdrawal:
    """Withdraw an open application and drop its interviews ahead.

    status becomes withdrawn; its interviews that lie ahead are deleted and counted. A given reason is added as a note
    of type general to the application, created at the clock.
    """
    _require_status(db, application_id, "submitted", "under_review")
    ahead = db.select(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND interview_date > ?",
        application_id,
        db.now,
    )
    for row in ahead:
        db.delete("interview_schedule", row["interview_id"])
    if reason is not None:
        db.insert(
            "application_note",
            note_id=db.new_id("application_note"),
            application_id=application_id,
            note_content=reason,
            note_type="general",
            created_at=db.now,
        )
    _set_status(db, application_id, "withdrawn")
    return {"application_id": application_id, "status": "withdrawn", "removed_interviews": len(ahead)}


@tool(reads=["application_stage"], writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def reopen_application(db: Database, application_id: Annotated[str, "application"]) -> ApplicationState:
    """Take up a closed application again.

    status becomes under_review if the application has a stage, otherwise submitted.
    """
    _require_status(db, application_id, "rejected", "withdrawn", "archived")
    stage = db.first("SELECT 1 FROM application_stage WHERE application_id = ?", application_id)
    return _set_status(db, application_id, "under_review" if stage else "submitted")


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def batch_update_application_status(
    db: Database,
    application_ids: Annotated[list[str], "applications", Field(min_length=1, max_length=20)],
    new_status: Annotated[
        Literal["submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "new status"
    ],
    updated_at: Annotated[Timestamp | None, "moment of the change; the clock if left out"] = None,
) -> BatchResult:
    """Set the status of several filed applications, as far as possible.

    Unlike elsewhere, single ids that are unknown or of drafts do not refuse the call: they go into failed_updates, in
    the order given. The others, also those with that status already, get status new_status and updated_at the given
    moment, and are counted.
    """
    if len(set(application_ids)) < len(application_ids):
        raise Rejection.invalid_argument(f"application_ids {application_ids!r} hold an id twice; name each once.")
    if updated_at is not None and updated_at > db.now:
        raise Rejection.invalid_argument(f"updated_at {updated_at} is after now, {db.now}.")
    rows = {key: db.get("job_application", key) for key in application_ids}
    if not any(rows.values()):
        raise Rejection.not_found(f"None of the applications {application_ids!r} exists.")
    failed = [key for key, row in rows.items() if row is None or row["status"] == "draft"]
    for key in application_ids:
        if key not in failed:
            db.update("job_application", key, status=new_status, updated_at=updated_at or db.now)
    return {"updated_count": len(rows) - len(failed), "failed_updates": failed}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT"])
def archive_old_applications(
    db: Database,
    cutoff_date: Annotated[Date, "first day that is kept"],
    archive_status: Annotated[Literal["rejected", "withdrawn", "archived"], "status they get"] = "archived",
) -> ArchiveResult:
    """Archive all filed applications from before a day, of all applicants.

    Applications whose application_date is before cutoff_date 00:00:00 and whose status is neither draft, archived nor
    archive_status get archive_status. Their ids stand in ascending order.
    """
    if cutoff_date > db.today:
        raise Rejection.invalid_argument(f"Cutoff date {cutoff_date} is after today, {db.today}.")
    rows = db.select(
        """
        SELECT application_id
        FROM job_application
        WHERE application_date < ? AND status NOT IN ('draft', 'archived', ?)
        ORDER BY application_id
        """,
        f"{cutoff_date} 00:00:00",
        archive_status,
    )
    for row in rows:
        _set_status(db, row["application_id"], archive_status)
    return {"archived_count": len(rows), "archived_application_ids": [row["application_id"] for row in rows]}
