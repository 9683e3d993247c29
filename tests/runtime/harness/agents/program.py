"""A program that plays over MCP: `program.py mcp.json SCRIPT.json` says and calls what a script holds.

The script is a list: a text is said to the user, `[tool, arguments]` calls a tool, a list of such calls makes them all
at once. `{"$step": N, "path": "..."}` is what the N-th call returned. What came back is written beside the script, one
JSON line each. It posts by itself, since a library that speaks MCP takes a second to start.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from runtime.task.task import bind

config, script = Path(sys.argv[1]), Path(sys.argv[2])
url = json.loads(config.read_text())["mcpServers"]["world"]["url"]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def make(call: list[Any]) -> Any:
    """Call a tool; the result of the call."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": call[0], "arguments": call[1]}}
    headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    with opener.open(urllib.request.Request(url, json.dumps(body).encode(), headers), timeout=60) as answer:
        return json.loads(answer.read())["result"]


results: list[Any] = []
with script.with_suffix(".out").open("a", encoding="utf-8") as out, ThreadPoolExecutor() as at_once:
    for step in json.loads(script.read_text()):
        is_said = isinstance(step, str)
        calls = [["talk_to_user", {"message": step}]] if is_said else step if isinstance(step[0], list) else [step]
        for result in at_once.map(make, [[tool, bind(arguments, results)] for tool, arguments in calls]):
            line = {"said": result["content"][0]["text"], "is_error": bool(result.get("isError"))}
            print(json.dumps(line), file=out, flush=True)
            results += [] if is_said else [result.get("structuredContent")]
