"""Stays: boarding stays and clients' accounts."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, days_between, tool


class StayLine(TypedDict):
    stay_id: Annotated[str, "its id"]
    pet_name: Annotated[str, "the pet"]
    room: Annotated[Literal["standard", "deluxe", "suite"], "kind of room"]
    starts_on: Annotated[Date, "drop-off day"]
    ends_on: Annotated[Date, "pickup day"]
    status: Annotated[Literal["booked", "checked_in", "completed", "canceled"], "state"]


class StayList(TypedDict):
    stays: Annotated[list[StayLine], "stays"]
    total: Annotated[int, "matches before the cut"]


class Stay(TypedDict):
    stay_id: Annotated[str, "its id"]
    pet_id: Annotated[str, "the pet"]
    pet_name: Annotated[str, "its name"]
    room: Annotated[Literal["standard", "deluxe", "suite"], "kind of room"]
    starts_on: Annotated[Date, "drop-off day"]
    ends_on: Annotated[Date, "pickup day"]
    nights: Annotated[int, "ends_on less starts_on"]
    nightly_rate_cents: Annotated[int, "rate a night"]
    price_cents: Annotated[int, "nights times rate"]
    status: Annotated[Literal["booked", "checked_in", "completed", "canceled"], "state"]
    notes: Annotated[str | None, "care instructions"]
    created_at: Annotated[Timestamp, "when booked"]
    canceled_at: Annotated[Timestamp | None, "when canceled"]


class Entry(TypedDict):
    entry_id: Annotated[str, "its id"]
    client_id: Annotated[str, "the client"]
    kind: Annotated[
        Literal["stay_charge", "visit_charge", "cancellation_fee", "change_fee", "payment", "credit"], "what it is"
    ]
    amount_cents: Annotated[int, "amount"]
    stay_id: Annotated[str | None, "stay it is about"]
    entered_on: Annotated[Date, "day entered"]


class EntryList(TypedDict):
    entries: Annotated[list[Entry], "entries"]
    total: Annotated[int, "matches before the cut"]


class AccountSummary(TypedDict):
    client_id: Annotated[str, "the client"]
    entries: Annotated[int, "number of entries"]
    billed_cents: Annotated[int, "charges and fees"]
    paid_cents: Annotated[int, "payments and credits"]
    balance_cents: Annotated[int, "billed less paid"]


RATES = {"standard": 4500, "deluxe": 6500, "suite": 9000}


def _stay(db, stay):
    pet = db.get("pet", stay["pet_id"])
    nights = days_between(stay["starts_on"], stay["ends_on"])
    return {**stay, "pet_name": pet["name"], "nights": nights, "price_cents": nights * stay["nightly_rate_cents"]}


def _require_open(stay):
    if stay["status"] not in ("booked", "checked_in"):
        raise Rejection.failed_precondition(f"Stay {stay['stay_id']!r} is {stay['status']}, not booked or checked_in.")


def _require_free(db, pet_id, starts_on, ends_on, stay_id):
    other = db.first(
        """
        SELECT starts_on, ends_on FROM stay
        WHERE pet_id = ? AND status IN ('booked', 'checked_in') AND starts_on < ? AND ends_on > ?
        AND (? IS NULL OR stay_id <> ?)
        ORDER BY starts_on
        """,
        pet_id,
        ends_on,
        starts_on,
        stay_id,
        stay_id,
    )
    if other is not None:
        raise Rejection.failed_precondition(
            f"Pet {pet_id!r} has another open stay from {other['starts_on']} to {other['ends_on']}; the nights must not be shared."
        )


@tool(reads=["client", "pet", "stay"], rejects=["NOT_FOUND"])
def list_stays(
    db: Database,
    client_id: Annotated[str, "the client"],
    status: Annotated[Literal["booked", "checked_in", "completed", "canceled"] | None, "only this status"] = None,
    from_date: Annotated[Date | None, "only stays ending then or later"] = None,
    limit: Annotated[int, "at most this many", Field(ge=1, le=50)] = 20,
) -> StayList:
    """List the boarding stays of a client's pets.

    Sorted by starts_on, latest first.
    """
    db.require("client", client_id)
    stays = db.select(
        """
        SELECT stay_id, pet.name AS pet_name, room, starts_on, ends_on, status
        FROM stay JOIN pet ON pet.pet_id = stay.pet_id
        WHERE pet.client_id = ? AND (? IS NULL OR status = ?) AND (? IS NULL OR ends_on >= ?)
        ORDER BY starts_on DESC, stay_id
        """,
        client_id,
        status,
        status,
        from_date,
        from_date,
    )
    return {"stays": stays[:limit], "total": len(stays)}


@tool(reads=["pet", "stay"], rejects=["NOT_FOUND"])
def get_stay(db: Database, stay_id: Annotated[str, "the stay"]) -> Stay:
    """Show a boarding stay."""
    return _stay(db, db.require("stay", stay_id))


@tool(reads=["pet"], writes=["stay"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def book_stay(
    db: Database,
    pet_id: Annotated[str, "the pet"],
    room: Annotated[Literal["standard", "deluxe", "suite"], "kind of room"],
    starts_on: Annotated[Date, "drop-off day"],
    ends_on: Annotated[Date, "pickup day"],
    notes: Annotated[str | None, "care instructions"] = None,
) -> Stay:
    """Book a boarding stay for a pet.

    Requires: The stay ends after it starts. The stay does not start before today. The pet has no other open stay
    sharing a night with these dates.

    Status is booked; nightly_rate_cents is the room's rate.
    """
    if ends_on <= starts_on:
        raise Rejection.invalid_argument(f"The stay must end after {starts_on}, not on {ends_on}.")
    if starts_on < db.today:
        raise Rejection.invalid_argument(f"The stay cannot start on {starts_on}, before today, {db.today}.")
    db.require("pet", pet_id)
    _require_free(db, pet_id, starts_on, ends_on, None)
    stay = db.insert(
        "stay",
        stay_id=db.new_id("stay"),
        pet_id=pet_id,
        room=room,
        starts_on=starts_on,
        ends_on=ends_on,
        nightly_rate_cents=RATES[room],
        status="booked",
        notes=notes,
        created_at=db.now,
    )
    return _stay(db, stay)


@tool(reads=["pet"], writes=["stay"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def change_stay_dates(
    db: Database,
    stay_id: Annotated[str, "the stay"],
    starts_on: Annotated[Date | None, "new drop-off day"] = None,
    ends_on: Annotated[Date | None, "new pickup day"] = None,
) -> Stay:
    """Move the start or end of a stay.

    Requires: At least one detail to change is given. A given date is not before today. The stay is open. A checked-in
    stay keeps its start, so no starts_on is given. With the changes, the stay ends after it starts. The pet has no
    other open stay sharing a night with these dates.

    Only the dates given change.
    """
    if starts_on is None and ends_on is None:
        raise Rejection.invalid_argument("No date was given; give a new start or a new end.")
    for day in (starts_on, ends_on):
        if day is not None and day < db.today:
            raise Rejection.invalid_argument(f"{day} is before today, {db.today}.")
    stay = db.require("stay", stay_id)
    _require_open(stay)
    if stay["status"] == "checked_in" and starts_on is not None:
        raise Rejection.failed_precondition(f"Stay {stay_id!r} is checked_in and keeps its start, {stay['starts_on']}.")
    first = stay["starts_on"] if starts_on is None else starts_on
    last = stay["ends_on"] if ends_on is None else ends_on
    if last <= first:
        raise Rejection.failed_precondition(
            f"Stay {stay_id!r} would end on {last}, which is not after its start, {first}."
        )
    _require_free(db, stay["pet_id"], first, last, stay_id)
    return _stay(db, db.update("stay", stay_id, starts_on=first, ends_on=last))


@tool(reads=["pet"], writes=["stay"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_stay_room(
    db: Database,
    stay_id: Annotated[str, "the stay"],
    room: Annotated[Literal["standard", "deluxe", "suite"], "new kind of room"],
) -> Stay:
    """Move a stay to another kind of room.

    Requires: The stay is open. The stay is not in that kind of room already.

    nightly_rate_cents becomes the new room's rate for all nights.
    """
    stay = db.require("stay", stay_id)
    _require_open(stay)
    if stay["room"] == room:
        raise Rejection.failed_precondition(f"Stay {stay_id!r} is in a {room} room already.")
    return _stay(db, db.update("stay", stay_id, room=room, nightly_rate_cents=RATES[room]))


@tool(reads=["pet"], writes=["stay"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_stay(db: Database, stay_id: Annotated[str, "the stay"]) -> Stay:
    """Cancel a boarding stay that has not begun.

    Requires: The stay is booked.

    Status becomes canceled; canceled_at is the clock.
    """
    stay = db.require("stay", stay_id)
    if stay["status"] != "booked":
        raise Rejection.failed_precondition(f"Stay {stay_id!r} is {stay['status']}, not booked.")
    return _stay(db, db.update("stay", stay_id, status="canceled", canceled_at=db.now))


@tool(reads=["client", "account_entry"], rejects=["NOT_FOUND"])
def list_account_entries(
    db: Database,
    client_id: Annotated[str, "the client"],
    kind: Annotated[
        Literal["stay_charge", "visit_charge", "cancellation_fee", "change_fee", "payment", "credit"] | None,
        "only this kind",
    ] = None,
    limit: Annotated[int, "at most this many", Field(ge=1, le=50)] = 20,
) -> EntryList:
    """List charges, fees, payments, and credits on a client's account.

    Sorted by entered_on, latest first.
    """
    db.require("client", client_id)
    entries = db.select(
        """
        SELECT entry_id, client_id, kind, amount_cents, stay_id, entered_on FROM account_entry
        WHERE client_id = ? AND (? IS NULL OR kind = ?)
        ORDER BY entered_on DESC, entry_id
        """,
        client_id,
        kind,
        kind,
    )
    return {"entries": entries[:limit], "total": len(entries)}


@tool(reads=["client", "pet", "stay"], writes=["account_entry"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_account_entry(
    db: Database,
    client_id: Annotated[str, "the client"],
    kind: Annotated[
        Literal["stay_charge", "visit_charge", "cancellation_fee", "change_fee", "payment", "credit"], "what it is"
    ],
    amount_cents: Annotated[int, "amount, always positive", Field(ge=1, le=500000)],
    stay_id: Annotated[str | None, "stay it is about"] = None,
) -> Entry:
    """Put a charge, fee, payment, or credit on a client's account.

    Requires: The stay, if given, is for one of this client's pets.

    entered_on is today.
    """
    db.require("client", client_id)
    if stay_id is not None:
        stay = db.require("stay", stay_id)
        if db.get("pet", stay["pet_id"])["client_id"] != client_id:
            raise Rejection.failed_precondition(f"Stay {stay_id!r} is not for a pet of client {client_id!r}.")
    return db.insert(
        "account_entry",
        entry_id=db.new_id("account_entry"),
        client_id=client_id,
        kind=kind,
        amount_cents=amount_cents,
        stay_id=stay_id,
        entered_on=db.today,
    )


@tool(reads=["client", "account_entry"], rejects=["NOT_FOUND"])
def get_account_summary(db: Database, client_id: Annotated[str, "the client"]) -> AccountSummary:
    """Total a client's account.

    Counts and adds all entries of the client.
    """
    db.require("client", client_id)
    sums = db.first(
        """
        SELECT count(*) AS entries,
            coalesce(sum(CASE WHEN kind IN ('payment', 'credit') THEN 0 ELSE amount_cents END), 0) AS billed_cents,
            coalesce(sum(CASE WHEN kind IN ('payment', 'credit') THEN amount_cents ELSE 0 END), 0) AS paid_cents
        FROM account_entry WHERE client_id = ?
        """,
        client_id,
    )
    return {"client_id": client_id, **sums, "balance_cents": sums["billed_cents"] - sums["paid_cents"]}
