"""What a server says of a domain before any tool is called, as plain JSON that needs no MCP package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from runtime.domain.domain import Domain
from runtime.domain.hybrid import HybridDomain
from runtime.domain.tool import Tool
from runtime.domain.waiting import CLOCK_TOOLS, WAIT
from runtime.session.faults import WAIT_TOOL


def instructions(domain: Domain, *, with_policy: bool, timed: bool = False) -> str:
    """Return what an agent is told of a domain: what it is, the clock, and the policy where asked for."""
    moves = "it moves when you call `wait`, which tells the time then" if timed else "it does not advance"
    now = domain.now
    if isinstance(domain, HybridDomain):
        now = ", ".join(f"{part.now} at {part.card.title}" for part in domain.parts.values())
    text = f"{domain.card.summary}\n\nThe current date and time is {now}; {moves}."
    return f"{text}\n\n{domain.policy.strip()}" if with_policy and domain.policy else text


def list_tools(domain: Domain, throttles: bool = False, timed: bool = False) -> tuple[Mapping[str, Any], ...]:
    """Return a domain's tools as MCP lists them, listed once.

    With `wait` where calls may be throttled; with `wait` and `notices` where the clock of the session moves (`timed`).
    """
    if domain not in _listed:
        _listed[domain] = _describe(domain.tools)
    if timed:
        return (*_listed[domain], *_describe(CLOCK_TOOLS))
    return (*_listed[domain], WAIT_TOOL) if throttles and WAIT not in domain.tools else _listed[domain]


_listed: WeakKeyDictionary[Domain, tuple[Mapping[str, Any], ...]] = WeakKeyDictionary()


def _describe(tools: Mapping[str, Tool]) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": dict(tool.arguments.schema),
            "outputSchema": dict(tool.result.schema),
            "annotations": {
                "readOnlyHint": tool.read_only,
                "destructiveHint": tool.destructive,
                "idempotentHint": tool.read_only,
                "openWorldHint": False,
            },
        }
        for tool in tools.values()
    )
