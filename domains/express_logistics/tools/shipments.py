"""Shipments: quoting, booking, finding, correcting, and canceling shipments."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class Quote(TypedDict):
    price_cents: Annotated[int, "price"]
    promised_on: Annotated[Date, "promised day"]


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


_BASE = {"same_day": 2500, "overnight": 1800, "two_day": 1200, "ground": 800}
_DAYS = {"same_day": 0, "overnight": 1, "two_day": 2, "ground": 5}


def _shipment(db, shipment_id):
    row = db.require("shipment", shipment_id)
    return {**row, "signature_required": bool(row["signature_required"])}


def _line(shipment):
    return {
        name: shipment[name]
        for name in ("shipment_id", "tracking_number", "recipient_name", "service", "state", "promised_on")
    }


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


def _price(service, weight_grams, declared_value_cents, signature_required):
    price = _BASE[service] + 150 * ((weight_grams - 1) // 1000)
    price += 100 * max(0, (declared_value_cents - 1) // 10000)
    return price + (300 if signature_required else 0)


def _refuse_past(db, ship_on):
    if ship_on < db.today:
        raise Rejection.invalid_argument(f"{ship_on} is past; give today or a later day.")


def _require_booked(shipment):
    if shipment["state"] != "booked":
        raise Rejection.failed_precondition(f"Shipment {shipment['shipment_id']!r} is {shipment['state']}, not booked.")


@tool(rejects=["INVALID_ARGUMENT"])
def quote_shipment(
    db: Database,
    service: Annotated[Literal["same_day", "overnight", "two_day", "ground"], "service level"],
    weight_grams: Annotated[int, "parcel weight", Field(ge=1, le=70000)],
    declared_value_cents: Annotated[int, "declared value", Field(ge=0, le=5000000)],
    ship_on: Annotated[Date, "day it is handed over"],
    signature_required: Annotated[bool, "whether someone must sign"] = False,
) -> Quote:
    """Calculate price and promised day without booking.

    Requires: ship_on is today or later.
    """
    _refuse_past(db, ship_on)
    return {
        "price_cents": _price(service, weight_grams, declared_value_cents, signature_required),
        "promised_on": add_days(ship_on, _DAYS[service]),
    }


@tool(
    reads=["customer"],
    writes=["shipment", "scan", "account_entry"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def book_shipment(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    recipient_name: Annotated[str, "who receives it", Field(min_length=1)],
    street: Annotated[str, "street and number", Field(min_length=1)],
    city: Annotated[str, "city", Field(min_length=1)],
    zip_code: Annotated[str, "zip code", Field(min_length=5, max_length=5)],
    service: Annotated[Literal["same_day", "overnight", "two_day", "ground"], "service level"],
    weight_grams: Annotated[int, "parcel weight", Field(ge=1, le=70000)],
    declared_value_cents: Annotated[int, "declared value", Field(ge=0, le=5000000)],
    ship_on: Annotated[Date, "day it is handed over"],
    signature_required: Annotated[bool, "whether someone must sign"] = False,
) -> Shipment:
    """Book a shipment and charge its price to the sender's account.

    Requires: ship_on is today or later. The customer is active.

    The shipment is booked, with all counts 0 and no depot, and gets a scan; tracking_number is EXP- followed by the
    shipment_id. Adds a shipping entry for this shipment with its price; description is Shipment, a space, and the
    tracking number.
    """
    _refuse_past(db, ship_on)
    customer = db.require("customer", customer_id)
    if customer["status"] != "active":
        raise Rejection.failed_precondition(f"Customer {customer_id!r} is {customer['status']}, not active.")
    shipment_id = db.new_id("shipment")
    shipment = db.insert(
        "shipment",
        shipment_id=shipment_id,
        tracking_number=f"EXP-{shipment_id}",
        customer_id=customer_id,
        recipient_name=recipient_name,
        street=street,
        city=city,
        zip_code=zip_code,
        service=service,
        weight_grams=weight_grams,
        declared_value_cents=declared_value_cents,
        signature_required=int(signature_required),
        price_cents=_price(service, weight_grams, declared_value_cents, signature_required),
        state="booked",
        ship_on=ship_on,
        promised_on=add_days(ship_on, _DAYS[service]),
    )
    _scan(db, shipment, "booked")
    db.insert(
        "account_entry",
        account_entry_id=db.new_id("account_entry"),
        customer_id=customer_id,
        shipment_id=shipment_id,
        kind="shipping",
        amount_cents=shipment["price_cents"],
        description=f"Shipment {shipment['tracking_number']}",
        created_at=db.now,
    )
    return _shipment(db, shipment_id)


@tool(reads=["shipment"], rejects=["NOT_FOUND"])
def get_shipment(db: Database, shipment_id: Annotated[str, "the shipment"]) -> Shipment:
    """Show a shipment in full."""
    return _shipment(db, shipment_id)


@tool(reads=["shipment"], rejects=["NOT_FOUND"])
def find_shipment_by_tracking_number(
    db: Database, tracking_number: Annotated[str, "number on the label", Field(min_length=1)]
) -> Shipment:
    """Find the shipment with exactly this tracking number."""
    shipment_id = db.value("SELECT shipment_id FROM shipment WHERE tracking_number = ?", tracking_number)
    if shipment_id is None:
        raise Rejection.not_found(f"No shipment has the tracking number {tracking_number!r}.")
    return _shipment(db, shipment_id)


@tool(reads=["customer", "shipment"], rejects=["NOT_FOUND"])
def list_customer_shipments(
    db: Database,
    customer_id: Annotated[str, "the customer"],
    state: Annotated[
        Literal[
            "booked", "collected", "at_depot", "out_for_delivery", "held", "delivered", "returned", "canceled", "lost"
        ]
        | None,
        "only this state",
    ] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ShipmentList:
    """List what a customer has shipped.

    Latest ship_on first.
    """
    db.require("customer", customer_id)
    rows = db.select(
        """
        SELECT * FROM shipment
        WHERE customer_id = ? AND (? IS NULL OR state = ?)
        ORDER BY ship_on DESC, shipment_id
        """,
        customer_id,
        state,
        state,
    )
    return {"total": len(rows), "shipments": list(map(_line, rows[:limit]))}


@tool(reads=["shipment"], rejects=["INVALID_ARGUMENT"])
def search_shipments(
    db: Database,
    query: Annotated[
        str | None, "contained in tracking_number, recipient_name, or zip_code", Field(min_length=1)
    ] = None,
    state: Annotated[
        Literal[
            "booked", "collected", "at_depot", "out_for_delivery", "held", "delivered", "returned", "canceled", "lost"
        ]
        | None,
        "only this state",
    ] = None,
    depot: Annotated[Literal["north", "south", "airport"] | None, "only at this depot"] = None,
    promised_from: Annotated[Date | None, "earliest promised_on"] = None,
    promised_to: Annotated[Date | None, "latest promised_on"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> ShipmentList:
    """Search the shipments of all customers.

    Requires: promised_from is not after promised_to.

    Earliest promised_on first.
    """
    if promised_from is not None and promised_to is not None and promised_from > promised_to:
        raise Rejection.invalid_argument(f"{promised_from} is after {promised_to}.")
    rows = db.select(
        """
        SELECT * FROM shipment
        WHERE (? IS NULL OR instr(lower(tracking_number), lower(?)) > 0
               OR instr(lower(recipient_name), lower(?)) > 0 OR instr(lower(zip_code), lower(?)) > 0)
          AND (? IS NULL OR state = ?)
          AND (? IS NULL OR depot = ?)
          AND (? IS NULL OR promised_on >= ?)
          AND (? IS NULL OR promised_on <= ?)
        ORDER BY promised_on, shipment_id
        """,
        query,
        query,
        query,
        query,
        state,
        state,
        depot,
        depot,
        promised_from,
        promised_from,
        promised_to,
        promised_to,
    )
    return {"total": len(rows), "shipments": list(map(_line, rows[:limit]))}


@tool(writes=["shipment", "account_entry"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def correct_shipment_details(
    db: Database,
    shipment_id: Annotated[str, "the shipment"],
    recipient_name: Annotated[str | None, "corrected recipient", Field(min_length=1)] = None,
    weight_grams: Annotated[int | None, "corrected weight", Field(ge=1, le=70000)] = None,
    declared_value_cents: Annotated[int | None, "corrected value", Field(ge=0, le=5000000)] = None,
    signature_required: Annotated[bool | None, "whether someone must sign"] = None,
) -> Shipment:
    """Correct only the given details of a shipment not handed over yet.

    Requires: At least one detail is given. The shipment is booked.

    price_cents is calculated anew and becomes the amount of its shipping entry.
    """
    if recipient_name is None and weight_grams is None and declared_value_cents is None and signature_required is None:
        raise Rejection.invalid_argument(
            "Give at least one of recipient_name, weight_grams, declared_value_cents, and signature_required."
        )
    shipment = db.require("shipment", shipment_id)
    _require_booked(shipment)
    weight = shipment["weight_grams"] if weight_grams is None else weight_grams
    value = shipment["declared_value_cents"] if declared_value_cents is None else declared_value_cents
    signature = shipment["signature_required"] if signature_required is None else int(signature_required)
    price = _price(shipment["service"], weight, value, signature)
    db.update(
        "shipment",
        shipment_id,
        recipient_name=shipment["recipient_name"] if recipient_name is None else recipient_name,
        weight_grams=weight,
        declared_value_cents=value,
        signature_required=signature,
        price_cents=price,
    )
    for entry in db.select("SELECT * FROM account_entry WHERE shipment_id = ? AND kind = 'shipping'", shipment_id):
        db.update("account_entry", entry["account_entry_id"], amount_cents=price)
    return _shipment(db, shipment_id)


@tool(writes=["shipment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_delivery_address(
    db: Database,
    shipment_id: Annotated[str, "the shipment"],
    street: Annotated[str, "street and number", Field(min_length=1)],
    city: Annotated[str, "city", Field(min_length=1)],
    zip_code: Annotated[str, "zip code", Field(min_length=5, max_length=5)],
) -> Shipment:
    """Send a shipment to another address.

    Requires: The shipment is booked, collected, at_depot, or held. The shipment is on no route.

    address_changes goes up by 1; the price stays.
    """
    shipment = db.require("shipment", shipment_id)
    if shipment["state"] not in ("booked", "collected", "at_depot", "held"):
        raise Rejection.failed_precondition(
            f"Shipment {shipment_id!r} is {shipment['state']}, not booked, collected, at_depot, or held."
        )
    if shipment["route_id"] is not None:
        raise Rejection.failed_precondition(f"Shipment {shipment_id!r} is on route {shipment['route_id']!r}.")
    db.update(
        "shipment",
        shipment_id,
        street=street,
        city=city,
        zip_code=zip_code,
        address_changes=shipment["address_changes"] + 1,
    )
    return _shipment(db, shipment_id)


@tool(writes=["shipment", "scan", "account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_shipment(db: Database, shipment_id: Annotated[str, "the shipment"]) -> Shipment:
    """Cancel a shipment not handed over yet.

    Requires: The shipment is booked.

    The state becomes canceled and pickup_id null; its shipping entry is voided, with voided_at the clock.
    """
    _require_booked(db.require("shipment", shipment_id))
    row = db.update("shipment", shipment_id, state="canceled", pickup_id=None)
    _scan(db, row, "canceled")
    for entry in db.select("SELECT * FROM account_entry WHERE shipment_id = ? AND kind = 'shipping'", shipment_id):
        db.update("account_entry", entry["account_entry_id"], voided_at=db.now)
    return _shipment(db, shipment_id)
