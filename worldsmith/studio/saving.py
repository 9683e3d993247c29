"""What the page that makes a task of a session shows of it, and what comes of an edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from generator.tasks.played import TaskEdit, first_edit, prove_played
from generator.tasks.sessions import NO_TASK, PlayedSession, add_task, ids_in, own_file
from runtime.errors import UsageError


def describe_session(played: PlayedSession, named: str) -> dict[str, Any]:
    """Return a session with its calls as they were, and as they should have been; `named` is how its domain is found.

    Errors: UsageError, EnvironmentFault.
    """
    source = played.source
    return {
        "name": played.name,
        "domain": played.domain.name,
        "title": source.title,
        "words": " ".join(source.user.words) if source.id != NO_TASK else "",
        "lost": played.lost is not None,
        "file": str(own_file(named, played.domain.path)),
        "played": first_edit(played).model_dump(),
        "reference": first_edit(played, from_reference=True).model_dump() if source.chain else None,
    }


def prove_session(played: PlayedSession, named: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Prove what a page asks for as `edit`, and `write` it if it holds; errors: UsageError, EnvironmentFault."""
    try:
        edit = TaskEdit.model_validate(asked.get("edit"))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise UsageError(f"edit.{'.'.join(map(str, first['loc']))}: {first['msg']}.") from None
    file = own_file(named, played.domain.path)
    proof = prove_played(played, edit, ids_in(file))
    is_written = proof.task is not None and not proof.missing and asked.get("write") is True
    if proof.task is not None and is_written:
        add_task(proof.task, file)
    missing = [vars(each) | {"mend": each.mend and each.mend.model_dump()} for each in proof.missing]
    task = proof.task.id if proof.task else None
    return {"missing": missing, "lines": proof.lines, "task": task, "file": str(file) if is_written else None}
