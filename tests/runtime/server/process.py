"""A real HTTP server in a process of its own, and raw sockets to it: what no HTTP library would send."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mcp_types as types

from runtime.domain.load import load_domain
from runtime.server.connections import ConnectionLimits
from runtime.server.http import HttpServer, HttpSettings, serve_http
from runtime.session.pool import ServedSession
from tests.conftest import LIBRARY
from tests.runtime.server.running import TOKEN, open_from_start, request

ROOT = Path(__file__).parents[3]
ADMIN = f"Authorization: Bearer {TOKEN}"
JSON = ("Accept: application/json, text/event-stream", "Content-Type: application/json")
OLDER, NEWER = "2025-11-25", "2026-07-28"
WAIT = "debug_wait"


@dataclass(frozen=True)
class Answer:
    """What came back on a connection, up to its end."""

    status: int
    head: str
    body: bytes

    @property
    def sentence(self) -> str:
        """The error, in whichever of the two forms."""
        error = json.loads(self.body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)


@dataclass(frozen=True)
class Process:
    """A server that answers; `log` is its standard error."""

    port: int
    log: Path

    def connect(self, buffer: int | None = None) -> socket.socket:
        """A connection; `buffer` is how much of an answer it takes without being read from."""
        opened = socket.socket()
        if buffer is not None:
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        opened.settimeout(20)
        try:
            opened.connect(("127.0.0.1", self.port))
        except OSError:
            opened.close()
            raise
        return opened

    def send(self, sent: bytes) -> Answer:
        """Send bytes on a connection of their own and read the first answer."""
        with closing(self.connect()) as opened:
            opened.sendall(sent)
            return read_answer(opened)

    def ask(self, method: str, path: str, body: bytes = b"", headers: Sequence[str] = (), **options: Any) -> Answer:
        """Ask as `write` writes it."""
        return self.send(self.write(method, path, body, headers, **options))

    def write(
        self, method: str, path: str, body: bytes = b"", headers: Sequence[str] = (), host: str | None = None
    ) -> bytes:
        """A request with exactly these headers, beside the host and the length."""
        named = f"127.0.0.1:{self.port}" if host is None else host
        lines = [f"{method} {path} HTTP/1.1", f"Host: {named}", f"Content-Length: {len(body)}", *headers]
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body

    def make(self) -> str:
        """Make a session and return its id."""
        made = self.ask("POST", "/sessions", b"{}", [ADMIN])
        assert made.status == 201, made
        return str(json.loads(made.body)["id"])

    def call(self, session_id: str, body: bytes, era: str = OLDER) -> Answer:
        """Send a message to a session."""
        return self.ask("POST", f"/s/{session_id}/mcp", body, headers_of(era, body))

    def count(self, session_id: str) -> int:
        """How many calls the session has had."""
        shown = self.ask("GET", f"/sessions/{session_id}", headers=[ADMIN])
        return int(json.loads(shown.body)["calls"])

    def lives(self) -> None:
        """Assert that the server still makes a session, serves it in both eras and ends it."""
        session_id = self.make()
        for era in (OLDER, NEWER):
            assert b"BOOK-" in self.call(session_id, call_of("search_books", {"words": "the"}, era), era).body
        assert self.ask("DELETE", f"/sessions/{session_id}", headers=[ADMIN]).status == 204


def call_of(name: str, arguments: Any, era: str = OLDER) -> bytes:
    """A call of a tool."""
    return json.dumps(of_era(request("tools/call", name=name, arguments=arguments), era)).encode()


def of_era(message: dict[str, Any], era: str) -> dict[str, Any]:
    """A message with what its era wants in it."""
    if era == OLDER:
        return message
    prefix = "io.modelcontextprotocol"
    meta = {f"{prefix}/protocolVersion": NEWER, f"{prefix}/clientCapabilities": {}}
    return {**message, "params": {**message.get("params", {}), "_meta": meta}}


def headers_of(era: str, body: bytes) -> list[str]:
    """The headers that a client of an era sends with a message."""
    headers = [*JSON, f"MCP-Protocol-Version: {era}"]
    if era == NEWER:
        said = {key: re.findall(rb'"%s": "([!-~]*?)"' % key.encode(), body) for key in ("method", "name")}
        headers += [f"Mcp-{key.capitalize()}: {values[0].decode()}" for key, values in said.items() if values]
    return headers


def read_answer(opened: socket.socket) -> Answer:
    """Read one answer; status 0 if the connection ended without one."""
    read = b""
    while b"\r\n\r\n" not in read:
        piece = _receive(opened)
        if not piece:
            return Answer(0, read.decode("latin-1"), b"")
        read += piece
    head, _, body = read.partition(b"\r\n\r\n")
    text = head.decode("latin-1")
    length = next((int(line[15:]) for line in text.splitlines() if line.lower().startswith("content-length:")), 0)
    while len(body) < length:
        piece = _receive(opened)
        if not piece:
            break
        body += piece
    return Answer(int(text.split()[1]), text, body)


def read_to_end(opened: socket.socket) -> bytes:
    """Read until the server ends the connection."""
    read = b""
    while piece := _receive(opened):
        read += piece
    return read


def reset(opened: socket.socket) -> None:
    """Go away without a farewell."""
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    opened.close()


@contextmanager
def serving(**settings: Any) -> Iterator[Process]:
    """Serve the library until the block ends, and see that nothing was logged; `connections` are limits as JSON."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        served = Process(probe.getsockname()[1], Path(folder) / "log.txt")
        probe.close()
        command = [sys.executable, "-m", __name__, str(served.port), json.dumps(settings)]
        with served.log.open("wb") as log, subprocess.Popen(command, cwd=ROOT, stderr=log) as process:
            try:
                _await_listening(served, process)
                yield served
                process.terminate()
                process.wait(5)
            finally:
                process.kill()
        assert served.log.read_text() == ""


def _await_listening(served: Process, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            served.connect().close()
            return
        except OSError:
            assert process.poll() is None, served.log.read_text()
            assert time.monotonic() < deadline, "the server does not start"
            time.sleep(0.05)


def _receive(opened: socket.socket) -> bytes:
    try:
        return opened.recv(65_536)
    except ConnectionError:
        return b""


class _Waiting:
    """The `Extras` of the server: a tool that takes as long as it is told to."""

    def tools(self) -> list[types.Tool]:
        return [types.Tool(name=WAIT, input_schema={"type": "object"})]

    async def call(self, _: ServedSession, name: str, arguments: dict[str, Any]) -> types.CallToolResult | None:
        if name != WAIT:
            return None
        await asyncio.sleep(arguments["seconds"])
        return types.CallToolResult(content=[types.TextContent(type="text", text="waited")])

    def resources(self) -> list[types.Resource]:
        return []

    async def read(self, _: ServedSession, uri: str) -> types.ReadResourceResult:
        raise NotImplementedError(uri)

    def prompts(self) -> list[types.Prompt]:
        return []

    def prompt(self, name: str) -> types.GetPromptResult:
        raise NotImplementedError(name)


def _main(port: int, wanted: dict[str, Any]) -> None:
    limits = ConnectionLimits(**wanted.pop("connections", {}))
    settings = HttpSettings(port=port, admin_token=TOKEN, connections=limits, **wanted)
    library = load_domain(LIBRARY)
    server = HttpServer({library.name: library}, open_from_start, settings, lambda _: _Waiting())
    asyncio.run(serve_http(server, settings))


if __name__ == "__main__":
    _main(int(sys.argv[1]), json.loads(sys.argv[2]))
