"""Calls over MCP to a server process of the episode's own, judged by the file that the process leaves behind."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from runtime.children import python_command
from runtime.domain.changes import Changes, scan_changes
from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.harness.transports.client import ClientConnection, hosted, list_tools
from runtime.harness.transports.connection import Connection, ConnectionFault
from runtime.sandbox.foreign import open_foreign
from runtime.session.world import World
from runtime.task.task import write_world

_SESSION, _WORLD, _HEARD = "episode", "world.db", "stderr.txt"


@asynccontextmanager
async def open_stdio_wire(
    domain: Domain, world: World, principal: str | None, server: Sequence[str] = ()
) -> AsyncIterator[Connection]:
    """A client of a server in a process of its own; errors: WireFault.

    `server` is the command of one that takes the options of `worldsmith serve`, which it is by default.
    """
    with tempfile.TemporaryDirectory(prefix="worldsmith-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        write_world(world, folder / _WORLD)
        command, *words = server or (*python_command("runtime.main"), "serve", str(domain.path.resolve()))
        words += ["--world", str(folder / _WORLD), "--state", name, "--session", _SESSION]
        words += ["--principal", principal] if principal is not None else []
        process = StdioServerParameters(command=command, args=words)
        async with AsyncExitStack() as stack:
            heard = stack.enter_context((folder / _HEARD).open("w", encoding="utf-8"))
            try:
                client = await stack.enter_async_context(hosted(Client(stdio_client(process, errlog=heard))))
                tools = await list_tools(client)
            except ConnectionFault as fault:
                raise ConnectionFault(f"{fault} {_last_line(folder / _HEARD)}".strip()) from fault

            async def final() -> Changes:
                await stack.aclose()  # the process ends first, and all that it wrote is in the file
                return _changes_in(folder / _SESSION / "state.db", domain, world)

            yield ClientConnection(client, tools, final)


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else ""


def _changes_in(path: Path, domain: Domain, world: World) -> Changes:
    if not path.is_file():
        raise ConnectionFault("The world's server left no database behind.")
    try:
        columns = {table.name: table.positions for table in domain.schema.tables.values()}
        with closing(world.open()) as start, closing(open_foreign(path, columns)) as state:
            return scan_changes(start, state, domain.schema)
    except (sqlite3.Error, UsageError) as error:
        raise ConnectionFault(f"The database that the world's server left behind cannot be read: {error}.") from error
