"""A hostile program: it leaves a process of another session behind, with nobody above it, and kills who watches.

`escapes.py REPORT DEPTH [stop]`: DEPTH is how many of its ancestors it kills, its watcher first; with `stop` they are
stopped, and not killed. The number of the process that is left is written to REPORT, which it must not outlive.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # which `-I` leaves out

from telling import knock

knock()


def parent_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def close_all() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for each in range(3):
        os.dup2(nothing, each)


report, depth, how = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
ancestors = [os.getppid()]
while len(ancestors) < depth:
    ancestors.append(parent_of(ancestors[-1]))
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setpgid(0, 0)
        os.chdir("/")
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        close_all()
        with report.open("a") as file:
            file.write(f"{os.getpid()}\n")
        while True:
            time.sleep(1)
    os._exit(0)
while not (report.exists() and report.read_text().endswith("\n")):
    time.sleep(0.02)
for pid in ancestors[:depth]:
    os.kill(pid, signal.SIGSTOP)
if "stop" not in how:
    for pid in ancestors[:depth]:
        os.kill(pid, signal.SIGKILL)
time.sleep(3600)
