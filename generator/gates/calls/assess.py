"""EnvScaler's assessment of an environment (its stage 3), by execution in place of its two agents.

Each round calls one tool and says beforehand whether the call should go through (positive) or be rejected (negative).
The calls are first the cases, which state what must come of them and were written without the code; then sampled ones:
positive as the input schema and the rows allow, negative spoiled or naming nothing. A round passes if it ends as was
said; fails if a case ends otherwise, or a sampled call crashes, changes what it must not, or rejects with an undeclared
kind; anything else is a warning, since nobody can tell by execution whether the code or the caller is wrong.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from generator.gates.calls.random_calls import CallPlayer
from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import Spoiler
from generator.gates.calls.start import Start, start_on
from generator.gates.cases.case import Case, read_cases_if_any
from generator.gates.cases.run import CaseRunner
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool

Sign = Literal["positive", "negative"]
Verdict = Literal["pass", "warning", "fail"]
SIGNS: tuple[Sign, ...] = ("positive", "negative")
FIRST = 100
"""Rounds of the paper, counted apart from all."""
LEAST = 0.85
"""The share of rounds that do not fail from which EnvScaler keeps an environment."""

_SIZES = (100, 30, 300)  # of the worlds
_CALLS_PER_SESSION = 120
_NAMING_NOTHING = 0.5  # of the negative calls; the others are spoiled
_MOST_LISTED = 20  # failed rounds


@dataclass(frozen=True)
class AssessRequest:
    """A number of rounds on a domain folder."""

    folder: Path
    rounds: int
    seed: int


@dataclass
class Assessment:
    """The verdicts by sign, of the first rounds and of all; `cases` counts the rounds that played one."""

    first: dict[str, Counter[Verdict]] = field(default_factory=lambda: {sign: Counter() for sign in SIGNS})
    every: dict[str, Counter[Verdict]] = field(default_factory=lambda: {sign: Counter() for sign in SIGNS})
    cases: int = 0
    failed: list[str] = field(default_factory=list)  # the first of them: tool and what happened


@job("assess")
def assess(asked: AssessRequest) -> Assessment:
    """Play the rounds; errors: BrokenDomain, UsageError, EnvironmentFault from world.py."""
    domain, chance = load_domain(asked.folder), random.Random(asked.seed)
    cases, sampled = _cases_by_sign(domain), _Sampled(domain, asked.seed)
    tools = [name for name in domain.tools if not is_desk_tool(name)]
    chance.shuffle(tools)
    report = Assessment()
    for number, (tool, sign) in zip(range(asked.rounds), _turns(tools), strict=False):
        case = next(cases.get((tool, sign), iter(())), None)
        report.cases += case is not None
        verdict, why = sampled.play(tool, sign) if case is None else _verdict_on(*case)
        report.every[sign][verdict] += 1
        report.first[sign][verdict] += number < FIRST
        if verdict == "fail" and len(report.failed) < _MOST_LISTED:
            report.failed.append(f"round {number + 1}, {tool}, {sign}: {why}")
    return report


def _turns(tools: list[str]) -> Iterator[tuple[str, Sign]]:
    """Yield each tool with each sign, again and again."""
    return itertools.cycle((tool, sign) for tool in tools for sign in SIGNS)


def _cases_by_sign(domain: Domain) -> dict[tuple[str, Sign], Iterator[tuple[CaseRunner, Case]]]:
    found: dict[tuple[str, Sign], list[tuple[CaseRunner, Case]]] = {}
    for name, topic in read_cases_if_any(domain.path).items():
        runner = CaseRunner(domain, topic.rows, name)
        for case in topic.cases:
            found.setdefault((case.tool, "positive" if case.is_success else "negative"), []).append((runner, case))
    return {name: iter(own) for name, own in found.items()}


def _verdict_on(runner: CaseRunner, case: Case) -> tuple[Verdict, str]:
    differences = runner.run(case).differences
    return ("fail", f"case {case.id!r}: {differences[0]}") if differences else ("pass", "")


class _Sampled:
    """Calls of our own on several worlds, one session after the other."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self._domain, self._chance = domain, random.Random(f"sampled {seed}")
        starts = [start_on(domain, seed + number, size) for number, size in enumerate(_SIZES)]
        self._starts = itertools.cycle(
            (start, {name: Sampler(tool, start) for name, tool in domain.tools.items()}) for start in starts
        )
        self._start: Start
        self._player: CallPlayer | None = None

    def play(self, name: str, sign: Sign) -> tuple[Verdict, str]:
        """Make one call and judge it."""
        if self._player is None or len(self._player.history) >= _CALLS_PER_SESSION:
            if self._player is not None:
                self._player.session.close()
            self._start, self._samplers = next(self._starts)
            self._player = CallPlayer(self._domain, self._start.world)
        sampler, chance = self._samplers[name], self._chance
        arguments = sampler.sample(chance, sampler.anchor(chance))
        if sign == "negative":
            spoiler = Spoiler(self._start, chance)
            names_nothing = chance.random() < _NAMING_NOTHING
            arguments = spoiler.name_nothing(arguments) if names_nothing else spoiler.spoil(arguments)
        outcome, failures = self._player.play(name, arguments)
        if failures or outcome is None:
            return "fail", failures[0].sentence
        is_rejected = outcome.rejection is not None
        return ("pass" if is_rejected == (sign == "negative") else "warning"), ""
