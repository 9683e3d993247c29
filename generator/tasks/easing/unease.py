"""Why a mechanism cannot be taken off a task, and what its eased twin is called."""

from __future__ import annotations

import hashlib

from runtime.task.task import Eased, EasedForm, Task
from runtime.task.task_file import task_line

_LONGEST_ID = 64
_DIGEST = 8  # characters that keep two shortened ids apart


class Uneasy(Exception):
    """The mechanism cannot be taken off; its text is the reason, the rest of a sentence that begins with the task."""


def eased_as(task: Task, form: EasedForm, source: str) -> Task:
    """A task named as its own twin without the mechanism of a form; what its proofs came to is no longer known."""
    eased = Eased(of=task.id, without=form, source=source)
    return task.model_copy(update={"id": eased_id(task.id, form), "eased": eased, "proofs": {}})


def eased_id(task_id: str, form: EasedForm) -> str:
    """The id of a task without the mechanism of a form."""
    suffix = f"-without-{form}"
    if len(task_id) + len(suffix) <= _LONGEST_ID:
        return task_id + suffix
    apart = hashlib.sha256(task_id.encode()).hexdigest()[:_DIGEST]
    return f"{task_id[: _LONGEST_ID - len(suffix) - _DIGEST - 1].rstrip('-')}-{apart}{suffix}"


def source_of(task: Task, domain_digest: str) -> str:
    """A digest of what an eased task is made of: the line of its original, and the domain's tools, rules and policy."""
    return hashlib.sha256(f"{domain_digest}\n{task_line(task)}".encode()).hexdigest()[:16]
