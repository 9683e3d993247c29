"""Vendors: the vendor directory and who is free."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class VendorEntry(TypedDict):
    vendor_id: Annotated[str, "id of the vendor"]
    name: Annotated[str, "business name"]
    category: Annotated[
        Literal[
            "venue", "catering", "photography", "florals", "music", "cake", "beauty", "transportation", "officiant"
        ],
        "trade",
    ]
    city: Annotated[str, "home city"]
    price_basis: Annotated[Literal["flat", "per_guest"], "how the rate counts"]
    rate_cents: Annotated[int, "standard rate"]
    active: Annotated[bool, "takes bookings"]


class VendorList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    vendors: Annotated[list[VendorEntry], "the vendors"]


class VendorQuote(TypedDict):
    vendor_id: Annotated[str, "id of the vendor"]
    name: Annotated[str, "business name"]
    city: Annotated[str, "home city"]
    total_cents: Annotated[int, "vendor's total"]
    deposit_cents: Annotated[int, "deposit on that total"]


class VendorQuoteList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    quotes: Annotated[list[VendorQuote], "the vendors"]


class Vendor(TypedDict):
    vendor_id: Annotated[str, "id of the vendor"]
    name: Annotated[str, "business name"]
    category: Annotated[
        Literal[
            "venue", "catering", "photography", "florals", "music", "cake", "beauty", "transportation", "officiant"
        ],
        "trade",
    ]
    city: Annotated[str, "home city"]
    phone: Annotated[str, "as 555-201-3344"]
    price_basis: Annotated[Literal["flat", "per_guest"], "how the rate counts"]
    rate_cents: Annotated[int, "standard rate"]
    deposit_percent: Annotated[int, "deposit as percent of price"]
    max_guests: Annotated[int | None, "most guests served; null without limit"]
    cancel_notice_days: Annotated[int, "notice the vendor asks for"]
    active: Annotated[bool, "takes bookings"]


def _given(value, current):
    return current if value is None else value


def _record(vendor):
    return {**vendor, "active": bool(vendor["active"])}


@tool(reads=["vendor"])
def search_vendors(
    db: Database,
    text: Annotated[str | None, "contained in the name", Field(min_length=1)] = None,
    category: Annotated[
        Literal["venue", "catering", "photography", "florals", "music", "cake", "beauty", "transportation", "officiant"]
        | None,
        "only this trade",
    ] = None,
    city: Annotated[str | None, "exactly this city", Field(min_length=1)] = None,
    active_only: Annotated[bool, "leave out inactive vendors"] = True,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> VendorList:
    """Search the vendor directory.

    Ordered by name.
    """
    vendors = db.select(
        """
        SELECT vendor_id, name, category, city, price_basis, rate_cents, active FROM vendor
        WHERE (? IS NULL OR instr(lower(name), lower(?)) > 0) AND (? IS NULL OR category = ?) AND (? IS NULL OR city = ?)
            AND (NOT ? OR active = 1)
        ORDER BY name, vendor_id
        """,
        text,
        text,
        category,
        category,
        city,
        city,
        active_only,
    )
    return {"total": len(vendors), "vendors": [_record(vendor) for vendor in vendors[:limit]]}


@tool(reads=["vendor", "booking"], rejects=["INVALID_ARGUMENT"])
def find_available_vendors(
    db: Database,
    category: Annotated[
        Literal[
            "venue", "catering", "photography", "florals", "music", "cake", "beauty", "transportation", "officiant"
        ],
        "trade",
    ],
    service_date: Annotated[Date, "day of service"],
    guest_count: Annotated[int, "guests to serve", Field(ge=1, le=500)],
    city: Annotated[str | None, "exactly this city", Field(min_length=1)] = None,
    max_total_cents: Annotated[int | None, "highest total", Field(ge=1)] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> VendorQuoteList:
    """Find vendors who are free on a date and can serve a number of guests.

    Requires: The service_date is after today.

    Active vendors, free that day, with max_guests null or at least guest_count; ordered by total_cents, lowest first.
    """
    if service_date <= db.today:
        raise Rejection.invalid_argument(f"The service date {service_date} is not after today, {db.today}.")
    offers = db.select(
        """
        SELECT vendor_id, name, city, deposit_percent,
            CASE price_basis WHEN 'flat' THEN rate_cents ELSE rate_cents * ? END AS total_cents
        FROM vendor
        WHERE active = 1 AND category = ? AND (max_guests IS NULL OR max_guests >= ?) AND (? IS NULL OR city = ?)
            AND NOT EXISTS (
                SELECT 1 FROM booking
                WHERE booking.vendor_id = vendor.vendor_id AND service_date = ? AND status = 'confirmed'
            )
        ORDER BY total_cents, vendor_id
        """,
        guest_count,
        category,
        guest_count,
        city,
        city,
        service_date,
    )
    quotes = [
        {
            "vendor_id": offer["vendor_id"],
            "name": offer["name"],
            "city": offer["city"],
            "total_cents": offer["total_cents"],
            "deposit_cents": offer["total_cents"] * offer["deposit_percent"] // 100,
        }
        for offer in offers
        if max_total_cents is None or offer["total_cents"] <= max_total_cents
    ]
    return {"total": len(quotes), "quotes": quotes[:limit]}


@tool(reads=["vendor"], rejects=["NOT_FOUND"])
def get_vendor(db: Database, vendor_id: Annotated[str, "the vendor", Field(min_length=1)]) -> Vendor:
    """Show one vendor in full."""
    return _record(db.require("vendor", vendor_id))


@tool(reads=["booking"], writes=["vendor"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_vendor(
    db: Database,
    vendor_id: Annotated[str, "the vendor", Field(min_length=1)],
    phone: Annotated[str | None, "as 555-201-3344"] = None,
    rate_cents: Annotated[int | None, "new rate", Field(ge=1)] = None,
    deposit_percent: Annotated[int | None, "new deposit percent", Field(ge=0, le=100)] = None,
    max_guests: Annotated[int | None, "new most guests", Field(ge=1)] = None,
    cancel_notice_days: Annotated[int | None, "new notice", Field(ge=0)] = None,
    active: Annotated[bool | None, "takes bookings"] = None,
) -> Vendor:
    """Change a vendor's terms or stop taking bookings for them.

    Requires: At least one field besides the id is given. A given phone is NNN-NNN-NNNN. A vendor made inactive has no
    confirmed booking with service_date today or later.

    Only the given fields change; existing bookings keep their prices.
    """
    if all(value is None for value in (phone, rate_cents, deposit_percent, max_guests, cancel_notice_days, active)):
        raise Rejection.invalid_argument("Give at least one field to change.")
    if phone is not None:
        parts = phone.split("-")
        if [len(part) for part in parts] != [3, 3, 4] or not all(digit in "0123456789" for digit in "".join(parts)):
            raise Rejection.invalid_argument(f"The phone {phone!r} must look like 555-201-3344.")
    vendor = db.require("vendor", vendor_id)
    if active is False:
        booked = db.value(
            """
            SELECT count(*) FROM booking WHERE vendor_id = ? AND status = 'confirmed' AND service_date >= ?
            """,
            vendor_id,
            db.today,
        )
        if booked:
            raise Rejection.failed_precondition(f"Vendor {vendor_id!r} still has {booked} confirmed bookings ahead.")
    vendor = db.update(
        "vendor",
        vendor_id,
        phone=_given(phone, vendor["phone"]),
        rate_cents=_given(rate_cents, vendor["rate_cents"]),
        deposit_percent=_given(deposit_percent, vendor["deposit_percent"]),
        max_guests=_given(max_guests, vendor["max_guests"]),
        cancel_notice_days=_given(cancel_notice_days, vendor["cancel_notice_days"]),
        active=int(_given(active, vendor["active"])),
    )
    return _record(vendor)
