"""Progress: stages, status changes in bulk, and the archive."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Stage(TypedDict):
    stage_id: Annotated[str, "the stage"]
    stage_name: Annotated[str, "such as phone_screening"]
    stage_date: Annotated[Timestamp, "when reached or planned"]
    stage_notes: Annotated[str | None, "remarks"]


class StageHistory(TypedDict):
    stages: Annotated[list[Stage], "earliest first"]


class StageReceipt(TypedDict):
    stage_id: Annotated[str, "the stage"]
    application_id: Annotated[str, "application concerned"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "application state",
    ]


class FailedUpdate(TypedDict):
    application_id: Annotated[str, "id as given"]
    reason: Annotated[Literal["not_found", "draft", "archived", "unchanged"], "why not updated"]


class BatchUpdateResult(TypedDict):
    updated_count: Annotated[int, "applications changed"]
    failed_updates: Annotated[list[FailedUpdate], "ids left unchanged"]


class ArchiveResult(TypedDict):
    archived_count: Annotated[int, "applications changed"]
    archived_application_ids: Annotated[list[str], "their ids"]


class ApplicationState(TypedDict):
    application_id: Annotated[str, "application concerned"]
    status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state after the call",
    ]
    previous_status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"] | None,
        "state before",
    ]
    job_title: Annotated[str, "job sought"]
    company_name: Annotated[str, "employer"]


def _require_open(db, application_id):
    """Return an application that is open."""
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(f"Application {application_id!r} is {application['status']}, not open.")
    return application


@tool(reads=["job_application", "application_stage"], rejects=["NOT_FOUND"])
def get_application_stage_history(
    db: Database, application_id: Annotated[str, "application concerned"]
) -> StageHistory:
    """List the stages an application went through.

    Sorted by stage_date, earliest first.
    """
    db.require("job_application", application_id)
    stages = db.select(
        """
        SELECT stage_id, stage_name, stage_date, stage_notes FROM application_stage
        WHERE application_id = ?
        ORDER BY stage_date, stage_id
        """,
        application_id,
    )
    return {"stages": stages}


@tool(writes=["job_application", "application_stage"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def add_application_stage(
    db: Database,
    application_id: Annotated[str, "application concerned"],
    stage_name: Annotated[str, "such as phone_screening, final_interview", Field(min_length=1)],
    stage_date: Annotated[Timestamp, "when reached or planned"],
    stage_notes: Annotated[str | None, "remarks", Field(min_length=1)] = None,
) -> StageReceipt:
    """Record a stage of an open application.

    Requires: The application is open. stage_date is not before application_date. The application has no stage of this
    name.

    A submitted application becomes under_review; one under review is not touched.
    """
    application = _require_open(db, application_id)
    if stage_date < application["application_date"]:
        raise Rejection.failed_precondition(
            f"Stage date {stage_date!r} is before the application date, {application['application_date']}."
        )
    if db.first(
        "SELECT 1 FROM application_stage WHERE application_id = ? AND stage_name = ?", application_id, stage_name
    ):
        raise Rejection.already_exists(f"Application {application_id!r} has a stage {stage_name!r}.")
    stage = db.insert(
        "application_stage",
        stage_id=db.new_id("application_stage"),
        application_id=application_id,
        stage_name=stage_name,
        stage_date=stage_date,
        stage_notes=stage_notes,
    )
    if application["status"] == "submitted":
        db.update(
            "job_application",
            application_id,
            status="under_review",
            previous_status="submitted",
            updated_at=db.now,
        )
    return {"stage_id": stage["stage_id"], "application_id": application_id, "status": "under_review"}


@tool(reads=["job_application"], writes=["application_stage"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def remove_application_stage(db: Database, stage_id: Annotated[str, "stage to remove"]) -> StageReceipt:
    """Remove the latest stage of an application, recorded by mistake.

    Requires: The application is open. No stage of the application has a later stage_date.

    The stage is deleted; the application does not change.
    """
    stage = db.require("application_stage", stage_id)
    application = _require_open(db, stage["application_id"])
    later = db.value(
        "SELECT stage_name FROM application_stage WHERE application_id = ? AND stage_date > ?",
        stage["application_id"],
        stage["stage_date"],
    )
    if later is not None:
        raise Rejection.failed_precondition(f"Stage {stage_id!r} is not the latest; {later!r} is later.")
    db.delete("application_stage", stage_id)
    return {"stage_id": stage_id, "application_id": stage["application_id"], "status": application["status"]}


@tool(writes=["job_application"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def batch_update_application_status(
    db: Database,
    application_ids: Annotated[list[str], "applications to change", Field(min_length=1, max_length=20)],
    new_status: Annotated[
        Literal["submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"], "status to set"
    ],
    updated_at: Annotated[Timestamp | None, "moment of change, now if left out"] = None,
) -> BatchUpdateResult:
    """Set several filed applications to one status.

    Requires: updated_at is not after now.

    If at least one exists, a bad id does not refuse the call; it goes to failed_updates with the first reason that
    holds: not_found (no such application), draft, archived (its status now), unchanged (has new_status). The others get
    new_status, and updated_at as given or now; nothing else changes. failed_updates follows the order given.
    """
    if len(set(application_ids)) < len(application_ids):
        raise Rejection.invalid_argument("application_ids names an application twice; name each once.")
    changed_at = db.now if updated_at is None else updated_at
    if changed_at > db.now:
        raise Rejection.invalid_argument(f"updated_at {changed_at!r} is after now, {db.now}.")
    applications = [db.get("job_application", application_id) for application_id in application_ids]
    if not any([application is not None for application in applications]):
        raise Rejection.not_found("None of the applications exists.")
    failed = []
    for application_id, application in zip(application_ids, applications):
        if application is None:
            failed.append({"application_id": application_id, "reason": "not_found"})
        elif application["status"] in ("draft", "archived"):
            failed.append({"application_id": application_id, "reason": application["status"]})
        elif application["status"] == new_status:
            failed.append({"application_id": application_id, "reason": "unchanged"})
        else:
            db.update(
                "job_application",
                application_id,
                status=new_status,
                previous_status=application["status"],
                updated_at=changed_at,
            )
    return {"updated_count": len(application_ids) - len(failed), "failed_updates": failed}


@tool(reads=["interview_schedule"], writes=["job_application"], rejects=["INVALID_ARGUMENT"])
def archive_old_applications(
    db: Database,
    cutoff_date: Annotated[Date, "first day to keep"],
    archive_status: Annotated[Literal["archived", "withdrawn", "rejected"], "status to set"] = "archived",
) -> ArchiveResult:
    """Archive all filed applications older than a date.

    Requires: cutoff_date is not after today.

    Every application with application_date before 00:00:00 of cutoff_date gets archive_status, unless it is draft,
    archived, already in archive_status, or has an upcoming interview. Only the status changes; the ids are in ascending
    order.
    """
    if cutoff_date > db.today:
        raise Rejection.invalid_argument(f"Cutoff date {cutoff_date!r} is after today, {db.today}.")
    applications = db.select(
        """
        SELECT application_id, status FROM job_application
        WHERE application_date < ? AND status NOT IN ('draft', 'archived', ?)
            AND NOT EXISTS (
                SELECT 1 FROM interview_schedule
                WHERE interview_schedule.application_id = job_application.application_id
                    AND interview_schedule.status = 'scheduled' AND interview_date > ?
            )
        ORDER BY application_id
        """,
        f"{cutoff_date} 00:00:00",
        archive_status,
        db.now,
    )
    for application in applications:
        db.update(
            "job_application",
            application["application_id"],
            status=archive_status,
            previous_status=application["status"],
            updated_at=db.now,
        )
    return {
        "archived_count": len(applications),
        "archived_application_ids": [application["application_id"] for application in applications],
    }


@tool(writes=["job_application"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def restore_application(db: Database, application_id: Annotated[str, "application concerned"]) -> ApplicationState:
    """Take an application out of the archive.

    Requires: The application is archived. Its previous_status is known.

    status becomes the previous_status; previous_status becomes archived.
    """
    application = db.require("job_application", application_id)
    if application["status"] != "archived":
        raise Rejection.failed_precondition(f"Application {application_id!r} is {application['status']}, not archived.")
    if application["previous_status"] is None:
        raise Rejection.failed_precondition(
            f"The status of application {application_id!r} before the archive is not known."
        )
    restored = db.update(
        "job_application",
        application_id,
        status=application["previous_status"],
        previous_status="archived",
        updated_at=db.now,
    )
    return {
        "application_id": application_id,
        "status": restored["status"],
        "previous_status": restored["previous_status"],
        "job_title": restored["job_title"],
        "company_name": restored["company_name"],
    }
