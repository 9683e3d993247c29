"""A hostile program: it tries to read files, to reach addresses and to see processes, and tells what it could do.

`peeks.py JSON`: `{"read": [path], "list": [path], "write": [path], "settings": [path], "connect": [[host, port]],
"sockets": [name]}`; `settings` are files that are opened to write, and not written.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from telling import tell


def can(deed: Callable[[], Any]) -> bool:
    try:
        deed()
    except OSError:
        return False
    return True


def connect_local(name: str) -> None:
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(name)


asked = json.loads(sys.argv[1])
server = urllib.parse.urlsplit(json.loads(Path("mcp.json").read_text())["mcpServers"]["world"]["url"])
tell(
    {
        "read": [path for path in asked["read"] if can(Path(path).read_bytes)],
        "list": [path for path in asked["list"] if can(lambda path=path: os.listdir(path))],
        "settings": [path for path in asked.get("settings", ()) if can(lambda path=path: open(path, "r+").close())],
        "write": [path for path in asked["write"] if can(lambda path=path: Path(path, "left").write_text("left"))],
        "connect": [
            each
            for each in [*asked["connect"], [server.hostname, server.port]]
            if can(lambda each=each: socket.create_connection((each[0], each[1]), timeout=3).close())
        ],
        "server": [server.hostname, server.port],
        "sockets": [name for name in asked["sockets"] if can(lambda name=name: connect_local(name))],
        "processes": sorted(int(path.name) for path in Path("/proc").glob("[0-9]*")),
        "commands": [Path(f"/proc/{pid.name}/cmdline").read_text() for pid in Path("/proc").glob("[0-9]*")],
        "environ": dict(os.environ),
        "folder": sorted(os.listdir(".")),
        "user": os.getuid(),
    }
)
