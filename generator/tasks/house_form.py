"""How a database writes what people call by a shorter name: "Video call on Zoom", where a user says "Zoom".

An agent that has seen the rows may write the one or the other, so a value that the user tells must not be such a name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from runtime.domain.changes import Changes
from runtime.domain.policies import Policies
from runtime.domain.schema import Row, Schema, Value
from runtime.task.user import KnownFact
from runtime.verification.texts import normalize

_ROWS = 3  # that write a text the same way: less is chance
_COUNTED = ("hard", "semantic", "optional")


def house_form(value: str, column: Iterable[Value]) -> str:
    """The longer text in which most rows hold a value that none holds by itself; empty if there is no such text."""
    short, plain = value.casefold(), f" {normalize(value)} "
    longer: Counter[str] = Counter()
    for text in column:
        if isinstance(text, str) and short in text.casefold() and plain in f" {normalize(text)} ":
            longer[text] += 1
    usual, rows = longer.most_common(1)[0] if longer else ("", 0)
    by_itself = any(normalize(text) == normalize(value) for text in longer)
    return usual if rows >= _ROWS and 2 * rows > longer.total() and not by_itself else ""


def faults_of_form(
    changes: Changes,
    facts: Iterable[KnownFact],
    schema: Schema,
    policies: Policies,
    rows: Mapping[str, Sequence[Row]],
) -> Iterator[tuple[str, str]]:
    """For each text told and written: a key for it, and what is wrong in one clause, empty if nothing is."""
    for table, column, value in _told_texts(changes, facts, schema, policies):
        at = schema.tables[table].positions[column]
        usual = house_form(value, (row[at] for row in rows[table]))
        fault = f"the user tells {value!r}, and rows of {table} hold {usual!r}" if usual else ""
        yield f"{table}.{column}", fault


def _told_texts(
    changes: Changes, facts: Iterable[KnownFact], schema: Schema, policies: Policies
) -> Iterator[tuple[str, str, str]]:
    """The table, column and value of each text that the user tells and that comes to stand in a row."""
    told = {fact.value for fact in facts if isinstance(fact.value, str)}
    found: dict[tuple[str, str, str], None] = {}
    for (table, _), (before, after) in changes.rows.items():
        if after is None:
            continue
        for column, at in schema.tables[table].positions.items():
            value, is_new = after[at], before is None or before[at] != after[at]
            if is_new and isinstance(value, str) and value in told and policies.of(table, column).policy in _COUNTED:
                found[table, column, value] = None
    yield from found
