"""A domain in memory: schema, policies, tools, the program that fills a world, and the invariants of its worlds."""

from __future__ import annotations

import difflib
import sqlite3
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from runtime.domain.arguments import Timestamp
from runtime.domain.locale import AMERICAN, Locale
from runtime.domain.people import People
from runtime.domain.policies import ColumnPolicy, Policies
from runtime.domain.rule import Rulebook
from runtime.domain.schema import Schema
from runtime.domain.tool import Tool
from runtime.domain.waiting import ToolTable
from runtime.errors import Rejection, UsageError
from runtime.sandbox.sqlite import open_memory, tables_read

FORMAT = 1


class DomainCard(BaseModel):
    """`domain.json`."""

    model_config = ConfigDict(extra="forbid")

    format: int
    name: str = Field(pattern=r"^[a-z][a-z0-9_]{0,40}$")
    version: str = Field(min_length=1, max_length=40)
    title: str = Field(min_length=1, max_length=80)
    summary: str = Field(min_length=1, max_length=600)
    clock: Timestamp
    locale: Locale = AMERICAN
    real_rows: bool = False  # whether the world is grown from rows that may be about real people
    unverified: str = ""  # what a study broke or left unproven in it on purpose
    conventions: list[str] = []  # what holds for all tools, as the policy says it
    columns: dict[str, ColumnPolicy] = {}
    logs: dict[str, str] = {}
    people: People | None = None
    desk: Literal["calls", "inbox"] = "calls"  # whether customers call, or write messages that are worked through
    provenance: dict[str, Any] = {}


@dataclass(frozen=True, eq=False)
class Domain:
    """What a folder in `domains/` holds, ready to be served."""

    path: Path
    card: DomainCard
    schema: Schema = field(repr=False)
    policies: Policies = field(repr=False)
    tools: Mapping[str, Tool] = field(repr=False)
    populate: Callable[[Any], None] = field(repr=False)
    policy: str = field(repr=False)  # policy.md, or empty
    digest: str
    world_digest: str  # of the world program and the schema alone, and of tools and rules where the past is lived
    rules: Rulebook = field(default=Rulebook(), repr=False)
    invariants: Invariants = field(default_factory=dict, repr=False)  # of its worlds
    days: Callable[[Any], None] | None = field(default=None, repr=False)  # by which a world lives its past

    def __post_init__(self) -> None:
        object.__setattr__(self, "tools", ToolTable(self.tools))

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def people(self) -> People | None:
        return self.card.people

    @property
    def desks(self) -> Mapping[str, People]:
        """Who calls, by the prefix of the office's tools and tables: none, unless several domains are one."""
        return {} if self.people is None else {"": self.people}

    @property
    def locale(self) -> Locale:
        return self.card.locale

    @property
    def now(self) -> str:
        return self.card.clock

    def find_tool(self, name: str) -> Tool:
        """The tool of this name; an unknown one is rejected with NOT_FOUND."""
        name = str(name)
        tool = self.tools.get(name)
        if tool is None:
            close = difflib.get_close_matches(name[:80], self.tools, n=3) or list(self.tools)
            raise Rejection.not_found(f"No tool {name[:80]!r} exists; have: {', '.join(close)}.")
        return tool


def refuse_unverified(name: str, unverified: str, what: str) -> None:
    """Refuse to put to use a domain that a study broke on purpose; errors: UsageError."""
    if unverified:
        why = f"was broken for a study ({unverified}), so it is not {what}"
        raise UsageError(f"Domain {name!r} {why}; take the domain that it was made from.")


def warn_of_real_rows(names: Iterable[str], what: str) -> None:
    """Print a warning about domains whose worlds are grown from rows that may be about real people."""
    if told := ", ".join(names):
        print(
            f"warning: {what} has rows of {told} that may be about real people; `twin --synthetic` makes rows up.",
            file=sys.stderr,
        )


MOST_INVARIANTS = 20

Invariants = Mapping[str, str]
"""For each sentence a SELECT that returns nothing while it holds, and otherwise columns of the rows that break it."""


def faults_of_invariants(stated: Any, schema: Schema) -> Iterator[str]:
    """Yield what is wrong with `INVARIANTS` of a world program, a sentence each."""
    if not isinstance(stated, Mapping) or not all(isinstance(each, str) for pair in stated.items() for each in pair):
        yield 'INVARIANTS is not a dict of texts, such as {"Nobody is their own friend.": "SELECT friend_id ..."}.'
        return
    if len(stated) > MOST_INVARIANTS:
        yield f"INVARIANTS has {len(stated)} entries; at most {MOST_INVARIANTS} are read."
        return
    columns = {name for table in schema.tables.values() for name in table.column_names}
    with closing(open_memory()) as connection:
        schema.create(connection)
        for sentence, query in stated.items():
            try:
                tables_read(connection, query, schema.tables)
                named = _columns_of(connection, query)
            except (sqlite3.Error, ValueError) as error:
                yield f"INVARIANTS, {sentence!r:.80}: SQLite does not accept its SELECT: {error!s:.200}."
                continue
            if not named & columns:
                yield f"INVARIANTS, {sentence!r:.80}: its SELECT returns no column of a table, such as a row's key."


def broken_invariants(connection: sqlite3.Connection, invariants: Invariants) -> Iterator[str]:
    """Yield each invariant that does not hold, with a row that breaks it."""
    for sentence, query in invariants.items():
        found = connection.execute(query)
        row = found.fetchone()
        if row is not None:
            shown = ", ".join(f"{each[0]} {value!r}" for each, value in zip(found.description, row, strict=True))
            yield f"{sentence!r} does not hold: {shown:.200}"


def _columns_of(connection: sqlite3.Connection, query: str) -> set[str]:
    return {each[0] for each in connection.execute(f"SELECT * FROM ({query}) LIMIT 0").description}  # noqa: S608
