"""Prove the rules of a domain: their cases, crashes and mutants, the tools they are on, and the text of `policy.md`."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.gates.calls.spoil import UNKNOWN_ID
from generator.gates.calls.start import world_on
from generator.gates.cases.case import Case, CaseBook, read_cases_if_any
from generator.gates.cases.run import CaseRunner
from generator.gates.constraints import choices_in
from generator.gates.folder import FolderRequest
from generator.gates.mutants import Edit, MutatedFile, Operators
from generator.gates.rules.case import (
    FILE,
    PlacedRuleCase,
    answers,
    dead_text,
    place_rule_cases,
    read_rule_cases,
    uncovered_rules,
    unknown_names,
)
from generator.gates.rules.fit import find_unreadable, fit_rules
from generator.isolation.job import job
from runtime.domain.caller_rules import is_caller_rule
from runtime.domain.domain import Domain
from runtime.domain.load import RULES, load_domain
from runtime.domain.policy_text import POLICY, write_policy
from runtime.domain.rule import Duty, Rule, Rulebook
from runtime.errors import EnvironmentFault, UsageError
from runtime.session.session import Session

SIZE = 100  # of the world at which every duty must be fulfilled before anything was done

Written = tuple[str, str, str]  # a table, a column or the mark of a whole row, and the state written, if it is one
_ADDED, _REMOVED = "(added)", "(removed)"
_ByTool = dict[str, set[Written]]


@dataclass
class RuleFigures:
    """How many rules and duties there are, their cases by answer, and their mutants."""

    rules: int = 0
    duties: int = 0
    allowed: int = 0
    denied: int = 0
    mutants: int = 0
    killed: int = 0


@dataclass
class RulesReport:
    """The figures of a domain's rules, the mutants that no case notices, and every fault."""

    figures: RuleFigures = field(default_factory=RuleFigures)
    survivors: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)  # what they name and no case meets
    notes: list[str] = field(default_factory=list)  # rules that an assistant cannot look up, or that hardly decide


@job("rules")
def prove_rules(asked: FolderRequest) -> RulesReport:
    """Run the rule cases of a domain folder, and its rules' mutants; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    figures = RuleFigures(rules=len(domain.rules.rules), duties=len(domain.rules.duties))
    report = RulesReport(figures)
    if domain.policy != write_policy(domain):
        what = f"worldsmith show {domain.name} --policy-text > {POLICY}"
        report.faults.append(f"{POLICY} is not what the rules and tools say; make it anew with: {what}")
    placed = place_rule_cases(domain, read_rule_cases(asked.folder), report.faults)
    if not placed:
        report.faults.append(f"no {FILE}: the rules are untested")
        return report
    right = []
    for each, answer in answers(domain, placed):
        case = each.case
        said = ("forbids", "allows") if case.call else ("is not fulfilled", "is fulfilled")
        if answer is case.allowed:
            right.append(each)
        elif isinstance(answer, bool):
            expected = f"expected that it {said[case.allowed]}, got that it {said[answer]}"
            report.faults.append(f"{case.id} ({case.rule}): {expected}")
        else:
            report.faults.append(f"{case.id} ({case.rule}): {answer}")
    report.faults += [fault for _, fault in uncovered_rules(domain, placed)]
    report.dead += [fault for _, fault in dead_text(domain, placed)]
    report.faults += unbound(domain, read_cases_if_any(asked.folder))
    report.notes += [f"rule {code}: {fault}" for code, fault in find_unreadable(domain)]
    fit = fit_rules(domain)
    report.faults += [*fit.contradictions, *fit.hidden]
    report.notes += fit.shares
    figures.allowed = sum(each.case.allowed for each in right)
    figures.denied = len(right) - figures.allowed
    noticed = count_noticed(domain, right)
    figures.mutants, figures.killed = noticed.mutants, noticed.killed
    for mutant in noticed.survivors:
        if mutant.is_number:
            report.faults.append(f"no case notices {mutant.description}")
        else:
            report.survivors.append(mutant.description)
    return report


@dataclass
class RulesTrial:
    """What came of rules on the cases of tools, and of their own cases; all by code or by id of a case."""

    faults: dict[str, list[str]] = field(default_factory=dict)  # of the rules' own
    unbound: list[str] = field(default_factory=list)  # tools beside those guarded, and names of nothing
    unplaced: list[str] = field(default_factory=list)  # cases of which no world, or no call, comes
    unusable: dict[str, str] = field(default_factory=dict)  # cases whose calls a tool refuses
    wrong: dict[str, bool] = field(default_factory=dict)  # cases that the rules answer otherwise, and how
    uncovered: list[tuple[str, str]] = field(default_factory=list)  # by code


@job("rules trial")
def try_rules(asked: FolderRequest) -> RulesTrial:
    """Run the rules of a draft on the cases of its tools and on their own; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    trial = RulesTrial(unbound=list(unbound(domain, read_cases_if_any(asked.folder))))
    trial.unbound += [fault for _, fault in unknown_names(domain)]
    for code, fault in (*_crashes(domain, asked.folder), *_duties_at_start(domain), *find_unreadable(domain)):
        trial.faults.setdefault(code, []).append(fault)
    placed = place_rule_cases(domain, read_rule_cases(asked.folder), trial.unplaced)
    for each, answer in answers(domain, placed):
        if isinstance(answer, UsageError):
            trial.unusable[each.case.id] = str(answer)
        elif isinstance(answer, EnvironmentFault):
            trial.faults.setdefault(each.case.rule, []).append(f"on case {each.case.title!r}: {answer}")
        elif answer != each.case.allowed:
            trial.wrong[each.case.id] = answer
    if placed:
        trial.uncovered = [*uncovered_rules(domain, placed), *dead_text(domain, placed)]
    return trial


@job("rule mutants")
def find_unnoticed(asked: FolderRequest) -> NoticedMutants:
    """Plant faults in the rules of a draft, whose cases are all as expected; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    return count_noticed(domain, place_rule_cases(domain, read_rule_cases(asked.folder), []))


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
                found = [*_failing(session, case.tool, case.arguments, place)]
                session.reset()
                for name, spoiled in _naming_nothing(case.arguments):
                    told = f"{place}, with {name} = {spoiled[name]!r}"
                    found += _failing(session, case.tool, spoiled, told, performs=False)
            for code, fault in found:
                if code not in failed:
                    failed.add(code)
                    yield code, fault


def _naming_nothing(arguments: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each text or list by name, and the arguments with one that names no row in its place."""
    for name, value in arguments.items():
        for unknown in ("", UNKNOWN_ID):
            spoiled = unknown if isinstance(value, str) else [unknown] if isinstance(value, list) else value
            if spoiled != value:
                yield name, {**arguments, name: spoiled}


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
    world = world_on(domain, 1, SIZE)
    with Session(domain, world) as session:
        try:
            for duty in session.unmet_duties():
                yield duty.code, "it is not fulfilled in a world in which nothing was done yet"
        except EnvironmentFault as fault:
            code = next((duty.code for duty in domain.rules.duties if repr(duty.code) in str(fault)), "")
            yield code or domain.rules.codes[0], f"where nothing was done yet: {fault}"


@dataclass(frozen=True)
class RuleMutant:
    """Rules with one fault, by code: a number of the decorator that is one off, or an edit of the code."""

    description: str
    rules: dict[str, Rule | Duty]
    is_number: bool = False
    is_guard: bool = False

    def variant(self, domain: Domain) -> Domain:
        """Return the domain with the faulty rules in the place of the right ones."""
        book = domain.rules
        rules = [self.rules.get(each.code, each) for each in book.rules]
        duties = [self.rules.get(each.code, each) for each in book.duties]
        faulty = Rulebook(
            tuple(each for each in rules if isinstance(each, Rule)),
            tuple(each for each in duties if isinstance(each, Duty)),
        )
        return replace(domain, rules=faulty)


@dataclass(frozen=True)
class RuleSurvivor:
    """A mutant that no case notices, and the codes of its rules."""

    description: str
    codes: list[str]
    is_number: bool


@dataclass(frozen=True)
class NoticedMutants:
    """How many mutants of rules the cases notice, and which they do not."""

    killed: int = 0
    survivors: list[RuleSurvivor] = field(default_factory=list)

    @property
    def mutants(self) -> int:
        """How many there are."""
        return self.killed + len(self.survivors)

    def by_code(self, *, numbers: bool) -> dict[str, list[str]]:
        """Return what goes unnoticed by rule: of its numbers, or of the rest of its code."""
        found: dict[str, list[str]] = {}
        for each in self.survivors:
            for code in each.codes if each.is_number == numbers else ():
                found.setdefault(code, []).append(each.description)
        return found


def count_noticed(domain: Domain, placed: Sequence[PlacedRuleCase]) -> NoticedMutants:
    """Plant the mutants of all rules and duties; the cases must be as expected without them.

    One that only drops a guard counts if a case notices it, and is left out if none does.
    """
    killed, survivors = 0, []
    for mutant in _rule_mutants(domain):
        if _is_noticed(mutant, domain, placed):
            killed += 1
        elif not mutant.is_guard:
            survivors.append(RuleSurvivor(mutant.description, list(mutant.rules), mutant.is_number))
    return NoticedMutants(killed, survivors)


def _rule_mutants(domain: Domain) -> Iterator[RuleMutant]:
    own = [rule for rule in domain.rules.rules if not is_caller_rule(rule)]
    every: dict[str, Rule | Duty] = {each.function.__name__: each for each in own}
    every |= {each.function.__name__: each for each in domain.rules.duties}
    for rule in every.values():
        for name, number in rule.numbers.items():
            for step in (1, -1):
                faulty = replace(rule, numbers={**rule.numbers, name: number + step})
                yield RuleMutant(f"{rule.code}: {name}={number} -> {number + step}", {rule.code: faulty}, True)
    if not every:
        return
    module = next(iter(every.values())).function.__globals__
    for mutant in MutatedFile(domain.path / RULES, list(every), module, Operators(domain.schema)).mutants(set(every)):
        faulty_rules = {
            every[name].code: replace(every[name], function=mutant.functions[name], reads_start=True)
            for name in mutant.tools
        }
        codes = ", ".join(faulty_rules)
        description = f"{codes}, line {mutant.edit.line}: {mutant.edit.description}"
        yield RuleMutant(description, faulty_rules, is_guard=_drops_a_guard(mutant.edit))


def _is_noticed(mutant: RuleMutant, domain: Domain, placed: Sequence[PlacedRuleCase]) -> bool:
    """Return whether a case of the faulty rules is no longer as expected; a rule that crashes is noticed, too."""
    variant = mutant.variant(domain)
    return any(_differs(each, variant) for each in placed if each.case.rule in mutant.rules)


def _differs(placed: PlacedRuleCase, variant: Domain) -> bool:
    try:
        return placed.answer(variant) != placed.case.allowed
    except (UsageError, EnvironmentFault):
        return True


def _drops_a_guard(edit: Edit) -> bool:
    """Return whether an edit only drops a test that a row or value is there: calls that tools accept find them."""
    if not isinstance(edit.target, ast.BoolOp):
        return False
    kept = edit.replacement.values if isinstance(edit.replacement, ast.BoolOp) else [edit.replacement]
    match [part for part in edit.target.values if all(part is not each for each in kept)]:
        case [ast.Name() | ast.Constant() | ast.Compare(comparators=[ast.Constant(None)])]:
            return True
    return False


def unbound(domain: Domain, book: CaseBook) -> Iterator[str]:
    """Name each tool that could bring about what a bound tool does, and is neither bound nor left out with a reason.

    Only tables that the rule reads count. Two tools share a column if they set it to the same listed value, or each
    from its arguments; they share rows that both add or remove. Of a bound tool only what every case changes counts.
    """
    changed, stated, always = _written_in(domain, book)
    for rule in domain.rules.rules:
        if is_caller_rule(rule):
            continue
        bound: dict[Written, str] = {}
        for tool in rule.on:
            bound |= dict.fromkeys(always.get(tool) or changed.get(tool, set()), tool)
        for tool in domain.tools:
            if tool in rule.on or tool in rule.exempt:
                continue
            shared = sorted(bound.keys() & (changed.get(tool, set()) | stated.get(tool, set())))
            shared = [each for each in shared if each[0] in rule.reads]
            if shared:
                table, column, _ = shared[0]
                yield (
                    f"{rule.code} is on {bound[shared[0]]}, but not on {tool}, which writes {table}.{column}, too; "
                    f'guard it, too, or say why not in exempt={{"{tool}": "..."}}'
                )


def _written_in(domain: Domain, book: CaseBook) -> tuple[_ByTool, _ByTool, _ByTool]:
    """Return what the cases of each tool change, what columns its added rows hold, and what every case changes."""
    changed: _ByTool = {}
    stated: _ByTool = {}
    always: _ByTool = {}
    choices = choices_in(domain.schema)

    def written(case: Case, table: str, values: Mapping[str, object]) -> Iterator[Written]:
        for column, value in values.items():
            if (table, column) in choices:
                yield table, column, str(value)
            elif value in case.arguments.values():
                yield table, column, ""

    for topic in book.values():
        for case in topic.cases:
            said = stated.setdefault(case.tool, set())
            own: set[Written] = set()
            for change in case.changes:
                own |= set(written(case, change.table, change.changed or {}))
                if change.added is not None:
                    own.add((change.table, _ADDED, ""))
                    said |= set(written(case, change.table, change.added))
                if change.removed:
                    own.add((change.table, _REMOVED, ""))
            if own:
                changed.setdefault(case.tool, set()).update(own)
                always[case.tool] = always.get(case.tool, own) & own
    return changed, stated, always
