"""Proof 14, user: whatever an agent says and does, the conversation ends, and the user tells nothing unasked.

And it is deaf: what is expected of the agent changes no byte of what it says.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from runtime.domain.domain import Domain
from runtime.harness.user import CallSeen, UserReply
from runtime.harness.users.machine import MOST_REPLIES
from runtime.harness.users.scripted import ScriptedUser
from runtime.session.world import World
from runtime.task.judge import answer_reader
from runtime.task.read_back import told_value
from runtime.task.task import Task, TaskAnswer
from runtime.verification.text.match import tells

_SAID = (
    "It is done.",
    "I'm sorry, I can't do that.",
    "Shall I do something else for you instead?",
    "What exactly do you mean?",
)
_CALLS: tuple[tuple[CallSeen, ...], ...] = (
    (),
    (CallSeen("a_tool", writes=True, accepted=True),),
    (CallSeen("a_tool", writes=True, accepted=False),),
)
_MOST_STATES = 20_000


@dataclass(frozen=True)
class Walk:
    """What walking through all that an agent may do came to; `states` counts the different ones."""

    states: int
    longest: int
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
            sum(answer.wish == number for answer in task.answers),
        )
        for number, wish in enumerate(task.user.wishes)
    )


def walk_user(task: Task, domain: Domain, world: World, seed: int = 0) -> Walk:
    """Walk the scripted user of a task through every kind of message and call, in every state that it comes to."""
    answers = [each.model_copy(update={"value": _another(each, world)}) for each in task.answers]
    other = task.model_copy(update={"expected": [], "chain": [], "answers": answers})
    users = [ScriptedUser(each, seed, answer_reader(each, domain, world)) for each in (task, other)]
    told = [f"The {each.name} is {told_value(each)}." for each in (*task.answers, *answers)]
    return _Walker(task, told).walk(*users)


class _Walker:
    def __init__(self, task: Task, told: Sequence[str]) -> None:
        self._task = task
        self._told = tuple(dict.fromkeys(told))  # right in the one task, wrong in the other
        facts = [fact for fact in task.user.facts if fact.withheld]
        self._questions = tuple(dict.fromkeys(f"What is your {fact.name}?" for fact in facts))
        self._seen: set[object] = set()
        self._complaints: dict[str, None] = {}
        self._longest = 0

    def walk(self, user: ScriptedUser, other: ScriptedUser) -> Walk:
        """Both users through the same; `other` is of a task of which something else is expected."""
        opened = asyncio.run(_open(user, other))
        self._compare(user, opened, "")
        waiting = [(user, other, 1)]
        most = sum(MOST_REPLIES + len(self._task.user.facts) + 1 for _ in self._task.user.wishes)
        most += 1 + 2 * len(self._task.answers)
        while waiting and len(self._seen) < _MOST_STATES:
            user, other, depth = waiting.pop()
            self._longest = max(self._longest, depth)
            if depth > most:
                self._complaints.setdefault(f"after {depth} replies the user has not ended the conversation")
                break
            for said in (*_SAID, *self._questions, *self._told):
                for calls in _CALLS:
                    pair = user.fork(), other.fork()
                    replies = asyncio.run(_reply(*pair, said, calls))
                    self._compare(pair[0], replies, said)
                    if not replies[0].ends and (state := (pair[0].state, pair[1].state)) not in self._seen:
                        self._seen.add(state)
                        waiting.append((*pair, depth + 1))
        return Walk(len(self._seen), self._longest, tuple(self._complaints))

    def _compare(self, user: ScriptedUser, replies: tuple[UserReply, UserReply], said: str) -> None:
        one, other = replies
        if one != other:
            self._complaints.setdefault(f"the user says {one.text!r}, and {other.text!r} if something else is expected")
        for fault in self._leaks(user, one, said):
            self._complaints.setdefault(fault)

    def _leaks(self, user: ScriptedUser, reply: UserReply, said: str) -> Iterator[str]:
        words = " ".join(words for wish in self._task.user.wishes for words in (*wish.words, *wish.insists))
        for wish in self._task.user.wishes:
            for fact in wish.facts:
                asked = said in self._questions
                if fact.withheld and not asked and tells(reply.text, fact.said) and not tells(words, fact.said):
                    yield f"the user tells {fact.name!r} unasked: {reply.text!r}"


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


async def _open(user: ScriptedUser, other: ScriptedUser) -> tuple[UserReply, UserReply]:
    return await user.open(), await other.open()


async def _reply(
    user: ScriptedUser, other: ScriptedUser, said: str, calls: tuple[CallSeen, ...]
) -> tuple[UserReply, UserReply]:
    return await user.reply(said, calls), await other.reply(said, calls)
