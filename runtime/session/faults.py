"""Which calls of a session meet a fault of the service: timeouts, throttling, outages, slow answers, drawn from a plan.

A fault is not a rejection: the call was right, and the service failed it. After `timeout_after` the call's writes are
committed although its caller hears of a timeout; only the final database tells. What a session meets follows from the
plan, its seed and the order of its calls alone, so that a run can be repeated exactly. Time is the session's: a call
takes a second of it, `wait` as many as it is told, and no clock is read.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from runtime.domain.waiting import WAIT
from runtime.errors import Rejection, UsageError
from runtime.sandbox.files import read_text

FaultKind = Literal["timeout_before", "timeout_after", "rate_limit", "unavailable", "slow"]
FAULT_KINDS: tuple[FaultKind, ...] = get_args(FaultKind)

FAULT_LOG = "faults.jsonl"  # beside the state of a stored session: a line for each fault that a call met
MOST_WAITED = 600  # seconds at once
WAIT_TOOL: Mapping[str, Any] = {
    "name": WAIT,
    "title": "Wait",
    "description": "Wait before the next call, for example after a tool asked for fewer requests.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "seconds": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST_WAITED,
                "description": "How many seconds to wait",
            }
        },
        "required": ["seconds"],
        "additionalProperties": False,
    },
    "outputSchema": {
        "type": "object",
        "properties": {"waited_seconds": {"type": "integer"}},
        "required": ["waited_seconds"],
    },
    "annotations": {
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": False,
        "openWorldHint": False,
    },
}
"""As a server lists it where a plan throttles and no clock moves: it moves the plan's time and nothing else."""

SECONDS_OF_CALL = 1
_TEXTS: Mapping[str, tuple[str, ...]] = {
    "timeout": (
        "504 Gateway Timeout: {tool} did not respond within 30 seconds.",
        "Request timed out after 30000 ms ({tool}).",
        "Error: deadline exceeded while waiting for {tool}.",
    ),
    "rate_limit": (
        "429 Too Many Requests",
        "Rate limit exceeded for {tool}.",
        "Error: quota of requests per minute exceeded.",
    ),
    "unavailable": (
        "503 Service Unavailable",
        "Error: connection reset by peer while calling {tool}.",
        "502 Bad Gateway: upstream connect error.",
    ),
}
_HINTS: Mapping[str, str] = {
    "timeout": "The request may or may not have been processed.",
    "rate_limit": "Retry after {seconds} seconds.",
    "unavailable": "Please try again.",
}


_Number = TypeVar("_Number", int, float)
Plan = TypeVar("Plan", bound=BaseModel)
Seconds = Annotated[_Number, Field(ge=0, le=3_600)]


class FaultRates(BaseModel):
    """The share of calls, from 0 to 1, that meet each kind of fault; together at most 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    timeout_before: float = Field(default=0.0, ge=0, le=1)
    timeout_after: float = Field(default=0.0, ge=0, le=1)
    """Of calls that write; one that only reads or is rejected has nothing behind its timeout."""
    rate_limit: float = Field(default=0.0, ge=0, le=1)
    unavailable: float = Field(default=0.0, ge=0, le=1)
    slow: float = Field(default=0.0, ge=0, le=1)

    @model_validator(mode="after")
    def _add_up(self) -> FaultRates:
        total = sum(self.of(kind) for kind in FAULT_KINDS)
        if total > 1 + 1e-9:
            raise ValueError(f"the rates add up to {total:g}; at most 1")
        return self

    def of(self, kind: FaultKind) -> float:
        rate: float = getattr(self, kind)
        return rate


class FaultPlan(FaultRates):
    """How often calls fail, for all tools and for some; `hints` is the share of errors that say what to do about it."""

    name: str = "custom"
    hints: float = Field(default=0.5, ge=0, le=1)
    most_in_a_row: int = Field(default=2, ge=1, le=20)
    """After so many faults the next call goes through."""
    retry_after_seconds: tuple[Seconds[int], Seconds[int]] = (5, 20)
    slow_seconds: tuple[Seconds[float], Seconds[float]] = (8.0, 25.0)
    real_time: bool = False
    """Whether a server takes the seconds of a slow call, rather than only saying them."""
    tools: dict[str, FaultRates] = Field(default_factory=dict)
    """Rates of single tools, in place of the plan's."""

    @model_validator(mode="after")
    def _in_order(self) -> FaultPlan:
        for name, (low, high) in (
            ("retry_after_seconds", self.retry_after_seconds),
            ("slow_seconds", self.slow_seconds),
        ):
            if low > high:
                raise ValueError(f"{name} is [{low}, {high}]; write the smaller one first")
        return self

    def rates(self, tool: str) -> FaultRates:
        return self.tools.get(tool, self)

    @property
    def key(self) -> str:
        """The name of a known plan, or the plan itself as JSON: what `read_fault_plan` makes the same plan of."""
        return self.name if FAULT_PLANS.get(self.name) == self else self.model_dump_json()

    @property
    def throttles(self) -> bool:
        """Whether some tool may ask for fewer requests, so that `wait` is offered."""
        return any(rates.rate_limit > 0 for rates in (self, *self.tools.values()))


FAULT_PLANS: Mapping[str, FaultPlan] = {
    "mild": FaultPlan(
        name="mild", timeout_before=0.02, timeout_after=0.04, rate_limit=0.02, unavailable=0.03, slow=0.05
    ),
    "harsh": FaultPlan(
        name="harsh", timeout_before=0.08, timeout_after=0.20, rate_limit=0.08, unavailable=0.10, slow=0.10
    ),
}


def read_fault_plan(given: str | None, tools: Collection[str] = ()) -> FaultPlan | None:
    """The plan of a name (none, mild, harsh) or of a TOML file; errors: UsageError. `tools` are those of the domain."""
    if given is None or given == "none":
        return None
    if given in FAULT_PLANS:
        return FAULT_PLANS[given]
    if given.startswith("{"):
        return FaultPlan.model_validate_json(given)
    path = Path(given)
    if path.suffix == ".json" and path.is_file():  # as another process of ours was given it
        return read_fault_plan(path.read_text(encoding="utf-8"), tools)
    plan = read_plan_file(given, FaultPlan, "fault plan", FAULT_PLANS, f"a fault is one of {', '.join(FAULT_KINDS)}")
    check_tools(plan, tools)
    return plan


def read_plan_file(given: str, kind: type[Plan], what: str, names: Collection[str], known: str) -> Plan:
    """The plan in a TOML file, named like it; `names` are those of built-in ones. Errors: UsageError."""
    path = Path(given)
    if path.suffix != ".toml" and not path.is_file():
        raise UsageError(f"There is no {what} {given!r}; have: none, {', '.join(names)}, or a .toml file.")
    try:
        return kind.model_validate({"name": path.stem} | tomllib.loads(read_text(path)))
    except RecursionError as error:
        raise UsageError(f"The {what} {given!r} is not valid TOML: it is nested too deeply.") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"The {what} {given!r} is not valid TOML: {error}.") from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        known = f"; {known}" if first["type"] == "extra_forbidden" else ""
        raise UsageError(
            f"The {what} {given!r} is wrong{' at ' + where if where else ''}: {first['msg']}{known}."
        ) from error


def check_tools(plan: FaultPlan, tools: Collection[str]) -> None:
    """Refuse a plan for tools that a domain does not have; errors: UsageError."""
    if unknown := [name for name in plan.tools if tools and name not in tools]:
        raise UsageError(f"The fault plan {plan.name!r} names the tool {unknown[0]!r}, which the domain does not have.")


@dataclass(frozen=True)
class ServiceFault:
    """A fault that a call met. `seconds` is the time to wait of a rate limit, or how long a slow call took."""

    kind: FaultKind
    text: str = ""
    seconds: float = 0.0


class FaultSource:
    """The faults of one session, in the order of its calls."""

    def __init__(self, plan: FaultPlan, seed: int | str) -> None:
        self.plan, self.seed = plan, seed
        self.reset()

    def reset(self) -> None:
        """Begin anew, as for the first call."""
        self._calls = self._in_a_row = 0
        self._throttled: dict[str, int] = {}  # until when, by tool

    def is_wait(self, name: str, tools: Collection[str]) -> bool:
        """Whether a call is one of the `wait` tool, which a plan offers where it throttles and the name is free."""
        return name == WAIT and self.plan.throttles and WAIT not in tools

    @staticmethod
    def seconds_asked(arguments: Mapping[str, Any]) -> int:
        """How long a call of `wait` is to take; errors: Rejection."""
        seconds = arguments.get("seconds")
        if type(seconds) is not int or not 1 <= seconds <= MOST_WAITED or len(arguments) != 1:
            raise Rejection.invalid_argument(f"wait takes `seconds`, a whole number from 1 to {MOST_WAITED}.")
        return seconds

    def draw(self, tool: str, writes: bool, now: int) -> ServiceFault | None:
        """The fault of a call at `now`, if it meets one; `timeout_after` only where the call may write."""
        chance = random.Random(f"{self.seed}/{self.plan.name}/{self._calls}/{tool}")
        self._calls += 1
        until = self._throttled.get(tool, 0)
        if now < until:
            return self._error("rate_limit", tool, chance, until - now)
        kind = self._kind(self.plan.rates(tool), chance.random())
        if kind == "slow":
            low, high = self.plan.slow_seconds
            return ServiceFault("slow", seconds=round(chance.uniform(low, high), 1))
        if kind is None or self._in_a_row >= self.plan.most_in_a_row:
            self._in_a_row = 0
            return None
        self._in_a_row += 1
        if kind == "rate_limit":
            low_, high_ = self.plan.retry_after_seconds
            wait = chance.randint(low_, high_)
            self._throttled[tool] = now + wait
            return self._error(kind, tool, chance, wait)
        if kind == "timeout_after" and not writes:
            kind = "timeout_before"
        return self._error(kind, tool, chance)

    @staticmethod
    def _kind(rates: FaultRates, point: float) -> FaultKind | None:
        for kind in FAULT_KINDS:
            point -= rates.of(kind)
            if point < 0:
                return kind
        return None

    def _error(self, kind: FaultKind, tool: str, chance: random.Random, seconds: int = 0) -> ServiceFault:
        said = "timeout" if kind in ("timeout_before", "timeout_after") else kind
        text = chance.choice(_TEXTS[said]).format(tool=tool)
        if chance.random() < self.plan.hints:
            text = f"{text.rstrip('.')}. {_HINTS[said].format(seconds=seconds)}"
        return ServiceFault(kind, text, float(seconds))
