"""How these tests play: a built-in agent over a whole rollout, and single messages in the OpenAI form."""

from __future__ import annotations

from typing import Any

from worldsmith import AgentName, ChatMessage, DomainTask, Rollout

# What an assistant does in the library's first task, keep-a-book: it asks who is calling, notes it, renews and reports.
ASK = "What is your name?"
NORA = {"member_id": "MEMBER-0009", "email": "nora.moreno9@example.org", "phone": "(937) 555-0174"}
RENEW = {"loan_id": "LOAN-0016"}
TOLD = "The new due date is 2026-04-03."


def play(task: DomainTask, agent: AgentName = "reference", **options: Any) -> tuple[int, list[ChatMessage]]:
    """The reward of an episode and its messages."""
    with Rollout(task, **options).sync() as rollout:
        rollout.open()
        say = rollout.seat(agent)
        while not rollout.done:
            rollout.take(say())
        return rollout.verdict().reward, rollout.messages


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
