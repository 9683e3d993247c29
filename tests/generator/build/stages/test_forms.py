"""Scenarios of callers come by form: what a form must have, what can be made a task, what is left out with a reason."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.build.draft import Draft
from generator.build.stages.scenario_question import (
    elsewhere,
    groups_of,
    question_for,
    story_page,
    tools_to_cover,
    uncovered_forms,
)
from generator.build.writing.rules import RulesDesign
from generator.scenarios.group import FORMS, Group, with_forms
from generator.scenarios.scenario import ScenarioDesign, Scenarios
from generator.scenarios.trial import TrialRequest, try_scenarios
from generator.tasks.proofs import detours
from runtime.graph import Graph
from tests.generator import calling
from tests.generator.build.stages.shed import shed_draft

GRAPH = Graph(starts=(), unexecuted=(), crashed={}, nodes={}, edges=())


@pytest.fixture(scope="module")
def draft() -> Draft:
    rules = RulesDesign.model_validate(calling.answers()["rules", "rules"])
    return replace(shed_draft(), rules=rules)


def _scenarios(key: str) -> list[ScenarioDesign]:
    return Scenarios.model_validate(calling.answers()["scenarios", key]).scenarios


def test_every_form_is_asked_for_and_those_of_rules_only_where_there_are_rules(draft: Draft) -> None:
    groups = groups_of(draft)
    assert sorted(form for group in groups for form in group.forms) == sorted(FORMS)
    assert [group.key for group in groups] == ["lendings-neighbours", "forms-1", "forms-2", "forms-3"]
    assert {"denied", "fallback"} <= {*groups[0].forms}
    without = [form for group in groups_of(replace(draft, rules=RulesDesign())) for form in group.forms]
    assert "denied" not in without
    assert "fallback" not in without
    covered = {tool.name for tool in tools_to_cover(draft).tools}
    assert not covered & {"find_neighbour", "note_identification", "decline_request"}


def test_a_writer_sees_the_story_the_rules_the_conventions_and_the_form(draft: Draft) -> None:
    page = story_page(draft)
    assert "MOST_OUT (guards lend_item): A neighbour has at most 3 items out" in page
    assert "A lending is open while its status is out." in page
    assert "story.permits" in page
    assert "story.identify()" in page
    for group in groups_of(draft):
        asked = question_for(draft, GRAPH, {}, group).prompt
        for form in group.forms:
            shown = "to be looked up" if form == "looked_up" else form.replace("_", " ")
            assert f"# The form: {shown}" in asked
    assert "story.permits" not in story_page(replace(draft, people_design=None))


def test_a_form_has_two_scenarios_or_a_reason(draft: Draft) -> None:
    group = Group("forms-1", (), outside=False, wanted=0, forms=("denied",), is_free=True)
    one = Scenarios(scenarios=_of_form("denied")[:1])
    assert "write 3, or say in left_out, under denied, why these tools allow none" in group.lacks(one)[0]
    assert group.lacks(one.model_copy(update={"left_out": {"denied": "There is one rule."}})) == []
    assert list(uncovered_forms([group], [], {"denied": "no rule"})) == ["0 scenarios of the form denied: no rule"]
    other = replace(group, key="others", tools=(draft.catalogue.tools[0],), forms=())
    assert [(each.tools, each.forms) for each in elsewhere([group, other], ["denied"])] == [(other.tools, ("denied",))]
    assert elsewhere([group], ["denied"]) == []


def test_forms_go_to_tools_that_write_and_no_request_has_many(draft: Draft) -> None:
    reading = Group("reading", tuple(tool for tool in draft.catalogue.tools if not tool.writes), outside=False)
    writing = Group("writing", tuple(tool for tool in draft.catalogue.tools if tool.writes), outside=False)
    first, second, *beside = with_forms([reading, writing], FORMS)
    assert (first.forms, len(second.forms), [len(each.forms) for each in beside]) == ((), 3, [3, 3, 4])
    assert all(each.tools == writing.tools and each.count == 0 for each in beside)


def test_a_scenario_whose_denied_tasks_all_stay_undecided_is_sent_back(
    draft: Draft, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detours, "MOST_CALLS", 0)
    with replace(draft, scenarios=tuple(_of_form("denied")[:1])).laid_out() as folder:
        (faults,) = try_scenarios(TrialRequest(folder, GRAPH)).faults.values()
    assert "in which a rule denies it none holds" in faults[0]
    assert faults[0].endswith("leaves a way round is not known after 0 calls.")


def _of_form(form: str) -> list[ScenarioDesign]:
    return [each for each in _scenarios("lendings-neighbours") if each.form == form]


def test_a_scenario_is_kept_if_tasks_of_its_form_can_be_proven(draft: Draft) -> None:
    good = _of_form("denied")[0]
    plain = _scenarios("lendings-neighbours")
    borrow = next(each for each in plain if each.name == "borrow_an_item")
    back = next(each for each in plain if each.name == "bring_an_item_back")
    planted = {
        "never_denied": good.model_copy(update={"body": good.body.replace("story.day(-3)", "story.today")}),
        "asks_no_rule": back.model_copy(update={"form": "denied"}),
        "keeps_nothing_back": back.model_copy(update={"form": "withheld"}),
        "nobody": back.model_copy(update={"body": back.body.replace("mine=True", "unique_by=['item_id']")
                                          .replace("story.identify()", 'lending["neighbour_id"]')}),
    }  # fmt: skip
    scenarios = [good, borrow, *(each.model_copy(update={"name": name}) for name, each in planted.items())]
    with replace(draft, scenarios=tuple(scenarios)).laid_out() as folder:
        faults = try_scenarios(TrialRequest(folder, GRAPH)).faults
    assert set(faults) == set(planted)
    assert "in which a rule denies it none holds: no row that the rules deny" in faults["never_denied"][0]
    assert "no rule is asked with story.permits" in faults["asks_no_rule"][0]
    assert "nothing beside who they are is kept back" in faults["keeps_nothing_back"][0]
    assert "it is nobody's" in faults["nobody"][0]
