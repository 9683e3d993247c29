"""For survivors, inputs are found on which they differ from the tool, and become cases that kill them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from generator.gates.cases.case import CaseBook, read_cases, write_cases
from generator.gates.cases.proof import prove_cases
from generator.gates.mutants.disagree import case_from, find_disagreements
from generator.gates.mutants.kill import prove_mutants
from generator.isolation.prove import prove
from runtime.errors import UsageError
from tests.conftest import LIBRARY
from tests.making import write_domain

FRAGILE = '''
@tool()
def divide_by(db: Database, n: Annotated[int, "Divisor"]) -> Done:
    """Divide."""
    return {"done": 12 // n > 2}
'''


def _weakened(folder: Path) -> tuple[Path, CaseBook]:
    """The library with the first case of each tool only."""
    path = folder / "library"
    shutil.copytree(LIBRARY, path)
    book = read_cases(path / "cases.jsonl")
    for own in book.values():
        own.cases = list({case.tool: case for case in reversed(own.cases)}.values())
    (path / "cases.jsonl").write_text(write_cases(book))
    return path, book


def test_questions_about_weak_cases_become_cases_that_kill(tmp_path: Path) -> None:
    path, book = _weakened(tmp_path)
    before = prove_mutants(str(path))
    questions = find_disagreements(str(path))
    asked = [name for question in questions for name in (question["mutant"], *question["also"])]
    assert len(set(asked)) == len(asked)
    for number, question in enumerate(questions):
        book[question["topic"]].cases.append(case_from(question, "original", f"q{number}", "asked"))
    (path / "cases.jsonl").write_text(write_cases(book))
    assert [entry for entry in prove_cases(str(path)) if entry["kind"] == "unexpected"] == []
    after = prove_mutants(str(path))
    survivors = {each["id"] for count in after["by_tool"].values() for each in count["survivors"]}
    assert not survivors & set(asked)
    assert before["killed"] + len(asked) <= after["killed"]
    assert before["killed"] / before["total"] < 0.6
    assert after["killed"] / after["total"] > 0.85


def test_no_question_is_left_about_complete_cases() -> None:
    assert find_disagreements(str(LIBRARY)) == []


def test_a_question_names_new_keys_and_can_be_answered_either_way(tmp_path: Path) -> None:
    path, _ = _weakened(tmp_path)
    questions = find_disagreements(str(path), ["borrow_book"])
    accepted = [question for question in questions if question["original"].get("changes")]
    assert accepted
    for question in accepted:
        (change,) = question["original"]["changes"]
        assert "loan_id" not in change["added"]
        assert question["original"]["result"]["loan_id"] == "$new:loan"
        assert set(question) == {
            *("mutant", "also", "tool", "kind", "topic", "rows", "principal", "arguments", "original", "mutant_outcome")
        }
        case = case_from(question, "mutant", "b", "The mutant is right")
        assert case.rejects or case.result is not None


def test_the_job_runs_behind_the_fence_of_a_proof(tmp_path: Path) -> None:
    path, _ = _weakened(tmp_path)
    arguments = {"folder": str(path), "tools": ["cancel_hold"]}
    questions = prove("generator.gates.mutants.disagree:find_disagreements", arguments, reads=[path])
    assert [question["original"] for question in questions] == [{"rejects": "FAILED_PRECONDITION"}]


def test_a_case_that_expects_too_little_is_asked_about_as_it_is(tmp_path: Path) -> None:
    path, book = _weakened(tmp_path)
    (case,) = (case for case in book["loans"].cases if case.tool == "calculate_late_fee")
    book["loans"].cases = [case.model_copy(update={"result": {"days_late": 3}})]
    (path / "cases.jsonl").write_text(write_cases({"loans": book["loans"]}))
    first, *_ = find_disagreements(str(path), ["return_book"])
    assert (first["arguments"], first["rows"]) == (case.arguments, case.rows)
    assert first["original"]["result"] == {"days_late": 3, "fee_cents": 75}


def test_a_tool_that_crashes_on_an_input_is_told(tmp_path: Path) -> None:
    path = write_domain(tmp_path, tools=FRAGILE)
    case = {
        "topic": "things",
        "id": "d",
        "tool": "divide_by",
        "title": "",
        "arguments": {"n": 1},
        "result": {"done": True},
    }
    lines = [{"format": 1}, {"topic": "things", "rows": {}}, case]
    (path / "cases.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    questions = find_disagreements(str(path))
    (crash,) = (question for question in questions if "fault" in question)
    assert crash["arguments"] == {"n": 0}
    assert "ZeroDivisionError" in crash["fault"]
    with pytest.raises(UsageError, match="cannot expect a crash"):
        case_from(crash, "original", "x", "x")


def test_questions_are_the_same_in_every_process(tmp_path: Path) -> None:
    path, _ = _weakened(tmp_path)
    script = (
        "import json, sys; from generator.gates.mutants.disagree import find_disagreements;"
        "print(json.dumps(find_disagreements(sys.argv[1], sys.argv[2:])))"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", script, str(path), "cancel_hold", "renew_loan"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            cwd=LIBRARY.parent.parent,
        ).stdout
        for seed in ("1", "2")
    ]
    assert answers[0] == answers[1]
    assert len(json.loads(answers[0])) > 3
