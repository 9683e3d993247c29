"""How often agents solve the tasks of a domain, as `rates.jsonl` keeps it: of each task n trials, c of them rewarded.

A rate holds for what was played: its digest is of the user's words and facts, of the world, and of the domain's tools,
rules and policy. Where one of them is another now, the rate is stale, and nothing is said of it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import TaskTrials
from runtime.harness.evaluation.store import Run
from runtime.sandbox.files import is_there, parse_json, read_lines, replacing
from runtime.task.task import Task
from runtime.task.user import Form
from runtime.verification.verdict import RewardKind

FILE = "rates.jsonl"
_NOT_PLAYED = {"title", "split", "mistakes", "explorable", "difficulty", "proofs", "easier"}  # of a task


class Conditions(NamedTuple):
    """What must be the same where two agents are compared."""

    user: str
    policy: bool
    reward: RewardKind
    limits: tuple[int, int, float]  # turns, calls, seconds


class Rate(BaseModel):
    """One line of `rates.jsonl`: what an agent made of a task under some conditions, void episodes left out."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    format: Literal[1] = 1
    domain: str
    task: str
    digest: str = Field(pattern=r"^[0-9a-f]{64}$")
    level: int | None
    forms: tuple[Form, ...]
    agent: str
    program: str = ""  # a digest of its files, of an agent that is a program
    user: str
    policy: bool
    reward: RewardKind
    limits: tuple[int, int, float]
    n: int = Field(ge=1)
    c: int = Field(ge=0)

    @property
    def name(self) -> TaskName:
        """Domain and id."""
        return self.domain, self.task

    @property
    def conditions(self) -> Conditions:
        """How it was played, whoever the agent was."""
        return Conditions(self.user, self.policy, self.reward, self.limits)

    @property
    def player(self) -> tuple[str, str, Conditions]:
        """Whose rate it is: the agent's name, its files, and the conditions."""
        return self.agent, self.program, self.conditions


class Inversion(NamedTuple):
    """A task that the agent with the lower mean solves at times and the other one never: often a task at fault."""

    weak: Rate
    strong: Rate
    means: tuple[float, float]  # of both, over the tasks that both played


def rates_of(run: Run, tallies: Mapping[TaskName, TaskTrials]) -> list[Rate]:
    """The rates of a run's tasks that have a verdict, in its order."""
    config = run.config
    digests = digests_of(run.tasks, {name: domain.digest for name, domain in run.domains.items()})
    return [
        Rate(
            domain=name[0],
            task=name[1],
            digest=digests[name],
            level=run.tasks[name].level,
            forms=tuple(dict.fromkeys(wish.form for wish in run.tasks[name].user.wishes)),
            agent=config.shown,
            program=config.program,
            user=config.user,
            policy=config.with_policy,
            reward=config.reward,
            limits=(config.limits.turns, config.limits.calls, config.limits.seconds),
            n=each.trials,
            c=each.rewarded,
        )
        for name, each in tallies.items()
        if each.trials
    ]


def digests_of(tasks: Mapping[TaskName, Task], domains: Mapping[str, str]) -> dict[TaskName, str]:
    """The digest that a rate of each task must have; `domains` are the digests of their domains, by name."""
    digests = {}
    for name, task in tasks.items():
        played = task.model_dump(mode="json", exclude=_NOT_PLAYED if task.edited else {*_NOT_PLAYED, "edited"})
        text = json.dumps([domains[name[0]], played], sort_keys=True)
        digests[name] = hashlib.sha256(text.encode()).hexdigest()
    return digests


def read_rates(path: Path) -> list[Rate]:
    """The rates in a file, none where there is none; errors: UsageError that names the first line that is not one."""
    if not is_there(path):
        return []
    rates: dict[tuple[object, ...], Rate] = {}
    for number, line in read_lines(path):
        try:
            parse_json(line)  # which refuses a name that appears twice
            rate = Rate.model_validate_json(line, strict=True)
            if rate.c > rate.n:
                raise ValueError(f"c is {rate.c} of {rate.n} trials")
            if rates.setdefault((rate.name, rate.player), rate) is not rate:
                raise ValueError(f"an earlier line is of task {rate.task!r} and agent {rate.agent!r}, too")
        except ValueError as error:
            first = error.errors(include_url=False)[0] if isinstance(error, ValidationError) else None
            why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}" if first else str(error)
            raise UsageError(f"{str(path)!r}, line {number}, is not a rate that calibrate wrote: {why}.") from None
    return list(rates.values())


def keep_rates(path: Path, measured: Sequence[Rate]) -> list[Rate]:
    """Write rates to a file in the place of earlier ones of the same agent, conditions and tasks; all that it has then.

    Errors: UsageError, see `read_rates`; OSError.
    """
    anew = {(each.name, each.player) for each in measured}
    rates = [*(each for each in read_rates(path) if (each.name, each.player) not in anew), *measured]
    path.parent.mkdir(exist_ok=True)
    with replacing(path) as file:
        file.writelines(f"{each.model_dump_json()}\n".encode() for each in rates)
    return rates


def fresh_rates(rates: Iterable[Rate], digests: Mapping[TaskName, str]) -> list[Rate]:
    """Those of the tasks as they are now."""
    return [each for each in rates if digests.get(each.name) == each.digest]


def find_inversions(rates: Iterable[Rate]) -> list[Inversion]:
    """The tasks that a weaker agent solves and a stronger one never, of agents under the same conditions.

    Who is stronger is judged by the mean over the tasks that both played. The most often solved come first.
    """
    players: dict[tuple[str, str, Conditions], dict[TaskName, Rate]] = {}
    for rate in rates:
        players.setdefault(rate.player, {})[rate.name] = rate
    found = []
    for one, weak in players.items():
        for other, strong in players.items():
            shared = [name for name in weak if name in strong] if one != other and one[2] == other[2] else []
            means = (mean_rate(weak[name] for name in shared), mean_rate(strong[name] for name in shared))
            if shared and means[0] < means[1]:
                found += [
                    Inversion(weak[name], strong[name], means) for name in shared if weak[name].c and not strong[name].c
                ]
    return sorted(found, key=lambda each: (-each.weak.c / each.weak.n, -each.strong.n, each.weak.name))


def mean_rate(rates: Iterable[Rate]) -> float:
    """The mean over tasks; 0 where there are none."""
    shares = [each.c / each.n for each in rates]
    return sum(shares) / len(shares) if shares else 0.0
