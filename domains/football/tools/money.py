"""Money: charges, payments, refunds, and credit."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class Charge(TypedDict):
    charge_id: Annotated[str, "the charge"]
    member_id: Annotated[str, "who owes it"]
    kind: Annotated[
        Literal[
            "registration",
            "rental",
            "season_pass",
            "fine",
            "forfeit_fee",
            "late_fee",
            "cancellation_fee",
            "appeal_fee",
            "transfer_fee",
        ],
        "kind",
    ]
    amount_cents: Annotated[int, "full amount"]
    paid_cents: Annotated[int, "paid so far, less refunds"]
    owed_cents: Annotated[int, "still owed"]
    status: Annotated[Literal["open", "paid", "waived"], "state"]
    due_on: Annotated[Date, "due date"]
    extended_count: Annotated[int, "times extended"]
    note: Annotated[str | None, "what it is for"]
    registration_id: Annotated[str | None, "registration it is for"]
    booking_id: Annotated[str | None, "booking it is for"]
    season_pass_id: Annotated[str | None, "pass it is for"]
    charged_on: Annotated[Date, "day charged"]
    waived_on: Annotated[Date | None, "day waived"]


class ChargeList(TypedDict):
    charges: Annotated[list[Charge], "charges"]
    total: Annotated[int, "all matches"]


class Account(TypedDict):
    member_id: Annotated[str, "the member"]
    open_charges: Annotated[int, "open charges"]
    owed_cents: Annotated[int, "owed over open charges"]
    overdue_cents: Annotated[int, "owed on overdue charges"]
    credit_cents: Annotated[int, "account credit"]
    net_cents: Annotated[int, "owed less credit, may be negative"]


class PaidCharges(TypedDict):
    charges: Annotated[list[Charge], "charges paid"]
    total_paid_cents: Annotated[int, "paid in all"]


class Payment(TypedDict):
    payment_id: Annotated[str, "the payment"]
    charge_id: Annotated[str, "charge paid"]
    charge_kind: Annotated[
        Literal[
            "registration",
            "rental",
            "season_pass",
            "fine",
            "forfeit_fee",
            "late_fee",
            "cancellation_fee",
            "appeal_fee",
            "transfer_fee",
        ],
        "kind of that charge",
    ]
    charge_note: Annotated[str | None, "what the charge is for"]
    amount_cents: Annotated[int, "amount paid"]
    refunded_cents: Annotated[int, "refunded so far"]
    method: Annotated[Literal["card", "check", "cash", "credit"], "how paid"]
    paid_at: Annotated[Timestamp, "when paid"]


class PaymentList(TypedDict):
    payments: Annotated[list[Payment], "payments"]
    total: Annotated[int, "all matches"]


class Member(TypedDict):
    member_id: Annotated[str, "the member"]
    name: Annotated[str, "full name"]
    email: Annotated[str, "email"]
    phone: Annotated[str, "phone"]
    date_of_birth: Annotated[Date, "date of birth"]
    address: Annotated[str, "street, city, state"]
    zip_code: Annotated[str, "ZIP code"]
    tier: Annotated[Literal["rookie", "varsity", "all_star"], "membership tier"]
    joined_on: Annotated[Date, "member since"]
    waiver_expires_on: Annotated[Date | None, "last day the waiver covers"]
    credit_cents: Annotated[int, "account credit"]


def _charge(charge):
    owed = charge["amount_cents"] - charge["paid_cents"] if charge["status"] == "open" else 0
    return {**charge, "owed_cents": owed}


def _require_open(charge):
    if charge["status"] != "open":
        raise Rejection.failed_precondition(f"Charge {charge['charge_id']!r} is {charge['status']}, not open.")


def _require_credit(db, member_id, amount_cents):
    credit = db.value("SELECT credit_cents FROM member WHERE member_id = ?", member_id)
    if credit < amount_cents:
        raise Rejection.failed_precondition(f"The credit of {credit} cents must cover the {amount_cents} cents to pay.")


def _pay(db, charge, amount_cents, method):
    db.insert(
        "payment",
        payment_id=db.new_id("payment"),
        charge_id=charge["charge_id"],
        amount_cents=amount_cents,
        method=method,
        paid_at=db.now,
    )
    if method == "credit":
        credit = db.value("SELECT credit_cents FROM member WHERE member_id = ?", charge["member_id"])
        db.update("member", charge["member_id"], credit_cents=credit - amount_cents)
    paid = charge["paid_cents"] + amount_cents
    if paid < charge["amount_cents"]:
        return db.update("charge", charge["charge_id"], paid_cents=paid)
    if charge["registration_id"] is not None:
        registration = db.require("registration", charge["registration_id"])
        if registration["status"] == "pending":
            db.update("registration", charge["registration_id"], status="active")
    return db.update("charge", charge["charge_id"], paid_cents=paid, status="paid")


@tool(reads=["member", "charge"], rejects=["NOT_FOUND"])
def list_charges(
    db: Database,
    member_id: Annotated[str, "the member"],
    status: Annotated[Literal["open", "paid", "waived"] | None, "state"] = None,
    kind: Annotated[
        Literal[
            "registration",
            "rental",
            "season_pass",
            "fine",
            "forfeit_fee",
            "late_fee",
            "cancellation_fee",
            "appeal_fee",
            "transfer_fee",
        ]
        | None,
        "kind",
    ] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List a member's charges.

    Sorted by due_on.
    """
    db.require("member", member_id)
    charges = db.select(
        """
        SELECT * FROM charge
        WHERE member_id = ? AND (? IS NULL OR status = ?) AND (? IS NULL OR kind = ?)
        ORDER BY due_on, charge_id
        """,
        member_id,
        status,
        status,
        kind,
        kind,
    )
    return {"charges": [_charge(row) for row in charges[:limit]], "total": len(charges)}


@tool(reads=["member", "charge"], rejects=["NOT_FOUND"])
def get_account(db: Database, member_id: Annotated[str, "the member"]) -> Account:
    """Show what a member owes and has in credit."""
    member = db.require("member", member_id)
    totals = db.first(
        """
        SELECT count(*) AS open_charges, coalesce(sum(amount_cents - paid_cents), 0) AS owed_cents,
               coalesce(sum(CASE WHEN due_on < ? THEN amount_cents - paid_cents ELSE 0 END), 0) AS overdue_cents
        FROM charge WHERE member_id = ? AND status = 'open'
        """,
        db.today,
        member_id,
    )
    credit = member["credit_cents"]
    return {"member_id": member_id, **totals, "credit_cents": credit, "net_cents": totals["owed_cents"] - credit}


@tool(reads=["member"], writes=["charge"], rejects=["NOT_FOUND"])
def add_charge(
    db: Database,
    member_id: Annotated[str, "the member"],
    kind: Annotated[
        Literal["fine", "forfeit_fee", "late_fee", "cancellation_fee", "appeal_fee", "transfer_fee"], "kind"
    ],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    note: Annotated[str | None, "what it is for", Field(min_length=1)] = None,
) -> Charge:
    """Charge a member a fee or fine.

    The charge is open, nothing paid, due 14 days after today, linked to nothing.
    """
    db.require("member", member_id)
    return _charge(
        db.insert(
            "charge",
            charge_id=db.new_id("charge"),
            member_id=member_id,
            kind=kind,
            amount_cents=amount_cents,
            due_on=add_days(db.today, 14),
            note=note,
            charged_on=db.today,
        )
    )


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def waive_charge(db: Database, charge_id: Annotated[str, "the charge"]) -> Charge:
    """Waive what is still owed on a charge.

    Requires: The charge is open.

    status becomes waived, waived_on today; amounts stay.
    """
    _require_open(db.require("charge", charge_id))
    return _charge(db.update("charge", charge_id, status="waived", waived_on=db.today))


@tool(writes=["member", "registration", "charge", "payment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_charge(
    db: Database,
    charge_id: Annotated[str, "the charge"],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    method: Annotated[Literal["card", "check", "cash", "credit"], "how paid"],
) -> Charge:
    """Take a payment on a charge.

    Requires: The charge is open. The amount is no more than is owed on it. If paid from credit, the member's credit
    covers the amount.

    A payment of the amount is added, paid_at now, refunded_cents 0; paid_cents goes up by it, and credit_cents down if
    paid from credit. Once nothing is owed the charge becomes paid, and its pending registration, if any, active.
    """
    charge = db.require("charge", charge_id)
    _require_open(charge)
    owed = charge["amount_cents"] - charge["paid_cents"]
    if amount_cents > owed:
        raise Rejection.failed_precondition(
            f"{amount_cents} cents are more than the {owed} cents owed; pay at most those."
        )
    if method == "credit":
        _require_credit(db, charge["member_id"], amount_cents)
    return _charge(_pay(db, charge, amount_cents, method))


@tool(
    writes=["member", "registration", "charge", "payment"],
    rejects=["NOT_FOUND", "INVALID_ARGUMENT", "FAILED_PRECONDITION"],
)
def pay_charges(
    db: Database,
    charge_ids: Annotated[list[str], "charges, in order", Field(min_length=1, max_length=20)],
    method: Annotated[Literal["card", "check", "cash", "credit"], "how paid"],
) -> PaidCharges:
    """Pay several of one member's charges in full.

    Requires: All are charges of the same member. All are open. If paid from credit, the member's credit covers all that
    is owed.

    Each is paid what is owed on it, with one payment each, exactly as pay_charge does. total_paid_cents is the sum of
    these payments.
    """
    if len(set(charge_ids)) < len(charge_ids):
        raise Rejection.invalid_argument("A charge is given twice; give each once.")
    charges = [db.require("charge", charge_id) for charge_id in charge_ids]
    if len({charge["member_id"] for charge in charges}) > 1:
        raise Rejection.invalid_argument("The charges belong to several members; all must be one member's.")
    for charge in charges:
        _require_open(charge)
    total = sum(charge["amount_cents"] - charge["paid_cents"] for charge in charges)
    if method == "credit":
        _require_credit(db, charges[0]["member_id"], total)
    paid = [_charge(_pay(db, charge, charge["amount_cents"] - charge["paid_cents"], method)) for charge in charges]
    return {"charges": paid, "total_paid_cents": total}


@tool(writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "INVALID_ARGUMENT"])
def extend_due_date(
    db: Database, charge_id: Annotated[str, "the charge"], due_on: Annotated[Date, "new due date"]
) -> Charge:
    """Give a member more time to pay an open charge.

    Requires: The charge is open. The new date is after both today and the present due date.

    due_on is set; extended_count goes up by 1.
    """
    charge = db.require("charge", charge_id)
    _require_open(charge)
    if due_on <= max(db.today, charge["due_on"]):
        raise Rejection.invalid_argument(f"The new due date {due_on} must be after both today and {charge['due_on']}.")
    return _charge(db.update("charge", charge_id, due_on=due_on, extended_count=charge["extended_count"] + 1))


@tool(reads=["member", "charge", "payment"], rejects=["NOT_FOUND"])
def list_payments(
    db: Database,
    member_id: Annotated[str, "the member"],
    method: Annotated[Literal["card", "check", "cash", "credit"] | None, "how paid"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> PaymentList:
    """List a member's payments.

    Payments on the member's charges, sorted by paid_at, latest first.
    """
    db.require("member", member_id)
    payments = db.select(
        """
        SELECT payment.*, charge.kind AS charge_kind, charge.note AS charge_note
        FROM payment JOIN charge ON charge.charge_id = payment.charge_id
        WHERE charge.member_id = ? AND (? IS NULL OR payment.method = ?)
        ORDER BY payment.paid_at DESC, payment.payment_id
        """,
        member_id,
        method,
        method,
    )
    return {"payments": payments[:limit], "total": len(payments)}


@tool(writes=["member", "charge", "payment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def refund_payment(
    db: Database,
    payment_id: Annotated[str, "the payment"],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    as_credit: Annotated[bool, "add it to account credit"] = False,
) -> Payment:
    """Refund a payment in part or in full, the way it was paid or as account credit.

    Requires: The amount is no more than what is left of the payment.

    refunded_cents goes up by the amount, and paid_cents of its charge down by it; the charge's status stays.
    credit_cents goes up by the amount if as_credit is true or the payment was made from credit.
    """
    payment = db.require("payment", payment_id)
    left = payment["amount_cents"] - payment["refunded_cents"]
    if amount_cents > left:
        raise Rejection.failed_precondition(
            f"{amount_cents} cents are more than the {left} cents left of the payment; refund at most those."
        )
    charge = db.require("charge", payment["charge_id"])
    db.update("charge", charge["charge_id"], paid_cents=charge["paid_cents"] - amount_cents)
    if as_credit or payment["method"] == "credit":
        credit = db.value("SELECT credit_cents FROM member WHERE member_id = ?", charge["member_id"])
        db.update("member", charge["member_id"], credit_cents=credit + amount_cents)
    row = db.update("payment", payment_id, refunded_cents=payment["refunded_cents"] + amount_cents)
    return {**row, "charge_kind": charge["kind"], "charge_note": charge["note"]}


@tool(writes=["member"], rejects=["NOT_FOUND"])
def add_credit(
    db: Database, member_id: Annotated[str, "the member"], amount_cents: Annotated[int, "amount", Field(ge=1, le=50000)]
) -> Member:
    """Add credit to a member's account.

    credit_cents goes up by the amount.
    """
    member = db.require("member", member_id)
    return db.update("member", member_id, credit_cents=member["credit_cents"] + amount_cents)
