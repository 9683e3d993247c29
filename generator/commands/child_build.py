"""A build in a child process: where its questions, status and log are, how it starts, and what became of it."""

from __future__ import annotations

import _thread
import hashlib
import os
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.commands.judge_build import judge_build
from generator.isolation.child import end_with
from runtime.environment import python_command
from runtime.errors import UsageError
from runtime.sandbox.files import MIB, parse_json, read_bytes
from runtime.session.state_folder import take_lock

_PARENT = "WORLDSMITH_PARENT"  # whose end ends a child


@dataclass(frozen=True)
class ChildBuild:
    """A domain folder that a child process builds; everything else is in a hidden folder beside it."""

    folder: Path

    @property
    def beside(self) -> Path:
        """The folder of the questions, the status, the log and the checks."""
        return self.folder.with_name(f".{self.folder.name}.build")

    @property
    def is_done(self) -> bool:
        """True if the domain is there, whose card is written last."""
        return (self.folder / "domain.json").is_file()

    @property
    def is_held(self) -> bool:
        """True if a process writes its answers."""
        with suppress(OSError), (self.folder / "answers.jsonl").open("r+b") as file:
            return not take_lock(file)
        return False

    def start(self, words: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start `worldsmith new`, which goes on from what was answered and ends with this process."""
        return self._start(["new", *words, "--out", str(self.folder), "--status", str(self.beside / "status.json")])

    def start_check(self) -> subprocess.Popen[bytes]:
        """Start `worldsmith check`, after which `line` has something to say."""
        return self._start(["check", f"{self.folder}{os.sep}", "--json"], self._check)

    def status(self) -> dict[str, Any]:
        """Return the last step of the build, as `new --status` wrote it; empty before the first."""
        return self._read("status.json")

    def why(self) -> str:
        """Return the last line that the child wrote, which says why it failed."""
        lines = (self.beside / "log.txt").read_text(errors="replace").strip().splitlines()
        return lines[-1].removeprefix("error: ") if lines else "It said nothing."

    def line(self) -> dict[str, Any] | None:
        """Return the line on the domain; None if it was not checked as it is now. Errors: UsageError."""
        report = self._read(self._check) if self.is_done else {}
        return judge_build(self.folder, report) if report else None

    @property
    def _check(self) -> str:
        """The file of the check of what is in the folder, so that what was mended is checked again."""
        digest = hashlib.blake2b(digest_size=8)
        for path in sorted(self.folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(self.folder).as_posix()}\0".encode() + path.read_bytes() + b"\0")
        return f"check-{digest.hexdigest()}.json"

    def _start(self, words: Sequence[str], out: str = "out.txt") -> subprocess.Popen[bytes]:
        self.beside.mkdir(parents=True, exist_ok=True)
        with (self.beside / out).open("wb") as printed, (self.beside / "log.txt").open("ab") as log:
            return subprocess.Popen(
                [*python_command("generator.main"), *words],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=log,
                env={**os.environ, _PARENT: str(os.getpid())},
            )

    def _read(self, name: str) -> dict[str, Any]:
        try:
            return dict(parse_json(read_bytes(self.beside / name, 64 * MIB)))
        except (UsageError, ValueError, TypeError):
            return {}


def end_with_parent() -> None:
    """End this process when the one that started it as a child build has ended, by whatever end."""
    if parent := os.environ.get(_PARENT):
        _thread.start_new_thread(end_with, (int(parent),))


def stop(processes: Iterable[subprocess.Popen[bytes]]) -> None:
    """End child processes; what was answered is kept."""
    for process in processes:
        process.terminate()
        process.wait()
