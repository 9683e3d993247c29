"""Teams: divisions, teams, captains, and standings."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Division(TypedDict):
    division_id: Annotated[str, "the division"]
    name: Annotated[str, "as in Coed Recreational"]
    season: Annotated[str, "as in Fall 2026"]
    format: Annotated[Literal["coed", "mens", "womens"], "who plays"]
    level: Annotated[Literal["recreational", "intermediate", "competitive"], "level of play"]
    fee_cents: Annotated[int, "registration fee per player"]
    minimum_age: Annotated[int, "youngest age in years"]
    roster_limit: Annotated[int, "most players on a team"]
    registration_closes_on: Annotated[Date, "last day to register"]
    roster_locks_on: Annotated[Date, "day rosters lock"]
    starts_on: Annotated[Date, "first day of the season"]
    ends_on: Annotated[Date, "last day of the season"]


class DivisionList(TypedDict):
    divisions: Annotated[list[Division], "divisions"]
    total: Annotated[int, "all matches"]


class Team(TypedDict):
    team_id: Annotated[str, "the team"]
    name: Annotated[str, "team name"]
    color: Annotated[str, "jersey color"]
    division_id: Annotated[str, "its division"]
    division_name: Annotated[str, "division name"]
    season: Annotated[str, "season"]
    captain_member_id: Annotated[str, "captain"]
    captain_name: Annotated[str, "captain's name"]
    recruiting: Annotated[bool, "looks for players"]
    recruiting_note: Annotated[str | None, "what players it wants"]
    roster_count: Annotated[int, "live registrations"]
    roster_limit: Annotated[int, "most players"]


class TeamList(TypedDict):
    teams: Annotated[list[Team], "teams"]
    total: Annotated[int, "all matches"]


class Standing(TypedDict):
    team_id: Annotated[str, "the team"]
    team_name: Annotated[str, "team name"]
    games_played: Annotated[int, "played or forfeited games"]
    wins: Annotated[int, "wins"]
    losses: Annotated[int, "losses"]
    ties: Annotated[int, "ties"]
    points_for: Annotated[int, "points scored"]
    points_against: Annotated[int, "points allowed"]
    win_percentage: Annotated[float, "wins plus half the ties, in percent of games"]


class Standings(TypedDict):
    division_name: Annotated[str, "division name"]
    season: Annotated[str, "season"]
    standings: Annotated[list[Standing], "teams, best first"]


def _team(db, team_id):
    team = db.first(
        """
        SELECT team.*, division.name AS division_name, division.season, division.roster_limit, division.ends_on,
               member.name AS captain_name,
               (SELECT count(*) FROM registration
                WHERE registration.team_id = team.team_id AND registration.status <> 'withdrawn') AS roster_count
        FROM team
        JOIN division ON division.division_id = team.division_id
        JOIN member ON member.member_id = team.captain_member_id
        WHERE team.team_id = ?
        """,
        team_id,
    )
    return {**team, "recruiting": bool(team["recruiting"])}


def _team_record(db, team_id):
    team = _team(db, team_id)
    return {column: value for column, value in team.items() if column != "ends_on"}


@tool(reads=["division"])
def list_divisions(
    db: Database,
    season: Annotated[str | None, "exact season, as Fall 2026"] = None,
    format: Annotated[Literal["coed", "mens", "womens"] | None, "who plays"] = None,
    level: Annotated[Literal["recreational", "intermediate", "competitive"] | None, "level of play"] = None,
    open_on: Annotated[Date | None, "still open to register on this day"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> DivisionList:
    """List divisions, with fees, dates and limits.

    open_on keeps divisions whose registration_closes_on is that day or later. Sorted by starts_on, latest first, then
    name.
    """
    divisions = db.select(
        """
        SELECT * FROM division
        WHERE (? IS NULL OR season = ?) AND (? IS NULL OR format = ?) AND (? IS NULL OR level = ?)
          AND (? IS NULL OR registration_closes_on >= ?)
        ORDER BY starts_on DESC, name, division_id
        """,
        season,
        season,
        format,
        format,
        level,
        level,
        open_on,
        open_on,
    )
    return {"divisions": divisions[:limit], "total": len(divisions)}


@tool(writes=["division"], rejects=["NOT_FOUND", "INVALID_ARGUMENT"])
def set_registration_deadline(
    db: Database, division_id: Annotated[str, "the division"], registration_closes_on: Annotated[Date, "new last day"]
) -> Division:
    """Move the last day to register for a division; for league staff.

    Requires: The new day is today or later, and no later than the season's last day.

    Only registration_closes_on changes.
    """
    division = db.require("division", division_id)
    if not db.today <= registration_closes_on <= division["ends_on"]:
        raise Rejection.invalid_argument(
            f"The last day {registration_closes_on} must lie from {db.today} to the season's end on {division['ends_on']}."
        )
    return db.update("division", division_id, registration_closes_on=registration_closes_on)


@tool(reads=["member", "division", "team", "registration"], rejects=["NOT_FOUND"])
def search_teams(
    db: Database,
    name: Annotated[str | None, "part of the name", Field(min_length=1)] = None,
    division_id: Annotated[str | None, "its division"] = None,
    season: Annotated[str | None, "exact season"] = None,
    captain_member_id: Annotated[str | None, "its captain"] = None,
    recruiting: Annotated[bool | None, "whether it recruits"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> TeamList:
    """Search teams by name, division, season, captain, or whether they recruit.

    name matches teams whose name contains it. Sorted by team name.
    """
    if division_id is not None:
        db.require("division", division_id)
    if captain_member_id is not None:
        db.require("member", captain_member_id)
    wanted = None if recruiting is None else int(recruiting)
    found = db.select(
        """
        SELECT team.team_id FROM team JOIN division ON division.division_id = team.division_id
        WHERE (? IS NULL OR instr(lower(team.name), lower(?)) > 0)
          AND (? IS NULL OR team.division_id = ?) AND (? IS NULL OR division.season = ?)
          AND (? IS NULL OR team.captain_member_id = ?) AND (? IS NULL OR team.recruiting = ?)
        ORDER BY team.name, team.team_id
        """,
        name,
        name,
        division_id,
        division_id,
        season,
        season,
        captain_member_id,
        captain_member_id,
        wanted,
        wanted,
    )
    return {"teams": [_team_record(db, row["team_id"]) for row in found[:limit]], "total": len(found)}


@tool(
    reads=["member", "division", "registration"],
    writes=["team"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def rename_team(
    db: Database,
    team_id: Annotated[str, "the team"],
    name: Annotated[str, "new name", Field(min_length=1, max_length=40)],
) -> Team:
    """Give a team a new name.

    Requires: The season of its division is not over. No team of its division, itself included, has that name, ignoring
    case.

    Only name changes.
    """
    db.require("team", team_id)
    team = _team(db, team_id)
    if team["ends_on"] < db.today:
        raise Rejection.failed_precondition(
            f"The season of team {team_id!r} ended on {team['ends_on']}; it must not be over."
        )
    if db.first("SELECT team_id FROM team WHERE division_id = ? AND lower(name) = lower(?)", team["division_id"], name):
        raise Rejection.already_exists(f"A team of the division is named {name!r} already; give another name.")
    db.update("team", team_id, name=name)
    return _team_record(db, team_id)


@tool(
    reads=["member", "division", "registration"],
    writes=["team"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def set_recruiting(
    db: Database,
    team_id: Annotated[str, "the team"],
    recruiting: Annotated[bool, "looks for players"],
    recruiting_note: Annotated[str | None, "what players it wants", Field(min_length=1)] = None,
) -> Team:
    """Say whether a team is looking for players.

    Requires: A note is given only with recruiting true. To recruit, the team's season is not over and its roster is not
    full.

    recruiting is set; recruiting_note becomes the given note, null if none is given.
    """
    if recruiting_note is not None and not recruiting:
        raise Rejection.invalid_argument("A recruiting note is given with recruiting false; leave it out.")
    db.require("team", team_id)
    if recruiting:
        team = _team(db, team_id)
        if team["ends_on"] < db.today:
            raise Rejection.failed_precondition(
                f"The season of team {team_id!r} ended on {team['ends_on']}; it must not be over."
            )
        if team["roster_count"] >= team["roster_limit"]:
            raise Rejection.failed_precondition(
                f"Team {team_id!r} has {team['roster_count']} players, the most its division allows; it must have room."
            )
    db.update("team", team_id, recruiting=int(recruiting), recruiting_note=recruiting_note)
    return _team_record(db, team_id)


@tool(reads=["member", "division", "registration"], writes=["team"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def hand_over_captaincy(
    db: Database, team_id: Annotated[str, "the team"], member_id: Annotated[str, "the new captain"]
) -> Team:
    """Make another player of the team its captain.

    Requires: The member is not the captain already. The member has an active registration on the team.

    captain_member_id becomes the member.
    """
    team = db.require("team", team_id)
    db.require("member", member_id)
    if team["captain_member_id"] == member_id:
        raise Rejection.failed_precondition(f"Member {member_id!r} is the captain already; give another player.")
    if not db.first(
        "SELECT registration_id FROM registration WHERE team_id = ? AND member_id = ? AND status = 'active'",
        team_id,
        member_id,
    ):
        raise Rejection.failed_precondition(
            f"Member {member_id!r} has no active registration on team {team_id!r}; the new captain needs one."
        )
    db.update("team", team_id, captain_member_id=member_id)
    return _team_record(db, team_id)


@tool(reads=["division", "team", "game"], rejects=["NOT_FOUND"])
def get_standings(db: Database, division_id: Annotated[str, "the division"]) -> Standings:
    """Show the standings of a division.

    Counts played and forfeited games by their scores; every team of the division is listed. Sorted by win_percentage,
    then points_for minus points_against, both highest first, then team name.
    """
    division = db.require("division", division_id)
    rows = []
    for team in db.select("SELECT team_id, name FROM team WHERE division_id = ? ORDER BY team_id", division_id):
        scores = db.select(
            """
            SELECT CASE WHEN home_team_id = ? THEN home_score ELSE away_score END AS own,
                   CASE WHEN home_team_id = ? THEN away_score ELSE home_score END AS other
            FROM game
            WHERE (home_team_id = ? OR away_team_id = ?) AND status IN ('played', 'forfeited')
            """,
            team["team_id"],
            team["team_id"],
            team["team_id"],
            team["team_id"],
        )
        wins = sum(1 for score in scores if score["own"] > score["other"])
        ties = sum(1 for score in scores if score["own"] == score["other"])
        rows.append(
            {
                "team_id": team["team_id"],
                "team_name": team["name"],
                "games_played": len(scores),
                "wins": wins,
                "losses": len(scores) - wins - ties,
                "ties": ties,
                "points_for": sum(score["own"] for score in scores),
                "points_against": sum(score["other"] for score in scores),
                "win_percentage": round(100 * (wins + ties / 2) / len(scores), 2) if scores else 0.0,
            }
        )
    rows.sort(
        key=lambda row: (
            -row["win_percentage"],
            row["points_against"] - row["points_for"],
            row["team_name"],
            row["team_id"],
        )
    )
    return {"division_name": division["name"], "season": division["season"], "standings": rows}
