"""What must hold for every domain that is shipped: each tool's cases, and the rebuild from the recorded answers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from generator.gates.cases.case import CaseBook, read_cases
from generator.gates.cases.run import CaseRunner
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain

ROOT = Path(__file__).parent.parent
FOLDERS = {card.parent.name: card.parent for card in sorted(ROOT.glob("domains/*/domain.json"))}
REBUILT = [name for name, folder in FOLDERS.items() if (folder / "answers.jsonl").is_file()]

OF_TASKS = {"README.md", "domain.json", "tasks.jsonl"}  # they tell how many tasks there are
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
def test_the_recorded_answers_rebuild_the_domain_byte_for_byte(name: str, tmp_path: Path) -> None:
    folder = FOLDERS[name]
    out = tmp_path / name
    out.mkdir()
    for kept in ("answers.jsonl", "edits.jsonl"):
        if (folder / kept).exists():
            shutil.copy(folder / kept, out / kept)
    keyword = json.loads((folder / "domain.json").read_text(encoding="utf-8"))["provenance"]["keyword"]
    words = [sys.executable, "-m", "generator", "new", keyword, "--model", "recorded", "--out", str(out)]
    words += ["-n", str(TASKS)]  # the first ones: each depends on its number alone, and all of them take minutes
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rebuilt = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    for path, content in rebuilt.items():
        if path not in OF_TASKS:
            assert content == (folder / path).read_bytes(), f"{path} differs"
    assert rebuilt["tasks.jsonl"].splitlines() == (folder / "tasks.jsonl").read_bytes().splitlines()[:TASKS]
    cards = [json.loads(content) for content in (rebuilt["domain.json"], (folder / "domain.json").read_bytes())]
    assert [card["provenance"].pop("tasks")["seed"] for card in cards] == [1, 1]
    assert cards[0] == cards[1]
    assert {"domain.json", "schema.sql", "world.py", "cases.jsonl", "graph.json", "policy.md", "README.md"} <= set(
        rebuilt
    )
