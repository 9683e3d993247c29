"""The form of a kept episode: which values each part may have, so that no figure is made of what cannot be."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.harness.episode import End
from runtime.harness.messages import Role
from runtime.verification.verdict import DifferenceKind

Fault = Literal["agent", "user", "environment", "harness"]
"""Whom a failure is attributed to."""

Count = Annotated[int, Field(ge=0, lt=2**63)]
Amount = Annotated[float, Field(ge=0)]


class _Form(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)


class _RowForm(_Form):
    table: str
    key: list[Any]
    column: str | None


class _DifferenceForm(_Form):
    kind: DifferenceKind
    row: _RowForm | None
    expected: Any
    actual: Any
    together: list[str]
    answer: str | None
    others: Count | None = None  # in stores of the earlier format


class _PairForm(_Form):
    expected: _RowForm
    actual: _RowForm


class _ViolationForm(_Form):
    rule: str
    call: Annotated[int, Field(ge=1, lt=2**63)] | None
    tool: str
    key: str | int | float | None


class _CallForm(_Form):
    id: Any  # all three are as an agent gave them
    name: Any
    arguments: Any


class _MessageForm(_Form):
    role: Role
    text: str
    calls: list[_CallForm]
    call_id: Any
    is_error: bool
    by_agent: bool
    asks: list[str] = []
    wishes: list[int] = []
    tells: list[str] = []
    taken: list[Annotated[list[str], Field(min_length=2, max_length=2)]] = []


class _ChangeForm(_Form):
    table: str
    key: list[str | int | float | None]
    before: list[str | int | float | None] | None
    after: list[str | int | float | None] | None


class _TokensForm(_Form):
    prompt: Count = 0
    completion: Count = 0
    cached: Count = 0


class RecordForm(_Form):
    """What an `EpisodeRecord` is as JSON."""

    domain: str
    task: str
    trial: Count
    end: End
    why: str
    reward: int | None  # its own rules say more: `checked_record`
    progress: Annotated[float, Field(ge=0, le=1)]
    differences: list[_DifferenceForm]
    pairs: list[_PairForm]
    violations: list[_ViolationForm] = []  # in stores of the earlier format there is none
    messages: list[_MessageForm]
    said: list[Count] = []
    final: list[_ChangeForm]
    turns: Count
    calls: Count
    rejections: Count
    slips: Count
    tokens: _TokensForm
    estimated: bool
    cost: Amount | None
    seconds: Amount
    own_seconds: Amount
    fault: Fault | None
    reason: str
    reached: bool = True
    log: Annotated[list[str], Field(max_length=50)] = []
    warnings: list[str] = []


def first_fault(error: ValidationError) -> str:
    """The first thing that does not have the right form, as the rest of a sentence: name, value, what is right."""
    first = error.errors(include_url=False)[0]
    name = ".".join(map(str, first["loc"]))
    if first["type"] == "missing":
        return f"it has no {name!r}"
    return f"its {name!r} is {first['input']!r:.80}: {first['msg']}"
