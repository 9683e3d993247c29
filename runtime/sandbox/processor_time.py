"""How long the loading of a domain's code may keep a processor busy, whatever no count foresees.

It holds in the main thread of a process on Unix, between two instructions of Python; elsewhere nothing happens.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from runtime.errors import BrokenDomain

MOST_SECONDS = 10.0  # of processor time, for all of a domain
_AGAIN = 1.0  # seconds until the next signal, for what swallowed the first one


class _OutOfTime(BaseException):
    """The time is over; no `except Exception` on the way catches it."""


@contextmanager
def bounded_processor_time(loaded: str) -> Iterator[None]:
    """End the body once this thread has computed for so long; errors: BrokenDomain, which names what was loaded."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGPROF)
    if before is None or signal.getitimer(signal.ITIMER_PROF) != (0.0, 0.0):  # it is somebody else's, or ours around us
        yield
        return
    seconds, start = MOST_SECONDS, time.thread_time()
    watched = [loaded]  # empty once the body has ended: a signal that comes later ends nothing

    def end(signum: int, frame: FrameType | None) -> None:
        if watched and time.thread_time() - start >= seconds:  # the timer counts all threads of the process
            raise _OutOfTime

    signal.signal(signal.SIGPROF, end)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds, min(seconds, _AGAIN))
        try:
            yield
        finally:
            watched.clear()
    except _OutOfTime:
        wrong = f"takes more than {seconds:g} s of processor time to load; write less code and smaller types"
        raise BrokenDomain([f"{loaded}: {wrong}."]) from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_IGN)  # drops one that is on its way
        signal.signal(signal.SIGPROF, before)
