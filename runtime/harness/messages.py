"""The messages of an episode, in the form that agents, users, stores and exports share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

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
    `asks` names the answers whose closed question a user's message carries, `quotes` are those that a user who reads
    with a model found told just before, each by its name and the very words. `wishes` are those that it says, counted
    from 0.
    """

    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    is_error: bool = False
    by_agent: bool = False
    asks: tuple[str, ...] = ()
    quotes: tuple[tuple[str, str], ...] = ()
    wishes: tuple[int, ...] = ()


class SaidToUser(NamedTuple):
    """All that the assistant said between two messages of the user, the answers that the first of them asks for, and
    those that the user quotes from it; `opens` if that first message says a wish.
    """

    text: str
    asked: tuple[str, ...]
    quoted: tuple[tuple[str, str], ...] = ()
    opens: bool = False


def said_to_user(messages: Iterable[Message]) -> Iterator[SaidToUser]:
    """What the user heard, turn by turn; what stood beside calls counts, too."""
    texts: list[str] = []
    asked: tuple[str, ...] = ()
    opens = False
    for each in messages:
        if each.by_agent and each.text.strip():
            texts.append(each.text)
        elif each.role == "user":
            if texts:
                yield SaidToUser(heard(texts), asked, each.quotes, opens)
            texts, asked, opens = [], each.asks, bool(each.wishes)
    if texts:
        yield SaidToUser(heard(texts), asked, opens=opens)


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
