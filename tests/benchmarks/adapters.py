"""What an episode costs under a framework: alone, with nothing of ours in it, and with our adapter, in one run.

Processor time of this process for one more episode: the difference between many and few, so that a run's start falls
out. Worlds are built before. A model's answers cost nothing here: they come from another process, or were recorded.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from tests.frameworks.openings import copy_distinct
from worldsmith import ChatMessage, DomainTask, Rollout, tasks

Policy = Literal["reference", "idle"]
Play = Callable[[int, Policy], Sequence[float | None]]
"""Plays the first so many tasks with an agent without a model; their rewards."""

POLICIES: tuple[Policy, ...] = ("reference", "idle")
CORE = "core alone"
FLOOR = "nothing of ours"
FEW, MANY = 8, 40

_FRAMEWORKS = (("verifiers", "under_verifiers"), ("inspect_ai", "under_inspect"), (None, "under_trl"))  # what they need
_Taken = dict[tuple[str, Policy], list[float]]  # seconds for an episode in each round, by who played and how


@dataclass(frozen=True)
class Cost:
    """Seconds of processors for one more episode, and for one that has the same messages but nothing of ours."""

    player: str
    policy: Policy
    seconds: float
    floor: float | None


@dataclass(frozen=True)
class Recorded:
    """A conversation: all its messages, and which of them the assistant answers with."""

    messages: list[ChatMessage]
    replies: list[int]


def measure_adapters(rounds: int = 3) -> list[Cost]:
    """Medians of the core and of each installed framework's floor and adapter, played in turn."""
    with TemporaryDirectory() as folder:
        return _measure(tasks(copy_distinct("job_seeking", "held_out", Path(folder) / "distinct"))[:MANY], rounds)


def _measure(chosen: Sequence[DomainTask], rounds: int) -> list[Cost]:
    records = {policy: [record(task, policy) for task in chosen] for policy in POLICIES}
    taken: _Taken = {}
    with ExitStack() as stack:
        players: dict[str, Play] = {CORE: lambda count, policy: [_play(task, policy) for task in chosen[:count]]}
        for players_of in _installed():
            players |= stack.enter_context(players_of(chosen, records))
        for turn in range(rounds + 1):  # the first warms up
            for name, play in players.items():
                for policy in POLICIES:
                    seconds = (_timed(play, MANY, policy) - _timed(play, FEW, policy)) / (MANY - FEW)
                    if turn:
                        taken.setdefault((name, policy), []).append(seconds)
    medians = {of: statistics.median(seconds) for of, seconds in taken.items()}
    return [
        Cost(name, policy, seconds, None if name.endswith(FLOOR) else medians.get((floor_of(name), policy)))
        for (name, policy), seconds in medians.items()
    ]


def floor_of(player: str) -> str:
    """Who plays the floor beside a player; names are those of a framework, a comma, and what plays under it."""
    return f"{player.partition(',')[0]}, {FLOOR}"


def record(task: DomainTask, policy: Policy) -> Recorded:
    """Play a task."""
    with Rollout(task).sync() as rollout:
        messages, replies = rollout.open(), []
        say = rollout.seat(policy)
        while not rollout.done:
            replies.append(len(messages))
            messages.append(say())
            messages += rollout.take(messages[-1])
    return Recorded(messages, replies)


def _play(task: DomainTask, policy: Policy) -> float:
    with Rollout(task).sync() as rollout:
        messages, tools = rollout.open(), rollout.tools
        assert tools
        say = rollout.seat(policy)
        while not rollout.done:
            messages.append(say())
            messages += rollout.take(messages[-1])
        return float(rollout.verdict().reward)


def _installed() -> Iterator[Callable[..., AbstractContextManager[dict[str, Play]]]]:
    for framework, module in _FRAMEWORKS:
        if framework is None or find_spec(framework):
            yield import_module(f"tests.benchmarks.{module}").players


def _timed(play: Play, count: int, policy: Policy) -> float:
    gc.collect()  # what others left is not this one's
    started = time.process_time()
    rewards = play(count, policy)
    seconds = time.process_time() - started
    assert list(rewards) == [float(policy == "reference")] * count, (play, policy, rewards)
    return seconds
