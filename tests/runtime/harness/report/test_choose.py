"""Which episodes the page tells in full."""

from __future__ import annotations

from runtime.harness.record import EpisodeRecord
from runtime.harness.report.page import choose_episodes


def _entry(task: str, reward: int | None, reason: str = "") -> EpisodeRecord:
    return EpisodeRecord("library", task, 0, "done", reward=reward, reason=reason)


def test_all_failures_come_before_any_success() -> None:
    entries = [_entry("a", 1), _entry("a", 0, "x"), _entry("b", 1), _entry("b", None, "y"), _entry("c", 0, "x")]
    assert choose_episodes(entries, 3) == {1, 3, 4}


def test_successes_are_of_as_many_tasks_as_fit() -> None:
    entries = [_entry("a", 1), _entry("a", 1), _entry("a", 1), _entry("b", 1), _entry("c", 1)]
    assert choose_episodes(entries, 3) == {0, 3, 4}


def test_too_many_failures_leave_room_for_every_reason() -> None:
    entries = [*(_entry("a", 0, "common") for _ in range(100)), _entry("a", 0, "rare")]
    chosen = choose_episodes(entries, 10)
    assert 100 in chosen
    assert len(chosen) == 10


def test_no_more_than_asked_for() -> None:
    entries = [_entry("a", 0, "x"), _entry("a", 1)]
    assert choose_episodes(entries, 0) == frozenset()
    assert choose_episodes(entries, 9) == {0, 1}
