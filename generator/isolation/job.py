"""A job: a function of ours that runs in a child process, with the dataclasses it takes and returns, and its limits.

A job is defined once, beside its function: `@job("cases") def prove_cases(asked: FolderRequest) -> CasesReport`. The
decorated name is the job: `prove` takes it, and calling it runs it in this process. A child finds it by its name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, Generic, TypeVar, get_type_hints

from pydantic import TypeAdapter

from runtime.errors import WorldsmithError

MIB = 1024**2
Asked = TypeVar("Asked")
Told = TypeVar("Told")


@dataclass(frozen=True)
class ProvingLimits:
    """Limits of one child process.

    Processor time is what normally ends a proof. The wall clock is for a child that waits: it is wide, since a result
    must not depend on the load of the machine. On Windows the wall clock alone holds.
    """

    cpu_seconds: int = 120
    wall_seconds: float = 1_200.0
    memory_bytes: int = 1024 * MIB
    answer_bytes: int = 16 * MIB


USUAL = ProvingLimits()


class ProofFailed(WorldsmithError):
    """A job crashed, or gave no answer of its type: one sentence that says which."""


class LimitReached(ProofFailed):
    """A job was stopped by one of its limits, of time or of another kind; that is no fault of the code under proof."""

    def __init__(self, sentence: str, *, is_time: bool = False) -> None:
        super().__init__(sentence)
        self.is_time = is_time


@dataclass(frozen=True)
class Job(Generic[Asked, Told]):
    """One function under the name by which a child finds it; what it takes and returns can be written as JSON."""

    name: str
    function: Callable[[Asked], Told]

    def __call__(self, asked: Asked) -> Told:
        """Run it in this process."""
        return self.function(asked)

    @property
    def module(self) -> str:
        """What a child imports to know the job."""
        return self.function.__module__

    @cached_property
    def asked(self) -> TypeAdapter[Asked]:
        """Reads and writes what the job takes."""
        return TypeAdapter(next(kind for name, kind in self._types.items() if name != "return"))

    @cached_property
    def told(self) -> TypeAdapter[Told]:
        """Reads and writes what the job returns."""
        return TypeAdapter(self._types["return"])

    @cached_property
    def _types(self) -> dict[str, Any]:
        return get_type_hints(self.function)


_JOBS: dict[str, Job[Any, Any]] = {}


def job(name: str) -> Callable[[Callable[[Asked], Told]], Job[Asked, Told]]:
    """Make a function a job of this name, which no other has."""

    def define(function: Callable[[Asked], Told]) -> Job[Asked, Told]:
        if name in _JOBS:
            raise ValueError(f"A job {name!r} is defined twice, in {_JOBS[name].module} and {function.__module__}.")
        _JOBS[name] = defined = Job(name, function)
        return defined

    return define


def find_job(module: str, name: str) -> Job[Any, Any]:
    """The job of this name, which a module defines."""
    import_module(module)
    return _JOBS[name]


def as_json(adapter: TypeAdapter[Any], value: Any) -> Any:
    """A value of a job's type as JSON; a value that is not of its type is an error."""
    return adapter.dump_python(value, mode="json", warnings="error")
