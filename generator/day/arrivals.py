"""When the messages of a day come in: most of them before the agent begins, the last ones while it works.

Time stands still while the agent works and moves when it waits, so nobody has to be quick. Who stops once the inbox is
empty, long before the office closes, leaves messages unanswered.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from generator.day.messages import Group
from runtime.session.clock import ClockPlan, Event

Letter = tuple[int, int, int]
"""The number of its group, of its thread there, and of the letter there."""

_FIRST_HOUR, _CLOSES_AT, _LAST_HOUR = 6, 17, 23
_LEAST_HOURS = 2
_LATE = 4  # one message of so many comes in while the agent works
_STEP = 5  # minutes


@dataclass(frozen=True)
class Arrivals:
    """When each message comes in, in their order, and when the office closes; the last ones come in during the day."""

    now: datetime
    times: Sequence[datetime]
    closes: datetime

    def is_late(self, number: int) -> bool:
        """True if a message, counted from 0, is not there yet when the agent begins."""
        return self.times[number] > self.now

    @property
    def early(self) -> int:
        """How many messages are there when the agent begins."""
        return sum(not self.is_late(number) for number in range(len(self.times)))

    def plan(self, senders: Sequence[str]) -> ClockPlan | None:
        """Return the clock of a day on which senders write, with a notice of each late message; None without any."""
        events = [
            Event(id=f"message-{number + 1}", at=str(self.times[number]), notice=f"Inbox: {sender} wrote.")
            for number, sender in enumerate(senders)
            if self.is_late(number)
        ]
        return ClockPlan(until=str(self.closes), events=events) if events else None


def place(groups: Sequence[Group], name: str) -> list[Letter]:
    """Return all letters in an order in which those of a group follow each other."""
    own = [
        [(g, t, n) for t, thread in enumerate(group) for n in range(len(thread.letters))]
        for g, group in enumerate(groups)
    ]
    turns = [group for group, letters in enumerate(own) for _ in letters]
    random.Random(name).shuffle(turns)
    left = [iter(letters) for letters in own]
    return [next(left[group]) for group in turns]


def arrive(groups: Sequence[Group], now: str, name: str) -> tuple[list[Letter], Arrivals]:
    """Return all letters in the order in which they come in, and when they do.

    A letter that takes back or corrects an earlier one is there from the start, as both have to be read before either
    is acted upon.
    """
    placed = place(groups, f"day {name}")
    begins = datetime.fromisoformat(now)
    closes = closing_of(begins)
    moments = range(_STEP, int((closes - begins).total_seconds()) // 60, _STEP)
    most = min(len(placed) // _LATE, len(moments))
    late: list[Letter] = []
    for letter in reversed(placed):
        threads = groups[letter[0]]
        bound = any(each.amends or each.decides == "withdrawn" for thread in threads for each in thread.letters)
        if not bound and len(late) < most:
            late.insert(0, letter)
    early = [letter for letter in placed if letter not in late]
    first = min(begins.replace(hour=_FIRST_HOUR, minute=0, second=0), begins - timedelta(hours=1))
    before = [first + (begins - first) * number / (len(early) + 1) for number in range(len(early))]
    drawn = sorted(random.Random(f"arrivals {name}").sample(moments, len(late)))
    times = [*before, *(begins + timedelta(minutes=minutes) for minutes in drawn)]
    return [*early, *late], Arrivals(begins, [each.replace(second=0, microsecond=0) for each in times], closes)


def closing_of(now: datetime) -> datetime:
    """Return when the office closes: at 5 PM, or later where that is less than two hours away, on the same day."""
    return now.replace(hour=max(_CLOSES_AT, min(_LAST_HOUR, now.hour + _LEAST_HOURS)), minute=0, second=0)
