"""The world program of a twin: copies of rows have values of their own that are still dates and times."""

from __future__ import annotations

from datetime import date, time
from random import Random
from types import SimpleNamespace
from typing import Any

from generator.twin.engine import other_value


def test_another_date_or_time_of_day_is_one() -> None:
    world: Any = SimpleNamespace(random=Random(1))
    made = [[other_value(world, value, n, 200, "A", "B") for n in range(99)] for value in ("2026-01-12", "09:30")]
    assert len({date.fromisoformat(each) for each in made[0]}) == 99
    assert len({time.fromisoformat(each) for each in made[1]}) > 30
    assert other_value(world, "1234-56-78", 1, 200, "A", "B").startswith("1234-56-")
