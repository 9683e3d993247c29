"""Rules on a session: the strict twin refuses what the lenient one lets through, and each rule runs as a tool does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from tests.making import world_of, write_domain

WORLD = '''
def populate(world):
    """Three things."""
    for label in ("a", "b", "c"):
        world.insert("thing", thing_id=label, label=label, amount=5)
'''
TOOLS = '''
@tool(writes=["thing"], rejects=["NOT_FOUND"])
def raise_amount(db: Database, thing_id: Annotated[str, "Which"], by: Annotated[int, "How much"] = 1) -> Done:
    """Raise an amount."""
    thing = db.require("thing", thing_id)
    db.update("thing", thing_id, amount=thing["amount"] + by)
    return {"done": True}


@tool(writes=["thing"], rejects=["NOT_FOUND"])
def remove_all(db: Database, things: Annotated[list[str], "Which"]) -> Done:
    """Remove things."""
    for thing_id in things:
        db.require("thing", thing_id)
        db.delete("thing", thing_id)
    return {"done": True}
'''
RULES = '''"""Rules."""

from runtime import Database
from runtime.rules import Call, duty, rule


@rule("SLOWLY", on={"raise_amount": "thing_id"}, reads=["thing"], most=3)
def slowly(call: Call, now: Database, start: Database, most: int) -> bool:
    """An amount is raised by at most {most} in all."""
    before, thing = start.require("thing", call.item), now.require("thing", call.item)
    return thing["amount"] + call.arguments["by"] - before["amount"] <= most


@rule("NOT_B", on={"remove_all": "things"})
def not_b(call: Call, now: Database, start: Database) -> bool:
    """The thing b stays."""
    return call.item != "b"


@duty("SOME_LEFT", reads=["thing"])
def some_left(start: Database, end: Database) -> bool:
    """Something is left."""
    return end.value("SELECT count(*) FROM thing") > 0
'''


def make(folder: Path, rules: str = RULES) -> Domain:
    path = write_domain(folder, tools=TOOLS, world='"""Things."""\n' + WORLD)
    if rules:
        (path / "rules.py").write_text(rules)
    return load_domain(path)


@pytest.fixture
def open_things(tmp_path: Path) -> Callable[..., Session]:
    def open_one(rules: str = RULES, *, strict: bool = False) -> Session:
        domain = make(tmp_path, rules)
        world = world_of(domain, 1, 3)
        return Session(domain, world, strict=strict)

    return open_one


def test_a_strict_session_refuses_with_the_code_and_changes_nothing(open_things: Callable[..., Session]) -> None:
    with open_things(strict=True) as session:
        session.call("raise_amount", thing_id="a", by=3)
        before = session.digest()
        with pytest.raises(Rejection, match="Rule SLOWLY forbids this for 'a': An amount is raised by at most 3") as no:
            session.call("raise_amount", thing_id="a", by=1)
        assert (no.value.kind, session.digest()) == ("FAILED_PRECONDITION", before)


def test_a_lenient_session_lets_it_through_and_says_so_when_asked(open_things: Callable[..., Session]) -> None:
    with open_things() as session:
        (forbidden,) = session.forbidding("raise_amount", {"thing_id": "a", "by": 4})
        assert (forbidden.rule, forbidden.key) == ("SLOWLY", "a")
        assert session.call("raise_amount", thing_id="a", by=4) == {"done": True}


def test_a_batch_is_judged_item_by_item(open_things: Callable[..., Session]) -> None:
    with open_things() as session:
        found = session.forbidding("remove_all", {"things": ["a", "b", "c"]})
        assert [(each.rule, each.key) for each in found] == [("NOT_B", "b")]
        assert session.forbidding("remove_all", {"things": ["a", "c"]}) == ()


def test_duties_are_asked_of_the_state_at_the_end(open_things: Callable[..., Session]) -> None:
    with open_things() as session:
        assert session.unmet_duties() == ()
        session.call("remove_all", things=["a", "b", "c"])
        assert [duty.code for duty in session.unmet_duties()] == ["SOME_LEFT"]


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        pytest.param("return len(call.item) / 0 == 1", "Rule 'NOT_B' crashed: ZeroDivisionError", id="crash"),
        pytest.param(
            'return _label(now, "thing") == 1', "Rule 'NOT_B' reads table 'thing', which it does not declare", id="read"
        ),
        pytest.param(
            "return _lose(now) == 1", "Rule 'NOT_B' writes table 'thing', which it does not declare", id="write"
        ),
    ],
)
def test_a_rule_that_fails_is_a_fault_of_ours(open_things: Callable[..., Session], body: str, fault: str) -> None:
    helpers = '\n\ndef _label(state, name):\n    return state.get(name, "a")\n'
    helpers += '\n\ndef _lose(state):\n    kept = state\n    return kept.delete("thing", "a")\n'
    with (
        open_things(RULES.replace('return call.item != "b"', body) + helpers) as session,
        pytest.raises(EnvironmentFault, match=fault),
    ):
        session.forbidding("remove_all", {"things": ["a"]})
