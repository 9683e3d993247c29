"""The account of a twin: what became of every row, type, default, constraint, reference and operation of a source.

A reader notes what it finds, and the settling of the twin says what was changed or lost. A second, slow and simple
count of the source (`counts`) must come to the same: a difference is a fault of ours and an error, never a silent loss.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Part = Literal[
    "table", "column", "default", "check", "choices", "key", "unique", "reference",
    "operation", "parameter", "statement",
]  # fmt: skip
"""What a source has: `choices` are the values of an enum, `statement` whatever else it makes (views, webhooks)."""

Fate = Literal["kept", "changed", "lost"]


@dataclass(frozen=True)
class Fact:
    """What became of one part of a source."""

    part: Part
    where: str
    """As the source names it: "orders.total", "orders (customer_id) -> customer"."""
    fate: Fate = "kept"
    why: str = ""
    """The kind of change or loss, the same words for all of a kind: "CHECKs that SQLite does not take". What goes with
    a table that is lost has no words of its own."""
    also: tuple[str, ...] = ()
    """Further kinds of change."""


@dataclass
class TableRows:
    """The rows of one table: those of the source, and those of the twin."""

    given: int
    """By the second count."""
    kept: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    """How many are not in the twin, by reason."""


@dataclass
class Account:
    """What a source has, and what became of it."""

    facts: dict[tuple[Part, str], Fact] = field(default_factory=dict)
    rows: dict[str, TableRows] = field(default_factory=dict)
    """By the source's name of the table."""
    counts: Counter[Part] = field(default_factory=Counter)
    """How many there are by the second count, for the parts that were counted a second time."""
    remarks: list[str] = field(default_factory=list)
    """Whole sentences about the twin at large: "Texts are compared exactly; MySQL ...". They count as losses."""

    def keep(self, part: Part, where: str) -> None:
        """Note a part as the reader finds it."""
        self.facts.setdefault((part, where), Fact(part, where))

    def change(self, part: Part, where: str, why: str) -> None:
        """Note that the twin has a part in another form; a part may be changed in several ways."""
        known = self.facts.get((part, where))
        if known and known.fate == "changed":
            self.facts[part, where] = replace(known, also=tuple(dict.fromkeys((*known.also, why))))
        else:
            self._note(Fact(part, where, "changed", why))

    def lose(self, part: Part, where: str, why: str) -> None:
        """Note that the twin lacks a part; what belongs to a table goes with it."""
        self._note(Fact(part, where, "lost", why))
        if part == "table":
            for place, fact in self.facts.items():
                if fact.part != "table" and fact.where.startswith((f"{where}.", f"{where} (")):
                    self.facts[place] = replace(fact, fate="lost", why="", also=())

    def _note(self, fact: Fact) -> None:
        """Note a change or loss; of a part that its reader calls by another name it is a remark, to be counted once."""
        if fact.part in self.counts and (fact.part, fact.where) not in self.facts:
            self.remarks.append(f"{fact.why}: {fact.where}.")
        else:
            self.facts[fact.part, fact.where] = fact

    def differences(self) -> Iterator[str]:
        """Say where the account does not close, a sentence each."""
        found = Counter(fact.part for fact in self.facts.values())
        for part, count in self.counts.items():
            if found[part] != count:
                yield f"The source has {count:,} of the kind {part!r} by a plain count, and {found[part]:,} were read."
        for name, rows in self.rows.items():
            if rows.given != rows.kept + rows.left_out.total():
                told = f"{rows.kept:,} kept and {rows.left_out.total():,} left out"
                yield f"Table {name!r} has {rows.given:,} rows by a plain count, but {told}."

    def losses(self) -> list[str]:
        """List all that is changed or lost, a line for each kind; open operations have a list of their own."""
        kinds: dict[str, list[str]] = {}
        for fact in self.facts.values():
            if (fact.part, fact.fate) == ("operation", "lost"):
                continue
            for why in (fact.why, *fact.also) if fact.fate != "kept" and fact.why else ():
                kinds.setdefault(why, []).append(fact.where)
        for name, rows in self.rows.items():
            for why, many in rows.left_out.items():
                kinds.setdefault(f"Rows that are left out because {why}", []).append(f"{name} ({many:,})")
        lines = [f"{why}: {', '.join(dict.fromkeys(places))}." for why, places in kinds.items()]
        return [*lines, *dict.fromkeys(self.remarks)]

    @property
    def as_json(self) -> dict[str, Any]:
        """The account for `--json` and the studio: rows by table, parts by kind and fate."""
        parts = Counter((fact.part, fact.fate) for fact in self.facts.values())
        return {
            "rows": {
                name: {"given": each.given, "kept": each.kept, "left_out": dict(each.left_out)}
                for name, each in self.rows.items()
            },
            "parts": {
                part: {fate: parts[part, fate] for fate in ("kept", "changed", "lost")}
                for part in dict.fromkeys(each for each, _ in parts)
            },
            "losses": self.losses(),
        }
