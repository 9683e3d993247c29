"""One plain spelling of a text: its characters folded and its number words written in digits."""

from __future__ import annotations

import re
import unicodedata
from fractions import Fraction

_VULGAR = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3", "⅛": "1/8"}
_FOLDED = str.maketrans(
    {"‘": "'", "’": "'", "‛": "'", "`": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"'}
    | {"‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "―": "-", "−": "-", "⁄": "/", "\u200b": None, "\u00ad": None}
)

_SMALL_WORDS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
_TENS_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_SMALL = {word: number for number, word in enumerate(_SMALL_WORDS.split())}
_TENS = {word: 10 * ten for ten, word in enumerate(_TENS_WORDS.split(), 2)} | {"fourty": 40}
_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_ORDINALS = (
    {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
    | {f"{word}th": number for word, number in _SMALL.items() if number in (4, 6, 7, 10, 11) or number > 12}
    | {f"{word[:-1]}ieth": number for word, number in _TENS.items()}
)
_PARTS = {"half": 2, "halves": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fifths": 5, "tenths": 10}
_STARTS = frozenset({"a", "dozen", *_SMALL, *_TENS, *_SCALES, *_ORDINALS})
_WORD = re.compile(r"[^\W\d_]+")
_SECOND = re.compile(
    r"(?<!per )(?<!each )(?<!split )(?<!\d )(?<!one )\bsecond\b(?!s)(?!\s+(?:later|ago)\b)(?!'s)", re.IGNORECASE
)
_SECOND_UNIT = re.compile(r"\b(?:a|this|any)\s+second\s*(?=$|[.,;!?])", re.IGNORECASE)


def fold(text: str) -> str:
    """The text with one form for each quote, dash, space and fraction (NFKC otherwise)."""
    for sign, digits in _VULGAR.items():
        text = text.replace(sign, f" {digits} ")
    text = re.sub(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))", "", text)
    text = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    return re.sub(r"[^\S\n]+", " ", text).strip()


def write_digits(text: str) -> str:
    """The text with its number words in digits: `twenty-five` is `25`, `third` is `3th`; `one` and `first` stay."""
    words = list(_WORD.finditer(text))
    pieces: list[str] = []
    end = index = 0
    while index < len(words):
        if words[index].group().lower() not in _STARTS:
            index += 1
            continue
        run = _joined_words(text, words, index)
        digits, used = _read_number(run)
        if used:
            pieces += [text[end : words[index].start()], digits]
            end = words[index + used - 1].end()
        index += used or 1
    text = "".join(pieces) + text[end:]
    return _SECOND.sub(lambda match: "second" if _is_unit(text, match) else "2nd", text)


def _joined_words(text: str, words: list[re.Match[str]], index: int) -> list[str]:
    """Up to twelve words from `index` on that only spaces or hyphens join."""
    run = [words[index].group().lower()]
    for left, right in zip(words[index : index + 11], words[index + 1 : index + 12], strict=False):
        if text[left.end() : right.start()] not in (" ", "-"):
            break
        run.append(right.group().lower())
    return run


def _read_number(words: list[str]) -> tuple[str, int]:
    """The digits of the number the words start with and how many words it takes; ("", 0) if they start with none."""
    total, group, used = 0, 0, 0
    before = ""  # what stood last: "", small, tens, hundred or scale
    for at, word in enumerate(words):
        following = words[at + 1 : at + 3]
        if word == "and" and used:
            if following == ["a", "half"]:
                return _decimal(Fraction(2 * (total + group) + 1, 2)), at + 3
            if before not in ("hundred", "scale") or not following or not _is_small(following[0]):
                break
        elif word == "a" and at == 0 and following and following[0] in ("hundred", "dozen", *_SCALES):
            group, before = 1, "small"
        elif before == "small" and 0 < group < 10 and total == 0 and word in _PARTS and (group > 1 or word != "half"):
            return f"{group}/{_PARTS[word]}", at + 1
        elif word in _ORDINALS and _fits(_ORDINALS[word], before) and (used or word not in ("first", "second")):
            return f"{total + group + _ORDINALS[word]}th", at + 1
        elif (number := _SMALL.get(word, _TENS.get(word))) is not None and _fits(number, before):
            group, before, used = group + number, "tens" if word in _TENS else "small", at + 1
        elif word == "hundred" and before in ("small", "tens"):
            group, before, used = group * 100, "hundred", at + 1
        elif word in _SCALES and before in ("small", "tens", "hundred"):
            total, group, before, used = total + group * _SCALES[word], 0, "scale", at + 1
        elif word == "dozen" and before in ("", "small"):
            return str(12 * (group or 1)), at + 1
        else:
            break
    if not used or words[:used] == ["one"]:
        return "", 0
    return str(total + group), used


def _is_small(word: str) -> bool:
    return word in _SMALL or word in _TENS or word in _ORDINALS


def _fits(number: int, before: str) -> bool:
    """Whether a number below a hundred may follow, inside one number, what stood before it."""
    return before in ("", "hundred", "scale") or (before == "tens" and 0 < number < 10)


def _is_unit(text: str, match: re.Match[str]) -> bool:
    return any(unit.start() < match.start() < unit.end() for unit in _SECOND_UNIT.finditer(text))


def _decimal(number: Fraction) -> str:
    return str(float(number)).removesuffix(".0")
