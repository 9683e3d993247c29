"""A scenario as a model writes it, and the rows of sample worlds that its writer is shown."""

from __future__ import annotations

import ast
import itertools
import re
import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from generator.author.design import DesignPart, Name, Sentence
from generator.gates.calls.start import rows_of, world_on
from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import Role
from runtime.domain.schema import Row, Table, Value
from runtime.sandbox.module import parse
from runtime.task.user import Form

ConditionName = Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$", max_length=60)]
_WORD = re.compile(r"\b([A-Z][A-Z0-9_]*)\b")


class ScenarioDesign(DesignPart):
    """One scenario; its signature, decorator and imports are written around it."""

    name: Name = Field(description="what the user does, as in keep_a_book_longer")
    wish: Sentence = Field(description="what the user wants, in one sentence: the docstring")
    form: Form = "direct"
    role: Role = "customer"
    rule: str = Field(default="", description="the code of the rule that decides, in denied and fallback")
    body: str = Field(min_length=1, description="the indented block without its indentation")


class Scenarios(DesignPart):
    """Stage `scenarios`: what a model answers for one group of tools."""

    conditions: dict[ConditionName, str] = Field(default={}, description="SQL that several bodies need, by its name")
    scenarios: list[ScenarioDesign] = []
    drop: list[str] = Field(default=[], description="in a repair: names of scenarios to remove")
    left_out: dict[str, Sentence] = Field(
        default={},
        description="for each form or rule that these tools do not allow, and each tool no customer may ask for, why",
    )

    def merged(self, repair: Scenarios) -> Scenarios:
        """Return these scenarios with those of a repair laid over them by name."""
        by_name = {each.name: each for each in [*self.scenarios, *repair.scenarios]}
        kept = [each for name, each in by_name.items() if name not in repair.drop]
        return Scenarios(
            conditions={**self.conditions, **repair.conditions},
            scenarios=kept,
            left_out={**self.left_out, **repair.left_out},
        )

    def without(self, names: Collection[str]) -> Scenarios:
        """Return these scenarios without some."""
        kept = [each for each in self.scenarios if each.name not in names]
        return self.model_copy(update={"scenarios": kept})


def joined(parts: Sequence[Scenarios]) -> Scenarios:
    """Return all scenarios of several answers; conditions and scenarios that only share a name are named apart."""
    conditions: dict[str, str] = {}
    scenarios: dict[str, ScenarioDesign] = {}
    for part in parts:
        renamed = {}
        for old, sql in part.conditions.items():
            renamed[old] = next(name for name in _numbered(old) if conditions.get(name, sql) == sql)
            conditions[renamed[old]] = sql
        for each in part.scenarios:
            name = next(name for name in _numbered(each.name) if name not in scenarios)
            body = "".join(renamed.get(word, word) for word in _WORD.split(each.body))
            scenarios[name] = each.model_copy(update={"name": name, "body": body})
    left_out = {name: reason for part in parts for name, reason in part.left_out.items()}
    return Scenarios(conditions=conditions, scenarios=list(scenarios.values()), left_out=left_out)


def _numbered(name: str) -> Iterator[str]:
    """Yield a name, then the same with a number behind it."""
    yield name
    yield from (f"{name}_{number}" for number in itertools.count(2))


def called_tools(scenario: ScenarioDesign) -> set[str]:
    """Return the tools that a body calls by name, as it is written."""
    first = [call.args[0] for call in _calls(scenario, "call") if call.args]
    return {each.value for each in first if isinstance(each, ast.Constant) and isinstance(each.value, str)}


def has_outside_wish(scenario: ScenarioDesign) -> bool:
    """Return whether a body adds a wish beyond the tools."""
    return any(True for _ in _calls(scenario, "outside"))


def _calls(scenario: ScenarioDesign, method: str) -> Iterator[ast.Call]:
    try:
        tree = parse(textwrap.dedent(scenario.body))
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield node


SEED, SIZE = 1, 100
_MOST_STATES, _MOST_NAMES = 8, 3  # different values of a column that are counted one by one
_STATE = re.compile(r"[a-z][a-z_]*")
_LONGEST = 20  # characters of a text that are shown


@dataclass(frozen=True)
class SampledWorld:
    """The rows of a small world in a few lines for each table."""

    tables: dict[str, str]


@job("sample")
def sample_world(asked: FolderRequest) -> SampledWorld:
    """Return each table of a small world: how many rows, what its columns hold, a row."""
    domain = load_domain(asked.folder)
    rows = rows_of(world_on(domain, SEED, SIZE))
    return SampledWorld(
        {name: "\n".join(_described(domain, domain.schema.tables[name], own)) for name, own in rows.items()}
    )


def _described(domain: Domain, table: Table, rows: Sequence[Row]) -> Iterator[str]:
    policies = domain.policies.by_table[table.name]
    referring = {column for key in table.foreign_keys for column in key.columns}
    kept = [name for name in table.column_names if policies[name].policy != "generated" and name not in referring]
    held = {name: _held([row[table.positions[name]] for row in rows]) for name in kept}
    yield f"- {table.name}, {len(rows)} rows: {'; '.join(f'{name} {what}' for name, what in held.items() if what)}"
    if rows:
        record = table.record(rows[len(rows) // 2])
        yield f"  one: {', '.join(f'{name} {_short(record[name])}' for name in kept if record[name] is not None)}"


def _held(values: Sequence[Value]) -> str:
    """Return the values of a column if they are few, else the range of numbers and days; and how many are missing."""
    counted = Counter(value for value in values if value is not None)
    texts = [value for value in counted if isinstance(value, str)]
    most = _MOST_STATES if all(map(_STATE.fullmatch, texts)) else _MOST_NAMES
    shown = ""
    if counted and all(isinstance(value, int | float) or _is_day(value) for value in counted):
        shown = f"{min(map(_ordered, counted))} to {max(map(_ordered, counted))}"
    elif len(counted) <= most:
        shown = ", ".join(f"{_short(value)} {count}" for value, count in counted.most_common())
    missing = f"null {values.count(None)}" if None in values else ""
    return ", ".join(part for part in (shown, missing) if part)


def _is_day(value: Value) -> bool:
    return isinstance(value, str) and value[4:5] == value[7:8] == "-" and value[:4].isdigit()


def _ordered(value: Value) -> Any:
    return value[:10] if isinstance(value, str) else value


def _short(value: Value) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
