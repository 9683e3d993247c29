"""Run a job in a child process of its own, or many of them at once, and leave nothing of them behind."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any, Protocol

from generator.isolation.answer import ProofFailed, read_answer, too_late
from generator.isolation.job import Asked, Job, Told, as_json
from generator.isolation.limits import USUAL, ProvingLimits
from runtime.errors import WorldsmithError

_ROOT = Path(__file__).resolve().parents[2]
_START = "import sys; sys.path[:0] = sys.argv[1:]; from generator.isolation.child import main; main()"
_NEEDED = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")  # what Python itself may need to start
_COMPLAINT_BYTES = 4096
_SIGNAL_SECONDS = 1.0  # an interrupt is noticed after this long at the latest


def prove(
    job: Job[Asked, Told],
    asked: Asked,
    limits: ProvingLimits = USUAL,
    *,
    reads: Sequence[Path] = (),
    root: Path | None = None,
) -> Told:
    """What a job tells that runs in a fresh process.

    It may read below `reads` (the domain's folder), `root` (a second place that jobs are imported from) and the Python
    installation. Errors: the WorldsmithError that the job raised; ProofFailed if it outgrew a limit, crashed, or did
    what the fence denies. Set and hash order differ from call to call; what must not depend on them is shown so.
    """
    (told,) = prove_all(job, [asked], limits, reads=reads, root=root)
    return told


def prove_all(
    job: Job[Asked, Told],
    asked: Sequence[Asked],
    limits: ProvingLimits = USUAL,
    workers: int | None = None,
    *,
    reads: Sequence[Path] = (),
    root: Path | None = None,
    proven: Callable[[], None] = lambda: None,
) -> list[Told]:
    """`prove` for each of many requests; errors: the first one in their order, when all are done.

    `proven` is called whenever one has ended, on its own thread.
    """
    found = prove_each([(job, each) for each in asked], limits, workers, reads=reads, root=root, proven=proven)
    for each in found:
        if isinstance(each, WorldsmithError):
            raise each
    return found


class ProveAll(Protocol):
    """`prove_all`, on this machine or on others."""

    def __call__(
        self,
        job: Job[Asked, Told],
        asked: Sequence[Asked],
        limits: ProvingLimits = ...,
        workers: int | None = ...,
        *,
        reads: Sequence[Path] = ...,
        proven: Callable[[], None] = ...,
    ) -> list[Told]:
        """What a job tells for each of many requests."""


def prove_each(
    asked: Sequence[tuple[Job[Any, Any], Any]],
    limits: ProvingLimits = USUAL,
    workers: int | None = None,
    *,
    reads: Sequence[Path] = (),
    root: Path | None = None,
    proven: Callable[[], None] = lambda: None,
) -> list[Any]:
    """`prove` for each of many jobs with its request, as many at a time as there are processors, in the order given.

    `proven` is called whenever one has ended, on its own thread.

    A WorldsmithError stands in the place of what a job told, so that one failed proof costs none of the others. When
    this is interrupted, every child is ended first.
    """
    children = _Children()

    def attempt(job: Job[Any, Any], each: Any) -> Any:
        try:
            return _prove(children, job, each, limits, reads, root)
        except WorldsmithError as error:
            return error
        finally:
            proven()

    with ThreadPoolExecutor(workers or os.cpu_count() or 1, thread_name_prefix="prove") as pool:
        try:
            futures = [pool.submit(attempt, job, each) for job, each in asked]
            # A signal that comes just before a wait does not end it, so no wait is for ever.
            while (left := wait(futures, _SIGNAL_SECONDS, return_when=FIRST_EXCEPTION)).not_done:
                for future in left.done:
                    future.result()
            return [future.result() for future in futures]
        except BaseException:
            children.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _prove(
    children: _Children,
    job: Job[Any, Told],
    asked: Any,
    limits: ProvingLimits,
    reads: Sequence[Path],
    root: Path | None,
) -> Told:
    request = {
        "module": job.module,
        "job": job.name,
        "asked": as_json(job.asked, asked),
        "limits": asdict(limits),
        "reads": [str(path.resolve()) for path in reads],
        "parent": os.getpid(),
    }
    line = json.dumps(request).encode() + b"\n"
    roots = [str(path) for path in dict.fromkeys((_ROOT, *([root.resolve()] if root else [])))]
    with (
        TemporaryDirectory(prefix="worldsmith-", ignore_cleanup_errors=True) as folder,
        TemporaryFile() as answer,
        TemporaryFile() as complaints,
        children.start(roots, folder, answer, complaints) as child,
    ):
        status = child.run(line, limits.wall_seconds)
        if child.was_late:
            raise too_late(job, limits)
        answer.seek(0)
        said = answer.read(limits.answer_bytes + _COMPLAINT_BYTES)
        complaints.seek(max(0, complaints.seek(0, os.SEEK_END) - _COMPLAINT_BYTES))
        return read_answer(job, status, said, complaints.read().decode(errors="replace"), limits)


class _Children:
    """The children of one proof or of many, so that all can be stopped at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: list[_Child] = []
        self._stopped = False

    def start(self, roots: Sequence[str], folder: str, answer: IO[bytes], complaints: IO[bytes]) -> _Child:
        """Start a child, on the thread that will wait for it: Linux ends the child when that thread ends."""
        with self._lock:
            if self._stopped:
                raise ProofFailed("The proof was stopped before it began.")
            child = _Child(roots, folder, answer, complaints)
            self._started.append(child)
            return child

    def stop(self) -> None:
        """End every child; none starts from here on."""
        with self._lock:
            self._stopped = True
            for child in self._started:
                child.stop()


class _Child:
    """One child process, and with it whatever it may have started."""

    def __init__(self, roots: Sequence[str], folder: str, answer: IO[bytes], complaints: IO[bytes]) -> None:
        self.was_late = False
        self._lock = threading.Lock()
        self._reaped = False
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", *_bytecode_options(), "-c", _START, *roots],
            stdin=subprocess.PIPE,
            stdout=answer,
            stderr=complaints,
            cwd=folder,
            env={
                "LANG": "C.UTF-8",
                "SQLITE_TMPDIR": folder,
                **{name: os.environ[name] for name in _NEEDED if name in os.environ},
            },
            start_new_session=True,
        )

    def run(self, line: bytes, wall_seconds: float) -> int:
        """Hand over the request and wait for the end; the exit status, negative for a signal."""
        assert self._process.stdin is not None
        timer = threading.Timer(wall_seconds, self._stop_late)
        timer.daemon = True
        timer.start()
        try:
            with contextlib.suppress(BrokenPipeError):  # it died at once; its status says of what
                self._process.stdin.write(line)
                self._process.stdin.flush()
            self._wait()
        finally:
            timer.cancel()
        return self._reap()

    def stop(self) -> None:
        """End the process and all of its group, if they still run."""
        with self._lock:
            if not self._reaped:
                self._kill()

    def _stop_late(self) -> None:
        with self._lock:
            if not self._reaped and self._process.returncode is None:
                self.was_late = True
                self._kill()

    def _kill(self) -> None:
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def _wait(self) -> None:
        """Wait without a clock, which would poll; what is not reaped yet keeps its number, so that it can be killed."""
        if hasattr(os, "waitid"):
            with contextlib.suppress(ChildProcessError):  # killed by the clock, and reaped by that already
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()

    def _reap(self) -> int:
        with self._lock:
            if not self._reaped:
                self._kill()  # what it started outlives it otherwise
                self._process.wait()
                self._reaped = True
        return self._process.returncode

    def __enter__(self) -> _Child:
        return self

    def __exit__(self, *_: object) -> None:
        self._reap()
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()


def _bytecode_options() -> list[str]:
    """Where this process keeps the bytecode of what it imports, the child finds it: -I hides the environment."""
    options = ["-B"] if sys.dont_write_bytecode else []
    return [*options, *(["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else [])]
