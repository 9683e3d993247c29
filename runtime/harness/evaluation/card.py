"""A result card: a small file with a run's scores and what they depend on, which `rescore` verifies from its store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from runtime.errors import UsageError
from runtime.harness.evaluation.scores import LEVEL, METRICS, Score
from runtime.harness.evaluation.store import Run
from runtime.harness.evaluation.summary import is_shown_k, summarize
from runtime.sandbox.files import read_text
from runtime.task.task_file import task_line

_MOST_BYTES = 1024**2
_DIGITS = 6


class CardScore(BaseModel):
    """A mean over tasks, with its interval; none where no task has a verdict."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: float | None
    low: float | None
    high: float | None


class ResultCard(BaseModel):
    """The scores of one run with everything they depend on.

    `agent` is its name as scores show it, and `settings` are those of the run as they were given. `tasks` counts the
    tasks by domain, `domains` has the digest of each domain's files, and `task_digest` is that of all task lines.
    `scores` are Avg@k, Pass@k and Pass^k. `verdicts` is the digest of every episode's verdict, in order. `cost` is in
    US dollars, None where a price is unknown.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: Literal[1] = 1
    agent: str
    settings: dict[str, Any]
    domains: dict[str, str]
    tasks: dict[str, int]
    task_digest: str
    episodes: int = Field(ge=0)
    void: int = Field(ge=0)
    trials: int = Field(ge=0)
    scores: dict[str, CardScore]
    level: float
    idle: float | None
    without_violation: float | None
    verdicts: str
    tokens: dict[str, int | bool]
    cost: float | None
    began: str
    ended: str
    made_by: str

    @property
    def count(self) -> int:
        """How many tasks were played."""
        return sum(self.tasks.values())


def card_of(run: Run) -> ResultCard:
    """Return the card of a whole run; errors: UsageError for episodes that are owed, or none at all."""
    summary = summarize(run)
    if summary.missing or not summary.scores.episodes:
        raise UsageError(
            f"{str(run.path)!r} has {summary.scores.episodes} of {summary.asked} episodes; a card is of a whole run, "
            "and the same `worldsmith eval` plays the rest."
        )
    config, scores = run.config, summary.scores
    titles = {"avg_at_k": "Avg@", "pass_at_k": "Pass@", "pass_hat_k": "Pass^"}
    lines = [task_line(task) for _, task in sorted(run.tasks.items())]
    outcomes = [[each.domain, each.task, each.trial, each.reward] for each in run.outcomes()]
    return ResultCard(
        agent=config.shown,
        settings={name: value for name, value in asdict(config).items() if _is_said(name, value)},
        domains={
            name: f"{domain.digest}{domain.handbook and f' with handbook {domain.handbook}'}"
            for name, domain in sorted(run.domains.items())
        },
        tasks={name: sum(task[0] == name for task in run.tasks) for name in sorted(run.domains)},
        task_digest=_digest(lines),
        episodes=scores.episodes,
        void=scores.void,
        trials=len(scores.avg_at_k),
        scores={
            f"{titles[metric]}{each.k}": _rounded(each)
            for metric in METRICS
            for each in getattr(scores, metric)
            if is_shown_k(each.k, len(scores.avg_at_k))
        },
        level=LEVEL,
        idle=_short(scores.idle),
        without_violation=_short(scores.without_violation),
        verdicts=_digest(outcomes),
        tokens=dict(summary.tokens),
        cost=_short(summary.cost),
        began=run.began,
        ended=run.ended,
        made_by=run.made_by,
    )


def _is_said(name: str, value: Any) -> bool:
    """Tell whether a card has a setting: not the environment, nor what is off unless somebody asks for it."""
    return name != "pass_env" and (bool(value) or name == "with_policy")


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()


def _rounded(score: Score) -> CardScore:
    return CardScore(value=_short(score.value), low=_short(score.low), high=_short(score.high))


def _short(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def write_card(card: ResultCard) -> str:
    """Return a card as the text of its file."""
    return f"{json.dumps(card.model_dump(mode='json'), indent=1, ensure_ascii=False)}\n"


def read_card(path: Path) -> ResultCard:
    """Read a card; errors: UsageError for a file that is none."""
    if not path.is_file():
        raise UsageError(f"There is no card {str(path)!r}; `worldsmith report STORE --card` writes one.")
    try:
        return ResultCard.model_validate_json(read_text(path, _MOST_BYTES))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"{str(path)!r} is not a card: {'.'.join(map(str, first['loc']))}: {first['msg']}.") from None


def card_differences(card: ResultCard, run: Run) -> Iterator[str]:
    """Yield what a card says differently from the store of its run; nothing if it is the card of this run."""
    said, found = (json.loads(write_card(each)) for each in (card, card_of(run)))
    for name in found:
        if said[name] != found[name]:
            yield f"the card has {name} {_cut(said[name])}, the store {_cut(found[name])}"


def _cut(value: Any, most: int = 120) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}..."


def describe_card(card: ResultCard) -> str:
    """Return a card in one line: the agent, its first score with its interval, and what it was measured on."""
    name, score = next(iter(card.scores.items()))
    shown = "-" if score.value is None else f"{score.value:.3f} ({score.low:.3f}-{score.high:.3f})"
    return f"{card.agent}: {name} {shown} over {card.count} tasks, {card.episodes} episodes, {card.void} void"
