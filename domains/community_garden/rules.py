"""Rules of the office that its tools do not enforce."""

from collections import Counter

from runtime import Database, days_between
from runtime.rules import Call, duty, rule


def _volunteer(call, now):
    if call.tool == "sign_up_for_shift":
        return now.require("gardener", call.arguments["gardener_id"])
    signup = now.require("signup", call.arguments["signup_id"])
    return now.require("gardener", signup["gardener_id"])


@rule("RENEWAL_WINDOW", on={"renew_lease": "lease_id"}, reads=["lease"], days=30)
def renewal_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A lease can be renewed only in the last {days} days before its last day: at the earliest on the day that is
    {days} days before it. It does not matter how often it was renewed before."""
    lease = now.require("lease", call.arguments["lease_id"])
    return days_between(now.today, lease["ends_on"]) <= days


@rule("PLOT_LIMIT", on={"lease_plot": "plot_id"}, reads=["gardener", "lease"], family=3, senior=2)
def plot_limit(call: Call, now: Database, start: Database, family: int, senior: int) -> bool:
    """A gardener with a standard membership can have one active lease at a time, a senior membership {senior}, a
    family membership {family}, counting the new one. Ended leases do not count; a lease that ran out but was not
    ended does."""
    gardener = now.require("gardener", call.arguments["gardener_id"])
    active = now.value(
        "SELECT count(*) FROM lease WHERE gardener_id = ? AND status = 'active'", gardener["gardener_id"]
    )
    limits = {"standard": 1, "family": family, "senior": senior}
    return active < limits[gardener["membership"]]


@rule("SETTLED_BEFORE_ENDING", on={"end_lease": "lease_id"}, reads=["lease", "charge"])
def settled_before_ending(call: Call, now: Database, start: Database) -> bool:
    """A lease can be ended only if its gardener has no overdue charge of any kind. A charge is overdue if it is open
    and was due before today; one that is due today is not overdue yet."""
    lease = now.require("lease", call.arguments["lease_id"])
    overdue = now.value(
        "SELECT count(*) FROM charge WHERE gardener_id = ? AND status = 'open' AND due_on < ?",
        lease["gardener_id"],
        now.today,
    )
    return overdue == 0


@rule(
    "TOOL_TRAINING",
    on={"sign_up_for_shift": "shift_id", "move_signup": "shift_id"},
    reads=["gardener", "shift", "signup"],
)
def tool_training(call: Call, now: Database, start: Database) -> bool:
    """Power tools are used on repairs, composting, and weeding shifts. Only gardeners who had the tool training can
    sign up for such a shift or move to one. Watering and harvest shifts are open to everyone."""
    shift = now.require("shift", call.arguments["shift_id"])
    gardener = _volunteer(call, now)
    return shift["task"] in ("watering", "harvest") or gardener["tool_trained"] == 1


@rule("CANCEL_NOTICE", on={"cancel_signup": "signup_id"}, reads=["signup", "shift"], days=3)
def cancel_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """A signup can be canceled until {days} days before the day of its shift: for a shift on Saturday, Wednesday is
    the last day. The time of day does not matter. Moving a signup to another shift has no deadline."""
    signup = now.require("signup", call.arguments["signup_id"])
    shift = now.require("shift", signup["shift_id"])
    return days_between(now.today, shift["starts_at"]) >= days


@rule("SIGNUP_LIMIT", on={"sign_up_for_shift": "shift_id"}, reads=["signup"], most=2)
def signup_limit(call: Call, now: Database, start: Database, most: int) -> bool:
    """A gardener can have at most {most} booked signups at a time, counting the new one. Canceled and done signups do
    not count, and moving a signup is fine."""
    booked = now.value(
        "SELECT count(*) FROM signup WHERE gardener_id = ? AND status = 'booked'", call.arguments["gardener_id"]
    )
    return booked < most


@duty("DECLINED_STAYS", reads=["declined_request", "lease", "signup"])
def declined_stays(start: Database, end: Database) -> bool:
    """What you declined today stays declined: do not renew a lease whose renewal you declined under RENEWAL_WINDOW,
    and do not cancel a signup whose cancellation you declined under CANCEL_NOTICE. Something else that the gardener
    asks for instead, such as moving the signup or ending the lease, is fine."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on >= ?", end.today):
        if note["rule_code"] == "RENEWAL_WINDOW":
            before, after = start.get("lease", note["subject_id"]), end.get("lease", note["subject_id"])
            if before and after and before["renewals"] != after["renewals"]:
                return False
        if note["rule_code"] == "CANCEL_NOTICE":
            before, after = start.get("signup", note["subject_id"]), end.get("signup", note["subject_id"])
            if before and after and before["status"] != after["status"]:
                return False
    return True


@duty("EARLY_END_FEE", reads=["lease", "charge"], fee_cents=1500)
def early_end_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When you end a lease before its last day, add a fee of {fee_cents} to the gardener's charges the same day, one
    for each such lease. A lease that ends on its last day or later costs nothing."""
    owed = Counter()
    for lease in end.select("SELECT lease_id, gardener_id FROM lease WHERE status = 'ended'"):
        before = start.get("lease", lease["lease_id"])
        if before and before["status"] == "active" and before["ends_on"] > end.today:
            owed[lease["gardener_id"]] += 1
    for charge in end.select(
        "SELECT charge_id, gardener_id FROM charge WHERE kind = 'fee' AND amount_cents = ?", fee_cents
    ):
        if start.get("charge", charge["charge_id"]) is None:
            owed[charge["gardener_id"]] -= 1
    return all(count <= 0 for count in owed.values())
