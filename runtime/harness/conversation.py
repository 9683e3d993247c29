"""Who speaks and what is said: the messages of an episode, what an agent is, and what a simulated user is."""

from __future__ import annotations

import hashlib
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from runtime.domain.arguments import weekday
from runtime.domain.domain import Domain
from runtime.domain.handbook import SearchedDomain
from runtime.domain.hybrid import HybridDomain
from runtime.errors import EnvironmentFault
from runtime.model.model import Usage
from runtime.session.world import World
from runtime.task.task import Task
from runtime.wording import counted

Role = Literal["system", "user", "assistant", "tool"]


LEFT_OUT = "(arguments that JSON cannot carry)"
_DEEPEST, _LONGEST_TEXT, _LONGEST_NAME = 64, 512 * 1024, 200  # levels, characters, characters


@dataclass(frozen=True)
class ToolCall:
    """A call that an agent asks for; `arguments` are as it gave them, an object if it followed the schema.

    Arguments that a client, the store or a trainer's reader of JSON would choke on are left out.
    """

    id: str
    name: str
    arguments: Any

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or len(self.name) > _LONGEST_NAME or not is_plain(self.name):
            object.__setattr__(self, "name", "unnamed")
        if not is_plain(self.arguments):
            object.__setattr__(self, "arguments", LEFT_OUT)


def is_plain(value: Any, levels: int = _DEEPEST) -> bool:
    """True if every reader of JSON takes a value: Unicode text, 64-bit integers, finite numbers, limited nesting."""
    match value:
        case str():
            return len(value) <= _LONGEST_TEXT and mended(value) == value
        case None | bool():
            return True
        case int():
            return -(2**63) <= value < 2**63
        case float():
            return isfinite(value)
        case Mapping() if levels:
            return all(isinstance(name, str) and is_plain(name) for name in value) and all(
                is_plain(each, levels - 1) for each in value.values()
            )
        case list() | tuple():
            return levels > 0 and all(is_plain(each, levels - 1) for each in value)
    return False


def mended(text: str) -> str:
    """Replace halves of surrogate pairs, which are not Unicode text."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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
    fault: str = ""
    """Of an answer: the kind of the service's fault that the call met; the agent is not shown it."""

    @property
    def went_through(self) -> bool:
        """Of an answer: whether the call was carried out, which the agent may not know."""
        return not self.is_error or self.fault == "timeout_after"


def converses(messages: Sequence[Message]) -> bool:
    """True if the user answers: then the conversation begins with the assistant's greeting."""
    return any(message.role == "assistant" and not message.by_agent for message in messages)


@dataclass(frozen=True)
class AssistantTurn:
    """What the agent does next: words for the user, calls, or both. Neither means that it gave up, `note` says why."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    note: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", mended(self.text))
        object.__setattr__(self, "note", mended(self.note))


@dataclass(frozen=True)
class AgentContext:
    """What an agent is given at the start of an episode.

    `tools` are those that the session's server lists, as MCP has them: name, description, inputSchema, outputSchema,
    annotations. `task` and `world` are for agents that do not compete, such as the reference agent; no other looks.
    """

    domain: Domain
    task: Task = field(repr=False)
    world: World = field(repr=False)
    system: str = field(repr=False)
    tools: Sequence[Mapping[str, Any]] = field(repr=False)
    seed: int  # of this episode; an agent that draws, draws from it


class Agent(Protocol):
    """One agent in one episode; one that holds a resource, such as a program, has a coroutine `close`."""

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        """The next turn, given all messages so far; errors: ModelFailed, UsageError."""


class AgentKind(Protocol):
    """What `--agent` names; it seats a fresh agent in every episode."""

    @property
    def name(self) -> str:
        """How it was asked for: `reference`, `anthropic:MODEL`, `command:...`."""

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent."""


_RULES = "You are the assistant of {office}. {summary}\n\n{time} {moves}\n\n{task}"
_CALLS = (
    "You help one user with the tools you are given. The user reads what you write, but sees neither your calls nor "
    "their results, so tell them what matters. Change only what the user asks for{duties}, and leave out optional "
    "details that nobody gave you. Record text that the user gives you in quotes exactly as it is. Ask for what you "
    "need and cannot look up. If your tools{rules} do not allow something, say plainly that you cannot do it. When you "
    "have done something, say so, and answer what the user wanted to know."
)
_INBOX = (
    "You are on the staff, and work through the office's inbox with the tools you are given until no new message is "
    "left. Change only what a message asks for{duties}, and leave out optional details that nobody gave you. Record "
    "text that a message gives in quotes exactly as it is. If your tools{rules} do not allow something, say so plainly "
    "in your reply. Your day ends when you say that you are done."
)


_MOVES = (
    "It moves only when you call `wait`. Things may happen while you wait; `notices` lists what the office was told. "
    "Do not end the conversation before what the user asked for has been done, if that takes waiting."
)
_INBOX_MOVES = (
    "It moves only when you call `wait`. New messages may come in until the office closes: a `wait` ends when one "
    "does, and `notices` lists them. Do not end the day before the office has closed."
)


def system_message(
    domain: Domain, with_policy: bool, calls: int | None = None, *, timed: bool = False, finds_tools: bool = False
) -> str:
    """The first message of an episode: who the assistant is, the clock, how to work, and the policy.

    `calls` is the budget of calls, where there is one; `timed` where the clock moves, `finds_tools` where the tools
    are not listed.
    """
    policy = domain.policy.strip() if with_policy else ""
    works, moves = (_INBOX, _INBOX_MOVES) if domain.card.desk == "inbox" else (_CALLS, _MOVES)
    task = works.format(
        duties=" and what the policy below tells you to record or do" if policy else "",
        rules=" or the policy" if policy else "",
    )
    text = _RULES.format(
        office=_office(domain),
        summary=domain.card.summary.strip(),
        time=_time(domain),
        moves=moves if timed else "It does not advance.",
        task=task,
    )
    if finds_tools:
        text += " You are not shown all of your tools; find those that you need with `find_tools`."
    if calls is not None:
        beside = " beside searching and reading the handbook" if isinstance(domain, SearchedDomain) else ""
        text += f" You can make at most {counted(calls, 'tool call')} in this conversation{beside}."
    return f"{text}\n\n{policy}" if policy else text


def _office(domain: Domain) -> str:
    if not isinstance(domain, HybridDomain):
        return f"an office: {domain.card.title}"
    prefixes = ", ".join(f"{part.card.title} (`{prefix}`)" for prefix, part in domain.parts.items())
    return (
        f"{len(domain.parts)} offices with records of their own. The tools of each begin with its name: {prefixes}. "
        "The user is one person, whom each office has to identify by itself"
    )


def _time(domain: Domain) -> str:
    if not isinstance(domain, HybridDomain):
        return f"The current time is {domain.now}, a {weekday(domain.now)}."
    times = [f"{part.now}, a {weekday(part.now)}, at {part.card.title}" for part in domain.parts.values()]
    return f"The current time is {'; '.join(times)}."


def episode_seed(domain: Domain, task_id: str, trial: int) -> int:
    """The seed of whatever draws in an episode: the same in every run and every process."""
    name = "\0".join((domain.name, task_id, str(trial)))
    return int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "big")


if TYPE_CHECKING:
    from runtime.task.answers import AnswerReader

Said = TypeVar("Said")


def at_once(reply: Coroutine[Any, Any, Said]) -> Said:
    """What a user or agent says who waits for nothing: no event loop is needed, and a notebook's own may be running.

    Errors: EnvironmentFault if it waits all the same.
    """
    try:
        reply.send(None)
    except StopIteration as done:
        answer: Said = done.value
        return answer
    reply.close()
    raise EnvironmentFault("The user or agent of a rollout waits for something, which needs an event loop.")


@dataclass(frozen=True)
class CallSeen:
    """A call that the agent made since the user spoke last, as far as the agent itself knows what came of it."""

    tool: str
    writes: bool
    accepted: bool
    declines: bool = False  # it records that a rule forbids a request
    identifies: bool = False  # it records who the caller is


@dataclass(frozen=True)
class UserReply:
    """What the user says. With `ends` the conversation is over; nobody answers what is said with it.

    `asks` names the answers whose closed question it carries, `wishes` are the requests that it says, counted from 0,
    `tells` the columns of the caller's own row that it tells, and `taken` the answers that were written down just
    before it. `slips` counts what a model said or read wrongly on the way to it.
    """

    text: str
    ends: bool = False
    usage: Usage | None = None
    slips: int = 0
    asks: tuple[str, ...] = ()
    wishes: tuple[int, ...] = ()
    tells: tuple[str, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", mended(self.text))


class SimulatedUser(Protocol):
    """One user in one episode; one that changes in the course of it has `fork`, which copies it at this point."""

    async def open(self) -> UserReply:
        """The first thing that the user says, after the assistant's greeting."""

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """The answer to all that the assistant said, and what it did, since the user spoke last.

        Errors: ModelFailed, UsageError.
        """


class UserKind(Protocol):
    """What `--user` names; it makes a fresh user in every episode."""

    @property
    def name(self) -> str:
        """How it was asked for: `scripted`, `reader:relay:DIR`, `anthropic:MODEL`, `none`."""

    @property
    def converses(self) -> bool:
        """False if everything is told at once and nobody answers (EnvScaler's non-conversational setting)."""

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A fresh user for a task, who takes the answers down with `reader`; `seed` is of this episode."""
