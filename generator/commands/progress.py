"""Show how a build goes: a live line on a terminal, plain lines when piped."""

from __future__ import annotations

import shutil
import sys
import threading
from collections import Counter
from collections.abc import Sequence

from runtime.model.answer_book import AnswerBook
from runtime.model.model import Answer, Request
from runtime.wording import counted


class Progress:
    """Stage, requests in flight, repairs, tokens and cost, on standard error."""

    def __init__(self, book: AnswerBook) -> None:
        self._book = book
        self._in_flight: Counter[str] = Counter()
        self._repairs = 0
        self._is_live = sys.stderr.isatty()
        self._lock = threading.Lock()

    def asked(self, request: Request) -> None:
        """A request is under way."""
        self._in_flight[request.stage] += 1
        if not self._is_live and self._book.find(request.stage, request.key, request.attempt) is None:
            self._line(f"{request.stage} {request.key}{_again(request)}: asked")
        self._redraw()

    def answered(self, request: Request, answer: Answer | None) -> None:
        """It is over; None if no answer came."""
        self._in_flight[request.stage] -= 1
        self._in_flight += Counter()
        if answer is not None and not self._is_live:
            took = f"{answer.usage.completion:,} tokens; {self._sums()}"
            self._line(f"{request.stage} {request.key}{_again(request)}: {took}")
        self._redraw()

    def repaired(self, stage: str, key: str, complaints: Sequence[str]) -> None:
        """An answer missed its gate."""
        self._repairs += 1
        more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
        self._line(f"{stage} {key}: {_short(complaints[0])}{more}")
        self._redraw()

    def said(self, sentence: str) -> None:
        """Something a person should read."""
        self._line(sentence)
        self._redraw()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_live:
            self._write("\r\x1b[K")
        self._line(self._sums())

    def _sums(self) -> str:
        usage = self._book.usage()
        cost = "cost unknown" if usage.cost is None else f"${usage.cost:.2f}"
        return f"{usage.prompt + usage.completion:,} tokens, {cost}, {counted(self._repairs, 'repair')}"

    def _line(self, text: str) -> None:
        self._write(f"\r\x1b[K{text}\n" if self._is_live else f"{text}\n")

    def _redraw(self) -> None:
        if self._is_live:
            flying = ", ".join(f"{stage} ({count})" for stage, count in self._in_flight.items()) or "proving"
            width = shutil.get_terminal_size().columns
            self._write(f"\r\x1b[K{f'{flying} · {self._sums()}'[: width - 1]}")

    def _write(self, text: str) -> None:
        with self._lock:
            sys.stderr.write(text)
            sys.stderr.flush()


def _again(request: Request) -> str:
    return f", attempt {request.attempt}" if request.attempt > 1 else ""


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:157]}..."
