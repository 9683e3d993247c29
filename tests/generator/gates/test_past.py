"""Whether worlds are held against their own tools and rules: planted pasts that could not have come about."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.gates.folder import FolderRequest
from generator.gates.past.history import prove_past
from tests.conftest import LIBRARY, SHIPPED

GARDEN = SHIPPED["community_garden"]


def test_the_library_could_have_come_about() -> None:
    report = prove_past(FolderRequest(LIBRARY))
    assert report.faults == []
    assert report.history.rules["BORROWING_PACE"].asked > 100
    assert "FORGIVEN_A_DAY: not asked of the past" in report.history.lines  # it depends on an amount that no row holds


def test_a_call_that_sets_two_listed_columns_is_judged_once() -> None:
    report = prove_past(FolderRequest(GARDEN))
    assert report.faults == []
    assert report.history.rules["SETTLEMENT_DEADLINE"].asked > 100  # settling sets a state and a method


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "world.moment(day, f",
            "world.moment(day + 20, f",
            "hold.placed_at, which tools fill from the clock, is later",
        ),
        ("world.moment(back, ", "world.moment(began - 2, ", "loan.borrowed_on is later than loan.returned_at"),
        ("MOST_IN_A_FORTNIGHT = 3", "MOST_IN_A_FORTNIGHT = 7", "rule BORROWING_PACE: it would have forbidden"),
        ("MOST_WAITING = 3", "MOST_WAITING = 9", "rule HOLD_LIMIT: it would have forbidden"),
        ("began + 14 * (1 + renewals)", "began + 60 * (1 + renewals)", "rule RENEWAL_WINDOW: it would have forbidden"),
    ],
    ids=["future", "order", "pace", "limit", "undone"],
)
def test_a_past_that_tools_or_rules_forbid_is_named(library_copy: Path, old: str, new: str, fault: str) -> None:
    program = (library_copy / "world.py").read_text()
    assert old in program
    (library_copy / "world.py").write_text(program.replace(old, new))
    assert [each for each in prove_past(FolderRequest(library_copy)).faults if fault in each]
