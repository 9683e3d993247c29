"""Whether the rules allow a call: what the strict twin of a session says of it, in its present state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.session.session import Session
from runtime.task.origin import plain
from runtime.task.paths import leaves_of


@dataclass(frozen=True)
class RuleAnswer:
    """The codes of the rules that forbid a call, and the value, with its origin, by which the first names the row."""

    rules: tuple[str, ...] = ()
    row: Any = None


def ask_rules(session: Session, tool: str, arguments: Mapping[str, Any]) -> RuleAnswer:
    """What the rules of the session's domain say of a call with traced arguments."""
    forbidding = session.forbidding(tool, plain(arguments))
    if not forbidding:
        return RuleAnswer()
    values = (value for _, value in leaves_of(arguments))
    row = next((value for value in values if plain(value) == forbidding[0].key), forbidding[0].key)
    return RuleAnswer(tuple(dict.fromkeys(each.rule for each in forbidding)), row)
