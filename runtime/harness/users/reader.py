"""A user whose messages a model reads: their kind, and what they ask for; the words stay the script's."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self, get_args

from runtime.errors import ModelFailed
from runtime.harness.user import CallSeen, SimulatedUser, UserReply
from runtime.harness.users.brief import fill
from runtime.harness.users.heard import Heard, Kind, LeftOut
from runtime.harness.users.reading import MOST_HEARD, hear_besides, is_offer
from runtime.harness.users.scripted import ScriptedUser
from runtime.model.model import Model, Request, Usage
from runtime.task.task import Task

if TYPE_CHECKING:
    from runtime.task.read_back import AnswerReader

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "kind": {"enum": list(get_args(Kind))},
        "asked": {"type": "array", "items": {"type": "string"}, "description": "Of a question: the facts, by name"},
        "holds_all": {"type": "boolean", "description": "Of a proposal: whether it holds all that is wanted"},
        "differs": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The facts, by name, that it has otherwise than the user said",
        },
        "goes_beyond": {"type": "boolean", "description": "Whether it proposes anything that the user did not ask for"},
        "told": {
            "type": "array",
            "description": "The answers that it tells: each by its name, with the words that are its value",
            "items": {
                "type": "object",
                "properties": {"answer": {"type": "string"}, "words": {"type": "string"}},
                "required": ["answer", "words"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["kind", "asked", "holds_all", "differs", "goes_beyond", "told"],
    "additionalProperties": False,
}


class ReaderKind:
    """`--user reader:MODEL`."""

    converses = True

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        """`reader:` and the model's."""
        return f"reader:{self.model.name}"

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A user for a task; the seed tells the questions of one episode from those of another."""
        return ReaderUser(self.model, task, seed, reader)


class ReaderUser(ScriptedUser):
    """One user in one episode. What the model reads wrongly in form is read by the script's rules, and is a slip."""

    def __init__(self, model: Model, task: Task, seed: int, reader: AnswerReader) -> None:
        super().__init__(task, seed, reader)
        self._model = model
        self._key = f"{task.domain}-{task.id}-{seed}"
        self._turns = 0
        self._lines: list[str] = []

    def fork(self) -> Self:
        """The same user at the same point."""
        twin = super().fork()
        twin._lines = list(self._lines)
        return twin

    async def open(self) -> UserReply:
        """The first wish, in its first words."""
        reply = await super().open()
        self._lines.append(f"USER: {reply.text}")
        return reply

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """The answer to what the assistant said and did; errors: UsageError."""
        self._lines.append(f"ASSISTANT: {said[-MOST_HEARD:]}")
        read, quotes, usage = await self._read(said)
        self.hear(said, calls, quotes)
        heard = self.read(said) if read is None else read
        spoken = self.speak(self.machine.move(heard))
        self._lines.append(f"USER: {spoken.text}")
        return replace(spoken, usage=usage, slips=int(read is None), quotes=quotes)

    async def _read(self, said: str) -> tuple[Heard | None, tuple[tuple[str, str], ...], Usage | None]:
        """What the model reads, and the answers that it quotes; nothing if that is not of use."""
        self._turns += 1
        known = {fact.name for _, fact in self.machine.facts_known()}
        wanted = "\n".join(f"- {self.machine.user.wishes[wish].words[0]}" for wish in self.machine.wishes)
        facts = "\n".join(f"- {fact.name}: {fact.said}" for _, fact in self.machine.facts_known())
        answers = {name: each for name, each in self.reader.answers.items() if each.wish in self.machine.wishes}
        marks = {
            "wanted": wanted,
            "facts": facts or "- nothing more",
            "answers": "\n".join(f"- {name}" for name in answers) or "- nothing",
            "conversation": "\n\n".join(self._lines),
        }
        prefix, _, prompt = fill("reader.md", marks).partition("<<<>>>")
        request = Request("user", "read", f"{self._key}-{self._turns:03d}", 1, prefix, prompt, SCHEMA, max_tokens=1_000)
        try:
            answer = await self._model.answer(request)
        except ModelFailed as failure:
            return None, (), failure.usage
        content = answer.content
        quotes = tuple((each["answer"], each["words"]) for each in content["told"])
        told_well = all(name in answers and words and words in said for name, words in quotes)
        if not {*content["asked"], *content["differs"]} <= known or not told_well:
            return None, (), answer.usage
        fits = content["holds_all"] and not content["differs"] and not content["goes_beyond"]
        offers = is_offer(said) and self.machine.is_seen_to
        left_out = partial(self._left_out, said, frozenset(content["differs"]))
        besides = hear_besides(said, self.machine)
        heard = replace(besides, kind=content["kind"], asked=tuple(content["asked"]), fits=fits)
        return replace(heard, offers=offers, compare=left_out), quotes, answer.usage

    def _left_out(self, said: str, differing: Collection[str]) -> LeftOut:
        """What the rules of form do not find in a message, and what the model found there otherwise."""
        differ = tuple(fact for fact in self.machine.facts_in_words() if fact.name in differing)
        return LeftOut(self.unsaid(said[-MOST_HEARD:]), differ, self.never_said())
