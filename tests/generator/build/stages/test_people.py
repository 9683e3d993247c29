"""Who calls fits the tables and tools, each table has one owner, and worlds have namesakes, things and hours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generator.build.design import Catalogue, DatabaseDesign, PeopleDesign
from generator.build.draft import Draft
from generator.build.stages.cases import stand_in
from generator.build.stages.database import faults_of_database
from generator.build.stages.people import faults_of_callers
from generator.build.stages.tools import faults_of_callers as faults_of_catalogue
from generator.gates.worlds.callers import CallersRequest, find_callers_lacking
from runtime.domain.domain import Domain
from tests.generator import calling
from tests.generator.build.stages.shed import shed_draft


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
    assert draft.people.refusal is not None
    assert draft.people.refusal.rule == "rule_code"
    assert draft.without({"find_neighbour"}).people is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"owns": {}}, "owns: nothing belongs to callers", id="nothing_owned"),
        pytest.param({"owns": {"item": "lending_id"}}, "is no foreign key of one column", id="no_way"),
        pytest.param({"not_owned": {"lending": "No."}}, "not_owned: 'lending' is in owns, too", id="owned_and_not"),
        pytest.param({"proven_by": {"email": "address"}}, "at least 2 are needed", id="one_proof"),
        pytest.param({"identification": {}}, "note_identification requires 'how'; give its value", id="not_noted"),
        pytest.param({"identification": {"how": "by_voice"}}, "identification: note_identification: ", id="wrong_how"),
        pytest.param({"opens": "19:00"}, "closes: '18:00' is not after '19:00'", id="hours"),
        pytest.param({"any_time": ["lending.at"]}, "any_time: 'lending.at' is not a column", id="no_column"),
    ],
)
def test_what_does_not_fit_is_complained_of(draft: Draft, border: Domain, changes: dict[str, Any], said: str) -> None:
    assert [fault for fault in faults_of_callers(draft, _design(**changes), border) if said in fault]


def test_a_table_that_leads_to_people_is_somebodys_or_explained(draft: Draft, border: Domain) -> None:
    (fault,) = faults_of_callers(draft, _design(owns={"neighbour": "neighbour_id"}, not_owned={}), border)[-1:]
    assert "'lending' refers to 'neighbour'" in fault


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"found_by": {"phone": "find_neighbour"}}, "must take 'phone'", id="another_detail"),
        pytest.param({"found_by": {"word": "find_items"}}, "must return one record of a person", id="a_list"),
        pytest.param({"identification": "list_notes"}, "'list_notes' writes nothing", id="notes_nothing"),
        pytest.param({"refused_rule": "why"}, "'decline_request' does not take 'why'", id="no_rule"),
    ],
)
def test_a_catalogue_without_ways_to_find_and_note_is_sent_back(changes: dict[str, Any], said: str) -> None:
    answer = calling.answers()["tools", "catalogue"]
    answer["callers"] = {**answer["callers"], **changes}
    assert [fault for fault in faults_of_catalogue(Catalogue.model_validate(answer)) if said in fault]


def test_identifications_are_a_log_and_declined_requests_are_none(draft: Draft) -> None:
    answer = calling.answers()["database", "schema"]
    assert faults_of_database(DatabaseDesign.model_validate(answer), draft.catalogue) == []
    answer["logs"] = [{"table": "declined_request", "reason": "It only grows."}]
    faults = faults_of_database(DatabaseDesign.model_validate(answer), draft.catalogue)
    assert "logs: 'identification', which 'note_identification' writes, must be one of the logs" in faults
    assert "logs: 'declined_request', which 'decline_request' writes, must not be one of the logs" in faults


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        pytest.param("", "", "", id="as_it_is"),
        pytest.param("number % 4 == 3", "number % 99 == 98", "share their name with another one", id="namesakes"),
        pytest.param("world.random.random() < 0.8", "number % 9 == 1", "at least half must", id="unproven"),
        pytest.param("often if number % 2 else", "neighbours[number % len(neighbours) :][:1] or", "own", id="one"),
        pytest.param("noted_on=day)\n        w", 'noted_on=f"{day} 03:00:00")\n        w', "out of hours", id="hours"),
        pytest.param("noted_on=day)\n        w", "noted_on=world.today)\n        w", "it is the morning", id="morning"),
    ],
)  # fmt: skip
def test_a_world_has_callers_worth_serving(draft: Draft, old: str, new: str, said: str) -> None:
    assert old in draft.world
    people, own = draft.people, draft.people_design
    assert people is not None
    assert own is not None
    world = draft.world.replace(old, new) if old else draft.world
    with replace(draft, world=world, code={}, cases={}).laid_out() as folder:
        asked = CallersRequest(folder, people, own.open_days, own.opens, own.closes, noted_in=("identification",))
        faults = find_callers_lacking(asked).faults
    assert [said in fault for fault in faults] == ([True] * len(faults) if said else [])
    assert bool(faults) == bool(said)
