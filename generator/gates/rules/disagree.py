"""Find states in which a rule and a mutant of it disagree: near its cases, and in worlds, after accepted calls.

A mutant that no such state tells from its rule does the same as it: a clause that a CHECK or the tool itself leaves
without work, a column that is only looked at for being there. It is no fault that a case could notice.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from generator.gates.calls.arguments import ArgumentMaker
from generator.gates.calls.pool import Pool, Rows
from generator.gates.cases.case import Case
from generator.gates.cases.run import CaseRunner
from generator.gates.mutants.kill import PlacedCase
from generator.gates.mutants.vary import vary_cases
from generator.gates.rules.case import GivenCall, RuleCase, RuleCaseBook
from generator.gates.rules.mutants import RuleMutant
from generator.gates.rules.run import PlacedRuleCase
from runtime.domain.domain import Domain
from runtime.domain.rule import Duty, Rule
from runtime.domain.tool import Tool
from runtime.errors import EnvironmentFault, UsageError
from runtime.session.world import World, build_world

_NEAR = 500  # states near the cases that are tried for the mutants of one rule
_EARLIER = 120  # of them after a call that was made before
_IN_WORLDS = 250  # calls in worlds that are tried for one rule
_SEEDS, _SIZE = (1, 2), 100


@dataclass(frozen=True)
class RuleQuestion:
    """A state near a case in which a rule and some mutants of it differ: the case that it would be, and which ones."""

    topic: str
    case: RuleCase
    mutants: list[str]


@dataclass
class Told:
    """What came of a search: questions that tell mutants from their rules, and the mutants that nothing tells."""

    questions: list[RuleQuestion] = field(default_factory=list)
    alike: list[str] = field(default_factory=list)


def tell_apart(domain: Domain, book: RuleCaseBook, survivors: Sequence[RuleMutant]) -> Told:
    """Look for states that tell these mutants from their rules; the same in every process."""
    told = Told()
    left = list(survivors)
    for code in domain.rules.codes:
        own = [mutant for mutant in left if code in mutant.rules]
        if own:
            search = _MutantSearch(domain, code, own)
            told.questions += search.near(book)
            left = [mutant for mutant in left if mutant not in own or mutant in search.left]
    worlds = [_world(domain, seed) for seed in _SEEDS] if left else []
    for rule in domain.rules.rules:
        own = [mutant for mutant in left if rule.code in mutant.rules]
        if own:
            search = _MutantSearch(domain, rule.code, own)
            search.in_worlds(rule, worlds)
            left = [mutant for mutant in left if mutant not in own or mutant in search.left]
    told.alike = [mutant.description for mutant in left]
    return told


class _MutantSearch:
    """The mutants of one rule that are `left` without a state that tells them from it."""

    def __init__(self, domain: Domain, code: str, mutants: Sequence[RuleMutant]) -> None:
        self.domain = domain
        self.code = code
        self.left = list(mutants)
        every: list[Rule | Duty] = [*domain.rules.rules, *domain.rules.duties]
        self.rule = next(each for each in every if each.code == code)
        self._variants = {id(mutant): mutant.variant(domain) for mutant in mutants}

    def near(self, book: RuleCaseBook) -> Iterator[RuleQuestion]:
        """Questions about states near the cases of the rule, until every mutant has one."""
        tried = 0
        for topic, varied in self._inputs(book):
            if not self.left or tried >= _NEAR:
                return
            try:
                allowed = varied.answer(self.domain)
            except (UsageError, EnvironmentFault):  # the tool refuses it, or a row does not fit
                continue
            tried += 1
            found = self._differing(varied, allowed)
            if found:
                yield RuleQuestion(topic, varied.case.model_copy(update={"allowed": allowed}), found)

    def in_worlds(self, rule: Rule, worlds: Sequence[World]) -> None:
        """Leave only the mutants that calls in whole worlds do not tell from the rule either."""
        for world in worlds:
            caller = _Caller(self.domain, world, rule.code)
            tools = sorted(rule.on)
            earlier = _writers(self.domain, rule)
            for number in range(_IN_WORLDS // len(worlds)):
                if not self.left:
                    return
                before = [caller.call(self.domain.tools[earlier[number % len(earlier)]])] if number % 2 else []
                call = caller.call(self.domain.tools[tools[number % len(tools)]])
                case = RuleCase(rule=rule.code, title="in a world", before=before, call=call, allowed=True)
                placed = PlacedRuleCase(case, world)
                try:
                    self._differing(placed, placed.answer(self.domain))
                except (UsageError, EnvironmentFault):
                    continue

    def _differing(self, placed: PlacedRuleCase, allowed: bool) -> list[str]:
        found = [mutant for mutant in self.left if self._answer(placed, mutant) != allowed]
        self.left = [mutant for mutant in self.left if mutant not in found]
        return [mutant.description for mutant in found]

    def _answer(self, placed: PlacedRuleCase, mutant: RuleMutant) -> bool | None:
        try:
            return placed.answer(self._variants[id(mutant)])
        except (UsageError, EnvironmentFault):
            return None

    def _inputs(self, book: RuleCaseBook) -> Iterator[tuple[str, PlacedRuleCase]]:
        """States near the cases: first with one row or argument changed, then after another call that was made."""
        every = [(topic, own, case) for topic, own in book.items() for case in own.cases if case.rule == self.code]
        for topic, own, tool, case in self._with_calls(every):
            runner = CaseRunner(self.domain, own)
            varied = vary_cases(self.domain, tool, [_as_tool_case(topic, runner, case)], [*self.rule.numbers.values()])
            for each in _few(varied, _NEAR // len(every) + 8):
                yield from self._placed(topic, runner, case, each.case)
        for topic, own, _, case in self._with_calls(every):
            runner = CaseRunner(self.domain, own)
            world = runner.world(case.rows)
            caller = _Caller(self.domain, world, case.id)
            for name in _writers(self.domain, self.rule) if case.call else []:
                for _ in range(max(1, _EARLIER // len(every) // 4)):
                    before = [*case.before, caller.call(self.domain.tools[name])]
                    yield topic, PlacedRuleCase(_asked(case, before=before), world)

    def _with_calls(self, every: Sequence[tuple[str, Any, RuleCase]]) -> Iterator[tuple[str, Any, Tool, RuleCase]]:
        """The cases with the tool of the call that is judged, of a duty the last one that was made."""
        for topic, own, case in every:
            last = case.call or (case.before[-1] if case.before else None)
            tool = self.domain.tools.get(last.tool) if last else None
            if tool is not None:
                yield topic, own.rows, replace(tool, reads=tool.reads | self.rule.reads), case

    def _placed(
        self, topic: str, runner: CaseRunner, case: RuleCase, varied: Case
    ) -> Iterator[tuple[str, PlacedRuleCase]]:
        call = GivenCall(tool=varied.tool, arguments=varied.arguments)
        given = {"call": call} if case.call else {"before": [*case.before[:-1], call]}
        try:
            world = runner.world(varied.rows)
        except UsageError:
            return
        yield topic, PlacedRuleCase(_asked(case, rows=varied.rows, **given), world)


class _Caller:
    """Random calls on one world."""

    def __init__(self, domain: Domain, world: World, name: str) -> None:
        chance = random.Random(name)
        self._maker = ArgumentMaker(Pool(Rows(world), chance), domain.now, chance)

    def call(self, tool: Tool) -> GivenCall:
        return GivenCall(tool=tool.name, arguments=self._maker.make(tool))


def _as_tool_case(topic: str, runner: CaseRunner, case: RuleCase) -> PlacedCase:
    call = case.call or case.before[-1]
    return PlacedCase(topic, runner, Case(tool=call.tool, title="", rows=case.rows, arguments=call.arguments))


def _asked(case: RuleCase, **changes: Any) -> RuleCase:
    return case.model_copy(update={"id": "", **changes})


def _writers(domain: Domain, rule: Rule | Duty) -> list[str]:
    """The tools that write what a rule reads."""
    return [name for name, tool in domain.tools.items() if tool.writes & rule.reads] or list(domain.tools)


def _few(cases: Iterator[PlacedCase], most: int) -> Iterator[PlacedCase]:
    for number, each in enumerate(cases):
        if number >= most:
            return
        yield each


def _world(domain: Domain, seed: int) -> World:
    return build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, _SIZE)
