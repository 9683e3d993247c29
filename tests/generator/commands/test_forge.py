"""`worldsmith forge --mcp`: a plain MCP client builds a domain by answering, over a server that is killed."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types import CreateMessageRequestParams, CreateMessageResult, ErrorData, TextContent

from generator.commands.child_build import stop
from generator.commands.forge import Forge
from runtime.errors import UsageError
from tests.generator import lending
from tests.generator.building import contents
from tests.generator.commands.test_new import ROOT
from tests.runtime.server.chain import text_of

SHAPE = {"keyword": lending.KEYWORD, "tools": lending.COUNT, "tasks": 3, "rules": False}


@asynccontextmanager
async def connected(folder: Path, **client: Any) -> AsyncIterator[Client]:
    """A client of a server that makes domains in a folder; the process of the server is in the file `pid`."""
    start = f'echo $$ > "{folder}/pid"; exec "{sys.executable}" -m generator forge --mcp --out "{folder}/domains"'
    server = StdioServerParameters(command="sh", args=["-c", start], env={**os.environ, "PYTHONPATH": str(ROOT)})
    async with Client(stdio_client(server), **client) as connection:
        yield connection


async def say(client: Client, tool: str, *, is_error: bool = False, **arguments: Any) -> str:
    """What a tool says."""
    called = await client.call_tool(tool, arguments)
    assert called.is_error == is_error, called.content
    return text_of(called)


async def answer(client: Client, said: str, asked: list[str], most: int = 100) -> str:
    """Answer question after question as the lending domain does, until no more come; returns what is said then."""
    while "the domain is there" not in said and len(asked) < most:
        if not said.startswith("question: "):
            said = await say(client, "next_question")
            continue
        name = said.partition("\n")[0].removeprefix("question: ")
        asked.append(name)
        said = await say(client, "answer", question=name, answer=content_of(name))
    return said


def content_of(name: str) -> dict[str, Any]:
    """How the lending domain answers a question."""
    answers, (stage, key, _) = lending.answers(), name.split(".")
    return answers.get((stage, key)) or answers.get((stage, key.partition("-")[0])) or answers[stage]


class LentModel:
    """A client's model: it answers as the lending domain does, at first wrongly, and refuses after `most` answers."""

    def __init__(self, asked: list[str], most: int = 100, *, wrong: int = 0) -> None:
        self.asked = asked
        self.complaints = 0
        self._most, self._wrong = most, wrong

    async def __call__(self, context: object, params: CreateMessageRequestParams) -> CreateMessageResult | ErrorData:
        """Answer a question, whose name is its first heading."""
        (message,) = params.messages
        assert isinstance(message.content, TextContent)
        text = message.content.text
        self.complaints += text.startswith("# The answer was not accepted")
        name = ".".join(re.findall(r"^# (\S+) / (\S+) / attempt (\d+) \(question", text, re.MULTILINE)[0])
        if self._wrong:
            self._wrong -= 1
            said = "I do not know."
        elif len(self.asked) == self._most:
            return ErrorData(code=-1, message="The person said no.")
        else:
            self.asked.append(name)
            said = f"Here it is:\n```json\n{json.dumps(content_of(name))}\n```"
        return CreateMessageResult(role="assistant", content=TextContent(type="text", text=said), model="lent")


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


async def go_on(client: Client, said: str) -> str:
    """Call for the next question as long as that is what is said; what else is said then."""
    while "Call next_question again" in said:
        said = await say(client, "next_question")
    return said


def test_a_client_that_lends_its_model_builds_a_domain_by_it(tmp_path: Path, lending_folder: Path) -> None:
    asked: list[str] = []

    async def build() -> None:
        model = LentModel(asked, most=4, wrong=2)
        async with connected(tmp_path, sampling_callback=model) as client:  # of today: requests come as results
            with pytest.raises(MCPError, match="The person said no"):
                await go_on(client, await say(client, "start_build", **SHAPE))
            assert (model.complaints, len(asked)) == (2, 4)
            assert (await say(client, "next_question", by_hand=True)).startswith("question: ")
        model = LentModel(asked, most=6)
        async with connected(tmp_path, sampling_callback=model, mode="legacy") as client:
            said = await go_on(client, await say(client, "next_question"))
            assert said.startswith("question: ")  # it is shown, as the model answers no more
            assert len(asked) == 6
            await answer(client, said, asked, most=7)
        async with connected(tmp_path, sampling_callback=LentModel(asked), mode="legacy") as client:
            assert "the domain is there" in await go_on(client, await say(client, "next_question"))

    asyncio.run(asyncio.wait_for(build(), 240))
    assert len(asked) == len(set(asked)) == 9
    whole, built = contents(lending_folder), contents(tmp_path / "domains" / "tool_lending")
    for file in whole.keys() - {"domain.json", "README.md"}:  # these name the model and its tokens
        assert built[file] == whole[file], file


def test_a_build_in_another_country_is_ordered_by_its_locale(tmp_path: Path) -> None:
    builder = Forge(tmp_path)
    try:
        with pytest.raises(UsageError, match="is French, and offices speak English; give en-CA"):
            asyncio.run(builder.start_build(**SHAPE, locale="fr-CA"))
        assert "The office is in Canada" in asyncio.run(builder.start_build(**SHAPE, locale="en-ca"))
    finally:
        stop(builder.processes.values())
    (order,) = tmp_path.glob(".*.build/order.json")
    assert json.loads(order.read_text())[-4:-2] == ["--locale", "en-CA"]
