"""Plant faults in rules, one at a time: a number one off, a clause dropped, another state; a rule case must notice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from generator.gates.cases.run import defaults_of
from generator.gates.mutants.mutate import MutatedFile
from generator.gates.mutants.sql import QueryEdits
from generator.gates.rules.run import PlacedRuleCase
from runtime.domain.desk import is_desk_rule
from runtime.domain.domain import Domain
from runtime.domain.load import RULES
from runtime.domain.rule import Duty, Rule, Rulebook
from runtime.errors import EnvironmentFault, UsageError


@dataclass(frozen=True)
class RuleMutant:
    """Rules with one fault, by code; `is_number` if a number of the decorator is one off."""

    description: str
    rules: dict[str, Rule | Duty]
    is_number: bool = False

    def variant(self, domain: Domain) -> Domain:
        """The domain with the faulty rules in the place of the right ones."""
        book = domain.rules
        rules = [self.rules.get(each.code, each) for each in book.rules]
        duties = [self.rules.get(each.code, each) for each in book.duties]
        faulty = Rulebook(
            tuple(each for each in rules if isinstance(each, Rule)),
            tuple(each for each in duties if isinstance(each, Duty)),
        )
        return replace(domain, rules=faulty)


def make_rule_mutants(domain: Domain) -> Iterator[RuleMutant]:
    """The mutants of all rules and duties, the same in every process."""
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
    queries = QueryEdits(domain.schema)
    try:
        module = next(iter(every.values())).function.__globals__
        names = list(every)
        file = MutatedFile(domain.schema, domain.path / RULES, names, module, queries, defaults_of(domain.schema))
        for mutant in file.mutants(set(names)):
            faulty_rules = {
                every[name].code: replace(every[name], function=mutant.functions[name], reads_start=True)
                for name in mutant.tools
            }
            codes = ", ".join(faulty_rules)
            yield RuleMutant(f"{codes}, line {mutant.line}: {mutant.description}", faulty_rules)
    finally:
        queries.close()


def is_noticed(mutant: RuleMutant, domain: Domain, placed: list[PlacedRuleCase]) -> bool:
    """Whether a case of the faulty rules is no longer as expected; a rule that crashes is noticed, too."""
    variant = mutant.variant(domain)
    return any(_differs(each, variant) for each in placed if each.case.rule in mutant.rules)


def _differs(placed: PlacedRuleCase, variant: Domain) -> bool:
    try:
        return placed.answer(variant) != placed.case.allowed
    except (UsageError, EnvironmentFault):
        return True
