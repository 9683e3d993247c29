"""Cases by recording: of random calls on a small world, those that tell a tool from its mutants, and each outcome.

The calls are those of the gates, and what comes of them is what the tool does: such cases prove that it goes on doing
that, and not that it is right. That is held against SQL, once for all twins, in the tests of the templates.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generator.gates.calls.sample import Sampler
from generator.gates.calls.spoil import Spoiler
from generator.gates.calls.start import Start, start_on
from generator.gates.cases.case import Case, Change, Rows, TopicCases
from generator.gates.cases.run import CaseRunner, compare
from generator.gates.constraints import choices_in
from generator.gates.mutants import Mutant, make_mutants
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.schema import Row
from runtime.errors import RejectionKind
from runtime.task.origin import JsonPath

_SIZE, _SEED = 30, 1  # of the world that cases start from, or
_ROWS_PER_TABLE = 5
_LARGE = 300  # of the world whose values people mention
_CALLS, _MOST_CALLS = 250, 1_500  # of a tool: at most, and where it lacks an outcome
_NAMING_NOTHING, _SPOILED, _ON_THE_EDGE = 0.15, 0.2, 0.25  # of the calls
_ANY_KEY = 0.4  # of the calls name a row as the gates' calls do
_NEW_KEY = 0.25  # of the others name one that is not there
_ALONE = 0.7  # of the calls on the edge have nothing else that could be left out
_LEAST = 12  # calls of a tool
_MOST_ADDED = 4  # rows that calls added, about which others are made
_TRIED_ABOUT = 40  # calls about a row that another call added
_LONGEST_TITLE = 120


@dataclass(frozen=True)
class RecordingRequest:
    """A share of the tool files of a domain folder."""

    folder: Path
    share: int = 0
    shares: int = 1


@dataclass(frozen=True)
class Recorded:
    """Cases by topic, and what no call came to."""

    cases: dict[str, TopicCases] = field(default_factory=dict)
    unmet: dict[str, list[RejectionKind]] = field(default_factory=dict)
    """Kinds of rejection that a tool declares and no call met."""
    failed: list[str] = field(default_factory=list)
    """Tools with which no call succeeded."""
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Those of a large world by table, for the first share."""


@job("recording")
def record_calls(asked: RecordingRequest) -> Recorded:
    """Record the cases of a share of the tools; errors: BrokenDomain, EnvironmentFault from world.py."""
    domain = load_domain(asked.folder)
    whole = start_on(domain, _SEED, max(_SIZE, _ROWS_PER_TABLE * len(domain.schema.tables)))
    recorded = Recorded(rows={} if asked.share else _records(domain, start_on(domain, _SEED, _LARGE)))
    topics = list(dict.fromkeys(Path(tool.file).stem for tool in domain.tools.values()))
    for topic in topics[asked.share :: asked.shares]:
        tools = [tool.name for tool in domain.tools.values() if Path(tool.file).stem == topic]
        recorder = _Recorder(domain, topic, _rows_around(domain, whole, tools))
        mutants = list(make_mutants(domain, tools))
        cases: list[Case] = []
        for name in tools:
            cases += recorder.record(name, [each for each in mutants if name in each.tools])
            kinds = {case.rejects for case in cases if case.tool == name}
            if None not in kinds:
                recorded.failed.append(name)
            if unmet := [kind for kind in domain.tools[name].rejects if kind not in kinds]:
                recorded.unmet[name] = sorted(unmet)
        recorded.cases[topic] = TopicCases(rows=recorder.runner.base, cases=cases)
    return recorded


def _rows_around(domain: Domain, start: Start, tools: list[str]) -> Rows:
    """Return the rows of the tables of some tools, of those that refer to them, and of all to which these refer."""
    schema = domain.schema
    own = {table for name in tools for table in (*domain.tools[name].reads, *domain.tools[name].writes)}
    near = own | {name for name, table in schema.tables.items() if any(key.parent in own for key in table.foreign_keys)}
    pending = list(near)
    while pending:
        parents = {key.parent for key in schema.tables[pending.pop()].foreign_keys} - near
        near |= parents
        pending += sorted(parents)
    return {name: rows for name, rows in _records(domain, start).items() if name in near}


def _records(domain: Domain, start: Start) -> dict[str, list[dict[str, Any]]]:
    return {name: [table.record(row) for row in start.rows[name]] for name, table in domain.schema.tables.items()}


class _Recorder:
    """Makes random calls of the tools of one topic, and keeps those that show something new."""

    def __init__(self, domain: Domain, topic: str, rows: Rows) -> None:
        self.runner = CaseRunner(domain, rows, topic)
        self._domain = domain
        self._start = Start(domain, self.runner.world({}))
        held = [value for own in rows.values() for row in own for value in row.values() if isinstance(value, str)]
        self._dates = [value for value in dict.fromkeys(held) if _is_date(value)]
        self._texts = [value for value in dict.fromkeys(held) if not _is_date(value)]
        self._choices = list(dict.fromkeys(each for own in choices_in(domain.schema).values() for each in own))
        self._added: list[Rows] = []  # rows that a call added, which nothing refers to

    def record(self, name: str, mutants: list[Mutant]) -> Iterator[Case]:
        """Yield the cases of a tool: of its calls each that comes to a new outcome, or tells it from a mutant."""
        tool = self._domain.tools[name]
        wanted: set[RejectionKind | None] = {None, *tool.rejects}
        variants = [each.variant(self._domain) for each in mutants]
        kept = 0
        for number, (rows, arguments) in enumerate(self._calls(name, wanted)):
            if number >= (_MOST_CALLS if wanted else _CALLS) or not (wanted or variants or number < _LEAST):
                return
            case = self._observed(name, rows, arguments)
            if case is None or (case.rejects is not None and case.rejects not in tool.rejects):
                continue
            told = [each for each in variants if self._differs(case, each)]
            if told or case.rejects in wanted:
                wanted.discard(case.rejects)
                variants = [each for each in variants if each not in told]
                self._added += [{each.table: [each.added]} for each in case.changes if each.added is not None]
                kept += 1
                yield case.model_copy(update={"id": f"{name}-{kept}"})

    def _calls(self, name: str, wanted: Set[RejectionKind | None]) -> Iterator[tuple[Rows, dict[str, Any]]]:
        """Yield rows beside the base, and arguments; where an outcome lacks, calls are about rows that others added."""
        chance = random.Random(f"{_SEED} {name}")
        sampler, spoiler = Sampler(self._domain.tools[name], self._start), Spoiler(self._start, chance)
        for number in itertools.count():
            arguments = sampler.sample(chance, sampler.anchor(chance), self._key(sampler, chance))
            way = chance.random()
            if way < _NAMING_NOTHING:
                arguments = _cut(sampler, spoiler.name_nothing(arguments))
            elif way < _NAMING_NOTHING + _SPOILED:
                arguments = spoiler.spoil(arguments)
            elif way < _NAMING_NOTHING + _SPOILED + _ON_THE_EDGE:
                arguments = self._on_the_edge(name, arguments, chance)
            if _is_plain(arguments):
                yield {}, arguments
            if number == _CALLS and wanted:
                for rows in self._added[:_MOST_ADDED]:
                    yield from ((rows, each) for each in self._calls_about(name, rows, chance))

    def _key(self, sampler: Sampler, chance: random.Random, rows: Sequence[Row] = ()) -> dict[JsonPath, Any]:
        """Return, for the first thing that a call must say, mostly a key of its own table: user_id for app_users.id.

        It is that of one of these rows, of any row, or now and then of none.
        """
        (name, *_), schema = sorted(sampler.tool.writes | sampler.tool.reads), self._domain.schema
        required = sampler.tool.arguments.schema.get("required", ())
        first = next((slot for slot in sampler.slots if slot.name in required), None)
        table = schema.tables[name]
        keys = [row[table.key_positions[0]] for row in rows or self._start.rows[name]]
        if first is None or len(table.primary_key) > 1 or not keys or chance.random() < _ANY_KEY:
            return {}
        if not first.name.endswith("id") and (name, table.primary_key[0]) not in first.columns:
            return {}
        key = chance.choice(keys)
        if isinstance(key, str) != (first.type == "string"):
            return {}
        if not rows and chance.random() < _NEW_KEY:
            key = f"{key[:-4]}{chance.randrange(10_000)}" if isinstance(key, str) else chance.randrange(10_000, 99_999)
        return {first.path: key}

    def _on_the_edge(self, tool: str, arguments: dict[str, Any], chance: random.Random) -> dict[str, Any]:
        """Put a value that a row holds in the place of one of its type, or a number to be rounded; mostly alone."""
        names = [name for name, value in arguments.items() if type(value) in (str, float)]
        if not names:
            return arguments
        name = chance.choice(names)
        value = arguments[name]
        if chance.random() < _ALONE:
            needed = {name, *self._domain.tools[tool].arguments.schema.get("required", ())}
            arguments = {each: value for each, value in arguments.items() if each in needed}
        if isinstance(value, float):
            return {**arguments, name: value + 0.004}
        held = self._dates if _is_date(value) else chance.choice((self._texts, self._texts, self._choices))
        return {**arguments, name: chance.choice(held)} if held else arguments

    def _calls_about(self, name: str, rows: Rows, chance: random.Random) -> Iterator[dict[str, Any]]:
        start = Start(self._domain, self.runner.world(rows))
        sampler = Sampler(self._domain.tools[name], start)
        near = [
            (table, row)
            for table, own in rows.items()
            for each in own
            if (row := start.row(table, tuple(each[key] for key in start.domain.schema.tables[table].primary_key)))
        ]
        for number in range(_TRIED_ABOUT):
            arguments = sampler.sample(chance, near, self._key(sampler, chance, [row for _, row in near]))
            yield self._on_the_edge(name, arguments, chance) if number % 2 else arguments

    def _observed(self, name: str, rows: Rows, arguments: dict[str, Any]) -> Case | None:
        """Return the case that expects what a call comes to; None if it crashes, which is a matter of the gates."""
        observed = self.runner.observe(Case(tool=name, title=name, rows=rows, arguments=arguments))
        if observed.fault:
            return None
        said = observed.sentence if observed.rejection else "goes through" + _said(arguments)
        return Case(
            tool=name,
            title=said[:_LONGEST_TITLE],
            rows=rows,
            arguments=arguments,
            result=None if observed.result is None else dict(observed.result),
            changes=[Change(**each) for each in observed.described().get("changes", [])],
            rejects=observed.rejection,
        )

    def _differs(self, case: Case, variant: Domain) -> bool:
        runner = self.runner
        return bool(compare(case, runner.observe(case, variant), self._domain.schema, runner.defaults))


def _cut(sampler: Sampler, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments with texts as long as they may be: a key that is too long is refused before it is missed."""
    longest = {slot.name: slot.schema.get("maxLength") for slot in sampler.slots}
    return {name: value[: longest.get(name)] if isinstance(value, str) else value for name, value in arguments.items()}


def _is_date(text: str) -> bool:
    return len(text) in (10, 19) and text[4:5] == text[7:8] == "-" and text[:4].isdigit()


def _said(arguments: Mapping[str, Any]) -> str:
    return f" with {', '.join(arguments)}" if arguments else ""


def _is_plain(arguments: Any) -> bool:
    """Return whether arguments are the same once they were written as JSON."""
    try:
        return bool(json.loads(json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode()) == arguments)
    except (ValueError, TypeError, UnicodeEncodeError, RecursionError):
        return False
