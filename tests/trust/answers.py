"""Play every kind of assistant on tasks with answers, through whole conversations, and count what is rewarded."""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.harness.play import Setting, play
from runtime.harness.users.choose import choose_user
from runtime.session.opening import WorldCache
from runtime.session.world import World
from runtime.task.answer_values import told_value
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks
from tests.trust.assistant import TellingAgent
from tests.trust.kinds import HONEST, HOSTILE, Telling

DOMAINS = ("job_seeking", "library", "second_hand_marketplace")
_AT, _TIMES = "-at-moments", ("09:00:00", "10:30:00", "14:00:00", "16:45:00")
SAMPLED_SIZE = 300  # of worlds; larger ones take longer to build


@dataclass(frozen=True)
class Measured:
    """Of one kind of assistant: how many conversations were rewarded, of how many."""

    kind: str
    rewarded: int
    played: int

    @property
    def share(self) -> float:
        return self.rewarded / self.played if self.played else 0.0


@dataclass(frozen=True)
class Measurement:
    """What honest and hostile kinds of assistants came to; `void` conversations are not counted."""

    honest: tuple[Measured, ...]
    hostile: tuple[Measured, ...]
    void: int


def measure(tasks_per_kind: int | None = None) -> Measurement:
    """Play each kind on all tasks with answers that it is about, or on so many of those with small worlds."""
    rewarded: dict[str, Counter[str]] = {"rewarded": Counter(), "played": Counter(), "void": Counter()}
    for domain in map(find_domain, DOMAINS):
        tasks = [task for task in read_tasks(domain).values() if task.answers]
        tasks += [_at_moments(task) for task in tasks if any(answer.kind == "date" for answer in task.answers)]
        values = _values_by_name(tasks)
        worlds = WorldCache(1)
        for task, kinds in _plan(tasks, tasks_per_kind):
            asyncio.run(
                _play_all(task, domain, start_world(task, domain, worlds), kinds, _best_guesses(task, values), rewarded)
            )

    def of(kinds: Sequence[Telling]) -> tuple[Measured, ...]:
        return tuple(
            Measured(kind.name, rewarded["rewarded"][kind.name], rewarded["played"][kind.name]) for kind in kinds
        )

    return Measurement(of(HONEST), of(HOSTILE), rewarded["void"].total())


async def _play_all(
    task: Task,
    domain: Domain,
    world: World,
    kinds: Sequence[Telling],
    guesses: Mapping[str, str],
    counts: Mapping[str, Counter[str]],
) -> None:
    user = choose_user("scripted")
    for kind in kinds:
        record = await play(task, domain, world, 0, Setting(TellingAgent(kind, guesses), user))
        if record.reward is None:
            counts["void"][kind.name] += 1
        else:
            counts["played"][kind.name] += 1
            counts["rewarded"][kind.name] += record.reward


def _plan(tasks: Sequence[Task], tasks_per_kind: int | None) -> Iterator[tuple[Task, list[Telling]]]:
    """Each task with the kinds that are tried on it, tasks of one world one after the other."""
    ordered = sorted(tasks, key=lambda task: (task.world.size, task.world.seed))
    if tasks_per_kind is None:
        for task in ordered:
            yield task, [kind for kind in (*HONEST, *HOSTILE) if _fits(kind, task)]
        return
    small = [task for task in ordered if task.world.size <= SAMPLED_SIZE]
    chosen: dict[str, list[Telling]] = defaultdict(list)
    for number, kind in enumerate((*HONEST, *HOSTILE)):
        fitting = [task for task in small if _fits(kind, task)]
        for turn in range(min(tasks_per_kind, len(fitting))):
            chosen[fitting[(number + turn * len(fitting) // tasks_per_kind) % len(fitting)].id].append(kind)
    for task in small:
        if chosen[task.id]:
            yield task, chosen[task.id]


def _at_moments(task: Task) -> Task:
    """The task with moments asked for in place of days, for the kinds that are about these alone."""
    draws = random.Random(task.id)
    answers = [
        answer.model_copy(update={"kind": "moment", "value": f"{answer.value} {draws.choice(_TIMES)}"})
        if answer.kind == "date"
        else answer
        for answer in task.answers
    ]
    return task.model_copy(update={"id": f"{task.id}{_AT}", "answers": answers})


def _fits(kind: Telling, task: Task) -> bool:
    if task.id.endswith(_AT) and "moment" not in kind.only:
        return False
    wishes = Counter(answer.wish for answer in task.answers)
    return (not kind.only or any(answer.kind in kind.only for answer in task.answers)) and (
        (not kind.together or max(wishes.values()) > 1) and (not kind.alone or max(wishes.values()) == 1)
    )


def _values_by_name(tasks: Sequence[Task]) -> dict[str, Counter[str]]:
    values: dict[str, Counter[str]] = defaultdict(Counter)
    for task in tasks:
        for answer in task.answers:
            values[answer.name][told_value(answer)] += 1
    return values


def _best_guesses(task: Task, values: Mapping[str, Counter[str]]) -> dict[str, str]:
    """The most frequent value of each answer in other tasks: nobody who has not looked can guess better."""
    others = {answer.name: values[answer.name] - Counter([told_value(answer)]) for answer in task.answers}
    return {name: counter.most_common(1)[0][0] if counter else "0" for name, counter in others.items()}
