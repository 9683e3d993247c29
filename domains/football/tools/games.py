"""Games: the schedule, player answers, scores, postponing, and forfeits."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class Game(TypedDict):
    game_id: Annotated[str, "the game"]
    division_id: Annotated[str, "the division"]
    home_team_id: Annotated[str, "home team"]
    home_team_name: Annotated[str, "its name"]
    away_team_id: Annotated[str, "away team"]
    away_team_name: Annotated[str, "its name"]
    field_id: Annotated[str, "the field"]
    field_name: Annotated[str, "field name"]
    starts_at: Annotated[Timestamp, "kickoff"]
    status: Annotated[Literal["scheduled", "postponed", "played", "forfeited"], "state"]
    home_score: Annotated[int | None, "home points"]
    away_score: Annotated[int | None, "away points"]
    forfeit_team_id: Annotated[str | None, "team that forfeited"]
    postponed_count: Annotated[int, "times postponed"]
    postponed_reason: Annotated[str | None, "why last postponed"]


class GameList(TypedDict):
    games: Annotated[list[Game], "games"]
    total: Annotated[int, "all matches"]


class GameAnswer(TypedDict):
    game_answer_id: Annotated[str, "the answer"]
    game_id: Annotated[str, "the game"]
    member_id: Annotated[str, "the player"]
    player_name: Annotated[str, "player's name"]
    answer: Annotated[Literal["in", "out", "maybe"], "will they play"]
    note: Annotated[str | None, "remark"]
    answered_at: Annotated[Timestamp, "last answered"]


class GameAnswers(TypedDict):
    game_id: Annotated[str, "the game"]
    in_count: Annotated[int, "answers in"]
    out_count: Annotated[int, "answers out"]
    maybe_count: Annotated[int, "answers maybe"]
    answers: Annotated[list[GameAnswer], "answers"]


def _game(db, game_id):
    return db.first(
        """
        SELECT game.*, home.division_id, home.name AS home_team_name, away.name AS away_team_name, field.name AS field_name
        FROM game
        JOIN team AS home ON home.team_id = game.home_team_id
        JOIN team AS away ON away.team_id = game.away_team_id
        JOIN field ON field.field_id = game.field_id
        WHERE game.game_id = ?
        """,
        game_id,
    )


def _is_ahead(db, game):
    return game["status"] == "scheduled" and game["starts_at"] > db.now


def _is_taken(db, field_id, starts_at, ends_at):
    if db.first(
        "SELECT game_id FROM game WHERE field_id = ? AND status = 'scheduled' AND starts_at > ? AND starts_at < ?",
        field_id,
        add_minutes(starts_at, -60),
        ends_at,
    ):
        return True
    bookings = db.select(
        "SELECT starts_at, hours FROM booking WHERE field_id = ? AND status = 'booked' AND starts_at < ?",
        field_id,
        ends_at,
    )
    return any(add_minutes(row["starts_at"], 60 * row["hours"]) > starts_at for row in bookings)


@tool(reads=["team", "field", "game"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_team_games(
    db: Database,
    team_id: Annotated[str, "the team"],
    status: Annotated[Literal["scheduled", "postponed", "played", "forfeited"] | None, "state"] = None,
    from_date: Annotated[Date | None, "first day"] = None,
    to_date: Annotated[Date | None, "last day"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> GameList:
    """List a team's games.

    Requires: from_date is not after to_date, where both are given.

    Home and away games whose starts_at falls on those days, sorted by starts_at.
    """
    if from_date is not None and to_date is not None and from_date > to_date:
        raise Rejection.invalid_argument(f"The first day {from_date} is after the last day {to_date}; it must not be.")
    db.require("team", team_id)
    found = db.select(
        """
        SELECT game_id FROM game
        WHERE (home_team_id = ? OR away_team_id = ?) AND (? IS NULL OR status = ?)
          AND (? IS NULL OR substr(starts_at, 1, 10) >= ?) AND (? IS NULL OR substr(starts_at, 1, 10) <= ?)
        ORDER BY starts_at, game_id
        """,
        team_id,
        team_id,
        status,
        status,
        from_date,
        from_date,
        to_date,
        to_date,
    )
    return {"games": [_game(db, row["game_id"]) for row in found[:limit]], "total": len(found)}


@tool(reads=["member", "registration", "game"], writes=["game_answer"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def answer_game(
    db: Database,
    member_id: Annotated[str, "the member"],
    game_id: Annotated[str, "the game"],
    answer: Annotated[Literal["in", "out", "maybe"], "will they play"],
    note: Annotated[str | None, "remark", Field(min_length=1)] = None,
) -> GameAnswer:
    """Record whether a player will play in a game.

    Requires: The game is scheduled and starts after now. The member has a live registration on one of its teams.

    The member's answer for the game is added, or replaced if there is one: answer, note (null if not given),
    answered_at now.
    """
    member = db.require("member", member_id)
    game = db.require("game", game_id)
    if not _is_ahead(db, game):
        raise Rejection.failed_precondition(
            f"Game {game_id!r} is {game['status']} for {game['starts_at']}; it must be scheduled and still ahead."
        )
    if not db.first(
        "SELECT registration_id FROM registration WHERE member_id = ? AND team_id IN (?, ?) AND status <> 'withdrawn'",
        member_id,
        game["home_team_id"],
        game["away_team_id"],
    ):
        raise Rejection.failed_precondition(
            f"Member {member_id!r} plays for neither team of game {game_id!r}; only players answer."
        )
    earlier = db.first("SELECT game_answer_id FROM game_answer WHERE game_id = ? AND member_id = ?", game_id, member_id)
    if earlier is None:
        row = db.insert(
            "game_answer",
            game_answer_id=db.new_id("game_answer"),
            game_id=game_id,
            member_id=member_id,
            answer=answer,
            note=note,
            answered_at=db.now,
        )
    else:
        row = db.update("game_answer", earlier["game_answer_id"], answer=answer, note=note, answered_at=db.now)
    return {**row, "player_name": member["name"]}


@tool(reads=["member", "game", "game_answer"], rejects=["NOT_FOUND"])
def list_game_answers(db: Database, game_id: Annotated[str, "the game"]) -> GameAnswers:
    """List who will play in a game.

    Sorted by player_name.
    """
    db.require("game", game_id)
    answers = db.select(
        """
        SELECT game_answer.*, member.name AS player_name
        FROM game_answer JOIN member ON member.member_id = game_answer.member_id
        WHERE game_id = ? ORDER BY member.name, game_answer_id
        """,
        game_id,
    )
    counts = Counter(row["answer"] for row in answers)
    return {
        "game_id": game_id,
        "in_count": counts["in"],
        "out_count": counts["out"],
        "maybe_count": counts["maybe"],
        "answers": answers,
    }


@tool(reads=["team", "field"], writes=["game"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def report_score(
    db: Database,
    game_id: Annotated[str, "the game"],
    home_score: Annotated[int, "home points", Field(ge=0, le=150)],
    away_score: Annotated[int, "away points", Field(ge=0, le=150)],
) -> Game:
    """Record or correct the final score of a game.

    Requires: The game is played, or is scheduled and its 60 minutes are over.

    status becomes played and both scores are set.
    """
    game = db.require("game", game_id)
    over = game["status"] == "scheduled" and add_minutes(game["starts_at"], 60) <= db.now
    if game["status"] != "played" and not over:
        raise Rejection.failed_precondition(
            f"Game {game_id!r} is {game['status']} for {game['starts_at']}; it must be played, or scheduled and over."
        )
    db.update("game", game_id, status="played", home_score=home_score, away_score=away_score)
    return _game(db, game_id)


@tool(reads=["team", "field"], writes=["game"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def postpone_game(
    db: Database, game_id: Annotated[str, "the game"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Game:
    """Postpone a game without a new time yet.

    Requires: The game is scheduled and starts after now.

    status becomes postponed, postponed_reason the reason; postponed_count goes up by 1; starts_at and field stay.
    """
    game = db.require("game", game_id)
    if not _is_ahead(db, game):
        raise Rejection.failed_precondition(
            f"Game {game_id!r} is {game['status']} for {game['starts_at']}; it must be scheduled and still ahead."
        )
    db.update("game", game_id, status="postponed", postponed_reason=reason, postponed_count=game["postponed_count"] + 1)
    return _game(db, game_id)


@tool(
    reads=["division", "team", "field", "booking"],
    writes=["game"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def reschedule_game(
    db: Database,
    game_id: Annotated[str, "the game"],
    starts_at: Annotated[Timestamp, "new kickoff"],
    field_id: Annotated[str, "the field"],
) -> Game:
    """Give a postponed game a new time and field.

    Requires: starts_at is after now. The 60 minutes from starts_at lie between 07:00 and 22:00 of one day. The game is
    postponed. The day of starts_at is no later than the season's last day. The field is open for use and not taken
    then. Neither team has another scheduled game that overlaps.

    status becomes scheduled; starts_at and field_id are set.
    """
    if starts_at <= db.now:
        raise Rejection.invalid_argument(f"The kickoff {starts_at} must be after now, {db.now}.")
    day = starts_at[:10]
    ends_at = add_minutes(starts_at, 60)
    if starts_at < f"{day} 07:00:00" or ends_at > f"{day} 22:00:00":
        raise Rejection.invalid_argument(f"A game from {starts_at} must lie between 07:00 and 22:00 of one day.")
    game = db.require("game", game_id)
    field = db.require("field", field_id)
    if game["status"] != "postponed":
        raise Rejection.failed_precondition(f"Game {game_id!r} is {game['status']}, not postponed.")
    ends_on = db.value(
        "SELECT ends_on FROM division JOIN team ON team.division_id = division.division_id WHERE team_id = ?",
        game["home_team_id"],
    )
    if day > ends_on:
        raise Rejection.failed_precondition(f"The day {day} is after the season's last day, {ends_on}; it must not be.")
    if not field["is_open"] or _is_taken(db, field_id, starts_at, ends_at):
        raise Rejection.failed_precondition(
            f"Field {field_id!r} is closed or taken at {starts_at}; it must be open and free."
        )
    if db.first(
        """
        SELECT game_id FROM game
        WHERE status = 'scheduled' AND starts_at > ? AND starts_at < ?
          AND (home_team_id IN (?, ?) OR away_team_id IN (?, ?))
        """,
        add_minutes(starts_at, -60),
        ends_at,
        game["home_team_id"],
        game["away_team_id"],
        game["home_team_id"],
        game["away_team_id"],
    ):
        raise Rejection.failed_precondition(f"One of the teams has another game around {starts_at}; both must be free.")
    db.update("game", game_id, status="scheduled", starts_at=starts_at, field_id=field_id)
    return _game(db, game_id)


@tool(reads=["team", "field"], writes=["game"], rejects=["NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION"])
def forfeit_game(
    db: Database, game_id: Annotated[str, "the game"], team_id: Annotated[str, "team that gives up"]
) -> Game:
    """Record that a team forfeits a game.

    Requires: The team is one of the game's teams. The game is scheduled or postponed.

    status becomes forfeited, forfeit_team_id that team; its score becomes 0, the other team's 14.
    """
    game = db.require("game", game_id)
    db.require("team", team_id)
    if team_id not in (game["home_team_id"], game["away_team_id"]):
        raise Rejection.invalid_argument(f"Team {team_id!r} does not play in game {game_id!r}; give one of its teams.")
    if game["status"] not in ("scheduled", "postponed"):
        raise Rejection.failed_precondition(f"Game {game_id!r} is {game['status']}, not scheduled or postponed.")
    is_home = team_id == game["home_team_id"]
    db.update(
        "game",
        game_id,
        status="forfeited",
        forfeit_team_id=team_id,
        home_score=0 if is_home else 14,
        away_score=14 if is_home else 0,
    )
    return _game(db, game_id)
