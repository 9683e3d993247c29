"""Run worldsmith over a hostile folder as a person would, and see what it says and what it leaves alone."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain, UsageError
from tests.hostile.corpus import LIBRARY, Hostile, make_home

ROOT = Path(__file__).parents[2]
COMMANDS = ("show", "list", "check", "new", "compile", "serve")
MOST_SECONDS = 5.0  # of a processor, until a refusal: the clock depends on who else is busy
_PATIENCE = 120.0  # by the clock, until something is taken to hang
_OWN = (sys.executable, "-m", "generator")
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
    """What became of one command: exit status (None: it had to be ended), seconds of a processor, its words."""

    command: str
    status: int | None
    seconds: float
    said: str

    @property
    def began(self) -> bool:
        """Whether it is a `check` that could load the folder, and so ran its gates."""
        return self.command == "check" and self.status == 1 and "cannot be loaded" not in self.said

    def faults(self, hostile: Hostile) -> Iterator[str]:
        """What it did that it must not."""
        if self.status is None:
            yield f"{self.command} hangs"
        if "Traceback" in self.said:
            yield f"{self.command} crashes: {self.said.splitlines()[-1]}"
        if "\x1b" in self.said:
            yield f"{self.command} writes control characters"
        if self.command == "serve" and "serve" not in hostile.refused_by and '"id":3' not in self.said:
            yield f"serve does not answer: {self.said.strip()[-300:]}"
        if self.command in hostile.refused_by:
            if self.status not in (1, 2):
                yield f"{self.command} ends with status {self.status}"
            if self.seconds > MOST_SECONDS and not self.began:
                yield f"{self.command} takes {self.seconds:.1f} s of a processor to refuse it"
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
        ran.append(_run(command, work, home, words or _OWN))
        faults += ran[-1].faults(hostile)
        if _state_of(home) != before:
            faults.append(f"{command} touches the home")
            before = _state_of(home)
    return ran, faults


def read_together(chosen: Sequence[Hostile], place: Path) -> list[str]:
    """Make many folders below a place, list them, and load each; everything that is wrong with what that did."""
    home, work = place / "home", place / "work"
    make_home(home)
    for hostile in chosen:
        folder = work / "domains" / hostile.name
        shutil.copytree(LIBRARY, folder)
        hostile.change(folder, home)
    before = _state_of(home)
    listed = _run("list --json", work, home, _OWN)
    if listed.status != 1:
        return [f"list ends with status {listed.status}: {listed.said[-300:]}"]
    said = {each["domain"]: "\n".join(each["faults"]) for each in json.loads(listed.said)["broken"]}
    faults = ["list writes control characters"] if "\x1b" in listed.said else []
    started = time.process_time()
    for hostile in chosen:
        try:
            load_domain(work / "domains" / hostile.name)
        except BrokenDomain as broken:
            said[hostile.name] = "\n".join([said.get(hostile.name, ""), *broken.faults])
        except UsageError as error:
            said[hostile.name] = f"{said.get(hostile.name, '')}\n{error}"
        if ("list" in hostile.refused_by) != (hostile.name in said):
            faults.append(f"{hostile.name} is {'' if hostile.name in said else 'not '}refused")
        elif hostile.said not in said.get(hostile.name, hostile.said):
            faults.append(f"of {hostile.name} it says {said[hostile.name]!r}, not {hostile.said!r}")
    if max(listed.seconds, time.process_time() - started) > MOST_SECONDS + len(chosen):
        faults.append(f"it takes {listed.seconds:.1f} s of a processor to list them")
    return faults if _state_of(home) == before else [*faults, "the home is touched"]


def _run(command: str, work: Path, home: Path, start: Sequence[str]) -> Ran:
    folder = "./domains/library"
    words = {
        "show": ["show", folder],
        "list": ["list"],
        "list --json": ["list", "--json"],
        "check": ["check", folder, "--calls", "40", "--no-mutants"],
        "new": ["new", "town library", "--model", "recorded", "--out", folder],
        "compile": ["compile", folder, "--out", "compiled"],
        "serve": ["serve", folder, "--seed", "1", "--size", "30"],
    }[command]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC", "XDG"))},
        "HOME": str(home),
        "PYTHONPATH": str(ROOT) if start is _OWN else "",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with tempfile.TemporaryFile() as said:
        started = time.monotonic()
        process = subprocess.Popen(
            [*start, *words],
            cwd=work,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin:
            if command == "serve":
                process.stdin.write(b"".join(json.dumps(message).encode() + b"\n" for message in _MESSAGES))
                process.stdin.flush()
                _wait_for_answer(process, said)
        status: int | None = None
        pid, ended, used = os.wait4(process.pid, os.WNOHANG)
        while not pid and time.monotonic() - started < _PATIENCE:
            time.sleep(0.02)
            pid, ended, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = status = os.waitstatus_to_exitcode(ended)
        else:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        said.seek(0)
        return Ran(command, status, used.ru_utime + used.ru_stime, said.read().decode(errors="replace"))


def _wait_for_answer(process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
    """Keep a server's input open until it has answered the last message, or has ended, which is not collected here."""
    started = time.monotonic()
    while time.monotonic() - started < _PATIENCE:
        place = os.pread(said.fileno(), 10**7, 0)
        if b'"id":3' in place or os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG):
            return
        time.sleep(0.02)


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
