"""Claims about guessing: what is hit without a look is found, and no world's states are known by heart."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.gates.folder import FolderRequest
from generator.gates.lively import fixed_shares
from generator.scenarios.trial import measure_guesses
from runtime.domain.load import load_domain
from tests.conftest import LIBRARY

ASKS = """
from runtime.story import Story, scenario


@scenario
def ask_about_the_card(story: Story) -> None:
    loan = story.pick("loan", "status = 'out' AND renewals = 0")
    member = story.row("member", loan["member_id"])
    story.tell("I'm {email}. How many books do I have, and in which name?", email=member["email"])
    found = story.call("find_member", email=member["email"])
    loans = story.call("list_loans", member_id=found["member_id"])["loans"]
    story.answer("what is asked", ANSWER)
"""


@pytest.mark.parametrize(("answer", "is_guessable"), [("len(loans)", True), ("member['name']", False)])
def test_what_one_guess_hits_in_many_worlds_is_found(library_copy: Path, answer: str, is_guessable: bool):
    (library_copy / "scenarios.py").write_text(ASKS.replace("ANSWER", answer), encoding="utf-8")
    [guessed] = measure_guesses(FolderRequest(library_copy)).scenarios
    assert guessed.draws > 100
    assert guessed.is_guessable is is_guessable
    assert bool(guessed.fault) is is_guessable


def test_noting_who_calls_is_no_change_and_what_only_asks_is_hardly_guessed():
    guessed = measure_guesses(FolderRequest(Path(LIBRARY))).scenarios
    assert [each.scenario for each in guessed] == ["ask_for_the_whole_debt", "ask_what_some_days_more_cost"]
    assert not any(each.fault for each in guessed)


def test_states_that_are_dealt_out_in_turn_are_found(library_copy: Path):
    assert not fixed_shares(load_domain(library_copy))
    program = (library_copy / "world.py").read_text(encoding="utf-8")
    (library_copy / "world.py").write_text(program + DEALT, encoding="utf-8")
    [fault] = fixed_shares(load_domain(library_copy))
    assert fault.startswith("worlds of size 300: member.status has the same numbers (")


DEALT = """

def populate(world: WorldBuilder) -> None:
    for number in range(world.share(0.5)):
        status = "active" if number % 3 else "suspended"
        world.insert("member", name="A", email=f"a{number}{world.random.random()}@example.org", status=status)
"""
