"""Billing: charges, payments, refunds, waivers, and credit."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class Charge(TypedDict):
    charge_id: Annotated[str, "charge"]
    patient_id: Annotated[str, "patient"]
    patient_name: Annotated[str, "patient's name"]
    visit_id: Annotated[str | None, "visit it concerns"]
    kind: Annotated[
        Literal["visit", "no_show_fee", "late_cancellation_fee", "plan_fee", "records_fee"], "kind of charge"
    ]
    note: Annotated[str | None, "note on the bill"]
    amount_cents: Annotated[int, "amount charged"]
    paid_cents: Annotated[int, "paid in all"]
    refunded_cents: Annotated[int, "refunded in all"]
    credited_cents: Annotated[int, "settled by account credit"]
    waived_cents: Annotated[int, "waived in all"]
    balance_cents: Annotated[int, "still owed"]
    created_at: Annotated[Timestamp, "when charged"]
    due_on: Annotated[Date, "due date"]
    last_paid_on: Annotated[Date | None, "day of last payment"]
    adjustment_note: Annotated[str | None, "reason of last refund or waiver"]


class ChargeList(TypedDict):
    items: Annotated[list[Charge], "entries"]
    total: Annotated[int, "all matches"]
    balance_cents: Annotated[int, "sum of balances"]


class Patient(TypedDict):
    patient_id: Annotated[str, "patient"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone"]
    date_of_birth: Annotated[Date, "date of birth"]
    address_state: Annotated[Literal["CA", "NV", "OR", "WA"], "state of residence"]
    plan: Annotated[Literal["basic", "plus", "premier"], "membership plan"]
    plan_since: Annotated[Date, "on this plan since"]
    status: Annotated[Literal["active", "inactive"], "account status"]
    joined_on: Annotated[Date, "day of registration"]
    consent_on: Annotated[Date | None, "telehealth consent signed"]
    pharmacy: Annotated[str | None, "preferred pharmacy"]
    allergies: Annotated[str | None, "known allergies"]
    credit_cents: Annotated[int, "unused account credit"]


def _charge(db, charge_id):
    return db.first(
        """
        SELECT charge_id, charge.patient_id, patient.name AS patient_name, visit_id, kind, note, amount_cents, paid_cents,
            refunded_cents, credited_cents, waived_cents,
            amount_cents - paid_cents - credited_cents - waived_cents AS balance_cents,
            created_at, due_on, last_paid_on, adjustment_note
        FROM charge JOIN patient ON patient.patient_id = charge.patient_id
        WHERE charge_id = ?
        """,
        charge_id,
    )


def _balance(charge):
    return charge["amount_cents"] - charge["paid_cents"] - charge["credited_cents"] - charge["waived_cents"]


@tool(reads=["patient", "charge"], rejects=["NOT_FOUND"])
def list_patient_charges(
    db: Database,
    patient_id: Annotated[str, "patient"],
    open_only: Annotated[bool, "only open charges"] = False,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List a patient's charges and what is owed.

    Sorted by created_at, newest first; balance_cents sums all matches before the cut.
    """
    db.require("patient", patient_id)
    rows = db.select(
        """
        SELECT charge_id FROM charge
        WHERE patient_id = ? AND (? = 0 OR amount_cents - paid_cents - credited_cents - waived_cents > 0)
        ORDER BY created_at DESC, charge_id LIMIT ?
        """,
        patient_id,
        int(open_only),
        limit,
    )
    sums = db.first(
        """
        SELECT count(*) AS total,
            coalesce(sum(amount_cents - paid_cents - credited_cents - waived_cents), 0) AS balance_cents
        FROM charge
        WHERE patient_id = ? AND (? = 0 OR amount_cents - paid_cents - credited_cents - waived_cents > 0)
        """,
        patient_id,
        int(open_only),
    )
    return {
        "items": [_charge(db, row["charge_id"]) for row in rows],
        "total": sums["total"],
        "balance_cents": sums["balance_cents"],
    }


@tool(reads=["patient", "visit"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def add_charge(
    db: Database,
    patient_id: Annotated[str, "patient to charge"],
    kind: Annotated[Literal["no_show_fee", "late_cancellation_fee", "plan_fee", "records_fee"], "kind of fee"],
    amount_cents: Annotated[int, "amount of the fee", Field(ge=1)],
    visit_id: Annotated[str | None, "visit it concerns"] = None,
    note: Annotated[str | None, "note on the bill", Field(min_length=1)] = None,
) -> Charge:
    """Charge a patient a fee other than the visit fee.

    Requires: The visit, if given, is this patient's. The visit, if given, has no charge of this kind.

    paid, refunded, credited, and waived cents are 0; due_on is 30 days after today.
    """
    db.require("patient", patient_id)
    if visit_id is not None:
        visit = db.require("visit", visit_id)
        if visit["patient_id"] != patient_id:
            raise Rejection.failed_precondition(f"Visit {visit_id!r} is not a visit of patient {patient_id!r}.")
        if db.first("SELECT charge_id FROM charge WHERE visit_id = ? AND kind = ?", visit_id, kind):
            raise Rejection.already_exists(f"Visit {visit_id!r} already has a charge of kind {kind}.")
    charge = db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        patient_id=patient_id,
        visit_id=visit_id,
        kind=kind,
        note=note,
        amount_cents=amount_cents,
        created_at=db.now,
        due_on=add_days(db.today, 30),
    )
    return _charge(db, charge["charge_id"])


@tool(reads=["patient"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def remove_charge(db: Database, charge_id: Annotated[str, "charge to delete"]) -> Charge:
    """Delete a fee that was entered by mistake.

    Requires: The charge is not of kind visit. Nothing of it was paid, credited, or waived.

    The charge is deleted.
    """
    charge = db.require("charge", charge_id)
    if charge["kind"] == "visit":
        raise Rejection.failed_precondition(f"Charge {charge_id!r} is for a visit and cannot be removed.")
    if charge["paid_cents"] or charge["credited_cents"] or charge["waived_cents"]:
        raise Rejection.failed_precondition(f"Charge {charge_id!r} was paid, credited, or waived in part.")
    shown = _charge(db, charge_id)
    db.delete("charge", charge_id)
    return shown


@tool(reads=["patient"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_payment(
    db: Database, charge_id: Annotated[str, "charge to pay"], amount_cents: Annotated[int, "amount paid", Field(ge=1)]
) -> Charge:
    """Record a payment toward a charge.

    Requires: The amount is at most the balance of the charge.

    paid_cents goes up by the amount; last_paid_on is today.
    """
    charge = db.require("charge", charge_id)
    if amount_cents > _balance(charge):
        raise Rejection.failed_precondition(f"The balance of charge {charge_id!r} is only {_balance(charge)} cents.")
    db.update("charge", charge_id, paid_cents=charge["paid_cents"] + amount_cents, last_paid_on=db.today)
    return _charge(db, charge_id)


@tool(reads=["patient"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def refund_payment(
    db: Database,
    charge_id: Annotated[str, "charge to refund"],
    amount_cents: Annotated[int, "amount to refund", Field(ge=1)],
    reason: Annotated[str, "why it is refunded", Field(min_length=1)],
) -> Charge:
    """Refund money paid on a charge.

    Requires: The amount is at most paid_cents less refunded_cents.

    refunded_cents goes up by the amount; adjustment_note is the reason; the balance does not change.
    """
    charge = db.require("charge", charge_id)
    refundable = charge["paid_cents"] - charge["refunded_cents"]
    if amount_cents > refundable:
        raise Rejection.failed_precondition(f"Only {refundable} cents of charge {charge_id!r} can be refunded.")
    db.update("charge", charge_id, refunded_cents=charge["refunded_cents"] + amount_cents, adjustment_note=reason)
    return _charge(db, charge_id)


@tool(reads=["patient"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def waive_charge(
    db: Database,
    charge_id: Annotated[str, "charge to waive"],
    reason: Annotated[str, "why it is waived", Field(min_length=1)],
    amount_cents: Annotated[int | None, "amount; left out, the whole balance", Field(ge=1)] = None,
) -> Charge:
    """Waive all or part of what is owed on a charge.

    Requires: The charge is open. The amount, if given, is at most the balance.

    waived_cents goes up by the amount; adjustment_note is the reason.
    """
    charge = db.require("charge", charge_id)
    balance = _balance(charge)
    if balance <= 0:
        raise Rejection.failed_precondition(f"Charge {charge_id!r} is settled, not open.")
    waived = balance if amount_cents is None else amount_cents
    if waived > balance:
        raise Rejection.failed_precondition(f"The balance of charge {charge_id!r} is only {balance} cents.")
    db.update("charge", charge_id, waived_cents=charge["waived_cents"] + waived, adjustment_note=reason)
    return _charge(db, charge_id)


@tool(writes=["patient"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def grant_credit(
    db: Database,
    patient_id: Annotated[str, "patient to credit"],
    amount_cents: Annotated[int, "credit to give", Field(ge=1)],
) -> Patient:
    """Give a patient account credit.

    Requires: The patient is active.

    credit_cents goes up by the amount.
    """
    patient = db.require("patient", patient_id)
    if patient["status"] != "active":
        raise Rejection.failed_precondition(f"Patient {patient_id!r} is {patient['status']}, not active.")
    return db.update("patient", patient_id, credit_cents=patient["credit_cents"] + amount_cents)


@tool(writes=["patient", "charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def apply_credit(
    db: Database,
    charge_id: Annotated[str, "charge to reduce"],
    amount_cents: Annotated[int, "credit to use", Field(ge=1)],
) -> Charge:
    """Use a patient's account credit on one of the patient's charges.

    Requires: The amount is at most the balance of the charge. The amount is at most the credit of the charge's patient.

    credited_cents goes up and the patient's credit_cents goes down by the amount.
    """
    charge = db.require("charge", charge_id)
    if amount_cents > _balance(charge):
        raise Rejection.failed_precondition(f"The balance of charge {charge_id!r} is only {_balance(charge)} cents.")
    patient = db.get("patient", charge["patient_id"])
    if amount_cents > patient["credit_cents"]:
        raise Rejection.failed_precondition(f"The patient has only {patient['credit_cents']} cents of credit.")
    db.update("charge", charge_id, credited_cents=charge["credited_cents"] + amount_cents)
    db.update("patient", patient["patient_id"], credit_cents=patient["credit_cents"] - amount_cents)
    return _charge(db, charge_id)
