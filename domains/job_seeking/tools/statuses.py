"""Statuses: withdrawing, archiving, restoring and changing statuses."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool

Status = Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"]


class ApplicationWithdrawal(TypedDict):
    application_id: Annotated[str, "application"]
    status: Annotated[Status, "its status"]
    cancelled_interview_ids: Annotated[list[str], "interviews removed, by id"]
    declined_offer_ids: Annotated[list[str], "offers declined, by id"]


class ApplicationState(TypedDict):
    application_id: Annotated[str, "application"]
    status: Annotated[Status, "its status"]
    application_date: Annotated[Timestamp, "when applied"]


class BatchUpdate(TypedDict):
    updated_count: Annotated[int, "applications changed"]
    failed_updates: Annotated[list[str], "ids of applications left unchanged"]


class ArchiveResult(TypedDict):
    archived_count: Annotated[int, "applications changed"]
    archived_application_ids: Annotated[list[str], "their ids, ascending"]


@tool(
    writes=[
        "job_application",
        "application_note",
        "interview_schedule",
        "interview_feedback",
        "preparation_task",
        "job_offer",
    ],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def withdraw_application(
    db: Database,
    application_id: Annotated[str, "application to withdraw"],
    reason: Annotated[str | None, "kept as a note", Field(min_length=1)] = None,
) -> ApplicationWithdrawal:
    """Withdraw an open application and call off what is ahead.

    status becomes withdrawn; its upcoming interviews are removed with their preparation tasks and feedback; its pending
    offers become declined. With a reason, a note is added: note_content the reason, note_type withdrawal.
    """
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not submitted or under_review."
        )
    interviews = db.select(
        "SELECT interview_id FROM interview_schedule WHERE application_id = ? AND interview_date > ? ORDER BY interview_id",
        application_id,
        db.now,
    )
    interview_ids = [row["interview_id"] for row in interviews]
    for interview_id in interview_ids:
        for row in db.select("SELECT feedback_id FROM interview_feedback WHERE interview_id = ?", interview_id):
            db.delete("interview_feedback", row["feedback_id"])
        for row in db.select("SELECT preparation_task_id FROM preparation_task WHERE interview_id = ?", interview_id):
            db.delete("preparation_task", row["preparation_task_id"])
        db.delete("interview_schedule", interview_id)
    offers = db.select(
        "SELECT job_offer_id FROM job_offer WHERE application_id = ? AND offer_status = 'pending' ORDER BY job_offer_id",
        application_id,
    )
    offer_ids = [row["job_offer_id"] for row in offers]
    for offer_id in offer_ids:
        db.update("job_offer", offer_id, offer_status="declined", updated_at=db.now)
    if reason is not None:
        db.insert(
            "application_note",
            note_id=db.new_id("application_note"),
            application_id=application_id,
            note_content=reason,
            note_type="withdrawal",
            created_at=db.now,
        )
    db.update("job_application", application_id, status="withdrawn", updated_at=db.now)
    return {
        "application_id": application_id,
        "status": "withdrawn",
        "cancelled_interview_ids": interview_ids,
        "declined_offer_ids": offer_ids,
    }


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def restore_application(
    db: Database,
    application_id: Annotated[str, "archived application"],
    restored_status: Annotated[
        Literal["submitted", "under_review", "rejected", "accepted", "withdrawn"], "status it gets"
    ],
) -> ApplicationState:
    """Take an archived application back out of the archive.

    status becomes restored_status.
    """
    application = db.require("job_application", application_id)
    if application["status"] != "archived":
        raise Rejection.failed_precondition(f"Application {application_id!r} is {application['status']}, not archived.")
    row = db.update("job_application", application_id, status=restored_status, updated_at=db.now)
    return {field: row[field] for field in ("application_id", "status", "application_date")}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def batch_update_application_status(
    db: Database,
    application_ids: Annotated[list[str], "applications to change", Field(min_length=1, max_length=20)],
    new_status: Annotated[
        Literal["submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "status they get"
    ],
    updated_at: Annotated[Timestamp | None, "the clock if left out"] = None,
) -> BatchUpdate:
    """Give several applications a new status at once.

    Applications that are draft or archived before the call stay unchanged and stand in failed_updates, in the order
    given. All others, also those already in new_status, get new_status and updated_at as given, and count in
    updated_count; interviews and offers stay.
    """
    if len(set(application_ids)) < len(application_ids):
        raise Rejection.invalid_argument("application_ids holds the same id twice; give each once.")
    applications = [db.require("job_application", application_id) for application_id in application_ids]
    updated_count = 0
    failed_updates = []
    for application in applications:
        if application["status"] in ("draft", "archived"):
            failed_updates.append(application["application_id"])
        else:
            db.update(
                "job_application", application["application_id"], status=new_status, updated_at=updated_at or db.now
            )
            updated_count += 1
    return {"updated_count": updated_count, "failed_updates": failed_updates}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT"])
def archive_old_applications(
    db: Database,
    cutoff_date: Annotated[Date, "first day not archived"],
    archive_status: Annotated[Literal["archived", "rejected", "withdrawn"], "status they get"] = "archived",
) -> ArchiveResult:
    """Archive all applications from before a day.

    Every application whose application_date is before cutoff_date 00:00:00 and whose status is neither archived nor
    archive_status gets archive_status; drafts included. All changed ids are returned, without limit.
    """
    if cutoff_date > db.today:
        raise Rejection.invalid_argument(f"cutoff_date {cutoff_date} is after today, {db.today}.")
    rows = db.select(
        """SELECT application_id FROM job_application
        WHERE substr(application_date, 1, 10) < ? AND status NOT IN ('archived', ?)
        ORDER BY application_id""",
        cutoff_date,
        archive_status,
    )
    archived_ids = [row["application_id"] for row in rows]
    for application_id in archived_ids:
        db.update("job_application", application_id, status=archive_status, updated_at=db.now)
    return {"archived_count": len(archived_ids), "archived_application_ids": archived_ids}
