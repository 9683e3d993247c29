"""How hard a domain's tasks are for an agent: Pass^1 and Pass^k by level and form, mixed groups, rank inversions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runtime.harness.evaluation.rates import Conditions, Inversion, Rate, mean_rate
from runtime.harness.evaluation.scores import LEVEL, Score, Scores, plain
from runtime.harness.evaluation.summary import Summary, describe_players, shown, wrapped
from runtime.text_table import table_lines
from runtime.wording import counted

GROUP = 8  # trials of a task: what group-relative training draws its advantages from
_LEVELS = ("1", "2", "3", "4", "5", "unknown")
_MOST_SHOWN = 10  # inversions, to a person; JSON has all


@dataclass(frozen=True)
class Calibration:
    """What came of it: the figures of all trials that are kept, the rates of this agent, and of every agent.

    `fresh` are the rates of all agents for the tasks as they are now, `stale` how many others the file holds.
    """

    summary: Summary
    file: Path
    measured: Sequence[Rate]
    fresh: Sequence[Rate]
    stale: int
    inversions: Sequence[Inversion]

    def as_json(self) -> dict[str, Any]:
        """The calibration as plain JSON values."""
        summary = self.summary
        levels = {name: [each for each in self.measured if str(each.level or "unknown") == name] for name in _LEVELS}
        return {
            "file": str(self.file),
            "store": str(summary.run.path),
            "agent": summary.run.config.shown,
            "tasks": summary.scores.tasks,
            "void": summary.scores.void,
            "owed": summary.owed,
            "all": _figures(summary.scores, self.measured),
            "by_level": {name: _figures(each, levels[name]) for name, each in summary.by_difficulty.items()},
            "by_form": {
                name: _figures(each, [rate for rate in self.measured if name in rate.forms])
                for name, each in summary.by_form.items()
            },
            "agents": [
                {"agent": agent, **conditions._asdict(), "tasks": len(rates), "mean": round(mean_rate(rates), 6)}
                for (agent, _, conditions), rates in _by_player(self.fresh).items()
            ],
            "stale": self.stale,
            "inversions": [
                {
                    "domain": each.weak.domain,
                    "task": each.weak.task,
                    **{
                        side: {"agent": rate.agent, "n": rate.n, "c": rate.c, "mean": round(mean, 6)}
                        for side, rate, mean in zip(("weak", "strong"), each[:2], each.means, strict=True)
                    },
                }
                for each in self.inversions
            ],
        }


def mixed_groups(scores: Scores) -> tuple[int, float | None]:
    """Of groups of so many trials of a task the share in which some are rewarded and some are not: Pass@k - Pass^k.

    The groups are of 8 trials, of fewer where no task has as many; None where none has a verdict.
    """
    size = min(GROUP, len(scores.pass_at_k))
    if not size:
        return 0, None
    some, every = scores.pass_at_k[size - 1].value, scores.pass_hat_k[size - 1].value
    return size, None if some is None or every is None else some - every


def _figures(scores: Scores, rates: Sequence[Rate]) -> dict[str, Any]:
    size, mixed = mixed_groups(scores)
    return {
        "tasks": scores.tasks,
        "n": sum(each.n for each in rates),
        "c": sum(each.c for each in rates),
        "pass_hat_k": plain(_first_and_last(scores)),
        "mixed": {"k": size, "share": None if mixed is None else round(mixed, 6)},
    }


def describe_calibration(calibration: Calibration, width: int = 80) -> Iterator[str]:
    """The calibration as lines that a person reads."""
    summary, most = calibration.summary, len(calibration.summary.scores.pass_hat_k)
    yield from describe_players(summary, width)
    groups = min(GROUP, most)
    for title, scores in (("level", summary.by_difficulty), ("form", summary.by_form)):
        yield ""
        yield from _group_lines(title, {**scores, "all": summary.scores}, groups)
    yield ""
    said = "mixed: the share of groups of"
    if groups > 1:
        fewer = f" (of {GROUP}, with --trials {GROUP} or more)" if groups < GROUP else ""
        yield from wrapped(f"{said} {groups} trials of a task that hold both rewarded and other ones{fewer}.", width)
    yield f"({LEVEL:.0%} Wilson intervals of the mean over tasks)"
    yield ""
    players = _by_player(calibration.fresh)
    yield from table_lines(
        ["agent", "user", "tasks", "mean"],
        [[agent, conditions.user, len(rates), mean_rate(rates)] for (agent, _, conditions), rates in players.items()],
    )
    yield from _describe_inversions(calibration.inversions, width)
    yield ""
    stale = counted(calibration.stale, "rate")
    left = f"; {stale} of tasks that are others now {'is' if calibration.stale == 1 else 'are'} not shown"
    kept = f"{calibration.file}: {counted(len(calibration.measured), 'rate')} of {summary.run.config.shown}"
    yield from wrapped(kept + (left if calibration.stale else ""), width)
    yield f"store: {summary.run.path}"


def _group_lines(title: str, groups: Mapping[str, Scores], size: int) -> Iterator[str]:
    ks = dict.fromkeys((1, max(len(each.pass_hat_k) for each in groups.values())))
    titles = [title, "tasks", *(f"Pass^{k}" for k in ks), *(["mixed"] if size > 1 else [])]
    rows: list[list[object]] = []
    for name, each in groups.items():
        passed = [shown(_first_and_last(each)[-1 if place else 0]) for place in range(len(ks))]
        rows.append([name, each.tasks, *passed, *([mixed_groups(each)[1]] if size > 1 else [])])
    return table_lines(titles, rows)


def _first_and_last(scores: Scores) -> tuple[Score, ...]:
    """Pass^1 and Pass^k for the greatest k; one of them where that is 1."""
    return tuple(dict.fromkeys((*scores.pass_hat_k[:1], *scores.pass_hat_k[-1:])))


def _by_player(rates: Sequence[Rate]) -> dict[tuple[str, str, Conditions], list[Rate]]:
    players: dict[tuple[str, str, Conditions], list[Rate]] = defaultdict(list)
    for rate in rates:
        players[rate.player].append(rate)
    return dict(sorted(players.items()))


def _describe_inversions(inversions: Sequence[Inversion], width: int) -> Iterator[str]:
    if not inversions:
        return
    yield ""
    yield f"solved by the weaker of two agents alone ({len(inversions)}), which often means a task at fault:"
    for each in inversions[:_MOST_SHOWN]:
        yield from wrapped(f"  {said_inversion(each)}", width, 4)
    if len(inversions) > _MOST_SHOWN:
        yield f"  and {len(inversions) - _MOST_SHOWN:,} more"


def said_inversion(inversion: Inversion) -> str:
    """An inversion as a phrase: the task, and what both agents made of it."""
    sides = zip(inversion[:2], inversion.means, strict=True)
    made = " and ".join(f"{rate.agent} {rate.c} of {rate.n} (mean {mean:.3f})" for rate, mean in sides)
    return f"{inversion.weak.domain}:{inversion.weak.task}: {made}"
