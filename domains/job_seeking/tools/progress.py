"""Holds: the stages that applications reached, and notes on them."""

from datetime import datetime
from typing import Annotated

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class StageDetails(TypedDict):
    stage_id: Annotated[str, "the stage"]
    application_id: Annotated[str, "the application"]
    stage_name: Annotated[str, "name of the stage"]
    stage_date: Annotated[Timestamp, "when reached"]
    stage_notes: Annotated[str | None, "remarks"]


class StageEntry(TypedDict):
    stage_id: Annotated[str, "the stage"]
    stage_name: Annotated[str, "name of the stage"]
    stage_date: Annotated[Timestamp, "when reached"]
    stage_notes: Annotated[str | None, "remarks"]


class StageHistory(TypedDict):
    stages: Annotated[list[StageEntry], "stages reached"]


class StageWaitingEntry(TypedDict):
    application_id: Annotated[str, "the application"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    stage_id: Annotated[str, "the stage"]
    stage_date: Annotated[Timestamp, "when reached"]
    days_at_stage: Annotated[int, "whole days so far"]


class StageWaitingList(TypedDict):
    applications: Annotated[list[StageWaitingEntry], "applications at the stage"]
    total: Annotated[int, "all matches"]


class NoteAdded(TypedDict):
    note_id: Annotated[str, "the note"]
    application_id: Annotated[str, "the application"]


class NoteDetails(TypedDict):
    note_id: Annotated[str, "the note"]
    application_id: Annotated[str, "the application"]
    note_content: Annotated[str, "text of the note"]
    note_type: Annotated[str | None, "kind of note"]
    created_at: Annotated[Timestamp, "when written"]


class NoteHistory(TypedDict):
    notes: Annotated[list[NoteDetails], "notes on the application"]


class NoteMatch(TypedDict):
    note_id: Annotated[str, "the note"]
    application_id: Annotated[str, "the application"]
    job_title: Annotated[str, "title of the job"]
    company_name: Annotated[str, "the employer"]
    note_content: Annotated[str, "text of the note"]
    note_type: Annotated[str | None, "kind of note"]
    created_at: Annotated[Timestamp, "when written"]


class NoteList(TypedDict):
    notes: Annotated[list[NoteMatch], "notes found"]
    total: Annotated[int, "all matches"]


def _current_stage(db, application_id):
    """The stage that the application is at, or None."""
    return db.first(
        """SELECT stage_id, stage_date FROM application_stage WHERE application_id = ?
           ORDER BY stage_date DESC, stage_id DESC LIMIT 1""",
        application_id,
    )


def _require_under_review(application):
    """Stages change only while the employer looks at the application."""
    if application["status"] != "under_review":
        raise Rejection.failed_precondition(
            f"Application {application['application_id']!r} is {application['status']}, not under_review."
        )


def _refuse_archived(application):
    """Notes on an archived application stay as they are."""
    if application["status"] == "archived":
        raise Rejection.failed_precondition(f"Application {application['application_id']!r} is archived.")


def _stage_details(stage):
    """All columns of a stage."""
    return {
        "stage_id": stage["stage_id"],
        "application_id": stage["application_id"],
        "stage_name": stage["stage_name"],
        "stage_date": stage["stage_date"],
        "stage_notes": stage["stage_notes"],
    }


@tool(
    reads=["job_application"],
    writes=["application_stage"],
    rejects=["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"],
)
def add_application_stage(
    db: Database,
    application_id: Annotated[str, "the application"],
    stage_name: Annotated[str, "such as technical_interview", Field(min_length=1)],
    stage_date: Annotated[Timestamp | None, "when reached, the clock if left out"] = None,
    stage_notes: Annotated[str | None, "remarks", Field(min_length=1)] = None,
) -> StageDetails:
    """Record the next stage that an application reached."""
    application = db.require("job_application", application_id)
    twin = db.value(
        "SELECT stage_id FROM application_stage WHERE application_id = ? AND stage_name = ?", application_id, stage_name
    )
    if twin is not None:
        raise Rejection.already_exists(f"Application {application_id!r} has {stage_name!r} already, as {twin!r}.")
    _require_under_review(application)
    reached = stage_date or db.now
    if reached > db.now:
        raise Rejection.failed_precondition(f"stage_date {reached} is after the present, {db.now}.")
    current = _current_stage(db, application_id)
    if current is not None and reached < current["stage_date"]:
        raise Rejection.failed_precondition(
            f"stage_date {reached} is before {current['stage_date']} of the current stage."
        )
    stage = db.insert(
        "application_stage",
        stage_id=db.new_id("application_stage"),
        application_id=application_id,
        stage_name=stage_name,
        stage_date=reached,
        stage_notes=stage_notes,
    )
    return _stage_details(stage)


@tool(reads=["job_application", "application_stage"], rejects=["NOT_FOUND"])
def get_application_stage_history(db: Database, application_id: Annotated[str, "the application"]) -> StageHistory:
    """List the stages of an application."""
    db.require("job_application", application_id)
    stages = db.select(
        """SELECT stage_id, stage_name, stage_date, stage_notes FROM application_stage
           WHERE application_id = ? ORDER BY stage_date, stage_id""",
        application_id,
    )
    return {"stages": stages}


@tool(reads=["job_application"], writes=["application_stage"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def delete_application_stage(db: Database, stage_id: Annotated[str, "the stage"]) -> StageDetails:
    """Remove the current stage of an application when it was recorded wrongly."""
    stage = db.require("application_stage", stage_id)
    _require_under_review(db.get("job_application", stage["application_id"]))
    current = _current_stage(db, stage["application_id"])
    if current["stage_id"] != stage_id:
        raise Rejection.failed_precondition(
            f"Stage {stage_id!r} is not the current one, which is {current['stage_id']!r}."
        )
    return _stage_details(db.delete("application_stage", stage_id))


@tool(reads=["job_application", "application_stage"])
def list_applications_at_stage(
    db: Database,
    stage_name: Annotated[str, "exact name of the stage"],
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> StageWaitingList:
    """List running applications by the stage they are at."""
    rows = db.select(
        """SELECT application_id, job_title, company_name, stage_id, stage_date
           FROM job_application JOIN application_stage USING (application_id)
           WHERE status = 'under_review' AND stage_name = ?
             AND NOT EXISTS (SELECT 1 FROM application_stage later
                             WHERE later.application_id = job_application.application_id
                               AND (later.stage_date, later.stage_id)
                                   > (application_stage.stage_date, application_stage.stage_id))
           ORDER BY stage_date, application_id""",
        stage_name,
    )
    now = datetime.fromisoformat(db.now)
    applications = [
        {**row, "days_at_stage": (now - datetime.fromisoformat(row["stage_date"])).days} for row in rows[:limit]
    ]
    return {"applications": applications, "total": len(rows)}


@tool(reads=["job_application"], writes=["application_note"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_application_note(
    db: Database,
    application_id: Annotated[str, "the application"],
    note_content: Annotated[str, "text of the note", Field(min_length=1)],
    note_type: Annotated[str | None, "such as follow_up, reminder, general", Field(min_length=1)] = None,
    created_at: Annotated[Timestamp | None, "time of the note"] = None,
) -> NoteAdded:
    """Write a note on an application."""
    _refuse_archived(db.require("job_application", application_id))
    note = db.insert(
        "application_note",
        note_id=db.new_id("application_note"),
        application_id=application_id,
        note_content=note_content,
        note_type=note_type,
        created_at=created_at or db.now,
    )
    return {"note_id": note["note_id"], "application_id": application_id}


@tool(reads=["job_application", "application_note"], rejects=["NOT_FOUND"])
def get_application_notes(
    db: Database,
    application_id: Annotated[str, "the application"],
    note_type: Annotated[str | None, "only this type"] = None,
) -> NoteHistory:
    """List the notes on an application."""
    db.require("job_application", application_id)
    notes = db.select(
        """SELECT note_id, application_id, note_content, note_type, created_at FROM application_note
           WHERE application_id = ? AND coalesce(?, '') IN ('', note_type)
           ORDER BY created_at DESC, note_id""",
        application_id,
        note_type,
    )
    return {"notes": notes}


@tool(reads=["job_application", "application_note"])
def search_application_notes(
    db: Database,
    text: Annotated[str, "part of the note"],
    note_type: Annotated[str | None, "only this type"] = None,
    limit: Annotated[int, "most entries shown", Field(ge=1, le=50)] = 20,
) -> NoteList:
    """Find notes by their text over all applications."""
    notes = db.select(
        """SELECT note_id, application_id, job_title, company_name, note_content, note_type, application_note.created_at
           FROM application_note JOIN job_application USING (application_id)
           WHERE instr(lower(note_content), lower(?)) > 0 AND coalesce(?, '') IN ('', note_type)
           ORDER BY application_note.created_at DESC, note_id""",
        text,
        note_type,
    )
    return {"notes": notes[:limit], "total": len(notes)}


@tool(reads=["job_application"], writes=["application_note"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def delete_application_note(db: Database, note_id: Annotated[str, "the note"]) -> NoteDetails:
    """Remove a note."""
    note = db.require("application_note", note_id)
    _refuse_archived(db.get("job_application", note["application_id"]))
    db.delete("application_note", note_id)
    return {
        "note_id": note_id,
        "application_id": note["application_id"],
        "note_content": note["note_content"],
        "note_type": note["note_type"],
        "created_at": note["created_at"],
    }
