"""Stage `expansion`: a model decides, chain by chain, how far a task's tools expand (paper, section 4.2.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from generator.author.ask import Asker, Question, ask
from generator.author.writing.designs import prompt
from generator.isolation.process import run_job
from generator.scenarios.trial import TAU, Opinion
from generator.tasks.expand import ATTEMPTS
from generator.tasks.gated import ExpansionsRequest, RuledExpansion, RuledLine, expand_as_ruled
from generator.tasks.make import limits_of
from runtime.domain.domain import Domain
from runtime.task.task_file import parse_task


@dataclass(frozen=True)
class RuledTasks:
    """Lines of tasks whose tools expand as a model decided; how often it was asked, and said to go on."""

    lines: list[str]
    asked: int
    went_on: int


async def rule_expansions(asker: Asker, domain: Domain, folder: Path, lines: Sequence[str]) -> RuledTasks:
    """Ask about each task until the model stops or no chain runs; errors: StageFailed, ModelFailed."""
    ruled = [RuledLine(line, []) for line in lines]
    ended = list(lines)
    left = list(range(len(lines)))
    while left:
        size = max(parse_task(lines[at]).world.size for at in left)
        asked = ExpansionsRequest(folder, [ruled[at] for at in left])
        report = await asyncio.to_thread(run_job, expand_as_ruled, asked, limits_of(len(left), size))
        found = dict(zip(left, report.expansions, strict=True))
        ended = [found[at].line if at in found else line for at, line in enumerate(ended)]
        left = [at for at, each in found.items() if each.asks is not None]
        answers = await asyncio.gather(*(_goes_on(asker, domain, found[at]) for at in left))
        for at, goes_on in zip(left, answers, strict=True):
            ruled[at] = replace(ruled[at], goes_on=[*ruled[at].goes_on, goes_on])
    every = [goes_on for each in ruled for goes_on in each.goes_on]
    return RuledTasks(ended, len(every), sum(every))


async def _goes_on(asker: Asker, domain: Domain, expansion: RuledExpansion) -> bool:
    """Return whether one more chain is worth it to the model: p >= tau."""
    figures = expansion.asks
    assert figures is not None
    question = Question(
        stage="expansion",
        key=f"{parse_task(expansion.line).id}-{expansion.chains}",
        prompt=prompt(
            "expansion",
            title=domain.card.title,
            chain=", ".join(expansion.chain),
            tools=len(domain.tools),
            remaining=figures.remaining,
            complexity=figures.complexity,
            feasibility=figures.feasibility,
            attempts=ATTEMPTS,
            chains=expansion.chains,
            tau=TAU,
        ),
        max_tokens=1_000,
    )
    opinion = (await ask(asker, question, Opinion, lambda _: ())).insist(f"The gate of {question.key}")
    return opinion.probability >= TAU
