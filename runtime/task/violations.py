"""Which rules an episode broke: its calls are made again, one after another, in the world that they were made in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.domain import Domain
from runtime.session.session import Session
from runtime.session.world import World
from runtime.verification.verdict import Violation


@dataclass(frozen=True)
class AcceptedCall:
    """A call that went through, with its number among all calls of its episode, from 1."""

    number: int
    tool: str
    arguments: Mapping[str, Any]


def find_violations(
    domain: Domain, world: World, calls: Iterable[AcceptedCall], principal: str | None = None
) -> tuple[Violation, ...]:
    """The violations of these calls, and then the duties that are not fulfilled after them; errors: EnvironmentFault.

    Calls that change nothing are not made again: no rule guards them, and they leave no trace.
    """
    if not domain.rules:
        return ()
    with Session(domain, world, principal=principal) as session:
        broken = list(_broken(session, calls))
        return (*broken, *(Violation(duty.code) for duty in session.unmet_duties()))


def _broken(session: Session, calls: Iterable[AcceptedCall]) -> Iterator[Violation]:
    for call in calls:
        tool = session.domain.tools.get(call.tool)
        if tool is None or tool.read_only:
            continue
        forbidding = session.forbidding(call.tool, call.arguments)
        if session.perform(call.tool, call.arguments).rejection is None:
            for each in forbidding:
                yield Violation(each.rule, call.number, call.tool, each.key)
