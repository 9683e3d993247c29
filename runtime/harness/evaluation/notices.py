"""What a person is told at once while episodes are played: a model that is asked again, what ended an episode badly."""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from runtime.harness.evaluation.progress import EvaluationProgress
from runtime.harness.evaluation.writer import Finished
from runtime.terminal import raw
from runtime.wording import printable

_SAME_AGAIN = 30.0  # seconds, before a warning that differs in its numbers alone is said again
_MOST_FAILURES = 5  # of different causes; the summary has all
_LONGEST = 400  # characters of a cause


@contextmanager
def say_warnings() -> Iterator[None]:
    """Meanwhile, write each warning of this process to stderr as a line, clear of a live line that stands there."""
    handler = _Lines()
    log = logging.getLogger("runtime")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


class _Lines(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._said: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        kind = re.sub(r"\d+", "", text)
        if record.created - self._said.get(kind, -_SAME_AGAIN) >= _SAME_AGAIN:
            self._said[kind] = record.created
            clear = "\r\x1b[K" if sys.stderr.isatty() else ""
            print(f"{clear}{printable(text)}", file=raw(sys.stderr), flush=True)


class FirstFailures:
    """Watches finished episodes for void ones and agents that gave up, and says the first of each cause."""

    def __init__(self, progress: EvaluationProgress) -> None:
        self._progress = progress
        self._said: set[tuple[str, str]] = set()

    def finished(self, finished: Finished) -> None:
        """An episode is in the store."""
        self._progress.finished(finished)
        row = finished.row
        if row.ended not in ("void", "gave_up") or len(self._said) == _MOST_FAILURES:
            return
        why = str(json.loads(row.record)["why"]).strip()
        kind = (row.ended, re.sub(r"\d+", "", why))
        if why and kind not in self._said:
            self._said.add(kind)
            ended = "is void" if row.ended == "void" else "ended early, the agent gave up"
            self._progress.said(f"{row.domain}:{row.task} trial {row.trial} {ended}: {why[:_LONGEST]}")
