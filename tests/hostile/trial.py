"""Run worldsmith over a hostile folder as a person would, and see what it says and what it leaves alone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.hostile.corpus import LIBRARY, Hostile, make_home

ROOT = Path(__file__).parents[2]
COMMANDS = ("show", "list", "check", "new", "compile", "serve")
MOST_SECONDS = 5.0  # until a refusal
_PATIENCE = 180.0  # for a check that goes through
_MESSAGES = [
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "hostile", "version": "1"},
        },
    },
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": "find_member", "arguments": {"email": "nobody@example.org"}},
    },
]


@dataclass(frozen=True)
class Ran:
    """What became of one command: exit status (None: it had to be ended), seconds, and what it said."""

    command: str
    status: int | None
    seconds: float
    said: str

    def faults(self, hostile: Hostile) -> Iterator[str]:
        """What it did that it must not."""
        if self.status is None:
            yield f"{self.command} hangs"
        if "Traceback" in self.said:
            yield f"{self.command} crashes: {self.said.splitlines()[-1]}"
        if "\x1b" in self.said:
            yield f"{self.command} writes control characters"
        if self.command in hostile.refused_by:
            if self.status not in (1, 2):
                yield f"{self.command} ends with status {self.status}"
            if self.seconds > MOST_SECONDS:
                yield f"{self.command} takes {self.seconds:.1f} s to refuse it"
            if hostile.said not in self.said and self.command != "list":  # which says how to see it
                yield f"{self.command} does not say {hostile.said!r}: {self.said.strip()[:300]}"


def run_all(
    hostile: Hostile, place: Path, commands: Sequence[str] = COMMANDS, words: Sequence[str] = ()
) -> tuple[list[Ran], list[str]]:
    """Make the folder below a place and run commands over it; what each did, and everything that is wrong with it.

    `words` start another worldsmith than this one.
    """
    home, work = place / "home", place / "work"
    make_home(home)
    folder = work / "domains" / "library"
    shutil.copytree(LIBRARY, folder)
    hostile.change(folder, home)
    before = _state_of(home)
    ran, faults = [], []
    for command in commands:
        ran.append(_run(command, work, home, words or [sys.executable, "-m", "generator"]))
        faults += ran[-1].faults(hostile)
        if _state_of(home) != before:
            faults.append(f"{command} touches the home")
            before = _state_of(home)
    return ran, faults


def _run(command: str, work: Path, home: Path, start: Sequence[str]) -> Ran:
    folder = "./domains/library"
    words = {
        "show": ["show", folder],
        "list": ["list"],
        "check": ["check", folder, "--calls", "40", "--no-mutants"],
        "new": ["new", "town library", "--model", "recorded", "--out", folder],
        "compile": ["compile", folder, "--out", "compiled"],
        "serve": ["serve", folder, "--seed", "1", "--size", "30"],
    }[command]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC", "XDG"))},
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    given = "".join(json.dumps(message) + "\n" for message in _MESSAGES) if command == "serve" else ""
    started = time.monotonic()
    with subprocess.Popen(
        [*start, *words],
        cwd=work,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(given, timeout=_PATIENCE if command == "check" else 4 * MOST_SECONDS)
            return Ran(command, process.returncode, time.monotonic() - started, said)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            said, _ = process.communicate()
            return Ran(command, None, time.monotonic() - started, said)


def _state_of(home: Path) -> dict[str, tuple[int, int, str]]:
    """Every file and folder of a home: its kind and time, and a digest of its content."""
    return {
        str(path.relative_to(home)): (
            path.lstat().st_mode,
            path.lstat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "",
        )
        for path in sorted([home, *home.rglob("*")])
    }
