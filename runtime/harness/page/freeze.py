"""Writes a run as one HTML page: its figures, and its episodes as JSON that no markup can leave."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from runtime.harness.page.tell import tell_episode
from runtime.harness.record import EpisodeRecord
from runtime.wording import counted

if TYPE_CHECKING:
    from runtime.harness.evaluation.store import Run

_LISTED = (
    *("domain", "task", "trial", "reward", "progress", "end", "turns", "calls", "rejections", "service_faults"),
    *("fault", "reason", "cost", "seconds"),
)
MOST = 200  # conversations on a page, unless told otherwise


def page_parts(run: Run, figures: Mapping[str, Any], most: int = MOST) -> Iterator[str]:
    """The page in parts, to be written one after another; the same run gives the same page, byte for byte.

    `most` is how many episodes it tells in full; the list has all of them. One conversation is held at a time.
    """
    entries = [record.brief for record in run.records()]
    chosen = choose_episodes(entries, most)
    style, script = _part("page.css"), _part("page.js")
    policy = f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(script)}; base-uri 'none'"
    head, tail = _part("page.html").split("{{data}}")
    yield head.replace("{{policy}}", policy).replace("{{style}}", style)
    yield _data("run-data", {**figures, **_describe(run, entries, chosen)})
    # By name, so that an episode stored meanwhile, by a run that is still going on, is not taken for another.
    positions = {(each.domain, each.task, each.trial): at for at, each in enumerate(entries) if at in chosen}
    for record in run.records():
        at = positions.get((record.domain, record.task, record.trial))
        if at is not None:
            task = run.tasks[record.domain, record.task]
            yield _data(f"episode-{at}", tell_episode(record, task, run.domains[record.domain]))
    yield tail.replace("{{script}}", script)


def _describe(run: Run, entries: Sequence[EpisodeRecord], chosen: frozenset[int]) -> dict[str, Any]:
    """What the page shows beside the conversations."""
    failures = Counter((each.reason or each.end, each.fault) for each in entries if each.reward != 1)
    return {
        "failures": [
            {"reason": reason, "fault": fault, "count": count}
            for (reason, fault), count in sorted(failures.items(), key=lambda item: (-item[1], str(item[0])))
        ],
        "failures_note": _failures_note(entries),
        "told_note": _told_note(entries, chosen),
        "tasks": [
            {"domain": domain, "id": name, "title": task.title, "split": task.split, "level": task.level}
            for (domain, name), task in run.tasks.items()
        ],
        "episodes": [_entry(each) | {"at": at, "told": at in chosen} for at, each in enumerate(entries)],
    }


def _entry(record: EpisodeRecord) -> dict[str, Any]:
    """An episode as the list on the page has it."""
    reason = record.reason or ("" if record.reward == 1 else record.end)
    return {name: getattr(record, name) for name in _LISTED} | {"reason": reason}


def choose_episodes(entries: Sequence[EpisodeRecord], most: int) -> frozenset[int]:
    """Return the positions of the episodes that are told in full, failures first."""
    positions = sorted(range(len(entries)), key=lambda position: (entries[position].reward == 1, position))
    return frozenset(positions[:most])


def _failures_note(entries: Sequence[EpisodeRecord]) -> str:
    failed = sum(each.reward == 0 for each in entries)
    void = sum(each.reward is None for each in entries)
    said = f"Failed: {failed:,} of {counted(len(entries), 'episode')}"
    said += f". Void, which means ended by a fault that is not the agent's, and not scored: {void:,}" if void else ""
    return f"{said}. Grouped by reason and by whose fault it was; choose one to see its episodes."


def _told_note(entries: Sequence[EpisodeRecord], chosen: frozenset[int]) -> str:
    every = counted(len(entries), "episode")
    if len(chosen) == len(entries):
        return f"This page holds the conversations of {every}."
    return (
        f"This page lists {every} and holds the conversations of {len(chosen):,}, failures first. The others are gray; "
        "the run store has them, and --most N puts more on the page."
    )


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """What a content security policy allows an inline script or style by."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _data(name: str, value: Any) -> str:
    """A value as JSON in an element that nothing in it can end: ASCII, and without the characters of markup."""
    text = json.dumps(value, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return f'<script type="application/json" id="{name}">{text}</script>\n'
