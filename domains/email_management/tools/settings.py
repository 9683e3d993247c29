"""Settings: vacation reply, forwarding, and filters."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


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


class Filter(TypedDict):
    filter_id: Annotated[str, "id of the filter"]
    account_id: Annotated[str, "its account"]
    name: Annotated[str, "what the holder calls it"]
    match_on: Annotated[Literal["sender", "subject"], "what it looks at"]
    match_text: Annotated[str, "text it looks for"]
    action: Annotated[Literal["archive", "spam", "trash", "forward"], "what it does with new mail"]
    forward_to: Annotated[str | None, "address of a forward"]
    is_enabled: Annotated[bool, "whether it is on"]
    created_at: Annotated[Timestamp, "when it was made"]
    match_count: Annotated[int, "messages caught so far"]
    last_matched_on: Annotated[Date | None, "last day it caught one"]


class FilterList(TypedDict):
    total: Annotated[int, "all that match"]
    filters: Annotated[list[Filter], "the filters"]


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


def _filter(row):
    return {**row, "is_enabled": bool(row["is_enabled"])}


@tool(reads=["message", "filter"], writes=["account"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def set_vacation_reply(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    starts_on: Annotated[Date, "first day"],
    ends_on: Annotated[Date, "last day"],
    text: Annotated[str, "wording of the reply", Field(min_length=1, max_length=500)],
) -> Account:
    """Set the automatic reply for days away.

    Requires: The reply ends on or after its first day. The reply does not start before today. The account is active,
    not suspended.

    vacation_starts_on, vacation_ends_on and vacation_text are set, replacing any earlier reply.
    """
    if ends_on < starts_on:
        raise Rejection.invalid_argument(f"The reply ends on {ends_on}, before its first day {starts_on}.")
    if starts_on < db.today:
        raise Rejection.invalid_argument(f"The reply starts on {starts_on}, before today, {db.today}.")
    _active_account(db, account_id)
    db.update("account", account_id, vacation_starts_on=starts_on, vacation_ends_on=ends_on, vacation_text=text)
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_vacation_reply(db: Database, account_id: Annotated[str, "the mailbox account"]) -> Account:
    """Remove the vacation reply that runs or is planned.

    Requires: A vacation reply is set and its last day is today or later.

    vacation_starts_on, vacation_ends_on and vacation_text become null.
    """
    account = db.require("account", account_id)
    if account["vacation_ends_on"] is None or account["vacation_ends_on"] < db.today:
        raise Rejection.failed_precondition(f"Account {account_id!r} has no vacation reply running or planned.")
    db.update("account", account_id, vacation_starts_on=None, vacation_ends_on=None, vacation_text=None)
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def set_forwarding(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    forward_to: Annotated[str, "address to forward to", Field(min_length=1)],
) -> Account:
    """Forward all new mail of an account to another address.

    Requires: The account is active, not suspended. The address is not the mailbox's own, ignoring case. Mail is not
    forwarded to that address already, ignoring case.

    forward_to is set, replacing any other; forwarding_since becomes today.
    """
    account = _active_account(db, account_id)
    if forward_to.lower() == account["email"].lower():
        raise Rejection.failed_precondition(f"Address {forward_to!r} is the mailbox's own; give another.")
    if account["forward_to"] is not None and forward_to.lower() == account["forward_to"].lower():
        raise Rejection.failed_precondition(f"Mail of account {account_id!r} is forwarded to {forward_to!r} already.")
    db.update("account", account_id, forward_to=forward_to, forwarding_since=db.today)
    return _account(db, account_id)


@tool(reads=["message", "filter"], writes=["account"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def stop_forwarding(db: Database, account_id: Annotated[str, "the mailbox account"]) -> Account:
    """Stop forwarding new mail of an account.

    Requires: Mail of the account is being forwarded.

    forward_to and forwarding_since become null.
    """
    account = db.require("account", account_id)
    if account["forward_to"] is None:
        raise Rejection.failed_precondition(f"Mail of account {account_id!r} is not being forwarded.")
    db.update("account", account_id, forward_to=None, forwarding_since=None)
    return _account(db, account_id)


@tool(reads=["account", "filter"], rejects=["NOT_FOUND"])
def list_filters(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    is_enabled: Annotated[bool | None, "only those on, or off"] = None,
    limit: Annotated[int, "most to show", Field(ge=1, le=50)] = 20,
) -> FilterList:
    """List an account's filters.

    Filters are sorted by name.
    """
    db.require("account", account_id)
    rows = db.select(
        """
        SELECT * FROM filter
        WHERE account_id = ? AND (? IS NULL OR is_enabled = ?)
        ORDER BY name, filter_id
        """,
        account_id,
        is_enabled,
        is_enabled,
    )
    return {"total": len(rows), "filters": [_filter(row) for row in rows[:limit]]}


@tool(
    reads=["account"],
    writes=["filter"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def create_filter(
    db: Database,
    account_id: Annotated[str, "the mailbox account"],
    name: Annotated[str, "what the holder calls it", Field(min_length=1, max_length=60)],
    match_on: Annotated[Literal["sender", "subject"], "what it looks at"],
    match_text: Annotated[str, "text to look for", Field(min_length=1, max_length=100)],
    action: Annotated[Literal["archive", "spam", "trash", "forward"], "what it does with new mail"],
    forward_to: Annotated[str | None, "address, for the action forward", Field(min_length=1)] = None,
) -> Filter:
    """Make a filter for new mail.

    Requires: forward_to is given exactly when the action is forward. The account is active, not suspended. The account
    has no filter of this name.

    The filter is on, match_count is 0 and last_matched_on null; messages already there stay as they are.
    """
    if (action == "forward") != (forward_to is not None):
        raise Rejection.invalid_argument(
            f"Action {action!r} with forward_to {forward_to!r}; an address is given exactly for the action 'forward'."
        )
    _active_account(db, account_id)
    if db.first("SELECT filter_id FROM filter WHERE account_id = ? AND name = ?", account_id, name) is not None:
        raise Rejection.already_exists(f"Account {account_id!r} has a filter named {name!r} already.")
    return _filter(
        db.insert(
            "filter",
            filter_id=db.new_id("filter"),
            account_id=account_id,
            name=name,
            match_on=match_on,
            match_text=match_text,
            action=action,
            forward_to=forward_to,
            is_enabled=1,
            created_at=db.now,
            match_count=0,
        )
    )


@tool(writes=["filter"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pause_filter(db: Database, filter_id: Annotated[str, "the filter"]) -> Filter:
    """Turn a filter off without deleting it.

    Requires: The filter is on.

    is_enabled becomes false.
    """
    if not db.require("filter", filter_id)["is_enabled"]:
        raise Rejection.failed_precondition(f"Filter {filter_id!r} is off already.")
    return _filter(db.update("filter", filter_id, is_enabled=0))


@tool(reads=["account"], writes=["filter"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def resume_filter(db: Database, filter_id: Annotated[str, "the filter"]) -> Filter:
    """Turn a paused filter on again.

    Requires: The filter's account is active, not suspended. The filter is off.

    is_enabled becomes true.
    """
    row = db.require("filter", filter_id)
    _active_account(db, row["account_id"])
    if row["is_enabled"]:
        raise Rejection.failed_precondition(f"Filter {filter_id!r} is on already.")
    return _filter(db.update("filter", filter_id, is_enabled=1))


@tool(writes=["filter"], rejects=["NOT_FOUND"])
def delete_filter(db: Database, filter_id: Annotated[str, "the filter"]) -> Filter:
    """Delete a filter for good.

    The filter is removed.
    """
    db.require("filter", filter_id)
    return _filter(db.delete("filter", filter_id))
