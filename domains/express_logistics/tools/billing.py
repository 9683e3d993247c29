"""Billing: account entries, payments, and balances."""

from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class AccountEntry(TypedDict):
    account_entry_id: Annotated[str, "the entry"]
    customer_id: Annotated[str, "whose account"]
    shipment_id: Annotated[str | None, "shipment it concerns"]
    kind: Annotated[Literal["shipping", "fee", "credit", "payment"], "kind"]
    amount_cents: Annotated[int, "amount, always positive"]
    description: Annotated[str, "what it is for"]
    created_at: Annotated[Timestamp, "when entered"]
    voided_at: Annotated[Timestamp | None, "when voided"]


class AccountStatement(TypedDict):
    customer_id: Annotated[str, "whose account"]
    balance_cents: Annotated[int, "what the customer owes"]
    total: Annotated[int, "number of entries"]
    entries: Annotated[list[AccountEntry], "the entries"]


def _balance(db, customer_id):
    return db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('shipping', 'fee') THEN amount_cents ELSE -amount_cents END), 0)
        FROM account_entry
        WHERE customer_id = ? AND voided_at IS NULL
        """,
        customer_id,
    )


def _add_entry(db, kind, customer_id, amount_cents, description, shipment_id):
    db.require("customer", customer_id)
    if shipment_id is not None:
        shipment = db.require("shipment", shipment_id)
        if shipment["customer_id"] != customer_id:
            raise Rejection.failed_precondition(
                f"Shipment {shipment_id!r} belongs to customer {shipment['customer_id']!r}, not {customer_id!r}."
            )
    return db.insert(
        "account_entry",
        account_entry_id=db.new_id("account_entry"),
        customer_id=customer_id,
        shipment_id=shipment_id,
        kind=kind,
        amount_cents=amount_cents,
        description=description,
        created_at=db.now,
    )


@tool(reads=["customer", "account_entry"], rejects=["NOT_FOUND"])
def list_account_entries(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    kind: Annotated[Literal["shipping", "fee", "credit", "payment"] | None, "only this kind"] = None,
    include_voided: Annotated[bool, "also show voided entries"] = False,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> AccountStatement:
    """Show a customer's balance and account entries.

    Latest created_at first; kind and include_voided do not affect balance_cents.
    """
    db.require("customer", customer_id)
    rows = db.select(
        """
        SELECT * FROM account_entry
        WHERE customer_id = ? AND (? IS NULL OR kind = ?) AND (? OR voided_at IS NULL)
        ORDER BY created_at DESC, account_entry_id
        """,
        customer_id,
        kind,
        kind,
        int(include_voided),
    )
    return {
        "customer_id": customer_id,
        "balance_cents": _balance(db, customer_id),
        "total": len(rows),
        "entries": rows[:limit],
    }


@tool(reads=["customer", "shipment"], writes=["account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_fee(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    description: Annotated[str, "what the fee is for", Field(min_length=1)],
    shipment_id: Annotated[str | None, "shipment it concerns; else none"] = None,
) -> AccountEntry:
    """Charge a fee to a customer's account.

    Requires: The shipment, if given, belongs to the customer.

    Adds an entry of kind fee.
    """
    return _add_entry(db, "fee", customer_id, amount_cents, description, shipment_id)


@tool(reads=["customer", "shipment"], writes=["account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_credit(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
    description: Annotated[str, "what the credit is for", Field(min_length=1)],
    shipment_id: Annotated[str | None, "shipment it concerns; else none"] = None,
) -> AccountEntry:
    """Grant a credit on a customer's account.

    Requires: The shipment, if given, belongs to the customer.

    Adds an entry of kind credit.
    """
    return _add_entry(db, "credit", customer_id, amount_cents, description, shipment_id)


@tool(reads=["customer", "shipment"], writes=["account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_payment(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    amount_cents: Annotated[int, "amount paid", Field(ge=1)],
    method: Annotated[Literal["card", "check", "bank_transfer"], "how it was paid"],
) -> AccountEntry:
    """Record a payment toward a customer's balance.

    Requires: The payment is at most the balance.

    Adds an entry of kind payment without shipment; description is Payment by card, Payment by check, or Payment by bank
    transfer.
    """
    db.require("customer", customer_id)
    balance = _balance(db, customer_id)
    if amount_cents > balance:
        raise Rejection.failed_precondition(
            f"A payment of {amount_cents} cents is more than the balance of {balance} cents."
        )
    return _add_entry(db, "payment", customer_id, amount_cents, "Payment by " + method.replace("_", " "), None)


@tool(writes=["account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def void_account_entry(db: Database, account_entry_id: Annotated[str, "the entry"]) -> AccountEntry:
    """Void a fee, credit, or payment entered by mistake.

    Requires: The entry is not of kind shipping. The entry is not voided.

    voided_at becomes the clock.
    """
    entry = db.require("account_entry", account_entry_id)
    if entry["kind"] == "shipping":
        raise Rejection.failed_precondition(
            f"Entry {account_entry_id!r} is a shipping charge, not a fee, credit, or payment."
        )
    if entry["voided_at"] is not None:
        raise Rejection.failed_precondition(f"Entry {account_entry_id!r} was voided already at {entry['voided_at']}.")
    return db.update("account_entry", account_entry_id, voided_at=db.now)
