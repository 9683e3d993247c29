"""A job: a function of ours that runs in a child process, with the dataclasses it takes and returns, and its limits.

A job is defined once, beside its function: `@job("cases") def prove_cases(asked: FolderRequest) -> CasesReport`. The
decorated name is the job: `run_job` takes it, and calling it runs it in this process.
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
Request = TypeVar("Request")
Answer = TypeVar("Answer")


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
    """A job crashed, or gave no answer of its type: one sentence that says which.

    `is_ours` if no code of a domain was running when it crashed.
    """

    def __init__(self, sentence: str, *, is_ours: bool = False) -> None:
        super().__init__(sentence)
        self.is_ours = is_ours


class LimitReached(ProofFailed):
    """A job was stopped by one of its limits, of time or of another kind; which is not the code's fault."""

    def __init__(self, sentence: str, *, is_time: bool = False) -> None:
        super().__init__(sentence)
        self.is_time = is_time


@dataclass(frozen=True)
class Job(Generic[Request, Answer]):
    """One function that a child can run; what it takes and returns can be written as JSON."""

    name: str
    function: Callable[[Request], Answer]

    def __call__(self, asked: Request) -> Answer:
        """Run it in this process."""
        return self.function(asked)

    @property
    def address(self) -> str:
        """Where a child finds the job."""
        return f"{self.function.__module__}:{self.function.__name__}"

    @cached_property
    def asked(self) -> TypeAdapter[Request]:
        """Reads and writes what the job takes."""
        return TypeAdapter(next(kind for name, kind in self._types.items() if name != "return"))

    @cached_property
    def told(self) -> TypeAdapter[Answer]:
        """Reads and writes what the job returns."""
        return TypeAdapter(self._types["return"])

    @cached_property
    def _types(self) -> dict[str, Any]:
        return get_type_hints(self.function)


def job(name: str) -> Callable[[Callable[[Request], Answer]], Job[Request, Answer]]:
    """Make a function a job that messages call by this name."""
    return lambda function: Job(name, function)


def find_job(address: str) -> Job[Any, Any]:
    """Return the job at an address, a module and the name of its function in there."""
    module, _, function = address.partition(":")
    found: Job[Any, Any] = getattr(import_module(module), function)
    return found


def as_json(adapter: TypeAdapter[Any], value: Any) -> Any:
    """Return a value of a job's type as JSON; a value that is not of its type is an error."""
    return adapter.dump_python(value, mode="json", warnings="error")
