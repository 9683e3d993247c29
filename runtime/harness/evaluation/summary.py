"""What is said of a run in the end: scores, ends, failures by reason, tokens and cost, as JSON and for a terminal."""

from __future__ import annotations

import shlex
import textwrap
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from runtime.harness.evaluation.plan import TaskName
from runtime.harness.evaluation.scores import (
    LEVEL,
    Score,
    Scores,
    TaskTrials,
    macro_scores,
    plain,
    score,
    score_by_difficulty,
    score_by_domain,
    score_by_form,
    tally,
)
from runtime.harness.evaluation.store import Run
from runtime.text_table import table_lines
from runtime.wording import counted, said_seconds

_MOST_REASONS = 12  # shown to a person; JSON has all
_MOST_FAILED = 3  # tasks, named to a person
_LONGEST_CAUSE = 300  # characters


@dataclass(frozen=True)
class Summary:
    """The whole of a run, or of the tasks and trials that were asked for, in figures."""

    run: Run
    scores: Scores
    tallies: Mapping[TaskName, TaskTrials] = field(repr=False)
    by_domain: Mapping[str, Scores]
    macro: Mapping[str, Any]  # as JSON
    by_difficulty: Mapping[str, Scores]
    by_form: Mapping[str, Scores]
    ends: Mapping[str, int]
    failures: Mapping[tuple[str, str], int]  # by whose fault it was and for which reason, void episodes included
    causes: Mapping[tuple[str, str], str]  # of the first void episode, or the first given up, of a failure
    tokens: Mapping[str, int | bool]
    cost: float | None
    owed: int
    asked: int
    missing: int  # episodes that were asked for and are not there, not even void
    others: int  # episodes in the store that were not asked for
    failed: tuple[str, ...] = ()  # the tasks of which an episode was not rewarded

    def as_json(self) -> dict[str, Any]:
        """The summary as plain JSON values."""
        faults: Counter[str] = Counter()
        for (fault, _), count in self.failures.items():
            faults[fault] += count
        run = self.run
        figures: dict[str, Any] = plain(
            {
                **self.scores.as_json(),
                "by_domain": self.by_domain,
                "macro": self.macro,
                "by_difficulty": self.by_difficulty,
                "by_form": self.by_form,
                "ends": self.ends,
                "faults": dict(sorted(faults.items())),
                "failures": [
                    {"fault": fault, "reason": reason, "episodes": count, "first": self.causes.get((fault, reason))}
                    for (fault, reason), count in self.failures.items()
                ],
                "tokens": self.tokens,
                "intervals": {"method": "wilson", "level": LEVEL, "over": "tasks"},
                "cost": self.cost,
                "seconds": round(run.seconds, 3),
                "owed": self.owed,
                "asked": self.asked,
                "missing": self.missing,
                "config": run.config,
                "made_by": run.made_by,
                "began": run.began,
                "ended": run.ended,
                "store": run.path,
            }
        )
        return figures


def summarize(run: Run, chosen: Collection[TaskName] | None = None, trials: int | None = None) -> Summary:
    """Count a run: all of it, or of the chosen tasks the first so many trials.

    Tokens, cost and seconds are always those of the whole store, void attempts included: they were spent.
    """
    everything = run.outcomes()
    names = run.tasks.keys() if chosen is None else set(chosen)
    rows = [row for row in everything if (row.domain, row.task) in names and (trials is None or row.trial < trials)]
    tallies = tally(run, rows)
    spent = everything + run.void_attempts()
    failed = Counter((row.fault or "unknown", row.reason or row.end) for row in rows if row.reward != 1)
    causes: dict[tuple[str, str], str] = {}
    for row in rows:
        if row.end in ("void", "gave_up") and row.why:
            causes.setdefault((row.fault or "unknown", row.reason or row.end), row.why)
    asked = sum(run.trials[name] if trials is None else trials for name in names)
    by_domain = score_by_domain(tallies)
    judged = sum(row.reward is not None for row in rows)
    costs = [row.cost for row in spent]
    return Summary(
        run=run,
        scores=score(list(tallies.values())),
        tallies=tallies,
        by_domain=by_domain,
        macro=macro_scores(by_domain),
        by_difficulty=score_by_difficulty(run, tallies),
        by_form=score_by_form(run, tallies),
        ends=dict(sorted(Counter(row.end for row in rows).items())),
        causes=causes,
        failures=dict(sorted(failed.items(), key=lambda item: (-item[1], item[0]))),
        tokens={
            "prompt": sum(row.tokens.get("prompt", 0) for row in spent),
            "completion": sum(row.tokens.get("completion", 0) for row in spent),
            "cached": sum(row.tokens.get("cached", 0) for row in spent),
            "estimated": any(row.estimated for row in spent),
        },
        cost=None if None in costs else sum(cost or 0.0 for cost in costs),
        owed=asked - judged,
        asked=asked,
        missing=asked - len(rows),
        others=len(everything) - len(rows),
        failed=tuple(dict.fromkeys(row.task for row in rows if row.reward != 1)),
    )


def describe_players(summary: Summary, width: int = 80) -> Iterator[str]:
    """Who played what with whom, over what, and how many episodes."""
    scores, config = summary.scores, summary.run.config
    what = ", ".join(summary.by_domain) or "nothing yet"
    if config.suite:
        what = f"suite {config.suite} ({counted(len(summary.by_domain), 'domain')})"
    who = f"{what}: agent {config.shown}, user {config.user}"
    over, *passed_on = config.connection
    how = f"its calls over {over}, passed on over {passed_on[0]}" if passed_on else over
    yield from wrapped(f"{who}, {how}", width)
    counts = f"{counted(scores.tasks, 'task')}, {counted(scores.episodes, 'episode')}, {scores.void} void"
    yield counts + (f", {summary.owed} owed" if summary.owed else "")


def describe(summary: Summary, width: int = 80) -> Iterator[str]:
    """The summary as lines that a person reads, in 60 columns and more."""
    scores = summary.scores
    yield from describe_players(summary, width)
    if summary.missing:
        said = f"partial: {summary.missing:,} of {counted(summary.asked, 'episode')} are missing; the scores are of the"
        yield from wrapped(f"{said} {scores.episodes:,} that were played.", width)
    if scores.avg_at_k:
        yield ""
        if scores.episodes > scores.void:
            yield from _metrics(scores, width)
        else:
            yield from wrapped("There is no score: every episode is void, and void episodes are not scored.", width)
        for title, groups in (
            ("domain", summary.by_domain),
            ("level", summary.by_difficulty),
            ("form", summary.by_form),
        ):
            if len(groups) > 1 and scores.episodes > scores.void:
                yield ""
                yield from _groups(title, groups)
                if title == "domain":
                    yield from _means(summary, width)
    if summary.failures:
        yield ""
        yield "not rewarded, by whose fault and why:"
        for (fault, reason), count in list(summary.failures.items())[:_MOST_REASONS]:
            yield from wrapped(f"{count:>6}  {fault}: {reason}", width, 8)
            if (fault, reason) in summary.causes:
                yield from wrapped(f"{'':8}the first: {summary.causes[fault, reason][:_LONGEST_CAUSE]}", width, 8)
        if len(summary.failures) > _MOST_REASONS:
            yield f"        and {counted(len(summary.failures) - _MOST_REASONS, 'more reason')}"
    yield ""
    tokens = summary.tokens
    cost = "cost unknown" if summary.cost is None else f"${summary.cost:.2f}"
    about = "about " if tokens["estimated"] else ""
    yield f"{about}{tokens['prompt'] + tokens['completion']:,} tokens, {cost}, {said_seconds(summary.run.seconds)}"
    if summary.others:
        more = counted(summary.others, "more episode")
        yield from wrapped(f"The store holds {more}, not asked for now.", width)
    yield f"store: {summary.run.path}"
    if summary.failed:
        first = ", ".join(summary.failed[:_MOST_FAILED]) + (", ..." if len(summary.failed) > _MOST_FAILED else "")
        yield from wrapped(f"to see what failed ({first}):", width)
        yield f"  worldsmith report {shlex.quote(str(summary.run.path))}"


def _metrics(scores: Scores, width: int) -> Iterator[str]:
    avg = scores.avg_at_k[-1]
    yield f"{f'Avg@{avg.k}':8}{shown(scores.avg_at_k[0])}    idle agent {number(scores.idle)}"
    if scores.without_violation is not None:
        yield f"{scores.without_violation:.1%} of the episodes without a violation of a rule"
    if avg.k > 1:
        yield ""
        both = zip(scores.pass_at_k, scores.pass_hat_k, strict=True)
        rows = [[one.k, shown(one), shown(other)] for one, other in both if is_shown_k(one.k, avg.k)]
        yield from table_lines(["k", "Pass@k", "Pass^k"], rows)
    if scores.void:
        yield ""
        named = [("Avg@", scores.avg_at_k[0]), ("Pass@", scores.pass_at_k[-1]), ("Pass^", scores.pass_hat_k[-1])]
        bounds = [[f"{name}{avg.k}", each.strict, each.lenient] for name, each in named[: 3 if avg.k > 1 else 1]]
        yield from table_lines(["void counted as", "failed", "rewarded"], bounds)
    short = [each for each in scores.pass_hat_k if each.tasks < scores.tasks]
    if short:
        yield f"from k = {short[0].k} on, only tasks with k verdicts count: {short[0].tasks} of {scores.tasks}"
    yield from wrapped(f"({LEVEL:.0%} Wilson intervals of the mean over {counted(avg.tasks, 'task')})", width)


def _means(summary: Summary, width: int) -> Iterator[str]:
    """The mean over domains beside that over tasks."""
    scores, macro = summary.scores, summary.macro
    most = scores.avg_at_k[-1].k
    over_tasks = [(f"Avg@{most}", scores.avg_at_k[0].value), (f"Pass^{most}", scores.pass_hat_k[-1].value)]
    over_domains = [(f"Avg@{most}", macro["avg_at_k"][0]["value"]), (f"Pass^{most}", macro["pass_hat_k"][-1]["value"])]
    for name, values, over in (
        ("micro", over_tasks, counted(scores.tasks, "task")),
        ("macro", over_domains, counted(macro["domains"], "domain")),
    ):
        said = ", ".join(f"{metric} {number(value)}" for metric, value in values)
        yield from wrapped(f"{name}: {said}, the mean over {over}", width)


def is_shown_k(k: int, most: int) -> bool:
    """Whether a table over k has a row for this one: 1, 2, 4, 8 and so on, and the last."""
    return k == most or k.bit_count() == 1


def _groups(title: str, groups: Mapping[str, Scores]) -> Iterator[str]:
    most = max(each.pass_hat_k[-1].k for each in groups.values())
    rows = [
        [name, each.tasks, shown(each.avg_at_k[0]), each.pass_hat_k[-1].value, each.idle]
        for name, each in groups.items()
    ]
    return table_lines([title, "tasks", f"Avg@{most}", f"Pass^{most}", "idle"], rows)


def shown(each: Score) -> str:
    """A score with its interval."""
    return f"{number(each.value)} ({number(each.low)}-{number(each.high)})"


def number(value: float | None) -> str:
    """A share as it is printed."""
    return "-" if value is None else f"{value:.3f}"


def wrapped(text: str, width: int, indent: int = 2) -> list[str]:
    """Wrap a sentence for a terminal; further lines are indented."""
    return textwrap.wrap(
        text, max(width, 40), subsequent_indent=" " * indent, break_long_words=False, break_on_hyphens=False
    )
