"""A foreign set as this process sees it: requests to the child that runs its code, each with a time limit."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from runtime.errors import EnvironmentFault, UsageError

_BRIDGES = Path(__file__).parent / "bridges"
_MEMORY_MIB = 4_096  # of addresses; what is resident is far less


class ReplayStopped(EnvironmentFault):
    """A replay failed, took longer than its limit, or ended its process."""


@dataclass(frozen=True)
class ForeignTask:
    """A task of another set; `judge` is `state` where the end must equal the gold's, else `verify`."""

    id: str
    text: str
    say: list[str]
    unjudged: int
    calls: list[tuple[str, dict[str, Any]]]
    judge: str
    basis: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Replayed:
    """What calls answered, the digest of what they changed (empty: nothing), rules they broke, the set's own judge.

    `rows` are records that differ, by collection and key, each as JSON before and after, where the set has records.
    """

    answers: list[dict[str, Any]]
    digest: str
    broken: list[tuple[int, str, str]]
    passes: bool | None
    rows: dict[str, dict[str, list[str | None]]] = field(default_factory=dict)


@dataclass(frozen=True)
class SetSource:
    """Where a foreign set lies and what runs it: `kind` and `name` as in `tau2:retail`."""

    kind: str
    name: str
    data: Path
    world: Path | None = None
    rules: Path | None = None
    python: str = sys.executable
    seconds: float = 60
    limit: int = 0

    @property
    def named(self) -> str:
        """How the set was asked for."""
        return f"{self.kind}:{self.name}" if self.name else self.kind


KINDS = ("tau2", "general-agent", "bfcl")


def find_source(named: str, data: Path, **about: Any) -> SetSource:
    """Return where a set such as `tau2:retail` lies; what is None of `about` is as usual. Errors: UsageError."""
    kind, _, name = named.partition(":")
    if kind not in KINDS:
        raise UsageError(f"{named!r} is no set that --data can hold; those begin with {', '.join(KINDS)}.")
    if not data.is_dir():
        raise UsageError(f"There is no folder {str(data)!r}; give a checkout of the set.")
    return SetSource(kind, name, data, **{each: value for each, value in about.items() if value is not None})


class ForeignSet:
    """A set whose own tools answer in a child process; a child that was stopped is started again when it is needed."""

    def __init__(self, source: SetSource) -> None:
        self.source = source
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="worldsmith-audit-")
        try:
            told = self._ask("describe")
        except BaseException:
            self.__exit__(None, None, None)
            raise
        self.tasks = [
            ForeignTask(**{**each, "calls": [(name, given) for name, given in each["calls"]]}) for each in told["tasks"]
        ]
        self.writes, self.sets = frozenset(told["writes"]), told["sets"]
        self.told = told  # to players: `policy`, `tools` and the like, where the set can be played

    def __enter__(self) -> ForeignSet:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._end()
        self._folder.cleanup()

    def replay(self, task: str, calls: list[tuple[str, dict[str, Any]]]) -> Replayed:
        """Return what calls do to a fresh world of a task; errors: ReplayStopped."""
        told = self._ask("replay", task, calls)
        return Replayed(**{**told, "broken": [tuple(each) for each in told["broken"]]})

    def judge(self, task: str, steps: list[list[Any]]) -> dict[str, Any]:
        """Return `parts` of the set's own judge with their rewards, `unjudged` ones, and words `unsaid`."""
        return dict(self._ask("judge", task, steps))

    def unknown(self, values: list[str]) -> list[str]:
        """Return those values that no record of the set's world holds."""
        return list(self._ask("unknown", values))

    def is_sound(self) -> bool:
        """Return whether no replay changed the one database that all replays start from."""
        return bool(self._ask("close"))

    def _ask(self, do: str, *given: Any) -> Any:
        process = self._process = self._process or self._start()
        timer = threading.Timer(self.source.seconds, _kill, [process])
        timer.start()
        line = b""
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps({"do": do, "with": given}).encode() + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
        finally:
            timer.cancel()
        try:
            said = json.loads(line)
        except ValueError:
            self._end()
            sentence = f"The set ended or took longer than {self.source.seconds:g} s over {do!r}, and was stopped."
            if do == "describe":
                raise UsageError(sentence) from None
            raise ReplayStopped(sentence) from None
        if "fault" in said:
            raise (UsageError if do == "describe" else ReplayStopped)(str(said["fault"]))
        return said["told"]

    def _start(self) -> subprocess.Popen[bytes]:
        source = self.source
        options = {
            "name": source.name,
            "data": str(source.data.resolve()),
            "world": str(source.world.resolve()) if source.world else None,
            "rules": str(source.rules.resolve()) if source.rules else None,
            "limit": source.limit,
            "memory_mib": _MEMORY_MIB,
        }
        bridge = _BRIDGES / f"{source.kind.replace('-', '_')}.py"
        try:
            return subprocess.Popen(
                [source.python, "-I", "-B", "-X", "utf8", str(_BRIDGES / "serve.py"), str(bridge), json.dumps(options)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder.name,
                env={"LANG": "C.UTF-8", "PYTHONHASHSEED": "0"},
                start_new_session=True,
            )
        except OSError as error:
            raise UsageError(f"--python {source.python!r} cannot be started: {error.strerror}.") from error

    def _end(self) -> None:
        if self._process is not None:
            _kill(self._process)
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with contextlib.suppress(BrokenPipeError):
                        pipe.close()
            self._process = None


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
