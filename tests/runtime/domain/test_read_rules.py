"""A `rules.py` that says another thing than it does is refused at load, in one sentence with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain
from tests.making import make_domain, write_domain

TOOLS = '''
@tool(writes=["thing"], rejects=["NOT_FOUND"])
def set_amount(
    db: Database, thing_id: Annotated[str, "Which"], amount: Annotated[int, "How many"]
) -> Done:
    """Set an amount."""
    db.require("thing", thing_id)
    db.update("thing", thing_id, amount=amount)
    return {"done": True}


@tool(reads=["thing"])
def count(db: Database, what: Annotated[list[float], "Which"]) -> Done:
    """Count."""
    return {"done": True}


@tool(writes=["thing"])
def add(db: Database, what: Annotated[list[float], "Which"]) -> Done:
    """Add."""
    return {"done": True}
'''
HEAD = '"""Rules."""\n\nfrom runtime import Database\nfrom runtime.rules import Call, duty, rule\n\n'
RULE = '''
@rule("SMALL", on={"set_amount": "thing_id"}, reads=["thing"], most=7)
def small(call: Call, now: Database, start: Database, most: int) -> bool:
    """No amount is above {most}."""
    return call.arguments["amount"] <= most and now.get("thing", call.item) is not None
'''
DUTY = '''
@duty("KEPT", reads=["thing"])
def kept(start: Database, end: Database) -> bool:
    """Nothing is lost."""
    return start.value("SELECT count(*) FROM thing") == end.value("SELECT count(*) FROM thing")
'''


def write_rules(folder: Path, rules: str) -> Path:
    path = write_domain(folder, tools=TOOLS)
    (path / "rules.py").write_text(HEAD + rules)
    return path


def test_the_prose_of_a_rule_has_the_numbers_of_its_decorator(tmp_path: Path) -> None:
    domain = load_domain(write_rules(tmp_path, RULE + DUTY))
    (rule,), (duty,) = domain.rules.rules, domain.rules.duties
    assert (rule.code, rule.prose, rule.numbers) == ("SMALL", "No amount is above 7.", {"most": 7})
    assert (duty.code, duty.prose) == ("KEPT", "Nothing is lost.")
    assert not rule.reads_start


def test_a_domain_without_rules_has_none_and_keeps_its_digest(tmp_path: Path) -> None:
    plain: Domain = make_domain(tmp_path / "plain", tools=TOOLS)
    ruled = load_domain(write_rules(tmp_path / "ruled", RULE))
    assert not plain.rules
    assert plain.digest != ruled.digest
    (ruled.path / "rules.py").unlink()
    assert load_domain(ruled.path).digest == plain.digest


def test_what_percentages_are_of_needs_no_name(tmp_path: Path) -> None:
    share = RULE.replace("<= most", "* most // 100 <= 1")
    assert load_domain(write_rules(tmp_path / "share", share)).rules
    with pytest.raises(BrokenDomain, match="holds the number 100; give it a name"):
        load_domain(write_rules(tmp_path / "limit", RULE.replace("<= most", "<= 100 - most")))


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        pytest.param(
            "above {most}.", "above 8.", "says '8' in its docstring; make it a number of the", id="own_number"
        ),
        pytest.param(
            "<= most", "<= 7", "rules.py:10: holds the number 7; give it a name in the decorator", id="literal"
        ),
        pytest.param("<= most", ">= 0", "rule 'SMALL' does not use its number 'most'.", id="unused_number"),
        pytest.param(
            ", start: Database, most: int",
            ", most: int",
            "takes (call, now, most); write (call, now, start, most)",
            id="parameters",
        ),
        pytest.param(
            '"""No amount is above {most}."""\n    ', "", "has no docstring; it is the rule in words.", id="no_prose"
        ),
        pytest.param(
            '"set_amount": "thing_id"',
            '"set_amounts": None',
            "is on 'set_amounts', which is not a tool; have: set_amount",
            id="no_tool",
        ),
        pytest.param(
            'reads=["thing"]',
            "reads=[]",
            "rule 'SMALL' reads table 'thing', which it does not declare.",
            id="undeclared_read",
        ),
        pytest.param(RULE, RULE + RULE.replace("def small", "def other"), "has the code of another one", id="twice"),
    ],
)
def test_what_does_not_fit_is_one_sentence(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in RULE
    path = write_rules(tmp_path, RULE.replace(old, new, 1))
    with pytest.raises(BrokenDomain) as broken:
        load_domain(path)
    assert all(line.startswith("rules.py") for line in broken.value.faults)
    assert any(fault in line for line in broken.value.faults), broken.value.faults


def test_a_rule_among_the_tools_is_named(tmp_path: Path) -> None:
    path = write_domain(tmp_path, tools=TOOLS)
    (path / "tools" / "more.py").write_text(HEAD + RULE)
    with pytest.raises(BrokenDomain, match=r"tools/more.py: 'small' is a rule or a duty; write it in rules.py."):
        load_domain(path)
