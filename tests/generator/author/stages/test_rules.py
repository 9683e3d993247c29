"""Rules are words and code from one place: what differs, crashes or goes unnoticed is sent back or dropped."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from generator.author.draft import Draft
from generator.author.stages.rule_cases import drop_unasked_rules, try_rules_by_cases
from generator.author.stages.rules import faults_of_rules
from generator.author.writing.rules import RulesDesign, describe_prose
from generator.scenarios.scenario import ScenarioDesign
from tests.generator import calling
from tests.generator.author.stages.drafts import asker_of, shed_draft


@pytest.fixture(scope="module")
def draft() -> Draft:
    return shed_draft()


def _rules(code: str = "", **changes: Any) -> RulesDesign:
    answer = calling.answers()["rules", "rules"]
    for each in [*answer["rules"], *answer["duties"]]:
        if each["code"] == code:
            each.update(changes)
    return RulesDesign.model_validate(answer)


def test_the_words_of_rules_have_their_numbers_and_show_no_code() -> None:
    prose = describe_prose(_rules(), ["MOST_OUT", "DECLINED_STAYS"])
    assert "- MOST_OUT (guards lend_item): A neighbour has at most 3 items out at a time." in prose
    assert "- DECLINED_STAYS (a duty, checked at the end): A lending" in prose
    assert "SELECT" not in prose


@pytest.mark.parametrize(
    ("code", "changes", "said"),
    [
        pytest.param("MOST_OUT", {"prose": "At most five are out."}, "does not say its number 'most'", id="prose"),
        pytest.param("MOST_OUT", {"body": "return len(call.arguments) < 7 + most"}, "holds the number 7", id="number"),
        pytest.param("MOST_OUT", {"body": 'now.delete("item", "I1")\nreturn True'}, "a rule only reads", id="write"),
        pytest.param("MOST_OUT", {"reads": ["item"]}, "lending", id="undeclared"),
        pytest.param("MOST_OUT", {"body": "return call.arguments['who'] == most"}, "crashed: KeyError", id="crash"),
        pytest.param("DECLINED_STAYS", {"body": "return end.today == ''"}, "in which nothing was done yet", id="duty"),
        pytest.param("MOST_OUT", {"body": "return most <"}, "the body is not valid Python", id="syntax"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_kept_is_sent_back(draft: Draft, code: str, changes: dict[str, Any], said: str) -> None:
    faults = faults_of_rules(draft, _rules(code, **changes), least=2)
    assert [fault for fault in faults if said in fault and code in fault], faults


def _with_soon(script: dict[Any, Any]) -> RulesDesign:
    """The rules with one more, SOON, whose two cases in the script are far from its limit."""
    late = {**_rules().rules[1].model_dump(), "code": "SOON", "numbers": {"days": 5}, "exempt": {"lend_item": "New."},
            "prose": "A lending is extended no sooner than {days} days before its last day.",
            "body": 'return days_between(now.today, now.require("lending", call.item)["due_on"]) <= days'}  # fmt: skip
    script["rule_cases", "rules-1"]["cases"] += [
        {"rule": "SOON", "title": "on its last day", "call": _EXTENDED, "allowed": True},
        {"rule": "SOON", "title": "long before", "rows": _due("2026-06-20"), "call": _EXTENDED, "allowed": False},
    ]
    return RulesDesign.model_validate({"rules": [late]})


_EXTENDED = {"tool": "extend_lending", "arguments": {"lending_id": "L2", "days": 1}}


def _due(day: str) -> dict[str, Any]:
    return {"lending": [{"lending_id": "L2", "due_on": day}]}


def test_what_its_cases_contradict_is_repaired_and_a_number_that_none_notices_is_dropped(draft: Draft) -> None:
    script = calling.answers()
    right = _rules().rules[0].body
    rules = _rules("MOST_OUT", body=right.replace("out < most", "out <= most")).merged(_with_soon(script))
    blame = {"case": "MOST_OUT-2", "wrong": "rule", "reason": "Three are the most."}
    script["debug", "MOST_OUT@rules.1"] = {"blames": [blame], "body": right}
    script["rule_cases", "rules-1.missed"] = {"rows": {}, "cases": []}
    asker, notes, model = asker_of(script)
    made = asyncio.run(try_rules_by_cases(asker, replace(draft, rules=rules)))
    assert made.rules.codes == ["MOST_OUT", "NOT_OVERDUE", "DECLINED_STAYS"]
    assert made.rules.rules[0].body == right
    assert {case.rule for own in made.rule_cases.values() for case in own.cases} == set(made.rules.codes)
    (dropped,) = [sentence for sentence in notes.sentences if sentence.startswith("dropped")]
    assert dropped.startswith("dropped rule SOON: no case notices SOON: days=5 -> ")
    assert [request.key for request in model.requests] == ["rules-1", "MOST_OUT@rules.1", "rules-1.missed"]
    assert "count(*)" not in model.requests[0].prompt


def test_a_case_writer_is_shown_what_its_cases_miss_and_more_of_them_keep_the_rule(draft: Draft) -> None:
    script = calling.answers()
    rules = _rules().merged(_with_soon(script))
    script["rule_cases", "rules-1.missed"] = {
        "rows": {},
        "cases": [
            {"rule": "SOON", "title": "five days", "rows": _due("2026-05-09"), "call": _EXTENDED, "allowed": True},
            {"rule": "SOON", "title": "six days", "rows": _due("2026-05-10"), "call": _EXTENDED, "allowed": False},
        ],
    }
    asker, notes, model = asker_of(script)
    made = asyncio.run(try_rules_by_cases(asker, replace(draft, rules=rules)))
    asked = model.requests[1].prompt
    assert "SOON" in made.rules.codes, asked
    assert not [sentence for sentence in notes.sentences if sentence.startswith("dropped")]
    assert "- SOON: days=5 -> 6" in asked
    assert "- SOON: long before" in asked


def test_a_rule_that_no_scenario_asks_for_is_dropped_unless_a_duty_names_it(draft: Draft) -> None:
    asker, notes, _ = asker_of({})
    scenario = ScenarioDesign(name="keep", wish="Keep it.", form="denied", rule="MOST_OUT", body="pass")
    duty = _rules().duties[0].model_copy(update={"prose": "What NOT_OVERDUE forbids is not done."})
    rules = _rules().model_copy(update={"duties": [duty]})
    made = drop_unasked_rules(asker, replace(draft, rules=rules, scenarios=(scenario,)))
    assert made.rules.codes == rules.codes
    made = drop_unasked_rules(asker, replace(draft, rules=_rules(), scenarios=(scenario,)))
    assert made.rules.codes == ["MOST_OUT", "DECLINED_STAYS"]
    assert "no scenario asks" in made.lost_rules["NOT_OVERDUE"]
    assert notes.sentences[0].startswith("dropped rule NOT_OVERDUE")
