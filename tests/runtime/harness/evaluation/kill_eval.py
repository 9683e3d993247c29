"""Kill an evaluation in the middle and see that every episode is there exactly once, and that no process is left."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import pty
import random
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from runtime.harness.evaluation.store import read_run
from tests.conftest import LIBRARY

_MARK = "WORLDSMITH_KILL_EVAL"
_END_SECONDS = 15.0

Episodes = dict[tuple[str, str, int], str]  # a digest of each kept record


@dataclass(frozen=True)
class Kill:
    """What became of one killed evaluation: episodes shown as done, kept before it and after it."""

    shown: int
    before: int
    after: int


def command(store: Path, trials: int) -> list[str]:
    """What is run, killed and run again."""
    words = f"eval {LIBRARY} --agent reference --user none --trials {trials} --concurrency 16 --processes 2"
    return [sys.executable, "-m", "generator", *words.split(), "--store", str(store)]


def kill_once(store: Path, trials: int, seconds: float) -> Kill | None:
    """Run, and kill so many seconds after the first new episode was shown; None if it was over."""
    before = episodes_in(store)
    mark = f"{os.getpid()}-{random.random()}"
    terminal, theirs = pty.openpty()
    with subprocess.Popen(
        command(store, trials), stdout=subprocess.DEVNULL, stderr=theirs, env={**os.environ, _MARK: mark}
    ) as process:
        os.close(theirs)
        until = math.inf
        shown = 0
        # A live line counts what is on disk: whatever it showed before the kill must be there afterwards.
        while process.poll() is None and time.monotonic() < until:
            shown = max(shown, read_shown(terminal, 0.02))
            if until == math.inf and shown > len(before):
                until = time.monotonic() + seconds
        ended = process.poll() is not None
        process.send_signal(signal.SIGKILL)
        process.wait()
    shown = max(shown, read_shown(terminal, 0.0))
    os.close(terminal)
    check_nothing_is_left(mark)
    after = episodes_in(store)
    assert before.items() <= after.items(), "an episode that was kept was played again or lost"
    assert len(after) >= shown, f"{shown} were shown as done, but {len(after)} are kept"
    return None if ended else Kill(shown, len(before), len(after))


def finish(store: Path, trials: int) -> Episodes:
    """Run to the end and see that everything is there once."""
    before = episodes_in(store)
    done = subprocess.run([*command(store, trials), "--json"], capture_output=True, text=True, check=True)
    figures = json.loads(done.stdout)
    after = episodes_in(store)
    assert before.items() <= after.items(), "an episode that was kept was played again or lost"
    assert (figures["episodes"], figures["void"], figures["owed"]) == (3 * trials, 0, 0), figures
    names = [(record.domain, record.task, record.trial) for record in read_run(store).records()]
    assert len(names) == len(set(names)) == len(after) == 3 * trials
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return after


def episodes_in(store: Path) -> Episodes:
    """What a store holds now."""
    if not store.is_file() or store.stat().st_size == 0:
        return {}
    with closing(sqlite3.connect(store)) as connection:
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'episode'").fetchone() is None:
            return {}
        return {
            (domain, task, trial): hashlib.sha256(record.encode()).hexdigest()
            for domain, task, trial, record in connection.execute("SELECT domain, task, trial, record FROM episode")
        }


def read_shown(terminal: int, seconds: float) -> int:
    """The greatest count that the live line showed in what can be read now."""
    shown = 0
    while select.select([terminal], [], [], seconds)[0]:
        try:
            text = os.read(terminal, 65_536).decode(errors="replace")
        except OSError:  # the other side is closed
            break
        counts = re.findall(r"played: ([\d,]+) of [\d,]+", text)  # thousands have commas, and a rate may follow
        shown = max([shown, *(int(count.replace(",", "")) for count in counts)])
        seconds = 0.0
    return shown


def check_nothing_is_left(mark: str) -> None:
    """See that every process that was started with the mark is gone soon."""
    until = time.monotonic() + _END_SECONDS
    while left := processes_with(mark):
        assert time.monotonic() < until, f"processes {left} outlive the evaluation"
        time.sleep(0.05)


def processes_with(mark: str) -> list[int]:
    """The processes that carry the mark in their environment."""
    wanted, found = f"{_MARK}={mark}".encode(), []
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if wanted in place.read_bytes().split(b"\0"):
                found.append(int(place.parent.name))
    return found
