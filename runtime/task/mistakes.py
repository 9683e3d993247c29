"""The fingerprint of how an episode ended, by which a known mistake is recognised."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b

from runtime.domain.changes import Changes
from runtime.domain.policies import Policies
from runtime.domain.schema import Schema, Value
from runtime.task.task import Task

_DIGEST_BYTES = 12


def fingerprint(changes: Changes, told: Mapping[str, str], schema: Schema, policies: Policies) -> str:
    """Equal for two ends that differ only in what no policy counts, and in the ids of new rows."""
    rows = []
    for (name, key), (before, after) in changes.rows.items():
        table = schema.tables[name]
        if name in policies.logs or before == after:
            continue
        counted: dict[str, Value] = {
            column: after[at]
            for column, at in table.positions.items()
            if after is not None
            and (before is None or before[at] != after[at])
            and policies.of(name, column).policy in ("hard", "semantic")
        }
        if counted or after is None:
            rows.append(json.dumps([name, None if before is None else list(key), counted], sort_keys=True))
    written = json.dumps([sorted(rows), sorted(told.items())], ensure_ascii=False)
    return blake2b(written.encode(), digest_size=_DIGEST_BYTES).hexdigest()


def mistake_of(task: Task, changes: Changes, told: Mapping[str, str], schema: Schema, policies: Policies) -> str | None:
    """Which of a task's known mistakes an end is that of."""
    own = fingerprint(changes, told, schema, policies)
    return next((name for name, known in task.mistakes.items() if known == own), None)
