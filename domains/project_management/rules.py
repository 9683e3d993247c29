"""Rules of the project desk that its tools do not enforce."""

from runtime import Database, days_between
from runtime.rules import Call, allows, duty, rule


def _missing(wanted, found):
    """Whether a wanted pair is not among those found, each found one counted once."""
    left = list(found)
    for pair in wanted:
        if pair not in left:
            return True
        left.remove(pair)
    return False


def _new_charges(start, end, kind):
    """The project and amount of each charge of a kind that was added today."""
    rows = end.select("SELECT charge_id, project_id, amount_cents FROM charge WHERE kind = ?", kind)
    return [(row["project_id"], row["amount_cents"]) for row in rows if start.get("charge", row["charge_id"]) is None]


@rule(
    "BUDGET_RESERVE",
    on={"order_purchase": "project_id", "book_station": "project_id"},
    reads=["project", "purchase", "booking", "charge", "station"],
    exempt={"add_charge": "Charges follow from other rules and are owed even if money is short."},
    standard_cents=40000,
    priority_cents=80000,
)
def budget_reserve(call: Call, now: Database, start: Database, standard_cents: int, priority_cents: int) -> bool:
    """A purchase or a station booking must leave money in the project's budget: after it, the money left is at least
    {standard_cents} on a standard project and at least {priority_cents} on a priority project. Exactly that much
    left is fine. What was canceled costs nothing. Charges may go below this."""
    project = now.require("project", call.arguments["project_id"])
    if call.tool == "order_purchase":
        price = call.arguments["cost_cents"]
    else:
        price = call.arguments["hours"] * now.require("station", call.arguments["station_id"])["hourly_cents"]
    key = project["project_id"]
    bought = now.value(
        "SELECT coalesce(sum(cost_cents), 0) FROM purchase WHERE project_id = ? AND status <> 'canceled'", key
    )
    booked = now.value(
        "SELECT coalesce(sum(cost_cents), 0) FROM booking WHERE project_id = ? AND status <> 'canceled'", key
    )
    charged = now.value("SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE project_id = ?", key)
    keep = priority_cents if project["service_level"] == "priority" else standard_cents
    return project["budget_cents"] - bought - booked - charged - price >= keep


@rule(
    "OPEN_TASKS",
    on={"add_task": "project_id", "assign_task": "task_id"},
    reads=["task", "member"],
    associate_most=2,
    senior_most=3,
    principal_most=4,
)
def open_tasks(
    call: Call, now: Database, start: Database, associate_most: int, senior_most: int, principal_most: int
) -> bool:
    """A member can have at most {associate_most} open tasks as an associate, {senior_most} as a senior and
    {principal_most} as a principal, over all projects and counting the new one. Open means to do or in progress.
    This goes by the grade of the person who gets the task, whoever asks. A new task for nobody yet is always fine."""
    assignee = call.arguments["assignee_id"]
    if assignee is None:
        return True
    grade = now.require("member", assignee)["grade"]
    most = {"associate": associate_most, "senior": senior_most, "principal": principal_most}[grade]
    held = now.value("SELECT count(*) FROM task WHERE assignee_id = ? AND status IN ('todo', 'in_progress')", assignee)
    return held < most


@rule(
    "ACTIVE_PROJECTS",
    on={"start_project": None, "resume_project": "project_id"},
    reads=["project", "member"],
    associate_most=1,
    senior_most=1,
    principal_most=2,
)
def active_projects(
    call: Call, now: Database, start: Database, associate_most: int, senior_most: int, principal_most: int
) -> bool:
    """A member can lead at most {associate_most} active project as an associate or {senior_most} as a senior, and at
    most {principal_most} as a principal, counting the one to be started or resumed. Projects on hold and closed
    projects do not count."""
    if call.tool == "start_project":
        lead = now.require("member", call.arguments["member_id"])
    else:
        lead = now.require("member", now.require("project", call.arguments["project_id"])["member_id"])
    most = {"associate": associate_most, "senior": senior_most, "principal": principal_most}[lead["grade"]]
    leads = now.value("SELECT count(*) FROM project WHERE member_id = ? AND status = 'active'", lead["member_id"])
    return leads < most


@rule(
    "BOOKED_HOURS",
    on={"book_station": "project_id"},
    reads=["booking", "project"],
    exempt={"move_booking": "A moved booking keeps its hours."},
    standard_hours=5,
    priority_hours=8,
)
def booked_hours(call: Call, now: Database, start: Database, standard_hours: int, priority_hours: int) -> bool:
    """The upcoming bookings of a project can come to at most {standard_hours} hours in all if it is a standard
    project, and to at most {priority_hours} if it is a priority project, counting the new one, on all stations
    together. Past and canceled bookings do not count."""
    project = now.require("project", call.arguments["project_id"])
    booked = now.value(
        "SELECT coalesce(sum(hours), 0) FROM booking WHERE project_id = ? AND status = 'booked' AND starts_at > ?",
        project["project_id"],
        now.now,
    )
    most = priority_hours if project["service_level"] == "priority" else standard_hours
    return booked + call.arguments["hours"] <= most


@rule(
    "MILESTONE_MOVES",
    on={"move_milestone": "milestone_id"},
    reads=["milestone", "project"],
    exempt={"add_milestone": "A new milestone has not been moved yet."},
    standard_moves=1,
    priority_moves=2,
)
def milestone_moves(call: Call, now: Database, start: Database, standard_moves: int, priority_moves: int) -> bool:
    """A milestone can be moved at most {standard_moves} time on a standard project and at most {priority_moves} times
    on a priority project, counting every move since it was added, in either direction."""
    milestone = now.require("milestone", call.arguments["milestone_id"])
    project = now.require("project", milestone["project_id"])
    most = priority_moves if project["service_level"] == "priority" else standard_moves
    return milestone["moves"] < most


@rule(
    "OPENING_SOON",
    on={"reschedule_project": "project_id"},
    reads=["project"],
    exempt={
        "start_project": "A new project sets its first opening day.",
        "sign_change_order": "The client agreed to the extra days by signing.",
    },
    days=45,
)
def opening_soon(call: Call, now: Database, start: Database, days: int) -> bool:
    """The opening day of a project can be changed only while it is at least {days} days after today, whatever the new
    day is. A day that has passed cannot be changed either. Extra days from a signed change order are not covered by
    this."""
    project = now.require("project", call.arguments["project_id"])
    return days_between(now.today, project["due_on"]) >= days


@rule("HOLD_CLEAR", on={"hold_project": "project_id"}, reads=["purchase", "booking"], most=1)
def hold_clear(call: Call, now: Database, start: Database, most: int) -> bool:
    """A project can go on hold only while its purchases still on order and its upcoming bookings together are at most
    {most}. Received and canceled purchases, past bookings and canceled bookings do not count."""
    key = call.arguments["project_id"]
    ordered = now.value("SELECT count(*) FROM purchase WHERE project_id = ? AND status = 'ordered'", key)
    booked = now.value(
        "SELECT count(*) FROM booking WHERE project_id = ? AND status = 'booked' AND starts_at > ?", key, now.now
    )
    return ordered + booked <= most


@rule(
    "SIGN_WINDOW",
    on={"sign_change_order": "change_order_id"},
    reads=["change_order"],
    exempt={
        "reschedule_project": "It moves the opening day without a signature.",
        "start_project": "A new project sets its first budget.",
    },
    days=14,
)
def sign_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A client's signature counts up to {days} days after the day the change order was submitted; the last of these
    days still counts. After that it is not recorded, and the change order has to be withdrawn and submitted again."""
    order = now.require("change_order", call.arguments["change_order_id"])
    return days_between(order["submitted_on"], now.today) <= days


@rule("MILESTONE_ORDER", on={"complete_milestone": "milestone_id"}, reads=["milestone"])
def milestone_order(call: Call, now: Database, start: Database) -> bool:
    """A milestone can be marked complete only when no other pending milestone of the same project is due on an earlier
    day. One that is due on the same day does not matter."""
    milestone = now.require("milestone", call.arguments["milestone_id"])
    earlier = now.value(
        "SELECT count(*) FROM milestone WHERE project_id = ? AND status = 'pending' AND due_on < ?",
        milestone["project_id"],
        milestone["due_on"],
    )
    return earlier == 0


@rule(
    "WAITING_CHANGES",
    on={"submit_change_order": "project_id"},
    reads=["change_order", "project"],
    standard_cents=200000,
    priority_cents=400000,
)
def waiting_changes(call: Call, now: Database, start: Database, standard_cents: int, priority_cents: int) -> bool:
    """The change orders of a project that wait for the client can come to at most {standard_cents} in all on a
    standard project and {priority_cents} on a priority project, counting the new one. Signed and withdrawn change
    orders do not count."""
    project = now.require("project", call.arguments["project_id"])
    waiting = now.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM change_order WHERE project_id = ? AND status = 'waiting'",
        project["project_id"],
    )
    most = priority_cents if project["service_level"] == "priority" else standard_cents
    return waiting + call.arguments["amount_cents"] <= most


@rule(
    "DRAFT_TIME",
    on={"log_time": "task_id", "correct_time_entry": "time_entry_id"},
    reads=["time_entry", "member"],
    full_hours=30,
    part_minutes=480,
    full_minutes=720,
)
def draft_time(
    call: Call, now: Database, start: Database, full_hours: int, part_minutes: int, full_minutes: int
) -> bool:
    """A member's draft time can come to at most {part_minutes} minutes in all if their contract is for fewer than
    {full_hours} weekly hours, and to at most {full_minutes} minutes otherwise. The new entry counts, and a
    corrected one counts as it will be. All drafts count, whatever their day and project; submitted time does not. A
    correction that leaves the minutes as they are is always fine."""
    if call.tool == "log_time":
        entry = {"time_entry_id": "", "member_id": call.arguments["member_id"], "minutes": 0}
    else:
        entry = now.require("time_entry", call.arguments["time_entry_id"])
    minutes = call.arguments["minutes"]
    if minutes is None or minutes == entry["minutes"]:
        return True
    member = now.require("member", entry["member_id"])
    others = now.value(
        "SELECT coalesce(sum(minutes), 0) FROM time_entry WHERE member_id = ? AND status = 'draft' AND time_entry_id <> ?",
        member["member_id"],
        entry["time_entry_id"],
    )
    most = full_minutes if member["weekly_hours"] >= full_hours else part_minutes
    return others + minutes <= most


@duty("DECLINED_STAYS", reads=["declined_request", "milestone", "project", "change_order", "purchase", "booking"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    putting a project on hold (HOLD_CLEAR), moving a milestone (MILESTONE_MOVES), and recording the signature on a
    change order (SIGN_WINDOW). Other requests are judged anew."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        key = note["subject_id"]
        if note["rule_code"] == "HOLD_CLEAR" and start.get("project", key) and end.get("project", key):
            if not allows(hold_clear, start, "hold_project", project_id=key):
                if start.get("project", key)["held_on"] != end.get("project", key)["held_on"]:
                    return False
        if note["rule_code"] == "MILESTONE_MOVES" and start.get("milestone", key) and end.get("milestone", key):
            if not allows(milestone_moves, start, "move_milestone", milestone_id=key):
                if start.get("milestone", key)["moves"] != end.get("milestone", key)["moves"]:
                    return False
        if note["rule_code"] == "SIGN_WINDOW" and start.get("change_order", key) and end.get("change_order", key):
            if not allows(sign_window, start, "sign_change_order", change_order_id=key):
                if start.get("change_order", key)["signed_on"] != end.get("change_order", key)["signed_on"]:
                    return False
    return True


@duty("LATE_CANCEL_CHARGE", reads=["booking", "charge"], notice_days=3, hour_cents=2000)
def late_cancel_charge(start: Database, end: Database, notice_days: int, hour_cents: int) -> bool:
    """When you cancel a booking that starts fewer than {notice_days} days after today, counting calendar days, add a
    "late_cancel" charge to its project: {hour_cents} for each booked hour. Add one charge for each such booking. A
    booking that starts on the day exactly {notice_days} days from today or later is canceled free of charge."""
    wanted = []
    for row in end.select(
        "SELECT booking_id, project_id, hours, date(starts_at) AS day FROM booking WHERE status = 'canceled'"
    ):
        before = start.get("booking", row["booking_id"])
        if (before is None or before["status"] == "booked") and days_between(end.today, row["day"]) < notice_days:
            wanted.append((row["project_id"], row["hours"] * hour_cents))
    return not _missing(wanted, _new_charges(start, end, "late_cancel"))


@duty("RESTOCKING_CHARGE", reads=["purchase", "charge"], stock_day_cents=200, custom_day_cents=500)
def restocking_charge(start: Database, end: Database, stock_day_cents: int, custom_day_cents: int) -> bool:
    """When you cancel a purchase, add a "restocking" charge to its project for each day from the day it was ordered to
    today: {stock_day_cents} a day for stock items and {custom_day_cents} a day for custom items. Ordered yesterday,
    a single day counts. Add one charge for each such purchase, and none for a purchase ordered today."""
    wanted = []
    for row in end.select(
        "SELECT purchase_id, project_id, category, ordered_on FROM purchase WHERE status = 'canceled'"
    ):
        before = start.get("purchase", row["purchase_id"])
        days = days_between(row["ordered_on"], end.today)
        if before is not None and before["status"] == "ordered" and days > 0:
            daily = custom_day_cents if row["category"] == "custom" else stock_day_cents
            wanted.append((row["project_id"], days * daily))
    return not _missing(wanted, _new_charges(start, end, "restocking"))
