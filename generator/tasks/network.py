"""The dependency graph of a domain as expansion asks it: what follows a tool, what feeds it, what unlocks it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from generator.gates.calls.sample import slot_path, slots_of
from runtime.domain.domain import Domain
from runtime.graph import Graph
from runtime.task.origin import dotted, read_path

LAMBDA = 0.5  # of c(H), as in the paper


@dataclass(frozen=True)
class Feed:
    """A tool that returns, at a place in its result, a value for a parameter of another."""

    source: str
    result: str
    parameter: str


class Network:
    """A domain's tools and how they depend on each other; `told` are arguments of successful cases, by tool."""

    def __init__(self, domain: Domain, graph: Graph, told: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.told = told
        self.tools = sorted(domain.tools)
        self._domain = domain
        self._edges = [edge for edge in graph.edges if {edge.source, edge.target} <= domain.tools.keys()]

    @cached_property
    def _targets(self) -> dict[str, set[str]]:
        """The tools to which edges of any kind lead from each one."""
        found: dict[str, set[str]] = {}
        for edge in self._edges:
            found.setdefault(edge.source, set()).add(edge.target)
        return found

    def is_satisfiable(self, tool: str, within: Collection[str]) -> bool:
        """Return True if tools of a subset return every id that a tool must be given."""
        return all(self.feeding(tool, parameter, within) for parameter in self.needs[tool])

    def feeding(self, tool: str, parameter: str, within: Collection[str]) -> list[str]:
        """The tools of a subset that return a value for a parameter of a tool."""
        return [
            feed.source for feed in self.feeds.get(tool, ()) if feed.parameter == parameter and feed.source in within
        ]

    def complexity(self, within: Collection[str]) -> float:
        """c(H) = (|V_H| + 0.5 |E_H|) / (|V_G| + 0.5 |E_G|), where E are the ordered pairs that edges connect."""
        return self._weight(within) / self._weight(self.tools) if self.tools else 1.0

    def _weight(self, within: Collection[str]) -> float:
        inside = set(within)
        return len(inside) + LAMBDA * sum(len(self._targets.get(tool, set()) & inside) for tool in inside)

    @cached_property
    def after(self) -> dict[str, list[str]]:
        """The tools that take a value of a tool or need what it does; those that merely see what it wrote do not."""
        found: dict[str, set[str]] = {}
        for edge in self._edges:
            if edge.kind != "shared_state":
                found.setdefault(edge.source, set()).add(edge.target)
        return {tool: sorted(targets) for tool, targets in found.items()}

    @cached_property
    def feeds(self) -> dict[str, list[Feed]]:
        """What is known to feed each tool."""
        found: dict[str, list[Feed]] = {}
        for edge in self._edges:
            evidence = edge.evidence
            if edge.kind == "data_flow" and evidence.result is not None and evidence.parameter is not None:
                parameter = dotted(slot_path(read_path(evidence.parameter)))
                feed = Feed(edge.source, evidence.result, parameter)
                found.setdefault(edge.target, []).append(feed)
        return {tool: sorted(feeds, key=lambda feed: feed.source) for tool, feeds in found.items()}

    @cached_property
    def unlocking(self) -> dict[str, list[str]]:
        """Tools that may have to come before one, those that are known to unlock it first."""
        found: dict[str, dict[str, None]] = {}
        for kind in ("precondition", "data_flow", "shared_state"):
            for edge in self._edges:
                if edge.kind == kind and self._domain.tools[edge.source].writes:
                    found.setdefault(edge.target, {}).setdefault(edge.source)
        return {tool: list(sources) for tool, sources in found.items()}

    @cached_property
    def needs(self) -> dict[str, list[str]]:
        """The parameters that a tool must be given the id of a row in."""
        needs = {}
        for name, tool in self._domain.tools.items():
            required = set(tool.arguments.schema.get("required", ()))
            slots = slots_of(tool, self._domain.schema)
            needs[name] = [slot.name for slot in slots if slot.keys and slot.path[0] in required]
        return needs
