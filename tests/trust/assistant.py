"""An assistant that does what a task's chain does, or nothing, and tells the answers as one of the kinds does."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from runtime.harness.agent import Agent, AgentContext, AssistantTurn
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.messages import Message
from runtime.session.world import World
from runtime.task.answer_values import told_value
from runtime.task.task import Task, TaskAnswer
from tests.trust.kinds import Telling
from tests.trust.notations import write, write_value

_DONE = "Done: that is all taken care of."
_OTHERS = ("wrong", "wrong2", "wrong3", "wrong4", "wrong5")


class TellingAgent:
    """The kind of agent that tells the answers in one way."""

    def __init__(self, telling: Telling, guesses: Mapping[str, str]) -> None:
        """`guesses` are what a blind assistant guesses, by the names of the answers."""
        self.telling, self.guesses = telling, guesses

    @property
    def name(self) -> str:
        return self.telling.name

    def begin(self, context: AgentContext) -> Agent:
        """A fresh agent for the task of its episode."""
        words = _Words(self.telling, context.task, context.domain.now, context.world, self.guesses)
        return _Telling(context.task, words, ReferenceAgent().begin(context), self.telling.blind)


class _Telling:
    def __init__(self, task: Task, words: _Words, reference: Agent, blind: bool) -> None:
        self._task, self._words, self._reference, self._blind = task, words, reference, blind
        self._open = {answer.name: answer for answer in task.answers}
        self._asked: set[str] = set()

    async def act(self, messages: Sequence[Message]) -> AssistantTurn:
        asks = messages[-1].asks if messages[-1].role == "user" else ()
        if self._blind and not asks:
            report = list(self._open.values())
            self._open.clear()
            return AssistantTurn(self._words.report(report) if report else "You're welcome.")
        turn = await self._reference.act(messages)
        if asks:
            again = self._asked.issuperset(asks)
            self._asked.update(asks)
            return AssistantTurn(self._words.reply(asks, again))
        if turn.calls:
            return turn
        told = [each for each in self._open.values() if each.name.casefold() in turn.text.casefold()]
        for answer in told:
            del self._open[answer.name]
        return AssistantTurn(self._words.report(told) if told else _DONE)  # the reference's own words never count


class _Words:
    """What one kind of assistant says about the answers of one task."""

    def __init__(self, telling: Telling, task: Task, now: str, world: World, guesses: Mapping[str, str]) -> None:
        self._telling = telling
        self._now = now
        self._task = task
        self._others = {answer.name: _other_values(answer, world) for answer in task.answers}
        self._guesses = guesses

    def report(self, answers: Sequence[TaskAnswer]) -> str:
        return self._say(self._telling.said, answers)

    def reply(self, names: Sequence[str], again: bool) -> str:
        kind = self._telling
        asked = kind.asked or kind.said
        answers = [each for each in self._task.answers if each.name in names]
        return self._say(kind.again or asked if again else asked, answers)

    def _say(self, words: str, answers: Sequence[TaskAnswer]) -> str:
        if any(mark in words for mark in ("{lines}", "{all}", "{names}", "{reversed}")) or "{" not in words:
            return self._fill(words, answers[0], answers)
        return "\n".join(self._fill(words, answer, answers) for answer in answers)

    def _fill(self, words: str, answer: TaskAnswer, answers: Sequence[TaskAnswer]) -> str:
        values = [write(each, self._telling.notation, self._now) for each in answers]
        notation, others = self._telling.notation, self._others[answer.name]
        others = [write_value(answer.kind, other, notation, self._now) for other in others]
        alike = [
            write(each, "plain", self._now)
            for each in answers
            if each.kind == answer.kind and each.value != answer.value
        ]
        return words.format(
            name=answer.name,
            value=write(answer, notation, self._now),
            lines="\n".join(f"The {each.name} is {value}." for each, value in zip(answers, values, strict=True)),
            all=_listed(values),
            reversed=_listed(values[::-1]),
            names=_listed([each.name for each in answers]),
            swapped=alike[0] if alike else others[0],
            guess=self._guesses[answer.name],
            **dict(zip(_OTHERS, others, strict=True)),
        )


def _listed(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _other_values(answer: TaskAnswer, world: World) -> list[str]:
    """Values of the same kind that are wrong, as many as the words can want."""
    value, draws = told_value(answer), random.Random(answer.name)
    if answer.kind == "number":
        return [str(Decimal(value) + step) for step in (1, 2, 7, 10, 31)]
    if answer.kind != "text":
        at = datetime.fromisoformat(value)
        return [str(at + timedelta(days=days))[: len(value)] for days in (1, 3, 7, 11, 30)]
    assert answer.source is not None
    table, column = answer.source
    connection = world.open()
    rows = connection.execute(f'SELECT DISTINCT "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL ORDER BY 1')
    others = [str(row[0]) for row in rows if str(row[0]) != value]
    connection.close()
    draws.shuffle(others)
    return (others * len(_OTHERS))[: len(_OTHERS)]
