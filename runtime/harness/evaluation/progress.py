"""Show how an evaluation goes: a live line on a terminal, a plain line now and then when piped."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

from runtime.harness.evaluation.writer import Finished, Kept
from runtime.terminal import raw
from runtime.wording import printable

_LIVE_SECONDS = 0.1
_FIRST_PLAIN_SECONDS, _LAST_PLAIN_SECONDS = 1.0, 60.0  # plain lines become rarer as time goes by
_ENOUGH_TO_TELL = 10  # episodes, before the time left is said


class EvaluationProgress:
    """Episodes kept of those asked for, rate, reward so far, cost, time left."""

    def __init__(self, episodes: int, kept: Kept, stream: TextIO | None = None) -> None:
        self._stream = raw(stream or sys.stderr)
        self._is_live = self._stream.isatty()
        self._episodes = episodes
        self._kept = len(kept.done)
        self._judged, self._rewarded = len(kept.done), kept.rewarded
        self._cost = kept.cost
        self._void = self._played = 0
        self._started = self._shown = time.monotonic()

    def finished(self, finished: Finished) -> None:
        """An episode is in the store."""
        self._played += 1
        if finished.row.reward is None:
            self._void += 1
        else:
            self._judged += 1
            self._rewarded += finished.row.reward
        self._cost = None if self._cost is None or finished.cost is None else self._cost + finished.cost
        now = time.monotonic()
        if now - self._shown >= self._interval(now):
            self._shown = now
            self._show()

    def said(self, sentence: str) -> None:
        """Something a person should read."""
        shown = printable(" ".join(sentence.split("\n")))
        self._write(f"\r\x1b[K{shown}\n" if self._is_live else f"{shown}\n")

    def __enter__(self) -> EvaluationProgress:
        if self._is_live:
            self._show()
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_live:
            self._write("\r\x1b[K")
        if self._played:
            self.said(self._line(is_over=True))

    def _interval(self, now: float) -> float:
        if self._is_live:
            return _LIVE_SECONDS
        return min(max(_FIRST_PLAIN_SECONDS, (now - self._started) / 5), _LAST_PLAIN_SECONDS)

    def _show(self) -> None:
        line = self._line()
        if self._is_live:
            self._write(f"\r\x1b[K{line[: shutil.get_terminal_size().columns - 1]}")
        else:
            self._write(f"{line}\n")

    def _line(self, *, is_over: bool = False) -> str:
        seconds = time.monotonic() - self._started
        done = self._kept + self._played
        parts = [f"{done} of {self._episodes}"]
        if self._judged:
            parts.append(f"reward {self._rewarded / self._judged:.3f}")
        if self._void:
            parts.append(f"{self._void} void")
        if self._played and seconds > 0:
            rate = self._played / seconds
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min")
            if not is_over and self._played >= _ENOUGH_TO_TELL:
                parts.append(f"{said_seconds((self._episodes - done) / rate)} left")
        parts.append("cost unknown" if self._cost is None else f"${self._cost:.2f}")
        if is_over:
            parts.append(said_seconds(seconds))
        return ", ".join(parts)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def said_seconds(seconds: float) -> str:
    """A duration as a person reads it: 42 s, 3:05 min, 2:07 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02d} min"
    return f"{whole // 3600}:{whole % 3600 // 60:02d} h"
