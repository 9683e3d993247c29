"""How a row is named: as data, and, where a person reads it, in words."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from runtime.domain.schema import Key


@dataclass(frozen=True)
class RowRef:
    """A row by its table and primary key, and, where one is meant, a column of it."""

    table: str
    key: Key
    column: str | None = None

    def __str__(self) -> str:
        """The row in words: loan 'L1'."""
        return f"{spoken(self.table)} {' / '.join(map(repr, self.key))}"

    @property
    def row(self) -> RowRef:
        return self if self.column is None else replace(self, column=None)


class ColumnRef(NamedTuple):
    """A column of a table; its text is "table.column"."""

    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column}" if self.column else self.table


def read_column_ref(text: str) -> ColumnRef:
    """A column from its text; one without a dot is a column of no table's."""
    table, _, column = text.partition(".")
    return ColumnRef(table, column)


def spoken(name: str) -> str:
    return name.replace("_", " ")
