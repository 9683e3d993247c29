"""What the gate of scenarios complains of, one sentence per fault, and how the stage repairs, drops and covers."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from generator.asking import Desk
from generator.design import Catalogue, DatabaseDesign
from generator.draft import Draft
from generator.edits import Edit
from generator.proving.prove import prove
from generator.scenarios.group import Group, describe_edges, group_tools, helping_tools, uncovered_tools
from generator.scenarios.scenario import ScenarioDesign, Scenarios
from generator.stages.code import with_tables
from generator.stages.scenarios import (
    JOB,
    MOST_ROUNDS,
    _short_sql,
    faults_by_scenario,
    faults_of_scenarios,
    write_scenarios,
)
from generator.writing.code import TopicCode
from runtime.errors import StageFailed
from runtime.model.choose import Models
from runtime.model.model import Request
from runtime.model.scripted import ScriptedModel
from tests.generator import lending
from tests.generator.building import Notes

GRAPH: dict[str, Any] = {
    "format": 1,
    "directed": True,
    "multigraph": True,
    "graph": {},
    "nodes": [],
    "edges": [],
}
READING = {("reading", "lendings"): lending.answers()["reading", "lendings"]}
STOP = {**READING, ("scenarios", "gate-1"): {"probability": 0.2, "reason": "Nothing new is left to want."}}
FREE = "item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')"


@pytest.fixture(scope="module")
def draft() -> Draft:
    """The lending domain as it is when its scenarios are asked for."""
    answers = lending.answers()
    made = Draft(
        "tool_lending",
        Catalogue.model_validate(answers["tools", "catalogue"]),
        DatabaseDesign.model_validate(answers["database", "schema"]),
        world=answers["world", "program"]["code"],
        code={"lendings": TopicCode.model_validate(answers["code", "lendings"])},
    )
    return with_tables(made)


@pytest.fixture(scope="module")
def group(draft: Draft) -> Group:
    """All tools of the lending domain."""
    (only,) = group_tools(draft.catalogue)
    return only


def _answer(*changes: Mapping[str, Any], drop: tuple[str, ...] = ()) -> dict[str, Any]:
    """The scripted answer with some of its scenarios changed or left out."""
    answer = lending.answers()["scenarios", "lendings"]
    by_name = {each["name"]: each for each in answer["scenarios"]}
    for change in changes:
        by_name[change["name"]] = {**by_name.get(change["name"], {"wish": "Something."}), **change}
    return {"scenarios": [each for name, each in by_name.items() if name not in drop]}


def _read(name: str, **arguments: Any) -> dict[str, Any]:
    return {"readings": [{"name": name, "calls": [{"call": 1, "arguments": arguments}]}]}


def _scenario(body: str, name: str = "planted") -> ScenarioDesign:
    return ScenarioDesign(name=name, wish="Something is planted.", body=body)


def test_good_scenarios_pass(draft: Draft, group: Group) -> None:
    assert faults_of_scenarios(draft, group, Scenarios.model_validate(_answer())) == []


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        pytest.param("story.tell(", "line `story.tell(`: the body is no valid Python", id="syntax"),
        pytest.param("import os\nos.remove('x')", "line `import os`: 'import' in a domain's code", id="import"),
        pytest.param("while True:\n    pass", "line `while True:`: 'while' in a domain's code", id="while"),
        pytest.param(
            "story.script.told.add(1)", "line `story.script`: a story has no such thing; have: after,", id="forged"
        ),
        pytest.param("day = story.day(1)\nstory.tell(day.origin)", "the attribute 'origin' is not for", id="origin"),
        pytest.param("story.tell(wrods)", "line `story.tell(wrods)`: Undefined name `wrods`", id="undefined"),
        pytest.param("row = story.pick('item')", "Local variable `row` is assigned to but never used", id="unused"),
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
    other = _scenario("story.tell('Any news?')", "other")
    faults = faults_by_scenario(draft, [_scenario(body), other])
    assert faults.pop("other") == ["it changes nothing and asks for no answer; call a writing tool or story.answer"]
    assert list(faults) == ["planted"]
    assert any(complaint in fault for fault in faults["planted"]), faults


PLANTED = {
    "silent": (
        "label = story.choose('label', ['Rake'])\nstory.call('add_item', label=label)",
        "it says nothing; begin with story.tell",
    ),
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
    "lost_by_an_f_string": (
        "label = story.choose('label', ['rake'])\nstory.tell('Here is a {label}.', label=label)\n"
        "story.call('add_item', label=f'Big {label}')",
        "it calls add_item with label = 'Big rake', a value without origin",
    ),
    "spelt_like_a_name": (
        "label = story.choose('label', ['garden_rake'])\nstory.tell('Here is a {label}.', label=label)\n"
        "story.call('add_item', label=label)",
        "it calls add_item with label = 'garden_rake', which the words say as 'garden rake'; write it as people do",
    ),
    "told_later": (
        "label = story.choose('label', ['Rake'])\nstory.tell('I have something for you.')\n"
        "story.call('add_item', label=label)\nstory.tell('It is a {label}.', label=label)",
        "(label), which is told only in a later wish; tell it before",
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
    "unknown_tool": (
        "story.tell('Sell it.')\nstory.call('sell_item')",
        "The scenario's call of sell_item was rejected: NOT_FOUND: No tool 'sell_item' exists",
    ),
    "inert": (
        "word = story.choose('word', ['saw'])\nstory.tell('Do you have a {word}?', word=word)\n"
        "story.call('find_items', word=word)",
        "it changes nothing and asks for no answer",
    ),
    "a_tool_in_words": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Please add_item {label}.', label=label)\n"
        "story.call('add_item', label=label)",
        "the words name the tool 'add_item'; nobody speaks so",
    ),
    "a_column_in_words": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Add {label} with a due_on.', label=label)\n"
        "story.call('add_item', label=label)",
        "the words name the column 'due_on'; nobody speaks so",
    ),
    "an_id_in_words": (
        f"item = story.pick('item', \"{FREE}\")\nname = story.choose('name', ['Ines'])\n"
        "story.tell('{name} here, lend me {item}.', name=name, item=item['item_id'])\n"
        "story.call('lend_item', item_id=item['item_id'], neighbour=name)",
        "the words hold the id 'ITEM-",
    ),
    "a_written_date": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Since 2026-05-01 {label}s are too many.', label=label)\n"
        "story.call('add_item', label=label)",
        "the words say 2026-05-01; give dates and times to story.tell as values",
    ),
    "a_time_to_the_minute": (
        "label = story.choose('label', ['Rake'])\nwhen = story.moment(-1, '09:37')\n"
        "story.tell('Since {when} I have a {label} too many.', label=label, when=when)\n"
        "story.call('add_item', label=label)",
        "'when' is told as 'Sunday, May 3 at 9:37 AM'; nobody knows such a time",
    ),
    "no_rows": (
        "item = story.pick('item', \"label = 'Submarine'\")\nstory.tell('Where is {label}?', label=item['label'])\n"
        "found = story.call('find_items', word=item['label'])\nstory.answer('how many', story.count(found['items']))",
        "it finds no row on 8 of 8 worlds: No item meets \"label = 'Submarine'\"",
    ),
    "misspelt_column": (
        "item = story.pick('item')\nstory.tell('Where is {label}?', label=item['title'])",
        "line `story.tell('Where is {label}?', label=item['title'])`".replace("'", '"'),
    ),
    "unfit_words": ("story.tell('Where is {label}?')", "and their values do not fit: 'label'"),
    "bad_sql": (
        "item = story.pick('item', 'colour = 1')\nstory.tell('Where is {label}?', label=item['label'])",
        "no such column: colour",
    ),
    "a_made_up_answer": (
        "word = story.choose('word', ['saw'])\nstory.tell('How many have {word}?', word=word)\n"
        "story.call('find_items', word=word)\nstory.answer('how many', 3)",
        "the answer 'how many' (3) is no value that a tool returned",
    ),
    "a_text_answer_without_source": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Here is a {label}.', label=label)\n"
        "added = story.call('add_item', label=label)\nstory.answer('what', added['label'])",
        "the answer 'what' is the text 'Rake'; give the source='table.column' of it",
    ),
    "an_unknown_source": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Here is a {label}.', label=label)\n"
        "added = story.call('add_item', label=label)\nstory.answer('what', added['label'], source='item.name')",
        "the answer 'what' has source 'item.name', no column",
    ),
    "another_meaning": (
        "label = story.text('label', 'Rake with two teeth', otherwise='Rake with three teeth')\n"
        "story.tell('Here is a {label}.', label=label)\nstory.call('add_item', label=label)",
        "the wording 'Rake with three teeth' does not stand for 'Rake with two teeth'",
    ),
    "a_greeting": (
        "label = story.choose('label', ['Rake'])\nstory.tell('Good morning! Here is a {label}.', label=label)\n"
        "story.call('add_item', label=label)",
        "the words greet ('Good morning') in what may be the middle of a conversation; leave it out",
    ),
    "a_doubled_word": (
        "label = story.choose('label', ['big Rake'])\nstory.tell('Here is a {label} rake.', label=label)\n"
        "story.call('add_item', label=label)",
        "the words say 'Rake rake': 'Here is a big Rake rake.'; put it another way",
    ),
    "a_bare_flag": (
        "label = story.choose('label', ['Rake'])\nsharp = story.choose('sharp', [True])\n"
        "story.tell('Here is a {label}, sharp: {sharp}.', label=label, sharp=sharp)\n"
        "story.call('add_item', label=label)",
        "'sharp' is told as 'yes'; give the words for it: story.choose('sharp', {\"only the open ones\": True})",
    ),
    "another_word_for_a_free_text": (
        "label = story.choose('label', {'something for hay': 'Rake'})\nstory.tell('Here is {label}.', label=label)\n"
        "story.call('add_item', label=label)",
        "it calls add_item with label = 'Rake', which the words say as 'something for hay'; write it as people do",
    ),
    "a_number_that_is_guessed": (
        "item = story.pick('item')\nstory.tell('How often was {label} lent?', label=item['label'])\n"
        "items = story.call('find_items', word=item['label'])['items']\n"
        "mine = story.find(items, label=item['label'])\n"
        "lendings = story.call('list_lendings', item_id=mine['item_id'])['lendings']\n"
        "story.answer('how often', story.count(lendings))",
        "it changes nothing, and all its answers are small numbers (how often: 1) on 8 of 8 worlds",
    ),
    "a_day_that_is_a_moment": (
        "item = story.pick('item')\nstory.tell('By what day is {label} due?', label=item['label'])\n"
        "items = story.call('find_items', word=item['label'])['items']\n"
        "mine = story.find(items, label=item['label'])\n"
        "lendings = story.call('list_lendings', item_id=mine['item_id'])['lendings']\n"
        "story.answer('end', story.moment(story.highest(lendings, 'due_on')['due_on'], '12:00'))",
        "but a day is asked for; give story.date_of(...) of it, or ask when exactly it is",
    ),
    "a_fact_that_is_not_there": (
        "label = story.text('label', 'Rake with two teeth', facts=['green'])\n"
        "story.tell('Here is a {label}.', label=label)\nstory.call('add_item', label=label)",
        "the text 'Rake with two teeth' does not hold its fact 'green'",
    ),
}


@pytest.fixture(scope="module")
def complaints(draft: Draft) -> dict[str, list[str]]:
    """The faults of all planted scenarios, which run in one child process."""
    return faults_by_scenario(draft, [_scenario(body, name) for name, (body, _) in PLANTED.items()])


@pytest.mark.parametrize("name", sorted(PLANTED))
def test_what_a_run_shows_is_sent_back_with_the_scenario_s_name(complaints: dict[str, list[str]], name: str) -> None:
    assert any(PLANTED[name][1] in fault for fault in complaints[name]), complaints[name]


def test_a_call_that_changes_nothing_is_sent_back(draft: Draft) -> None:
    content = lending.answers()["code", "lendings"]
    for body in content["bodies"]:
        if body["tool"] == "add_item":
            body["body"] = 'if label:\n    return {"item_id": "none", "label": label}\n' + body["body"]
    idle = replace(draft, code={"lendings": TopicCode.model_validate(content)})
    faults = faults_by_scenario(idle, [ScenarioDesign.model_validate(_answer()["scenarios"][2])])
    assert faults == {"give_an_item": ["its call of add_item changes nothing; pick a row that is not so already"]}


def test_a_scenario_that_some_worlds_have_no_row_for_passes(draft: Draft, tmp_path: Path) -> None:
    body = (
        "item = story.pick('item', \"label = 'Saw 1' OR label = 'Drill 1'\")\n"
        "story.tell('Do you have {label}?', label=item['label'])\n"
        "found = story.call('find_items', word=item['label'])['items']\n"
        "story.answer('which', story.find(found, label=item['label'])['label'], source='item.label')"
    )
    with replace(draft, scenarios=(_scenario(body),)).laid_out() as folder:
        (half,) = prove(JOB, {"folder": str(folder), "seeds": [1, 2, 3, 4, 5, 6, 7, 8], "sizes": [100]}, reads=[folder])
    assert half["tools"] in ([], ["find_items"])
    assert all(fault.startswith("it finds no row on") for fault in half["faults"])


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        pytest.param(_answer(drop=("give_an_item",)), "no scenario calls the writing tool 'add_item'", id="writing"),
        pytest.param(
            _answer(drop=("bring_an_item_back",)),
            "too few tools are called; at most 1 may be left out, so call list_lendings",
            id="share",
        ),
        pytest.param(_answer(drop=("bring_an_item_back",)), "no scenario has a wish beyond the tools", id="outside"),
        pytest.param(_answer(drop=("borrow_an_item",)), "no scenario asks for something that must be", id="answer"),
    ],
)
def test_what_scenarios_leave_uncovered_is_sent_back(group: Group, answer: dict[str, Any], complaint: str) -> None:
    lacking = group.lacks(Scenarios.model_validate(answer))
    assert any(complaint in sentence for sentence in lacking), lacking


def test_an_outside_wish_is_refused_where_none_is_asked_for(group: Group) -> None:
    lacking = replace(group, outside=False).lacks(Scenarios.model_validate(_answer()))
    assert lacking == ["a scenario has a wish beyond the tools, which is not asked for here; take story.outside away"]


def _write(draft: Draft, script: Any, repairs: int = 1) -> tuple[Draft, Notes, ScriptedModel]:
    model, notes = ScriptedModel(script), Notes()
    desk = Desk(Models(model, {}), notes, repairs)
    return asyncio.run(write_scenarios(desk, draft, GRAPH)), notes, model


def _names(draft: Draft) -> list[str]:
    return [each.name for each in draft.scenarios]


def test_a_faulty_scenario_is_repaired_by_itself(draft: Draft) -> None:
    bad = {"name": "give_an_item", "body": "story.tell('Here.')\nstory.call('add_item', label='Rake')"}
    good = _answer()["scenarios"][2]
    script = {("scenarios", "lendings", 1): _answer(bad), ("scenarios", "lendings", 2): {"scenarios": [good]}, **STOP}
    written, notes, model = _write(draft, script)
    assert _names(written) == ["borrow_an_item", "bring_an_item_back", "give_an_item"]
    ((stage, key, complaints),) = notes.repairs
    assert (stage, key) == ("scenarios", "lendings")
    assert len(complaints) == 1
    assert complaints[0].startswith("scenario 'give_an_item': it calls add_item with label = 'Rake'")
    shown = model.requests[1].earlier[0].answer["scenarios"]
    assert shown[0] == {"name": "borrow_an_item"}  # no complaint names it
    assert shown[2]["body"] == bad["body"]


def test_a_scenario_that_is_never_repaired_is_dropped_and_its_tools_are_asked_for_again(draft: Draft) -> None:
    bad = {"name": "give_an_item", "body": "story.tell('Here.')\nstory.call('add_item', label='Rake')"}
    more = {**_answer()["scenarios"][2], "name": "borrow_an_item"}  # a name that is taken
    script = {
        ("scenarios", "lendings"): _answer(bad),
        ("scenarios", "missing"): {"scenarios": [more]},
        ("reading", "missing"): _read("borrow_an_item", label="Rake"),
        **STOP,
    }
    written, notes, model = _write(draft, script)
    assert _names(written) == ["borrow_an_item", "bring_an_item_back", "borrow_an_item_2"]
    assert any(sentence.startswith("dropped scenario give_an_item: it calls add_item") for sentence in notes.sentences)
    asked = next(request for request in model.requests if request.key == "missing")
    assert "### add_item" in asked.prompt
    assert "### lend_item" not in asked.prompt


def test_a_stage_without_any_usable_answer_keeps_the_domain_and_says_so(draft: Draft) -> None:
    written, notes, _ = _write(draft, {"scenarios": {"scenario": []}}, repairs=0)
    assert written.scenarios == ()
    assert "no scenario calls lend_item" in notes.sentences
    assert "no scenario passed its gate; the domain has none" in notes.sentences


@pytest.mark.parametrize(
    ("new", "said"),
    [
        pytest.param("'Rake', 'Fork'", "", id="sound"),
        pytest.param("'Rake'][:0] + [None", "After the edits by hand, scenario 'give_an_item': ", id="broken"),
    ],
)
def test_an_edit_by_hand_passes_the_gate_or_stops_the_build(draft: Draft, new: str, said: str) -> None:
    edit = Edit(file="scenarios.py", old='"Rake", "Spade"', new=new.replace("'", '"'), reason="Another thing.")
    script = {("scenarios", "lendings"): _answer(), **STOP}
    if not said:
        written, _, _ = _write(replace(draft, edits=(edit,)), script)
        assert len(written.scenarios) == 3
        return
    with pytest.raises(StageFailed, match=said):
        _write(replace(draft, edits=(edit,)), script)


def test_topics_share_a_request_while_they_fit(draft: Draft) -> None:
    content = lending.answers()["tools", "catalogue"]
    tool = content["tools"][0]
    content["topics"] = [{"name": name, "description": name} for name in ("first", "second", "third")]
    content["tools"] = [
        {**tool, "name": f"find_{topic}_{number}", "topic": topic}
        for topic, count in (("first", 7), ("second", 5), ("third", 1))
        for number in range(count)
    ]
    catalogue = Catalogue.model_validate(content)
    groups = group_tools(catalogue)
    assert [(each.key, len(each.tools), each.count, each.outside) for each in groups] == [
        ("first-second", 12, 6, True),
        ("third", 1, 3, False),
    ]
    assert [tool.name for tool in uncovered_tools(catalogue, {tool.name for tool in catalogue.tools[3:]})] == [
        "find_first_0"
    ]


def test_the_graph_shows_lookups_of_other_topics(draft: Draft) -> None:
    edge = {"kind": "data_flow", "source": "find_items", "target": "lend_item"}
    evidence = {
        "start": 0,
        "source": {},
        "target": {},
        "result": "items.0.item_id",
        "parameter": "item_id",
        "after": "x",
    }
    nodes = [{"id": name, "topic": "lendings", "reads": [], "writes": []} for name in ("find_items", "lend_item")]
    graph = {**GRAPH, "graph": {"starts": [{"seed": 1, "size": 1}]}, "nodes": nodes}
    graph["edges"] = [{**edge, "evidence": evidence}]
    one = Group("lend", (draft.catalogue.tool("lend_item"),), outside=False)
    helpers = helping_tools(one, draft.catalogue, graph)
    assert [tool.name for tool in helpers] == ["find_items"]
    assert describe_edges(one, helpers, graph) == "- item_id of lend_item: from find_items (items[].item_id)"


def test_a_choice_is_said_in_the_words_given_for_it(draft: Draft) -> None:
    body = (
        "item = story.pick('item', \"item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')\")\n"
        "days = story.choose('days', {'over the weekend, so for three days': 3})\n"
        "story.tell('Ines here. Could I have {label} {days}?', label=item['label'], days=days)\n"
        "name = story.choose('name', ['Ines'])\nstory.tell('Put it under {name}.', name=name)\n"
        "found = story.find(story.call('find_items', word=item['label'])['items'], label=item['label'])\n"
        "story.call('lend_item', item_id=found['item_id'], neighbour=name, days=days)"
    )
    assert faults_by_scenario(draft, [_scenario(body)]) == {}


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
        "items = story.call('find_items', word=word)['items']\nstory.answer('how many', story.count(items))"
    )
    (fault,) = faults_by_scenario(limited, [_scenario(body)])["planted"]
    assert fault == (
        "the answer 'how many' counts 5 entries, as many as the limit of find_items lets through; narrow the list "
        "down, or take the result's own total"
    )


def test_the_gate_is_asked_after_coverage_and_its_inputs_are_recorded(draft: Draft) -> None:
    without = _answer(drop=("bring_an_item_back",))
    script = {
        ("scenarios", "lendings"): without,
        ("scenarios", "missing"): {"scenarios": [_answer()["scenarios"][1]]},
        ("reading", "missing"): _read("bring_an_item_back"),
        **STOP,
    }
    written, notes, model = _write(draft, script, repairs=0)
    assert [(request.role, request.key) for request in model.requests] == [
        ("scenarios", "lendings"),
        ("scenarios", "missing"),
        ("reader", "missing"),
        ("scenarios", "gate-1"),
    ]
    (ruling,) = written.rulings
    # all five tools are called and no edge is known: (5 + 0.5 * 0) / 50
    assert ruling.as_json == {
        "remaining": 0,
        "complexity": 0.1,
        "feasibility": 0.0,
        "score": 0.2,
        "goes_on": False,
        "reason": "Nothing new is left to want.",
    }
    assert "- |D| = 0: tools that no scenario calls\n- c(H) = 0.1:" in model.requests[-1].prompt
    assert any(sentence.startswith("gate 1: stop at 0.2") for sentence in notes.sentences)


def test_the_gate_counts_what_is_left_and_which_chains_of_it_run(draft: Draft) -> None:
    with draft.laid_out() as folder:
        arguments = {
            "folder": str(folder),
            "graph": _with_nodes(draft),
            "called": ["find_items", "lend_item"],
            "number": 1,
        }
        first = prove("generator.scenarios.gate:measure_gate", arguments, reads=[folder])
        again = prove("generator.scenarios.gate:measure_gate", arguments, reads=[folder])
    assert first == again
    assert first["remaining"] == ["add_item", "list_lendings", "take_back"]
    assert first["complexity"] == pytest.approx(0.04)
    assert first["feasibility"] == 1.0


def test_scenarios_are_written_around_the_least_used_tools_until_the_gate_says_stop(draft: Draft) -> None:
    more = {**_answer()["scenarios"][2], "name": "give_another_item"}
    script = {
        ("scenarios", "lendings"): _answer(),
        ("scenarios", "gate-1"): {"probability": 0.5, "reason": "People give more than that."},
        ("scenarios", "further-1"): {"scenarios": [more]},
        ("reading", "further-1"): _read("give_another_item", label="Rake"),
        ("scenarios", "gate-2"): {"probability": 0.49, "reason": "Enough."},
        **READING,
    }
    written, _, model = _write(draft, script, repairs=0)
    asked = [request for request in model.requests if request.role == "scenarios"]
    assert [request.key for request in asked] == ["lendings", "gate-1", "further-1", "gate-2"]
    assert "Write 2 scenarios" in asked[2].prompt
    assert "around: lend_item (called by 1), take_back (called by 1), add_item (called by 1), list_lendings" in (
        asked[1].prompt
    )
    assert _names(written)[-1] == "give_another_item"
    assert [(ruling.decision.score, ruling.decision.goes_on) for ruling in written.rulings] == [
        (0.5, True),
        (0.49, False),
    ]


def test_the_gate_is_asked_only_so_often(draft: Draft) -> None:
    def script(request: Request) -> Mapping[str, Any]:
        if request.key.startswith("gate"):
            return {"probability": 1.0, "reason": "More, always more."}
        if request.role == "reader":
            return READING["reading", "lendings"]
        return _answer() if request.key == "lendings" else {"scenarios": []}

    written, _, _ = _write(draft, script, repairs=0)
    assert len(written.rulings) == MOST_ROUNDS
    assert all(ruling.decision.goes_on for ruling in written.rulings)


def test_an_opinion_that_is_no_probability_ends_the_writing_and_is_said(draft: Draft) -> None:
    opinion = {"probability": 7, "reason": "Sure."}
    script = {("scenarios", "lendings"): _answer(), **READING, ("scenarios", "gate-1"): opinion}
    written, notes, _ = _write(draft, script, repairs=0)
    assert len(written.scenarios) == 3
    assert written.rulings == ()
    assert any("gate-1" in sentence and "probability" in sentence for sentence in notes.sentences)


def test_the_tables_that_are_shown_are_still_sql() -> None:
    shown = _short_sql(
        "CREATE TABLE loan (          -- A loan, as it is\n"
        "    loan_id  TEXT PRIMARY KEY,   -- Number\n"
        "    note     TEXT NOT NULL CHECK (note <> ''),  -- Words, many\n"
        "    CHECK (\n        loan_id <> '('  -- :)\n    ),\n"
        "    CHECK (note <> loan_id)\n"
        ") STRICT, WITHOUT ROWID;\n\nCREATE UNIQUE INDEX once ON loan (note);"
    )
    assert shown == (
        "CREATE TABLE loan ( -- A loan, as it is\n    loan_id TEXT PRIMARY KEY, -- Number\n"
        "    note TEXT NOT NULL -- Words, many\n);"
    )
    with sqlite3.connect(":memory:") as connection:
        connection.execute(shown)


def test_the_rows_of_a_small_world_are_shown(draft: Draft) -> None:
    with draft.laid_out() as folder:
        shown = prove("generator.scenarios.samples:sample_world", {"folder": str(folder)}, reads=[folder])
    assert list(shown) == ["item", "lending"]
    assert shown["lending"].startswith("- lending, 50 rows: ")
    assert "status back 25, out 25" in shown["lending"]
    assert "due_on 2026-04-" in shown["lending"]


def _with_nodes(draft: Draft) -> dict[str, Any]:
    nodes = [{"id": tool.name, "topic": tool.topic, "reads": [], "writes": []} for tool in draft.catalogue.tools]
    return {**GRAPH, "graph": {"starts": []}, "nodes": nodes}
