"""The child process of a proof: takes its request on stdin, limits itself, runs the job, answers in one line of JSON.

The answer goes to what was stdout, which nobody else in this process gets to see.
"""

from __future__ import annotations

import _thread
import contextlib
import errno
import gc
import json
import os
import sys
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from generator.isolation.job import MIB, ProvingLimits, as_json, find_job
from runtime import errors
from runtime.errors import BrokenDomain, Rejection, WorldsmithError

FILE_BYTES = 256 * MIB  # of every file, as SQLite may spill to
_OPEN_FILES = 64
_OBJECTS_AT_ONCE = 20_000  # more than usual: most of what a job makes stays, and is not looked through again and again
_OURS = (str(Path(__file__).parents[2]), sys.prefix, sys.base_prefix)  # where no code of a draft is
_PARENT_SECONDS = 1.0  # between two looks whether the parent still runs
ERRORS: dict[str, type[WorldsmithError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, WorldsmithError)
}


def main() -> NoReturn:
    """Run the one job named on stdin."""
    request = json.loads(sys.stdin.buffer.readline())
    limits = ProvingLimits(**request["limits"])
    gc.set_threshold(_OBJECTS_AT_ONCE, 20, 20)
    place = _take_stdout()
    _thread.start_new_thread(end_with, (request["parent"],))
    _limit_process(limits)
    answer = json.dumps(_answer_of(request, limits)).encode()
    if len(answer) > limits.answer_bytes:
        answer = json.dumps({"limit": f"{limits.answer_bytes:,} bytes for an answer"}).encode()
    left = memoryview(answer + b"\n")
    while left:
        left = left[os.write(place, left) :]
    os._exit(0)


def _answer_of(request: Mapping[str, Any], limits: ProvingLimits) -> dict[str, Any]:
    try:
        job = find_job(request["job"])
        return {"result": as_json(job.told, job(job.asked.validate_python(request["asked"])))}
    except WorldsmithError as error:
        kind = next(each.__name__ for each in type(error).__mro__ if each.__name__ in ERRORS)
        match error:
            case Rejection():
                parts: list[Any] = [error.kind, error.sentence]
            case BrokenDomain():
                parts = [list(error.faults)]
            case _:
                parts = [str(error)]
        return {"error": kind, "parts": parts}
    except MemoryError as error:
        error.__traceback__ = None  # it holds on to what filled the memory
        return {"limit": f"{limits.memory_bytes // MIB:,} MiB of memory"}
    except BaseException as error:  # the process is about to end: the parent reports whatever it was
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            return {"limit": f"{FILE_BYTES:,} bytes for a file"}
        last = " ".join(traceback.format_exception_only(error)[-1].split())
        files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
        is_ours = all(name.startswith((*_OURS, "<")) for name in files)
        return {"failed": f"crashed: {last[:400].rstrip('.')}.", "ours": is_ours}


def _limit_process(limits: ProvingLimits) -> None:
    try:
        import resource
    except ImportError:
        return
    wanted = {
        resource.RLIMIT_CPU: (limits.cpu_seconds, limits.cpu_seconds + 1),
        resource.RLIMIT_AS: (limits.memory_bytes, limits.memory_bytes),
        resource.RLIMIT_FSIZE: (FILE_BYTES, FILE_BYTES),
        resource.RLIMIT_NOFILE: (_OPEN_FILES, _OPEN_FILES),
        resource.RLIMIT_NPROC: (0, 0),  # does not hold for root
        resource.RLIMIT_CORE: (0, 0),
    }
    for kind, bounds in wanted.items():
        with contextlib.suppress(ValueError, OSError):  # macOS has no RLIMIT_AS
            resource.setrlimit(kind, bounds)


def _take_stdout() -> int:
    """Keep what was stdout for the answer alone; what is printed goes nowhere."""
    place = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return place


def end_with(parent: int) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        time.sleep(_PARENT_SECONDS)
    os._exit(1)
