"""Run worldsmith over a hostile folder as a person would, and see what it says and what it leaves alone."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain, UsageError
from tests.hostile.corpus import LIBRARY, Hostile, make_home

ROOT = Path(__file__).parents[2]
_PATIENCE = 120.0  # seconds until a command is taken to hang
_WORDS = {
    "show": ["show", "./domains/library"],
    "list": ["list", "--json"],
    "check": ["check", "./domains/library", "--calls", "40", "--no-mutants"],
    "new": ["new", "town library", "--model", "recorded", "--out", "./domains/library"],
    "compile": ["compile", "./domains/library", "--out", "compiled"],
}


def run_all(hostile: Hostile, place: Path, commands: Sequence[str]) -> list[str]:
    """Make the folder below a place and run commands over it; list everything that is wrong with what each did."""
    home, work = place / "home", place / "work"
    make_home(home)
    _make(hostile, work / "domains" / "library", home)
    before = _state_of(home)
    faults = []
    for command in commands:
        status, said = _run(command, work, home)
        faults += _faults(hostile, command, status, said)
    return faults if _state_of(home) == before else [*faults, "the home is touched"]


def read_together(chosen: Sequence[Hostile], place: Path) -> list[str]:
    """Make many folders below a place, list them, and load each; list everything that is wrong with what that did."""
    home, work = place / "home", place / "work"
    make_home(home)
    for hostile in chosen:
        _make(hostile, work / "domains" / hostile.name, home)
    before = _state_of(home)
    status, listed = _run("list", work, home)
    if status != 1:
        return [f"list ends with status {status}: {listed[-300:]}"]
    said = {each["domain"]: "\n".join(each["faults"]) for each in json.loads(listed)["broken"]}
    faults = ["list writes control characters"] if "\x1b" in listed else []
    for hostile in chosen:
        try:
            load_domain(work / "domains" / hostile.name)
        except (BrokenDomain, UsageError) as error:
            said[hostile.name] = f"{said.get(hostile.name, '')}\n{error}"
        if ("list" in hostile.refused_by) != (hostile.name in said):
            faults.append(f"{hostile.name} is {'' if hostile.name in said else 'not '}refused")
        elif hostile.said not in said.get(hostile.name, hostile.said):
            faults.append(f"of {hostile.name} it says {said[hostile.name]!r}, not {hostile.said!r}")
    return faults if _state_of(home) == before else [*faults, "the home is touched"]


def _make(hostile: Hostile, folder: Path, home: Path) -> None:
    shutil.copytree(LIBRARY, folder)
    hostile.change(folder, home)


def _faults(hostile: Hostile, command: str, status: int, said: str) -> Iterator[str]:
    if "Traceback" in said:
        yield f"{command} crashes: {said.splitlines()[-1]}"
    if "\x1b" in said:
        yield f"{command} writes control characters"
    if command in hostile.refused_by and status not in (1, 2):
        yield f"{command} ends with status {status}"
    if command in hostile.refused_by and hostile.said not in said:
        yield f"{command} does not say {hostile.said!r}: {said.strip()[:300]}"


def _run(command: str, work: Path, home: Path) -> tuple[int, str]:
    """Return the exit status and the words of a command; one that hangs is a failure of the test."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("ANTHROPIC", "XDG"))}
    environment |= {"HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        [sys.executable, "-m", "generator", *_WORDS[command]],
        cwd=work,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=_PATIENCE,
        check=False,
    )
    return ended.returncode, ended.stdout.decode(errors="replace")


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
