"""Many clients at once on few threads, and what is left after shutdown: nothing."""

from __future__ import annotations

import asyncio

from mcp.client import Client

from runtime.domain.domain import Domain
from tests.runtime.server.running import Running, running


def test_many_clients_on_few_threads_each_find_exactly_their_own_rows(library: Domain) -> None:
    with running(library, most_open=4) as server:
        sessions = [server.make() for _ in range(10)]
        asyncio.run(register_in_all(server, sessions, each=20))
        assert len(server.pool._open) <= 4
        for number, session_id in enumerate(sessions):
            shown = server.show(session_id)
            assert shown["calls"] == 20
            emails = {change["after"]["email"] for change in shown["changes"]}
            assert emails == {f"r{number}-{n}@example.org" for n in range(20)}


async def register_in_all(server: Running, sessions: list[str], each: int) -> None:
    """Call from every client at once, all calls of a client at once; every other client is of the older era."""

    async def register(number: int, session_id: str) -> None:
        async with Client(server.mcp(session_id), mode="legacy" if number % 2 else "auto") as client:
            cards = [{"name": f"Reader {n}", "email": f"r{number}-{n}@example.org"} for n in range(each)]
            calls = (client.call_tool("register_member", card, read_timeout_seconds=60) for card in cards)
            made = await asyncio.gather(*calls)
            assert not any(call.is_error for call in made)
            assert len({call.structured_content["member_id"] for call in made if call.structured_content}) == each

    await asyncio.gather(*(register(number, session_id) for number, session_id in enumerate(sessions)))
