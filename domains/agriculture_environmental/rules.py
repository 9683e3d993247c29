"""Rules of the conservation district that its tools do not enforce."""

from runtime import Database, add_days, days_between
from runtime.rules import Call, allows, duty, rule


def _kind(now, landowner_id):
    return now.value("SELECT kind FROM landowner WHERE landowner_id = ?", landowner_id)


def _cost(now, practice_id, units):
    return now.value("SELECT ? * cost_cents * share_percent FROM practice WHERE practice_id = ?", units, practice_id)


def _owed(now, landowner_id):
    return now.value(
        "SELECT coalesce(sum(amount_cents), 0) FROM charge WHERE landowner_id = ? AND status = 'open'", landowner_id
    )


@rule(
    "RENTALS_AT_ONCE",
    on={"reserve_equipment": "equipment_id"},
    reads=["rental", "landowner"],
    exempt={"reschedule_rental": "It moves a rental that counts already."},
    most=2,
    household=1,
)
def rentals_at_once(call: Call, now: Database, start: Database, most: int, household: int) -> bool:
    """A landowner can have at most {most} open rentals at a time, a household {household}, counting the new one. A
    rental is open from the day it is reserved until the machine is back or the rental is canceled. Returned and
    canceled rentals do not count."""
    who = call.arguments["landowner_id"]
    taken = now.value("SELECT count(*) FROM rental WHERE landowner_id = ? AND status IN ('reserved', 'out')", who)
    return taken < (household if _kind(now, who) == "household" else most)


@rule(
    "RENTAL_DAYS",
    on={"reserve_equipment": "equipment_id", "reschedule_rental": "rental_id"},
    reads=["rental", "landowner"],
    farm=3,
    beginning=5,
    household=2,
)
def rental_days(call: Call, now: Database, start: Database, farm: int, beginning: int, household: int) -> bool:
    """A rental lasts at most {farm} days for a farm, {beginning} days for a beginning farm, and {household} days for a
    household. Both the first and the last day count. This holds for a new rental and for one that is moved to other
    days."""
    who = call.arguments.get("landowner_id")
    if who is None:
        who = now.value("SELECT landowner_id FROM rental WHERE rental_id = ?", call.arguments["rental_id"])
    most = {"farm": farm, "beginning_farm": beginning}.get(_kind(now, who), household)
    return days_between(call.arguments["pickup_on"], call.arguments["return_on"]) + 1 <= most


@rule("TRACTOR_SIZE", on={"check_out_rental": "rental_id"}, reads=["rental", "landowner", "equipment"])
def tractor_size(call: Call, now: Database, start: Database) -> bool:
    """Hand over a machine only if the largest tractor on file for the landowner has at least the horsepower that the
    machine needs. The tractor on file at that moment counts, so a tractor put on file just before is fine.
    Reserving a machine and moving a rental do not depend on the tractor."""
    row = now.first(
        """
        SELECT l.tractor_horsepower, e.horsepower_needed
        FROM rental r JOIN landowner l ON l.landowner_id = r.landowner_id
        JOIN equipment e ON e.equipment_id = r.equipment_id
        WHERE r.rental_id = ?
        """,
        call.arguments["rental_id"],
    )
    return row is None or row["tractor_horsepower"] >= row["horsepower_needed"]


@rule(
    "YEARLY_SHARE",
    on={"apply_for_cost_share": "field_id", "resize_contract": "contract_id"},
    reads=["contract", "landowner", "field", "practice"],
    exempt={"extend_contract": "It gives more time and leaves the share as it is."},
    farm_cents=300000,
    beginning_cents=400000,
    household_cents=100000,
    percent=100,
)
def yearly_share(
    call: Call,
    now: Database,
    start: Database,
    farm_cents: int,
    beginning_cents: int,
    household_cents: int,
    percent: int,
) -> bool:
    """The shares of all contracts that a landowner has applied for in this calendar year add up to at most
    {farm_cents} for a farm, {beginning_cents} for a beginning farm, and {household_cents} for a household. The new
    application or the new size counts, canceled contracts do not, and a completed contract counts with its full
    share. A contract applied for in an earlier year can be resized freely. A share is our percent of the usual
    cost; {percent} percent would be all of it."""
    contract_id = call.arguments.get("contract_id")
    if contract_id is None:
        who = now.value("SELECT landowner_id FROM field WHERE field_id = ?", call.arguments["field_id"])
        practice_id = call.arguments["practice_id"]
    else:
        contract = now.first(
            "SELECT * FROM contract WHERE contract_id = ? AND created_at >= date(?, 'start of year')",
            contract_id,
            now.today,
        )
        if contract is None:
            return True
        who, practice_id = contract["landowner_id"], contract["practice_id"]
    others = now.value(
        """
        SELECT coalesce(sum(share_cents), 0) FROM contract
        WHERE landowner_id = ? AND contract_id <> ? AND status <> 'canceled' AND created_at >= date(?, 'start of year')
        """,
        who,
        contract_id or "",
        now.today,
    )
    most = {"farm": farm_cents, "beginning_farm": beginning_cents}.get(_kind(now, who), household_cents)
    cost = _cost(now, practice_id, call.arguments["units"]) or 0
    return others + round(cost / percent) <= most


@rule(
    "SETTLE_FIRST",
    on={"complete_contract": "contract_id", "transfer_field": "field_id"},
    reads=["charge", "contract", "field"],
    exempt={"add_field": "It puts a new field on file; no land changes hands."},
    most_cents=3500,
)
def settle_first(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """Close a contract and pay its share, or move a field to a new owner, only if the landowner who holds the contract
    or the field owes at most {most_cents} in open charges at that moment. Exactly {most_cents} is fine. What a new
    owner owes does not matter."""
    if call.tool == "complete_contract":
        who = now.value("SELECT landowner_id FROM contract WHERE contract_id = ?", call.arguments["contract_id"])
    else:
        who = now.value("SELECT landowner_id FROM field WHERE field_id = ?", call.arguments["field_id"])
    return _owed(now, who) <= most_cents


@rule(
    "MORE_TIME",
    on={"extend_contract": "contract_id"},
    reads=["contract"],
    exempt={"apply_for_cost_share": "A new application sets its own day to finish."},
    most=1,
)
def more_time(call: Call, now: Database, start: Database, most: int) -> bool:
    """A contract can be extended {most} time. If it has been extended before, it gets no more time, however few days
    are asked for."""
    extensions = now.value("SELECT extensions FROM contract WHERE contract_id = ?", call.arguments["contract_id"])
    return extensions is None or extensions < most


@rule("WAIVERS", on={"waive_charge": "charge_id"}, reads=["charge"], days=365, most_cents=4000)
def waivers(call: Call, now: Database, start: Database, days: int, most_cents: int) -> bool:
    """Waive fees only, never a charge for a rental. What is waived for a landowner within {days} days, counting today
    and the fee in question, adds up to at most {most_cents}. Charges that were paid do not count."""
    charge = now.get("charge", call.arguments["charge_id"])
    if charge is None:
        return True
    if charge["kind"] == "rental":
        return False
    waived = now.value(
        """
        SELECT coalesce(sum(amount_cents), 0) FROM charge
        WHERE landowner_id = ? AND status = 'waived' AND settled_at >= ?
        """,
        charge["landowner_id"],
        add_days(now.today, 1 - days),
    )
    return waived + charge["amount_cents"] <= most_cents


@rule("SOIL_TEST_FIRST", on={"approve_contract": "contract_id"}, reads=["contract", "field", "soil_test"], days=730)
def soil_test_first(call: Call, now: Database, start: Database, days: int) -> bool:
    """Approve an application for a field in crops or hay only if the result of a soil test of that field was put on
    file at most {days} days ago. A test that is ordered but not reported is not enough; a result put on file today
    is. Fields in pasture or woods need no test."""
    field = now.first(
        "SELECT f.* FROM contract c JOIN field f ON f.field_id = c.field_id WHERE c.contract_id = ?",
        call.arguments["contract_id"],
    )
    if field is None or field["land_use"] not in ("crops", "hay"):
        return True
    reported = now.value("SELECT max(date(reported_at)) FROM soil_test WHERE field_id = ?", field["field_id"])
    return reported is not None and days_between(reported, now.today) <= days


@rule("SOIL_TEST_PACE", on={"order_soil_tests": "field_ids"}, reads=["soil_test"], days=365)
def soil_test_pace(call: Call, now: Database, start: Database, days: int) -> bool:
    """Order a soil test of a field only if its latest result was put on file at least {days} days ago, or if it has no
    result on file. Each field is judged by itself, and either kind of test counts."""
    reported = now.value("SELECT max(date(reported_at)) FROM soil_test WHERE field_id = ?", call.item)
    return reported is None or days_between(reported, now.today) >= days


@duty("DECLINED_STAYS", reads=["declined_request", "contract", "field", "soil_test"])
def declined_stays(start: Database, end: Database) -> bool:
    """These stay undone for the rest of the day once you recorded them as declined, even if the reason goes away:
    approving an application that was declined for want of a soil test, and extending a contract. Other requests are
    judged anew."""
    for note in end.select("SELECT * FROM declined_request WHERE declined_on = ?", end.today):
        key, code = note["subject_id"], note["rule_code"]
        before, after = start.get("contract", key), end.get("contract", key)
        if before is None or after is None:
            continue
        if (
            code == "SOIL_TEST_FIRST"
            and before["approved_at"] is None
            and after["approved_at"] is not None
            and not allows(soil_test_first, start, "approve_contract", contract_id=key)
        ):
            return False
        if (
            code == "MORE_TIME"
            and after["finish_by"] != before["finish_by"]
            and not allows(more_time, start, "extend_contract", contract_id=key, finish_by=after["finish_by"])
        ):
            return False
    return True


@duty("LATE_CANCELLATION", reads=["rental", "landowner", "charge"], days=7, fee_cents=3000, beginning_cents=1500)
def late_cancellation(start: Database, end: Database, days: int, fee_cents: int, beginning_cents: int) -> bool:
    """When a landowner cancels a rental less than {days} days before its first day, charge them a "late_cancellation"
    of {fee_cents} for each such rental the same day; a beginning farm pays {beginning_cents}. A rental that begins
    today counts, too. A rental that begins {days} days from today or later is canceled free of charge."""
    was = {row["rental_id"] for row in start.select("SELECT rental_id FROM rental WHERE status = 'canceled'")}
    old = {row["charge_id"] for row in start.select("SELECT charge_id FROM charge")}
    due = sorted(
        (row["landowner_id"], beginning_cents if row["kind"] == "beginning_farm" else fee_cents)
        for row in end.select(
            """
            SELECT r.rental_id, r.landowner_id, r.pickup_on, l.kind
            FROM rental r JOIN landowner l ON l.landowner_id = r.landowner_id
            WHERE r.status = 'canceled'
            """
        )
        if row["rental_id"] not in was and days_between(end.today, row["pickup_on"]) < days
    )
    charged = sorted(
        (row["landowner_id"], row["amount_cents"])
        for row in end.select("SELECT * FROM charge WHERE kind = 'late_cancellation'")
        if row["charge_id"] not in old
    )
    return due == charged


@duty("CONTRACT_BREACH", reads=["contract", "landowner", "charge"], fee_cents=10000, beginning_cents=5000)
def contract_breach(start: Database, end: Database, fee_cents: int, beginning_cents: int) -> bool:
    """When a landowner cancels a contract that was approved, charge them a "contract_breach" of {fee_cents} for each
    such contract the same day; a beginning farm pays {beginning_cents}. An application that was never approved is
    canceled free of charge."""
    was = {row["contract_id"] for row in start.select("SELECT contract_id FROM contract WHERE status = 'canceled'")}
    old = {row["charge_id"] for row in start.select("SELECT charge_id FROM charge")}
    due = sorted(
        (row["landowner_id"], beginning_cents if row["kind"] == "beginning_farm" else fee_cents)
        for row in end.select(
            """
            SELECT c.contract_id, c.landowner_id, l.kind
            FROM contract c JOIN landowner l ON l.landowner_id = c.landowner_id
            WHERE c.status = 'canceled' AND c.approved_at IS NOT NULL
            """
        )
        if row["contract_id"] not in was
    )
    charged = sorted(
        (row["landowner_id"], row["amount_cents"])
        for row in end.select("SELECT * FROM charge WHERE kind = 'contract_breach'")
        if row["charge_id"] not in old
    )
    return due == charged
