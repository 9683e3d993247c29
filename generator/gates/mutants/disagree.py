"""Find inputs on which a tool and its surviving mutants disagree: questions for whoever writes the cases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.gates.cases.case import Case, CaseBook, Rows, read_cases
from generator.gates.cases.outcome import Observed, compare
from generator.gates.mutants.edit import Kind
from generator.gates.mutants.expected import Expectation, expected_form
from generator.gates.mutants.kill import Killing, PlacedCase, place_cases
from generator.gates.mutants.mutate import Mutant, make_mutants
from generator.gates.mutants.vary import vary_cases
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError

_MOST_INPUTS = 300  # tried for the mutants of one tool


@dataclass(frozen=True)
class DisagreementsRequest:
    """The survivors among the mutants of some tools of a folder, or of all; `mutants` are their ids, if known."""

    folder: Path
    tools: list[str] | None = None
    mutants: list[str] | None = None


@dataclass(frozen=True)
class Question:
    """An input on which a mutant and its tool differ, given as a case gives it, and what either comes to.

    `also` are other mutants that the same input kills; `fault` is the sentence of a tool that crashes on the input,
    which is asked about even if the mutant crashes too.
    """

    mutant: str
    tool: str
    kind: Kind
    topic: str
    rows: Rows
    principal: str | None
    arguments: dict[str, Any]
    original: Expectation
    mutated: Expectation
    also: list[str] = field(default_factory=list)
    fault: str = ""


@dataclass(frozen=True)
class DisagreementsReport:
    """The questions, tool by tool."""

    questions: list[Question]


@job("disagreements")
def find_disagreements(asked: DisagreementsRequest) -> DisagreementsReport:
    """A question for each group of survivors that one input tells from the tool; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    book = read_cases(asked.folder / "cases.jsonl")
    made = make_mutants(domain, asked.tools)
    known = None if asked.mutants is None else set(asked.mutants)
    survivors = Killing(domain, book).survivors(made) if known is None else [each for each in made if each.id in known]
    return DisagreementsReport([*disagreements(domain, book, survivors)])


def disagreements(domain: Domain, book: CaseBook, survivors: Sequence[Mutant]) -> Iterator[Question]:
    """The questions about these mutants, tool by tool."""
    placed = list(place_cases(domain, book))
    answered: set[str] = set()
    for name in domain.tools:
        left = [mutant for mutant in survivors if name in mutant.tools and mutant.id not in answered]
        if left:
            search = _Disagreements(domain, name, left)
            yield from search.questions([each for each in placed if each.case.tool == name])
            answered |= {mutant.id for mutant in left} - {mutant.id for mutant in search.left}


def case_from(question: Question, expected: Expectation, id: str, title: str) -> Case:
    """The case in which one of the two outcomes is right; errors: UsageError if that one is a crash."""
    if expected.crash:
        raise UsageError(f"A case cannot expect a crash: {expected.crash}")
    return Case(
        id=id,
        title=title,
        tool=question.tool,
        rows=question.rows,
        principal=question.principal,
        arguments=question.arguments,
        result=expected.result,
        changes=expected.changes,
        rejects=expected.rejects,
    )


class _Disagreements:
    """One tool's surviving mutants and those that are `left` without a question."""

    def __init__(self, domain: Domain, tool: str, survivors: Sequence[Mutant]) -> None:
        self.domain = domain
        self.tool = domain.tools[tool]
        self.left = list(survivors)
        self._variants = {mutant.id: mutant.variant(domain) for mutant in survivors}
        self._faults: set[str] = set()

    def questions(self, cases: Sequence[PlacedCase]) -> Iterator[Question]:
        """Go through inputs near the cases until every mutant has a question or the inputs are used up."""
        tried = 0
        for placed in vary_cases(self.domain, self.tool, cases):
            if not self.left or tried >= _MOST_INPUTS:
                return
            try:
                original = placed.runner.observe(placed.case)
            except UsageError:  # the rows do not fit
                continue
            tried += 1
            yield from self._asked(placed, original)

    def _asked(self, placed: PlacedCase, original: Observed) -> Iterator[Question]:
        outcome = self._form(original, placed)
        differing: list[tuple[Mutant, Observed]] = []
        for mutant in self.left:
            observed = placed.runner.observe(placed.case, self._variants[mutant.id])
            if self._differ(placed, original, outcome, observed):
                differing.append((mutant, observed))
        if original.fault:
            if original.sentence not in self._faults:
                self._faults.add(original.sentence)
                mutant, observed = (differing or [(self.left[0], original)])[0]
                yield replace(self._question(placed, mutant, outcome, observed), fault=original.sentence)
        elif differing:
            # Nobody wants a crash, so the question is better put with a mutant that returns something.
            (mutant, observed), *others = sorted(differing, key=lambda each: each[1].fault)
            self.left = [each for each in self.left if each not in [one for one, _ in differing]]
            yield replace(self._question(placed, mutant, outcome, observed), also=[each.id for each, _ in others])

    def _differ(self, placed: PlacedCase, original: Observed, outcome: Expectation, observed: Observed) -> bool:
        if original.fault:
            return not observed.fault
        case = Case(
            tool=self.tool.name, title="", result=outcome.result, changes=outcome.changes, rejects=outcome.rejects
        )
        return bool(compare(case, observed, self.domain.schema, placed.runner.defaults))

    def _form(self, observed: Observed, placed: PlacedCase) -> Expectation:
        return expected_form(observed, self.domain.schema, placed.runner.defaults, placed.case.arguments)

    def _question(self, placed: PlacedCase, mutant: Mutant, outcome: Expectation, observed: Observed) -> Question:
        return Question(
            mutant=mutant.id,
            tool=self.tool.name,
            kind=mutant.kind,
            topic=placed.topic,
            rows=placed.case.rows,
            principal=placed.case.principal,
            arguments=placed.case.arguments,
            original=outcome,
            mutated=self._form(observed, placed),
        )
