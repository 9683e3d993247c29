"""How tokens are estimated where nobody counts them, and how usage adds up."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable

from runtime.model.model import Request, Usage

CHARACTERS_PER_TOKEN = 4  # a rule of thumb for English and code, the same for prompts and answers


def estimate_tokens(*texts: str) -> int:
    """Characters divided by four, rounded up."""
    return math.ceil(sum(map(len, texts)) / CHARACTERS_PER_TOKEN)


def estimate_usage(request: Request, *answers: str) -> Usage:
    """The usage of whatever does not count: all that was sent, and every answer that came back."""
    turns = [text for turn in request.earlier for text in (json.dumps(dict(turn.answer)), *turn.complaints)]
    prompt = estimate_tokens(request.prefix, request.prompt, *turns, json.dumps(dict(request.schema)))
    return Usage(prompt, estimate_tokens(*answers), estimated=True)


def total_usage(usages: Iterable[Usage]) -> Usage:
    """The sum; estimated if a part of it is, and of unknown cost if a part of it is."""
    prompt = completion = cached = 0
    estimated = False
    cost: float | None = 0.0
    for usage in usages:
        prompt += usage.prompt
        completion += usage.completion
        cached += usage.cached
        estimated = estimated or usage.estimated
        cost = None if cost is None or usage.cost is None else cost + usage.cost
    return Usage(prompt, completion, cached, estimated, cost)
