"""Tasks: adding, assigning, moving, starting, finishing, and canceling tasks."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Task(TypedDict):
    task_id: Annotated[str, "the task"]
    project_id: Annotated[str, "its project"]
    project_name: Annotated[str, "name of its project"]
    title: Annotated[str, "what is to be done"]
    status: Annotated[Literal["todo", "in_progress", "done", "canceled"], "task status"]
    due_on: Annotated[Date, "day it is due"]
    estimate_hours: Annotated[int, "estimated work"]
    assignee_id: Annotated[str | None, "member who does it"]
    assignee_name: Annotated[str | None, "name of the assignee"]
    milestone_id: Annotated[str | None, "milestone it counts toward"]
    waits_on_task_id: Annotated[str | None, "task that comes first"]


class TaskList(TypedDict):
    tasks: Annotated[list[Task], "tasks found"]
    total: Annotated[int, "all matches"]


class TaskBatch(TypedDict):
    tasks: Annotated[list[Task], "tasks changed"]


def _task(db, task_id):
    """The record of a task, with the names of its project and assignee."""
    return db.first(
        """
        SELECT task_id, task.project_id, project.name AS project_name, title, task.status, task.due_on, estimate_hours,
               assignee_id, member.name AS assignee_name, milestone_id, waits_on_task_id
        FROM task JOIN project ON project.project_id = task.project_id
             LEFT JOIN member ON member.member_id = task.assignee_id
        WHERE task_id = ?
        """,
        task_id,
    )


def _works_on(db, project, member_id):
    """Whether a member leads the project or has a seat on its team."""
    return project["member_id"] == member_id or db.get("team_seat", project["project_id"], member_id) is not None


def _open_tasks(db, task_ids):
    """The rows of open tasks, none named twice."""
    if len(set(task_ids)) < len(task_ids):
        raise Rejection.invalid_argument("The list names a task twice.")
    tasks = [db.require("task", task_id) for task_id in task_ids]
    for task in tasks:
        if task["status"] not in ("todo", "in_progress"):
            raise Rejection.failed_precondition(f"Task {task['task_id']!r} is {task['status']}, not open.")
    return tasks


@tool(reads=["member", "project", "task"], rejects=["NOT_FOUND"])
def list_project_tasks(
    db: Database,
    project_id: Annotated[str, "the project"],
    status: Annotated[Literal["todo", "in_progress", "done", "canceled"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> TaskList:
    """List the tasks of a project.

    Tasks of the project, by due_on.
    """
    db.require("project", project_id)
    found = db.select(
        """
        SELECT task_id FROM task WHERE project_id = ? AND (? IS NULL OR status = ?)
        ORDER BY due_on, task_id LIMIT ?
        """,
        project_id,
        status,
        status,
        limit,
    )
    total = db.value(
        "SELECT count(*) FROM task WHERE project_id = ? AND (? IS NULL OR status = ?)", project_id, status, status
    )
    return {"tasks": [_task(db, row["task_id"]) for row in found], "total": total}


@tool(reads=["member", "project", "task"], rejects=["NOT_FOUND"])
def list_assigned_tasks(
    db: Database,
    member_id: Annotated[str, "the assignee"],
    status: Annotated[Literal["todo", "in_progress", "done", "canceled"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> TaskList:
    """List the tasks assigned to a member.

    Tasks whose assignee is the member, by due_on.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT task_id FROM task WHERE assignee_id = ? AND (? IS NULL OR status = ?)
        ORDER BY due_on, task_id LIMIT ?
        """,
        member_id,
        status,
        status,
        limit,
    )
    total = db.value(
        "SELECT count(*) FROM task WHERE assignee_id = ? AND (? IS NULL OR status = ?)", member_id, status, status
    )
    return {"tasks": [_task(db, row["task_id"]) for row in found], "total": total}


@tool(
    reads=["member", "project", "team_seat", "milestone"],
    writes=["task"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_task(
    db: Database,
    project_id: Annotated[str, "the project"],
    title: Annotated[str, "what is to be done", Field(min_length=1, max_length=100)],
    due_on: Annotated[Date, "day it is due"],
    estimate_hours: Annotated[int, "estimated work", Field(ge=1, le=200)],
    assignee_id: Annotated[str | None, "member who does it, null for nobody yet"] = None,
    milestone_id: Annotated[str | None, "milestone it counts toward, null for none"] = None,
    waits_on_task_id: Annotated[str | None, "task that comes first, null for none"] = None,
) -> Task:
    """Add a task to a project.

    Requires: due_on is not before today. The project is active. A given assignee works on the project. A given
    milestone is pending. The project has no open task of this title.

    Adds a task with status todo.
    """
    if due_on < db.today:
        raise Rejection.invalid_argument(f"The day {due_on} is before today, {db.today}.")
    project = db.require("project", project_id)
    if assignee_id is not None:
        db.require("member", assignee_id)
    milestone = None
    if milestone_id is not None:
        milestone = db.require("milestone", milestone_id)
        if milestone["project_id"] != project_id:
            raise Rejection.not_found(f"Project {project_id!r} has no milestone {milestone_id!r}.")
    if waits_on_task_id is not None:
        first = db.require("task", waits_on_task_id)
        if first["project_id"] != project_id:
            raise Rejection.not_found(f"Project {project_id!r} has no task {waits_on_task_id!r}.")
    if project["status"] != "active":
        raise Rejection.failed_precondition(f"Project {project_id!r} is {project['status']}, not active.")
    if assignee_id is not None and not _works_on(db, project, assignee_id):
        raise Rejection.failed_precondition(f"Member {assignee_id!r} does not work on project {project_id!r}.")
    if milestone is not None and milestone["status"] != "pending":
        raise Rejection.failed_precondition(f"Milestone {milestone_id!r} is {milestone['status']}, not pending.")
    if db.first(
        "SELECT task_id FROM task WHERE project_id = ? AND title = ? AND status IN ('todo', 'in_progress')",
        project_id,
        title,
    ):
        raise Rejection.already_exists(f"Project {project_id!r} has an open task named {title!r} already.")
    task = db.insert(
        "task",
        task_id=db.new_id("task"),
        project_id=project_id,
        title=title,
        status="todo",
        due_on=due_on,
        estimate_hours=estimate_hours,
        assignee_id=assignee_id,
        milestone_id=milestone_id,
        waits_on_task_id=waits_on_task_id,
    )
    return _task(db, task["task_id"])


@tool(reads=["member", "project", "team_seat"], writes=["task"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def assign_task(
    db: Database, task_id: Annotated[str, "task to assign"], assignee_id: Annotated[str, "member who will do it"]
) -> Task:
    """Give a task to a member of the project.

    Requires: The task is open. The assignee works on the project. The task is not assigned to this member already.

    assignee_id changes.
    """
    task = db.require("task", task_id)
    db.require("member", assignee_id)
    if task["status"] not in ("todo", "in_progress"):
        raise Rejection.failed_precondition(f"Task {task_id!r} is {task['status']}, not open.")
    project = db.require("project", task["project_id"])
    if not _works_on(db, project, assignee_id):
        raise Rejection.failed_precondition(f"Member {assignee_id!r} does not work on project {task['project_id']!r}.")
    if task["assignee_id"] == assignee_id:
        raise Rejection.failed_precondition(f"Task {task_id!r} is assigned to {assignee_id!r} already.")
    db.update("task", task_id, assignee_id=assignee_id)
    return _task(db, task_id)


@tool(reads=["member", "project"], writes=["task"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def reschedule_tasks(
    db: Database,
    task_ids: Annotated[list[str], "tasks to move", Field(min_length=1, max_length=20)],
    due_on: Annotated[Date, "new due date"],
) -> TaskBatch:
    """Move tasks to one new due date.

    Requires: due_on is not before today. Every task is open. due_on is not after the due_on of any of their projects.

    due_on changes for each.
    """
    if len(set(task_ids)) < len(task_ids):
        raise Rejection.invalid_argument("The list names a task twice.")
    if due_on < db.today:
        raise Rejection.invalid_argument(f"The day {due_on} is before today, {db.today}.")
    for task in _open_tasks(db, task_ids):
        project = db.require("project", task["project_id"])
        if due_on > project["due_on"]:
            raise Rejection.failed_precondition(
                f"The day {due_on} is after the project's opening day, {project['due_on']}."
            )
    for task_id in task_ids:
        db.update("task", task_id, due_on=due_on)
    return {"tasks": [_task(db, task_id) for task_id in task_ids]}


@tool(reads=["member", "project"], writes=["task"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def start_task(db: Database, task_id: Annotated[str, "task to start"]) -> Task:
    """Start a task.

    Requires: The task is todo and its project is active. The task has an assignee. A task it waits on is done or
    canceled.

    status becomes in_progress, started_on today.
    """
    task = db.require("task", task_id)
    if task["status"] != "todo":
        raise Rejection.failed_precondition(f"Task {task_id!r} is {task['status']}, not todo.")
    project = db.require("project", task["project_id"])
    if project["status"] != "active":
        raise Rejection.failed_precondition(f"The project of task {task_id!r} is {project['status']}, not active.")
    if task["assignee_id"] is None:
        raise Rejection.failed_precondition(f"Task {task_id!r} has no assignee; assign it first.")
    if task["waits_on_task_id"] is not None:
        first = db.require("task", task["waits_on_task_id"])
        if first["status"] not in ("done", "canceled"):
            raise Rejection.failed_precondition(
                f"Task {task_id!r} waits on {first['title']!r}, which is {first['status']}."
            )
    db.update("task", task_id, status="in_progress", started_on=db.today)
    return _task(db, task_id)


@tool(reads=["member", "project"], writes=["task"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def finish_task(db: Database, task_id: Annotated[str, "task to finish"]) -> Task:
    """Mark a task done.

    Requires: The task is in progress.

    status becomes done, finished_on today.
    """
    task = db.require("task", task_id)
    if task["status"] != "in_progress":
        raise Rejection.failed_precondition(f"Task {task_id!r} is {task['status']}, not in progress.")
    db.update("task", task_id, status="done", finished_on=db.today)
    return _task(db, task_id)


@tool(reads=["member", "project"], writes=["task"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_tasks(
    db: Database, task_ids: Annotated[list[str], "tasks to cancel", Field(min_length=1, max_length=20)]
) -> TaskBatch:
    """Cancel tasks that are no longer needed.

    Requires: Every task is open. No open task outside the list waits on one of them.

    status becomes canceled for each.
    """
    for task in _open_tasks(db, task_ids):
        waiting = db.select(
            "SELECT task_id, title FROM task WHERE waits_on_task_id = ? AND status IN ('todo', 'in_progress')",
            task["task_id"],
        )
        for other in waiting:
            if other["task_id"] not in task_ids:
                raise Rejection.failed_precondition(
                    f"The open task {other['title']!r} waits on task {task['task_id']!r}."
                )
    for task_id in task_ids:
        db.update("task", task_id, status="canceled")
    return {"tasks": [_task(db, task_id) for task_id in task_ids]}
