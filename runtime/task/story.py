"""What a scenario is written against: pick rows, say what the user wants, call tools; every value keeps its origin.

A scenario is a seed tool chain as executable code (paper, section 4.2.1). Run on a world, it yields a script: words,
facts, chain, answers. Values that the story hands out remember where they came from, so that a proof can ask whether an
agent could have known each argument.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeVar

from runtime.domain.dates import add_days, weekday
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.task.task import Answer, Fact, Step

Function = TypeVar("Function", bound=Callable[..., None])


@dataclass(frozen=True)
class Origin:
    """Where a value came from: a row of the world, a choice of the scenario, the clock, or the result of a step.

    `where` is "table.column of key", the choice's name, the day's offset, or a path into the step's result.
    """

    kind: Literal["row", "choice", "clock", "result"]
    where: str
    step: int | None = None


class TracedText(str):
    """Text with its origin."""

    origin: Origin


class TracedInteger(int):
    """A whole number with its origin."""

    origin: Origin


class TracedReal(float):
    """A real number with its origin."""

    origin: Origin


@dataclass(frozen=True)
class TracedCall:
    """A step of the chain and where each of its arguments came from; None marks a value that nothing licenses."""

    step: Step
    origins: Mapping[str, Origin | None]


@dataclass
class Script:
    """What a scenario came to on one world."""

    words: list[str] = field(default_factory=list)
    facts: list[Fact] = field(default_factory=list)
    calls: list[TracedCall] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)
    told: set[Origin] = field(default_factory=set)

    @property
    def chain(self) -> list[Step]:
        """The reference chain."""
        return [call.step for call in self.calls]


class NoSuchRow(Exception):
    """The world has no row that the scenario could be about; another world may have one."""


class Story:
    """One run of one scenario on one world. `today` and `now` are the frozen clock."""

    def __init__(self, session: Session, seed: int, pins: Mapping[int, Sequence[Value]] | None = None) -> None:
        """`pins` fixes the rows of the first, second, ... pick by key, so that a rerun is about the same rows."""
        self.script = Script()
        self.picks: list[tuple[str, tuple[Value, ...]]] = []
        self.today = traced(session.domain.now[:10], Origin("clock", "today"))
        self.now = traced(session.domain.now, Origin("clock", "now"))
        self._session = session
        self._random = random.Random(seed)
        self._pins = pins or {}
        self._start = session.world.open()  # rows are picked as they were, not as an earlier scenario left them

    def pick(self, table: str, where: str = "1", *values: Value) -> dict[str, Any]:
        """One row of the world that meets a condition: hidden knowledge, until it is told. Errors: NoSuchRow."""
        declared = self._session.domain.schema.tables[table]
        keys = ", ".join(declared.primary_key)
        rows = self._start.execute(f'SELECT {keys} FROM "{table}" WHERE {where} ORDER BY {keys}', values).fetchall()
        pinned = self._pins.get(len(self.picks))
        if pinned is not None:
            rows = [row for row in rows if list(row) == list(pinned)]
        if not rows:
            raise NoSuchRow(f"No {table} meets {where!r}.")
        key = self._random.choice(rows)
        self.picks.append((table, tuple(key)))
        return self.row(table, *key)

    def row(self, table: str, *key: Value) -> dict[str, Any]:
        """The row with this key, such as the one that a picked row refers to. Errors: NoSuchRow."""
        declared = self._session.domain.schema.tables[table]
        row = self._start.execute(declared.select_row, [plain(part) for part in key]).fetchone()
        if row is None:
            raise NoSuchRow(f"No {table} {key!r} exists.")
        shown = " / ".join(str(part) for part in key)
        return {
            column: traced(value, Origin("row", f"{table}.{column} of {shown}"))
            for column, value in zip(declared.column_names, row, strict=True)
        }

    def choose(self, name: str, options: Sequence[Any]) -> Any:
        """One of several values that the user may have in mind."""
        return traced(self._random.choice(list(options)), Origin("choice", name))

    def day(self, offset: int) -> Any:
        """The date so many days from today; it is told as a weekday or a day of a month."""
        return traced(add_days(str(self.today), offset), Origin("clock", f"today{offset:+d}"))

    def tell(self, words: str, **values: Any) -> None:
        """Say a wish; each `{name}` stands for a value, which the user then knows and may repeat."""
        rendered = {name: said(value) for name, value in values.items()}
        named = {name for _, name, _, _ in string.Formatter().parse(words) if name}
        if named != set(values):
            odd = sorted(named ^ set(values))[0]
            raise EnvironmentFault(f"The words {words!r} and their values do not fit: {odd!r}.")
        for name, value in values.items():
            self.script.facts.append(Fact(name=name, value=plain(value), said=rendered[name]))
            origin = origin_of(value)
            if origin is not None:
                self.script.told.add(origin)
        self.script.words.append(words.format(**rendered))

    def text(self, name: str, words: str, facts: Sequence[str] = ()) -> Any:
        """A descriptive text that the user dictates, with the facts it must carry."""
        self.script.texts[words] = list(facts)
        return traced(words, Origin("choice", name))

    def outside(self, words: str) -> None:
        """Add a wish beyond the tools, which a good agent declines."""
        self.script.words.append(words)
        self.script.outside.append(words)

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool through the real path and return its result, traced; errors: Rejection, EnvironmentFault."""
        number = len(self.script.calls)
        step = Step(tool=tool, arguments={name: _reference(value) for name, value in arguments.items()})
        origins = {name: origin_of(value) for name, value in arguments.items()}
        try:
            result = self._session.call(tool, **{name: plain(value) for name, value in arguments.items()})
        except Rejection as rejection:
            raise EnvironmentFault(f"The scenario's call of {tool} was rejected: {rejection}") from rejection
        self.script.calls.append(TracedCall(step, origins))
        return _traced_result(result, number, "")

    def answer(self, name: str, value: Any, source: str | None = None) -> None:
        """State what the user must be told in the end."""
        self.script.answers.append(Answer(name=name, value=plain(value), source=source))

    def close(self) -> None:
        """Let the world go."""
        self._start.close()


def scenario(function: Function) -> Function:
    """Mark a function of a domain's `scenarios.py` as a scenario; its docstring says what the user wants."""
    function.__dict__["is_scenario"] = True
    return function


def tell_story(program: Callable[[Story], None], session: Session, seed: int, **options: Any) -> Script:
    """Run a scenario on a session; errors: NoSuchRow, EnvironmentFault."""
    story = Story(session, seed, **options)
    try:
        program(story)
    finally:
        story.close()
    return story.script


def traced(value: Any, origin: Origin) -> Any:
    """A value that remembers its origin; None and other kinds stay as they are."""
    kinds: dict[type, type] = {str: TracedText, int: TracedInteger, float: TracedReal}
    kind = kinds.get(type(value))
    if kind is None:
        return value
    marked = kind(value)
    marked.origin = origin
    return marked


def origin_of(value: Any) -> Origin | None:
    """Where a value came from, if it was traced."""
    return getattr(value, "origin", None)


def plain(value: Any) -> Any:
    """A value without its origin."""
    for kind in (str, int, float):
        if isinstance(value, kind) and not isinstance(value, bool):
            return kind(value)
    return value


def said(value: Any) -> str:
    """A value as a person says it: dates by weekday and month, everything else as it stands."""
    text = str(plain(value))
    try:
        moment = datetime.fromisoformat(text) if len(text) in (10, 19) and text[4:5] == "-" else None
    except ValueError:
        moment = None
    if moment is None:
        return text
    day = f"{weekday(text)}, {moment:%B} {moment.day}"
    return day if len(text) == 10 else f"{day} at {moment:%H:%M}"


def _reference(value: Any) -> Any:
    origin = origin_of(value)
    if origin is not None and origin.kind == "result":
        return {"$step": origin.step, "path": origin.where}
    return plain(value)


def _traced_result(value: Any, step: int, path: str) -> Any:
    if isinstance(value, Mapping):
        return {name: _traced_result(item, step, f"{path}.{name}" if path else name) for name, item in value.items()}
    if isinstance(value, list):
        return [
            _traced_result(item, step, f"{path}.{number}" if path else str(number)) for number, item in enumerate(value)
        ]
    return traced(value, Origin("result", path, step))
