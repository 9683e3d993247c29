"""Chat completions over real HTTP behind which a model plays the reference chains of tasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from runtime.task.task import Task
from tests.runtime.harness.messages_api import COMPLETION, PROMPT, next_blocks, tasks_alike
from tests.runtime.model.completions_api import completed
from tests.runtime.model.messages_api import MessagesApi, Reply, serve_messages


@contextmanager
def serve_completions(*tasks: Task, server: str = "openai", before: Sequence[Reply] = ()) -> Iterator[MessagesApi]:
    """Serve a model that plays whichever of the tasks a conversation is about, as this server would stream it."""

    def reply(body: Mapping[str, Any]) -> Reply:
        asked = {"messages": [*_turns_of(body["messages"])]}
        blocks = next_blocks(tasks_alike(tasks, asked)[0], asked)
        return completed(*blocks, server=server, prompt=PROMPT, completion=COMPLETION)

    with serve_messages(*before, reply) as api:
        yield api


def _turns_of(messages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """What was said to the model, as the Messages API has it; a rejection is a result that is not JSON."""
    for each in messages:
        if each["role"] == "tool":
            is_error = not each["content"].startswith(("{", "["))
            block = {"type": "tool_result", "content": each["content"], "is_error": is_error}
            yield {"role": "user", "content": [block]}
        elif each["role"] == "user":
            yield {"role": "user", "content": [{"type": "text", "text": each["content"]}]}
