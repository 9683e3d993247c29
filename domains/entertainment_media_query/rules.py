"""Rules of the archive that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, allows, duty, rule


def _new_amounts(start, end, viewing, kind):
    charges = end.select(
        "SELECT charge_id, member_id, amount_cents FROM charge WHERE viewing_id = ? AND kind = ?",
        viewing["viewing_id"],
        kind,
    )
    new = [charge for charge in charges if start.get("charge", charge["charge_id"]) is None]
    return [charge["amount_cents"] for charge in new]


def _changed(start, end, table, key, column):
    before, after = start.get(table, key), end.get(table, key)
    return before is not None and after is not None and before[column] != after[column]


@rule(
    "VIEWINGS_AHEAD",
    on={"book_viewing": "recording_id"},
    reads=["member", "viewing"],
    exempt={
        "move_viewing": "It moves a viewing that counts already.",
        "set_party_size": "It changes a viewing that counts already.",
    },
    neighbor=1,
    friend=2,
    patron=3,
)
def viewings_ahead(call: Call, now: Database, start: Database, neighbor: int, friend: int, patron: int) -> bool:
    """A member can have at most this many viewings booked ahead, the new viewing included: {neighbor} on the neighbor
    tier, {friend} on friend, {patron} on patron. Ahead means booked and not started yet. Attended, missed and
    canceled viewings do not count, and neither does a booked viewing whose start has passed. Moving a viewing or
    changing its party is not covered."""
    member = now.require("member", call.arguments["member_id"])
    ahead = now.value(
        "SELECT count(*) FROM viewing WHERE member_id = ? AND status = 'booked' AND starts_at > ?",
        call.arguments["member_id"],
        now.now,
    )
    return ahead < {"neighbor": neighbor, "friend": friend, "patron": patron}[member["tier"]]


@rule(
    "BOOTH_MINUTES",
    on={"book_viewing": "recording_id", "move_viewing": "viewing_id"},
    reads=["member", "viewing"],
    exempt={"set_party_size": "It changes neither the month nor the minutes."},
    neighbor=60,
    friend=90,
    patron=150,
)
def booth_minutes(call: Call, now: Database, start: Database, neighbor: int, friend: int, patron: int) -> bool:
    """In any calendar month, a member's viewings can take at most {neighbor} minutes in all on the neighbor tier,
    {friend} on friend, {patron} on patron. Count the member's booked, attended and missed viewings that start in
    the month of the new start, and add the minutes of the viewing being booked or moved. A viewing being moved
    counts only at its new start. Canceled viewings do not count."""
    viewing_id, member_id, minutes = "", call.arguments.get("member_id"), call.arguments.get("minutes")
    if call.tool == "move_viewing":
        viewing = now.require("viewing", call.arguments["viewing_id"])
        viewing_id, member_id, minutes = viewing["viewing_id"], viewing["member_id"], viewing["minutes"]
    member = now.require("member", member_id)
    taken = now.value(
        """
        SELECT coalesce(sum(minutes), 0) FROM viewing
        WHERE member_id = ? AND viewing_id <> ? AND status <> 'canceled' AND instr(starts_at, ?) = 1
        """,
        member_id,
        viewing_id,
        call.arguments["starts_at"].rsplit("-", 1)[0],
    )
    return taken + minutes <= {"neighbor": neighbor, "friend": friend, "patron": patron}[member["tier"]]


@rule(
    "ORIGINALS",
    on={"book_viewing": "recording_id"},
    reads=["member", "recording"],
    exempt={
        "move_viewing": "The viewing was allowed when it was booked.",
        "set_party_size": "The viewing was allowed when it was booked.",
    },
)
def originals(call: Call, now: Database, start: Database) -> bool:
    """A recording without a digital copy is played from the original, which wears it out. Book it only for members on
    the patron tier; even the member who deposited it needs that tier. A recording with a digital copy can be booked
    for members of every tier. Viewings that are booked already stay as they are and can be moved."""
    recording = now.require("recording", call.arguments["recording_id"])
    member = now.require("member", call.arguments["member_id"])
    return bool(recording["digitized"]) or member["tier"] == "patron"


@rule(
    "SEALED_PLAY",
    on={"book_viewing": "recording_id"},
    reads=["recording"],
    exempt={
        "move_viewing": "The viewing was allowed when it was booked.",
        "set_party_size": "The viewing was allowed when it was booked.",
    },
)
def sealed_play(call: Call, now: Database, start: Database) -> bool:
    """A sealed recording is not played in our booths. Do not book it for anyone, on any tier, and not for the member
    who deposited it either. Once its depositor has it opened again, it can be booked like any other. Viewings that
    are booked already stay as they are, even if the recording was sealed later, and can be moved."""
    recording = now.require("recording", call.arguments["recording_id"])
    return recording["access"] == "open"


@rule(
    "RESEARCH_MINUTES",
    on={"open_inquiry": None, "revise_inquiry": "inquiry_id", "reopen_inquiry": "inquiry_id"},
    reads=["member", "inquiry"],
    neighbor=60,
    friend=120,
    patron=180,
)
def research_minutes(call: Call, now: Database, start: Database, neighbor: int, friend: int, patron: int) -> bool:
    """The research minutes of all of a member's open inquiries together can be at most {neighbor} on the neighbor
    tier, {friend} on friend, {patron} on patron. That includes the inquiry being opened or reopened, and the new
    minutes of an inquiry whose minutes are raised. Answered, closed and withdrawn inquiries do not count. Lowering
    the minutes, or changing only the question or the day, is always fine."""
    inquiry_id, member_id, minutes = "", call.arguments.get("member_id"), call.arguments.get("minutes")
    if call.tool != "open_inquiry":
        inquiry = now.require("inquiry", call.arguments["inquiry_id"])
        inquiry_id, member_id = inquiry["inquiry_id"], inquiry["member_id"]
        if call.tool == "reopen_inquiry":
            minutes = inquiry["minutes"]
        elif minutes is None or minutes <= inquiry["minutes"]:
            return True
    member = now.require("member", member_id)
    others = now.value(
        "SELECT coalesce(sum(minutes), 0) FROM inquiry WHERE member_id = ? AND inquiry_id <> ? AND status = 'open'",
        member_id,
        inquiry_id,
    )
    return others + minutes <= {"neighbor": neighbor, "friend": friend, "patron": patron}[member["tier"]]


@rule(
    "OWED_HOLD",
    on={"open_inquiry": None, "reopen_inquiry": "inquiry_id"},
    reads=["charge", "inquiry"],
    exempt={"revise_inquiry": "It changes an inquiry that is open already."},
    most_cents=500,
)
def owed_hold(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """A member who owes more than {most_cents} in unpaid charges at that moment can neither open nor reopen an
    inquiry, on every tier. Owing exactly {most_cents} is fine. Paid charges do not count. Inquiries that are open
    already go on and can be changed, and viewings and deposits are not covered."""
    member_id = call.arguments.get("member_id")
    if call.tool == "reopen_inquiry":
        member_id = now.require("inquiry", call.arguments["inquiry_id"])["member_id"]
    owed = now.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE member_id = ? AND status = 'unpaid'", member_id
    )
    return owed <= most_cents


@rule(
    "REOPEN_WINDOW",
    on={"reopen_inquiry": "inquiry_id"},
    reads=["inquiry"],
    exempt={
        "open_inquiry": "A new inquiry is not about an old answer.",
        "revise_inquiry": "It changes an inquiry that is open already.",
    },
    days=90,
)
def reopen_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """An inquiry can be reopened up to {days} days after the day of its latest answer, that last day included, whether
    or not it is closed and however often it was reopened before. After that, the member can open a new inquiry
    instead."""
    inquiry = now.require("inquiry", call.arguments["inquiry_id"])
    return inquiry["answered_at"] is None or inquiry["answered_at"] >= add_days(now.today, -days)


@rule(
    "SHELF_MINUTES",
    on={"deposit_recording": None},
    reads=["member", "recording"],
    exempt={
        "correct_recording": "It changes neither the length nor the carrier.",
        "set_access": "It brings nothing in.",
    },
    neighbor=60,
    friend=120,
    patron=240,
)
def shelf_minutes(call: Call, now: Database, start: Database, neighbor: int, friend: int, patron: int) -> bool:
    """The film, tapes and records that a member has on our shelves can run at most {neighbor} minutes in all on the
    neighbor tier, {friend} on friend, {patron} on patron, the new recording included. Count the lengths of the
    member's cataloged recordings. Digital files take no shelf and are not covered: they neither count nor are
    limited. Withdrawn recordings do not count."""
    if call.arguments["carrier"] == "file":
        return True
    member = now.require("member", call.arguments["member_id"])
    held = now.value(
        """
        SELECT coalesce(sum(runtime_minutes), 0) FROM recording
        WHERE member_id = ? AND status = 'cataloged' AND carrier <> 'file'
        """,
        call.arguments["member_id"],
    )
    return (
        held + call.arguments["runtime_minutes"]
        <= {"neighbor": neighbor, "friend": friend, "patron": patron}[member["tier"]]
    )


@rule("KEEP_YEAR", on={"withdraw_recording": "recording_id"}, reads=["recording"], days=365)
def keep_year(call: Call, now: Database, start: Database, days: int) -> bool:
    """We keep what we take in for at least {days} days, since cleaning and cataloging cost a lot of work. A recording
    can be withdrawn from the day that is {days} days after the day it was deposited, for whatever reason. The tier
    of the depositor, and whether the recording is open or sealed, do not matter."""
    recording = now.require("recording", call.arguments["recording_id"])
    return recording["created_at"] < add_days(now.today, 1 - days)


@rule(
    "ACCESS_WAIT",
    on={"set_access": "recording_id"},
    reads=["recording"],
    exempt={"deposit_recording": "A new recording is open from the start."},
    days=90,
)
def access_wait(call: Call, now: Database, start: Database, days: int) -> bool:
    """After the access of a recording has changed, in either direction, it can change again from the day that is
    {days} days after the day of that change. A recording whose access never changed since it was deposited can be
    sealed at any time."""
    recording = now.require("recording", call.arguments["recording_id"])
    return recording["access_set_on"] is None or days_between(recording["access_set_on"], now.today) >= days


@duty("LATE_CANCEL_FEE", reads=["member", "viewing", "charge"], days=1, neighbor_cents=10, friend_cents=5)
def late_cancel_fee(start: Database, end: Database, days: int, neighbor_cents: int, friend_cents: int) -> bool:
    """When a viewing is canceled on the day it starts or up to {days} day before that day, charge the member the same
    day a "late_cancel" about that viewing: {neighbor_cents} for each booked minute on the neighbor tier,
    {friend_cents} on friend, nothing at all on patron. The tier at the end of the day counts. Put a single charge
    on the account for each such viewing. Earlier cancellations, and viewings that were moved instead, cost nothing."""
    for viewing in end.select("SELECT * FROM viewing WHERE status = 'canceled'"):
        before = start.get("viewing", viewing["viewing_id"])
        if before is not None and before["status"] == "canceled":
            continue
        tier = end.require("member", viewing["member_id"])["tier"]
        rate = {"neighbor": neighbor_cents, "friend": friend_cents, "patron": 0}[tier]
        late = viewing["starts_at"] < add_days(end.today, days + 1)
        due = [viewing["minutes"] * rate] if late and rate else []
        if _new_amounts(start, end, viewing, "late_cancel") != due:
            return False
    return True


@duty("MISSED_FEE", reads=["viewing", "charge"], days=90, single_cents=400, repeat_cents=800)
def missed_fee(start: Database, end: Database, days: int, single_cents: int, repeat_cents: int) -> bool:
    """When a viewing is reported as missed, charge the member the same day a "missed_viewing" about that viewing:
    {single_cents}, or {repeat_cents} if a different viewing of theirs that started on a day up to {days} days
    before today is down as missed at the end of the day. Put a single charge on the account for each viewing
    reported, on every tier."""
    for viewing in end.select("SELECT * FROM viewing WHERE status = 'missed'"):
        before = start.get("viewing", viewing["viewing_id"])
        if before is not None and before["status"] == "missed":
            continue
        others = end.value(
            """
            SELECT count(*) FROM viewing
            WHERE member_id = ? AND viewing_id <> ? AND status = 'missed' AND starts_at >= ?
            """,
            viewing["member_id"],
            viewing["viewing_id"],
            add_days(end.today, -days),
        )
        if _new_amounts(start, end, viewing, "missed_viewing") != [repeat_cents if others else single_cents]:
            return False
    return True


@duty("DECLINED_STAYS", reads=["recording", "declined_request"])
def declined_stays(start: Database, end: Database) -> bool:
    """This stays undone for the rest of the day once you recorded it as declined, even if the reason goes away:
    changing the access of a recording. Other requests are judged anew."""
    for note in end.select("SELECT * FROM declined_request WHERE declined_on = ?", end.today):
        key = note["subject_id"]
        if note["rule_code"] == "ACCESS_WAIT" and _changed(start, end, "recording", key, "access"):
            if not allows(access_wait, start, "set_access", recording_id=key):
                return False
    return True
