"""A rule case: given rows, calls made before, and a call that the rule allows or forbids; read, written and executed.

Of a duty there are only the calls.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from generator.gates.cases.case import Rows
from generator.gates.cases.run import world_of
from runtime.domain.desk import is_desk_rule
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, UsageError
from runtime.sandbox.files import MIB, is_there, parse_json, read_lines
from runtime.session.session import Session
from runtime.session.world import World
from runtime.wording import have

FILE = "rule_cases.jsonl"
FORMAT = 1
_MOST_BYTES = 64 * MIB


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


class RuleTopic(BaseModel):
    """The base rows of a topic and the rule cases that stand on them."""

    model_config = ConfigDict(extra="forbid")

    rows: Rows
    cases: list[RuleCase] = []


RuleCaseBook = dict[str, RuleTopic]  # by topic


def write_rule_cases(book: RuleCaseBook) -> str:
    """`rule_cases.jsonl`: a line with the format, then for each topic a line of base rows and a line per case."""
    lines: list[dict[str, Any]] = [{"format": FORMAT}]
    for topic, own in book.items():
        lines.append({"topic": topic, "rows": own.rows})
        lines += [{"topic": topic, **case.model_dump(mode="json", exclude_defaults=True)} for case in own.cases]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def read_rule_cases(folder: Path) -> RuleCaseBook:
    """The rule cases of a domain folder; none where it has no file of them. Errors: UsageError with the line."""
    book: RuleCaseBook = {}
    path = folder / FILE
    for number, line in read_lines(path, _MOST_BYTES) if is_there(path) else ():
        try:
            _read_line(book, number, parse_json(line))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(map(str, fault["loc"])) or "it"
            raise UsageError(f"{FILE}, line {number}: {where!r}: {fault['msg']}.") from error
        except ValueError as error:
            raise UsageError(f"{FILE}, line {number}: {error}.") from error
    return book


def _read_line(book: RuleCaseBook, number: int, content: Any) -> None:
    """Add what a line holds; errors: ValueError with the rest of a sentence."""
    if number == 1:
        if content != {"format": FORMAT}:
            raise ValueError(f'the first line must be {{"format": {FORMAT}}}')
        return
    topic = content.pop("topic", None) if isinstance(content, dict) else None
    if not isinstance(topic, str):
        raise ValueError('it has no "topic", which must be a text')
    if "rule" not in content:
        book[topic] = RuleTopic.model_validate(content)
    elif topic not in book:
        raise ValueError(f"it is a case of topic {topic!r}, whose line of rows must come first")
    else:
        book[topic].cases.append(RuleCase.model_validate(content))


@dataclass(frozen=True)
class PlacedRuleCase:
    """A case with the world that its rows make."""

    case: RuleCase
    world: World

    def answer(self, domain: Domain) -> bool:
        """Whether the call is allowed, or the duty fulfilled, by the rules of a domain or of a variant of it.

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
    """Every case whose rows make a world and whose rule exists; what is wrong with the others is a fault."""
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


def unexpected(domain: Domain, placed: list[PlacedRuleCase]) -> Iterator[tuple[PlacedRuleCase, str]]:
    """The cases that are not as expected, each with a sentence."""
    for each in placed:
        case = each.case
        try:
            allowed = each.answer(domain)
        except (UsageError, EnvironmentFault) as error:
            yield each, f"{case.id} ({case.rule}): {error}"
            continue
        if allowed != case.allowed:
            said = ("forbids", "allows") if case.call else ("is not fulfilled", "is fulfilled")
            yield each, f"{case.id} ({case.rule}): expected that it {said[case.allowed]}, got that it {said[allowed]}"


def uncovered_rules(domain: Domain, placed: list[PlacedRuleCase]) -> Iterator[str]:
    """A sentence for each rule and duty without an allowed case, or without a denied one."""
    own = [rule for rule in domain.rules.rules if not is_desk_rule(rule)]
    for code in [*(rule.code for rule in own), *(duty.code for duty in domain.rules.duties)]:
        answers = {each.case.allowed for each in placed if each.case.rule == code}
        for allowed in {True, False} - answers:
            yield f"{code} has no case that it {'allows' if allowed else 'denies'}"
    for rule in own:
        shown = {each.case.call.tool for each in placed if each.case.rule == rule.code and each.case.call}
        for tool in rule.on.keys() - shown:
            yield f"{rule.code} has no case with a call of {tool}, which it guards"
