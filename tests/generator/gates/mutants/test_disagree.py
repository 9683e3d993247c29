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
from generator.gates.cases.run import prove_cases
from generator.gates.mutants.disagree import DisagreementsRequest, case_from, find_disagreements
from generator.gates.mutants.expected import Expectation
from generator.gates.mutants.kill import MutantsRequest, prove_mutants
from generator.gates.request import FolderRequest
from generator.isolation.prove import prove
from runtime.errors import UsageError
from tests.conftest import LIBRARY, SHIPPED_LIBRARY
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
    before = prove_mutants(MutantsRequest(path))
    questions = find_disagreements(DisagreementsRequest(path)).questions
    asked = [name for question in questions for name in (question.mutant, *question.also)]
    assert len(set(asked)) == len(asked)
    for number, question in enumerate(questions):
        book[question.topic].cases.append(case_from(question, question.original, f"q{number}", "asked"))
    (path / "cases.jsonl").write_text(write_cases(book))
    assert prove_cases(FolderRequest(path)).unexpected == []
    after = prove_mutants(MutantsRequest(path))
    survivors = {each.id for count in after.by_tool.values() for each in count.survivors}
    assert not survivors & set(asked)
    assert before.killed + len(asked) <= after.killed
    assert before.killed / before.total < 0.7
    assert after.killed / after.total > 0.85


def test_no_question_is_left_about_complete_cases() -> None:
    assert find_disagreements(DisagreementsRequest(LIBRARY)).questions == []


def test_a_question_names_new_keys_and_can_be_answered_either_way(tmp_path: Path) -> None:
    path, _ = _weakened(tmp_path)
    questions = find_disagreements(DisagreementsRequest(path, ["borrow_book"])).questions
    accepted = [question for question in questions if question.original.changes]
    assert accepted
    for question in accepted:
        (change,) = question.original.changes
        assert change.added is not None
        assert "loan_id" not in change.added
        assert question.original.result is not None
        assert question.original.result["loan_id"] == "$new:loan"
        case = case_from(question, question.mutated, "b", "The mutant is right")
        assert case.rejects or case.result is not None


def test_the_job_runs_behind_the_fence_of_a_proof(tmp_path: Path) -> None:
    path, _ = _weakened(tmp_path)
    report = prove(find_disagreements, DisagreementsRequest(path, ["cancel_hold"]), reads=[path])
    assert Expectation(rejects="FAILED_PRECONDITION") in [question.original for question in report.questions]


def test_a_case_that_expects_too_little_is_asked_about_as_it_is(tmp_path: Path) -> None:
    path, book = _weakened(tmp_path)
    (case,) = (case for case in book["loans"].cases if case.tool == "calculate_late_fee")
    book["loans"].cases = [case.model_copy(update={"result": {"days_late": 3}})]
    (path / "cases.jsonl").write_text(write_cases({"loans": book["loans"]}))
    first, *_ = find_disagreements(DisagreementsRequest(path, ["return_book"])).questions
    assert (first.arguments, first.rows) == (case.arguments, case.rows)
    assert first.original.result == {"days_late": 3, "fee_cents": 75}


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
    questions = find_disagreements(DisagreementsRequest(path)).questions
    (crash,) = (question for question in questions if question.fault)
    assert crash.arguments == {"n": 0}
    assert "ZeroDivisionError" in crash.fault
    with pytest.raises(UsageError, match="cannot expect a crash"):
        case_from(crash, crash.original, "x", "x")


def test_questions_are_the_same_in_every_process(tmp_path: Path) -> None:
    path, _ = _weakened(tmp_path)
    script = (
        "import sys; from pathlib import Path;"
        "from generator.gates.mutants.disagree import DisagreementsRequest, find_disagreements;"
        "asked = DisagreementsRequest(Path(sys.argv[1]), sys.argv[2:]);"
        "print(*find_disagreements(asked).questions, sep='\\n')"
    )
    answers = [
        subprocess.run(
            [sys.executable, "-c", script, str(path), "cancel_hold", "renew_loan"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            cwd=SHIPPED_LIBRARY.parent.parent,
        ).stdout
        for seed in ("1", "2")
    ]
    assert answers[0] == answers[1]
    assert len(answers[0].splitlines()) > 3
