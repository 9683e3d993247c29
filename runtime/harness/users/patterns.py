"""Patterns and sets of words written as plain text, one alternative after the other."""

from __future__ import annotations

import re


def read_pattern(text: str) -> re.Pattern[str]:
    """A pattern that matches any of its lines, in whatever case; an indented line goes on with the one before it."""
    lines: list[str] = []
    for line in text.strip("\n").splitlines():
        if line.startswith(" ") and lines:
            lines[-1] += line.strip()
        elif line:
            lines.append(line)
    return re.compile("|".join(lines), re.IGNORECASE)


def read_words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())
