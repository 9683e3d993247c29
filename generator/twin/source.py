"""What a source says, tables with rows and operations on them, and what of it a twin has, once it is settled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generator.twin.account import Account

Kind = Literal["integer", "real", "boolean", "text", "date", "timestamp", "time", "json"]
"""What a column holds. `json` is a text of nested data that is stored and returned whole, and never searched."""

Role = Literal["key", "value", "clear", "equals", "search", "least", "most", "limit", "offset"]
"""What a parameter does: names the row (its key, rows it belongs to), gives a column its value, lists columns to be
emptied, filters by equality, by a part of a text, by a least or greatest value, or pages through a list."""

Verb = Literal["find", "get", "create", "update", "set", "delete"]
"""`set` writes constants (the state that an action such as `cancel` leads to) and the parameters of role `value`."""


@dataclass
class SourceColumn:
    """A column of the source."""

    name: str
    kind: Kind
    required: bool = False
    default: Any = None
    """A constant that a new row has if nothing is given; None if there is none."""
    made: Literal["", "counter", "clock"] = ""
    """Whether the source fills it by itself: a counted key, or the time of the call."""
    may_be_given: bool = False
    """Whether a caller may give what is `made` by the clock, as where a source says DEFAULT CURRENT_DATE."""
    hidden: bool = False
    """Whether it is given and never shown, as the password of a sign-up: no tool returns it, no task asks for it."""
    secret: bool = False
    """Whether its values are nobody else's business (passwords, keys, card numbers): they are made up, never taken."""
    choices: tuple[str, ...] = ()
    """All values that it may have (an enum); empty if it is free."""
    longest: int | None = None
    """How many characters a text may have."""
    decimals: int | None = None
    """How many digits follow the point of a `real`: 2 for DECIMAL(10, 2)."""
    digits: int | None = None
    """How many digits it has in all: 10 for DECIMAL(10, 2)."""
    form: Literal["", "uuid", "email", "uri"] = ""
    """The form of a text that its source checks, by which made values look right."""
    least: float | None = None
    most: float | None = None
    comment: str = ""


@dataclass(frozen=True)
class Reference:
    """A foreign key: columns of a table that hold the key, or other unique columns, of a table."""

    columns: tuple[str, ...]
    table: str
    theirs: tuple[str, ...]


@dataclass
class SourceTable:
    """A table of the source. `checks` are conditions in SQLite's SQL over the source's column names."""

    name: str
    columns: dict[str, SourceColumn]
    key: tuple[str, ...] = ()
    references: list[Reference] = field(default_factory=list)
    uniques: list[tuple[str, ...]] = field(default_factory=list)
    checks: list[str] = field(default_factory=list)
    """Beside `choices`, `longest`, `least` and `most`."""
    comment: str = ""
    rows: list[dict[str, Any]] = field(default_factory=list)
    """Rows that were given, or examples of a document, by column name; a column that is missing has its default."""


@dataclass(frozen=True)
class OperationParameter:
    """A parameter of an operation, and the column that it is about (None for paging and a search over all texts)."""

    name: str
    role: Role
    column: str | None = None
    required: bool = False
    description: str = ""


@dataclass(frozen=True)
class Operation:
    """Something that the source offers, whose meaning for the rows of one table is known."""

    name: str
    verb: Verb
    table: str
    parameters: tuple[OperationParameter, ...] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    """What every call writes, by column: {"status": "cancelled"}."""
    description: str = ""
    said: str = ""
    """As the source names it: "POST /orders/{id}/cancel"."""


@dataclass
class TwinSource:
    """All that was read. A database has no operations: its tables get find, get, create, update and delete."""

    title: str
    origin: str
    """What it was read from, as a person would say: "shop.sql (PostgreSQL)"."""
    tables: dict[str, SourceTable] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    opened: dict[str, str] = field(default_factory=dict)
    """Operations whose meaning the source does not fix, with the reason: "POST /login": "its answer is not a row"."""
    offered: dict[str, dict[str, Any]] = field(default_factory=dict)
    """All operations as an API or a server offers them: name, verb, description and parameters, tools or not."""
    account: Account = field(default_factory=Account)
    """What the source has, noted by its reader, and what is already lost."""
    is_interface: bool = False
    """Whether the source is an API or a server: its twin has the tools of its operations and no others."""
    real_rows: bool = False
    """Whether the rows may be about real people: those of a database or a dump, not a document's examples."""


@dataclass
class SettledTable(SourceTable):
    """A table of the twin, in names that are safe in SQL and Python, with a key.

    Its rows are converted, each with every column; together they load without a violation.
    """

    said: str = ""
    """As the source names it."""
    noun: str = ""
    nouns: str = ""
    """One row and several, in words: "invoice line", "invoice lines"."""
    counted: bool = False
    """Whether the key is one column that `db.new_id` fills."""
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
