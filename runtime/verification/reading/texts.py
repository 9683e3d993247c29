"""Which texts of a column a message states, whole: in any case and spacing, with any dashes, underscores or quotes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from runtime.verification.reading.spans import Span
from runtime.verification.text.numerals import fold

_PART = re.compile(r"[^\W_]+")
_FREE = frozenset(" \n'\"-_.,()+/&:;")


class ColumnTexts:
    """The texts of one column, to be found in messages."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts: dict[str, str] = {}
        for text in texts:
            if letters := letters_of(text):
                self._texts.setdefault(letters, text)
        self._longest = max(map(len, self._texts), default=0)

    def find(self, text: str) -> Iterator[Span]:
        """Each text that a folded message states, the longest at each place, as the column writes it."""
        parts = list(_PART.finditer(text))
        at = 0
        while at < len(parts):
            letters, found = "", None
            for end in range(at, len(parts)):
                letters += parts[end].group().casefold()
                if len(letters) > self._longest:
                    break
                meant = self._texts.get(letters)
                if meant is not None and _marks(text[parts[at].start() : parts[end].end()]) <= _marks(fold(meant)):
                    found = end, meant
            if found is None:
                at += 1
                continue
            end, meant = found
            start, stop = parts[at].start(), parts[end].end()
            first, last = fold(meant)[:1], fold(meant)[-1:]
            if not first.isalnum() and text[:start].endswith(first):  # +1 555 0100 with its plus
                start -= 1
            if not last.isalnum() and text[stop:].startswith(last):  # Acme Inc. with its dot
                stop += 1
            yield Span(start, stop, frozenset({meant}))
            at = end + 1


@lru_cache(maxsize=16_384)  # tasks share the columns of their worlds
def letters_of(text: str) -> str:
    """A text as it is compared: its letters and digits alone."""
    return "".join(_PART.findall(fold(text))).casefold()


def _marks(text: str) -> frozenset[str]:
    """The marks of a text that are not taken lightly."""
    return frozenset(char for char in text if not char.isalnum()) - _FREE
