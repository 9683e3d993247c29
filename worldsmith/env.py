"""Tasks in the form of a gymnasium environment: reset to a task's first messages, step with an assistant message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

from runtime.errors import UsageError
from worldsmith.catalog import DomainTask
from worldsmith.chat import ChatMessage
from worldsmith.rollout import Rollout, SyncRollout


class Env:
    """Some tasks, one after another; a fault of ours raises EnvironmentFault and is never a reward."""

    def __init__(self, tasks: DomainTask | Sequence[DomainTask], **options: Any) -> None:
        """`options` are those of a `Rollout`. Errors: UsageError."""
        chosen = [tasks] if isinstance(tasks, DomainTask) else list(tasks)
        if not chosen:
            raise UsageError("No tasks were passed to Env; pass some of worldsmith.tasks(domain).")
        for task in chosen:
            Rollout(task, **options)
        self._tasks = cycle(chosen)
        self._options = options
        self.rollout: SyncRollout | None = None  # of the present episode

    def reset(self, *, seed: int = 0, task: DomainTask | None = None) -> tuple[list[ChatMessage], dict[str, Any]]:
        """Start a task, else the next one: its first messages, and `task` and `tools` beside them."""
        self.close()
        task = task or next(self._tasks)
        self.rollout = Rollout(task, **{"seed": seed, **self._options}).sync()
        return self.rollout.open(), {"task": task, "tools": self.rollout.tools}

    def step(self, message: Mapping[str, Any]) -> tuple[list[ChatMessage], float, bool, bool, dict[str, Any]]:
        """Take an assistant message: what answers it, the reward (0 before the end), whether the episode is over by
        itself, whether by a limit, and at the end the `verdict`.
        """
        if self.rollout is None:
            raise UsageError("The environment has no episode; call reset() first.")
        answers = self.rollout.take(message)
        if not self.rollout.done:
            return answers, 0.0, False, False, {}
        verdict = self.rollout.verdict()
        is_cut = self.rollout.ended not in ("done", "gave_up")
        return answers, float(verdict.reward), not is_cut, is_cut, {"verdict": verdict, "ended": self.rollout.ended}

    def close(self) -> None:
        """Close the current episode."""
        if self.rollout is not None:
            self.rollout.close()
            self.rollout = None
