"""A text as the matcher reads it: its facts, its content words, its names, and what it denies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from runtime.verification.text.facts import Mention, find_mentions, one_slip, prepare
from runtime.verification.text.words import (
    ABBREVIATIONS,
    LIGHT_STEMS,
    NEGATORS,
    ROLES,
    STANDS_FOR,
    STOP,
    TITLES,
    plain_letters,
    stem,
    without_prefix,
)

_TOKEN = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[.!?;:,\n()]|-(?=\s)")
_STRONG_STOPS = frozenset(".;!?:\n") | {"but", "because", "however", "although", "though", "so", "unless", "-"}
_TURNED = re.compile(r"\bturned((?: (?!on\b|off\b)\w+){0,3}) (on|off)\b", re.IGNORECASE)
_REACH = 6
_ABBREVIATED = frozenset({*ABBREVIATIONS, *TITLES, "st", "ave"})
_INITIALISM = re.compile(r"\b(?:[A-Z]{2,6}|(?:[A-Z]\.){2,5})(?!\w)")
_JOINING_WORDS = frozenset({"of", "and", "the", "for", "in", "to", "on", "at"})


@dataclass(frozen=True)
class TextToken:
    """One word, mark or fact of a text in order; `sign` tells whether it is stated (+), denied (-) or near one (?)."""

    word: str
    stem: str
    mention: Mention | None = None
    sign: str = "+"

    @property
    def is_content(self) -> bool:
        """Whether the word says something by itself."""
        return self.mention is None and self.word[0].isalnum() and self.word not in STOP and self.word not in NEGATORS


@dataclass(frozen=True)
class Denial:
    """One negation: the word it denies and the stems near enough to be denied by it too."""

    words: str
    reach: frozenset[str]


@dataclass(frozen=True)
class ReadText:
    """Everything the matcher asks of one text."""

    prepared: str
    mentions: Sequence[Mention]
    tokens: list[TextToken]
    denials: list[Denial]
    names: dict[str, str]
    capitals: dict[str, str]
    stems: set[str] = field(default_factory=set)

    @property
    def firm(self) -> list[Mention]:
        """The facts the text states outright."""
        return [mention for mention in self.mentions if mention.firm]

    @property
    def key_names(self) -> set[str]:
        """The stems of all capitalised words."""
        return set(map(stem, self.capitals))

    def content(self) -> list[TextToken]:
        """The words that matter when no fact is declared."""
        return [
            token
            for token in self.tokens
            if token.is_content and token.stem not in LIGHT_STEMS and token.word not in ROLES
        ]

    def signs(self, wanted: str) -> set[str]:
        """How the text uses a stem: any of + (stated), - (denied) and ? (near a denial)."""
        return {token.sign for token in self.tokens if token.stem == wanted}

    def find(self, word: str, wanted: str) -> str | None:
        """The stem under which the text has a word or one that stands for it, one slip in a longer word forgiven."""
        if wanted in self.stems:
            return wanted
        loose = STANDS_FOR.get(wanted, frozenset()) & self.stems
        if loose:
            return min(loose)
        if len(word) < 6:
            return None
        for token in self.tokens:
            if (
                len(token.word) >= 5
                and token.word[0] == word[0]
                and token.is_content
                and (
                    one_slip(token.word, word)
                    or (min(len(token.stem), len(wanted)) >= 6 and one_slip(token.stem, wanted))
                )
            ):
                return token.stem
        return None


@lru_cache(maxsize=512)
def read_text(text: str, other: str = "") -> ReadText:
    """Read a text; words of `other` decide whether, say, `unavailable` is read as the denial of `available`."""
    prepared = prepare(_spell_initialisms(text, other))
    mentions = find_mentions(prepared)
    vocabulary = {plain_letters(word) for word in re.findall(r"[^\W\d_]+", prepare(other))}
    tokens, denials = _mark_denials(list(_split(prepared, mentions, vocabulary)))
    names, capitals = _find_names(prepared, mentions)
    stems = {token.stem for token in tokens if token.mention is None}
    return ReadText(prepared, mentions, tokens, denials, names, capitals, stems)


def _spell_initialisms(text: str, other: str) -> str:
    """Write out words such as `HR` where the other text has consecutive words with these initials."""
    if text.isupper() or not _INITIALISM.search(text):
        return text
    words = re.findall(r"[^\W\d_]+", other)
    initials = "".join(word[0].upper() for word in words)
    large = [at for at, word in enumerate(words) if word.lower() not in _JOINING_WORDS]
    large_initials = "".join(initials[at] for at in large)

    def spell(match: re.Match[str]) -> str:
        letters = match.group().replace(".", "")
        at = initials.find(letters)
        if at >= 0:
            return " ".join(words[at : at + len(letters)])
        at = large_initials.find(letters)
        return " ".join(words[large[at] : large[at + len(letters) - 1] + 1]) if at >= 0 else match.group()

    return _INITIALISM.sub(spell, text)


def _split(prepared: str, mentions: Sequence[Mention], vocabulary: set[str]) -> Iterator[TextToken]:
    firm = [mention for mention in mentions if mention.firm]
    masked = prepared
    for mention in firm:
        masked = masked[: mention.start] + " " * (mention.end - mention.start) + masked[mention.end :]
    masked = _TURNED.sub(lambda match: f"turned{match[2]}{match[1]}".ljust(len(match.group())), masked)
    placed: list[tuple[int, TextToken]] = [
        (mention.start, TextToken(mention.words, f"#{mention.fact}", mention)) for mention in firm
    ]
    for match in _TOKEN.finditer(masked):
        word = plain_letters(match.group()) or match.group()
        if word == "." and placed and _ends_abbreviation(masked, match.start()):
            continue
        base = without_prefix(word)
        if base and word not in vocabulary and {base, stem(base)} & (vocabulary | set(map(stem, vocabulary))):
            placed += [(match.start(), TextToken("not", "not")), (match.start() + 1, TextToken(base, stem(base)))]
        else:
            placed.append((match.start(), TextToken(word, stem(word))))
    yield from (token for _, token in sorted(placed, key=lambda pair: pair[0]))


def _ends_abbreviation(text: str, dot: int) -> bool:
    last = re.search(r"[^\W\d_]+$", text[:dot])
    return last is not None and last.group().lower() in _ABBREVIATED


def _mark_denials(tokens: list[TextToken]) -> tuple[list[TextToken], list[Denial]]:
    """Give each word its sign: the first content word after a negation is denied, those after it may be."""
    signs = ["+"] * len(tokens)
    denials = []
    for at, token in enumerate(tokens):
        if token.mention or token.word not in NEGATORS or (token.word == "no" and _answers(tokens, at)):
            continue
        head: int | None = None
        reach: list[TextToken] = []
        for later in range(at + 1, len(tokens)):
            following = tokens[later]
            if (
                (following.word in _STRONG_STOPS and not following.mention)
                or (following.word == "," and later == at + 1)
                or len(reach) >= _REACH
            ):
                break
            if following.mention and head is None and tokens[later - 1].word not in LIGHT_STEMS:
                head = later
                signs[later] = "-"
                reach.append(following)
                continue
            if not following.is_content or following.stem in LIGHT_STEMS or following.word in TITLES:
                continue
            none_of = token.word == "none" and tokens[at + 1].word == "of" and not reach
            if head is None and (none_of or (token.word == "no" and _is_done_to(tokens, later))):
                signs[later] = "?"
            elif head is None:
                head = later
                signs[later] = "+" if signs[later] == "-" else "-"
            elif signs[later] == "+":
                signs[later] = "?"
            reach.append(following)
        if head is None:
            head = next((earlier for earlier in range(at - 1, -1, -1) if tokens[earlier].is_content), None)
            if head is not None and tokens[head].stem not in LIGHT_STEMS:
                signs[head] = "-"
                reach.append(tokens[head])
        words = f"{token.word} {tokens[head].word}" if head is not None else token.word
        denials.append(Denial(words, frozenset(word.stem for word in reach)))
    signed = [TextToken(token.word, token.stem, token.mention, sign) for token, sign in zip(tokens, signs, strict=True)]
    return signed, denials


def _is_done_to(tokens: list[TextToken], at: int) -> bool:
    """Whether the next word tells what is not done to this one, as `allowed` in `no pets are allowed`."""
    for following in tokens[at + 1 : at + 4]:
        if following.is_content and following.stem not in LIGHT_STEMS:
            return following.word.endswith(("ed", "able", "ible"))
        if following.word not in ("is", "are", "was", "were", "be", "been", "will", "should", "has", "have"):
            return False
    return False


def _answers(tokens: list[TextToken], at: int) -> bool:
    """Whether this `no` is an answer by itself, as in `No, thanks`."""
    return at == 0 and len(tokens) > 1 and tokens[1].word == ","


def _find_names(prepared: str, mentions: Sequence[Mention]) -> tuple[dict[str, str], dict[str, str]]:
    """The capitalised words inside sentences, which are taken for names, and all capitalised words."""
    names: dict[str, str] = {}
    capitals: dict[str, str] = {}
    taken = [(mention.start, mention.end) for mention in mentions if mention.firm]
    words = list(re.finditer(r"[^\W\d_]+(?:'[^\W\d_]+)?", prepared))
    for match in words:
        word = plain_letters(match.group())
        if not match.group()[0].isupper() or any(start <= match.start() < end for start, end in taken):
            continue
        known = word in STOP or word in ROLES or word in TITLES or word in ABBREVIATIONS or stem(word) in LIGHT_STEMS
        if known or word in NEGATORS or word == "asap":
            continue
        capitals[word] = match.group()
        before = prepared[: match.start()].rstrip(" \"'(-*")
        if before and (before[-1] not in ".!?:;\n" or _follows_title(before)):
            names[word] = match.group().removesuffix("'s")
    return names, capitals


def _follows_title(before: str) -> bool:
    last = re.search(r"([^\W\d_]+)\.$", before)
    return last is not None and last[1].lower() in (*TITLES, "st")
