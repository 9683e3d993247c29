"""Whether rules fit their worlds: how often they deny, what an assistant can look up, how many rows callers have."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import median
from typing import Any

from generator.gates.calls.sample import Sampler
from generator.gates.calls.start import Start, start_on, world_on
from generator.gates.constraints import choices_in
from generator.gates.folder import FaultsReport, FolderRequest
from generator.gates.rules.reach import Judged, columns_of, find_hidden
from generator.isolation.job import job
from runtime.domain.caller_rules import is_caller_rule, owners_of, people_key
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import DESK_TABLES, owner_in_sql
from runtime.domain.rule import Rule, Rulebook
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import World

SEEDS, SIZE = (1, 2, 3), 300  # of the worlds in which denied calls are counted
LEAST, MOST = 0.2, 0.8  # of the accepted calls that a rule denies
FEWEST = 40  # accepted calls that say anything of a rule
_CALLS = 500  # that are tried for one rule in one world
_JUDGED = 100  # of them that two rules are compared on
_STEPS = (-30, -14, -7, -5, -3, -2, -1, 1, 2, 3, 5, 7, 14, 30)  # from a number to others that are tried instead
_FACTORS = (0.1, 0.25, 0.5, 2, 4, 10)
_MOST_HINTS = 4  # other numbers that a complaint names
_FEW_VALUES = 8  # of a column, which are listed with their shares
_STATES = ("status", "state")  # columns by which limits on open rows are counted


@dataclass
class RulesFit:
    """What is wrong with rules in the worlds of their domain, a sentence each."""

    shares: list[str] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)


@job("denied shares")
def measure_denied(asked: FolderRequest) -> FaultsReport:
    """Name rules that nobody can look up, contradict each other, or deny hardly any call or nearly all."""
    fit = fit_rules(load_domain(asked.folder))
    return FaultsReport([*fit.hidden, *fit.contradictions, *fit.shares])


def fit_rules(domain: Domain) -> RulesFit:
    """Ask each rule of the domain's own about calls that callers would make in its worlds."""
    starts = [start_on(domain, seed, SIZE) for seed in SEEDS]
    fit = RulesFit()
    asked: dict[str, list[Judged]] = {}
    for rule in domain.rules.rules:
        calls = [] if is_caller_rule(rule) else [call for start in starts for call in _accepted(domain, rule, start)]
        asked[rule.code] = calls
        denied = _denied(domain, (rule,), calls)
        if len(calls) >= FEWEST and not LEAST <= denied / len(calls) <= MOST:
            fit.shares.append(
                f"rule {rule.code}: it denies {denied} of {len(calls)} calls ({denied / len(calls):.0%}) that callers "
                f"make about their own rows in worlds of {SIZE} rows; {LEAST:.0%} to {MOST:.0%} are needed, best about "
                f"half{_hint(domain, rule, calls, starts[0].world)}"
            )
    fit.contradictions += _contradictions(domain, asked)
    fit.hidden += find_hidden(domain, asked, starts[0])
    return fit


def _contradictions(domain: Domain, asked: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """Name pairs of rules of which each allows some calls of a tool, and never both the same one."""
    own = [rule for rule in domain.rules.rules if not is_caller_rule(rule)]
    for one, other in combinations(own, 2):
        shared = one.on.keys() & other.on
        calls = [call for rule in (one, other) for call in asked[rule.code][:_JUDGED] if call[1] in shared]
        if len(calls) < FEWEST:
            continue
        denied = [_denied(domain, rules, calls) for rules in ((one,), (other,), (one, other))]
        if max(denied[:2]) < len(calls) == denied[2]:
            tools = " and ".join(sorted(shared))
            yield (
                f"rule {one.code}: it contradicts {other.code}; of {len(calls)} calls of {tools} in worlds of {SIZE} "
                f"rows each allows some, and never the same one"
            )


def _accepted(domain: Domain, rule: Rule, start: Start) -> Iterator[Judged]:
    """Yield random calls that guarded tools accept, about a caller's own rows; a row is asked about once for a tool."""
    chance = random.Random(rule.code)
    samplers = [Sampler(domain.tools[name], start) for name in sorted(rule.on)]
    seen: set[str] = set()
    with Session(domain, start.world) as session:
        for number in range(_CALLS):
            sampler = samplers[number % len(samplers)]
            tool, arguments = sampler.tool, sampler.sample(chance, sampler.anchor(chance))
            argument = rule.on[tool.name]
            about = repr((tool.name, arguments.get(argument) if argument else number))
            if about in seen or not _is_own(domain, start, arguments):
                continue
            try:
                accepted = session.perform(tool.name, arguments).rejection is None
            except EnvironmentFault:
                continue
            if accepted:
                seen.add(about)
                session.reset()
                yield start.world, tool.name, arguments


def _is_own(domain: Domain, start: Start, arguments: Mapping[str, Any]) -> bool:
    """True unless a call names a person and a row that belongs to somebody else."""
    people, schema = domain.people, domain.schema
    person = arguments.get(people_key(people, schema)) if people is not None else None
    if people is None or person is None:
        return True
    for table in people.owns:
        key = schema.tables[table].primary_key
        value = arguments.get(key[0]) if len(key) == 1 else None
        owners = owners_of(people, schema, start.record, table, value) if isinstance(value, str) else []
        if owners and person not in owners:
            return False
    return True


def _denied(domain: Domain, rules: tuple[Rule, ...], calls: Sequence[Judged]) -> int:
    """Return how many of these calls some of the rules deny."""
    variant = replace(domain, rules=Rulebook(rules))
    count = 0
    for world in dict.fromkeys(world for world, _, _ in calls):
        with Session(variant, world) as session:
            for own, tool, arguments in calls:
                if own is world:
                    try:
                        count += bool(session.forbidding(tool, arguments))
                    except EnvironmentFault:
                        continue
    return count


def _hint(domain: Domain, rule: Rule, calls: Sequence[Judged], world: World) -> str:
    """Return what would help: other numbers with their shares, or what the columns hold that the rule looks at."""
    found: dict[str, float] = {}
    for name, number in rule.numbers.items():
        others = {number + step for step in _STEPS} | {round(number * factor) for factor in _FACTORS}
        for other in sorted(others - {number}):
            if other >= 0:
                variant = replace(rule, numbers={**rule.numbers, name: other})
                share = _denied(domain, (variant,), calls) / len(calls)
                if LEAST <= share <= MOST:
                    found[f"{name}={other}: {share:.0%}"] = abs(share - 1 / 2)
    if found:
        return f". With other numbers it would deny: {', '.join(sorted(found, key=found.__getitem__)[:_MOST_HINTS])}"
    held = [f"{table}.{column} {_held(world, table, column)}" for table, column in sorted(columns_of(domain, rule))]
    shown = f" In such a world: {'; '.join(held)}." if held else ""
    return f". No other number helps; let it turn on something that differs more from row to row.{shown}"


def _held(world: World, table: str, column: str) -> str:
    """Return what a column holds: its few values with their shares, or its range with the middle."""
    with closing(world.open()) as connection:
        values = [value for (value,) in connection.execute(f'SELECT "{column}" FROM "{table}"')]
    counts = Counter(values)
    if len(counts) <= _FEW_VALUES:
        return ", ".join(f"{value!r} {count / len(values):.0%}" for value, count in counts.most_common())
    there = sorted((value for value in values if value is not None), key=lambda value: (str(type(value)), value))
    return f"{there[0]!r} to {there[-1]!r}, half of them up to {there[len(there) // 2]!r}"


def find_unreadable(domain: Domain) -> Iterator[tuple[str, str]]:
    """Yield rules that no assistant could keep: the code, and a column it turns on that no reading tool shows."""
    hidden = _hidden(domain)
    for rule in domain.rules.rules:
        if not is_caller_rule(rule):
            for table, column in sorted(columns_of(domain, rule) & hidden):
                yield (
                    rule.code,
                    f"it turns on {table}.{column}, which no reading tool returns; pick one that is returned",
                )


def _hidden(domain: Domain) -> set[tuple[str, str]]:
    """Return the columns, except keys, that no reading tool shows.

    A tool that reads the table shows a column under its name, or one that contains it, in its record or parameters.
    """
    shown: dict[str, set[str]] = {}
    for tool in domain.tools.values():
        if not tool.writes:
            for table in tool.reads:
                shown.setdefault(table, set()).update(_names_in(tool.result.schema), tool.arguments.names)
    return {
        (table.name, column)
        for table in domain.schema.tables.values()
        for column in table.column_names
        if table.name not in DESK_TABLES
        and column not in table.primary_key
        and not any(_says(name, column) for name in shown.get(table.name, ()))
    }


def _names_in(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from _names_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from _names_in(part)


def _says(name: str, column: str) -> bool:
    """True if a name of a record stands for a column: title, listing_title; owed for owed_cents."""
    own, wanted = set(name.split("_")), set(column.split("_"))
    return own <= wanted or wanted <= own


@dataclass(frozen=True)
class TableFacts:
    """What a writer of rules must know: how many rows callers have, by table, and the columns that no tool shows."""

    owned: list[str]
    hidden: list[str]


@job("table facts")
def survey_tables(asked: FolderRequest) -> TableFacts:
    """Count the rows of callers in a world of the usual size; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    people, lines = domain.people, list[str]()
    hidden = sorted(f"{table}.{column}" for table, column in _hidden(domain))
    if people is None:
        return TableFacts(lines, hidden)
    states = choices_in(domain.schema)
    with closing(world_on(domain, SEEDS[0], SIZE).open()) as connection:
        (callers,) = connection.execute(f'SELECT count(*) FROM "{people.table}"').fetchone()
        for table in people.owns:
            owner = owner_in_sql(domain.schema, people, table)
            owners = [key for (key,) in connection.execute(f'SELECT {owner} FROM "{table}"')]
            parts = [_spread(owners, callers)]
            for column in (column for name, column in states if name == table and column in _STATES):
                by_state: dict[Value, list[Value]] = {}
                for state, key in connection.execute(f'SELECT "{column}", {owner} FROM "{table}"'):
                    by_state.setdefault(state, []).append(key)
                parts += [
                    f"{column} {state}: {_spread(own, callers)}" for state, own in sorted(by_state.items(), key=str)
                ]
            lines.append(f"- `{table}`: {'; '.join(parts)}")
    return TableFacts(lines, hidden)


def _spread(owners: Sequence[Value], callers: int) -> str:
    """Return how many rows callers have, from the owner of each row."""
    counts = sorted(Counter(owners).values())
    counts = [*[0] * (callers - len(counts)), *counts]
    return f"median {median(counts):g}, top tenth {counts[-max(1, len(counts) // 10)]}, most {counts[-1]}"
