"""The folder of a twin is proven without a model: its cases hold, and people ask for what its tools can do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.gates.cases.case import write_cases
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.scenarios.judge import ScenariosRequest, prove_scenarios
from generator.twin.cases import write_cases_of
from generator.twin.examples import read_world
from generator.twin.operations import offer_operations
from generator.twin.scenarios import ScenarioBook
from generator.twin.tools import write_tools
from generator.twin.world import write_world
from runtime.domain.load import load_domain
from tests.generator.twin.shop import bike_shop


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    shop, place = bike_shop(), tmp_path_factory.mktemp("twins") / "bike_shop"
    (place / "tools").mkdir(parents=True)
    operations = offer_operations(shop)
    for name, text in write_tools(shop, operations).items():
        (place / "tools" / name).write_text(text)
    price = {"policy": "hard", "tolerance": 0.005, "reason": "an amount in dollars"}
    joined = {"policy": "generated", "reason": "the time of the call"}
    card = {"format": 1, "name": "bike_shop", "version": "1.0.0", "title": shop.title, "summary": "A bike shop."}
    card |= {"clock": shop.clock, "columns": {"service.price": price, "customer.joined_on": joined}}
    (place / "domain.json").write_text(json.dumps(card))
    (place / "schema.sql").write_text(shop.sql)
    (place / "world.py").write_text(write_world(shop))
    domain = load_domain(place)
    (place / "cases.jsonl").write_text(write_cases(write_cases_of(shop, operations, domain)))
    (place / "scenarios.py").write_text(ScenarioBook(shop, operations, read_world(domain, 1, 300)).text())
    return place


def test_every_case_holds_and_every_kind_of_rejection_has_one(folder: Path) -> None:
    report = prove_cases(FolderRequest(folder))
    assert [each.differences for each in report.unexpected] == []
    assert report.uncovered == []
    assert len(report.cases) > 100


def test_scenarios_use_most_tools_and_ask_as_people_do(folder: Path) -> None:
    told = prove_scenarios(ScenariosRequest(folder, seeds=(1, 2), sizes=(300,), worded=True)).scenarios
    faulty = {each.name: each.faults for each in told if each.faults}
    assert set(faulty) <= {"remove_service"}  # each service is on some order
    assert len(told) - len(faulty) > 40
    assert len({tool for each in told for tool in each.tools}) >= 24
    text = (folder / "scenarios.py").read_text()
    assert "Please mark the latest work order for bike {bike} as {value}." in text
    assert "Please put the service {service} on the latest work order for bike {bike}" in text
