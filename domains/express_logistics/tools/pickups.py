"""Pickups: scheduling, moving, completing, and canceling pickups."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Pickup(TypedDict):
    pickup_id: Annotated[str, "the pickup"]
    customer_id: Annotated[str, "sender"]
    pickup_on: Annotated[Date, "day"]
    window: Annotated[Literal["morning", "afternoon", "evening"], "part of the day"]
    state: Annotated[Literal["scheduled", "completed", "canceled"], "state"]
    courier_id: Annotated[str | None, "who collected"]
    completed_at: Annotated[Timestamp | None, "when collected"]
    reschedule_count: Annotated[int, "times rescheduled"]
    parcels: Annotated[int, "shipments with this pickup_id"]


class PickupList(TypedDict):
    total: Annotated[int, "number of pickups"]
    pickups: Annotated[list[Pickup], "the pickups"]


def _refuse_repeats(ids):
    for value, count in Counter(ids).items():
        if count > 1:
            raise Rejection.invalid_argument(f"{value!r} is given {count} times; give each id once.")


def _scan(db, shipment, event, note=None):
    db.insert(
        "scan",
        scan_id=db.new_id("scan"),
        shipment_id=shipment["shipment_id"],
        event=event,
        depot=shipment["depot"],
        note=note,
        scanned_at=db.now,
    )


def _pickup(db, pickup_id):
    row = db.require("pickup", pickup_id)
    parcels = db.value("SELECT count(*) FROM shipment WHERE pickup_id = ?", pickup_id)
    return {**row, "parcels": parcels}


def _require_scheduled(pickup):
    if pickup["state"] != "scheduled":
        raise Rejection.failed_precondition(f"Pickup {pickup['pickup_id']!r} is {pickup['state']}, not scheduled.")


def _refuse_past(db, day):
    if day < db.today:
        raise Rejection.invalid_argument(f"{day} is past; give today or a later day.")


@tool(
    reads=["customer"],
    writes=["pickup", "shipment"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def schedule_pickup(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    shipment_ids: Annotated[list[str], "the shipments", Field(min_length=1, max_length=20)],
    pickup_on: Annotated[Date, "day of the pickup"],
    window: Annotated[Literal["morning", "afternoon", "evening"], "part of the day"],
) -> Pickup:
    """Arrange for a courier to collect booked shipments from their sender.

    Requires: pickup_on is today or later. The customer is active. Every shipment belongs to the customer and is booked.
    No shipment is in a pickup yet.

    The pickup is scheduled with reschedule_count 0; its id becomes pickup_id of the shipments.
    """
    _refuse_repeats(shipment_ids)
    _refuse_past(db, pickup_on)
    customer = db.require("customer", customer_id)
    shipments = [db.require("shipment", shipment_id) for shipment_id in shipment_ids]
    if customer["status"] != "active":
        raise Rejection.failed_precondition(f"Customer {customer_id!r} is {customer['status']}, not active.")
    for shipment in shipments:
        if shipment["customer_id"] != customer_id or shipment["state"] != "booked":
            raise Rejection.failed_precondition(
                f"Shipment {shipment['shipment_id']!r} is not a booked shipment of customer {customer_id!r}."
            )
    for shipment in shipments:
        if shipment["pickup_id"] is not None:
            raise Rejection.already_exists(
                f"Shipment {shipment['shipment_id']!r} is in pickup {shipment['pickup_id']!r} already."
            )
    pickup = db.insert(
        "pickup",
        pickup_id=db.new_id("pickup"),
        customer_id=customer_id,
        pickup_on=pickup_on,
        window=window,
        state="scheduled",
        reschedule_count=0,
    )
    for shipment_id in shipment_ids:
        db.update("shipment", shipment_id, pickup_id=pickup["pickup_id"])
    return _pickup(db, pickup["pickup_id"])


@tool(reads=["customer", "pickup", "shipment"], rejects=["NOT_FOUND"])
def list_customer_pickups(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    state: Annotated[Literal["scheduled", "completed", "canceled"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> PickupList:
    """List a customer's pickups.

    Latest pickup_on first.
    """
    db.require("customer", customer_id)
    rows = db.select(
        """
        SELECT pickup_id FROM pickup
        WHERE customer_id = ? AND (? IS NULL OR state = ?)
        ORDER BY pickup_on DESC, pickup_id
        """,
        customer_id,
        state,
        state,
    )
    return {"total": len(rows), "pickups": [_pickup(db, row["pickup_id"]) for row in rows[:limit]]}


@tool(reads=["shipment"], writes=["pickup"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def reschedule_pickup(
    db: Database,
    pickup_id: Annotated[str, "the pickup"],
    pickup_on: Annotated[Date, "day of the pickup"],
    window: Annotated[Literal["morning", "afternoon", "evening"], "part of the day"],
) -> Pickup:
    """Move a pickup to another day or part of the day.

    Requires: pickup_on is today or later. The pickup is scheduled. The day or the window differs from the present one.

    pickup_on and window are set; reschedule_count goes up by 1.
    """
    _refuse_past(db, pickup_on)
    pickup = db.require("pickup", pickup_id)
    _require_scheduled(pickup)
    if pickup["pickup_on"] == pickup_on and pickup["window"] == window:
        raise Rejection.failed_precondition(f"Pickup {pickup_id!r} is set for the {window} of {pickup_on} already.")
    db.update("pickup", pickup_id, pickup_on=pickup_on, window=window, reschedule_count=pickup["reschedule_count"] + 1)
    return _pickup(db, pickup_id)


@tool(reads=["courier"], writes=["pickup", "shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_pickup(
    db: Database, pickup_id: Annotated[str, "the pickup"], courier_id: Annotated[str, "who collected them"]
) -> Pickup:
    """Record that a courier collected the shipments of a pickup.

    Requires: The pickup is scheduled. pickup_on is today or earlier. At least one shipment is in the pickup.

    The state becomes completed, courier_id is set, completed_at is the clock; its shipments become collected.
    """
    pickup = db.require("pickup", pickup_id)
    db.require("courier", courier_id)
    _require_scheduled(pickup)
    if pickup["pickup_on"] > db.today:
        raise Rejection.failed_precondition(f"Pickup {pickup_id!r} is for {pickup['pickup_on']}, which is still ahead.")
    shipments = db.select("SELECT shipment_id FROM shipment WHERE pickup_id = ? ORDER BY shipment_id", pickup_id)
    if not shipments:
        raise Rejection.failed_precondition(f"Pickup {pickup_id!r} has no shipments.")
    db.update("pickup", pickup_id, state="completed", courier_id=courier_id, completed_at=db.now)
    for shipment in shipments:
        _scan(db, db.update("shipment", shipment["shipment_id"], state="collected"), "collected")
    return _pickup(db, pickup_id)


@tool(writes=["pickup", "shipment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_pickup(db: Database, pickup_id: Annotated[str, "the pickup"]) -> Pickup:
    """Cancel a pickup; its shipments stay booked.

    Requires: The pickup is scheduled.

    The state becomes canceled; pickup_id of its shipments becomes null, so parcels is 0.
    """
    _require_scheduled(db.require("pickup", pickup_id))
    db.update("pickup", pickup_id, state="canceled")
    for shipment in db.select("SELECT shipment_id FROM shipment WHERE pickup_id = ?", pickup_id):
        db.update("shipment", shipment["shipment_id"], pickup_id=None)
    return _pickup(db, pickup_id)
