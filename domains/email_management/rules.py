"""Rules of Lakeside Mail that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, allows, duty, rule


def _account(call, now):
    """The account that a call is about, by its own id or that of its message or filter."""
    arguments = call.arguments
    if "account_id" in arguments:
        return now.require("account", arguments["account_id"])
    if "filter_id" in arguments:
        return now.require("account", now.require("filter", arguments["filter_id"])["account_id"])
    return now.require("account", now.require("message", arguments["message_id"])["account_id"])


def _blocks_added(start, end, account_id, block_mb):
    return (
        max(
            0, end.get("account", account_id)["extra_storage_mb"] - start.get("account", account_id)["extra_storage_mb"]
        )
        // block_mb
    )


def _late_restores(start, end, account_id, days):
    """How many messages of the account were restored today that had been in the trash for more than so many days."""
    count = 0
    for old in start.select(
        "SELECT message_id, restored_at FROM message WHERE account_id = ? AND trashed_at < ?",
        account_id,
        add_days(start.today, -days),
    ):
        new = end.get("message", old["message_id"])
        if new is not None and new["restored_at"] != old["restored_at"]:
            count += 1
    return count


def _fee_charged(start, end, account_id, due_cents):
    """Whether fees of at least this amount were charged today, as far as a payment of today lets it be seen."""
    old, new = start.get("account", account_id), end.get("account", account_id)
    if new["last_fee_on"] != end.today:
        return False
    credits = new["credits_this_year_cents"] - old["credits_this_year_cents"]
    paid_today = new["last_paid_on"] == end.today
    return paid_today or new["balance_cents"] - old["balance_cents"] + credits >= due_cents


@rule(
    "OWED",
    on={"change_plan": "account_id", "send_message": "message_id", "schedule_message": "message_id"},
    reads=["account", "message"],
    most_cents=500,
)
def owed(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """While an account owes more than {most_cents}, its plan is not changed, and none of its messages is sent right
    away, scheduled, or given another time to go out. Owing exactly {most_cents} is fine. What counts is what it
    owes at that moment. A message scheduled earlier still goes out at its time."""
    return _account(call, now)["balance_cents"] <= most_cents


@rule(
    "FILTERS_ON",
    on={"create_filter": "account_id", "resume_filter": "filter_id"},
    reads=["account", "filter"],
    free=2,
    plus=4,
    business=6,
)
def filters_on(call: Call, now: Database, start: Database, free: int, plus: int, business: int) -> bool:
    """An account can have only so many filters on at once, the new one counted: {free} on Free, {plus} on Plus, and
    {business} on Business. It is the plan at that moment that counts. Paused and deleted filters do not count.
    Making a filter and turning one back on are both concerned."""
    account = _account(call, now)
    most = {"free": free, "plus": plus, "business": business}[account["plan"]]
    on = now.value("SELECT count(*) FROM filter WHERE account_id = ? AND is_enabled = 1", account["account_id"])
    return on < most


@rule("REPLY_LOOPS", on={"set_vacation_reply": "account_id"}, reads=["filter"])
def reply_loops(call: Call, now: Database, start: Database) -> bool:
    """Do not set a vacation reply while the account has a filter on that forwards mail, because the reply and the
    forwarded mail would answer each other. Paused filters and filters that do something else do not matter, and
    neither does forwarding of all mail."""
    forwards = now.value(
        "SELECT count(*) FROM filter WHERE account_id = ? AND is_enabled = 1 AND action = 'forward'",
        call.arguments["account_id"],
    )
    return forwards == 0


@rule("CREDIT_CAP", on={"give_credit": "account_id"}, reads=["account"], plus_cents=500, business_cents=1200)
def credit_cap(call: Call, now: Database, start: Database, plus_cents: int, business_cents: int) -> bool:
    """The credits an account gets in a calendar year, the new one counted, add up to at most one month's price of the
    plan it is on: {plus_cents} on Plus, {business_cents} on Business. Reaching that exactly is fine. An account on
    Free gets no credit at all."""
    account = _account(call, now)
    most_cents = {"free": 0, "plus": plus_cents, "business": business_cents}[account["plan"]]
    return account["credits_this_year_cents"] + call.arguments["amount_cents"] <= most_cents


@rule("DELETE_WAIT", on={"delete_forever": "message_ids"}, reads=["message"], days=5)
def delete_wait(call: Call, now: Database, start: Database, days: int) -> bool:
    """A message is deleted for good only once it has been in the trash for {days} days, counted by calendar days from
    the day it was put there; on the day that is {days} days later, it can go. A message that was restored and put
    in the trash again starts over. Each message is judged by itself."""
    message = now.get("message", call.item)
    if message is None or message["trashed_at"] is None:
        return True
    return message["trashed_at"] < add_days(now.today, 1 - days)


@rule(
    "RECALL_WINDOW",
    on={"recall_message": "message_id"},
    reads=["message"],
    exempt={
        "create_draft": "a new draft was never sent",
        "unschedule_message": "a scheduled message has not gone out yet",
    },
)
def recall_window(call: Call, now: Database, start: Database) -> bool:
    """A message can be recalled on the day it was sent and on the following day: sent on Monday, Tuesday is the last
    day, at any hour. A message that was recalled and sent again counts from when it was sent last."""
    message = now.require("message", call.arguments["message_id"])
    return message["dated_at"] >= add_days(now.today, -1)


@rule("CONTACT_WAIT", on={"set_forwarding": "account_id"}, reads=["account"], days=7)
def contact_wait(call: Call, now: Database, start: Database, days: int) -> bool:
    """All mail of an account can be forwarded to an address, new or different, only from the day that is {days} days
    after its phone, ZIP code, or recovery email last changed: changed on a Monday, the next Monday is the first
    day. Filters that forward are not concerned."""
    changed_on = now.require("account", call.arguments["account_id"])["contact_changed_on"]
    return changed_on is None or days_between(changed_on, now.today) >= days


@duty("DECLINED_STAYS", reads=["account", "message", "filter", "declined_request"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    changing the plan of an account that owes too much, and turning a paused filter back on when too many are on.
    Other requests are judged anew."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        key = note["subject_id"]
        if note["rule_code"] == "OWED":
            old, new = start.get("account", key), end.get("account", key)
            if (
                old
                and new
                and old["plan"] != new["plan"]
                and not allows(owed, start, "change_plan", account_id=key, plan=new["plan"])
            ):
                return False
        if note["rule_code"] == "FILTERS_ON":
            old, new = start.get("filter", key), end.get("filter", key)
            if (
                old
                and new
                and old["is_enabled"] < new["is_enabled"]
                and not allows(filters_on, start, "resume_filter", filter_id=key)
            ):
                return False
    return True


@duty("STORAGE_FEE", reads=["account"], block_cents=200, block_mb=50)
def storage_fee(start: Database, end: Database, block_cents: int, block_mb: int) -> bool:
    """When you add storage, charge the account {block_cents} for each block of {block_mb} MB that you added, all in
    one "storage" fee. The month's price stays as it is."""
    for account in end.select("SELECT account_id FROM account"):
        account_id = account["account_id"]
        blocks = _blocks_added(start, end, account_id, block_mb)
        if blocks and not _fee_charged(start, end, account_id, blocks * block_cents):
            return False
    return True


@duty("RESTORE_FEE", reads=["account", "message"], days=10, fee_cents=150)
def restore_fee(start: Database, end: Database, days: int, fee_cents: int) -> bool:
    """When you restore a message that was put in the trash more than {days} days ago, charge its account {fee_cents}
    as a "restore" fee, once for each such message. One put there exactly {days} days ago, by calendar days, or
    later is restored free of charge."""
    for account in end.select("SELECT account_id FROM account"):
        account_id = account["account_id"]
        late = _late_restores(start, end, account_id, days)
        if late and not _fee_charged(start, end, account_id, late * fee_cents):
            return False
    return True
