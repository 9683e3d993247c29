"""Whether a proposal is just what is wished: every fact that was told is in it, and nothing that nobody told."""

from __future__ import annotations

import re
from functools import lru_cache

from runtime.harness.users.machine import Machine
from runtime.verification.text.facts import Mention, agree, find_mentions, prepare
from runtime.verification.text.match import tells
from runtime.verification.text.words import NEGATORS, STOP, stem

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# What every plan may hold: the words in which permission is asked, whatever for.
_ASKING = frozenset(
    map(
        stem,
        "shall should may can could would will proceed go ahead confirm confirmation correct right okay ok sure want like "
        "please request following follow detail make understand understood summary plan so now yes ready everything look "
        "sound good check before here is just clear got let me know if you i your you'd i'd i'll i'm you're that's it's "
        "happy perfect thank thanks great of course one moment asked wish gladly understand".split(),
    )
)
_EXTRA = frozenset("also additionally plus instead otherwise except unless or too well".split())


def fits(said: str, machine: Machine) -> bool:
    """Whether a bare yes to all that is said approves the wishes that were said last, and nothing else; in doubt not."""
    wishes = [machine.user.wishes[number] for number in machine.wishes]
    facts = [fact for wish in machine.wishes for fact in machine.user.wishes[wish].facts if machine.is_told(wish, fact)]
    if not all(tells(said, fact.said) for fact in facts):
        return False
    own = "\n".join(
        [*(words for wish in wishes for words in wish.words)]
        + [f"{fact.name.replace('_', ' ')}: {fact.said}" for _, fact in machine.facts_known() if machine.is_told(_, fact)]
    )
    stated, known = _mentions(said), _mentions(own)
    if not all(any(agree(each.fact, other.fact) for other in known) for each in stated):
        return False
    words, own_words = _words_of(said), _words_of(own)
    if (words & (NEGATORS | _EXTRA)) - own_words:
        return False
    allowed = {stem(word) for word in own_words} | _ASKING
    return all(word in STOP or stem(word) in allowed for word in words)


def _mentions(text: str) -> tuple[Mention, ...]:
    return find_mentions(prepare(text))


@lru_cache(maxsize=256)
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.replace("’", "'").casefold()))
