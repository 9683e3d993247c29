"""Make plausible rows for a table that has none, by the names and types of its columns."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from generator.twin.source import SettledTable, SourceColumn
from generator.twin.words import VALUES, is_person, referring, tokens, word_set
from runtime.domain.schema import read_schema
from runtime.sandbox.sqlite import open_memory

ROWS = 12  # for a table
_TRIES = 20  # for each of them
_LETTERS = "ABCDEFGHKLMNPRSTUVW"  # of a code
NAMES = {what: word_set(words) for what, words in VALUES["names"].items()}
_MADE = VALUES["made"]
GIVEN_NAMES, FAMILY_NAMES = (tuple(_MADE[each].split()) for each in ("given", "family"))
_FIRST, _SECOND = (_MADE[each].split() for each in ("first", "second"))
_WORDS = _MADE["words"]
_RANGES = {word: limits for words, limits in _MADE["ranges"].items() for word in words.split()}
_ORDER = {word: sorted(seconds.split()) for firsts, seconds in VALUES["order"].items() for word in firsts.split()}


def holds_people(table: SettledTable) -> bool:
    """Return whether the rows of a table are people: by its noun, or as they have an email and are no organizations."""
    if is_person(table) or not NAMES["given"].isdisjoint(table.columns):
        return True
    return not NAMES["email"].isdisjoint(table.columns) and NAMES["group"].isdisjoint(table.noun.lower().split())


def pairs_in_order(table: SettledTable) -> Iterator[tuple[str, str]]:
    """Yield the columns of which the first comes before the second: start and end, from and to, minimum and maximum."""
    kinds = {"timestamp": "date", "real": "integer"}
    known = {
        (kinds.get(each.kind, each.kind), *tokens(each.name)): each.name
        for each in table.columns.values()
        if each.kind not in ("text", "json", "boolean")
    }
    for words, name in known.items():
        for at, word in enumerate(words):
            for other in _ORDER.get(word, ()):
                if second := known.get((*words[:at], other, *words[at + 1 :])):
                    yield name, second


def invent_rows(table: SettledTable, sql: str, clock: str) -> list[dict[str, Any]]:
    """Return rows that the table's own constraints take; references are None, for the world program to set."""
    rng = random.Random(f"rows of {table.name}")
    own = referring(table)
    rows: list[dict[str, Any]] = []
    with closing(open_memory()) as connection:
        schema = read_schema(sql).schema
        schema.create(connection)
        for number in range(ROWS * _TRIES):
            row = _Inventor(table, rng, number, clock).row()
            tried = {name: _filler(table.columns[name], number) if name in own else row[name] for name in row}
            try:
                connection.execute(schema.tables[table.name].insert_row, [*tried.values()])
            except (sqlite3.Error, OverflowError):
                continue
            rows.append({name: None if name in own else value for name, value in row.items()})
            if len(rows) == ROWS:
                break
    return rows


def _filler(column: SourceColumn, number: int) -> Any:
    """Return a placeholder for a reference while a row is tried."""
    return f"x{number}" if column.kind not in ("integer", "boolean", "real") else number + 1


class _Inventor:
    """Makes one row: its person, its place and its days belong together."""

    def __init__(self, table: SettledTable, rng: random.Random, number: int, clock: str) -> None:
        self._table, self._rng, self._number = table, rng, number
        self._given, self._family = rng.choice(GIVEN_NAMES), rng.choice(FAMILY_NAMES)
        self._place = rng.choice(_MADE["places"])
        self._checked = " ".join(table.checks)
        self._day = date.fromisoformat(clock[:10]) - timedelta(days=rng.randrange(20, 220))

    def row(self) -> dict[str, Any]:
        row = {name: self._value(column) for name, column in self._table.columns.items()}
        for first, second in pairs_in_order(self._table):
            for _ in range(6):
                if None in (row[first], row[second]) or row[first] != row[second]:
                    break
                row[second] = self._value(self._table.columns[second])
            if None not in (row[first], row[second]) and row[first] > row[second]:
                row[first], row[second] = row[second], row[first]
        return row

    def _value(self, column: SourceColumn) -> Any:
        if not column.required and column.name != self._table.label and self._rng.random() < 0.15:
            return None
        if column.choices:  # each at least once, where there are rows enough
            turn = self._number < 2 * len(column.choices)
            return column.choices[self._number % len(column.choices)] if turn else self._rng.choice(column.choices)
        if column.name in self._table.key and self._table.counted:
            return f"{self._table.name.upper()}-{self._number:04d}" if column.kind == "text" else self._number + 1
        match column.kind:
            case "date" | "timestamp":
                day = self._date(tokens(column.name))
                return str(day) if column.kind == "date" else f"{day} {self._time()}"
            case "time":
                return self._time()
            case "json":
                return "{}"
            case "boolean":
                return int(self._rng.random() < (0.25 if NAMES["often"].isdisjoint(tokens(column.name)) else 0.85))
            case "integer" | "real":
                return self._number_of(column)
        return self._text(column)[: column.longest or 200]

    def _date(self, words: list[str]) -> date:
        if not NAMES["birth"].isdisjoint(words):
            return date(self._rng.randrange(1955, 2004), self._rng.randrange(1, 13), self._rng.randrange(1, 28))
        self._day += timedelta(days=self._rng.randrange(0, 12))  # columns follow each other in time
        return self._day

    def _time(self) -> str:
        return f"{self._rng.randrange(8, 18):02d}:{self._rng.choice(('00', '15', '30', '45'))}:00"

    def _number_of(self, column: SourceColumn) -> Any:
        words = tokens(column.name)
        least, most = next((_RANGES[word] for word in reversed(words) if word in _RANGES), (1, 40))
        if column.least is not None:
            least, most = max(least, int(column.least)), max(most, int(column.least))
        if column.most is not None:
            least, most = min(least, int(column.most)), min(most, int(column.most))
        if column.kind == "integer":
            return self._rng.randint(least, most)
        if not NAMES["coordinate"].isdisjoint(words):
            return round(self._rng.uniform(30, 45) * (-2 if words[0].startswith("lo") else 1), column.decimals or 4)
        if not NAMES["ratio"].isdisjoint(words):
            return round(self._rng.uniform(0.02, 0.3), column.decimals or 2)
        whole = self._rng.randint(least, most)
        decimals = 2 if column.decimals is None else column.decimals
        return round(whole - self._rng.choice((0.01, 0.05, 0.5)), decimals) if whole > 1 else float(whole)

    def _text(self, column: SourceColumn) -> str:
        rng, name, words = self._rng, column.name, tokens(column.name)
        listed: list[str] = re.findall("'%?([^'%]+)%?'", self._checked)
        if listed and re.search(rf"\b{name}\b", self._checked):
            return rng.choice(listed)
        own, last, number = {*words}, words[-1], self._number + 2
        pair = f"{rng.choice(_FIRST)} {rng.choice(_SECOND)}"
        dashed = pair.replace(" ", "-").lower()
        is_full = last == "contact" or (last == "name" and "company" not in own and holds_people(self._table))
        is_region = last in NAMES["region"] and "city" in " ".join(self._table.columns)
        word = next((each for each in reversed(words) if each in _WORDS), "")
        is_uuid = column.form == "uuid" or column.longest == 36 or not own.isdisjoint({"uuid", "guid"})
        is_uri = column.form == "uri" or last in NAMES["uri"]
        is_email = column.form == "email" or "email" in name or "mail" in own
        kinds: tuple[tuple[object, Callable[[], str]], ...] = (  # the first that fits
            (column.secret, lambda: f"made-up-{rng.getrandbits(96):024x}"),
            (is_uuid, lambda: str(UUID(int=rng.getrandbits(128), version=4))),
            (is_uri, lambda: f"https://example.org/{pair.split()[0].lower()}/{number - 1}"),
            (is_email, lambda: f"{self._given}.{self._family}{number}@example.org".lower()),
            (name in NAMES["given"], lambda: self._given),
            (name in NAMES["family"], lambda: self._family),
            (own & NAMES["login"] and last in NAMES["handle"], lambda: f"{self._given}{number}".lower()),
            (is_full or name == "contact_name", lambda: f"{self._given} {self._family}"),
            (last in NAMES["title"], lambda: pair),
            (own & NAMES["phone"], lambda: f"(614) 555-{rng.randrange(100, 200):04d}"),
            (own & NAMES["zip"], lambda: self._place[2]),
            (own & NAMES["city"], lambda: self._place[0]),
            ("ip" in own, lambda: f"192.0.2.{rng.randrange(1, 250)}"),
            ("mac" in own, lambda: ":".join(f"{rng.randrange(256):02x}" for _ in range(6))),
            (own & NAMES["domain"], lambda: f"{dashed}.example.org"),
            ("slug" in own, lambda: f"{dashed}-{number}"),
            (own & NAMES["street"], lambda: f"{rng.randrange(10, 990)} {rng.choice(_MADE['streets'])}"),
            (is_region, lambda: self._place[1]),
            (word, lambda: rng.choice(_WORDS[word])),
            (own & NAMES["note"], lambda: rng.choice(_MADE["sentences"])),
            (own & NAMES["code"], lambda: f"{''.join(rng.choices(_LETTERS, k=2))}-{rng.randrange(1000, 9999)}"),
            (True, pair.lower),
        )
        return next(made for fits, made in kinds if fits)()
