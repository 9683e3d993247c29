"""Equipment: finding, reserving, handing over, and returning machines."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, Timestamp, TypedDict, tool


class Equipment(TypedDict):
    equipment_id: Annotated[str, "equipment"]
    name: Annotated[str, "name"]
    kind: Annotated[Literal["drill", "crimper", "planter", "spreader", "sprayer"], "kind"]
    rate_cents: Annotated[int, "price per acre"]
    minimum_cents: Annotated[int, "least a rental costs"]
    horsepower_needed: Annotated[int, "least tractor horsepower"]
    status: Annotated[Literal["available", "out", "in_repair"], "state"]


class EquipmentList(TypedDict):
    equipment: Annotated[list[Equipment], "those listed"]
    total: Annotated[int, "how many match in all"]


class Rental(TypedDict):
    rental_id: Annotated[str, "rental"]
    landowner_id: Annotated[str, "who rents"]
    equipment_id: Annotated[str, "equipment"]
    equipment_name: Annotated[str, "name of the equipment"]
    pickup_on: Annotated[Date, "first day"]
    return_on: Annotated[Date, "last day"]
    status: Annotated[Literal["reserved", "out", "returned", "canceled"], "state"]
    acres: Annotated[int | None, "acres done"]
    fee_cents: Annotated[int | None, "what it cost"]
    created_at: Annotated[Timestamp, "when reserved"]


class RentalList(TypedDict):
    rentals: Annotated[list[Rental], "those listed"]
    total: Annotated[int, "how many match in all"]


class RentalBatch(TypedDict):
    rentals: Annotated[list[Rental], "those canceled"]


def _refuse_twice(ids):
    for one, times in Counter(ids).items():
        if times > 1:
            raise Rejection.invalid_argument(f"{one!r} is in the list {times} times; give each id once.")


def _rental(db, rental_id):
    return db.first(
        """
        SELECT r.rental_id, r.landowner_id, r.equipment_id, e.name AS equipment_name, r.pickup_on, r.return_on,
            r.status, r.acres, r.fee_cents, r.created_at
        FROM rental r JOIN equipment e ON e.equipment_id = r.equipment_id
        WHERE r.rental_id = ?
        """,
        rental_id,
    )


def _refuse_bad_days(db, pickup_on, return_on):
    if pickup_on < db.today:
        raise Rejection.invalid_argument(f"pickup_on {pickup_on} is before today, {db.today}.")
    if return_on < pickup_on:
        raise Rejection.invalid_argument(f"return_on {return_on} is before pickup_on {pickup_on}.")


def _refuse_taken_days(db, equipment_id, pickup_on, return_on, rental_id):
    taken = db.first(
        """
        SELECT * FROM rental
        WHERE equipment_id = ? AND status IN ('reserved', 'out') AND pickup_on <= ? AND return_on >= ? AND rental_id <> ?
        ORDER BY pickup_on, rental_id
        """,
        equipment_id,
        return_on,
        pickup_on,
        rental_id,
    )
    if taken is not None:
        raise Rejection.failed_precondition(
            f"Equipment {equipment_id!r} is taken from {taken['pickup_on']} through {taken['return_on']}."
        )


@tool(reads=["equipment", "rental"], rejects=["INVALID_ARGUMENT"])
def search_equipment(
    db: Database,
    kind: Annotated[Literal["drill", "crimper", "planter", "spreader", "sprayer"] | None, "only this kind"] = None,
    pickup_on: Annotated[Date | None, "first day it must be free"] = None,
    return_on: Annotated[Date | None, "last day it must be free"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> EquipmentList:
    """Search the equipment we rent out, by kind and free days.

    Requires: pickup_on and return_on are both given or both left out. return_on is not before pickup_on.

    With days: only equipment that is not in repair and has no open rental on those days. Sorted by name.
    """
    if (pickup_on is None) != (return_on is None):
        raise Rejection.invalid_argument("Give both pickup_on and return_on, or neither.")
    if pickup_on is not None and return_on < pickup_on:
        raise Rejection.invalid_argument(f"return_on {return_on} is before pickup_on {pickup_on}.")
    machines = db.select(
        """
        SELECT * FROM equipment e
        WHERE (? IS NULL OR kind = ?)
        AND (? IS NULL OR (status <> 'in_repair' AND NOT EXISTS (
            SELECT 1 FROM rental r
            WHERE r.equipment_id = e.equipment_id AND r.status IN ('reserved', 'out')
            AND r.pickup_on <= ? AND r.return_on >= ?
        )))
        ORDER BY name, equipment_id
        """,
        kind,
        kind,
        pickup_on,
        return_on,
        pickup_on,
    )
    return {"equipment": machines[:limit], "total": len(machines)}


@tool(reads=["landowner", "equipment", "rental"], rejects=["NOT_FOUND"])
def list_rentals(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    status: Annotated[Literal["reserved", "out", "returned", "canceled"] | None, "only rentals in this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> RentalList:
    """List a landowner's equipment rentals.

    Latest pickup_on first.
    """
    db.require("landowner", landowner_id)
    rentals = db.select(
        """
        SELECT rental_id FROM rental WHERE landowner_id = ? AND (? IS NULL OR status = ?)
        ORDER BY pickup_on DESC, rental_id
        """,
        landowner_id,
        status,
        status,
    )
    return {"rentals": [_rental(db, rental["rental_id"]) for rental in rentals[:limit]], "total": len(rentals)}


@tool(
    reads=["landowner", "equipment"],
    writes=["rental"],
    rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"],
)
def reserve_equipment(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    equipment_id: Annotated[str, "equipment to reserve"],
    pickup_on: Annotated[Date, "first day"],
    return_on: Annotated[Date, "last day"],
) -> Rental:
    """Reserve a piece of equipment for some days.

    Requires: pickup_on is today or later. return_on is not before pickup_on. The equipment is not in repair. It has no
    open rental on any of these days.

    A new reserved rental.
    """
    _refuse_bad_days(db, pickup_on, return_on)
    db.require("landowner", landowner_id)
    machine = db.require("equipment", equipment_id)
    if machine["status"] == "in_repair":
        raise Rejection.failed_precondition(f"{machine['name']} is in repair and cannot be reserved.")
    _refuse_taken_days(db, equipment_id, pickup_on, return_on, "")
    rental = db.insert(
        "rental",
        rental_id=db.new_id("rental"),
        landowner_id=landowner_id,
        equipment_id=equipment_id,
        pickup_on=pickup_on,
        return_on=return_on,
        created_at=db.now,
    )
    return _rental(db, rental["rental_id"])


@tool(reads=["equipment"], writes=["rental"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def reschedule_rental(
    db: Database,
    rental_id: Annotated[str, "rental to move"],
    pickup_on: Annotated[Date, "new first day"],
    return_on: Annotated[Date, "new last day"],
) -> Rental:
    """Move a reserved rental to other days.

    Requires: pickup_on is today or later. return_on is not before pickup_on. The rental is reserved. Its equipment has
    no other open rental on any of the new days.
    """
    _refuse_bad_days(db, pickup_on, return_on)
    rental = db.require("rental", rental_id)
    if rental["status"] != "reserved":
        raise Rejection.failed_precondition(f"Rental {rental_id!r} is {rental['status']}, not reserved.")
    _refuse_taken_days(db, rental["equipment_id"], pickup_on, return_on, rental_id)
    db.update("rental", rental_id, pickup_on=pickup_on, return_on=return_on)
    return _rental(db, rental_id)


@tool(reads=["equipment"], writes=["rental"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_rentals(
    db: Database, rental_ids: Annotated[list[str], "rentals to cancel", Field(min_length=1, max_length=20)]
) -> RentalBatch:
    """Cancel one or more reserved rentals.

    Requires: Every rental is reserved.

    Each becomes canceled; canceled_at is the clock.
    """
    _refuse_twice(rental_ids)
    rentals = [db.require("rental", rental_id) for rental_id in rental_ids]
    for rental in rentals:
        if rental["status"] != "reserved":
            raise Rejection.failed_precondition(f"Rental {rental['rental_id']!r} is {rental['status']}, not reserved.")
    for rental_id in rental_ids:
        db.update("rental", rental_id, status="canceled", canceled_at=db.now)
    return {"rentals": [_rental(db, rental_id) for rental_id in rental_ids]}


@tool(writes=["equipment", "rental"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def check_out_rental(db: Database, rental_id: Annotated[str, "rental to hand over"]) -> Rental:
    """Hand over reserved equipment to the landowner.

    Requires: The rental is reserved. Today is one of its days. The equipment is available.

    The rental and its equipment become out; picked_up_at is the clock.
    """
    rental = db.require("rental", rental_id)
    if rental["status"] != "reserved":
        raise Rejection.failed_precondition(f"Rental {rental_id!r} is {rental['status']}, not reserved.")
    if not rental["pickup_on"] <= db.today <= rental["return_on"]:
        raise Rejection.failed_precondition(
            f"Rental {rental_id!r} is from {rental['pickup_on']} through {rental['return_on']}; today is {db.today}."
        )
    machine = db.require("equipment", rental["equipment_id"])
    if machine["status"] != "available":
        raise Rejection.failed_precondition(f"{machine['name']} is {machine['status']}, not available.")
    db.update("rental", rental_id, status="out", picked_up_at=db.now)
    db.update("equipment", rental["equipment_id"], status="out")
    return _rental(db, rental_id)


@tool(writes=["charge", "equipment", "rental"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def return_rental(
    db: Database,
    rental_id: Annotated[str, "rental that came back"],
    acres: Annotated[int, "acres done with it", Field(ge=1, le=2000)],
    damaged: Annotated[bool, "whether it needs repair"] = False,
) -> Rental:
    """Take equipment back and charge for the acres done.

    Requires: The rental is out.

    The rental becomes returned, with acres and fee_cents; returned_at is the clock. The equipment becomes in_repair if
    damaged, else available. A new open charge of kind rental over fee_cents for the landowner.
    """
    rental = db.require("rental", rental_id)
    if rental["status"] != "out":
        raise Rejection.failed_precondition(f"Rental {rental_id!r} is {rental['status']}, not out.")
    machine = db.require("equipment", rental["equipment_id"])
    fee = max(machine["minimum_cents"], acres * machine["rate_cents"])
    db.update("rental", rental_id, status="returned", acres=acres, fee_cents=fee, returned_at=db.now)
    db.update("equipment", rental["equipment_id"], status="in_repair" if damaged else "available")
    db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        landowner_id=rental["landowner_id"],
        kind="rental",
        amount_cents=fee,
        created_at=db.now,
    )
    return _rental(db, rental_id)
