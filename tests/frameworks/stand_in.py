"""A chat completions server whose models `reference`, `careful` and `idle` are the agents so named; it keeps no state.

python -m tests.frameworks.stand_in FILE DOMAIN[:SPLIT]...: listens on a free port and writes its URL into FILE.
A task is recognised by its first words; where several have the same, the first of them is meant.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from runtime.harness.choose import choose_agent
from runtime.harness.conversation import AgentContext, AssistantTurn, Message, ToolCall, at_once
from runtime.harness.export import api_messages
from runtime.server.listing import list_tools
from worldsmith import DomainTask, Split, tasks
from worldsmith.catalog import world_of
from worldsmith.chat import read_turn

MODELS = ("reference", "careful", "idle")


def reply(model: str, task: DomainTask, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The next assistant message; the agent is asked anew for each message that it said before, to be where it was."""
    world = world_of(task) if model == "careful" else None  # the others look at none
    context = AgentContext(task.domain, task.task, world, "", list_tools(task.domain, True), 0)  # type: ignore[arg-type]
    agent = choose_agent(model).begin(context)
    heard: list[Message] = []
    own: dict[str, str] = {}  # the agent's own ids of calls, by those that its framework gave them
    for number, message in enumerate(messages):
        text = _text_of(message)
        if message["role"] == "assistant" and any(each.role == "user" for each in heard):  # else it is the greeting
            given = read_turn(message, number).calls
            said = at_once(agent.act(heard)).calls
            own |= {theirs.id: ours.id for theirs, ours in zip(given, said, strict=True)}
            heard.append(Message("assistant", text, said, by_agent=True))
        elif message["role"] == "tool":
            is_error = not text.startswith("{")  # of a rejection, or a fault of the service
            heard.append(Message("tool", text, call_id=own[message["tool_call_id"]], is_error=is_error))
        else:
            said = _plain(text) if message["role"] == "user" else ""
            wishes = tuple(number for number, words in enumerate(task.task.user.words) if _plain(words) in said)
            asks = tuple(each.name for each in task.task.answers if each.kind == "account" and "1) " in said)
            heard.append(Message(message["role"], text, wishes=wishes, asks=asks))
    turn: AssistantTurn = at_once(agent.act(heard))
    calls = tuple(ToolCall(f"{each.id}-{len(messages)}", each.name, each.arguments) for each in turn.calls)
    return api_messages([Message("assistant", turn.text, calls)])[0]


def _text_of(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _plain(text: str) -> str:
    return " ".join(text.split())


def _recognise(known: Mapping[str, DomainTask], messages: Sequence[Mapping[str, Any]]) -> DomainTask | None:
    """The task of the first message that holds one's first words, be it of a user or of a tool that the user is."""
    for message in messages:
        heard = _plain(_text_of(message)) if message["role"] in ("user", "tool") else ""
        if found := [words for words in known if words in heard]:
            return known[max(found, key=len)]
    return None


def make_app(everything: Sequence[DomainTask]) -> Starlette:
    """The server of these tasks."""
    known: dict[str, DomainTask] = {}
    for each in everything:
        known.setdefault(_plain(each.task.user.words[0]), each)

    async def complete(request: Request) -> Response:
        body = await request.json()
        task = _recognise(known, body["messages"])
        if task is None or body["model"] not in MODELS:
            sentence = f"Model {body['model']!r} knows no task of this conversation; have: {', '.join(MODELS)}."
            return JSONResponse({"error": {"message": sentence, "type": "invalid_request_error"}}, 400)
        message = reply(body["model"], task, body["messages"])
        head = {"id": f"chatcmpl-{time.time_ns()}", "created": int(time.time()), "model": body["model"]}
        usage = {"prompt_tokens": len(json.dumps(body["messages"])) // 4, "completion_tokens": len(str(message)) // 4}
        usage["total_tokens"] = sum(usage.values())
        reason = "tool_calls" if message.get("tool_calls") else "stop"
        if body.get("stream"):
            return StreamingResponse(_events(head, message, reason, usage), media_type="text/event-stream")
        choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
        return JSONResponse({**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    async def models(_: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": each, "object": "model"} for each in MODELS]})

    return Starlette(routes=[Route("/v1/chat/completions", complete, methods=["POST"]), Route("/v1/models", models)])


def _events(
    head: Mapping[str, Any], message: Mapping[str, Any], reason: str, usage: Mapping[str, int]
) -> Iterator[str]:
    delta = dict(message)
    if calls := delta.get("tool_calls"):
        delta["tool_calls"] = [{**call, "index": place} for place, call in enumerate(calls)]
    ends = [{"index": 0, "delta": delta, "finish_reason": None}, {"index": 0, "delta": {}, "finish_reason": reason}]
    for choices, spent in (([ends[0]], None), ([ends[1]], None), ([], usage)):
        chunk = {**head, "object": "chat.completion.chunk", "choices": choices, "usage": spent}
        yield f"data: {json.dumps(chunk)}\n\n"
    yield "data: [DONE]\n\n"


def main(file: str, *named: str) -> None:
    """Serve until the process is ended."""
    choices = [each.partition(":") for each in named]
    app = make_app([each for domain, _, split in choices for each in tasks(domain, split=cast(Split, split) or None)])
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        Path(file).write_text(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", encoding="utf-8")
        server.run(sockets=[listener])


if __name__ == "__main__":
    main(*sys.argv[1:])
