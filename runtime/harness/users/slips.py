"""What a user's reply must not do: state what nobody told it, tell what comes later, or end too early."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from runtime.verification.facts import agree, agree_loosely, find_mentions, prepare, weekday_of
from runtime.verification.reading import read_text
from runtime.verification.words import stem


def find_foreign(reply: str, spoken: Sequence[str]) -> list[str]:
    """The values and names in a reply that none of the texts holds that the user knows or has heard."""
    known = [mention for text in spoken for mention in find_mentions(prepare(text))]
    foreign = []
    for mention in find_mentions(prepare(reply)):
        if not mention.firm or any(
            agree(mention.fact, other.fact) or agree_loosely(mention.fact, other.fact) for other in known
        ):
            continue
        if mention.fact.kind == "weekday" and any(weekday_of(other.fact) == mention.fact.value for other in known):
            continue
        foreign.append(mention.words)
    words = _words_of(spoken)
    taken = [piece for piece in foreign]
    for name in read_text(reply).names.values():
        parts = re.findall(r"[^\W\d_]+", name)
        if any(stem(part.lower()) not in words for part in parts) and not any(name in piece for piece in taken):
            foreign.append(name)
    return foreign


def _words_of(texts: Iterable[str]) -> set[str]:
    return {word for text in texts for word in _stems(text)}


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[^\W\d_]+", text.lower()))
