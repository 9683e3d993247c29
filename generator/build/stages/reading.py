"""Part of stage `scenarios`: whoever reads the words alone must arrive at what a scenario passes to its tools."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from generator.build.ask import Asker, CostSpent, ask
from generator.build.design import schema_of
from generator.build.draft import Draft
from generator.build.writing.designs import describe_wants
from generator.build.writing.prompts import prompt
from generator.gates.folder import FolderRequest
from generator.isolation.job import ProvingLimits
from generator.isolation.process import prove
from generator.scenarios.reading import (
    JudgedReading,
    OpenConversation,
    Readings,
    ReadingsRequest,
    judge_readings,
    write_conversations,
)
from generator.scenarios.scenario import ScenarioDesign, Scenarios
from runtime.domain.dates import weekday
from runtime.errors import StageFailed, WorldsmithError
from runtime.model.model import Request

_LIMITS = ProvingLimits(cpu_seconds=120, wall_seconds=600)
_RETURNS = " returns "
_LONG = 120  # characters of a line that is not shown twice


@dataclass
class Reader:
    """Has the scenarios of one group read, each of them once as long as it stays as it is."""

    asker: Asker
    draft: Draft
    key: str
    _read: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    async def complaints(self, own: Scenarios) -> list[str]:
        """One sentence for each doubt; errors: as `doubts`."""
        doubts = await self.doubts(own.scenarios)
        return [f"scenario {name!r}: {doubt}" for name, each in doubts.items() for doubt in each]

    async def say_doubtful(self, own: Scenarios) -> list[str]:
        """The names of the scenarios that are not read as they are meant, after saying why; errors: as `doubts`."""
        doubts = await self.doubts(own.scenarios)
        for name, each in doubts.items():
            self.asker.watcher.said(f"dropped scenario {name}: {each[0]}")
        return list(doubts)

    async def doubts(self, scenarios: Sequence[ScenarioDesign]) -> dict[str, list[str]]:
        """By name, where a reader arrives at other arguments than the scenario; those that nobody could read are clear.

        Errors: CostSpent, ModelFailed.
        """
        unread = [each for each in scenarios if (each.name, each.body) not in self._read]
        if unread:
            found = await self._ask(unread)
            self._read |= {(each.name, each.body): found.get(each.name, []) for each in unread}
        read = {each.name: self._read[each.name, each.body] for each in scenarios}
        return {name: doubts for name, doubts in read.items() if doubts}

    async def _ask(self, scenarios: Sequence[ScenarioDesign]) -> Mapping[str, list[str]]:
        try:
            conversations = await asyncio.to_thread(self._conversations, scenarios)
        except WorldsmithError as error:
            self.asker.watcher.said(f"the scenarios of {self.key!r} could not be shown to a reader: {error}")
            return {}
        if not conversations:
            return {}
        catalogue = self.draft.catalogue
        called = {tool for each in conversations.values() for tool in each.tools}
        question = Request(
            role="reader",
            stage="reading",
            key=f"{self.key}.{_digest(conversations)}",
            attempt=1,
            prefix=prompt(
                "reading",
                title=catalogue.title,
                summary=catalogue.summary,
                clock=catalogue.clock,
                weekday=weekday(catalogue.clock),
            ),
            prompt=prompt(
                "reading_group",
                designs=describe_wants(tool for tool in catalogue.tools if tool.name in called),
                conversations="\n\n".join(_without_repeats(conversations)),
            ),
            schema=schema_of(Readings),
            max_tokens=6_000,
        )
        judged: dict[str, JudgedReading] = {}

        def misfits(own: Readings) -> list[str]:
            judged.clear()
            read = {each.name for each in own.readings}
            try:
                judged.update(self._judged(scenarios, own))
            except WorldsmithError as error:
                return [f"it could not be judged: {error}"]
            return [
                *(f"conversation {name!r} is not read" for name in conversations if name not in read),
                *(f"conversation {name!r}: {misfit}" for name, each in judged.items() for misfit in each.misfits),
            ]

        try:
            (await ask(self.asker, question, Readings, misfits)).insist(f"The reading of {self.key!r}")
        except CostSpent:
            raise
        except StageFailed as failed:
            self.asker.watcher.said(str(failed))
            return {}
        return {name: each.doubts for name, each in judged.items()}

    def _conversations(self, scenarios: Sequence[ScenarioDesign]) -> dict[str, OpenConversation]:
        with self._laid_out(scenarios) as folder:
            return prove(write_conversations, FolderRequest(folder), _LIMITS).by_scenario

    def _judged(self, scenarios: Sequence[ScenarioDesign], own: Readings) -> dict[str, JudgedReading]:
        with self._laid_out(scenarios) as folder:
            asked = ReadingsRequest(folder, own.readings)
            return prove(judge_readings, asked, _LIMITS).by_scenario

    def _laid_out(self, scenarios: Sequence[ScenarioDesign]) -> AbstractContextManager[Path]:
        return replace(self.draft, scenarios=tuple(scenarios), cases={}).laid_out()


def _without_repeats(conversations: Mapping[str, OpenConversation]) -> Iterator[str]:
    """The conversations under their names; what is looked up as in the one before is not shown again."""
    before: set[str] = set()
    for name, each in conversations.items():
        lines = each.text.splitlines()
        shown = [
            f"{line[:at]}{_RETURNS}the same as in the conversation before"
            if line in before and len(line) > _LONG and (at := line.find(_RETURNS)) > 0
            else line
            for line in lines
        ]
        yield "\n".join([f"### {name}", *shown])
        before = set(lines)


def _digest(conversations: Mapping[str, OpenConversation]) -> str:
    """A few letters for what is read: an answer that is replayed must be about the same words and values."""
    text = json.dumps([[name, each.text] for name, each in conversations.items()])
    return hashlib.sha256(text.encode()).hexdigest()[:8]
