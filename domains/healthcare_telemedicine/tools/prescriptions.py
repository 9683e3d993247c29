"""Prescriptions: prescriptions and their refill requests."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class PrescriptionItem(TypedDict):
    prescription_id: Annotated[str, "prescription"]
    medication: Annotated[str, "drug and strength"]
    status: Annotated[Literal["active", "discontinued"], "status"]
    refills_left: Annotated[int, "refills left"]
    expires_on: Annotated[Date, "last day of use"]


class PrescriptionList(TypedDict):
    items: Annotated[list[PrescriptionItem], "entries"]
    total: Annotated[int, "all matches"]


class Prescription(TypedDict):
    prescription_id: Annotated[str, "prescription"]
    patient_id: Annotated[str, "patient"]
    visit_id: Annotated[str, "visit it comes from"]
    clinician_name: Annotated[str, "prescriber"]
    medication: Annotated[str, "drug and strength"]
    directions: Annotated[str, "how to take it"]
    quantity: Annotated[int, "units per fill"]
    days_supply: Annotated[int, "days one fill lasts"]
    refills_allowed: Annotated[int, "refills written"]
    refills_left: Annotated[int, "refills left"]
    is_controlled: Annotated[bool, "controlled substance"]
    status: Annotated[Literal["active", "discontinued"], "status"]
    written_on: Annotated[Date, "day written"]
    last_filled_on: Annotated[Date, "day of last fill"]
    expires_on: Annotated[Date, "last day of use"]
    stop_reason: Annotated[str | None, "why it was stopped"]


class Refill(TypedDict):
    refill_id: Annotated[str, "refill request"]
    prescription_id: Annotated[str, "prescription"]
    patient_id: Annotated[str, "patient"]
    medication: Annotated[str, "drug and strength"]
    status: Annotated[Literal["pending", "approved", "denied"], "status"]
    note: Annotated[str | None, "note for the clinician"]
    created_at: Annotated[Timestamp, "when requested"]
    decided_on: Annotated[Date | None, "day of decision"]
    decision_note: Annotated[str | None, "why it was denied"]


class RefillList(TypedDict):
    items: Annotated[list[Refill], "entries"]
    total: Annotated[int, "all matches"]


def _prescription(db, prescription_id):
    row = db.first(
        """
        SELECT prescription.*, visit.patient_id, clinician.name AS clinician_name
        FROM prescription
        JOIN visit ON visit.visit_id = prescription.visit_id
        JOIN slot ON slot.slot_id = visit.slot_id
        JOIN clinician ON clinician.clinician_id = slot.clinician_id
        WHERE prescription_id = ?
        """,
        prescription_id,
    )
    return {**row, "is_controlled": bool(row["is_controlled"])}


def _refill(db, refill_id):
    return db.first(
        """
        SELECT refill.*, visit.patient_id, prescription.medication
        FROM refill
        JOIN prescription ON prescription.prescription_id = refill.prescription_id
        JOIN visit ON visit.visit_id = prescription.visit_id
        WHERE refill_id = ?
        """,
        refill_id,
    )


def _require_refillable(db, prescription):
    if prescription["status"] != "active" or prescription["expires_on"] < db.today:
        raise Rejection.failed_precondition(
            f"Prescription {prescription['prescription_id']!r} is not usable: it must be active and not expired."
        )
    if prescription["refills_left"] < 1:
        raise Rejection.failed_precondition(f"Prescription {prescription['prescription_id']!r} has no refills left.")


@tool(reads=["patient", "visit", "prescription"], rejects=["NOT_FOUND"])
def list_patient_prescriptions(
    db: Database,
    patient_id: Annotated[str, "patient"],
    status: Annotated[Literal["active", "discontinued"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> PrescriptionList:
    """List a patient's prescriptions.

    Sorted by medication.
    """
    db.require("patient", patient_id)
    rows = db.select(
        """
        SELECT prescription_id, medication, prescription.status, refills_left, expires_on
        FROM prescription JOIN visit ON visit.visit_id = prescription.visit_id
        WHERE visit.patient_id = ? AND (? IS NULL OR prescription.status = ?)
        ORDER BY medication, prescription_id
        """,
        patient_id,
        status,
        status,
    )
    return {"items": rows[:limit], "total": len(rows)}


@tool(reads=["clinician", "slot", "visit", "prescription"], rejects=["NOT_FOUND"])
def get_prescription(db: Database, prescription_id: Annotated[str, "prescription to show"]) -> Prescription:
    """Show one prescription."""
    db.require("prescription", prescription_id)
    return _prescription(db, prescription_id)


@tool(
    reads=["clinician", "slot", "visit"],
    writes=["prescription"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_prescription(
    db: Database,
    visit_id: Annotated[str, "visit it comes from"],
    medication: Annotated[str, "drug and strength", Field(min_length=1)],
    directions: Annotated[str, "how to take it", Field(min_length=1)],
    quantity: Annotated[int, "units per fill", Field(ge=1)],
    days_supply: Annotated[int, "days one fill lasts", Field(ge=1, le=90)],
    refills_allowed: Annotated[int, "refills after the first fill", Field(ge=0, le=11)],
    is_controlled: Annotated[bool, "controlled substance"] = False,
) -> Prescription:
    """Write a prescription from a visit.

    Requires: The visit is checked in or completed. The patient has no usable prescription with exactly this medication.

    patient and clinician are those of the visit; status is active, refills_left is refills_allowed. written_on and
    last_filled_on are today; expires_on is 365 days after today.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] not in ("checked_in", "completed"):
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not checked_in or completed.")
    usable = db.first(
        """
        SELECT prescription_id FROM prescription JOIN visit ON visit.visit_id = prescription.visit_id
        WHERE visit.patient_id = ? AND medication = ? AND prescription.status = 'active' AND expires_on >= ?
        """,
        visit["patient_id"],
        medication,
        db.today,
    )
    if usable:
        raise Rejection.already_exists(
            f"Prescription {usable['prescription_id']!r} for {medication!r} is still usable."
        )
    row = db.insert(
        "prescription",
        prescription_id=db.new_id("prescription"),
        visit_id=visit_id,
        medication=medication,
        directions=directions,
        quantity=quantity,
        days_supply=days_supply,
        refills_allowed=refills_allowed,
        refills_left=refills_allowed,
        is_controlled=int(is_controlled),
        status="active",
        written_on=db.today,
        last_filled_on=db.today,
        expires_on=add_days(db.today, 365),
    )
    return _prescription(db, row["prescription_id"])


@tool(
    reads=["clinician", "slot", "visit"],
    writes=["prescription", "refill"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION"],
)
def discontinue_prescription(
    db: Database,
    prescription_id: Annotated[str, "prescription to stop"],
    reason: Annotated[str, "why it is stopped", Field(min_length=1)],
) -> Prescription:
    """Stop an active prescription.

    Requires: The prescription is active.

    status becomes discontinued; stop_reason is the reason. Its pending refill becomes denied, decided_on today,
    decision_note 'Prescription discontinued'.
    """
    prescription = db.require("prescription", prescription_id)
    if prescription["status"] != "active":
        raise Rejection.failed_precondition(
            f"Prescription {prescription_id!r} is {prescription['status']}, not active."
        )
    db.update("prescription", prescription_id, status="discontinued", stop_reason=reason)
    for refill in db.select(
        "SELECT refill_id FROM refill WHERE prescription_id = ? AND status = 'pending'", prescription_id
    ):
        db.update(
            "refill",
            refill["refill_id"],
            status="denied",
            decided_on=db.today,
            decision_note="Prescription discontinued",
        )
    return _prescription(db, prescription_id)


@tool(
    reads=["visit", "prescription"], writes=["refill"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"]
)
def request_refill(
    db: Database,
    prescription_id: Annotated[str, "prescription to refill"],
    note: Annotated[str | None, "note for the clinician", Field(min_length=1)] = None,
) -> Refill:
    """Ask the clinician for a refill of a prescription.

    Requires: The prescription is usable. The prescription has refills left. No refill of it is pending.

    Adds a refill with status pending.
    """
    _require_refillable(db, db.require("prescription", prescription_id))
    if db.first("SELECT refill_id FROM refill WHERE prescription_id = ? AND status = 'pending'", prescription_id):
        raise Rejection.already_exists(f"A refill of prescription {prescription_id!r} is already pending.")
    refill = db.insert(
        "refill",
        refill_id=db.new_id("refill"),
        prescription_id=prescription_id,
        status="pending",
        note=note,
        created_at=db.now,
    )
    return _refill(db, refill["refill_id"])


@tool(reads=["patient", "visit", "prescription", "refill"], rejects=["NOT_FOUND"])
def list_patient_refills(
    db: Database,
    patient_id: Annotated[str, "patient"],
    status: Annotated[Literal["pending", "approved", "denied"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> RefillList:
    """List a patient's refill requests.

    Sorted by created_at, newest first.
    """
    db.require("patient", patient_id)
    rows = db.select(
        """
        SELECT refill_id FROM refill
        JOIN prescription ON prescription.prescription_id = refill.prescription_id
        JOIN visit ON visit.visit_id = prescription.visit_id
        WHERE visit.patient_id = ? AND (? IS NULL OR refill.status = ?)
        ORDER BY refill.created_at DESC, refill_id
        """,
        patient_id,
        status,
        status,
    )
    return {"items": [_refill(db, row["refill_id"]) for row in rows[:limit]], "total": len(rows)}


@tool(reads=["clinician", "slot", "visit", "prescription", "refill"], rejects=["NOT_FOUND"])
def list_pending_refills(
    db: Database,
    clinician_id: Annotated[str | None, "only this prescriber"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> RefillList:
    """List pending refill requests of all patients.

    Sorted by created_at, oldest first.
    """
    if clinician_id is not None:
        db.require("clinician", clinician_id)
    rows = db.select(
        """
        SELECT refill_id FROM refill
        JOIN prescription ON prescription.prescription_id = refill.prescription_id
        JOIN visit ON visit.visit_id = prescription.visit_id
        JOIN slot ON slot.slot_id = visit.slot_id
        WHERE refill.status = 'pending' AND (? IS NULL OR slot.clinician_id = ?)
        ORDER BY refill.created_at, refill_id
        """,
        clinician_id,
        clinician_id,
    )
    return {"items": [_refill(db, row["refill_id"]) for row in rows[:limit]], "total": len(rows)}


@tool(reads=["visit"], writes=["prescription", "refill"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def approve_refills(
    db: Database, refill_ids: Annotated[list[str], "requests to approve", Field(min_length=1, max_length=20)]
) -> RefillList:
    """Approve pending refill requests.

    Requires: Every refill is pending. Every prescription is usable and has refills left.

    status becomes approved, decided_on today; decision_note stays null. Each prescription's refills_left goes down by 1
    and last_filled_on becomes today; total is the number of refills.
    """
    if len(set(refill_ids)) < len(refill_ids):
        raise Rejection.invalid_argument("A refill is named twice; name each one once.")
    refills = [db.require("refill", refill_id) for refill_id in refill_ids]
    for refill in refills:
        if refill["status"] != "pending":
            raise Rejection.failed_precondition(f"Refill {refill['refill_id']!r} is {refill['status']}, not pending.")
    prescriptions = [db.get("prescription", refill["prescription_id"]) for refill in refills]
    for prescription in prescriptions:
        _require_refillable(db, prescription)
    for refill in refills:
        db.update("refill", refill["refill_id"], status="approved", decided_on=db.today)
    for prescription in prescriptions:
        db.update(
            "prescription",
            prescription["prescription_id"],
            refills_left=prescription["refills_left"] - 1,
            last_filled_on=db.today,
        )
    return {"items": [_refill(db, refill_id) for refill_id in refill_ids], "total": len(refill_ids)}


@tool(reads=["visit", "prescription"], writes=["refill"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def deny_refill(
    db: Database,
    refill_id: Annotated[str, "request to deny"],
    reason: Annotated[str, "why it is denied", Field(min_length=1)],
) -> Refill:
    """Deny a pending refill request.

    Requires: The refill is pending.

    status becomes denied, decided_on today, decision_note the reason.
    """
    refill = db.require("refill", refill_id)
    if refill["status"] != "pending":
        raise Rejection.failed_precondition(f"Refill {refill_id!r} is {refill['status']}, not pending.")
    db.update("refill", refill_id, status="denied", decided_on=db.today, decision_note=reason)
    return _refill(db, refill_id)
