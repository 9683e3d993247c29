"""Explorability: an example call of each tool that can be used in a task's world."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from generator.gates.calls.sample import Sampler
from generator.gates.calls.start import places_changed
from generator.graph.experiment import TriedCall
from generator.tasks.candidate import Trial
from generator.tasks.proofs.replayer import TaskReplayer
from runtime.domain.people import is_desk_tool

LATER_DRAWS = 40  # after one call of another tool
MOST_FURTHER = 6  # calls of another tool, if the first one does not lead to where a tool runs
MOST_DRAWS = 400  # of such rows, before a tool counts as one that cannot run here


class ExampleFinder:
    """Draws calls of each tool on the rows of a task's start; `known` are arguments that ran there before."""

    def __init__(self, replayer: TaskReplayer, known: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._replayer = replayer
        self._known = known or {}
        self._samplers: dict[str, Sampler] = {}
        self._found: dict[str, TriedCall | None] = {}

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
        """Sample calls on the rows that the other call changed."""
        replayer, sampler = self._replayer, self.sampler(name)
        replayer.call(before.tool, before.arguments, replayer.beginning)
        state = replayer.session.snapshot()
        near = replayer.start.near(places_changed(state))
        calls = (sampler.sample(chance, near) for _ in range(LATER_DRAWS))
        return any(replayer.call(name, arguments, state) is not None for arguments in calls)

    def draw(self, name: str, chance: random.Random) -> Iterator[TriedCall]:
        """Calls to try: those that are known, those of the chain, then random ones."""
        if name in self._known:
            yield TriedCall(name, self._known[name])
        yield from (TriedCall(name, arguments) for arguments in self._told(name))
        sampler = self.sampler(name)
        for _ in range(MOST_DRAWS):
            yield TriedCall(name, sampler.sample(chance, sampler.anchor(chance)))

    def sampler(self, name: str) -> Sampler:
        """What samples a tool's arguments from the rows of the start."""
        sampler = self._samplers.get(name)
        if sampler is None:
            tool, start = self._replayer.domain.tools[name], self._replayer.start
            sampler = self._samplers[name] = Sampler(tool, start, self._told(name))
        return sampler

    def _told(self, name: str) -> list[dict[str, Any]]:
        return [dict(step.arguments) for step in self._replayer.reference if step.tool == name]

    def _runs(self, call: TriedCall) -> bool:
        replayer = self._replayer
        return replayer.call(call.tool, call.arguments, replayer.beginning) is not None


LEAST_TOOLS = 20  # that can be used in a task's world; all, where a domain has fewer


def try_explorability(replayer: TaskReplayer, examples: ExampleFinder) -> Iterator[Trial]:
    """What is tried: the "number" of tools, and an "example" of each.

    A task that names no tools, as one written by hand, has those of which an example is found.
    """
    domain, named = replayer.domain, replayer.task.explorable
    used = {step.tool for step in replayer.reference}
    asked = dict.fromkeys(named or domain.tools)
    there = [name for name in asked if name in domain.tools]
    found = [name for name in there if name in used or examples.find(name) or examples.runs_later(name)]
    least = min(LEAST_TOOLS, sum(not is_desk_tool(name) for name in domain.tools))
    few = f"{len(found)} tools can be used in its world; at least {least} must be."
    yield Trial("number", "" if len(found) >= least else few)
    for name in asked if named else ():
        yield Trial("example", "" if name in found else f"No call of {name} was found that runs.")
