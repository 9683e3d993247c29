"""Prove the rules of a domain: their cases, mutants, the tools they are on, and that `policy.md` says the same."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.gates.cases.case import read_cases_if_any
from generator.gates.request import FolderRequest
from generator.gates.rules.bound import unbound
from generator.gates.rules.case import FILE, read_rule_cases
from generator.gates.rules.run import place_rule_cases, uncovered_rules, unexpected
from generator.gates.rules.unnoticed import count_noticed
from generator.isolation.job import job
from runtime.domain.load import load_domain
from runtime.rules.policy import FILE as POLICY
from runtime.rules.policy import write_policy


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


@job("rules")
def prove_rules(asked: FolderRequest) -> RulesReport:
    """Run the rule cases of a domain folder, and its rules' mutants; errors: BrokenDomain, UsageError."""
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
    report.faults += uncovered_rules(domain, placed)
    report.faults += unbound(domain, read_cases_if_any(asked.folder))
    right = [each for each in placed if all(each is not other for other, _ in wrong)]
    figures.allowed = sum(each.case.allowed for each in right)
    figures.denied = len(right) - figures.allowed
    noticed = count_noticed(domain, book, right)
    figures.mutants, figures.killed = noticed.mutants, noticed.killed
    for mutant in noticed.survivors:
        if mutant.is_number:
            report.faults.append(f"no case notices {mutant.description}")
        else:
            report.survivors.append(mutant.description)
    return report
