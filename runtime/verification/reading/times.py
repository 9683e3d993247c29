"""Which times of day a text states: 18:00, 6 PM, 6 o'clock in the evening, noon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from runtime.verification.reading.spans import Span

_PART = r"(?:in the morning|in the afternoon|in the evening|at night)"
_TIME = re.compile(
    r"\b(?:12 )?(?P<named>noon|midnight)\b"
    r"|(?<![\w.:,/-])(?:(?P<past>half past|quarter past|a quarter past|quarter to|a quarter to)\s+)?"
    r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d))?)?(?![\d:]|[.,/]\d)"
    rf"(?:\s*(?P<half>[ap])\.?\s?m\b\.?)?(?:\s*(?P<clock>o'clock|sharp))?(?:\s+(?P<part>{_PART}))?(?![\w-])",
    re.IGNORECASE,
)
_PAST = {"half past": 30, "quarter past": 15, "quarter to": -15}


def find_times(text: str) -> Iterator[Span]:
    """Each stated time with its readings as HH:MM:SS; a bare number is none."""
    for match in _TIME.finditer(text):
        if match["named"]:
            minutes = {720 if match["named"].lower() == "noon" else 0}
        elif match["minute"] or match["half"] or match["clock"] or match["part"] or match["past"]:
            minutes = _read(match)
        else:
            continue
        second = match["second"] or "00" if not match["named"] else "00"
        yield Span(match.start(), match.end(), frozenset(f"{at // 60:02}:{at % 60:02}:{second}" for at in minutes))


def _read(match: re.Match[str]) -> set[int]:
    hour, minute = int(match["hour"]), int(match["minute"] or 0)
    past = re.sub(r"^a ", "", (match["past"] or "").lower())
    if past and (match["minute"] or hour > 12):
        return set()
    half, part = (match["half"] or "").lower(), (match["part"] or "").lower()
    if hour > 23 or (half and not 1 <= hour <= 12):
        return set()
    if half or (part and hour <= 12):
        is_late = (
            half == "p" if half else not (part == "in the morning" or (part == "at night" and hour in (12, 1, 2, 3, 4)))
        )
        hours = {hour % 12 + 12 * is_late}
        if half and part and (part == "in the morning") == (half == "p"):
            return set()
    else:
        hours = {hour} if match["minute"] or hour > 12 else {hour, (hour + 12) % 24}
    return {(each * 60 + minute + _PAST.get(past, 0)) % 1440 for each in hours}
