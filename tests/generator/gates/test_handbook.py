"""The gate of a handbook: the shipped one passes, and each planted fault is named."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.gates.folder import FolderRequest
from generator.gates.rules.handbook import HandbookRequest, WrittenHandbook, prove_handbook, try_handbook
from runtime.domain.handbook import HANDBOOK

LIBRARY = Path("domains/library")
ANSWERS = LIBRARY / "handbook_answers.jsonl"


def test_articles_in_force_decide_every_case_and_the_first_found_do_not() -> None:
    report = prove_handbook(FolderRequest(LIBRARY))
    figures = report.figures
    assert report.faults == []
    assert figures.right == figures.cases > figures.right_first


def test_the_recorded_answer_gives_the_shipped_handbook() -> None:
    recorded = json.loads(ANSWERS.read_text().splitlines()[-1])["answer"]
    trial = try_handbook(HandbookRequest(LIBRARY, WrittenHandbook.model_validate(recorded)))
    assert trial.faults == []
    assert trial.text == (LIBRARY / HANDBOOK).read_text()


def _article(articles: list[dict[str, Any]], key: str) -> dict[str, Any]:
    return next(each for each in articles if each["key"] == key)


def _say_twice(articles: list[dict[str, Any]]) -> None:
    _article(articles, "greeting")["clauses"] += _article(articles, "owed")["clauses"][:1]


def _cite_nothing(articles: list[dict[str, Any]]) -> None:
    _article(articles, "greeting")["clauses"].append({"text": "See {see:tea_kitchen}."})


def _write_digits(articles: list[dict[str, Any]]) -> None:
    _article(articles, "greeting")["clauses"].append({"text": "Wait for 3 rings."})


def _leave_out(articles: list[dict[str, Any]]) -> None:
    _article(articles, "suspended")["clauses"][0]["of"] = ""


def _keep_the_figure(articles: list[dict[str, Any]]) -> None:
    _article(articles, "owed")["others"][0]["figures"] = {"DEBT_LIMIT.most_cents": 1000}


def _hide(articles: list[dict[str, Any]]) -> None:
    clauses = _article(articles, "waived_a_day")["clauses"]
    clauses[1]["text"] = clauses[1]["text"].replace("{see:fees_today}", "another article")


PLANTED: list[tuple[Callable[[list[dict[str, Any]]], None], str]] = [
    (_say_twice, "is in article 'owed', too; say it once"),
    (_cite_nothing, "cites 'tea_kitchen'; cite the key of another article"),
    (_write_digits, "has a number or a brace of its own"),
    (_leave_out, "no clause is of SUSPENDED; state it"),
    (_keep_the_figure, "flips no rule case"),
    (_hide, "a search for 'forgive debt' does not lead to 'Fees that come up today'"),
]


@pytest.mark.parametrize(("plant", "expected"), PLANTED)
def test_a_planted_fault_is_named(tmp_path: Path, plant: Callable[[list[dict[str, Any]]], None], expected: str) -> None:
    folder = tmp_path / "library"
    shutil.copytree(LIBRARY, folder)
    content = json.loads((folder / HANDBOOK).read_text())
    plant(content["articles"])
    (folder / HANDBOOK).write_text(json.dumps(content))
    assert any(expected in each for each in prove_handbook(FolderRequest(folder)).faults)
