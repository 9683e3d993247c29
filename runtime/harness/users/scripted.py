"""Users without a model: `scripted` follows what the assistant does; `none` says everything in one message."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, Self

from runtime.domain.people import own_name
from runtime.harness.conversation import CallSeen, SimulatedUser, UserReply
from runtime.harness.users.machine import Machine, Move, Reading
from runtime.task.answers import AnswerReader, AnswersTaken, ClosedQuestion
from runtime.task.task import Task
from runtime.task.user import KnownFact, User, Wish

CLOSING = frozenset({"reply", "set_aside"})
"""The tools that close a message of an inbox."""
_ENDS = (".", "!", "?", '"', "”")


class ScriptedKind:
    """`--user scripted`."""

    name = "scripted"
    converses = True

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        """A user for a task; the seed varies the phrases."""
        return opener(task) or ScriptedUser(task, seed, reader)


class ScriptedUser:
    """One user in one episode; the same conversation and calls always get the same replies."""

    def __init__(self, task: Task, seed: int, reader: AnswerReader) -> None:
        self.answers = AnswersTaken(reader)
        self.machine = Machine(task.user, self.answers)
        self.speaker = Speaker(task.user, seed, reader)
        self._asked: tuple[str, ...] = ()

    def fork(self) -> Self:
        """The same user at the same point, for a conversation that goes on from here by itself."""
        fork = copy(self)
        fork.answers = self.answers.fork()
        fork.machine = self.machine.fork(fork.answers)
        fork.speaker = copy(self.speaker)
        return fork

    async def open(self) -> UserReply:
        return self.speak(self.machine.open(), {})

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        return self.respond(said, calls)

    def respond(
        self,
        said: str,
        calls: Sequence[CallSeen],
        reading: Reading | None = None,
        quoted: Mapping[str, str] | None = None,
    ) -> UserReply:
        """The answer, with what a model read in the message and the words of answers that it quotes."""
        before = dict(self.answers.values)
        self.answers.hear(self._asked, said)
        self.answers.note(quoted or {})
        move = self.machine.move(said, calls, reading)
        return self.speak(move, {name: each for name, each in self.answers.values.items() if name not in before})

    def speak(self, move: Move, taken: Mapping[str, str]) -> UserReply:
        """A move in the script's words, and the answers that were written down just before."""
        self._asked = move.asks.names if move.asks is not None else ()
        wishes = move.wishes if move.phrase == "open" else ()
        tells = self.speaker.proofs_in(move)
        return UserReply(
            self.speaker.say(move), move.ends, asks=self._asked, wishes=wishes, tells=tells, taken=tuple(taken.items())
        )


class NoUser:
    """The kind of user that does not converse."""

    name = "none"
    converses = False

    def meet(self, task: Task, seed: int, reader: AnswerReader) -> SimulatedUser:
        tells = tuple(dict.fromkeys(fact.proves for fact in task.user.facts if fact.proves))
        return opener(task) or _OneMessage(
            UserReply(tell_everything(task), wishes=tuple(range(len(task.user.wishes))), tells=tells)
        )


def tell_everything(task: Task) -> str:
    """All wishes, the known facts that these do not say, and the lines in which the answers are to be given."""
    wishes = "\n\n".join(task.user.words)
    told = wishes.casefold()
    known = (fact for fact in task.user.facts if fact.in_full.casefold() not in told)
    facts = dict.fromkeys(f"- {fact.name}: {fact.in_full}" for fact in known)
    parts = [wishes]
    if facts:
        parts.append("\n".join(["What else you may need to know:", *facts]))
    if task.answers:
        listed = "; ".join(f"{number}) {each}" for number, each in enumerate(listed_requests(task.user), 1))
        lines = [
            f"{answer.name}: ..." + f" (the numbers, or none, of: {listed})" * (answer.kind == "account")
            for answer in task.answers
        ]
        parts.append("\n".join(["End your last message with these lines, filled in, and nothing after them:", *lines]))
    return "\n\n".join(parts)


def listed_requests(user: User) -> list[str]:
    """The requests that a last account lists, in short, in their order."""
    return [user.wishes[wish].short or user.wishes[wish].words[0] for wish in user.accounted]


class _OneMessage:
    def __init__(self, message: UserReply) -> None:
        self._message = message

    async def open(self) -> UserReply:
        return self._message

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        return UserReply("", ends=True)


def opener(task: Task) -> SimulatedUser | None:
    """Return who opens a day of which messages tell the wishes, whatever the kind of user; None for any other task."""
    late = len(task.clock.events) if task.clock is not None else 0
    return _Manager(task.user, late) if task.user.opens else None


class _Manager:
    """Opens the day, and says twice that messages are left where the assistant stops before all of the morning's."""

    def __init__(self, user: User, late: int) -> None:
        """`late` messages come in during the day."""
        self._user, self._left, self._late, self._reminders = user, len(user.wishes), late, 2

    def fork(self) -> _Manager:
        return copy(self)

    async def open(self) -> UserReply:
        tells = tuple(dict.fromkeys(fact.proves for fact in self._user.facts if fact.proves))
        return UserReply(self._user.opens, wishes=tuple(range(len(self._user.wishes))), tells=tells)

    async def reply(self, said: str, calls: Sequence[CallSeen]) -> UserReply:
        self._left -= sum(call.tool in CLOSING and call.accepted for call in calls)
        if self._left <= self._late or not self._reminders:
            return UserReply("Thank you. See you tomorrow.", ends=True)
        self._reminders -= 1
        return UserReply("There are still new messages in the inbox.")


class Speaker:
    """Puts moves into words, in the user's register; which of several phrases is said depends on seed and turn."""

    def __init__(self, user: User, seed: int, reader: AnswerReader | None = None) -> None:
        """Without a `reader` nothing is asked."""
        self._user = user
        self._reader = reader
        self._turn = seed % 60

    def proofs_in(self, move: Move) -> tuple[str, ...]:
        """The columns of the caller's own row that a move tells."""
        facts = list(move.facts)
        if move.phrase == "open":
            facts += [fact for wish in move.wishes for fact in self._user.wishes[wish].facts if not fact.withheld]
        return tuple(dict.fromkeys(fact.proves for fact in facts if fact.proves))

    def say(self, move: Move) -> str:
        """The words of a move."""
        self._turn += 1
        wishes = [self._user.wishes[number] for number in move.wishes]
        lead = [self._phrase(move.lead)] if move.lead else []
        match move.phrase:
            case "open":
                return " ".join(_sentences([*lead, *(wish.words[0] for wish in wishes)]))
            case "tell":
                return self.tell(move.facts)
            case "insist":
                return move.insists
            case "answer":
                assert move.asks is not None
                return " ".join(_sentences([*lead, self._question(move.asks)]))
            case "just" if all(wish.short for wish in wishes):
                return self._phrase("just", short=" and ".join(wish.short for wish in wishes))
            case "just" | "restate":
                return " ".join([*lead, self._phrase("restate"), self._again(wishes)])
        return " ".join(_sentences([*lead, self._phrase(move.phrase)]))

    def _again(self, wishes: Sequence[Wish]) -> str:
        """Requests once more, with what was kept back of them at first."""
        kept = [fact for wish in wishes for fact in wish.facts if fact.withheld and not fact.proves]
        told = [self.tell(kept)] if kept else []
        return " ".join([*_sentences(wish.words[0] for wish in wishes), *told])

    def tell(self, facts: Sequence[KnownFact]) -> str:
        """Who the user is in one sentence, other facts in another one, and what was said wrong in one of its own."""
        said: list[str] = []
        own = [fact for fact in facts if fact.proves]
        name = next((fact.said for fact in own if fact.name in _NAMES), None)
        parts = _listed([f"my {_label(fact)} is {fact.said}" for fact in own if fact.name not in _NAMES])
        if name is not None and parts:
            said.append(self._phrase("who", name=name, parts=parts))
        elif name is not None:
            said.append(self._phrase("name", name=name))
        elif parts:
            said.append(self._cased(f"{parts}."))
        rest = [fact for fact in facts if not (fact.proves or fact.corrects)]
        others = _listed([f"the {_label(fact)} is {fact.said}" for fact in rest])
        details = [self._cased(others)] * bool(others)
        details += [self._phrase("correct", label=_label(each), fact=each.in_full) for each in facts if each.corrects]
        said += [each if each.endswith(_ENDS) else f"{each}." for each in details]
        return " ".join(_sentences(said))

    def _question(self, question: ClosedQuestion) -> str:
        assert self._reader is not None
        if self._reader.answers[question.names[0]].kind == "account":
            listed = [f"{number}) {each}" for number, each in enumerate(listed_requests(self._user), 1)]
            return self._phrase("account_again" if question.again else "account", requests="; ".join(listed))
        locale = self._reader.locale
        forms = _phrases()["form"] | (_phrases()["form_day_first"] if locale.day_first else {})
        forms |= {"money": forms["money"].replace("{unit}", locale.names[-1])}
        asked = [f"{name}, {forms[self._reader.answers[name].kind]}".removesuffix(", ") for name in question.names]
        kind = ("answer" if len(asked) == 1 else "answers") + ("_again" if question.again else "")
        return self._phrase(kind, answer=asked[0], answers="; ".join(asked))

    def _phrase(self, kind: str, **marks: str) -> str:
        wordings = _phrases()[kind][self._user.speech]
        words: str = wordings[self._turn % len(wordings)]
        for mark, text in marks.items():
            words = words.replace(f"{{{mark}}}", text)
        return words

    def _cased(self, sentence: str) -> str:
        return sentence if self._user.speech == "casual" else sentence[:1].upper() + sentence[1:]


_NAMES = ("name", "my name")


@cache
def _phrases() -> Mapping[str, dict[str, Any]]:
    with (Path(__file__).parent / "phrases.toml").open("rb") as file:
        return tomllib.load(file)


def _label(fact: KnownFact) -> str:
    return "email" if own_name(fact.proves) == "email" else fact.name.replace("_", " ")


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 3:
        return " and ".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}"


def _sentences(said: Iterable[str]) -> list[str]:
    """Sentences, each but the last one with an end, so that they can stand in one message."""
    sentences = [each for each in said if each]
    return [each if each.endswith(_ENDS) else f"{each}." for each in sentences[:-1]] + sentences[-1:]
