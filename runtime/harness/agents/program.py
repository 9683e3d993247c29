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
    """A running program that leads a process group; `code` is its exit status, negative for a signal."""

    def __init__(self, transport: asyncio.SubprocessTransport, output: _Output) -> None:
        self._transport = transport
        self._output = output
        self._pid = transport.get_pid()
        self.ended = asyncio.create_task(self._wait())

    @classmethod
    async def start(cls, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Program:
        """Start a program in its folder; it inherits no file descriptor. Errors: UsageError naming it."""
        if os.name != "posix":
            raise UsageError("Agents of the kind command:PROGRAM run on Linux and macOS only.")
        try:
            transport, output = await asyncio.get_running_loop().subprocess_exec(
                _Output,
                *command,
                stdin=subprocess.DEVNULL,
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"Agent program {command[0]!r} cannot be started: {error.strerror}.") from error
        return cls(transport, output)

    @property
    def code(self) -> int | None:
        """The exit status, None while the program runs."""
        return self._transport.get_returncode()

    def end_words(self) -> str:
        """Say how it ended: the exit status and the last line of output that has a letter or digit in it."""
        code = self.code
        how = f"by {_signal_name(-code)}" if code is not None and code < 0 else f"with exit status {code}"
        lines = [line for stream in (1, 2) for line in self._lines(stream) if any(map(str.isalnum, line))]
        return f"ended {how}" + (f": {lines[-1][:300]}" if lines else "")

    def log(self) -> tuple[str, ...]:
        """Return the last lines of standard error."""
        return tuple(line[:_LONGEST_LINE] for line in self._lines(2)[-_MOST_LINES:])

    async def stop(self, *, politely: bool) -> None:
        """Wait if the program was told that it is over (`politely`), then SIGTERM, then kill it and what it started."""
        started = _descendants(self._pid)
        try:
            if politely:
                await asyncio.wait((self.ended,), timeout=GRACE)
            if not self.ended.done():
                self._signal_group(signal.SIGTERM)
                await asyncio.wait((self.ended,), timeout=GRACE)
        finally:
            started |= _descendants(self._pid)
            if not self.ended.done():
                self._signal_group(signal.SIGKILL)
            for pid, born in started.items():
                if _birth_and_parent(pid)[0] == born:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(pid, signal.SIGKILL)
            await asyncio.wait((self.ended,))
            self._transport.close()

    async def _wait(self) -> None:
        """Wait for the program's end, kill what is left of its group, and read the rest of its output."""
        await self._output.exited.wait()
        self._signal_group(signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._output.closed.wait(), 1.0)

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _lines(self, stream: int) -> list[str]:
        text = _STYLE.sub("", self._output.tails[stream].decode(errors="replace"))
        return [line.rstrip() for line in text.splitlines() if line.strip()]


class _Output(asyncio.SubprocessProtocol):
    """The end of a program's output, and the moments when it exits and when nobody holds its pipes any more."""

    def __init__(self) -> None:
        self.tails = {1: b"", 2: b""}  # by file descriptor
        self.exited, self.closed = asyncio.Event(), asyncio.Event()
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self.tails[fd] = (self.tails[fd] + data)[-_TAIL:]

    def pipe_connection_lost(self, fd: int, _: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.closed.set()

    def process_exited(self) -> None:
        self.exited.set()


def _descendants(pid: int) -> dict[int, str]:
    """The processes below one, in whatever group, with the time each began; none where there is no /proc."""
    families = {int(each.name): _birth_and_parent(int(each.name)) for each in Path("/proc").glob("[0-9]*")}
    found = {pid: ""}
    while more := {each: born for each, (born, parent) in families.items() if parent in found and each not in found}:
        found |= more
    del found[pid]
    return found


def _birth_and_parent(pid: int) -> tuple[str, int]:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
        return fields[19], int(fields[1])
    except (OSError, IndexError):  # it has ended
        return "", 0


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
