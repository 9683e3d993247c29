"""What must hold for every domain that is shipped: each tool's cases, and the tasks that its seed makes.

That the recorded answers build the folder of job_seeking again is what the demo shows, which tests/test_readme.py runs;
of the other, which takes as long, `.ci/nightly` shows it.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator.gates.cases.case import CaseBook, read_cases
from generator.gates.cases.run import CaseRunner
from generator.main import main
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool

ROOT = Path(__file__).parent.parent
FOLDERS = {card.parent.name: card.parent for card in sorted(ROOT.glob("domains/*/domain.json"))}
REBUILT = [name for name, folder in FOLDERS.items() if (folder / "answers.jsonl").is_file()]

TASKS = 12


@cache
def _domain(name: str) -> tuple[Domain, CaseBook]:
    return load_domain(FOLDERS[name]), read_cases(FOLDERS[name] / "cases.jsonl")


def _tools() -> list[Any]:
    own = [(name, tool) for name in FOLDERS for tool in _domain(name)[0].tools if not is_desk_tool(tool)]
    return [pytest.param(name, tool, id=f"{name}:{tool}") for name, tool in own]


def test_three_domains_are_shipped_of_which_a_model_made_two() -> None:
    assert list(FOLDERS) == ["job_seeking", "library", "second_hand_marketplace"]
    assert REBUILT == ["job_seeking", "second_hand_marketplace"]


@pytest.mark.parametrize("name", REBUILT)
def test_what_a_model_made_was_asked_for_with_about_so_many_tools_and_has_rules(name: str) -> None:
    domain, _ = _domain(name)
    assert abs(len(domain.tools) - int(str(domain.card.provenance["tools"]))) <= 10
    assert 6 <= len(domain.schema.tables) <= 14
    assert domain.rules
    assert domain.people


@pytest.mark.parametrize(("name", "tool"), _tools())
def test_a_tool_does_what_its_cases_say(name: str, tool: str) -> None:
    domain, book = _domain(name)
    outcomes = [
        CaseRunner(domain, own.rows).run(case) for own in book.values() for case in own.cases if case.tool == tool
    ]
    assert [outcome.differences for outcome in outcomes if outcome.differences] == []
    assert "success" in [outcome.kind for outcome in outcomes]
    assert {outcome.observed.rejection for outcome in outcomes if outcome.observed} >= domain.tools[tool].rejects


@pytest.mark.parametrize("name", REBUILT)
def test_the_first_tasks_come_out_as_they_are_shipped(name: str, tmp_path: Path) -> None:
    made = tmp_path / "tasks.jsonl"
    assert main(["tasks", str(FOLDERS[name]), "-n", str(TASKS), "--out", str(made)]) == 0
    shipped = _without_proofs(FOLDERS[name] / "tasks.jsonl")
    assert [each for each in _without_proofs(made) if each not in shipped] == []  # each depends on its number alone


def _without_proofs(file: Path) -> list[dict[str, Any]]:
    """The tasks of a file; how many trials their proofs took is not what makes them."""
    tasks = [json.loads(line) for line in file.read_bytes().splitlines()]
    return [{name: value for name, value in task.items() if name != "proofs"} for task in tasks]
