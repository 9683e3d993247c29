"""A task of two offices, played by a plain MCP client over one server for each: they share one episode."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from mcp.client import Client

from runtime.domain.domain import Domain
from runtime.domain.hybrid import split_name
from runtime.domain.load import load_domain
from runtime.harness.evaluation.plan import TaskChoice, choose_tasks
from runtime.task.task import Task, bind
from tests.conftest import SHIPPED
from tests.runtime.server.running import ADMIN, running

PLACE = SHIPPED["library"].parent / "library+online_learning"


async def play_apart(urls: Mapping[str, str], task: Task) -> None:
    """Make each call of a chain on the server of its office, under the tool's own name."""
    results: list[Mapping[str, Any]] = []
    async with Client(urls["library"]) as library, Client(urls["online_learning"]) as learning:
        clients = {"library__": library, "online_learning__": learning}
        names = [{tool.name for tool in (await client.list_tools()).tools} for client in clients.values()]
        assert all("note_identification" in each for each in names)
        assert "Town library" not in (learning.instructions or "")
        for step in task.chain:
            prefix, own = split_name(clients, step.tool)
            called = await clients[prefix].call_tool(own, bind(step.arguments, results), read_timeout_seconds=30)
            assert not called.is_error, called.content
            assert called.structured_content is not None
            results.append(called.structured_content)


def test_one_server_for_each_office_shares_an_episode() -> None:
    domain: Domain = load_domain(PLACE)
    task = choose_tasks([domain], TaskChoice())[0].task
    with running(domain) as served:
        made = served.plain.post("/sessions", json={"task": task.id}, headers=ADMIN).json()
        assert list(made["urls"]) == ["library", "online_learning"]
        asyncio.run(play_apart(made["urls"], task))
        shown = served.show(made["id"])
        assert shown["calls"] == len(task.chain)
        found = {(row["table"], str(row["key"])) for row in shown["changes"]}
        assert found == {(row.table, str(row.key)) for row in task.expected}
        assert served.plain.get(f"/sessions/{made['id']}/state", headers=ADMIN).status_code == 400
        nowhere = f"/s/{made['id']}/nowhere/mcp"
        assert "have: library, online_learning" in served.plain.post(nowhere, json={}).json()["error"]
