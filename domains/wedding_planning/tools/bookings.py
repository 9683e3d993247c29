"""Bookings: requesting, confirming and canceling vendors for a wedding."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, tool


class BookingEntry(TypedDict):
    booking_id: Annotated[str, "id of the booking"]
    vendor_name: Annotated[str, "business name"]
    category: Annotated[
        Literal[
            "venue", "catering", "photography", "florals", "music", "cake", "beauty", "transportation", "officiant"
        ],
        "vendor's trade",
    ]
    service_date: Annotated[Date, "day of service"]
    status: Annotated[Literal["requested", "confirmed", "completed", "canceled"], "state"]
    price_cents: Annotated[int, "agreed price"]


class BookingList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    bookings: Annotated[list[BookingEntry], "the bookings"]


class Booking(TypedDict):
    booking_id: Annotated[str, "id of the booking"]
    wedding_id: Annotated[str, "for which wedding"]
    vendor_id: Annotated[str, "with which vendor"]
    vendor_name: Annotated[str, "business name"]
    category: Annotated[
        Literal[
            "venue", "catering", "photography", "florals", "music", "cake", "beauty", "transportation", "officiant"
        ],
        "vendor's trade",
    ]
    service_note: Annotated[str | None, "what was asked for"]
    service_date: Annotated[Date, "day of service"]
    status: Annotated[Literal["requested", "confirmed", "completed", "canceled"], "state"]
    price_cents: Annotated[int, "agreed price"]
    deposit_cents: Annotated[int, "deposit within the price"]
    created_at: Annotated[Timestamp, "when requested"]
    confirmed_on: Annotated[Date | None, "day of confirmation"]
    canceled_on: Annotated[Date | None, "day of cancellation"]
    cancel_reason: Annotated[str | None, "why it was canceled"]


def _record(db, booking):
    vendor = db.require("vendor", booking["vendor_id"])
    return {
        "booking_id": booking["booking_id"],
        "wedding_id": booking["wedding_id"],
        "vendor_id": booking["vendor_id"],
        "vendor_name": vendor["name"],
        "category": vendor["category"],
        "service_note": booking["service_note"],
        "service_date": booking["service_date"],
        "status": booking["status"],
        "price_cents": booking["price_cents"],
        "deposit_cents": booking["deposit_cents"],
        "created_at": booking["created_at"],
        "confirmed_on": booking["confirmed_on"],
        "canceled_on": booking["canceled_on"],
        "cancel_reason": booking["cancel_reason"],
    }


def _require_free(db, vendor_id, day, booking_id):
    taken = db.value(
        """
        SELECT count(*) FROM booking
        WHERE vendor_id = ? AND service_date = ? AND status = 'confirmed' AND (? IS NULL OR booking_id <> ?)
        """,
        vendor_id,
        day,
        booking_id,
        booking_id,
    )
    if taken:
        raise Rejection.failed_precondition(f"Vendor {vendor_id!r} is already booked on {day}.")


@tool(reads=["wedding", "vendor", "booking"], rejects=["NOT_FOUND"])
def list_wedding_bookings(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    status: Annotated[Literal["requested", "confirmed", "completed", "canceled"] | None, "only this state"] = None,
    category: Annotated[
        Literal["venue", "catering", "photography", "florals", "music", "cake", "beauty", "transportation", "officiant"]
        | None,
        "only this trade",
    ] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> BookingList:
    """List the vendor bookings of a wedding.

    Ordered by category, then vendor_name.
    """
    db.require("wedding", wedding_id)
    bookings = db.select(
        """
        SELECT booking_id, vendor.name AS vendor_name, category, service_date, status, price_cents
        FROM booking JOIN vendor ON vendor.vendor_id = booking.vendor_id
        WHERE wedding_id = ? AND (? IS NULL OR status = ?) AND (? IS NULL OR category = ?)
        ORDER BY category, vendor.name, booking_id
        """,
        wedding_id,
        status,
        status,
        category,
        category,
    )
    return {"total": len(bookings), "bookings": bookings[:limit]}


@tool(reads=["vendor", "booking"], rejects=["NOT_FOUND"])
def get_booking(db: Database, booking_id: Annotated[str, "the booking", Field(min_length=1)]) -> Booking:
    """Show one vendor booking in full."""
    return _record(db, db.require("booking", booking_id))


@tool(reads=["wedding", "vendor"], writes=["booking"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def request_booking(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    vendor_id: Annotated[str, "the vendor", Field(min_length=1)],
    price_cents: Annotated[
        int | None, "agreed price; null takes the vendor's total for guest_limit", Field(ge=1)
    ] = None,
    service_note: Annotated[str | None, "what is asked for", Field(min_length=1)] = None,
) -> Booking:
    """Ask a vendor to serve a wedding on its date.

    Requires: The wedding is open and its wedding_date is after today. The vendor is active and serves the wedding's
    guest_limit. The vendor is free on the wedding_date. The wedding has no live booking with this vendor.

    status is requested, service_date the wedding_date, deposit_cents the deposit on price_cents.
    """
    wedding = db.require("wedding", wedding_id)
    vendor = db.require("vendor", vendor_id)
    if wedding["status"] not in ("inquiry", "contracted"):
        raise Rejection.failed_precondition(f"Wedding {wedding_id!r} is {wedding['status']}, not open.")
    if wedding["wedding_date"] <= db.today:
        raise Rejection.failed_precondition(f"The wedding date {wedding['wedding_date']} is not after today.")
    if not vendor["active"]:
        raise Rejection.failed_precondition(f"Vendor {vendor_id!r} is not active.")
    if vendor["max_guests"] is not None and vendor["max_guests"] < wedding["guest_limit"]:
        raise Rejection.failed_precondition(
            f"Vendor {vendor_id!r} serves {vendor['max_guests']} guests at most, not {wedding['guest_limit']}."
        )
    _require_free(db, vendor_id, wedding["wedding_date"], None)
    live = db.value(
        """
        SELECT booking_id FROM booking
        WHERE wedding_id = ? AND vendor_id = ? AND status IN ('requested', 'confirmed')
        """,
        wedding_id,
        vendor_id,
    )
    if live is not None:
        raise Rejection.already_exists(f"Booking {live!r} already books this vendor for the wedding.")
    price = price_cents
    if price is None:
        price = vendor["rate_cents"] * (wedding["guest_limit"] if vendor["price_basis"] == "per_guest" else 1)
    booking = db.insert(
        "booking",
        booking_id=db.new_id("booking"),
        wedding_id=wedding_id,
        vendor_id=vendor_id,
        service_note=service_note,
        service_date=wedding["wedding_date"],
        status="requested",
        price_cents=price,
        deposit_cents=price * vendor["deposit_percent"] // 100,
        created_at=db.now,
    )
    return _record(db, booking)


@tool(reads=["wedding", "vendor"], writes=["booking", "ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def confirm_booking(db: Database, booking_id: Annotated[str, "the booking", Field(min_length=1)]) -> Booking:
    """Confirm a requested booking and charge its price.

    Requires: The booking is requested and its service_date is today or later. The wedding is contracted. The vendor is
    active and free on the service_date. For a venue, the wedding has no other confirmed venue booking.

    status becomes confirmed, confirmed_on today. Adds a charge of price_cents with the booking_id: category vendor,
    description 'Vendor: VENDOR_NAME', due 14 days before service_date, or today if that has passed.
    """
    booking = db.require("booking", booking_id)
    if booking["status"] != "requested":
        raise Rejection.failed_precondition(f"Booking {booking_id!r} is {booking['status']}, not requested.")
    service_date = booking["service_date"]
    if service_date < db.today:
        raise Rejection.failed_precondition(f"The service date {service_date} is before today, {db.today}.")
    wedding = db.require("wedding", booking["wedding_id"])
    if wedding["status"] != "contracted":
        raise Rejection.failed_precondition(
            f"Wedding {wedding['wedding_id']!r} is {wedding['status']}, not contracted."
        )
    vendor = db.require("vendor", booking["vendor_id"])
    if not vendor["active"]:
        raise Rejection.failed_precondition(f"Vendor {vendor['vendor_id']!r} is not active.")
    _require_free(db, vendor["vendor_id"], service_date, booking_id)
    if vendor["category"] == "venue":
        venue = db.value(
            """
            SELECT booking_id FROM booking JOIN vendor ON vendor.vendor_id = booking.vendor_id
            WHERE wedding_id = ? AND status = 'confirmed' AND category = 'venue' AND booking_id <> ?
            """,
            booking["wedding_id"],
            booking_id,
        )
        if venue is not None:
            raise Rejection.failed_precondition(f"The wedding already has the confirmed venue booking {venue!r}.")
    booking = db.update("booking", booking_id, status="confirmed", confirmed_on=db.today)
    db.insert(
        "ledger_entry",
        ledger_entry_id=db.new_id("ledger_entry"),
        wedding_id=booking["wedding_id"],
        booking_id=booking_id,
        kind="charge",
        category="vendor",
        amount_cents=booking["price_cents"],
        description=f"Vendor: {vendor['name']}",
        due_on=max(add_days(service_date, -14), db.today),
        status="posted",
        created_at=db.now,
    )
    return _record(db, booking)


@tool(reads=["vendor"], writes=["booking"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_booking_price(
    db: Database,
    booking_id: Annotated[str, "the booking", Field(min_length=1)],
    price_cents: Annotated[int, "new price", Field(ge=1)],
) -> Booking:
    """Change the price of a requested booking.

    Requires: The booking is requested.

    deposit_cents becomes the deposit on the new price.
    """
    booking = db.require("booking", booking_id)
    if booking["status"] != "requested":
        raise Rejection.failed_precondition(f"Booking {booking_id!r} is {booking['status']}, not requested.")
    vendor = db.require("vendor", booking["vendor_id"])
    booking = db.update(
        "booking",
        booking_id,
        price_cents=price_cents,
        deposit_cents=price_cents * vendor["deposit_percent"] // 100,
    )
    return _record(db, booking)


@tool(reads=["vendor"], writes=["booking"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_booking(
    db: Database,
    booking_id: Annotated[str, "the booking", Field(min_length=1)],
    reason: Annotated[str, "why it is canceled", Field(min_length=1)],
) -> Booking:
    """Cancel a live vendor booking.

    Requires: The booking is live.

    status becomes canceled, canceled_on today, cancel_reason the reason; the ledger stays.
    """
    booking = db.require("booking", booking_id)
    if booking["status"] not in ("requested", "confirmed"):
        raise Rejection.failed_precondition(
            f"Booking {booking_id!r} is {booking['status']}, not requested or confirmed."
        )
    booking = db.update("booking", booking_id, status="canceled", canceled_on=db.today, cancel_reason=reason)
    return _record(db, booking)
