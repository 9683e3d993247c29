"""The user without a model: it reads messages by a few rules of form, and speaks the task's own words."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import replace
from typing import TYPE_CHECKING, Self

from runtime.harness.user import CallSeen, SimulatedUser, UserReply
from runtime.harness.users.heard import Heard, LeftOut
from runtime.harness.users.machine import Machine, Move
from runtime.harness.users.proposal import differing, doubtful, other_end, speaks_of, unsaid
from runtime.harness.users.reading import MOST_HEARD, read_message
from runtime.harness.users.words import Speaker
from runtime.task.closed_question import MOST_TOGETHER
from runtime.task.task import Task
from runtime.task.user import KnownFact

if TYPE_CHECKING:
    from runtime.task.read_back import AnswerReader


class ScriptedKind:
    """`--user scripted`."""

    name = "scripted"
    converses = True

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A user for a task; the seed varies the small words."""
        return ScriptedUser(task, seed, reader)


class ScriptedUser:
    """One user in one episode; the same conversation and calls always get the same replies."""

    def __init__(self, task: Task, seed: int, reader: AnswerReader) -> None:
        from runtime.task.answers_taken import AnswersTaken

        self.answers = AnswersTaken(reader)
        self.machine = Machine(task.user, self.answers)
        self.speaker = Speaker(task.user, seed)
        self._seed = seed
        self.reader = reader
        self._asked: tuple[str, ...] = ()
        self._opened = False  # whether the last message says a wish
        self._lately: tuple[str, ...] = ()  # what was said since the present wishes were

    def fork(self) -> Self:
        """The same user at the same point, for a conversation that goes on otherwise."""
        twin = copy(self)
        twin.answers = deepcopy(self.answers, {id(self.reader): self.reader})
        twin.machine = self.machine.fork(twin.answers)
        twin.speaker = self.speaker.fork()
        return twin

    async def open(self) -> UserReply:
        """The first wish, in its first words."""
        return self.speak(self.machine.open())

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        """The answer to what the assistant said and did."""
        self.hear(said, calls)
        return self.speak(self.machine.move(self.read(said)))

    def hear(self, said: str, calls: Sequence[CallSeen], quoted: Sequence[tuple[str, str]] = ()) -> None:
        """Take down what answers are in a message, and what was done."""
        self.answers.hear(said, self._asked, quoted, self._opened)
        self.machine.see(calls, said[-MOST_HEARD:])
        self._lately = (*self._lately, said[-MOST_HEARD:])[-MOST_TOGETHER:]

    def read(self, said: str) -> Heard:
        """What a message is."""
        return self.compare(read_message(said, self.machine), said)

    def compare(self, heard: Heard, said: str) -> Heard:
        """What was heard, with what tells which facts the message leaves out or says otherwise."""
        said = said[-MOST_HEARD:]

        def compare() -> LeftOut:
            left_out = self.unsaid(said)
            never_said = self.never_said()
            differs = differing(said, left_out, self.machine) or other_end(said, self.machine)
            kept = doubtful(said, never_said, self.machine)
            beside, unheard = (not speaks_of(text, self.machine) for text in (said, "\n".join(self._lately)))
            return LeftOut(left_out, differs, never_said, kept, beside, unheard)

        return replace(heard, compare=compare)

    def unsaid(self, said: str) -> tuple[KnownFact, ...]:
        """The facts of the present wishes that a text does not hold."""
        return unsaid(said, self.machine, self.reader.today)

    def never_said(self) -> tuple[KnownFact, ...]:
        """Those that the assistant has not said since the wishes were said."""
        return self.unsaid("\n".join(self._lately))

    def speak(self, move: Move) -> UserReply:
        """A move in the script's words."""
        self._asked = move.asks.names if move.asks is not None else ()
        question = self.reader.question(move.asks, self._seed) if move.asks is not None else ""
        if move.deed == "open":
            self._lately = ()
        said = move.wishes if move.deed == "open" else ()
        self._opened = bool(said)
        return UserReply(self.speaker.say(move, question), move.ends, asks=self._asked, wishes=said)
