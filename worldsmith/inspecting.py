"""Worldsmith for Inspect: `inspect eval worldsmith/job_seeking`, with its models, tools, limits, log and viewer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runtime.installed import require

require("inspect-ai", "0.3.285", extra="inspect")

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.scorer import Score, Target, accuracy, mean, scorer, stderr
from inspect_ai.solver import TaskState

from runtime.errors import UsageError
from runtime.verification.verdict import REWARD_KINDS, RewardKind, reward_by
from worldsmith.catalog import tasks
from worldsmith.inspect_solvers import KEPT, converse, converse_with_react, task_of
from worldsmith.rollout import Rollout, judge_final

__all__ = ["converse", "converse_with_react", "job_seeking", "library", "play", "second_hand_marketplace", "verdict"]


@task
def play(
    domain: str,
    split: str | None = None,
    level: int | str | Sequence[int | str] | None = None,
    form: str | None = None,
    user: str = "scripted",
    policy: bool = True,
    greeting: bool = True,
    reward: RewardKind = "final_state_and_rules",
) -> Task:
    """The tasks of a domain, by its name or path; all, or those of a split, a level or some, a form."""
    levels = [level] if isinstance(level, int | str) else level
    numbers = None if levels is None else [int(each) if str(each).isdigit() else each for each in levels]
    played = {"user": user, "policy": policy, "greeting": greeting}
    try:
        chosen = tasks(domain, split=split, level=numbers, form=form)  # type: ignore[arg-type]
        Rollout(chosen[0], **played)  # type: ignore[arg-type]
    except UsageError as error:
        raise PrerequisiteError(str(error)) from None  # which Inspect prints without a traceback
    samples = [
        Sample(
            id=each.id,
            input=each.task.user.words[0],
            metadata={"title": each.title, "level": each.level, "domain": domain, "played": played},
        )
        for each in chosen
    ]
    # An episode that is void is an error of its sample: it has no score, and the others go on.
    return Task(MemoryDataset(samples, name=domain), solver=converse(), scorer=verdict(reward), fail_on_error=False)


@task
def job_seeking(**knobs: Any) -> Task:
    """The carried domain of this name; the knobs are those of `play`."""
    return play("job_seeking", **knobs)


@task
def library(**knobs: Any) -> Task:
    """The carried domain of this name; the knobs are those of `play`."""
    return play("library", **knobs)


@task
def second_hand_marketplace(**knobs: Any) -> Task:
    """The carried domain of this name; the knobs are those of `play`."""
    return play("second_hand_marketplace", **knobs)


@scorer(metrics={"reward": [accuracy(), stderr()], "progress": [mean()], "violations": [mean()]})
def verdict(reward: RewardKind = "final_state_and_rules") -> Any:
    """Judges the database that was left: now, or, with `inspect score`, as the log has it.

    `reward` says whether an episode that broke a rule can be rewarded.
    """
    if reward not in REWARD_KINDS:
        raise PrerequisiteError(f"There is no reward {reward!r}; give one of: {', '.join(REWARD_KINDS)}.")

    async def score(state: TaskState, target: Target) -> Score:
        kept = state.store.get(KEPT)
        if kept is None:
            return Score.unscored(reason="not played", explanation="The log has no final state of this sample.")
        judged = judge_final(task_of(state), kept["final"])
        differences = [each.sentence for each in judged.differences]
        return Score(
            value={
                "reward": reward_by(reward, judged.differences, kept["violations"]),
                "progress": judged.progress,
                "violations": len(kept["violations"]),
            },
            answer=kept["ended"],
            explanation="\n".join([*differences, *kept["violations"]]) or "As it should be.",
            metadata={"differences": differences, "violations": kept["violations"]},
        )

    return score
