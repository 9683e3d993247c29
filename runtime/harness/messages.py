"""The messages of an episode, in the form that agents, users, stores and exports share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

MOST_HEARD = 20_000  # characters of what is said at once; of more, a user hears the beginning and the end

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True)
class ToolCall:
    """A call that an agent asks for; `arguments` are as it gave them, an object if it followed the schema."""

    id: str
    name: str
    arguments: Any


@dataclass(frozen=True)
class Message:
    """One message. An assistant's has text, calls or both; a tool's answers the call `call_id`.

    `is_error` marks a rejection. `by_agent` is true of what the agent itself wrote: the greeting, for one, it did not.
    Of a user's message, `asks` names the answers whose closed question it carries, `wishes` are the requests that it
    says, counted from 0, `tells` the columns of the caller's own row that it tells, and `taken` the answers that the
    user had written down by then from the message before, each with its value.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    is_error: bool = False
    by_agent: bool = False
    asks: tuple[str, ...] = ()
    wishes: tuple[int, ...] = ()
    tells: tuple[str, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()


def heard(texts: Iterable[str]) -> str:
    """What a user reads of some messages that are said one after another."""
    said = "\n\n".join(texts)
    half = MOST_HEARD // 2
    return said if len(said) <= MOST_HEARD else f"{said[:half]}\n...\n{said[-half:]}"


def converses(messages: Sequence[Message]) -> bool:
    """Whether somebody answers: then the assistant was the first to speak."""
    return any(message.role == "assistant" and not message.by_agent for message in messages)


def is_deep(arguments: Any, levels: int) -> bool:
    """Whether more than so many lists and objects stand in each other."""
    row = [arguments]
    for _ in range(levels + 1):
        nested = [each for each in row if isinstance(each, Mapping | list | tuple)]
        if not nested:
            return False
        row = [item for each in nested for item in (each.values() if isinstance(each, Mapping) else each)]
    return True
