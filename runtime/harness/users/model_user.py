"""Simulated users with a model: one that reads messages for the script, and one that speaks for itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from runtime.errors import ModelFailed
from runtime.harness.conversation import CallSeen, SimulatedUser, UserReply
from runtime.harness.episode import GREETING
from runtime.harness.users.machine import MOST_REPLIES, Machine, Move, Reading
from runtime.harness.users.scripted import ScriptedUser
from runtime.model.model import Model, Request, Turn, Usage, total_usage
from runtime.task.answers import AnswerReader
from runtime.task.task import Task

MOST_SHOWN = 8_000  # characters of a message that a model is shown, counted from its end
MOST_REPAIRS = 3  # of one reply; then the script speaks

_NAMES = {"type": "array", "items": {"type": "string"}}
READING: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["question", "proposal", "report", "refusal", "other"]},
        "asked": {**_NAMES, "description": "The names of the user's facts that the message asks for"},
        "fits": {"type": "boolean", "description": "Whether a proposal is exactly what the user wants"},
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
    "required": ["kind", "asked", "fits", "told"],
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
    """`--user reader:MODEL`."""

    converses = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """`reader:` and the model's name."""
        return f"reader:{self.model.name}"

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """Return a user for a task; the seed keeps the requests of episodes apart."""
        return ReaderUser(self.model, task, seed, reader)


class FreeKind:
    """`--user anthropic:MODEL`, or any other model."""

    converses = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """Return a user for a task; the seed keeps the requests of episodes apart."""
        return FreeUser(self.model, task, seed, reader)


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
        twin = super().fork()
        twin._lines = list(self._lines)
        return twin

    def _note_turn(self, said: str, calls: Sequence[CallSeen]) -> None:
        self._lines += [f"(called {each.tool}: {'accepted' if each.accepted else 'rejected'})" for each in calls]
        self._lines.append(f"ASSISTANT: {said[-MOST_SHOWN:]}")

    def _request(self, stage: str, brief: str, schema: Mapping[str, Any], earlier: Sequence[Turn], now: str) -> Request:
        machine, user = self.machine, self._task.user
        known = [fact for wish in user.wishes[: machine.wishes[-1] + 1] for fact in wish.facts]
        facts = [f"- {fact.name}: {fact.said}{' (if you are asked)' if fact.withheld else ''}" for fact in known]
        answers = [f"- {each.name}" for each in self._task.answers if each.wish in machine.wishes]
        marks = {
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
            attempt=len(earlier) + 1,
            prefix=prefix,
            prompt=prompt,
            schema=schema,
            earlier=tuple(earlier),
            repair="Answer again, without these faults.",
            max_tokens=2_000,
        )


class ReaderUser(_ModelUser):
    """A model reads each message, and the script answers; an unusable reading counts as a slip."""

    async def open(self) -> UserReply:
        """Return the first request, in its first wording."""
        reply = await super().open()
        self._lines.append(f"USER: {reply.text}")
        return reply

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """Return the answer to what the assistant said and did; errors: UsageError."""
        self._note_turn(said, calls)
        self._turns += 1
        reading, quoted, usage = None, None, None
        try:
            answer = await self._model.answer(self._request("read", "reader.md", READING, (), ""))
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
        return Reading(content["kind"], frozenset(content["asked"]), bool(content["fits"])), quoted


class FreeUser(_ModelUser):
    """A model speaks and says when it is done with a request; the script asks for the answers in closed form."""

    def __init__(self, model: Model, task: Task, seed: int, reader: AnswerReader) -> None:
        super().__init__(model, task, seed, reader)
        self._heard = ""

    async def open(self) -> UserReply:
        """Return the first request; errors: ModelFailed, UsageError."""
        return await self._say(self.machine.open(), {})

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """Return the answer to what the assistant said and did; errors: ModelFailed, UsageError."""
        self._note_turn(said, calls)
        self._heard = said[-MOST_SHOWN:]
        taken = self.answers.hear(self._asked, said)
        machine = self.machine
        if machine.progress.noting or machine.progress.closing:
            return await self._say(machine.move(said, calls), taken)
        machine.see(calls)
        if machine.progress.replies > MOST_REPLIES:
            return await self._say(machine.leave(refused=not machine.progress.writes), taken)
        content, usages, slips = await self._ask("You are still at it, or done with it.", None)
        if content is None:  # the script speaks
            return self._spoken(self.speak(machine.move(said), taken), usages, slips)
        named = set(content["tells"])
        facts = [fact for wish in machine.user.wishes[: machine.wishes[-1] + 1] for fact in wish.facts]
        told = machine.tell([fact for fact in facts if fact.name in named])
        if content["leaves"]:
            return await self._say(machine.leave(bool(content["refused"])), taken, usages, slips)
        reply = UserReply(content["text"], tells=self.speaker.proofs_in(told), taken=tuple(taken.items()))
        self._asked = ()
        return self._spoken(reply, usages, slips)

    async def _say(
        self, move: Move, taken: Mapping[str, str], usages: Sequence[Usage] = (), slips: int = 0
    ) -> UserReply:
        """A closed question in the script's words; a request or goodbye in the model's, or else the script's."""
        scripted = self.speak(move, taken)
        if move.phrase not in ("open", "bye"):
            return self._spoken(scripted, usages, slips)
        now = "You say goodbye now." if move.ends else f"You say this now, with everything in it: {scripted.text}"
        content, more, again = await self._ask(now, move)
        reply = scripted if content is None else replace(scripted, text=content["text"])
        return self._spoken(reply, [*usages, *more], slips + again)

    def _spoken(self, reply: UserReply, usages: Sequence[Usage], slips: int) -> UserReply:
        self._lines.append(f"YOU: {reply.text}")
        return replace(reply, usage=total_usage(usages) if usages else None, slips=slips)

    async def _ask(self, now: str, move: Move | None) -> tuple[Mapping[str, Any] | None, list[Usage], int]:
        """Ask until an answer passes the checks; None if none does."""
        self._turns += 1
        earlier: list[Turn] = []
        usages: list[Usage] = []
        while len(earlier) <= MOST_REPAIRS:
            answer = await self._model.answer(self._request("user", "free.md", SPEECH, earlier, now))
            usages.append(answer.usage)
            complaints = list(find_slips(answer.content, self.machine, move, self._heard))
            if not complaints:
                return answer.content, usages, len(earlier)
            earlier.append(Turn(dict(answer.content), tuple(complaints)))
        return None, usages, len(earlier)


def find_slips(content: Mapping[str, Any], machine: Machine, move: Move | None, heard: str) -> Iterator[str]:
    """Find what is wrong with a reply: it says nothing, names unknown facts, leaves too early, or omits a value.

    `move` is the request or goodbye that the reply must say, if there is one.
    """
    text, leaves = str(content["text"]).casefold(), bool(content["leaves"]) and move is None
    at = machine.progress
    if not text.strip() and not leaves:
        yield "It says nothing; say something to the assistant."
    if leaves and not content["refused"] and machine.acts and not at.writes and not at.declines:
        yield "It leaves, but nothing that the assistant did was accepted since you asked for it, nor did it refuse."
    present = [fact for wish in machine.wishes for fact in machine.user.wishes[wish].facts]
    known = {fact.name for wish in machine.user.wishes[: machine.wishes[-1] + 1] for fact in wish.facts}
    for name in content["tells"]:
        if name not in known:
            yield f"`tells` names {name!r}, which is none of your facts."
    for fact in machine.untold if move is None and "?" not in heard else ():
        if fact.said.casefold() in text:
            yield f"It tells {fact.name!r}, which nobody asked for."
    for fact in present if move is not None and move.phrase == "open" else ():
        said = any(fact.said in machine.user.wishes[wish].words[0] for wish in machine.wishes)
        if not fact.withheld and said and fact.said.casefold() not in text:
            yield f"It leaves out {fact.said!r}."


def fill(name: str, marks: Mapping[str, str]) -> str:
    """Return a brief, a file beside this one, with its `{{marks}}` filled in."""
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], _read(name))


@lru_cache(maxsize=4)
def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
