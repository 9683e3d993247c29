"""Cash: deposits, withdrawals, transfers, fees, and credits."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class CashEntry(TypedDict):
    cash_entry_id: Annotated[str, "the entry"]
    account_id: Annotated[str, "the account"]
    kind: Annotated[
        Literal["deposit", "withdrawal", "transfer_in", "transfer_out", "fee", "credit", "dividend"], "kind of movement"
    ]
    amount_cents: Annotated[int, "amount, always positive"]
    status: Annotated[Literal["pending", "completed", "canceled"], "state"]
    note: Annotated[str | None, "what it is for"]
    created_at: Annotated[Timestamp, "when it was entered"]
    completed_at: Annotated[Timestamp | None, "when the cash moved"]


class CashTransfer(TypedDict):
    out_entry: Annotated[CashEntry, "the transfer_out entry"]
    in_entry: Annotated[CashEntry, "the transfer_in entry"]


class CashEntryList(TypedDict):
    entries: Annotated[list[CashEntry], "matching entries"]
    total: Annotated[int, "all matches"]


def _held(db, account_id):
    return db.value(
        """
        SELECT (SELECT coalesce(sum((quantity - filled_quantity) * price_cents), 0) FROM "order"
                WHERE account_id = ? AND side = 'buy' AND status IN ('open', 'partially_filled'))
             + (SELECT coalesce(sum(amount_cents), 0) FROM cash_entry
                WHERE account_id = ? AND kind = 'withdrawal' AND status = 'pending')
        """,
        account_id,
        account_id,
    )


def _unsettled(db, account_id):
    return db.value(
        """
        SELECT coalesce(sum(trade.amount_cents), 0)
        FROM trade JOIN "order" ON "order".order_id = trade.order_id
        WHERE "order".account_id = ? AND "order".side = 'sell' AND trade.is_reversed = 0 AND trade.settles_on > ?
        """,
        account_id,
        db.today,
    )


def _withdrawable(db, account):
    account_id = account["account_id"]
    return max(0, account["cash_cents"] - _held(db, account_id) - _unsettled(db, account_id))


def _pending(db, cash_entry_id, kind):
    entry = db.require("cash_entry", cash_entry_id)
    if entry["kind"] != kind or entry["status"] != "pending":
        raise Rejection.failed_precondition(
            f"Entry {cash_entry_id!r} is a {entry['status']} {entry['kind']}, not a pending {kind}."
        )
    return entry


def _add(db, account_id, kind, amount_cents, note):
    return db.insert(
        "cash_entry",
        cash_entry_id=db.new_id("cash_entry"),
        account_id=account_id,
        kind=kind,
        amount_cents=amount_cents,
        status="pending",
        note=note,
        created_at=db.now,
    )


def _book(db, account, kind, amount_cents, note, change_cents):
    db.update("account", account["account_id"], cash_cents=account["cash_cents"] + change_cents)
    return db.insert(
        "cash_entry",
        cash_entry_id=db.new_id("cash_entry"),
        account_id=account["account_id"],
        kind=kind,
        amount_cents=amount_cents,
        status="completed",
        note=note,
        created_at=db.now,
        completed_at=db.now,
    )


@tool(reads=["account"], writes=["cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_deposit(
    db: Database,
    account_id: Annotated[str, "the account"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=100000000)],
    note: Annotated[str | None, "what it is for", Field(min_length=1)] = None,
) -> CashEntry:
    """Start a deposit from the linked bank.

    Requires: The account is not closed. A bank is linked.

    Adds a pending deposit.
    """
    account = db.require("account", account_id)
    if account["status"] == "closed":
        raise Rejection.failed_precondition(f"Account {account_id!r} is closed.")
    if account["bank_name"] is None:
        raise Rejection.failed_precondition(f"Account {account_id!r} has no linked bank.")
    return _add(db, account_id, "deposit", amount_cents, note)


@tool(writes=["account", "cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def clear_deposit(db: Database, cash_entry_id: Annotated[str, "the entry"]) -> CashEntry:
    """Complete a deposit that has arrived.

    Requires: It is a pending deposit.

    Becomes completed; cash_cents rises by amount_cents.
    """
    entry = _pending(db, cash_entry_id, "deposit")
    account = db.get("account", entry["account_id"])
    db.update("account", entry["account_id"], cash_cents=account["cash_cents"] + entry["amount_cents"])
    return db.update("cash_entry", cash_entry_id, status="completed", completed_at=db.now)


@tool(writes=["cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def return_deposit(
    db: Database, cash_entry_id: Annotated[str, "the entry"], note: Annotated[str, "why", Field(min_length=1)]
) -> CashEntry:
    """Cancel a deposit that the bank refused.

    Requires: It is a pending deposit.

    Becomes canceled; note is replaced.
    """
    _pending(db, cash_entry_id, "deposit")
    return db.update("cash_entry", cash_entry_id, status="canceled", note=note)


@tool(reads=["account", "order", "trade"], writes=["cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def request_withdrawal(
    db: Database,
    account_id: Annotated[str, "the account"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=100000000)],
    note: Annotated[str | None, "what it is for", Field(min_length=1)] = None,
) -> CashEntry:
    """Start a withdrawal to the linked bank.

    Requires: The account is active. A bank is linked. The amount is at most withdrawable_cents.

    Adds a pending withdrawal.
    """
    account = db.require("account", account_id)
    if account["status"] != "active":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['status']}, not active.")
    if account["bank_name"] is None:
        raise Rejection.failed_precondition(f"Account {account_id!r} has no linked bank.")
    if amount_cents > _withdrawable(db, account):
        raise Rejection.failed_precondition(f"Account {account_id!r} does not have {amount_cents} cents to withdraw.")
    return _add(db, account_id, "withdrawal", amount_cents, note)


@tool(writes=["account", "cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_withdrawal(db: Database, cash_entry_id: Annotated[str, "the entry"]) -> CashEntry:
    """Send a pending withdrawal to the bank.

    Requires: It is a pending withdrawal. Its account is active.

    Becomes completed; cash_cents falls by amount_cents.
    """
    entry = _pending(db, cash_entry_id, "withdrawal")
    account = db.get("account", entry["account_id"])
    if account["status"] != "active":
        raise Rejection.failed_precondition(f"Account {entry['account_id']!r} is {account['status']}, not active.")
    db.update("account", entry["account_id"], cash_cents=account["cash_cents"] - entry["amount_cents"])
    return db.update("cash_entry", cash_entry_id, status="completed", completed_at=db.now)


@tool(writes=["cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_withdrawal(db: Database, cash_entry_id: Annotated[str, "the entry"]) -> CashEntry:
    """Cancel a pending withdrawal.

    Requires: It is a pending withdrawal.

    Becomes canceled.
    """
    _pending(db, cash_entry_id, "withdrawal")
    return db.update("cash_entry", cash_entry_id, status="canceled")


@tool(
    reads=["order", "trade"],
    writes=["account", "cash_entry"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def transfer_cash(
    db: Database,
    from_account_id: Annotated[str, "account that gives"],
    to_account_id: Annotated[str, "account that receives"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=100000000)],
) -> CashTransfer:
    """Move cash between two accounts of a client.

    Requires: The two accounts differ. Both accounts belong to the same client. Both accounts are active. The amount is
    at most withdrawable_cents of the giving account.

    Adds a completed transfer_out, then a completed transfer_in, note null; cash_cents of both changes at once.
    """
    if from_account_id == to_account_id:
        raise Rejection.invalid_argument("The two accounts must differ.")
    giver = db.require("account", from_account_id)
    receiver = db.require("account", to_account_id)
    if giver["client_id"] != receiver["client_id"]:
        raise Rejection.failed_precondition("The two accounts belong to different clients.")
    for account in (giver, receiver):
        if account["status"] != "active":
            raise Rejection.failed_precondition(
                f"Account {account['account_id']!r} is {account['status']}, not active."
            )
    if amount_cents > _withdrawable(db, giver):
        raise Rejection.failed_precondition(
            f"Account {from_account_id!r} does not have {amount_cents} cents to withdraw."
        )
    return {
        "out_entry": _book(db, giver, "transfer_out", amount_cents, None, -amount_cents),
        "in_entry": _book(db, receiver, "transfer_in", amount_cents, None, amount_cents),
    }


@tool(reads=["order"], writes=["account", "cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def charge_fee(
    db: Database,
    account_id: Annotated[str, "the account"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=100000000)],
    note: Annotated[str, "what it is for", Field(min_length=1)],
) -> CashEntry:
    """Charge a fee to an account.

    Requires: The account is not closed. The amount is at most available_cents.

    Adds a completed fee; cash_cents falls by it.
    """
    account = db.require("account", account_id)
    if account["status"] == "closed":
        raise Rejection.failed_precondition(f"Account {account_id!r} is closed.")
    if amount_cents > account["cash_cents"] - _held(db, account_id):
        raise Rejection.failed_precondition(f"Account {account_id!r} does not have {amount_cents} cents available.")
    return _book(db, account, "fee", amount_cents, note, -amount_cents)


@tool(writes=["account", "cash_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def issue_credit(
    db: Database,
    account_id: Annotated[str, "the account"],
    amount_cents: Annotated[int, "amount", Field(ge=1, le=100000000)],
    note: Annotated[str, "what it is for", Field(min_length=1)],
) -> CashEntry:
    """Credit an account, as for a refunded fee or goodwill.

    Requires: The account is not closed.

    Adds a completed credit; cash_cents rises by it.
    """
    account = db.require("account", account_id)
    if account["status"] == "closed":
        raise Rejection.failed_precondition(f"Account {account_id!r} is closed.")
    return _book(db, account, "credit", amount_cents, note, amount_cents)


@tool(reads=["account", "cash_entry"], rejects=["INVALID_ARGUMENT", "NOT_FOUND"])
def list_cash_entries(
    db: Database,
    account_id: Annotated[str, "the account"],
    kind: Annotated[
        Literal["deposit", "withdrawal", "transfer_in", "transfer_out", "fee", "credit", "dividend"] | None,
        "kind of movement",
    ] = None,
    status: Annotated[Literal["pending", "completed", "canceled"] | None, "state"] = None,
    from_date: Annotated[Date | None, "first day"] = None,
    to_date: Annotated[Date | None, "last day"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> CashEntryList:
    """List an account's cash movements other than trades.

    Requires: from_date is not after to_date.

    By the date of created_at; by created_at, newest first.
    """
    if from_date is not None and to_date is not None and from_date > to_date:
        raise Rejection.invalid_argument(f"from_date {from_date} is after to_date {to_date}.")
    db.require("account", account_id)
    entries = db.select(
        """
        SELECT * FROM cash_entry
        WHERE account_id = ? AND (? IS NULL OR kind = ?) AND (? IS NULL OR status = ?)
          AND (? IS NULL OR substr(created_at, 1, 10) >= ?) AND (? IS NULL OR substr(created_at, 1, 10) <= ?)
        ORDER BY created_at DESC, cash_entry_id
        """,
        account_id,
        kind,
        kind,
        status,
        status,
        from_date,
        from_date,
        to_date,
        to_date,
    )
    return {"entries": entries[:limit], "total": len(entries)}
