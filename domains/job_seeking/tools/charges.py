"""Charges: recording, paying, and waiving fees."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Charge(TypedDict):
    charge_id: Annotated[str, "the charge"]
    application_id: Annotated[str | None, "application concerned"]
    kind: Annotated[Literal["coaching_session", "resume_review", "late_change", "missed_interview"], "what it is for"]
    amount_cents: Annotated[int, "amount due"]
    status: Annotated[Literal["unpaid", "paid", "waived"], "state"]
    created_at: Annotated[Timestamp, "when recorded"]
    settled_at: Annotated[Timestamp | None, "when paid or waived"]
    payment_method: Annotated[Literal["card", "check", "cash"] | None, "how paid"]
    waive_reason: Annotated[str | None, "why waived"]


class ChargeList(TypedDict):
    charges: Annotated[list[Charge], "newest first"]
    total: Annotated[int, "matches before the cut"]
    balance_cents: Annotated[int, "applicant's balance"]


class PaymentReceipt(TypedDict):
    applicant_id: Annotated[str, "who paid"]
    paid_count: Annotated[int, "charges paid now"]
    paid_cents: Annotated[int, "sum paid now"]
    balance_cents: Annotated[int, "balance left"]


def _shown(charge):
    """Show a charge without the applicant, who is known."""
    return {name: value for name, value in charge.items() if name != "applicant_id"}


def _balance(db, applicant_id):
    """Add up what the applicant owes."""
    return db.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE applicant_id = ? AND status = 'unpaid'", applicant_id
    )


def _require_unpaid(charge):
    """Reject a charge that is settled."""
    if charge["status"] != "unpaid":
        raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} is {charge['status']}, not unpaid.")


@tool(reads=["applicant", "job_application"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_charge(
    db: Database,
    applicant_id: Annotated[str, "applicant concerned"],
    kind: Annotated[Literal["coaching_session", "resume_review", "late_change", "missed_interview"], "what it is for"],
    amount_cents: Annotated[int, "amount due", Field(ge=1, le=100000)],
    application_id: Annotated[str | None, "application concerned"] = None,
) -> Charge:
    """Charge an applicant a fee.

    Requires: The application, if given, belongs to the applicant.

    status is unpaid.
    """
    db.require("applicant", applicant_id)
    if application_id is not None:
        application = db.require("job_application", application_id)
        if application["applicant_id"] != applicant_id:
            raise Rejection.failed_precondition(f"Application {application_id!r} belongs to another applicant.")
    return _shown(
        db.insert(
            "charge",
            charge_id=db.new_id("charge"),
            applicant_id=applicant_id,
            application_id=application_id,
            kind=kind,
            amount_cents=amount_cents,
            status="unpaid",
            created_at=db.now,
        )
    )


@tool(reads=["applicant", "charge"], rejects=["NOT_FOUND"])
def list_applicant_charges(
    db: Database,
    applicant_id: Annotated[str, "applicant concerned"],
    status: Annotated[Literal["unpaid", "paid", "waived"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List an applicant's charges and the balance.

    Sorted by created_at, newest first; the filter does not touch balance_cents.
    """
    db.require("applicant", applicant_id)
    charges = db.select(
        """
        SELECT * FROM charge
        WHERE applicant_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, charge_id
        """,
        applicant_id,
        status,
        status,
    )
    return {
        "charges": [_shown(charge) for charge in charges[:limit]],
        "total": len(charges),
        "balance_cents": _balance(db, applicant_id),
    }


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_charges(
    db: Database,
    charge_ids: Annotated[list[str], "charges to pay", Field(min_length=1, max_length=20)],
    payment_method: Annotated[Literal["card", "check", "cash"], "how paid"],
) -> PaymentReceipt:
    """Pay one or more charges of an applicant in full.

    Requires: The charges belong to one applicant. The charges are unpaid.

    Each becomes paid with settled_at now and the payment_method; paid_cents is their sum.
    """
    if len(set(charge_ids)) < len(charge_ids):
        raise Rejection.invalid_argument("charge_ids names a charge twice; name each once.")
    charges = [db.require("charge", charge_id) for charge_id in charge_ids]
    applicant_id = charges[0]["applicant_id"]
    for charge in charges:
        if charge["applicant_id"] != applicant_id:
            raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} belongs to another applicant.")
    for charge in charges:
        _require_unpaid(charge)
    for charge in charges:
        db.update("charge", charge["charge_id"], status="paid", settled_at=db.now, payment_method=payment_method)
    return {
        "applicant_id": applicant_id,
        "paid_count": len(charges),
        "paid_cents": sum([charge["amount_cents"] for charge in charges]),
        "balance_cents": _balance(db, applicant_id),
    }


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def waive_charge(
    db: Database,
    charge_id: Annotated[str, "charge to waive"],
    waive_reason: Annotated[str, "why it is waived", Field(min_length=1)],
) -> Charge:
    """Waive an unpaid charge.

    Requires: The charge is unpaid.

    status becomes waived, settled_at now; waive_reason is stored.
    """
    _require_unpaid(db.require("charge", charge_id))
    return _shown(db.update("charge", charge_id, status="waived", settled_at=db.now, waive_reason=waive_reason))
