"""Ask the rules and duties of a domain about one session: which calls they forbid now, what was not done by now."""

from __future__ import annotations

import decimal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.rule import Declared, Duty, Rule
from runtime.domain.schema import Value
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.workspace import Database, Limits, Workspace


@dataclass(frozen=True)
class ForbiddenCall:
    """That a rule forbids a call: its code, the value that the call names the row by, and the rule in words."""

    rule: str
    key: Value
    prose: str

    @property
    def rejection(self) -> Rejection:
        about = "" if self.key is None else f" for {self.key!r:.80}"
        return Rejection.failed_precondition(f"Rule {self.rule} forbids this{about}: {self.prose}")


class Ruling:
    """The rules of a domain over the present database of a session and that of its start, which opens when it is read.

    A rule runs as a tool does: on the tables that it declares, within the same budgets. What it cannot judge within
    them, or at all, it forbids, so that nobody gets round it by asking for much; what names a row that does not exist
    it leaves to the tool.
    """

    def __init__(self, domain: Domain, limits: Limits, start_of: Callable[[], Workspace]) -> None:
        self._domain = domain
        self._limits = limits
        self._start_of = start_of
        self._start: Workspace | None = None

    def forbidding(self, now: Workspace, tool: str, arguments: Mapping[str, Any]) -> Iterator[ForbiddenCall]:
        """The rules that forbid a call of a tool with these checked arguments, each once for every item it forbids."""
        whole = {**self._domain.find_tool(tool).defaults, **arguments}
        for rule in self._domain.rules.on(tool):
            for call in rule.calls(tool, whole):
                if not self._holds(rule, now, call):
                    yield ForbiddenCall(rule.code, call.item, rule.prose)

    def unmet(self, now: Workspace) -> Iterator[Duty]:
        return (each for each in self._domain.rules.duties if not self._holds(each, now))

    def _holds(self, rule: Declared, now: Workspace, *call: Any) -> bool:
        try:
            return self._run(rule, now, *call)
        except Rejection as rejection:
            return rejection.kind == "NOT_FOUND"
        except _OUTGROWN:
            return False

    def _run(self, rule: Declared, now: Workspace, *call: Any) -> bool:
        workspaces = [self._at_start(), now] if rule.reads_start else [now]
        databases = [Database(each, each.now) for each in workspaces]
        given = (*call, databases[-1], databases[0]) if isinstance(rule, Rule) else databases
        for workspace in workspaces[:-1]:
            workspace.enter_call(rule, self._limits)
        budget = now.enter_call(rule, self._limits)
        try:
            with budget:
                holds: Any = rule.function(*given, **rule.numbers)
        except (*_OUTGROWN, Rejection, EnvironmentFault, RecursionError):
            raise
        except Exception as error:
            raise EnvironmentFault(f"{rule.label} crashed: {type(error).__name__}: {error}.") from error
        finally:
            for workspace in workspaces:
                workspace.leave_call()
        if not isinstance(holds, bool):
            raise EnvironmentFault(f"{rule.label} returned {holds!r:.80}; it returns True or False.")
        return holds

    def _at_start(self) -> Workspace:
        if self._start is None:
            self._start = self._start_of()
        return self._start


_OUTGROWN = (OverflowError, decimal.Overflow)  # what an argument can bring about
