"""Mutants are killed by the cases of the tools that they change, and survivors are listed."""

from __future__ import annotations

from pathlib import Path

from generator.gates.cases.case import Case, CaseBook, TopicCases, read_cases
from generator.gates.cases.coverage import uncovered
from generator.gates.cases.run import prove_cases
from generator.gates.mutants.kill import MutantsRequest, Survivor, count_killed, prove_mutants
from generator.gates.request import FolderRequest
from generator.isolation.prove import prove
from runtime.domain.domain import Domain
from runtime.domain.people import is_desk_tool
from tests.conftest import LIBRARY
from tests.making import make_domain

OLD = '''
@tool(rejects=["FAILED_PRECONDITION"])
def check_age(db: Database, age: Annotated[int, "Years"]) -> Done:
    """Only grown-ups."""
    if age < 18:
        raise Rejection.failed_precondition("Too young.")
    return {"done": 1 // max(age - 17, 0) < 2}
'''


def _book(*cases: Case) -> CaseBook:
    return {"things": TopicCases(rows={}, cases=list(cases))}


def _case(age: int, **expected: object) -> Case:
    return Case.model_validate({"tool": "check_age", "title": "", "arguments": {"age": age}, **expected})


def test_the_cases_of_the_library_hold_and_are_complete(library: Domain) -> None:
    assert prove_cases(FolderRequest(LIBRARY)).unexpected == []
    rejections = {name: frozenset(tool.rejects) for name, tool in library.tools.items() if not is_desk_tool(name)}
    assert uncovered(read_cases(LIBRARY / "cases.jsonl"), rejections) == []


def test_the_cases_of_the_library_kill_all_but_the_mutants_that_do_the_same() -> None:
    proof = prove_mutants(MutantsRequest(LIBRARY))
    left = [each.description for count in proof.by_tool.values() for each in count.survivors]
    assert left == [
        "if member['owed_cents'] < cents: raise FAILED_PRECONDITION -> (dropped)",  # CHECK
        "user and at and ('.' in host) -> user and '.' in host",  # a host needs an at sign in front of it
        "if db.value('SELECT 1 FROM member WHERE email = ?', address): raise ALREADY_EXISTS -> (dropped)",  # UNIQUE
        "email -> phone",  # the same
        "if loan['renewals'] >= 2: raise FAILED_PRECONDITION -> (dropped)",  # CHECK
        "loan['renewals'] >= 2 -> loan['renewals'] > 2",  # the same
        "db.today -> db.now",  # days_between leaves times out
    ]
    assert proof.killed == proof.total - len(left)


def test_a_proof_of_some_tools_is_a_part_of_the_whole() -> None:
    whole = prove_mutants(MutantsRequest(LIBRARY)).by_tool
    part = prove_mutants(MutantsRequest(LIBRARY, ["renew_loan", "find_member"]))
    assert part.by_tool == {name: whole[name] for name in ("find_member", "renew_loan")}
    assert part.total == whole["find_member"].total + whole["renew_loan"].total


def test_the_job_runs_behind_the_fence_of_a_proof() -> None:
    asked = MutantsRequest(LIBRARY, ["return_book"])
    assert prove(prove_mutants, asked, reads=[LIBRARY]) == prove_mutants(asked)


def test_a_mutant_of_a_helper_is_killed_by_a_case_of_another_tool(library: Domain) -> None:
    book = read_cases(LIBRARY / "cases.jsonl")
    others = {
        topic: TopicCases(rows=own.rows, cases=[case for case in own.cases if case.tool == "calculate_late_fee"])
        for topic, own in book.items()
    }
    survivors = count_killed(library, others, ["return_book"]).by_tool["return_book"].survivors
    assert "CENTS_PER_DAY = 25 -> CENTS_PER_DAY = 26" not in [each.description for each in survivors]
    assert len(survivors) > 10


def test_a_survivor_is_listed_with_its_line_until_a_case_stands_at_the_limit(tmp_path: Path) -> None:
    domain = make_domain(tmp_path, tools=OLD)
    weak = _book(_case(40, result={"done": True}), _case(10, rejects="FAILED_PRECONDITION"))
    survivors = count_killed(domain, weak).by_tool["check_age"].survivors
    assert Survivor("check_age:3", 14, "changed comparison", "age < 18 -> age <= 18") in survivors
    strong = _book(*weak["things"].cases, _case(18, result={"done": True}))
    assert "check_age:3" not in [each.id for each in count_killed(domain, strong).by_tool["check_age"].survivors]


def test_a_crash_kills(tmp_path: Path) -> None:
    domain = make_domain(tmp_path, tools=OLD)
    survivors = count_killed(domain, _book(_case(10, rejects="FAILED_PRECONDITION"), _case(18, result={})))
    left = [each.description for each in survivors.by_tool["check_age"].survivors]
    assert "max(age - 17, 0) -> min(age - 17, 0)" not in left


def test_a_case_that_fails_on_the_tool_itself_kills_nothing(tmp_path: Path) -> None:
    domain = make_domain(tmp_path, tools=OLD)
    wrong = _book(_case(40, result={"done": False}), _case(41, rejects="NOT_FOUND"))
    assert count_killed(domain, wrong).killed == 0
    assert count_killed(domain, {}).killed == 0
