"""Delivery: receiving, holding, delivering, returning, and tracking shipments."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class ShipmentLine(TypedDict):
    shipment_id: Annotated[str, "the shipment"]
    tracking_number: Annotated[str, "number on the label"]
    recipient_name: Annotated[str, "recipient"]
    service: Annotated[Literal["same_day", "overnight", "two_day", "ground"], "service level"]
    state: Annotated[
        Literal[
            "booked", "collected", "at_depot", "out_for_delivery", "held", "delivered", "returned", "canceled", "lost"
        ],
        "state",
    ]
    promised_on: Annotated[Date, "promised day"]


class ShipmentList(TypedDict):
    total: Annotated[int, "number of shipments"]
    shipments: Annotated[list[ShipmentLine], "the shipments"]


class Scan(TypedDict):
    scan_id: Annotated[str, "the scan"]
    event: Annotated[
        Literal[
            "booked",
            "collected",
            "at_depot",
            "out_for_delivery",
            "held",
            "delivered",
            "returned",
            "canceled",
            "lost",
            "failed_attempt",
        ],
        "what happened",
    ]
    depot: Annotated[Literal["north", "south", "airport"] | None, "depot"]
    note: Annotated[str | None, "remark"]
    scanned_at: Annotated[Timestamp, "when"]


class TrackingHistory(TypedDict):
    shipment_id: Annotated[str, "the shipment"]
    tracking_number: Annotated[str, "number on the label"]
    total: Annotated[int, "number of scans"]
    scans: Annotated[list[Scan], "the scans"]


class Shipment(TypedDict):
    shipment_id: Annotated[str, "the shipment"]
    tracking_number: Annotated[str, "number on the label"]
    customer_id: Annotated[str, "sender"]
    recipient_name: Annotated[str, "recipient"]
    street: Annotated[str, "delivery street"]
    city: Annotated[str, "delivery city"]
    zip_code: Annotated[str, "delivery zip code"]
    service: Annotated[Literal["same_day", "overnight", "two_day", "ground"], "service level"]
    weight_grams: Annotated[int, "weight"]
    declared_value_cents: Annotated[int, "declared value"]
    signature_required: Annotated[bool, "someone must sign"]
    price_cents: Annotated[int, "price"]
    state: Annotated[
        Literal[
            "booked", "collected", "at_depot", "out_for_delivery", "held", "delivered", "returned", "canceled", "lost"
        ],
        "state",
    ]
    ship_on: Annotated[Date, "hand-over day"]
    promised_on: Annotated[Date, "promised day"]
    depot: Annotated[Literal["north", "south", "airport"] | None, "where it was received"]
    pickup_id: Annotated[str | None, "its pickup"]
    route_id: Annotated[str | None, "its route"]
    hold_until: Annotated[Date | None, "last day of the hold"]
    failed_attempts: Annotated[int, "failed deliveries"]
    reschedule_count: Annotated[int, "times rescheduled"]
    address_changes: Annotated[int, "times readdressed"]
    delivered_at: Annotated[Timestamp | None, "moment of delivery"]
    received_by: Annotated[str | None, "who took it"]


class PerformanceReport(TypedDict):
    shipments: Annotated[int, "shipments in the span"]
    delivered: Annotated[int, "delivered ones"]
    on_time: Annotated[int, "delivered by promised_on, any hour"]
    lost: Annotated[int, "lost ones"]
    on_time_percent: Annotated[float, "on_time of delivered, 2 decimals"]
    average_failed_attempts: Annotated[float, "failed_attempts per shipment, 2 decimals"]


def _shipment(db, shipment_id):
    row = db.require("shipment", shipment_id)
    return {**row, "signature_required": bool(row["signature_required"])}


def _line(shipment):
    return {
        name: shipment[name]
        for name in ("shipment_id", "tracking_number", "recipient_name", "service", "state", "promised_on")
    }


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


def _require_state(shipment, *states):
    if shipment["state"] not in states:
        raise Rejection.failed_precondition(
            f"Shipment {shipment['shipment_id']!r} is {shipment['state']}, not {' or '.join(states)}."
        )


def _require_no_route(shipment):
    if shipment["route_id"] is not None:
        raise Rejection.failed_precondition(
            f"Shipment {shipment['shipment_id']!r} is on route {shipment['route_id']!r}; take it off first."
        )


@tool(writes=["shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def receive_shipments(
    db: Database,
    shipment_ids: Annotated[list[str], "the shipments", Field(min_length=1, max_length=20)],
    depot: Annotated[Literal["north", "south", "airport"], "receiving depot"],
) -> ShipmentList:
    """Check shipments in at a depot.

    Requires: Every shipment is booked or collected.

    Each becomes at_depot with this depot; one that was booked also gets a null pickup_id.
    """
    _refuse_repeats(shipment_ids)
    shipments = [db.require("shipment", shipment_id) for shipment_id in shipment_ids]
    for shipment in shipments:
        _require_state(shipment, "booked", "collected")
    received = []
    for shipment in shipments:
        row = db.update(
            "shipment",
            shipment["shipment_id"],
            state="at_depot",
            depot=depot,
            pickup_id=None if shipment["state"] == "booked" else shipment["pickup_id"],
        )
        _scan(db, row, "at_depot")
        received.append(_line(row))
    return {"total": len(received), "shipments": received}


@tool(reads=["shipment", "scan"], rejects=["NOT_FOUND"])
def list_tracking_events(
    db: Database,
    shipment_id: Annotated[str, "the shipment"],
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> TrackingHistory:
    """List the scans of a shipment.

    Oldest scanned_at first.
    """
    shipment = db.require("shipment", shipment_id)
    scans = db.select(
        """
        SELECT scan_id, event, depot, note, scanned_at FROM scan
        WHERE shipment_id = ?
        ORDER BY scanned_at, scan_id
        """,
        shipment_id,
    )
    return {
        "shipment_id": shipment_id,
        "tracking_number": shipment["tracking_number"],
        "total": len(scans),
        "scans": scans[:limit],
    }


@tool(writes=["shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_delivery(
    db: Database,
    shipment_id: Annotated[str, "the shipment"],
    received_by: Annotated[str | None, "who took it", Field(min_length=1)] = None,
) -> Shipment:
    """Record that a shipment reached its recipient, at the door or at the depot counter.

    Requires: The shipment is out_for_delivery or held. received_by is given if a signature is required.

    The state becomes delivered, delivered_at the clock, hold_until null; the scan's note is received_by.
    """
    shipment = db.require("shipment", shipment_id)
    _require_state(shipment, "out_for_delivery", "held")
    if shipment["signature_required"] and received_by is None:
        raise Rejection.failed_precondition(f"Shipment {shipment_id!r} needs a signature: say who received it.")
    row = db.update(
        "shipment", shipment_id, state="delivered", delivered_at=db.now, hold_until=None, received_by=received_by
    )
    _scan(db, row, "delivered", received_by)
    return _shipment(db, shipment_id)


@tool(writes=["shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_failed_attempt(
    db: Database,
    shipment_id: Annotated[str, "the shipment"],
    reason: Annotated[Literal["nobody_home", "address_not_found", "refused", "no_access"], "why it failed"],
) -> Shipment:
    """Record that a courier could not deliver a shipment.

    Requires: The shipment is out_for_delivery.

    The state becomes at_depot and route_id null; failed_attempts goes up by 1. The scan's event is failed_attempt and
    its note the reason.
    """
    shipment = db.require("shipment", shipment_id)
    _require_state(shipment, "out_for_delivery")
    row = db.update(
        "shipment",
        shipment_id,
        state="at_depot",
        route_id=None,
        failed_attempts=shipment["failed_attempts"] + 1,
    )
    _scan(db, row, "failed_attempt", reason)
    return _shipment(db, shipment_id)


@tool(writes=["shipment"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def reschedule_delivery(
    db: Database, shipment_id: Annotated[str, "the shipment"], promised_on: Annotated[Date, "new promised day"]
) -> Shipment:
    """Move the promised day of a shipment.

    Requires: promised_on is today or later. The shipment is booked, collected, or at_depot. The shipment is on no
    route. promised_on is not before its ship_on and differs from its present day.

    promised_on is set; reschedule_count goes up by 1.
    """
    if promised_on < db.today:
        raise Rejection.invalid_argument(f"{promised_on} is past; give today or a later day.")
    shipment = db.require("shipment", shipment_id)
    _require_state(shipment, "booked", "collected", "at_depot")
    _require_no_route(shipment)
    if promised_on < shipment["ship_on"] or promised_on == shipment["promised_on"]:
        raise Rejection.failed_precondition(
            f"Shipment {shipment_id!r} ships on {shipment['ship_on']} and is promised for {shipment['promised_on']};"
            " give another day that is not before it ships."
        )
    db.update("shipment", shipment_id, promised_on=promised_on, reschedule_count=shipment["reschedule_count"] + 1)
    return _shipment(db, shipment_id)


@tool(writes=["shipment", "scan"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def hold_shipment(
    db: Database, shipment_id: Annotated[str, "the shipment"], hold_until: Annotated[Date, "last day to collect"]
) -> Shipment:
    """Hold a shipment at its depot for the recipient to collect.

    Requires: hold_until is today or later. The shipment is at_depot. The shipment is on no route.

    The state becomes held and hold_until is set.
    """
    if hold_until < db.today:
        raise Rejection.invalid_argument(f"{hold_until} is past; give today or a later day.")
    shipment = db.require("shipment", shipment_id)
    _require_state(shipment, "at_depot")
    _require_no_route(shipment)
    row = db.update("shipment", shipment_id, state="held", hold_until=hold_until)
    _scan(db, row, "held")
    return _shipment(db, shipment_id)


@tool(writes=["shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def release_hold(db: Database, shipment_id: Annotated[str, "the shipment"]) -> Shipment:
    """End the hold of a shipment so that it can be delivered.

    Requires: The shipment is held.

    The state becomes at_depot and hold_until null.
    """
    _require_state(db.require("shipment", shipment_id), "held")
    row = db.update("shipment", shipment_id, state="at_depot", hold_until=None)
    _scan(db, row, "at_depot")
    return _shipment(db, shipment_id)


@tool(writes=["shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def return_shipment(
    db: Database,
    shipment_id: Annotated[str, "the shipment"],
    reason: Annotated[str, "why it goes back", Field(min_length=1)],
) -> Shipment:
    """Send a shipment back to its sender.

    Requires: The shipment is at_depot or held. The shipment is on no route.

    The state becomes returned and hold_until null; the scan's note is the reason.
    """
    shipment = db.require("shipment", shipment_id)
    _require_state(shipment, "at_depot", "held")
    _require_no_route(shipment)
    row = db.update("shipment", shipment_id, state="returned", hold_until=None)
    _scan(db, row, "returned", reason)
    return _shipment(db, shipment_id)


@tool(writes=["shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def mark_shipment_lost(db: Database, shipment_id: Annotated[str, "the shipment"]) -> Shipment:
    """Declare a shipment lost.

    Requires: The shipment is collected, at_depot, or out_for_delivery.

    The state becomes lost and route_id null.
    """
    _require_state(db.require("shipment", shipment_id), "collected", "at_depot", "out_for_delivery")
    row = db.update("shipment", shipment_id, state="lost", route_id=None)
    _scan(db, row, "lost")
    return _shipment(db, shipment_id)


@tool(reads=["shipment"], rejects=["INVALID_ARGUMENT"])
def report_delivery_performance(
    db: Database,
    promised_from: Annotated[Date, "first promised_on"],
    promised_to: Annotated[Date, "last promised_on"],
    service: Annotated[Literal["same_day", "overnight", "two_day", "ground"] | None, "only this service"] = None,
) -> PerformanceReport:
    """Report how punctual deliveries were in a span of promised days.

    Requires: promised_from is not after promised_to.

    Counts shipments with promised_on in the span; canceled ones are left out everywhere.
    """
    if promised_from > promised_to:
        raise Rejection.invalid_argument(f"{promised_from} is after {promised_to}.")
    row = db.first(
        """
        SELECT count(*) AS shipments,
               coalesce(sum(state = 'delivered'), 0) AS delivered,
               coalesce(sum(state = 'delivered' AND substr(delivered_at, 1, 10) <= promised_on), 0) AS on_time,
               coalesce(sum(state = 'lost'), 0) AS lost,
               coalesce(sum(failed_attempts), 0) AS failed
        FROM shipment
        WHERE promised_on BETWEEN ? AND ? AND state <> 'canceled' AND (? IS NULL OR service = ?)
        """,
        promised_from,
        promised_to,
        service,
        service,
    )
    return {
        "shipments": row["shipments"],
        "delivered": row["delivered"],
        "on_time": row["on_time"],
        "lost": row["lost"],
        "on_time_percent": round(100 * row["on_time"] / row["delivered"], 2) if row["delivered"] else 0.0,
        "average_failed_attempts": round(row["failed"] / row["shipments"], 2) if row["shipments"] else 0.0,
    }
