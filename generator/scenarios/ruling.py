"""What a model says about one more chain, and how that is recorded with the three inputs (paper, section 4.2.2)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pydantic import Field

from generator.build.design import DesignPart, Sentence
from generator.tasks.candidate import Decision


class Opinion(DesignPart):
    """What a model answers at the gate: the paper's compatibility score, and why."""

    probability: float = Field(ge=0, le=1, description="how much one more chain is worth it")
    reason: Sentence


@dataclass(frozen=True)
class GateRuling:
    """A decision of the gate and the reason that the model gave."""

    decision: Decision
    reason: str

    @property
    def as_json(self) -> dict[str, Any]:
        """As it stands in `domain.json`."""
        return {**asdict(self.decision), "reason": self.reason}

    @property
    def as_sentence(self) -> str:
        """As a person reads it."""
        own = self.decision
        inputs = f"|D| {own.remaining}, c(H) {own.complexity}, g(D) {own.feasibility}"
        return f"{'go on' if own.goes_on else 'stop'} at {own.score} ({inputs}): {self.reason}"
