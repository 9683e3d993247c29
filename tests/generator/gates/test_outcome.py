"""A case is as expected, or it says in which way it is not."""

from __future__ import annotations

from typing import Any

import pytest

from generator.gates.cases.case import Case
from generator.gates.cases.run import CaseRunner
from runtime.domain.load import load_domain
from tests.generator import lending
from tests.generator.author.stages.drafts import lending_draft

ROWS = lending.answers()["cases", "lendings"]["rows"]


@pytest.fixture(scope="module")
def runner() -> CaseRunner:
    """Runs cases on the lending domain."""
    with lending_draft().laid_out() as folder:
        return CaseRunner(load_domain(folder), ROWS)


LENT = {"item_id": "I2", "neighbour": "Mei", "due_on": "2026-05-11"}
LEND: dict[str, Any] = {"tool": "lend_item", "arguments": {"item_id": "I2", "neighbour": "Mei"}}
LENDS = {**LEND, "changes": [{"table": "lending", "added": LENT}]}
BACK: dict[str, Any] = {"tool": "take_back", "arguments": {"lending_id": "L1"}}
FIND: dict[str, Any] = {"tool": "find_items", "arguments": {"word": "saw"}}


def _back(**changed: str) -> dict[str, Any]:
    return {**BACK, "changes": [{"table": "lending", "key": "L1", "changed": changed}]}


def _found(*items: str) -> dict[str, Any]:
    return {**FIND, "result": {"items": [{"item_id": item} for item in items]}}


OUTCOMES: dict[str, tuple[dict[str, Any], str]] = {
    "added": (LENDS, ""),
    "new_key": ({**LENDS, "result": {"lending_id": "$new:lending"}}, ""),
    "wrong_new_key": ({**LENDS, "result": {"lending_id": "$new:item"}}, "the key of new row 1 of item"),
    "contains": ({**LENDS, "result": {"due_on": {"$contains": ["2026", "11"]}}}, ""),
    "contains_not": ({**LENDS, "result": {"due_on": {"$contains": ["2025"]}}}, "does not contain"),
    "forgotten_change": ({**LEND, "result": {"due_on": "2026-05-11"}}, "not expected: "),
    "not_rejected": ({**LEND, "rejects": "NOT_FOUND"}, "expected NOT_FOUND, got success"),
    "changed": (_back(status="back"), ""),
    "other_column": (_back(due_on="2026-05-06"), "status became 'back', which is not expected"),
    "merged_row": (
        {**BACK, "rows": {"lending": [{"lending_id": "L1", "status": "back"}]}, "rejects": "FAILED_PRECONDITION"},
        "",
    ),
    "partial_records": (_found("I3", "I1"), ""),
    "order": (_found("I1", "I3"), "items[0].item_id"),
    "length": (_found("I3"), "has 2 items, expected 1"),
}


@pytest.mark.parametrize("name", OUTCOMES)
def test_an_outcome_is_success_rejection_or_says_what_is_wrong(name: str, runner: CaseRunner) -> None:
    case, said = OUTCOMES[name]
    outcome = runner.run(Case(title="", **case))
    expected = "unexpected" if said else "rejection" if case.get("rejects") else "success"
    assert outcome.kind == expected, outcome.differences
    assert any(said in difference for difference in outcome.differences) if said else outcome.differences == []
