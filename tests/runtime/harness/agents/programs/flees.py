"""A hostile program: three chains of processes, each of which leaves its session, starts the next one, and ends.

`flees.py REPORT`: about ten times a second the newest of a chain writes the time to REPORT; all end after 30 seconds.
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
report = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
end = time.time() + 30
nothing = os.open(os.devnull, os.O_RDWR)
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        for each in range(3):
            os.dup2(nothing, each)
        said = 0.0
        while (now := time.time()) < end:
            if now > said + 0.1:
                os.write(report, f"{now}\n".encode())
                said = now
            if os.fork():
                os._exit(0)
            os.setsid()
        os._exit(0)
time.sleep(1)
