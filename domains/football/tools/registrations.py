"""Registrations: joining and leaving teams, jersey numbers, and free agents."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, tool


class Registration(TypedDict):
    registration_id: Annotated[str, "the registration"]
    member_id: Annotated[str, "the player"]
    player_name: Annotated[str, "player's name"]
    team_id: Annotated[str, "the team"]
    team_name: Annotated[str, "team name"]
    division_id: Annotated[str, "the division"]
    division_name: Annotated[str, "division name"]
    season: Annotated[str, "season"]
    jersey_number: Annotated[int, "jersey number"]
    position: Annotated[
        Literal["quarterback", "receiver", "center", "rusher", "linebacker", "cornerback", "safety"], "position"
    ]
    status: Annotated[Literal["pending", "active", "withdrawn"], "state"]
    registered_on: Annotated[Date, "day of registration"]
    withdrawn_on: Annotated[Date | None, "day of withdrawal"]


class RegistrationList(TypedDict):
    registrations: Annotated[list[Registration], "registrations"]
    total: Annotated[int, "all matches"]


class RosterEntry(TypedDict):
    registration_id: Annotated[str, "the registration"]
    member_id: Annotated[str, "the player"]
    player_name: Annotated[str, "player's name"]
    jersey_number: Annotated[int, "jersey number"]
    position: Annotated[
        Literal["quarterback", "receiver", "center", "rusher", "linebacker", "cornerback", "safety"], "position"
    ]
    status: Annotated[Literal["pending", "active", "withdrawn"], "state"]


class Roster(TypedDict):
    team_id: Annotated[str, "the team"]
    team_name: Annotated[str, "team name"]
    players: Annotated[list[RosterEntry], "live registrations"]


class FreeAgentPost(TypedDict):
    free_agent_post_id: Annotated[str, "the post"]
    member_id: Annotated[str, "the member"]
    division_id: Annotated[str, "the division"]
    division_name: Annotated[str, "division name"]
    season: Annotated[str, "season"]
    position: Annotated[
        Literal["quarterback", "receiver", "center", "rusher", "linebacker", "cornerback", "safety"], "position offered"
    ]
    note: Annotated[str | None, "words to captains"]
    status: Annotated[Literal["open", "placed", "taken_down"], "state"]
    posted_on: Annotated[Date, "day of posting"]


class FreeAgentPostList(TypedDict):
    posts: Annotated[list[FreeAgentPost], "posts"]
    total: Annotated[int, "all matches"]


def _registration(db, registration_id):
    return db.first(
        """
        SELECT registration.registration_id, registration.member_id, member.name AS player_name, registration.team_id,
               team.name AS team_name, team.division_id, division.name AS division_name, division.season,
               registration.jersey_number, registration.position, registration.status, registration.registered_on,
               registration.withdrawn_on
        FROM registration
        JOIN member ON member.member_id = registration.member_id
        JOIN team ON team.team_id = registration.team_id
        JOIN division ON division.division_id = team.division_id
        WHERE registration.registration_id = ?
        """,
        registration_id,
    )


def _post(db, free_agent_post_id):
    return db.first(
        """
        SELECT free_agent_post.*, division.name AS division_name, division.season
        FROM free_agent_post JOIN division ON division.division_id = free_agent_post.division_id
        WHERE free_agent_post_id = ?
        """,
        free_agent_post_id,
    )


def _live_in_division(db, member_id, division_id):
    return db.first(
        """
        SELECT registration_id FROM registration JOIN team ON team.team_id = registration.team_id
        WHERE registration.member_id = ? AND team.division_id = ? AND registration.status <> 'withdrawn'
        """,
        member_id,
        division_id,
    )


def _reject_taken_number(db, team_id, jersey_number):
    if db.first(
        "SELECT registration_id FROM registration WHERE team_id = ? AND jersey_number = ? AND status <> 'withdrawn'",
        team_id,
        jersey_number,
    ):
        raise Rejection.failed_precondition(
            f"Jersey number {jersey_number} is taken on team {team_id!r}; give a free one."
        )


@tool(
    reads=["member", "division", "team"],
    writes=["registration", "free_agent_post", "charge"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def register_player(
    db: Database,
    member_id: Annotated[str, "the member"],
    team_id: Annotated[str, "the team"],
    jersey_number: Annotated[int, "jersey number", Field(ge=0, le=99)],
    position: Annotated[
        Literal["quarterback", "receiver", "center", "rusher", "linebacker", "cornerback", "safety"], "position"
    ],
) -> Registration:
    """Register a member on a team.

    Requires: The season of the team's division is not over. The member is at least the division's minimum age today.
    The member has no live registration in that division. The team's roster is not full. No live registration of the
    team has that jersey number.

    The registration is pending, registered_on today. An open charge of kind registration for the division's fee_cents
    is added, due 14 days after today, with the registration_id and the note 'Registration, ' followed by the team name.
    An open free agent post of the member for that division becomes placed.
    """
    member = db.require("member", member_id)
    team = db.require("team", team_id)
    division = db.require("division", team["division_id"])
    if division["ends_on"] < db.today:
        raise Rejection.failed_precondition(f"The season ended on {division['ends_on']}; it must not be over.")
    born = member["date_of_birth"]
    age = int(db.today[:4]) - int(born[:4]) - int(db.today[5:] < born[5:])
    if age < division["minimum_age"]:
        raise Rejection.failed_precondition(
            f"Member {member_id!r} is {age}; players of the division must be at least {division['minimum_age']}."
        )
    if _live_in_division(db, member_id, team["division_id"]):
        raise Rejection.already_exists(
            f"Member {member_id!r} is registered in the division already; one team a division."
        )
    players = db.value("SELECT count(*) FROM registration WHERE team_id = ? AND status <> 'withdrawn'", team_id)
    if players >= division["roster_limit"]:
        raise Rejection.failed_precondition(
            f"Team {team_id!r} has {players} players, the most allowed; choose a team with room."
        )
    _reject_taken_number(db, team_id, jersey_number)
    registration_id = db.new_id("registration")
    db.insert(
        "registration",
        registration_id=registration_id,
        member_id=member_id,
        team_id=team_id,
        jersey_number=jersey_number,
        position=position,
        status="pending",
        registered_on=db.today,
    )
    db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        member_id=member_id,
        kind="registration",
        amount_cents=division["fee_cents"],
        due_on=add_days(db.today, 14),
        note=f"Registration, {team['name']}",
        registration_id=registration_id,
        charged_on=db.today,
    )
    post = db.first(
        "SELECT free_agent_post_id FROM free_agent_post WHERE member_id = ? AND division_id = ? AND status = 'open'",
        member_id,
        team["division_id"],
    )
    if post is not None:
        db.update("free_agent_post", post["free_agent_post_id"], status="placed")
    return _registration(db, registration_id)


@tool(reads=["member", "division", "team", "registration"], rejects=["NOT_FOUND"])
def list_registrations(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["pending", "active", "withdrawn"] | None, "state"] = None,
    season: Annotated[str | None, "exact season"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> RegistrationList:
    """List a member's registrations.

    Sorted by registered_on, latest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT registration.registration_id FROM registration
        JOIN team ON team.team_id = registration.team_id
        JOIN division ON division.division_id = team.division_id
        WHERE registration.member_id = ? AND (? IS NULL OR registration.status = ?) AND (? IS NULL OR division.season = ?)
        ORDER BY registration.registered_on DESC, registration.registration_id
        """,
        member_id,
        status,
        status,
        season,
        season,
    )
    return {"registrations": [_registration(db, row["registration_id"]) for row in found[:limit]], "total": len(found)}


@tool(reads=["member", "team", "registration"], rejects=["NOT_FOUND"])
def list_roster(db: Database, team_id: Annotated[str, "the team"]) -> Roster:
    """List the players on a team.

    Lists live registrations, sorted by jersey_number.
    """
    team = db.require("team", team_id)
    players = db.select(
        """
        SELECT registration.registration_id, registration.member_id, member.name AS player_name, registration.jersey_number,
               registration.position, registration.status
        FROM registration JOIN member ON member.member_id = registration.member_id
        WHERE registration.team_id = ? AND registration.status <> 'withdrawn'
        ORDER BY registration.jersey_number, registration.registration_id
        """,
        team_id,
    )
    return {"team_id": team_id, "team_name": team["name"], "players": players}


@tool(reads=["member", "division", "team"], writes=["registration"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_jersey_number(
    db: Database,
    registration_id: Annotated[str, "the registration"],
    jersey_number: Annotated[int, "new number", Field(ge=0, le=99)],
) -> Registration:
    """Change the jersey number of a live registration.

    Requires: The registration is live. No live registration of the team, itself included, has that number.

    Only jersey_number changes.
    """
    registration = db.require("registration", registration_id)
    if registration["status"] == "withdrawn":
        raise Rejection.failed_precondition(
            f"Registration {registration_id!r} is withdrawn; it must be pending or active."
        )
    _reject_taken_number(db, registration["team_id"], jersey_number)
    db.update("registration", registration_id, jersey_number=jersey_number)
    return _registration(db, registration_id)


@tool(
    reads=["member", "division", "team"],
    writes=["registration", "transfer"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def withdraw_registration(db: Database, registration_id: Annotated[str, "the registration"]) -> Registration:
    """Take a player off a team.

    Requires: The registration is live and its season is not over. The player is not the captain of that team.

    status becomes withdrawn, withdrawn_on today. A requested transfer of it becomes withdrawn, decided_at now.
    """
    registration = db.require("registration", registration_id)
    if registration["status"] == "withdrawn":
        raise Rejection.failed_precondition(
            f"Registration {registration_id!r} is withdrawn already; it must be pending or active."
        )
    team = db.require("team", registration["team_id"])
    ends_on = db.value("SELECT ends_on FROM division WHERE division_id = ?", team["division_id"])
    if ends_on < db.today:
        raise Rejection.failed_precondition(f"The season ended on {ends_on}; it must not be over.")
    if team["captain_member_id"] == registration["member_id"]:
        raise Rejection.failed_precondition(
            f"The player is captain of {team['name']!r}; another player must take that over first."
        )
    db.update("registration", registration_id, status="withdrawn", withdrawn_on=db.today)
    transfer = db.first(
        "SELECT transfer_id FROM transfer WHERE registration_id = ? AND status = 'requested'", registration_id
    )
    if transfer is not None:
        db.update("transfer", transfer["transfer_id"], status="withdrawn", decided_at=db.now)
    return _registration(db, registration_id)


@tool(
    reads=["member", "division", "team", "registration"],
    writes=["free_agent_post"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def post_free_agent(
    db: Database,
    member_id: Annotated[str, "the member"],
    division_id: Annotated[str, "the division"],
    position: Annotated[
        Literal["quarterback", "receiver", "center", "rusher", "linebacker", "cornerback", "safety"], "position offered"
    ],
    note: Annotated[str | None, "words to captains", Field(min_length=1)] = None,
) -> FreeAgentPost:
    """Post that a member looks for a team in a division.

    Requires: The division's season is not over. The member has no live registration in the division. The member has no
    open post for the division.

    The post is open, posted_on today.
    """
    db.require("member", member_id)
    division = db.require("division", division_id)
    if division["ends_on"] < db.today:
        raise Rejection.failed_precondition(f"The season ended on {division['ends_on']}; it must not be over.")
    if _live_in_division(db, member_id, division_id):
        raise Rejection.failed_precondition(
            f"Member {member_id!r} has a team in the division already; free agents have none."
        )
    if db.first(
        "SELECT free_agent_post_id FROM free_agent_post WHERE member_id = ? AND division_id = ? AND status = 'open'",
        member_id,
        division_id,
    ):
        raise Rejection.already_exists(
            f"Member {member_id!r} has an open post for the division already; one is enough."
        )
    post_id = db.new_id("free_agent_post")
    db.insert(
        "free_agent_post",
        free_agent_post_id=post_id,
        member_id=member_id,
        division_id=division_id,
        position=position,
        note=note,
        posted_on=db.today,
    )
    return _post(db, post_id)


@tool(reads=["member", "division", "free_agent_post"], rejects=["NOT_FOUND"])
def list_free_agent_posts(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["open", "placed", "taken_down"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> FreeAgentPostList:
    """List a member's free agent posts.

    Sorted by posted_on, latest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT free_agent_post_id FROM free_agent_post
        WHERE member_id = ? AND (? IS NULL OR status = ?)
        ORDER BY posted_on DESC, free_agent_post_id
        """,
        member_id,
        status,
        status,
    )
    return {"posts": [_post(db, row["free_agent_post_id"]) for row in found[:limit]], "total": len(found)}


@tool(reads=["division"], writes=["free_agent_post"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def take_down_post(db: Database, free_agent_post_id: Annotated[str, "the post"]) -> FreeAgentPost:
    """Take down an open free agent post.

    Requires: The post is open.

    status becomes taken_down.
    """
    post = db.require("free_agent_post", free_agent_post_id)
    if post["status"] != "open":
        raise Rejection.failed_precondition(f"Post {free_agent_post_id!r} is {post['status']}, not open.")
    db.update("free_agent_post", free_agent_post_id, status="taken_down")
    return _post(db, free_agent_post_id)
