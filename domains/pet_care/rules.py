"""Rules of the pet care center that its tools do not enforce."""

from runtime import Database, days_between
from runtime.rules import Call, allows, duty, rule


def _owner(pet_id, now):
    pet = now.require("pet", pet_id)
    return now.require("client", pet["client_id"])


def _by_tier(client, basic, plus, premier):
    return {"basic": basic, "plus": plus, "premier": premier}[client["tier"]]


@rule(
    "RABIES_COVER",
    on={"book_stay": "pet_id", "change_stay_dates": "stay_id"},
    reads=["stay", "vaccination"],
    exempt={"change_stay_room": "The room does not matter to the vaccination; the dates stay as they were"},
)
def rabies_cover(call: Call, now: Database, start: Database) -> bool:
    """A pet can only board if its rabies vaccination protects it through the pickup day, that day included: the rabies
    record with the latest last day counts, as the records stand when the stay is booked or its dates are changed.
    This holds for dogs and cats, for every new stay and every change of dates, also one that shortens the stay.
    Without any rabies record, the pet cannot board. Other vaccines are not required."""
    pet_id, ends_on = call.arguments.get("pet_id"), call.arguments.get("ends_on")
    if call.tool == "change_stay_dates":
        stay = now.require("stay", call.arguments["stay_id"])
        pet_id = stay["pet_id"]
        ends_on = ends_on or stay["ends_on"]
    last = now.value("SELECT max(expires_on) FROM vaccination WHERE pet_id = ? AND vaccine = 'rabies'", pet_id)
    return last is not None and last >= ends_on


@rule(
    "BALANCE_DUE",
    on={"book_stay": "pet_id"},
    reads=["pet", "client", "account_entry"],
    exempt={
        "change_stay_dates": "It changes a stay that is booked already and adds none",
        "change_stay_room": "It changes a stay that is booked already and adds none",
        "add_account_entry": "It is how a balance comes about and how it is paid",
    },
    owed_cents=5000,
)
def balance_due(call: Call, now: Database, start: Database, owed_cents: int) -> bool:
    """A client who owes {owed_cents} or more cannot book a new boarding stay. What counts is the balance at the moment
    of booking: all charges and fees ever put on the account, less all payments and credits, those entered today
    included. Changes to stays that are booked already, and visits, are not affected."""
    client = _owner(call.arguments["pet_id"], now)
    balance = now.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('payment', 'credit') THEN -amount_cents ELSE amount_cents END), 0)
        FROM account_entry WHERE client_id = ?
        """,
        client["client_id"],
    )
    return balance < owed_cents


@rule(
    "VISITS_AHEAD",
    on={"book_visit": "pet_id"},
    reads=["pet", "client", "visit"],
    exempt={"reschedule_visit": "It moves a visit that is counted already"},
    basic=1,
    plus=2,
    premier=4,
)
def visits_ahead(call: Call, now: Database, start: Database, basic: int, plus: int, premier: int) -> bool:
    """Limit on a client's booked visits, all pets together and the new visit counted: {basic} on the basic membership,
    {plus} on plus, and {premier} on premier. Only visits that are booked at that moment count; completed and
    canceled ones do not, so a visit canceled today frees a place. Moving a booked visit is not covered."""
    client = _owner(call.arguments["pet_id"], now)
    booked = now.value(
        """
        SELECT count(*) FROM visit JOIN pet ON pet.pet_id = visit.pet_id
        WHERE pet.client_id = ? AND visit.status = 'booked'
        """,
        client["client_id"],
    )
    return booked < _by_tier(client, basic, plus, premier)


@rule(
    "MOVES_BY_TIER",
    on={"reschedule_visit": "visit_id"},
    reads=["visit", "pet", "client"],
    exempt={"book_visit": "A new visit has not been moved yet"},
    basic=1,
    plus=1,
    premier=3,
)
def moves_by_tier(call: Call, now: Database, start: Database, basic: int, plus: int, premier: int) -> bool:
    """Limit on how often a visit can be moved in all, earlier moves, today's moves, and the new move counted: {basic}
    on the basic membership, {plus} on plus, and {premier} on premier. The owner's membership at that moment
    decides. Booking a new visit is not covered."""
    visit = now.require("visit", call.arguments["visit_id"])
    return visit["times_moved"] < _by_tier(_owner(visit["pet_id"], now), basic, plus, premier)


@rule("MOVED_VISIT_STAYS", on={"cancel_visits": "visit_ids"}, reads=["visit"])
def moved_visit_stays(call: Call, now: Database, start: Database) -> bool:
    """A visit that has been moved to another time, ever so long ago or today, cannot be canceled anymore, because we
    held a new place for it. A visit that was never moved can be canceled at any time before it starts. Stays are
    not covered."""
    visit = now.require("visit", call.item)
    return visit["times_moved"] == 0


@rule(
    "ROOM_NOTICE",
    on={"change_stay_room": "stay_id"},
    reads=["stay"],
    exempt={"book_stay": "A new stay gets its room when it is booked"},
    days=14,
)
def room_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """The room of a stay can only be changed until {days} days before its drop-off day: if today is exactly {days}
    days before drop-off, it can still be changed, later not. The drop-off day as it stands at that moment counts.
    Stays that are checked in keep their room. Up or down, to any room, is treated alike; booking a stay and
    changing its dates are not covered."""
    stay = now.require("stay", call.arguments["stay_id"])
    return stay["status"] != "checked_in" and days_between(now.today, stay["starts_on"]) >= days


@duty("DECLINED_STAYS", reads=["declined_request", "stay", "visit", "pet", "client"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    changing the room of a stay (ROOM_NOTICE), and moving a visit to another time (MOVES_BY_TIER). Other requests
    are judged anew."""
    for note in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        key = note["subject_id"]
        if note["rule_code"] == "ROOM_NOTICE" and start.get("stay", key):
            changed = start.get("stay", key)["room"] != end.get("stay", key)["room"]
            if changed and not allows(room_notice, start, "change_stay_room", stay_id=key):
                return False
        if note["rule_code"] == "MOVES_BY_TIER" and start.get("visit", key):
            changed = start.get("visit", key)["starts_at"] != end.get("visit", key)["starts_at"]
            if changed and not allows(moves_by_tier, start, "reschedule_visit", visit_id=key):
                return False
    return True


@duty("CANCEL_FEE", reads=["stay", "pet", "client", "account_entry"], days=30, basic_cents=4500, plus_cents=2000)
def cancel_fee(start: Database, end: Database, days: int, basic_cents: int, plus_cents: int) -> bool:
    """When a client cancels a boarding stay and its drop-off day is at most {days} days after today, put a
    cancellation fee on their account the same day, about that stay: {basic_cents} on the basic membership,
    {plus_cents} on plus, and nothing on premier. Exactly {days} days still costs the fee; more does not. Canceling
    visits costs nothing."""
    for stay in end.select("SELECT * FROM stay WHERE status = 'canceled'"):
        before = start.get("stay", stay["stay_id"])
        if before is not None and before["status"] == "canceled":
            continue
        client = _owner(stay["pet_id"], end)
        fee = _by_tier(client, basic_cents, plus_cents, 0)
        if days_between(end.today, stay["starts_on"]) > days:
            fee = 0
        entries = end.select(
            "SELECT entry_id, client_id, amount_cents FROM account_entry WHERE stay_id = ? AND kind = 'cancellation_fee'",
            stay["stay_id"],
        )
        new = [entry for entry in entries if start.get("account_entry", entry["entry_id"]) is None]
        wanted = [(client["client_id"], fee)] if fee else []
        if [(entry["client_id"], entry["amount_cents"]) for entry in new] != wanted:
            return False
    return True
