"""What a source says, in its own names: tables with rows, operations on them, and everything that a twin will lack."""

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
    account: Account = field(default_factory=Account)
    """What the source has, noted by its reader, and what is already lost."""
    is_interface: bool = False
    """Whether the source is an API or a server: its twin has the tools of its operations and no others."""
    real_rows: bool = False
    """Whether the rows may be about real people: those of a database or a dump, not a document's examples."""
