"""Rules of the league office that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, allows, duty, rule


def _most(now, member_id, rookie, varsity, all_star):
    member = now.get("member", member_id)
    return None if member is None else {"rookie": rookie, "varsity": varsity, "all_star": all_star}[member["tier"]]


def _owed(now, member_id):
    return now.value(
        "SELECT coalesce(sum(amount_cents - paid_cents), 0) FROM charge WHERE member_id = ? AND status = 'open'",
        member_id,
    )


def _live_teams(now, member_id):
    return now.value(
        """
        SELECT count(*) FROM registration
        JOIN team ON team.team_id = registration.team_id
        JOIN division ON division.division_id = team.division_id
        WHERE registration.member_id = ? AND registration.status <> 'withdrawn' AND division.ends_on >= ?
        """,
        member_id,
        now.today,
    )


@rule(
    "OWED_LIMIT",
    on={"book_field": "field_id", "buy_pass": None},
    reads=["member", "charge"],
    exempt={
        "register_player": "joining a team has its own limit",
        "add_charge": "a fee or fine is not something the member buys",
    },
    rookie_cents=1000,
    varsity_cents=4000,
    all_star_cents=8000,
)
def owed_limit(
    call: Call, now: Database, start: Database, rookie_cents: int, varsity_cents: int, all_star_cents: int
) -> bool:
    """A member can book a field or buy a season pass only while everything they already owe on open charges, overdue
    or not, comes to at most {rookie_cents} on the rookie tier, {varsity_cents} on varsity, and {all_star_cents} on
    all-star. What they owe from earlier today counts; the price of the new booking or pass does not. Account credit
    does not reduce what is owed until it is used to pay."""
    most = _most(now, call.arguments["member_id"], rookie_cents, varsity_cents, all_star_cents)
    return most is None or _owed(now, call.arguments["member_id"]) <= most


@rule(
    "PLACES_LIMIT",
    on={"register_player": "team_id", "post_free_agent": "division_id"},
    reads=["member", "team", "division", "registration", "free_agent_post"],
    rookie=1,
    varsity=2,
    all_star=3,
)
def places_limit(call: Call, now: Database, start: Database, rookie: int, varsity: int, all_star: int) -> bool:
    """A member's places are their pending and active registrations plus their open free agent posts, both only in
    divisions whose season is not over. Counting the new registration or post, a member can have at most {rookie} on
    the rookie tier, {varsity} on varsity, and {all_star} on all-star. When they join a team, an open post for that
    same division does not count, because joining closes it. Withdrawn registrations and posts that are placed or
    taken down do not count."""
    member_id = call.arguments["member_id"]
    division_id = call.arguments.get("division_id")
    if call.tool == "register_player":
        team = now.get("team", call.arguments["team_id"])
        division_id = None if team is None else team["division_id"]
    most = _most(now, member_id, rookie, varsity, all_star)
    posts = now.value(
        """
        SELECT count(*) FROM free_agent_post JOIN division ON division.division_id = free_agent_post.division_id
        WHERE free_agent_post.member_id = ? AND free_agent_post.status = 'open' AND division.ends_on >= ?
          AND free_agent_post.division_id IS NOT ?
        """,
        member_id,
        now.today,
        division_id,
    )
    return most is None or _live_teams(now, member_id) + posts < most


@rule(
    "GAME_DAY_LOAD",
    on={"claim_shift": "shift_id"},
    reads=["member", "team", "division", "registration", "shift", "game"],
    rookie=1,
    varsity=2,
    all_star=3,
)
def game_day_load(call: Call, now: Database, start: Database, rookie: int, varsity: int, all_star: int) -> bool:
    """Before a member takes an official's shift, add up their pending and active registrations in divisions whose
    season is not over and the shifts they have claimed at scheduled games still ahead. With the new shift, the
    total can be at most {rookie} on the rookie tier, {varsity} on varsity, and {all_star} on all-star. Shifts
    already worked, shifts at postponed games, and withdrawn registrations do not count. Giving a shift back is
    always fine."""
    member_id = call.arguments["member_id"]
    most = _most(now, member_id, rookie, varsity, all_star)
    claimed = now.value(
        """
        SELECT count(*) FROM shift JOIN game ON game.game_id = shift.game_id
        WHERE shift.member_id = ? AND shift.status = 'claimed' AND game.status = 'scheduled' AND game.starts_at > ?
        """,
        member_id,
        now.now,
    )
    return most is None or _live_teams(now, member_id) + claimed < most


@rule("OPEN_BILLS", on={"extend_due_date": "charge_id"}, reads=["member", "charge"], rookie=1, varsity=1, all_star=2)
def open_bills(call: Call, now: Database, start: Database, rookie: int, varsity: int, all_star: int) -> bool:
    """The office gives more time to pay only to members with few open charges. Counting the charge to be extended, the
    member can have at most {rookie} open on the rookie tier, {varsity} on varsity, and {all_star} on all-star. Paid
    and waived charges do not count; open ones count whatever they are for and whenever they are due."""
    charge = now.get("charge", call.arguments["charge_id"])
    if charge is None:
        return True
    most = _most(now, charge["member_id"], rookie, varsity, all_star)
    return now.value("SELECT count(*) FROM charge WHERE member_id = ? AND status = 'open'", charge["member_id"]) <= most


@rule("WAIVER_TO_PLAY", on={"answer_game": "game_id"}, reads=["member"], days=60)
def waiver_to_play(call: Call, now: Database, start: Database, days: int) -> bool:
    """Do not put a player down as in or maybe for a game unless their liability waiver is signed and still covers the
    day that is {days} days after today; that day itself is fine. Nobody needs a waiver to say they are out."""
    if call.arguments["answer"] == "out":
        return True
    member = now.get("member", call.arguments["member_id"])
    expires_on = None if member is None else member["waiver_expires_on"]
    return member is None or (expires_on is not None and expires_on >= add_days(now.today, days))


@rule("POSTPONE_NOTICE", on={"postpone_game": "game_id"}, reads=["game"], days=14)
def postpone_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """A captain can have a game postponed only if it was never postponed before and its kickoff is on a day at least
    {days} days after today; the day exactly {days} days after today is fine. Whether the game was played on its
    first date or moved since does not matter. Forfeiting is not covered."""
    game = now.get("game", call.arguments["game_id"])
    return game is None or (game["postponed_count"] == 0 and days_between(now.today, game["starts_at"][:10]) >= days)


@rule(
    "MOVE_NOTICE",
    on={"move_booking": "booking_id"},
    reads=["booking"],
    exempt={"book_field": "a new booking is paid on its own and takes a free time"},
    days=10,
)
def move_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """A practice booking can be moved only if it was never moved before and its present day is at least {days} days
    after today; the day exactly {days} days after today is fine. The new day does not matter. Canceling a booking
    and making a new booking are not covered."""
    booking = now.get("booking", call.arguments["booking_id"])
    return booking is None or (
        booking["moved_count"] == 0 and days_between(now.today, booking["starts_at"][:10]) >= days
    )


@rule("WAIVE_BEFORE_DUE", on={"waive_charge": "charge_id"}, reads=["charge"])
def waive_before_due(call: Call, now: Database, start: Database) -> bool:
    """Waive what is left of an open charge only if its due date, as it stands now, is today or later. An overdue
    charge has to be paid. It does not matter what the charge is for or whether part of it is paid."""
    charge = now.get("charge", call.arguments["charge_id"])
    return charge is None or charge["due_on"] >= now.today


@rule("TRANSFER_WAIT", on={"request_transfer": "registration_id"}, reads=["registration"], days=35)
def transfer_wait(call: Call, now: Database, start: Database, days: int) -> bool:
    """A player can ask to move to another team only from the day that is {days} days after the day they registered; on
    that day it is fine. Only the registration they want to move counts. Accepting, declining, or withdrawing a
    request that exists is not covered."""
    registration = now.get("registration", call.arguments["registration_id"])
    return registration is None or days_between(registration["registered_on"], now.today) >= days


@rule(
    "REFUND_WINDOW",
    on={"refund_payment": "payment_id"},
    reads=["payment"],
    exempt={
        "add_credit": "credit of the office, not money back from a payment",
        "pay_charge": "a payment is no refund",
        "pay_charges": "a payment is no refund",
    },
    days=45,
)
def refund_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A payment can be refunded, in part or in full, through the day that is {days} days after the day it was paid;
    that day is fine. This holds however it was paid and for refunds to account credit, too. What the payment was
    for does not matter."""
    payment = now.get("payment", call.arguments["payment_id"])
    return payment is None or days_between(payment["paid_at"][:10], now.today) <= days


@duty("DECLINED_STAYS", reads=["declined_request", "game", "charge", "booking"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    postponing a game that was declined under POSTPONE_NOTICE, waiving a charge that was declined under
    WAIVE_BEFORE_DUE, and moving a practice booking that was declined under MOVE_NOTICE. Other requests are judged
    anew."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        key, code = note["subject_id"], note["rule_code"]
        if (
            code == "POSTPONE_NOTICE"
            and start.get("game", key)
            and not allows(postpone_notice, start, "postpone_game", game_id=key)
        ):
            if start.get("game", key)["status"] != "postponed" and end.get("game", key)["status"] == "postponed":
                return False
        if (
            code == "WAIVE_BEFORE_DUE"
            and start.get("charge", key)
            and not allows(waive_before_due, start, "waive_charge", charge_id=key)
        ):
            if start.get("charge", key)["status"] != "waived" and end.get("charge", key)["status"] == "waived":
                return False
        if (
            code == "MOVE_NOTICE"
            and start.get("booking", key)
            and not allows(move_notice, start, "move_booking", booking_id=key)
        ):
            if start.get("booking", key)["starts_at"] != end.get("booking", key)["starts_at"]:
                return False
    return True


@duty("LATE_CANCEL_FEE", reads=["booking", "member", "charge"], days=7, rookie_cents=1500, varsity_cents=1000)
def late_cancel_fee(start: Database, end: Database, days: int, rookie_cents: int, varsity_cents: int) -> bool:
    """When a member cancels a practice booking whose day is fewer than {days} days after today, charge them for each
    such booking, by the tier they have at the end of the day: on rookie a "cancellation_fee" of {rookie_cents}, on
    varsity a "cancellation_fee" of {varsity_cents}, each with the note "Late practice cancellation"; on all-star
    nothing. Earlier cancellations cost nothing."""
    tiers = {"rookie": rookie_cents, "varsity": varsity_cents}
    canceled = [
        row
        for row in end.select("SELECT booking_id, member_id, starts_at FROM booking WHERE status = 'canceled'")
        if start.get("booking", row["booking_id"])
        and start.get("booking", row["booking_id"])["status"] == "booked"
        and days_between(end.today, row["starts_at"][:10]) < days
    ]
    for member_id in sorted({row["member_id"] for row in canceled}):
        fee = tiers.get(end.get("member", member_id)["tier"], 0)
        wanted = sum(1 for row in canceled if row["member_id"] == member_id) if fee else 0
        charged = [
            row["amount_cents"]
            for row in end.select(
                """
                SELECT charge_id, amount_cents FROM charge
                WHERE member_id = ? AND kind = 'cancellation_fee' AND note = 'Late practice cancellation'
                """,
                member_id,
            )
            if start.get("charge", row["charge_id"]) is None
        ]
        if charged != [fee] * wanted:
            return False
    return True


@duty("FORFEIT_FEE", reads=["game", "team", "charge"], days=7, late_cents=7500, early_cents=4000)
def forfeit_fee(start: Database, end: Database, days: int, late_cents: int, early_cents: int) -> bool:
    """When a team forfeits a game, charge the captain it has at the end of the day a "forfeit_fee" with the note
    "Forfeited game" for each such game: {early_cents} if the game's day is {days} or more days after today,
    otherwise {late_cents}, also if the kickoff is already past. The other team pays nothing."""
    owed = []
    for row in end.select(
        "SELECT game_id, forfeit_team_id, starts_at FROM game WHERE status = 'forfeited' ORDER BY game_id"
    ):
        if start.get("game", row["game_id"])["status"] != "forfeited":
            late = days_between(end.today, row["starts_at"][:10]) < days
            captain_id = end.get("team", row["forfeit_team_id"])["captain_member_id"]
            owed.append((captain_id, late_cents if late else early_cents))
    charged = [
        (row["member_id"], row["amount_cents"])
        for row in end.select(
            "SELECT charge_id, member_id, amount_cents FROM charge WHERE kind = 'forfeit_fee' AND note = 'Forfeited game'"
        )
        if start.get("charge", row["charge_id"]) is None
    ]
    return not owed or sorted(owed) == sorted(charged)
