"""Shop: booking stations of the shop."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class Station(TypedDict):
    station_id: Annotated[str, "the station"]
    name: Annotated[str, "name on the shop floor"]
    kind: Annotated[Literal["router", "paint_booth", "assembly_bay", "laser"], "kind of station"]
    hourly_cents: Annotated[int, "price an hour"]
    status: Annotated[Literal["in_service", "down"], "in_service or down"]


class StationList(TypedDict):
    stations: Annotated[list[Station], "stations found"]
    total: Annotated[int, "all matches"]


class Booking(TypedDict):
    booking_id: Annotated[str, "the booking"]
    project_id: Annotated[str, "project that pays"]
    station_id: Annotated[str, "station booked"]
    station_name: Annotated[str, "name of the station"]
    starts_at: Annotated[Timestamp, "when it starts"]
    hours: Annotated[int, "full hours"]
    cost_cents: Annotated[int, "price of the hours"]
    status: Annotated[Literal["booked", "canceled"], "booked or canceled"]


class BookingList(TypedDict):
    bookings: Annotated[list[Booking], "bookings found"]
    total: Annotated[int, "all matches"]


class BookingBatch(TypedDict):
    bookings: Annotated[list[Booking], "bookings canceled"]


def _booking(db, booking_id):
    """The record of a booking, with the name of its station."""
    return db.first(
        """
        SELECT booking_id, project_id, booking.station_id, name AS station_name, starts_at, hours, cost_cents,
               booking.status
        FROM booking JOIN station ON station.station_id = booking.station_id
        WHERE booking_id = ?
        """,
        booking_id,
    )


def _check_start(db, starts_at):
    """Require a start on a full hour after now."""
    if starts_at <= db.now:
        raise Rejection.invalid_argument(f"The start {starts_at} is not after now, {db.now}.")
    if starts_at[14:] != "00:00":
        raise Rejection.invalid_argument(f"The start {starts_at} is not on a full hour.")


def _check_free(db, station, starts_at, hours, besides):
    """Require a station in service that no other booking takes at that time."""
    if station["status"] != "in_service":
        raise Rejection.failed_precondition(f"Station {station['name']!r} is down.")
    ends_at = add_minutes(starts_at, 60 * hours)
    for other in db.select(
        "SELECT starts_at, hours FROM booking WHERE station_id = ? AND status = 'booked' AND booking_id <> ?",
        station["station_id"],
        besides,
    ):
        if other["starts_at"] < ends_at and add_minutes(other["starts_at"], 60 * other["hours"]) > starts_at:
            raise Rejection.failed_precondition(
                f"Station {station['name']!r} is booked for {other['hours']} hours from {other['starts_at']}."
            )


def _check_upcoming(db, booking):
    """Require a booking that is booked and starts after now."""
    if booking["status"] != "booked" or booking["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Booking {booking['booking_id']!r} is {booking['status']} and starts {booking['starts_at']}; "
            "it must be booked and start after now."
        )


@tool(reads=["station"])
def search_stations(
    db: Database,
    kind: Annotated[Literal["router", "paint_booth", "assembly_bay", "laser"] | None, "only this kind"] = None,
    status: Annotated[Literal["in_service", "down"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> StationList:
    """Find stations of the shop.

    By name.
    """
    stations = db.select(
        """
        SELECT station_id, name, kind, hourly_cents, status FROM station
        WHERE (? IS NULL OR kind = ?) AND (? IS NULL OR status = ?)
        ORDER BY name, station_id
        """,
        kind,
        kind,
        status,
        status,
    )
    return {"stations": stations[:limit], "total": len(stations)}


@tool(reads=["project", "station", "booking"], rejects=["NOT_FOUND"])
def list_bookings(
    db: Database,
    project_id: Annotated[str, "the project"],
    status: Annotated[Literal["booked", "canceled"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> BookingList:
    """List the station bookings of a project.

    By starts_at.
    """
    db.require("project", project_id)
    rows = db.select(
        """
        SELECT booking_id FROM booking WHERE project_id = ? AND (? IS NULL OR status = ?)
        ORDER BY starts_at, booking_id
        """,
        project_id,
        status,
        status,
    )
    return {"bookings": [_booking(db, row["booking_id"]) for row in rows[:limit]], "total": len(rows)}


@tool(
    reads=["project", "station"], writes=["booking"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"]
)
def book_station(
    db: Database,
    project_id: Annotated[str, "the project"],
    station_id: Annotated[str, "station to book"],
    starts_at: Annotated[Timestamp, "when it starts"],
    hours: Annotated[int, "full hours", Field(ge=1, le=8)],
) -> Booking:
    """Book a station for a project.

    Requires: starts_at is after now, on a full hour. The project is active. The station is in service. No booked
    booking of the station overlaps.

    Adds a booking with status booked; cost_cents is hours times the station's hourly_cents.
    """
    _check_start(db, starts_at)
    project = db.require("project", project_id)
    station = db.require("station", station_id)
    if project["status"] != "active":
        raise Rejection.failed_precondition(f"Project {project_id!r} is {project['status']}, not active.")
    _check_free(db, station, starts_at, hours, "")
    booking = db.insert(
        "booking",
        booking_id=db.new_id("booking"),
        project_id=project_id,
        station_id=station_id,
        starts_at=starts_at,
        hours=hours,
        cost_cents=hours * station["hourly_cents"],
        status="booked",
    )
    return _booking(db, booking["booking_id"])


@tool(reads=["station"], writes=["booking"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def move_booking(
    db: Database, booking_id: Annotated[str, "booking to move"], starts_at: Annotated[Timestamp, "new start"]
) -> Booking:
    """Move an upcoming booking to another time.

    Requires: starts_at is after now, on a full hour. The booking is upcoming. The station is in service. No other
    booked booking of the station overlaps.

    starts_at changes; hours and cost_cents stay.
    """
    _check_start(db, starts_at)
    booking = db.require("booking", booking_id)
    _check_upcoming(db, booking)
    _check_free(db, db.require("station", booking["station_id"]), starts_at, booking["hours"], booking_id)
    db.update("booking", booking_id, starts_at=starts_at)
    return _booking(db, booking_id)


@tool(reads=["station"], writes=["booking"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_bookings(
    db: Database, booking_ids: Annotated[list[str], "bookings to cancel", Field(min_length=1, max_length=20)]
) -> BookingBatch:
    """Cancel upcoming bookings.

    Requires: Every booking is upcoming.

    status becomes canceled, canceled_on today for each.
    """
    if len(set(booking_ids)) < len(booking_ids):
        raise Rejection.invalid_argument("The list names a booking twice.")
    bookings = [db.require("booking", booking_id) for booking_id in booking_ids]
    for booking in bookings:
        _check_upcoming(db, booking)
    for booking_id in booking_ids:
        db.update("booking", booking_id, status="canceled", canceled_on=db.today)
    return {"bookings": [_booking(db, booking_id) for booking_id in booking_ids]}


@tool(writes=["station"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_station_status(
    db: Database,
    station_id: Annotated[str, "the station"],
    status: Annotated[Literal["in_service", "down"], "new status"],
) -> Station:
    """Take a station out of service or put it back.

    Requires: The station does not have this status already.

    status changes.
    """
    station = db.require("station", station_id)
    if station["status"] == status:
        raise Rejection.failed_precondition(f"Station {station_id!r} is {status} already.")
    db.update("station", station_id, status=status)
    return {
        "station_id": station_id,
        "name": station["name"],
        "kind": station["kind"],
        "hourly_cents": station["hourly_cents"],
        "status": status,
    }
