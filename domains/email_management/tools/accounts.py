"""Accounts: finding accounts, contact details, plans, storage, fees, credits, and payments."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Holder(TypedDict):
    account_id: Annotated[str, "id of the account"]
    holder_name: Annotated[str, "who the mailbox belongs to"]
    email: Annotated[str, "address of the mailbox"]
    phone: Annotated[str, "phone number of the holder"]
    zip_code: Annotated[str, "ZIP code of the holder"]
    plan: Annotated[Literal["free", "plus", "business"], "plan"]
    state: Annotated[Literal["active", "suspended"], "state"]


class Account(TypedDict):
    account_id: Annotated[str, "id of the account"]
    holder_name: Annotated[str, "who the mailbox belongs to"]
    email: Annotated[str, "address of the mailbox"]
    phone: Annotated[str, "phone number of the holder"]
    zip_code: Annotated[str, "ZIP code of the holder"]
    plan: Annotated[Literal["free", "plus", "business"], "plan"]
    state: Annotated[Literal["active", "suspended"], "state"]
    recovery_email: Annotated[str | None, "where sign-in codes go"]
    contact_changed_on: Annotated[Date | None, "last change of contact details"]
    opened_on: Annotated[Date, "day of opening"]
    plan_since: Annotated[Date, "day the plan began"]
    renews_on: Annotated[Date, "next monthly renewal"]
    extra_storage_mb: Annotated[int, "storage bought on top"]
    quota_kb: Annotated[int, "storage allowed"]
    used_kb: Annotated[int, "storage used"]
    balance_cents: Annotated[int, "what the holder owes"]
    card_last4: Annotated[str | None, "card on file"]
    last_paid_on: Annotated[Date | None, "last payment"]
    credits_this_year_cents: Annotated[int, "credits given this year"]
    last_credit_on: Annotated[Date | None, "last credit"]
    last_fee_kind: Annotated[str | None, "kind of the last fee"]
    last_fee_cents: Annotated[int | None, "amount of the last fee"]
    last_fee_on: Annotated[Date | None, "day of the last fee"]
    forward_to: Annotated[str | None, "where all new mail is forwarded"]
    forwarding_since: Annotated[Date | None, "day forwarding began"]
    vacation_starts_on: Annotated[Date | None, "first day of the vacation reply"]
    vacation_ends_on: Annotated[Date | None, "last day of the vacation reply"]
    vacation_text: Annotated[str | None, "wording of the vacation reply"]
    enabled_filters: Annotated[int, "filters that are on"]
    scheduled_messages: Annotated[int, "messages waiting to go out"]


PLAN_MB = {"free": 100, "plus": 250, "business": 500}


def _account(db, account_id):
    row = db.require("account", account_id)
    return {
        **row,
        "quota_kb": (PLAN_MB[row["plan"]] + row["extra_storage_mb"]) * 1000,
        "used_kb": db.value("SELECT coalesce(sum(size_kb), 0) FROM message WHERE account_id = ?", account_id),
        "enabled_filters": db.value("SELECT count(*) FROM filter WHERE account_id = ? AND is_enabled = 1", account_id),
        "scheduled_messages": db.value(
            "SELECT count(*) FROM message WHERE account_id = ? AND folder = 'scheduled'", account_id
        ),
    }


def _active_account(db, account_id):
    account = db.require("account", account_id)
    if account["state"] != "active":
        raise Rejection.failed_precondition(f"Account {account_id!r} is {account['state']}, not active.")
    return account


def _check_owed(account, amount_cents):
    if account["balance_cents"] < amount_cents:
        raise Rejection.failed_precondition(
            f"Account {account['account_id']!r} owes {account['balance_cents']} cents, less than {amount_cents}."
        )


@tool(reads=["account"], rejects=["NOT_FOUND"])
def find_account_by_email(db: Database, email: Annotated[str, "address of the mailbox", Field(min_length=1)]) -> Holder:
    """Find an account by the address of its mailbox."""
    holder = db.first(
        """
        SELECT account_id, holder_name, email, phone, zip_code, plan, state
        FROM account WHERE lower(email) = lower(?)
        """,
        email,
    )
    if holder is None:
        raise Rejection.not_found(f"No account has the address {email!r}.")
    return holder


@tool(reads=["account", "message", "filter"], rejects=["NOT_FOUND"])
def get_account(db: Database, account_id: Annotated[str, "the mailbox account"]) -> Account:
    """Show everything about one account."""
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_contact_details(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    phone: Annotated[str | None, "new phone number", Field(min_length=1)] = None,
    zip_code: Annotated[str | None, "new ZIP code", Field(min_length=5, max_length=5)] = None,
    recovery_email: Annotated[str | None, "new recovery email", Field(min_length=1)] = None,
) -> Account:
    """Change a holder's phone, ZIP code, or recovery email.

    Requires: At least one detail is given. A given recovery email differs from the mailbox's own address, ignoring
    case.

    Given details replace the old ones; contact_changed_on becomes today.
    """
    if phone is None and zip_code is None and recovery_email is None:
        raise Rejection.invalid_argument("No detail is given; give a phone, a ZIP code, or a recovery email.")
    account = db.require("account", account_id)
    if recovery_email is not None and recovery_email.lower() == account["email"].lower():
        raise Rejection.failed_precondition(
            f"Recovery email {recovery_email!r} is the mailbox's own address; give another."
        )
    db.update(
        "account",
        account_id,
        phone=account["phone"] if phone is None else phone,
        zip_code=account["zip_code"] if zip_code is None else zip_code,
        recovery_email=account["recovery_email"] if recovery_email is None else recovery_email,
        contact_changed_on=db.today,
    )
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_plan(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    plan: Annotated[Literal["free", "plus", "business"], "the new plan"],
) -> Account:
    """Put an account on another plan.

    Requires: The account is active, not suspended. The account is not on that plan already.

    plan is set and plan_since becomes today; renews_on stays. A change to free sets extra_storage_mb to 0.
    """
    account = _active_account(db, account_id)
    if account["plan"] == plan:
        raise Rejection.failed_precondition(f"Account {account_id!r} is on plan {plan!r} already.")
    db.update(
        "account",
        account_id,
        plan=plan,
        plan_since=db.today,
        extra_storage_mb=0 if plan == "free" else account["extra_storage_mb"],
    )
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_storage(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    blocks: Annotated[int, "blocks of 50 MB", Field(ge=1, le=10)],
) -> Account:
    """Add blocks of 50 MB of storage to a paid account.

    Requires: The account is active, not suspended. The account is on plus or business.

    extra_storage_mb goes up by 50 for each block.
    """
    account = _active_account(db, account_id)
    if account["plan"] == "free":
        raise Rejection.failed_precondition(
            f"Account {account_id!r} is on the free plan; storage needs plus or business."
        )
    db.update("account", account_id, extra_storage_mb=account["extra_storage_mb"] + 50 * blocks)
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND"])
def charge_fee(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    kind: Annotated[Literal["plan_change", "storage", "recall", "restore", "late_payment"], "what the fee is for"],
    amount_cents: Annotated[int, "amount of the fee", Field(ge=1)],
) -> Account:
    """Add a fee to what an account owes.

    balance_cents goes up by the amount; last_fee_kind, last_fee_cents and last_fee_on (today) are set.
    """
    account = db.require("account", account_id)
    db.update(
        "account",
        account_id,
        balance_cents=account["balance_cents"] + amount_cents,
        last_fee_kind=kind,
        last_fee_cents=amount_cents,
        last_fee_on=db.today,
    )
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def give_credit(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    amount_cents: Annotated[int, "amount of the credit", Field(ge=1)],
) -> Account:
    """Take an amount off what an account owes.

    Requires: The account owes at least the amount.

    balance_cents goes down and credits_this_year_cents goes up by the amount; last_credit_on becomes today.
    """
    account = db.require("account", account_id)
    _check_owed(account, amount_cents)
    db.update(
        "account",
        account_id,
        balance_cents=account["balance_cents"] - amount_cents,
        credits_this_year_cents=account["credits_this_year_cents"] + amount_cents,
        last_credit_on=db.today,
    )
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_balance(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    amount_cents: Annotated[int, "amount to pay", Field(ge=1)],
) -> Account:
    """Pay some or all of what an account owes with the card on file.

    Requires: A card is on file. The account owes at least the amount.

    balance_cents goes down by the amount; last_paid_on becomes today.
    """
    account = db.require("account", account_id)
    if account["card_last4"] is None:
        raise Rejection.failed_precondition(f"Account {account_id!r} has no card on file.")
    _check_owed(account, amount_cents)
    db.update("account", account_id, balance_cents=account["balance_cents"] - amount_cents, last_paid_on=db.today)
    return _account(db, account_id)
