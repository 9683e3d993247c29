"""Transfers: moving players between teams."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Transfer(TypedDict):
    transfer_id: Annotated[str, "the request"]
    registration_id: Annotated[str, "registration to move"]
    member_id: Annotated[str, "the player"]
    player_name: Annotated[str, "player's name"]
    from_team_id: Annotated[str, "team left"]
    from_team_name: Annotated[str, "its name"]
    to_team_id: Annotated[str, "team joined"]
    to_team_name: Annotated[str, "its name"]
    season: Annotated[str, "season"]
    reason: Annotated[str | None, "why"]
    status: Annotated[Literal["requested", "accepted", "declined", "withdrawn"], "state"]
    requested_at: Annotated[Timestamp, "when requested"]
    decided_at: Annotated[Timestamp | None, "when accepted, declined or withdrawn"]


class TransferList(TypedDict):
    transfers: Annotated[list[Transfer], "requests"]
    total: Annotated[int, "all matches"]


def _transfer(db, transfer_id):
    return db.first(
        """
        SELECT transfer.transfer_id, transfer.registration_id, registration.member_id, member.name AS player_name,
               transfer.from_team_id, origin.name AS from_team_name, transfer.to_team_id, target.name AS to_team_name,
               division.season, transfer.reason, transfer.status, transfer.requested_at, transfer.decided_at
        FROM transfer
        JOIN registration ON registration.registration_id = transfer.registration_id
        JOIN member ON member.member_id = registration.member_id
        JOIN team AS origin ON origin.team_id = transfer.from_team_id
        JOIN team AS target ON target.team_id = transfer.to_team_id
        JOIN division ON division.division_id = target.division_id
        WHERE transfer.transfer_id = ?
        """,
        transfer_id,
    )


def _require_requested(db, transfer_id):
    transfer = db.require("transfer", transfer_id)
    if transfer["status"] != "requested":
        raise Rejection.failed_precondition(f"Transfer {transfer_id!r} is {transfer['status']}, not requested.")
    return transfer


def _require_room(db, team):
    limit = db.value("SELECT roster_limit FROM division WHERE division_id = ?", team["division_id"])
    players = db.value("SELECT count(*) FROM registration WHERE team_id = ? AND status <> 'withdrawn'", team["team_id"])
    if players >= limit:
        raise Rejection.failed_precondition(
            f"Team {team['team_id']!r} has {players} players, the most allowed; the team to join needs room."
        )


@tool(
    reads=["member", "division", "team", "registration"],
    writes=["transfer"],
    rejects=["NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def request_transfer(
    db: Database,
    registration_id: Annotated[str, "the registration"],
    to_team_id: Annotated[str, "team to join"],
    reason: Annotated[str | None, "why", Field(min_length=1)] = None,
) -> Transfer:
    """Ask to move a registration to another team of its division.

    Requires: The team to join is another team of the same division. The registration is active and its season is not
    over. The player is not the captain of the team left. The registration has no requested transfer. The roster of the
    team to join is not full.

    The transfer is requested, requested_at now, from_team_id the registration's team.
    """
    registration = db.require("registration", registration_id)
    target = db.require("team", to_team_id)
    origin = db.require("team", registration["team_id"])
    if to_team_id == origin["team_id"] or target["division_id"] != origin["division_id"]:
        raise Rejection.invalid_argument(f"Team {to_team_id!r} must be another team of the same division.")
    if registration["status"] != "active":
        raise Rejection.failed_precondition(
            f"Registration {registration_id!r} is {registration['status']}, not active."
        )
    ends_on = db.value("SELECT ends_on FROM division WHERE division_id = ?", origin["division_id"])
    if ends_on < db.today:
        raise Rejection.failed_precondition(f"The season ended on {ends_on}; it must not be over.")
    if origin["captain_member_id"] == registration["member_id"]:
        raise Rejection.failed_precondition(
            f"The player is captain of {origin['name']!r}; another player must take that over first."
        )
    if db.first("SELECT transfer_id FROM transfer WHERE registration_id = ? AND status = 'requested'", registration_id):
        raise Rejection.already_exists(
            f"A transfer of registration {registration_id!r} is requested already; one at a time."
        )
    _require_room(db, target)
    transfer_id = db.new_id("transfer")
    db.insert(
        "transfer",
        transfer_id=transfer_id,
        registration_id=registration_id,
        from_team_id=origin["team_id"],
        to_team_id=to_team_id,
        reason=reason,
        requested_at=db.now,
    )
    return _transfer(db, transfer_id)


@tool(reads=["member", "division", "team", "registration", "transfer"], rejects=["NOT_FOUND"])
def list_transfers(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["requested", "accepted", "declined", "withdrawn"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> TransferList:
    """List the transfer requests of a player.

    Sorted by requested_at, latest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT transfer.transfer_id FROM transfer
        JOIN registration ON registration.registration_id = transfer.registration_id
        WHERE registration.member_id = ? AND (? IS NULL OR transfer.status = ?)
        ORDER BY transfer.requested_at DESC, transfer.transfer_id
        """,
        member_id,
        status,
        status,
    )
    return {"transfers": [_transfer(db, row["transfer_id"]) for row in found[:limit]], "total": len(found)}


@tool(reads=["member", "division", "team", "registration", "transfer"], rejects=["NOT_FOUND"])
def list_team_transfers(
    db: Database,
    team_id: Annotated[str, "the team to join"],
    status: Annotated[Literal["requested", "accepted", "declined", "withdrawn"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> TransferList:
    """List the transfer requests to join a team, for its captain.

    Only requests whose to_team_id is the team; sorted by requested_at, latest first.
    """
    db.require("team", team_id)
    found = db.select(
        """
        SELECT transfer_id FROM transfer WHERE to_team_id = ? AND (? IS NULL OR status = ?)
        ORDER BY requested_at DESC, transfer_id
        """,
        team_id,
        status,
        status,
    )
    return {"transfers": [_transfer(db, row["transfer_id"]) for row in found[:limit]], "total": len(found)}


@tool(
    reads=["member", "division", "team"],
    writes=["registration", "transfer"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def accept_transfer(
    db: Database,
    transfer_id: Annotated[str, "the request"],
    jersey_number: Annotated[int, "number on the new team", Field(ge=0, le=99)],
) -> Transfer:
    """Accept a player's transfer to the team they want to join.

    Requires: The transfer is requested. The registration is active. The roster of the team to join is not full. No live
    registration of that team has that number.

    status becomes accepted, decided_at now. The registration's team_id becomes to_team_id and its jersey_number the
    given one.
    """
    transfer = _require_requested(db, transfer_id)
    registration = db.require("registration", transfer["registration_id"])
    if registration["status"] != "active":
        raise Rejection.failed_precondition(
            f"Registration {registration['registration_id']!r} is {registration['status']}, not active."
        )
    target = db.require("team", transfer["to_team_id"])
    _require_room(db, target)
    if db.first(
        "SELECT registration_id FROM registration WHERE team_id = ? AND jersey_number = ? AND status <> 'withdrawn'",
        target["team_id"],
        jersey_number,
    ):
        raise Rejection.failed_precondition(
            f"Jersey number {jersey_number} is taken on {target['name']!r}; give a free one."
        )
    db.update("transfer", transfer_id, status="accepted", decided_at=db.now)
    db.update("registration", registration["registration_id"], team_id=target["team_id"], jersey_number=jersey_number)
    return _transfer(db, transfer_id)


@tool(
    reads=["member", "division", "team", "registration"],
    writes=["transfer"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def decline_transfer(db: Database, transfer_id: Annotated[str, "the request"]) -> Transfer:
    """Decline a player's transfer for the team they want to join.

    Requires: The transfer is requested.

    status becomes declined, decided_at now.
    """
    _require_requested(db, transfer_id)
    db.update("transfer", transfer_id, status="declined", decided_at=db.now)
    return _transfer(db, transfer_id)


@tool(
    reads=["member", "division", "team", "registration"],
    writes=["transfer"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def withdraw_transfer(db: Database, transfer_id: Annotated[str, "the request"]) -> Transfer:
    """Withdraw a transfer request for the player.

    Requires: The transfer is requested.

    status becomes withdrawn, decided_at now.
    """
    _require_requested(db, transfer_id)
    db.update("transfer", transfer_id, status="withdrawn", decided_at=db.now)
    return _transfer(db, transfer_id)
