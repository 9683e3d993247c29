"""The child process of a proof: takes its request, limits itself, imports the job, calls it behind the fence, answers.

The parent holds the other end of stdin open for as long as it lives. The answer goes to what was stdout, which nobody
else in this process gets to see.
"""

from __future__ import annotations

import _thread
import errno
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from importlib.util import cache_from_source
from typing import Any, NoReturn

from generator.isolation.answer import FORBIDDEN, encode_error, encode_failure, encode_result, too_large
from generator.isolation.fence import put_up_fence
from generator.isolation.job import as_json, find_job
from generator.isolation.kernel import deny_writing_but_in
from generator.isolation.limits import ProvingLimits, limit_process
from runtime.errors import WorldsmithError


def main() -> NoReturn:
    """Run the one job that stands on stdin."""
    request = json.loads(sys.stdin.buffer.readline())
    place = _take_stdout()
    limits = ProvingLimits(**request["limits"])
    deny_writing_but_in(os.getcwd())
    _die_with(request["parent"])
    limit_process(limits)

    def fail(what: str) -> NoReturn:
        _write(place, encode_failure(what))
        os._exit(FORBIDDEN)

    _write(place, _answer_of(request, limits, [*_installation(), *request["reads"]], fail))
    os._exit(0)


def _installation() -> list[str]:
    """Where modules are imported from, and where their bytecode lies if a folder of its own holds it."""
    kept = [os.path.dirname(cache_from_source(os.path.join(path, "m.py"))) for path in sys.path]
    return [*sys.path, *(kept if sys.pycache_prefix else [])]


def _answer_of(
    request: Mapping[str, Any], limits: ProvingLimits, readable: list[str], fail: Callable[[str], NoReturn]
) -> bytes:
    try:
        job = find_job(request["module"], request["job"])
        asked, told = job.asked.validate_python(request["asked"]), job.told  # made before the fence lets nothing in
        put_up_fence(readable, fail)
        return encode_result(as_json(told, job(asked)), limits)
    except WorldsmithError as error:
        return encode_error(error)
    except MemoryError as error:
        error.__traceback__ = None  # it holds on to what filled the memory
        return encode_failure(too_large(limits))
    except BaseException as error:  # the process is about to end: whatever it was is reported by the parent
        if isinstance(error, OSError) and error.errno == errno.EFBIG:
            return encode_failure(f"wrote a file of more than {limits.file_bytes:,} bytes.")
        last = " ".join(traceback.format_exception_only(error)[-1].split())
        return encode_failure(f"crashed: {last[:400].rstrip('.')}.")


def _take_stdout() -> int:
    """Keep what was stdout for the answer alone; what is printed goes nowhere."""
    place = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return place


def _die_with(parent: int) -> None:
    """End when the parent does: at once where the kernel can, else when its end of stdin closes."""
    _thread.start_new_thread(_watch_stdin, ())
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        for name in [each for each in sys.modules if each.partition(".")[0] in ("ctypes", "_ctypes")]:
            del sys.modules[name]


_PR_SET_PDEATHSIG = 1


def _watch_stdin() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)


def _write(place: int, answer: bytes) -> None:
    left = memoryview(answer + b"\n")
    while left:
        left = left[os.write(place, left) :]
