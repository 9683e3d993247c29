"""What a user's reply must not do: state what nobody told it, tell what comes later, or end too early."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from runtime.harness.users.knowledge import UserKnowledge
from runtime.harness.users.questions import names
from runtime.harness.users.topics import topics_of_words
from runtime.verification.text.facts import Mention, agree, agree_loosely, find_mentions, prepare, weekday_of
from runtime.verification.text.match import normalise
from runtime.verification.text.reading import read_text
from runtime.verification.text.words import stem

MOST_SHARED = 0.5  # of the words of a later wish that are its own; a reply with more of them says the wish


@dataclass(frozen=True)
class Leave:
    """What a reply may do: the last wish said (-1 for none), whether the next may be said or the conversation end."""

    wish: int
    may_go_on: bool
    may_end: bool
    heard: tuple[str, ...]  # all that the assistant said


def find_slips(text: str, ends: bool, knowledge: UserKnowledge, leave: Leave) -> list[str]:
    """One complaint per fault of a reply, for whoever is to say it again."""
    slips = [*_faults_of_end(text, ends, leave)]
    latest = leave.wish + 1 if leave.may_go_on else leave.wish
    slips += _leaks(text, knowledge, leave, latest)
    spoken = [knowledge.profile, *(wish.text for wish in knowledge.wishes[: latest + 1]), *leave.heard]
    spoken += [each.said for each in knowledge.facts if each.wish <= latest]
    leaked = " ".join(slips)
    for words in find_foreign(text, spoken):
        if words not in leaked:
            slips.append(f"It states {words!r}, which you were not given and nobody said.")
    if leave.may_go_on and (leave.wish < 0 or says_wish(text, knowledge, latest)):
        slips += _left_out(text, knowledge, latest)
    return slips


def find_foreign(reply: str, spoken: Sequence[str]) -> list[str]:
    """The values and names in a reply that none of the texts holds that the user knows or has heard."""
    known = [mention for text in spoken for mention in find_mentions(prepare(text))]
    stated = [mention for mention in find_mentions(prepare(reply)) if mention.firm and not _is_ordinal(mention, reply)]
    foreign = [mention.words for mention in stated if not _is_known(mention, known)]
    words = {word for text in spoken for word in _stems(text)}
    for name in read_text(reply).names.values():
        if not _stems(name) <= words and not any(name in each for each in foreign):
            foreign.append(name)
    return foreign


def says_wish(text: str, knowledge: UserKnowledge, wish: int) -> bool:
    """Whether a reply says a wish, in these words or similar ones: most words that the wishes before it do not have."""
    if wish >= len(knowledge.wishes):
        return False
    before: frozenset[str] = frozenset().union(*(each.words for each in knowledge.wishes[:wish]))
    own = knowledge.wishes[wish].words - before or knowledge.wishes[wish].words
    if normalise(knowledge.wishes[wish].text) in normalise(text):
        return True
    return len(own & topics_of_words(text)) > MOST_SHARED * len(own)


def _faults_of_end(text: str, ends: bool, leave: Leave) -> Iterator[str]:
    if not text:
        yield "It says nothing; say something to the assistant."
    if ends and not leave.may_end:
        yield "It ends the conversation before the assistant has reported your last wish done or refused it."


def _leaks(text: str, knowledge: UserKnowledge, leave: Leave, latest: int) -> Iterator[str]:
    """What a reply tells of wishes that are not to be said yet."""
    known = normalise(" ".join([*(each.text for each in knowledge.wishes[: latest + 1]), *leave.heard]))
    for each in knowledge.facts:
        if each.wish > latest and f" {each.plain} " not in f" {known} " and names(text, each):
            if any(names(other.said, each) for other in knowledge.facts if other.wish <= latest):
                continue
            yield f"It tells {each.said!r}, which belongs to a later wish."
    for wish in range(latest + 1, len(knowledge.wishes)):
        if says_wish(text, knowledge, wish):
            after = (
                "the assistant has reported your present wish done or refused it" if wish == latest + 1 else "its turn"
            )
            yield f"It says your wish number {wish + 1} before {after}."


def _left_out(text: str, knowledge: UserKnowledge, wish: int) -> Iterator[str]:
    """The facts in the words of a wish that a reply says without them."""
    for each in knowledge.of(wish):
        if names(knowledge.wishes[wish].text, each) and not names(text, each):
            yield f"It says your wish without {each.said!r}; say the whole wish, in its words."
    if not says_wish(text, knowledge, wish):
        yield f"It does not say your wish number {wish + 1}; say it now, in its words."


def _is_known(mention: Mention, known: Iterable[Mention]) -> bool:
    return any(
        agree(mention.fact, other.fact)
        or agree_loosely(mention.fact, other.fact)
        or (mention.fact.kind == "weekday" and weekday_of(other.fact) == mention.fact.value)
        for other in known
    )


def _is_ordinal(mention: Mention, reply: str) -> bool:
    """Whether it only counts, as in `the second one`."""
    return re.fullmatch(r"\d{1,2}(?:st|nd|rd|th)", mention.words) is not None and mention.words not in reply


@lru_cache(maxsize=1024)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"[^\W\d_]+", text.lower()))
