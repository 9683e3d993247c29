"""Proof 14, user: whatever an agent says and does, the conversation ends, and the user tells nothing unasked.

And it is deaf: what is expected of the agent changes no byte of what it says.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace

from runtime.domain.domain import Domain
from runtime.harness.user import CallSeen, UserReply, at_once
from runtime.harness.users.heard import Heard
from runtime.harness.users.scripted import ScriptedUser
from runtime.session.world import World
from runtime.task.judge import answer_reader
from runtime.task.read_back import AnswerReader
from runtime.task.right_answer import told_value
from runtime.task.task import KnownFact, Task, TaskAnswer
from runtime.verification.text.match import tells

_SAID = (
    "It is done.",
    "I'm sorry, I can't do that.",
    "Shall I do something else for you instead?",
    "What exactly do you mean?",
)
_WHICH = _SAID[-1]  # asks for what the wishes said last keep back, where these tell nothing themselves
_CALLS: tuple[tuple[CallSeen, ...], ...] = (
    (),
    (CallSeen("a_tool", writes=True, accepted=True),),
    (CallSeen("a_tool", writes=True, accepted=False),),
)
_TIRED: tuple[CallSeen, ...] = (
    CallSeen("a_tool", writes=False, accepted=True),
)  # after more replies than there may be
_MANY = 1_000


@dataclass(frozen=True)
class Walk:
    """What walking through all that an agent may do came to; `states` counts the different ones."""

    states: int
    complaints: tuple[str, ...]


def shape_of(task: Task) -> tuple[object, ...]:
    """What a walk depends on: tasks of one shape need one walk."""
    return tuple(
        (
            wish.acts,
            wish.joined,
            wish.otherwise,
            len(wish.words),
            len(wish.insists),
            sum(fact.withheld for fact in wish.facts),
            any(not fact.withheld for fact in wish.facts),
            sum(answer.wish == number for answer in task.answers),
        )
        for number, wish in enumerate(task.user.wishes)
    )


def walk_user(task: Task, domain: Domain, world: World, seed: int = 0) -> Walk:
    """Walk the scripted user of a task through every kind of message and call, in every state that it comes to."""
    answers = [each.model_copy(update={"value": _another(each, world)}) for each in task.answers]
    other = task.model_copy(update={"expected": [], "chain": [], "answers": answers})
    users = [_QuickUser(each, seed, _QuickReader(each, domain, world)) for each in (task, other)]
    told = [(each.wish, f"The {each.name} is {told_value(each)}.") for each in (*task.answers, *answers)]
    return _Walker(task, told).walk(*users)


class _QuickReader(AnswerReader):
    """Reads each message once: a walk says few different ones."""

    def __init__(self, task: Task, domain: Domain, world: World) -> None:
        super().__init__(task, domain.now, answer_reader(task, domain, world)._values_of)
        self._replies: dict[tuple[str, str], str | None] = {}

    def in_reply(self, name: str, text: str) -> str | None:
        if (name, text) not in self._replies:
            self._replies[name, text] = super().in_reply(name, text)
        return self._replies[name, text]


class _QuickUser(ScriptedUser):
    """Reads each message once in each state that its reading depends on."""

    def __init__(self, task: Task, seed: int, reader: AnswerReader) -> None:
        super().__init__(task, seed, reader)
        self._readings: dict[Hashable, Heard] = {}

    def read(self, said: str) -> Heard:
        at = self.machine.progress
        key = said, at.group, at.told, at.written, at.noting
        if key not in self._readings:
            self._readings[key] = super().read(said)
        return self._readings[key]


class _Walker:
    def __init__(self, task: Task, told: Sequence[tuple[int, str]]) -> None:
        self._task = task
        names = dict.fromkeys(fact.name for fact in task.user.facts if fact.withheld)
        self._questions = (" ".join(f"What is your {name}?" for name in names),) if names else ()
        facts = dict.fromkeys(fact.said for fact in task.user.facts if not fact.withheld)
        self._all = (f"It is done, all of it: {', '.join(facts)}.",) if facts and len(task.user.wishes) > 1 else ()
        self._told = dict.fromkeys(told)
        self._seen: set[Hashable] = set()
        self._complaints: dict[str, None] = {}

    def walk(self, user: ScriptedUser, other: ScriptedUser) -> Walk:
        """Both users through the same; `other` is of a task of which something else is expected."""
        self._compare((at_once(user.open()), at_once(other.open())), "", ())
        waiting = [(user, other)]
        while waiting:
            user, other = waiting.pop()
            told = [said for wish, said in self._told if wish in user.machine.wishes]
            for said in (*_SAID, *self._questions, *self._all, *told):
                for calls in (*_CALLS, _TIRED):
                    pair = user.fork(), other.fork()
                    if calls is _TIRED:
                        for each in pair:
                            each.machine.progress = replace(each.machine.progress, replies=_MANY)
                    replies = at_once(pair[0].reply(said, calls)), at_once(pair[1].reply(said, calls))
                    self._compare(replies, said, user.machine.wishes)
                    if replies[0].ends:
                        continue
                    if _way(pair[0]) <= _way(user):
                        self._complaints.setdefault(f"the user comes no further with {replies[0].text!r}")
                    elif (state := _state(pair[0])) not in self._seen:
                        self._seen.add(state)
                        waiting.append(pair)
        return Walk(len(self._seen), tuple(self._complaints))

    def _compare(self, replies: tuple[UserReply, UserReply], said: str, wishes: Sequence[int]) -> None:
        one, other = replies
        if one != other:
            self._complaints.setdefault(f"the user says {one.text!r}, and {other.text!r} if something else is expected")
        if said not in self._questions:
            asked = [self._task.user.wishes[wish] for wish in wishes if said == _WHICH]
            self._complaints.update(dict.fromkeys(self._leaks(one, [fact for wish in asked for fact in wish.facts])))

    def _leaks(self, reply: UserReply, asked: Sequence[KnownFact]) -> Iterator[str]:
        words = " ".join(words for wish in self._task.user.wishes for words in (*wish.words, *wish.insists))
        for fact in self._task.user.facts:
            if fact.withheld and fact not in asked and tells(reply.text, fact.said) and not tells(words, fact.said):
                yield f"the user tells {fact.name!r} unasked: {reply.text!r}"


def _way(user: ScriptedUser) -> tuple[int, int, int]:
    """How far a user has come; it has only so many wishes, questions and replies, so that it ends if this grows."""
    progress, answers = user.machine.progress, user.answers
    asked = sum(1 + times for times in answers._asked.values()) + len(answers._twice)
    return progress.group, asked, progress.replies


def _state(user: ScriptedUser) -> Hashable:
    """What its next reply depends on: of its replies so far only whether they were enough, of refusals and answers only
    those that are still to be thought of.
    """
    machine, answers = user.machine, user.answers
    at = machine.progress
    choices = {wish.otherwise for wish in machine.user.wishes}
    progress = replace(at, replies=int(machine.is_exhausted), refused=frozenset(at.refused & choices))
    if at.noting:  # only the answers matter then
        progress = replace(progress, restated=False, rejected=False, held=0, insisted=0, replies=0)
    names = [name for name, answer in user.reader.answers.items() if answer.wish in machine.wishes]
    asked = [(answers._asked.get(name, -1), name in answers._twice, name in answers.values) for name in names]
    return progress, tuple(asked)


def _another(answer: TaskAnswer, world: World) -> str | int | float:
    """Another value of an answer's kind."""
    if answer.kind == "number":
        return float(answer.value) + 1
    if answer.source is None:
        return {"date": "1999-12-31", "moment": "1999-12-31 23:59:00", "time": "23:59"}[answer.kind]
    table, column = answer.source
    connection = world.open()
    try:
        sql = f'SELECT "{column}" FROM "{table}" WHERE "{column}" <> ? LIMIT 1'
        row: tuple[str] | None = connection.execute(sql, (answer.value,)).fetchone()
    finally:
        connection.close()
    return answer.value if row is None else row[0]
