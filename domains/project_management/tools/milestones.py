"""Milestones: planning, moving, and completing milestones."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Milestone(TypedDict):
    milestone_id: Annotated[str, "the milestone"]
    project_id: Annotated[str, "its project"]
    name: Annotated[str, "milestone name"]
    due_on: Annotated[Date, "day it is due"]
    status: Annotated[Literal["pending", "complete"], "pending or complete"]
    moves: Annotated[int, "times it was moved"]
    payment_cents: Annotated[int, "client payment it releases"]
    completed_on: Annotated[Date | None, "day it was completed"]


class MilestoneList(TypedDict):
    milestones: Annotated[list[Milestone], "milestones of the project"]
    total: Annotated[int, "all milestones"]


def _milestone(row):
    """The record of a milestone."""
    fields = ("milestone_id", "project_id", "name", "due_on", "status", "moves", "payment_cents", "completed_on")
    return {field: row[field] for field in fields}


def _pending(db, milestone_id):
    """A milestone that is pending in an active project, with that project."""
    milestone = db.require("milestone", milestone_id)
    project = db.require("project", milestone["project_id"])
    if milestone["status"] != "pending":
        raise Rejection.failed_precondition(f"Milestone {milestone_id!r} is {milestone['status']}, not pending.")
    if project["status"] != "active":
        raise Rejection.failed_precondition(f"The project of {milestone_id!r} is {project['status']}, not active.")
    return milestone, project


@tool(reads=["project", "milestone"], rejects=["NOT_FOUND"])
def list_milestones(db: Database, project_id: Annotated[str, "the project"]) -> MilestoneList:
    """List the milestones of a project.

    All of them, by due_on.
    """
    db.require("project", project_id)
    rows = db.select("SELECT * FROM milestone WHERE project_id = ? ORDER BY due_on, milestone_id", project_id)
    return {"milestones": [_milestone(row) for row in rows], "total": len(rows)}


@tool(
    reads=["project"],
    writes=["milestone"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_milestone(
    db: Database,
    project_id: Annotated[str, "the project"],
    name: Annotated[str, "milestone name", Field(min_length=1, max_length=80)],
    due_on: Annotated[Date, "day it is due"],
    payment_cents: Annotated[int, "client payment it releases", Field(ge=0)] = 0,
) -> Milestone:
    """Add a milestone to a project.

    Requires: due_on is after today. The project is active. due_on is not after the project's due_on. The project has no
    milestone of this name.

    Adds a pending milestone with 0 moves.
    """
    if due_on <= db.today:
        raise Rejection.invalid_argument(f"The day {due_on} is not after today, {db.today}.")
    project = db.require("project", project_id)
    if project["status"] != "active":
        raise Rejection.failed_precondition(f"Project {project_id!r} is {project['status']}, not active.")
    if due_on > project["due_on"]:
        raise Rejection.failed_precondition(
            f"The day {due_on} is after the project's opening day, {project['due_on']}."
        )
    if db.first("SELECT milestone_id FROM milestone WHERE project_id = ? AND name = ?", project_id, name) is not None:
        raise Rejection.already_exists(f"Project {project_id!r} has a milestone named {name!r} already.")
    row = db.insert(
        "milestone",
        milestone_id=db.new_id("milestone"),
        project_id=project_id,
        name=name,
        due_on=due_on,
        status="pending",
        moves=0,
        payment_cents=payment_cents,
    )
    return _milestone(row)


@tool(reads=["project"], writes=["milestone"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def move_milestone(
    db: Database, milestone_id: Annotated[str, "milestone to move"], due_on: Annotated[Date, "new day"]
) -> Milestone:
    """Move a milestone to another day.

    Requires: due_on is after today. The milestone is pending and its project is active. due_on is not after the
    project's due_on and differs from the old day.

    due_on changes; moves goes up by 1.
    """
    if due_on <= db.today:
        raise Rejection.invalid_argument(f"The day {due_on} is not after today, {db.today}.")
    milestone, project = _pending(db, milestone_id)
    if due_on > project["due_on"]:
        raise Rejection.failed_precondition(
            f"The day {due_on} is after the project's opening day, {project['due_on']}."
        )
    if due_on == milestone["due_on"]:
        raise Rejection.failed_precondition(f"Milestone {milestone_id!r} is due {due_on} already.")
    return _milestone(db.update("milestone", milestone_id, due_on=due_on, moves=milestone["moves"] + 1))


@tool(reads=["project", "task"], writes=["milestone"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_milestone(db: Database, milestone_id: Annotated[str, "milestone to complete"]) -> Milestone:
    """Mark a milestone complete.

    Requires: The milestone is pending and its project is active. No open task counts toward it.

    status becomes complete, completed_on today.
    """
    _pending(db, milestone_id)
    if db.first("SELECT task_id FROM task WHERE milestone_id = ? AND status IN ('todo', 'in_progress')", milestone_id):
        raise Rejection.failed_precondition(f"An open task counts toward milestone {milestone_id!r}.")
    return _milestone(db.update("milestone", milestone_id, status="complete", completed_on=db.today))
