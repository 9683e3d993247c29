"""The words that the matcher of facts knows, from `words.toml`, and the stem that the forms of a word share."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import lru_cache
from pathlib import Path

_TABLES = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non")
_ALSO_OTHERWISE = frozenset("book fall cut let ring sound spot".split())  # noqa: SIM905  what they mean depends


def _words(name: str) -> frozenset[str]:
    return frozenset(_TABLES[name].split())


def _pairs(name: str) -> dict[str, str]:
    return dict(entry.split("=") for entry in _TABLES[name].split())


def _groups(name: str) -> list[list[str]]:
    return [line.split() for line in _TABLES[name].split(";")]


PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in _TABLES["phrases"]
)
ABBREVIATIONS, _IRREGULAR = _pairs("abbreviations"), _pairs("irregular")
STOP, LIGHT, TITLES, NEGATORS, _PLAIN = map(_words, ("stop", "light", "titles", "negators", "plain"))
ROLES = _words("roles") | {f"{role}s" for role in _words("roles")}
_ENDINGS = sorted(_words("endings"), key=lambda ending: (-len(ending), ending))
_SHORT_ENDINGS = _words("short_endings")
_SAME_AS = {word: group[0] for group in reversed(_groups("same")) for word in group if word not in _ALSO_OTHERWISE}


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """The part of a word that its usual forms share, after abbreviations and same words become one."""
    word = plain_letters(word)
    word = ABBREVIATIONS.get(word, word)
    word = _IRREGULAR.get(word, word)
    word = _SAME_AS.get(word, word)
    cut = _cut(word)
    return _SAME_STEMS.get(cut, cut)


@lru_cache(maxsize=4096)
def plain_letters(word: str) -> str:
    """The word in lower case without accents or a possessive ending."""
    decomposed = unicodedata.normalize("NFKD", word.casefold())
    letters = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return letters.removesuffix("'s").strip("'")


def without_prefix(word: str) -> str | None:
    """What a word such as `unavailable` denies (`available`), if it begins like one that denies."""
    for prefix in _PREFIXES:
        if word not in _PLAIN and word.startswith(prefix) and len(word) >= len(prefix) + 3:
            return word[len(prefix) :].removeprefix("-")
    return None


def _cut(word: str) -> str:
    """A word without its ending; short words keep all but a plural or verb ending, a code stays as it is."""
    if any(letter.isdigit() for letter in word):
        return word
    for ending in _ENDINGS:
        if word.endswith(ending):
            least = 3 if ending in _SHORT_ENDINGS else 4
            rest = word.removesuffix(ending)
            if len(rest) >= least and not (ending == "s" and rest.endswith(("s", "u", "i"))):
                return rest[:-1] if len(rest) > 3 and rest[-1] == rest[-2] and rest[-1] not in "ls" else rest
    return word


_SAME_STEMS = {_cut(word): _cut(first) for word, first in _SAME_AS.items()}
_SAME_STEMS = {key: _SAME_STEMS.get(first, first) for key, first in _SAME_STEMS.items()}
OPPOSITES: tuple[tuple[frozenset[str], frozenset[str]], ...] = tuple(
    (frozenset(map(stem, left.split())), frozenset(map(stem, right.split())))
    for left, right in (line.split("|") for line in _TABLES["opposites"].split(";"))
)
LIGHT_STEMS = frozenset(map(stem, LIGHT))
_LOOSE_GROUPS = [frozenset(map(stem, group)) for group in _groups("loose")]
STANDS_FOR = {
    one: frozenset().union(*(group for group in _LOOSE_GROUPS if one in group)) - {one}
    for group in _LOOSE_GROUPS
    for one in group
}
