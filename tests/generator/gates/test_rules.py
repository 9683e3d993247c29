"""The gate of rules: each says what its cases say, planted faults are noticed, and no tool goes round one unnoticed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from generator.gates.cases.case import Case, Change, TopicCases, read_cases_if_any, write_cases
from generator.gates.folder import FolderRequest
from generator.gates.rules.case import read_rule_cases
from generator.gates.rules.fit import find_unreadable, measure_denied, survey_tables
from generator.gates.rules.prove import prove_rules, try_rules, unbound
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError


def change(path: Path, old: str, new: str) -> None:
    """Change a file in one place; without an old text, add to its end."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new) if old else text + new, encoding="utf-8")


def keep(folder: Path, code: str) -> None:
    """Only this rule and its cases, so that little has to be run."""
    path = folder / "rules.py"
    parts = path.read_text(encoding="utf-8").split("\n\n\n")
    kept = [part for part in parts if not part.startswith("@") or f'"{code}"' in part]
    path.write_text("\n\n\n".join(kept), encoding="utf-8")
    path = folder / "rule_cases.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line).get("rule") in (None, code)]
    path.write_text("".join(kept), encoding="utf-8")


def faults(folder: Path) -> list[str]:
    return prove_rules(FolderRequest(folder)).faults


def test_the_library_stands(library_copy: Path) -> None:
    report = prove_rules(FolderRequest(library_copy))
    assert report.faults == []
    figures = report.figures
    assert figures.killed >= 0.95 * figures.mutants
    assert min(figures.allowed, figures.denied) >= figures.rules + figures.duties


def test_the_codes_that_a_refusal_may_note_are_those_of_the_rules(library: Domain) -> None:
    codes = library.tools["decline_request"].arguments.schema["properties"]["rule_code"]["enum"]
    assert codes == [rule.code for rule in library.rules.rules]


def test_cases_survive_being_written(library_copy: Path) -> None:
    book = read_rule_cases(library_copy)
    (library_copy / "rule_cases.jsonl").write_text(write_cases(book))
    assert read_rule_cases(library_copy) == book


CASES, CODE = "rule_cases.jsonl", "rules.py"
CASE = '{"topic": "desk", "id": "ID", "rule": "RULE", "title": "t", "allowed": true}\n'
COPIES = '"Mei Keller", "topic": "gardening", "copies": '
PLANTED = [  # the rule that is kept, a file with an edit, and what is said of it
    ("DEBT_LIMIT", CASES, '"owed_cents": 1001', '"owed_cents": 1500', "notices DEBT_LIMIT: most_cents=1000 -> 1001"),
    (
        "RENEWAL_WINDOW",
        CODE,
        '["due_on"]) <= days',
        '["due_on"]) < days',
        "expected that it allows, got that it forbids",
    ),
    ("SUSPENDED", CASES, '"allowed": true', '"allowed": false', "SUSPENDED has no case that it allows"),
    ("SUSPENDED", CASES, '"renew_loan"', '"cancel_hold"', "no case with a call of renew_loan, which it guards"),
    ("HOLD_LIMIT", CASES, f"{COPIES}1", f"{COPIES}2", "place_hold itself refuses it: FAILED_PRECONDITION"),
    ("SUSPENDED", "policy.md", "most 5 books", "most 6 books", "worldsmith show library --policy-text > policy.md"),
    ("SUSPENDED", CASES, "", CASE.replace("RULE", "SUSPENED"), "ID is of rule 'SUSPENED'; have: SUSPENDED"),
    ("SUSPENDED", CASES, "", CASE.replace("RULE", "SUSPENDED"), "rule_cases.jsonl: ID has no call; a rule judges one"),
]


@pytest.mark.parametrize(("code", "file", "old", "new", "said"), PLANTED)
def test_what_is_wrong_with_a_rule_is_named(
    library_copy: Path, code: str, file: str, old: str, new: str, said: str
) -> None:
    keep(library_copy, code)
    change(library_copy / file, old, new)
    assert [fault for fault in faults(library_copy) if said in fault]


def test_a_guard_that_no_case_can_show_is_no_mutant(library_copy: Path) -> None:
    keep(library_copy, "SUSPENDED")
    before = prove_rules(FolderRequest(library_copy))
    change(library_copy / "rules.py", '["status"] != "suspended"', '["status"] != "suspended" or now is None')
    after = prove_rules(FolderRequest(library_copy))
    assert after.survivors == before.survivors


def test_a_rule_that_fails_on_a_row_that_does_not_exist_is_named_with_the_call(library_copy: Path) -> None:
    assert not try_rules(FolderRequest(library_copy)).faults
    of_nobody = 'return call.arguments["member_id"] or call.arguments["nobody"]'
    change(library_copy / "rules.py", 'return call.arguments["member_id"]', of_nobody)
    found = try_rules(FolderRequest(library_copy)).faults
    assert found.keys() == {"SUSPENDED", "DEBT_LIMIT"}
    for code, (fault,) in found.items():
        assert f"with member_id = '': Rule '{code}' crashed: KeyError: 'nobody'." in fault


def test_a_tool_that_goes_round_a_rule_is_bound_or_explained(library_copy: Path, library: Domain) -> None:
    book = read_cases_if_any(library_copy)
    assert not list(unbound(library, book))
    around = Case(tool="return_book", title="lends another copy", changes=[Change(table="loan", added={})])
    book = {**book, "around": TopicCases(rows={}, cases=[around])}
    assert (
        "LOAN_LIMIT is on borrow_book, but not on return_book, which writes loan.(added), too; guard it, too, or "
        'say why not in exempt={"return_book": "..."}'
    ) in list(unbound(library, book))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        pytest.param(
            '{"topic": "x", "rule": "A", "title": "t", "allowed": true}', "whose line of rows must come", id="no"
        ),
        pytest.param('{"rows": {}}', 'it has no "topic", which must be a text', id="no_topic"),
        pytest.param(
            '{"topic": "desk", "rule": "SUSPENDED", "title": "t"}', "'allowed': Field required", id="no_answer"
        ),
    ],
)
def test_a_line_that_cannot_be_read_is_one_sentence(library_copy: Path, line: str, fault: str) -> None:
    change(library_copy / "rule_cases.jsonl", "", line + "\n")
    with pytest.raises(UsageError, match=r"rule_cases.jsonl, line \d+: ") as wrong:
        read_rule_cases(library_copy)
    assert fault in str(wrong.value)


def test_a_rule_that_denies_hardly_anything_is_named_with_numbers_that_would_do(library_copy: Path) -> None:
    keep(library_copy, "LOAN_LIMIT")
    change(library_copy / "rules.py", "most=5", "most=20")
    (fault,) = measure_denied(FolderRequest(library_copy)).faults
    assert re.match(r"rule LOAN_LIMIT: it denies 0 of \d+ calls \(0%\) that callers make about their own rows", fault)
    assert "With other numbers it would deny: most=" in fault


def test_a_rule_that_no_number_helps_is_told_what_its_columns_hold(library_copy: Path) -> None:
    keep(library_copy, "SUSPENDED")
    (fault,) = measure_denied(FolderRequest(library_copy)).faults
    assert re.search(r"No other number helps; .* member.status 'active' 9\d%, 'suspended' \d%", fault)


def test_a_rule_on_a_column_that_no_tool_returns_cannot_be_kept(library_copy: Path) -> None:
    assert not list(find_unreadable(load_domain(library_copy)))
    change(
        library_copy / "schema.sql",
        "    status      TEXT NOT NULL DEFAULT 'active'",
        "    shelf TEXT,  -- Where it is\n    status      TEXT NOT NULL DEFAULT 'active'",
    )
    change(library_copy / "rules.py", '["status"] != "suspended"', '["shelf"] is None')
    (found,) = find_unreadable(load_domain(library_copy))
    assert found[0] == "SUSPENDED"
    assert "member.shelf, which no reading tool returns" in found[1]


HOLDER = "SELECT count(*) FROM hold JOIN member USING (member_id) WHERE book_id = ? AND hold.status = 'waiting' AND"


@pytest.mark.parametrize(
    ("sql", "column"),
    [
        pytest.param(f"{HOLDER} member.status = 'active' AND member_id <> ?", "member.status", id="whoever_waits"),
        pytest.param(f"{HOLDER} member.owed_cents > 0 AND member_id <> ?", "member.owed_cents", id="what_they_owe"),
        pytest.param(
            "SELECT count(*) FROM loan JOIN member USING (member_id) WHERE book_id = ? AND member.owed_cents > 0 "
            "AND member_id <> ?",
            "member.owed_cents",
            id="whoever_had_it",
        ),
    ],
)
def test_a_rule_that_turns_on_what_only_another_caller_could_let_one_look_up_is_named(
    library_copy: Path, sql: str, column: str
) -> None:
    keep(library_copy, "OTHERS_WAIT")
    assert not _hidden_in(faults(library_copy))
    path = library_copy / "rules.py"
    text = path.read_text(encoding="utf-8")
    own = text[text.index('        "SELECT count(*) FROM hold WHERE') : text.index('        loan["book_id"],')]
    path.write_text(text.replace(own, f'        "{sql}",\n').replace('["loan", "hold"]', '["loan", "hold", "member"]'))
    assert not list(find_unreadable(load_domain(library_copy)))  # to the caller, a tool does show that column
    (named,) = _hidden_in(faults(library_copy))
    assert named.startswith("rule OTHERS_WAIT: whether it denies renew_loan(")
    assert f" turns on {column} of " in named
    assert measure_denied(FolderRequest(library_copy)).faults[0] == named


def test_a_rule_that_crashes_on_an_edited_row_is_left_to_other_gates(library_copy: Path) -> None:
    keep(library_copy, "DEBT_LIMIT")
    change(
        library_copy / "rules.py", '["owed_cents"] <= most_cents', '["owed_cents"] ** -1 <= most_cents'
    )  # 0 has none
    assert not _hidden_in(measure_denied(FolderRequest(library_copy)).faults)


def _hidden_in(found: list[str]) -> list[str]:
    return [each for each in found if "which no reading tool shows" in each]


def test_writers_of_rules_see_how_many_rows_callers_have(library_copy: Path) -> None:
    lines = survey_tables(FolderRequest(library_copy)).owned
    assert lines[0].startswith("- `loan`: median 5, top tenth 9, most 9; status out: median ")


def test_two_rules_that_never_allow_the_same_call_contradict_each_other(library_copy: Path) -> None:
    keep(library_copy, "DEBT_LIMIT")
    path = library_copy / "rules.py"
    own = path.read_text(encoding="utf-8")
    start = own.index('@rule("DEBT_LIMIT"')
    opposite = own[start:].replace("DEBT_LIMIT", "DEBT_NEEDED").replace("debt_limit", "debt_needed").replace("<=", ">")
    path.write_text(f"{own.rstrip()}\n\n\n{opposite}", encoding="utf-8")
    (found,) = [fault for fault in faults(library_copy) if "contradicts" in fault]
    assert found.startswith("rule DEBT_LIMIT: it contradicts DEBT_NEEDED; of ")


def test_a_name_that_no_rule_has_or_no_case_meets_is_dead_text(library_copy: Path) -> None:
    keep(library_copy, "DECLINED_STAYS")
    change(
        library_copy / "rules.py", "other requests are judged anew.", "LATE_FEE_FIRST and `waive_all` are judged anew."
    )
    assert prove_rules(FolderRequest(library_copy)).dead == [
        f"DECLINED_STAYS names {name}, which is neither a rule nor a tool nor a table"
        for name in ("LATE_FEE_FIRST", "waive_all")
    ]
