"""Where a text states a value, and what it can mean: a notation that leaves a choice has several readings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

TAKEN_OUT = "\x00"  # stands for a value that was taken out of a text


@dataclass(frozen=True)
class Span:
    """A stated value: its place, and its readings in the canonical form of its kind; none if it means nothing."""

    start: int
    end: int
    readings: frozenset[str]


def take_out(text: str, spans: Iterable[Span]) -> str:
    """The text with a mark in the place of each span."""
    for span in sorted(spans, key=lambda each: each.start, reverse=True):
        text = f"{text[: span.start]}{TAKEN_OUT}{text[span.end :]}"
    return text


def common(spans: Iterable[Span]) -> frozenset[str]:
    """The readings that all spans share; empty where they contradict each other, or where there is none."""
    readings = [span.readings for span in spans]
    return frozenset.intersection(*readings) if readings else frozenset()
