"""What the gate of scenarios complains of, one sentence per fault."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.author.design import Catalogue
from generator.author.draft import Draft
from generator.author.stages.scenario_faults import ScenarioGate, faults_by_scenario
from generator.author.stages.scenario_groups import Group
from generator.author.writing.code import TopicCode
from generator.isolation.process import run_job
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.scenarios.scenario import ScenarioDesign, Scenarios
from tests.generator import lending
from tests.generator.author.stages.drafts import GRAPH, answer, asker_of, scenario

FREE = "item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')"


def test_good_scenarios_pass(draft: Draft, group: Group) -> None:
    asker, _, _ = asker_of({})
    assert ScenarioGate(asker, draft, group, GRAPH).complaints(Scenarios.model_validate(answer())) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param("story.tell(", "line `story.tell(`: the body is not valid Python", id="syntax"),
        pytest.param("import os\nos.remove('x')", "line `import os`: 'import' in a domain's code", id="import"),
        pytest.param("while True:\n    pass", "line `while True:`: 'while' in a domain's code", id="while"),
        pytest.param("story.script.told.add(1)", "the attribute 'script'; have: ", id="unknown"),
        pytest.param("story.tell(wrods)", "line `story.tell(wrods)`: Undefined name `wrods`", id="undefined"),
        pytest.param(
            "items = story.call('find_items', word='a')['items']\nstory.answer('x', items[0]['label'])",
            "line `items[0]`: an entry is taken by its position; say which one it is with story.find",
            id="position",
        ),
        pytest.param(
            "items = story.call('find_items', word='a')['items']\nstory.answer('x', items[-1]['label'])",
            "line `items[-1]`: an entry is taken by its position",
            id="last_position",
        ),
    ],
)
def test_a_body_that_breaks_a_rule_is_sent_back_while_the_others_are_run(
    draft: Draft, body: str, complaint: str
) -> None:
    other = scenario("story.tell('Any news?')", "other")
    faults = faults_by_scenario(draft, [scenario(body), other])
    assert faults.pop("other") == ["it changes nothing and asks for no answer; call a writing tool or story.answer"]
    assert list(faults) == ["planted"]
    assert any(complaint in fault for fault in faults["planted"]), faults


PLANTED = {
    "untold_row": (
        f"item = story.pick('item', \"{FREE}\")\nname = story.choose('name', ['Ines'])\n"
        "story.tell('{name} here, lend me something.', name=name)\n"
        "story.call('lend_item', item_id=item['item_id'], neighbour=name)",
        "which the words never tell; tell it, or find it by a call",
    ),
    "literal": (
        "story.tell('Here is a rake for you.')\nstory.call('add_item', label='Rake')",
        "it calls add_item with label = 'Rake', a value without origin",
    ),
    "spelt_like_a_name": (
        "label = story.choose('label', ['garden_rake'])\nstory.tell('Here is a {label}.', label=label)\n"
        "story.call('add_item', label=label)",
        "it calls add_item with label = 'garden_rake', which the words say as 'garden rake'; write it as people do",
    ),
    "unsaid_amount": (
        "story.tell('Add something that is called like a day of next week.')\n"
        "story.call('add_item', label=story.day(5))",
        "computed with an amount that nobody said",
    ),
    "hidden_lookup": (
        f"item = story.pick('item', \"{FREE}\")\nword = story.choose('word', ['a'])\n"
        "name = story.choose('name', ['Ines'])\n"
        "story.tell('{name} here. Lend me a thing with {word}.', word=word, name=name)\n"
        "items = story.call('find_items', word=word)['items']\n"
        "for each in items:\n    if each['item_id'] == item['item_id']:\n"
        "        wanted = story.find(items, item_id=item['item_id'])\n"
        "        story.call('lend_item', item_id=wanted['item_id'], neighbour=name)",
        "it picks an entry of a result by 'item_id' (item.item_id of ITEM-",
    ),
    "rejected": (
        "lending = story.pick('lending', \"status = 'back'\")\n"
        "item = story.row('item', lending['item_id'])\nstory.tell('{label} is back.', label=item['label'])\n"
        "found = story.call('find_items', word=item['label'])['items']\n"
        "mine = story.find(found, label=item['label'])\n"
        "story.call('take_back', lending_id=mine['item_id'])",
        "The scenario's call of take_back was rejected: NOT_FOUND",
    ),
    "a_tool_in_words": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Please add_item {label}.', label=label)\n"
        "story.call('add_item', label=label)",
        "the words name the tool 'add_item', which no person would say",
    ),
    "an_id_in_words": (
        f"item = story.pick('item', \"{FREE}\")\nname = story.choose('name', ['Ines'])\n"
        "story.tell('{name} here, lend me {item}.', name=name, item=item['item_id'])\n"
        "story.call('lend_item', item_id=item['item_id'], neighbour=name)",
        "the words hold the id 'ITEM-",
    ),
    "a_time_to_the_minute": (
        "label = story.choose('label', ['Rake'])\nwhen = story.moment(-1, '09:37')\n"
        "story.tell('Since {when} I have a {label} too many.', label=label, when=when)\n"
        "story.call('add_item', label=label)",
        "'when' is told as 'Sunday, May 3 at 9:37 AM'; nobody knows such a time",
    ),
    "no_rows": (
        "item = story.pick('item', \"label = 'Submarine'\")\nstory.tell('Where is {label}?', label=item['label'])\n"
        "found = story.call('find_items', word=item['label'])\nstory.answer('copies', story.count(found['items']))",
        "it finds no row on 8 of 8 worlds: No item meets \"label = 'Submarine'\"",
    ),
    "a_text_answer_without_source": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Here is a {label}.', label=label)\n"
        "added = story.call('add_item', label=label)\nstory.answer('new label', added['label'])",
        "the answer 'new label' is the text 'Rake'; give the source='table.column' of it",
    ),
    "a_dictated_text_that_is_not_told": (
        "label = story.dictate('label', 'Rake with two teeth')\n"
        "story.tell('Here is a rake.')\nstory.call('add_item', label=label)",
        "is dictated, but no wish tells it in quotes",
    ),
    "a_number_that_is_guessed": (
        "item = story.pick('item')\nstory.tell('How often was {label} lent?', label=item['label'])\n"
        "items = story.call('find_items', word=item['label'])['items']\n"
        "mine = story.find(items, label=item['label'])\n"
        "lendings = story.call('list_lendings', item_id=mine['item_id'])['lendings']\n"
        "story.answer('times lent', story.count(lendings))",
        "it changes nothing, and always 1 hits all its answers in ",
    ),
    "a_text_of_five_words_that_is_told_without_quotes": (
        "why = story.choose('why', ['the handle came loose again'])\n"
        "story.tell('Here is a rake, {why}.', why=why)\nstory.call('add_item', label=why)",
        "a text in words; take it from story.dictate where the user says it word for word, else from story.compose",
    ),
    "a_composed_text_that_is_told": (
        "label = story.compose('label', 'Rake with two teeth')\n"
        "story.tell('Here is a {label}.', label=label)\nstory.call('add_item', label=label)",
        "is composed, but the words tell it whole",
    ),
}


@pytest.fixture(scope="module")
def complaints(draft: Draft) -> dict[str, list[str]]:
    """The faults of all planted scenarios, which run in one child process."""
    return faults_by_scenario(draft, [scenario(body, name) for name, (body, _) in PLANTED.items()])


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_what_a_run_shows_is_sent_back_with_the_scenario_s_name(complaints: dict[str, list[str]], name: str) -> None:
    assert any(PLANTED[name][1] in fault for fault in complaints[name]), complaints[name]


def test_a_call_that_changes_nothing_is_sent_back(draft: Draft) -> None:
    content = lending.answers()["code", "lendings"]
    for body in content["bodies"]:
        if body["tool"] == "add_item":
            body["body"] = 'if label:\n    return {"item_id": "none", "label": label}\n' + body["body"]
    idle = replace(draft, code={"lendings": TopicCode.model_validate(content)})
    faults = faults_by_scenario(idle, [ScenarioDesign.model_validate(answer()["scenarios"][2])])
    assert faults == {"give_an_item": ["its call of add_item changes nothing; pick a row that is not so already"]}


def test_a_scenario_that_some_worlds_have_no_row_for_passes(draft: Draft, tmp_path: Path) -> None:
    body = (
        "item = story.pick('item', \"label = 'Saw 1' OR label = 'Drill 1'\")\n"
        "story.tell('Do you have {label}?', label=item['label'])\n"
        "found = story.call('find_items', word=item['label'])['items']\n"
        "story.answer('label', story.find(found, label=item['label'])['label'], source='item.label')"
    )
    with replace(draft, scenarios=(scenario(body),)).laid_out() as folder:
        asked = ScenariosRequest(folder, seeds=[*range(1, 9)], sizes=[100])
        (half,) = run_job(prove_scenarios, asked).scenarios
    assert half.tools in ([], ["find_items"])
    assert all(fault.startswith("it finds no row on") for fault in half.faults)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        pytest.param(answer(drop=("give_an_item",)), "no scenario calls add_item;", id="writing"),
        pytest.param(answer(drop=("bring_an_item_back",)), "no scenario ends in a wish beyond the tools", id="outside"),
    ],
)
def test_what_scenarios_leave_uncovered_is_sent_back(group: Group, answer: dict[str, Any], complaint: str) -> None:
    lacking = group.lacks(Scenarios.model_validate(answer))
    assert any(complaint in sentence for sentence in lacking), lacking


def test_a_count_that_a_limit_may_have_cut_is_sent_back(draft: Draft) -> None:
    content = lending.answers()
    catalogue = content["tools", "catalogue"]
    find = next(tool for tool in catalogue["tools"] if tool["name"] == "find_items")
    find["parameters"].append(
        {"name": "limit", "type": "integer", "description": "most items", "required": False, "default": 5}
    )
    code = content["code", "lendings"]
    for body in code["bodies"]:
        body["body"] = body["body"].replace(
            'item_id\n    """,\n    word,', 'item_id LIMIT ?\n    """,\n    word, limit,'
        )
    limited = replace(
        draft, catalogue=Catalogue.model_validate(catalogue), code={"lendings": TopicCode.model_validate(code)}
    )
    body = (
        "word = story.choose('word', ['a'])\nstory.tell('How many things have an {word} in their name?', word=word)\n"
        "items = story.call('find_items', word=word)['items']\nstory.answer('copies', story.count(items))"
    )
    (fault,) = faults_by_scenario(limited, [scenario(body)])["planted"]
    assert fault == (
        "the answer 'copies' counts 5 entries, as many as the limit of find_items lets through; narrow the list "
        "down, or take the result's own total"
    )
