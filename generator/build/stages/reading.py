"""Part of stage `scenarios`: whoever reads the words alone must arrive at what a scenario passes to its tools."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from generator.build.ask import Asker, Question, ask, complaints_in
from generator.build.draft import Draft
from generator.build.writing.designs import describe_wants, prompt
from generator.gates.folder import FolderRequest
from generator.isolation.job import ProvingLimits
from generator.isolation.process import prove
from generator.scenarios.reading import OpenConversation, Readings, write_conversations
from generator.scenarios.scenario import ScenarioDesign
from runtime.domain.arguments import weekday
from runtime.errors import StageFailed, WorldsmithError

_LIMITS = ProvingLimits(cpu_seconds=120, wall_seconds=600)


@dataclass
class Reader:
    """Has the scenarios of one group read, each of them once as long as it stays as it is."""

    asker: Asker
    draft: Draft
    key: str
    _read: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    async def doubts(self, scenarios: Sequence[ScenarioDesign]) -> dict[str, list[str]]:
        """By name, where a reader arrives at other arguments than the scenario; those that nobody could read are clear.

        Errors: ModelFailed.
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
            why = complaints_in(error)[0]
            self.asker.watcher.said(f"the scenarios of {self.key!r} could not be shown to a reader: {why}")
            return {}
        if not conversations:
            return {}
        catalogue = self.draft.catalogue
        called = {call.tool for each in conversations.values() for call in each.calls}
        question = Question(
            role="reader",
            stage="reading",
            key=f"{self.key}.{_digest(conversations)}",
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
                conversations="\n\n".join(f"### {name}\n{each.text}" for name, each in conversations.items()),
            ),
            max_tokens=6_000,
        )

        def misfits(own: Readings) -> list[str]:
            read = {each.name: each for each in own.readings}
            return [
                f"conversation {name!r}{fault}"
                for name, each in conversations.items()
                for fault in ([f": {one}" for one in each.misfits(read[name])] if name in read else [" is not read"])
            ]

        try:
            own = (await ask(self.asker, question, Readings, misfits)).insist(f"The reading of {self.key!r}")
        except StageFailed as failed:
            self.asker.watcher.said(str(failed))
            return {}
        return {each.name: conversations[each.name].doubts(each) for each in own.readings if each.name in conversations}

    def _conversations(self, scenarios: Sequence[ScenarioDesign]) -> dict[str, OpenConversation]:
        with replace(self.draft, scenarios=tuple(scenarios), cases={}).laid_out() as folder:
            found = prove(write_conversations, FolderRequest(folder), _LIMITS).by_scenario
        return {name: each for name, each in found.items() if each.in_doubt}


def _digest(conversations: Mapping[str, OpenConversation]) -> str:
    """A few letters for what is read: an answer that is replayed must be about the same words and values."""
    text = json.dumps([[name, each.text] for name, each in conversations.items()])
    return hashlib.sha256(text.encode()).hexdigest()[:8]
