"""Which scenarios of an answer are sound, and what goes back to their author: with callers, only what is needed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from generator.build.draft import Draft
from generator.build.stages.reading import Reader
from generator.build.stages.scenario_faults import faults_by_scenario
from generator.scenarios.group import Group
from generator.scenarios.scenario import ScenarioDesign, Scenarios
from runtime.graph import Graph


@dataclass
class Sieve:
    """The gate of one group's scenarios; what it found sound is not looked at again while it stays as it is.

    In a domain with callers, whatever is covered without an unsound scenario is covered: that one goes, unasked.
    """

    draft: Draft
    group: Group
    graph: Graph
    reader: Reader
    _sound: set[tuple[str, ...]] = field(default_factory=set)

    def complaints(self, own: Scenarios) -> list[str]:
        """What is wrong with each scenario, by rule and by execution, and what all of them leave uncovered."""
        own = self._shaped(own)
        return [*self._needed(own, own, self._broken(own)), *self.group.lacks(own)]

    async def complaints_of_reader(self, own: Scenarios) -> list[str]:
        """Where a reader of the sound ones arrives at something else; errors: as `Reader.doubts`."""
        own = self._shaped(own)
        sound = own.without(await asyncio.to_thread(self._broken, own))
        return self._needed(own, sound, await self.reader.doubts(sound.scenarios))

    async def sifted(self, own: Scenarios) -> Scenarios:
        """The scenarios that are sound and read as they are meant; errors: as `Reader.doubts`."""
        own = self._shaped(own)
        broken = await asyncio.to_thread(self._broken, own)
        for name, faults in broken.items():
            self.reader.asker.watcher.said(f"dropped scenario {name}: {faults[0]}")
        sound = own.without(broken)
        return sound.without(await self.reader.say_doubtful(sound))

    def _shaped(self, own: Scenarios) -> Scenarios:
        return own.in_forms(self.group.forms) if self.draft.people is not None else own

    def _broken(self, own: Scenarios) -> dict[str, list[str]]:
        new = [each for each in own.scenarios if _mark(each) not in self._sound]
        broken = faults_by_scenario(self.draft, new, self.graph) if new else {}
        self._sound |= {_mark(each) for each in new if each.name not in broken}
        return broken

    def _needed(self, own: Scenarios, among: Scenarios, faults: Mapping[str, Sequence[str]]) -> list[str]:
        """The faults of some scenarios as sentences; with callers, of those without which something is uncovered."""
        if self.draft.people is not None:
            needed = {each.name for each in self.group.needed(own, among.without(faults))}
            faults = {name: each for name, each in faults.items() if name in needed}
        return [f"scenario {name!r}: {fault}" for name, each in faults.items() for fault in each]


def _mark(scenario: ScenarioDesign) -> tuple[str, ...]:
    return scenario.name, scenario.form, scenario.role, scenario.body
