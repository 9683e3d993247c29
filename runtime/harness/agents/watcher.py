"""Watch over a program so that neither it nor anything it started outlives whoever asked for it.

`python watcher.py REPORT FD ...` is a process between worldsmith and the program. The first line of standard input says
what to start: `{"command": [...], "environment": {...}, "ignores_stop": false}`; the descriptors FD are passed on. It
reports to the descriptor REPORT, one a line: `started PID`, `failed REASON` or `ended CODE` (negative: the signal). A
further byte on standard input asks the program to stop (SIGTERM); the end of standard input, which is also what the
death of worldsmith looks like, kills it. When the program itself ends, whatever it left behind is killed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

ADOPT_ORPHANS = 36  # PR_SET_CHILD_SUBREAPER of Linux: what loses its parent below us becomes our child, not init's
_READABLE, _LOSE_CAPABILITY, _PTRACE = 4, 24, 19  # PR_SET_DUMPABLE, PR_CAPBSET_DROP, CAP_SYS_PTRACE
_ASKED = 0  # standard input
_SECONDS = 5.0  # of killing what is left
_LISTINGS, _PASSES = 5, 100  # of what is below us, of which the second kind takes a tenth of the first one's time


def main() -> int:
    """Run the program to its end, or to that of standard input."""
    report, *passed = map(int, sys.argv[1:])
    for known in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(known, _pass_over)  # only the end of standard input ends this; to ignore would be inherited
    prctl(ADOPT_ORPHANS, 1)
    close_memory()
    prctl(_LOSE_CAPABILITY, _PTRACE)  # a program that is run by root cannot look into other processes either
    ended, wake = _watch_children()
    os.set_inheritable(report, False)
    asked = json.loads(os.fdopen(_ASKED, "rb", closefd=False).readline() or b"null")
    if asked is None:
        return 1
    if asked["ignores_stop"]:  # what the command itself ignores, the program that it becomes does not
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        program = subprocess.Popen(
            asked["command"],
            env=asked["environment"],
            stdin=subprocess.DEVNULL,
            pass_fds=passed,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        _say(report, f"failed {getattr(error, 'strerror', None) or error}")
        return 1
    for each in passed:
        os.close(each)
    _say(report, f"started {program.pid}")
    try:
        _hold(program, ended)
    finally:
        _kill(program)
        os.close(wake)
    _say(report, f"ended {program.returncode}")
    return 0


def prctl(option: int, value: int) -> None:
    """Change something about this process; nothing happens on another system than Linux, or without permission."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def close_memory() -> None:
    """Keep other processes of this user from reading or changing the memory of this one, on Linux."""
    prctl(_READABLE, 0)


def end_children(own: set[int], until: float) -> bool:
    """Kill every child but our own, with all that is below it, until none is left; whether that was before `until`.

    Whatever is below a killed child becomes our child. So it is enough to kill children faster than they are replaced:
    first all that is listed is stopped, so that it starts nothing more, then what comes is killed as it is found.
    """
    while True:
        _kill_listed(own)
        for _ in range(_PASSES):
            if not _kill_children(own):
                return True
        if time.monotonic() > until:
            return False


def _kill_listed(own: set[int]) -> None:
    """Stop what is below us, as /proc has it, until a listing has nothing new, and kill it."""
    seen: set[int] = set()
    for _ in range(_LISTINGS):
        children = children_by_parent()
        found = [pid for pid in children.get(os.getpid(), ()) if pid not in own]
        for pid in found:  # grows while it is read
            found += children.get(pid, ())
        if seen.issuperset(found):
            break
        seen.update(found)
        _signal(found, signal.SIGSTOP)
    _signal(found, signal.SIGKILL)


def _kill_children(own: set[int]) -> bool:
    """Kill and clear away the children that are there now, the newest first; whether there were any."""
    any_there = False
    for pid in sorted(_listed(), reverse=True):  # where none are listed, no orphans are adopted
        if pid in own:
            continue
        try:
            has_ended = os.waitpid(pid, os.WNOHANG)[0]
        except ChildProcessError:
            continue
        any_there = True
        if not has_ended:
            _signal([pid], signal.SIGKILL)
    return any_there


def _signal(pids: list[int], number: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def children_by_parent() -> dict[int, list[int]]:
    """The processes by their parent; none where the system does not tell."""
    found: dict[int, list[int]] = {}
    for pid in _listed():
        with contextlib.suppress(OSError, ValueError, IndexError):  # it may have ended since
            state_and_parent = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
            found.setdefault(int(state_and_parent[1]), []).append(pid)
    return found


def _listed() -> list[int]:
    """The processes that there are; none where the system does not tell."""
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except FileNotFoundError:
        return []


def _hold(program: subprocess.Popen[bytes], ended: int) -> None:
    """Return when the program has ended, or when nobody is there any more who asked for it."""
    while program.poll() is None:
        ready, _, _ = select.select([_ASKED, ended], [], [])
        if ended in ready:
            os.read(ended, 512)
        if _ASKED in ready:
            if not os.read(_ASKED, 512):
                return
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(program.pid, signal.SIGTERM)


def _kill(program: subprocess.Popen[bytes]) -> None:
    """Kill the program's group and, where orphans are adopted, whatever else is below us, until nothing is left."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(program.pid, signal.SIGKILL)
    program.wait()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    end_children(set(), time.monotonic() + _SECONDS)


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
