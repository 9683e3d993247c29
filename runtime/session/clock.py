"""The clock of a session and what happens on it: events at a time, after another or a call, or once a SELECT holds.

Time is state, like rows: it moves by `wait` and by calls, never by the machine's clock, and it is stored with the rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field, model_validator

from runtime.domain.arguments import Timestamp
from runtime.domain.schema import Value
from runtime.domain.waiting import CLOCK_TOOLS, MOST_MINUTES
from runtime.errors import Rejection
from runtime.sandbox.files import parse_json

MOST_EVENTS = 200
TABLE = "worldsmith_clock"
"""The table of a database file that holds a plan and the clock's state, beside those of the domain."""


class PlanPart(BaseModel):
    """A part of a clock's plan: nothing in it is unknown, and nothing changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


class StatedRow(PlanPart):
    """A row as it becomes: all columns of an added row, the changed columns of a changed one."""

    table: str
    kind: Literal["added", "changed", "removed"]
    key: list[Value]
    columns: dict[str, Value] = {}


class After(PlanPart):
    """What an event follows: an earlier one of the plan, or the first accepted call of a tool."""

    event: str | None = None
    tool: str | None = None
    seconds: int = Field(default=0, ge=0, le=60 * MOST_MINUTES)

    @model_validator(mode="after")
    def _is_one(self) -> After:
        if (self.event is None) == (self.tool is None):
            raise ValueError("an event follows an event or a tool; give one of the two")
        return self


class When(PlanPart):
    """A SELECT that returns a row once an event is due; it must still return one after the `seconds`."""

    sql: str = Field(min_length=1, max_length=10_000)
    values: dict[str, Value] = {}
    seconds: int = Field(default=0, ge=0, le=60 * MOST_MINUTES)


class OfficeCall(PlanPart):
    """A call that the office makes by itself; no rule judges it."""

    tool: str
    arguments: dict[str, Any] = {}


class Event(PlanPart):
    """Something that happens once: one call of the office, or changed rows, or a notice alone."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    at: Timestamp | None = None
    after: After | None = None
    when: When | None = None
    call: OfficeCall | None = None
    rows: list[StatedRow] = []
    notice: str = Field(default="", max_length=500)

    @model_validator(mode="after")
    def _is_one(self) -> Event:
        if sum(each is not None for each in (self.at, self.after, self.when)) != 1:
            raise ValueError(f"event {self.id!r} needs one of at, after and when")
        if (self.call is not None) + bool(self.rows) > 1:
            raise ValueError(f"event {self.id!r} makes a call and changes rows; it does one of the two")
        if self.call is None and not self.rows and not self.notice:
            raise ValueError(f"event {self.id!r} does nothing; give it a call, rows or a notice")
        return self

    @property
    def due(self) -> str:
        """When it happens, as part of a sentence."""
        if self.at is not None:
            return f"at {self.at[:16]}"
        seconds = self.after.seconds if self.after else self.when.seconds if self.when else 0
        what = "once its SELECT holds"
        if self.after is not None:
            what = f"after {self.after.event or f'the first {self.after.tool}'}"
        return f"{what}, {seconds // 60} minutes later" if seconds else what

    @property
    def does(self) -> str:
        """What it does, as part of a sentence."""
        if self.call is not None:
            given = ", ".join(f"{name}={value!r}" for name, value in self.call.arguments.items())
            return f"the office calls {self.call.tool}({given})"
        return ", ".join(f"{row.table} {' / '.join(map(str, row.key))} is {row.kind}" for row in self.rows)

    @property
    def sentence(self) -> str:
        """What happens when, for a person."""
        told = [self.does, f"a notice says {self.notice!r}" if self.notice else ""]
        return f"{self.id}, {self.due}: {'; '.join(filter(None, told))}."


class ClockPlan(PlanPart):
    """What happens while a task is played, until the end of its clock; a call takes `call_seconds`."""

    until: Timestamp
    call_seconds: int = Field(default=0, ge=0, le=3_600)
    events: list[Event] = Field(default=[], max_length=MOST_EVENTS)

    @model_validator(mode="after")
    def _in_order(self) -> ClockPlan:
        known: set[str] = set()
        for event in self.events:
            if event.id in known:
                raise ValueError(f"two events have the id {event.id!r}")
            if event.after is not None and event.after.event is not None and event.after.event not in known:
                raise ValueError(f"event {event.id!r} follows {event.after.event!r}, which is no earlier event")
            known.add(event.id)
        return self


@dataclass(frozen=True)
class Fired:
    """An event that happened, how many seconds after the start, and why it came to nothing, if it did."""

    event: str
    at: int
    fault: str = ""


@dataclass(frozen=True)
class ClockState:
    """Seconds since the start, the events that happened, those that will by when, and how many notices were read.

    The seconds go on after the end of the plan, where the time that is told stands still.
    """

    elapsed: int = 0
    fired: tuple[Fired, ...] = ()
    armed: tuple[tuple[str, int], ...] = ()
    heard: int = 0


class EventSession(Protocol):
    """The session as its events see it."""

    def apply_event(self, event: Event) -> str:
        """Do what an event does, and store it with the clock; a sentence if that was refused."""

    def holds(self, when: When) -> bool:
        """True if the SELECT returns a row now."""


class Clock:
    """The clock of one session; without a plan the time that is told never moves."""

    def __init__(self, start: str, plan: ClockPlan | None = None, state: ClockState = ClockState()) -> None:
        self.start, self.plan, self.state = start, plan, state

    @property
    def now(self) -> str:
        """The time it is, as YYYY-MM-DD HH:MM:SS."""
        return self.start if self.plan is None else self._moment(self._elapsed)

    @property
    def notices(self) -> list[dict[str, str]]:
        """All notices so far."""
        texts = {event.id: event.notice for event in self._events}
        happened = [each for each in self.state.fired if not each.fault and texts.get(each.event)]
        return [{"at": self._moment(each.at), "text": texts[each.event]} for each in happened]

    @property
    def last(self) -> int:
        """The end of the plan, in seconds since the start."""
        return 0 if self.plan is None else self._seconds(self.plan.until)

    @property
    def happened(self) -> tuple[tuple[str, Event, str], ...]:
        """The time, the event and the fault of each event so far."""
        by_id = {event.id: event for event in self._events}
        return tuple((self._moment(each.at), by_id[each.event], each.fault) for each in self.state.fired)

    def move(self, office: EventSession, seconds: int, *, stops: bool = False) -> None:
        """Let seconds pass, and what is due happen in its order; with `stops` no further than the next notice."""
        if self.plan is None:
            self.state = replace(self.state, elapsed=self.state.elapsed + seconds)
            return
        target, known = self.state.elapsed + seconds, len(self.notices)
        self._arm(office)
        while (due := self._next(min(self.last, target))) is not None:
            at, event = due
            armed = tuple(each for each in self.state.armed if each[0] != event.id)
            self.state = replace(self.state, elapsed=max(at, self.state.elapsed), armed=armed)
            if event.when is None or office.holds(event.when):
                before = self.state
                self.state = replace(before, fired=(*before.fired, Fired(event.id, self._elapsed)))
                if fault := office.apply_event(event):
                    self.state = replace(before, fired=(*before.fired, Fired(event.id, self._elapsed, fault)))
                if stops and len(self.notices) > known:
                    target = self.state.elapsed  # what is due at the same moment happens, too
            self._arm(office)
        self.state = replace(self.state, elapsed=max(target, self.state.elapsed))

    def note_call(self, tool: str) -> None:
        """Arm what follows the first accepted call of a tool."""
        done = {each.event for each in self.state.fired} | {each for each, _ in self.state.armed}
        for event in self._events:
            if event.after is not None and event.after.tool == tool and event.id not in done:
                due = self._elapsed + event.after.seconds
                self.state = replace(self.state, armed=(*self.state.armed, (event.id, due)))

    def wait(self, office: EventSession, arguments: dict[str, Any]) -> dict[str, Any]:
        """Answer a call of `wait`; errors: Rejection."""
        seconds = self._asked(arguments)
        stops = arguments.get("until_notice", True)
        if not (stops and len(self.notices) > self.state.heard):
            self.move(office, seconds, stops=stops)
        new = self.notices[self.state.heard :]
        self.state = replace(self.state, heard=len(self.notices))
        return {"now": self.now, "notices": new}

    def tell(self) -> dict[str, Any]:
        """Answer a call of `notices`."""
        self.state = replace(self.state, heard=len(self.notices))
        return {"now": self.now, "notices": self.notices}

    def _asked(self, arguments: dict[str, Any]) -> int:
        given = {name: arguments[name] for name in ("minutes", "until", "seconds") if arguments.get(name) is not None}
        if len(given) != 1:
            raise Rejection.invalid_argument("wait takes one of minutes, until and seconds.")
        if self.state.elapsed >= self.last and "seconds" not in given:
            raise Rejection.failed_precondition(f"It is {self.now}, and nothing more can be waited for.")
        if "until" not in given:
            return int(given.get("seconds") or 60 * given["minutes"])
        try:
            seconds = self._seconds(str(datetime.fromisoformat(given["until"])))
        except (ValueError, TypeError):
            sentence = f"until is {given['until']!r:.80}; it must be a date and time, as in {self.now[:16]!r}."
            raise Rejection.invalid_argument(sentence) from None
        if seconds <= self.state.elapsed:
            raise Rejection.failed_precondition(f"It is {self.now} already; wait until a later time.")
        return seconds - self.state.elapsed

    def _arm(self, office: EventSession) -> None:
        """Arm what is due once a SELECT holds that holds now."""
        done = {each.event for each in self.state.fired} | {each for each, _ in self.state.armed}
        for event in self._events:
            if event.when is not None and event.id not in done and office.holds(event.when):
                due = self._elapsed + event.when.seconds
                self.state = replace(self.state, armed=(*self.state.armed, (event.id, due)))

    def _next(self, target: int) -> tuple[int, Event] | None:
        """The event that is due first, in the plan's order among those of one moment; None if none is by then."""
        found = [each for each in self._due() if each[0] <= target]
        return min(found, key=lambda each: each[0], default=None)

    def _due(self) -> Iterator[tuple[int, Event]]:
        fired, armed = {each.event: each.at for each in self.state.fired}, dict(self.state.armed)
        for event in self._events:
            if event.id in fired:
                continue
            if event.at is not None:
                yield self._seconds(event.at), event
            elif event.after is not None and event.after.event in fired:
                yield fired[event.after.event] + event.after.seconds, event
            elif event.id in armed:
                yield armed[event.id], event

    @property
    def _elapsed(self) -> int:
        """Seconds since the start, until the end of the plan."""
        return min(self.last, self.state.elapsed)

    @property
    def _events(self) -> Sequence[Event]:
        return () if self.plan is None else self.plan.events

    def _seconds(self, moment: str) -> int:
        return int((datetime.fromisoformat(moment) - datetime.fromisoformat(self.start)).total_seconds())

    def _moment(self, seconds: int) -> str:
        return str(datetime.fromisoformat(self.start) + timedelta(seconds=seconds))


def faults_of_plan(plan: ClockPlan, start: str, tools: Sequence[str]) -> Iterator[str]:
    """Say what keeps a plan from a domain with these tools whose clock starts then, without its rows and SELECTs."""
    for name in CLOCK_TOOLS.keys() & set(tools):
        yield f"has a clock, and the domain has a tool {name!r} of its own, so that nobody could wait."
    if plan.until <= start:
        yield f"has a clock that ends at {plan.until}; the domain's starts at {start}."
    for event in plan.events:
        if event.at is not None and not start < event.at <= plan.until:
            yield f"has the event {event.id!r} at {event.at}, which is not after {start} and by {plan.until}."
        for tool in (event.call.tool if event.call else None, event.after.tool if event.after else None):
            if tool is not None and tool not in tools:
                yield f"has the event {event.id!r} about tool {tool!r}, which the domain does not have."


def write_plan(connection: sqlite3.Connection, plan: ClockPlan) -> None:
    """Put a plan into a database, at its start."""
    connection.execute(f"CREATE TABLE {TABLE} (plan TEXT NOT NULL, state TEXT NOT NULL) STRICT")
    text = plan.model_dump_json(exclude_defaults=True)
    connection.execute(f"INSERT INTO {TABLE} VALUES (?, ?)", (text, written(ClockState())))


def read_plan(connection: sqlite3.Connection) -> tuple[ClockPlan | None, ClockState]:
    """Return the plan in a database and the state of its clock; errors: sqlite3.Error, ValueError."""
    known = connection.execute("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", (TABLE,)).fetchone()
    row = connection.execute(f"SELECT plan, state FROM {TABLE}").fetchone() if known else None
    if row is None:
        return None, ClockState()
    told = parse_json(row[1].encode())
    fired = tuple(Fired(**each) for each in told["fired"])
    armed = tuple((str(name), int(due)) for name, due in told["armed"])
    return ClockPlan.model_validate_json(row[0]), ClockState(int(told["elapsed"]), fired, armed, int(told["heard"]))


def written(state: ClockState) -> str:
    """Return a clock's state as JSON."""
    return json.dumps(asdict(state))
