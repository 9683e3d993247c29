"""Tasks: planning tasks and their due dates."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Task(TypedDict):
    task_id: Annotated[str, "id of the task"]
    wedding_id: Annotated[str, "for which wedding"]
    title: Annotated[str, "what is to be done"]
    assigned_to: Annotated[Literal["client", "planner"], "who does it"]
    due_on: Annotated[Date, "day it is due"]
    status: Annotated[Literal["open", "done"], "state"]
    completed_on: Annotated[Date | None, "day it was done"]


class TaskList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    tasks: Annotated[list[Task], "the tasks"]


class TaskBatch(TypedDict):
    tasks: Annotated[list[Task], "the tasks named"]


def _given(value, current):
    return current if value is None else value


def _require_open(wedding):
    if wedding["status"] not in ("inquiry", "contracted"):
        raise Rejection.failed_precondition(f"Wedding {wedding['wedding_id']!r} is {wedding['status']}, not open.")


def _require_due(wedding, due_on):
    if due_on > wedding["wedding_date"]:
        raise Rejection.failed_precondition(f"The due day {due_on} is after the wedding on {wedding['wedding_date']}.")


def _require_new_title(db, wedding_id, title, task_id):
    other = db.value(
        """
        SELECT task_id FROM task
        WHERE wedding_id = ? AND title = ? AND status = 'open' AND (? IS NULL OR task_id <> ?)
        """,
        wedding_id,
        title,
        task_id,
        task_id,
    )
    if other is not None:
        raise Rejection.already_exists(f"The wedding already has the open task {other!r} with the title {title!r}.")


@tool(reads=["wedding", "task"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_wedding_tasks(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    status: Annotated[Literal["open", "done"] | None, "only this state"] = None,
    assigned_to: Annotated[Literal["client", "planner"] | None, "only theirs"] = None,
    overdue_only: Annotated[bool, "only open tasks due before today"] = False,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> TaskList:
    """List the planning tasks of a wedding.

    Requires: overdue_only does not come with status done.

    Ordered by due_on, earliest first.
    """
    if overdue_only and status == "done":
        raise Rejection.invalid_argument("Done tasks are never overdue; leave out the status or overdue_only.")
    db.require("wedding", wedding_id)
    tasks = db.select(
        """
        SELECT * FROM task
        WHERE wedding_id = ? AND (? IS NULL OR status = ?) AND (? IS NULL OR assigned_to = ?)
            AND (NOT ? OR (status = 'open' AND due_on < ?))
        ORDER BY due_on, task_id
        """,
        wedding_id,
        status,
        status,
        assigned_to,
        assigned_to,
        overdue_only,
        db.today,
    )
    return {"total": len(tasks), "tasks": tasks[:limit]}


@tool(
    reads=["wedding"],
    writes=["task"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_task(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    title: Annotated[str, "what is to be done", Field(min_length=1)],
    assigned_to: Annotated[Literal["client", "planner"], "who does it"],
    due_on: Annotated[Date, "day it is due"],
) -> Task:
    """Add a planning task to a wedding.

    Requires: due_on is today or later. The wedding is open. due_on is not after the wedding_date. The wedding has no
    open task with this title.

    status is open.
    """
    if due_on < db.today:
        raise Rejection.invalid_argument(f"The due day {due_on} is before today, {db.today}.")
    wedding = db.require("wedding", wedding_id)
    _require_open(wedding)
    _require_due(wedding, due_on)
    _require_new_title(db, wedding_id, title, None)
    return db.insert(
        "task",
        task_id=db.new_id("task"),
        wedding_id=wedding_id,
        title=title,
        assigned_to=assigned_to,
        due_on=due_on,
        status="open",
    )


@tool(
    reads=["wedding"],
    writes=["task"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def update_task(
    db: Database,
    task_id: Annotated[str, "the task", Field(min_length=1)],
    title: Annotated[str | None, "new title", Field(min_length=1)] = None,
    assigned_to: Annotated[Literal["client", "planner"] | None, "who does it"] = None,
    due_on: Annotated[Date | None, "new due day"] = None,
) -> Task:
    """Change an open task.

    Requires: At least one field besides the id is given. A given due_on is today or later. The task and its wedding are
    open. A given due_on is not after the wedding_date. The wedding has no other open task with a given title.

    Only the given fields change.
    """
    if all(value is None for value in (title, assigned_to, due_on)):
        raise Rejection.invalid_argument("Give at least one field to change.")
    if due_on is not None and due_on < db.today:
        raise Rejection.invalid_argument(f"The due day {due_on} is before today, {db.today}.")
    task = db.require("task", task_id)
    if task["status"] != "open":
        raise Rejection.failed_precondition(f"Task {task_id!r} is {task['status']}, not open.")
    wedding = db.require("wedding", task["wedding_id"])
    _require_open(wedding)
    if due_on is not None:
        _require_due(wedding, due_on)
    if title is not None:
        _require_new_title(db, task["wedding_id"], title, task_id)
    return db.update(
        "task",
        task_id,
        title=_given(title, task["title"]),
        assigned_to=_given(assigned_to, task["assigned_to"]),
        due_on=_given(due_on, task["due_on"]),
    )


@tool(writes=["task"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_tasks(
    db: Database, task_ids: Annotated[list[str], "the tasks", Field(min_length=1, max_length=20)]
) -> TaskBatch:
    """Mark open tasks as done.

    Requires: Every task is open.

    status becomes done, completed_on today.
    """
    if len(set(task_ids)) < len(task_ids):
        raise Rejection.invalid_argument("A task is named twice.")
    for task in [db.require("task", task_id) for task_id in task_ids]:
        if task["status"] != "open":
            raise Rejection.failed_precondition(f"Task {task['task_id']!r} is {task['status']}, not open.")
    return {"tasks": [db.update("task", task_id, status="done", completed_on=db.today) for task_id in task_ids]}


@tool(reads=["wedding"], writes=["task"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def reopen_task(db: Database, task_id: Annotated[str, "the task", Field(min_length=1)]) -> Task:
    """Open a done task again.

    Requires: The task is done and its wedding is open. The wedding has no open task with the same title.

    status becomes open, completed_on null; due_on stays.
    """
    task = db.require("task", task_id)
    if task["status"] != "done":
        raise Rejection.failed_precondition(f"Task {task_id!r} is {task['status']}, not done.")
    _require_open(db.require("wedding", task["wedding_id"]))
    _require_new_title(db, task["wedding_id"], task["title"], task_id)
    return db.update("task", task_id, status="open", completed_on=None)
