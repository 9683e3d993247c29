"""The folder of a twin is proven without a model: its cases hold, and people ask for what its tools can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from generator.author.draft import Draft
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.mutants import MutantsRequest, prove_mutants
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.twin.author import draft_of
from generator.twin.operations import offer_operations
from generator.twin.recording import RecordingRequest, record_calls
from generator.twin.scenes import ScenarioBook
from generator.twin.world import write_world
from tests.generator.twin.shop import bike_shop


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Draft:
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
