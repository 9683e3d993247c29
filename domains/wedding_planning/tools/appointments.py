"""Appointments: meetings with clients in the office."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool, weekday


class Appointment(TypedDict):
    appointment_id: Annotated[str, "id of the appointment"]
    client_id: Annotated[str, "whose appointment"]
    wedding_id: Annotated[str | None, "about which wedding"]
    kind: Annotated[
        Literal["consultation", "menu_tasting", "venue_tour", "seating_review", "final_walkthrough"], "what it is for"
    ]
    starts_at: Annotated[Timestamp, "start"]
    duration_minutes: Annotated[int, "length"]
    status: Annotated[Literal["scheduled", "completed", "no_show", "canceled"], "state"]
    reschedule_count: Annotated[int, "times it was moved"]
    created_at: Annotated[Timestamp, "when it was booked"]
    canceled_at: Annotated[Timestamp | None, "when it was canceled"]


class AppointmentList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    appointments: Annotated[list[Appointment], "the appointments"]


class RoomSlot(TypedDict):
    appointment_id: Annotated[str, "id of the appointment"]
    kind: Annotated[
        Literal["consultation", "menu_tasting", "venue_tour", "seating_review", "final_walkthrough"], "what it is for"
    ]
    starts_at: Annotated[Timestamp, "start"]
    ends_at: Annotated[Timestamp, "end"]


class RoomCalendar(TypedDict):
    total: Annotated[int, "matches before the limit"]
    slots: Annotated[list[RoomSlot], "times taken"]


def _require_hours(db, starts_at, duration_minutes):
    day = starts_at[:10]
    if starts_at <= db.now:
        raise Rejection.invalid_argument(f"The start {starts_at} is not after now, {db.now}.")
    if weekday(day) == "Sunday":
        raise Rejection.invalid_argument(f"{day} is a Sunday; appointments are Monday to Saturday.")
    if starts_at < f"{day} 09:00:00" or add_minutes(starts_at, duration_minutes) > f"{day} 18:00:00":
        raise Rejection.invalid_argument(
            f"{duration_minutes} minutes from {starts_at} do not lie within 09:00 to 18:00."
        )


def _require_free_room(db, starts_at, duration_minutes, appointment_id):
    ends_at = add_minutes(starts_at, duration_minutes)
    earlier = db.select(
        """
        SELECT starts_at, duration_minutes FROM appointment
        WHERE status = 'scheduled' AND starts_at < ? AND (? IS NULL OR appointment_id <> ?)
        """,
        ends_at,
        appointment_id,
        appointment_id,
    )
    for other in earlier:
        if add_minutes(other["starts_at"], other["duration_minutes"]) > starts_at:
            raise Rejection.failed_precondition(f"The meeting room is taken from {other['starts_at']}.")


def _require_upcoming(db, appointment):
    if appointment["status"] != "scheduled":
        raise Rejection.failed_precondition(
            f"Appointment {appointment['appointment_id']!r} is {appointment['status']}, not scheduled."
        )
    if appointment["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Appointment {appointment['appointment_id']!r} started at {appointment['starts_at']}."
        )


@tool(reads=["client", "appointment"], rejects=["NOT_FOUND"])
def list_client_appointments(
    db: Database,
    client_id: Annotated[str, "the client", Field(min_length=1)],
    status: Annotated[Literal["scheduled", "completed", "no_show", "canceled"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> AppointmentList:
    """List a client's appointments.

    Ordered by starts_at, latest first.
    """
    db.require("client", client_id)
    appointments = db.select(
        """
        SELECT appointment_id, client_id, wedding_id, kind, starts_at, duration_minutes, status, reschedule_count,
            created_at, canceled_at
        FROM appointment
        WHERE client_id = ? AND (? IS NULL OR status = ?)
        ORDER BY starts_at DESC, appointment_id
        """,
        client_id,
        status,
        status,
    )
    return {"total": len(appointments), "appointments": appointments[:limit]}


@tool(reads=["appointment"], rejects=["INVALID_ARGUMENT"])
def list_room_times(
    db: Database,
    from_date: Annotated[Date, "first day"],
    to_date: Annotated[Date, "last day"],
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> RoomCalendar:
    """List the times at which the meeting room is taken.

    Requires: to_date is not before from_date.

    Scheduled appointments whose start falls on these days, ordered by starts_at, earliest first.
    """
    if to_date < from_date:
        raise Rejection.invalid_argument(f"The last day {to_date} is before the first day {from_date}.")
    appointments = db.select(
        """
        SELECT appointment_id, kind, starts_at, duration_minutes FROM appointment
        WHERE status = 'scheduled' AND substr(starts_at, 1, 10) BETWEEN ? AND ?
        ORDER BY starts_at, appointment_id
        """,
        from_date,
        to_date,
    )
    slots = [
        {
            "appointment_id": row["appointment_id"],
            "kind": row["kind"],
            "starts_at": row["starts_at"],
            "ends_at": add_minutes(row["starts_at"], row["duration_minutes"]),
        }
        for row in appointments[:limit]
    ]
    return {"total": len(appointments), "slots": slots}


@tool(
    reads=["client", "wedding"],
    writes=["appointment"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def book_appointment(
    db: Database,
    client_id: Annotated[str, "the client", Field(min_length=1)],
    kind: Annotated[
        Literal["consultation", "menu_tasting", "venue_tour", "seating_review", "final_walkthrough"], "what it is for"
    ],
    starts_at: Annotated[Timestamp, "start"],
    duration_minutes: Annotated[int, "length", Field(ge=15, le=180)] = 60,
    wedding_id: Annotated[str | None, "about which wedding; null for none", Field(min_length=1)] = None,
) -> Appointment:
    """Book the meeting room for a client.

    Requires: It starts after now, Monday to Saturday, and lies within 09:00 to 18:00. Any kind but consultation names a
    wedding. A given wedding is open. A final_walkthrough is for a contracted wedding. No scheduled appointment overlaps
    that time.

    status is scheduled, reschedule_count 0.
    """
    _require_hours(db, starts_at, duration_minutes)
    if kind != "consultation" and wedding_id is None:
        raise Rejection.invalid_argument(f"An appointment of kind {kind} must name a wedding.")
    db.require("client", client_id)
    if wedding_id is not None:
        wedding = db.require("wedding", wedding_id)
        if wedding["client_id"] != client_id:
            raise Rejection.not_found(f"Client {client_id!r} has no wedding {wedding_id!r}.")
        if wedding["status"] not in ("inquiry", "contracted"):
            raise Rejection.failed_precondition(f"Wedding {wedding_id!r} is {wedding['status']}, not open.")
        if kind == "final_walkthrough" and wedding["status"] != "contracted":
            raise Rejection.failed_precondition(f"Wedding {wedding_id!r} is {wedding['status']}, not contracted.")
    _require_free_room(db, starts_at, duration_minutes, None)
    return db.insert(
        "appointment",
        appointment_id=db.new_id("appointment"),
        client_id=client_id,
        wedding_id=wedding_id,
        kind=kind,
        starts_at=starts_at,
        duration_minutes=duration_minutes,
        status="scheduled",
        reschedule_count=0,
        created_at=db.now,
    )


@tool(writes=["appointment"], rejects=["NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION"])
def reschedule_appointment(
    db: Database,
    appointment_id: Annotated[str, "the appointment", Field(min_length=1)],
    starts_at: Annotated[Timestamp, "new start"],
) -> Appointment:
    """Move a scheduled appointment to another time.

    Requires: It starts after now, Monday to Saturday, and lies within 09:00 to 18:00, keeping its length. The
    appointment is scheduled and has not started. No other scheduled appointment overlaps the new time.

    starts_at becomes the new start, reschedule_count goes up by 1.
    """
    appointment = db.require("appointment", appointment_id)
    _require_hours(db, starts_at, appointment["duration_minutes"])
    _require_upcoming(db, appointment)
    _require_free_room(db, starts_at, appointment["duration_minutes"], appointment_id)
    return db.update(
        "appointment", appointment_id, starts_at=starts_at, reschedule_count=appointment["reschedule_count"] + 1
    )


@tool(writes=["appointment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_appointment(
    db: Database, appointment_id: Annotated[str, "the appointment", Field(min_length=1)]
) -> Appointment:
    """Cancel an appointment that has not started.

    Requires: The appointment is scheduled and has not started.

    status becomes canceled, canceled_at now.
    """
    _require_upcoming(db, db.require("appointment", appointment_id))
    return db.update("appointment", appointment_id, status="canceled", canceled_at=db.now)


@tool(writes=["appointment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_appointment_outcome(
    db: Database,
    appointment_id: Annotated[str, "the appointment", Field(min_length=1)],
    outcome: Annotated[Literal["completed", "no_show"], "what happened"],
) -> Appointment:
    """Record whether the client came.

    Requires: The appointment is scheduled and starts_at is now or earlier.

    status becomes the outcome.
    """
    appointment = db.require("appointment", appointment_id)
    if appointment["status"] != "scheduled":
        raise Rejection.failed_precondition(
            f"Appointment {appointment_id!r} is {appointment['status']}, not scheduled."
        )
    if appointment["starts_at"] > db.now:
        raise Rejection.failed_precondition(
            f"Appointment {appointment_id!r} only starts at {appointment['starts_at']}."
        )
    return db.update("appointment", appointment_id, status=outcome)
