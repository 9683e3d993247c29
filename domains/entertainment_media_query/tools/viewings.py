"""Viewings: free booths, booking, moving, canceling, and attending."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool, weekday


class FreeBooths(TypedDict):
    booths: Annotated[list[int], "free booth numbers, ascending"]


class Viewing(TypedDict):
    viewing_id: Annotated[str, "the viewing"]
    member_id: Annotated[str, "who booked it"]
    recording_id: Annotated[str, "what they watch"]
    recording_name: Annotated[str, "name of the recording"]
    starts_at: Annotated[Timestamp, "start"]
    minutes: Annotated[int, "length in minutes"]
    booth: Annotated[int, "booth number"]
    party_size: Annotated[int, "people coming, member included"]
    status: Annotated[Literal["booked", "attended", "missed", "canceled"], "state"]
    moves: Annotated[int, "times it was moved"]
    created_at: Annotated[Timestamp, "when it was booked"]
    checked_in_at: Annotated[Timestamp | None, "when the member came"]
    canceled_at: Annotated[Timestamp | None, "when it was canceled"]


class ViewingList(TypedDict):
    viewings: Annotated[list[Viewing], "the viewings"]
    total: Annotated[int, "viewings that match"]


_SEATS = {1: 2, 2: 2, 3: 4, 4: 8}
_OPEN_DAYS = ("Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")


def _require_hours(db, starts_at, minutes):
    ends_at = add_minutes(starts_at, minutes)
    day = starts_at[:10]
    if starts_at <= db.now:
        raise Rejection.invalid_argument(f"The start {starts_at} is not later than now.")
    if weekday(day) not in _OPEN_DAYS or starts_at[11:] < "10:00:00" or ends_at > f"{day} 18:00:00":
        raise Rejection.invalid_argument(f"{starts_at} to {ends_at} is not within opening hours.")


def _overlaps(viewings, starts_at):
    return [viewing for viewing in viewings if add_minutes(viewing["starts_at"], viewing["minutes"]) > starts_at]


def _free_booths(db, starts_at, minutes, party_size, viewing_id):
    nearby = db.select(
        """
        SELECT booth, starts_at, minutes FROM viewing
        WHERE status IN ('booked', 'attended') AND viewing_id <> ? AND starts_at < ?
        """,
        viewing_id,
        add_minutes(starts_at, minutes),
    )
    taken = [viewing["booth"] for viewing in _overlaps(nearby, starts_at)]
    return [booth for booth, seats in _SEATS.items() if seats >= party_size and booth not in taken]


def _require_time(db, member_id, starts_at, minutes, viewing_id):
    nearby = db.select(
        """
        SELECT starts_at, minutes FROM viewing
        WHERE status = 'booked' AND member_id = ? AND viewing_id <> ? AND starts_at < ?
        """,
        member_id,
        viewing_id,
        add_minutes(starts_at, minutes),
    )
    if _overlaps(nearby, starts_at):
        raise Rejection.failed_precondition(f"Member {member_id!r} has another booked viewing at that time.")


def _require_booth(db, starts_at, minutes, party_size, viewing_id, booth):
    free = _free_booths(db, starts_at, minutes, party_size, viewing_id)
    if booth is None and not free:
        raise Rejection.failed_precondition(f"No booth that seats {party_size} is free at {starts_at}.")
    if booth is not None and booth not in free:
        raise Rejection.failed_precondition(f"Booth {booth} is taken at {starts_at} or does not seat {party_size}.")
    return free[0] if booth is None else booth


def _require_ahead(db, viewing):
    if viewing["status"] != "booked":
        raise Rejection.failed_precondition(f"Viewing {viewing['viewing_id']!r} is {viewing['status']}, not booked.")
    if viewing["starts_at"] <= db.now:
        raise Rejection.failed_precondition(f"Viewing {viewing['viewing_id']!r} has started at {viewing['starts_at']}.")


def _named(db, viewing):
    return {**viewing, "recording_name": db.require("recording", viewing["recording_id"])["name"]}


@tool(reads=["viewing"], rejects=["INVALID_ARGUMENT"])
def find_free_booths(
    db: Database,
    starts_at: Annotated[Timestamp, "start"],
    minutes: Annotated[int, "length in minutes", Field(ge=15, le=240)],
    party_size: Annotated[int, "people to seat", Field(ge=1, le=8)] = 1,
) -> FreeBooths:
    """List the booths that are free for a stretch of time.

    Requires: The viewing starts later than now and lies within opening hours of one day.

    Booths that are free for the whole stretch and seat the party.
    """
    _require_hours(db, starts_at, minutes)
    return {"booths": _free_booths(db, starts_at, minutes, party_size, "")}


@tool(reads=["member", "recording", "viewing"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_viewings(
    db: Database,
    member_id: Annotated[str, "whose viewings"],
    status: Annotated[Literal["booked", "attended", "missed", "canceled"] | None, "only these"] = None,
    from_day: Annotated[Date | None, "earliest day"] = None,
    to_day: Annotated[Date | None, "latest day"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ViewingList:
    """List a member's viewings, latest start first.

    Requires: from_day is not later than to_day, if both are given.

    Days compare with the day of starts_at. Order: starts_at descending.
    """
    if from_day is not None and to_day is not None and from_day > to_day:
        raise Rejection.invalid_argument(f"from_day {from_day} is later than to_day {to_day}.")
    db.require("member", member_id)
    viewings = db.select(
        """
        SELECT viewing.*, recording.name AS recording_name
        FROM viewing JOIN recording USING (recording_id)
        WHERE viewing.member_id = ?
          AND (? IS NULL OR viewing.status = ?)
          AND (? IS NULL OR substr(viewing.starts_at, 1, 10) >= ?)
          AND (? IS NULL OR substr(viewing.starts_at, 1, 10) <= ?)
        ORDER BY viewing.starts_at DESC, viewing.viewing_id
        """,
        member_id,
        status,
        status,
        from_day,
        from_day,
        to_day,
        to_day,
    )
    return {"viewings": viewings[:limit], "total": len(viewings)}


@tool(
    reads=["member", "recording"], writes=["viewing"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def book_viewing(
    db: Database,
    member_id: Annotated[str, "who comes"],
    recording_id: Annotated[str, "what to play"],
    starts_at: Annotated[Timestamp, "start"],
    minutes: Annotated[int, "length in minutes", Field(ge=15, le=240)],
    party_size: Annotated[int, "people coming, member included", Field(ge=1, le=8)] = 1,
    booth: Annotated[int | None, "booth number", Field(ge=1, le=4)] = None,
) -> Viewing:
    """Book a booth for a member to watch or hear a recording.

    Requires: The viewing starts later than now and lies within opening hours of one day. The recording is cataloged. No
    booked viewing of the same member overlaps it. The booth given, or else some booth, is free and seats the party.

    Without a booth, it gets the lowest-numbered one that is free and seats the party. The new viewing is booked; moves
    is 0.
    """
    _require_hours(db, starts_at, minutes)
    db.require("member", member_id)
    recording = db.require("recording", recording_id)
    if recording["status"] != "cataloged":
        raise Rejection.failed_precondition(f"Recording {recording_id!r} is {recording['status']}, not cataloged.")
    _require_time(db, member_id, starts_at, minutes, "")
    viewing = db.insert(
        "viewing",
        viewing_id=db.new_id("viewing"),
        member_id=member_id,
        recording_id=recording_id,
        starts_at=starts_at,
        minutes=minutes,
        booth=_require_booth(db, starts_at, minutes, party_size, "", booth),
        party_size=party_size,
        status="booked",
        moves=0,
        created_at=db.now,
    )
    return _named(db, viewing)


@tool(reads=["recording"], writes=["viewing"], rejects=["NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION"])
def move_viewing(
    db: Database,
    viewing_id: Annotated[str, "viewing to move"],
    starts_at: Annotated[Timestamp, "new start"],
    booth: Annotated[int | None, "booth number", Field(ge=1, le=4)] = None,
) -> Viewing:
    """Move a booked viewing to another time.

    Requires: The viewing, at its new time, starts later than now and lies within opening hours of one day. The viewing
    is booked and has not started. No other booked viewing of the same member overlaps the new time. The booth given, or
    else some booth, is free and seats the party.

    starts_at changes; moves goes up by 1; minutes and party_size stay. Without a booth, it gets the lowest-numbered one
    that is free and seats the party.
    """
    viewing = db.require("viewing", viewing_id)
    _require_hours(db, starts_at, viewing["minutes"])
    _require_ahead(db, viewing)
    _require_time(db, viewing["member_id"], starts_at, viewing["minutes"], viewing_id)
    booth = _require_booth(db, starts_at, viewing["minutes"], viewing["party_size"], viewing_id, booth)
    return _named(db, db.update("viewing", viewing_id, starts_at=starts_at, booth=booth, moves=viewing["moves"] + 1))


@tool(reads=["recording"], writes=["viewing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_party_size(
    db: Database,
    viewing_id: Annotated[str, "viewing to change"],
    party_size: Annotated[int, "people coming, member included", Field(ge=1, le=8)],
) -> Viewing:
    """Change how many people come to a booked viewing.

    Requires: The viewing is booked and has not started. Its booth seats that many.

    party_size changes; the booth stays.
    """
    viewing = db.require("viewing", viewing_id)
    _require_ahead(db, viewing)
    seats = _SEATS[viewing["booth"]]
    if party_size > seats:
        raise Rejection.failed_precondition(f"Booth {viewing['booth']} seats {seats}, not {party_size}.")
    return _named(db, db.update("viewing", viewing_id, party_size=party_size))


@tool(reads=["recording"], writes=["viewing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_viewing(db: Database, viewing_id: Annotated[str, "viewing to cancel"]) -> Viewing:
    """Cancel a booked viewing.

    Requires: The viewing is booked and has not started.

    status becomes canceled; canceled_at becomes now.
    """
    _require_ahead(db, db.require("viewing", viewing_id))
    return _named(db, db.update("viewing", viewing_id, status="canceled", canceled_at=db.now))


@tool(reads=["recording"], writes=["viewing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def check_in_viewing(db: Database, viewing_id: Annotated[str, "viewing to check in"]) -> Viewing:
    """Record that the member has come for a booked viewing today.

    Requires: The viewing is booked. The viewing starts today and its end is later than now.

    status becomes attended; checked_in_at becomes now.
    """
    viewing = db.require("viewing", viewing_id)
    if viewing["status"] != "booked":
        raise Rejection.failed_precondition(f"Viewing {viewing_id!r} is {viewing['status']}, not booked.")
    if viewing["starts_at"][:10] != db.today or add_minutes(viewing["starts_at"], viewing["minutes"]) <= db.now:
        raise Rejection.failed_precondition(
            f"Viewing {viewing_id!r} starts at {viewing['starts_at']}: not today, or over."
        )
    return _named(db, db.update("viewing", viewing_id, status="attended", checked_in_at=db.now))


@tool(reads=["recording"], writes=["viewing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def report_missed_viewing(db: Database, viewing_id: Annotated[str, "viewing that was missed"]) -> Viewing:
    """Record that nobody came for a booked viewing.

    Requires: The viewing is booked. Its end is not later than now.

    status becomes missed.
    """
    viewing = db.require("viewing", viewing_id)
    if viewing["status"] != "booked":
        raise Rejection.failed_precondition(f"Viewing {viewing_id!r} is {viewing['status']}, not booked.")
    if add_minutes(viewing["starts_at"], viewing["minutes"]) > db.now:
        raise Rejection.failed_precondition(f"Viewing {viewing_id!r} is not over yet.")
    return _named(db, db.update("viewing", viewing_id, status="missed"))
