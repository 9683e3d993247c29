"""Stages and notes: what applications went through and what was written on them."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool

StageName = Literal[
    "phone_screening", "technical_interview", "behavioral_interview", "system_design", "final_interview", "offer"
]


NoteType = Literal["follow_up", "reminder", "general"]


class Stage(TypedDict):
    stage_id: Annotated[str, "stage"]
    stage_name: Annotated[StageName, "stage reached"]
    stage_date: Annotated[Timestamp, "when"]
    stage_notes: Annotated[str | None, "remarks"]


class StageHistory(TypedDict):
    stages: Annotated[list[Stage], "the earliest first"]


class StageDetails(TypedDict):
    stage_id: Annotated[str, "stage"]
    application_id: Annotated[str, "application"]
    stage_name: Annotated[StageName, "stage reached"]
    stage_date: Annotated[Timestamp, "when"]
    stage_notes: Annotated[str | None, "remarks"]
    application_status: Annotated[
        Literal["draft", "submitted", "under_review", "rejected", "accepted", "withdrawn", "archived"],
        "state of the application",
    ]


class NoteReceipt(TypedDict):
    note_id: Annotated[str, "note"]
    application_id: Annotated[str, "application"]


class Note(TypedDict):
    note_id: Annotated[str, "note"]
    application_id: Annotated[str, "application"]
    note_content: Annotated[str, "text"]
    note_type: Annotated[NoteType | None, "kind of note"]
    created_at: Annotated[Timestamp, "when written"]


class NoteList(TypedDict):
    notes: Annotated[list[Note], "the newest first"]


@tool(reads=["job_application", "application_stage"], rejects=["NOT_FOUND"])
def get_application_stage_history(db: Database, application_id: Annotated[str, "application"]) -> StageHistory:
    """Show the stages that an application went through.

    Order: stage_date, the earliest first.
    """
    db.require("job_application", application_id)
    return {
        "stages": db.select(
            """
            SELECT stage_id, stage_name, stage_date, stage_notes
            FROM application_stage
            WHERE application_id = ?
            ORDER BY stage_date, stage_id
            """,
            application_id,
        )
    }


@tool(
    writes=["job_application", "application_stage"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_application_stage(
    db: Database,
    application_id: Annotated[str, "application"],
    stage_name: Annotated[StageName, "stage reached"],
    stage_date: Annotated[Timestamp, "when"],
    stage_notes: Annotated[str | None, "remarks", Field(min_length=1)] = None,
) -> StageDetails:
    """Record that an application reached a stage.

    A submitted application becomes under_review; one under review is not touched.
    """
    if stage_date > db.now:
        raise Rejection.invalid_argument(f"Stage date {stage_date} is after now, {db.now}.")
    application = db.require("job_application", application_id)
    if application["status"] not in ("submitted", "under_review"):
        raise Rejection.failed_precondition(f"Application {application_id!r} is {application['status']}, not open.")
    if stage_date < application["application_date"]:
        raise Rejection.failed_precondition(
            f"Stage date {stage_date} is before the application date {application['application_date']}."
        )
    if db.first(
        "SELECT 1 FROM application_stage WHERE application_id = ? AND stage_name = ?", application_id, stage_name
    ):
        raise Rejection.already_exists(f"Application {application_id!r} has the stage {stage_name} already.")
    stage = db.insert(
        "application_stage",
        stage_id=db.new_id("application_stage"),
        application_id=application_id,
        stage_name=stage_name,
        stage_date=stage_date,
        stage_notes=stage_notes,
    )
    if application["status"] == "submitted":
        db.update("job_application", application_id, status="under_review", updated_at=db.now)
    return {**stage, "application_status": "under_review"}


@tool(reads=["job_application"], writes=["application_stage"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def remove_application_stage(db: Database, stage_id: Annotated[str, "stage"]) -> StageDetails:
    """Remove the latest stage of an application.

    The stage is deleted; the application is not touched.
    """
    stage = db.require("application_stage", stage_id)
    later = db.value(
        """
        SELECT stage_id
        FROM application_stage
        WHERE application_id = ? AND (stage_date > ? OR (stage_date = ? AND stage_id > ?))
        ORDER BY stage_id
        """,
        stage["application_id"],
        stage["stage_date"],
        stage["stage_date"],
        stage_id,
    )
    if later is not None:
        raise Rejection.failed_precondition(f"Stage {stage_id!r} is not the latest: stage {later!r} came after it.")
    db.delete("application_stage", stage_id)
    application = db.get("job_application", stage["application_id"])
    return {**stage, "application_status": application["status"]}


@tool(reads=["job_application"], writes=["application_note"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def add_application_note(
    db: Database,
    application_id: Annotated[str, "application"],
    note_content: Annotated[str, "text", Field(min_length=1)],
    note_type: Annotated[NoteType | None, "kind of note"] = None,
    created_at: Annotated[Timestamp | None, "when written; the clock if left out"] = None,
) -> NoteReceipt:
    """Write a note on an application."""
    if created_at is not None and created_at > db.now:
        raise Rejection.invalid_argument(f"created_at {created_at} is after now, {db.now}.")
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
    application_id: Annotated[str, "application"],
    note_type: Annotated[NoteType | None, "only of this kind"] = None,
) -> NoteList:
    """List the notes on an application.

    Order: created_at, the newest first.
    """
    db.require("job_application", application_id)
    return {
        "notes": db.select(
            """
            SELECT *
            FROM application_note
            WHERE application_id = ? AND (? IS NULL OR note_type = ?)
            ORDER BY created_at DESC, note_id
            """,
            application_id,
            note_type,
            note_type,
        )
    }


@tool(writes=["application_note"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def edit_application_note(
    db: Database,
    note_id: Annotated[str, "note"],
    note_content: Annotated[str | None, "new text", Field(min_length=1)] = None,
    note_type: Annotated[NoteType | None, "new kind"] = None,
) -> Note:
    """Rewrite a note.

    Only the given fields change.
    """
    if note_content is None and note_type is None:
        raise Rejection.invalid_argument("Neither note_content nor note_type is given; give one or both.")
    note = db.require("application_note", note_id)
    return db.update(
        "application_note",
        note_id,
        note_content=note["note_content"] if note_content is None else note_content,
        note_type=note["note_type"] if note_type is None else note_type,
    )


@tool(writes=["application_note"], rejects=["NOT_FOUND"])
def delete_application_note(db: Database, note_id: Annotated[str, "note"]) -> Note:
    """Delete a note.

    The note is deleted.
    """
    db.require("application_note", note_id)
    return db.delete("application_note", note_id)
