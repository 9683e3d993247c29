"""What a person is told at once while episodes are played: warnings, such as of a model that is asked again."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from runtime.wording import printable

_SAME_AGAIN = 30.0  # seconds, before a warning that differs in its numbers alone is said again


def to_stderr(sentence: str) -> None:
    """Say something where no line shows how it goes."""
    print(sentence, file=sys.stderr, flush=True)


@contextmanager
def say_warnings(say: Callable[[str], None] = to_stderr) -> Iterator[None]:
    """Meanwhile, say each warning of this process."""
    handler = _Lines(say)
    log = logging.getLogger("runtime")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


class _Lines(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._say = say
        self._said: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        kind = re.sub(r"\d+", "", text)
        if record.created - self._said.get(kind, -_SAME_AGAIN) >= _SAME_AGAIN:
            self._said[kind] = record.created
            self._say(printable(text))
