"""Weddings: opening, contracting, moving, canceling and completing weddings."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, add_days, days_between, tool


class WeddingEntry(TypedDict):
    wedding_id: Annotated[str, "id of the wedding"]
    title: Annotated[str, "what people call it"]
    wedding_date: Annotated[Date, "day of the wedding"]
    package: Annotated[Literal["day_of", "partial", "full_service"], "planning package"]
    status: Annotated[Literal["inquiry", "contracted", "completed", "canceled"], "state"]


class WeddingList(TypedDict):
    total: Annotated[int, "matches before the limit"]
    weddings: Annotated[list[WeddingEntry], "the weddings"]


class Wedding(TypedDict):
    wedding_id: Annotated[str, "id of the wedding"]
    client_id: Annotated[str, "whose wedding"]
    title: Annotated[str, "what people call it"]
    partner_name: Annotated[str, "the client's partner"]
    wedding_date: Annotated[Date, "day of the wedding"]
    start_time: Annotated[str, "ceremony start as HH:MM"]
    package: Annotated[Literal["day_of", "partial", "full_service"], "planning package"]
    status: Annotated[Literal["inquiry", "contracted", "completed", "canceled"], "state"]
    guest_limit: Annotated[int, "most seats"]
    table_count: Annotated[int, "tables, numbered from 1"]
    seats_per_table: Annotated[int, "seats at each table"]
    budget_cents: Annotated[int, "what the couple will spend"]
    planning_fee_cents: Annotated[int | None, "agreed planning fee"]
    contract_signed_on: Annotated[Date | None, "day of signing"]
    rsvp_due_on: Annotated[Date | None, "RSVP deadline"]
    date_changes: Annotated[int, "times the date moved"]
    canceled_on: Annotated[Date | None, "day of cancellation"]
    cancel_reason: Annotated[str | None, "why it was canceled"]
    created_at: Annotated[Timestamp, "when it was opened"]


class DateCheck(TypedDict):
    wedding_date: Annotated[Date, "day checked"]
    days_until: Annotated[int, "days from today"]
    contracted_count: Annotated[int, "contracted weddings that day"]
    full: Annotated[bool, "whether the date is full"]


class WeddingCancellation(TypedDict):
    wedding: Annotated[Wedding, "the canceled wedding"]
    canceled_booking_count: Annotated[int, "bookings canceled with it"]
    canceled_appointment_count: Annotated[int, "appointments canceled with it"]
    balance_cents: Annotated[int, "balance of the wedding"]


def _given(value, current):
    return current if value is None else value


def _require_time(start_time):
    parts = start_time.split(":")
    digits = all(character in "0123456789" for character in "".join(parts))
    if [len(part) for part in parts] != [2, 2] or not digits or parts[0] > "23" or parts[1] > "59":
        raise Rejection.invalid_argument(f"The start time {start_time!r} must be between 00:00 and 23:59.")


def _require_open(wedding):
    if wedding["status"] not in ("inquiry", "contracted"):
        raise Rejection.failed_precondition(f"Wedding {wedding['wedding_id']!r} is {wedding['status']}, not open.")


def _contracted(db, day, wedding_id):
    return db.value(
        """
        SELECT count(*) FROM wedding
        WHERE wedding_date = ? AND status = 'contracted' AND (? IS NULL OR wedding_id <> ?)
        """,
        day,
        wedding_id,
        wedding_id,
    )


def _require_not_full(db, day, wedding_id):
    if _contracted(db, day, wedding_id) >= 3:
        raise Rejection.failed_precondition(f"{day} is full with three contracted weddings.")


def _balance(db, wedding_id):
    return db.value(
        """
        SELECT coalesce(sum(CASE WHEN kind IN ('charge', 'refund') THEN amount_cents ELSE -amount_cents END), 0)
        FROM ledger_entry WHERE wedding_id = ? AND status = 'posted'
        """,
        wedding_id,
    )


@tool(reads=["client", "wedding"], rejects=["NOT_FOUND"])
def list_client_weddings(
    db: Database,
    client_id: Annotated[str, "the client", Field(min_length=1)],
    status: Annotated[Literal["inquiry", "contracted", "completed", "canceled"] | None, "only this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> WeddingList:
    """List the weddings of a client.

    Ordered by wedding_date, latest first.
    """
    db.require("client", client_id)
    weddings = db.select(
        """
        SELECT wedding_id, title, wedding_date, package, status FROM wedding
        WHERE client_id = ? AND (? IS NULL OR status = ?)
        ORDER BY wedding_date DESC, wedding_id
        """,
        client_id,
        status,
        status,
    )
    return {"total": len(weddings), "weddings": weddings[:limit]}


@tool(reads=["wedding"], rejects=["NOT_FOUND"])
def get_wedding(db: Database, wedding_id: Annotated[str, "the wedding", Field(min_length=1)]) -> Wedding:
    """Show one wedding in full."""
    return db.require("wedding", wedding_id)


@tool(reads=["wedding"])
def check_wedding_date(db: Database, wedding_date: Annotated[Date, "day to check"]) -> DateCheck:
    """See how many contracted weddings are on a date.

    Any date may be checked; days_until counts from today's date and is negative for past dates.
    """
    count = _contracted(db, wedding_date, None)
    return {
        "wedding_date": wedding_date,
        "days_until": days_between(db.today, wedding_date),
        "contracted_count": count,
        "full": count >= 3,
    }


@tool(reads=["client"], writes=["wedding"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def open_wedding(
    db: Database,
    client_id: Annotated[str, "the client", Field(min_length=1)],
    title: Annotated[str, "what people call it", Field(min_length=1)],
    partner_name: Annotated[str, "the client's partner", Field(min_length=1)],
    wedding_date: Annotated[Date, "planned day"],
    start_time: Annotated[str, "ceremony start as HH:MM"],
    package: Annotated[Literal["day_of", "partial", "full_service"], "planning package"],
    guest_limit: Annotated[int, "most seats", Field(ge=1, le=500)],
    budget_cents: Annotated[int, "what the couple will spend", Field(ge=1)],
) -> Wedding:
    """Open a wedding as an inquiry for a client.

    Requires: The wedding_date is after today. A given start_time is a valid HH:MM between 00:00 and 23:59. The client
    has no open wedding on that date.

    status is inquiry, table_count 0, seats_per_table 8, date_changes 0.
    """
    if wedding_date <= db.today:
        raise Rejection.invalid_argument(f"The wedding date {wedding_date} is not after today, {db.today}.")
    _require_time(start_time)
    db.require("client", client_id)
    other = db.value(
        """
        SELECT wedding_id FROM wedding
        WHERE client_id = ? AND wedding_date = ? AND status IN ('inquiry', 'contracted')
        """,
        client_id,
        wedding_date,
    )
    if other is not None:
        raise Rejection.already_exists(f"The client already has the open wedding {other!r} on {wedding_date}.")
    return db.insert(
        "wedding",
        wedding_id=db.new_id("wedding"),
        client_id=client_id,
        title=title,
        partner_name=partner_name,
        wedding_date=wedding_date,
        start_time=start_time,
        package=package,
        status="inquiry",
        guest_limit=guest_limit,
        table_count=0,
        seats_per_table=8,
        budget_cents=budget_cents,
        date_changes=0,
        created_at=db.now,
    )


@tool(reads=["guest"], writes=["wedding"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def update_wedding(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    title: Annotated[str | None, "new title", Field(min_length=1)] = None,
    partner_name: Annotated[str | None, "new partner name", Field(min_length=1)] = None,
    start_time: Annotated[str | None, "new start as HH:MM"] = None,
    guest_limit: Annotated[int | None, "new most seats", Field(ge=1, le=500)] = None,
    budget_cents: Annotated[int | None, "new budget", Field(ge=1)] = None,
    table_count: Annotated[int | None, "new number of tables", Field(ge=0, le=100)] = None,
    seats_per_table: Annotated[int | None, "new seats per table", Field(ge=2, le=20)] = None,
    rsvp_due_on: Annotated[Date | None, "new RSVP deadline"] = None,
) -> Wedding:
    """Change details of an open wedding.

    Requires: At least one field besides the id is given. A given start_time is a valid HH:MM between 00:00 and 23:59.
    The wedding is open. A given guest_limit is at least the wedding's seats. Everyone seated still has their table and
    fits with the new table numbers. A given rsvp_due_on is before the wedding_date.

    Only the given fields change. Fits: no table_number above table_count, and seats of the guests at each table at most
    seats_per_table.
    """
    fields = (title, partner_name, start_time, guest_limit, budget_cents, table_count, seats_per_table, rsvp_due_on)
    if all(value is None for value in fields):
        raise Rejection.invalid_argument("Give at least one field to change.")
    if start_time is not None:
        _require_time(start_time)
    wedding = db.require("wedding", wedding_id)
    _require_open(wedding)
    if guest_limit is not None:
        seats = db.value(
            """
            SELECT coalesce(sum(
                CASE rsvp_status WHEN 'accepted' THEN attending_count WHEN 'declined' THEN 0 ELSE party_size END
            ), 0)
            FROM guest WHERE wedding_id = ?
            """,
            wedding_id,
        )
        if guest_limit < seats:
            raise Rejection.failed_precondition(f"A guest limit of {guest_limit} is below the wedding's {seats} seats.")
    tables = _given(table_count, wedding["table_count"])
    per_table = _given(seats_per_table, wedding["seats_per_table"])
    if table_count is not None or seats_per_table is not None:
        crowded = db.first(
            """
            SELECT table_number, sum(attending_count) AS people FROM guest
            WHERE wedding_id = ? AND table_number IS NOT NULL
            GROUP BY table_number
            HAVING table_number > ? OR sum(attending_count) > ?
            """,
            wedding_id,
            tables,
            per_table,
        )
        if crowded is not None:
            raise Rejection.failed_precondition(
                f"{crowded['people']} people sit at table {crowded['table_number']}; they would lose their seats."
            )
    if rsvp_due_on is not None and rsvp_due_on >= wedding["wedding_date"]:
        raise Rejection.failed_precondition(
            f"The RSVP deadline {rsvp_due_on} is not before the wedding on {wedding['wedding_date']}."
        )
    return db.update(
        "wedding",
        wedding_id,
        title=_given(title, wedding["title"]),
        partner_name=_given(partner_name, wedding["partner_name"]),
        start_time=_given(start_time, wedding["start_time"]),
        guest_limit=_given(guest_limit, wedding["guest_limit"]),
        budget_cents=_given(budget_cents, wedding["budget_cents"]),
        table_count=tables,
        seats_per_table=per_table,
        rsvp_due_on=_given(rsvp_due_on, wedding["rsvp_due_on"]),
    )


@tool(writes=["wedding", "ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def sign_contract(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    planning_fee_cents: Annotated[int, "agreed planning fee", Field(ge=1)],
) -> Wedding:
    """Turn an inquiry into a contracted wedding and charge the planning fee.

    Requires: The wedding is an inquiry and its wedding_date is after today. The wedding_date is not full.

    status becomes contracted, contract_signed_on today, planning_fee_cents as given. Adds a charge of the fee: category
    planning, description 'Planning fee', due 14 days after today.
    """
    wedding = db.require("wedding", wedding_id)
    if wedding["status"] != "inquiry":
        raise Rejection.failed_precondition(f"Wedding {wedding_id!r} is {wedding['status']}, not an inquiry.")
    if wedding["wedding_date"] <= db.today:
        raise Rejection.failed_precondition(f"The wedding date {wedding['wedding_date']} is not after today.")
    _require_not_full(db, wedding["wedding_date"], wedding_id)
    db.insert(
        "ledger_entry",
        ledger_entry_id=db.new_id("ledger_entry"),
        wedding_id=wedding_id,
        kind="charge",
        category="planning",
        amount_cents=planning_fee_cents,
        description="Planning fee",
        due_on=add_days(db.today, 14),
        status="posted",
        created_at=db.now,
    )
    return db.update(
        "wedding",
        wedding_id,
        status="contracted",
        contract_signed_on=db.today,
        planning_fee_cents=planning_fee_cents,
    )


@tool(writes=["wedding", "booking"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def change_wedding_date(
    db: Database, wedding_id: Annotated[str, "the wedding", Field(min_length=1)], new_date: Annotated[Date, "new day"]
) -> Wedding:
    """Move an open wedding and its live bookings to another date.

    Requires: The new_date is after today. The wedding is open and not already on new_date. If the wedding is
    contracted, new_date is not full. Each vendor with a confirmed booking here is free on new_date.

    wedding_date becomes new_date, date_changes goes up by 1, rsvp_due_on becomes null unless before new_date.
    service_date of its live bookings becomes new_date; tasks, appointments and ledger stay.
    """
    if new_date <= db.today:
        raise Rejection.invalid_argument(f"The new date {new_date} is not after today, {db.today}.")
    wedding = db.require("wedding", wedding_id)
    _require_open(wedding)
    if wedding["wedding_date"] == new_date:
        raise Rejection.failed_precondition(f"Wedding {wedding_id!r} is already on {new_date}.")
    if wedding["status"] == "contracted":
        _require_not_full(db, new_date, wedding_id)
    busy = db.first(
        """
        SELECT mine.vendor_id FROM booking AS mine
        JOIN booking AS other ON other.vendor_id = mine.vendor_id AND other.booking_id <> mine.booking_id
        WHERE mine.wedding_id = ? AND mine.status = 'confirmed' AND other.status = 'confirmed' AND other.service_date = ?
        """,
        wedding_id,
        new_date,
    )
    if busy is not None:
        raise Rejection.failed_precondition(f"Vendor {busy['vendor_id']!r} is already booked on {new_date}.")
    live = db.select(
        "SELECT booking_id FROM booking WHERE wedding_id = ? AND status IN ('requested', 'confirmed')", wedding_id
    )
    for booking in live:
        db.update("booking", booking["booking_id"], service_date=new_date)
    deadline = wedding["rsvp_due_on"]
    return db.update(
        "wedding",
        wedding_id,
        wedding_date=new_date,
        date_changes=wedding["date_changes"] + 1,
        rsvp_due_on=deadline if deadline is not None and deadline < new_date else None,
    )


@tool(writes=["wedding", "ledger_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_package(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    package: Annotated[Literal["day_of", "partial", "full_service"], "new package"],
    planning_fee_cents: Annotated[int, "new planning fee", Field(ge=1)],
) -> Wedding:
    """Switch a contracted wedding to another package and fee.

    Requires: The wedding is contracted and has a different package.

    package and planning_fee_cents change. A higher fee adds a charge of the difference, due 14 days after today; a
    lower fee adds a credit of it; category planning, description 'Package change to PACKAGE'.
    """
    wedding = db.require("wedding", wedding_id)
    if wedding["status"] != "contracted":
        raise Rejection.failed_precondition(f"Wedding {wedding_id!r} is {wedding['status']}, not contracted.")
    if wedding["package"] == package:
        raise Rejection.failed_precondition(f"Wedding {wedding_id!r} already has the package {package}.")
    difference = planning_fee_cents - wedding["planning_fee_cents"]
    if difference != 0:
        db.insert(
            "ledger_entry",
            ledger_entry_id=db.new_id("ledger_entry"),
            wedding_id=wedding_id,
            kind="charge" if difference > 0 else "credit",
            category="planning",
            amount_cents=abs(difference),
            description=f"Package change to {package}",
            due_on=add_days(db.today, 14) if difference > 0 else None,
            status="posted",
            created_at=db.now,
        )
    return db.update("wedding", wedding_id, package=package, planning_fee_cents=planning_fee_cents)


@tool(
    reads=["ledger_entry"], writes=["wedding", "booking", "appointment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"]
)
def cancel_wedding(
    db: Database,
    wedding_id: Annotated[str, "the wedding", Field(min_length=1)],
    reason: Annotated[str, "why it is canceled", Field(min_length=1)],
) -> WeddingCancellation:
    """Cancel an open wedding with everything still planned for it.

    Requires: The wedding is open.

    status becomes canceled, canceled_on today, cancel_reason the reason. Its live bookings become canceled, canceled_on
    today, cancel_reason 'Wedding canceled'; its scheduled appointments become canceled, canceled_at now; the ledger
    stays.
    """
    _require_open(db.require("wedding", wedding_id))
    bookings = db.select(
        "SELECT booking_id FROM booking WHERE wedding_id = ? AND status IN ('requested', 'confirmed')", wedding_id
    )
    for booking in bookings:
        db.update(
            "booking",
            booking["booking_id"],
            status="canceled",
            canceled_on=db.today,
            cancel_reason="Wedding canceled",
        )
    appointments = db.select(
        "SELECT appointment_id FROM appointment WHERE wedding_id = ? AND status = 'scheduled'", wedding_id
    )
    for appointment in appointments:
        db.update("appointment", appointment["appointment_id"], status="canceled", canceled_at=db.now)
    wedding = db.update("wedding", wedding_id, status="canceled", canceled_on=db.today, cancel_reason=reason)
    return {
        "wedding": wedding,
        "canceled_booking_count": len(bookings),
        "canceled_appointment_count": len(appointments),
        "balance_cents": _balance(db, wedding_id),
    }


@tool(reads=["ledger_entry"], writes=["wedding", "booking"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def complete_wedding(db: Database, wedding_id: Annotated[str, "the wedding", Field(min_length=1)]) -> Wedding:
    """Close a contracted wedding that has taken place.

    Requires: The wedding is contracted and its wedding_date is today or earlier. None of its bookings is still
    requested. Its balance is 0 or less.

    status becomes completed; its confirmed bookings become completed.
    """
    wedding = db.require("wedding", wedding_id)
    if wedding["status"] != "contracted":
        raise Rejection.failed_precondition(f"Wedding {wedding_id!r} is {wedding['status']}, not contracted.")
    if wedding["wedding_date"] > db.today:
        raise Rejection.failed_precondition(f"The wedding only takes place on {wedding['wedding_date']}.")
    bookings = db.select(
        "SELECT booking_id, status FROM booking WHERE wedding_id = ? AND status IN ('requested', 'confirmed')",
        wedding_id,
    )
    for booking in bookings:
        if booking["status"] == "requested":
            raise Rejection.failed_precondition(f"Booking {booking['booking_id']!r} is still requested.")
    balance = _balance(db, wedding_id)
    if balance > 0:
        raise Rejection.failed_precondition(f"The client still owes {balance} cents.")
    for booking in bookings:
        db.update("booking", booking["booking_id"], status="completed")
    return db.update("wedding", wedding_id, status="completed")
