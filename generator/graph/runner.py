"""Run calls on a start, from any state of it, and say what came of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

from generator.graph.start import Start
from runtime.domain.changes import Changes
from runtime.errors import EnvironmentFault
from runtime.session.session import Session, Snapshot

_SHOWN = 100  # characters of a text in evidence


@dataclass(frozen=True)
class TriedCall:
    """A tool and the arguments it is called with."""

    tool: str
    arguments: Mapping[str, Any]

    @cached_property
    def text(self) -> str:
        """The same for equal arguments, whatever their order."""
        return json.dumps(self.arguments, sort_keys=True)


@dataclass(frozen=True)
class Ran:
    """What came of a call: the text an agent reads, and the kind of rejection, empty if it was accepted."""

    text: str
    rejection: str = ""
    crashed: bool = False

    @property
    def accepted(self) -> bool:
        """Whether the call went through."""
        return not self.rejection and not self.crashed

    @cached_property
    def result(self) -> Any:
        """What an accepted call returned."""
        return json.loads(self.text)

    @property
    def shown(self) -> str:
        """The text for evidence: cut if it is long, and then with a digest of the whole."""
        if len(self.text) <= _SHOWN:
            return self.text
        return f"{self.text[:_SHOWN]}... {blake2b(self.text.encode(), digest_size=6).hexdigest()}"


def note_crash(crashes: dict[str, str], tool: str, crash: str) -> None:
    """Keep one crash of each tool: the first in the alphabet, so that the order of work does not matter."""
    crashes[tool] = min(crash, crashes.get(tool, crash))


class CallRunner:
    """A session on a start that goes to the state a call is to run from; crashes are noted by tool."""

    def __init__(self, start: Start) -> None:
        self.start = start
        self.crashes: dict[str, str] = {}
        self._session = Session(start.domain, start.world, principal=start.place.principal)
        self.beginning = self._session.snapshot()
        self._here: Snapshot | None = self.beginning
        self._remembered: dict[tuple[str, str, int], Ran] = {}

    def run(self, call: TriedCall, state: Snapshot) -> Ran:
        """Make the call in a state; whatever it changes is undone before the next one."""
        if self._here is not state:
            self._session.restore(state)
        self._here = state
        try:
            outcome = self._session.perform(call.tool, call.arguments)
        except EnvironmentFault as fault:
            note_crash(self.crashes, call.tool, f"{call.text[:_SHOWN]}: {fault}")
            return Ran(str(fault), crashed=True)
        if outcome.rejection is not None:
            return Ran(outcome.text, outcome.rejection.kind)
        if not self.start.domain.tools[call.tool].read_only:
            self._here = None
        return Ran(outcome.text)

    def run_and_stay(self, call: TriedCall, state: Snapshot | None = None) -> tuple[Ran, Snapshot]:
        """Make the call in a state, or on the start; also the state that it leaves."""
        ran = self.run(call, state or self.beginning)
        if self._here is None:
            self._here = self._session.snapshot()
        return ran, self._here

    def run_at_first(self, call: TriedCall, counter: int) -> Ran:
        """Make the call on the start with the id counter at a number, so that new ids are those of a later state."""
        counts = "insert" in self.start.domain.tools[call.tool].operations
        name = (call.tool, call.text, counter if counts else 0)
        ran = self._remembered.get(name)
        if ran is None:
            state = Snapshot(self.start.world, Changes(), counter) if counts else self.beginning
            ran = self._remembered[name] = self.run(call, state)
        return ran

    def run_before_and_after(self, call: TriedCall, before: Snapshot, after: Snapshot) -> tuple[Ran, Ran]:
        """Make the call in two states, in the first with the id counter of the second."""
        if before is self.beginning:
            return self.run_at_first(call, after.counter), self.run(call, after)
        return self.run(call, replace(before, counter=after.counter)), self.run(call, after)

    def close(self) -> None:
        """End the session."""
        self._session.close()

    def __enter__(self) -> CallRunner:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
