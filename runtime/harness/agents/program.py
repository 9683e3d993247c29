"""The process of an agent's program: what it is given, how its output is kept, and that it ends with its episode."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import shlex
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from runtime.children import without_secrets
from runtime.errors import UsageError

GRACE = 2.0  # seconds from the end of the conversation to SIGTERM, and from SIGTERM to SIGKILL

_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # terminal colors and the like
_TAIL = 16_384  # bytes of output that are kept
_MOST_LINES, _LONGEST_LINE = 50, 1_000  # of standard error in an episode's record


def program_environment(environment: Mapping[str, str], pass_env: Sequence[str], folder: Path) -> dict[str, str]:
    """Return the environment of a program: ours without secrets except those in `pass_env`, and no proxy to us."""
    missing = next((name for name in pass_env if name not in environment), None)
    if missing is not None:
        raise UsageError(f"--pass-env {missing!r} names a variable that is not set.")
    given = without_secrets(environment) | {name: environment[name] for name in pass_env}
    given.pop("OLDPWD", None)
    for name in ("NO_PROXY", "no_proxy"):
        given[name] = ",".join(filter(None, (given.get(name), "127.0.0.1")))
    return given | {"PWD": str(folder)}


def program_name(command: str) -> str:
    """Return the file name of a program, or of the script that its interpreter runs, without folders."""
    first, *files = _files_named(command) or [command]
    return Path(files[0] if files else first).name or command


def digest_files(command: str) -> str:
    """Return a digest of the files whose paths a command contains, empty if there are none; errors: UsageError."""
    digest = hashlib.sha256()
    files = [word for word in _files_named(command) if Path(word).is_file()]
    for word in files:
        try:
            with Path(word).open("rb") as file:
                digest.update(f"{word}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
        except OSError as error:
            raise UsageError(f"{word!r}, which the agent's command names, cannot be read: {error.strerror}.") from error
    return digest.hexdigest()[:12] if files else ""


def _files_named(command: str) -> list[str]:
    """The first word, and those of the others that are files."""
    try:
        first, *words = shlex.split(command)
    except ValueError:
        return []
    return [first, *(word for word in words if Path(word).is_file())]


class Program:
    """A running program that leads a process group; its output goes to files, of which the ends are read."""

    def __init__(
        self, process: asyncio.subprocess.Process, output: Sequence[IO[bytes]], files: contextlib.ExitStack
    ) -> None:
        self.log: tuple[str, ...] = ()  # the last lines of standard error, once it was stopped
        self._process = process
        self._output = output  # standard output and standard error
        self._files = files
        self.ended = asyncio.create_task(self._wait())

    @classmethod
    async def start(cls, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Program:
        """Start a program in its folder; it inherits no file descriptor. Errors: UsageError naming it."""
        if os.name != "posix":
            raise UsageError("Agents of the kind command:PROGRAM run on Linux and macOS only.")
        with contextlib.ExitStack() as files:
            output = [files.enter_context(TemporaryFile()) for _ in range(2)]
            try:
                process = await asyncio.create_subprocess_exec(
                    *command,
                    stdin=subprocess.DEVNULL,
                    stdout=output[0],
                    stderr=output[1],
                    cwd=folder,
                    env=dict(environment),
                    start_new_session=True,
                )
            except OSError as error:
                raise UsageError(f"Agent program {command[0]!r} cannot be started: {error.strerror}.") from error
            return cls(process, output, files.pop_all())

    def end_words(self) -> str:
        """Say how it ended: the exit status and the last line of output that has a letter or digit in it."""
        code = self._process.returncode
        how = f"by {_signal_name(-code)}" if code is not None and code < 0 else f"with exit status {code}"
        lines = [line for file in self._output for line in _last_lines(file) if any(map(str.isalnum, line))]
        return f"ended {how}" + (f": {lines[-1][:300]}" if lines else "")

    async def stop(self, *, politely: bool) -> None:
        """Wait if the program was told that it is over (`politely`), then SIGTERM, then SIGKILL, to its whole group."""
        try:
            if politely:
                await asyncio.wait((self.ended,), timeout=GRACE)
            if not self.ended.done():
                self._signal_group(signal.SIGTERM)
                await asyncio.wait((self.ended,), timeout=GRACE)
        finally:
            if not self.ended.done():
                self._signal_group(signal.SIGKILL)
            await asyncio.wait((self.ended,))
            self.log = tuple(line[:_LONGEST_LINE] for line in _last_lines(self._output[1])[-_MOST_LINES:])
            self._files.close()

    async def _wait(self) -> None:
        """Wait for the program's end, and kill what is left of its group."""
        await self._process.wait()
        self._signal_group(signal.SIGKILL)

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


def _last_lines(file: IO[bytes]) -> list[str]:
    file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
    text = _STYLE.sub("", file.read().decode(errors="replace"))
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
