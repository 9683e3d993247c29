"""Rules are words and code from one place: what differs, crashes or goes unnoticed is sent back or dropped."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from generator.build.ask import question_id
from generator.build.draft import Draft
from generator.build.stages.rule_cases import RuleRulings, _faults_of_rulings, try_rules_by_cases
from generator.build.stages.rules import faults_of_rules
from generator.build.writing.rules import RulesDesign, describe_prose
from runtime.model.model import Request
from tests.generator import calling
from tests.generator.build.stages.shed import asker_of, shed_draft
from tests.runtime.model.scripted import ScriptedModel


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
        pytest.param("MOST_OUT", {"prose": "At most five items are out."}, "says 'five' in its docstring", id="prose"),
        pytest.param("MOST_OUT", {"body": "return len(call.arguments) < 7 + most"}, "holds the number 7", id="number"),
        pytest.param("MOST_OUT", {"body": 'now.delete("item", "I1")\nreturn True'}, "a rule only reads", id="write"),
        pytest.param("MOST_OUT", {"reads": ["item"]}, "lending", id="undeclared"),
        pytest.param("MOST_OUT", {"body": "return call.arguments['who'] == most"}, "crashed: KeyError", id="crash"),
        pytest.param("NOT_OVERDUE", {"exempt": {}}, "but not on lend_item", id="unbound"),
        pytest.param("DECLINED_STAYS", {"body": "return end.today == ''"}, "in which nothing was done yet", id="duty"),
        pytest.param("MOST_OUT", {"body": "return most <"}, "the body is not valid Python", id="syntax"),
    ],
)  # fmt: skip
def test_a_rule_that_cannot_be_kept_is_sent_back(draft: Draft, code: str, changes: dict[str, Any], said: str) -> None:
    faults = faults_of_rules(draft, _rules(code, **changes), least=2)
    assert [fault for fault in faults if said in fault and (code in fault or code == "NOT_OVERDUE")], faults


def _ruling(question: str, answer: str) -> dict[str, str]:
    return {"id": question, "answer": answer, "title": "as the words say", "reason": "The words."}


def _ruled(script: dict[Any, Any], of_soon: Mapping[str, str]) -> Callable[[Request], Any]:
    """The script, with answers to the questions: those of SOON by what their state holds, and that others allow it."""

    def ruled(question: str) -> str:
        if not question.startswith("SOON"):
            return "allowed"
        return next((answer for held, answer in of_soon.items() if held in question), "open")

    def answer(request: Request) -> Any:
        if not request.key.startswith("rules-1.judge"):
            return ScriptedModel(script)._look_up(request)
        asked = re.findall(r"^### (Q\w+): (.*?)(?=\n\n)", request.prompt, re.MULTILINE | re.DOTALL)
        return {"rulings": [_ruling(name, ruled(question)) for name, question in asked]}

    return answer


def test_what_its_cases_contradict_is_repaired_and_a_number_that_none_notices_is_dropped(draft: Draft) -> None:
    script = calling.answers()
    right = _rules().rules[0].body
    cases = script["rule_cases", "rules-1"]["cases"]
    late = {**_rules().rules[1].model_dump(), "code": "SOON", "numbers": {"days": 5}, "exempt": {"lend_item": "New."},
            "prose": "A lending is extended no sooner than {days} days before its last day.",
            "body": 'return days_between(now.today, now.require("lending", call.item)["due_on"]) <= days'}  # fmt: skip
    rules = _rules("MOST_OUT", body=right.replace("out < most", "out <= most"))
    rules = rules.merged(RulesDesign.model_validate({"rules": [late]}))
    extended = {"tool": "extend_lending", "arguments": {"lending_id": "L2", "days": 1}}
    far = {"lending": [{"lending_id": "L2", "due_on": "2026-06-20"}]}
    cases += [
        {"rule": "SOON", "title": "on its last day", "call": extended, "allowed": True},
        {"rule": "SOON", "title": "long before", "rows": far, "call": extended, "allowed": False},
    ]
    blame = {"case": "MOST_OUT-2", "wrong": "rule", "reason": "Three are the most."}
    script["debug", "MOST_OUT@rules.1"] = {"blames": [blame], "body": right}
    asker, notes, model = asker_of(_ruled(script, {}))
    made = asyncio.run(try_rules_by_cases(asker, replace(draft, rules=rules)))
    assert made.rules is not None
    assert made.rules.codes == ["MOST_OUT", "NOT_OVERDUE", "DECLINED_STAYS"]
    assert made.rules.rules[0].body == right
    assert {case.rule for own in made.rule_cases.values() for case in own.cases} == set(made.rules.codes)
    (dropped,) = [sentence for sentence in notes.sentences if sentence.startswith("dropped")]
    assert dropped.startswith("dropped rule SOON: no case notices SOON: days=5 -> ")
    for request in model.requests:
        if request.role == "rule_cases":
            assert "count(*)" not in request.prompt
    assert [request.role for request in model.requests[:2]] == ["rule_cases", "debug"]
    judged = [request.key for request in model.requests[2:]]
    assert judged in (["rules-1.judge"], ["rules-1.judge", "rules-1.judge.2"])


def test_a_ruling_on_another_question_is_not_taken() -> None:
    rulings = RuleRulings.model_validate({"rulings": [_ruling(question_id("one"), "open")]})
    assert _faults_of_rulings(rulings, {question_id("one")}) == []
    assert _faults_of_rulings(rulings, {question_id("another")}) == [
        f"question {question_id('another')} is not answered",
        f"there is no question {question_id('one')!r}",
    ]


def test_a_case_writer_is_asked_of_a_state_that_tells_and_the_answer_keeps_the_rule(draft: Draft) -> None:
    script = calling.answers()
    late = {**_rules().rules[1].model_dump(), "code": "SOON", "numbers": {"days": 5}, "exempt": {"lend_item": "New."},
            "prose": "A lending is extended no sooner than {days} days before its last day.",
            "body": 'return days_between(now.today, now.require("lending", call.item)["due_on"]) <= days'}  # fmt: skip
    rules = _rules().merged(RulesDesign.model_validate({"rules": [late]}))
    extended = {"tool": "extend_lending", "arguments": {"lending_id": "L2", "days": 1}}
    far = {"lending": [{"lending_id": "L2", "due_on": "2026-06-20"}]}
    script["rule_cases", "rules-1"]["cases"] += [
        {"rule": "SOON", "title": "on its last day", "call": extended, "allowed": True},
        {"rule": "SOON", "title": "long before", "rows": far, "call": extended, "allowed": False},
    ]
    of_soon = {"2026-05-09": "allowed", "2026-05-10": "denied", '"days": 30': "denied"}
    asker, notes, model = asker_of(_ruled(script, of_soon))
    made = asyncio.run(try_rules_by_cases(asker, replace(draft, rules=rules)))
    asked = model.requests[1].prompt
    assert made.rules is not None, asked
    assert "SOON" in made.rules.codes, asked
    assert not [sentence for sentence in notes.sentences if sentence.startswith("dropped")]
    assert re.search(r"^### Q\w+: SOON$", asked, re.MULTILINE)
    assert "days_between" not in asked
