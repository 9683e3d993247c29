"""Show how a long command goes: a live line on a terminal, a plain line now and then when piped."""

from __future__ import annotations

import sys
import time
from logging import Handler, LogRecord, getLogger
from typing import TYPE_CHECKING, Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TextColumn
from rich.progress import Progress as LiveLine

from runtime.wording import printable, raw, said_seconds

if TYPE_CHECKING:
    from runtime.harness.evaluation.store import Kept
    from runtime.harness.record import EpisodeRecord

_FIRST_PLAIN_SECONDS, _LAST_PLAIN_SECONDS = 5.0, 60.0  # plain lines become rarer over time
_ENOUGH_FOR_A_RATE = 10  # steps
_LONGEST = 400  # characters of why


class Progress:
    """What is done, how much of it, how fast, and a note, on standard error.

    Sentences that a person should keep are printed above the live line, which is gone at the end.
    """

    def __init__(self, what: str, total: int | None = None, stream: TextIO | None = None) -> None:
        self._what = what
        self._total = total
        self._done = self._before = 0
        self._note = ""
        self._started = self._said_at = time.monotonic()
        self._wait = _FIRST_PLAIN_SECONDS
        # Nothing here is markup of ours: names and sentences are other people's.
        self._console = Console(
            file=raw(stream or sys.stderr), highlight=False, markup=False, emoji=False, soft_wrap=True
        )
        bar = SpinnerColumn() if total is None else BarColumn(bar_width=20)
        words = TextColumn("{task.description}", markup=False)
        self._live = LiveLine(bar, words, console=self._console, transient=True, redirect_stdout=False)
        self._line = self._live.add_task(self._text(), total=total)

    def advance(self, count: int = 1) -> None:
        """Count further steps."""
        self._done += count
        self._draw()

    def tell(self, note: str) -> None:
        """Set the note behind the figures."""
        self._note = note
        self._draw()

    def said(self, sentence: str) -> None:
        """Print a sentence for a person to keep."""
        self._console.print(printable(sentence))

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def _draw(self) -> None:
        if self._console.is_terminal:
            self._live.update(self._line, description=self._text(), completed=self._done)
        elif time.monotonic() >= self._said_at + self._wait:
            self.said(self._text())
            self._said_at, self._wait = time.monotonic(), min(self._wait * 1.2, _LAST_PLAIN_SECONDS)

    def _text(self) -> str:
        seconds = time.monotonic() - self._started
        parts = [self._what]
        if self._total is not None:
            parts = [f"{self._what}: {self._done:,} of {self._total:,}"]
            new = self._done - self._before
            if new >= _ENOUGH_FOR_A_RATE:
                parts.append(f"{new / seconds:.1f}/s")
                parts.append(f"{said_seconds((self._total - self._done) * seconds / new)} left")
        elif seconds >= _FIRST_PLAIN_SECONDS:
            parts.append(said_seconds(seconds))
        return printable(", ".join([*parts, *([self._note] if self._note else [])]))


class EvaluationProgress(Progress):
    """The progress of a run: episodes, reward so far, cost, and the first void or abandoned episode of each reason.

    Meanwhile each kind of warning of this process is printed once, such as of a model that is asked again.
    """

    def __init__(self, episodes: int, kept: Kept) -> None:
        super().__init__("played", episodes)
        self._judged, self._rewarded, self._cost = len(kept.done), kept.rewarded, kept.cost
        self._void = 0
        self._reasons: set[str] = set()
        self._done = self._before = len(kept.done)  # these do not enter the rate
        self.tell(", ".join(self._figures()))
        self._warnings = _Warnings(self)

    def __enter__(self) -> Self:
        getLogger("runtime").addHandler(self._warnings)
        return super().__enter__()

    def finished(self, record: EpisodeRecord, cost: float | None) -> None:
        """Count an episode that is in the store now."""
        if record.reward is None:
            self._void += 1
        else:
            self._judged += 1
            self._rewarded += record.reward
        self._cost = None if self._cost is None or cost is None else self._cost + cost
        self.advance()
        self.tell(", ".join(self._figures()))
        reason = record.reason or record.end
        if record.end in ("void", "gave_up") and record.why and reason not in self._reasons:
            self._reasons.add(reason)
            ended = "is void" if record.end == "void" else "ended early, the agent gave up"
            why = " ".join(record.why.split())[:_LONGEST]
            self.said(f"{record.domain}:{record.task} trial {record.trial} {ended}: {why}")

    def __exit__(self, *_: object) -> None:
        getLogger("runtime").removeHandler(self._warnings)
        super().__exit__()
        if self._done > self._before:
            done = f"{self._done} of {self._total}"
            self.said(", ".join([done, *self._figures(), said_seconds(time.monotonic() - self._started)]))

    def _figures(self) -> list[str]:
        reward = [f"reward {self._rewarded / self._judged:.3f}"] if self._judged else []
        void = [f"{self._void} void"] if self._void else []
        return [*reward, *void, "cost unknown" if self._cost is None else f"${self._cost:.2f}"]


class _Warnings(Handler):
    def __init__(self, progress: Progress) -> None:
        super().__init__("WARNING")
        self._progress = progress
        self._said: set[str] = set()

    def emit(self, record: LogRecord) -> None:
        """Print a warning, unless one that differs in its numbers alone was printed."""
        text = record.getMessage()
        kind = "".join(character for character in text if not character.isdigit())
        if kind not in self._said:
            self._said.add(kind)
            self._progress.said(text)
