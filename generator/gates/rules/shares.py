"""Measure how often a rule denies: over calls that its tools accept, each about another row of a world."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from generator.gates.calls.arguments import ArgumentMaker
from generator.gates.calls.pool import Pool, Rows
from generator.gates.request import FolderRequest
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.rule import Rule
from runtime.errors import EnvironmentFault
from runtime.session.session import Session
from runtime.session.world import World, build_world

SEEDS, SIZE = (1, 2, 3), 300
LEAST, MOST = 0.05, 0.95  # of the accepted calls that a rule denies
FEWEST = 40  # accepted calls that say anything of a rule
_CALLS = 500  # that are tried for one rule in one world


@dataclass
class DeniedShares:
    """How many calls the tools of each rule accepted, and how many of them it denied, by code."""

    accepted: dict[str, int] = field(default_factory=dict)
    denied: dict[str, int] = field(default_factory=dict)

    def faults(self, aside: Collection[str]) -> Iterator[str]:
        """A sentence for each rule that denies hardly anything, or nearly all, some rules aside."""
        for code, accepted in self.accepted.items():
            if code in aside:
                continue
            denied = self.denied[code]
            if accepted >= FEWEST and not LEAST * accepted <= denied <= MOST * accepted:
                yield (
                    f"rule {code}: it denies {denied} of {accepted} calls that its tools accept in worlds of {SIZE} "
                    f"rows; {LEAST:.0%} to {MOST:.0%} are wanted: let it turn on something that differs from row to row"
                )


@job("denied shares")
def measure_denied(asked: FolderRequest) -> DeniedShares:
    """Make random calls of guarded tools in several worlds; errors: BrokenDomain, EnvironmentFault."""
    domain = load_domain(asked.folder)
    worlds = [build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, SIZE) for seed in SEEDS]
    shares = DeniedShares()
    for rule in domain.rules.rules:
        answers = [answer for world in worlds for answer in _answers(domain, rule, world)]
        shares.accepted[rule.code] = len(answers)
        shares.denied[rule.code] = sum(answers)
    return shares


def _answers(domain: Domain, rule: Rule, world: World) -> Iterator[bool]:
    """Of each accepted call whether the rule denies it; a row is asked about once for each tool."""
    chance = random.Random(rule.code)
    maker = ArgumentMaker(Pool(Rows(world), chance), domain.now, chance)
    tools = [domain.tools[name] for name in sorted(rule.on)]
    seen: set[str] = set()
    with Session(domain, world) as session:
        for number in range(_CALLS):
            tool = tools[number % len(tools)]
            arguments = maker.make(tool)
            argument = rule.on[tool.name]
            about = repr((tool.name, arguments.get(argument) if argument else number))
            if about in seen:
                continue
            try:
                forbidding = session.forbidding(tool.name, arguments)
                accepted = session.perform(tool.name, arguments).rejection is None
            except EnvironmentFault:
                continue
            if accepted:
                seen.add(about)
                session.reset()
                yield any(each.rule == rule.code for each in forbidding)
