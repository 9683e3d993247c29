from __future__ import annotations

import asyncio
import time

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, ModelFailed
from runtime.harness import play as play_module
from runtime.harness.conversation import AssistantTurn, UserReply
from runtime.harness.episode import EpisodeLimits
from runtime.harness.record import read_record, write_record
from runtime.harness.users.scripted import NoUser
from runtime.model.model import Usage
from runtime.session.session import Session
from runtime.session.world import World
from runtime.verification.verdict import UndecidedVerdict
from tests.runtime.harness.acting import IDENTIFY, KEPT, NORA, RENEW, Doing, Saying, calls, play_one, says

RENEWED = ("renew_loan", RENEW)


OPENS = UserReply("I need it longer.", usage=Usage(5, 2, cost=None), wishes=(0,), tells=("email", "phone"))


def test_a_renewed_loan_that_is_reported_is_rewarded(library: Domain, world: World) -> None:
    agent = Doing(calls(("find_member", NORA)), calls(IDENTIFY), calls(RENEWED), says(KEPT))
    record = play_one(library, world, agent)
    assert (record.end, record.reward, record.progress, record.fault, record.reason) == ("done", 1, 1.0, None, "")
    assert [message.role for message in record.messages] == [
        *("system", "assistant", "user", "assistant", "tool", "assistant", "tool"),
        *("assistant", "tool", "assistant", "user"),
    ]
    assert (record.turns, record.calls, record.rejections) == (4, 3, 0)
    assert [row["table"] for row in record.final] == ["identification", "loan"]
    assert read_record(write_record(record)) == record


def test_an_agent_that_speaks_too_often_is_out_of_turns_and_is_judged(library: Domain, world: World) -> None:
    agent = Doing(calls(RENEWED), *[says("One moment.")] * 5)
    user = Saying(OPENS, *[UserReply("Well?")] * 5)
    record = play_one(library, world, agent, user=user, limits=EpisodeLimits(turns=3))
    assert (record.end, record.turns, record.reward, record.reason) == (
        "out_of_turns",
        3,
        0,
        "broke IDENTIFIED_FIRST; out of turns",
    )
    assert 0 < record.progress < 1


def test_an_agent_that_calls_too_often_is_out_of_calls_and_the_last_turn_is_not_made(
    library: Domain, world: World
) -> None:
    agent = Doing(calls(("find_member", NORA)), calls(("find_member", NORA), RENEWED))
    record = play_one(library, world, agent, limits=EpisodeLimits(calls=2))
    assert (record.end, record.calls, record.reward, record.reason) == ("out_of_calls", 1, 0, "out of calls")
    assert record.final == ()


def test_an_agent_that_thinks_too_long_is_out_of_time_and_is_judged(library: Domain, world: World) -> None:
    async def ponder() -> AssistantTurn:
        await asyncio.sleep(30)
        return says("At last.")

    record = play_one(library, world, Doing(calls(RENEWED), ponder), limits=EpisodeLimits(seconds=0.2))
    assert (record.end, record.reward, record.reason) == ("out_of_time", 0, "broke IDENTIFIED_FIRST; out of time")
    assert [row["table"] for row in record.final] == ["loan"]


def test_the_slowness_of_tools_and_users_is_not_the_agents(
    library: Domain, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    perform = Session.perform

    def perform_slowly(session: Session, name: str, arguments: dict[str, str]) -> object:
        time.sleep(0.3)
        return perform(session, name, arguments)

    monkeypatch.setattr(Session, "perform", perform_slowly)
    agent = Doing(calls(IDENTIFY, RENEWED), says(KEPT), says("Goodbye."), says("Goodbye."))
    user = Saying(OPENS, 0.3, UserReply("Bye.", ends=True, taken=(("new due date", "2026-04-03"),)))
    record = play_one(library, world, agent, user=user, limits=EpisodeLimits(seconds=0.2))
    assert (record.end, record.reward) == ("done", 1)


@pytest.mark.parametrize(
    ("reply", "fault", "why"),
    [
        pytest.param(ModelFailed("The model was overloaded."), "user", "The model was overloaded.", id="model"),
        pytest.param(UserReply(" "), "user", "The user said nothing and did not end the conversation.", id="silent"),
        pytest.param(KeyError("words"), "harness", "KeyError: 'words'", id="bug"),
        pytest.param(TimeoutError("socket"), "harness", "TimeoutError: socket", id="time-out of its own"),
    ],
)
def test_a_broken_user_voids_the_episode(
    library: Domain, world: World, reply: UserReply | Exception, fault: str, why: str
) -> None:
    record = play_one(library, world, Doing(calls(RENEWED), says(KEPT)), user=Saying(OPENS, reply))
    assert (record.end, record.reward, record.fault, record.why) == ("void", None, fault, why)
    assert KEPT in [message.text for message in record.messages]


@pytest.mark.parametrize(
    ("error", "fault", "reason"),
    [
        pytest.param(ModelFailed("It refused."), "agent", "the agent's model failed", id="model"),
        pytest.param(EnvironmentFault("Step 0 is odd."), "environment", "the environment failed", id="environment"),
        pytest.param(ValueError("odd"), "harness", "the harness failed", id="bug"),
    ],
)
def test_an_agent_that_breaks_voids_the_episode(
    library: Domain, world: World, error: Exception, fault: str, reason: str
) -> None:
    record = play_one(library, world, Doing(calls(RENEWED), error))
    assert (record.end, record.reward, record.fault, record.reason) == ("void", None, fault, reason)
    assert record.calls == 1


def test_a_crash_in_a_tool_voids_the_episode(library: Domain, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise EnvironmentFault("Tool 'renew_loan' crashed: ZeroDivisionError.")

    monkeypatch.setattr(Session, "_run_tool", crash)
    record = play_one(library, world, Doing(calls(RENEWED), says(KEPT)))
    assert (record.end, record.reward, record.fault) == ("void", None, "environment")
    assert record.reason == "the environment failed"
    assert "renew_loan" in record.why


def test_an_undecided_verdict_voids_the_episode(library: Domain, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def cannot_say(*_: object, **__: object) -> None:
        raise UndecidedVerdict("The new rows are too alike.")

    monkeypatch.setattr(play_module, "judge", cannot_say)
    record = play_one(library, world, Doing(calls(RENEWED), says(KEPT), says("Bye.")))
    assert (record.end, record.reward, record.reason) == ("void", None, "the verdict is undecided")


def test_tokens_costs_and_slips_add_up(library: Domain, world: World) -> None:
    spoken = AssistantTurn(KEPT, usage=Usage(100, 10, cached=50, cost=0.5))
    more = AssistantTurn("It is.", usage=Usage(200, 20, estimated=True, cost=0.25))
    user = Saying(OPENS, UserReply("Is it?"), UserReply("Thanks.", ends=True, usage=Usage(7, 3, cost=0.0), slips=2))
    record = play_one(library, world, Doing(spoken, more), user=user)
    assert record.tokens == {"prompt": 312, "completion": 35, "cached": 50}
    assert (record.estimated, record.cost, record.slips) == (True, None, 2)
    assert record.fault == "agent"


def test_without_a_user_everything_is_said_at_once_and_the_first_words_end_it(library: Domain, world: World) -> None:
    record = play_one(library, world, Doing(calls(IDENTIFY, RENEWED), says(KEPT)), user=NoUser())
    assert (record.end, record.reward) == ("done", 1)
    assert [message.role for message in record.messages] == ["system", "user", "assistant", "tool", "tool", "assistant"]
