"""What a page says of a run: who played what, the headline with its interval, failures by reason, tables of scores."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from runtime.harness.evaluation.store import Outcomes, Run, read_outcomes
from runtime.harness.evaluation.summary import Summary, is_shown_k, notes, number, summarize
from runtime.harness.record import EpisodeRecord
from runtime.wording import counted, said_seconds

_LISTED = (
    *("domain", "task", "trial", "reward", "progress", "end", "turns", "calls", "rejections", "service_faults"),
    *("fault", "cost", "seconds"),
)
_WORDS = {
    "pass_at_k": "the chance that at least one of k trials reaches the goal",
    "pass_hat_k": "the chance that all of k trials reach it",
}
Values = Mapping[str, Any]


def describe_run(run: Run, outcomes: Outcomes | None = None, told: Collection[int] | None = None) -> dict[str, Any]:
    """Return all that is shown of a run but its conversations; scores are shares of 1, or None where there is none.

    `outcomes` are those read already. `told` are the attempts that the page holds in full, all if it is None.
    """
    outcomes = outcomes or read_outcomes(run)
    scored = summarize(run, outcomes=outcomes)
    summary = scored.as_json()
    episodes = outcomes.numbered(run)
    return {
        "agent": run.config.shown,
        "made": f"Worldsmith {run.made_by}, {_span(run.began, run.ended)} UTC",
        "ended": run.ended,
        "lead": _lead(run),
        "count": summary["episodes"],
        "asked": summary["asked"],
        "missing": summary["missing"],
        "facts": list(_facts(run, summary)),
        "headline": _headline(summary),
        "notes": list(_notes(scored)),
        "tables": list(_tables(summary)),
        "failures": summary["failures"],
        "told_note": "" if told is None else _told_note(len(episodes), len(told)),
        "tasks": [
            {"domain": domain, "id": name, "title": task.title, "split": task.split, "level": task.level}
            for (domain, name), task in run.tasks.items()
        ],
        "trials": max(run.trials.values(), default=0),
        "episodes": [
            _entry(record) | {"number": number, "told": told is None or number in told} for number, record in episodes
        ],
    }


def _entry(record: EpisodeRecord) -> dict[str, Any]:
    reason = record.reason or ("" if record.reward == 1 else record.end)
    return {name: getattr(record, name) for name in _LISTED} | {"reason": reason}


def _told_note(count: int, told: int) -> str:
    every = counted(count, "episode")
    if told == count:
        return f"This page holds the conversations of {every}."
    return (
        f"This page lists {every} and holds the conversations of {told:,}, failures first. The others are gray; "
        "the run store has them, and --most N puts more on the page."
    )


def _span(began: str, ended: str) -> str:
    """Return two moments in minutes, the day of the second one only if it is another."""
    (day, start), (last_day, end) = (moment[:16].split("T") for moment in (began, ended))
    return f"{day} {start} to {end if last_day == day else f'{last_day} {end}'}"


def _lead(run: Run) -> str:
    config = run.config
    domains = [f"{domain.title} ({domain.name})" for domain in run.domains.values()]
    shown = ", ".join(domains[:4]) + (f" and {counted(len(domains) - 4, 'more domain')}" if len(domains) > 4 else "")
    suite = f"Suite {config.suite}, {counted(len(domains), 'domain')}: " if config.suite else ""
    policy = "with the policy" if config.with_policy else "without the policy"
    policy = "with the policy in a handbook" if config.handbook else policy
    return f"{suite}{shown}. User: {config.user}; the agent plays {policy}."


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
    yield (
        "Tokens",
        f"{tokens['prompt'] + tokens['completion']:,}",
        f"{tokens['completion']:,} of them written{estimated}",
    )
    yield "Cost", "unknown" if summary["cost"] is None else f"${summary['cost']:,.2f}", ""
    yield "Time", said_seconds(summary["seconds"]), ""
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
        if not groups or [*groups] == ["unknown"] or (name == "by_domain" and len(groups) == 1):
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
