"""A rollout without `await`: users without a model answer at once, others on an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Mapping
from functools import cache
from typing import Any, Literal, Protocol, Self, TypeVar

from runtime.harness.episode import End
from runtime.harness.user import at_once
from runtime.verification.verdict import Verdict
from worldsmith.catalog import DomainTask
from worldsmith.chat import ChatMessage, ChatTool

AgentName = Literal["reference", "idle", "random", "parrot"]
"""An agent without a model: one that knows the way, and three that do not."""

Given = TypeVar("Given")


class _Awaited(Protocol):
    """What a `Rollout` has."""

    task: DomainTask

    @property
    def tools(self) -> list[ChatTool]: ...
    @property
    def prompt(self) -> list[ChatMessage]: ...
    @property
    def messages(self) -> list[ChatMessage]: ...
    @property
    def done(self) -> bool: ...
    @property
    def ended(self) -> End | None: ...
    @property
    def waits_for_model(self) -> bool: ...
    def final(self) -> dict[str, Any]: ...
    async def open(self) -> list[ChatMessage]: ...
    async def take(self, message: Mapping[str, Any], /) -> list[ChatMessage]: ...
    async def call(self, name: str, arguments: Any, id: str | None, /) -> str: ...
    async def say(self, text: str, /) -> str: ...
    def seat(self, agent: AgentName, /) -> Callable[[], ChatMessage]: ...
    def verdict(self) -> Verdict: ...
    def fork(self) -> Self: ...
    def close(self) -> None: ...


class SyncRollout:
    """A `Rollout` whose methods are plain: for scripts, notebooks and trainers without an event loop.

    Threads may hand it on to each other, but only one may use it at a time.
    """

    def __init__(self, rollout: _Awaited) -> None:
        self._rollout = rollout

    @property
    def task(self) -> DomainTask:
        """The task that is played."""
        return self._rollout.task

    @property
    def tools(self) -> list[ChatTool]:
        """The domain's tools as OpenAI function definitions."""
        return self._rollout.tools

    @property
    def prompt(self) -> list[ChatMessage]:
        """The messages that `open` gives, known before it; errors: UsageError."""
        return self._rollout.prompt

    @property
    def messages(self) -> list[ChatMessage]:
        """The whole conversation so far."""
        return self._rollout.messages

    @property
    def done(self) -> bool:
        """Whether the episode is over."""
        return self._rollout.done

    @property
    def ended(self) -> End | None:
        """How the episode ended; None while it goes on."""
        return self._rollout.ended

    def open(self) -> list[ChatMessage]:
        """The messages that start the episode; errors: UsageError, EnvironmentFault."""
        return self._wait(self._rollout.open())

    def take(self, message: Mapping[str, Any]) -> list[ChatMessage]:
        """The tool messages, or the user's words, that answer a message; errors: UsageError, EnvironmentFault."""
        return self._wait(self._rollout.take(message))

    def call(self, name: str, arguments: Mapping[str, Any] | str | None = None, id: str | None = None) -> str:
        """The text of a call's result or rejection; errors: UsageError, EnvironmentFault."""
        return self._wait(self._rollout.call(name, arguments, id))

    def say(self, text: str) -> str:
        """What the user answers; errors: UsageError, EnvironmentFault."""
        return self._wait(self._rollout.say(text))

    def seat(self, agent: AgentName) -> Callable[[], ChatMessage]:
        """An agent without a model; each call gives its next assistant message."""
        return self._rollout.seat(agent)

    def verdict(self) -> Verdict:
        """The verdict on the database as it is; errors: UsageError, EnvironmentFault."""
        return self._rollout.verdict()

    def fork(self) -> SyncRollout:
        """A second rollout that goes on from here by itself; errors: UsageError, EnvironmentFault."""
        return SyncRollout(self._rollout.fork())

    def final(self) -> dict[str, Any]:
        """What `verdict` judges, as JSON values."""
        return self._rollout.final()

    def close(self) -> None:
        """Let the private copy of the world go."""
        self._rollout.close()

    def __repr__(self) -> str:
        return repr(self._rollout)

    def __enter__(self) -> SyncRollout:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, coroutine: Coroutine[Any, Any, Given]) -> Given:
        if self._rollout.waits_for_model:
            return asyncio.run_coroutine_threadsafe(coroutine, _own_loop()).result()
        return at_once(coroutine)


@cache
def _own_loop() -> asyncio.AbstractEventLoop:
    """The event loop of this process on which users' models are asked; a notebook's own may be running elsewhere."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="worldsmith-users", daemon=True).start()
    return loop
