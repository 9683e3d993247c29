"""Accounts: opening, showing, changing, restricting, and closing accounts."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Account(TypedDict):
    account_id: Annotated[str, "the account"]
    client_id: Annotated[str, "its owner"]
    account_type: Annotated[Literal["individual", "joint", "traditional_ira", "roth_ira"], "kind of account"]
    nickname: Annotated[str, "what the client calls it"]
    status: Annotated[Literal["active", "restricted", "closed"], "state"]
    restriction_reason: Annotated[str | None, "why restricted"]
    opened_on: Annotated[Date, "day it was opened"]
    closed_on: Annotated[Date | None, "day it was closed"]
    reinvest_dividends: Annotated[bool, "dividends buy more shares"]
    bank_name: Annotated[str | None, "linked bank"]
    bank_last4: Annotated[str | None, "last four digits of bank account"]
    bank_linked_at: Annotated[Timestamp | None, "when the bank was linked"]
    cash_cents: Annotated[int, "cash"]
    held_cents: Annotated[int, "cash held back"]
    available_cents: Annotated[int, "cash free to trade"]
    unsettled_cents: Annotated[int, "unsettled sale proceeds"]
    withdrawable_cents: Annotated[int, "cash free to withdraw"]


class AccountEntry(TypedDict):
    account_id: Annotated[str, "the account"]
    nickname: Annotated[str, "what the client calls it"]
    account_type: Annotated[Literal["individual", "joint", "traditional_ira", "roth_ira"], "kind of account"]
    status: Annotated[Literal["active", "restricted", "closed"], "state"]
    cash_cents: Annotated[int, "cash"]


class AccountList(TypedDict):
    accounts: Annotated[list[AccountEntry], "the client's accounts"]


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


def _figures(account, held, unsettled):
    available = account["cash_cents"] - held
    return account | {
        "reinvest_dividends": bool(account["reinvest_dividends"]),
        "held_cents": held,
        "available_cents": available,
        "unsettled_cents": unsettled,
        "withdrawable_cents": max(0, available - unsettled),
    }


def _show(db, account):
    return _figures(account, _held(db, account["account_id"]), _unsettled(db, account["account_id"]))


@tool(reads=["client"], writes=["account"], rejects=["NOT_FOUND", "ALREADY_EXISTS"])
def open_account(
    db: Database,
    client_id: Annotated[str, "the client"],
    account_type: Annotated[Literal["individual", "joint", "traditional_ira", "roth_ira"], "kind of account"],
    nickname: Annotated[str, "what the client calls it", Field(min_length=1)],
) -> Account:
    """Open a brokerage account for a client.

    Requires: For an IRA type, the client has no account of that type that is not closed. No account of the client that
    is not closed has the nickname.

    Active, cash_cents 0, no bank, reinvest_dividends false, opened_on the clock's date.
    """
    db.require("client", client_id)
    if account_type in ("traditional_ira", "roth_ira") and db.first(
        "SELECT account_id FROM account WHERE client_id = ? AND account_type = ? AND status <> 'closed'",
        client_id,
        account_type,
    ):
        raise Rejection.already_exists(f"Client {client_id!r} already has a {account_type} account.")
    if db.first(
        "SELECT account_id FROM account WHERE client_id = ? AND nickname = ? AND status <> 'closed'",
        client_id,
        nickname,
    ):
        raise Rejection.already_exists(f"Client {client_id!r} already has an account named {nickname!r}.")
    account = db.insert(
        "account",
        account_id=db.new_id("account"),
        client_id=client_id,
        account_type=account_type,
        nickname=nickname,
        status="active",
        opened_on=db.today,
        reinvest_dividends=0,
        cash_cents=0,
    )
    return _figures(account, 0, 0)


@tool(reads=["account", "order", "trade", "cash_entry"], rejects=["NOT_FOUND"])
def get_account(db: Database, account_id: Annotated[str, "the account"]) -> Account:
    """Show an account with its cash figures."""
    return _show(db, db.require("account", account_id))


@tool(reads=["client", "account"], rejects=["NOT_FOUND"])
def list_accounts(
    db: Database, client_id: Annotated[str, "the client"], include_closed: Annotated[bool, "also closed ones"] = False
) -> AccountList:
    """List a client's accounts.

    By nickname.
    """
    db.require("client", client_id)
    return {
        "accounts": db.select(
            """
            SELECT account_id, nickname, account_type, status, cash_cents FROM account
            WHERE client_id = ? AND (? OR status <> 'closed')
            ORDER BY nickname, account_id
            """,
            client_id,
            int(include_closed),
        )
    }


@tool(
    reads=["order", "trade", "cash_entry"],
    writes=["account"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def update_account(
    db: Database,
    account_id: Annotated[str, "the account"],
    nickname: Annotated[str | None, "new nickname", Field(min_length=1)] = None,
    reinvest_dividends: Annotated[bool | None, "dividends buy more shares"] = None,
) -> Account:
    """Change an account's nickname or dividend choice.

    Requires: At least one change is given. The account is not closed. No other account of the client that is not closed
    has the nickname.

    Sets the given fields.
    """
    if nickname is None and reinvest_dividends is None:
        raise Rejection.invalid_argument("Give a nickname or reinvest_dividends.")
    account = db.require("account", account_id)
    if account["status"] == "closed":
        raise Rejection.failed_precondition(f"Account {account_id!r} is closed.")
    if nickname is not None and db.first(
        "SELECT account_id FROM account WHERE client_id = ? AND nickname = ? AND status <> 'closed' AND account_id <> ?",
        account["client_id"],
        nickname,
        account_id,
    ):
        raise Rejection.already_exists(f"The client already has an account named {nickname!r}.")
    account = db.update(
        "account",
        account_id,
        nickname=account["nickname"] if nickname is None else nickname,
        reinvest_dividends=account["reinvest_dividends"] if reinvest_dividends is None else int(reinvest_dividends),
    )
    return _show(db, account)


@tool(
    reads=["order", "trade", "cash_entry"],
    writes=["account"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def link_bank(
    db: Database,
    account_id: Annotated[str, "the account"],
    bank_name: Annotated[str, "name of the bank", Field(min_length=1)],
    bank_last4: Annotated[str, "last four digits", Field(min_length=4, max_length=4)],
) -> Account:
    """Link a bank account, replacing the one before.

    Requires: bank_last4 is four digits. The account is not closed. The account has no pending deposit or withdrawal.

    Sets bank_name and bank_last4; bank_linked_at is the clock.
    """
    if any(character not in "0123456789" for character in bank_last4):
        raise Rejection.invalid_argument(f"bank_last4 {bank_last4!r} is not four digits.")
    account = db.require("account", account_id)
    if account["status"] == "closed":
        raise Rejection.failed_precondition(f"Account {account_id!r} is closed.")
    if db.first(
        "SELECT cash_entry_id FROM cash_entry WHERE account_id = ? AND kind IN ('deposit', 'withdrawal') AND status = 'pending'",
        account_id,
    ):
        raise Rejection.failed_precondition(f"Account {account_id!r} has a pending deposit or withdrawal.")
    return _show(
        db, db.update("account", account_id, bank_name=bank_name, bank_last4=bank_last4, bank_linked_at=db.now)
    )


@tool(reads=["order", "trade", "cash_entry"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def restrict_account(
    db: Database, account_id: Annotated[str, "the account"], reason: Annotated[str, "why", Field(min_length=1)]
) -> Account:
    """Restrict an account, so that it cannot trade or withdraw.

    Requires: The account is active.

    Becomes restricted; restriction_reason is the reason. Open orders and pending entries stay.
    """
    account = db.require("account", account_id)
    if account["status"] != "active":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['status']}, not active.")
    return _show(db, db.update("account", account_id, status="restricted", restriction_reason=reason))


@tool(reads=["order", "trade", "cash_entry"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def lift_restriction(db: Database, account_id: Annotated[str, "the account"]) -> Account:
    """Make a restricted account active again.

    Requires: The account is restricted.

    Becomes active; restriction_reason becomes null.
    """
    account = db.require("account", account_id)
    if account["status"] != "restricted":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['status']}, not restricted.")
    return _show(db, db.update("account", account_id, status="active", restriction_reason=None))


@tool(
    reads=["order", "trade", "position", "cash_entry"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"]
)
def close_account(db: Database, account_id: Annotated[str, "the account"]) -> Account:
    """Close an empty account.

    Requires: The account is not closed. cash_cents is 0 and the account holds no shares. It has no open order and no
    pending cash entry.

    Becomes closed; closed_on is the clock's date; restriction_reason becomes null.
    """
    account = db.require("account", account_id)
    if account["status"] == "closed":
        raise Rejection.failed_precondition(f"Account {account_id!r} is closed.")
    if account["cash_cents"] != 0 or db.first(
        "SELECT position_id FROM position WHERE account_id = ? AND quantity > 0", account_id
    ):
        raise Rejection.failed_precondition(f"Account {account_id!r} still holds cash or shares.")
    if db.first(
        """SELECT order_id FROM "order" WHERE account_id = ? AND status IN ('open', 'partially_filled')""", account_id
    ) or db.first("SELECT cash_entry_id FROM cash_entry WHERE account_id = ? AND status = 'pending'", account_id):
        raise Rejection.failed_precondition(f"Account {account_id!r} has an open order or a pending cash entry.")
    return _show(db, db.update("account", account_id, status="closed", closed_on=db.today, restriction_reason=None))
