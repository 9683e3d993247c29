"""A procedural case: the rows that are given, the call, and the change, result or rejection that must come of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.json_schema import SkipJsonSchema

from runtime.domain.schema import Value
from runtime.errors import RejectionKind, UsageError
from runtime.sandbox.files import MIB, is_there, parse_json, read_lines

FORMAT = 1
_MOST_BYTES = 256 * MIB

Rows = dict[str, list[dict[str, Value]]]  # by table


class Change(BaseModel):
    """One row that the call adds, changes or removes.

    `added` is the new row: columns left out are the default or NULL, a key of one column left out comes from the
    counter. `changed` holds the columns that change, `key` names the row (a list if the key has several columns).
    """

    model_config = ConfigDict(extra="forbid")

    table: str
    added: dict[str, Any] | None = None
    key: Value | list[Value] = None
    changed: dict[str, Any] | None = None
    removed: bool = False

    @property
    def as_json(self) -> dict[str, Any]:
        """What it says, as a model reads it."""
        return self.model_dump(mode="json", exclude_defaults=True)


class Case(BaseModel):
    """One call on given rows.

    The rows are those of the topic's base, with `rows` added or, where the key is in the base, merged into them.
    Expected: either `rejects`, and then nothing may change; or `result` (the keys that are stated are compared) and
    `changes` (complete: any other change is a failure). In `result` and `changes`, the text `$new:TABLE` is the key of
    the first row that the call adds to a table, `$new:TABLE:2` of the second; `{"$any": true}` is any value,
    `{"$contains": [...]}` a text that contains all of these.
    """

    model_config = ConfigDict(extra="forbid")

    id: SkipJsonSchema[str] = ""
    tool: str
    title: str = Field(description="what it shows, as a claim")
    rows: Rows = {}
    arguments: dict[str, Any] = {}
    result: dict[str, Any] | None = None
    changes: list[Change] = []
    rejects: RejectionKind | None = None

    @property
    def about(self) -> str:
        """What it is a case of."""
        return self.tool

    @property
    def is_success(self) -> bool:
        """Whether the call is expected to go through."""
        return self.rejects is None


class CaseTopic(BaseModel):
    """The base rows of a topic and the cases that start from them."""

    model_config = ConfigDict(extra="forbid")

    rows: Rows
    cases: list[Any]

    def with_cases(self, cases: Iterable[Any]) -> Self:
        """Return the same base rows with other cases."""
        return self.model_copy(update={"cases": list(cases)})

    def numbered(self) -> Self:
        """Return the same cases with ids: what each is about, and a number."""
        counts = Counter[str]()
        cases = []
        for case in self.cases:
            counts[case.about] += 1
            cases.append(case.model_copy(update={"id": f"{case.about}-{counts[case.about]}"}))
        return self.with_cases(cases)


class TopicCases(CaseTopic):
    """The base rows of a topic and the cases of its tools."""

    rows: Rows = Field(description="rows that every case of this topic starts from, by table, parents included")
    cases: list[Case]


def is_concrete(expected: Any) -> bool:
    """Return whether an expected value says anything, as `{}`, `{"$any": true}` and an empty `$contains` do not."""
    if isinstance(expected, Mapping):
        if expected.keys() == {"$any"}:
            return False
        if expected.keys() == {"$contains"}:
            return any(str(part) for part in expected["$contains"])
        return any(is_concrete(value) for value in expected.values())
    if isinstance(expected, list):
        return not expected or any(is_concrete(value) for value in expected)
    return expected is not None


AnyTopic = TypeVar("AnyTopic", bound=CaseTopic)
CaseBook = dict[str, TopicCases]  # by topic


def merge_rows(base: Rows, rows: Rows, keys: Mapping[str, Sequence[str]]) -> Rows:
    """Return the base with a case's own rows merged into it by primary key; `keys` are the key columns by table."""
    merged: Rows = {table: [dict(row) for row in given] for table, given in base.items()}
    for table, given in rows.items():
        columns = keys.get(table, ())
        present = {tuple(row.get(column) for column in columns): row for row in merged.setdefault(table, [])}
        for row in given:
            own = present.get(tuple(row.get(column) for column in columns))
            if own is None:
                merged[table].append(dict(row))
            else:
                own.update(row)
    return merged


def write_cases(book: Mapping[str, CaseTopic]) -> str:
    """Write a line with the format, then for each topic a line of base rows and a line per case."""
    lines: list[dict[str, Any]] = [{"format": FORMAT}]
    for topic, own in book.items():
        lines.append({"topic": topic, "rows": own.rows})
        lines += [{"topic": topic, **case.model_dump(mode="json", exclude_defaults=True)} for case in own.cases]
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def read_cases(path: Path) -> CaseBook:
    """Read `cases.jsonl`; errors: UsageError with the line that is wrong."""
    return read_book(path, TopicCases, Case, "tool")


def read_book(path: Path, topics: type[AnyTopic], cases: type[BaseModel], mark: str) -> dict[str, AnyTopic]:
    """Read a file of topics and their cases, which have the field `mark`; errors: UsageError with the wrong line."""
    book: dict[str, AnyTopic] = {}
    for number, line in read_lines(path, _MOST_BYTES):
        try:
            content = parse_json(line)
            if number == 1:
                if content != {"format": FORMAT}:
                    raise ValueError(f'the first line must be {{"format": {FORMAT}}}')
                continue
            if not isinstance(content, dict):
                kind = "null" if content is None else f"a {type(content).__name__}"
                raise ValueError(f"it is {kind}; it must be an object")
            topic = content.pop("topic", None)
            if not isinstance(topic, str):
                raise ValueError('it has no "topic", which must be a text')
            if mark not in content:
                book[topic] = topics.model_validate({"cases": [], **content})
            elif topic not in book:
                raise ValueError(f"it is a case of topic {topic!r}, whose line of rows must come first")
            else:
                book[topic].cases.append(cases.model_validate(content))
        except ValidationError as error:
            fault = error.errors(include_url=False)[0]
            where = ".".join(map(str, fault["loc"])) or "it"
            raise UsageError(f"{path.name}, line {number}: {where!r}: {fault['msg']}.") from error
        except ValueError as error:
            raise UsageError(f"{path.name}, line {number}: {error}.") from error
    return book


def read_cases_if_any(folder: Path) -> CaseBook:
    """Return the cases of a domain folder, which may have none; errors: UsageError."""
    path = folder / "cases.jsonl"
    return read_cases(path) if is_there(path) else {}
