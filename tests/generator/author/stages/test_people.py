"""Who calls fits the tables and tools, each table has one owner, and worlds have namesakes, things and hours."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from generator.author.design import Catalogue, DatabaseDesign, PeopleDesign
from generator.author.draft import Draft
from generator.author.stages.cases import stand_in
from generator.author.stages.database import design_database, faults_of_callers, faults_of_database
from generator.author.stages.tools import faults_of_callers as faults_of_catalogue
from generator.author.stages.world import faults_of_program
from generator.author.writing.rules import RulesDesign
from generator.gates.lively import CallersRequest, find_callers_lacking
from runtime.domain.domain import Domain
from tests.generator import calling
from tests.generator.author.stages.drafts import asker_of, shed_draft


@pytest.fixture(scope="module")
def draft() -> Draft:
    return shed_draft()


@pytest.fixture(scope="module")
def border(draft: Draft) -> Domain:
    return stand_in(replace(draft, people_design=None))


def _design(**changes: Any) -> PeopleDesign:
    return PeopleDesign.model_validate({**calling.answers()["people", "callers"], **changes})


def test_people_come_from_the_catalogue_and_what_is_said_of_them(draft: Draft, border: Domain) -> None:
    assert faults_of_callers(draft, _design(), border) == []
    assert draft.people is not None
    assert draft.people.found_by == {"email": "find_neighbour"}
    assert list(draft.people.anybody) == ["take_back"]
    assert draft.without({"take_back"}).people == draft.people.model_copy(update={"anybody": {}})
    assert draft.without({"find_neighbour"}).people is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"owns": {}}, "owns: nothing belongs to callers"),
        ({"owns": {"item": "lending_id"}}, "is not a foreign key of one column"),
        ({"owns": {"lending": ["neighbour_id", "item_id"]}}, "to 'item', not to 'neighbour'"),
        ({"not_owned": {"lending": "No."}}, "not_owned: 'lending' is in owns, too"),
        ({"proven_by": {"email": "address"}}, "at least 2 are needed"),
        ({"opens": "19:00"}, "closes: '18:00' is not after '19:00'"),
        ({"any_time": ["lending.at"]}, "any_time: 'lending.at' is not a column"),
    ],
)
def test_what_does_not_fit_is_complained_of(draft: Draft, border: Domain, changes: dict[str, Any], said: str) -> None:
    assert [fault for fault in faults_of_callers(draft, _design(**changes), border) if said in fault]


def test_a_world_is_held_against_the_schema_alone_once_there_are_rules(draft: Draft) -> None:
    rules = RulesDesign.model_validate(calling.answers()["rules", "rules"])
    assert list(faults_of_program(replace(draft, rules=rules))) == list(faults_of_program(draft))


def test_a_table_that_leads_to_people_is_somebodys_or_explained(draft: Draft, border: Domain) -> None:
    (fault,) = faults_of_callers(draft, _design(owns={"neighbour": "neighbour_id"}, not_owned={}), border)[-1:]
    assert "'lending' refers to 'neighbour'" in fault


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"found_by": {"phone": "find_neighbour"}}, "must take 'phone'"),
        ({"found_by": {"word": "find_items"}}, "must return one record of a person"),
        ({"found_by": {"neighbour_id": "change_phone"}}, "'change_phone' writes"),
        ({"entity": "member"}, "'member' is not an entity"),
    ],
)
def test_a_catalogue_without_ways_to_find_people_is_sent_back(changes: dict[str, Any], said: str) -> None:
    answer = calling.answers()["tools", "catalogue"]
    answer["callers"] = {**answer["callers"], **changes}
    assert [fault for fault in faults_of_catalogue(Catalogue.model_validate(answer)) if said in fault]


@pytest.mark.parametrize("name", ["note_identification", "decline_request"])
def test_a_tool_that_every_office_has_is_not_designed(name: str) -> None:
    answer = calling.answers()["tools", "catalogue"]
    assert list(faults_of_catalogue(Catalogue.model_validate(answer))) == []
    answer["tools"].append({**answer["tools"][-1], "name": name})
    faults = list(faults_of_catalogue(Catalogue.model_validate(answer)))
    assert faults == [f"tool {name!r}: every office has it already; name it in `drop`"]


def test_the_tables_that_every_office_has_are_added_and_not_designed(draft: Draft, border: Domain) -> None:
    design = DatabaseDesign.model_validate(calling.answers()["database", "schema"])
    assert faults_of_database(design, draft.catalogue) == []
    asker, _, _ = asker_of(calling.answers())
    made = asyncio.run(design_database(asker, draft)).database
    assert made.schema_sql == draft.database.schema_sql
    assert {"identification", "declined_request"} <= border.schema.tables.keys()
    faults = faults_of_database(made, draft.catalogue)
    for table in ("identification", "declined_request"):
        assert f"schema: every office has table {table!r} already; leave it out" in faults


_IDENTIFIED = """    if number:
        world.insert("identification", neighbour_id=neighbours[0]["neighbour_id"], noted_on=world.day(-number))
    return world.insert("""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("", "", "", id="as_it_is"),
        pytest.param("number % 4 == 3", "number % 99 == 98", "share their name with another one", id="namesakes"),
        pytest.param("world.random.random() < 0.8", "number % 9 == 1", "at least half must", id="unproven"),
        pytest.param("often if number % 2 else", "neighbours[number % len(neighbours) :][:1] or", "own", id="one"),
        pytest.param("day(world.random.randrange(-6, 12))", 'moment(-1, "03:00")', "out of hours", id="hours"),
        pytest.param("    return world.insert(", _IDENTIFIED, "leave this table empty", id="desk"),
    ],
)  # fmt: skip
def test_a_world_has_callers_worth_serving(draft: Draft, old: str, new: str, said: str) -> None:
    assert old in draft.world
    people, own = draft.people, draft.people_design
    assert people is not None
    assert own is not None
    world = draft.world.replace(old, new) if old else draft.world
    with replace(draft, world=world, code={}, cases={}).laid_out() as folder:
        asked = CallersRequest(folder, people, own.open_days, own.opens, own.closes)
        faults = find_callers_lacking(asked).faults
    assert [said in fault for fault in faults] == ([True] * len(faults) if said else [])
    assert bool(faults) == bool(said)
