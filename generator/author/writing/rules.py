"""Write `rules.py`: decorators, signatures and docstrings around the bodies that a model wrote."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated

from pydantic import Field

from generator.author.design import DesignPart, Name, Sentence
from generator.author.writing.code import indented, plain, write_imports
from runtime import rules
from runtime.domain.locale import AMERICAN, Locale
from runtime.domain.rule import fill_numbers

RuleCode = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$", max_length=60)]


class RuleDesign(DesignPart):
    """A rule that guards calls."""

    code: RuleCode
    on: dict[Name, Name | None] = Field(
        min_length=1, description="the tools it guards, each with the argument whose value a refusal is recorded under"
    )
    reads: list[Name] = Field(default=[], description="tables that it reads")
    exempt: dict[Name, Sentence] = Field(
        default={}, description="tools that could do the same and are not guarded, each with the reason"
    )
    numbers: dict[Name, int] = Field(default={}, description="whole numbers by name: days, cents, counts")
    prose: str = Field(min_length=1, max_length=500, description="the rule in words, each number as {name}")
    body: str = Field(min_length=1, description="the indented block without its indentation; returns True if allowed")


class DutyDesign(DesignPart):
    """What must be true at the end of the day."""

    code: RuleCode
    reads: list[Name] = []
    numbers: dict[Name, int] = {}
    prose: str = Field(min_length=1, max_length=800, description="the duty in words; it may concern many rules")
    body: str = Field(min_length=1, description="returns True if it was fulfilled")


class RulesDesign(DesignPart):
    """Stage `rules`: what the assistant must keep although no tool enforces it."""

    docstring: str = Field(default="Rules of the office that its tools do not enforce.", max_length=300)
    helpers: str = Field(default="", description="private functions that several bodies share")
    rules: list[RuleDesign] = []
    duties: list[DutyDesign] = []
    drop: list[str] = Field(default=[], description="in a repair: codes to remove")

    @property
    def parts(self) -> list[RuleDesign | DutyDesign]:
        """Rules and duties."""
        return [*self.rules, *self.duties]

    @property
    def codes(self) -> list[str]:
        """The codes of rules and duties."""
        return [each.code for each in self.parts]

    def part(self, code: str) -> RuleDesign | DutyDesign | None:
        """Return the rule or duty of a code; None if there is none."""
        return next((each for each in self.parts if each.code == code), None)

    def merged(self, repair: RulesDesign) -> RulesDesign:
        """Return these rules with those of a repair in their place."""
        mine = {each.code: each for each in self.rules} | {each.code: each for each in repair.rules}
        duties = {each.code: each for each in self.duties} | {each.code: each for each in repair.duties}
        return RulesDesign(
            docstring=self.docstring,
            helpers=repair.helpers or self.helpers,
            rules=[each for each in mine.values() if each.code not in repair.drop],
            duties=[each for each in duties.values() if each.code not in repair.drop],
        )

    def without(self, codes: Collection[str]) -> RulesDesign:
        """Return these rules without some."""
        return self.model_copy(
            update={
                "rules": [each for each in self.rules if each.code not in codes],
                "duties": [each for each in self.duties if each.code not in codes],
            }
        )

    def with_body(self, code: str, body: str | None, helpers: str | None = None) -> RulesDesign:
        """Return these rules with another body for one of them, or other helpers."""
        new = {} if body is None else {"body": body}
        return self.model_copy(
            update={
                "helpers": self.helpers if helpers is None else helpers,
                "rules": [each.model_copy(update=new) if each.code == code else each for each in self.rules],
                "duties": [each.model_copy(update=new) if each.code == code else each for each in self.duties],
            }
        )


def rules_file(design: RulesDesign) -> str:
    """Return the text of `rules.py`, not yet formatted."""
    parts = [textwrap.dedent(design.helpers).strip("\n")] if design.helpers.strip() else []
    parts += [*map(_rule, design.rules), *map(_duty, design.duties)]
    text = "\n\n\n".join(parts)
    imported = f"from runtime.rules import {', '.join(sorted(rules.__all__, key=str.swapcase))}"
    return f'"""{plain(design.docstring)}"""\n\n{write_imports(text, imported)}\n\n\n{text}\n'


def describe_prose(design: RulesDesign, codes: Collection[str], locale: Locale = AMERICAN) -> str:
    """Return the words of rules with their numbers and the tools they guard, and no code."""
    named: list[tuple[RuleDesign | DutyDesign, str]] = [(each, f"guards {', '.join(each.on)}") for each in design.rules]
    named += [(each, "a duty, checked at the end") for each in design.duties]
    return "\n".join(
        f"- {each.code} ({what}): {' '.join(fill_numbers(each.prose, each.numbers, locale).split())}"
        for each, what in named
        if each.code in codes
    )


def _rule(rule: RuleDesign) -> str:
    declared = [json.dumps(rule.code), f"on={_literal(rule.on)}"]
    declared += [f"reads={json.dumps(rule.reads)}"] if rule.reads else []
    declared += [f"exempt={_literal(rule.exempt)}"] if rule.exempt else []
    declared += [f"{name}={number}" for name, number in rule.numbers.items()]
    taken = ["call: Call", "now: Database", "start: Database", *(f"{name}: int" for name in rule.numbers)]
    return _function("rule", rule.code, declared, taken, rule.prose, rule.body)


def _duty(duty: DutyDesign) -> str:
    declared = [json.dumps(duty.code)]
    declared += [f"reads={json.dumps(duty.reads)}"] if duty.reads else []
    declared += [f"{name}={number}" for name, number in duty.numbers.items()]
    taken = ["start: Database", "end: Database", *(f"{name}: int" for name in duty.numbers)]
    return _function("duty", duty.code, declared, taken, duty.prose, duty.body)


def _function(kind: str, code: str, declared: Sequence[str], taken: Sequence[str], prose: str, body: str) -> str:
    words = textwrap.wrap(_quoting(prose), width=112, break_long_words=False, break_on_hyphens=False)
    return (
        f"@{kind}({', '.join(declared)})\n"
        f"def {code.lower()}({', '.join(taken)}) -> bool:\n"
        f'    """{f"{chr(10)}    ".join(words)}"""\n'
        f"{indented(body)}"
    )


def _quoting(prose: str) -> str:
    """Return the words of a docstring that keeps their double quotes: what they quote is passed as it stands."""
    text = " ".join(prose.split()).replace("\\", "").replace('""', '"')
    return text[:-1] + '\\"' if text.endswith('"') else text


def _literal(values: Mapping[str, str | None]) -> str:
    inside = ", ".join(
        f"{json.dumps(name)}: {'None' if value is None else json.dumps(value, ensure_ascii=False)}"
        for name, value in values.items()
    )
    return f"{{{inside}}}"
