"""Run a job in a child process of its own, or many of them at once, and read what each says at its end."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile, mkdtemp
from typing import Any

from pydantic import ValidationError

from generator.isolation.child import ERRORS
from generator.isolation.job import USUAL, Answer, Job, LimitReached, ProofFailed, ProvingLimits, Request, as_json
from runtime.errors import WorldsmithError

_ROOT = Path(__file__).resolve().parents[2]
_START = "import sys; sys.path.insert(0, sys.argv[1]); from generator.isolation.child import main; main()"
_NEEDED = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # what Python itself may need to start
_COMPLAINT_BYTES = 4096
_LONGEST_COMPLAINT = 400
_SIGNAL_SECONDS = 1.0  # an interrupt is noticed after this long at the latest


def run_job(job: Job[Request, Answer], asked: Request, limits: ProvingLimits = USUAL) -> Answer:
    """Return what a job tells that runs in a fresh process.

    Errors: the WorldsmithError that the job raised; LimitReached if it was stopped by a limit; ProofFailed if it
    crashed. Set and hash order differ from call to call, which shows what must not depend on them.
    """
    (told,) = run_jobs(job, [asked], limits)
    return told


def run_jobs(
    job: Job[Request, Answer],
    asked: Sequence[Request],
    limits: ProvingLimits = USUAL,
    workers: int | None = None,
    *,
    proven: Callable[[int], None] = lambda _: None,
) -> list[Answer]:
    """`run_job` for each of many requests; errors: the first one in their order, when all are done.

    `proven` is called with the place of each that has ended, on its own thread.
    """
    found = run_each_job([(job, each) for each in asked], limits, workers, proven=proven)
    for each in found:
        if isinstance(each, WorldsmithError):
            raise each
    return found


def run_each_job(
    asked: Sequence[tuple[Job[Any, Any], Any]],
    limits: ProvingLimits = USUAL,
    workers: int | None = None,
    *,
    proven: Callable[[int], None] = lambda _: None,
) -> list[Any]:
    """`run_job` for each of many jobs with its request, in the order given, one per core at a time.

    A WorldsmithError stands in the place of what a job told, so that one failed proof costs none of the others.
    `proven` is called with its place whenever one has ended, on its own thread.
    When this is interrupted, every child is killed first.
    """
    running = _Running()

    def attempt(at: int, job: Job[Any, Any], each: Any) -> Any:
        told = running.run(job, each, limits)
        proven(at)
        return told

    with ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="prove") as pool:
        try:
            futures = [pool.submit(attempt, at, *each) for at, each in enumerate(asked)]
            # A signal that comes just before a wait does not end it, so no wait is unlimited.
            while (left := wait(futures, _SIGNAL_SECONDS, return_when=FIRST_EXCEPTION)).not_done:
                for future in left.done:
                    future.result()
            return [future.result() for future in futures]
        except BaseException:
            running.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Running:
    """The children that run now, so that all can be stopped at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._stopped = False

    def run(self, job: Job[Any, Any], asked: Any, limits: ProvingLimits) -> Any:
        """Return what a job tells, or its error."""
        request = {
            "job": job.address,
            "asked": as_json(job.asked, asked),
            "limits": asdict(limits),
            "parent": os.getpid(),
        }
        with (
            TemporaryDirectory(prefix="worldsmith-", ignore_cleanup_errors=True) as folder,
            TemporaryFile() as answer,
            TemporaryFile() as complaints,
        ):
            with self._lock:
                if self._stopped:
                    return ProofFailed("The proof was stopped before it began.")
                process = subprocess.Popen(
                    [sys.executable, "-I", "-B", "-X", "utf8", "-c", _START, str(_ROOT)],
                    stdin=subprocess.PIPE,
                    stdout=answer,
                    stderr=complaints,
                    cwd=folder,
                    env=_environment(folder),
                    start_new_session=True,
                )
                self._processes.add(process)
            try:
                process.communicate(json.dumps(request).encode() + b"\n", limits.wall_seconds)
            except subprocess.TimeoutExpired:
                return _stopped(job, f"{limits.wall_seconds:,.0f} s", is_time=True)
            finally:
                self._end(process)
            answer.seek(0)
            said = answer.read(limits.answer_bytes + 1)
            complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - _COMPLAINT_BYTES))
            return _read_answer(job, process.returncode, said, complaints.read().decode(errors="replace"), limits)

    def stop(self) -> None:
        """Kill every child; none starts from here on."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                _kill(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        with self._lock:
            self._processes.discard(process)
            if process.poll() is None:
                _kill(process)
        process.wait()


def _environment(folder: str) -> dict[str, str]:
    needed = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    own = {"LANG": "C.UTF-8", "SQLITE_TMPDIR": folder, "XDG_CACHE_HOME": _kept_worlds()}
    return {**own, "PYDANTIC_DISABLE_PLUGINS": "1", **needed}  # to look for plugins takes longer than many a job


@cache
def _kept_worlds() -> str:
    """Return the folder of the worlds that jobs of this process have built, gone with it: no proof takes older ones."""
    folder = mkdtemp(prefix="worldsmith-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a child that was not waited for yet, and whatever it started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def _read_answer(job: Job[Any, Any], status: int, answer: bytes, complaints: str, limits: ProvingLimits) -> Any:
    """Return what the job told or its error; what the child says may have any shape."""
    if status == -getattr(signal, "SIGXCPU", 0) != 0:
        return _stopped(job, f"{limits.cpu_seconds:,} s of processor time", is_time=True)
    try:
        said = json.loads(answer) if status == 0 else None
    except (ValueError, RecursionError):
        return _failed(job, "wrote something else than its answer." if answer else "ended without an answer.")
    match said:
        case {"limit": str(limit)}:
            return _stopped(job, limit)
        case {"failed": str(what), "ours": bool(is_ours)}:
            return _failed(job, what, is_ours=is_ours)
        case {"error": str(kind), "parts": list(parts)} if kind in ERRORS:
            return ERRORS[kind](*parts)
        case {"result": result}:
            try:
                return job.told.validate_python(result)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"])) or "all of it"
                return _failed(job, f"gave an answer of another type: {where}: {first['msg']}.", is_ours=True)
    last = complaints.strip().rpartition("\n")[2][:_LONGEST_COMPLAINT]
    names = {each.value: each.name for each in signal.Signals}
    ended = f"ended with status {status} and no answer"
    if status < 0:
        ended = f"was ended by {names.get(-status, f'signal {-status}')}"
    return _failed(job, f"{ended}{f': {last}' if last else '.'}")


def _failed(job: Job[Any, Any], what: str, *, is_ours: bool = False) -> ProofFailed:
    return ProofFailed(f"The proof {job.name!r} {what}", is_ours=is_ours)


def _stopped(job: Job[Any, Any], limit: str, *, is_time: bool = False) -> LimitReached:
    return LimitReached(f"The proof {job.name!r} was stopped by our limit of {limit}.", is_time=is_time)
