"""When a column writes a name longer than people say it."""

from __future__ import annotations

import pytest

from generator.tasks.house_form import house_form

ZOOM = "Video call on Zoom"


@pytest.mark.parametrize(
    ("column", "form"),
    [
        pytest.param([ZOOM] * 3 + ["Room 4", None, 7], ZOOM, id="always_the_same"),
        pytest.param([ZOOM] * 9 + ["Zoom, room 3"], ZOOM, id="mostly_the_same"),
        pytest.param([ZOOM] * 2, "", id="too_few"),
        pytest.param([ZOOM] * 9 + ["zoom"], "", id="also_by_itself"),
        pytest.param([f"Zoom with {name}" for name in ("Ann", "Bob", "Cem", "Dee")], "", id="each_otherwise"),
        pytest.param(["Zoomed in"] * 9, "", id="another_word"),
    ],
)
def test_a_longer_text_that_most_rows_hold_is_how_the_house_writes_it(column: list[str], form: str) -> None:
    assert house_form("Zoom", column) == form
