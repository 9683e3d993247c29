"""A user whom a model speaks for: it follows the same machine, and only hard checks hold what it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from runtime.harness.episode import GREETING
from runtime.harness.user import CallSeen, SimulatedUser, UserReply
from runtime.harness.users.brief import fill
from runtime.harness.users.heard import Heard
from runtime.harness.users.machine import Machine, Move
from runtime.harness.users.reading import MOST_HEARD
from runtime.harness.users.scripted import ScriptedUser
from runtime.model.model import Model, Request, Turn, Usage
from runtime.model.usage import total_usage
from runtime.task.task import Task
from runtime.verification.text.facts import agree, agree_loosely, find_mentions, prepare
from runtime.verification.text.match import tells

if TYPE_CHECKING:
    from runtime.task.read_back import AnswerReader

MOST_ASKED_AGAIN = 3  # times for one reply; then the script speaks

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What you say to the assistant"},
        "leaves": {"type": "boolean", "description": "Whether you are through with what you asked for last"},
        "refused": {"type": "boolean", "description": "Whether the assistant cannot or will not do it"},
    },
    "required": ["text", "leaves", "refused"],
    "additionalProperties": False,
}


class FreeKind:
    """`--user openai:MODEL`, or any other model."""

    converses = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """The model's."""
        return self.model.name

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A user for a task; the seed tells the questions of one episode from those of another."""
        return FreeUser(self.model, task, seed, reader)


class FreeUser(ScriptedUser):
    """One user in one episode.

    The model says when it is through with a wish; the machine then asks the closed questions, in the script's words,
    and lets it say the next wish, or goodbye.
    """

    def __init__(self, model: Model, task: Task, seed: int, reader: AnswerReader) -> None:
        super().__init__(task, seed, reader)
        self._model = model
        self._task = task
        self._key = f"{task.domain}-{task.id}-{seed}"
        self._turns = 0
        self._lines = [f"ASSISTANT: {GREETING}"]
        self._heard: list[str] = []

    def fork(self) -> Self:
        """The same user at the same point."""
        twin = super().fork()
        twin._lines = list(self._lines)
        twin._heard = list(self._heard)
        return twin

    async def open(self) -> UserReply:
        """The first wish; errors: ModelFailed, UsageError."""
        return await self._say(self.machine.open())

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """The answer to what the assistant said and did; errors: ModelFailed, UsageError."""
        self.hear(said, calls)
        self._heard.append(said[-MOST_HEARD:])
        self._lines += [f"(called {each.tool}: {'accepted' if each.accepted else 'rejected'})" for each in calls]
        self._lines.append(f"ASSISTANT: {said[-MOST_HEARD:]}")
        machine = self.machine
        if machine.progress.noting:
            return await self._say(machine.move(Heard("other")))
        if machine.is_exhausted:
            return await self._say(machine.leave("refused"))
        machine.replied()
        content, usages, slips = await self._ask("You are still at it, or through with it.", None)
        if content is None:  # the script speaks
            return self._spoken(self.speak(machine.move(self.read(said))), usages, slips)
        machine.tell([fact.name for _, fact in machine.facts_known() if tells(content["text"], fact.said)])
        if not content["leaves"]:
            return self._spoken(UserReply(content["text"]), usages, slips)
        move = machine.leave("refused" if content["refused"] else "seen_to")
        return await self._say(move, usages, slips)

    async def _say(self, move: Move, usages: Sequence[Usage] = (), slips: int = 0) -> UserReply:
        """A closed question in the script's words; a wish or goodbye in the model's, or else the script's."""
        scripted = self.speak(move)
        if move.asks is not None:
            return self._spoken(scripted, usages, slips)
        now = "You say goodbye now." if move.ends else f"You say this now, with everything in it: {scripted.text}"
        content, more, again = await self._ask(now, move)
        text = scripted.text if content is None else content["text"]
        reply = UserReply(text, move.ends, wishes=scripted.wishes)
        return self._spoken(reply, [*usages, *more], slips + again)

    def _spoken(self, reply: UserReply, usages: Sequence[Usage], slips: int) -> UserReply:
        self._lines.append(f"YOU: {reply.text}")
        usage = total_usage(usages) if usages else None
        return UserReply(reply.text, reply.ends, usage, slips, reply.asks, reply.wishes)

    async def _ask(self, now: str, move: Move | None) -> tuple[Mapping[str, Any] | None, list[Usage], int]:
        """Ask until an answer holds; nothing if none does."""
        self._turns += 1
        earlier: list[Turn] = []
        usages: list[Usage] = []
        while len(earlier) <= MOST_ASKED_AGAIN:
            answer = await self._model.answer(self._request(now, earlier))
            usages.append(answer.usage)
            complaints = list(find_slips(answer.content, self.machine, move, self._heard))
            if not complaints:
                return answer.content, usages, len(earlier)
            earlier.append(Turn(dict(answer.content), tuple(complaints)))
        return None, usages, len(earlier)

    def _request(self, now: str, earlier: Sequence[Turn]) -> Request:
        machine, user = self.machine, self._task.user
        facts = [
            f"- {fact.name}: {fact.said}{' (only if you are asked for it)' if fact.withheld else ''}"
            for _, fact in machine.facts_known()
        ]
        marks = {
            "profile": user.profile,
            "speech": user.speech,
            "wishes": "\n".join(f"- {user.wishes[wish].words[0]}" for wish in machine.wishes),
            "facts": "\n".join(facts) or "- nothing more",
            "conversation": "\n\n".join(self._lines),
            "now": now,
        }
        prefix, _, prompt = fill("free.md", marks).partition("<<<>>>")
        return Request(
            role="user",
            stage="user",
            key=f"{self._key}-{self._turns:03d}",
            attempt=len(earlier) + 1,
            prefix=prefix,
            prompt=prompt,
            schema=SCHEMA,
            earlier=tuple(earlier),
            repair="Say it again, without these faults.",
            max_tokens=2_000,
        )


def find_slips(content: Mapping[str, Any], machine: Machine, move: Move | None, heard: Sequence[str]) -> Iterator[str]:
    """What a reply must not do: say nothing, state what it does not know, tell what was not asked for, leave too early.

    `move` is given where a wish or goodbye is to be said.
    """
    text, leaves = str(content["text"]), bool(content["leaves"]) and move is None
    if not text.strip() and not leaves:
        yield "It says nothing; say something to the assistant."
    if leaves and not content["refused"] and machine.stand in ("wanted", "restated", "rejected"):
        yield "It leaves, but nothing that the assistant did was accepted since you asked for it, nor did it refuse."
    said = [words for wish in machine.wishes for words in machine.user.wishes[wish].words]
    known = "\n".join([*said, *(fact.said for _, fact in machine.facts_known()), machine.user.profile, *heard])
    mentions = find_mentions(prepare(known))
    for each in find_mentions(prepare(text)):
        if each.firm and not any(
            agree(each.fact, other.fact) or agree_loosely(each.fact, other.fact) for other in mentions
        ):
            yield f"It states {each.words!r}, which you do not know."
    was_asked = move is None and bool(heard) and "?" in heard[-1]
    for wish, fact in machine.facts_known():
        if (
            not machine.is_told(wish, fact)
            and not was_asked
            and tells(text, fact.said)
            and not tells("\n".join(heard), fact.said)
        ):
            yield f"It tells {fact.name!r}, which nobody asked for."
    if move is not None and not move.ends:
        for fact in (fact for wish in machine.wishes for fact in machine.user.wishes[wish].facts):
            if not fact.withheld and tells("\n".join(said), fact.said) and not tells(text, fact.said):
                yield f"It leaves out {fact.said!r}."
