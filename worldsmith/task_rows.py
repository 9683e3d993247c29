"""The column `worldsmith` of a trainer's data: which task a row is, how it is played, and the rollout of a row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from worldsmith.catalog import tasks
from worldsmith.rollout import Rollout

COLUMN = "worldsmith"
_PARTS = {"domain", "task", "user", "policy"}


def task_rows(
    domain: str, *, split: Any = None, level: Any = None, form: Any = None, user: str = "scripted", policy: bool = True
) -> Iterator[tuple[dict[str, Any], Rollout]]:
    """What the column says of each task that `worldsmith.tasks` chooses, and its rollout, not open. Errors: UsageError.

    The user's words come first: there is no greeting, which some chat templates refuse.
    """
    if isinstance(domain, Domain) or not isinstance(domain, str):
        raise UsageError(f"The domain of rows is {str(domain)[:200]!r}; give its name or path as text.")
    for task in tasks(domain, split=split, level=level, form=form):
        column = {"domain": domain, "task": task.id, "user": user, "policy": policy}
        yield column, rollout_of({COLUMN: column})


def rollout_of(row: Mapping[str, Any], turns: int | None = None) -> Rollout:
    """The rollout of a row, not open, with so many turns of the assistant at most. Errors: UsageError."""
    column = row.get(COLUMN)
    if not isinstance(column, Mapping) or column.keys() != _PARTS:
        raise UsageError(f"The column {COLUMN!r} of a row is {str(column)[:200]!r}; rows() of its recipe writes it.")
    (task,) = tasks(column["domain"], ids=(column["task"],))
    played = {"user": column["user"], "policy": bool(column["policy"]), "greeting": False}
    return Rollout(task, **played) if turns is None else Rollout(task, **played, turns=turns)
