"""Decide which random calls a domain must stand: thousands, over all tools and several worlds, counted and checked."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.calls.play import CallPlayer, Failure
from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import HOSTILE_TEXTS, Spoiler, put_text
from generator.gates.calls.start import Place, Start, places_changed, start_on
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.tool import Tool
from runtime.session.session import Session

_SIZES = (100, 1, 30, 100, 300)
_CALLS_PER_SESSION = 120
_CALLS_PER_LOOK = 10  # at the rows that the session changed so far
_MOST_CHANGED = 3  # of them that calls are made about
_ABOUT_CHANGED = 0.3  # of the calls
_SPOILED, _NAMING_NOTHING = 0.3, 0.05  # of the calls
_NO_TOOL = 0.003  # of the calls
_RESET = 0.01  # of the calls are followed by a reset
_MOST_FAILURES = 20  # that are reported
_MOST_SHOWN = 400  # characters of a call's arguments


@dataclass(frozen=True)
class CallsRequest:
    """So many random calls on a domain folder."""

    folder: Path
    calls: int
    seed: int


@dataclass
class ToolCalls:
    """What the calls of one tool came to."""

    calls: int = 0
    successes: int = 0
    rejections: Counter[str] = field(default_factory=Counter)  # by kind


@dataclass
class CallsReport:
    """What random calls came to.

    What must be zero: `faults` (crashes), `violations` (of the declared rejections, the constraints, the books),
    `changes_on_rejection`, `resets_that_differ`, `leaks`. Each kind of failure stands in `failures`.
    """

    tools: dict[str, ToolCalls]
    calls: int = 0
    successes: int = 0
    rejections: int = 0
    faults: int = 0
    violations: int = 0
    changes_on_rejection: int = 0
    broken_states: int = 0
    resets_that_differ: int = 0
    leaks: int = 0
    crashed_on_unknown_ids: list[str] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)

    @property
    def never_succeeded(self) -> list[str]:
        """The tools on which no call succeeded."""
        return [name for name, counts in self.tools.items() if counts.calls and not counts.successes]


@job("calls")
def prove_random_calls(asked: CallsRequest) -> CallsReport:
    """Make random calls; errors: BrokenDomain, UsageError, EnvironmentFault from world.py.

    The same request gives the same report in every process.
    """
    return _Proof(load_domain(asked.folder), asked.seed).run(asked.calls)


class _Proof:
    """The sessions of one proof and the report that grows over them."""

    def __init__(self, domain: Domain, seed: int) -> None:
        self._domain, self._seed = domain, seed
        self._report = CallsReport({name: ToolCalls() for name in domain.tools})
        self._found: dict[tuple[str, str, str], Failure] = {}
        self._planned = self._plan_first_calls()

    def run(self, calls: int) -> CallsReport:
        """Make the calls and report."""
        domain, report = self._domain, self._report
        starts = [start_on(domain, self._seed + number, size) for number, size in enumerate(_SIZES)]
        samplers = [{name: Sampler(tool, start) for name, tool in domain.tools.items()} for start in starts]
        witnesses = [Session(domain, start.world) for start in starts]
        seen = [(witness.image(), witness.digest()) for witness in witnesses]
        number = 0
        while report.calls < calls:
            place = number % len(starts)
            budget = min(_CALLS_PER_SESSION, calls - report.calls)
            self._run_session(starts[place], samplers[place], number, budget)
            number += 1
        for witness, was in zip(witnesses, seen, strict=True):
            # Sessions share nothing that changes: one that nobody called is as it was.
            report.leaks += (witness.image(), witness.digest()) != was
            witness.close()
        report.crashed_on_unknown_ids.sort()
        report.failures = list(self._found.values())
        return report

    def _run_session(self, start: Start, samplers: Mapping[str, Sampler], number: int, budget: int) -> None:
        chance = random.Random(f"{self._seed} {number}")
        player = CallPlayer(self._domain, start.world)
        calls = self._calls(player, start, samplers, chance)
        try:
            for _ in range(budget):
                self._play(player, *next(calls))
                if chance.random() < _RESET:
                    self._report.resets_that_differ += not player.reset()
            for failure in player.check_state():
                self._note(failure, player)
            self._report.resets_that_differ += not player.reset()
        finally:
            player.session.close()

    def _plan_first_calls(self) -> Iterator[tuple[Tool, str, str | None]]:
        """For each parameter of each tool, a call in which it names nothing, then one with each hostile text."""
        for text in (None, *HOSTILE_TEXTS):
            for tool in self._domain.tools.values():
                yield from ((tool, name, text) for name in tool.arguments.names)

    def _calls(
        self, player: CallPlayer, start: Start, samplers: Mapping[str, Sampler], chance: random.Random
    ) -> Iterator[tuple[str, Any, bool]]:
        """Yield tools with arguments, and whether these name nothing: the planned calls first."""
        spoiler = Spoiler(start, chance)
        for tool, name, text in self._planned:
            sampler = samplers[tool.name]
            arguments = sampler.sample(chance, sampler.anchor(chance), also=name)
            if text is None:
                if type(arguments.get(name)) in (str, int, list):
                    yield tool.name, spoiler.name_nothing(arguments, name), True
                continue
            hostile = {**arguments, name: put_text(arguments[name], text)}
            with suppress(ValueError):  # an argument without a text, or without this one
                if hostile != arguments:
                    tool.arguments.check_untrusted(hostile)
                    yield tool.name, hostile, False
        tools = list(self._domain.tools.values())
        near: list[Place] = []
        for made in itertools.count():
            if made % _CALLS_PER_LOOK == 0:
                changed = places_changed(player.session.snapshot())
                near = start.near(chance.sample(changed, min(len(changed), _MOST_CHANGED)))
            if chance.random() < _NO_TOOL:
                yield chance.choice(("no_such_tool", "", "x" * 500)), {}, False
            tool, way = chance.choice(tools), chance.random()
            sampler = samplers[tool.name]
            about = near if near and chance.random() < _ABOUT_CHANGED else sampler.anchor(chance)
            arguments = sampler.sample(chance, about)
            if way < _NAMING_NOTHING:
                yield tool.name, spoiler.name_nothing(arguments), True
            else:
                yield tool.name, spoiler.spoil(arguments) if way < _NAMING_NOTHING + _SPOILED else arguments, False

    def _play(self, player: CallPlayer, tool: str, arguments: Any, names_nothing: bool) -> None:
        outcome, failures = player.play(tool, arguments)
        report = self._report
        counts = report.tools.get(tool, ToolCalls())
        report.calls += 1
        counts.calls += 1
        if outcome is not None and outcome.rejection is not None:
            report.rejections += 1
            counts.rejections[outcome.rejection.kind] += 1
        elif outcome is not None:
            report.successes += 1
            counts.successes += 1
        for failure in failures:
            self._note(failure, player)
            if failure.kind == "fault" and names_nothing and tool not in report.crashed_on_unknown_ids:
                report.crashed_on_unknown_ids.append(tool)

    def _note(self, failure: Failure, player: CallPlayer) -> None:
        """Count a failure, and show the first of those whose sentences say the same, values aside."""
        report = self._report
        match failure.kind:
            case "fault":
                report.faults += 1
            case "changed_on_rejection":
                report.changes_on_rejection += 1
            case _:
                report.violations += 1
                report.broken_states += failure.kind == "broken_state"
        words = [word for word in failure.sentence.split() if word.isalpha()]
        same = failure.kind, failure.tool, " ".join(words[:12])
        if same in self._found:
            self._found[same].times += 1
        elif len(self._found) < _MOST_FAILURES:
            origin, earlier = player.world.origin, len(player.history) - 1
            tool, arguments = player.history[-1] if player.history else (failure.tool, {})
            where = [f"seed {origin['seed']}, size {origin['size']}"]
            where += [f"after {earlier} other calls"] * (earlier > 0)
            failure.line = f"{', '.join(where)}: {tool}({_shown(arguments)}): {failure.sentence[:_MOST_SHOWN]}"
            self._found[same] = failure


def _shown(arguments: Any) -> str:
    try:
        text = repr(arguments)
    except (RecursionError, ValueError):  # too deep, or a number of too many digits
        return "(arguments that cannot be shown)"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
