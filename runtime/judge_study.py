"""Judge against rule (ScaleEnv, table 4) on a bank of final states with known verdicts, and agents that fool judges.

The bank holds episodes of a domain's tasks, played by scripted agents: those that know the way, those that make one
kind of mistake, and those that only talk, look or guess; and every known mistake that a task states, played by itself.
Each episode belongs to one stratum by its verdict, and every stratum gives as many as there are, up to a number, drawn
by a seed. It shows how judges err, not what training on them does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.people import DECLINE
from runtime.harness.agents.reference import Replaying
from runtime.harness.choose import choose_agent
from runtime.harness.conversation import Agent, AgentContext, AgentKind
from runtime.harness.evaluation.opinions import JudgeReport, Played, Share, ask_judge
from runtime.harness.evaluation.plan import place_of
from runtime.harness.outcome import accepted_calls
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.harness.users.scripted import ScriptedKind
from runtime.session.world import WorldCache
from runtime.task.mistakes import mistaken
from runtime.task.task import Task, start_world

AGENTS = ("reference", "claimer", "idle", "parrot", "random", "comply_all", "refuse_all", "trust_all")
STRATA = ("right", "refused rightly", "wrong value", "missing write", "extra write", "wrong answer", "no write")
"""What a final state is: rewarded, the second with a recorded refusal; or not, by the first thing that is wrong."""

_WRONG: Mapping[str, tuple[str, ...]] = {
    "wrong value": ("wrong_value", "wrong_pattern"),
    "missing write": ("missing_row", "not_removed", "failed_check"),
    "extra write": ("extra_row", "removed_row", "changed_value"),
}


@dataclass(frozen=True)
class MistakenAgent:
    """The kind of agent that knows the way and makes one of the task's known mistakes."""

    number: int
    name: str = "one mistake"

    def begin(self, context: AgentContext) -> Agent:
        return Replaying(mistaken(context.task, [context.task.mistakes[self.number]]), context.domain)


@dataclass(frozen=True)
class JudgeStudy:
    """The bank by stratum, the errors of each judge on it, and what each judge and the rule pass of each agent."""

    bank: Mapping[str, Sequence[Played]] = field(repr=False)
    by_judge: Mapping[str, JudgeReport]
    by_stratum: Mapping[str, Mapping[str, Share]]  # passed, by judge and stratum
    by_agent: Mapping[str, Mapping[str, Share]]  # passed, by agent and judge; "rule" is the verdict

    def as_json(self) -> dict[str, Any]:
        return {
            "bank": {name: len(found) for name, found in self.bank.items()},
            "judges": {name: {**each.as_json(), "opinions": None} for name, each in self.by_judge.items()},
            "passed_by_stratum": self.by_stratum,
            "passed_by_agent": self.by_agent,
        }


def study_judges(
    tasks: Sequence[tuple[Task, Domain]], judges: Sequence[str], most: int, seed: int, costly: Iterable[str] = ()
) -> JudgeStudy:
    """Play the bank and ask the judges about it; those that are `costly` are asked about the bank alone.

    Errors: UsageError for a judge that does not exist.
    """
    played = asyncio.run(play_all(tasks, AGENTS, mistakes=True))
    strata: dict[str, list[Played]] = {name: [] for name in STRATA}
    for _, each in played:
        strata[stratum_of(each[0])].append(each)
    bank = {
        name: sorted(found, key=lambda each: place_of(seed, each[0].domain, each[0].task, each[0].final))[:most]
        for name, found in strata.items()
        if found
    }
    chosen = [each for found in bank.values() for each in found]
    reports = {judge: ask_judge(judge, chosen) for judge in judges}
    by_stratum: dict[str, dict[str, Share]] = {}
    for judge in judges:
        rows = {name: ask_judge(judge, found) if judge not in costly else None for name, found in bank.items()}
        by_stratum[judge] = {name: _passed(report) for name, report in rows.items() if report is not None}
    by_agent: dict[str, dict[str, Share]] = {}
    for agent in AGENTS:
        own = [each for name, each in played if name == agent]
        by_agent[agent] = {"rule": Share(sum(each[0].reward or 0 for each in own), len(own))}
        by_agent[agent] |= {judge: _passed(ask_judge(judge, own)) for judge in judges if judge not in costly}
    return JudgeStudy(bank, reports, by_stratum, by_agent)


def _passed(report: JudgeReport) -> Share:
    return Share(sum(each.passes for each in report.opinions), len(report.opinions))


async def play_all(
    tasks: Sequence[tuple[Task, Domain]], agents: Sequence[str], *, mistakes: bool = False
) -> list[tuple[str, Played]]:
    """Play every task by every agent, and each of its known mistakes if asked; void episodes are left out."""
    bases, user, played = WorldCache(1), ScriptedKind(), []
    for task, domain in sorted(tasks, key=lambda each: (each[0].domain, *map(str, each[0].world.base), each[0].id)):
        world = start_world(task, domain, bases)
        kinds: list[AgentKind] = [choose_agent(name) for name in agents]
        kinds += [MistakenAgent(number) for number in range(len(task.mistakes) if mistakes else 0)]
        for kind in kinds:
            record = await play(task, domain, world, 0, Setting(kind, user))
            if record.reward is not None:
                played.append((kind.name, (record, task, domain)))
    return played


def stratum_of(record: EpisodeRecord) -> str:
    """Return the stratum of an episode that has a verdict."""
    if record.reward:
        calls = {call.tool for _, call in accepted_calls(record.messages)}
        return "refused rightly" if DECLINE in calls else "right"
    if not record.final:
        return "no write"
    kinds = {each.kind for each in record.differences}
    return next((name for name, own in _WRONG.items() if kinds & set(own)), "wrong answer")


def describe_judges(study: JudgeStudy) -> Iterator[list[list[str]]]:
    """Yield three tables, each with its head: errors by judge, passes by stratum, passes by agent."""
    yield [
        ["judge", "passes what the rule fails", "fails what the rule rewards"],
        *([name, str(each.false_passes), str(each.false_fails)] for name, each in study.by_judge.items()),
    ]
    rows = {name: row for name, row in study.by_stratum.items() if row}
    yield [
        ["passed, of the stratum", *rows],
        *([f"{name} ({len(study.bank[name])})", *(str(row[name]) for row in rows.values())] for name in study.bank),
    ]
    yield [
        ["passed, of the agent", *next(iter(study.by_agent.values()))],
        *([name, *map(str, row.values())] for name, row in study.by_agent.items()),
    ]
