"""Kill an evaluation in the middle and see that every episode is there exactly once, and that no process is left."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from tests.conftest import LIBRARY

_MARK = "WORLDSMITH_KILL_EVAL"
_END_SECONDS = 15.0

Episodes = dict[tuple[str, str, int], str]  # the kept records


def command(store: Path, trials: int) -> list[str]:
    """What is run, killed and run again."""
    words = f"eval {LIBRARY} --agent reference --user none --trials {trials} --concurrency 16 --processes 2"
    return [sys.executable, "-m", "generator", *words.split(), "--store", str(store)]


def kill_once(store: Path, trials: int) -> Episodes:
    """Run, and kill once an episode is stored; what is stored then."""
    with subprocess.Popen(
        command(store, trials),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, _MARK: store.name},
    ) as process:
        while process.poll() is None and not (seen := episodes_in(store)):
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
    until = time.monotonic() + _END_SECONDS
    while left := processes_with(store.name):
        assert time.monotonic() < until, f"processes {left} outlive the evaluation"
        time.sleep(0.05)
    kept = episodes_in(store)
    assert seen.items() <= kept.items(), "an episode that was kept was lost"
    return kept


def episodes_in(store: Path) -> Episodes:
    """What a store holds now."""
    if not store.is_file() or store.stat().st_size == 0:
        return {}
    with closing(sqlite3.connect(store)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'episode'").fetchone() is None:
            return {}
        rows = connection.execute("SELECT domain, task, trial, record FROM episode").fetchall()
        assert len({row[:3] for row in rows}) == len(rows), "an episode was played twice"
        return {(domain, task, trial): record for domain, task, trial, record in rows}


def processes_with(mark: str) -> list[int]:
    """The processes that carry the mark in their environment."""
    wanted, found = f"{_MARK}={mark}".encode(), []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in place.read_bytes().split(b"\0"):
                found.append(int(place.parent.name))
    return found
