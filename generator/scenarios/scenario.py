"""What a model writes of scenarios: a name, the wish in one sentence, and the body of a function."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterator

from pydantic import Field

from generator.build.design import DesignPart, Name, Sentence
from runtime.domain.people import Role
from runtime.sandbox.syntax import parse
from runtime.task.user import Form


class ScenarioDesign(DesignPart):
    """One scenario; its signature, decorator and imports are written around it."""

    name: Name = Field(description="what the user does, as in keep_a_book_longer")
    wish: Sentence = Field(description="what the user wants, in one sentence: the docstring")
    form: Form = "direct"
    role: Role = "customer"
    body: str = Field(min_length=1, description="the indented block without its indentation")


class Scenarios(DesignPart):
    """Stage `scenarios`: what a model answers for one group of tools."""

    scenarios: list[ScenarioDesign] = []
    drop: list[str] = Field(default=[], description="in a repair: names of scenarios to remove")
    left_out: dict[Form, Sentence] = Field(
        default={}, description="for each form of which there are fewer than two scenarios, why"
    )

    def merged(self, repair: Scenarios) -> Scenarios:
        """These scenarios with those of a repair laid over them by name."""
        by_name = {each.name: each for each in [*self.scenarios, *repair.scenarios]}
        kept = [each for name, each in by_name.items() if name not in repair.drop]
        return Scenarios(scenarios=kept, left_out={**self.left_out, **repair.left_out})

    def without(self, names: Collection[str]) -> Scenarios:
        """These scenarios without some."""
        return Scenarios(scenarios=[each for each in self.scenarios if each.name not in names], left_out=self.left_out)

    def in_forms(self, forms: Collection[Form]) -> Scenarios:
        """These scenarios; those of any form but these are direct."""
        shaped = [each if each.form in forms else each.model_copy(update={"form": "direct"}) for each in self.scenarios]
        return Scenarios(scenarios=shaped, left_out=self.left_out)


def called_tools(scenario: ScenarioDesign) -> set[str]:
    """The tools that a body calls by name, as it is written."""
    first = [call.args[0] for call in _calls(scenario, "call") if call.args]
    return {each.value for each in first if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def has_outside_wish(scenario: ScenarioDesign) -> bool:
    """Whether a body adds a wish beyond the tools."""
    return any(True for _ in _calls(scenario, "outside"))


def asks_for_an_answer(scenario: ScenarioDesign) -> bool:
    """Whether a body states something that the user must be told."""
    return any(True for _ in _calls(scenario, "answer"))


def _calls(scenario: ScenarioDesign, method: str) -> Iterator[ast.Call]:
    try:
        tree = parse(textwrap.dedent(scenario.body))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield node
