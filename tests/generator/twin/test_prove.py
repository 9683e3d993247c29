"""A twin without a model: what its tools are called and say, that its cases hold, and what people ask of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from generator.author.draft import Draft
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.mutants import MutantsRequest, prove_mutants
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.twin.author import draft_of
from generator.twin.engine import other_value
from generator.twin.operations import offer_operations
from generator.twin.recording import RecordingRequest, record_calls
from generator.twin.scenes import ScenarioBook
from generator.twin.source import Operation, OperationParameter
from generator.twin.words import doing
from generator.twin.world import write_world
from tests.generator.twin.shop import bike_shop


@pytest.fixture(scope="module")
def draft() -> Draft:
    shop = bike_shop()
    operations = offer_operations(shop)
    draft = draft_of(shop, operations, "bike_shop", "shop.sql", write_world(shop))
    with draft.laid_out() as folder:
        recorded = record_calls(RecordingRequest(folder))
    assert (recorded.unmet, recorded.failed) == ({}, [])
    return ScenarioBook(shop, operations, recorded.rows).added_to(replace(draft, cases=recorded.cases))


@pytest.fixture(scope="module")
def folder(draft: Draft, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("twins") / "bike_shop"
    place.mkdir()
    draft.write(place)
    return place


def test_every_table_gets_the_usual_five_in_a_file_of_its_own(draft: Draft) -> None:
    files = draft.tool_files()
    assert set(files) == set(draft.schema.tables)
    assert [each.name for each in draft.catalogue.of_topic("work_order")] == [
        *("find_work_orders", "get_work_order", "create_work_order", "update_work_order", "delete_work_order")
    ]
    assert "No order lines refer to it." in files["work_order"]
    assert 'clear: Annotated[list[Literal["phone"]] | None' in files["customer"]


def test_operations_of_a_source_keep_their_names_and_parameters() -> None:
    shop = bike_shop()
    order = OperationParameter("orderId", "key", "id", required=True)
    said = "POST /orders/{orderId}/ready"
    shop.operations = [
        Operation("cancelOrder", "set", "work_order", (order,), {"status": "ready"}, said=said),
        Operation("listBikes", "find", "bike", (OperationParameter("min_", "least", "year"),)),
        Operation("addBike", "create", "bike", (OperationParameter("make", "value", "make", required=True),)),
    ]
    text = "".join(draft_of(shop, offer_operations(shop), "bike_shop", "shop.sql", "").tool_files().values())
    assert "def cancelOrder(db: Database, orderId: " in text
    assert "db.update(\"work_order\", orderId, status='ready')" in text
    assert shop.opened == {"addBike": "it gives no customer_id, which every bike has"}


def test_every_recorded_case_holds_and_tells_the_tools_from_their_mutants(folder: Path) -> None:
    report = prove_cases(FolderRequest(folder))
    assert [each.differences for each in report.unexpected] == []
    assert report.uncovered == []
    mutants = prove_mutants(MutantsRequest(folder))
    assert mutants.killed >= 0.95 * mutants.total


def test_scenarios_use_most_tools_and_ask_as_people_do(folder: Path) -> None:
    told = prove_scenarios(ScenariosRequest(folder, seeds=(1, 2), sizes=(300,), worded=True)).scenarios
    faulty = {each.name: each.faults for each in told if each.faults}
    assert set(faulty) <= {"remove_service", "computed_order_line_of_service"}  # each is on some orders, or many
    assert len(told) - len(faulty) > 40
    assert len({tool for each in told for tool in each.tools}) >= 24
    text = (folder / "scenarios.py").read_text()
    assert "Please mark the latest work order for bike {bike} as {value}." in text
    assert "Please put the service {service} on the latest work order for bike {bike}" in text


def test_another_date_or_time_of_day_is_one() -> None:
    world: Any = SimpleNamespace(random=Random(1))
    made = [[other_value(world, value, n, 200, "A", "B") for n in range(99)] for value in ("2026-01-12", "09:30")]
    assert len({date.fromisoformat(each) for each in made[0]}) == 99
    assert len({time.fromisoformat(each) for each in made[1]}) > 30
    assert other_value(world, "1234-56-78", 1, 200, "A", "B").startswith("1234-56-")


@pytest.mark.parametrize(
    "said",
    [
        *("submit submitting", "refer referring", "panic panicking", "tie tying", "cancel canceling", "ship shipping"),
        *("close closing", "open opening", "edit editing", "reopen reopening", "permit permitting", "pay paying"),
        *("fix fixing", "quit quitting", "book booking", "render rendering", "agree agreeing", "transfer transferring"),
    ],
)
def test_a_verb_is_said_in_its_ing_form(said: str) -> None:
    verb, wanted = said.split()
    assert doing(verb) == wanted
