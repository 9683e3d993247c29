"""How hard a domain's tasks are for agents: `rates.jsonl`, with n trials and c rewarded ones per task, and its figures.

A rate's digest covers what was played: the user's words and facts, the world, the domain's tools, rules and policy. If
one of them has changed since, the rate is stale and not shown.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import UsageError
from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import LEVEL, Scores, TaskTrials, plain
from runtime.harness.evaluation.store import Run
from runtime.harness.evaluation.summary import Summary, describe_players, shown, wrapped
from runtime.sandbox.files import is_there, read_lines, replacing
from runtime.task.task import Task
from runtime.task.user import Form
from runtime.text_table import table_lines
from runtime.verification.verdict import RewardKind
from runtime.wording import counted

FILE = "rates.jsonl"
_GROUP = 8  # trials of a task: what group-relative training computes its advantages from
_NOT_PLAYED = {"title", "split", "mistakes", "explorable", "difficulty", "proofs", "easier"}  # of a task


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
    n: int = Field(ge=1)
    c: int = Field(ge=0)

    @property
    def name(self) -> TaskName:
        """Domain and id."""
        return self.domain, self.task

    @property
    def replaces(self) -> tuple[object, ...]:
        """What a later rate must share with this one to take its place: the task, the agent, and the conditions."""
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
            agent=config.shown,
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
    """Return the digest that a rate of each task must have; `domains` are the digests of their domains, by name."""
    digests = {}
    for name, task in tasks.items():
        played = task.model_dump(mode="json", exclude=_NOT_PLAYED if task.edited else {*_NOT_PLAYED, "edited"})
        text = json.dumps([domains[name[0]], played], sort_keys=True)
        digests[name] = hashlib.sha256(text.encode()).hexdigest()
    return digests


def read_rates(path: Path) -> list[Rate]:
    """Read the rates in a file, none where there is none; errors: UsageError naming the first line that is no rate."""
    rates = []
    for number, line in read_lines(path) if is_there(path) else ():
        try:
            rates.append(Rate.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise UsageError(f"{str(path)!r}, line {number}, is not a rate that calibrate wrote: {why}.") from None
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


@dataclass(frozen=True)
class Calibration:
    """The figures of all stored trials, and the rates of this agent (`measured`) that the file holds now."""

    summary: Summary
    file: Path
    measured: Sequence[Rate]

    def as_json(self) -> dict[str, Any]:
        summary = self.summary
        return {
            "file": str(self.file),
            "store": str(summary.run.path),
            "agent": summary.run.config.shown,
            "tasks": summary.scores.tasks,
            "void": summary.scores.void,
            "owed": summary.owed,
            "all": _figures(summary.scores, self.measured),
            "by_level": {
                name: _figures(each, [rate for rate in self.measured if str(rate.level or "unknown") == name])
                for name, each in summary.by_difficulty.items()
            },
            "by_form": {
                name: _figures(each, [rate for rate in self.measured if name in rate.forms])
                for name, each in summary.by_form.items()
            },
        }


def mixed_groups(scores: Scores) -> tuple[int, float | None]:
    """Return a group size, and the share of groups in which some trials are rewarded and some not: Pass@k - Pass^k.

    The groups are of 8 trials, of fewer where no task has as many; None where none has a verdict.
    """
    size = min(_GROUP, len(scores.pass_at_k))
    if not size:
        return 0, None
    some, every = scores.pass_at_k[size - 1].value, scores.pass_hat_k[size - 1].value
    return size, None if some is None or every is None else some - every


def _figures(scores: Scores, rates: Sequence[Rate]) -> dict[str, Any]:
    size, mixed = mixed_groups(scores)
    return {
        "tasks": scores.tasks,
        "n": sum(each.n for each in rates),
        "c": sum(each.c for each in rates),
        "pass_hat_k": plain(list(dict.fromkeys((*scores.pass_hat_k[:1], *scores.pass_hat_k[-1:])))),
        "mixed": {"k": size, "share": None if mixed is None else round(mixed, 6)},
    }


def describe_calibration(calibration: Calibration, width: int = 80) -> Iterator[str]:
    """Yield the calibration as lines for a person."""
    summary, most = calibration.summary, len(calibration.summary.scores.pass_hat_k)
    size = min(_GROUP, most)
    yield from describe_players(summary, width)
    for title, groups in (("level", summary.by_difficulty), ("form", summary.by_form)):
        yield ""
        rows = [
            [name, each.tasks, shown(each.pass_hat_k[0]), shown(each.pass_hat_k[-1]), mixed_groups(each)[1]]
            for name, each in {**groups, "all": summary.scores}.items()
        ]
        yield from table_lines([title, "tasks", "Pass^1", f"Pass^{most}", "mixed"], rows)
    yield ""
    yield from wrapped(f"mixed: the share of groups of {size} trials with both rewarded and unrewarded ones.", width)
    yield f"({LEVEL:.0%} Wilson intervals of the mean over tasks)"
    yield ""
    yield from wrapped(
        f"{calibration.file}: {counted(len(calibration.measured), 'rate')} of {summary.run.config.shown}", width
    )
    yield f"store: {summary.run.path}"
