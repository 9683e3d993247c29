"""A stored session survives SIGKILL up to its last acknowledged call."""

from __future__ import annotations

from pathlib import Path

from tests.runtime.session.kill_sessions import kill_sessions, lost

KILLS = 25  # `python -m tests.runtime.session.kill_sessions` makes 100


def test_every_acknowledged_call_survives_a_kill_and_no_half_call_does(tmp_path: Path) -> None:
    kills = kill_sessions(tmp_path, KILLS)
    assert len(kills) == KILLS
    assert lost(kills) == []
    assert max(kill.acknowledged for kill in kills) > KILLS
