"""Work and charges: charges and their payment; work shifts, signups, and worked hours."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class Charge(TypedDict):
    charge_id: Annotated[str, "id of the charge"]
    gardener_id: Annotated[str, "who owes it"]
    lease_id: Annotated[str | None, "lease it is for"]
    kind: Annotated[Literal["lease_fee", "late_fee", "cleanup_fee", "missed_shift_fee", "key_fee"], "what it is for"]
    amount_cents: Annotated[int, "amount"]
    note: Annotated[str | None, "remark"]
    due_on: Annotated[Date, "day it is due"]
    state: Annotated[Literal["unpaid", "paid", "waived"], "state of the charge"]
    created_at: Annotated[Timestamp, "when it was recorded"]
    settled_at: Annotated[Timestamp | None, "when paid or waived"]
    method: Annotated[Literal["card", "cash", "check", "waiver"] | None, "how it was settled"]


class ChargeList(TypedDict):
    charges: Annotated[list[Charge], "charges found"]
    total: Annotated[int, "all matches"]
    balance_cents: Annotated[int, "the gardener's balance"]


class Settlement(TypedDict):
    charges: Annotated[list[Charge], "settled charges"]
    settled_cents: Annotated[int, "sum of these charges"]
    balance_cents: Annotated[int, "balance afterward"]


class ShiftEntry(TypedDict):
    shift_id: Annotated[str, "id of the shift"]
    title: Annotated[str, "the work, such as Compost turning"]
    starts_at: Annotated[Timestamp, "start"]
    hours: Annotated[int, "length in hours"]
    spots: Annotated[int, "people it can take"]
    free_spots: Annotated[int, "free spots"]
    state: Annotated[Literal["scheduled", "closed"], "state of the shift"]


class ShiftList(TypedDict):
    shifts: Annotated[list[ShiftEntry], "shifts found"]
    total: Annotated[int, "all matches"]


class Signup(TypedDict):
    signup_id: Annotated[str, "id of the signup"]
    gardener_id: Annotated[str, "who signed up"]
    shift_id: Annotated[str, "the shift"]
    shift_title: Annotated[str, "title of the shift"]
    starts_at: Annotated[Timestamp, "start of the shift"]
    hours: Annotated[int, "length of the shift"]
    people: Annotated[int, "people who come"]
    note: Annotated[str | None, "note for the shift leader"]
    state: Annotated[Literal["signed_up", "worked", "missed", "canceled"], "state of the signup"]
    created_at: Annotated[Timestamp, "when they signed up"]
    canceled_at: Annotated[Timestamp | None, "when it was canceled"]
    cancel_reason: Annotated[str | None, "why it was canceled"]


class SignupList(TypedDict):
    signups: Annotated[list[Signup], "signups found"]
    total: Annotated[int, "all matches"]
    hours_this_year: Annotated[int, "credited hours, shifts starting this calendar year"]


class SignupBatch(TypedDict):
    signups: Annotated[list[Signup], "the changed signups"]


class ClosedShift(TypedDict):
    shift: Annotated[ShiftEntry, "the closed shift"]
    worked_count: Annotated[int, "signups marked worked"]
    missed_count: Annotated[int, "signups marked missed"]
    credited_hours: Annotated[int, "credited hours of all its signups"]


def _balance(db, gardener_id):
    """The sum of the gardener's unpaid charges."""
    return db.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE gardener_id = ? AND state = 'unpaid'", gardener_id
    )


def _free_spots(db, shift_id):
    """The shift's spots less the people of its signups that are not canceled."""
    return db.value(
        """
        SELECT spots - (SELECT coalesce(sum(people), 0) FROM signup g WHERE g.shift_id = s.shift_id AND g.state <> 'canceled')
        FROM shift s WHERE s.shift_id = ?
        """,
        shift_id,
    )


def _signup(db, signup_id):
    """The signup as a Signup record."""
    return db.first(
        """
        SELECT g.signup_id, g.gardener_id, g.shift_id, s.title AS shift_title, s.starts_at, s.hours, g.people, g.note, g.state,
               g.created_at, g.canceled_at, g.cancel_reason
        FROM signup g JOIN shift s ON s.shift_id = g.shift_id
        WHERE g.signup_id = ?
        """,
        signup_id,
    )


@tool(reads=["gardener", "charge"], rejects=["NOT_FOUND"])
def list_charges(
    db: Database,
    gardener_id: Annotated[str, "the gardener"],
    state: Annotated[Literal["unpaid", "paid", "waived"] | None, "only this state"] = None,
    kind: Annotated[
        Literal["lease_fee", "late_fee", "cleanup_fee", "missed_shift_fee", "key_fee"] | None, "only this kind"
    ] = None,
    limit: Annotated[int, "entries to show at most", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List a gardener's charges and balance.

    Sorted by created_at, latest first; balance_cents ignores the filters.
    """
    db.require("gardener", gardener_id)
    charges = db.select(
        """
        SELECT charge_id, gardener_id, lease_id, kind, amount_cents, note, due_on, state, created_at, settled_at, method
        FROM charge
        WHERE gardener_id = ? AND (? IS NULL OR state = ?) AND (? IS NULL OR kind = ?)
        ORDER BY created_at DESC, charge_id
        """,
        gardener_id,
        state,
        state,
        kind,
        kind,
    )
    return {"charges": charges[:limit], "total": len(charges), "balance_cents": _balance(db, gardener_id)}


@tool(reads=["gardener", "lease"], writes=["charge"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def add_charge(
    db: Database,
    gardener_id: Annotated[str, "the gardener"],
    kind: Annotated[Literal["lease_fee", "late_fee", "cleanup_fee", "missed_shift_fee", "key_fee"], "what it is for"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=100000)],
    due_on: Annotated[Date, "day it is due"],
    lease_id: Annotated[str | None, "lease it is for; null if none"] = None,
    note: Annotated[str | None, "remark; null for none", Field(min_length=1, max_length=200)] = None,
) -> Charge:
    """Record an unpaid charge against a gardener.

    Requires: due_on is today or later. The lease, if given, is this gardener's.

    The charge is unpaid; settled_at and method are null.
    """
    if due_on < db.today:
        raise Rejection.invalid_argument(f"due_on {due_on} is in the past; give {db.today} or later.")
    db.require("gardener", gardener_id)
    if lease_id is not None:
        lease = db.require("lease", lease_id)
        if lease["gardener_id"] != gardener_id:
            raise Rejection.failed_precondition(f"Lease {lease_id!r} is not gardener {gardener_id!r}'s.")
    return db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        gardener_id=gardener_id,
        lease_id=lease_id,
        kind=kind,
        amount_cents=amount_cents,
        note=note,
        due_on=due_on,
        state="unpaid",
        created_at=db.now,
    )


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def settle_charges(
    db: Database,
    charge_ids: Annotated[list[str], "charges to settle", Field(min_length=1, max_length=20)],
    method: Annotated[Literal["card", "cash", "check", "waiver"], "how; waiver means waived"],
) -> Settlement:
    """Mark unpaid charges of one gardener as paid or waived.

    Requires: All charges are the same gardener's. Every charge is unpaid.

    Each becomes waived if method is waiver, paid otherwise; settled_at is the clock, method as given.
    """
    if len(set(charge_ids)) < len(charge_ids):
        raise Rejection.invalid_argument("charge_ids names a charge twice; give each charge once.")
    charges = [db.require("charge", charge_id) for charge_id in charge_ids]
    gardener_id = charges[0]["gardener_id"]
    if any(charge["gardener_id"] != gardener_id for charge in charges):
        raise Rejection.failed_precondition(
            "The charges are not all the same gardener's; settle one gardener's at a time."
        )
    for charge in charges:
        if charge["state"] != "unpaid":
            raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} is {charge['state']}, not unpaid.")
    state = "waived" if method == "waiver" else "paid"
    settled = [
        db.update("charge", charge_id, state=state, settled_at=db.now, method=method) for charge_id in charge_ids
    ]
    return {
        "charges": settled,
        "settled_cents": sum(charge["amount_cents"] for charge in settled),
        "balance_cents": _balance(db, gardener_id),
    }


@tool(reads=["shift", "signup"], rejects=["INVALID_ARGUMENT"])
def search_shifts(
    db: Database,
    from_date: Annotated[Date | None, "starting on this day or later; null means today"] = None,
    to_date: Annotated[Date | None, "starting on this day or earlier"] = None,
    title_contains: Annotated[str | None, "part of the title", Field(min_length=1)] = None,
    min_free_spots: Annotated[int | None, "at least this many free spots", Field(ge=1)] = None,
    state: Annotated[Literal["scheduled", "closed"] | None, "only this state"] = None,
    limit: Annotated[int, "entries to show at most", Field(ge=1, le=50)] = 20,
) -> ShiftList:
    """Search work shifts by date, title, and free spots.

    Requires: to_date, if given, is not before from_date or today in its place.

    Sorted by starts_at, earliest first.
    """
    first_date = db.today if from_date is None else from_date
    if to_date is not None and to_date < first_date:
        raise Rejection.invalid_argument(f"to_date {to_date} is before {first_date}; give {first_date} or later.")
    shifts = db.select(
        """
        SELECT shift_id, title, starts_at, hours, spots, free_spots, state
        FROM (
            SELECT s.*,
                   s.spots - (SELECT coalesce(sum(g.people), 0) FROM signup g
                              WHERE g.shift_id = s.shift_id AND g.state <> 'canceled') AS free_spots
            FROM shift s
        )
        WHERE substr(starts_at, 1, 10) >= ? AND (? IS NULL OR substr(starts_at, 1, 10) <= ?)
          AND (? IS NULL OR instr(lower(title), lower(?)) > 0)
          AND (? IS NULL OR free_spots >= ?) AND (? IS NULL OR state = ?)
        ORDER BY starts_at, shift_id
        """,
        first_date,
        to_date,
        to_date,
        title_contains,
        title_contains,
        min_free_spots,
        min_free_spots,
        state,
        state,
    )
    return {"shifts": shifts[:limit], "total": len(shifts)}


@tool(reads=["gardener", "shift", "signup"], rejects=["NOT_FOUND"])
def list_signups(
    db: Database,
    gardener_id: Annotated[str, "the gardener"],
    state: Annotated[Literal["signed_up", "worked", "missed", "canceled"] | None, "only this state"] = None,
    limit: Annotated[int, "entries to show at most", Field(ge=1, le=50)] = 20,
) -> SignupList:
    """List a gardener's shift signups and this year's credited hours.

    Sorted by starts_at, latest first; hours_this_year ignores the filter and the limit.
    """
    db.require("gardener", gardener_id)
    signups = db.select(
        """
        SELECT g.signup_id, g.gardener_id, g.shift_id, s.title AS shift_title, s.starts_at, s.hours, g.people, g.note, g.state,
               g.created_at, g.canceled_at, g.cancel_reason
        FROM signup g JOIN shift s ON s.shift_id = g.shift_id
        WHERE g.gardener_id = ? AND (? IS NULL OR g.state = ?)
        ORDER BY s.starts_at DESC, g.signup_id
        """,
        gardener_id,
        state,
        state,
    )
    hours = db.value(
        """
        SELECT coalesce(sum(s.hours * g.people), 0)
        FROM signup g JOIN shift s ON s.shift_id = g.shift_id
        WHERE g.gardener_id = ? AND g.state = 'worked' AND substr(s.starts_at, 1, 4) = ?
        """,
        gardener_id,
        db.today[:4],
    )
    return {"signups": signups[:limit], "total": len(signups), "hours_this_year": hours}


@tool(reads=["gardener", "shift"], writes=["signup"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def sign_up_for_shift(
    db: Database,
    gardener_id: Annotated[str, "the gardener"],
    shift_id: Annotated[str, "shift to work"],
    people: Annotated[int, "people who come, the gardener included", Field(ge=1, le=6)] = 1,
    note: Annotated[str | None, "note for the shift leader; null for none", Field(min_length=1, max_length=200)] = None,
) -> Signup:
    """Sign a gardener up for a coming shift.

    Requires: The shift is scheduled and starts later than now. The shift has at least as many free spots as people. The
    gardener has no open signup for this shift.

    The signup is in state signed_up.
    """
    db.require("gardener", gardener_id)
    shift = db.require("shift", shift_id)
    if shift["state"] != "scheduled":
        raise Rejection.failed_precondition(f"Shift {shift_id!r} is {shift['state']}, not scheduled.")
    if shift["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Shift {shift_id!r} started at {shift['starts_at']}; choose one that is to come."
        )
    free = _free_spots(db, shift_id)
    if free < people:
        raise Rejection.failed_precondition(f"Shift {shift_id!r} has {free} free spots, not {people}.")
    if db.first(
        "SELECT 1 AS found FROM signup WHERE gardener_id = ? AND shift_id = ? AND state = 'signed_up'",
        gardener_id,
        shift_id,
    ):
        raise Rejection.already_exists(f"Gardener {gardener_id!r} is already signed up for shift {shift_id!r}.")
    signup = db.insert(
        "signup",
        signup_id=db.new_id("signup"),
        gardener_id=gardener_id,
        shift_id=shift_id,
        people=people,
        note=note,
        state="signed_up",
        created_at=db.now,
    )
    return _signup(db, signup["signup_id"])


@tool(reads=["shift"], writes=["signup"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_signups(
    db: Database,
    signup_ids: Annotated[list[str], "signups to cancel", Field(min_length=1, max_length=20)],
    reason: Annotated[str | None, "why; null if not said", Field(min_length=1, max_length=200)] = None,
) -> SignupBatch:
    """Cancel open signups for shifts that have not started.

    Requires: Every signup is open. Every shift starts later than now.

    Each becomes canceled; canceled_at is the clock, cancel_reason the reason.
    """
    if len(set(signup_ids)) < len(signup_ids):
        raise Rejection.invalid_argument("signup_ids names a signup twice; give each signup once.")
    for signup_id in signup_ids:
        db.require("signup", signup_id)
    signups = [_signup(db, signup_id) for signup_id in signup_ids]
    for signup in signups:
        if signup["state"] != "signed_up":
            raise Rejection.failed_precondition(f"Signup {signup['signup_id']!r} is {signup['state']}, not signed_up.")
    for signup in signups:
        if signup["starts_at"] <= db.now:
            raise Rejection.failed_precondition(
                f"The shift of signup {signup['signup_id']!r} started at {signup['starts_at']}; only coming ones can be canceled."
            )
    for signup_id in signup_ids:
        db.update("signup", signup_id, state="canceled", canceled_at=db.now, cancel_reason=reason)
    return {"signups": [_signup(db, signup_id) for signup_id in signup_ids]}


@tool(writes=["shift", "signup"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def close_shift(
    db: Database,
    shift_id: Annotated[str, "shift to close"],
    worked_signup_ids: Annotated[list[str], "signups that came; may be empty", Field(min_length=0, max_length=20)],
) -> ClosedShift:
    """Close a finished shift and record who worked; for staff.

    Requires: The shift is scheduled and has ended by now. Every signup is for this shift and open.

    The shift becomes closed; the signups given become worked, its other open ones missed.
    """
    if len(set(worked_signup_ids)) < len(worked_signup_ids):
        raise Rejection.invalid_argument("worked_signup_ids names a signup twice; give each signup once.")
    shift = db.require("shift", shift_id)
    signups = [db.require("signup", signup_id) for signup_id in worked_signup_ids]
    ends_at = add_minutes(shift["starts_at"], 60 * shift["hours"])
    if shift["state"] != "scheduled":
        raise Rejection.failed_precondition(f"Shift {shift_id!r} is {shift['state']}, not scheduled.")
    if ends_at > db.now:
        raise Rejection.failed_precondition(f"Shift {shift_id!r} ends at {ends_at}; close it after that.")
    for signup in signups:
        if signup["shift_id"] != shift_id or signup["state"] != "signed_up":
            raise Rejection.failed_precondition(
                f"Signup {signup['signup_id']!r} is not an open signup for shift {shift_id!r}."
            )
    still_open = db.select(
        "SELECT signup_id FROM signup WHERE shift_id = ? AND state = 'signed_up' ORDER BY signup_id", shift_id
    )
    for signup in still_open:
        worked = signup["signup_id"] in worked_signup_ids
        db.update("signup", signup["signup_id"], state="worked" if worked else "missed")
    closed = db.update("shift", shift_id, state="closed")
    credited = db.value("SELECT coalesce(sum(people), 0) FROM signup WHERE shift_id = ? AND state = 'worked'", shift_id)
    return {
        "shift": {**closed, "free_spots": _free_spots(db, shift_id)},
        "worked_count": len(worked_signup_ids),
        "missed_count": len(still_open) - len(worked_signup_ids),
        "credited_hours": credited * closed["hours"],
    }
