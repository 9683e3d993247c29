"""What a person is shown of an evaluation: episodes kept of those asked for, rate, reward so far, cost, time left."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from typing import TextIO

from runtime.commands.progress import Progress
from runtime.harness.evaluation.writer import Attempt, Kept
from runtime.wording import said_seconds

_MOST_FAILURES = 5  # of different causes; the summary has all
_LONGEST = 400  # characters of a cause


class EvaluationProgress:
    """The progress of a run's episodes; at its end a line of what was played stays."""

    def __init__(self, episodes: int, kept: Kept, stream: TextIO | None = None) -> None:
        self._progress = Progress("played", episodes, stream)
        self._progress.begin_at(len(kept.done))
        self._episodes = episodes
        self._kept = len(kept.done)
        self._judged, self._rewarded = len(kept.done), kept.rewarded
        self._cost = kept.cost
        self._void = self._played = 0
        self._started = time.monotonic()
        self._progress.tell(", ".join(self._figures()))

    def finished(self, attempts: Sequence[Attempt]) -> None:
        """An episode is in the store."""
        self._played += 1
        reward, costs = attempts[-1].record.reward, [each.record.cost for each in attempts]
        if reward is None:
            self._void += 1
        else:
            self._judged += 1
            self._rewarded += reward
        self._cost = None if self._cost is None or None in costs else self._cost + sum(cost or 0.0 for cost in costs)
        self._progress.advance()
        self._progress.tell(", ".join(self._figures()))

    def said(self, sentence: str) -> None:
        """Something a person should read."""
        self._progress.said(" ".join(sentence.split("\n")))

    def __enter__(self) -> EvaluationProgress:
        self._progress.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.__exit__()
        seconds = time.monotonic() - self._started
        if self._played:
            done = f"{self._kept + self._played} of {self._episodes}"
            self.said(", ".join([done, *self._figures(), said_seconds(seconds)]))

    def _figures(self) -> list[str]:
        reward = [f"reward {self._rewarded / self._judged:.3f}"] if self._judged else []
        void = [f"{self._void} void"] if self._void else []
        return [*reward, *void, "cost unknown" if self._cost is None else f"${self._cost:.2f}"]


class FirstFailures:
    """Watches finished episodes for void ones and agents that gave up, and says the first of each cause."""

    def __init__(self, progress: EvaluationProgress) -> None:
        self._progress = progress
        self._said: set[tuple[str, str]] = set()

    def finished(self, attempts: Sequence[Attempt]) -> None:
        """An episode is in the store."""
        self._progress.finished(attempts)
        row = attempts[-1].record
        if row.end not in ("void", "gave_up") or len(self._said) == _MOST_FAILURES:
            return
        why = row.why.strip()
        kind = (row.end, re.sub(r"\d+", "", why))
        if why and kind not in self._said:
            self._said.add(kind)
            ended = "is void" if row.end == "void" else "ended early, the agent gave up"
            self._progress.said(f"{row.domain}:{row.task} trial {row.trial} {ended}: {why[:_LONGEST]}")
