"""Count the mutants that a domain's cases notice: a mutant is killed when any case is no longer as expected."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from generator.gates.cases.case import Case, CaseBook, read_cases
from generator.gates.cases.outcome import compare
from generator.gates.cases.run import CaseRunner
from generator.gates.mutants.edit import Kind
from generator.gates.mutants.mutate import Mutant, make_mutants
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError


@dataclass(frozen=True)
class MutantsRequest:
    """The mutants of some tools of a domain folder, or of all."""

    folder: Path
    tools: list[str] | None = None


@dataclass(frozen=True)
class Survivor:
    """A mutant that no case notices."""

    id: str
    line: int
    kind: Kind
    description: str


@dataclass
class ToolMutants:
    """The mutants of one tool."""

    total: int = 0
    killed: int = 0
    survivors: list[Survivor] = field(default_factory=list)


@dataclass(frozen=True)
class MutantsReport:
    """The mutants of each tool."""

    by_tool: dict[str, ToolMutants]

    @property
    def total(self) -> int:
        """How many there are."""
        return sum(each.total for each in self.by_tool.values())

    @property
    def killed(self) -> int:
        """How many of them a case notices."""
        return sum(each.killed for each in self.by_tool.values())


@job("mutants")
def prove_mutants(asked: MutantsRequest) -> MutantsReport:
    """Run `cases.jsonl` of a domain folder against the mutants of its tools; errors: BrokenDomain, UsageError."""
    return count_killed(load_domain(asked.folder), read_cases(asked.folder / "cases.jsonl"), asked.tools)


def count_killed(domain: Domain, book: CaseBook, tools: Collection[str] | None = None) -> MutantsReport:
    """The mutants of these tools, or of all, and which of them the cases leave alive."""
    killing = Killing(domain, book)
    by_tool = {name: ToolMutants() for name in domain.tools if tools is None or name in tools}
    for mutant in make_mutants(domain, by_tool):
        count = by_tool[mutant.tool]
        count.total += 1
        if killing.kills(mutant):
            count.killed += 1
        else:
            count.survivors.append(Survivor(mutant.id, mutant.line, mutant.kind, mutant.description))
    return MutantsReport(by_tool)


@dataclass(frozen=True)
class PlacedCase:
    """A case with the runner and the name of its topic."""

    topic: str
    runner: CaseRunner
    case: Case

    def notices(self, variant: Domain) -> bool:
        """Whether the case is not as expected on a variant of the domain; a crash is not."""
        observed = self.runner.observe(self.case, variant)
        return bool(compare(self.case, observed, self.runner.domain.schema, self.runner.defaults))


class Killing:
    """The cases that are as expected on the domain itself, by tool; those that killed last are tried first."""

    def __init__(self, domain: Domain, book: CaseBook) -> None:
        self.domain = domain
        self.cases: dict[str, list[PlacedCase]] = {name: [] for name in domain.tools}
        for placed in place_cases(domain, book):
            if placed.case.tool in self.cases and _holds(placed):
                self.cases[placed.case.tool].append(placed)

    def kills(self, mutant: Mutant) -> bool:
        """Whether a case of a tool that the mutant changes notices it."""
        variant = mutant.variant(self.domain)
        return any(self._kills(self.cases[tool], variant) for tool in mutant.tools)

    def survivors(self, mutants: Sequence[Mutant]) -> list[Mutant]:
        """Those of these mutants that no case notices."""
        return [mutant for mutant in mutants if not self.kills(mutant)]

    def _kills(self, cases: list[PlacedCase], variant: Domain) -> bool:
        for position, placed in enumerate(cases):
            if placed.notices(variant):
                cases.insert(0, cases.pop(position))
                return True
        return False


def place_cases(domain: Domain, book: CaseBook) -> Iterator[PlacedCase]:
    """Every case with a runner, one for each topic."""
    for topic, own in book.items():
        runner = CaseRunner(domain, own.rows)
        for case in own.cases:
            yield PlacedCase(topic, runner, case)


def _holds(placed: PlacedCase) -> bool:
    try:
        return not placed.runner.run(placed.case).differences
    except UsageError:  # its rows do not fit
        return False
