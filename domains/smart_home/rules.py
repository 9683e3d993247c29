"""Rules of the office that its tools do not enforce."""

from runtime import Database, add_days
from runtime.rules import Call, duty, rule


@rule(
    "WARRANTY_ONLY",
    on={"replace_device": "device_id", "install_firmware": "device_ids"},
    reads=["device"],
    exempt={
        "pair_device": "the subscriber bought that device",
        "retire_device": "hands out no new device",
        "close_home": "hands out no new device",
        "resolve_alert": "hands out no new device",
    },
)
def warranty_only(call: Call, now: Database, start: Database) -> bool:
    """We replace a device, or install new firmware on it, only while that device is under warranty; the last day of
    its warranty still counts. Retiring a device and adding a device that the subscriber bought are not covered."""
    device_id = call.item if call.tool == "install_firmware" else call.arguments["device_id"]
    return now.require("device", device_id)["warranty_until"] >= now.today


@rule(
    "DEVICE_LIMIT",
    on={"pair_device": "home_id"},
    reads=["device"],
    exempt={"replace_device": "the home has no more devices than before"},
    most=4,
)
def device_limit(call: Call, now: Database, start: Database, most: int) -> bool:
    """A home can have at most {most} devices, counting the new device and every other device of the home that is not
    retired, whether online or offline. Replacing a device is not covered."""
    return (
        now.value("SELECT count(*) FROM device WHERE home_id = ? AND status <> 'retired'", call.arguments["home_id"])
        < most
    )


@rule("LOCK_BATTERY", on={"create_access_code": "device_id"}, reads=["device"], percent=40)
def lock_battery(call: Call, now: Database, start: Database, percent: int) -> bool:
    """A lock gets a new door code only if its battery is at {percent} percent or more, no matter how long the code is
    to work. Changing or revoking codes that exist is not covered."""
    return (now.require("device", call.arguments["device_id"])["battery_percent"] or 0) >= percent


@rule(
    "AWAY_DOORS",
    on={"set_lock": "device_id"},
    reads=["device", "home"],
    exempt={
        "pair_device": "a new lock, on no door yet",
        "replace_device": "the new lock keeps the state of the old",
        "set_home_mode": "it locks doors and never unlocks them",
        "switch_devices": "only for lights and plugs",
    },
)
def away_doors(call: Call, now: Database, start: Database) -> bool:
    """We unlock a door from afar only while its home is in home mode. In night or away mode the door stays locked,
    whoever asks; locking a door is always fine."""
    lock = now.require("device", call.arguments["device_id"])
    return call.arguments["state"] == "locked" or now.require("home", lock["home_id"])["mode"] == "home"


@rule("BOOKING_DEBT", on={"book_visit": "home_id"}, reads=["home", "charge"], most_cents=1000)
def booking_debt(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """We book a visit to a home only if its subscriber owes {most_cents} or less at that moment. What they owe is all
    posted fees minus all posted credits and payments; voided charges do not count. Moving a visit that is booked
    already is not covered."""
    home = now.require("home", call.arguments["home_id"])
    owed = now.value(
        """
        SELECT coalesce(sum(CASE WHEN kind = 'fee' THEN amount_cents ELSE -amount_cents END), 0)
        FROM charge WHERE subscriber_id = ? AND status = 'posted'
        """,
        home["subscriber_id"],
    )
    return owed <= most_cents


@rule(
    "VISIT_MOVES",
    on={"reschedule_visit": "visit_id"},
    reads=["visit"],
    exempt={"book_visit": "a new visit, none is moved"},
)
def visit_moves(call: Call, now: Database, start: Database) -> bool:
    """A visit can be moved to another day or another part of the day only if it has never been moved before, no matter
    who asked for the earlier move."""
    return now.require("visit", call.arguments["visit_id"])["reschedule_count"] == 0


@rule("CANCEL_TIME", on={"cancel_visit": "visit_id"}, reads=["visit"], days=10)
def cancel_time(call: Call, now: Database, start: Database, days: int) -> bool:
    """A visit can be canceled only if it was booked at most {days} days ago, counted by date; exactly that many days
    ago is still fine. How soon the visit is does not matter, and moving it does not restart the count."""
    return now.require("visit", call.arguments["visit_id"])["created_at"] >= add_days(now.today, -days)


@rule("PLAN_TERM", on={"change_plan": "subscriber_id"}, reads=["subscriber"], days=365)
def plan_term(call: Call, now: Database, start: Database, days: int) -> bool:
    """Subscribers can switch plans, up or down, only if their last switch was at least {days} days before today;
    exactly that many is enough. For those who never switched, count from the day they joined."""
    return now.require("subscriber", call.arguments["subscriber_id"])["plan_since"] <= add_days(now.today, -days)


@rule(
    "HOME_TERM",
    on={"transfer_home": "home_id", "close_home": "home_id"},
    reads=["home"],
    exempt={
        "add_home": "a new home leaves nobody",
        "retire_device": "the home stays",
        "replace_device": "the home stays",
        "disable_automations": "the home stays",
        "revoke_access_codes": "the home stays",
        "resolve_alert": "the home stays",
    },
    days=365,
)
def home_term(call: Call, now: Database, start: Database, days: int) -> bool:
    """A home can be handed to another subscriber or closed only if it was added at least {days} days before today;
    exactly that many is enough. When its devices were added does not matter."""
    return now.require("home", call.arguments["home_id"])["added_on"] <= add_days(now.today, -days)


@rule(
    "FEE_DISPUTE",
    on={"add_credit": "charge_id", "void_charge": "charge_id"},
    reads=["charge"],
    exempt={"add_fee": "takes nothing back", "record_payment": "takes nothing back"},
    days=150,
)
def fee_dispute(call: Call, now: Database, start: Database, days: int) -> bool:
    """We void a charge of any kind, or give a credit for a fee, only if that charge was posted at most {days} days
    ago, counted by date; exactly that many days ago is still fine. A credit that is not for a particular fee is not
    covered."""
    charge_id = call.arguments["charge_id"]
    return charge_id is None or now.require("charge", charge_id)["created_at"] >= add_days(now.today, -days)


@rule(
    "GOODWILL_TIER",
    on={"add_credit": "subscriber_id"},
    reads=["subscriber"],
    exempt={"add_fee": "gives nothing away", "record_payment": "gives nothing away"},
)
def goodwill_tier(call: Call, now: Database, start: Database) -> bool:
    """A credit that is not for a particular fee goes only to subscribers who are on the premium plan at that moment,
    whatever the amount. Credits for a fee are not covered."""
    plan = now.require("subscriber", call.arguments["subscriber_id"])["plan"]
    return call.arguments["charge_id"] is not None or plan == "premium"


@rule(
    "ALERT_WATCH",
    on={"resolve_alert": "alert_id"},
    reads=["alert"],
    exempt={"close_home": "the device goes", "retire_device": "the device goes", "replace_device": "the device goes"},
    days=8,
)
def alert_watch(call: Call, now: Database, start: Database, days: int) -> bool:
    """An alert of any kind can be resolved only if it was raised at least {days} days before today, counted by date;
    exactly that many is enough. Alerts that end because their device is retired or replaced, or because the home is
    closed, are not covered."""
    return now.require("alert", call.arguments["alert_id"])["raised_at"] < add_days(now.today, 1 - days)


@duty("DECLINED_STANDS", reads=["declined_request", "subscriber", "visit"])
def declined_stands(start: Database, end: Database) -> bool:
    """When you decline to switch a subscriber's plan under PLAN_TERM or to move a visit under VISIT_MOVES, do not do
    it later the same day either: the subscriber keeps the plan of this morning, and the visit is not moved."""
    columns = {"PLAN_TERM": ("subscriber", "plan"), "VISIT_MOVES": ("visit", "reschedule_count")}
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        if note["rule_code"] in columns:
            table, column = columns[note["rule_code"]]
            before, after = start.get(table, note["subject_id"]), end.get(table, note["subject_id"])
            if before and after and before[column] != after[column]:
                return False
    return True


@duty(
    "MISSED_VISIT_FEE",
    reads=["visit", "home", "subscriber", "charge"],
    basic_cents=4900,
    plus_cents=3500,
    premium_cents=2000,
)
def missed_visit_fee(start: Database, end: Database, basic_cents: int, plus_cents: int, premium_cents: int) -> bool:
    """When you record that a visit was missed, charge the subscriber of its home a fee for that visit the same day:
    {basic_cents} on the basic plan, {plus_cents} on the plus plan, and {premium_cents} on the premium plan. The
    plan they are on at the end of the day counts."""
    amounts = {"basic": basic_cents, "plus": plus_cents, "premium": premium_cents}
    for visit in end.select("""
        SELECT v.visit_id, s.plan FROM visit AS v
        JOIN home AS h ON h.home_id = v.home_id JOIN subscriber AS s ON s.subscriber_id = h.subscriber_id
        WHERE v.status = 'missed'
    """):
        before = start.get("visit", visit["visit_id"])
        fee = end.value(
            "SELECT amount_cents FROM charge WHERE visit_id = ? AND kind = 'fee' AND status = 'posted'",
            visit["visit_id"],
        )
        if (before is None or before["status"] != "missed") and fee != amounts[visit["plan"]]:
            return False
    return True
