"""A rollout under any event loop: driven by messages or call by call, with a user who waits, forked and interrupted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from types import coroutine
from typing import Any

import pytest

from runtime.errors import EnvironmentFault, ModelFailed, UsageError
from runtime.harness.conversation import at_once
from runtime.harness.users.model_user import FreeKind, ReaderKind
from tests.runtime.model.scripted import ScriptedModel
from tests.worldsmith.playing import ASK, NORA, RENEW, TOLD, calls, renews, says
from worldsmith import DomainTask, Env, Rollout, evaluate, tasks

LIBRARY = tasks("library")[:3]
KEEP = LIBRARY[0]
READ = {"kind": "other", "asked": [], "fits": False, "told": []}


class _Pausing(ScriptedModel):
    """A model for whose answer somebody has to wait, by no event loop in particular."""

    async def answer(self, request: Any) -> Any:
        await _pause()
        return await super().answer(request)


@coroutine
def _pause() -> Any:
    yield "waiting"


def _drive(played: Coroutine[Any, Any, Any]) -> tuple[Any, int]:
    """What a coroutine comes to, driven by hand as trio or any other loop would, and how often it waited."""
    waited = 0
    while True:
        try:
            assert played.send(None) == "waiting"
            waited += 1
        except StopIteration as done:
            return done.value, waited


def _reader() -> ReaderKind:
    return ReaderKind(_Pausing(lambda _: READ))


async def _play(task: DomainTask, **options: Any) -> tuple[int, list[dict[str, Any]]]:
    async with Rollout(task, **options) as rollout:
        await rollout.open()
        say = rollout.seat("reference")
        while not rollout.done:
            await rollout.take(say())
        return rollout.verdict().reward, rollout.messages


def test_any_loop_drives_it_and_it_plays_as_without_one() -> None:
    by_hand, waited = _drive(_play(KEEP))
    assert (by_hand[0], waited) == (1, 0)
    assert by_hand == asyncio.run(_play(KEEP))
    with Rollout(KEEP).sync() as rollout:
        rollout.open()
        say = rollout.seat("reference")
        while not rollout.done:
            rollout.take(say())
        assert (rollout.verdict().reward, rollout.messages) == by_hand


def test_without_await_a_users_model_is_asked_elsewhere() -> None:
    class Sleeping(ScriptedModel):
        async def answer(self, request: Any) -> Any:
            await asyncio.sleep(0)
            return await super().answer(request)

    async def in_a_notebook() -> float | None:
        return evaluate(LIBRARY[:1], "reference", user=ReaderKind(Sleeping(_fail))).scores.avg_at_k[0].value

    assert asyncio.run(in_a_notebook()) == 1  # where the model fails, the script does not


def _fail(_: object) -> Mapping[str, Any]:
    raise ModelFailed("It is overloaded.")


def test_a_users_model_that_fails_makes_the_rollout_void() -> None:
    with Rollout(KEEP, user=FreeKind(ScriptedModel(_fail))).sync() as rollout:
        with pytest.raises(EnvironmentFault, match="The user's model failed: It is overloaded."):
            rollout.open()
        with pytest.raises(EnvironmentFault, match="is void: The user's model failed"):
            rollout.verdict()


def test_calls_and_words_one_by_one_are_the_same_conversation() -> None:
    with Rollout(KEEP).sync() as one, Rollout(KEEP).sync() as other:
        one.open(), other.open()
        assert "Nora Moreno" in one.say(ASK)
        one.call("note_identification", NORA, id="c0")
        result = one.call("renew_loan", RENEW, id="c0")
        assert json.loads(result)["due_on"] == "2026-04-03"
        one.say(TOLD)
        assert "ye" in one.say("You're welcome.")
        for message in (
            says(ASK),
            calls(("note_identification", NORA)),
            calls(("renew_loan", RENEW)),
            says(TOLD),
            says("You're welcome."),
        ):
            other.take(message)
        assert (one.messages, one.verdict(), one.ended) == (other.messages, other.verdict(), "done")


@pytest.mark.parametrize("user", ["scripted", "none"])
@pytest.mark.parametrize("task", [*LIBRARY, *tasks("job_seeking")[::60]], ids=lambda task: str(task.id))
def test_the_prompt_is_known_before_a_world_is(task: DomainTask, user: str) -> None:
    for greeting in (True, False):
        rollout = Rollout(task, user=user, greeting=greeting, policy=True, seed=3).sync()
        prompt = rollout.prompt
        with rollout:
            assert rollout.open() == prompt
    assert [each["role"] for each in prompt] == ["system", "user"]


def test_who_stops_waiting_for_the_user_ends_the_episode_and_may_judge_it() -> None:
    rollout = Rollout(KEEP, user=_reader())
    at_once(rollout.open())
    _drive(rollout.say(ASK))
    at_once(rollout.take(renews()))
    asks, _ = _drive(rollout.say("It is renewed."))
    assert "the new due date" in asks
    waiting = rollout.say(TOLD)
    assert waiting.send(None) == "waiting"
    with pytest.raises(UsageError, match="waits for its user; await that answer first"):
        at_once(rollout.call("renew_loan", RENEW))
    waiting.close()
    assert (rollout.done, rollout.ended, rollout.verdict().reward) == (True, "out_of_time", 1)
    rollout.close()


def test_a_fork_of_a_model_users_rollout_hears_nothing_of_the_other() -> None:
    requests: list[str] = []

    def read(request: Any) -> Mapping[str, Any]:
        requests.append(request.prompt)
        return READ

    with Rollout(KEEP, user=ReaderKind(ScriptedModel(read))).sync() as rollout:
        rollout.open()
        with rollout.fork() as fork:
            fork.say("Said to the fork.")
        rollout.say("Said to the first.")
    assert "Said to the fork." not in requests[1]


def test_an_environment_resets_and_steps() -> None:
    env = Env(LIBRARY[:2], turns=4)
    messages, given = env.reset()
    assert (given["task"], messages[-1]["role"], len(given["tools"])) == (KEEP, "user", len(KEEP.domain.tools))
    for message in (says(ASK), renews(), says(TOLD)):
        assert env.step(message)[1:] == (0.0, False, False, {})
    _, reward, ended, cut, said = env.step(says("You're welcome."))
    assert (reward, ended, cut, said["ended"]) == (1.0, True, False, "done")
    assert env.reset()[1]["task"] == LIBRARY[1]
    for _ in range(3):
        env.step(says("Hm?"))
    assert env.step(says("Hm?"))[1:4] == (0.0, False, True)
    env.close()
    with pytest.raises(UsageError, match="has no episode; call reset"):
        env.step(says("Hm?"))
    with pytest.raises(UsageError, match="No tasks were passed to Env"):
        Env([])
