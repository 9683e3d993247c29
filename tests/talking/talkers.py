"""Agents that do what the reference does and talk as real ones: they propose, report, ask, or slip.

An agent that confirms, reports or asks must never score lower than one that does not.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from runtime.domain.people import is_desk_tool
from runtime.harness.choose import choose_agent
from runtime.harness.conversation import AgentContext, Message, ToolCall, at_once
from runtime.harness.export import api_messages
from runtime.server.listing import list_tools
from runtime.task.answers import said_value
from worldsmith import DomainTask, Rollout, SyncRollout

Talk = Literal["plain", "proposes", "reports", "asks", "slips"]
TALKS: tuple[Talk, ...] = ("plain", "proposes", "reports", "asks", "slips")


@dataclass
class Conversation:
    """What came of one: the reward, and each message of the agent with the reply."""

    task: str
    talk: Talk
    reward: int
    ended: str | None
    why: list[str]
    replies: list[tuple[str, str]] = field(default_factory=list)
    slipped: str = ""  # the wrong value that was proposed
    corrected: bool = False  # whether the reply held the right one


def converse(task: DomainTask, talk: Talk, user: str = "scripted") -> Conversation:
    """Play a task with the reference, talking in one of these ways."""
    with Rollout(task, user=user).sync() as rollout:
        rollout.open()
        talker = _Talker(task, talk, rollout)
        talker.play()
        verdict = rollout.verdict()
        why = [each.sentence for each in (*verdict.differences, *verdict.violations)]
        found = Conversation(task.id, talk, verdict.reward, rollout.ended, why, talker.replies)
        found.slipped, found.corrected = talker.slipped, talker.corrected
        return found


class _Talker:
    def __init__(self, task: DomainTask, talk: Talk, rollout: SyncRollout) -> None:
        self.task, self.talk, self.rollout = task, talk, rollout
        session = rollout._expect_open()
        context = AgentContext(
            task.domain,
            task.task,
            session.world,
            rollout._episode.messages[0].text,
            list_tools(task.domain),
            rollout._seed,
        )
        self.agent = choose_agent("reference").begin(context)
        self.replies: list[tuple[str, str]] = []
        self.slipped, self.corrected = "", False
        self._asked: set[tuple[int, ...]] = set()

    def play(self) -> None:
        while not self.rollout.done:
            turn = at_once(self.agent.act(self.rollout._episode.messages))
            if not turn.calls:
                if not turn.text.strip() and not self.slipped:
                    raise AssertionError(f"{self.task.id}: {turn.note}")
                self._say(turn.text)  # an agent whose slip was rejected gives up
                continue
            said = tuple(self.rollout._episode.said)
            if self.talk == "asks" and said not in self._asked:
                self._asked.add(said)
                self._say("Could you give me the details I need for that?")
            for call in turn.calls:
                if self.rollout.done:
                    return
                self._make(call)

    def _make(self, call: ToolCall) -> None:
        tool = self.task.domain.tools[call.name]
        writes = not tool.read_only and not is_desk_tool(call.name)
        plan, right = call, frozenset[str]()
        if self.talk == "slips" and writes and not self.slipped:
            plan, right = _slip(self.task, call)
        if self.talk in ("proposes", "slips") and writes:
            reply = self._say(f"I would do this: {_words(plan.name)} with {_words(plan.arguments)}. Shall I go ahead?")
            if plan is not call:
                self.slipped = _words(plan.arguments)
                self.corrected = any(words in reply.casefold() for words in right)
                call = call if self.corrected else plan
        if not self.rollout.done:
            self._take(Message("assistant", "", (call,)))
        if self.talk == "reports" and writes and not self.rollout.done:
            self._say(f"I did this: {_words(call.name)}.")

    def _say(self, text: str) -> str:
        """What the user says to a text; a closed question is answered at once."""
        reply = self._take(Message("assistant", text))
        self.replies.append((text, reply.text if reply else ""))
        if reply is not None and reply.asks and not self.rollout.done:
            answers = {each.name: said_value(each) for each in self.task.task.answers}
            self._say("\n".join(f"{name}: {answers[name]}" for name in reply.asks))
        return reply.text if reply else ""

    def _take(self, message: Message) -> Message | None:
        messages = self.rollout._episode.messages
        self.rollout.take(api_messages([message])[0])
        return messages[-1] if messages[-1].role == "user" else None


def _slip(task: DomainTask, call: ToolCall) -> tuple[ToolCall, frozenset[str]]:
    """The call with one value that the user told replaced by a wrong one, and the words of the right one."""
    facts = [fact for wish in task.task.user.wishes for fact in wish.facts if fact.value is not None]
    for name, value in call.arguments.items():
        told = [fact for fact in facts if fact.value == value and type(fact.value) is type(value)]
        if not told or isinstance(value, bool) or name.endswith("_id"):
            continue
        wrong = next(_wrong_values(task, call.name, name, value), None)
        if wrong is not None:
            right = {str(each).casefold() for fact in told for each in (fact.said, fact.value)}
            return ToolCall(call.id, call.name, {**call.arguments, name: wrong}), frozenset(right)
    return call, frozenset()


def _wrong_values(task: DomainTask, tool: str, name: str, value: Any) -> Iterator[Any]:
    if isinstance(value, int | float):
        yield value + 10
        return
    try:
        moment = datetime.datetime.fromisoformat(value) + datetime.timedelta(days=1)
    except ValueError:
        schema = task.domain.tools[tool].arguments.schema["properties"][name]
        closed = [each for part in (schema, *schema.get("anyOf", ())) for each in part.get("enum", ())]
        yield from (each for each in closed if each != value)
        if not closed:
            yield "Something Else Entirely"
    else:
        yield str(moment)[: len(value)].replace(" ", value[10:11] or " ")


def _words(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_words(name)} {_words(each)}" for name, each in value.items())
    if isinstance(value, list):
        return " and ".join(map(_words, value))
    return str(value).replace("_", " ")
