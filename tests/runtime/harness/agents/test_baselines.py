"""The agents that must not be rewarded: what they do, and that it earns nothing."""

from __future__ import annotations

import pytest

from runtime.domain.domain import Domain
from runtime.harness.agents.baselines import RANDOM_CALLS, ParrotAgent, RandomAgent
from runtime.harness.choose import choose_agent
from runtime.harness.record import EpisodeRecord
from runtime.harness.users.scripted import NoUser
from runtime.session.world import World
from tests.runtime.harness.acting import answers, play_one


@pytest.mark.parametrize("name", ["idle", "random", "parrot"])
@pytest.mark.parametrize("task_id", ["keep-a-book", "card-and-queue", "late-and-next"])
def test_it_earns_nothing(library: Domain, world: World, name: str, task_id: str) -> None:
    for chosen in ({}, {"user": NoUser()}):
        record = play_one(library, world, choose_agent(name), task_id, **chosen)  # type: ignore[arg-type]
        assert (record.reward, record.fault) == (0, "agent")
        assert record.end == "done"


def made(record: EpisodeRecord) -> list[tuple[str, object]]:
    """The calls of an episode."""
    return [(call.name, call.arguments) for message in record.messages for call in message.calls]


def test_the_random_agent_makes_the_same_valid_calls_in_every_run(library: Domain, world: World) -> None:
    record = play_one(library, world, RandomAgent(), "late-and-next")
    assert made(record) == made(play_one(library, world, RandomAgent(), "late-and-next"))
    assert record.calls == RANDOM_CALLS * 2  # two wishes
    told = [message.text for message in record.messages if message.by_agent and message.text]
    assert told == ["Done."] * 2


def test_the_parrot_reads_changes_nothing_and_recites(library: Domain, world: World) -> None:
    record = play_one(library, world, ParrotAgent(), "late-and-next")
    assert record.final == ()
    assert all(library.tools[name].read_only for name, _ in made(record))
    assert len({name for name, _ in made(record)}) > 1
    results = [message.text for message in answers(record) if not message.is_error]
    recited = next(message.text for message in record.messages if message.by_agent and message.text)
    assert results
    assert all(result in recited for result in results)
