"""Discipline: suspensions and appeals."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Suspension(TypedDict):
    suspension_id: Annotated[str, "the suspension"]
    member_id: Annotated[str, "who is suspended"]
    game_id: Annotated[str, "game it comes from"]
    home_team_name: Annotated[str, "home team of that game"]
    away_team_name: Annotated[str, "away team of that game"]
    reason: Annotated[str, "what happened"]
    games_total: Annotated[int, "games to sit out"]
    games_served: Annotated[int, "games sat out so far"]
    status: Annotated[Literal["active", "under_appeal", "served", "lifted"], "state"]
    issued_on: Annotated[Date, "day issued"]


class SuspensionList(TypedDict):
    suspensions: Annotated[list[Suspension], "suspensions"]
    total: Annotated[int, "all matches"]


class Appeal(TypedDict):
    appeal_id: Annotated[str, "the appeal"]
    suspension_id: Annotated[str, "suspension appealed"]
    suspension_reason: Annotated[str, "reason of the suspension"]
    statement: Annotated[str, "member's side"]
    wants_hearing: Annotated[bool, "asks for a hearing"]
    status: Annotated[Literal["filed", "withdrawn", "granted", "denied"], "state"]
    filed_at: Annotated[Timestamp, "when filed"]


class AppealList(TypedDict):
    appeals: Annotated[list[Appeal], "appeals"]
    total: Annotated[int, "all matches"]


def _appeal(db, appeal_id):
    appeal = db.first(
        """
        SELECT appeal.*, suspension.reason AS suspension_reason
        FROM appeal JOIN suspension ON suspension.suspension_id = appeal.suspension_id
        WHERE appeal_id = ?
        """,
        appeal_id,
    )
    return {**appeal, "wants_hearing": bool(appeal["wants_hearing"])}


def _require_filed(db, appeal_id):
    appeal = db.require("appeal", appeal_id)
    if appeal["status"] != "filed":
        raise Rejection.failed_precondition(f"Appeal {appeal_id!r} is {appeal['status']}, not filed.")
    return appeal


@tool(reads=["member", "team", "game", "suspension"], rejects=["NOT_FOUND"])
def list_suspensions(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["active", "under_appeal", "served", "lifted"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> SuspensionList:
    """List a member's suspensions.

    Sorted by issued_on, latest first.
    """
    db.require("member", member_id)
    suspensions = db.select(
        """
        SELECT suspension.*, home.name AS home_team_name, away.name AS away_team_name
        FROM suspension
        JOIN game ON game.game_id = suspension.game_id
        JOIN team AS home ON home.team_id = game.home_team_id
        JOIN team AS away ON away.team_id = game.away_team_id
        WHERE suspension.member_id = ? AND (? IS NULL OR suspension.status = ?)
        ORDER BY suspension.issued_on DESC, suspension.suspension_id
        """,
        member_id,
        status,
        status,
    )
    return {"suspensions": suspensions[:limit], "total": len(suspensions)}


@tool(writes=["suspension", "appeal"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def file_appeal(
    db: Database,
    suspension_id: Annotated[str, "the suspension"],
    statement: Annotated[str, "member's side", Field(min_length=1)],
    wants_hearing: Annotated[bool, "asks for a hearing"] = False,
) -> Appeal:
    """Appeal a suspension.

    Requires: The suspension is active. No appeal against it was denied.

    The appeal is filed, filed_at now. The suspension becomes under_appeal.
    """
    suspension = db.require("suspension", suspension_id)
    if suspension["status"] != "active":
        raise Rejection.failed_precondition(f"Suspension {suspension_id!r} is {suspension['status']}, not active.")
    if db.first("SELECT appeal_id FROM appeal WHERE suspension_id = ? AND status = 'denied'", suspension_id):
        raise Rejection.failed_precondition(
            f"An appeal against suspension {suspension_id!r} was denied; that is final."
        )
    appeal_id = db.new_id("appeal")
    db.insert(
        "appeal",
        appeal_id=appeal_id,
        suspension_id=suspension_id,
        statement=statement,
        wants_hearing=int(wants_hearing),
        filed_at=db.now,
    )
    db.update("suspension", suspension_id, status="under_appeal")
    return _appeal(db, appeal_id)


@tool(reads=["member", "suspension", "appeal"], rejects=["NOT_FOUND"])
def list_appeals(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["filed", "withdrawn", "granted", "denied"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> AppealList:
    """List a member's appeals.

    Sorted by filed_at, latest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT appeal.appeal_id FROM appeal JOIN suspension ON suspension.suspension_id = appeal.suspension_id
        WHERE suspension.member_id = ? AND (? IS NULL OR appeal.status = ?)
        ORDER BY appeal.filed_at DESC, appeal.appeal_id
        """,
        member_id,
        status,
        status,
    )
    return {"appeals": [_appeal(db, row["appeal_id"]) for row in found[:limit]], "total": len(found)}


@tool(writes=["suspension", "appeal"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_appeal(db: Database, appeal_id: Annotated[str, "the appeal"]) -> Appeal:
    """Withdraw a filed appeal.

    Requires: The appeal is filed.

    The appeal becomes withdrawn, and its suspension active.
    """
    appeal = _require_filed(db, appeal_id)
    db.update("appeal", appeal_id, status="withdrawn")
    db.update("suspension", appeal["suspension_id"], status="active")
    return _appeal(db, appeal_id)


@tool(writes=["suspension", "appeal"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def decide_appeal(
    db: Database, appeal_id: Annotated[str, "the appeal"], granted: Annotated[bool, "granted or denied"]
) -> Appeal:
    """Decide a filed appeal; for league staff.

    Requires: The appeal is filed.

    The appeal becomes granted or denied; its suspension becomes lifted if granted, active if denied.
    """
    appeal = _require_filed(db, appeal_id)
    db.update("appeal", appeal_id, status="granted" if granted else "denied")
    db.update("suspension", appeal["suspension_id"], status="lifted" if granted else "active")
    return _appeal(db, appeal_id)
