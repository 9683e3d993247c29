"""What became of the edits among which no twin was found, in a few words for the scenario's author."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from generator.tasks.proofs.edits import RowEdit
from runtime.domain.schema import Key, Schema
from runtime.wording import counted

End = Literal["refused", "denied", "otherwise"]
_ENDS: dict[End, str] = {
    "refused": "refused by the schema",
    "denied": "still denied",
    "otherwise": "permitted, but not in the same words",
}
_MOST_NAMED = 4  # columns
_LONGEST = 60  # characters of a reason
_LONGEST_VALUE = 20


@dataclass
class TwinTally:
    """Counts edits by their end, and keeps the first of each as an example."""

    schema: Schema
    _counts: dict[End, int] = field(default_factory=dict)
    _examples: dict[End, str] = field(default_factory=dict)
    _rows: dict[tuple[str, Key], None] = field(default_factory=dict)
    _columns: dict[str, int] = field(default_factory=dict)

    def note(self, end: End, edit: RowEdit, why: str = "") -> None:
        """Note what became of an edit, and why if it is known."""
        self._counts[end] = self._counts.get(end, 0) + 1
        self._rows[edit.table, edit.key] = None
        for column in edit.columns(self.schema):
            self._columns[column] = self._columns.get(column, 0) + 1
        if end not in self._examples:
            self._examples[end] = f"{', '.join(self._shown(edit))}{f': {_short(why, _LONGEST)}' if why else ''}"

    @property
    def described(self) -> str:
        """What was tried and what came of it, in at most about 45 words."""
        if not self._rows:
            return "Every column of the rows that the rule reads and that have to do with the call is a key or told."
        columns = sorted(self._columns, key=lambda name: -self._columns[name])[:_MOST_NAMED]
        ends = "; ".join(
            f"{self._counts[end]} {words} ({self._examples[end]})"
            for end, words in _ENDS.items()
            if end in self._counts
        )
        return f"Tried {counted(len(self._rows), 'row')}, mostly {', '.join(columns)}: {ends}."

    def _shown(self, edit: RowEdit) -> Iterator[str]:
        names = self.schema.tables[edit.table].column_names
        for name, before, after in zip(names, edit.before, edit.after, strict=True):
            if before != after:
                yield f"{name} {_short(repr(after), _LONGEST_VALUE)}"


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 3]}..."
