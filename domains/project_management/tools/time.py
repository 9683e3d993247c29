"""Time: logging, correcting, and submitting hours."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class TimeEntry(TypedDict):
    time_entry_id: Annotated[str, "the time entry"]
    member_id: Annotated[str, "member who worked"]
    task_id: Annotated[str, "task worked on"]
    task_title: Annotated[str, "title of the task"]
    project_name: Annotated[str, "name of the project"]
    worked_on: Annotated[Date, "day of the work"]
    minutes: Annotated[int, "minutes worked"]
    status: Annotated[Literal["draft", "submitted"], "draft or submitted"]
    note: Annotated[str | None, "what was done"]


class TimeList(TypedDict):
    entries: Annotated[list[TimeEntry], "time entries found"]
    total: Annotated[int, "all matches"]
    total_minutes: Annotated[int, "minutes of all matches"]


class TimeBatch(TypedDict):
    entries: Annotated[list[TimeEntry], "entries submitted"]
    total_minutes: Annotated[int, "minutes of these entries"]


def _entry(db, time_entry_id):
    """The record of a time entry, with the names of its task and project."""
    return db.first(
        """
        SELECT time_entry_id, time_entry.member_id, time_entry.task_id, title AS task_title,
               project.name AS project_name, worked_on, minutes, time_entry.status, note
        FROM time_entry JOIN task ON task.task_id = time_entry.task_id
             JOIN project ON project.project_id = task.project_id
        WHERE time_entry_id = ?
        """,
        time_entry_id,
    )


@tool(
    reads=["member", "project", "team_seat", "task"],
    writes=["time_entry"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def log_time(
    db: Database,
    member_id: Annotated[str, "member who worked"],
    task_id: Annotated[str, "task worked on"],
    worked_on: Annotated[Date, "day of the work"],
    minutes: Annotated[int, "minutes worked", Field(ge=15, le=720)],
    note: Annotated[str | None, "what was done, null for none", Field(min_length=1, max_length=300)] = None,
) -> TimeEntry:
    """Log time that a member worked on a task.

    Requires: worked_on is not after today. The task is in progress or done. The member works on the project.

    Adds a draft entry.
    """
    if worked_on > db.today:
        raise Rejection.invalid_argument(f"The day {worked_on} is after today, {db.today}.")
    db.require("member", member_id)
    task = db.require("task", task_id)
    if task["status"] not in ("in_progress", "done"):
        raise Rejection.failed_precondition(f"Task {task_id!r} is {task['status']}, not in progress or done.")
    project = db.require("project", task["project_id"])
    if project["member_id"] != member_id and db.get("team_seat", task["project_id"], member_id) is None:
        raise Rejection.failed_precondition(f"Member {member_id!r} does not work on the project of task {task_id!r}.")
    entry = db.insert(
        "time_entry",
        time_entry_id=db.new_id("time_entry"),
        member_id=member_id,
        task_id=task_id,
        worked_on=worked_on,
        minutes=minutes,
        status="draft",
        note=note,
    )
    return _entry(db, entry["time_entry_id"])


@tool(reads=["member", "project", "task", "time_entry"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_time_entries(
    db: Database,
    member_id: Annotated[str, "the member"],
    from_date: Annotated[Date, "first day"],
    to_date: Annotated[Date, "last day"],
    status: Annotated[Literal["draft", "submitted"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> TimeList:
    """List the time a member logged over some days.

    Requires: from_date is not after to_date.

    Entries of the member worked on those days, by worked_on.
    """
    if from_date > to_date:
        raise Rejection.invalid_argument(f"The first day {from_date} is after the last day {to_date}.")
    db.require("member", member_id)
    rows = db.select(
        """
        SELECT time_entry_id, minutes FROM time_entry
        WHERE member_id = ? AND worked_on BETWEEN ? AND ? AND (? IS NULL OR status = ?)
        ORDER BY worked_on, time_entry_id
        """,
        member_id,
        from_date,
        to_date,
        status,
        status,
    )
    return {
        "entries": [_entry(db, row["time_entry_id"]) for row in rows[:limit]],
        "total": len(rows),
        "total_minutes": sum(row["minutes"] for row in rows),
    }


@tool(
    reads=["project", "task"], writes=["time_entry"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def correct_time_entry(
    db: Database,
    time_entry_id: Annotated[str, "entry to correct"],
    worked_on: Annotated[Date | None, "right day"] = None,
    minutes: Annotated[int | None, "right minutes", Field(ge=15, le=720)] = None,
    note: Annotated[str | None, "new note", Field(min_length=1, max_length=300)] = None,
) -> TimeEntry:
    """Correct a time entry that is still a draft.

    Requires: A day, minutes or a note is given. A given worked_on is not after today. The entry is a draft.

    The given fields change.
    """
    if worked_on is None and minutes is None and note is None:
        raise Rejection.invalid_argument("Give a new day, new minutes or a new note.")
    if worked_on is not None and worked_on > db.today:
        raise Rejection.invalid_argument(f"The day {worked_on} is after today, {db.today}.")
    entry = db.require("time_entry", time_entry_id)
    if entry["status"] != "draft":
        raise Rejection.failed_precondition(f"Time entry {time_entry_id!r} is {entry['status']}, not a draft.")
    db.update(
        "time_entry",
        time_entry_id,
        worked_on=entry["worked_on"] if worked_on is None else worked_on,
        minutes=entry["minutes"] if minutes is None else minutes,
        note=entry["note"] if note is None else note,
    )
    return _entry(db, time_entry_id)


@tool(reads=["project", "task"], writes=["time_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def submit_time_entries(
    db: Database, time_entry_ids: Annotated[list[str], "entries to submit", Field(min_length=1, max_length=20)]
) -> TimeBatch:
    """Submit draft time entries to payroll.

    Requires: Every entry is a draft.

    status becomes submitted, submitted_on today for each.
    """
    if len(set(time_entry_ids)) < len(time_entry_ids):
        raise Rejection.invalid_argument("The list names a time entry twice.")
    entries = [db.require("time_entry", time_entry_id) for time_entry_id in time_entry_ids]
    for entry in entries:
        if entry["status"] != "draft":
            raise Rejection.failed_precondition(
                f"Time entry {entry['time_entry_id']!r} is {entry['status']}, not a draft."
            )
    for time_entry_id in time_entry_ids:
        db.update("time_entry", time_entry_id, status="submitted", submitted_on=db.today)
    return {
        "entries": [_entry(db, time_entry_id) for time_entry_id in time_entry_ids],
        "total_minutes": sum(entry["minutes"] for entry in entries),
    }
