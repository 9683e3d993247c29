"""What must hold for every domain that is shipped: each tool's cases, and the tasks that its seed makes.

That the recorded answers build the folder again is what the demo shows, which tests/test_readme.py runs.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator.gates.cases.case import CaseBook, read_cases
from generator.gates.cases.run import CaseRunner
from generator.main import main
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain

ROOT = Path(__file__).parent.parent
FOLDERS = {card.parent.name: card.parent for card in sorted(ROOT.glob("domains/*/domain.json"))}
REBUILT = [name for name, folder in FOLDERS.items() if (folder / "answers.jsonl").is_file()]

TASKS = 12


@cache
def _domain(name: str) -> tuple[Domain, CaseBook]:
    return load_domain(FOLDERS[name]), read_cases(FOLDERS[name] / "cases.jsonl")


def _tools() -> list[Any]:
    return [pytest.param(name, tool, id=f"{name}:{tool}") for name in FOLDERS for tool in _domain(name)[0].tools]


def test_a_domain_is_shipped() -> None:
    assert "job_seeking" in FOLDERS


@pytest.mark.parametrize(("name", "tool"), _tools())
def test_a_tool_does_what_its_cases_say(name: str, tool: str) -> None:
    domain, book = _domain(name)
    outcomes = [
        CaseRunner(domain, own.rows).run(case) for own in book.values() for case in own.cases if case.tool == tool
    ]
    assert [outcome.differences for outcome in outcomes if outcome.differences] == []
    assert "success" in [outcome.kind for outcome in outcomes]
    assert {outcome.case.rejects for outcome in outcomes} >= domain.tools[tool].rejects


@pytest.mark.parametrize("name", REBUILT)
def test_the_first_tasks_come_out_as_they_are_shipped(name: str, tmp_path: Path) -> None:
    made = tmp_path / "tasks.jsonl"
    assert main(["tasks", str(FOLDERS[name]), "-n", str(TASKS), "--out", str(made)]) == 0
    shipped = (FOLDERS[name] / "tasks.jsonl").read_bytes().splitlines()
    assert made.read_bytes().splitlines() == shipped[:TASKS]  # each depends on its number alone
