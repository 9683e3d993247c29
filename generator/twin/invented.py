"""Make plausible rows for a table that has none, by the names and types of its columns."""

from __future__ import annotations

import random
import re
import sqlite3
from contextlib import closing
from datetime import date, timedelta
from typing import Any

from generator.twin.settled import SettledTable
from generator.twin.source import SourceColumn
from generator.twin.words import is_person, referring, tokens
from runtime.domain.schema import Schema
from runtime.sandbox.sqlite import open_memory

ROWS = 12  # for a table
_TRIES = 20  # for each of them
GIVEN_NAMES = (
    *("Alice", "Amir", "Beth", "Carlos", "Chloe", "Daniel", "Diane", "Elena", "Eric", "Fatima", "Frank", "Grace"),
    *("Hannah", "Hector", "Irene", "Jack", "Janet", "Kevin", "Kim", "Laura", "Leon", "Maria", "Marcus", "Nina"),
    *("Omar", "Paula", "Peter", "Rachel", "Raj", "Rosa", "Sam", "Sofia", "Steve", "Tina", "Tom", "Vera", "Victor"),
    *("Wendy", "Yusuf", "Zoe"),
)
FAMILY_NAMES = (
    *("Adams", "Baker", "Bennett", "Brooks", "Carter", "Chen", "Cohen", "Cruz", "Diaz", "Evans", "Fisher", "Foster"),
    *("Garcia", "Gray", "Hall", "Harris", "Hughes", "Ibrahim", "Jensen", "Kelly", "Khan", "Larson", "Lee", "Lopez"),
    *("Mason", "Miller", "Morgan", "Nguyen", "Novak", "Ortiz", "Park", "Patel", "Reed", "Rossi", "Shah", "Silva"),
    *("Stone", "Turner", "Walsh", "Young"),
)
_FIRST = ("Amber", "Blue", "Cedar", "Copper", "Coral", "Delta", "Ember", "Golden", "Harbor", "Ivory", "Maple", "North")
_SECOND = ("Arch", "Bridge", "Crest", "Falls", "Field", "Garden", "Grove", "Hill", "Lake", "Point", "River", "Valley")
_PLACES = (
    *(("Columbus", "Ohio", "43215"), ("Madison", "Wisconsin", "53703"), ("Portland", "Oregon", "97205")),
    *(("Austin", "Texas", "78701"), ("Denver", "Colorado", "80202"), ("Richmond", "Virginia", "23219")),
    *(("Tucson", "Arizona", "85701"), ("Albany", "New York", "12207"), ("Boise", "Idaho", "83702")),
)
_STREETS = ("Maple Street", "Oak Avenue", "Second Street", "Lake Drive", "Mill Road", "Park Place", "Elm Court")
_SENTENCES = (
    *("Please call before noon.", "Looks good so far.", "Checked twice and found in order.", "Needs another look."),
    *("Moved from the old list.", "Waiting for an answer.", "Replaced after the last visit.", "Nothing special."),
)
_WORDS_OF = {
    "status": ("active", "pending", "closed"),
    "state": ("open", "done", "waiting"),
    "type": ("standard", "special", "basic"),
    "kind": ("standard", "special", "basic"),
    "category": ("general", "seasonal", "premium"),
    "color": ("red", "blue", "green", "black", "white"),
    "currency": ("USD",),
    "language": ("English", "Spanish", "French"),
    "locale": ("en", "es", "fr"),
    "country": ("United States", "Canada", "Mexico"),
    "gender": ("female", "male", "other"),
    "department": ("Sales", "Support", "Finance"),
    "role": ("member", "manager", "owner"),
    "priority": ("low", "normal", "high"),
    "unit": ("piece", "box", "pack"),
    "timezone": ("America/New_York", "America/Chicago"),
}
_RANGES = {  # of whole numbers, by the words of a column's name
    **dict.fromkeys(("quantity", "qty", "stock", "count", "seats", "capacity"), (1, 40)),
    **dict.fromkeys(("price", "amount", "cost", "total", "fee", "balance", "salary"), (5, 400)),
    **dict.fromkeys(("minutes", "duration", "length"), (15, 180)),
    **dict.fromkeys(("rating", "score", "stars", "level", "priority"), (1, 5)),
    **dict.fromkeys(("percent", "percentage", "discount"), (1, 60)),
    **{"year": (2005, 2025), "age": (18, 80), "weight": (1, 90), "cents": (500, 40_000), "version": (1, 4)},
}


def invent_rows(table: SettledTable, sql: str, clock: str) -> list[dict[str, Any]]:
    """Return rows that the table's own constraints take; references are None, for the world program to set."""
    rng = random.Random(f"rows of {table.name}")
    own = referring(table)
    rows: list[dict[str, Any]] = []
    with closing(open_memory()) as connection:
        Schema(sql, {}).create(connection)
        for number in range(ROWS * _TRIES):
            row = _Inventor(table, rng, number, clock).row()
            tried = {name: _filler(table.columns[name], number) if name in own else row[name] for name in row}
            marks = ", ".join("?" * len(tried))
            try:
                connection.execute(f"INSERT INTO {table.name} ({', '.join(tried)}) VALUES ({marks})", [*tried.values()])
            except (sqlite3.Error, OverflowError):
                continue
            rows.append({name: None if name in own else value for name, value in row.items()})
            if len(rows) == ROWS:
                break
    return rows


def _filler(column: SourceColumn, number: int) -> Any:
    """Return what stands for a reference while a row is tried."""
    return f"x{number}" if column.kind not in ("integer", "boolean", "real") else number + 1


class _Inventor:
    """Makes one row: its person, its place and its days belong together."""

    def __init__(self, table: SettledTable, rng: random.Random, number: int, clock: str) -> None:
        self._table, self._rng, self._number = table, rng, number
        self._given, self._family = rng.choice(GIVEN_NAMES), rng.choice(FAMILY_NAMES)
        self._place = rng.choice(_PLACES)
        self._checked = " ".join(table.checks)
        self._day = date.fromisoformat(clock[:10]) - timedelta(days=rng.randrange(20, 220))

    def row(self) -> dict[str, Any]:
        return {name: self._value(column) for name, column in self._table.columns.items()}

    def _value(self, column: SourceColumn) -> Any:
        if not column.required and column.name != self._table.label and self._rng.random() < 0.15:
            return None
        if column.choices:  # each at least once, where there are rows enough
            turn = self._number < 2 * len(column.choices)
            return column.choices[self._number % len(column.choices)] if turn else self._rng.choice(column.choices)
        if column.name in self._table.key and self._table.counted:
            return f"{self._table.name.upper()}-{self._number:04d}" if column.kind == "text" else self._number + 1
        if column.kind in ("date", "timestamp"):
            return self._date(column)
        if column.kind == "time":
            return f"{self._rng.randrange(8, 18):02d}:{self._rng.choice(('00', '15', '30', '45'))}:00"
        if column.kind == "json":
            return "{}"
        if column.kind == "boolean":
            usual = 0.85 if {"active", "enabled", "available", "visible"} & set(tokens(column.name)) else 0.25
            return int(self._rng.random() < usual)
        if column.kind in ("integer", "real"):
            return self._number_of(column)
        return self._text(column)[: column.longest or 200]

    def _date(self, column: SourceColumn) -> str:
        words = set(tokens(column.name))
        if words & {"birth", "born", "birthday", "dob"}:
            day = date(self._rng.randrange(1955, 2004), self._rng.randrange(1, 13), self._rng.randrange(1, 28))
        else:
            self._day += timedelta(days=self._rng.randrange(0, 12))  # columns follow each other in time
            day = self._day
        if column.kind == "date":
            return str(day)
        return f"{day} {self._rng.randrange(8, 18):02d}:{self._rng.choice(('00', '15', '30', '45'))}:00"

    def _number_of(self, column: SourceColumn) -> Any:
        words = tokens(column.name)
        least, most = next((_RANGES[word] for word in reversed(words) if word in _RANGES), (1, 40))
        if column.least is not None:
            least, most = max(least, int(column.least)), max(most, int(column.least))
        if column.most is not None:
            least, most = min(least, int(column.most)), min(most, int(column.most))
        if column.kind == "integer":
            return self._rng.randint(least, most)
        if {"lat", "latitude", "lng", "lon", "longitude"} & set(words):
            return round(self._rng.uniform(30, 45) * (-2 if words[0].startswith("lo") else 1), 4)
        if {"rate", "tax", "ratio", "share"} & set(words):
            return round(self._rng.uniform(0.02, 0.3), column.decimals or 2)
        whole = self._rng.randint(least, most)
        return (
            round(whole - self._rng.choice((0.01, 0.05, 0.5)), 2)
            if column.decimals != 0 and whole > 1
            else float(whole)
        )

    def _text(self, column: SourceColumn) -> str:
        listed: list[str] = re.findall("'%?([^'%]+)%?'", self._checked)
        if listed and re.search(rf"\b{column.name}\b", self._checked):
            return self._rng.choice(listed)
        name, words = column.name, tokens(column.name)
        last = words[-1]
        people = is_person(self._table) or any("email" in each for each in self._table.columns)
        if "email" in name or "mail" in words:
            return f"{self._given}.{self._family}{self._number + 2}@example.org".lower()
        if name in ("first_name", "given_name", "firstname", "fname", "forename"):
            return self._given
        if name in ("last_name", "family_name", "lastname", "lname", "surname"):
            return self._family
        if {"user", "login", "username", "nickname", "handle"} & set(words) and last in (
            "name",
            "username",
            "login",
            "handle",
        ):
            return f"{self._given}{self._number + 2}".lower()
        if last in ("name", "title", "label", "subject", "caption", "headline", "company", "brand", "model", "contact"):
            if people and last in ("name", "contact") and "company" not in words:
                return f"{self._given} {self._family}"
            return f"{self._rng.choice(_FIRST)} {self._rng.choice(_SECOND)}"
        if {"phone", "mobile", "tel", "fax", "telephone", "cell"} & set(words):
            return f"(614) 555-{self._rng.randrange(100, 200):04d}"
        if {"zip", "zipcode", "postal", "postcode"} & set(words):
            return self._place[2]
        if "city" in words or "town" in words:
            return self._place[0]
        if last in ("state", "region", "province", "district") and "city" in " ".join(self._table.columns):
            return self._place[1]
        if "street" in words or "address" in words or "address1" in words:
            return f"{self._rng.randrange(10, 990)} {self._rng.choice(_STREETS)}"
        if last in ("url", "website", "link", "href", "homepage"):
            return f"https://example.org/{self._rng.choice(_FIRST).lower()}/{self._number + 1}"
        if last in ("ip", "address_ip"):
            return f"192.0.2.{self._rng.randrange(1, 250)}"
        for word in reversed(words):
            if word in _WORDS_OF:
                return self._rng.choice(_WORDS_OF[word])
        if {"description", "note", "notes", "comment", "comments", "body", "message", "text", "content"} & set(words):
            return self._rng.choice(_SENTENCES)
        if {"code", "number", "no", "sku", "reference", "ref", "token", "key", "hash", "id", "uuid", "serial"} & set(
            words
        ):
            return f"{''.join(self._rng.choices('ABCDEFGHKLMNPRSTUVW', k=2))}-{self._rng.randrange(1000, 9999)}"
        return f"{self._rng.choice(_FIRST)} {self._rng.choice(_SECOND)}".lower()
