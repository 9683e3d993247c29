"""A user whom a model speaks for: it is briefed with the same wishes and facts, and each reply is checked first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from runtime.harness.episode import GREETING
from runtime.harness.user import SimulatedUser, UserReply
from runtime.harness.users.hearing import MOST_HEARD
from runtime.harness.users.knowledge import UserKnowledge, learn
from runtime.harness.users.scripted import Conversation, Move, choose_move
from runtime.harness.users.slips import Leave, find_slips, says_wish
from runtime.model.model import Model, Request, Turn, Usage
from runtime.model.usage import total_usage
from runtime.task.task import Task

MOST_ASKED_AGAIN = 3  # times for one reply; then the scripted user speaks

REPLY_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What you say to the assistant."},
        "ends": {"type": "boolean", "description": "Whether the conversation is over for you."},
    },
    "required": ["text", "ends"],
    "additionalProperties": False,
}


class ModelUserKind:
    """`--user anthropic:MODEL`, or any other model."""

    converses = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def meet(self, task: Task, seed: int) -> SimulatedUser:
        """A user for a task; the seed tells the questions of one episode from those of another."""
        return ModelUser(self.model, learn(task.user), f"{task.domain}-{task.id}-{seed}")


class ModelUser:
    """One user in one episode. What the scripted user would do says how far the conversation has come."""

    def __init__(self, model: Model, knowledge: UserKnowledge, key: str) -> None:
        self.knowledge = knowledge
        self.conversation = Conversation()
        self._model = model
        self._key = key
        self._brief = _write_brief(knowledge)
        self._lines: list[str] = []
        self._heard: list[str] = []
        self._replies = 0

    async def open(self) -> UserReply:
        """The first wish; errors: ModelFailed, UsageError."""
        self._hear(GREETING)
        first = Move("next", self.knowledge.wishes[0].text)
        return await self._speak(first, GREETING)

    async def reply(self, said: str) -> UserReply:
        """The answer to what the assistant said; errors: ModelFailed, UsageError."""
        self._hear(said)
        move = choose_move(self.knowledge, self.conversation, said)
        if move.gives_up:  # however the model would go on, no conversation lasts for ever
            return self._accept(UserReply(move.text, ends=move.kind == "end"), move, said)
        return await self._speak(move, said)

    def _hear(self, said: str) -> None:
        said = said[-MOST_HEARD:]
        self._heard.append(said)
        self._lines.append(f"ASSISTANT: {said}")

    async def _speak(self, move: Move, said: str) -> UserReply:
        """Ask until a reply keeps to the brief, or let the scripted user's stand in."""
        self._replies += 1
        leave = Leave(
            wish=self.conversation.wish,
            may_go_on=move.kind == "next",
            may_end=move.kind == "end",
            heard=tuple(self._heard),
        )
        earlier: list[Turn] = []
        usages: list[Usage] = []
        while len(earlier) <= MOST_ASKED_AGAIN:
            answer = await self._model.answer(self._request(len(earlier) + 1, earlier))
            usages.append(answer.usage)
            text, ends = str(answer.content.get("text", "")).strip(), bool(answer.content.get("ends"))
            complaints = find_slips(text, ends, self.knowledge, leave)
            if not complaints:
                reply = UserReply(text, ends, total_usage(usages), len(earlier))
                return self._accept(reply, self._move_made(reply, move), said)
            earlier.append(Turn(dict(answer.content), tuple(complaints)))
        reply = UserReply(move.text, move.kind == "end", total_usage(usages), len(earlier))
        return self._accept(reply, move, said)

    def _request(self, attempt: int, earlier: Sequence[Turn]) -> Request:
        said = self.conversation.wish + 1
        state = f"You have said {said} of your {len(self.knowledge.wishes)} wishes so far."
        return Request(
            role="user",
            stage="user",
            key=f"{self._key}-{self._replies:03d}",
            attempt=attempt,
            prefix=self._brief,
            prompt="\n\n".join(["The conversation so far:", *self._lines, state, "What do you say now?"]),
            schema=REPLY_SCHEMA,
            earlier=tuple(earlier),
            repair="Say it again, without these faults.",
            max_tokens=2_000,
        )

    def _move_made(self, reply: UserReply, move: Move) -> Move:
        """What the model did with a reply, given what the scripted user would have done."""
        if move.kind == "next" and says_wish(reply.text, self.knowledge, self.conversation.wish + 1):
            return move
        return Move("answer" if move.kind in ("next", "end") else move.kind, reply.text)

    def _accept(self, reply: UserReply, move: Move, said: str) -> UserReply:
        self._lines.append(f"YOU: {reply.text}")
        self.conversation.note(said, move)
        return reply


def _write_brief(knowledge: UserKnowledge) -> str:
    wishes = "\n".join(f"{number}. {wish.text}" for number, wish in enumerate(knowledge.wishes, 1))
    facts = "\n".join(
        f"- {each.name.replace('_', ' ')}: {each.said} (wish {each.wish + 1})" for each in knowledge.facts
    )
    marks = {"profile": knowledge.profile, "wishes": wishes, "facts": facts or "- nothing more"}
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks[mark[1]], _read_brief())


@lru_cache(maxsize=1)
def _read_brief() -> str:
    return (Path(__file__).parent / "brief.md").read_text(encoding="utf-8")
