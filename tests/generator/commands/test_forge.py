"""`worldsmith forge --mcp`: a plain MCP client builds a domain by answering, over a server that is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.generator import lending
from tests.generator.building import contents
from tests.generator.commands.test_new import ROOT
from tests.runtime.server.chain import text_of

SHAPE = {"keyword": lending.KEYWORD, "tools": lending.COUNT, "tasks": 3, "rules": False}


@asynccontextmanager
async def connected(folder: Path) -> AsyncIterator[Client]:
    """A client of a server that makes domains in a folder; the process of the server is in the file `pid`."""
    start = f'echo $$ > "{folder}/pid"; exec "{sys.executable}" -m generator forge --mcp --out "{folder}/domains"'
    server = StdioServerParameters(command="sh", args=["-c", start], env={**os.environ, "PYTHONPATH": str(ROOT)})
    async with Client(stdio_client(server)) as client:
        yield client


async def say(client: Client, tool: str, *, is_error: bool = False, **arguments: Any) -> str:
    """What a tool says."""
    called = await client.call_tool(tool, arguments)
    assert called.is_error == is_error, called.content
    return text_of(called)


async def answer(client: Client, said: str, asked: list[str], most: int = 100) -> str:
    """Answer question after question as the lending domain does, until no more come; returns what is said then."""
    answers = lending.answers()
    while "the domain is there" not in said and len(asked) < most:
        if not said.startswith("question: "):
            said = await say(client, "next_question")
            continue
        name = said.partition("\n")[0].removeprefix("question: ")
        stage, key, _ = name.split(".")
        content = answers.get((stage, key)) or answers.get((stage, key.partition("-")[0])) or answers[stage]
        asked.append(name)
        said = await say(client, "answer", question=name, answer=content)
    return said


def test_a_client_builds_a_domain_by_answering_also_when_the_server_is_killed(
    tmp_path: Path, lending_folder: Path
) -> None:
    asked: list[str] = []

    async def begin() -> None:
        async with connected(tmp_path) as client:
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["start_build", "next_question", "answer", "status", "check"]
            assert "call start_build" in await say(client, "status")
            first = await say(client, "start_build", **SHAPE)
            assert first.startswith("question: screen.keyword.1\n\n# screen / keyword / attempt 1 (question 1 of about")
            assert "Write it to" not in first
            wrong = await say(client, "answer", question="screen.keyword.1", answer={"decision": "maybe"})
            assert wrong.startswith("question: screen.keyword.1\n\n# The answer was not accepted")
            assert "'maybe' is not one of" in wrong
            assert "No question 'tools' is open" in await say(
                client, "answer", is_error=True, question="tools", answer={}
            )
            await answer(client, wrong, asked, most=5)
            assert "stage 4-6 of 12: world, code, cases; waits for" in await say(client, "status")
            assert "nothing to check yet" in await say(client, "check", is_error=True)
            assert "in another shape" in await say(client, "start_build", is_error=True, **{**SHAPE, "tools": 6})
            os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)

    async def go_on() -> None:
        async with connected(tmp_path) as client:
            await answer(client, await say(client, "next_question"), asked)
            assert "the domain is there" in await say(client, "status")

    asyncio.run(asyncio.wait_for(begin(), 240))
    assert len(asked) == 5
    asyncio.run(asyncio.wait_for(go_on(), 240))
    assert len(asked) == len(set(asked)) == 9
    whole, built = contents(lending_folder), contents(tmp_path / "domains" / "tool_lending")
    for file in whole.keys() - {"domain.json", "README.md"}:  # these name the model and its tokens
        assert built[file] == whole[file], file
