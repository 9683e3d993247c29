"""What a twin's database is, once a source's names, types, keys and rows fit a domain; tools and tasks come from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from generator.twin.account import Account
from generator.twin.source import Operation, Reference, SourceColumn


@dataclass
class SettledTable:
    """A table of the twin, in names that are safe in SQL and Python."""

    name: str
    said: str
    """As the source names it."""
    noun: str
    nouns: str
    """One row and several, in words: "invoice line", "invoice lines"."""
    columns: dict[str, SourceColumn]
    """By safe name, which is the column's `name`, too."""
    key: tuple[str, ...]
    counted: bool = False
    """Whether the key is one column that `db.new_id` fills."""
    references: list[Reference] = field(default_factory=list)
    uniques: list[tuple[str, ...]] = field(default_factory=list)
    """Beside the key."""
    checks: list[str] = field(default_factory=list)
    """All that schema.sql has, in SQLite's SQL, those of `choices`, `longest`, `least` and `most` excepted."""
    comment: str = ""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Given rows, converted, each with every column; together they load without a violation."""
    label: str | None = None
    """The column by which people name a row: a name or a title, if there is one."""
    spelled: dict[str, str] = field(default_factory=dict)
    """What the source calls the columns that have another name here; `rowid` for a number that we gave the rows."""
    said_checks: dict[str, str] = field(default_factory=dict)
    """The source's text of each of the `checks`."""
    account: Account = field(default_factory=Account, repr=False)
    """That of the source."""

    def where(self, *names: str) -> str:
        """Return columns as the account names them: "orders.total", "orders (customer_id, day)"."""
        own = [self.spelled.get(name, name) for name in names]
        return f"{self.said}.{own[0]}" if len(own) == 1 else f"{self.said} ({', '.join(own)})"

    def where_check(self, check: str) -> str:
        """Return a condition as the account names it: "orders (total > 0)"."""
        return f"{self.said} ({' '.join(self.said_checks.get(check, check).split())})"

    def change(self, name: str, why: str) -> None:
        """Note that a column has another form here."""
        self.account.change("column", self.where(name), why)

    def lose_check(self, check: str, why: str) -> None:
        """Leave a condition out."""
        self.checks = [each for each in self.checks if each != check]
        self.account.lose("check", self.where_check(check), why)


@dataclass
class SourceSchema:
    """A twin's database."""

    title: str
    tables: dict[str, SettledTable]
    """By safe name, parents first."""
    operations: list[Operation] = field(default_factory=list)
    """Those of the source, in safe names; none if it has none."""
    sql: str = ""
    """schema.sql."""
    clock: str = ""
    """domain.json's frozen start time: after the latest plausible time in the rows."""
    account: Account = field(default_factory=Account)
    """What became of everything that the source has."""
    opened: dict[str, str] = field(default_factory=dict)
    has_examples: bool = False
    """Whether given rows are a document's examples, few and about nobody."""

    @property
    def renamed(self) -> dict[str, str]:
        """What the source calls tables and columns that have another name here, for domain.json's provenance."""
        found = {name: table.said for name, table in self.tables.items() if name != table.said}
        for name, table in self.tables.items():
            found |= {f"{name}.{column}": said for column, said in table.spelled.items()}
        return found

    @property
    def losses(self) -> list[str]:
        """All that is changed or lost, a line for each kind."""
        return self.account.losses()
