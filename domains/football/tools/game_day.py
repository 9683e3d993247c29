"""Game day: officials' shifts and season passes."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, add_minutes, tool


class Shift(TypedDict):
    shift_id: Annotated[str, "the shift"]
    game_id: Annotated[str, "the game"]
    home_team_name: Annotated[str, "home team"]
    away_team_name: Annotated[str, "away team"]
    field_name: Annotated[str, "field"]
    starts_at: Annotated[Timestamp, "kickoff"]
    role: Annotated[Literal["referee", "line_judge", "scorekeeper"], "job"]
    pay_cents: Annotated[int, "pay"]
    status: Annotated[Literal["open", "claimed", "worked"], "state"]
    member_id: Annotated[str | None, "who works it"]
    claimed_at: Annotated[Timestamp | None, "when claimed"]


class ShiftList(TypedDict):
    shifts: Annotated[list[Shift], "shifts"]
    total: Annotated[int, "all matches"]


class SeasonPass(TypedDict):
    season_pass_id: Annotated[str, "the pass"]
    member_id: Annotated[str, "who bought it"]
    kind: Annotated[Literal["spectator", "parking"], "kind"]
    holder_name: Annotated[str, "who uses it"]
    price_cents: Annotated[int, "price"]
    status: Annotated[Literal["active", "canceled"], "state"]
    bought_on: Annotated[Date, "day bought"]
    valid_through: Annotated[Date, "last valid day"]
    canceled_on: Annotated[Date | None, "day canceled"]


class SeasonPassList(TypedDict):
    passes: Annotated[list[SeasonPass], "passes"]
    total: Annotated[int, "all matches"]


_PRICES = {"spectator": 4000, "parking": 6000}


def _shift(db, shift_id):
    return db.first(
        """
        SELECT shift.*, home.name AS home_team_name, away.name AS away_team_name, field.name AS field_name, game.starts_at
        FROM shift
        JOIN game ON game.game_id = shift.game_id
        JOIN team AS home ON home.team_id = game.home_team_id
        JOIN team AS away ON away.team_id = game.away_team_id
        JOIN field ON field.field_id = game.field_id
        WHERE shift.shift_id = ?
        """,
        shift_id,
    )


def _reject_twin_pass(db, member_id, kind, holder_name):
    if db.first(
        """
        SELECT season_pass_id FROM season_pass
        WHERE member_id = ? AND kind = ? AND holder_name = ? AND status = 'active' AND valid_through >= ?
        """,
        member_id,
        kind,
        holder_name,
        db.today,
    ):
        raise Rejection.already_exists(
            f"A valid {kind} pass for {holder_name!r} exists already; one a person is enough."
        )


def _require_valid_pass(db, season_pass_id):
    season_pass = db.require("season_pass", season_pass_id)
    if season_pass["status"] != "active" or season_pass["valid_through"] < db.today:
        raise Rejection.failed_precondition(
            f"Pass {season_pass_id!r} is {season_pass['status']} through {season_pass['valid_through']}; it must be valid today."
        )
    return season_pass


@tool(reads=["team", "field", "game", "shift"], rejects=["INVALID_ARGUMENT"])
def list_open_shifts(
    db: Database,
    role: Annotated[Literal["referee", "line_judge", "scorekeeper"] | None, "job"] = None,
    from_date: Annotated[Date | None, "first day"] = None,
    to_date: Annotated[Date | None, "last day"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ShiftList:
    """List officials' shifts that nobody has claimed at scheduled games still ahead.

    Requires: from_date is not after to_date, where both are given.

    Open shifts of scheduled games that start after now, on those days, sorted by starts_at.
    """
    if from_date is not None and to_date is not None and from_date > to_date:
        raise Rejection.invalid_argument(f"The first day {from_date} is after the last day {to_date}; it must not be.")
    found = db.select(
        """
        SELECT shift.shift_id FROM shift JOIN game ON game.game_id = shift.game_id
        WHERE shift.status = 'open' AND game.status = 'scheduled' AND game.starts_at > ? AND (? IS NULL OR shift.role = ?)
          AND (? IS NULL OR substr(game.starts_at, 1, 10) >= ?) AND (? IS NULL OR substr(game.starts_at, 1, 10) <= ?)
        ORDER BY game.starts_at, shift.shift_id
        """,
        db.now,
        role,
        role,
        from_date,
        from_date,
        to_date,
        to_date,
    )
    return {"shifts": [_shift(db, row["shift_id"]) for row in found[:limit]], "total": len(found)}


@tool(reads=["member", "team", "field", "game", "shift"], rejects=["NOT_FOUND"])
def list_member_shifts(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["claimed", "worked"] | None, "state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ShiftList:
    """List the shifts a member claimed or worked.

    Sorted by starts_at, latest first.
    """
    db.require("member", member_id)
    found = db.select(
        """
        SELECT shift.shift_id FROM shift JOIN game ON game.game_id = shift.game_id
        WHERE shift.member_id = ? AND (? IS NULL OR shift.status = ?)
        ORDER BY game.starts_at DESC, shift.shift_id
        """,
        member_id,
        status,
        status,
    )
    return {"shifts": [_shift(db, row["shift_id"]) for row in found[:limit]], "total": len(found)}


@tool(
    reads=["member", "team", "registration", "field", "game"],
    writes=["shift"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def claim_shift(db: Database, shift_id: Annotated[str, "the shift"], member_id: Annotated[str, "the member"]) -> Shift:
    """Give an open shift to a member.

    Requires: The shift is open, its game scheduled and starting after now. The member has no live registration on
    either team. The member has no claimed shift at a scheduled game that overlaps, this game included.

    status becomes claimed, member_id the member, claimed_at now.
    """
    shift = db.require("shift", shift_id)
    db.require("member", member_id)
    game = db.require("game", shift["game_id"])
    if shift["status"] != "open" or game["status"] != "scheduled" or game["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Shift {shift_id!r} is {shift['status']}, its game {game['status']} for {game['starts_at']}; "
            "it must be open, at a scheduled game still ahead."
        )
    if db.first(
        "SELECT registration_id FROM registration WHERE member_id = ? AND team_id IN (?, ?) AND status <> 'withdrawn'",
        member_id,
        game["home_team_id"],
        game["away_team_id"],
    ):
        raise Rejection.failed_precondition(
            f"Member {member_id!r} plays for one of the teams; officials must play for neither."
        )
    if db.first(
        """
        SELECT shift.shift_id FROM shift JOIN game ON game.game_id = shift.game_id
        WHERE shift.member_id = ? AND shift.status = 'claimed' AND game.status = 'scheduled'
          AND game.starts_at > ? AND game.starts_at < ?
        """,
        member_id,
        add_minutes(game["starts_at"], -60),
        add_minutes(game["starts_at"], 60),
    ):
        raise Rejection.failed_precondition(
            f"Member {member_id!r} has a shift around {game['starts_at']}; shifts must not overlap."
        )
    db.update("shift", shift_id, status="claimed", member_id=member_id, claimed_at=db.now)
    return _shift(db, shift_id)


@tool(reads=["team", "field", "game"], writes=["shift"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def release_shift(db: Database, shift_id: Annotated[str, "the shift"]) -> Shift:
    """Give a claimed shift back.

    Requires: The shift is claimed and its game starts after now.

    status becomes open; member_id and claimed_at become null.
    """
    shift = db.require("shift", shift_id)
    starts_at = db.value("SELECT starts_at FROM game WHERE game_id = ?", shift["game_id"])
    if shift["status"] != "claimed" or starts_at <= db.now:
        raise Rejection.failed_precondition(
            f"Shift {shift_id!r} is {shift['status']} for {starts_at}; it must be claimed and still ahead."
        )
    db.update("shift", shift_id, status="open", member_id=None, claimed_at=None)
    return _shift(db, shift_id)


@tool(reads=["member", "season_pass"], rejects=["NOT_FOUND"])
def list_passes(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["active", "canceled"] | None, "state"] = None,
    kind: Annotated[Literal["spectator", "parking"] | None, "kind"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> SeasonPassList:
    """List the season passes a member bought.

    Sorted by valid_through, latest first.
    """
    db.require("member", member_id)
    passes = db.select(
        """
        SELECT * FROM season_pass
        WHERE member_id = ? AND (? IS NULL OR status = ?) AND (? IS NULL OR kind = ?)
        ORDER BY valid_through DESC, season_pass_id
        """,
        member_id,
        status,
        status,
        kind,
        kind,
    )
    return {"passes": passes[:limit], "total": len(passes)}


@tool(reads=["member"], writes=["season_pass", "charge"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def buy_pass(
    db: Database,
    member_id: Annotated[str, "the member"],
    kind: Annotated[Literal["spectator", "parking"], "kind"],
    holder_name: Annotated[str, "who will use it", Field(min_length=1)],
) -> SeasonPass:
    """Sell a member a season pass.

    Requires: The member has no valid pass of that kind for the same holder_name.

    The pass is active, bought_on today, valid_through 120 days after today; price_cents is 4000 for spectator, 6000 for
    parking. An open charge of kind season_pass for the price is added, due 14 days after today, with the season_pass_id
    and the note 'Season pass, ' followed by the holder name.
    """
    db.require("member", member_id)
    _reject_twin_pass(db, member_id, kind, holder_name)
    season_pass = db.insert(
        "season_pass",
        season_pass_id=db.new_id("season_pass"),
        member_id=member_id,
        kind=kind,
        holder_name=holder_name,
        price_cents=_PRICES[kind],
        bought_on=db.today,
        valid_through=add_days(db.today, 120),
    )
    db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        member_id=member_id,
        kind="season_pass",
        amount_cents=_PRICES[kind],
        due_on=add_days(db.today, 14),
        note=f"Season pass, {holder_name}",
        season_pass_id=season_pass["season_pass_id"],
        charged_on=db.today,
    )
    return season_pass


@tool(writes=["season_pass"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def change_pass_holder(
    db: Database,
    season_pass_id: Annotated[str, "the pass"],
    holder_name: Annotated[str, "who will use it", Field(min_length=1)],
) -> SeasonPass:
    """Put a valid season pass in another person's name.

    Requires: The pass is valid. Its buyer has no valid pass of that kind for that name, this one included.

    Only holder_name changes.
    """
    season_pass = _require_valid_pass(db, season_pass_id)
    _reject_twin_pass(db, season_pass["member_id"], season_pass["kind"], holder_name)
    return db.update("season_pass", season_pass_id, holder_name=holder_name)


@tool(writes=["season_pass"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_pass(db: Database, season_pass_id: Annotated[str, "the pass"]) -> SeasonPass:
    """Cancel a valid season pass.

    Requires: The pass is valid.

    status becomes canceled, canceled_on today.
    """
    _require_valid_pass(db, season_pass_id)
    return db.update("season_pass", season_pass_id, status="canceled", canceled_on=db.today)
