"""Wishes have three registers: every value stands in each, and a reader of any of them does the same."""

from __future__ import annotations

import asyncio
import copy
from dataclasses import replace
from typing import Any

import pytest

from generator.build.draft import Draft
from generator.build.stages.wordings import Wordings, faults_of_wordings, write_wordings
from generator.build.writing.wordings import with_words, words_in
from generator.scenarios.scenario import ScenarioDesign
from tests.generator import calling
from tests.generator.build.stages.shed import asker_of, shed_draft
from tests.generator.calling.story import WORDINGS, worded

BODY = """
keep = story.wish("Longer, {label}, süß" " please.", label=label)
story.changes_mind(keep, words="Or rather not.")
story.outside("A taxi?")
story.insists(keep, "Oh, please!")
story.call("take_back", lending_id=story.find(lendings, label="Saw")["lending_id"])
"""


@pytest.fixture(scope="module")
def draft() -> Draft:
    scenarios = calling.answers()["scenarios", "lendings-neighbours"]["scenarios"]
    phone = next(each for each in scenarios if each["name"] == "give_a_new_number")
    return replace(shed_draft(), scenarios=(ScenarioDesign.model_validate(phone),))


def test_the_words_of_wishes_are_found_and_others_take_their_place() -> None:
    assert [each.text for each in words_in(BODY)] == ["Longer, {label}, süß please.", "Or rather not.", "A taxi?"]
    changed = with_words(BODY, {0: ["Longer, {label}.", "Might I, {label}?", "still, {label}"], 2: ["A cab?"]})
    assert '("Longer, {label}.", "Might I, {label}?", "still, {label}"), label=label)' in changed
    assert 'words="Or rather not.")\nstory.outside("A cab?")\nstory.insists(keep, "Oh, please!")' in changed
    long = "word " * 60
    assert eval(with_words(f'story.tell("{BODY[1:5]}")', {0: [long]}).removeprefix("story.tell")) == long


@pytest.mark.parametrize(
    ("formal", "said"),
    [
        pytest.param("Please note my new number.", "wish 1, formal: {phone} is missing", id="missing"),
        pytest.param("{name} has {phone}.", "wish 1, formal: there is no value {name}", id="added"),
        pytest.param("got a new phone, it's {phone}, jot that down", "have the same words", id="same"),
        pytest.param("Kindly note {phone", "cannot be filled in", id="broken"),
    ],
)
def test_a_wording_that_says_something_else_is_sent_back(draft: Draft, formal: str, said: str) -> None:
    own = Wordings.model_validate(_of("give_a_new_number"))
    own.scenarios[0].wishes[0].formal = formal
    assert said in faults_of_wordings(draft, draft.scenarios, own)["give_a_new_number"][0]


@pytest.mark.parametrize("formal", ["0555", "555-7337"])
def test_what_is_read_differently_keeps_its_plain_words(draft: Draft, formal: str) -> None:
    script = calling.answers()
    script["wordings", "1-1"] = good = _of("give_a_new_number")
    script["reading", "wordings-1-1"] = {
        "readings": [
            {"name": f"give_a_new_number_{register}",
             "calls": [{"call": 1, "arguments": {"neighbour_id": "NEIGHBOUR-0004", "phone": phone}}]}
            for register, phone in {"formal": formal, "casual": "555-7337"}.items()
        ]
    }  # fmt: skip
    asker, notes, _ = asker_of(script)
    made = asyncio.run(write_wordings(asker, draft))
    is_right = formal == "555-7337"
    assert notes.sentences[-1] == f"{int(is_right)} of 1 scenarios are worded in three registers"
    assert any("formal: whoever reads the words passes phone = '0555'" in said for said in notes.sentences) != is_right
    assert (good["scenarios"][0]["wishes"][0]["casual"] in made.scenarios[0].body) == is_right


def test_several_scenarios_share_a_request_and_a_repair_shows_those_that_are_wrong(draft: Draft) -> None:
    plain = calling.answers()["scenarios", "lendings-neighbours"]["scenarios"]
    both = tuple(ScenarioDesign.model_validate(each) for each in plain if each["name"] in ("give_an_item", BORROW))
    first, good = _of("give_an_item", BORROW), _of(BORROW)
    first["scenarios"][1]["wishes"][0]["formal"] = "Might I borrow something?"
    script = {("wordings", "1-1", 1): first, ("wordings", "1-1", 2): good, "reading": {"readings": []}}
    asker, notes, model = asker_of(script, repairs=1)
    made = asyncio.run(write_wordings(asker, replace(draft, scenarios=both)))
    asked, again = [request for request in model.requests if request.stage == "wordings"]
    assert "### give_an_item" in asked.prompt
    assert "- asked for by name: last day" in asked.prompt
    assert '`days = story.choose("days", [3, 5, 8])`' in asked.prompt
    assert again.earlier[0].answer["scenarios"][0] == {"name": "give_an_item"}
    assert notes.sentences[-1] == "2 of 2 scenarios are worded in three registers"
    assert all(len(words_in(each.body)) == 0 for each in made.scenarios)  # each wish is a tuple of three


BORROW = "borrow_an_item"


def _of(*names: str) -> dict[str, Any]:
    """The answer of a writer for some scenarios."""
    return copy.deepcopy(worded(**{name: WORDINGS[name] for name in names}))
