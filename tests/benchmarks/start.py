"""How long a server of 50 tools takes from its start to its first list of tools, beside a bare SDK server."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runtime.compiling import compile_domain, write_directory
from runtime.domain.load import load_domain
from tests.making import TOOL, write_domain
from tests.runtime.server.running import initialize, request

FILES, TOOLS_PER_FILE = 5, 10

TOOL_OF_MANY = '''
class Thing{number}(TypedDict):
    thing_id: Annotated[str, "Its id"]
    label: Annotated[str, "What it is called"]
    amount: Annotated[int | None, "How many"]


class Things{number}(TypedDict):
    things: Annotated[list[Thing{number}], "Those that were found"]


@tool(reads=["thing"], writes=["thing"], rejects=["NOT_FOUND", "FAILED_PRECONDITION"])
def change_thing_{number}(
    db: Database,
    thing_id: Annotated[str, "The thing to change"],
    label: Annotated[str | None, "What it is called from now on"] = None,
    amount: Annotated[int, "How many there are from now on"] = 0,
) -> Things{number}:
    """Change what a thing is called and how many there are.

    The amount must not be negative, and the thing must exist.
    """
    thing = db.require("thing", thing_id)
    if amount < 0:
        raise Rejection.failed_precondition(f"The amount is {{amount}}; at least 0.")
    db.update("thing", thing_id, label=label or thing["label"], amount=amount)
    return {{"things": db.select("SELECT thing_id, label, amount FROM thing WHERE label = ? LIMIT 20", label)}}
'''
BARE = """
import asyncio
import json

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOLS = [types.Tool.model_validate(tool) for tool in json.loads({tools!r})]


async def list_tools(context, params):
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(context, params):
    return types.CallToolResult(content=[types.TextContent(type="text", text="{{}}")], structured_content={{}})


async def main():
    server = Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (requests, answers):
        await server.run(requests, answers, server.create_initialization_options())


asyncio.run(main())
"""


def measure_start(rounds: int = 15) -> dict[str, tuple[float, float]]:
    """Median microseconds, ours and bare, to the first list of tools and to the first answered call, by what it is."""
    with tempfile.TemporaryDirectory() as scratch:
        domain = _write_domain(Path(scratch))
        compiled = Path(scratch) / "compiled"
        write_directory(compiled, compile_domain(load_domain(domain)))
        tools = json.loads((compiled / "compiled.json").read_text())["listing"]["tools"]
        bare = Path(scratch) / "bare.py"
        bare.write_text(BARE.format(tools=json.dumps(tools)))
        commands = {
            "bare": [sys.executable, str(bare)],
            "compiled": [sys.executable, str(compiled / "server.py")],
            "served": [sys.executable, "-m", "generator", "serve", str(domain)],
        }
        for command in commands.values():
            _time(command)  # leaves bytecode behind
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                found[name].append(_time(command))
    bare_list, bare_call = (statistics.median(times) * 1e6 for times in zip(*found["bare"], strict=True))
    figures = {}
    for name in ("compiled", "served"):
        to_list, to_call = (statistics.median(times) * 1e6 for times in zip(*found[name], strict=True))
        figures[f"start, 50 tools {name}: to the list of tools"] = (to_list, bare_list)
        figures[f"start, 50 tools {name}: to a first call"] = (to_call, bare_call)
    return figures


def _write_domain(scratch: Path) -> Path:
    domain = write_domain(scratch)
    (domain / "tools" / "things.py").unlink()
    for file in range(FILES):
        tools = "".join(TOOL_OF_MANY.format(number=file * TOOLS_PER_FILE + tool) for tool in range(TOOLS_PER_FILE))
        (domain / "tools" / f"things_{file}.py").write_text(TOOL + tools)
    return domain


def _time(command: Sequence[str]) -> tuple[float, float]:
    """Seconds from the start of a process to its list of 50 tools, and to its first answered call right after that."""
    started = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        answers = process.stdout

        def ask(message: dict[str, Any]) -> dict[str, Any]:
            _send(process, message)
            line = b""
            while not line.endswith(b"\n"):
                line += answers.read(65_536)
            answer: dict[str, Any] = json.loads(line)
            return answer

        ask(initialize())
        _send(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = ask(request("tools/list", 2))["result"]["tools"]
        to_list = time.perf_counter() - started
        assert len(tools) == FILES * TOOLS_PER_FILE
        assert "result" in ask(request("tools/call", 3, name=tools[0]["name"], arguments={"thing_id": "T1"}))
        to_call = time.perf_counter() - started
        process.stdin.close()
    return to_list, to_call


def _send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
