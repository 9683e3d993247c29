"""What is read from the tools of a running MCP server."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from generator.twin.mcp import ToolList, read_mcp, read_tools
from runtime.errors import UsageError

SERVER = """
from typing import Literal
from mcp.server.mcpserver import MCPServer

server = MCPServer("to-do")

def create_project(name: str) -> str: ...
def add_task(project_id: int, title: str, due_date: str | None = None) -> str: ...
def list_tasks(status: Literal["open", "done", "all"] = "open", project_id: int | None = None, limit: int = 20): ...
def get_task(task_id: int) -> str: ...
def complete_task(task_id: int) -> str: ...
def schedule_task(task_id: int, due_date: str, reason: str = "") -> str: ...
def undo() -> str: ...

for tool in (create_project, add_task, list_tasks, get_task, complete_task, schedule_task, undo):
    server.tool()(tool)
server.run()
"""


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
    assert source.opened == {
        "undo": "its name has no verb whose meaning is fixed (create, get, list, update, delete, ...)"
    }
    assert source.account.facts["parameter", "schedule_task: reason"].fate == "lost"
    assert source.is_interface
    assert [*source.account.differences()] == []


def _tool(line: str) -> dict[str, Any]:
    """A tool by its signature: "add_note(title, tags: array, done?: boolean)"."""
    name, _, rest = line.rstrip(")").partition("(")
    properties, required = {}, []
    for each in filter(None, rest.split(", ")):
        parameter, _, kind = each.partition(": ")
        required += [] if parameter.endswith("?") else [parameter]
        schema: dict[str, Any] = {"type": kind.removesuffix("[]") or "string"}
        schema = {"enum": kind.split("|")} if "|" in kind else schema
        schema = {"type": "array", "items": schema} if kind.endswith("[]") else schema
        properties[parameter.rstrip("?")] = schema
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": "", "inputSchema": schema}


def _read(lines: str, *more: dict[str, Any], needs_tools: bool = True) -> Any:
    tools = [_tool(line) for line in re.split(r"\s*[;\n]\s*", lines) if line]
    return read_tools(ToolList("x", [*tools, *more]), "x", needs_tools=needs_tools)


STRANGERS = {
    "files": """
        read_file(path, head?: number); read_multiple_files(paths: string[]); write_file(path, content)
        edit_file(path, edits: object[], dryRun?: boolean); create_directory(path); list_directory(path)
        list_directory_with_sizes(path, sortBy?: name|size); directory_tree(path); move_file(source, destination)
        search_files(path, pattern, excludePatterns?: string[]); get_file_info(path); list_allowed_directories()""",
    "git": """
        git_status(repo_path); git_diff_unstaged(repo_path); git_commit(repo_path, message)
        git_add(repo_path, files: string[]); git_reset(repo_path); git_log(repo_path, max_count?: integer)
        git_create_branch(repo_path, branch_name, base_branch?); git_checkout(repo_path, branch_name)
        git_show(repo_path, revision)""",
    "time": "get_current_time(timezone); convert_time(source_timezone, time, target_timezone)",
    "sqlite": """
        read_query(query); write_query(query); create_table(query); list_tables(); describe_table(table_name)
        append_insight(insight)""",
    "memory": """
        create_entities(entities: object[]); create_relations(relations: object[]); read_graph(); search_nodes(query)
        add_observations(observations: object[]); delete_entities(entityNames: string[]); open_nodes(names: string[])
        delete_relations(relations: object[])""",
    "shell": "run_command(command); list_processes(); read_output(pid: integer); kill_process(pid: integer)",
    "browser": """
        navigate_page(url); click_element(selector); take_screenshot(name); get_console_logs(); list_tabs()""",
}


@pytest.mark.parametrize("server", STRANGERS)
def test_a_server_whose_tools_are_not_about_rows_is_refused(server: str) -> None:
    count = STRANGERS[server].count("(")
    with pytest.raises(UsageError, match=f"none of the {count} operations can be a tool: ") as caught:
        _read(STRANGERS[server])
    assert "\n" not in str(caught.value)
    source = _read(STRANGERS[server], needs_tools=False)
    assert source.operations == []
    assert len(source.opened) == count == source.account.counts["operation"]


TODO = """
    create_task(content, project_id?, priority?: integer, labels?: string[]); get_tasks(project_id?)
    update_task(task_id, content?, priority?: integer); get_task(task_id); delete_task(task_id); close_task(task_id)
    create_project(name, color?); list_projects(); delete_project(project_id); add_comment(task_id, content)
    get_comments(task_id); get_tasks_by_filter(filter); undo()
"""


def test_a_server_of_rows_is_read_and_the_rest_stays_open_tool_by_tool() -> None:
    source = _read(TODO)
    assert " ".join(f"{each.said}:{each.verb}-{each.table}" for each in source.operations) == (
        "create_task:create-task get_tasks:find-task update_task:update-task get_task:get-task delete_task:delete-task "
        "create_project:create-project list_projects:find-project delete_project:delete-project "
        "add_comment:create-comment get_comments:find-comment"
    )
    assert [*source.opened] == ["close_task", "get_tasks_by_filter", "undo"]
    assert {(each.columns, each.table) for each in source.tables["task"].references} == {(("project_id",), "project")}


@pytest.mark.parametrize(
    ("line", "opened"),
    [
        ("get_tag(name)", {}),
        ("list_notes()", {"list_notes": "no other operation shows or makes such rows"}),
        ("add_log(text)", {"add_log": "no other tool shows or changes what it makes (log)"}),
        ("get_tags_in(place)", {"get_tags_in": "it needs a parameter that is not a column (place)"}),
        ("delete_tag(name, why)", {"delete_tag": "it needs a parameter that is not a column (why)"}),
        (
            "add_notes(notes: object[]); add_note(text); list_notes()",
            {"add_notes": "it makes several rows at once (notes)"},
        ),
    ],
)
def test_a_tool_is_one_only_where_others_show_its_rows(line: str, opened: dict[str, str]) -> None:
    assert _read(f"add_tag(name); list_tags(); {line}").opened == opened


def test_a_list_whose_schema_has_rows_needs_no_other_tool() -> None:
    row = {"type": "object", "properties": {"id": {"type": "integer"}, "text": {"type": "string"}}}
    outputs = {"type": "object", "properties": {"result": {"type": "array", "items": row}}}
    assert _read("add_tag(name); list_tags()", _tool("list_notes()") | {"outputSchema": outputs}).opened == {}


def test_a_schema_of_a_tool_reads_no_file(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"type": "object", "properties": {"name": {"type": "string"}}}')
    tool = {"name": "get_note", "inputSchema": {"$ref": (tmp_path / "x.json").as_uri()}}
    opened = _read("add_tag(name); list_tags()", tool).opened
    assert "names the file" in opened["get_note"]


PAGES = """
import json, sys
def tool(name):
    schema = {"type": "object", "properties": {"note_id": {"type": "integer"}, "text": {"type": "string"}}}
    schema["required"] = ["note_id"] if "add" not in name else ["text"]
    return {"name": name, "inputSchema": schema}
PAGES = {None: (["add_note", "get_note"], "2"), "2": (["delete_note"], "3"), "3": (["update_note"], END)}
for line in sys.stdin:
    asked = json.loads(line)
    if asked["method"] == "initialize":
        result = {"protocolVersion": asked["params"]["protocolVersion"], "serverInfo": {"name": "n", "version": "1"}}
        result["capabilities"] = {"tools": {}, "resources": {}, "prompts": {}}
    elif asked["method"] == "tools/list":
        names, cursor = PAGES[(asked.get("params") or {}).get("cursor")]
        result = {"tools": [tool(each) for each in names]} | ({"nextCursor": cursor} if cursor else {})
    elif asked["method"] == "resources/list":
        at = int((asked.get("params") or {}).get("cursor") or 0)
        result = {"resources": [{"uri": f"x://{at}", "name": f"r{at}"}]}
        result |= {"nextCursor": str(at + 1)} if at < 2 else {}
    elif asked["method"] == "prompts/list":
        result = {"prompts": [{"name": "p"}]}
    elif "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""


def test_all_pages_of_all_lists_are_read(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(PAGES.replace("END", "None"))
    source = read_mcp(f"{sys.executable} {tmp_path / 'server.py'}")
    assert [each.said for each in source.operations] == ["add_note", "get_note", "delete_note", "update_note"]
    others = [where for part, where in source.account.facts if part == "statement"]
    assert others == ["resource 'r0'", "resource 'r1'", "resource 'r2'", "prompt 'p'"]


def test_a_list_without_end_is_refused(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text(PAGES.replace("END", "'2'"))
    with pytest.raises(UsageError, match="list of tools does not end: 3 pages were read"):
        read_mcp(f"{sys.executable} {tmp_path / 'server.py'}")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('TODO_TOKEN is not set')", "it printed last: TODO_TOKEN is not set."),
        ("raise KeyError('port')", "KeyError: 'port'."),
        ("import sys; sys.stdin.readline(); print('a\\nb\\nc\\nd', file=sys.stderr)", "it printed last: b / c / d."),
    ],
)
def test_the_last_words_of_a_child_that_dies_are_shown(tmp_path: Path, code: str, said: str) -> None:
    (tmp_path / "server.py").write_text(code.replace("\\n", "\n").replace("\n", "\\n"))
    with pytest.raises(UsageError) as caught:
        read_mcp(f"{sys.executable} {tmp_path / 'server.py'}")
    assert str(caught.value).endswith(said), str(caught.value)


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
