"""Labs: ordering lab tests and releasing results."""

from typing import Annotated, Literal

from runtime import Database, Date, Field, Rejection, TypedDict, tool


class LabOrder(TypedDict):
    lab_order_id: Annotated[str, "lab order"]
    patient_id: Annotated[str, "patient"]
    visit_id: Annotated[str, "visit it comes from"]
    test_name: Annotated[str, "name of the test"]
    needs_fasting: Annotated[bool, "patient must fast"]
    status: Annotated[Literal["ordered", "resulted", "released", "canceled"], "status"]
    ordered_on: Annotated[Date, "day ordered"]
    resulted_on: Annotated[Date | None, "day of the result"]
    result: Annotated[str | None, "result as reported"]
    flag: Annotated[Literal["normal", "abnormal", "critical"] | None, "how it reads"]
    released_on: Annotated[Date | None, "day released"]
    cancel_reason: Annotated[str | None, "why canceled"]


class LabOrderList(TypedDict):
    items: Annotated[list[LabOrder], "entries"]
    total: Annotated[int, "all matches"]


def _lab_order(db, lab_order_id):
    row = db.first(
        """
        SELECT lab_order.*, visit.patient_id FROM lab_order JOIN visit ON visit.visit_id = lab_order.visit_id
        WHERE lab_order_id = ?
        """,
        lab_order_id,
    )
    return {**row, "needs_fasting": bool(row["needs_fasting"])}


def _require_ordered(order):
    if order["status"] != "ordered":
        raise Rejection.failed_precondition(f"Lab order {order['lab_order_id']!r} is {order['status']}, not ordered.")


@tool(reads=["patient", "visit", "lab_order"], rejects=["NOT_FOUND"])
def list_patient_lab_orders(
    db: Database,
    patient_id: Annotated[str, "patient"],
    status: Annotated[Literal["ordered", "resulted", "released", "canceled"] | None, "only this status"] = None,
    limit: Annotated[int, "most entries to return", Field(ge=1, le=50)] = 20,
) -> LabOrderList:
    """List a patient's lab orders.

    Sorted by ordered_on, newest first.
    """
    db.require("patient", patient_id)
    rows = db.select(
        """
        SELECT lab_order_id FROM lab_order JOIN visit ON visit.visit_id = lab_order.visit_id
        WHERE visit.patient_id = ? AND (? IS NULL OR lab_order.status = ?)
        ORDER BY ordered_on DESC, lab_order_id
        """,
        patient_id,
        status,
        status,
    )
    return {"items": [_lab_order(db, row["lab_order_id"]) for row in rows[:limit]], "total": len(rows)}


@tool(reads=["visit"], writes=["lab_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION", "ALREADY_EXISTS"])
def order_lab(
    db: Database,
    visit_id: Annotated[str, "visit it comes from"],
    test_name: Annotated[str, "name of the test", Field(min_length=1)],
    needs_fasting: Annotated[bool, "patient must fast"] = False,
) -> LabOrder:
    """Order a lab test from a visit.

    Requires: The visit is checked in or completed. The patient has no lab order in status ordered with exactly this
    test name.

    patient is that of the visit; status is ordered, ordered_on today.
    """
    visit = db.require("visit", visit_id)
    if visit["status"] not in ("checked_in", "completed"):
        raise Rejection.failed_precondition(f"Visit {visit_id!r} is {visit['status']}, not checked_in or completed.")
    waiting = db.first(
        """
        SELECT lab_order_id FROM lab_order JOIN visit ON visit.visit_id = lab_order.visit_id
        WHERE visit.patient_id = ? AND lab_order.status = 'ordered' AND test_name = ?
        """,
        visit["patient_id"],
        test_name,
    )
    if waiting:
        raise Rejection.already_exists(f"{test_name!r} is already ordered as {waiting['lab_order_id']!r}.")
    order = db.insert(
        "lab_order",
        lab_order_id=db.new_id("lab_order"),
        visit_id=visit_id,
        test_name=test_name,
        needs_fasting=int(needs_fasting),
        status="ordered",
        ordered_on=db.today,
    )
    return _lab_order(db, order["lab_order_id"])


@tool(reads=["visit"], writes=["lab_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def record_lab_result(
    db: Database,
    lab_order_id: Annotated[str, "order the result is for"],
    result: Annotated[str, "result as reported", Field(min_length=1)],
    flag: Annotated[Literal["normal", "abnormal", "critical"], "how it reads"],
) -> LabOrder:
    """Enter the result of an ordered lab test.

    Requires: The lab order is in status ordered.

    status becomes resulted, resulted_on today; result and flag as given.
    """
    _require_ordered(db.require("lab_order", lab_order_id))
    db.update("lab_order", lab_order_id, status="resulted", resulted_on=db.today, result=result, flag=flag)
    return _lab_order(db, lab_order_id)


@tool(reads=["visit"], writes=["lab_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def release_lab_results(
    db: Database, lab_order_ids: Annotated[list[str], "orders to release", Field(min_length=1, max_length=20)]
) -> LabOrderList:
    """Release results to the patients' portal.

    Requires: Every lab order is in status resulted.

    status becomes released, released_on today; total is the number of orders.
    """
    if len(set(lab_order_ids)) < len(lab_order_ids):
        raise Rejection.invalid_argument("A lab order is named twice; name each one once.")
    orders = [db.require("lab_order", lab_order_id) for lab_order_id in lab_order_ids]
    for order in orders:
        if order["status"] != "resulted":
            raise Rejection.failed_precondition(
                f"Lab order {order['lab_order_id']!r} is {order['status']}, not resulted."
            )
    for lab_order_id in lab_order_ids:
        db.update("lab_order", lab_order_id, status="released", released_on=db.today)
    return {"items": [_lab_order(db, lab_order_id) for lab_order_id in lab_order_ids], "total": len(lab_order_ids)}


@tool(reads=["visit"], writes=["lab_order"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def cancel_lab_order(
    db: Database,
    lab_order_id: Annotated[str, "order to cancel"],
    reason: Annotated[str, "why it is canceled", Field(min_length=1)],
) -> LabOrder:
    """Cancel a lab test that has no result yet.

    Requires: The lab order is in status ordered.

    status becomes canceled; cancel_reason is the reason.
    """
    _require_ordered(db.require("lab_order", lab_order_id))
    db.update("lab_order", lab_order_id, status="canceled", cancel_reason=reason)
    return _lab_order(db, lab_order_id)
