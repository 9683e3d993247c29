"""What is read from the tools of a running MCP server."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from generator.twin.mcp import read_mcp
from runtime.errors import UsageError

SERVER = '''
from typing import Literal
from mcp.server.mcpserver import MCPServer

server = MCPServer("to-do")

@server.tool()
def create_project(name: str) -> str:
    """Begin a project."""
    return name

@server.tool()
def add_task(project_id: int, title: str, due_date: str | None = None) -> str:
    """Add a task."""
    return title

@server.tool()
def list_tasks(status: Literal["open", "done", "all"] = "open", project_id: int | None = None, limit: int = 20) -> str:
    """List tasks."""
    return ""

@server.tool()
def get_task(task_id: int) -> str:
    """Show a task."""
    return ""

@server.tool()
def complete_task(task_id: int) -> str:
    """Mark a task as done."""
    return ""

@server.tool()
def schedule_task(task_id: int, due_date: str, reason: str = "") -> str:
    """Move a task to another day."""
    return ""

@server.tool()
def undo() -> str:
    """Take back the last change."""
    return ""

if __name__ == "__main__":
    server.run()
'''


def test_tools_of_a_running_server_become_operations(tmp_path: Path) -> None:
    path = tmp_path / "server.py"
    path.write_text(SERVER)
    source = read_mcp(f"{sys.executable} {path}")
    assert {each.name: (each.verb, each.table, dict(each.constants)) for each in source.operations} == {
        "create_project": ("create", "project", {}),
        "add_task": ("create", "task", {}),
        "list_tasks": ("find", "task", {}),
        "get_task": ("get", "task", {}),
        "complete_task": ("set", "task", {"status": "done"}),
        "schedule_task": ("update", "task", {}),
    }
    task = source.tables["task"]
    assert task.key == ("task_id",)
    assert task.columns["status"].choices == ("open", "done")
    assert task.columns["due_date"].kind == "date"
    assert source.opened == [
        "undo: its name has no verb whose meaning is fixed (create, get, list, update, delete, ...)"
    ]
    assert "schedule_task: parameter 'reason' is left out" in source.losses


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no-such-program", "'no-such-program' cannot be started"),
        (f"{sys.executable} -c print('a\\n'*9)", "does not answer as an MCP server"),
        ("http://127.0.0.1:9/mcp", "does not answer as an MCP server"),
    ],
)
def test_what_is_no_server_is_refused_in_a_sentence(target: str, said: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(UsageError, match=said):
        read_mcp(target)
    assert not caplog.records
