"""A scenario runs on any world that has what it is about, and every value keeps its origin."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from runtime.domain.code import load_module
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import World, build_world
from runtime.task.story import NoSuchRow, Origin, Script, Story, origin_of, said, tell_story
from runtime.task.task import replay
from tests.conftest import LIBRARY

SCENARIOS = load_module(LIBRARY / "scenarios.py", "library_scenarios")
PROGRAMS = {name: value for name, value in vars(SCENARIOS).items() if getattr(value, "is_scenario", False)}


def _world(library: Domain, seed: int) -> World:
    return build_world(library.populate, library.schema, library.policies, library.now, seed, 300)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
@pytest.mark.parametrize("seed", range(1, 6))
def test_a_scenario_runs_on_several_worlds_and_its_chain_replays(library: Domain, name: str, seed: int) -> None:
    world = _world(library, seed)
    with Session(library, world) as told, Session(library, world) as replayed:
        script = tell_story(PROGRAMS[name], told, seed)
        replay(replayed, script.chain)
        assert replayed.digest() == told.digest() != f"{world.digest:032x}"
    assert script.words
    assert all(call.step.tool in library.tools for call in script.calls)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_the_same_seed_tells_the_same_story(library: Domain, name: str) -> None:
    world = _world(library, 1)

    def tell(seed: int) -> Script:
        with Session(library, world) as session:
            return tell_story(PROGRAMS[name], session, seed)

    assert tell(7) == tell(7)
    assert len({str(tell(seed).words) for seed in range(8)}) > 1


def test_every_argument_is_traced_to_a_told_fact_or_an_earlier_result(library: Domain) -> None:
    with Session(library, _world(library, 1)) as session:
        script = tell_story(PROGRAMS["queue_for_a_lent_book"], session, 1)
    for call in script.calls:
        for name, origin in call.origins.items():
            assert origin is not None, name
            assert origin.kind == "result" or origin in script.told


def test_a_value_that_was_not_told_is_not_licensed_by_an_equal_one(session: Session) -> None:
    story = Story(session, 1)
    row = story.pick("member")
    other = story.row("member", row["member_id"])["name"]
    story.tell("My address is {email}.", email=row["email"])
    assert origin_of(row["email"]) in story.script.told
    assert origin_of(other) not in story.script.told
    story.close()


def test_picks_read_the_world_as_it_was_at_the_start(session: Session) -> None:
    session.call("register_member", name="Ada Lovelace", email="ada@example.org")
    story = Story(session, 1)
    with pytest.raises(NoSuchRow):
        story.pick("member", "email = ?", "ada@example.org")
    story.close()


def test_a_pinned_pick_finds_the_same_row_again(session: Session, open_session: Callable[[], Session]) -> None:
    story = Story(session, 1)
    row = story.pick("book")
    again = Story(open_session(), 99, pins={0: story.picks[0][1]})
    assert again.pick("book") == row
    story.close()
    again.close()


def test_words_and_values_must_fit(session: Session) -> None:
    story = Story(session, 1)
    with pytest.raises(EnvironmentFault, match="'title'"):
        story.tell("I want {title}.")
    with pytest.raises(EnvironmentFault, match="'extra'"):
        story.tell("I want it.", extra=1)
    story.close()


def test_a_rejected_call_is_a_fault_of_the_scenario(session: Session) -> None:
    story = Story(session, 1)
    with pytest.raises(EnvironmentFault, match="NOT_FOUND"):
        story.call("find_member", email="nobody@example.org")
    story.close()


def test_days_are_said_as_a_person_says_them(session: Session) -> None:
    story = Story(session, 1)
    day = story.day(4)
    assert (day, said(day), origin_of(day)) == ("2026-03-20", "Friday, March 20", Origin("clock", "today+4"))
    assert said("2026-03-20 14:00:00") == "Friday, March 20 at 2 PM"
    story.close()


def test_a_chain_refers_to_results_by_step_and_path(library: Domain) -> None:
    with Session(library, _world(library, 1)) as session:
        script: Script = tell_story(PROGRAMS["keep_a_book_longer"], session, 1)
    assert script.chain[1].arguments == {"member_id": {"$step": 0, "path": "member_id"}}
    assert script.answers[0].source == "loan.due_on"


def test_scenarios_are_checked_like_tools(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.py"
    path.write_text((LIBRARY / "scenarios.py").read_text() + "\nimport os\n")
    with pytest.raises(Exception, match="scenarios.py"):
        load_module(path, "bad_scenarios")
