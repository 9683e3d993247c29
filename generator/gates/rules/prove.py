"""Prove the rules of a domain: their cases, mutants, the tools they are on, and that `policy.md` says the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from generator.gates.cases.case import Case, CaseBook, read_cases_if_any
from generator.gates.constraints import choices_in
from generator.gates.folder import FolderRequest, ShareRequest
from generator.gates.mutants import MutatedFile, Operators
from generator.gates.rules.case import (
    FILE,
    PlacedRuleCase,
    place_rule_cases,
    read_rule_cases,
    uncovered_rules,
    unexpected,
)
from generator.gates.rules.fit import find_unreadable, measure_denied
from generator.isolation.job import job
from runtime.domain.desk import is_desk_rule
from runtime.domain.domain import Domain
from runtime.domain.load import RULES, load_domain
from runtime.domain.policy_text import FILE as POLICY
from runtime.domain.policy_text import write_policy
from runtime.domain.rule import Duty, Rule, Rulebook
from runtime.errors import EnvironmentFault, UsageError

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

    figures: RuleFigures
    survivors: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)  # rules that an assistant cannot look up, or that hardly decide


@job("rules")
def prove_rules(asked: ShareRequest) -> RulesReport:
    """Run the rule cases of a domain folder, and a share of its rules' mutants; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    figures = RuleFigures(rules=len(domain.rules.rules), duties=len(domain.rules.duties))
    report = RulesReport(figures)
    if domain.policy != write_policy(domain):
        what = f"worldsmith show {domain.name} --policy > {POLICY}"
        report.faults.append(f"{POLICY} is not what the rules and tools say; make it anew with: {what}")
    book = read_rule_cases(asked.folder)
    placed = place_rule_cases(domain, book, report.faults)
    if not placed:
        report.faults.append(f"no {FILE}: the rules are untested")
        return report
    wrong = list(unexpected(domain, placed))
    report.faults += [sentence for _, sentence in wrong]
    report.faults += [fault for _, fault in uncovered_rules(domain, placed)]
    report.faults += unbound(domain, read_cases_if_any(asked.folder))
    if asked.share == 0:
        report.notes += [f"rule {code}: {fault}" for code, fault in find_unreadable(domain)]
        report.notes += measure_denied(FolderRequest(asked.folder)).faults
    right = [each for each in placed if all(each is not other for other, _ in wrong)]
    figures.allowed = sum(each.case.allowed for each in right)
    figures.denied = len(right) - figures.allowed
    noticed = count_noticed(domain, right, asked.share, asked.shares)
    figures.mutants, figures.killed = noticed.mutants, noticed.killed
    for mutant in noticed.survivors:
        if mutant.is_number:
            report.faults.append(f"no case notices {mutant.description}")
        else:
            report.survivors.append(mutant.description)
    return report


@dataclass(frozen=True)
class RuleMutant:
    """Rules with one fault, by code; `is_number` if a number of the decorator is one off."""

    description: str
    rules: dict[str, Rule | Duty]
    is_number: bool = False

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
class Noticed:
    """How many mutants the cases notice, and which they do not."""

    killed: int
    survivors: list[RuleMutant]

    @property
    def mutants(self) -> int:
        """How many there are."""
        return self.killed + len(self.survivors)


def count_noticed(domain: Domain, placed: Sequence[PlacedRuleCase], share: int = 0, shares: int = 1) -> Noticed:
    """Plant a share of the mutants of all rules and duties; the cases must be as expected without them."""
    killed, survivors = 0, []
    for mutant in islice(_rule_mutants(domain), share, None, shares):
        if _is_noticed(mutant, domain, placed):
            killed += 1
        else:
            survivors.append(mutant)
    return Noticed(killed, survivors)


def _rule_mutants(domain: Domain) -> Iterator[RuleMutant]:
    own = [rule for rule in domain.rules.rules if not is_desk_rule(rule)]
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
        yield RuleMutant(f"{codes}, line {mutant.edit.line}: {mutant.edit.description}", faulty_rules)


def _is_noticed(mutant: RuleMutant, domain: Domain, placed: Sequence[PlacedRuleCase]) -> bool:
    """Return whether a case of the faulty rules is no longer as expected; a rule that crashes is noticed, too."""
    variant = mutant.variant(domain)
    return any(_differs(each, variant) for each in placed if each.case.rule in mutant.rules)


def _differs(placed: PlacedRuleCase, variant: Domain) -> bool:
    try:
        return placed.answer(variant) != placed.case.allowed
    except (UsageError, EnvironmentFault):
        return True


def unbound(domain: Domain, book: CaseBook) -> Iterator[str]:
    """Name each tool that could bring about what a bound tool does, and is neither bound nor left out with a reason.

    Only tables that the rule reads count. Two tools share a column if they set it to the same listed value, or each
    from its arguments; they share rows that both add or remove. Of a bound tool only what every case changes counts.
    """
    changed, stated, always = _written_in(domain, book)
    for rule in domain.rules.rules:
        if is_desk_rule(rule):
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
