"""A program that runs for one episode: how it is started, what it may know of us, and that nothing of it remains."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from runtime.errors import UsageError

GRACE = 2.0  # seconds between being told that it is over, SIGTERM, and SIGKILL

_LEASH = Path(__file__).with_name("leash.py")
_TAIL = 4096  # bytes of output that are kept
_CLEARING = 10.0  # seconds that the leash has to kill what is left


def find_program(word: str) -> str:
    """The full path of a program; errors: UsageError naming it."""
    found = shutil.which(word)
    if found is None:
        raise UsageError(f"Agent program {word!r} cannot be started: there is no such program.")
    return str(Path(found).absolute())


def passed_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a program is given of our environment: all that is not worldsmith's own, and no proxy on the way to us."""
    passed = {name: value for name, value in environment.items() if not name.upper().startswith("WORLDSMITH_")}
    for name in ("NO_PROXY", "no_proxy"):
        passed[name] = ",".join(filter(None, (passed.get(name), "127.0.0.1")))
    return passed


class Program:
    """A running program and its leash.

    `code` is its exit status once it has ended (negative: the signal that killed it), None if nobody knows it.
    """

    def __init__(self, leash: asyncio.subprocess.Process, reports: asyncio.StreamReader, pid: int) -> None:
        self.code: int | None = None
        self._leash = leash
        self._reports = reports
        self._pid = pid
        self._tails = {"out": b"", "err": b""}
        self._reading = [
            asyncio.create_task(self._read(name, stream))
            for name, stream in (("out", leash.stdout), ("err", leash.stderr))
            if stream is not None
        ]
        self.ended = asyncio.create_task(self._wait())

    @classmethod
    async def start(cls, command: Sequence[str], folder: Path) -> Program:
        """Start a program in its folder; errors: UsageError naming it where that cannot be done."""
        if os.name != "posix":
            raise UsageError("Agent 'command:...' runs on Linux and macOS only.")
        reading, writing = os.pipe()
        pipe = os.fdopen(reading, "rb", 0)
        try:
            leash = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", str(_LEASH), str(writing), *command),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                cwd=folder,
                env=passed_environment(os.environ),
                pass_fds=(writing,),
                start_new_session=True,
            )
        except BaseException as error:
            pipe.close()
            if isinstance(error, OSError | ValueError):  # such as a prompt that is longer than an argument can be
                raise _cannot_start(command, getattr(error, "strerror", None) or str(error)) from error
            raise
        finally:
            os.close(writing)
        try:
            reports = asyncio.StreamReader()
            protocol = asyncio.StreamReaderProtocol(reports)
            transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, pipe)
            said, _, what = (await reports.readline()).decode(errors="replace").strip().partition(" ")
        except BaseException:
            await _let_go(leash)
            raise
        if said != "started":
            transport.close()
            await _let_go(leash)
            raise _cannot_start(command, what or "nobody could watch over it")
        return cls(leash, reports, int(what))

    def end_words(self) -> str:
        """How it ended: the exit status and the last line that it wrote, on standard error if it did there."""
        status = "in a way that nobody saw" if self.code is None else f"with exit status {self.code}"
        if self.code is not None and self.code < 0:
            status = f"by {_name_signal(-self.code)}"
        lines = [*self._lines("out"), *self._lines("err")]
        return f"ended {status}" + (f": {lines[-1][:300]}" if lines else "")

    async def stop(self, *, politely: bool) -> None:
        """Let it end if that was `politely` asked of it, have it ended, kill it, in this order; nothing is left."""
        try:
            if politely:
                await asyncio.wait((self.ended,), timeout=GRACE)
            if not self.ended.done():
                self._pull()
                await asyncio.wait((self.ended,), timeout=GRACE)
        finally:
            await _let_go(self._leash)
            await asyncio.wait((self.ended,), timeout=_CLEARING)
            if self.code is None:  # the leash itself was killed
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._pid, signal.SIGKILL)
            await asyncio.wait(self._reading, timeout=_CLEARING)

    def _pull(self) -> None:
        """Ask the program to stop."""
        assert self._leash.stdin is not None
        with contextlib.suppress(OSError, RuntimeError):
            self._leash.stdin.write(b"t")

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
        text = self._tails[name].decode(errors="replace")
        return [line.strip() for line in text.splitlines() if line.strip()]


async def _let_go(leash: asyncio.subprocess.Process) -> None:
    """Let go of the leash, which kills whatever is still on it, and wait for that."""
    assert leash.stdin is not None
    leash.stdin.close()
    try:
        async with asyncio.timeout(_CLEARING):
            await leash.wait()
    except TimeoutError:
        leash.kill()
        await leash.wait()


def _cannot_start(command: Sequence[str], reason: str) -> UsageError:
    return UsageError(f"Agent program {command[0]!r} cannot be started: {reason}.")


def _name_signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
