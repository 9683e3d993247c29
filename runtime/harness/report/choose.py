"""Which episodes the page tells in full: failures before successes, and some of every kind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

from runtime.harness.record import EpisodeRecord


@dataclass(frozen=True)
class EpisodeEntry:
    """One episode as the list on the page has it: its record without the long parts."""

    domain: str
    task: str
    trial: int
    reward: int | None
    progress: float
    end: str
    turns: int
    calls: int
    rejections: int
    fault: str | None
    reason: str
    cost: float | None
    seconds: float


def entry_of(record: EpisodeRecord) -> EpisodeEntry:
    """The short form of a record."""
    return EpisodeEntry(
        record.domain,
        record.task,
        record.trial,
        record.reward,
        record.progress,
        record.end,
        record.turns,
        record.calls,
        record.rejections,
        record.fault,
        record.reason or ("" if record.reward == 1 else record.end),
        record.cost,
        record.seconds,
    )


def choose_episodes(entries: Sequence[EpisodeEntry], most: int) -> frozenset[int]:
    """The positions of the episodes that are told in full, at most so many.

    All that failed or are void, as long as they fit, otherwise as many of each reason as of any other; then successes,
    one of each task before a second one of any.
    """
    failed, reached = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
    for position, entry in enumerate(entries):
        if entry.reward == 1:
            reached[f"{entry.domain}/{entry.task}"].append(position)
        else:
            failed[entry.reason].append(position)
    turns = chain(*(zip_longest(*kinds.values()) for kinds in (failed, reached)))
    positions = [position for turn in turns for position in turn if position is not None]
    return frozenset(positions[:most])
