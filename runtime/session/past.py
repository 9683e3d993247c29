"""A past that was lived: as a world is made, its office calls the domain's tools on earlier days, under its rules."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from runtime.domain.caller_rules import is_caller_rule
from runtime.domain.changes import Changes
from runtime.domain.domain import Domain
from runtime.domain.rule import Declared, Rulebook
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault, Rejection
from runtime.sandbox.budget import spend
from runtime.session.ruling import Ruling
from runtime.session.workspace import Database, Limits, confined

_STEPS_PER_CALL = 30  # of the world program; the call itself has the budget of any call


class Office:
    """What `days(office)` of a world program is handed: chance, the rows as they are by then, a clock, and calls.

    Each call is judged as the only one of a conversation whose caller is known.
    """

    def __init__(self, domain: Domain, connection: sqlite3.Connection, seed: int, size: int) -> None:
        own = [rule for rule in domain.rules.rules if not is_caller_rule(rule)]
        self._domain = replace(domain, rules=Rulebook(tuple(own)))
        self.random = random.Random(f"past of world {seed}")
        self.seed, self.size = seed, size
        self.now = ""
        self._limits = Limits()
        self._workspace = confined(connection, domain.schema, domain.policies, domain.now, self._limits)
        self._ruling = Ruling(self._domain, self._limits, lambda: self._workspace)
        self._changes = Changes()

    @property
    def today(self) -> str:
        """The day it is, as YYYY-MM-DD."""
        return self.now[:10]

    @property
    def counter(self) -> int:
        """A number that no id of the world exceeds, unless the world program made the id itself."""
        return self._workspace.counter

    def moment(self, offset: int, time: str) -> str:
        """Return a time of day (HH:MM) `offset` days from the day that the world ends on, as YYYY-MM-DD HH:MM:SS."""
        day = datetime.fromisoformat(self._domain.now[:10]).date() + timedelta(days=offset)
        return f"{day} {time}:00"

    def wait(self, until: str) -> None:
        """Let the clock go on to a moment, the first one of the past or a later one, up to the world's now."""
        if not self.now < until <= self._domain.now:
            after = f"after {self.now!r}, and " if self.now else ""
            raise EnvironmentFault(
                f"world.py waits until {until!r}; that must be {after}not after {self._domain.now!r}."
            )
        self.now = self._workspace.now = until

    def call(self, tool: str, /, **arguments: Any) -> Mapping[str, Any] | None:
        """Call a tool now, and return its result; None if the tool rejects the call or a rule forbids it."""
        if not self.now:
            raise EnvironmentFault(f"world.py calls {tool!r} before it has waited until a first moment.")
        spend(_STEPS_PER_CALL)
        workspace = self._workspace
        try:
            called = self._domain.find_tool(tool)
            checked = called.check(arguments)
            if any(self._ruling.forbidding(workspace, called.name, checked)):
                return None
            with workspace.enter_call(called, self._limits, self._changes):
                result = called.function(Database(workspace, self.now), **checked)
            if called.writes:
                workspace.commit()
            return dict(result)
        except Rejection:
            workspace.roll_back()
            return None
        finally:
            workspace.leave_call()

    def select(self, sql: str, /, *values: Value) -> list[dict[str, Value]]:
        """Return the rows that a SELECT finds now, in any table."""
        tables = frozenset(self._domain.schema.tables)
        declared = Declared(code="days", prose="", numbers={}, reads=tables, function=bool)
        try:
            with self._workspace.enter_call(declared, self._limits):
                names, rows = self._workspace.read(sql, values)
                return [dict(zip(names, row, strict=True)) for row in rows]
        finally:
            self._workspace.leave_call()
