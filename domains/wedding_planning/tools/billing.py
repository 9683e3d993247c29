"""Billing: charges, payments, credits, refunds and budgets."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class LedgerEntry(TypedDict):
    ledger_entry_id: Annotated[str, "id of the entry"]
    wedding_id: Annotated[str, "on whose account"]
    booking_id: Annotated[str | None, "booking it charges"]
    kind: Annotated[Literal["charge", "payment", "credit", "refund"], "what it is"]
    category: Annotated[
        Literal["planning", "vendor", "date_change", "cancellation", "rush", "goodwill", "other"] | None,
        "what it is for; null for payments and refunds",
    ]
    amount_cents: Annotated[int, "amount, above 0"]
    description: Annotated[str, "words on the statement"]
    method: Annotated[
        Literal["card", "check", "bank_transfer", "cash"] | None, "how money moved; null for charges and credits"
    ]
    due_on: Annotated[Date | None, "due day of a charge"]
    status: Annotated[Literal["posted", "voided"], "state"]
    void_reason: Annotated[str | None, "why it was voided"]
    created_at: Annotated[Timestamp, "when it was entered"]


class LedgerList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    balance_cents: Annotated[int, "balance of the wedding"]
    entries: Annotated[list[LedgerEntry], "the entries"]


class BudgetSummary(TypedDict):
    wedding_id: Annotated[str, "the wedding"]
    budget_cents: Annotated[int, "the budget"]
    committed_cents: Annotated[int, "planning fee and firm bookings"]
    requested_cents: Annotated[int, "prices of requested bookings"]
    remaining_cents: Annotated[int, "budget_cents minus committed_cents"]
    committed_percent: Annotated[float, "committed share of budget, 2 decimals"]
    charges_cents: Annotated[int, "posted charges"]
    payments_cents: Annotated[int, "posted payments"]
    credits_cents: Annotated[int, "posted credits"]
    refunds_cents: Annotated[int, "posted refunds"]
    balance_cents: Annotated[int, "balance of the wedding"]
    overdue_cents: Annotated[int, "part of the balance past due"]


class OutstandingEntry(TypedDict):
    wedding_id: Annotated[str, "the wedding"]
    title: Annotated[str, "what people call it"]
    client_name: Annotated[str, "full name of the client"]
    wedding_date: Annotated[Date, "day of the wedding"]
    status: Annotated[Literal["inquiry", "contracted", "completed", "canceled"], "state of the wedding"]
    balance_cents: Annotated[int, "what is owed"]


class OutstandingReport(TypedDict):
    total: Annotated[int, "matches before the limit"]
    total_balance_cents: Annotated[int, "sum over all matches"]
    weddings: Annotated[list[OutstandingEntry], "who owes"]


def _balance(db, wedding_id):
    return db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END), 0)
        FROM ledger_entry WHERE wedding_id = ? AND status = 'posted'
        """,
        wedding_id,
    )


@tool(reads=["wedding", "ledger_entry"], rejects=["NOT_FOUND"])
def list_ledger_entries(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    kind: Annotated[Literal["charge", "payment", "credit", "refund"] | None, "only this kind"] = None,
    include_voided: Annotated[bool, "also voided entries"] = False,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> LedgerList:
    """List charges, payments, credits and refunds of a wedding.

    Ordered by created_at, newest first; balance_cents ignores the filters.
    """
    db.require("wedding", wedding_id)
    entries = db.select(
        """
        SELECT ledger_entry_id, wedding_id, booking_id, kind, category, amount_cents, description, method, due_on, status,
            void_reason, created_at
        FROM ledger_entry
        WHERE wedding_id = ? AND (? IS NULL OR kind = ?) AND (? OR status = 'posted')
        ORDER BY created_at DESC, ledger_entry_id
        """,
        wedding_id,
        kind,
        kind,
        include_voided,
    )
    return {"total": len(entries), "balance_cents": _balance(db, wedding_id), "entries": entries[:limit]}


@tool(reads=["wedding", "booking", "ledger_entry"], rejects=["NOT_FOUND"])
def summarize_wedding_budget(
    db: Database, wedding_id: Annotated[str, "the wedding", Field(min_length=1)]
) -> BudgetSummary:
    """Show budget, commitments and account totals of a wedding.

    committed_cents: planning_fee_cents (null counts 0) plus prices of confirmed and completed bookings. overdue_cents:
    posted charges due before today plus refunds minus payments minus credits, never below 0.
    """
    wedding = db.require("wedding", wedding_id)
    prices = db.first(
        """
        SELECT coalesce(sum(CASE WHEN status IN ('confirmed', 'completed') THEN price_cents END), 0) AS firm,
            coalesce(sum(CASE WHEN status = 'requested' THEN price_cents END), 0) AS requested
        FROM booking WHERE wedding_id = ?
        """,
        wedding_id,
    )
    sums = db.first(
        """
        SELECT coalesce(sum(CASE WHEN kind = 'charge' THEN amount_cents END), 0) AS charges,
            coalesce(sum(CASE WHEN kind = 'payment' THEN amount_cents END), 0) AS payments,
            coalesce(sum(CASE WHEN kind = 'credit' THEN amount_cents END), 0) AS credits,
            coalesce(sum(CASE WHEN kind = 'refund' THEN amount_cents END), 0) AS refunds,
            coalesce(sum(CASE WHEN kind = 'charge' AND due_on < ? THEN amount_cents END), 0) AS past_due
        FROM ledger_entry WHERE wedding_id = ? AND status = 'posted'
        """,
        db.today,
        wedding_id,
    )
    budget = wedding["budget_cents"]
    committed = (wedding["planning_fee_cents"] or 0) + prices["firm"]
    settled = sums["payments"] + sums["credits"] - sums["refunds"]
    return {
        "wedding_id": wedding_id,
        "budget_cents": budget,
        "committed_cents": committed,
        "requested_cents": prices["requested"],
        "remaining_cents": budget - committed,
        "committed_percent": round(committed * 100 / budget, 2),
        "charges_cents": sums["charges"],
        "payments_cents": sums["payments"],
        "credits_cents": sums["credits"],
        "refunds_cents": sums["refunds"],
        "balance_cents": sums["charges"] - settled,
        "overdue_cents": max(sums["past_due"] - settled, 0),
    }


@tool(reads=["wedding"], writes=["ledger_entry"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def add_charge(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    category: Annotated[
        Literal["planning", "vendor", "date_change", "cancellation", "rush", "goodwill", "other"], "what it is for"
    ],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    description: Annotated[str, "words on the statement", Field(min_length=1)],
    due_on: Annotated[Date, "day it is due"],
) -> LedgerEntry:
    """Charge a fee to a wedding's account.

    Requires: due_on is today or later. category is not goodwill.

    kind is charge.
    """
    if due_on < db.today:
        raise Rejection.invalid_argument(f"The due day {due_on} is before today, {db.today}.")
    if category == "goodwill":
        raise Rejection.invalid_argument("A charge cannot have the category goodwill.")
    db.require("wedding", wedding_id)
    return db.insert(
        "ledger_entry",
        ledger_entry_id=db.new_id("ledger_entry"),
        wedding_id=wedding_id,
        kind="charge",
        category=category,
        amount_cents=amount_cents,
        description=description,
        due_on=due_on,
        status="posted",
        created_at=db.now,
    )


@tool(reads=["wedding"], writes=["ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_payment(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    method: Annotated[Literal["card", "check", "bank_transfer", "cash"], "how it was paid"],
) -> LedgerEntry:
    """Record money received from the client.

    Requires: amount_cents is at most the wedding's balance.

    kind is payment, description 'Payment by METHOD'.
    """
    db.require("wedding", wedding_id)
    balance = _balance(db, wedding_id)
    if amount_cents > balance:
        raise Rejection.failed_precondition(f"{amount_cents} cents are more than the balance of {balance} cents.")
    return db.insert(
        "ledger_entry",
        ledger_entry_id=db.new_id("ledger_entry"),
        wedding_id=wedding_id,
        kind="payment",
        amount_cents=amount_cents,
        description=f"Payment by {method}",
        method=method,
        status="posted",
        created_at=db.now,
    )


@tool(reads=["wedding"], writes=["ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_credit(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    category: Annotated[
        Literal["planning", "vendor", "date_change", "cancellation", "rush", "goodwill", "other"], "what it is for"
    ],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    description: Annotated[str, "words on the statement", Field(min_length=1)],
) -> LedgerEntry:
    """Credit an amount to a wedding's account.

    Requires: amount_cents is at most posted charges minus posted credits.

    kind is credit.
    """
    db.require("wedding", wedding_id)
    creditable = db.value(
        """
        SELECT coalesce(sum(CASE kind WHEN 'charge' THEN amount_cents WHEN 'credit' THEN -amount_cents END), 0)
        FROM ledger_entry WHERE wedding_id = ? AND status = 'posted'
        """,
        wedding_id,
    )
    if amount_cents > creditable:
        raise Rejection.failed_precondition(
            f"{amount_cents} cents are more than the {creditable} cents of charges not yet credited."
        )
    return db.insert(
        "ledger_entry",
        ledger_entry_id=db.new_id("ledger_entry"),
        wedding_id=wedding_id,
        kind="credit",
        category=category,
        amount_cents=amount_cents,
        description=description,
        status="posted",
        created_at=db.now,
    )


@tool(reads=["wedding"], writes=["ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_refund(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    method: Annotated[Literal["card", "check", "bank_transfer", "cash"], "how it was paid back"],
) -> LedgerEntry:
    """Record money paid back to the client.

    Requires: The account is in the client's favor by at least amount_cents.

    In the client's favor: the balance is below 0. kind is refund, description 'Refund by METHOD'.
    """
    db.require("wedding", wedding_id)
    favor = -_balance(db, wedding_id)
    if amount_cents > favor:
        raise Rejection.failed_precondition(
            f"{amount_cents} cents are more than the {max(favor, 0)} cents in the client's favor."
        )
    return db.insert(
        "ledger_entry",
        ledger_entry_id=db.new_id("ledger_entry"),
        wedding_id=wedding_id,
        kind="refund",
        amount_cents=amount_cents,
        description=f"Refund by {method}",
        method=method,
        status="posted",
        created_at=db.now,
    )


@tool(reads=["booking"], writes=["ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def void_ledger_entry(
    db: Database,
    ledger_entry_id: Annotated[str, "the entry", Field(min_length=1)],
    reason: Annotated[str, "why it is voided", Field(min_length=1)],
) -> LedgerEntry:
    """Void an entry that was made in error.

    Requires: The entry is posted. The entry does not charge a confirmed or completed booking.

    status becomes voided, void_reason the reason.
    """
    entry = db.require("ledger_entry", ledger_entry_id)
    if entry["status"] != "posted":
        raise Rejection.failed_precondition(f"Entry {ledger_entry_id!r} is {entry['status']}, not posted.")
    if entry["booking_id"] is not None:
        booking = db.require("booking", entry["booking_id"])
        if booking["status"] in ("confirmed", "completed"):
            raise Rejection.failed_precondition(
                f"Entry {ledger_entry_id!r} charges booking {booking['booking_id']!r}, which is {booking['status']}."
            )
    return db.update("ledger_entry", ledger_entry_id, status="voided", void_reason=reason)


@tool(reads=["client", "wedding", "ledger_entry"])
def report_outstanding_balances(
    db: Database,
    min_balance_cents: Annotated[int, "least balance", Field(ge=1)] = 1,
    status: Annotated[Literal["inquiry", "contracted", "completed", "canceled"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> OutstandingReport:
    """Report weddings whose clients owe money.

    Weddings with a balance of at least min_balance_cents, ordered by balance_cents, highest first.
    """
    weddings = db.select(
        """
        SELECT wedding.wedding_id, wedding.title, client.full_name AS client_name, wedding.wedding_date, wedding.status,
            sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END) AS balance_cents
        FROM wedding
        JOIN client ON client.client_id = wedding.client_id
        JOIN ledger_entry ON ledger_entry.wedding_id = wedding.wedding_id AND ledger_entry.status = 'posted'
        WHERE (? IS NULL OR wedding.status = ?)
        GROUP BY wedding.wedding_id
        HAVING sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END) >= ?
        ORDER BY balance_cents DESC, wedding.wedding_id
        """,
        status,
        status,
        min_balance_cents,
    )
    return {
        "total": len(weddings),
        "total_balance_cents": sum(row["balance_cents"] for row in weddings),
        "weddings": weddings[:limit],
    }
