"""Prove that random calls break nothing: thousands of them, over all tools and several worlds, counted and checked."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.calls.arguments import ArgumentMaker, Pool, Rows
from generator.gates.calls.play import CallPlayer, Failure, RandomCall, Trouble
from generator.gates.calls.spoil import HOSTILE_TEXTS, UNKNOWN_ID, Spoiler
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.tool import Tool
from runtime.session.session import Session
from runtime.session.world import World, build_world

_SIZES = (100, 1, 30, 100, 300)
_CALLS_PER_SESSION = 120
_CALLS_PER_LOOK = 10  # at the rows that the session changed so far
_SPOILT = 0.35  # of the calls
_RESET = 0.01  # of the calls are followed by a reset
_MOST_FAILURES = 20  # that are reported
_MOST_SHOWN = 400  # characters of a call's arguments

_FirstCall = tuple[Tool, str, str | None]  # a tool, a parameter of it, and the text that is tried there, if it is one


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
class CallFailure:
    """Failures of one kind: the call that first showed it, how often, and all that in one line."""

    kind: Trouble
    tool: str
    sentence: str
    line: str
    times: int = 1


@dataclass(frozen=True)
class CallsReport:
    """What random calls came to.

    What must be zero: `faults` (crashes), `violations` (of the declared rejections, the constraints, the books),
    `changes_on_rejection`, `resets_that_differ`, `leaks`. Each kind of failure stands in `failures`.
    """

    calls: int
    successes: int
    rejections: int
    rejections_by_kind: dict[str, int]
    faults: int
    violations: int
    changes_on_rejection: int
    broken_states: int
    resets_that_differ: int
    leaks: int
    crashed_on_unknown_ids: list[str]
    never_succeeded: list[str]
    tools: dict[str, ToolCalls]
    failures: list[CallFailure]


@job("calls")
def prove_random_calls(asked: CallsRequest) -> CallsReport:
    """Make random calls; errors: BrokenDomain, UsageError, EnvironmentFault from world.py.

    The same request gives the same report in every process.
    """
    return _Proof(load_domain(asked.folder), asked.calls, asked.seed).run()


class _Proof:
    """The sessions of one proof and everything that is counted over them."""

    def __init__(self, domain: Domain, calls: int, seed: int) -> None:
        self._domain, self._most_calls, self._seed = domain, calls, seed
        self._tools = {name: ToolCalls() for name in domain.tools}
        self._troubles: Counter[str] = Counter()
        self._crashed_on_unknown_ids: set[str] = set()
        self._found: dict[tuple[str, str, str], CallFailure] = {}
        self._calls = self._sessions = self._differing = self._leaks = 0
        self._outside: Counter[str] = Counter()  # rejections of calls that name no tool
        self._planned = self._plan_first_calls()

    def run(self) -> CallsReport:
        """Make the calls and report."""
        domain = self._domain
        made = (domain.populate, domain.schema, domain.policies, domain.now)
        built = [build_world(*made, self._seed + number, size) for number, size in enumerate(_SIZES)]
        rows = [Rows(world) for world in built]
        witnesses = [Session(domain, world) for world in built]
        seen = [(witness.image(), witness.digest()) for witness in witnesses]
        while self._calls < self._most_calls:
            number = self._sessions % len(built)
            self._run_session(built[number], rows[number])
        for witness, was in zip(witnesses, seen, strict=True):
            # Sessions share nothing that changes: one that nobody called is as it was.
            self._leaks += (witness.image(), witness.digest()) != was
            witness.close()
        return self._report()

    def _run_session(self, world: World, rows: Rows) -> None:
        chance = random.Random(f"{self._seed} {self._sessions}")
        pool = Pool(rows, chance)
        maker, spoiler = ArgumentMaker(pool, self._domain.now, chance), Spoiler(rows, chance)
        ids = rows.key_values
        principal = chance.choice(ids) if ids and self._sessions % 2 else None
        player = CallPlayer(self._domain, world, principal)
        budget = min(_CALLS_PER_SESSION, self._most_calls - self._calls)
        calls = self._first_calls(maker, spoiler)
        self._sessions += 1
        try:
            for number in range(budget):
                if number % _CALLS_PER_LOOK == 0:
                    pool.look_at(player.session.changes)
                way, call = next(calls, None) or self._make_call(maker, spoiler, chance)
                self._play(player, pool, way, call)
                if chance.random() < _RESET:
                    self._differing += not player.reset()
            for failure in player.check_state():
                self._note(failure, player)
            self._differing += not player.reset()
        finally:
            player.session.close()

    def _plan_first_calls(self) -> Iterator[_FirstCall]:
        """For each parameter of each tool, a call in which it names nothing, then one with each hostile text."""
        for text in (None, *HOSTILE_TEXTS):
            for tool in self._domain.tools.values():
                yield from ((tool, name, text) for name in tool.arguments.names)

    def _first_calls(self, maker: ArgumentMaker, spoiler: Spoiler) -> Iterator[tuple[str, RandomCall]]:
        """Yield those of the first calls that are still to be made, with values of the session that is open."""
        for tool, name, text in self._planned:
            arguments = maker.make(tool, also=name)
            if text is None:
                if type(arguments.get(name)) in (str, int, list):
                    yield UNKNOWN_ID, RandomCall(tool.name, spoiler.name_nothing(arguments, name))
                continue
            hostile = spoiler.put_text(arguments, name, text)
            with suppress(ValueError):  # an argument without a text, or without this one
                if hostile != arguments:
                    tool.arguments.check_untrusted(hostile)
                    yield "a hostile text", RandomCall(tool.name, hostile)

    def _make_call(self, maker: ArgumentMaker, spoiler: Spoiler, chance: random.Random) -> tuple[str, RandomCall]:
        if chance.random() < 0.003:
            return "an unknown tool", RandomCall(chance.choice(("no_such_tool", "", "x" * 500)), {})
        tool = self._domain.tools[chance.choice(list(self._domain.tools))]
        arguments: Any = maker.make(tool)
        way = ""
        if chance.random() < _SPOILT:
            way, arguments = spoiler.spoil(arguments)
        return way, RandomCall(tool.name, arguments)

    def _play(self, player: CallPlayer, pool: Pool, way: str, call: RandomCall) -> None:
        played = player.play(call)
        self._calls += 1
        counts = self._tools.get(call.tool)
        outcome = played.outcome
        if counts is not None:
            counts.calls += 1
        if outcome is not None and outcome.rejection is not None:
            (self._outside if counts is None else counts.rejections)[outcome.rejection.kind] += 1
        elif outcome is not None and counts is not None:
            counts.successes += 1
            pool.learn(outcome.result)
        for failure in played.failures:
            self._note(failure, player)
            if failure.kind == "fault" and way == UNKNOWN_ID:
                self._crashed_on_unknown_ids.add(call.tool)

    def _note(self, failure: Failure, player: CallPlayer) -> None:
        """Count a failure, and show the first of those whose sentences say the same, values aside."""
        self._troubles[failure.kind] += 1
        words = [word for word in failure.sentence.split() if word.isalpha()]
        same = failure.kind, failure.tool, " ".join(words[:12])
        if same in self._found:
            self._found[same].times += 1
        elif len(self._found) < _MOST_FAILURES:
            origin, earlier = player.world.origin, len(player.history) - 1
            call = player.history[-1] if player.history else RandomCall(failure.tool, {})
            where = [f"seed {origin['seed']}, size {origin['size']}"]
            where += [f"as {player.principal}"] * bool(player.principal)
            where += [f"after {earlier} other calls"] * (earlier > 0)
            sentence = failure.sentence[:_MOST_SHOWN]
            line = f"{', '.join(where)}: {call.tool}({_shown(call.arguments)}): {sentence}"
            self._found[same] = CallFailure(failure.kind, failure.tool, sentence, line)

    def _report(self) -> CallsReport:
        by_kind = sum((counts.rejections for counts in self._tools.values()), Counter(self._outside))
        troubles = self._troubles
        return CallsReport(
            calls=self._calls,
            successes=sum(counts.successes for counts in self._tools.values()),
            rejections=by_kind.total(),
            rejections_by_kind=dict(sorted(by_kind.items())),
            faults=troubles["fault"],
            violations=sum(
                troubles[kind] for kind in ("undeclared", "changed_by_reading", "broken_state", "id_in_text")
            ),
            changes_on_rejection=troubles["changed_on_rejection"],
            broken_states=troubles["broken_state"],
            resets_that_differ=self._differing,
            leaks=self._leaks,
            crashed_on_unknown_ids=sorted(self._crashed_on_unknown_ids),
            never_succeeded=[name for name, counts in self._tools.items() if counts.calls and not counts.successes],
            tools=self._tools,
            failures=list(self._found.values()),
        )


def _shown(arguments: Any) -> str:
    try:
        text = repr(arguments)
    except (RecursionError, ValueError):  # too deep, or a number of too many digits
        return "(arguments that cannot be shown)"
    text = text.encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
