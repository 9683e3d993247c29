"""How a wish dictates a text: in quotes, and it says "word for word"."""

from __future__ import annotations

WORD_FOR_WORD = "word for word"


def quoted(text: str, mark: str, words: str) -> str:
    """A dictated text as it is put in the place of a mark in the words of a wish."""
    told = text if f'"{mark}"' in words else f'"{text}"'
    return told if WORD_FOR_WORD in words.casefold() else f"{told}, {WORD_FOR_WORD}"


def is_dictated(text: str, words: str) -> bool:
    """Whether a wish that holds a text says that it is to be taken word for word."""
    return text in words and WORD_FOR_WORD in words.replace(text, "").casefold()
