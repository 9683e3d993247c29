"""Boosts: booking, moving, and canceling them, with fees, credits, and payments."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, days_between, tool


class Boost(TypedDict):
    boost_id: Annotated[str, "boost"]
    message_id: Annotated[str, "boosted message"]
    message_text: Annotated[str, "what the message says"]
    channel_title: Annotated[str, "channel of the message"]
    starts_on: Annotated[Date, "first day"]
    ends_on: Annotated[Date, "last day"]
    days: Annotated[int, "days booked"]
    daily_cents: Annotated[int, "price of one day"]
    total_cents: Annotated[int, "daily_cents times days"]
    status: Annotated[Literal["booked", "canceled", "finished"], "status"]
    created_at: Annotated[Timestamp, "when it was booked"]


class BoostList(TypedDict):
    boosts: Annotated[list[Boost], "boosts"]
    total: Annotated[int, "all matches"]


class LedgerEntry(TypedDict):
    ledger_entry_id: Annotated[str, "entry"]
    kind: Annotated[Literal["boost", "refund", "fee", "credit", "payment"], "kind"]
    reason: Annotated[str | None, "reason of a fee or credit"]
    amount_cents: Annotated[int, "amount; negative lowers the balance"]
    boost_id: Annotated[str | None, "boost it belongs to"]
    created_at: Annotated[Timestamp, "when it was entered"]


class BoostReceipt(TypedDict):
    boost: Annotated[Boost, "the boost"]
    entry: Annotated[LedgerEntry, "entry made for it"]
    balance_cents: Annotated[int, "balance of the author"]


class LedgerList(TypedDict):
    entries: Annotated[list[LedgerEntry], "entries"]
    total: Annotated[int, "all matches"]
    balance_cents: Annotated[int, "balance over all entries"]


class LedgerReceipt(TypedDict):
    entry: Annotated[LedgerEntry, "the new entry"]
    balance_cents: Annotated[int, "balance after it"]


def _boost(db, boost):
    message = db.get("message", boost["message_id"])
    fields = ("boost_id", "message_id", "starts_on", "ends_on", "days", "daily_cents", "status", "created_at")
    return {
        **{field: boost[field] for field in fields},
        "message_text": message["text"],
        "channel_title": db.get("channel", message["channel_id"])["title"],
        "total_cents": boost["daily_cents"] * boost["days"],
    }


def _entry(entry):
    fields = ("ledger_entry_id", "kind", "reason", "amount_cents", "boost_id", "created_at")
    return {field: entry[field] for field in fields}


def _balance(db, member_id):
    return db.value("SELECT coalesce(sum(amount_cents), 0) FROM ledger_entry WHERE member_id = ?", member_id)


def _enter(db, member_id, kind, amount_cents, reason=None, boost_id=None):
    return db.insert(
        "ledger_entry",
        ledger_entry_id=db.new_id("ledger_entry"),
        member_id=member_id,
        kind=kind,
        reason=reason,
        amount_cents=amount_cents,
        boost_id=boost_id,
        created_at=db.now,
    )


def _booked(db, boost_id):
    boost = db.require("boost", boost_id)
    if boost["status"] != "booked":
        raise Rejection.failed_precondition(f"Boost {boost_id!r} is {boost['status']}, not booked.")
    return boost


def _must_be_later(db, starts_on):
    if starts_on <= db.today:
        raise Rejection.invalid_argument(f"{starts_on} is not after {db.today}.")


@tool(reads=["member", "channel", "message", "boost"], rejects=["NOT_FOUND"])
def list_boosts(
    db: Database,
    member_id: Annotated[str, "member"],
    status: Annotated[Literal["booked", "canceled", "finished"] | None, "only this status"] = None,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> BoostList:
    """List the boosts of messages a member wrote.

    Latest starts_on first.
    """
    db.require("member", member_id)
    found = db.select(
        """SELECT boost.* FROM boost JOIN message USING (message_id)
        WHERE message.member_id = ? AND (? IS NULL OR boost.status = ?)
        ORDER BY boost.starts_on DESC, boost.boost_id""",
        member_id,
        status,
        status,
    )
    return {"boosts": [_boost(db, boost) for boost in found[:limit]], "total": len(found)}


@tool(
    reads=["channel", "message"],
    writes=["boost", "ledger_entry"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def book_boost(
    db: Database,
    message_id: Annotated[str, "message"],
    starts_on: Annotated[Date, "first day"],
    days: Annotated[int, "how many days", Field(ge=1, le=30)],
    daily_cents: Annotated[int, "price of one day", Field(ge=100, le=10000)],
) -> BoostReceipt:
    """Pay to show a posted message to more people for some days.

    Requires: starts_on is after today. The message is posted. Its channel is open. It has no open boost.

    A booked boost; ends_on is starts_on plus days minus 1. A ledger entry for the author: kind boost, reason null,
    total_cents, this boost.
    """
    _must_be_later(db, starts_on)
    message = db.require("message", message_id)
    if message["status"] != "posted":
        raise Rejection.failed_precondition(f"Message {message_id!r} is {message['status']}, not posted.")
    channel = db.get("channel", message["channel_id"])
    if channel["status"] != "open":
        raise Rejection.failed_precondition(f"Channel {channel['channel_id']!r} is {channel['status']}, not open.")
    if db.value("SELECT 1 FROM boost WHERE message_id = ? AND status = 'booked'", message_id):
        raise Rejection.already_exists(f"Message {message_id!r} already has an open boost.")
    boost = db.insert(
        "boost",
        boost_id=db.new_id("boost"),
        message_id=message_id,
        starts_on=starts_on,
        ends_on=add_days(starts_on, days - 1),
        days=days,
        daily_cents=daily_cents,
        status="booked",
        created_at=db.now,
    )
    entry = _enter(db, message["member_id"], "boost", daily_cents * days, boost_id=boost["boost_id"])
    return {"boost": _boost(db, boost), "entry": _entry(entry), "balance_cents": _balance(db, message["member_id"])}


@tool(reads=["channel", "message"], writes=["boost"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def move_boost(db: Database, boost_id: Annotated[str, "boost"], starts_on: Annotated[Date, "new first day"]) -> Boost:
    """Move a boost that has not begun to another first day.

    Requires: starts_on is after today. The boost is open. Its first day is after today. The new first day differs from
    the old one.

    starts_on changes and ends_on moves with it; days and prices stay.
    """
    _must_be_later(db, starts_on)
    boost = _booked(db, boost_id)
    if boost["starts_on"] <= db.today:
        raise Rejection.failed_precondition(f"Boost {boost_id!r} began on {boost['starts_on']}, so it cannot move.")
    if boost["starts_on"] == starts_on:
        raise Rejection.failed_precondition(f"Boost {boost_id!r} already starts on {starts_on}.")
    return _boost(db, db.update("boost", boost_id, starts_on=starts_on, ends_on=add_days(starts_on, boost["days"] - 1)))


@tool(reads=["channel", "message"], writes=["boost", "ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_boost(db: Database, boost_id: Annotated[str, "boost"]) -> BoostReceipt:
    """Cancel a boost and refund the days that have not begun.

    Requires: The boost is open. Its last day is after today.

    status becomes canceled; starts_on, ends_on and days stay. A ledger entry for the author: kind refund, reason null,
    minus daily_cents times the booked days after today, this boost.
    """
    boost = _booked(db, boost_id)
    if boost["ends_on"] <= db.today:
        raise Rejection.failed_precondition(f"Boost {boost_id!r} has no day left after {db.today}.")
    unused_days = min(boost["days"], days_between(db.today, boost["ends_on"]))
    member_id = db.get("message", boost["message_id"])["member_id"]
    canceled = db.update("boost", boost_id, status="canceled")
    entry = _enter(db, member_id, "refund", -boost["daily_cents"] * unused_days, boost_id=boost_id)
    return {"boost": _boost(db, canceled), "entry": _entry(entry), "balance_cents": _balance(db, member_id)}


@tool(reads=["member", "ledger_entry"], rejects=["NOT_FOUND"])
def list_ledger(
    db: Database,
    member_id: Annotated[str, "member"],
    kind: Annotated[Literal["boost", "refund", "fee", "credit", "payment"] | None, "only this kind"] = None,
    since_on: Annotated[Date | None, "only entries from this day on"] = None,
    limit: Annotated[int, "how many to return", Field(ge=1, le=50)] = 20,
) -> LedgerList:
    """List a member's ledger, with the balance.

    Newest created_at first; balance_cents ignores the filters.
    """
    db.require("member", member_id)
    found = db.select(
        """SELECT * FROM ledger_entry
        WHERE member_id = ? AND (? IS NULL OR kind = ?) AND (? IS NULL OR substr(created_at, 1, 10) >= ?)
        ORDER BY created_at DESC, ledger_entry_id""",
        member_id,
        kind,
        kind,
        since_on,
        since_on,
    )
    return {
        "entries": [_entry(entry) for entry in found[:limit]],
        "total": len(found),
        "balance_cents": _balance(db, member_id),
    }


@tool(reads=["member"], writes=["ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def pay_balance(
    db: Database, member_id: Annotated[str, "member"], amount_cents: Annotated[int, "amount paid", Field(ge=1)]
) -> LedgerReceipt:
    """Record a payment a member makes by the card on file.

    Requires: The payment is not more than the balance.

    An entry of kind payment, reason null, boost_id null, minus amount_cents.
    """
    db.require("member", member_id)
    balance = _balance(db, member_id)
    if amount_cents > balance:
        raise Rejection.failed_precondition(f"Member {member_id!r} owes {balance} cents, less than {amount_cents}.")
    entry = _enter(db, member_id, "payment", -amount_cents)
    return {"entry": _entry(entry), "balance_cents": _balance(db, member_id)}


@tool(reads=["member", "message", "boost"], writes=["ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def charge_fee(
    db: Database,
    member_id: Annotated[str, "member"],
    reason: Annotated[Literal["plan_fee", "handle_fee", "late_cancel_fee", "move_fee"], "what for"],
    amount_cents: Annotated[int, "amount of the fee", Field(ge=1)],
    boost_id: Annotated[str | None, "boost it is about"] = None,
) -> LedgerReceipt:
    """Charge a member a fee.

    Requires: The boost is of a message this member wrote.

    An entry of kind fee with the reason, amount_cents and boost_id.
    """
    db.require("member", member_id)
    if boost_id is not None:
        boost = db.require("boost", boost_id)
        if db.get("message", boost["message_id"])["member_id"] != member_id:
            raise Rejection.failed_precondition(f"Boost {boost_id!r} is not of a message by member {member_id!r}.")
    entry = _enter(db, member_id, "fee", amount_cents, reason=reason, boost_id=boost_id)
    return {"entry": _entry(entry), "balance_cents": _balance(db, member_id)}


@tool(reads=["member"], writes=["ledger_entry"], rejects=["NOT_FOUND"])
def give_credit(
    db: Database,
    member_id: Annotated[str, "member"],
    reason: Annotated[Literal["goodwill", "outage", "loyalty"], "what for"],
    amount_cents: Annotated[int, "amount of the credit", Field(ge=1)],
) -> LedgerReceipt:
    """Credit an amount to a member.

    An entry of kind credit with the reason, boost_id null, minus amount_cents.
    """
    db.require("member", member_id)
    entry = _enter(db, member_id, "credit", -amount_cents, reason=reason)
    return {"entry": _entry(entry), "balance_cents": _balance(db, member_id)}
