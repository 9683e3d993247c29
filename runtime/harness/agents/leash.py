"""Hold a program so that neither it nor anything it started outlives whoever asked for it.

`python leash.py FD PROGRAM ...` is a process between worldsmith and the program. It reports to the file descriptor FD,
one a line: `started PID`, `failed REASON` or `ended CODE` (negative: the signal). A byte on standard input asks the
program to stop (SIGTERM); the end of standard input, which is also what the death of worldsmith looks like, kills it.
When the program itself ends, whatever it left behind is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

_ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of Linux: what loses its parent below us becomes our child, not init's
_LEAD = 0  # standard input
_ROUNDS = 500  # of killing what is left, ten milliseconds each


def main() -> int:
    """Run the program to its end, or to that of standard input."""
    report, command = int(sys.argv[1]), sys.argv[2:]
    for known in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(known, _pass_over)  # only the end of standard input ends this; to ignore would be inherited
    _adopt_orphans()
    ended, wake = _watch_children()
    os.set_inheritable(report, False)
    try:
        program = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    except OSError as error:
        _say(report, f"failed {error.strerror or error}")
        return 1
    _say(report, f"started {program.pid}")
    try:
        _hold(program, ended)
    finally:
        _kill(program)
        os.close(wake)
    _say(report, f"ended {program.returncode}")
    return 0


def _hold(program: subprocess.Popen[bytes], ended: int) -> None:
    """Return when the program has ended, or when nobody holds the lead any more."""
    while program.poll() is None:
        ready, _, _ = select.select([_LEAD, ended], [], [])
        if ended in ready:
            os.read(ended, 512)
        if _LEAD in ready:
            if not os.read(_LEAD, 512):
                return
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(program.pid, signal.SIGTERM)


def _kill(program: subprocess.Popen[bytes]) -> None:
    """Kill the program's group and, where orphans are adopted, whatever else is below us, until nothing is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()
    for _ in range(_ROUNDS):  # what is killed leaves us its own children
        for child in _children():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.01)


def _children() -> list[int]:
    """The processes whose parent we are; none where the system does not tell."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            state_and_parent = stat.read_text(errors="replace").rpartition(")")[2].split()
            if int(state_and_parent[1]) == os.getpid():
                found.append(int(stat.parent.name))
    return found


def _adopt_orphans() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_ADOPT_ORPHANS, 1, 0, 0, 0)


def _watch_children() -> tuple[int, int]:
    """A pipe that can be read from as soon as a child has ended; its other end is to be kept open."""
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, _pass_over)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    return ended, wake


def _pass_over(*_: object) -> None:
    """A signal that means nothing to us, and its own default to the program."""


def _say(report: int, line: str) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(report, f"{line}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
