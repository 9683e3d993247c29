"""Shifts: finding volunteer shifts, signing up, moving, and canceling."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class ShiftEntry(TypedDict):
    shift_id: Annotated[str, "the shift"]
    title: Annotated[str, "name of the shift"]
    task: Annotated[Literal["weeding", "composting", "watering", "repairs", "harvest"], "kind of work"]
    starts_at: Annotated[Timestamp, "when it starts"]
    hours: Annotated[int, "length in hours"]
    spots: Annotated[int, "places in all"]
    spots_taken: Annotated[int, "places taken"]


class ShiftList(TypedDict):
    shifts: Annotated[list[ShiftEntry], "shifts found"]
    total: Annotated[int, "matches before the limit"]


class Signup(TypedDict):
    signup_id: Annotated[str, "the signup"]
    shift_id: Annotated[str, "its shift"]
    title: Annotated[str, "name of the shift"]
    task: Annotated[str, "kind of work"]
    starts_at: Annotated[Timestamp, "when the shift starts"]
    hours: Annotated[int, "length in hours"]
    status: Annotated[Literal["booked", "canceled", "done"], "booked, canceled, or done"]


class SignupList(TypedDict):
    signups: Annotated[list[Signup], "signups of the gardener"]
    booked_hours: Annotated[int, "hours of listed booked signups"]


def _signup(db, signup_id):
    return db.first(
        "SELECT signup_id, shift_id, title, task, starts_at, hours, status "
        "FROM signup JOIN shift USING (shift_id) WHERE signup_id = ?",
        signup_id,
    )


def _check_open(db, shift):
    if shift["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Shift {shift['shift_id']!r} started at {shift['starts_at']}; it must be upcoming."
        )
    if shift["spots_taken"] >= shift["spots"]:
        raise Rejection.failed_precondition(
            f"Shift {shift['shift_id']!r} is full: all {shift['spots']} spots are taken."
        )


def _check_not_booked(db, gardener_id, shift_id):
    booked = db.value(
        "SELECT signup_id FROM signup WHERE gardener_id = ? AND shift_id = ? AND status = 'booked'",
        gardener_id,
        shift_id,
    )
    if booked is not None:
        raise Rejection.already_exists(
            f"Gardener {gardener_id!r} has signup {booked!r} for shift {shift_id!r} already."
        )


def _check_cancelable(db, signup, shift):
    if signup["status"] != "booked":
        raise Rejection.failed_precondition(f"Signup {signup['signup_id']!r} is {signup['status']}, not booked.")
    if shift["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Shift {shift['shift_id']!r} started at {shift['starts_at']}; it must be upcoming."
        )


@tool(reads=["shift"], rejects=["INVALID_ARGUMENT"])
def list_shifts(
    db: Database,
    task: Annotated[Literal["weeding", "composting", "watering", "repairs", "harvest"] | None, "kind of work"] = None,
    first_day: Annotated[Date | None, "earliest day"] = None,
    last_day: Annotated[Date | None, "latest day"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ShiftList:
    """List upcoming shifts by task and date.

    Requires: first_day is not after last_day, where both are given.

    Only upcoming shifts, by the date of starts_at; sorted by starts_at, earliest first.
    """
    if first_day is not None and last_day is not None and first_day > last_day:
        raise Rejection.invalid_argument(f"first_day {first_day} is after last_day {last_day}; it must not be.")
    shifts = db.select(
        """
        SELECT * FROM shift
        WHERE starts_at > ? AND (? IS NULL OR task = ?)
          AND (? IS NULL OR substr(starts_at, 1, 10) >= ?) AND (? IS NULL OR substr(starts_at, 1, 10) <= ?)
        ORDER BY starts_at, shift_id
        """,
        db.now,
        task,
        task,
        first_day,
        first_day,
        last_day,
        last_day,
    )
    return {"shifts": shifts[:limit], "total": len(shifts)}


@tool(reads=["gardener", "shift", "signup"], rejects=["NOT_FOUND"])
def list_signups(
    db: Database,
    gardener_id: Annotated[str, "gardener in question"],
    status: Annotated[Literal["booked", "canceled", "done"] | None, "booked, canceled, or done"] = None,
) -> SignupList:
    """List the signups of a gardener.

    Sorted by starts_at of the shift, latest first.
    """
    db.require("gardener", gardener_id)
    signups = db.select(
        """
        SELECT signup_id, shift_id, title, task, starts_at, hours, status
        FROM signup JOIN shift USING (shift_id)
        WHERE gardener_id = ? AND (? IS NULL OR status = ?)
        ORDER BY starts_at DESC, signup_id
        """,
        gardener_id,
        status,
        status,
    )
    hours = sum(signup["hours"] for signup in signups if signup["status"] == "booked")
    return {"signups": signups, "booked_hours": hours}


@tool(reads=["gardener"], writes=["shift", "signup"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def sign_up_for_shift(
    db: Database, gardener_id: Annotated[str, "gardener in question"], shift_id: Annotated[str, "shift to join"]
) -> Signup:
    """Give a gardener a place on an upcoming shift.

    Requires: The shift is upcoming. The shift is not full. The gardener has no booked signup for this shift.

    Adds a booked signup; spots_taken goes up by 1.
    """
    db.require("gardener", gardener_id)
    shift = db.require("shift", shift_id)
    _check_open(db, shift)
    _check_not_booked(db, gardener_id, shift_id)
    signup = db.insert(
        "signup", signup_id=db.new_id("signup"), gardener_id=gardener_id, shift_id=shift_id, status="booked"
    )
    db.update("shift", shift_id, spots_taken=shift["spots_taken"] + 1)
    return _signup(db, signup["signup_id"])


@tool(writes=["shift", "signup"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_signup(db: Database, signup_id: Annotated[str, "signup to cancel"]) -> Signup:
    """Cancel a booked signup for an upcoming shift.

    Requires: The signup is booked. Its shift is upcoming.

    status becomes canceled and canceled_at the clock; spots_taken goes down by 1.
    """
    signup = db.require("signup", signup_id)
    shift = db.get("shift", signup["shift_id"])
    _check_cancelable(db, signup, shift)
    db.update("signup", signup_id, status="canceled", canceled_at=db.now)
    db.update("shift", shift["shift_id"], spots_taken=shift["spots_taken"] - 1)
    return _signup(db, signup_id)


@tool(writes=["shift", "signup"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def move_signup(
    db: Database, signup_id: Annotated[str, "signup to move"], shift_id: Annotated[str, "shift to move to"]
) -> Signup:
    """Move a booked signup to another upcoming shift.

    Requires: The signup is booked. Its present shift is upcoming. The other shift is a different one and upcoming. The
    other shift is not full. The gardener has no booked signup for the other shift.

    The signup's shift_id becomes the other shift; spots_taken goes down by 1 on the old shift and up by 1 on the new
    one.
    """
    signup = db.require("signup", signup_id)
    target = db.require("shift", shift_id)
    present = db.get("shift", signup["shift_id"])
    _check_cancelable(db, signup, present)
    if shift_id == signup["shift_id"]:
        raise Rejection.failed_precondition(
            f"Signup {signup_id!r} is for shift {shift_id!r} already; name another shift."
        )
    _check_open(db, target)
    _check_not_booked(db, signup["gardener_id"], shift_id)
    db.update("signup", signup_id, shift_id=shift_id)
    db.update("shift", present["shift_id"], spots_taken=present["spots_taken"] - 1)
    db.update("shift", shift_id, spots_taken=target["spots_taken"] + 1)
    return _signup(db, signup_id)
