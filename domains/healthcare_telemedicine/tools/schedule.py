"""Schedule: clinicians and their open, booked, and blocked slots."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_minutes, tool


class Clinician(TypedDict):
    clinician_id: Annotated[str, "clinician"]
    name: Annotated[str, "full name with title"]
    specialty: Annotated[Literal["primary_care", "dermatology", "psychiatry", "pediatrics"], "specialty"]
    licensed_states: Annotated[str, "codes joined by commas, as CA,NV"]
    visit_fee_cents: Annotated[int, "fee per visit"]
    accepting_new: Annotated[bool, "takes new patients"]


class ClinicianList(TypedDict):
    items: Annotated[list[Clinician], "entries"]
    total: Annotated[int, "all matches"]


class Slot(TypedDict):
    slot_id: Annotated[str, "slot"]
    clinician_id: Annotated[str, "clinician"]
    clinician_name: Annotated[str, "clinician's name"]
    starts_at: Annotated[Timestamp, "start"]
    minutes: Annotated[int, "length"]
    status: Annotated[Literal["open", "booked", "blocked"], "status"]
    block_reason: Annotated[str | None, "why it is blocked"]
    visit_id: Annotated[str | None, "visit in it that is not canceled"]


class SlotList(TypedDict):
    items: Annotated[list[Slot], "entries"]
    total: Annotated[int, "all matches"]


def _clinician(row):
    return {**row, "accepting_new": bool(row["accepting_new"])}


def _slot(db, slot_id):
    return db.first(
        """
        SELECT slot.slot_id, slot.clinician_id, clinician.name AS clinician_name, starts_at, minutes, slot.status,
            block_reason,
            (SELECT visit_id FROM visit WHERE visit.slot_id = slot.slot_id AND visit.status <> 'canceled') AS visit_id
        FROM slot JOIN clinician ON clinician.clinician_id = slot.clinician_id
        WHERE slot.slot_id = ?
        """,
        slot_id,
    )


@tool(reads=["clinician"])
def search_clinicians(
    db: Database,
    name_contains: Annotated[str | None, "part of the name", Field(min_length=1)] = None,
    specialty: Annotated[
        Literal["primary_care", "dermatology", "psychiatry", "pediatrics"] | None, "only this specialty"
    ] = None,
    licensed_in: Annotated[Literal["CA", "NV", "OR", "WA"] | None, "only licensed in this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ClinicianList:
    """Search clinicians by name, specialty, and license.

    Sorted by name.
    """
    rows = db.select(
        """
        SELECT * FROM clinician
        WHERE (? IS NULL OR instr(lower(name), lower(?)) > 0)
            AND (? IS NULL OR specialty = ?)
            AND (? IS NULL OR instr(licensed_states, ?) > 0)
        ORDER BY name, clinician_id
        """,
        name_contains,
        name_contains,
        specialty,
        specialty,
        licensed_in,
        licensed_in,
    )
    return {"items": [_clinician(row) for row in rows[:limit]], "total": len(rows)}


@tool(writes=["clinician"], rejects=["INVALID_ARGUMENT", "ALREADY_EXISTS"])
def add_clinician(
    db: Database,
    name: Annotated[str, "full name with title", Field(min_length=1)],
    specialty: Annotated[Literal["primary_care", "dermatology", "psychiatry", "pediatrics"], "specialty"],
    licensed_in: Annotated[
        list[Literal["CA", "NV", "OR", "WA"]], "states of license", Field(min_length=1, max_length=4)
    ],
    visit_fee_cents: Annotated[int, "fee per visit", Field(ge=1)],
    accepting_new: Annotated[bool, "takes new patients"] = True,
) -> Clinician:
    """Add a clinician to the practice.

    Requires: No state is named twice. No clinician has this name.

    licensed_states joins the states by commas in the order given.
    """
    if len(set(licensed_in)) < len(licensed_in):
        raise Rejection.invalid_argument("A state is named twice; name each one once.")
    if db.first("SELECT clinician_id FROM clinician WHERE name = ?", name):
        raise Rejection.already_exists(f"A clinician is already named {name!r}.")
    row = db.insert(
        "clinician",
        clinician_id=db.new_id("clinician"),
        name=name,
        specialty=specialty,
        licensed_states=",".join(licensed_in),
        visit_fee_cents=visit_fee_cents,
        accepting_new=int(accepting_new),
    )
    return _clinician(row)


@tool(writes=["clinician"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def update_clinician(
    db: Database,
    clinician_id: Annotated[str, "clinician to change"],
    visit_fee_cents: Annotated[int | None, "new fee per visit", Field(ge=1)] = None,
    accepting_new: Annotated[bool | None, "takes new patients"] = None,
    added_state: Annotated[Literal["CA", "NV", "OR", "WA"] | None, "state of a new license"] = None,
) -> Clinician:
    """Change a clinician's fee, openness to new patients, or licenses.

    Requires: At least one new value is given. The clinician has no license in the added state yet.

    visit_fee_cents and accepting_new take the given values; added_state is appended to licensed_states after a comma.
    """
    if visit_fee_cents is None and accepting_new is None and added_state is None:
        raise Rejection.invalid_argument("Give at least one new value.")
    clinician = db.require("clinician", clinician_id)
    changes = {}
    if visit_fee_cents is not None:
        changes["visit_fee_cents"] = visit_fee_cents
    if accepting_new is not None:
        changes["accepting_new"] = int(accepting_new)
    if added_state is not None:
        if added_state in clinician["licensed_states"].split(","):
            raise Rejection.already_exists(f"Clinician {clinician_id!r} is already licensed in {added_state}.")
        changes["licensed_states"] = clinician["licensed_states"] + "," + added_state
    return _clinician(db.update("clinician", clinician_id, **changes))


@tool(reads=["clinician", "slot", "visit"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def find_open_slots(
    db: Database,
    licensed_in: Annotated[Literal["CA", "NV", "OR", "WA"] | None, "clinician licensed in this state"] = None,
    specialty: Annotated[
        Literal["primary_care", "dermatology", "psychiatry", "pediatrics"] | None, "clinician's specialty"
    ] = None,
    clinician_id: Annotated[str | None, "only this clinician"] = None,
    from_date: Annotated[Date | None, "first day"] = None,
    to_date: Annotated[Date | None, "last day"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> SlotList:
    """Find open times that can be booked.

    Requires: The last day is not before the first, if both are given.

    Lists open slots that start later than now and match every filter, by starts_at.
    """
    if from_date is not None and to_date is not None and to_date < from_date:
        raise Rejection.invalid_argument(f"The last day {to_date} is before the first, {from_date}.")
    if clinician_id is not None:
        db.require("clinician", clinician_id)
    rows = db.select(
        """
        SELECT slot_id FROM slot JOIN clinician ON clinician.clinician_id = slot.clinician_id
        WHERE slot.status = 'open' AND starts_at > ?
            AND (? IS NULL OR instr(licensed_states, ?) > 0)
            AND (? IS NULL OR specialty = ?)
            AND (? IS NULL OR slot.clinician_id = ?)
            AND (? IS NULL OR substr(starts_at, 1, 10) >= ?)
            AND (? IS NULL OR substr(starts_at, 1, 10) <= ?)
        ORDER BY starts_at, slot_id
        """,
        db.now,
        licensed_in,
        licensed_in,
        specialty,
        specialty,
        clinician_id,
        clinician_id,
        from_date,
        from_date,
        to_date,
        to_date,
    )
    return {"items": [_slot(db, row["slot_id"]) for row in rows[:limit]], "total": len(rows)}


@tool(reads=["clinician", "slot", "visit"], rejects=["NOT_FOUND"])
def list_clinician_slots(
    db: Database, clinician_id: Annotated[str, "clinician"], on_date: Annotated[Date, "day of the slots"]
) -> SlotList:
    """List all slots of a clinician on one day, whatever their status.

    Sorted by starts_at.
    """
    db.require("clinician", clinician_id)
    rows = db.select(
        "SELECT slot_id FROM slot WHERE clinician_id = ? AND substr(starts_at, 1, 10) = ? ORDER BY starts_at, slot_id",
        clinician_id,
        on_date,
    )
    return {"items": [_slot(db, row["slot_id"]) for row in rows], "total": len(rows)}


@tool(reads=["clinician", "visit"], writes=["slot"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def open_slots(
    db: Database,
    clinician_id: Annotated[str, "clinician who gets them"],
    first_starts_at: Annotated[Timestamp, "start of the first"],
    minutes: Annotated[int, "length of each", Field(ge=10, le=60)],
    count: Annotated[int, "number of slots", Field(ge=1, le=12)],
) -> SlotList:
    """Add a row of back-to-back open slots for a clinician.

    Requires: The first slot starts later than now. No new slot overlaps a slot the clinician has, whatever its status.

    Adds count slots with status open, each starting when the one before ends; returns them by starts_at, total is
    count.
    """
    if first_starts_at <= db.now:
        raise Rejection.invalid_argument(f"The first slot must start later than now, {db.now}.")
    db.require("clinician", clinician_id)
    taken = db.first(
        """
        SELECT starts_at FROM slot
        WHERE clinician_id = ? AND starts_at < ? AND datetime(starts_at, '+' || minutes || ' minutes') > ?
        """,
        clinician_id,
        add_minutes(first_starts_at, minutes * count),
        first_starts_at,
    )
    if taken:
        raise Rejection.already_exists(f"Clinician {clinician_id!r} has an overlapping slot at {taken['starts_at']}.")
    rows = [
        db.insert(
            "slot",
            slot_id=db.new_id("slot"),
            clinician_id=clinician_id,
            starts_at=add_minutes(first_starts_at, minutes * number),
            minutes=minutes,
            status="open",
        )
        for number in range(count)
    ]
    return {"items": [_slot(db, row["slot_id"]) for row in rows], "total": count}


@tool(reads=["clinician", "visit"], writes=["slot"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def block_slots(
    db: Database,
    slot_ids: Annotated[list[str], "slots to block", Field(min_length=1, max_length=20)],
    reason: Annotated[str, "why they are blocked", Field(min_length=1)],
) -> SlotList:
    """Take open slots off the schedule.

    Requires: Every slot is open.

    status becomes blocked and block_reason is the reason; total is the number of slots.
    """
    if len(set(slot_ids)) < len(slot_ids):
        raise Rejection.invalid_argument("A slot is named twice; name each one once.")
    slots = [db.require("slot", slot_id) for slot_id in slot_ids]
    for slot in slots:
        if slot["status"] != "open":
            raise Rejection.failed_precondition(f"Slot {slot['slot_id']!r} is {slot['status']}, not open.")
    for slot_id in slot_ids:
        db.update("slot", slot_id, status="blocked", block_reason=reason)
    return {"items": [_slot(db, slot_id) for slot_id in slot_ids], "total": len(slot_ids)}


@tool(reads=["clinician", "visit"], writes=["slot"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def unblock_slot(db: Database, slot_id: Annotated[str, "slot to unblock"]) -> Slot:
    """Put a blocked slot back on the schedule.

    Requires: The slot is blocked and starts later than now.

    status becomes open and block_reason null.
    """
    slot = db.require("slot", slot_id)
    if slot["status"] != "blocked":
        raise Rejection.failed_precondition(f"Slot {slot_id!r} is {slot['status']}, not blocked.")
    if slot["starts_at"] <= db.now:
        raise Rejection.failed_precondition(f"Slot {slot_id!r} started at {slot['starts_at']}, which is not ahead.")
    db.update("slot", slot_id, status="open", block_reason=None)
    return _slot(db, slot_id)
