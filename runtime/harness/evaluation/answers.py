"""What a worker answers for an episode, as plain JSON values, and what whoever asked makes of it."""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.evaluation.plan import EpisodeJob
from runtime.harness.evaluation.player import EpisodePlayer
from runtime.harness.evaluation.store import EpisodeRow
from runtime.harness.evaluation.writer import Finished
from runtime.task.task import Task
from runtime.task.task_file import parse_task

_LONGEST_CRASH = 400  # characters


async def answer_job(player: EpisodePlayer | UsageError, line: str, trial: int, judge_idle: bool) -> dict[str, Any]:
    """Play a trial of the task in a line, and say what came of it; a worker that could not be set up says so."""
    try:
        if isinstance(player, UsageError):
            raise player
        return asdict(await player.play(EpisodeJob(_parse(line), trial, judge_idle)))
    except UsageError as error:
        return {"usage_error": str(error)}
    except EnvironmentFault as fault:
        return {"crash": str(fault)}
    except Exception as error:  # one episode is recorded here: whoever asked is told what it died of
        last = " ".join(traceback.format_exception_only(error)[-1].split())
        return {"crash": f"An episode crashed: {last[:_LONGEST_CRASH]}"}


@lru_cache(maxsize=1_024)
def _parse(line: str) -> Task:
    """The same task for all its trials: what was read of its world to judge it is kept with it."""
    return parse_task(line)


def read_answer(answer: Mapping[str, Any]) -> Finished:
    """The episode that a worker played; errors: UsageError, EnvironmentFault as the worker had them."""
    if "usage_error" in answer:
        raise UsageError(answer["usage_error"])
    if "crash" in answer:
        raise EnvironmentFault(answer["crash"])
    return Finished(
        row=EpisodeRow(*answer["row"]),
        void_attempts=tuple(EpisodeRow(*each) for each in answer["void_attempts"]),
        judged_idle=answer["judged_idle"],
        idle=answer["idle"],
    )
