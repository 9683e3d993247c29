"""What a simulated user knows: its wishes in their order, and its facts with the wish from which on they are told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from runtime.harness.users.patterns import read_words
from runtime.harness.users.topics import topics_of_fact, topics_of_words
from runtime.task.task import User
from runtime.verification.text.facts import StatedFact, find_mentions, prepare
from runtime.verification.text.match import normalise
from runtime.verification.text.notations import MONTHS
from runtime.verification.text.words import STOP


@dataclass(frozen=True)
class UserFact:
    """A fact as the user knows it; `topics` are what a question for it may name."""

    name: str
    said: str
    wish: int
    topics: frozenset[str]
    values: tuple[StatedFact, ...]  # the typed values in `said`, if it holds nothing else
    plain: str  # `said`, normalised
    before: tuple[str, ...]  # the two words that stand before it where the user says it

    @property
    def month_day(self) -> str:
        """The month and day of a date, as `june 5`; empty for anything else."""
        match = _MONTH_DAY.search(self.plain)
        return match.group() if match else ""

    @property
    def is_personal(self) -> bool:
        """Whether it tells who the user is, whatever is wanted."""
        return self.name in ("name", "full name") or bool(self.topics & _PERSONAL)


@dataclass(frozen=True)
class Restriction:
    """A clause such as `leave out the phone`: its words, whether it denies or keeps something, its sentence."""

    words: frozenset[str]
    denies: bool
    keeps: bool
    sentence: str


@dataclass(frozen=True)
class Wish:
    """One thing the user wants; `acts` is false of a pure question, which any statement may answer."""

    text: str
    sentences: tuple[str, ...]
    acts: bool
    asks: bool
    words: frozenset[str]  # its content words, as stems
    points_back: bool  # to the wish before it
    restrictions: tuple[Restriction, ...]


@dataclass(frozen=True)
class UserKnowledge:
    """All that a user is given of a task: neither which wishes are beyond the tools nor what the answers are."""

    wishes: tuple[Wish, ...]
    facts: tuple[UserFact, ...]
    profile: str
    texts: tuple[str, ...]  # what the user knows in so many words that they may read like somebody's deed

    def told_by(self, wish: int) -> list[UserFact]:
        """The facts that may be told about a wish, its own first; those of earlier wishes if it points back to them."""
        since = wish
        while since > 0 and self.wishes[since].points_back:
            since -= 1
        told = [each for each in self.facts if since <= each.wish <= wish or (each.wish <= wish and each.is_personal)]
        return sorted(told, key=lambda each: -each.wish)

    def topics_of(self, wish: int) -> frozenset[str]:
        """What the facts of one wish may be asked for by."""
        return frozenset().union(*(each.topics for each in self.of(wish)))

    def of(self, wish: int) -> list[UserFact]:
        """The facts of one wish."""
        return [each for each in self.facts if each.wish == wish]


def learn(user: User) -> UserKnowledge:
    """What a task's user knows; one reading serves all episodes of a task."""
    facts = ((each.name, each.said, number) for number, wish in enumerate(user.wishes) for each in wish.facts)
    return _learn(user.profile, tuple(user.words), tuple(facts))


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of what a user says, clauses apart where a semicolon parts them."""
    return tuple(part.strip() for part in _SENTENCE_END.split(text) if part.strip())


@lru_cache(maxsize=4096)
def _learn(profile: str, words: tuple[str, ...], facts: tuple[tuple[str, str, int], ...]) -> UserKnowledge:
    plain_words = [normalise(each) for each in words]
    known = tuple(_know(name, said, wish, words, plain_words) for name, said, wish in facts)
    texts = tuple(each.said for each in known if len(each.said.split()) > 3 and not each.values)
    return UserKnowledge(tuple(map(_read_wish, words)), known, profile, texts)


def _know(name: str, said: str, wish: int, words: tuple[str, ...], plain_words: list[str]) -> UserFact:
    plain = normalise(said)
    spoken_in = [at for at, text in enumerate(plain_words) if plain and f" {plain} " in f" {text} "]
    if spoken_in:
        wish = max(wish, spoken_in[0])  # what is first said in a later wish belongs there, whatever the task notes
    before, after = _words_beside(words[wish], said)
    values = _typed_values(said)
    return UserFact(name, said, wish, topics_of_fact(name, values, (*before, *after)), values, plain, before)


def _words_beside(text: str, said: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    match = re.search(rf"(?<!\w){re.escape(said)}(?!\w)", text, re.IGNORECASE)
    if match is None:
        return (), ()
    before = re.findall(r"[a-z]+|[.!?;]", text[: match.start()].lower())[-2:]
    after = re.findall(r"^ ([a-z]+)", text[match.end() :].lower())
    return tuple(before), tuple(after)


def _typed_values(said: str) -> tuple[StatedFact, ...]:
    """The values that a text consists of, a weekday only where no date says it; none if it says more than values."""
    prepared = rest = prepare(said)
    found = [mention for mention in find_mentions(prepared) if mention.firm]
    for mention in found:
        rest = rest[: mention.start] + " " * (mention.end - mention.start) + rest[mention.end :]
    if any(word not in STOP for word in re.findall(r"[^\W_]+", rest.lower())):
        return ()
    kinds = {mention.fact.kind for mention in found}
    return tuple(each.fact for each in found if each.fact.kind != "weekday" or "date" not in kinds)


def _read_wish(text: str) -> Wish:
    sentences = sentences_of(text)
    acts = any(_wants_action(clause) for clause in _clauses(sentences))
    asks = any("?" in each and _ASKS.match(each) for each in sentences) or bool(_TELL_ME.search(text))
    restrictions = tuple(each for sentence in sentences for each in _restrictions(sentence))
    return Wish(
        text, sentences, acts or not asks, asks, topics_of_words(text), bool(_POINTS_BACK.search(text)), restrictions
    )


def _restrictions(sentence: str) -> Iterator[Restriction]:
    for clause in re.split(r",\s+(?:and |but )?| and |\.\s+|:\s+", sentence):
        if _RESTRICTS.search(clause) and not _LACKS.search(clause):
            yield Restriction(
                topics_of_words(clause), bool(_DENIES.search(clause)), bool(_KEEPS.search(clause)), sentence
            )


def _clauses(sentences: tuple[str, ...]) -> Iterator[str]:
    for sentence in sentences:
        yield from re.split(r",? and (?=[a-z]+ (?:me|it|the|my|that|this|a|him|her|them)\b)|: ", sentence)


def _wants_action(clause: str) -> bool:
    if _ASKS.match(clause.lstrip("-*, ").lower()) or _TELL_ME.search(clause) or _RECKONS.search(clause):
        return False
    return any(word in _ACTIONS for word in re.findall(r"[a-z]+", clause.lower()))


_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|;\s+|\n+")
_ASKS = re.compile(
    r"(?:(?:also|and|so|then|hi|hello|hey|good \w+|please|oh|okay|sorry|thanks|great)\b[,!.]?\s+)*"
    r"(?:(?:for|of|on|in|at|about|with|from|to)\b.{0,90}?,\s+)?"
    r"(?:what|which|who|whom|whose|when|where|how (?:many|much|long|often|far|old|exactly|have|has|did|do|does|is|are)"
    r"|is|are|was|were|do|does"
    r"|did|has|have)\b",
    re.IGNORECASE,
)
_TELL_ME = re.compile(
    r"\b(?:tell me|let me know|remind me|i(?:'d| would) (?:like|love) to (?:know|see|hear)|i (?:need"
    r"|want) to (?:know|see|hear)|i need the|i(?:'d| would) like the|i wonder"
    r"|i'm wondering|curious"
    r"|show me|look (?:up|at|into))\b|^(?:please )?(?:list|check)\b|\b(?:can|could) you (?:check|find out|see)\b",
    re.IGNORECASE,
)
_RECKONS = re.compile(r"\b(?:set|take|count|use|put) [^.]{1,100}\b(?:as (?:the |an? )?\w+s\b|against)", re.IGNORECASE)
_RESTRICTS = re.compile(
    r"\b(?:no|not|none|nothing|without|leave (?:out|\w+ out)|leaving out|keep|keeps|stay|stays|same|only|don't|except"
    r"|unchanged|particular"
    r"|instead|completely|replac\w+)\b",
    re.IGNORECASE,
)
_LACKS = re.compile(r"\bthere(?:'s| is| are) no\b|\bno (?:need for|longer|point)\b|\bnothing came\b", re.IGNORECASE)
_MONTH_DAY = re.compile(r"\b(?:" + "|".join(MONTHS) + r") \d{1,2}\b")
_PERSONAL = frozenset({"@email", "@phone", "birthdat"})
_POINTS_BACK = re.compile(r"\b(?:that|it|its|same|there|them|those|this|the one)\b", re.IGNORECASE)
_KEEPS = re.compile(r"\b(?:keep|keeps|stay|stays|unchanged)\b", re.IGNORECASE)
_DENIES = re.compile(r"\b(?:no|not|none|nothing|without|leave out|leaving out|don't|except)\b", re.IGNORECASE)
_ACTIONS = read_words(
    """
    accept add apply archive assign attach attend begin book borrow bring bringing call cancel change charge check
    close complete confirm copy correct create decline delete deliver drop edit email enrol enroll enter exchange
    extend file finish fix forward get give hold increase invite issue join keep leave lower log mail make mark
    message move note open order pause pay place plan postpone print prolong purchase put queue raise rate record
    redeem reduce refund register reject remove rename renew rent replace report request reschedule reserve reset
    restore return schedule send set ship shift sign start stop store submit subscribe swap switch take tick
    transfer unarchive unsubscribe update upgrade upload use withdraw write
    """
)
