"""A program that runs for one episode: how it is started and watched, and that nothing of it remains."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from runtime.errors import UsageError
from runtime.harness.agents.orphans import end_orphans, forget_child, start_child

GRACE = 2.0  # seconds between being told that it is over, SIGTERM, and SIGKILL

_WATCHER = Path(__file__).with_name("watcher.py")
_TAIL = 16_384  # bytes of output that are kept
_MOST_LINES, _LONGEST_LINE = 50, 1_000  # of standard error, as a record keeps it
_STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")  # of a terminal: colours and the like
_CLEARING = 10.0  # seconds that the watcher has to kill what is left


def find_program(word: str) -> str:
    """The full path of a program; errors: UsageError naming it."""
    found = shutil.which(word)
    if found is None:
        raise UsageError(f"Agent program {word!r} cannot be started: there is no such program.")
    return str(Path(found).absolute())


class Program:
    """A running program and the process that watches over it.

    `code` is its exit status once it has ended (negative: the signal that killed it), None if nobody knows it.
    """

    def __init__(self, watcher: asyncio.subprocess.Process, reports: asyncio.StreamReader, pid: int) -> None:
        self.code: int | None = None
        self._watcher = watcher
        self._reports = reports
        self._pid = pid
        self._tails = {"out": b"", "err": b""}
        self._reading = [
            asyncio.create_task(self._read(name, stream))
            for name, stream in (("out", watcher.stdout), ("err", watcher.stderr))
            if stream is not None
        ]
        self.ended = asyncio.create_task(self._wait())

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        folder: Path,
        environment: Mapping[str, str],
        *,
        descriptors: tuple[int, ...] = (),
        ignores_stop: bool = False,
    ) -> Program:
        """Start a program in its folder; errors: UsageError naming it where that cannot be done.

        With `ignores_stop` the command does not end when it is asked to stop; what it becomes has to see to that.
        """
        if os.name != "posix":
            raise UsageError("Agent 'command:...' runs on Linux and macOS only.")
        reading, writing = os.pipe()
        pipe = os.fdopen(reading, "rb", 0)
        try:
            # The program can read of its parent what it was started with: nothing. All else goes through the pipe.
            watcher = await start_child(
                asyncio.create_subprocess_exec(
                    *(sys.executable, "-I", "-S", "-X", "utf8", str(_WATCHER), str(writing), *map(str, descriptors)),
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    cwd=folder,
                    env={},
                    pass_fds=(writing, *descriptors),
                    start_new_session=True,
                )
            )
        except BaseException:
            pipe.close()
            raise
        finally:
            os.close(writing)
        try:
            reports = asyncio.StreamReader()
            protocol = asyncio.StreamReaderProtocol(reports)
            transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
            asked = {"command": list(command), "environment": dict(environment), "ignores_stop": ignores_stop}
            assert watcher.stdin is not None
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                watcher.stdin.write(json.dumps(asked).encode() + b"\n")
                await watcher.stdin.drain()
            said, _, what = (await reports.readline()).decode(errors="replace").strip().partition(" ")
        except BaseException:
            await _let_go(watcher)
            raise
        if said != "started":
            transport.close()
            await _let_go(watcher)
            raise cannot_start(command[0], what or "nobody could watch over it")
        return cls(watcher, reports, int(what))

    def end_words(self) -> str:
        """How it ended: the exit status and the last line with words in it, on standard error if it wrote there."""
        status = "in a way that nobody saw" if self.code is None else f"with exit status {self.code}"
        if self.code is not None and self.code < 0:
            status = f"by {_name_signal(-self.code)}"
        lines = [each for name in ("out", "err") for each in self._lines(name) if any(map(str.isalnum, each))]
        return f"ended {status}" + (f": {lines[-1][:300]}" if lines else "")

    def log(self) -> tuple[str, ...]:
        """The last lines that it wrote on standard error."""
        return tuple(each[:_LONGEST_LINE] for each in self._lines("err")[-_MOST_LINES:])

    async def stop(self, *, politely: bool) -> None:
        """Let it end if that was `politely` asked of it, ask it to stop, kill it, in this order.

        What it started is killed, too: on Linux all of it, elsewhere what has stayed in its process group.
        """
        try:
            if politely:
                await asyncio.wait((self.ended,), timeout=GRACE)
            if not self.ended.done():
                self._ask_to_stop()
                await asyncio.wait((self.ended,), timeout=GRACE)
        finally:
            await _let_go(self._watcher)
            await asyncio.wait((self.ended,), timeout=_CLEARING)
            if self.code is None:  # the watcher itself was killed
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._pid, signal.SIGKILL)
            await end_orphans()
            await asyncio.wait(self._reading, timeout=_CLEARING)

    def _ask_to_stop(self) -> None:
        assert self._watcher.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            self._watcher.stdin.write(b"t")

    async def _wait(self) -> None:
        async for line in self._reports:
            said, _, what = line.decode(errors="replace").strip().partition(" ")
            if said == "ended":
                self.code = int(what)
        await asyncio.wait(self._reading, timeout=1.0)

    async def _read(self, name: str, stream: asyncio.StreamReader) -> None:
        while got := await stream.read(65_536):
            self._tails[name] = (self._tails[name] + got)[-_TAIL:]

    def _lines(self, name: str) -> list[str]:
        text = _STYLE.sub("", self._tails[name].decode(errors="replace"))
        return [line.rstrip() for line in text.splitlines() if line.strip()]


async def _let_go(watcher: asyncio.subprocess.Process) -> None:
    """Close the watcher's standard input, at whose end it kills what is left, and wait for that."""
    assert watcher.stdin is not None
    watcher.stdin.close()
    send_signal(watcher, signal.SIGCONT)  # the program may have stopped it
    if not await _has_ended(watcher, _CLEARING):
        send_signal(watcher, signal.SIGKILL)
        await _has_ended(watcher, _CLEARING)
    forget_child(watcher)


def send_signal(process: asyncio.subprocess.Process, number: int) -> None:
    """Send a signal, and nothing else: asyncio's own `send_signal` waits for the child besides its event loop.

    Then whichever comes second finds no child, and the loop reports an exit status of 255 that never was.
    """
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process.pid, number)


async def _has_ended(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether a process ends in time; its own `wait` waits for whoever else holds its pipes, too."""
    latest = time.monotonic() + seconds
    while process.returncode is None and time.monotonic() < latest:
        await asyncio.sleep(0.005)
    return process.returncode is not None


def cannot_start(program: str, reason: str) -> UsageError:
    """What is said of a program that the system does not start."""
    return UsageError(f"Agent program {program!r} cannot be started: {reason}.")


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
