"""The agents that must not be rewarded: what they do, and that it earns nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from runtime.domain.domain import Domain
from runtime.harness.agents.baselines import RANDOM_CALLS, IdleAgent, ParrotAgent, RandomAgent
from runtime.harness.choose import choose_agent
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.harness.user import CallSeen, UserReply
from runtime.harness.users.scripted import NoUser
from runtime.session.world import World
from runtime.task.answers import AnswerReader
from runtime.task.task import Task
from runtime.task.task_file import find_task, read_tasks
from tests.runtime.harness.acting import answers, play_one


class Insisting:
    """A user that never lets go."""

    name = "insisting"
    converses = True

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> _Insister:
        return _Insister()


class _Insister:
    async def open(self) -> UserReply:
        return UserReply("Please do it.")

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        return UserReply("I insist.")


@pytest.mark.parametrize("name", ["idle", "random", "parrot"])
@pytest.mark.parametrize("task_id", ["keep-a-book", "card-and-queue", "late-and-next"])
def test_it_earns_nothing(library: Domain, world: World, name: str, task_id: str) -> None:
    for chosen in ({}, {"user": NoUser()}):
        record = play_one(library, world, choose_agent(name), task_id, **chosen)  # type: ignore[arg-type]
        assert (record.reward, record.fault) == (0, "agent")
        assert record.end == "done"


def test_the_idle_agent_calls_nothing_and_gives_up_on_a_user_who_insists(library: Domain, world: World) -> None:
    record = play_one(library, world, IdleAgent(), user=Insisting())
    assert (record.end, record.calls, record.turns, record.reason) == ("gave_up", 0, 6, "gave up")
    assert {message.text for message in record.messages if message.by_agent} == {"I'm sorry, I can't help with that."}


def made(record: EpisodeRecord) -> list[tuple[str, object]]:
    """The calls of an episode."""
    return [(call.name, call.arguments) for message in record.messages for call in message.calls]


def test_the_random_agent_makes_the_same_valid_calls_in_every_run(library: Domain, world: World) -> None:
    record = play_one(library, world, RandomAgent(), "late-and-next")
    assert made(record) == made(play_one(library, world, RandomAgent(), "late-and-next"))
    assert record.calls == RANDOM_CALLS * 2  # two wishes
    told = [message.text for message in record.messages if message.by_agent and message.text]
    assert told == ["Done."] * 2


def test_random_calls_fit_the_schemas_and_reach_most_tools(library: Domain, world: World) -> None:
    async def run() -> list[EpisodeRecord]:
        task = find_task(library, "late-and-next")
        setting = Setting(RandomAgent(), NoUser(), "session")
        return [await play(task, library, world, trial, setting) for trial in range(30)]

    records = asyncio.run(run())
    texts = [message for record in records for message in answers(record)]
    for name, arguments in (call for record in records for call in made(record)):
        library.tools[name].arguments.check_untrusted(arguments)  # type: ignore[arg-type]
    assert len({name for record in records for name, _ in made(record)}) >= len(library.tools) - 1
    assert sum(not text.is_error for text in texts) > len(texts) / 2
    assert any(record.final for record in records)
    assert not any(record.reward for record in records)


def test_the_parrot_reads_changes_nothing_and_recites(library: Domain, world: World) -> None:
    record = play_one(library, world, ParrotAgent(), "late-and-next")
    assert record.final == ()
    assert all(library.tools[name].read_only for name, _ in made(record))
    assert len({name for name, _ in made(record)}) > 1
    results = [message.text for message in answers(record) if not message.is_error]
    recited = next(message.text for message in record.messages if message.by_agent and message.text)
    assert results
    assert all(result in recited for result in results)


def test_the_parrot_goes_on_from_what_it_read(library: Domain, world: World) -> None:
    record = play_one(library, world, ParrotAgent(), "late-and-next", user=NoUser())  # which tells an e-mail address
    order = [name for name, _ in made(record)]
    assert order.index("find_member") < order.index("list_loans")
    assert ("list_loans", {"member_id": "MEMBER-0004"}) in made(record)


def test_none_of_them_is_rewarded_for_an_answer_alone(library: Domain, world: World) -> None:
    tasks = [task for task in read_tasks(library).values() if task.answers]
    for task in tasks:
        only = task.model_copy(update={"expected": [], "chain": []})
        for name in ("idle", "random", "parrot"):
            assert play_one(library, world, choose_agent(name), only).reward == 0  # type: ignore[arg-type]


def test_an_agent_whose_row_leads_nowhere_has_failed_and_is_not_void(library: Domain, world: World) -> None:
    task = find_task(library, "keep-a-book")
    last = task.chain[-1].model_copy(update={"arguments": {"loan_id": {"$step": 2, "path": "loans.1.nothing"}}})
    task = task.model_copy(update={"chain": [*task.chain[:-1], last]})
    record = play_one(library, world, choose_agent("first_row"), task)
    assert (record.end, record.reward, record.fault) == ("gave_up", 0, "agent")
    assert "first_row" in record.why
