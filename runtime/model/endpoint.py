"""What becomes of a request that fails, whatever the API: it is tried again, or fails, or ends the command."""

from __future__ import annotations

import asyncio
import logging
import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import TypeVar

import httpx2

from runtime.errors import ModelFailed, UsageError
from runtime.model.backoff import Backoff

MOST_UNREACHED = 3  # requests that fail before anything was ever answered; then the address is wrong

Whole = TypeVar("Whole")

_LOG = logging.getLogger(__name__)
_OUTGROWN = re.compile(
    r"prompt is too long|request_too_large|context[_ ](length|window|size)|longer than the (maximum )?model"
    r"|input tokens exceed|(prompt|input) length .*exceed",
    re.IGNORECASE,
)
_UNREADABLE = re.compile(r"model (produced|generated) output that|tool_use_failed|failed to parse (input|tool)", re.I)


class Passing(Exception):
    """A try failed by what may pass by itself; the headers may name a wait."""

    def __init__(self, reason: str, headers: Mapping[str, str] | None = None, *, was_reached: bool = True) -> None:
        super().__init__(reason)
        self.headers: Mapping[str, str] = headers or {}
        self.was_reached = was_reached


class NotTaken(Exception):
    """The server said that it does not take this request; `failure` is what that means if nothing helps."""

    def __init__(self, failure: ModelFailed, said: str) -> None:
        super().__init__(said)
        self.failure = failure

    @property
    def is_outgrown(self) -> bool:
        """Whether the conversation has become longer than the model can read."""
        return says_outgrown(str(self))

    @property
    def is_unreadable(self) -> bool:
        """Whether the server cannot read what its model wrote, which is the model's fault."""
        return says_unreadable(str(self))


class Endpoint:
    """One model at one address, which the environment's `variable` names.

    Until it `has_answered` once, what cannot pass by itself is a wrong set-up and ends the command.
    """

    def __init__(self, name: str, variable: str, backoff: Backoff | None) -> None:
        self.name = name
        self.has_answered = False
        self._variable = variable
        self._unreached = 0  # requests that no try of came through
        self._backoff = backoff or Backoff()

    async def until_whole(self, attempt: Callable[[], Awaitable[Whole]], where: str) -> Whole:
        """What the first whole try gives; one that raises `Passing` is followed by another, after a wait.

        Errors: ModelFailed, UsageError, and whatever else a try raises.
        """
        failures = 0
        while True:
            try:
                reply = await attempt()
            except Passing as failure:
                reason, headers, was_reached = str(failure), failure.headers, failure.was_reached
            else:
                self.has_answered = True
                return reply
            failures += 1
            wait = self._backoff.seconds(failures, headers)
            if wait is None:
                self._unreached += not was_reached
                if not self.has_answered and self._unreached >= MOST_UNREACHED:
                    tried = f"{self._unreached} requests failed after {failures} tries each and none was ever answered"
                    raise self.misplaced(f"{reason}; {tried}")
                raise self.failed(where, f"failed after {failures} tries; {reason}")
            again = f"try {failures + 1} of {self._backoff.tries} in {wait:.0f} s"
            _LOG.warning("%s: %s; %s", self.name, reason, again)
            await asyncio.sleep(wait)

    def warn(self, what: str) -> None:
        """Say at once what a person should know about this model."""
        _LOG.warning("%s: %s", self.name, what)

    def unusable(self, what: str) -> UsageError:
        """The error that ends the command: asking again would not help."""
        return UsageError(f"Model {self.name!r} cannot be used: {what}.")

    def misplaced(self, what: str) -> UsageError:
        """The same where the address may be a wrong one."""
        return self.unusable(f"{what}; see {self._variable}")

    def failed(self, where: str, what: str) -> ModelFailed:
        """The error that says what the model did, and of which request."""
        return ModelFailed(f"{where}: {self.name} {what}.")


def says_outgrown(said: str) -> bool:
    """Whether a server says that a conversation has become longer than its model can read."""
    return bool(_OUTGROWN.search(said))


def says_unreadable(said: str) -> bool:
    """Whether a server says that it cannot read what its model wrote."""
    return bool(_UNREADABLE.search(said))


def is_lasting(error: BaseException) -> bool:
    """Whether a connection fails by what it is made to: no such host, no such protocol, no certificate to trust."""
    return any(
        isinstance(each, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | ssl.SSLError)
        or (isinstance(each, socket.gaierror) and each.errno == socket.EAI_NONAME)
        for each in causes(error)
    )


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it comes from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def one_line(text: str) -> str:
    """A server's own words, within a sentence of ours."""
    return " ".join(text.split())[:300].rstrip(".")
