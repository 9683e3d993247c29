"""A domain in memory: schema, policies, tools, and the program that fills a world."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from runtime.domain.arguments import Timestamp
from runtime.domain.invariants import Invariants
from runtime.domain.people import People
from runtime.domain.policies import ColumnPolicy, Policies
from runtime.domain.rule import Rulebook
from runtime.domain.schema import Schema
from runtime.domain.tool import Tool
from runtime.errors import Rejection

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
    real_rows: bool = False  # whether the world is grown from rows that may be about real people
    columns: dict[str, ColumnPolicy] = {}
    logs: dict[str, str] = {}
    people: People | None = None
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
    rules: Rulebook = field(default=Rulebook(), repr=False)
    invariants: Invariants = field(default_factory=dict, repr=False)  # of its worlds

    @property
    def name(self) -> str:
        return self.card.name

    @property
    def people(self) -> People | None:
        return self.card.people

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


def warn_of_real_rows(names: Iterable[str], what: str) -> None:
    """Print a warning about domains whose worlds are grown from rows that may be about real people."""
    if told := ", ".join(names):
        print(
            f"warning: {what} has rows of {told} that may be about real people; `twin --synthetic` makes rows up.",
            file=sys.stderr,
        )
