"""Visits: booking, moving, canceling, and closing technician visits."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, days_between, tool, weekday


class Visit(TypedDict):
    visit_id: Annotated[str, "the visit"]
    home_id: Annotated[str, "home to visit"]
    home_nickname: Annotated[str, "nickname of the home"]
    device_id: Annotated[str | None, "device concerned"]
    purpose: Annotated[Literal["installation", "repair", "checkup"], "why"]
    visit_on: Annotated[Date, "day"]
    window: Annotated[Literal["morning", "afternoon"], "part of the day"]
    status: Annotated[Literal["scheduled", "completed", "missed", "canceled"], "state of the visit"]
    reschedule_count: Annotated[int, "times moved"]
    notes: Annotated[str | None, "what was done"]
    cancel_reason: Annotated[str | None, "why canceled"]
    created_at: Annotated[Timestamp, "when it was booked"]


class VisitList(TypedDict):
    total: Annotated[int, "visits found"]
    visits: Annotated[list[Visit], "the visits"]


class OpenWindow(TypedDict):
    visit_on: Annotated[Date, "day"]
    window: Annotated[Literal["morning", "afternoon"], "part of the day"]
    places_left: Annotated[int, "free places"]


class OpenWindowList(TypedDict):
    total: Annotated[int, "windows found"]
    windows: Annotated[list[OpenWindow], "windows with a free place"]


_PLACES = 3


def _visit(db, visit_id):
    """Show a visit with the nickname of its home."""
    visit = db.require("visit", visit_id)
    return {**visit, "home_nickname": db.require("home", visit["home_id"])["nickname"]}


def _places_left(db, visit_on, window):
    """How many more visits fit into a window."""
    taken = db.value(
        "SELECT count(*) FROM visit WHERE visit_on = ? AND window = ? AND status = 'scheduled'", visit_on, window
    )
    return _PLACES - taken


def _require_working_day(db, visit_on):
    """Reject a day on which no visit can be."""
    if visit_on <= db.today or weekday(visit_on) == "Sunday":
        raise Rejection.invalid_argument(f"The day {visit_on} must be after today and not a Sunday.")


@tool(reads=["subscriber", "home", "visit"], rejects=["NOT_FOUND"])
def list_visits(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    status: Annotated[Literal["scheduled", "completed", "missed", "canceled"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> VisitList:
    """List the technician visits to a subscriber's homes.

    Sorted by visit_on, latest first.
    """
    db.require("subscriber", subscriber_id)
    visits = db.select(
        """
        SELECT v.*, h.nickname AS home_nickname
        FROM visit AS v JOIN home AS h ON h.home_id = v.home_id
        WHERE h.subscriber_id = ? AND (? IS NULL OR v.status = ?)
        ORDER BY v.visit_on DESC, v.visit_id
        """,
        subscriber_id,
        status,
        status,
    )
    return {"total": len(visits), "visits": visits[:limit]}


@tool(reads=["visit"], rejects=["INVALID_ARGUMENT"])
def list_open_windows(
    db: Database, from_on: Annotated[Date, "first day"], to_on: Annotated[Date, "last day"]
) -> OpenWindowList:
    """List the visit windows with a free place.

    Requires: from_on is after today and not after to_on. to_on is at most 13 days after from_on.

    Sundays are left out; sorted by day, morning before afternoon.
    """
    if from_on <= db.today or from_on > to_on:
        raise Rejection.invalid_argument(f"The first day {from_on} must be after today and not after {to_on}.")
    if days_between(from_on, to_on) > 13:
        raise Rejection.invalid_argument(f"The last day {to_on} must be at most 13 days after {from_on}.")
    windows = []
    for number in range(days_between(from_on, to_on) + 1):
        visit_on = add_days(from_on, number)
        for window in ("morning", "afternoon"):
            places_left = _places_left(db, visit_on, window)
            if weekday(visit_on) != "Sunday" and places_left > 0:
                windows.append({"visit_on": visit_on, "window": window, "places_left": places_left})
    return {"total": len(windows), "windows": windows}


@tool(
    reads=["subscriber", "home", "device"],
    writes=["visit"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def book_visit(
    db: Database,
    home_id: Annotated[str, "the home"],
    purpose: Annotated[Literal["installation", "repair", "checkup"], "why"],
    visit_on: Annotated[Date, "day"],
    window: Annotated[Literal["morning", "afternoon"], "part of the day"],
    device_id: Annotated[str | None, "device concerned"] = None,
) -> Visit:
    """Book a technician visit to a home.

    Requires: visit_on is after today and not a Sunday. The home is open and its subscriber's account active. The
    device, if given, is an active device of the home. The window has a free place. The home has no scheduled visit on
    this day.

    status is scheduled and reschedule_count 0.
    """
    _require_working_day(db, visit_on)
    home = db.require("home", home_id)
    device = None if device_id is None else db.require("device", device_id)
    subscriber = db.require("subscriber", home["subscriber_id"])
    if home["status"] != "open" or subscriber["status"] != "active":
        raise Rejection.failed_precondition(
            f"Home {home_id!r} is {home['status']} and its account {subscriber['status']}."
        )
    if device is not None and (device["home_id"] != home_id or device["status"] == "retired"):
        raise Rejection.failed_precondition(f"Device {device_id!r} is not an active device of home {home_id!r}.")
    if _places_left(db, visit_on, window) <= 0:
        raise Rejection.failed_precondition(f"The {window} of {visit_on} is full.")
    if db.first(
        "SELECT visit_id FROM visit WHERE home_id = ? AND visit_on = ? AND status = 'scheduled'", home_id, visit_on
    ):
        raise Rejection.already_exists(f"Home {home_id!r} has a scheduled visit on {visit_on} already.")
    visit = db.insert(
        "visit",
        visit_id=db.new_id("visit"),
        home_id=home_id,
        device_id=device_id,
        purpose=purpose,
        visit_on=visit_on,
        window=window,
        status="scheduled",
        reschedule_count=0,
        created_at=db.now,
    )
    return _visit(db, visit["visit_id"])


@tool(
    reads=["home"], writes=["visit"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"]
)
def reschedule_visit(
    db: Database,
    visit_id: Annotated[str, "the visit"],
    visit_on: Annotated[Date, "new day"],
    window: Annotated[Literal["morning", "afternoon"], "new part of the day"],
) -> Visit:
    """Move a visit to another day or window.

    Requires: visit_on is after today and not a Sunday. The visit is scheduled and not already at this day and window.
    The new window has a free place. The home has no other scheduled visit on the new day.

    visit_on and window change; reschedule_count goes up by 1.
    """
    _require_working_day(db, visit_on)
    visit = db.require("visit", visit_id)
    if visit["status"] != "scheduled" or (visit["visit_on"], visit["window"]) == (visit_on, window):
        raise Rejection.failed_precondition(
            f"Visit {visit_id!r} is {visit['status']} for {visit['visit_on']} {visit['window']}."
        )
    if _places_left(db, visit_on, window) <= 0:
        raise Rejection.failed_precondition(f"The {window} of {visit_on} is full.")
    if db.first(
        "SELECT visit_id FROM visit WHERE home_id = ? AND visit_on = ? AND status = 'scheduled' AND visit_id <> ?",
        visit["home_id"],
        visit_on,
        visit_id,
    ):
        raise Rejection.already_exists(f"The home has another scheduled visit on {visit_on}.")
    db.update("visit", visit_id, visit_on=visit_on, window=window, reschedule_count=visit["reschedule_count"] + 1)
    return _visit(db, visit_id)


@tool(reads=["home"], writes=["visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_visit(
    db: Database, visit_id: Annotated[str, "the visit"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Visit:
    """Cancel a visit.

    Requires: The visit is scheduled. visit_on is not before today.

    status becomes canceled and the reason is stored as cancel_reason; nothing is charged.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] != "scheduled":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not scheduled.")
    if visit["visit_on"] < db.today:
        raise Rejection.failed_precondition(f"Visit {visit_id!r} was on {visit['visit_on']}, before today.")
    db.update("visit", visit_id, status="canceled", cancel_reason=reason)
    return _visit(db, visit_id)


@tool(reads=["home"], writes=["device", "visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_visit(
    db: Database, visit_id: Annotated[str, "the visit"], notes: Annotated[str, "what was done", Field(min_length=1)]
) -> Visit:
    """Record that a visit took place.

    Requires: The visit is scheduled. visit_on is not after today.

    status becomes completed and notes are stored. If purpose is repair, the visit's device, if any, becomes online if
    it was offline.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] != "scheduled":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not scheduled.")
    if visit["visit_on"] > db.today:
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is on {visit['visit_on']}, after today.")
    db.update("visit", visit_id, status="completed", notes=notes)
    if visit["purpose"] == "repair" and visit["device_id"] is not None:
        if db.require("device", visit["device_id"])["status"] == "offline":
            db.update("device", visit["device_id"], status="online")
    return _visit(db, visit_id)


@tool(reads=["home"], writes=["visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def mark_visit_missed(db: Database, visit_id: Annotated[str, "the visit"]) -> Visit:
    """Record that nobody was home for a visit.

    Requires: The visit is scheduled. visit_on is not after today.

    status becomes missed; nothing is charged.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] != "scheduled":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not scheduled.")
    if visit["visit_on"] > db.today:
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is on {visit['visit_on']}, after today.")
    db.update("visit", visit_id, status="missed")
    return _visit(db, visit_id)
