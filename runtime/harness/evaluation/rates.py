"""How hard a domain's tasks are for agents: `rates.jsonl`, with n trials and c rewarded ones per task, and its figures.

A rate's digest covers what was played: the user's words and facts, the world, the domain's tools, rules and policy. If
one of them has changed since, the rate is stale and not shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import TaskTrials
from runtime.harness.evaluation.store import Run
from runtime.sandbox.files import is_there, read_lines, replacing
from runtime.task.task import Task
from runtime.task.user import Form
from runtime.verification.verdict import RewardKind

FILE = "rates.jsonl"
_NOT_PLAYED = {"title", "split", "mistakes", "explorable", "difficulty", "proofs"}  # of a task


class Rate(BaseModel):
    """One line of `rates.jsonl`: how an agent did on a task under some conditions, void episodes left out."""

    model_config = ConfigDict(frozen=True)

    format: Literal[1] = 1
    domain: str
    task: str
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    level: int | None
    forms: tuple[Form, ...]
    agent: str
    user: str
    policy: bool
    reward: RewardKind
    limits: tuple[int, int, float]
    faults: str = ""  # the plan of service faults, see `RunConfig.faults`
    n: int = Field(ge=1)
    c: int = Field(ge=0)

    @property
    def name(self) -> TaskName:
        """Domain and id."""
        return self.domain, self.task

    @property
    def replaces(self) -> tuple[object, ...]:
        """What a later rate must share with this one to take its place: the task, the agent, and the conditions."""
        return *self.conditions, self.faults

    @property
    def conditions(self) -> tuple[object, ...]:
        """What two rates share that differ in service faults alone."""
        return self.name, self.agent, self.user, self.policy, self.reward, self.limits


def rates_of(run: Run, tallies: Mapping[TaskName, TaskTrials]) -> list[Rate]:
    """Return the rates of a run's tasks that have a verdict, in its order."""
    config = run.config
    digests = digests_of(run.tasks, {name: domain.digest for name, domain in run.domains.items()})
    return [
        Rate(
            domain=name[0],
            task=name[1],
            digest=digests[name],
            level=run.tasks[name].level,
            forms=tuple(dict.fromkeys(wish.form for wish in run.tasks[name].user.wishes)),
            agent=replace(config, faults="").shown,
            user=config.user,
            policy=config.with_policy,
            reward=config.reward,
            limits=(config.limits.turns, config.limits.calls, config.limits.seconds),
            faults=config.faults,
            n=each.trials,
            c=each.rewarded,
        )
        for name, each in tallies.items()
        if each.trials
    ]


def digests_of(tasks: Mapping[TaskName, Task], domains: Mapping[str, str]) -> dict[TaskName, str]:
    """Return the digest that a rate of each task must have; `domains` are the digests of their domains, by name."""
    digests = {}
    for name, task in tasks.items():
        played = task.model_dump(mode="json", exclude=_NOT_PLAYED)
        text = json.dumps([domains[name[0]], played], sort_keys=True)
        digests[name] = hashlib.sha256(text.encode()).hexdigest()
    return digests


def read_rates(path: Path) -> list[Rate]:
    """Read the rates in a file, none if there is none; errors: UsageError naming the first bad line."""
    rates = []
    for number, line in read_lines(path) if is_there(path) else ():
        try:
            rates.append(Rate.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise UsageError(f"{str(path)!r}, line {number}, is not a rate that `eval --rates` wrote: {why}.") from None
    return rates


def keep_rates(path: Path, measured: Sequence[Rate]) -> None:
    """Write rates to a file, replacing earlier ones of the same player and tasks.

    Errors: UsageError, see `read_rates`; OSError.
    """
    anew = {each.replaces for each in measured}
    rates = [*(each for each in read_rates(path) if each.replaces not in anew), *measured]
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as file:
        file.writelines(f"{each.model_dump_json()}\n".encode() for each in rates)


def fresh_rates(rates: Iterable[Rate], digests: Mapping[TaskName, str]) -> list[Rate]:
    """Return those of the tasks as they are now."""
    return [each for each in rates if digests.get(each.name) == each.digest]


def beside_no_faults(measured: Sequence[Rate], rates: Iterable[Rate]) -> tuple[int, float, float] | None:
    """How many tasks were measured with faults and, as they are now, without; and the mean rate of each.

    None where there are no such pairs.
    """
    without = {each.conditions: each for each in rates if not each.faults}
    pairs = [
        (each.c / each.n, plain.c / plain.n)
        for each in measured
        if each.faults and (plain := without.get(each.conditions)) and plain.digest == each.digest
    ]
    if not pairs:
        return None
    faulty, plain_rates = zip(*pairs, strict=True)
    return len(pairs), sum(faulty) / len(pairs), sum(plain_rates) / len(pairs)
