"""What a server says of a domain before any tool is called: plain JSON, so that a compiled server starts with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.tool import Tool


@dataclass(frozen=True)
class Listing:
    """The name, the words and the tools of a domain; `tools` are MCP tools as JSON."""

    name: str
    version: str
    title: str
    summary: str
    clock: str
    policy: str
    tools: tuple[Mapping[str, Any], ...]

    def instructions(self, *, with_policy: bool) -> str:
        """What an agent is told of the domain: what it is, the clock, and the policy where asked for."""
        text = f"{self.summary}\n\nThe current date and time is {self.clock}; it does not advance."
        return f"{text}\n\n{self.policy.strip()}" if with_policy and self.policy else text


def list_domain(domain: Domain) -> Listing:
    return Listing(
        name=domain.name,
        version=domain.card.version,
        title=domain.card.title,
        summary=domain.card.summary,
        clock=domain.now,
        policy=domain.policy,
        tools=tuple(_describe(tool) for tool in domain.tools.values()),
    )


def _describe(tool: Tool) -> dict[str, Any]:
    return {
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
