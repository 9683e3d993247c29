"""The tokens that a domain took, as its answers say."""

from __future__ import annotations

from dataclasses import dataclass, field

from generator.build.roles import STAGES
from runtime.model.book import AnswerBook


@dataclass(frozen=True)
class StageTokens:
    """The tokens of one stage."""

    prompt: int
    completion: int


@dataclass(frozen=True)
class Tokens:
    """What all answers took, and those of each stage: as it stands in `domain.json`."""

    prompt: int = 0
    completion: int = 0
    estimated: bool = False
    by_stage: dict[str, StageTokens] = field(default_factory=dict)


def tokens_of(book: AnswerBook) -> Tokens:
    """The tokens of every answer in a book."""
    usage, by_stage = book.usage(), book.usage_by_stage()
    return Tokens(
        prompt=usage.prompt,
        completion=usage.completion,
        estimated=usage.estimated,
        by_stage={
            stage: StageTokens(by_stage[stage].prompt, by_stage[stage].completion)
            for stage in STAGES
            if stage in by_stage
        },
    )
