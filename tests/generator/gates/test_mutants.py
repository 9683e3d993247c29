"""Small faults are planted in tools one at a time; the cases of the tools notice them, and survivors are listed."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.gates.cases.case import Case, CaseBook, TopicCases
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.mutants import MutantsRequest, count_killed, make_mutants, prove_mutants
from tests.conftest import LIBRARY
from tests.making import make_domain

SCHEMA = """
CREATE TABLE thing (       -- A thing
    thing_id TEXT PRIMARY KEY,  -- Its id
    label TEXT NOT NULL,   -- What it is called
    made_on TEXT,          -- When it was made
    sold_on TEXT,          -- When it was sold
    status TEXT NOT NULL DEFAULT 'new' CHECK (status IN ('new', 'sold', 'lost')), -- Its state
    amount INTEGER NOT NULL DEFAULT 1,  -- How many
    price INTEGER NOT NULL -- What one costs
) STRICT, WITHOUT ROWID;
"""
HEAD = '''
@tool(reads=["thing"], writes=["thing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def act(db: Database, thing_id: Annotated[str, "Which"], n: Annotated[int, "Count of 7"] = 5) -> Done:
    """Do it at most 3 times."""
'''
OLD = '''
@tool(rejects=["FAILED_PRECONDITION"])
def check_age(db: Database, age: Annotated[int, "Years"]) -> Done:
    """Only grown-ups."""
    if age < 18:
        raise Rejection.failed_precondition("Too young.")
    return {"done": 1 // max(age - 17, 0) < 2}
'''


_WHERE = "made_on IS NULL OR price < 5 AND status = 'new'"
_WRITE = "db.update('thing', thing_id, label=db.now, status='sold')"
MUTANTS: list[tuple[str, set[str]]] = [
    ("if n > 2:\n        n = n", {"negated condition: n > 2 -> not n > 2", "changed comparison: n > 2 -> n >= 2"}),
    (
        "n = n and thing_id",
        {"changed connective: n and thing_id -> n or thing_id"}
        | {f"removed check: n and thing_id -> {left}" for left in ("thing_id", "n")},
    ),
    ("n += 3", {"changed operation: n += 3 -> n -= 3", "changed constant: 3 -> 4"}),
    (
        'if n:\n        raise Rejection.not_found(f"{n + 1} of 5")',
        {"negated condition: n -> not n", "removed check: if n: raise -> (dropped)"},
    ),
    ("db.require('thing', thing_id)", {"removed check: db.require('thing', thing_id) -> (dropped)"}),
    (
        _WRITE,
        {
            f"dropped write: {_WRITE} -> (dropped)",
            "dropped column: update thing: label=db.now -> (dropped)",
            "dropped column: update thing: status='sold' -> (dropped)",
            "changed constant: 'sold' -> 'lost'",
        },
    ),
    (
        f'db.first("SELECT max(price) FROM thing WHERE {_WHERE}")',
        {
            "changed operation: MAX(price) -> MIN(price)",
            "negated condition: made_on IS NULL -> NOT made_on IS NULL",
            f"changed connective: {_WHERE} -> {_WHERE.replace('OR', 'AND')}",
            "changed connective: price < 5 AND status = 'new' -> price < 5 OR status = 'new'",
            "changed comparison: price < 5 -> price <= 5",
            "changed constant: price < 5 -> price < 4",
            "changed comparison: status = 'new' -> status <> 'new'",
            "changed constant: status = 'new' -> status = 'sold'",
        },
    ),
    (
        'db.first("SELECT label FROM thing ORDER BY made_on DESC, thing_id LIMIT 3")',
        {"changed order: made_on DESC -> made_on ASC", "changed limit: LIMIT 3 -> LIMIT 2"},
    ),
]


@pytest.mark.parametrize(("code", "expected"), MUTANTS)
def test_each_operator_makes_the_faults_it_names(tmp_path: Path, code: str, expected: set[str]) -> None:
    tools = f'{HEAD}    {code}\n    return {{"done": bool(n)}}\n'
    domain = make_domain(tmp_path, schema=SCHEMA, tools=tools)
    assert {f"{mutant.edit.kind}: {mutant.edit.description}" for mutant in make_mutants(domain)} == expected


def test_a_mutant_of_a_helper_or_constant_is_one_of_every_tool_that_reaches_it(tmp_path: Path) -> None:
    tool = '@tool()\ndef {0}(db: Database) -> Done:\n    """Do."""\n    return {1}\n\n\n'
    code = (
        "LIMIT = 4\nUNUSED = 4\n\n\n"
        + tool.format("one", "_helped(db)")
        + tool.format("two", "_helped(db)")
        + tool.format("three", '{"done": LIMIT > len(db.now)}')
        + 'def _helped(db):\n    return {"done": len(db.now) < LIMIT}\n'
    )
    domain = make_domain(tmp_path, tools=code)
    found = list(make_mutants(domain))
    assert [mutant.tools for mutant in found] == [("one", "two", "three"), ("one", "two"), ("three",)]
    variant = found[1].variant(domain)
    assert variant.tools["one"].function is not domain.tools["one"].function
    assert variant.tools["three"].function is domain.tools["three"].function


def test_the_cases_of_the_library_hold_and_are_complete() -> None:
    proof = prove_cases(FolderRequest(LIBRARY))
    assert (proof.unexpected, proof.uncovered) == ([], [])


def test_the_cases_of_the_library_kill_all_but_the_mutants_that_do_the_same() -> None:
    proof = prove_mutants(MutantsRequest(LIBRARY))
    left = [each.description for count in proof.by_tool.values() for each in count.survivors]
    assert left == [
        "if member['owed_cents'] < cents: raise -> (dropped)",  # CHECK
        "user and at and ('.' in host) -> user and '.' in host",  # a host needs an at sign in front of it
        "if db.value('SELECT 1 FROM member WHERE email = ?', address): raise -> (dropped)",  # UNIQUE
        "if loan['renewals'] >= 2: raise -> (dropped)",  # CHECK
        "loan['renewals'] >= 2 -> loan['renewals'] > 2",  # the same
    ]
    assert proof.killed == proof.total - len(left)


def _book(*cases: Case) -> CaseBook:
    return {"things": TopicCases(rows={}, cases=list(cases))}


def _case(age: int, **expected: object) -> Case:
    return Case.model_validate({"tool": "check_age", "title": "", "arguments": {"age": age}, **expected})


def test_a_survivor_is_listed_until_a_case_is_at_the_limit_and_a_crash_kills(tmp_path: Path) -> None:
    domain = make_domain(tmp_path, tools=OLD)
    weak = _book(_case(40, result={"done": True}), _case(10, rejects="FAILED_PRECONDITION"))
    left = {(each.line, each.description) for each in count_killed(domain, weak).by_tool["check_age"].survivors}
    assert (14, "age < 18 -> age <= 18") in left
    strong = _book(*weak["things"].cases, _case(18, result={"done": True}))
    left = {(each.line, each.description) for each in count_killed(domain, strong).by_tool["check_age"].survivors}
    assert (14, "age < 18 -> age <= 18") not in left
    assert (16, "max(age - 17, 0) -> min(age - 17, 0)") not in left


def test_a_case_that_fails_on_the_tool_itself_kills_nothing(tmp_path: Path) -> None:
    domain = make_domain(tmp_path, tools=OLD)
    wrong = _book(_case(40, result={"done": False}), _case(41, rejects="NOT_FOUND"))
    assert count_killed(domain, wrong).killed == 0
    assert count_killed(domain, {}).killed == 0
