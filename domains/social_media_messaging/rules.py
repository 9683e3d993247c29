"""What the management of Porchlight allows beyond what the tools check."""

from runtime import Database, days_between
from runtime.rules import Call, allows, duty, rule


def _plan(now, member_id):
    return now.require("member", member_id)["plan"]


def _daily(plan, plus_day_cents, shop_day_cents):
    return {"basic": 0, "plus": plus_day_cents, "shop": shop_day_cents}[plan]


@rule(
    "CHANNEL_LIMIT",
    on={"join_channel": "channel_id"},
    reads=["member", "membership", "channel"],
    exempt={
        "create_channel": "Opening a channel of their own has a limit of its own.",
        "approve_join": "The request counted from the day it was made.",
        "set_role": "It changes only the role.",
        "set_alerts": "It changes only the alerts.",
    },
    basic=2,
    plus=4,
    shop=6,
)
def channel_limit(call: Call, now: Database, start: Database, basic: int, plus: int, shop: int) -> bool:
    """A member can join a channel only if they are then in at most {basic} open channels on Basic, {plus} on Plus, and
    {shop} on Shop, counting the new one, their own channels, and requests that still wait. Archived channels and
    channels they left do not count. Opening a channel of their own is not limited by this."""
    member_id = call.arguments["member_id"]
    most = {"basic": basic, "plus": plus, "shop": shop}[_plan(now, member_id)]
    current = now.value(
        """SELECT count(*) FROM membership JOIN channel USING (channel_id)
        WHERE membership.member_id = ? AND membership.status IN ('requested', 'active') AND channel.status = 'open'""",
        member_id,
    )
    return current < most


@rule(
    "SCHEDULING",
    on={"write_message": "channel_id"},
    reads=["member", "message"],
    exempt={
        "reschedule_message": "The message is scheduled already, so their number stays.",
        "edit_message": "It changes only the text.",
    },
    plus=2,
    shop=4,
)
def scheduling(call: Call, now: Database, start: Database, plus: int, shop: int) -> bool:
    """Only members on Plus and Shop can schedule a message for later: at most {plus} waiting at a time on Plus and
    {shop} on Shop, over all channels, counting the new one. Posting a message right away is not limited, and
    neither is moving one that is scheduled already."""
    member_id = call.arguments["member_id"]
    if call.arguments["send_at"] is None:
        return True
    most = {"basic": 0, "plus": plus, "shop": shop}[_plan(now, member_id)]
    waiting = now.value("SELECT count(*) FROM message WHERE member_id = ? AND status = 'scheduled'", member_id)
    return waiting < most


@rule(
    "BOOST_CREDIT",
    on={"book_boost": "message_id"},
    reads=["message", "member", "ledger_entry"],
    exempt={
        "cancel_boost": "It enters a refund, which lowers the balance.",
        "pay_balance": "A payment lowers the balance.",
        "give_credit": "A credit lowers the balance.",
        "charge_fee": "A fee is owed whatever the balance is.",
        "move_boost": "The boost is booked and paid for already.",
    },
    basic_cents=500,
    plus_cents=1000,
    shop_cents=2000,
)
def boost_credit(
    call: Call, now: Database, start: Database, basic_cents: int, plus_cents: int, shop_cents: int
) -> bool:
    """A new boost can be booked only while its author's balance is at most {basic_cents} on Basic, {plus_cents} on
    Plus, or {shop_cents} on Shop. The balance is the one right before booking, so the price of the new boost itself
    is not counted."""
    member_id = now.require("message", call.arguments["message_id"])["member_id"]
    most = {"basic": basic_cents, "plus": plus_cents, "shop": shop_cents}[_plan(now, member_id)]
    balance = now.value("SELECT coalesce(sum(amount_cents), 0) FROM ledger_entry WHERE member_id = ?", member_id)
    return balance <= most


@rule(
    "EDIT_WINDOW",
    on={"edit_message": "message_id"},
    reads=["message"],
    exempt={"write_message": "A new message is a message of its own."},
    days=3,
)
def edit_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A posted message can be edited through the day that is {days} days after the day it was posted: posted on
    Monday, Thursday is the last day. A message that is pinned at the moment and a message that is still scheduled
    can be edited at any time."""
    message = now.require("message", call.arguments["message_id"])
    if message["posted_at"] is None or message["pinned"]:
        return True
    return days_between(message["posted_at"].split(" ")[0], now.today) <= days


@rule("HANDLE_WAIT", on={"change_handle": "member_id"}, reads=["member"], days=180, shop_days=60)
def handle_wait(call: Call, now: Database, start: Database, days: int, shop_days: int) -> bool:
    """A member can change their handle again {days} days after the day of the last change at the earliest, or
    {shop_days} days after it on Shop. A handle that was never changed can be changed at any time."""
    member = now.require("member", call.arguments["member_id"])
    if member["handle_changed_on"] is None:
        return True
    wait = shop_days if member["plan"] == "shop" else days
    return days_between(member["handle_changed_on"], now.today) >= wait


@rule("MODERATORS_PIN", on={"pin_message": "message_id"}, reads=["message", "membership"])
def moderators_pin(call: Call, now: Database, start: Database) -> bool:
    """A message can be pinned only while its author is a moderator of the channel it is in. The owner of a channel is
    a moderator, too. Whoever asks, it is the author of the message who counts, and an author who left the channel
    is no moderator."""
    message = now.require("message", call.arguments["message_id"])
    return bool(
        now.value(
            """SELECT count(*) FROM membership
            WHERE member_id = ? AND channel_id = ? AND status = 'active' AND role = 'moderator'""",
            message["member_id"],
            message["channel_id"],
        )
    )


@rule(
    "NEW_OWNER",
    on={"transfer_channel": "channel_id"},
    reads=["membership"],
    exempt={
        "create_channel": "A new channel belongs to the member who opens it.",
        "set_role": "It does not change who owns the channel.",
    },
)
def new_owner(call: Call, now: Database, start: Database) -> bool:
    """A channel can be handed only to somebody who is a moderator of it right before that. A plain member has to be
    made a moderator first."""
    role = now.value(
        "SELECT role FROM membership WHERE channel_id = ? AND member_id = ? AND status = 'active'",
        call.arguments["channel_id"],
        call.arguments["new_owner_id"],
    )
    return role == "moderator"


@rule(
    "MOVE_NOTICE",
    on={"move_boost": "boost_id"},
    reads=["boost"],
    exempt={"book_boost": "Booking a boost does not move one."},
    days=3,
)
def move_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """A boost can be moved to another day as long as the first day it has now is at least {days} days away: on a
    Tuesday, one that begins on Friday or later can still be moved. The new first day does not matter."""
    return days_between(now.today, now.require("boost", call.arguments["boost_id"])["starts_on"]) >= days


@rule("LEAVE_TIDY", on={"leave_channel": "membership_id"}, reads=["membership", "message", "boost"])
def leave_tidy(call: Call, now: Database, start: Database) -> bool:
    """A member can leave a channel only once nothing of theirs runs there anymore: no scheduled message, no pinned
    message, and no message with an open boost. Their other messages stay and do not matter. A request to join can
    be taken back at any time."""
    membership = now.require("membership", call.arguments["membership_id"])
    if membership["status"] != "active":
        return True
    return not now.value(
        """SELECT count(*) FROM message WHERE member_id = ? AND channel_id = ? AND (
            status = 'scheduled' OR pinned = 1
            OR EXISTS (SELECT 1 FROM boost WHERE boost.message_id = message.message_id AND boost.status = 'booked')
        )""",
        membership["member_id"],
        membership["channel_id"],
    )


@rule(
    "TWO_MODERATORS",
    on={"set_role": "membership_id"},
    reads=["membership"],
    exempt={
        "transfer_channel": "The new owner is a moderator already.",
        "create_channel": "The owner is the first moderator of a new channel.",
        "join_channel": "Whoever joins is a plain member.",
    },
    most=2,
)
def two_moderators(call: Call, now: Database, start: Database, most: int) -> bool:
    """A channel has at most {most} moderators, its owner included: somebody can be made a moderator only while there
    are fewer than that. People who left do not count. Making a moderator a plain member again is always fine."""
    if call.arguments["role"] == "member":
        return True
    channel_id = now.require("membership", call.arguments["membership_id"])["channel_id"]
    moderators = now.value(
        "SELECT count(*) FROM membership WHERE channel_id = ? AND status = 'active' AND role = 'moderator'", channel_id
    )
    return moderators < most


@rule(
    "BUSY_CHANNEL",
    on={"archive_channel": "channel_id"},
    reads=["membership"],
    exempt={"cancel_scheduled": "It cancels messages and leaves the channel open."},
    most=5,
)
def busy_channel(call: Call, now: Database, start: Database, most: int) -> bool:
    """A channel with more than {most} members, its owner included, cannot be archived; its owner can hand it to
    somebody else instead. People who wait to be let in and people who left do not count."""
    members = now.value(
        "SELECT count(*) FROM membership WHERE channel_id = ? AND status = 'active'", call.arguments["channel_id"]
    )
    return members <= most


@duty("DECLINED_STAYS", reads=["declined_request", "boost", "message", "channel", "membership"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    moving that boost, editing that message, and handing that channel to a new owner. Other requests are judged
    anew."""
    columns = {
        "MOVE_NOTICE": ("boost", "starts_on"),
        "EDIT_WINDOW": ("message", "text"),
        "NEW_OWNER": ("channel", "owner_id"),
    }
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        key = note["subject_id"]
        table, column = columns.get(note["rule_code"], (None, None))
        before = start.get(table, key) if table else None
        if before is None or end.get(table, key)[column] == before[column]:
            continue
        if note["rule_code"] == "MOVE_NOTICE" and not allows(move_notice, start, "move_boost", boost_id=key):
            return False
        if note["rule_code"] == "EDIT_WINDOW" and not allows(edit_window, start, "edit_message", message_id=key):
            return False
        taker = end.get(table, key)[column]
        if table == "channel" and not allows(new_owner, start, "transfer_channel", channel_id=key, new_owner_id=taker):
            return False
    return True


@duty("LATE_CANCEL_FEE", reads=["boost", "ledger_entry", "message"], days=2, share_cents=10, unit_cents=100)
def late_cancel_fee(start: Database, end: Database, days: int, share_cents: int, unit_cents: int) -> bool:
    """When a boost is canceled and its first day is less than {days} days away, is today, or has passed, charge its
    author a fee once, with the reason "late_cancel_fee" and for that boost: {share_cents} for each {unit_cents} of
    the full price of the boost, which is the price of a day times the days booked, rounded down to the cent. A
    boost canceled earlier than that costs no fee."""
    for boost in end.select("SELECT * FROM boost WHERE status = 'canceled'"):
        before = start.get("boost", boost["boost_id"])
        if before is not None and before["status"] == "canceled":
            continue
        fees = [
            entry
            for entry in end.select(
                "SELECT * FROM ledger_entry WHERE boost_id = ? AND reason = 'late_cancel_fee'", boost["boost_id"]
            )
            if start.get("ledger_entry", entry["ledger_entry_id"]) is None
        ]
        amounts = [(entry["member_id"], entry["amount_cents"]) for entry in fees]
        author = end.get("message", boost["message_id"])["member_id"]
        fee = boost["days"] * boost["daily_cents"] * share_cents // unit_cents
        late = days_between(end.today, boost["starts_on"]) < days
        if amounts != ([(author, fee)] if late else []):
            return False
    return True


@duty("PLAN_FEE", reads=["member", "ledger_entry"], plus_day_cents=20, shop_day_cents=50, last_day=30)
def plan_fee(start: Database, end: Database, plus_day_cents: int, shop_day_cents: int, last_day: int) -> bool:
    """When a member moves up to Plus or Shop, charge them a fee the same day, with the reason "plan_fee" and about no
    boost, for the rest of the month. A day costs {plus_day_cents} on Plus, {shop_day_cents} on Shop, and nothing on
    Basic; charge the difference between the new plan and the old one for each day from today through day {last_day}
    of the month, today included. Moving down costs nothing."""
    rest = last_day - int(end.today.split("-")[-1]) + 1
    for member in start.select("SELECT member_id, plan FROM member"):
        plan = end.get("member", member["member_id"])["plan"]
        step = _daily(plan, plus_day_cents, shop_day_cents) - _daily(member["plan"], plus_day_cents, shop_day_cents)
        fees = [
            (entry["amount_cents"], entry["boost_id"])
            for entry in end.select(
                "SELECT * FROM ledger_entry WHERE member_id = ? AND reason = 'plan_fee'", member["member_id"]
            )
            if start.get("ledger_entry", entry["ledger_entry_id"]) is None
        ]
        if fees != ([(step * rest, None)] if step > 0 else []):
            return False
    return True
