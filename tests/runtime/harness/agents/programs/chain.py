"""An agent program of its own process: `chain.py mcp.json SCRIPT.json` says and calls over MCP what a script holds.

The script is a list: a text is said to the user, `[tool, arguments]` calls a tool, a list of such calls makes them all
at once. `{"$step": N, "path": "..."}` stands for what the N-th call returned. What came back is written beside the
script, one JSON line each.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from runtime.task.task import bind


async def main(config: Path, script: Path) -> None:
    url = json.loads(config.read_text())["mcpServers"]["world"]["url"]
    results: list[Any] = []
    with script.with_suffix(".out").open("a", encoding="utf-8") as out:

        async def make(client: Client, name: str, arguments: Any) -> Any:
            called = await client.call_tool(name, bind(arguments, results), read_timeout_seconds=60)
            words = called.content[0].text
            print(json.dumps({"said": words, "is_error": bool(called.is_error)}), file=out, flush=True)
            return called.structured_content

        async with Client(streamable_http_client(url)) as client:
            for step in json.loads(script.read_text()):
                if isinstance(step, str):
                    await make(client, "talk_to_user", {"message": step})
                    continue
                calls = step if isinstance(step[0], list) else [step]
                results += await asyncio.gather(*(make(client, *call) for call in calls))


asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))
