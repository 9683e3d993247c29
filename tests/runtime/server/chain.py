"""Playing a task's reference chain as an agent would: over MCP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.client import Client

from runtime.domain.domain import Domain
from runtime.task.task import bind
from runtime.task.task_file import find_task
from runtime.task.values import told_value


async def play_chain(client: Client, domain: Domain, task_id: str) -> dict[str, str]:
    """Call every step; returns what the user must be told, by the names of the answers."""
    task = find_task(domain, task_id)
    results: list[Mapping[str, Any]] = []
    for step in task.chain:
        called = await client.call_tool(step.tool, bind(step.arguments, results), read_timeout_seconds=30)
        assert not called.is_error, called.content
        assert called.structured_content is not None
        results.append(called.structured_content)
    return {answer.name: told_value(answer) for answer in task.answers}


def text_of(called: types.CallToolResult) -> str:
    """The one text of a call."""
    (content,) = called.content
    assert isinstance(content, types.TextContent)
    return content.text
