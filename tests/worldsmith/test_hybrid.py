"""The shipped tasks of several offices: who serves all of them is rewarded, and who serves one, or none, is not."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from typing import Any

import pytest

from runtime.domain.hybrid import HybridDomain
from runtime.harness.agents.reference import Replaying
from runtime.harness.choose import choose_agent
from runtime.harness.conversation import Agent, AgentContext, AgentKind
from runtime.harness.play import Setting, play
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.hybrid import start_session
from runtime.task.mistakes import mistaken
from runtime.task.task import Mistake, bind
from tests.talking.talkers import TALKS, Talk, converse
from worldsmith import DomainTask, Rollout, Suite
from worldsmith.catalog import world_of

SUITE = Suite.read("hybrid")
EVERY = 1 if os.environ.get("WORLDSMITH_TESTS") == "all" else 9  # of so many tasks, one is played here
PLAYED = SUITE.tasks()[::EVERY]


def test_the_suite_has_128_tasks_of_pairs_and_triples() -> None:
    parts = [domain.name.count("+") + 1 for domain in SUITE.domains]
    assert len(SUITE) == 128
    assert parts.count(2) >= 12
    assert parts.count(3) >= 4
    assert {task.level for task in SUITE.tasks()} == {4, 5, 6}
    tied = Counter(name for task in SUITE.tasks() for name in task.task.difficulty if name.endswith("_across"))
    assert min(tied["value_across"], tied["condition_across"]) >= 10


def test_every_tool_has_a_name_that_apis_take() -> None:
    assert all(len(name) <= 64 for domain in SUITE.domains for name in domain.tools)


class SingleOffice:
    """The kind of agent that knows the way, but serves one office and ignores the others."""

    name = "single_office"

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def begin(self, context: AgentContext) -> Agent:
        foreign = [at for at, step in enumerate(context.task.chain) if not step.tool.startswith(self._prefix)]
        left_out = [Mistake(name="left out", start=at, stop=at + 1, end="") for at in foreign]
        return Replaying(mistaken(context.task, left_out), context.domain)


def rewarded(agents: Callable[[DomainTask], Iterable[AgentKind]]) -> list[tuple[str, str]]:
    """The tasks that agents win, each with the agent."""
    found = []
    for task in PLAYED:
        world = world_of(task)
        for agent in agents(task):
            setting = Setting(agent, ScriptedKind())
            if asyncio.run(play(task.task, task.domain, world, 0, setting)).reward:
                found.append((task.id, agent.name))
    return found


@pytest.mark.parametrize("talk", TALKS[:5])
def test_who_does_the_work_is_rewarded_however_they_talk(talk: Talk) -> None:
    played = [converse(task, talk) for task in PLAYED]
    assert [(each.task, each.why) for each in played if not each.reward] == []


@pytest.mark.parametrize("name", ["idle", "parrot", "random", "comply_all", "refuse_all"])
def test_who_does_not_is_not_rewarded(name: str) -> None:
    assert rewarded(lambda _: [choose_agent(name)]) == []


def test_who_serves_one_office_is_not_rewarded() -> None:
    assert rewarded(lambda task: [SingleOffice(prefix) for prefix in _prefixes(task)]) == []


def test_what_is_done_in_one_office_changes_no_other() -> None:
    for task in PLAYED:
        with start_session(task.domain, world_of(task)) as session:
            results: list[Mapping[str, Any]] = []
            for step in task.task.chain:
                before = {prefix: part.digest() for prefix, part in session.parts.items()}
                results.append(session.call(step.tool, **bind(step.arguments, results)))
                changed = [prefix for prefix, part in session.parts.items() if part.digest() != before[prefix]]
                assert all(step.tool.startswith(prefix) for prefix in changed)


def test_the_caller_is_one_person_in_every_office() -> None:
    for task in PLAYED:
        with closing(world_of(task).open()) as connection:
            known = []
            for prefix, people in task.domain.desks.items():
                caller = task.task.caller_in(people.table)
                assert caller is not None, prefix
                table = task.domain.schema.tables[people.table]
                row = table.record(connection.execute(table.select_row, caller.key).fetchone())
                moved = "value_across" in task.task.difficulty  # one office may have a newer detail than another
                known.append((row[people.name], "" if moved else row["email"]))
        assert len(set(known)) == 1


def test_tools_are_found_by_a_search() -> None:
    task = PLAYED[0]
    with Rollout(task, tools="search").sync() as rollout:
        rollout.open()
        assert [tool["function"]["name"] for tool in rollout.tools] == ["find_tools"]
        wanted = task.task.chain[0].tool
        rollout.call("find_tools", {"query": wanted.replace("_", " ")})
        assert wanted in [tool["function"]["name"] for tool in rollout.tools]
        with rollout.fork() as fork:
            fork.call("find_tools", {"query": task.task.chain[-1].tool.replace("_", " ")})
            assert len(fork.tools) > len(rollout.tools)
        assert rollout.call("find_tools", {"query": ""}).startswith("INVALID_ARGUMENT")
        speak = rollout.seat("reference")
        while not rollout.done:
            rollout.take(speak())
        assert rollout.verdict().reward


def _prefixes(task: DomainTask) -> list[str]:
    assert isinstance(task.domain, HybridDomain)
    return list(task.domain.parts)
