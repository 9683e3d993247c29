"""Visits: booking, moving, canceling, and holding visits."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, add_days, add_minutes, tool


class VisitItem(TypedDict):
    visit_id: Annotated[str, "visit"]
    clinician_name: Annotated[str, "clinician's name"]
    starts_at: Annotated[Timestamp, "start of its slot"]
    reason: Annotated[str, "reason for the visit"]
    status: Annotated[Literal["booked", "checked_in", "completed", "canceled", "no_show"], "status"]


class VisitList(TypedDict):
    items: Annotated[list[VisitItem], "entries"]
    total: Annotated[int, "all matches"]


class Visit(TypedDict):
    visit_id: Annotated[str, "visit"]
    patient_id: Annotated[str, "patient"]
    clinician_id: Annotated[str, "clinician"]
    clinician_name: Annotated[str, "clinician's name"]
    slot_id: Annotated[str, "slot"]
    starts_at: Annotated[Timestamp, "start of its slot"]
    minutes: Annotated[int, "length of its slot"]
    reason: Annotated[str, "reason for the visit"]
    status: Annotated[Literal["booked", "checked_in", "completed", "canceled", "no_show"], "status"]
    created_at: Annotated[Timestamp, "when booked"]
    reschedules: Annotated[int, "times moved"]
    canceled_by: Annotated[Literal["patient", "practice"] | None, "who canceled"]
    canceled_at: Annotated[Timestamp | None, "when canceled"]
    cancel_reason: Annotated[str | None, "why canceled"]
    checked_in_at: Annotated[Timestamp | None, "when checked in"]
    completed_at: Annotated[Timestamp | None, "when completed"]
    summary: Annotated[str | None, "what was found and advised"]


def _visit(db, visit_id):
    return db.first(
        """
        SELECT visit_id, patient_id, slot.clinician_id, clinician.name AS clinician_name, visit.slot_id, starts_at,
            minutes, reason, visit.status, created_at, reschedules, canceled_by, canceled_at, cancel_reason,
            checked_in_at, completed_at, summary
        FROM visit
        JOIN slot ON slot.slot_id = visit.slot_id
        JOIN clinician ON clinician.clinician_id = slot.clinician_id
        WHERE visit_id = ?
        """,
        visit_id,
    )


def _require_upcoming(db, visit):
    if visit["status"] != "booked":
        raise Rejection.failed_precondition(f"Visit {visit['visit_id']!r} is {visit['status']}, not booked.")
    starts_at = db.get("slot", visit["slot_id"])["starts_at"]
    if starts_at <= db.now:
        raise Rejection.failed_precondition(f"Visit {visit['visit_id']!r} started at {starts_at}, which is not ahead.")


def _require_bookable(db, slot):
    if slot["status"] != "open":
        raise Rejection.failed_precondition(f"Slot {slot['slot_id']!r} is {slot['status']}, not open.")
    if slot["starts_at"] <= db.now:
        raise Rejection.failed_precondition(
            f"Slot {slot['slot_id']!r} started at {slot['starts_at']}, which is not ahead."
        )


def _require_no_overlap(db, patient_id, slot, but_visit_id):
    other = db.first(
        """
        SELECT visit_id FROM visit JOIN slot ON slot.slot_id = visit.slot_id
        WHERE patient_id = ? AND visit.status IN ('booked', 'checked_in') AND (? IS NULL OR visit_id <> ?)
            AND starts_at < ? AND datetime(starts_at, '+' || minutes || ' minutes') > ?
        """,
        patient_id,
        but_visit_id,
        but_visit_id,
        add_minutes(slot["starts_at"], slot["minutes"]),
        slot["starts_at"],
    )
    if other:
        raise Rejection.failed_precondition(f"Visit {other['visit_id']!r} of the patient overlaps this slot.")


@tool(reads=["patient", "clinician", "slot", "visit"], rejects=["NOT_FOUND"])
def list_patient_visits(
    db: Database,
    patient_id: Annotated[str, "patient"],
    status: Annotated[
        Literal["booked", "checked_in", "completed", "canceled", "no_show"] | None, "only this status"
    ] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> VisitList:
    """List a patient's visits.

    Sorted by starts_at, latest first.
    """
    db.require("patient", patient_id)
    rows = db.select(
        """
        SELECT visit_id, clinician.name AS clinician_name, starts_at, reason, visit.status
        FROM visit
        JOIN slot ON slot.slot_id = visit.slot_id
        JOIN clinician ON clinician.clinician_id = slot.clinician_id
        WHERE patient_id = ? AND (? IS NULL OR visit.status = ?)
        ORDER BY starts_at DESC, visit_id
        """,
        patient_id,
        status,
        status,
    )
    return {"items": rows[:limit], "total": len(rows)}


@tool(reads=["clinician", "slot", "visit"], rejects=["NOT_FOUND"])
def get_visit(db: Database, visit_id: Annotated[str, "visit to show"]) -> Visit:
    """Show one visit."""
    db.require("visit", visit_id)
    return _visit(db, visit_id)


@tool(reads=["patient", "clinician"], writes=["slot", "visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def book_visit(
    db: Database,
    patient_id: Annotated[str, "patient to be seen"],
    slot_id: Annotated[str, "open slot"],
    reason: Annotated[str, "reason for the visit", Field(min_length=1)],
) -> Visit:
    """Book a video visit for a patient in an open slot.

    Requires: The patient is active. The slot is open and starts later than now. The clinician is licensed in the
    patient's state. The clinician accepts new patients or has completed a visit with this patient. The patient has no
    open visit that overlaps the slot.

    Adds a visit with status booked and 0 reschedules; the slot becomes booked.
    """
    patient = db.require("patient", patient_id)
    slot = db.require("slot", slot_id)
    if patient["status"] != "active":
        raise Rejection.failed_precondition(f"Patient {patient_id!r} is {patient['status']}, not active.")
    _require_bookable(db, slot)
    clinician = db.get("clinician", slot["clinician_id"])
    if patient["address_state"] not in clinician["licensed_states"].split(","):
        raise Rejection.failed_precondition(f"{clinician['name']} is not licensed in {patient['address_state']}.")
    if not clinician["accepting_new"]:
        seen = db.first(
            """
            SELECT visit_id FROM visit JOIN slot ON slot.slot_id = visit.slot_id
            WHERE patient_id = ? AND visit.status = 'completed' AND clinician_id = ?
            """,
            patient_id,
            slot["clinician_id"],
        )
        if seen is None:
            raise Rejection.failed_precondition(f"{clinician['name']} does not accept new patients.")
    _require_no_overlap(db, patient_id, slot, None)
    visit = db.insert(
        "visit",
        visit_id=db.new_id("visit"),
        patient_id=patient_id,
        slot_id=slot_id,
        reason=reason,
        status="booked",
        created_at=db.now,
        reschedules=0,
    )
    db.update("slot", slot_id, status="booked")
    return _visit(db, visit["visit_id"])


@tool(reads=["clinician"], writes=["slot", "visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def reschedule_visit(
    db: Database, visit_id: Annotated[str, "visit to move"], slot_id: Annotated[str, "new slot"]
) -> Visit:
    """Move a booked visit to another slot of its clinician.

    Requires: The visit is booked and starts later than now. The new slot belongs to the visit's clinician. The new slot
    is open and starts later than now. The patient has no other open visit that overlaps the new slot.

    The old slot becomes open, the new one booked; slot_id is the new slot, reschedules goes up by 1.
    """
    visit = db.require("visit", visit_id)
    slot = db.require("slot", slot_id)
    _require_upcoming(db, visit)
    old = db.get("slot", visit["slot_id"])
    if slot["clinician_id"] != old["clinician_id"]:
        raise Rejection.failed_precondition(f"Slot {slot_id!r} belongs to another clinician than the visit.")
    _require_bookable(db, slot)
    _require_no_overlap(db, visit["patient_id"], slot, visit_id)
    db.update("slot", old["slot_id"], status="open")
    db.update("slot", slot_id, status="booked")
    db.update("visit", visit_id, slot_id=slot_id, reschedules=visit["reschedules"] + 1)
    return _visit(db, visit_id)


@tool(reads=["clinician"], writes=["slot", "visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_visit(
    db: Database,
    visit_id: Annotated[str, "visit to cancel"],
    reason: Annotated[str | None, "patient's reason", Field(min_length=1)] = None,
) -> Visit:
    """Cancel a booked visit because the patient asks.

    Requires: The visit is booked and starts later than now.

    status becomes canceled, canceled_by patient, canceled_at the clock, cancel_reason the reason; its slot becomes
    open.
    """
    visit = db.require("visit", visit_id)
    _require_upcoming(db, visit)
    db.update("visit", visit_id, status="canceled", canceled_by="patient", canceled_at=db.now, cancel_reason=reason)
    db.update("slot", visit["slot_id"], status="open")
    return _visit(db, visit_id)


@tool(reads=["clinician"], writes=["slot", "visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def call_off_visits(
    db: Database,
    visit_ids: Annotated[list[str], "visits to call off", Field(min_length=1, max_length=20)],
    reason: Annotated[str, "why they are called off", Field(min_length=1)],
) -> VisitList:
    """Cancel booked visits that the practice cannot keep.

    Requires: Every visit is booked and starts later than now.

    status becomes canceled, canceled_by practice, canceled_at the clock, cancel_reason the reason. Each slot becomes
    blocked with the reason as block_reason; total is the number of visits.
    """
    if len(set(visit_ids)) < len(visit_ids):
        raise Rejection.invalid_argument("A visit is named twice; name each one once.")
    visits = [db.require("visit", visit_id) for visit_id in visit_ids]
    for visit in visits:
        _require_upcoming(db, visit)
    for visit in visits:
        db.update(
            "visit",
            visit["visit_id"],
            status="canceled",
            canceled_by="practice",
            canceled_at=db.now,
            cancel_reason=reason,
        )
        db.update("slot", visit["slot_id"], status="blocked", block_reason=reason)
    shown = [_visit(db, visit_id) for visit_id in visit_ids]
    fields = ("visit_id", "clinician_name", "starts_at", "reason", "status")
    return {"items": [{field: visit[field] for field in fields} for visit in shown], "total": len(shown)}


@tool(reads=["patient", "clinician", "slot"], writes=["visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def check_in_visit(db: Database, visit_id: Annotated[str, "visit to check in"]) -> Visit:
    """Admit a patient to the virtual waiting room.

    Requires: The visit is booked, starts today, and ends later than now. The patient's telehealth consent is on file.

    status becomes checked_in; checked_in_at is the clock.
    """
    visit = db.require("visit", visit_id)
    slot = db.get("slot", visit["slot_id"])
    if visit["status"] != "booked":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not booked.")
    if slot["starts_at"][:10] != db.today or add_minutes(slot["starts_at"], slot["minutes"]) <= db.now:
        raise Rejection.failed_precondition(
            f"Visit {visit_id!r} at {slot['starts_at']} is not later today or under way."
        )
    if db.get("patient", visit["patient_id"])["consent_on"] is None:
        raise Rejection.failed_precondition(f"Patient {visit['patient_id']!r} has no telehealth consent on file.")
    db.update("visit", visit_id, status="checked_in", checked_in_at=db.now)
    return _visit(db, visit_id)


@tool(reads=["clinician", "slot"], writes=["visit", "charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_visit(
    db: Database,
    visit_id: Annotated[str, "visit to complete"],
    summary: Annotated[str, "what was found and advised", Field(min_length=1)],
) -> Visit:
    """Close a visit with its summary and bill it.

    Requires: The visit is checked in and does not start later than now.

    status becomes completed, completed_at the clock, summary as given. Adds a charge of kind visit for this patient and
    visit over the clinician's visit_fee_cents, note null, due 30 days after today.
    """
    visit = db.require("visit", visit_id)
    slot = db.get("slot", visit["slot_id"])
    if visit["status"] != "checked_in":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not checked_in.")
    if slot["starts_at"] > db.now:
        raise Rejection.failed_precondition(f"Visit {visit_id!r} starts only at {slot['starts_at']}.")
    db.update("visit", visit_id, status="completed", completed_at=db.now, summary=summary)
    db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        patient_id=visit["patient_id"],
        visit_id=visit_id,
        kind="visit",
        amount_cents=db.get("clinician", slot["clinician_id"])["visit_fee_cents"],
        created_at=db.now,
        due_on=add_days(db.today, 30),
    )
    return _visit(db, visit_id)


@tool(reads=["clinician", "slot"], writes=["visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def mark_no_show(db: Database, visit_id: Annotated[str, "missed visit"]) -> Visit:
    """Record that a patient did not come to a visit.

    Requires: The visit is booked and started earlier than now.

    status becomes no_show; the slot stays booked.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] != "booked":
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not booked.")
    starts_at = db.get("slot", visit["slot_id"])["starts_at"]
    if starts_at >= db.now:
        raise Rejection.failed_precondition(f"Visit {visit_id!r} starts at {starts_at}, which has not passed.")
    db.update("visit", visit_id, status="no_show")
    return _visit(db, visit_id)


@tool(reads=["clinician", "slot"], writes=["visit"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_visit_reason(
    db: Database,
    visit_id: Annotated[str, "visit to correct"],
    reason: Annotated[str, "new reason", Field(min_length=1)],
) -> Visit:
    """Correct the reason of an open visit.

    Requires: The visit is open.

    reason is the new reason.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] not in ("booked", "checked_in"):
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not booked or checked_in.")
    db.update("visit", visit_id, reason=reason)
    return _visit(db, visit_id)
