"""Rules of the office that its tools do not enforce."""

from runtime import Database, days_between
from runtime.rules import Call, duty, rule


@rule(
    "EXPRESS_KEEPS_ADDRESS",
    on={"change_delivery_address": "shipment_id"},
    reads=["shipment"],
    exempt={"book_shipment": "a new shipment gets its first address"},
)
def express_keeps_address(call: Call, now: Database, start: Database) -> bool:
    """The delivery address of a same-day or overnight shipment is not changed, wherever the shipment is. Two-day and
    ground shipments can be sent to another address. Correcting the recipient's name is not covered."""
    return now.require("shipment", call.arguments["shipment_id"])["service"] not in ("same_day", "overnight")


@rule("RESCHEDULE_NOTICE", on={"reschedule_delivery": "shipment_id"}, reads=["shipment"], days=2)
def reschedule_notice(call: Call, now: Database, start: Database, days: int) -> bool:
    """The promised day of a shipment can be moved only if the present promised day is at least {days} days from today,
    counting from tomorrow; exactly {days} days is enough. A delivery that is promised sooner, or whose day is past,
    stays as it is. The new day does not matter, nor does how often the day was moved."""
    return days_between(now.today, now.require("shipment", call.arguments["shipment_id"])["promised_on"]) >= days


@rule("ATTEMPT_BEFORE_HOLD", on={"hold_shipment": "shipment_id"}, reads=["shipment"])
def attempt_before_hold(call: Call, now: Database, start: Database) -> bool:
    """A shipment is held at the depot only after at least one delivery attempt has failed. As long as no attempt has
    failed, it is not held, whatever the service or the day."""
    return now.require("shipment", call.arguments["shipment_id"])["failed_attempts"] > 0


@rule("RETURN_VALUE", on={"return_shipment": "shipment_id"}, reads=["shipment"], most_cents=20000)
def return_value(call: Call, now: Database, start: Database, most_cents: int) -> bool:
    """A shipment with a declared value of more than {most_cents} is not sent back to its sender; security handles
    those. A declared value of exactly {most_cents} or less is fine. It makes no difference whether the shipment is
    on hold or why it should go back."""
    return now.require("shipment", call.arguments["shipment_id"])["declared_value_cents"] <= most_cents


@rule(
    "PICKUP_MOVED_ONCE",
    on={"reschedule_pickup": "pickup_id"},
    reads=["pickup"],
    exempt={"schedule_pickup": "arranges a new pickup and moves none"},
)
def pickup_moved_once(call: Call, now: Database, start: Database) -> bool:
    """A pickup can be moved only once, to another day or another part of the day. If it has been moved before, it
    stays as it is; it can still be canceled."""
    return now.require("pickup", call.arguments["pickup_id"])["reschedule_count"] < 1


@rule("CLAIM_WINDOW", on={"file_claim": "shipment_id"}, reads=["shipment"], days=10)
def claim_window(call: Call, now: Database, start: Database, days: int) -> bool:
    """A claim of any kind must be filed at most {days} days after the promised day of the shipment, counted from the
    day after it; day {days} is still in time. The day of delivery and the time of an earlier claim do not matter.
    Claims that are filed already are not covered."""
    return days_between(now.require("shipment", call.arguments["shipment_id"])["promised_on"], now.today) <= days


@duty("DECLINED_STAYS_UNDONE", reads=["declined_request", "shipment"])
def declined_stays_undone(start: Database, end: Database) -> bool:
    """What was declined today stays undone: a shipment noted under EXPRESS_KEEPS_ADDRESS keeps its delivery address,
    one noted under RESCHEDULE_NOTICE keeps its promised day, and one noted under RETURN_VALUE is not sent back.
    Other wishes for the same shipment may be granted."""
    columns = {
        "EXPRESS_KEEPS_ADDRESS": ("street", "city", "zip_code"),
        "RESCHEDULE_NOTICE": ("promised_on",),
    }
    for noted in end.select("SELECT subject_id, rule_code FROM declined_request WHERE declined_on = ?", end.today):
        before = start.get("shipment", noted["subject_id"])
        after = end.get("shipment", noted["subject_id"])
        if before is None or after is None:
            continue
        if any(before[name] != after[name] for name in columns.get(noted["rule_code"], ())):
            return False
        if noted["rule_code"] == "RETURN_VALUE" and after["state"] == "returned" != before["state"]:
            return False
    return True


@duty("LATE_PICKUP_CANCELLATION_FEE", reads=["pickup", "account_entry"], fee_cents=750)
def late_pickup_cancellation_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When you cancel a pickup that is set for today or an earlier day, charge its sender a fee of {fee_cents} for
    each such pickup, without naming a shipment. Canceling a pickup that is set for a later day costs nothing."""
    owed = {}
    for pickup in end.select("SELECT * FROM pickup WHERE state = 'canceled' AND pickup_on <= ?", end.today):
        before = start.get("pickup", pickup["pickup_id"])
        if before is None or before["state"] != "canceled":
            owed[pickup["customer_id"]] = owed.get(pickup["customer_id"], 0) + 1
    for customer_id, times in owed.items():
        entries = end.select(
            """
            SELECT account_entry_id FROM account_entry
            WHERE customer_id = ? AND shipment_id IS NULL AND kind = 'fee' AND amount_cents = ? AND voided_at IS NULL
            """,
            customer_id,
            fee_cents,
        )
        if sum(start.get("account_entry", entry["account_entry_id"]) is None for entry in entries) != times:
            return False
    return True


@duty("HOLD_RELEASE_FEE", reads=["shipment", "scan", "account_entry"], fee_cents=400)
def hold_release_fee(start: Database, end: Database, fee_cents: int) -> bool:
    """When you end the hold of a shipment so that it can be delivered after all, charge its sender a fee of
    {fee_cents}, noted on that shipment. Handing a held shipment out at the counter or sending it back costs
    nothing."""
    for shipment in start.select("SELECT shipment_id FROM shipment WHERE state = 'held'"):
        shipment_id = shipment["shipment_id"]
        scans = end.select("SELECT scan_id FROM scan WHERE shipment_id = ? AND event = 'at_depot'", shipment_id)
        if all(start.get("scan", scan["scan_id"]) is not None for scan in scans):
            continue
        entries = end.select(
            """
            SELECT account_entry_id FROM account_entry
            WHERE shipment_id = ? AND kind = 'fee' AND amount_cents = ? AND voided_at IS NULL
            """,
            shipment_id,
            fee_cents,
        )
        if sum(start.get("account_entry", entry["account_entry_id"]) is None for entry in entries) < 1:
            return False
    return True
