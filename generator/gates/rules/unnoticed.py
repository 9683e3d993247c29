"""Count the mutants of rules that cases notice, but for those that no state tells from their rule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from generator.gates.rules.case import RuleCaseBook
from generator.gates.rules.disagree import RuleQuestion, tell_apart
from generator.gates.rules.mutants import RuleMutant, is_noticed, make_rule_mutants
from generator.gates.rules.run import PlacedRuleCase
from runtime.domain.domain import Domain


@dataclass(frozen=True)
class Noticed:
    """How many mutants are noticed, which are not though a state tells them apart, and questions about such states."""

    killed: int
    survivors: list[RuleMutant]
    questions: list[RuleQuestion]
    alike: list[str]

    @property
    def mutants(self) -> int:
        """How many there are to be noticed."""
        return self.killed + len(self.survivors)


def count_noticed(domain: Domain, book: RuleCaseBook, placed: Sequence[PlacedRuleCase]) -> Noticed:
    """The mutants of all rules and duties, on cases that are as expected.

    A wrong number always counts, and so does a fault of a duty: too much can happen before it is checked to search.
    """
    killed, left = 0, []
    cases = list(placed)
    for mutant in make_rule_mutants(domain):
        if is_noticed(mutant, domain, cases):
            killed += 1
        else:
            left.append(mutant)
    told = tell_apart(domain, book, left)
    duties = {duty.code for duty in domain.rules.duties}
    alike = set(told.alike)
    survivors = [
        each for each in left if each.is_number or each.description not in alike or not duties.isdisjoint(each.rules)
    ]
    return Noticed(killed, survivors, told.questions, told.alike)
