"""Scenarios of callers come by form: what a form must have, what can be made a task, what is left out with a reason."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from generator.author.draft import Draft
from generator.author.stages.scenario_faults import report_on
from generator.author.stages.scenario_groups import FORMS, MOST_SCENARIOS, FormDealer, Group, Page, question_for
from generator.author.stages.scenarios import mend_scenarios, write_scenarios
from generator.author.writing.rules import RulesDesign
from generator.scenarios.scenario import ScenarioDesign, Scenarios, joined
from generator.scenarios.trial import TrialRequest, try_scenarios
from runtime.graph import Graph
from tests.generator import calling
from tests.generator.author.stages.drafts import asker_of, shed_draft

GRAPH = Graph(starts=(), unexecuted=(), crashed={}, nodes={}, edges=())


@pytest.fixture(scope="module")
def draft() -> Draft:
    rules = RulesDesign.model_validate(calling.answers()["rules", "rules"])
    return replace(shed_draft(), rules=rules)


def _answer() -> Scenarios:
    return Scenarios.model_validate(calling.answers()["scenarios", "lendings-neighbours"])


def _written(draft: Draft, *scenarios: ScenarioDesign) -> Draft:
    return replace(draft, scenarios=scenarios, conditions=_answer().conditions)


def test_every_form_and_rule_is_asked_for_where_the_tools_allow_it_in_small_requests(draft: Draft) -> None:
    groups = FormDealer(draft).groups()
    asked = {form for group in groups for form in group.all_forms}
    assert asked == set(FORMS)
    assert {rule for group in groups for rule in group.rules} == {
        (code, form) for code in ("MOST_OUT", "NOT_OVERDUE") for form in ("denied", "fallback")
    }
    assert max(group.count for group in groups) <= MOST_SCENARIOS
    assert [group.covers for group in groups] == [True, False, False]
    without = [form for group in FormDealer(replace(draft, rules=RulesDesign())).groups() for form in group.all_forms]
    assert not {"denied", "fallback"} & {*without}
    assert draft.people_design is not None
    nothing_owned = draft.people_design.model_copy(update={"owns": {}})
    own = [
        form for group in FormDealer(replace(draft, people_design=nothing_owned)).groups() for form in group.all_forms
    ]
    assert not {"ambiguous", "all_but"} & {*own}
    covered = {tool.name for tool in FormDealer(draft).tools}
    assert not covered & {"find_neighbour", "note_identification", "decline_request"}


def test_requests_share_one_page_and_each_shows_its_forms_and_what_did_not_pass(draft: Draft) -> None:
    page = Page(draft, {"item": "- item, 50 rows"})
    for shown in (
        "MOST_OUT (guards lend_item): A neighbour has at most 3 items out",
        "A lending is open while its status is out.",
        "story.identify()",
        "- item, 50 rows",
        "- lend_item(neighbour_id, item_id",
    ):
        assert shown in page.whole()
    for group in FormDealer(draft).groups():
        question = question_for(page, group)
        assert question.prefix == page.whole()
        assert all(f"### {form}\n" in question.prompt for form in group.all_forms)
        assert all(f"`{form}` with `rule` {code}" in question.prompt for code, form in group.rules)
    broken = {"a_name": (_answer().scenarios[0], "it says nothing")}
    assert "`a_name`, form direct: it says nothing" in question_for(page, Group("mended", ()), broken).prompt
    assert "story.permits" not in Page(replace(draft, people_design=None), {}).whole()


def test_a_repair_is_sent_only_what_its_complaints_concern(draft: Draft) -> None:
    page = Page(draft, {"item": "- item, 50 rows", "neighbour": "- neighbour, 9 rows"})
    group = Group("one", tuple(draft.catalogue.tools), forms={"withheld": 2})
    narrow = question_for(page, group).narrow
    assert narrow is not None
    phone = narrow(_answer(), ["scenario 'give_a_new_number': it says nothing"])
    assert "change_phone" in phone
    assert "- neighbour, 9 rows" in phone
    assert not [each for each in ("lend_item", "- item, 50 rows", "MOST_OUT (") if each in phone]
    form = narrow(_answer(), ["1 of 2 scenarios have the form withheld; write the others"])
    assert "- lend_item(neighbour_id, item_id" in form
    assert "## How customers write" in form
    assert len(phone) < 0.8 * len(form)


def test_a_form_or_a_rule_has_scenarios_or_a_reason(draft: Draft) -> None:
    group = Group("one", (), forms={"withheld": 2}, rules=(("MOST_OUT", "denied"),))
    assert [each.partition(";")[0] for each in group.lacks(Scenarios())] == [
        "0 of 2 scenarios have the form withheld",
        "no scenario has the rule MOST_OUT",
    ]
    reasons = {"withheld": "Nothing is left out.", "MOST_OUT": "Nobody has that many."}
    assert group.lacks(Scenarios(left_out=reasons)) == []
    lend = Group("two", (draft.catalogue.tool("lend_item"),), covers=True)
    assert lend.lacks(Scenarios())[0].startswith("no scenario calls lend_item; let a direct one call it")
    assert lend.lacks(Scenarios(left_out={"lend_item": "Only staff lend."})) == []


def test_conditions_and_scenarios_that_share_a_name_are_named_apart() -> None:
    one = ScenarioDesign(name="same", wish="A wish.", body="story.pick('item', NEW)")
    parts = [Scenarios(conditions={"NEW": sql}, scenarios=[one]) for sql in ("1", "2", "1")]
    both = joined(parts)
    assert both.conditions == {"NEW": "1", "NEW_2": "2"}
    assert [(each.name, each.body) for each in both.scenarios] == [
        ("same", "story.pick('item', NEW)"),
        ("same_2", "story.pick('item', NEW_2)"),
        ("same_3", "story.pick('item', NEW)"),
    ]


def test_what_does_not_pass_is_sent_back_once_more_and_then_recorded(draft: Draft) -> None:
    script = calling.answers()
    (extend,) = [each for each in script["scenarios", "lendings-neighbours"]["scenarios"] if each["name"][-1] == "e"]
    good = dict(extend)
    extend["body"] = extend["body"].replace("story.day(-3)", "story.today")  # then nothing is denied
    phone = script["scenarios", "lendings-neighbours"]["scenarios"][2]
    phone["body"] = phone["body"].replace('short="changing my phone number to {phone}",', "")
    script["scenarios", "missing"] = {"scenarios": [good]}
    asker, notes, model = asker_of(script)
    made = asyncio.run(write_scenarios(asker, draft, GRAPH))
    mended = next(request for request in model.requests if request.key == "missing")
    assert "no row that the rules deny" in mended.prompt
    assert extend["name"] in [each.name for each in made.scenarios]
    assert "has no `short`" in made.lost_scenarios["give_a_new_number"]
    assert made.left_out_forms["MOST_OUT"] == "This trade knows nothing of the kind."


def test_requests_are_said_by_three_people_in_words_that_name_the_answer(draft: Draft) -> None:
    borrow = _answer().scenarios[0]
    planted = {
        "need the {label} for {days} days, what's the last day then": "need the {label} for {days} days",
        'short="lending me the {label} for {days} days and telling me the last day",': "",
        'story.wish(\n    (\n        "Can I get': 'story.wish(\n    (\n        "I would like to borrow',
    }
    changed = [
        borrow.model_copy(update={"name": f"planted_{number}", "body": borrow.body.replace(old, new)})
        for number, (old, new) in enumerate(planted.items())
    ]
    reports = report_on(replace(draft, conditions=_answer().conditions), [borrow, *changed], worded=True)
    assert [each.faults[:1] for each in reports[:1]] == [[]]
    said = [each.faults[0] for each in reports[1:3]]
    assert "do not say 'last' of the answer 'last day'" in said[0]
    assert "has no `short`" in said[1]
    assert reports[3].faults == []  # two of three may begin alike


def _of_form(form: str) -> list[ScenarioDesign]:
    return [each for each in _answer().scenarios if each.form == form]


def test_a_scenario_is_kept_if_tasks_of_its_form_can_be_proven(draft: Draft) -> None:
    good = _of_form("denied")[0]
    plain = _answer().scenarios
    borrow = next(each for each in plain if each.name == "borrow_an_item")
    back = next(each for each in plain if each.name == "bring_an_item_back")
    planted = {
        "never_denied": good.model_copy(update={"body": good.body.replace("story.day(-3)", "story.today")}),
        "asks_no_rule": back.model_copy(update={"form": "denied"}),
        "keeps_nothing_back": back.model_copy(update={"form": "withheld"}),
        "nobody": back.model_copy(update={"body": back.body.replace(", mine=True", "")
                                          .replace("story.identify()", 'lending["neighbour_id"]')}),
    }  # fmt: skip
    scenarios = [good, borrow, *(each.model_copy(update={"name": name}) for name, each in planted.items())]
    with _written(draft, *scenarios).laid_out() as folder:
        faults = try_scenarios(TrialRequest(folder, GRAPH)).faults
    assert set(faults) == set(planted)
    assert "in which a rule denies it none holds: no row that the rules deny" in faults["never_denied"][0]
    assert "no rule is asked with story.permits" in faults["asks_no_rule"][0]
    assert "nothing beside who they are is kept back" in faults["keeps_nothing_back"][0]
    assert "it is nobody's" in faults["nobody"][0]


def test_a_new_build_asks_for_sets_of_rows_at_the_end(draft: Draft) -> None:
    ordered = replace(draft, order=replace(draft.order, sets=True))
    script = calling.answers()
    script["scenarios", "sets"] = {"left_out": {"each": "Nobody borrows two things at once here."}}
    asker, _, model = asker_of(script)
    made = asyncio.run(write_scenarios(asker, ordered, GRAPH))
    last = model.requests[-1]
    assert last.key == "sets"
    assert "story.each(loans)" in last.prompt
    assert "3 scenarios of the form `each`" in last.prompt
    assert made.scenarios


def test_mending_asks_again_for_a_scenario_of_which_no_task_can_be_made(draft: Draft) -> None:
    good = _of_form("denied")[0]
    never = good.model_copy(update={"name": "never_denied", "body": good.body.replace("story.day(-3)", "story.today")})
    own = replace(_written(draft, good, never), graph=GRAPH)
    mended = good.model_copy(update={"name": "never_denied"}).model_dump(mode="json")
    asker, _, model = asker_of(
        {("scenarios", "mended"): {"scenarios": [mended]}, ("reading", "mended"): {"readings": []}}
    )
    after = asyncio.run(mend_scenarios(asker, own))
    assert "in which a rule denies it none holds: no row that the rules deny" in model.requests[0].prompt
    assert [each.body for each in after.scenarios] == [good.body, good.body]
