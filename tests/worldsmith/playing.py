"""The agents of these tests: functions from the messages so far, in the OpenAI form, to the next one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from runtime.harness.agent import Agent, AgentContext, AssistantTurn
from runtime.harness.agents.baselines import IdleAgent
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.messages import Message
from runtime.session.world import World
from worldsmith import ChatMessage, ChatTool, DomainTask, Rollout

# What an assistant does in the library's first task, keep-a-book: it asks who is calling, notes it, renews and reports.
ASK = "What is your name?"
NORA = {"member_id": "MEMBER-0009", "email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}
RENEW = {"loan_id": "LOAN-0016"}
TOLD = "The new due date is 2026-04-03."


class Playing:
    """A built-in agent that reads and writes messages in the OpenAI form; wishes are known by their words."""

    def __init__(self, agent: Agent, task: DomainTask) -> None:
        self._agent = agent
        self._words = task.task.user.words
        self._read: list[Message] = []

    def __call__(self, messages: Sequence[ChatMessage], tools: Sequence[ChatTool]) -> ChatMessage:
        """The next assistant message."""
        self._read += [_read(message, self._words) for message in messages[len(self._read) :]]
        try:
            self._agent.act(self._read).send(None)
        except StopIteration as done:
            return _write(done.value)
        raise AssertionError("The agent waits for something.")


def reference(task: DomainTask) -> Playing:
    """The agent that plays a task's own chain."""
    return Playing(ReferenceAgent().begin(_context(task)), task)


def idle(task: DomainTask) -> Playing:
    """The agent that declines everything."""
    return Playing(IdleAgent().begin(_context(task)), task)


def play(task: DomainTask, agent: Playing, **options: object) -> tuple[int, list[ChatMessage]]:
    """The reward of an episode and its messages."""
    with Rollout(task, **options).sync() as rollout:  # type: ignore[arg-type]
        messages = rollout.open()
        while not rollout.done:
            reply = agent(messages, rollout.tools)
            messages += [reply, *rollout.take(reply)]
        return rollout.verdict().reward, messages


def says(text: str) -> ChatMessage:
    """An assistant message without calls."""
    return {"role": "assistant", "content": text}


def calls(*named: tuple[str, str | dict[str, object]]) -> ChatMessage:
    """An assistant message with calls: each a tool and its arguments, as a JSON text or as the object."""
    written = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for number, (name, arguments) in enumerate(named)
    ]
    return {"role": "assistant", "content": None, "tool_calls": written}


def renews() -> ChatMessage:
    """What an assistant calls in keep-a-book once it has asked."""
    return calls(("note_identification", NORA), ("renew_loan", RENEW))


def _context(task: DomainTask) -> AgentContext:
    world = World(b"", 0, task.domain.schema, task.domain.policies, {})  # neither of these agents looks at it
    return AgentContext(task.domain, task.task, world, "", (), 1)


def _read(message: ChatMessage, words: Sequence[str]) -> Message:
    role, text = message["role"], message["content"] or ""
    is_error = role == "tool" and not text.startswith("{")
    wishes = tuple(number for number, said in enumerate(words) if role == "user" and said in text)
    return Message(role, text, call_id=message.get("tool_call_id"), is_error=is_error, wishes=wishes)


def _write(turn: AssistantTurn) -> ChatMessage:
    written = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in turn.calls
    ]
    return {"role": "assistant", "content": turn.text or None, "tool_calls": written or None}
