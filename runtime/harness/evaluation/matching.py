"""Which matcher judges texts in place of the reward's own: `--matcher similarity`, or a model's opinion.

Either is for ablations (the paper's semantic comparison, section 4.1.1): it judges composed texts, too, and can be
fooled, so every score that it gave names it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from runtime.errors import UsageError
from runtime.harness.users.model_user import fill
from runtime.model.model import Model, Request
from runtime.verification.texts import TextMatch, TextMatcher, match_dictated, normalize

CHOICES = "similarity, anthropic:MODEL, openai:MODEL, relay:DIR"

LEAST_SIMILAR = 80.0  # percent, of two texts that count as the same
LONGEST = 4_000  # characters of an actual text that are compared

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"same": {"type": "boolean"}, "reason": {"type": "string", "description": "one short sentence"}},
    "required": ["same", "reason"],
    "additionalProperties": False,
}


def choose_matcher(spec: str) -> TextMatcher | None:
    """The matcher that a spec names, None for the reward's own; errors: UsageError."""
    if not spec:
        return None
    if spec == "similarity":
        return match_similar
    if not spec.startswith(("anthropic:", "openai:", "relay:")) or spec.endswith(":"):
        raise UsageError(f"No matcher {spec!r}; have: {CHOICES}.")
    from runtime.model.choose import choose_models

    return ModelMatcher(choose_models([spec], ["matcher"]).of("matcher"))


def match_similar(expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch:
    """Compare by shared words, in any order, with their spelling (rapidfuzz, token sort ratio)."""
    from rapidfuzz import fuzz

    ratio = fuzz.token_sort_ratio(normalize(expected), normalize(actual[:LONGEST]))
    return TextMatch(ratio >= LEAST_SIMILAR, f"the texts are {ratio:.0f} % similar")


class ModelMatcher:
    """Asks a model whether two texts say the same (paper, section 4.1.1); each pair once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._known: dict[tuple[str, str], TextMatch] = {}
        self._asking = threading.Lock()

    def __call__(self, expected: str, actual: str, facts: Sequence[str] = ()) -> TextMatch:
        """What the model says; errors: ModelFailed."""
        if match_dictated(expected, actual).same:
            return TextMatch(True, "the texts are equal")
        with self._asking:
            pair = expected, actual
            if pair not in self._known:
                self._known[pair] = asyncio.run(self._ask(expected, actual, facts))
            return self._known[pair]

    async def _ask(self, expected: str, actual: str, facts: Sequence[str]) -> TextMatch:
        marks = {"expected": expected, "actual": actual, "facts": "\n".join(f"- {fact}" for fact in facts) or "- none"}
        prefix, _, prompt = fill("matcher.md", marks).partition("<<<>>>")
        request = Request(
            "matcher", "match", f"pair-{len(self._known) + 1:05d}", 1, prefix, prompt, SCHEMA, max_tokens=300
        )
        answer = await self._model.answer(request)
        return TextMatch(bool(answer.content["same"]), str(answer.content["reason"]))
