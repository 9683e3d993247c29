"""Agents that do what the reference does and talk as real ones: they propose, report, ask, slip, offer, or reword.

An agent that confirms, reports, asks or offers must never score lower than one that does not. One that offers acts on
whatever the reply lets a reasonable person act on: a reply that begins with a word of consent.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generator.gates.calls.sample import Sampler
from generator.gates.calls.start import Start
from runtime.domain.arguments import closed_set
from runtime.domain.people import is_desk_tool
from runtime.harness.choose import choose_agent
from runtime.harness.conversation import Message, ToolCall, at_once
from runtime.harness.export import api_messages
from runtime.server.listing import list_tools
from runtime.task.values import said_value
from runtime.task.wishes import is_dictated
from worldsmith import DomainTask, Rollout, SyncRollout

Talk = Literal["plain", "proposes", "reports", "asks", "slips", "offers", "rewords"]
TALKS: tuple[Talk, ...] = ("plain", "proposes", "reports", "asks", "slips", "offers", "rewords")

CONSENT = ("yes", "yep", "yeah", "ok", "all right", "alright", "sure", "go ahead", "please do", "please go ahead")
QUESTIONS = (
    "Which one did you mean?",
    "Card, bank, or check?",
    "How would you like me to do that?",
    "Why do you need that?",
    "Would you like me to do something else for you first?",
    "Is there a color you prefer?",
)
OFFERS = (
    "Shall I take care of something else for you instead?",
    "Would you also like me to go ahead with the other one?",
    "Is there anything else?",
    "Our policy has a fee for that. Shall I post it now?",
)
REWORDINGS = ("Caller: {0}", "As the caller told us, {0}", "{0} (see call)")


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
    consented: list[str] = field(default_factory=list)
    reworded: list[str] = field(default_factory=list)


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
        found.consented, found.reworded = talker.consented, talker.reworded
        return found


class _Talker:
    def __init__(self, task: DomainTask, talk: Talk, rollout: SyncRollout) -> None:
        self.task, self.talk, self.rollout = task, talk, rollout
        self.agent = rollout._run.driver.seat(choose_agent("reference"), rollout.session.world, list_tools(task.domain))
        self.replies: list[tuple[str, str]] = []
        self.slipped, self.corrected = "", False
        self._asked: set[tuple[int, ...]] = set()
        self.consented: list[str] = []  # offers that the user took
        self.reworded: list[str] = []  # texts that were said another way

    def play(self) -> None:
        while not self.rollout.done:
            turn = at_once(self.agent.act(self.rollout.conversation))
            if not turn.calls:
                if not turn.text.strip() and not self.slipped:
                    raise AssertionError(f"{self.task.id}: {turn.note}")
                if self.talk == "offers":
                    self._offer(f"{turn.text} {OFFERS[len(self.replies) % len(OFFERS)]}")
                    continue
                self._say(turn.text)  # an agent whose slip was rejected gives up
                continue
            said = tuple(self.rollout._run.episode.said)
            if self.talk in ("asks", "rewords") and said not in self._asked:
                self._asked.add(said)
                self._say("Could you give me the details I need for that?")
            if self.talk == "offers" and said not in self._asked:
                self._asked.add(said)
                self._offer(QUESTIONS[len(self.replies) % len(QUESTIONS)])
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
        if self.talk == "rewords" and writes:
            call = self._reword(call)
        if not self.rollout.done:
            self._take(Message("assistant", "", (call,)))
        if self.talk == "reports" and writes and not self.rollout.done:
            self._say(f"I did this: {_words(call.name)}.")

    def _offer(self, text: str) -> None:
        """Ask for what nobody asked for, and do it where the reply begins as consent does."""
        reply = self._say(text)
        if reply.casefold().startswith(CONSENT) and not self.rollout.done:
            self.consented.append(f"{text} > {reply}")
            self._take(Message("assistant", "", (self._unasked_write(),)))

    def _unasked_write(self) -> ToolCall:
        """A call that is accepted now and that the task does not ask for."""
        session, chance = self.rollout.session, random.Random(self.task.id)
        start = Start(session.domain, session.world)
        for _ in range(200):
            for tool in session.domain.tools.values():
                if tool.writes and not is_desk_tool(tool.name):
                    sampler = Sampler(tool, start, [])
                    arguments = sampler.sample(chance, sampler.anchor(chance))
                    with session.fork() as fork:
                        if fork.perform(tool.name, arguments).rejection is None:
                            return ToolCall("unasked", tool.name, arguments)
        raise AssertionError(f"{self.task.id}: no call is accepted")

    def _reword(self, call: ToolCall) -> ToolCall:
        """The call with each text that the user did not dictate in other words, and a text that nobody asked for."""
        tool, words = self.task.domain.tools[call.name], "\n".join([self.task.domain.policy, *self._heard()])
        changed = dict(call.arguments)
        for name, schema in tool.arguments.schema["properties"].items():
            value, is_text = changed.get(name), "string" in str(schema) and not any(closed_set(schema))
            if not is_text or (value is not None and (not isinstance(value, str) or is_dictated(value, words))):
                continue
            said = value or "as the caller asked"
            text = REWORDINGS[len(self.reworded) % len(REWORDINGS)].format(said)
            if self._is_prose(call, changed, name, text):
                changed[name] = text
                self.reworded.append(text)
        return ToolCall(call.id, call.name, changed)

    def _heard(self) -> list[str]:
        return [message.text for message in self.rollout.conversation if message.role == "user"]

    def _is_prose(self, call: ToolCall, arguments: Mapping[str, Any], name: str, text: str) -> bool:
        """Whether a text would be accepted and end up in columns of texts only, by the domain's own policies."""
        domain = self.task.domain
        with self.rollout.session.fork() as fork:
            before = fork.changes
            if fork.perform(call.name, {**arguments, name: text}).rejection is not None:
                return False
            cells = [
                (domain.policies.of(table, column), None if old is None else old[at])
                for (table, _), (old, new) in before.steps_to(fork.changes)
                for column, at in domain.schema.tables[table].positions.items()
                if new is not None and new[at] == text and (old is None or old[at] != text)
            ]
            free = [policy.policy != "hard" and not policy.spelled for policy, _ in cells]
            overwritten = arguments.get(name) is None and any(old for _, old in cells)
            return all(free) and bool(free) and not overwritten

    def _say(self, text: str) -> str:
        """What the user says to a text; a closed question is answered at once."""
        reply = self._take(Message("assistant", text))
        self.replies.append((text, reply.text if reply else ""))
        if reply is not None and reply.asks and not self.rollout.done:
            answers = {each.name: said_value(each) for each in self.task.task.answers}
            self._say("\n".join(f"{name}: {answers[name]}" for name in reply.asks))
        return reply.text if reply else ""

    def _take(self, message: Message) -> Message | None:
        self.rollout.take(api_messages([message])[0])
        last = self.rollout.conversation[-1]
        return last if last.role == "user" else None


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
