"""Dispatch: couriers and their delivery routes."""

from collections import Counter
from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class Courier(TypedDict):
    courier_id: Annotated[str, "the courier"]
    full_name: Annotated[str, "name"]
    depot: Annotated[Literal["north", "south", "airport"], "home depot"]
    capacity_parcels: Annotated[int, "most parcels on a route"]


class CourierList(TypedDict):
    total: Annotated[int, "number of couriers"]
    couriers: Annotated[list[Courier], "the couriers"]


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


class Route(TypedDict):
    route_id: Annotated[str, "the route"]
    courier_id: Annotated[str, "who drives it"]
    courier_name: Annotated[str, "courier's full_name"]
    depot: Annotated[Literal["north", "south", "airport"], "depot"]
    route_on: Annotated[Date, "day"]
    state: Annotated[Literal["planned", "started", "finished"], "state"]
    capacity_parcels: Annotated[int, "the courier's capacity"]
    load: Annotated[int, "shipments on it"]
    shipments: Annotated[list[ShipmentLine], "all of them, by tracking_number"]


class RouteLine(TypedDict):
    route_id: Annotated[str, "the route"]
    courier_name: Annotated[str, "who drives it"]
    depot: Annotated[Literal["north", "south", "airport"], "depot"]
    route_on: Annotated[Date, "day"]
    state: Annotated[Literal["planned", "started", "finished"], "state"]
    load: Annotated[int, "shipments on it"]


class RouteList(TypedDict):
    total: Annotated[int, "number of routes"]
    routes: Annotated[list[RouteLine], "the routes"]


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


def _route(db, route_id):
    route = db.require("route", route_id)
    courier = db.require("courier", route["courier_id"])
    shipments = db.select("SELECT * FROM shipment WHERE route_id = ? ORDER BY tracking_number", route_id)
    return {
        "route_id": route_id,
        "courier_id": route["courier_id"],
        "courier_name": courier["full_name"],
        "depot": route["depot"],
        "route_on": route["route_on"],
        "state": route["state"],
        "capacity_parcels": courier["capacity_parcels"],
        "load": len(shipments),
        "shipments": list(map(_line, shipments)),
    }


def _require_state(route, state):
    if route["state"] != state:
        raise Rejection.failed_precondition(f"Route {route['route_id']!r} is {route['state']}, not {state}.")


@tool(reads=["courier"])
def list_couriers(
    db: Database,
    depot: Annotated[Literal["north", "south", "airport"] | None, "only of this depot"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> CourierList:
    """List couriers.

    Sorted by full_name.
    """
    rows = db.select(
        """
        SELECT courier_id, full_name, depot, capacity_parcels FROM courier
        WHERE (? IS NULL OR depot = ?)
        ORDER BY full_name, courier_id
        """,
        depot,
        depot,
    )
    return {"total": len(rows), "couriers": rows[:limit]}


@tool(writes=["courier"], rejects=["ALREADY_EXISTS"])
def add_courier(
    db: Database,
    full_name: Annotated[str, "first and last name", Field(min_length=1)],
    depot: Annotated[Literal["north", "south", "airport"], "home depot"],
    capacity_parcels: Annotated[int, "most parcels on a route", Field(ge=1, le=200)],
) -> Courier:
    """Add a courier to a depot.

    Requires: The depot has no courier of exactly this name.
    """
    if db.first("SELECT 1 FROM courier WHERE depot = ? AND full_name = ?", depot, full_name):
        raise Rejection.already_exists(f"The depot {depot} has a courier named {full_name!r}.")
    return db.insert(
        "courier",
        courier_id=db.new_id("courier"),
        full_name=full_name,
        depot=depot,
        capacity_parcels=capacity_parcels,
    )


@tool(reads=["courier", "shipment"], writes=["route"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "ALREADY_EXISTS"])
def plan_route(
    db: Database, courier_id: Annotated[str, "who drives it"], route_on: Annotated[Date, "day of the route"]
) -> Route:
    """Plan a courier's delivery route for a day.

    Requires: route_on is today or later. The courier has no route that day.

    The route is planned, with the courier's depot.
    """
    if route_on < db.today:
        raise Rejection.invalid_argument(f"{route_on} is past; give today or a later day.")
    courier = db.require("courier", courier_id)
    if db.first("SELECT 1 FROM route WHERE courier_id = ? AND route_on = ?", courier_id, route_on):
        raise Rejection.already_exists(f"Courier {courier_id!r} has a route on {route_on}.")
    route = db.insert(
        "route",
        route_id=db.new_id("route"),
        courier_id=courier_id,
        depot=courier["depot"],
        route_on=route_on,
        state="planned",
    )
    return _route(db, route["route_id"])


@tool(reads=["courier", "route", "shipment"])
def list_routes(
    db: Database,
    route_on: Annotated[Date, "day of the routes"],
    depot: Annotated[Literal["north", "south", "airport"] | None, "only from this depot"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> RouteList:
    """List the routes of a day.

    Sorted by depot, then by courier_name.
    """
    rows = db.select(
        """
        SELECT r.route_id, c.full_name AS courier_name, r.depot, r.route_on, r.state,
               (SELECT count(*) FROM shipment AS s WHERE s.route_id = r.route_id) AS load
        FROM route AS r JOIN courier AS c ON c.courier_id = r.courier_id
        WHERE r.route_on = ? AND (? IS NULL OR r.depot = ?)
        ORDER BY r.depot, c.full_name, r.route_id
        """,
        route_on,
        depot,
        depot,
    )
    return {"total": len(rows), "routes": rows[:limit]}


@tool(reads=["courier", "route", "shipment"], rejects=["NOT_FOUND"])
def get_route(db: Database, route_id: Annotated[str, "the route"]) -> Route:
    """Show a route and its shipments."""
    return _route(db, route_id)


@tool(reads=["courier", "route"], writes=["shipment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def assign_shipments_to_route(
    db: Database,
    route_id: Annotated[str, "the route"],
    shipment_ids: Annotated[list[str], "the shipments", Field(min_length=1, max_length=20)],
) -> Route:
    """Put shipments on a planned route.

    Requires: The route is planned. Every shipment is at_depot at the route's depot. No shipment is on a route. The load
    with these shipments stays within the courier's capacity.

    route_id of the shipments is set.
    """
    _refuse_repeats(shipment_ids)
    route = db.require("route", route_id)
    shipments = [db.require("shipment", shipment_id) for shipment_id in shipment_ids]
    _require_state(route, "planned")
    for shipment in shipments:
        if shipment["state"] != "at_depot" or shipment["depot"] != route["depot"]:
            raise Rejection.failed_precondition(
                f"Shipment {shipment['shipment_id']!r} is {shipment['state']}, not at_depot at the depot {route['depot']}."
            )
    for shipment in shipments:
        if shipment["route_id"] is not None:
            raise Rejection.failed_precondition(
                f"Shipment {shipment['shipment_id']!r} is on route {shipment['route_id']!r} already."
            )
    load = db.value("SELECT count(*) FROM shipment WHERE route_id = ?", route_id) + len(shipment_ids)
    capacity = db.require("courier", route["courier_id"])["capacity_parcels"]
    if load > capacity:
        raise Rejection.failed_precondition(
            f"Route {route_id!r} would carry {load} shipments; its courier takes {capacity}."
        )
    for shipment_id in shipment_ids:
        db.update("shipment", shipment_id, route_id=route_id)
    return _route(db, route_id)


@tool(reads=["courier", "route"], writes=["shipment"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def remove_shipments_from_route(
    db: Database,
    route_id: Annotated[str, "the route"],
    shipment_ids: Annotated[list[str], "the shipments", Field(min_length=1, max_length=20)],
) -> Route:
    """Take shipments off a planned route.

    Requires: The route is planned. Every shipment is on this route.

    route_id of the shipments becomes null.
    """
    _refuse_repeats(shipment_ids)
    route = db.require("route", route_id)
    shipments = [db.require("shipment", shipment_id) for shipment_id in shipment_ids]
    _require_state(route, "planned")
    for shipment in shipments:
        if shipment["route_id"] != route_id:
            raise Rejection.failed_precondition(f"Shipment {shipment['shipment_id']!r} is not on route {route_id!r}.")
    for shipment_id in shipment_ids:
        db.update("shipment", shipment_id, route_id=None)
    return _route(db, route_id)


@tool(reads=["courier"], writes=["route", "shipment", "scan"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def start_route(db: Database, route_id: Annotated[str, "the route"]) -> Route:
    """Send a courier out with the shipments of a route.

    Requires: The route is planned. route_on is today. At least one shipment is on the route.

    The state becomes started; its shipments become out_for_delivery.
    """
    route = db.require("route", route_id)
    _require_state(route, "planned")
    if route["route_on"] != db.today:
        raise Rejection.failed_precondition(f"Route {route_id!r} is for {route['route_on']}, not for today.")
    shipments = db.select("SELECT shipment_id FROM shipment WHERE route_id = ? ORDER BY tracking_number", route_id)
    if not shipments:
        raise Rejection.failed_precondition(f"Route {route_id!r} has no shipments; assign some first.")
    db.update("route", route_id, state="started")
    for shipment in shipments:
        _scan(db, db.update("shipment", shipment["shipment_id"], state="out_for_delivery"), "out_for_delivery")
    return _route(db, route_id)


@tool(reads=["courier", "shipment"], writes=["route"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def finish_route(db: Database, route_id: Annotated[str, "the route"]) -> Route:
    """Close a route after all its shipments are dealt with.

    Requires: The route is started. No shipment on it is still out_for_delivery.

    The state becomes finished.
    """
    _require_state(db.require("route", route_id), "started")
    out = db.value("SELECT count(*) FROM shipment WHERE route_id = ? AND state = 'out_for_delivery'", route_id)
    if out > 0:
        raise Rejection.failed_precondition(f"{out} shipments of route {route_id!r} are still out_for_delivery.")
    db.update("route", route_id, state="finished")
    return _route(db, route_id)
