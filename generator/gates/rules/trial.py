"""Try the rules of a domain in the making: where they crash, what their cases come to, which faults none notices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from generator.gates.calls.spoil import UNKNOWN_ID
from generator.gates.cases.case import read_cases_if_any
from generator.gates.cases.run import CaseRunner
from generator.gates.folder import FolderRequest
from generator.gates.rules.case import place_rule_cases, read_rule_cases, uncovered_rules
from generator.gates.rules.fit import find_unreadable
from generator.gates.rules.prove import count_noticed, unbound
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.session.session import Session
from runtime.session.world import build_world

SIZE = 100  # of the world at which every duty must be fulfilled before anything was done


@dataclass
class RulesTrial:
    """What came of rules on the cases of tools, and of their own cases; all by code or by id of a case."""

    faults: dict[str, list[str]] = field(default_factory=dict)  # of the rules' own
    unbound: list[str] = field(default_factory=list)
    unplaced: list[str] = field(default_factory=list)  # cases of which no world, or no call, comes
    unusable: dict[str, str] = field(default_factory=dict)  # cases whose calls a tool refuses
    wrong: dict[str, bool] = field(default_factory=dict)  # cases that the rules answer otherwise, and how
    uncovered: list[tuple[str, str]] = field(default_factory=list)  # by code


@dataclass
class UnnoticedMutants:
    """The mutants of each rule that no case notices, and how many there were in all; `numbers` are of a number."""

    numbers: dict[str, list[str]] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)
    mutants: int = 0
    killed: int = 0


@job("rules trial")
def try_rules(asked: FolderRequest) -> RulesTrial:
    """Run the rules of a draft on the cases of its tools and on their own; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    trial = RulesTrial(unbound=list(unbound(domain, read_cases_if_any(asked.folder))))
    for code, fault in (*_crashes(domain, asked.folder), *_duties_at_start(domain), *find_unreadable(domain)):
        trial.faults.setdefault(code, []).append(fault)
    placed = place_rule_cases(domain, read_rule_cases(asked.folder), trial.unplaced)
    for each in placed:
        try:
            allowed = each.answer(domain)
        except UsageError as error:
            trial.unusable[each.case.id] = str(error)
        except EnvironmentFault as fault:
            trial.faults.setdefault(each.case.rule, []).append(f"on case {each.case.title!r}: {fault}")
        else:
            if allowed != each.case.allowed:
                trial.wrong[each.case.id] = allowed
    if placed:
        trial.uncovered = list(uncovered_rules(domain, placed))
    return trial


@job("rule mutants")
def find_unnoticed(asked: FolderRequest) -> UnnoticedMutants:
    """Plant faults in the rules of a draft, whose cases are all as expected; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    book = read_rule_cases(asked.folder)
    noticed = count_noticed(domain, place_rule_cases(domain, book, []))
    found = UnnoticedMutants(mutants=noticed.mutants, killed=noticed.killed)
    for mutant in noticed.survivors:
        for code in mutant.rules:
            if mutant.is_number:
                found.numbers.setdefault(code, []).append(mutant.description)
            else:
                found.others.setdefault(code, []).append(mutant.description)
    return found


def _crashes(domain: Domain, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the rules and duties that fail on the call of a case, refused or not, or on the same about unknown rows."""
    failed: set[str] = set()
    for own in read_cases_if_any(folder).values():
        runner = CaseRunner(domain, own.rows)
        for case in own.cases:
            if not domain.rules.on(case.tool):
                continue
            place = f"on the case {case.title!r} of {case.tool}"
            with Session(domain, runner.world(case.rows)) as session:
                found = [
                    *_failing(session, case.tool, case.arguments, place),
                    *_failing_on_unknown(session, case.tool, case.arguments, place),
                ]
            for code, fault in found:
                if code not in failed:
                    failed.add(code)
                    yield code, fault


def _failing_on_unknown(
    session: Session, tool: str, arguments: dict[str, object], place: str
) -> Iterator[tuple[str, str]]:
    """As `_failing`, with texts of a call that name no row in place of its own, empty ones among them."""
    session.reset()
    for name, value in arguments.items():
        for unknown in ("", UNKNOWN_ID):
            spoiled = unknown if isinstance(value, str) else [unknown] if isinstance(value, list) else value
            if spoiled != value:
                told = f"{place}, with {name} = {spoiled!r}"
                yield from _failing(session, tool, {**arguments, name: spoiled}, told, performs=False)


def _failing(
    session: Session, tool: str, arguments: dict[str, object], place: str, *, performs: bool = True
) -> Iterator[tuple[str, str]]:
    try:
        session.forbidding(tool, arguments)
        if performs:
            session.perform(tool, arguments)
            session.unmet_duties()
    except EnvironmentFault as fault:
        code = next((code for code in session.domain.rules.codes if repr(code) in str(fault)), None)
        yield code or session.domain.rules.codes[0], f"{place}: {fault}"


def _duties_at_start(domain: Domain) -> Iterator[tuple[str, str]]:
    """Yield the duties that are not fulfilled where nothing was done: no task can fulfill them."""
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, SIZE)
    with Session(domain, world) as session:
        try:
            for duty in session.unmet_duties():
                yield duty.code, "it is not fulfilled in a world in which nothing was done yet"
        except EnvironmentFault as fault:
            code = next((duty.code for duty in domain.rules.duties if repr(duty.code) in str(fault)), "")
            yield code or domain.rules.codes[0], f"where nothing was done yet: {fault}"
