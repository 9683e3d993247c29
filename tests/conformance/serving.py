"""A server over HTTP in a process of its own, with one session."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sqlite3
import subprocess
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.programs import ROOT, end_group

TOKEN = "conformance"


@dataclass(frozen=True)
class Served:
    """The running server: where it is, the path of a session, and the rows that session starts from."""

    url: str
    session_path: str
    rows: sqlite3.Connection


@contextmanager
def serve(command: Sequence[str], scratch: Path) -> Iterator[Served]:
    """Serve with a command over HTTP, with one session; errors: OSError or RuntimeError if it does not start."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = scratch / "server.log"
    with log.open("w", encoding="utf-8") as stream:
        process: subprocess.Popen[str] = subprocess.Popen(
            [*command, "--http", "--port", str(port)],
            cwd=ROOT,
            env={**os.environ, "WORLDSMITH_ADMIN_TOKEN": TOKEN},
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            text=True,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url, process, log)
        session = json.loads(_ask("POST", f"{url}/sessions", b"{}"))
        rows = sqlite3.connect(":memory:")
        with contextlib.closing(rows):
            rows.deserialize(_ask("GET", f"{url}/sessions/{session['id']}/state"))
            yield Served(url, f"/s/{session['id']}/mcp", rows)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        end_group(process)


def _wait_for(url: str, process: subprocess.Popen[str], log: Path) -> None:
    latest = time.monotonic() + 30
    while process.poll() is None and time.monotonic() < latest:
        try:
            _ask("GET", url)
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the server did not start\n{log.read_text(encoding='utf-8')[-1500:]}")


def _ask(method: str, url: str, body: bytes | None = None) -> bytes:
    request = urllib.request.Request(url, body, {"Authorization": f"Bearer {TOKEN}"}, method=method)
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(request, timeout=10) as response:
        content: bytes = response.read()
    return content
