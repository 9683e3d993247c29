"""A tool that makes texts which are no Unicode, or sentences without end, costs the agent nothing but the call."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.session.session import Session
from runtime.session.world import build_world
from tests.making import make_domain

TOOLS = '''
class Letter(TypedDict):
    letter: Annotated[str, "The character"]


@tool()
def show_letter(db: Database, number: Annotated[int, "Its number"]) -> Letter:
    """Show a character."""
    return {"letter": chr(number)}


@tool(writes=["thing"])
def keep_letter(db: Database, number: Annotated[int, "Its number"]) -> Done:
    """Keep a character."""
    db.insert("thing", thing_id=db.new_id("thing"), label=chr(number))
    return {"done": True}


@tool(reads=["thing"])
def find_letter(db: Database, number: Annotated[int, "Its number"]) -> Done:
    """Find a character."""
    return {"done": db.value("SELECT count(*) FROM thing WHERE label = ?", chr(number)) > 0}


@tool(rejects=["NOT_FOUND"])
def complain(db: Database) -> Done:
    """Say very much."""
    raise Rejection.not_found("a" * 50000)
'''


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A session on a domain of letters."""
    domain = make_domain(tmp_path, tools=TOOLS)
    return Session(domain, build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, 1))


@pytest.mark.parametrize("tool", ["show_letter", "keep_letter", "find_letter"])
def test_half_a_character_is_an_invalid_argument_and_changes_nothing(tool: str, session: Session) -> None:
    with session:
        before = session.digest()
        outcome = session.perform(tool, {"number": 0xD800})
        assert outcome.rejection is not None
        assert outcome.rejection.kind == "INVALID_ARGUMENT"
        assert session.digest() == before
        assert session.perform(tool, {"number": 97}).rejection is None


def test_a_rejection_is_cut_where_no_agent_would_read_on(session: Session) -> None:
    with session:
        assert 2000 < len(session.perform("complain", {}).text) < 2100
