"""The log of a session's calls: compact, and capped, so that a long episode does not grow without end."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic_core import to_json

from runtime.domain.changes import RowName

SHOWN_BYTES = 400  # kept of the arguments and of the text of one call


class LoggedCall(NamedTuple):
    """One call: its number from 1, arguments and text cut short, the rows it changed, its duration in seconds."""

    number: int
    tool: str
    arguments: str
    text: str
    changed: tuple[RowName, ...]
    seconds: float


class CallLog:
    """The last calls of a session, as many as fit in so many bytes; `count` counts all of them."""

    def __init__(self, most_bytes: int) -> None:
        self.count = 0
        self._most_bytes = most_bytes
        self._bytes = 0
        self._calls: deque[tuple[int, tuple[Any, ...]]] = deque()  # what a call weighs, and the call

    def add(
        self, tool: str, arguments: Mapping[str, Any], text: str, changed: tuple[RowName, ...], seconds: float
    ) -> None:
        """Note a call and forget the oldest ones that no longer fit."""
        self.count += 1
        if not self._most_bytes:
            return
        tool, shown, text, changed = tool[:SHOWN_BYTES], _cut(_written(arguments)), _cut(text), changed[:50]
        size = 300 + len(tool) + len(shown) + len(text) + 120 * len(changed)
        self._calls.append((size, (self.count, tool, shown, text, changed, seconds)))
        self._bytes += size
        while self._bytes > self._most_bytes and len(self._calls) > 1:
            self._bytes -= self._calls.popleft()[0]

    def calls(self) -> list[LoggedCall]:
        """The calls that are still kept, oldest first."""
        return [LoggedCall(*call) for _, call in self._calls]


def _written(arguments: Mapping[str, Any]) -> str:
    try:
        return to_json(arguments, fallback=repr, inf_nan_mode="constants").decode()
    except ValueError:  # text that is no Unicode, or nested too deeply
        pass
    try:
        return repr(arguments)
    except (RecursionError, ValueError):
        return "(arguments that cannot be shown)"


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN_BYTES else text[: SHOWN_BYTES - 3] + "..."
