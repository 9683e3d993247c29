"""Show how a long command goes: a live line on a terminal, a plain line every few seconds when piped."""

from __future__ import annotations

import sys
import threading
import time
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn
from rich.progress import Progress as LiveLine

from runtime.terminal import raw
from runtime.wording import printable, said_seconds

_FIRST_PLAIN_SECONDS, _LAST_PLAIN_SECONDS = 5.0, 60.0  # plain lines become rarer as time goes by
_ENOUGH_TO_TELL = 10  # steps, before a rate and the time left are told


class Progress:
    """What is done, how much of it, how fast, and what else is worth telling, on standard error.

    Sentences that a person should keep are printed above the live line. At the end a terminal is left without the line.
    """

    def __init__(self, what: str, total: int | None = None, stream: TextIO | None = None) -> None:
        self._what = what
        self._total = total
        self._done = self._before = 0
        self._note = ""
        self._started = time.monotonic()
        self._stream = raw(stream or sys.stderr)
        self._console = Console(file=self._stream, highlight=False, markup=False, soft_wrap=True)
        self._over = threading.Event()
        self._lock = threading.Lock()
        bar = SpinnerColumn() if total is None else BarColumn(bar_width=20)
        words = TextColumn("{task.description}", markup=False)
        self._live = LiveLine(bar, words, console=self._console, transient=True, redirect_stdout=False)
        self._line = self._live.add_task(self._text(), total=total)
        self._plain = threading.Thread(target=self._tell_now_and_then, daemon=True)

    def begin_at(self, done: int) -> None:
        """So many steps were done before: they count, but not for the rate."""
        self._done = self._before = done
        self._draw()

    def advance(self, count: int = 1) -> None:
        """So many further steps are done."""
        with self._lock:
            self._done += count
        self._draw()

    def tell(self, note: str) -> None:
        """What stands behind the figures from now on."""
        self._note = note
        self._draw()

    def said(self, sentence: str) -> None:
        """Something a person should read, and keep."""
        self._console.print(printable(sentence))

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        else:
            self._plain.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._console.is_terminal:
            self._live.stop()
        else:
            self._plain.join()

    def _draw(self) -> None:
        if self._console.is_terminal:
            self._live.update(self._line, description=self._text(), completed=self._done)

    def _tell_now_and_then(self) -> None:
        last, started = "", time.monotonic()
        while not self._over.wait(
            min(max(_FIRST_PLAIN_SECONDS, (time.monotonic() - started) / 5), _LAST_PLAIN_SECONDS)
        ):
            text = self._text()
            if text != last:
                self.said(text)
            last = text

    def _text(self) -> str:
        seconds = time.monotonic() - self._started
        parts = [self._what if self._total is None else f"{self._what}: {self._done:,} of {self._total:,}"]
        new = self._done - self._before
        if self._total and new >= _ENOUGH_TO_TELL and seconds > 0:
            rate = new / seconds
            parts.append(f"{rate:.1f}/s" if rate >= 1 else f"{rate * 60:.1f}/min")
            parts.append(f"{said_seconds(max(self._total - self._done, 0) / rate)} left")
        elif self._total is None and seconds >= _FIRST_PLAIN_SECONDS:
            parts.append(said_seconds(seconds))
        return printable(", ".join([*parts, *([self._note] if self._note else [])]))
