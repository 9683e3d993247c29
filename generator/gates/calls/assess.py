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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from generator.gates.calls.random_calls import CallPlayer
from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import Spoiler
from generator.gates.calls.start import start_on
from generator.gates.cases.case import Case, read_cases_if_any
from generator.gates.cases.run import CaseRunner
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool

Verdict = Literal["pass", "warning", "fail"]
SIGNS = ("positive", "negative")  # of the calls, in turn: the first round is positive
FIRST, LEAST = 100, 0.85  # the rounds of the paper, and which share must not fail for it to keep an environment

_SIZES, _CALLS_PER_SESSION = (100, 30, 300), 120  # rows of the worlds
_NAMING_NOTHING, _MOST_LISTED = 0.5, 20  # of the negative calls, the others are spoiled; failed rounds


@dataclass(frozen=True)
class AssessRequest:
    """A number of rounds on a domain folder."""

    folder: Path
    rounds: int
    seed: int


@dataclass
class Assessment:
    """The verdict of each round, how many of them played a case, and what happened in the first that failed."""

    verdicts: list[Verdict] = field(default_factory=list)
    cases: int = 0
    failed: list[str] = field(default_factory=list)


@job("assess")
def assess(asked: AssessRequest) -> Assessment:
    """Play the rounds, each tool with each sign in turn; errors: BrokenDomain, UsageError, EnvironmentFault."""
    domain, chance, report = load_domain(asked.folder), random.Random(asked.seed), Assessment()
    sampled, cases = _Sampled(domain, asked.seed), dict[tuple[str, str], list[tuple[CaseRunner, Case]]]()
    for name, topic in read_cases_if_any(domain.path).items():
        runner = CaseRunner(domain, topic.rows, name)
        for case in reversed(topic.cases):
            cases.setdefault((case.tool, SIGNS[not case.is_success]), []).append((runner, case))
    tools = [name for name in domain.tools if not is_desk_tool(name)]
    turns = itertools.cycle(itertools.product(chance.sample(tools, len(tools)), SIGNS))
    for number, (tool, sign) in zip(range(asked.rounds), turns, strict=False):
        if own := cases.get((tool, sign)):
            runner, case = own.pop()
            differences = runner.run(case).differences
            verdict: Verdict = "fail" if differences else "pass"
            why = f"case {case.id!r}: {next(iter(differences), '')}"
            report.cases += 1
        else:
            verdict, why = sampled.play(tool, sign)
        report.verdicts.append(verdict)
        if verdict == "fail" and len(report.failed) < _MOST_LISTED:
            report.failed.append(f"round {number + 1}, {tool}, {sign}: {why}")
    return report


class _Sampled:
    """Calls of our own on several worlds, one session after the other."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self._chance = random.Random(f"sampled {seed}")
        starts = [start_on(domain, seed + number, size) for number, size in enumerate(_SIZES)]
        self._turns = itertools.cycle(
            (start, {name: Sampler(tool, start) for name, tool in domain.tools.items()}) for start in starts
        )
        self._begin()

    def _begin(self) -> None:
        self._start, self._samplers = next(self._turns)
        self._player = CallPlayer(self._start.domain, self._start.world)

    def play(self, name: str, sign: str) -> tuple[Verdict, str]:
        """Make one call and judge it."""
        if len(self._player.history) >= _CALLS_PER_SESSION:
            self._player.session.close()
            self._begin()
        sampler, spoiler = self._samplers[name], Spoiler(self._start, self._chance)
        arguments = sampler.sample(self._chance, sampler.anchor(self._chance))
        if sign == "negative":
            spoil = spoiler.name_nothing if self._chance.random() < _NAMING_NOTHING else spoiler.spoil
            arguments = spoil(arguments)
        outcome, failures = self._player.play(name, arguments)
        if failures or outcome is None:
            return "fail", failures[0].sentence
        return "pass" if (outcome.rejection is not None) == (sign == "negative") else "warning", ""
