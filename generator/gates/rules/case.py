"""A rule case: given rows, calls made before, and a call that the rule allows or forbids; read, written and executed.

Of a duty there are only the calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from generator.gates.cases.case import CaseTopic, Rows, read_book
from generator.gates.cases.run import world_of
from generator.gates.constraints import choices_in
from generator.gates.rules.reach import words_of
from runtime.domain.caller_rules import is_caller_rule
from runtime.domain.domain import Domain
from runtime.domain.rule import Declared, Rule
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import is_there
from runtime.session.session import Session
from runtime.session.world import World
from runtime.wording import have

FILE = "rule_cases.jsonl"


class GivenCall(BaseModel):
    """A tool and the arguments it is called with."""

    model_config = ConfigDict(extra="forbid")

    tool: str
    arguments: dict[str, Any] = {}


class RuleCase(BaseModel):
    """One claim of a rule's prose: on these rows, after these calls, the call is allowed or not.

    The rows are those of the topic, with `rows` added or merged in by key. A duty has no `call`: it is or is not
    fulfilled once the calls `before` were made. Every call must be one that its tool accepts.
    """

    model_config = ConfigDict(extra="forbid")

    id: str = ""
    rule: str = Field(description="code of the rule or duty")
    title: str = Field(description="what it shows, as a claim")
    rows: Rows = {}
    before: list[GivenCall] = []
    call: GivenCall | None = None
    allowed: bool

    @property
    def about(self) -> str:
        """What it is a case of."""
        return self.rule


class RuleTopic(CaseTopic):
    """The base rows of a topic and the rule cases that start from them."""

    cases: list[RuleCase] = []


RuleCaseBook = dict[str, RuleTopic]  # by topic


def read_rule_cases(folder: Path) -> RuleCaseBook:
    """Return the rule cases of a domain folder, none where it has no file of them; errors: UsageError."""
    path = folder / FILE
    return read_book(path, RuleTopic, RuleCase, "rule") if is_there(path) else {}


@dataclass(frozen=True)
class PlacedRuleCase:
    """A case with the world that its rows make."""

    case: RuleCase
    world: World

    def answer(self, domain: Domain) -> bool:
        """Return whether the call is allowed, or the duty fulfilled, by the rules of a domain or of a variant of it.

        Errors: UsageError where a call is not accepted, EnvironmentFault where a rule fails.
        """
        case = self.case
        with Session(domain, self.world) as session:
            for call in case.before:
                self._make(session, call.tool, call.arguments)
            if case.call is None:
                return case.rule not in [duty.code for duty in session.unmet_duties()]
            forbidding = session.forbidding(case.call.tool, case.call.arguments)
            self._make(session, case.call.tool, case.call.arguments)
            return case.rule not in [each.rule for each in forbidding]

    def _make(self, session: Session, tool: str, arguments: dict[str, object]) -> None:
        outcome = session.perform(tool, arguments)
        if outcome.rejection is not None:
            raise UsageError(f"{tool} itself refuses it: {outcome.text}")


def place_rule_cases(domain: Domain, book: RuleCaseBook, faults: list[str]) -> list[PlacedRuleCase]:
    """Return every case whose rows make a world and whose rule exists; what is wrong with the others is a fault."""
    placed = []
    codes = domain.rules.codes
    duties = {duty.code for duty in domain.rules.duties}
    for topic, own in book.items():
        for number, case in enumerate(own.cases, start=1):
            name = case.id or f"case {number} of topic {topic!r}"
            if case.rule not in codes:
                faults.append(f"{FILE}: {name} is of rule {case.rule!r}; {have(case.rule, codes)}")
            elif (case.call is None) != (case.rule in duties):
                right = "a duty has none" if case.rule in duties else "a rule judges one"
                faults.append(f"{FILE}: {name} has {'a' if case.call else 'no'} call; {right}")
            else:
                try:
                    world = world_of(domain.schema, domain.policies, own.rows, case.rows)
                    placed.append(PlacedRuleCase(case, world))
                except UsageError as error:
                    faults.append(f"{FILE}: {name}: {error}")
    return placed


def answers(
    domain: Domain, placed: list[PlacedRuleCase]
) -> Iterator[tuple[PlacedRuleCase, bool | UsageError | EnvironmentFault]]:
    """Yield what the rules of a domain answer to each case, or the error of a call or a rule."""
    for each in placed:
        try:
            yield each, each.answer(domain)
        except (UsageError, EnvironmentFault) as error:
            yield each, error


_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+")


def dead_text(domain: Domain, placed: list[PlacedRuleCase]) -> Iterator[tuple[str, str]]:
    """Yield what rules and duties name that is not there, or that none of their cases meets, by code of the rule.

    In their words every name with an underscore counts, in their code every one in capitals.
    """
    yield from unknown_names(domain)
    for each, name in _names_in(domain):
        own = [case.case for case in placed if case.case.rule == each.code]
        calls = [call for case in own for call in (*case.before, case.call) if call is not None]
        met = {call.tool for call in calls} | {str(value) for call in calls for value in call.arguments.values()}
        if name not in met and name in {*domain.rules.codes, *domain.tools} - domain.schema.tables.keys():
            yield each.code, f"{each.code} names {name}, which none of its cases meets"


def unknown_names(domain: Domain) -> Iterator[tuple[str, str]]:
    """Yield what rules and duties name that is not there, by code of the rule."""
    known = {*domain.rules.codes, *domain.tools, *domain.schema.tables}
    for each, name in _names_in(domain):
        if name not in known:
            yield each.code, f"{each.code} names {name}, which is neither a rule nor a tool nor a table"


def _names_in(domain: Domain) -> Iterator[tuple[Declared, str]]:
    columns = {name for table in domain.schema.tables.values() for name in table.column_names}
    listed = {value for values in choices_in(domain.schema).values() for value in values}
    for each in (*domain.rules.rules, *domain.rules.duties):
        if isinstance(each, Rule) and is_caller_rule(each):
            continue
        in_code = {word for word in words_of(each.function) if word.isupper() and _NAME.fullmatch(word)}
        yield from ((each, name) for name in sorted({*_NAME.findall(each.prose), *in_code} - columns - listed))


def uncovered_rules(domain: Domain, placed: list[PlacedRuleCase]) -> Iterator[tuple[str, str]]:
    """Yield each rule and duty without an allowed case, or without a denied one, by its code, with a sentence."""
    own = [rule for rule in domain.rules.rules if not is_caller_rule(rule)]
    for code in [*(rule.code for rule in own), *(duty.code for duty in domain.rules.duties)]:
        answers = {each.case.allowed for each in placed if each.case.rule == code}
        for allowed in {True, False} - answers:
            yield code, f"{code} has no case that it {'allows' if allowed else 'denies'}"
    for rule in own:
        shown = {each.case.call.tool for each in placed if each.case.rule == rule.code and each.case.call}
        for tool in rule.on.keys() - shown:
            yield rule.code, f"{rule.code} has no case with a call of {tool}, which it guards"
