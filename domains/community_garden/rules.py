"""Rules of the community garden office that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, allows, duty, rule


@rule("RENEWAL_WINDOW", on={"renew_lease": "lease_id"}, reads=["lease"], days=60)
def renewal_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A lease can be renewed only when its last day is at most {days} days away, counted from today; exactly {days}
    days away is fine. A lease whose last day has passed can still be renewed as long as it has not been ended."""
    lease = now.require("lease", call.arguments["lease_id"])
    return days_between(now.today, lease["expires_on"]) <= days


@rule("WORK_HOURS", on={"renew_lease": "lease_id"}, reads=["lease", "gardener", "signup", "shift"], hours=2)
def work_hours(call: Call, now: Database, start: Database, hours: int) -> bool:
    """A lease can be renewed only if its gardener has at least {hours} credited hours of volunteer work this calendar
    year, in all and not for each lease. Gardeners of the senior tier need none."""
    lease = now.require("lease", call.arguments["lease_id"])
    gardener = now.require("gardener", lease["gardener_id"])
    worked = now.value(
        """
        SELECT coalesce(sum(s.hours * p.people), 0) FROM signup p JOIN shift s ON s.shift_id = p.shift_id
        WHERE p.gardener_id = ? AND p.state = 'worked' AND s.starts_at >= ?
        """,
        lease["gardener_id"],
        now.today.split("-")[0],
    )
    return gardener["tier"] == "senior" or worked >= hours


@rule("NOTHING_DUE", on={"start_lease": None}, reads=["charge"], days=7)
def nothing_due(call: Call, now: Database, start: Database, days: int) -> bool:
    """A gardener who has an unpaid charge that is past due, is due today, or falls due in the next {days} days cannot
    start a lease; a charge due exactly {days} days from today counts. Once every such charge is paid or waived, the
    lease can start. Unpaid charges that are due later do not matter."""
    until = add_days(now.today, days)
    owed = now.value(
        "SELECT count(*) FROM charge WHERE gardener_id = ? AND state = 'unpaid' AND due_on <= ?",
        call.arguments["gardener_id"],
        until,
    )
    return owed == 0


@rule("SIGNUP_WINDOW", on={"sign_up_for_shift": "shift_id"}, reads=["shift"], days=28)
def signup_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """Signing up for a shift is possible only when the day of the shift is at most {days} days away, counted from
    today; exactly {days} days away is fine. Shifts on later days are not open for signups yet."""
    shift = now.require("shift", call.arguments["shift_id"])
    return days_between(now.today, shift["starts_at"][:10]) <= days


@rule("CANCEL_NOTICE", on={"cancel_signups": "signup_ids"}, reads=["signup", "shift"], days=3)
def cancel_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """A signup can be canceled only if the day of its shift is at least {days} days away, counted from today, whatever
    the time of day. For a shift on Saturday, Wednesday is the last day to cancel."""
    signup = now.require("signup", call.item)
    shift = now.require("shift", signup["shift_id"])
    return days_between(now.today, shift["starts_at"][:10]) >= days


@rule("SETTLEMENT_DEADLINE", on={"settle_charges": "charge_ids"}, reads=["charge"], days=14)
def settlement_deadline(call: Call, now: Database, start: Database, days: int) -> bool:
    """A charge can be paid until {days} days after the day it was due, that day included; later, the treasurer
    collects it and we do not settle it. A waiver is possible only until the due date itself, that day included."""
    charge = now.require("charge", call.item)
    late = days_between(charge["due_on"], now.today)
    return late <= (0 if call.arguments["method"] == "waiver" else days)


@duty("DECLINED_STAYS_DECLINED", reads=["declined_request", "lease", "gardener", "signup", "shift"])
def declined_stays_declined(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    renewing a lease too long before its last day; renewing a lease of a gardener who has not worked enough hours.
    Other requests are judged anew."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        key, code = note["subject_id"], note["rule_code"]
        before, after = start.get("lease", key), end.get("lease", key)
        if before is None or after is None or before["expires_on"] == after["expires_on"]:
            continue
        if code == "RENEWAL_WINDOW" and not allows(renewal_window, start, "renew_lease", lease_id=key):
            return False
        if code == "WORK_HOURS" and not allows(work_hours, start, "renew_lease", lease_id=key):
            return False
    return True


@duty("CLEANUP_FEE", reads=["lease", "plot", "gardener", "charge"], small_cents=4000, large_cents=7500, large_sqft=200)
def cleanup_fee(start: Database, end: Database, small_cents: int, large_cents: int, large_sqft: int) -> bool:
    """When you end a lease whose plot the gardener has not cleared, record a charge of the kind "cleanup_fee" for that
    lease: {small_cents}, or {large_cents} if the plot has {large_sqft} square feet or more. It is due today and has
    the note "Plot not cleared". Gardeners of the senior tier are not charged, nor is anyone who has cleared the
    plot."""
    for lease in end.select("SELECT lease_id, gardener_id, plot_id FROM lease WHERE state = 'ended'"):
        before = start.get("lease", lease["lease_id"])
        plot, gardener = end.get("plot", lease["plot_id"]), end.get("gardener", lease["gardener_id"])
        if (
            before is None
            or before["state"] == "ended"
            or plot["state"] != "needs_cleanup"
            or gardener["tier"] == "senior"
        ):
            continue
        fee = large_cents if plot["size_sqft"] >= large_sqft else small_cents
        charges = end.select(
            """
            SELECT charge_id, amount_cents, due_on, note FROM charge
            WHERE lease_id = ? AND gardener_id = ? AND kind = 'cleanup_fee'
            """,
            lease["lease_id"],
            lease["gardener_id"],
        )
        new = [charge for charge in charges if start.get("charge", charge["charge_id"]) is None]
        if len(new) != 1 or new[0]["amount_cents"] != fee or new[0]["due_on"] != end.today:
            return False
        if new[0]["note"] != "Plot not cleared":
            return False
    return True
