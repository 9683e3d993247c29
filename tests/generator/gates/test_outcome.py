"""A case is as expected, or it says in which way it is not."""

from __future__ import annotations

from typing import Any

import pytest

from generator.author.design import Catalogue, DatabaseDesign
from generator.author.draft import Draft
from generator.author.stages.code import with_tables
from generator.author.writing.code import TopicCode
from generator.gates.cases.case import Case
from generator.gates.cases.run import CaseRunner
from runtime.domain.load import load_domain
from tests.generator import lending

ROWS = lending.answers()["cases", "lendings"]["rows"]


@pytest.fixture(scope="module")
def runner() -> CaseRunner:
    """Runs cases on the lending domain."""
    answers = lending.answers()
    draft = Draft(
        "tool_lending",
        Catalogue.model_validate(answers["tools", "catalogue"]),
        DatabaseDesign.model_validate(answers["database", "schema"]),
        code={"lendings": TopicCode.model_validate(answers["code", "lendings"])},
    )
    with with_tables(draft).laid_out() as folder:
        return CaseRunner(load_domain(folder), ROWS)


LENT = {"item_id": "I2", "neighbour": "Mei", "due_on": "2026-05-11"}
LEND: dict[str, Any] = {"tool": "lend_item", "arguments": {"item_id": "I2", "neighbour": "Mei"}}
BACK: dict[str, Any] = {"tool": "take_back", "arguments": {"lending_id": "L1"}}
FIND: dict[str, Any] = {"tool": "find_items", "arguments": {"word": "saw"}}


@pytest.mark.parametrize(
    ("case", "said"),
    [
        pytest.param({**LEND, "changes": [{"table": "lending", "added": LENT}]}, [], id="added"),
        pytest.param(
            {**LEND, "result": {"lending_id": "$new:lending"}, "changes": [{"table": "lending", "added": LENT}]},
            [],
            id="new_key",
        ),
        pytest.param(
            {**LEND, "result": {"lending_id": "$new:item"}, "changes": [{"table": "lending", "added": LENT}]},
            ["the key of new row 1 of item"],
            id="wrong_new_key",
        ),
        pytest.param(
            {
                **LEND,
                "result": {"due_on": {"$contains": ["2026", "11"]}},
                "changes": [{"table": "lending", "added": LENT}],
            },
            [],
            id="contains",
        ),
        pytest.param(
            {**LEND, "result": {"due_on": {"$contains": ["2025"]}}, "changes": [{"table": "lending", "added": LENT}]},
            ["does not contain"],
            id="contains_not",
        ),
        pytest.param({**LEND, "result": {"due_on": "2026-05-11"}}, ["not expected: "], id="forgotten_change"),
        pytest.param({**LEND, "rejects": "NOT_FOUND"}, ["expected NOT_FOUND, got success"], id="not_rejected"),
        pytest.param(
            {**BACK, "changes": [{"table": "lending", "key": "L1", "changed": {"status": "back"}}]}, [], id="changed"
        ),
        pytest.param(
            {**BACK, "changes": [{"table": "lending", "key": "L1", "changed": {"due_on": "2026-05-06"}}]},
            ["status became 'back', which is not expected"],
            id="other_column",
        ),
        pytest.param(
            {**BACK, "rows": {"lending": [{"lending_id": "L1", "status": "back"}]}, "rejects": "FAILED_PRECONDITION"},
            [],
            id="merged_row",
        ),
        pytest.param({**FIND, "result": {"items": [{"item_id": "I3"}, {"item_id": "I1"}]}}, [], id="partial_records"),
        pytest.param(
            {**FIND, "result": {"items": [{"item_id": "I1"}, {"item_id": "I3"}]}}, ["items[0].item_id"], id="order"
        ),
        pytest.param({**FIND, "result": {"items": [{"item_id": "I3"}]}}, ["has 2 items, expected 1"], id="length"),
    ],
)
def test_an_outcome_is_success_rejection_or_says_what_is_wrong(
    case: dict[str, Any], said: list[str], runner: CaseRunner
) -> None:
    outcome = runner.run(Case(title="", **case))
    if said:
        assert outcome.kind == "unexpected"
        assert all(any(part in difference for difference in outcome.differences) for part in said), outcome.differences
    else:
        assert outcome.differences == []
        assert outcome.kind == ("rejection" if case.get("rejects") else "success")
