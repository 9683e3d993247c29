"""The tokens that a domain took, as its answers say."""

from __future__ import annotations

from typing import Any

from generator.build.roles import STAGES
from runtime.model.answer_book import AnswerBook


def tokens_of(book: AnswerBook) -> dict[str, Any]:
    """What all answers took, and those of each stage."""
    usage, by_stage = book.usage(), book.usage_by_stage()
    return {
        "prompt": usage.prompt,
        "completion": usage.completion,
        "estimated": usage.estimated,
        "by_stage": {
            stage: {"prompt": by_stage[stage].prompt, "completion": by_stage[stage].completion}
            for stage in STAGES
            if stage in by_stage
        },
    }
