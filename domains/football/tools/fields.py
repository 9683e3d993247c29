"""Fields: the league's fields and practice bookings."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class FieldRecord(TypedDict):
    field_id: Annotated[str, "the field"]
    name: Annotated[str, "field name"]
    address: Annotated[str, "where it is"]
    surface: Annotated[Literal["grass", "turf"], "surface"]
    has_lights: Annotated[bool, "has lights"]
    hourly_rate_cents: Annotated[int, "practice price per hour"]
    is_open: Annotated[bool, "open for use"]
    problem: Annotated[str | None, "problem reported"]
    problem_reported_on: Annotated[Date | None, "day it was reported"]


class FieldList(TypedDict):
    fields: Annotated[list[FieldRecord], "fields"]
    total: Annotated[int, "all matches"]


class TakenSlot(TypedDict):
    use: Annotated[Literal["game", "booking"], "game or booking"]
    starts_at: Annotated[Timestamp, "start"]
    ends_at: Annotated[Timestamp, "end"]


class FieldDay(TypedDict):
    field_id: Annotated[str, "the field"]
    field_name: Annotated[str, "field name"]
    day: Annotated[Date, "the day"]
    taken: Annotated[list[TakenSlot], "slots taken"]
    free_minutes: Annotated[int, "minutes left from 07:00 to 22:00"]


class Booking(TypedDict):
    booking_id: Annotated[str, "the booking"]
    member_id: Annotated[str, "who booked"]
    field_id: Annotated[str, "the field"]
    field_name: Annotated[str, "field name"]
    starts_at: Annotated[Timestamp, "start"]
    hours: Annotated[int, "length in hours"]
    price_cents: Annotated[int, "price"]
    status: Annotated[Literal["booked", "canceled"], "state"]
    moved_count: Annotated[int, "times moved"]
    booked_at: Annotated[Timestamp, "when booked"]
    canceled_at: Annotated[Timestamp | None, "when canceled"]


class BookingList(TypedDict):
    bookings: Annotated[list[Booking], "bookings"]
    total: Annotated[int, "all matches"]


def _field(row):
    return {**row, "has_lights": bool(row["has_lights"]), "is_open": bool(row["is_open"])}


def _booking(db, booking_id):
    return db.first(
        """
        SELECT booking.*, field.name AS field_name FROM booking JOIN field ON field.field_id = booking.field_id
        WHERE booking_id = ?
        """,
        booking_id,
    )


def _reject_bad_start(db, starts_at):
    if starts_at <= db.now or starts_at[14:] not in ("00:00", "30:00"):
        raise Rejection.invalid_argument(f"The start {starts_at} must be after now, on the full or half hour.")


def _reject_outside_day(starts_at, hours):
    day = starts_at[:10]
    if starts_at < f"{day} 07:00:00" or add_minutes(starts_at, 60 * hours) > f"{day} 22:00:00":
        raise Rejection.invalid_argument(f"{hours} hours from {starts_at} must lie between 07:00 and 22:00 of one day.")


def _reject_unusable(db, field_id, starts_at, hours, own_booking_id):
    if not db.require("field", field_id)["is_open"]:
        raise Rejection.failed_precondition(f"Field {field_id!r} is closed; it must be open for use.")
    ends_at = add_minutes(starts_at, 60 * hours)
    game = db.first(
        "SELECT game_id FROM game WHERE field_id = ? AND status = 'scheduled' AND starts_at > ? AND starts_at < ?",
        field_id,
        add_minutes(starts_at, -60),
        ends_at,
    )
    bookings = db.select(
        """
        SELECT starts_at, hours FROM booking
        WHERE field_id = ? AND status = 'booked' AND starts_at < ? AND (? IS NULL OR booking_id <> ?)
        """,
        field_id,
        ends_at,
        own_booking_id,
        own_booking_id,
    )
    if game is not None or any(add_minutes(row["starts_at"], 60 * row["hours"]) > starts_at for row in bookings):
        raise Rejection.failed_precondition(f"Field {field_id!r} is taken around {starts_at}; choose a free time.")


@tool(reads=["field"])
def search_fields(
    db: Database,
    name: Annotated[str | None, "part of the name", Field(min_length=1)] = None,
    surface: Annotated[Literal["grass", "turf"] | None, "surface"] = None,
    has_lights: Annotated[bool | None, "has lights"] = None,
    maximum_rate_cents: Annotated[int | None, "highest hourly rate", Field(ge=0)] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> FieldList:
    """Search the league's fields.

    name matches fields whose name contains it. Sorted by name.
    """
    wanted = None if has_lights is None else int(has_lights)
    fields = db.select(
        """
        SELECT * FROM field
        WHERE (? IS NULL OR instr(lower(name), lower(?)) > 0) AND (? IS NULL OR surface = ?)
          AND (? IS NULL OR has_lights = ?) AND (? IS NULL OR hourly_rate_cents <= ?)
        ORDER BY name, field_id
        """,
        name,
        name,
        surface,
        surface,
        wanted,
        wanted,
        maximum_rate_cents,
        maximum_rate_cents,
    )
    return {"fields": [_field(row) for row in fields[:limit]], "total": len(fields)}


@tool(reads=["field", "booking", "game"], rejects=["NOT_FOUND"])
def get_field_day(db: Database, field_id: Annotated[str, "the field"], day: Annotated[Date, "the day"]) -> FieldDay:
    """Show when a field is taken on a day.

    Lists what takes the field and starts that day, sorted by starts_at, then use. free_minutes is 900 less the minutes
    of the listed slots.
    """
    field = db.require("field", field_id)
    uses = db.select(
        """
        SELECT 'game' AS use, starts_at, 60 AS minutes, game_id AS id FROM game
        WHERE field_id = ? AND status = 'scheduled' AND substr(starts_at, 1, 10) = ?
        UNION ALL
        SELECT 'booking', starts_at, 60 * hours, booking_id FROM booking
        WHERE field_id = ? AND status = 'booked' AND substr(starts_at, 1, 10) = ?
        ORDER BY 2, 1, 4
        """,
        field_id,
        day,
        field_id,
        day,
    )
    taken = [
        {"use": row["use"], "starts_at": row["starts_at"], "ends_at": add_minutes(row["starts_at"], row["minutes"])}
        for row in uses
    ]
    return {
        "field_id": field_id,
        "field_name": field["name"],
        "day": day,
        "taken": taken,
        "free_minutes": 900 - sum(row["minutes"] for row in uses),
    }


@tool(writes=["field"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def report_field_problem(
    db: Database,
    field_id: Annotated[str, "the field"],
    problem: Annotated[str, "what is wrong", Field(min_length=1, max_length=200)],
) -> FieldRecord:
    """Put a problem with a field on file.

    Requires: No problem is on file for the field.

    problem is set and problem_reported_on is today; is_open stays.
    """
    field = db.require("field", field_id)
    if field["problem"] is not None:
        raise Rejection.already_exists(
            f"Field {field_id!r} has a problem on file since {field['problem_reported_on']}; one at a time."
        )
    return _field(db.update("field", field_id, problem=problem, problem_reported_on=db.today))


@tool(
    reads=["member", "field", "game"],
    writes=["booking", "charge"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def book_field(
    db: Database,
    member_id: Annotated[str, "the member"],
    field_id: Annotated[str, "the field"],
    starts_at: Annotated[Timestamp, "start, on the hour or half hour"],
    hours: Annotated[int, "length in hours", Field(ge=1, le=4)],
) -> Booking:
    """Book a field for practice.

    Requires: starts_at is after now, on the full or half hour. The hours lie between 07:00 and 22:00 of one day. The
    field is open for use. The field is not taken then.

    The booking is booked, booked_at now; price_cents is the field's hourly_rate_cents times hours. An open charge of
    kind rental for the price is added, due on the day of the booking, with the booking_id and the note 'Practice, '
    followed by the field name.
    """
    _reject_bad_start(db, starts_at)
    _reject_outside_day(starts_at, hours)
    db.require("member", member_id)
    field = db.require("field", field_id)
    _reject_unusable(db, field_id, starts_at, hours, None)
    booking_id = db.new_id("booking")
    price_cents = field["hourly_rate_cents"] * hours
    db.insert(
        "booking",
        booking_id=booking_id,
        member_id=member_id,
        field_id=field_id,
        starts_at=starts_at,
        hours=hours,
        price_cents=price_cents,
        booked_at=db.now,
    )
    db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        member_id=member_id,
        kind="rental",
        amount_cents=price_cents,
        due_on=starts_at[:10],
        note=f"Practice, {field['name']}",
        booking_id=booking_id,
        charged_on=db.today,
    )
    return _booking(db, booking_id)


@tool(reads=["member", "field", "booking"], rejects=["NOT_FOUND"])
def list_bookings(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["booked", "canceled"] | None, "state"] = None,
    upcoming: Annotated[bool | None, "true: starts after now; false: the rest"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> BookingList:
    """List a member's practice bookings.

    Sorted by starts_at, latest first.
    """
    db.require("member", member_id)
    wanted = None if upcoming is None else int(upcoming)
    found = db.select(
        """
        SELECT booking_id FROM booking
        WHERE member_id = ? AND (? IS NULL OR status = ?) AND (? IS NULL OR (starts_at > ?) = ?)
        ORDER BY starts_at DESC, booking_id
        """,
        member_id,
        status,
        status,
        wanted,
        db.now,
        wanted,
    )
    return {"bookings": [_booking(db, row["booking_id"]) for row in found[:limit]], "total": len(found)}


@tool(reads=["field", "game"], writes=["booking"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def move_booking(
    db: Database,
    booking_id: Annotated[str, "the booking"],
    starts_at: Annotated[Timestamp, "new start, on the hour or half hour"],
) -> Booking:
    """Move a practice booking to another time on its field.

    Requires: The new start is after now, on the full or half hour. The booking's hours from then lie between 07:00 and
    22:00 of one day. The booking is booked and its present start is after now. The field is open for use. Nothing but
    the booking itself takes the field then.

    starts_at is set and moved_count goes up by 1; price and charge stay.
    """
    _reject_bad_start(db, starts_at)
    booking = db.require("booking", booking_id)
    _reject_outside_day(starts_at, booking["hours"])
    if booking["status"] != "booked" or booking["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Booking {booking_id!r} is {booking['status']} for {booking['starts_at']}; it must be booked and still ahead."
        )
    _reject_unusable(db, booking["field_id"], starts_at, booking["hours"], booking_id)
    db.update("booking", booking_id, starts_at=starts_at, moved_count=booking["moved_count"] + 1)
    return _booking(db, booking_id)


@tool(reads=["field"], writes=["booking"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_booking(db: Database, booking_id: Annotated[str, "the booking"]) -> Booking:
    """Cancel a practice booking.

    Requires: The booking is booked and starts after now.

    status becomes canceled, canceled_at now.
    """
    booking = db.require("booking", booking_id)
    if booking["status"] != "booked" or booking["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Booking {booking_id!r} is {booking['status']} for {booking['starts_at']}; it must be booked and still ahead."
        )
    db.update("booking", booking_id, status="canceled", canceled_at=db.now)
    return _booking(db, booking_id)
