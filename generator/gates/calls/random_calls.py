"""Decide whether random calls break anything: thousands of them, over all tools and several worlds, each checked."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import HOSTILE_TEXTS, Spoiler, put_text
from generator.gates.calls.start import Place, Start, places_changed, start_on
from generator.gates.worlds import ids_among, ids_in, text_columns
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Key
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault
from runtime.session.session import Outcome, Session
from runtime.session.world import World

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
_FREE_KINDS = ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")  # need no declaration
_CALLS_PER_RULING, _CALLS_PER_DUTY = 2, 16  # between two looks at the rules, and at the duties

Trouble = Literal["fault", "undeclared", "changed_on_rejection", "changed_by_reading", "broken_state", "id_in_text"]


@dataclass
class Failure:
    """What must not happen, and did: one sentence, then how often, and the call that first showed it in one line."""

    kind: Trouble
    tool: str
    sentence: str
    line: str = ""
    times: int = 1


@dataclass(frozen=True)
class CallsRequest:
    """A number of random calls on a domain folder."""

    folder: Path
    calls: int
    seed: int


@dataclass
class ToolCalls:
    """The outcomes of the calls of one tool."""

    calls: int = 0
    successes: int = 0
    rejections: Counter[str] = field(default_factory=Counter)  # by kind


@dataclass
class CallsReport:
    """The outcomes of random calls.

    Must be zero: `faults` (crashes), `violations` (of the declared rejections, the constraints, the books),
    `changes_on_rejection`, `resets_that_differ`, `leaks`. `failures` has one of each kind.
    """

    tools: dict[str, ToolCalls]
    calls: int = 0
    successes: int = 0
    rejections: int = 0
    faults: int = 0
    violations: int = 0
    changes_on_rejection: int = 0
    resets_that_differ: int = 0
    leaks: int = 0
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
        seen = [witness.image() for witness in witnesses]
        number = 0
        while report.calls < calls:
            place = number % len(starts)
            budget = min(_CALLS_PER_SESSION, calls - report.calls)
            self._run_session(starts[place], samplers[place], number, budget)
            number += 1
        for witness, was in zip(witnesses, seen, strict=True):
            # Sessions share nothing that changes: one that nobody called is as it was.
            report.leaks += witness.image() != was
            witness.close()
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
    ) -> Iterator[tuple[str, Any]]:
        """Yield tools with arguments, the planned calls first."""
        spoiler = Spoiler(start, chance)
        for tool, name, text in self._planned:
            sampler = samplers[tool.name]
            arguments = sampler.sample(chance, sampler.anchor(chance), also=name)
            if text is None:
                if type(arguments.get(name)) in (str, int, list):
                    yield tool.name, spoiler.name_nothing(arguments, name)
                continue
            hostile = {**arguments, name: put_text(arguments[name], text)}
            with suppress(ValueError):  # an argument without a text, or without this one
                if hostile != arguments:
                    tool.arguments.check_untrusted(hostile)
                    yield tool.name, hostile
        tools = list(self._domain.tools.values())
        near: list[Place] = []
        for made in itertools.count():
            if made % _CALLS_PER_LOOK == 0:
                changed = places_changed(player.session.snapshot())
                near = start.near(chance.sample(changed, min(len(changed), _MOST_CHANGED)))
            if chance.random() < _NO_TOOL:
                yield chance.choice(("no_such_tool", "", "x" * 500)), {}
            tool, way = chance.choice(tools), chance.random()
            sampler = samplers[tool.name]
            about = near if near and chance.random() < _ABOUT_CHANGED else sampler.anchor(chance)
            arguments = sampler.sample(chance, about)
            if way < _NAMING_NOTHING:
                yield tool.name, spoiler.name_nothing(arguments)
            else:
                yield tool.name, spoiler.spoil(arguments) if way < _NAMING_NOTHING + _SPOILED else arguments

    def _play(self, player: CallPlayer, tool: str, arguments: Any) -> None:
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

    def _note(self, failure: Failure, player: CallPlayer) -> None:
        """Count a failure, and show the first of those whose sentences say the same, values aside."""
        report = self._report
        report.faults += failure.kind == "fault"
        report.changes_on_rejection += failure.kind == "changed_on_rejection"
        report.violations += failure.kind not in ("fault", "changed_on_rejection")
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
    text = repr(arguments).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


class CallPlayer:
    """One session and what is known of its state: a call that is rejected, or only reads, must leave it as it is."""

    def __init__(self, domain: Domain, world: World) -> None:
        self.domain = domain
        self.world = world
        self.session = Session(domain, world)
        self.history: list[tuple[str, Any]] = []  # the tools and arguments that led to the present state
        self._changes = self.session.changes

    def play(self, tool: str, arguments: Any) -> tuple[Outcome | None, list[Failure]]:
        """Perform one call, whose arguments may be anything; there is no outcome where it crashed."""
        self.history.append((tool, arguments))
        try:
            if self.domain.rules and len(self.history) % _CALLS_PER_RULING == 0:
                self.session.forbidding(tool, arguments)
                if len(self.history) % _CALLS_PER_DUTY == 0:
                    self.session.unmet_duties()
            outcome = self.session.perform(tool, arguments)
        except EnvironmentFault as fault:
            return None, [Failure("fault", tool, str(fault)), *self._changed(tool, "changed_on_rejection")]
        return outcome, [*self._check(tool, outcome)]

    def _check(self, name: str, outcome: Outcome) -> Iterator[Failure]:
        tool = self.domain.tools.get(name)
        rejection = outcome.rejection
        if rejection is not None:
            allowed = {*_FREE_KINDS, *tool.rejects} if tool is not None else {"NOT_FOUND"}
            if rejection.kind not in allowed:
                yield Failure("undeclared", name, f"rejects with {rejection}, a kind that it does not declare")
            yield from self._changed(name, "changed_on_rejection")
        elif tool is not None and tool.read_only:
            yield from self._changed(name, "changed_by_reading")
        else:
            before = self._changes.rows
            self._changes = self.session.changes
            now = self._changes.rows
            yield from self._ids_in_texts(name, {each for each in now if now[each] != before.get(each)})

    def _changed(self, tool: str, kind: Trouble) -> Iterator[Failure]:
        """Say what a call changed that must change nothing."""
        verb = "was rejected" if kind == "changed_on_rejection" else "declares no writes"
        before, now = self._changes.rows, self.session.changes.rows
        names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if names:
            shown = ", ".join(f"{table} {' / '.join(map(str, key))}" for table, key in names[:3])
            yield Failure(kind, tool, f"{verb}, but changed {shown}")
            self._changes = self.session.changes

    def _ids_in_texts(self, tool: str, written: Set[tuple[str, Key]]) -> Iterator[Failure]:
        """Find an id that a tool wrote into a text by itself: no argument holds it."""
        schema = self.domain.schema
        rows = {name: change.after for name, change in self._changes.rows.items() if change.after is not None}
        ids = ids_among(schema, {table: [row for (name, _), row in rows.items() if name == table] for table, _ in rows})
        for name in written & rows.keys():
            table = schema.tables[name[0]]
            for column in text_columns(table, self.domain.policies):
                for token in ids_in(rows[name][table.positions[column]], ids):
                    if token not in _texts_in([arguments for _, arguments in self.history]):
                        yield Failure("id_in_text", tool, f"wrote the id {token!r} into the text {table.name}.{column}")
                        return

    def reset(self) -> bool:
        """Go back to the world; return whether that is where the session is now, by a full scan."""
        self.session.reset()
        self.history = []
        self._changes = self.session.changes
        changes, digest = self.session.scanned()
        return not changes.rows and digest == f"{self.world.digest:032x}"

    def check_state(self) -> Iterator[Failure]:
        """Say what is wrong with the state: constraints, and the session's books against a full scan."""
        tool = self.history[-1][0] if self.history else "-"
        self.session.open()
        connection = self.session.connection
        assert connection is not None
        for name, _, parent, *_ in connection.execute("PRAGMA foreign_key_check").fetchmany(1):
            yield Failure("broken_state", tool, f"a row of {name} refers to a missing row of {parent}")
        for (said,) in connection.execute("PRAGMA integrity_check(1)").fetchall():
            if said != "ok":
                yield Failure("broken_state", tool, f"SQLite says {said!r}")
        changes, digest = self.session.scanned()
        if changes != self.session.changes or digest != self.session.digest():
            yield Failure("broken_state", tool, "the session's changes and digest are not those of a full scan")


def _texts_in(value: Any) -> str:
    """Return all texts within a value in one."""
    texts, pending = [], [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            texts.append(each)
        elif isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            pending += [*each, *each.values()]
    return "\n".join(texts)
