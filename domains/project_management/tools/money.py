"""Money: change orders, purchases, and charges of a project."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, add_days, tool


class ChangeOrder(TypedDict):
    change_order_id: Annotated[str, "the change order"]
    project_id: Annotated[str, "its project"]
    title: Annotated[str, "what changes"]
    amount_cents: Annotated[int, "added to the budget"]
    extra_days: Annotated[int, "days added to the schedule"]
    status: Annotated[Literal["waiting", "signed", "withdrawn"], "change order status"]
    submitted_on: Annotated[Date, "day it was submitted"]
    signed_on: Annotated[Date | None, "day the client signed"]


class ChangeOrderList(TypedDict):
    change_orders: Annotated[list[ChangeOrder], "change orders found"]
    total: Annotated[int, "all matches"]
    total_cents: Annotated[int, "amount of all matches"]


class Purchase(TypedDict):
    purchase_id: Annotated[str, "the purchase"]
    project_id: Annotated[str, "its project"]
    item: Annotated[str, "what was bought"]
    vendor_name: Annotated[str, "who sells it"]
    category: Annotated[Literal["stock", "custom"], "stock, or made to order"]
    cost_cents: Annotated[int, "price with freight"]
    ordered_on: Annotated[Date, "day of the order"]
    needed_on: Annotated[Date, "day it is needed"]
    status: Annotated[Literal["ordered", "received", "canceled"], "purchase status"]
    received_on: Annotated[Date | None, "day it arrived"]


class PurchaseList(TypedDict):
    purchases: Annotated[list[Purchase], "purchases found"]
    total: Annotated[int, "all matches"]
    total_cents: Annotated[int, "cost of all matches"]


class PurchaseBatch(TypedDict):
    purchases: Annotated[list[Purchase], "purchases received"]


class Charge(TypedDict):
    charge_id: Annotated[str, "the charge"]
    project_id: Annotated[str, "project that pays"]
    kind: Annotated[Literal["rush", "restocking", "late_cancel", "standby"], "what it is for"]
    amount_cents: Annotated[int, "amount"]
    charged_on: Annotated[Date, "day of the charge"]


class ChargeList(TypedDict):
    charges: Annotated[list[Charge], "charges found"]
    total: Annotated[int, "all matches"]
    total_cents: Annotated[int, "amount of all matches"]


CHANGE_ORDER = (
    "change_order_id",
    "project_id",
    "title",
    "amount_cents",
    "extra_days",
    "status",
    "submitted_on",
    "signed_on",
)
PURCHASE = (
    "purchase_id",
    "project_id",
    "item",
    "vendor_name",
    "category",
    "cost_cents",
    "ordered_on",
    "needed_on",
    "status",
    "received_on",
)
CHARGE = ("charge_id", "project_id", "kind", "amount_cents", "charged_on")


def _record(row, fields):
    """The given fields of a row."""
    return {field: row[field] for field in fields}


def _active(db, project_id):
    """Require an active project."""
    project = db.require("project", project_id)
    if project["status"] != "active":
        raise Rejection.failed_precondition(f"Project {project_id!r} is {project['status']}, not active.")


def _waiting(db, change_order_id):
    """A change order that waits for the client."""
    order = db.require("change_order", change_order_id)
    if order["status"] != "waiting":
        raise Rejection.failed_precondition(f"Change order {change_order_id!r} is {order['status']}, not waiting.")
    return order


@tool(reads=["project", "change_order"], rejects=["NOT_FOUND"])
def list_change_orders(
    db: Database,
    project_id: Annotated[str, "the project"],
    status: Annotated[Literal["waiting", "signed", "withdrawn"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> ChangeOrderList:
    """List the change orders of a project.

    Newest submitted_on first.
    """
    db.require("project", project_id)
    rows = db.select(
        """
        SELECT * FROM change_order WHERE project_id = ? AND (? IS NULL OR status = ?)
        ORDER BY submitted_on DESC, change_order_id
        """,
        project_id,
        status,
        status,
    )
    return {
        "change_orders": [_record(row, CHANGE_ORDER) for row in rows[:limit]],
        "total": len(rows),
        "total_cents": sum(row["amount_cents"] for row in rows),
    }


@tool(reads=["project"], writes=["change_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def submit_change_order(
    db: Database,
    project_id: Annotated[str, "the project"],
    title: Annotated[str, "what changes", Field(min_length=1, max_length=100)],
    amount_cents: Annotated[int, "to add to the budget", Field(ge=100)],
    extra_days: Annotated[int, "days to add to the schedule", Field(ge=0, le=90)] = 0,
) -> ChangeOrder:
    """Send a change order to the client to sign.

    Requires: The project is active. The project has no waiting change order of this title.

    Adds a waiting change order, submitted_on today.
    """
    _active(db, project_id)
    if db.first(
        "SELECT change_order_id FROM change_order WHERE project_id = ? AND title = ? AND status = 'waiting'",
        project_id,
        title,
    ):
        raise Rejection.already_exists(f"A change order titled {title!r} is waiting already.")
    order = db.insert(
        "change_order",
        change_order_id=db.new_id("change_order"),
        project_id=project_id,
        title=title,
        amount_cents=amount_cents,
        extra_days=extra_days,
        status="waiting",
        submitted_on=db.today,
    )
    return _record(order, CHANGE_ORDER)


@tool(writes=["change_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def withdraw_change_order(db: Database, change_order_id: Annotated[str, "change order to withdraw"]) -> ChangeOrder:
    """Withdraw a change order the client has not signed.

    Requires: The change order is waiting.

    status becomes withdrawn.
    """
    _waiting(db, change_order_id)
    return _record(db.update("change_order", change_order_id, status="withdrawn"), CHANGE_ORDER)


@tool(writes=["project", "change_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def sign_change_order(db: Database, change_order_id: Annotated[str, "change order that was signed"]) -> ChangeOrder:
    """Record that the client signed a change order.

    Requires: The change order is waiting and its project is not closed.

    status becomes signed, signed_on today. The project's budget_cents goes up by amount_cents; its due_on moves
    extra_days later.
    """
    order = _waiting(db, change_order_id)
    project = db.require("project", order["project_id"])
    if project["status"] == "closed":
        raise Rejection.failed_precondition(f"The project of change order {change_order_id!r} is closed.")
    db.update(
        "project",
        project["project_id"],
        budget_cents=project["budget_cents"] + order["amount_cents"],
        due_on=add_days(project["due_on"], order["extra_days"]),
    )
    return _record(db.update("change_order", change_order_id, status="signed", signed_on=db.today), CHANGE_ORDER)


@tool(reads=["project", "purchase"], rejects=["NOT_FOUND"])
def list_purchases(
    db: Database,
    project_id: Annotated[str, "the project"],
    status: Annotated[Literal["ordered", "received", "canceled"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> PurchaseList:
    """List the purchases of a project.

    Newest ordered_on first.
    """
    db.require("project", project_id)
    rows = db.select(
        """
        SELECT * FROM purchase WHERE project_id = ? AND (? IS NULL OR status = ?)
        ORDER BY ordered_on DESC, purchase_id
        """,
        project_id,
        status,
        status,
    )
    return {
        "purchases": [_record(row, PURCHASE) for row in rows[:limit]],
        "total": len(rows),
        "total_cents": sum(row["cost_cents"] for row in rows),
    }


@tool(reads=["project"], writes=["purchase"], rejects=["INVALID_ARGUMENT", "NOT_FOUND", "FAILED_PRECONDITION"])
def order_purchase(
    db: Database,
    project_id: Annotated[str, "the project"],
    item: Annotated[str, "what to buy", Field(min_length=1, max_length=100)],
    vendor_name: Annotated[str, "who sells it", Field(min_length=1, max_length=80)],
    category: Annotated[Literal["stock", "custom"], "stock, or made to order"],
    cost_cents: Annotated[int, "price with freight", Field(ge=100)],
    needed_on: Annotated[Date, "day it is needed"],
) -> Purchase:
    """Order material or parts for a project.

    Requires: needed_on is after today. The project is active.

    Adds a purchase with status ordered, ordered_on today.
    """
    if needed_on <= db.today:
        raise Rejection.invalid_argument(f"The day {needed_on} is not after today, {db.today}.")
    _active(db, project_id)
    purchase = db.insert(
        "purchase",
        purchase_id=db.new_id("purchase"),
        project_id=project_id,
        item=item,
        vendor_name=vendor_name,
        category=category,
        cost_cents=cost_cents,
        ordered_on=db.today,
        needed_on=needed_on,
        status="ordered",
    )
    return _record(purchase, PURCHASE)


@tool(writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def receive_purchases(
    db: Database, purchase_ids: Annotated[list[str], "purchases that arrived", Field(min_length=1, max_length=20)]
) -> PurchaseBatch:
    """Mark purchases as received at the dock.

    Requires: Every purchase is still ordered.

    status becomes received, received_on today for each.
    """
    if len(set(purchase_ids)) < len(purchase_ids):
        raise Rejection.invalid_argument("The list names a purchase twice.")
    purchases = [db.require("purchase", purchase_id) for purchase_id in purchase_ids]
    for purchase in purchases:
        if purchase["status"] != "ordered":
            raise Rejection.failed_precondition(
                f"Purchase {purchase['purchase_id']!r} is {purchase['status']}, not ordered."
            )
    received = [
        db.update("purchase", purchase_id, status="received", received_on=db.today) for purchase_id in purchase_ids
    ]
    return {"purchases": [_record(row, PURCHASE) for row in received]}


@tool(writes=["purchase"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_purchase(db: Database, purchase_id: Annotated[str, "purchase to cancel"]) -> Purchase:
    """Cancel a purchase that has not arrived.

    Requires: The purchase is still ordered.

    status becomes canceled, canceled_on today.
    """
    purchase = db.require("purchase", purchase_id)
    if purchase["status"] != "ordered":
        raise Rejection.failed_precondition(f"Purchase {purchase_id!r} is {purchase['status']}, not ordered.")
    return _record(db.update("purchase", purchase_id, status="canceled", canceled_on=db.today), PURCHASE)


@tool(reads=["project", "charge"], rejects=["NOT_FOUND"])
def list_charges(
    db: Database,
    project_id: Annotated[str, "the project"],
    kind: Annotated[Literal["rush", "restocking", "late_cancel", "standby"] | None, "only this kind"] = None,
    limit: Annotated[int, "most entries listed", Field(ge=1, le=50)] = 20,
) -> ChargeList:
    """List the shop charges of a project.

    Newest charged_on first.
    """
    db.require("project", project_id)
    rows = db.select(
        """
        SELECT * FROM charge WHERE project_id = ? AND (? IS NULL OR kind = ?)
        ORDER BY charged_on DESC, charge_id
        """,
        project_id,
        kind,
        kind,
    )
    return {
        "charges": [_record(row, CHARGE) for row in rows[:limit]],
        "total": len(rows),
        "total_cents": sum(row["amount_cents"] for row in rows),
    }


@tool(reads=["project"], writes=["charge"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def add_charge(
    db: Database,
    project_id: Annotated[str, "the project"],
    kind: Annotated[Literal["rush", "restocking", "late_cancel", "standby"], "what it is for"],
    amount_cents: Annotated[int, "amount", Field(ge=1)],
) -> Charge:
    """Add a shop charge to a project.

    Requires: The project is not closed.

    Adds the charge, charged_on today.
    """
    project = db.require("project", project_id)
    if project["status"] == "closed":
        raise Rejection.failed_precondition(f"Project {project_id!r} is closed.")
    charge = db.insert(
        "charge",
        charge_id=db.new_id("charge"),
        project_id=project_id,
        kind=kind,
        amount_cents=amount_cents,
        charged_on=db.today,
    )
    return _record(charge, CHARGE)
