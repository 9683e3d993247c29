"""The tools of a twin: what they are called and what they say; foreign operations keep their names."""

from __future__ import annotations

from generator.twin.author import draft_of
from generator.twin.operations import offer_operations
from generator.twin.source import Operation, OperationParameter, SourceSchema
from tests.generator.twin.shop import bike_shop


def _files(shop: SourceSchema) -> dict[str, str]:
    return draft_of(shop, offer_operations(shop), "bike_shop", "shop.sql", "").tool_files()


def test_every_table_gets_the_usual_five_in_a_file_of_its_own() -> None:
    shop = bike_shop()
    files = _files(shop)
    assert set(files) == set(shop.tables)
    assert [each.name for each in offer_operations(shop) if each.table == "work_order"] == [
        *("find_work_orders", "get_work_order", "create_work_order", "update_work_order", "delete_work_order")
    ]
    assert "No order lines refer to it." in files["work_order"]
    assert 'clear: Annotated[list[Literal["phone"]] | None' in files["customer"]


def test_operations_of_a_source_keep_their_names_and_parameters() -> None:
    shop = bike_shop()
    order = OperationParameter("orderId", "key", "id", required=True)
    shop.operations = [
        Operation(
            "cancelOrder", "set", "work_order", (order,), {"status": "ready"}, said="POST /orders/{orderId}/ready"
        ),
        Operation("listBikes", "find", "bike", (OperationParameter("min_", "least", "year"),)),
        Operation("addBike", "create", "bike", (OperationParameter("make", "value", "make", required=True),)),
    ]
    text = "".join(_files(shop).values())
    assert "def cancelOrder(db: Database, orderId: " in text
    assert "db.update(\"work_order\", orderId, status='ready')" in text
    assert shop.opened == {"addBike": "it gives no customer_id, which every bike has"}
