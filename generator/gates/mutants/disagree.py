"""Find inputs on which a tool and its surviving mutants disagree: questions for whoever writes the cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from generator.gates.cases.case import Case, CaseBook, read_cases
from generator.gates.cases.outcome import Observed, compare
from generator.gates.mutants.expected import expected_form
from generator.gates.mutants.kill import Killing, PlacedCase, place_cases
from generator.gates.mutants.mutate import Mutant, make_mutants
from generator.gates.mutants.vary import vary_cases
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError

Question = dict[str, Any]
_MOST_INPUTS = 300  # tried for the mutants of one tool


def find_disagreements(folder: str, tools: list[str] | None = None, mutants: list[str] | None = None) -> list[Question]:
    """A question for each group of survivors of these tools, or of all, that one input tells from the tool.

    `mutants` are the ids of the survivors, if they are known already.

    A question holds `mutant`, `also` (others that the same input kills), `tool`, `kind`, `topic`, the input as the
    `rows`, `principal` and `arguments` of a case, and both outcomes, `original` and `mutant_outcome`, as a case expects
    them. `fault` is the sentence of a tool that crashes on the input; this is asked even if the mutant crashes too.
    """
    domain = load_domain(Path(folder))
    book = read_cases(Path(folder) / "cases.jsonl")
    made = make_mutants(domain, tools)
    known = None if mutants is None else set(mutants)
    survivors = Killing(domain, book).survivors(made) if known is None else [each for each in made if each.id in known]
    return list(disagreements(domain, book, survivors))


def disagreements(domain: Domain, book: CaseBook, survivors: Sequence[Mutant]) -> Iterator[Question]:
    """The questions about these mutants, tool by tool."""
    placed = list(place_cases(domain, book))
    answered: set[str] = set()
    for name in domain.tools:
        left = [mutant for mutant in survivors if name in mutant.tools and mutant.id not in answered]
        if left:
            search = _Search(domain, name, left)
            yield from search.questions([each for each in placed if each.case.tool == name])
            answered |= {mutant.id for mutant in left} - {mutant.id for mutant in search.left}


def case_from(question: Mapping[str, Any], which: Literal["original", "mutant"], id: str, title: str) -> Case:
    """The case in which one of the two outcomes is right; errors: UsageError if that one is a crash."""
    outcome = question["original" if which == "original" else "mutant_outcome"]
    if "crash" in outcome:
        raise UsageError(f"A case cannot expect a crash: {outcome['crash']}")
    given = {name: question[name] for name in ("tool", "rows", "principal", "arguments")}
    return Case.model_validate({"id": id, "title": title, **given, **outcome})


class _Search:
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
                yield self._question(placed, mutant, outcome, observed) | {"fault": original.sentence}
        elif differing:
            # Nobody wants a crash, so the question is better put with a mutant that returns something.
            (mutant, observed), *others = sorted(differing, key=lambda each: each[1].fault)
            self.left = [each for each in self.left if each not in [one for one, _ in differing]]
            yield self._question(placed, mutant, outcome, observed) | {"also": [each.id for each, _ in others]}

    def _differ(self, placed: PlacedCase, original: Observed, outcome: dict[str, Any], observed: Observed) -> bool:
        if original.fault:
            return not observed.fault
        case = Case.model_validate({"tool": self.tool.name, "title": "", **outcome})
        return bool(compare(case, observed, self.domain.schema, placed.runner.defaults))

    def _form(self, observed: Observed, placed: PlacedCase) -> dict[str, Any]:
        return expected_form(observed, self.domain.schema, placed.runner.defaults, placed.case.arguments)

    def _question(self, placed: PlacedCase, mutant: Mutant, outcome: dict[str, Any], observed: Observed) -> Question:
        return {
            "mutant": mutant.id,
            "also": [],
            "tool": self.tool.name,
            "kind": mutant.kind,
            "topic": placed.topic,
            "rows": placed.case.rows,
            "principal": placed.case.principal,
            "arguments": placed.case.arguments,
            "original": outcome,
            "mutant_outcome": self._form(observed, placed),
        }
