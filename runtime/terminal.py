"""What reaches a terminal: text only. Characters that would move its cursor or reverse text are escaped.

Everything that a command prints goes through here, whoever wrote it: domains, models, agents, clients, stores, the
system. Our own control sequences go to `raw`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from runtime.wording import printable


class _Words:
    """A stream that escapes what is written to it, and is the stream beneath in everything else."""

    def __init__(self, beneath: TextIO) -> None:
        self.beneath = beneath

    def write(self, text: str) -> int:
        """Write a text and return its length."""
        self.beneath.write(printable(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write texts one after another."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beneath, name)


@contextmanager
def words_only() -> Iterator[None]:
    """Make standard output and standard error show control characters instead of obeying them.

    What is written to their `buffer` passes: bytes are for programs, such as the messages of MCP.
    """
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (cast(TextIO, _Words(raw(stream))) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def raw(stream: TextIO) -> TextIO:
    """Return the stream for our own control sequences; callers escape other people's texts with `printable`."""
    return stream.beneath if isinstance(stream, _Words) else stream


def print_lines(lines: Iterable[str]) -> None:
    """Print each on one line: a title with a newline in it cannot pass for a line of ours."""
    for line in lines:
        print(line.replace("\r\n", "\n").replace("\n", "\\n"))
