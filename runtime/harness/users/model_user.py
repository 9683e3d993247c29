"""Simulated users with a model: one that reads messages for the script, and one that speaks for itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from runtime.errors import ModelFailed
from runtime.harness.conversation import CallSeen, SimulatedUser, UserReply
from runtime.harness.episode import GREETING
from runtime.harness.users.machine import MOST_REPLIES, Move, Reading
from runtime.harness.users.scripted import ScriptedUser, opener
from runtime.model.model import Model, Request, Usage, total_usage
from runtime.task.answers import AnswerReader
from runtime.task.task import Task
from runtime.task.user import KnownFact

MOST_SHOWN = 8_000  # characters of a message that a model is shown, counted from its end

_NAMES = {"type": "array", "items": {"type": "string"}}
READING: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["question", "proposal", "report", "refusal", "other"]},
        "asked": {**_NAMES, "description": "The names of the user's facts that the message asks for"},
        "told": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"answer": {"type": "string"}, "words": {"type": "string"}},
                "required": ["answer", "words"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["kind", "asked", "told"],
    "additionalProperties": False,
}
SPEECH: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What you say to the assistant"},
        "tells": {**_NAMES, "description": "The names of your facts that you tell in it"},
        "leaves": {"type": "boolean", "description": "Whether you are done with what you asked for last"},
        "refused": {"type": "boolean", "description": "Whether the assistant cannot or will not do it"},
    },
    "required": ["text", "tells", "leaves", "refused"],
    "additionalProperties": False,
}


class ReaderKind:
    """`--user reader:MODEL`: the model reads, the script speaks."""

    converses = True

    def __init__(self, model: Model) -> None:
        self.model = model
        self.name = f"reader:{model.name}"

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        return opener(task) or ReaderUser(self.model, task, seed, reader)


class FreeKind:
    """`--user anthropic:MODEL`, or any other model: the model speaks."""

    converses = True

    def __init__(self, model: Model) -> None:
        self.model = model
        self.name = model.name

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        return opener(task) or FreeUser(self.model, task, seed, reader)


class _ModelUser(ScriptedUser):
    """A user whose model is shown the conversation and what the user knows."""

    def __init__(self, model: Model, task: Task, seed: int, reader: AnswerReader) -> None:
        super().__init__(task, seed, reader)
        self._model = model
        self._task = task
        self._key = f"{task.domain}-{task.id}-{seed}"
        self._turns = 0
        self._lines = [f"ASSISTANT: {GREETING}"]

    def fork(self) -> Self:
        """Return a copy of the user at the same point."""
        fork = super().fork()
        fork._lines = list(self._lines)
        return fork

    def _note_turn(self, said: str, calls: Sequence[CallSeen]) -> None:
        self._lines += [f"(called {each.tool}: {'accepted' if each.accepted else 'rejected'})" for each in calls]
        self._lines.append(f"ASSISTANT: {said[-MOST_SHOWN:]}")

    def _known(self) -> list[KnownFact]:
        """The facts of the requests made so far."""
        return [fact for wish in self.machine.user.wishes[: self.machine.wishes[-1] + 1] for fact in wish.facts]

    def _request(self, stage: str, brief: str, schema: Mapping[str, Any], now: str = "") -> Request:
        machine, user, locale = self.machine, self._task.user, self.answers.reader.locale
        facts = [f"- {fact.name}: {fact.said}{_when(fact)}" for fact in self._known()]
        answers = [f"- {each.name}" for each in self._task.own_answers if each.wish in machine.wishes]
        marks = {
            "customer": locale.customer,
            "profile": user.profile,
            "speech": user.speech,
            "wishes": "\n".join(f"- {user.wishes[wish].words[0]}" for wish in machine.wishes),
            "facts": "\n".join(facts) or "- nothing more",
            "answers": "\n".join(answers) or "- nothing",
            "conversation": "\n\n".join(self._lines),
            "now": now,
        }
        prefix, _, prompt = fill(brief, marks).partition("<<<>>>")
        return Request(
            role="user",
            stage=stage,
            key=f"{self._key}-{self._turns:03d}",
            attempt=1,
            prefix=prefix,
            prompt=prompt,
            schema=schema,
            max_tokens=2_000,
        )


class ReaderUser(_ModelUser):
    """A model reads each message, and the script answers; an unusable reading counts as a slip."""

    async def open(self) -> UserReply:
        reply = await super().open()
        self._lines.append(f"USER: {reply.text}")
        return reply

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        self._note_turn(said, calls)
        self._turns += 1
        reading, quoted, usage = None, None, None
        try:
            answer = await self._model.answer(self._request("read", "reader.md", READING))
            usage = answer.usage
            reading, quoted = self._checked(answer.content, said)
        except ModelFailed as failure:
            usage = failure.usage
        reply = self.respond(said, calls, reading, quoted)
        self._lines.append(f"USER: {reply.text}")
        return replace(reply, usage=usage, slips=int(reading is None))

    def _checked(self, content: Mapping[str, Any], said: str) -> tuple[Reading | None, dict[str, str] | None]:
        """The reading, unless it names unknown facts or quotes words that were not said."""
        wishes = self.machine.wishes
        known = {fact.name for wish in wishes for fact in self.machine.user.wishes[wish].facts}
        answers = {name for name, each in self.answers.reader.answers.items() if each.wish in wishes}
        quoted = {str(each["answer"]): str(each["words"]) for each in content["told"]}
        if not set(content["asked"]) <= known or not quoted.keys() <= answers:
            return None, None
        if not all(words and words in said for words in quoted.values()):
            return None, None
        return Reading(content["kind"], frozenset(content["asked"])), quoted


class FreeUser(_ModelUser):
    """A model speaks and says when it is done with a request; the script asks for the answers in closed form.

    Where the model's words cannot be used, the script speaks, which counts as a slip.
    """

    async def open(self) -> UserReply:
        return await self._say(self.machine.open(), {})

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        self._note_turn(said, calls)
        taken = self.answers.hear(self._asked, said)
        machine = self.machine
        if machine.progress.noting or machine.progress.closing:
            return await self._say(machine.move(said, calls), taken)
        machine.see(calls)
        if machine.progress.replies > MOST_REPLIES:
            return await self._say(machine.leave(refused=not machine.progress.writes), taken)
        content, usage = await self._ask("You are still at it, or done with it.")
        if not self._is_usable(content, "?" in said):
            return self._spoken(replace(self.speak(machine.move(said), taken), slips=1), [usage])
        if content["leaves"]:
            return await self._say(machine.leave(bool(content["refused"])), taken, [usage])
        named = set(content["tells"])
        told = machine.tell([fact for fact in self._known() if fact.name in named])
        self._asked = ()
        reply = UserReply(content["text"], tells=self.speaker.proofs_in(told), taken=tuple(taken.items()))
        return self._spoken(reply, [usage])

    async def _say(self, move: Move, taken: Mapping[str, str], usages: Sequence[Usage] = ()) -> UserReply:
        """Say a closed question in the script's words; a request or goodbye in the model's, if these can be used."""
        scripted = self.speak(move, taken)
        if move.phrase not in ("open", "bye"):
            return self._spoken(scripted, usages)
        now = "You say goodbye now." if move.ends else f"You say this now, with everything in it: {scripted.text}"
        content, usage = await self._ask(now)
        text = str(content["text"])
        wishes = [self.machine.user.wishes[wish] for wish in move.wishes]
        values = [
            said
            for wish in wishes
            for fact in wish.facts
            for said in (fact.said, fact.corrects)
            if said in wish.words[0]
        ]
        is_whole = all(value.casefold() in text.casefold() for value in values)
        reply = replace(scripted, text=text) if text.strip() and is_whole else replace(scripted, slips=1)
        return self._spoken(reply, [*usages, usage])

    def _is_usable(self, content: Mapping[str, Any], was_asked: bool) -> bool:
        """False if a reply says nothing, names unknown facts, leaves too early, or tells what nobody asked for."""
        text, machine = str(content["text"]), self.machine
        if content["leaves"]:
            return bool(content["refused"] or not machine.acts or machine.progress.writes or machine.progress.declines)
        unasked = [fact for fact in machine.untold if not (was_asked or fact.corrects)]
        too_much = [fact for fact in unasked if fact.said.casefold() in text.casefold()]
        return bool(text.strip()) and not too_much and set(content["tells"]) <= {fact.name for fact in self._known()}

    def _spoken(self, reply: UserReply, usages: Sequence[Usage]) -> UserReply:
        self._lines.append(f"YOU: {reply.text}")
        return replace(reply, usage=total_usage(usages) if usages else None)

    async def _ask(self, now: str) -> tuple[Mapping[str, Any], Usage]:
        self._turns += 1
        answer = await self._model.answer(self._request("user", "free.md", SPEECH, now))
        return answer.content, answer.usage


def _when(fact: KnownFact) -> str:
    """When the user tells a fact, as a brief says it."""
    if fact.corrects:
        return (
            f" (you got this wrong and say {fact.corrects} at first; you notice and correct yourself only once the "
            f"assistant asks about it or cannot find {fact.corrects})"
        )
    return " (if you are asked)" if fact.withheld else ""


def fill(name: str, marks: Mapping[str, str]) -> str:
    """Return a brief, a file beside this one, with its `{{marks}}` filled in."""
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], _read(name))


@lru_cache(maxsize=4)
def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
