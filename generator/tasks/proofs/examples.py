"""Calls of the tools that run in a task's world: an example of each, and some that write where nobody asked."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from generator.gates.calls.arguments import ArgumentMaker
from generator.gates.calls.pool import Pool, Rows
from generator.graph.draw import Drawer
from generator.graph.runner import TriedCall
from generator.tasks.proofs.replayer import TaskReplayer

QUICK_DRAWS = 12  # of values by their names, before it is worth to look for rows that belong together
LATER_DRAWS = 40  # after one call of another tool
MOST_FURTHER = 6  # calls of another tool, if the first one does not lead to where a tool runs
MOST_DRAWS = 400  # of such rows, before a tool counts as one that cannot run here


class ExampleFinder:
    """Draws calls of each tool on the rows of a task's start; `known` are arguments that ran there before."""

    def __init__(self, replayer: TaskReplayer, known: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._replayer = replayer
        self._known = known or {}
        self._drawers: dict[str, Drawer] = {}
        self._found: dict[str, TriedCall | None] = {}

    @cached_property
    def rows(self) -> Rows:
        """The rows of the start, as random calls draw from them."""
        return Rows(self._replayer.world)

    def find(self, name: str) -> TriedCall | None:
        """A call of the tool that is accepted at the start; None if none was found."""
        if name not in self._found:
            calls = self.draw(name, random.Random(f"{self._replayer.task.id} {name}"))
            self._found[name] = next((call for call in calls if self._runs(call)), None)
        return self._found[name]

    def runs_later(self, name: str) -> bool:
        """Whether a call of the tool is accepted after a call of another one that writes what it reads."""
        tools = self._replayer.domain.tools
        chance = random.Random(f"{self._replayer.task.id} {name} later")
        others = [other.name for other in tools.values() if other.writes & tools[name].reads]
        firsts = [call for other in others if (call := self.find(other)) is not None]
        if any(self._runs_after(before, name, chance) for before in firsts):
            return True
        return any(self._runs_after(before, name, chance) for before in self._further(firsts, chance))

    def _further(self, calls: Sequence[TriedCall], chance: random.Random) -> Iterator[TriedCall]:
        """Some more accepted calls of tools that have one: another one may lead to where a tool runs."""
        for first in calls:
            accepted = (call for call in self.draw(first.tool, chance) if call != first and self._runs(call))
            yield from islice(accepted, MOST_FURTHER)

    def _runs_after(self, before: TriedCall, name: str, chance: random.Random) -> bool:
        """Draw values of what the other call returned and wrote, too."""
        replayer = self._replayer
        result = replayer.call(before.tool, before.arguments, replayer.beginning)
        state, pool = replayer.session.snapshot(), Pool(self.rows, chance)
        pool.learn(result)
        pool.look_at(state.changes)
        maker = ArgumentMaker(pool, replayer.domain.now, chance)
        calls = (maker.make(replayer.domain.tools[name]) for _ in range(LATER_DRAWS))
        return any(replayer.call(name, arguments, state) is not None for arguments in calls)

    def draw(self, name: str, chance: random.Random) -> Iterator[TriedCall]:
        """Calls to try: those that are known, those of the chain, then random ones."""
        replayer, tool = self._replayer, self._replayer.domain.tools[name]
        if name in self._known:
            yield TriedCall(name, self._known[name])
        told = [dict(step.arguments) for step in replayer.reference if step.tool == name]
        yield from (TriedCall(name, arguments) for arguments in told)
        maker = ArgumentMaker(Pool(self.rows, chance), replayer.domain.now, chance)
        for _ in range(QUICK_DRAWS):
            yield TriedCall(name, maker.make(tool))
        drawer = self._drawers.get(name)
        if drawer is None:
            drawer = self._drawers[name] = Drawer(tool, replayer.start, told)
        for _ in range(MOST_DRAWS):
            yield TriedCall(name, drawer.draw(chance, drawer.anchor(chance)))

    def _runs(self, call: TriedCall) -> bool:
        replayer = self._replayer
        return replayer.call(call.tool, call.arguments, replayer.beginning) is not None
