"""The tools of a twin: what they are called and what they say; foreign operations keep their names."""

from __future__ import annotations

from generator.twin.operations import offer_operations
from generator.twin.source import Operation, OperationParameter
from generator.twin.tools import write_tools
from tests.generator.twin.shop import bike_shop


def test_every_table_gets_the_usual_five_in_a_file_of_its_own():
    shop = bike_shop()
    operations = offer_operations(shop)
    files = write_tools(shop, operations)
    assert set(files) == {f"{name}.py" for name in shop.tables}
    assert [each.name for each in operations if each.table == "work_order"] == [
        *("find_work_orders", "get_work_order", "create_work_order", "update_work_order", "delete_work_order")
    ]
    assert "if order lines still refer to it" in " ".join(files["work_order.py"].split())
    assert 'clear: Annotated[list[Literal["phone"]] | None' in files["customer.py"]


def test_operations_of_a_source_keep_their_names_and_parameters():
    shop = bike_shop()
    order = OperationParameter("orderId", "key", "id", required=True)
    shop.operations = [
        Operation(
            "cancelOrder", "set", "work_order", (order,), {"status": "ready"}, said="POST /orders/{orderId}/ready"
        ),
        Operation("listBikes", "find", "bike", (OperationParameter("min_", "least", "year"),)),
        Operation("addBike", "create", "bike", (OperationParameter("model", "value", "model", required=True),)),
    ]
    operations = offer_operations(shop)
    text = "".join(write_tools(shop, operations).values())
    assert "def cancelOrder(db: Database, orderId: " in text
    assert 'db.update("work_order", orderId, status="ready")' in text
    assert shop.opened == {"addBike": "it gives no customer_id, which every bike has"}
