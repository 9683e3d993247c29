"""Billing: fees, credits, payments, and balances of subscribers."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Charge(TypedDict):
    charge_id: Annotated[str, "the charge"]
    subscriber_id: Annotated[str, "whose account"]
    kind: Annotated[Literal["fee", "credit", "payment"], "kind of charge"]
    amount_cents: Annotated[int, "amount, above 0"]
    reason: Annotated[str, "what it is for"]
    visit_id: Annotated[str | None, "visit a fee is for"]
    credited_charge_id: Annotated[str | None, "fee a credit is for"]
    status: Annotated[Literal["posted", "void"], "posted or void"]
    void_reason: Annotated[str | None, "why voided"]
    created_at: Annotated[Timestamp, "when it was posted"]


class ChargeList(TypedDict):
    total: Annotated[int, "charges found"]
    balance_cents: Annotated[int, "balance over all charges"]
    charges: Annotated[list[Charge], "the charges"]


def _balance(db, subscriber_id):
    """Posted fees minus posted credits and payments."""
    return db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind = 'fee' THEN amount_cents ELSE -amount_cents END), 0)
        FROM charge WHERE subscriber_id = ? AND status = 'posted'
        """,
        subscriber_id,
    )


@tool(reads=["subscriber", "charge"], rejects=["NOT_FOUND"])
def list_charges(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    kind: Annotated[Literal["fee", "credit", "payment"] | None, "only this kind"] = None,
    status: Annotated[Literal["posted", "void"] | None, "only posted or void"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List a subscriber's fees, credits, and payments with the balance.

    Sorted by created_at, latest first; filters do not touch balance_cents.
    """
    db.require("subscriber", subscriber_id)
    charges = db.select(
        """
        SELECT charge_id, subscriber_id, kind, amount_cents, reason, visit_id, credited_charge_id, status, void_reason, created_at
        FROM charge
        WHERE subscriber_id = ? AND (? IS NULL OR kind = ?) AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, charge_id
        """,
        subscriber_id,
        kind,
        kind,
        status,
        status,
    )
    return {"total": len(charges), "balance_cents": _balance(db, subscriber_id), "charges": charges[:limit]}


@tool(
    reads=["subscriber", "home", "visit"],
    writes=["charge"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def add_fee(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=500000)],
    reason: Annotated[str, "what it is for", Field(min_length=1)],
    visit_id: Annotated[str | None, "visit it is for"] = None,
) -> Charge:
    """Post a fee to a subscriber's account.

    Requires: The account is not closed. The visit, if given, is to a home of the subscriber. No posted fee is for this
    visit yet.

    A posted fee is added.
    """
    subscriber = db.require("subscriber", subscriber_id)
    visit = None if visit_id is None else db.require("visit", visit_id)
    if subscriber["status"] == "closed":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is closed.")
    if visit is not None:
        if db.require("home", visit["home_id"])["subscriber_id"] != subscriber_id:
            raise Rejection.failed_precondition(f"Visit {visit_id!r} is not to a home of {subscriber_id!r}.")
        if db.first("SELECT charge_id FROM charge WHERE visit_id = ? AND kind = 'fee' AND status = 'posted'", visit_id):
            raise Rejection.already_exists(f"Visit {visit_id!r} has a posted fee already.")
    return db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        subscriber_id=subscriber_id,
        kind="fee",
        amount_cents=amount_cents,
        reason=reason,
        visit_id=visit_id,
        status="posted",
        created_at=db.now,
    )


@tool(reads=["subscriber"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_credit(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=500000)],
    reason: Annotated[str, "what it is for", Field(min_length=1)],
    charge_id: Annotated[str | None, "fee it is for, null for goodwill"] = None,
) -> Charge:
    """Post a credit, for a certain fee or as goodwill.

    Requires: The account is not closed. The charge, if given, is a posted fee of the subscriber. All posted credits for
    the fee together stay within its amount_cents.

    A posted credit is added; charge_id is stored as credited_charge_id.
    """
    subscriber = db.require("subscriber", subscriber_id)
    fee = None if charge_id is None else db.require("charge", charge_id)
    if subscriber["status"] == "closed":
        raise Rejection.failed_precondition(f"The account of {subscriber_id!r} is closed.")
    if fee is not None:
        if fee["kind"] != "fee" or fee["status"] != "posted" or fee["subscriber_id"] != subscriber_id:
            raise Rejection.failed_precondition(f"Charge {charge_id!r} is not a posted fee of {subscriber_id!r}.")
        credited = db.value(
            "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE credited_charge_id = ? AND status = 'posted'",
            charge_id,
        )
        if credited + amount_cents > fee["amount_cents"]:
            raise Rejection.failed_precondition(
                f"Fee {charge_id!r} leaves {fee['amount_cents'] - credited} cents to credit."
            )
    return db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        subscriber_id=subscriber_id,
        kind="credit",
        amount_cents=amount_cents,
        reason=reason,
        credited_charge_id=charge_id,
        status="posted",
        created_at=db.now,
    )


@tool(reads=["subscriber"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_payment(
    db: Database,
    subscriber_id: Annotated[str, "the subscriber"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=500000)],
    method: Annotated[Literal["card", "bank", "check"], "how it was paid"],
) -> Charge:
    """Record a payment toward the balance.

    Requires: amount_cents is not more than the balance.

    A posted payment is added; reason is 'Payment by card', with the method in place of card.
    """
    db.require("subscriber", subscriber_id)
    balance_cents = _balance(db, subscriber_id)
    if amount_cents > balance_cents:
        raise Rejection.failed_precondition(
            f"A payment of {amount_cents} cents is more than the balance of {balance_cents}."
        )
    return db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        subscriber_id=subscriber_id,
        kind="payment",
        amount_cents=amount_cents,
        reason=f"Payment by {method}",
        status="posted",
        created_at=db.now,
    )


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def void_charge(
    db: Database, charge_id: Annotated[str, "the charge"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Charge:
    """Void a charge that should not count.

    Requires: The charge is posted. No posted credit is for this charge.

    status becomes void and the reason is stored as void_reason; reason stays.
    """
    charge = db.require("charge", charge_id)
    if charge["status"] != "posted":
        raise Rejection.failed_precondition(f"Charge {charge_id!r} is {charge['status']}, not posted.")
    if db.first("SELECT charge_id FROM charge WHERE credited_charge_id = ? AND status = 'posted'", charge_id):
        raise Rejection.failed_precondition(f"Charge {charge_id!r} has a posted credit.")
    return db.update("charge", charge_id, status="void", void_reason=reason)
