"""A reader who sees the words alone: what they are shown, where they differ from a scenario, and what comes of that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generator.author.design import Catalogue
from generator.author.draft import Draft
from generator.gates.folder import FolderRequest
from generator.isolation.process import run_job
from generator.scenarios.reading import OpenCall, ScenarioReading, write_conversations
from generator.scenarios.scenario import ScenarioDesign, Scenarios
from runtime.model.model import Request
from tests.conftest import LIBRARY
from tests.generator import lending
from tests.generator.author.stages.drafts import STOP, answer, names, read, scenario, write

VAGUE = scenario(
    """
item = story.pick("item", "item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')")
name = story.choose("name", ["Ines"])
story.tell("{name} here. I need {label} for a week or two.", name=name, label=item["label"])
items = story.call("find_items", word=item["label"])["items"]
wanted = story.find(items, label=item["label"])
story.call("lend_item", item_id=wanted["item_id"], neighbour=name)
""",
    "borrow_for_a_while",
)


def _read(draft: Draft, design: ScenarioDesign, calls: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """The misfits of a reading, and the doubts that it raises where it fits."""
    with replace(draft, scenarios=(design,), cases={}).laid_out() as folder:
        conversation = run_job(write_conversations, FolderRequest(folder)).by_scenario[design.name]
    reading = ScenarioReading.model_validate({"name": design.name, "calls": calls})
    misfits = conversation.misfits(reading)
    return misfits, [] if misfits else conversation.doubts(reading)


def test_a_reader_sees_the_words_and_what_was_looked_up_but_not_what_is_passed(draft: Draft) -> None:
    scenarios = Scenarios.model_validate(answer()).scenarios
    with replace(draft, scenarios=tuple(scenarios), cases={}).laid_out() as folder:
        told = write_conversations(FolderRequest(folder)).by_scenario
    assert told["borrow_an_item"].text == (
        "The user: Ines here. Could I have Sander 9 for 5 days? And when is it due back?\n"
        '- find_items(word="Sander 9") returns {"items": [{"item_id": "ITEM-0009", "label": "Sander 9"}]}\n'
        '**Call 1**: lend_item(item_id="ITEM-0009", ...)'
    )
    wanted = {"item_id": "ITEM-0009", "neighbour": "Ines", "days": 5}
    defaults = {"item_id": None, "neighbour": None, "days": 7}
    assert told["borrow_an_item"].calls == [OpenCall("lend_item", ["item_id"], wanted, defaults)]
    assert told["give_an_item"].text.endswith("**Call 1**: add_item(...)")
    assert told["bring_an_item_back"].text.endswith("The user: And could you sharpen my own axe?")
    assert not any(each.in_doubt for each in told.values())  # all that is passed is said as it is


@pytest.mark.parametrize(
    ("call", "doubts"),
    [
        pytest.param({"arguments": {"neighbour": "Ines"}}, [], id="same"),
        pytest.param({"arguments": {"neighbour": "Ines", "days": 7}}, [], id="the_default"),
        pytest.param(
            {"arguments": {"neighbour": "Ines", "days": 14}},
            [
                "whoever reads the words passes days = 14 to lend_item, and the scenario passes 7; "
                "say it so that only one reading is left"
            ],
            id="another_value",
        ),
        pytest.param(
            {"arguments": {"neighbour": "Ines"}, "as_well": [{"argument": "days", "value": 14}]},
            [
                "whoever reads the words may as well pass days = 14 to lend_item, and the scenario passes 7; "
                "say it so that only one reading is left"
            ],
            id="another_value_of_others",
        ),
        pytest.param(
            {"arguments": {"neighbour": "Ines"}, "as_well": [{"argument": "item_id", "value": "ITEM-0001"}]},
            [],
            id="a_given_one_is_not_asked_for",
        ),
    ],
)
def test_another_argument_is_a_doubt(draft: Draft, call: dict[str, Any], doubts: list[str]) -> None:
    assert _read(draft, VAGUE, [{"call": 1, **call}]) == ([], doubts)


def test_a_reading_that_fits_no_tool_or_leaves_a_call_out_is_sent_back_to_the_reader(draft: Draft) -> None:
    wrong = ["call 1: lend_item has no argument 'weeks'"]
    assert _read(draft, VAGUE, [{"call": 1, "arguments": {"neighbour": "Ines", "weeks": 2}}])[0] == wrong
    assert _read(draft, VAGUE, [{"call": 1, "as_well": [{"argument": "weeks"}]}])[0] == wrong
    assert _read(draft, VAGUE, [])[0] == ["it answers for the calls []; there are 1, numbered from 1"]


def test_an_optional_argument_from_a_result_is_left_open(draft: Draft) -> None:
    design = scenario(
        """
item = story.pick("item", "label LIKE 'Saw%'")
story.tell("Another one like {label}, please.", label=item["label"])
items = story.call("find_items", word=item["label"])["items"]
wanted = story.find(items, label=item["label"])
story.call("add_item", label=wanted["label"], note=wanted["label"])
""",
        "add_one_more",
    )
    content = lending.answers()["tools", "catalogue"]
    note = {"name": "note", "type": "text", "description": "what to note", "required": False, "maximum": 40}
    next(tool for tool in content["tools"] if tool["name"] == "add_item")["parameters"].append(note)
    noting = replace(draft, catalogue=Catalogue.model_validate(content))
    with replace(noting, scenarios=(design,), cases={}).laid_out() as folder:
        text = write_conversations(FolderRequest(folder)).by_scenario["add_one_more"].text
    assert text.splitlines()[-1].startswith('**Call 1**: add_item(label="Saw')
    assert "note" not in text.splitlines()[-1]


def test_a_dictated_text_is_passed_word_for_word(draft: Draft) -> None:
    told = write_conversations(FolderRequest(LIBRARY)).by_scenario
    assert 'add exactly this note: "I can only pick up on Saturdays"' in told["queue_for_a_lent_book"].text

    def doubts(note: str, book: str = "BOOK-0022") -> list[str]:
        call = {"call": 1, "arguments": {"member_id": "MEMBER-0002", "book_id": book, "note": note}}
        reading = ScenarioReading.model_validate({"name": "queue_for_a_lent_book", "calls": [call]})
        return told["queue_for_a_lent_book"].doubts(reading)

    assert doubts("i can only pick up on saturdays.") == []
    assert len(doubts("On Saturdays only I can pick it up")) == 1
    (another_row,) = doubts("I can only pick up on Saturdays", "BOOK-0001")
    assert "passes book_id = 'BOOK-0001' to place_hold, and the scenario passes 'BOOK-0022'" in another_row


def test_a_doubt_goes_back_to_the_writer_and_only_what_changed_is_read_again(draft: Draft) -> None:
    vague = VAGUE.model_copy(update={"name": "give_an_item"})
    first = answer(vague.model_dump(), {**answer()["scenarios"][2], "name": "give_something"})
    clear = {"name": vague.name, "wish": vague.wish, "body": vague.body.replace("a week or two", "a week")}
    at_first = [
        *STOP["reading", "lendings"]["readings"][:2],
        *read("give_an_item", neighbour="Ines", days=14)["readings"],
        *read("give_something", label="Rake")["readings"],
    ]
    readings = [{"readings": at_first}, read("give_an_item", neighbour="Ines", days=7)]

    def script(request: Request) -> dict[str, Any]:
        if request.stage == "reading":
            return readings.pop(0)
        if request.key == "lendings":
            return first if request.attempt == 1 else {"scenarios": [clear]}
        return STOP["scenarios", "gate-1"]

    written, notes, model = write(draft, script)
    assert names(written) == ["borrow_an_item", "bring_an_item_back", "give_an_item", "give_something"]
    assert [repair[2] for repair in notes.repairs] == [
        (
            "scenario 'give_an_item': whoever reads the words passes days = 14 to lend_item, and the scenario passes "
            "7; say it so that only one reading is left",
        )
    ]
    once, again = (request for request in model.requests if request.stage == "reading")
    assert once.key != again.key
    assert "### give_an_item" in again.prompt
    assert "### borrow_an_item" not in again.prompt


def test_a_scenario_that_stays_open_is_dropped_and_said(draft: Draft) -> None:
    script = {
        ("scenarios", "lendings"): answer(VAGUE.model_dump()),
        ("scenarios", "mended"): {"scenarios": []},
        **STOP,
        ("reading", "lendings"): {
            "readings": [
                *STOP["reading", "lendings"]["readings"],
                *read(VAGUE.name, neighbour="Ines", days=14)["readings"],
            ]
        },
    }
    written, notes, _ = write(draft, script, repairs=0)
    assert names(written) == ["borrow_an_item", "bring_an_item_back", "give_an_item"]
    assert any(sentence.startswith("dropped scenario borrow_for_a_while: whoever") for sentence in notes.sentences)


def test_without_a_usable_reading_the_scenarios_are_kept_and_that_is_said(draft: Draft) -> None:
    script = {("scenarios", "lendings"): answer(VAGUE.model_dump()), **STOP, ("reading", "lendings"): {"readings": []}}
    written, notes, _ = write(draft, script, repairs=0)
    assert len(written.scenarios) == 4
    assert any("The reading of 'lendings'" in sentence for sentence in notes.sentences)
