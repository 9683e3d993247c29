"""A session on which many stories are told from one start: what a call comes to in a state is worked out once.

Tools, rules and picks depend on nothing but the rows that they may read, the clock and the id counter, all of which
are in the keys here. Proofs do not play on such a session: what they say is executed each time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Row, Value
from runtime.domain.tool import Tool
from runtime.errors import Rejection, UsageError
from runtime.session.ruling import ForbiddenCall
from runtime.session.session import Outcome, Session, Snapshot
from runtime.session.workspace import Workspace
from runtime.session.world import World

_MOST_KEPT = 5_000  # of what is remembered of each kind; then it begins anew


@dataclass(frozen=True)
class _Known:
    """What a call came to, and the state that it left if it may write and was accepted."""

    outcome: Outcome
    after: Snapshot | None


class RememberingSession(Session):
    """A session in memory that executes a call once in each state that the call can tell from others.

    Its database is brought to the present state when something is not remembered..
    """

    def __init__(self, domain: Domain, world: World) -> None:
        super().__init__(domain, world)
        self._stored: Changes | None = None  # the state of the database, where that is not the present one
        self._calls: dict[Hashable, _Known] = {}
        self._forbidden: dict[Hashable, tuple[ForbiddenCall, ...]] = {}
        self._read: dict[Hashable, list[Row]] = {}

    def perform(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool as an agent does: a rejection is an outcome; errors: EnvironmentFault."""
        tool = self.domain.tools.get(name)
        if tool is None:
            return super().perform(name, arguments)
        key = (name, repr(arguments), self._seen_by(tool))
        known = self._calls.get(key)
        if known is None:
            outcome = super().perform(name, arguments)
            after = self.snapshot() if tool.writes and outcome.rejection is None else None
            _keep(self._calls, key, _Known(outcome, after))
            return outcome
        if known.after is not None:
            self._go_to(known.after)
        result, rejection, text = known.outcome
        # An error that is raised again would hold on to all that it was raised in.
        return Outcome(result, rejection and Rejection(rejection.kind, rejection.sentence), text)

    def forbidding(self, tool: str, arguments: Mapping[str, Any]) -> tuple[ForbiddenCall, ...]:
        """The rules that forbid a call now; errors: EnvironmentFault."""
        key = (tool, repr(arguments), frozenset(self._changes.rows.items()))
        known = self._forbidden.get(key)
        return _keep(self._forbidden, key, super().forbidding(tool, arguments)) if known is None else known

    def read_start(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """What a SELECT finds in the world as it was before any call; errors: sqlite3.Error."""
        key = (sql, *values, *map(type, values))
        known = self._read.get(key)
        return _keep(self._read, key, super().read_start(sql, values)) if known is None else known

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or over, to a snapshot of the same world; the database follows when it is needed."""
        if self._closed or snapshot.world is not self.world:
            raise UsageError("The snapshot is of another world, or its database is closed already.")
        self._go_to(snapshot)

    def open(self) -> Workspace:
        """Bring the database to the present state, opening it if need be."""
        stored, self._stored = self._stored, None
        if stored is None:
            return super().open()
        present, self._changes = self._changes, stored
        try:
            self._move_to(present, self._counter)
        except BaseException:
            self._stored = stored
            raise
        finally:
            self._changes = present
        return super().open()

    def park(self) -> None:
        """Close the database and keep only what changed; the next use opens it again, unchanged."""
        super().park()
        self._stored = None

    def close(self) -> None:
        """End the session for good, and forget all."""
        super().close()
        for kept in (self._calls, self._forbidden, self._read):
            kept.clear()

    def _go_to(self, state: Snapshot) -> None:
        counter = self._present_counter()
        if state.counter == counter and state.changes.rows == self._changes.rows:
            return
        if self._stored is None and self.connection is not None:
            self._stored = self._changes
        self._changes, self._counter = state.changes.copy(), state.counter

    def _seen_by(self, tool: Tool) -> Hashable:
        """All of the state that a tool can tell: what it may read, and for one that writes everything."""
        changed = self._changes.rows.items()
        if tool.writes:
            return frozenset(changed), self._present_counter()
        return frozenset(each for each in changed if each[0][0] in tool.reads)

    def _present_counter(self) -> int:
        return super()._present_counter() if self._stored is None else self._counter


def _keep(kept: dict[Hashable, Any], key: Hashable, value: Any) -> Any:
    """Remember a value, and return it."""
    if len(kept) >= _MOST_KEPT:
        kept.clear()
    kept[key] = value
    return value
