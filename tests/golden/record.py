"""What must not change about the shipped tasks, recorded: worlds, final states, and what each kind of agent earns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from generator.tasks.proofs.replayer import TaskReplayer
from runtime.domain.changes import Changes
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.session.world import World, WorldCache
from runtime.task.judge import judge
from runtime.task.task import bind, replay, start_world
from worldsmith import DomainTask, Rollout

FOLDER = Path(__file__).parent
AGENTS = ("reference", "idle", "random", "parrot")


class Record(NamedTuple):
    """One task: digests of its world and of the state in which its chain ends, and rewards as strings of 0 and 1."""

    id: str
    world: str
    final: str
    agents: str  # one digit each, in the order of AGENTS
    wrong: str  # one digit for each recorded wrong chain


def record_of(task: DomainTask, worlds: WorldCache | None = None) -> Record:
    """Build the world of a task, replay its chain, play the agents, and judge the wrong chains."""
    world = start_world(task.task, task.domain, worlds)
    with Session(task.domain, world) as session:
        replay(session, task.task.chain)
        final = session.digest()
    wrong = "".join(map(str, _rewards_of_mistakes(task, world)))
    agents = "".join(str(_played(task, agent)) for agent in AGENTS)
    return Record(task.id, f"{world.digest:032x}", final, agents, wrong)


def read_records(domain: str) -> Iterator[Record]:
    """The recorded lines of a domain, in the order of its tasks."""
    for line in (FOLDER / f"{domain}.jsonl").read_text(encoding="utf-8").splitlines():
        yield Record(*json.loads(line))


def write_records(domain: str, records: list[Record]) -> None:
    """Replace the recorded lines of a domain."""
    lines = "".join(f"{json.dumps(list(each))}\n" for each in records)
    (FOLDER / f"{domain}.jsonl").write_text(lines, encoding="utf-8")


def _played(task: DomainTask, agent: str) -> int:
    with Rollout(task, policy=True).sync() as rollout:
        rollout.open()
        speak = rollout.seat(agent)  # type: ignore[arg-type]
        while not rollout.done:
            rollout.take(speak())
        return rollout.verdict().reward


def _rewards_of_mistakes(task: DomainTask, world: World) -> Iterator[int]:
    """What an agent earns who makes a known mistake, and does and tells the rest right."""
    with TaskReplayer(task.domain, task.task, world) as replayer:
        right = [(step.number, step.tool, step.arguments) for step in replayer.plan]
        for mistake in task.task.mistakes:
            turn = [(mistake.start + at, step.tool, step.arguments) for at, step in enumerate(mistake.turn)]
            changes = _play(task, world, [*right[: mistake.start], *turn, *right[mistake.stop :]])
            told = {name: value for name, value in {**replayer.told, **mistake.told}.items() if value}
            yield judge(task.task, task.domain, world, changes, told).reward


def _play(task: DomainTask, world: World, steps: list[tuple[int, str, Any]]) -> Changes:
    """The changes that calls make; one that is rejected, or needs what was never returned, is left out."""
    results: dict[int, dict[str, object]] = {}
    with Session(task.domain, world) as session:
        for number, tool, arguments in steps:
            with suppress(EnvironmentFault, KeyError, Rejection):
                results[number] = dict(session.call(tool, **bind(arguments, results)))
        return session.changes
