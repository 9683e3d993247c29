"""What a composed text leaves out or contradicts, as warnings: they say it to a person and change no reward."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from runtime.domain.changes import Changes
from runtime.domain.rows import RowRef
from runtime.domain.schema import Schema
from runtime.task.task import Task
from runtime.verification.texts import says
from runtime.verification.verdict import RowPair


def warnings_of(
    task: Task, schema: Schema, expected: Changes, actual: Changes, pairs: Iterable[RowPair]
) -> Iterator[str]:
    """A sentence for each composed text that does not say what it should, on the row where it should stand."""
    composed = frozenset(task.texts_said("composed"))
    partners = {(pair.expected.table, pair.expected.key): (pair.actual.table, pair.actual.key) for pair in pairs}
    for name, change in expected.rows.items() if composed else ():
        found = actual.rows.get(partners.get(name, name))
        if change.after is None or found is None or found.after is None:
            continue
        for column, at in schema.tables[name[0]].positions.items():
            wanted, written = change.after[at], found.after[at]
            if not isinstance(wanted, str) or wanted not in composed or wanted == written:
                continue
            unsaid = [fact for fact in task.texts[wanted].facts if not says(str(written or ""), fact)]
            if unsaid:
                where = RowRef(*partners.get(name, name), column)
                yield f"{where} does not say {unsaid[0]!r}. It is not rewarded, and not held against the agent."
