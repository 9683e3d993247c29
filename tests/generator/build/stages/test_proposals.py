"""How dependencies are proposed: names are checked, execution decides, and nobody is asked unless it is wanted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from generator.build.ask import Asker
from generator.build.draft import Draft
from generator.build.stage import PROPOSES, roles_asked
from generator.build.stages.graph import ProposedEdges, faults_of_proposals, propose_dependencies
from runtime.graph import Graph
from runtime.model.book import AnswerBook
from runtime.model.choose import Models
from runtime.model.model import Answer, Request, Usage
from tests.generator.build.stages.writing import GRAPH
from tests.generator.building import Notes
from tests.runtime.model.scripted import ScriptedModel

LENT = {
    "source": "lend_item",
    "target": "take_back",
    "kind": "data_flow",
    "result": "lending_id",
    "parameter": "lending_id",
    "reason": "What was lent just now can come back.",
}
NEEDLESS = {"source": "find_items", "target": "take_back", "kind": "precondition", "reason": "One looks first."}


def _propose(draft: Draft, *answers: list[dict[str, Any]]) -> tuple[Graph, Notes, ScriptedModel]:
    script = {("graph", "proposals", number): {"edges": edges} for number, edges in enumerate(answers, 1)}
    model, notes = ScriptedModel(script), Notes()
    asker = Asker(Models(model, {}), notes, repairs=len(answers) - 1)
    return asyncio.run(propose_dependencies(asker, draft, GRAPH)), notes, model


def test_what_shows_is_kept_and_what_does_not_is_dropped(draft: Draft) -> None:
    graph, notes, model = _propose(draft, [LENT, NEEDLESS])
    assert [(edge.source, edge.target, edge.kind) for edge in graph.edges] == [("lend_item", "take_back", "data_flow")]
    assert graph.edges[0].evidence.reason == LENT["reason"]
    assert notes.sentences == ["1 of 2 proposals of dependencies showed when executed"]
    assert "### lend_item" in model.requests[0].prompt


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param({"target": "bring_back"}, "there is no tool 'bring_back'", id="target"),
        pytest.param({"parameter": "loan"}, "take_back has no parameter 'loan'; have: lending_id", id="parameter"),
        pytest.param({"result": ""}, "give the path of the value in the result of lend_item", id="no_result"),
    ],
)
def test_a_proposal_that_cannot_be_tried_is_a_fault(draft: Draft, change: dict[str, Any], complaint: str) -> None:
    proposed = ProposedEdges.model_validate({"edges": [{**LENT, **change}]})
    (fault,) = faults_of_proposals(proposed, draft, GRAPH)
    assert complaint in fault


def test_a_model_is_asked_only_if_one_is_named_or_its_answers_were_recorded(tmp_path: Path) -> None:
    with AnswerBook.open(tmp_path / "answers.jsonl", {}) as book:
        assert PROPOSES not in roles_asked(["anthropic:a"], book, scenarios=True, rules=True)
        assert PROPOSES in roles_asked(["anthropic:a", "graph=anthropic:b"], book, scenarios=True, rules=True)
        request = Request(PROPOSES, PROPOSES, "proposals", 1, "", "", {})
        book.add(request, Answer({"edges": []}, "scripted", Usage(1, 1)))
        assert roles_asked(["recorded"], book, scenarios=False, rules=False)[-1] == PROPOSES
