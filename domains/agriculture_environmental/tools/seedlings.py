"""Seedlings: the spring sale of tree and shrub seedlings."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Field, Rejection, Timestamp, TypedDict, tool


class Seedling(TypedDict):
    seedling_id: Annotated[str, "seedling"]
    species: Annotated[str, "common name"]
    kind: Annotated[Literal["hardwood", "conifer", "shrub"], "kind"]
    bundle_size: Annotated[int, "seedlings in a bundle"]
    price_cents: Annotated[int, "price of a bundle"]
    bundles_left: Annotated[int, "bundles left to order"]
    wet_ground: Annotated[bool, "grows in wet ground"]


class SeedlingList(TypedDict):
    seedlings: Annotated[list[Seedling], "those listed"]
    total: Annotated[int, "how many match in all"]


class SeedlingOrder(TypedDict):
    seedling_order_id: Annotated[str, "order"]
    landowner_id: Annotated[str, "who ordered"]
    seedling_id: Annotated[str, "seedling"]
    species: Annotated[str, "common name"]
    bundles: Annotated[int, "bundles ordered"]
    price_cents: Annotated[int, "price of the order"]
    pickup_day: Annotated[Literal["friday", "saturday"], "day of pickup"]
    status: Annotated[Literal["reserved", "canceled"], "state"]
    created_at: Annotated[Timestamp, "when ordered"]


class SeedlingOrderList(TypedDict):
    seedling_orders: Annotated[list[SeedlingOrder], "those listed"]
    total: Annotated[int, "how many match in all"]
    reserved_cents: Annotated[int, "price of all reserved orders"]


class SeedlingOrderBatch(TypedDict):
    seedling_orders: Annotated[list[SeedlingOrder], "those canceled"]


def _refuse_twice(ids):
    for one, times in Counter(ids).items():
        if times > 1:
            raise Rejection.invalid_argument(f"{one!r} is in the list {times} times; give each id once.")


def _order(db, seedling_order_id):
    return db.first(
        """
        SELECT o.seedling_order_id, o.landowner_id, o.seedling_id, s.species, o.bundles, o.price_cents, o.pickup_day,
            o.status, o.created_at
        FROM seedling_order o JOIN seedling s ON s.seedling_id = o.seedling_id
        WHERE o.seedling_order_id = ?
        """,
        seedling_order_id,
    )


@tool(reads=["seedling"])
def search_seedlings(
    db: Database,
    species: Annotated[str | None, "contained in the species' name", Field(min_length=1)] = None,
    kind: Annotated[Literal["hardwood", "conifer", "shrub"] | None, "only this kind"] = None,
    wet_ground: Annotated[bool | None, "whether it grows in wet ground"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> SeedlingList:
    """Search the tree and shrub seedlings of the spring sale.

    Sorted by species; sold-out ones are listed too.
    """
    seedlings = db.select(
        """
        SELECT * FROM seedling
        WHERE (? IS NULL OR instr(lower(species), lower(?)) > 0) AND (? IS NULL OR kind = ?)
        AND (? IS NULL OR wet_ground = ?)
        ORDER BY species, seedling_id
        """,
        species,
        species,
        kind,
        kind,
        wet_ground,
        wet_ground,
    )
    return {
        "seedlings": [{**row, "wet_ground": bool(row["wet_ground"])} for row in seedlings[:limit]],
        "total": len(seedlings),
    }


@tool(reads=["landowner", "seedling", "seedling_order"], rejects=["NOT_FOUND"])
def list_seedling_orders(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    status: Annotated[Literal["reserved", "canceled"] | None, "only orders in this state"] = None,
    limit: Annotated[int, "most entries returned", Field(ge=1, le=50)] = 20,
) -> SeedlingOrderList:
    """List a landowner's seedling orders.

    Newest created_at first; reserved_cents adds up price_cents of all reserved orders, whatever the filter.
    """
    db.require("landowner", landowner_id)
    orders = db.select(
        """
        SELECT seedling_order_id FROM seedling_order WHERE landowner_id = ? AND (? IS NULL OR status = ?)
        ORDER BY created_at DESC, seedling_order_id
        """,
        landowner_id,
        status,
        status,
    )
    reserved = db.value(
        "SELECT coalesce(sum(price_cents), 0) FROM seedling_order WHERE landowner_id = ? AND status = 'reserved'",
        landowner_id,
    )
    return {
        "seedling_orders": [_order(db, order["seedling_order_id"]) for order in orders[:limit]],
        "total": len(orders),
        "reserved_cents": reserved,
    }


@tool(
    reads=["landowner"],
    writes=["seedling", "seedling_order"],
    rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"],
)
def order_seedlings(
    db: Database,
    landowner_id: Annotated[str, "landowner who calls"],
    seedling_id: Annotated[str, "seedling to order"],
    bundles: Annotated[int, "how many bundles", Field(ge=1, le=40)],
    pickup_day: Annotated[Literal["friday", "saturday"], "day they pick up"],
) -> SeedlingOrder:
    """Order bundles of a seedling for the spring sale.

    Requires: That many bundles are left. The landowner has no reserved order for this seedling.

    A new reserved order; price_cents is bundles times the price of a bundle; bundles_left goes down by bundles.
    """
    db.require("landowner", landowner_id)
    seedling = db.require("seedling", seedling_id)
    if bundles > seedling["bundles_left"]:
        raise Rejection.failed_precondition(
            f"{seedling['species']} has {seedling['bundles_left']} bundles left, fewer than {bundles}."
        )
    if db.first(
        "SELECT 1 FROM seedling_order WHERE landowner_id = ? AND seedling_id = ? AND status = 'reserved'",
        landowner_id,
        seedling_id,
    ):
        raise Rejection.already_exists(
            f"The landowner already has a reserved order for {seedling['species']}; change that one instead."
        )
    order = db.insert(
        "seedling_order",
        seedling_order_id=db.new_id("seedling_order"),
        landowner_id=landowner_id,
        seedling_id=seedling_id,
        bundles=bundles,
        price_cents=bundles * seedling["price_cents"],
        pickup_day=pickup_day,
        created_at=db.now,
    )
    db.update("seedling", seedling_id, bundles_left=seedling["bundles_left"] - bundles)
    return _order(db, order["seedling_order_id"])


@tool(writes=["seedling", "seedling_order"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def change_seedling_order(
    db: Database,
    seedling_order_id: Annotated[str, "order to change"],
    bundles: Annotated[int | None, "new number of bundles", Field(ge=1, le=40)] = None,
    pickup_day: Annotated[Literal["friday", "saturday"] | None, "new pickup day"] = None,
) -> SeedlingOrder:
    """Change the bundles or the pickup day of a seedling order.

    Requires: bundles or pickup_day is given. The order is reserved. Enough bundles are left for what the order grows
    by.

    With bundles: bundles_left moves by the difference and price_cents becomes bundles times the price of a bundle.
    """
    if bundles is None and pickup_day is None:
        raise Rejection.invalid_argument("Give bundles or pickup_day.")
    order = db.require("seedling_order", seedling_order_id)
    if order["status"] != "reserved":
        raise Rejection.failed_precondition(f"Seedling order {seedling_order_id!r} is {order['status']}, not reserved.")
    if bundles is not None:
        seedling = db.require("seedling", order["seedling_id"])
        growth = bundles - order["bundles"]
        if growth > seedling["bundles_left"]:
            raise Rejection.failed_precondition(
                f"{seedling['species']} has {seedling['bundles_left']} bundles left, fewer than {growth} more."
            )
        db.update("seedling_order", seedling_order_id, bundles=bundles, price_cents=bundles * seedling["price_cents"])
        db.update("seedling", seedling["seedling_id"], bundles_left=seedling["bundles_left"] - growth)
    if pickup_day is not None:
        db.update("seedling_order", seedling_order_id, pickup_day=pickup_day)
    return _order(db, seedling_order_id)


@tool(writes=["seedling", "seedling_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_seedling_orders(
    db: Database, seedling_order_ids: Annotated[list[str], "orders to cancel", Field(min_length=1, max_length=20)]
) -> SeedlingOrderBatch:
    """Cancel one or more seedling orders.

    Requires: Every order is reserved.

    Each becomes canceled, canceled_at is the clock, and its bundles go back to bundles_left; bundles and price_cents
    stay on it.
    """
    _refuse_twice(seedling_order_ids)
    orders = [db.require("seedling_order", seedling_order_id) for seedling_order_id in seedling_order_ids]
    for order in orders:
        if order["status"] != "reserved":
            raise Rejection.failed_precondition(
                f"Seedling order {order['seedling_order_id']!r} is {order['status']}, not reserved."
            )
    for order in orders:
        seedling = db.require("seedling", order["seedling_id"])
        db.update("seedling_order", order["seedling_order_id"], status="canceled", canceled_at=db.now)
        db.update("seedling", seedling["seedling_id"], bundles_left=seedling["bundles_left"] + order["bundles"])
    return {"seedling_orders": [_order(db, seedling_order_id) for seedling_order_id in seedling_order_ids]}
