"""Writes a run as one HTML page: its figures, and its episodes as JSON that no markup can leave."""

from __future__ import annotations

import base64
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from runtime.harness.evaluation.summary import Summary, is_shown_k, notes, number, summarize
from runtime.harness.record import EpisodeRecord
from runtime.harness.report.tell import tell_episode
from runtime.wording import counted, said_seconds

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


_WORDS = {
    "pass_at_k": "the chance that at least one of k trials reaches the goal",
    "pass_hat_k": "the chance that all of k trials reach it",
}
Values = Mapping[str, Any]


def read_figures(run: Run) -> dict[str, Any]:
    """Return what is shown above the episodes; scores are shares of 1, or None where there is none."""
    scored = summarize(run)
    summary = scored.as_json()
    config = run.config
    domains = [f"{domain.title} ({domain.name})" for domain in run.domains.values()]
    shown = ", ".join(domains[:4]) + (f" and {counted(len(domains) - 4, 'more domain')}" if len(domains) > 4 else "")
    began, ended = (moment[:16].replace("T", " ") for moment in (run.began, run.ended))
    known = "is given the policy" if config.with_policy else "is not given the policy"
    suite = f"the suite {config.suite}, which has {counted(len(domains), 'domain')}: " if config.suite else ""
    return {
        "agent": config.shown,
        "made": f"Worldsmith {run.made_by}, {began} to {ended} UTC",
        "lead": f"Played with the user {config.user} in {suite}{shown}. The agent {known}.",
        "count": summary["episodes"],
        "facts": list(_facts(run, summary)),
        "figures": {
            "headline": _headline(summary),
            "notes": list(_notes(scored)),
            "tables": list(_tables(summary)),
        },
    }


def _facts(run: Run, summary: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield names, values, and more in small print."""
    tokens, limits = summary["tokens"], run.config.limits
    if run.config.name:
        yield "Agent", run.config.agent, ""
    yield "Tasks", f"{summary['tasks']:,}", f"of {len(run.tasks):,} asked for"
    yield "Trials of each", f"{max(run.trials.values(), default=0):,}", ""
    yield "Episodes", f"{summary['episodes']:,}", f"{summary['owed']:,} still owed" if summary["owed"] else ""
    yield "Void", f"{summary['void']:,}", "not scored" if summary["void"] else ""
    estimated = ", estimated" if tokens["estimated"] else ""
    yield "Tokens", f"{tokens['prompt'] + tokens['completion']:,}", f"{tokens['completion']:,} written{estimated}"
    yield "Cost", "unknown" if summary["cost"] is None else f"${summary['cost']:,.2f}", ""
    yield "Time", said_seconds(summary["seconds"]), ""
    yield "Transport", run.config.transport, ""
    yield "Limits", counted(limits.turns, "turn"), f"{counted(limits.calls, 'call')}, {said_seconds(limits.seconds)}"


def _headline(summary: Mapping[str, Any]) -> dict[str, Any]:
    scores = summary["avg_at_k"]
    if not scores or scores[0]["value"] is None:
        return {"name": "No episode has a score", **_interval({})}
    asked = " (final state alone)" if summary["config"]["reward"] == "final_state" else ""
    return {"name": f"Avg@{scores[-1]['k']}: the mean reward of a trial{asked}", **_interval(scores[0])}


def _notes(scored: Summary) -> Iterator[str]:
    yield from notes(scored)
    if scored.scores.idle is not None:
        yield f"An agent that does nothing scores {number(scored.scores.idle)} on the same tasks."


def _tables(summary: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    most = max((each["k"] for each in summary["avg_at_k"]), default=0)
    for name, title in (("pass_at_k", "Pass@k"), ("pass_hat_k", "Pass^k")) if most > 1 else ():
        rows = [(str(each["k"]), each, each) for each in summary[name] if is_shown_k(each["k"], most)]
        yield _table(title, _WORDS[name], "k", ["Tasks"], title, rows)
    for name, title, what, first in (
        ("by_domain", "By domain", "", "Domain"),
        ("by_difficulty", "By level", "", "Level"),
        ("by_form", "By form", "a task counts under every form that one of its wishes has", "Form"),
    ):
        groups = summary[name]
        if not groups or [*groups] == ["unknown"]:
            continue
        average = [(group, each, each["avg_at_k"][0]) for group, each in groups.items()]
        yield _table(title, what, first, ["Tasks", "Episodes", "Void"], "Avg", average)


def _table(
    title: str, what: str, first: str, counts: Sequence[str], score: str, rows: Sequence[tuple[str, Values, Values]]
) -> dict[str, Any]:
    """A table with a row for each name: the counts that its figures have, and the score."""
    shown = [
        {"name": name, "counts": [figures[each.lower()] for each in counts], **_interval(scored)}
        for name, figures, scored in rows
    ]
    return {"title": title, "what": what, "first": first, "counts": counts, "score": score, "rows": shown}


def _interval(score: Mapping[str, Any]) -> dict[str, Any]:
    return {name: score.get(name) for name in ("value", "low", "high")}
