"""What a scenario says of time: what happens when, and that the right way is to wait."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from runtime.errors import EnvironmentFault
from runtime.session.clock import After, ClockPlan, Event, OfficeCall, StatedRow, When
from runtime.task.origin import plain
from runtime.task.picks import Entry, NoSuchRow
from runtime.task.script import Script
from runtime.task.wishes import StoryWishes

_HALF, _SECONDS_PER_MINUTE = 0.5, 60
_END_OF_DAY = "23:59:00"


class StoryTime(StoryWishes):
    """A story whose clock moves once something is said to happen; its end is that of the last day that has an event."""

    def event(
        self,
        name: str,
        *,
        at: Any = None,
        after: str | None = None,
        when: str | None = None,
        minutes: int = 0,
        values: Mapping[str, Any] | None = None,
        call: str | None = None,
        rows: Sequence[Mapping[str, Any]] = (),
        notice: str = "",
        maybe: bool = False,
        **arguments: Any,
    ) -> bool:
        """Say what happens: at a moment, so many `minutes` after an earlier event or the first call of a tool, or once
        the SELECT of `when` has held for so long. It makes the `call` with the arguments, or changes `rows`, and tells
        the office the `notice`.

        With `maybe` it happens in half of the tasks; returns whether it does in this one. Errors: EnvironmentFault.
        """
        script, now = self._script, self._session.clock.now
        is_drawn = random.Random(f"{self._seed}/{name}").random() < _HALF
        happens = is_drawn != (self._events == "flipped") if maybe else self._events != "none"
        script.has_maybe |= maybe
        seconds = _SECONDS_PER_MINUTE * minutes
        known = {event.id for event in script.events}
        try:
            event = Event(
                id=name,
                at=None if at is None else str(plain(at)),
                after=None if after is None else _after(after, known, seconds),
                when=None if when is None else When(sql=when.strip(), values=plain(values or {}), seconds=seconds),
                call=None if call is None else OfficeCall(tool=call, arguments=plain(arguments)),
                rows=[StatedRow.model_validate(plain(row)) for row in rows],
                notice=notice,
            )
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise EnvironmentFault(f"The event {name!r} of a scenario is wrong: {first['msg']}.") from error
        if event.at is not None and event.at <= now:
            raise EnvironmentFault(f"The event {name!r} is at {event.at}, and it is {now} already.")
        script.events += [event] if happens else []
        script.until = max(script.until, f"{(event.at or now)[:10]} {_END_OF_DAY}")
        self._session.plan_for(plan_of([script]))
        return happens

    def other_row(self, table: str, where: str = "1", *values: Any) -> Entry:
        """A row of the world that the user knows nothing of, such as whoever takes the last copy. Errors: NoSuchRow."""
        keys = ", ".join(f'"{name}"' for name in self._table(table).primary_key)
        query = f'SELECT {keys} FROM "{table}" WHERE {where} ORDER BY {keys}'
        found = self._session.read_start(query, [plain(value) for value in values])
        if not found:
            raise NoSuchRow(f"No {table} meets {where!r:.100}.")
        return self.row(table, *random.Random(f"{self._seed}/{table}").choice(found))


def _after(name: str, events: set[str], seconds: int) -> After:
    return After(event=name, seconds=seconds) if name in events else After(tool=name, seconds=seconds)


def plan_of(scripts: Sequence[Script]) -> ClockPlan | None:
    """Return the plan of a task of these scripts; None if time stands still in all of them."""
    until = max((script.until for script in scripts), default="")
    return ClockPlan(until=until, events=[each for script in scripts for each in script.events]) if until else None
