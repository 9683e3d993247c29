"""Projects: starting, holding, closing, and staffing projects."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class ProjectEntry(TypedDict):
    project_id: Annotated[str, "the project"]
    name: Annotated[str, "project name"]
    client_name: Annotated[str, "museum or park it is for"]
    status: Annotated[Literal["active", "on_hold", "closed"], "project status"]
    due_on: Annotated[Date, "opening day promised"]


class ProjectList(TypedDict):
    projects: Annotated[list[ProjectEntry], "projects led"]
    total: Annotated[int, "all matches"]


class TeamSeat(TypedDict):
    project_id: Annotated[str, "the project"]
    teammate_id: Annotated[str, "member on the team"]
    name: Annotated[str, "the teammate's name"]
    role: Annotated[Literal["designer", "fabricator", "installer", "writer"], "what they do"]


class Project(TypedDict):
    project_id: Annotated[str, "the project"]
    member_id: Annotated[str, "member who leads it"]
    name: Annotated[str, "project name"]
    client_name: Annotated[str, "museum or park it is for"]
    service_level: Annotated[Literal["standard", "priority"], "level the client bought"]
    status: Annotated[Literal["active", "on_hold", "closed"], "project status"]
    starts_on: Annotated[Date, "first day"]
    due_on: Annotated[Date, "opening day promised"]
    resume_on: Annotated[Date | None, "planned end of the hold"]
    budget_cents: Annotated[int, "current budget"]
    spent_cents: Annotated[int, "spent so far"]
    left_cents: Annotated[int, "budget less spent"]
    team: Annotated[list[TeamSeat], "teammates by name"]


def _project(db, project_id):
    """The record of a project, with its money and its team."""
    project = db.require("project", project_id)
    spent = db.value(
        """
        SELECT (SELECT coalesce(sum(cost_cents), 0) FROM purchase WHERE project_id = ? AND status <> 'canceled')
             + (SELECT coalesce(sum(cost_cents), 0) FROM booking WHERE project_id = ? AND status <> 'canceled')
             + (SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE project_id = ?)
        """,
        project_id,
        project_id,
        project_id,
    )
    team = db.select(
        """
        SELECT team_seat.project_id, teammate_id, name, role
        FROM team_seat JOIN member ON member.member_id = team_seat.teammate_id
        WHERE team_seat.project_id = ? ORDER BY name, teammate_id
        """,
        project_id,
    )
    return {
        "project_id": project_id,
        "member_id": project["member_id"],
        "name": project["name"],
        "client_name": project["client_name"],
        "service_level": project["service_level"],
        "status": project["status"],
        "starts_on": project["starts_on"],
        "due_on": project["due_on"],
        "resume_on": project["resume_on"],
        "budget_cents": project["budget_cents"],
        "spent_cents": spent,
        "left_cents": project["budget_cents"] - spent,
        "team": team,
    }


@tool(reads=["member", "project"], rejects=["NOT_FOUND"])
def list_projects(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["active", "on_hold", "closed"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> ProjectList:
    """List the projects that a member leads.

    Projects led by the member, by due_on.
    """
    db.require("member", member_id)
    projects = db.select(
        """
        SELECT project_id, name, client_name, status, due_on FROM project
        WHERE member_id = ? AND (? IS NULL OR status = ?)
        ORDER BY due_on, project_id LIMIT ?
        """,
        member_id,
        status,
        status,
        limit,
    )
    total = db.value(
        "SELECT count(*) FROM project WHERE member_id = ? AND (? IS NULL OR status = ?)", member_id, status, status
    )
    return {"projects": projects, "total": total}


@tool(reads=["member", "project", "team_seat", "purchase", "charge", "booking"], rejects=["NOT_FOUND"])
def show_project(db: Database, project_id: Annotated[str, "the project"]) -> Project:
    """Show a project with its money and team.

    Returns the project.
    """
    return _project(db, project_id)


@tool(reads=["member"], writes=["project"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def start_project(
    db: Database,
    member_id: Annotated[str, "member who will lead it"],
    name: Annotated[str, "project name", Field(min_length=1, max_length=80)],
    client_name: Annotated[str, "museum or park", Field(min_length=1, max_length=80)],
    service_level: Annotated[Literal["standard", "priority"], "level the client bought"],
    due_on: Annotated[Date, "opening day promised"],
    budget_cents: Annotated[int, "budget agreed", Field(ge=50000)],
) -> Project:
    """Start a new project.

    Requires: due_on is after today. No project that is not closed has this name.

    Adds an active project that starts today, with no team and nothing spent.
    """
    if due_on <= db.today:
        raise Rejection.invalid_argument(f"The opening day {due_on} is not after today, {db.today}.")
    db.require("member", member_id)
    if db.first("SELECT project_id FROM project WHERE name = ? AND status <> 'closed'", name) is not None:
        raise Rejection.already_exists(f"A project named {name!r} is not closed yet; choose another name.")
    project = db.insert(
        "project",
        project_id=db.new_id("project"),
        member_id=member_id,
        name=name,
        client_name=client_name,
        service_level=service_level,
        status="active",
        starts_on=db.today,
        due_on=due_on,
        budget_cents=budget_cents,
    )
    return {
        "project_id": project["project_id"],
        "member_id": member_id,
        "name": name,
        "client_name": client_name,
        "service_level": service_level,
        "status": "active",
        "starts_on": db.today,
        "due_on": due_on,
        "resume_on": None,
        "budget_cents": budget_cents,
        "spent_cents": 0,
        "left_cents": budget_cents,
        "team": [],
    }


@tool(
    reads=["member", "team_seat", "task", "purchase", "charge", "booking"],
    writes=["project"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def hold_project(
    db: Database, project_id: Annotated[str, "the project"], resume_on: Annotated[Date, "planned end of the hold"]
) -> Project:
    """Put an active project on hold.

    Requires: resume_on is after today. The project is active. The project has no task in progress.

    status becomes on_hold, held_on today, resume_on as given.
    """
    if resume_on <= db.today:
        raise Rejection.invalid_argument(f"The end of the hold, {resume_on}, is not after today, {db.today}.")
    project = db.require("project", project_id)
    if project["status"] != "active":
        raise Rejection.failed_precondition(f"Project {project_id!r} is {project['status']}, not active.")
    if db.first("SELECT task_id FROM task WHERE project_id = ? AND status = 'in_progress'", project_id) is not None:
        raise Rejection.failed_precondition(
            f"Project {project_id!r} has a task in progress; finish or cancel it first."
        )
    db.update("project", project_id, status="on_hold", held_on=db.today, resume_on=resume_on)
    return _project(db, project_id)


@tool(
    reads=["member", "team_seat", "purchase", "charge", "booking"],
    writes=["project"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def resume_project(db: Database, project_id: Annotated[str, "the project"]) -> Project:
    """Take a project off hold.

    Requires: The project is on hold.

    status becomes active; held_on and resume_on become null.
    """
    project = db.require("project", project_id)
    if project["status"] != "on_hold":
        raise Rejection.failed_precondition(f"Project {project_id!r} is {project['status']}, not on hold.")
    db.update("project", project_id, status="active", held_on=None, resume_on=None)
    return _project(db, project_id)


@tool(
    reads=["member", "team_seat", "task", "change_order", "purchase", "charge", "booking"],
    writes=["project"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def close_project(db: Database, project_id: Annotated[str, "the project"]) -> Project:
    """Close a finished project.

    Requires: The project is not closed yet. It has no open task, no waiting change order, no purchase still ordered,
    and no upcoming booking.

    status becomes closed, closed_on today; held_on and resume_on become null.
    """
    project = db.require("project", project_id)
    if project["status"] == "closed":
        raise Rejection.failed_precondition(f"Project {project_id!r} is closed already.")
    if db.first("SELECT task_id FROM task WHERE project_id = ? AND status IN ('todo', 'in_progress')", project_id):
        raise Rejection.failed_precondition(f"Project {project_id!r} has an open task; finish or cancel it first.")
    if db.first("SELECT change_order_id FROM change_order WHERE project_id = ? AND status = 'waiting'", project_id):
        raise Rejection.failed_precondition(f"Project {project_id!r} has a waiting change order; withdraw it first.")
    if db.first("SELECT purchase_id FROM purchase WHERE project_id = ? AND status = 'ordered'", project_id):
        raise Rejection.failed_precondition(f"Project {project_id!r} has a purchase that has not arrived.")
    if db.first(
        "SELECT booking_id FROM booking WHERE project_id = ? AND status = 'booked' AND starts_at > ?",
        project_id,
        db.now,
    ):
        raise Rejection.failed_precondition(f"Project {project_id!r} has an upcoming booking; cancel it first.")
    db.update("project", project_id, status="closed", closed_on=db.today, held_on=None, resume_on=None)
    return _project(db, project_id)


@tool(
    reads=["member", "team_seat", "milestone", "purchase", "charge", "booking"],
    writes=["project"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def reschedule_project(
    db: Database, project_id: Annotated[str, "the project"], due_on: Annotated[Date, "new opening day"]
) -> Project:
    """Change the opening day of a project.

    Requires: due_on is after today. The project is not closed. No pending milestone of it is due after the new day.

    due_on changes.
    """
    if due_on <= db.today:
        raise Rejection.invalid_argument(f"The opening day {due_on} is not after today, {db.today}.")
    project = db.require("project", project_id)
    if project["status"] == "closed":
        raise Rejection.failed_precondition(f"Project {project_id!r} is closed.")
    late = db.first(
        "SELECT name, due_on FROM milestone WHERE project_id = ? AND status = 'pending' AND due_on > ?",
        project_id,
        due_on,
    )
    if late is not None:
        raise Rejection.failed_precondition(f"Milestone {late['name']!r} is due {late['due_on']}, after {due_on}.")
    db.update("project", project_id, due_on=due_on)
    return _project(db, project_id)


@tool(reads=["member", "project"], writes=["team_seat"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def add_teammate(
    db: Database,
    project_id: Annotated[str, "the project"],
    teammate_id: Annotated[str, "member to add"],
    role: Annotated[Literal["designer", "fabricator", "installer", "writer"], "what they will do"],
) -> TeamSeat:
    """Add a member to the team of a project.

    Requires: The project is not closed. The teammate does not lead the project. The teammate is not on its team yet.

    Adds the seat.
    """
    project = db.require("project", project_id)
    teammate = db.require("member", teammate_id)
    if project["status"] == "closed":
        raise Rejection.failed_precondition(f"Project {project_id!r} is closed.")
    if project["member_id"] == teammate_id:
        raise Rejection.failed_precondition(f"Member {teammate_id!r} leads project {project_id!r} and needs no seat.")
    if db.get("team_seat", project_id, teammate_id) is not None:
        raise Rejection.already_exists(f"Member {teammate_id!r} is on the team of {project_id!r} already.")
    db.insert("team_seat", project_id=project_id, teammate_id=teammate_id, role=role)
    return {"project_id": project_id, "teammate_id": teammate_id, "name": teammate["name"], "role": role}


@tool(reads=["member", "project", "task"], writes=["team_seat"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def remove_teammate(
    db: Database, project_id: Annotated[str, "the project"], teammate_id: Annotated[str, "teammate to remove"]
) -> TeamSeat:
    """Take a member off the team of a project.

    Requires: The teammate is not the assignee of an open task of the project.

    Deletes the seat.
    """
    db.require("project", project_id)
    seat = db.get("team_seat", project_id, teammate_id)
    if seat is None:
        raise Rejection.not_found(f"Member {teammate_id!r} is not on the team of project {project_id!r}.")
    if db.first(
        "SELECT task_id FROM task WHERE project_id = ? AND assignee_id = ? AND status IN ('todo', 'in_progress')",
        project_id,
        teammate_id,
    ):
        raise Rejection.failed_precondition(f"Member {teammate_id!r} has an open task on project {project_id!r}.")
    member = db.require("member", teammate_id)
    db.delete("team_seat", project_id, teammate_id)
    return {"project_id": project_id, "teammate_id": teammate_id, "name": member["name"], "role": seat["role"]}
