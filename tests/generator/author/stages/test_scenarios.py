"""How the stage of scenarios repairs, drops, covers and ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.author.design import Catalogue
from generator.author.draft import Draft
from generator.author.stages.scenario_faults import faults_by_scenario
from generator.author.stages.scenario_groups import FormDealer
from generator.gates.folder import FolderRequest
from generator.isolation.process import run_job
from generator.scenarios.scenario import sample_world
from generator.scenarios.trial import GateRequest, measure_gate
from runtime.graph import Graph, Node
from tests.generator import lending
from tests.generator.author.stages.drafts import GRAPH, READING, STOP, answer, names, scenario, write


def test_a_faulty_scenario_is_repaired_by_itself(draft: Draft) -> None:
    bad = {"name": "give_an_item", "body": "story.tell('Here.')\nstory.call('add_item', label='Rake')"}
    good = answer()["scenarios"][2]
    script = {("scenarios", "lendings", 1): answer(bad), ("scenarios", "lendings", 2): {"scenarios": [good]}, **STOP}
    written, notes, model = write(draft, script)
    assert names(written) == ["borrow_an_item", "bring_an_item_back", "give_an_item"]
    ((stage, key, complaints),) = notes.repairs
    assert (stage, key) == ("scenarios", "lendings")
    assert len(complaints) == 1
    assert complaints[0].startswith("scenario 'give_an_item': it calls add_item with label = 'Rake'")
    shown = model.requests[1].earlier[0].answer["scenarios"]
    assert shown[0] == {"name": "borrow_an_item"}  # no complaint names it
    assert shown[2]["body"] == bad["body"]


def test_a_scenario_that_is_never_repaired_is_dropped_and_its_tools_are_asked_for_again(draft: Draft) -> None:
    bad = {"name": "give_an_item", "body": "story.tell('Here.')\nstory.call('add_item', label='Rake')"}
    more = {**answer()["scenarios"][2], "name": "borrow_an_item"}  # a name that is taken
    script = {("scenarios", "lendings"): answer(bad), ("scenarios", "missing"): {"scenarios": [more]}, **STOP}
    written, notes, model = write(draft, script)
    assert names(written) == ["borrow_an_item", "bring_an_item_back", "borrow_an_item_2"]
    assert any(sentence.startswith("dropped scenario give_an_item: it calls add_item") for sentence in notes.sentences)
    asked = next(request for request in model.requests if request.key == "missing")
    assert "### add_item" in asked.prompt
    assert "### lend_item" not in asked.prompt


def test_a_stage_without_any_usable_answer_keeps_the_domain_and_says_so(draft: Draft) -> None:
    written, notes, _ = write(draft, {"scenarios": {"scenario": []}}, repairs=0)
    assert written.scenarios == ()
    assert "no scenario calls lend_item" in notes.sentences
    assert "no scenario passed its gate; the domain has none" in notes.sentences


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
    dealer = FormDealer(replace(draft, catalogue=catalogue))
    assert [(each.key, len(each.tools), each.count, each.outside) for each in dealer.groups()] == [
        ("first-second", 12, 6, True),
        ("third", 1, 3, False),
    ]
    assert [tool.name for tool in dealer.uncovered({tool.name for tool in catalogue.tools[3:]})] == ["find_first_0"]


def test_a_choice_is_said_in_the_words_given_for_it(draft: Draft) -> None:
    body = (
        "item = story.pick('item', \"item_id NOT IN (SELECT item_id FROM lending WHERE status = 'out')\")\n"
        "days = story.choose('days', {'over the weekend, so for three days': 3})\n"
        "story.tell('Ines here. Could I have {label} {days}?', label=item['label'], days=days)\n"
        "name = story.choose('name', ['Ines'])\nstory.tell('Put it under {name}.', name=name)\n"
        "found = story.find(story.call('find_items', word=item['label'])['items'], label=item['label'])\n"
        "story.call('lend_item', item_id=found['item_id'], neighbour=name, days=days)"
    )
    assert faults_by_scenario(draft, [scenario(body)]) == {}


def test_the_gate_is_asked_after_coverage_and_its_inputs_are_recorded(draft: Draft) -> None:
    without = answer(drop=("bring_an_item_back",))
    script = {
        ("scenarios", "lendings"): without,
        ("scenarios", "missing"): {"scenarios": [answer()["scenarios"][1]]},
        **STOP,
    }
    written, notes, model = write(draft, script, repairs=0)
    assert [(request.role, request.key.partition(".")[0]) for request in model.requests] == [
        ("scenarios", "lendings"),
        ("scenarios", "missing"),
        ("scenarios", "gate-1"),
    ]
    (ruling,) = written.rulings
    # all five tools are called
    assert ruling.as_json == {
        "remaining": 0,
        "complexity": 1.0,
        "feasibility": 0.0,
        "score": 0.2,
        "goes_on": False,
        "reason": "Nothing new is left to want.",
    }
    assert "- tools that no scenario calls: |D| = 0\n- c(H) = 1.0:" in model.requests[-1].prompt
    assert any(sentence.startswith("gate 1: stop at 0.2") for sentence in notes.sentences)


def test_the_gate_counts_what_is_left_and_which_chains_of_it_run(draft: Draft) -> None:
    with draft.laid_out() as folder:
        asked = GateRequest(folder, _with_nodes(draft), ["find_items", "lend_item"], 1)
        first = run_job(measure_gate, asked)
        again = run_job(measure_gate, asked)
    assert first == again
    assert first.remaining == ["add_item", "list_lendings", "take_back"]
    assert first.complexity == pytest.approx(0.4)
    assert first.feasibility == 1.0


def test_scenarios_are_written_around_the_least_used_tools_until_the_gate_says_stop(draft: Draft) -> None:
    more = {**answer()["scenarios"][2], "name": "give_another_item"}
    script = {
        ("scenarios", "lendings"): answer(),
        ("scenarios", "gate-1"): {"probability": 0.5, "reason": "People give more than that."},
        ("scenarios", "further-1"): {"scenarios": [more]},
        ("scenarios", "gate-2"): {"probability": 0.49, "reason": "Enough."},
        **READING,
    }
    written, _, model = write(draft, script, repairs=0)
    asked = [request for request in model.requests if request.role == "scenarios"]
    assert [request.key for request in asked] == ["lendings", "gate-1", "further-1", "gate-2"]
    assert "- 2 scenarios of the form `direct`" in asked[2].prompt
    assert "about: lend_item (called by 1), take_back (called by 1), add_item (called by 1), list_lendings" in (
        asked[1].prompt
    )
    assert names(written)[-1] == "give_another_item"
    assert [(ruling.decision.score, ruling.decision.goes_on) for ruling in written.rulings] == [
        (0.5, True),
        (0.49, False),
    ]


def test_an_opinion_that_is_no_probability_ends_the_writing_and_is_said(draft: Draft) -> None:
    opinion = {"probability": 7, "reason": "Sure."}
    script = {("scenarios", "lendings"): answer(), **READING, ("scenarios", "gate-1"): opinion}
    written, notes, _ = write(draft, script, repairs=0)
    assert len(written.scenarios) == 3
    assert written.rulings == ()
    assert any("gate-1" in sentence and "probability" in sentence for sentence in notes.sentences)


def test_the_rows_of_a_small_world_are_shown(draft: Draft) -> None:
    with draft.laid_out() as folder:
        shown = run_job(sample_world, FolderRequest(folder)).tables
    assert list(shown) == ["item", "lending"]
    assert shown["lending"].startswith("- lending, 50 rows: ")
    assert "status back 29, out 21" in shown["lending"]
    assert "due_on 2026-04-" in shown["lending"]


def _with_nodes(draft: Draft) -> Graph:
    nodes = [Node(id=tool.name, topic=tool.topic, reads=[], writes=[]) for tool in draft.catalogue.tools]
    return replace(GRAPH, nodes={node.id: node for node in nodes})
