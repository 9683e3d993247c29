"""What a child says at its end, on one line of JSON, and what the parent makes of it: a result or an error."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from generator.isolation.job import Job, Told
from generator.isolation.limits import MIB, ProvingLimits
from runtime import errors
from runtime.errors import BrokenDomain, Rejection, WorldsmithError

FORBIDDEN = 77  # the exit status of a child that the fence ended
_LONGEST_COMPLAINT = 400

_ERRORS: dict[str, type[WorldsmithError]] = {
    name: kind for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, WorldsmithError)
}


class ProofFailed(WorldsmithError):
    """Code under proof outgrew its limits, did what it must not, or crashed the job: one sentence that says which."""


def encode_result(result: Any, limits: ProvingLimits) -> bytes:
    """The answer of a job that returned."""
    answer = json.dumps({"result": result}).encode()
    if len(answer) <= limits.answer_bytes:
        return answer
    return encode_failure(f"returned {len(answer):,} bytes; at most {limits.answer_bytes:,} are taken.")


def encode_error(error: WorldsmithError) -> bytes:
    """The answer of a job that raised an error of ours."""
    kind = next(each.__name__ for each in type(error).__mro__ if each.__name__ in _ERRORS)
    match error:
        case Rejection():
            parts: list[Any] = [error.kind, error.sentence]
        case BrokenDomain():
            parts = [list(error.faults)]
        case _:
            parts = [str(error)]
    return json.dumps({"error": kind, "parts": parts}).encode()


def encode_failure(what: str) -> bytes:
    """The answer of a job that failed otherwise: what it did, as the rest of a sentence."""
    return json.dumps({"failed": what}).encode()


def read_answer(job: Job[Any, Told], status: int, answer: bytes, complaints: str, limits: ProvingLimits) -> Told:
    """What the job told, if the child ended by itself; errors: those of the job, ProofFailed.

    The code under proof ran in that child, so nothing that it says is believed to have the right shape.
    """
    if status < 0:
        raise _failed(job, _what_signal(-status, limits))
    lines = answer.splitlines()
    said = _read_line(lines[-1]) if lines and (len(lines) == 1 or status == FORBIDDEN) else None
    match said:
        case {"failed": str(what)}:
            raise _failed(job, what)
        case {"error": str(kind), "parts": list(parts)} if status == 0 and kind in _ERRORS:
            raise _ERRORS[kind](*parts)
        case {"result": result} if status == 0:
            try:
                return job.told.validate_python(result)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"])) or "all of it"
                raise _failed(job, f"gave an answer that is not one: {where}: {first['msg']}.") from None
    if lines and status == 0:
        raise _failed(job, "wrote something else than its answer.")
    last = complaints.strip().rpartition("\n")[2][:_LONGEST_COMPLAINT]
    raise _failed(job, f"ended with status {status} and no answer{f': {last}' if last else '.'}")


def too_late(job: Job[Any, Any], limits: ProvingLimits) -> ProofFailed:
    """The error of a child that the parent had to end."""
    return _failed(job, f"took longer than {limits.wall_seconds:g} s.")


def too_large(limits: ProvingLimits) -> str:
    """What a job did that ran out of memory."""
    return f"needed more than {limits.memory_bytes // MIB:,} MiB of memory."


def _failed(job: Job[Any, Any], what: str) -> ProofFailed:
    return ProofFailed(f"The proof {job.name!r} {what}")


def _what_signal(number: int, limits: ProvingLimits) -> str:
    if number == getattr(signal, "SIGXCPU", None):
        return f"used more than {limits.cpu_seconds} s of processor time."
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    return f"was ended by {name}."


def _read_line(line: bytes) -> Mapping[str, Any] | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None
