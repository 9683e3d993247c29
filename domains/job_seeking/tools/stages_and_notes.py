"""Stages and notes: stages reached and notes on applications."""

from typing import Annotated

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class StageAdded(TypedDict):
    stage_id: Annotated[str, "new stage"]
    application_id: Annotated[str, "its application"]


class Stage(TypedDict):
    stage_id: Annotated[str, "stage"]
    stage_name: Annotated[str, "such as phone_screening"]
    stage_date: Annotated[Timestamp, "when reached"]
    stage_notes: Annotated[str | None, "remarks"]


class StageHistory(TypedDict):
    stages: Annotated[list[Stage], "stages of the application"]


class NoteAdded(TypedDict):
    note_id: Annotated[str, "new note"]
    application_id: Annotated[str, "its application"]


class Note(TypedDict):
    note_id: Annotated[str, "note"]
    application_id: Annotated[str, "its application"]
    note_content: Annotated[str, "what it says"]
    note_type: Annotated[str | None, "such as follow_up, reminder"]
    created_at: Annotated[Timestamp, "when written"]


class NoteList(TypedDict):
    notes: Annotated[list[Note], "notes of the application"]


@tool(writes=["job_application", "application_stage"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def add_application_stage(
    db: Database,
    application_id: Annotated[str, "application meant"],
    stage_name: Annotated[str, "such as phone_screening, final_interview", Field(min_length=1)],
    stage_date: Annotated[Timestamp | None, "when reached; clock if left out"] = None,
    stage_notes: Annotated[str | None, "remarks", Field(min_length=1)] = None,
) -> StageAdded:
    """Record that an application reached a stage.

    An application in status submitted becomes under_review; otherwise its row stays untouched.
    """
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(
            f"Application {application_id!r} is {application['status']}, not submitted or under_review."
        )
    reached_at = stage_date or db.now
    if reached_at < application["application_date"]:
        raise Rejection.failed_precondition(
            f"stage_date {reached_at} is before the application_date {application['application_date']}."
        )
    twin = db.value(
        "SELECT stage_id FROM application_stage WHERE application_id = ? AND stage_name = ?", application_id, stage_name
    )
    if twin is not None:
        raise Rejection.already_exists(f"Application {application_id!r} has reached {stage_name!r} already.")
    stage = db.insert(
        "application_stage",
        stage_id=db.new_id("application_stage"),
        application_id=application_id,
        stage_name=stage_name,
        stage_date=reached_at,
        stage_notes=stage_notes,
    )
    if application["status"] == "submitted":
        db.update("job_application", application_id, status="under_review", updated_at=db.now)
    return {"stage_id": stage["stage_id"], "application_id": application_id}


@tool(reads=["job_application", "application_stage"], rejects=["NOT_FOUND"])
def get_application_stage_history(db: Database, application_id: Annotated[str, "application meant"]) -> StageHistory:
    """Show how far an application got.

    Order: earliest stage_date first.
    """
    db.require("job_application", application_id)
    stages = db.select(
        """SELECT stage_id, stage_name, stage_date, stage_notes FROM application_stage
        WHERE application_id = ?
        ORDER BY stage_date, stage_id""",
        application_id,
    )
    return {"stages": stages}


@tool(reads=["job_application"], writes=["application_note"], rejects=["NOT_FOUND"])
def add_application_note(
    db: Database,
    application_id: Annotated[str, "application meant"],
    note_content: Annotated[str, "what it says", Field(min_length=1)],
    note_type: Annotated[str | None, "such as follow_up, reminder, general", Field(min_length=1)] = None,
    created_at: Annotated[Timestamp | None, "the clock if left out"] = None,
) -> NoteAdded:
    """Write a note on an application."""
    db.require("job_application", application_id)
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
def list_application_notes(
    db: Database,
    application_id: Annotated[str, "application meant"],
    note_type: Annotated[str | None, "exactly this type"] = None,
) -> NoteList:
    """List the notes of an application.

    Order: latest created_at first.
    """
    db.require("job_application", application_id)
    notes = db.select(
        """SELECT note_id, application_id, note_content, note_type, created_at FROM application_note
        WHERE application_id = ?
          AND (coalesce(?, '') = '' OR note_type = ?)
        ORDER BY created_at DESC, note_id""",
        application_id,
        note_type,
        note_type,
    )
    return {"notes": notes}


@tool(writes=["application_note"], rejects=["NOT_FOUND"])
def remove_application_note(db: Database, note_id: Annotated[str, "note to remove"]) -> Note:
    """Remove a note."""
    db.require("application_note", note_id)
    return db.delete("application_note", note_id)
