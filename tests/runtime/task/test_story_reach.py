"""What a scenario reaches: plain values, and nothing that its tasks are judged by."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MethodType, NoneType
from typing import Any

import pytest

from runtime.errors import BrokenDomain
from runtime.sandbox.allowed import REFUSED_ATTRIBUTES
from runtime.session.session import Session
from runtime.task.origin import _KINDS, _KINDS_OF_SOURCE, Origin
from runtime.task.story import Story, load_scenarios, tell_story


@pytest.fixture
def story(session: Session) -> Story:
    """A story on that world."""
    return Story(session, 1)


FORGED = '''"""Scenarios that reach for what they are judged by."""

from runtime.story import Story, scenario


@scenario
def forge(story: Story) -> None:
    """Borrow a book."""
    story.tell("I want a book.")
    {statement}
'''


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        pytest.param(
            'story.script.wishes[0].parse_raw("cposix\\nsystem\\n(S\'true\'\\ntR.", proto="pickle", allow_pickle=True)',
            "the attribute 'parse_raw'",
            id="pickle",
        ),
        pytest.param('story.script.wishes[0].parse_file("domain.json")', "the attribute 'parse_file'", id="file"),
        pytest.param("story.script.wishes[0].model_fields.clear()", "the attribute 'model_fields'", id="model"),
    ],
)
def test_a_scenario_cannot_name_what_pydantic_offers(tmp_path: Path, statement: str, fault: str) -> None:
    (tmp_path / "scenarios.py").write_text(FORGED.format(statement=statement))
    with pytest.raises(BrokenDomain, match=fault):
        load_scenarios(tmp_path)


@pytest.mark.parametrize(
    "statement", ["story.script.told.clear()", "story.script.told_in.clear()", "story.picks.clear()"]
)
def test_a_scenario_does_not_reach_what_it_is_judged_by(tmp_path: Path, session: Session, statement: str) -> None:
    (tmp_path / "scenarios.py").write_text(FORGED.format(statement=statement))
    with pytest.raises(AttributeError, match="'Story' object has no attribute"):
        tell_story(load_scenarios(tmp_path)["forge"], session, 1)


def test_all_that_a_scenario_reaches_are_plain_values(story: Story) -> None:
    member = story.pick("member")
    story.tell("I am {email}.", email=member["email"])
    found = story.call("find_member", email=member["email"])
    reached: list[Any] = [story, member, found, story.find([found]), story.count([found]), story.day(1)]
    for value in reached:  # it grows meanwhile
        if isinstance(value, Mapping):
            reached += value.values()
        elif isinstance(value, list | tuple):
            reached += value
        names = [] if isinstance(value, type | MethodType) else dir(value)
        parts = [getattr(value, name) for name in names if name[0] != "_" and name not in REFUSED_ATTRIBUTES]
        reached += [part for part in parts if not callable(part) and not any(part is other for other in reached)]
        assert len(reached) < 1_000
    kinds = {type(value) for value in reached} - {Story}
    assert kinds <= {dict, list, tuple, str, int, float, NoneType} | {*_KINDS.values(), *_KINDS_OF_SOURCE, Origin}
