"""How a request dictates a text: it stands in quotes, and the assistant records exactly that."""

from __future__ import annotations


def quoted(text: str, mark: str, words: str) -> str:
    """A dictated text as it is put in the place of a mark in the words of a request."""
    return text if f'"{mark}"' in words else f'"{text}"'


def is_dictated(text: str, words: str) -> bool:
    """True if a text stands in words in quotes."""
    return f'"{text}"' in words
