"""Calls of the tools that run in a task's world: an example of each, and some that write where nobody asked."""

from __future__ import annotations

import random
from collections.abc import Iterator

from generator.graph.bench import Call
from generator.graph.draw import Drawer
from generator.tasks.proofs.rehearsal import Rehearsal

MOST_DRAWS = 80  # of arguments for a tool, before it counts as one that cannot run here


class Examples:
    """Draws calls of each tool on the rows of a task's start."""

    def __init__(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal
        self._drawers: dict[str, Drawer] = {}
        self._found: dict[str, Call | None] = {}

    def find(self, name: str) -> Call | None:
        """A call of the tool that is accepted at the start; None if none was found."""
        if name not in self._found:
            rehearsal = self._rehearsal
            calls = self.draw(name, random.Random(f"{rehearsal.task.id} {name}"))
            self._found[name] = next((call for call in calls if self._runs(call)), None)
        return self._found[name]

    def draw(self, name: str, chance: random.Random) -> Iterator[Call]:
        """Calls to try: those of the chain, then random ones on rows that belong together."""
        rehearsal = self._rehearsal
        told = [dict(step.arguments) for step in rehearsal.reference if step.tool == name]
        yield from (Call(name, arguments) for arguments in told)
        drawer = self._drawers.get(name)
        if drawer is None:
            drawer = self._drawers[name] = Drawer(rehearsal.domain.tools[name], rehearsal.start, told)
        for _ in range(MOST_DRAWS):
            yield Call(name, drawer.draw(chance, drawer.anchor(chance)))

    def _runs(self, call: Call) -> bool:
        rehearsal = self._rehearsal
        return rehearsal.call(call.tool, call.arguments, rehearsal.beginning) is not None
