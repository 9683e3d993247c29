"""A rule case: given rows, calls made before, and a call that the rule allows or forbids; of a duty, only the calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from generator.gates.cases.case import Rows
from runtime.errors import UsageError
from runtime.sandbox.files import MIB, is_there, parse_json, read_lines

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
