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

from generator.twin.settled import SettledTable
from generator.twin.source import SourceColumn
from generator.twin.words import is_person, referring, tokens, word_set
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
GIVEN = word_set("first_name given_name firstname fname forename")
FAMILY = word_set("last_name family_name lastname lname surname")
_GROUPS = word_set(
    "agency association band branch brand business campaign chain channel clinic club college community "
    "company department distributor division employer firm fund group hospital hotel institution issuer label list "
    "manufacturer merchant office org organisation organization partner project provider publisher restaurant school "
    "server service shop site store studio supplier team tenant university vendor workspace"
)
_ORDER = {  # of two columns whose names differ in one word alone, as starts_at and ends_at do
    first: word_set(seconds)
    for firsts, seconds in (
        ("start starts started starting begin begins began beginning", "end ends ended ending finish finished stop"),
        ("from since", "to until till"),
        ("in checkin", "out checkout"),
        ("min minimum least low lower", "max maximum most high upper"),
        ("open opens opened opening", "close closes closed closing due"),
        ("created", "updated modified closed deleted"),
        ("issued borrowed hired", "due expires expired returned left terminated"),
        ("ordered shipped pickup", "shipped delivered return dropoff"),
        ("birth born first", "death died last"),
    )
    for first in firsts.split()
}


def holds_people(table: SettledTable) -> bool:
    """Return whether the rows of a table are people: by its noun, or as they have an email and are no organizations."""
    if is_person(table) or not GIVEN.isdisjoint(table.columns):
        return True
    has_email = any(name in ("email", "e_mail", "mail", "email_address") for name in table.columns)
    return has_email and _GROUPS.isdisjoint(table.noun.lower().split())


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
            for other in sorted(_ORDER.get(word, ())):
                if second := known.get((*words[:at], other, *words[at + 1 :])):
                    yield name, second


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
        self._is_person = holds_people(table)
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
            return round(self._rng.uniform(30, 45) * (-2 if words[0].startswith("lo") else 1), column.decimals or 4)
        if {"rate", "tax", "ratio", "share"} & set(words):
            return round(self._rng.uniform(0.02, 0.3), column.decimals or 2)
        whole = self._rng.randint(least, most)
        decimals = 2 if column.decimals is None else column.decimals
        return round(whole - self._rng.choice((0.01, 0.05, 0.5)), decimals) if whole > 1 else float(whole)

    def _text(self, column: SourceColumn) -> str:
        listed: list[str] = re.findall("'%?([^'%]+)%?'", self._checked)
        if listed and re.search(rf"\b{column.name}\b", self._checked):
            return self._rng.choice(listed)
        rng, name, words = self._rng, column.name, tokens(column.name)
        own, last = set(words), words[-1]
        pair = f"{rng.choice(_FIRST)} {rng.choice(_SECOND)}"
        if column.secret:
            return f"made-up-{rng.getrandbits(96):024x}"
        if column.form == "uuid" or column.longest == 36 or own & {"uuid", "guid"}:
            return str(UUID(int=rng.getrandbits(128), version=4))
        if column.form == "uri" or last in ("url", "uri", "website", "link", "href", "homepage"):
            return f"https://example.org/{pair.split()[0].lower()}/{self._number + 1}"
        if column.form == "email" or "email" in name or "mail" in own:
            return f"{self._given}.{self._family}{self._number + 2}@example.org".lower()
        if name in GIVEN:
            return self._given
        if name in FAMILY:
            return self._family
        if own & {"user", "login", "username", "nickname", "handle"} and last in (
            "name",
            "username",
            "login",
            "handle",
        ):
            return f"{self._given}{self._number + 2}".lower()
        if name == "contact_name" or last == "contact" or (last == "name" and "company" not in own and self._is_person):
            return f"{self._given} {self._family}"
        if last in ("name", "title", "label", "subject", "caption", "headline", "company", "brand", "model"):
            return pair
        kinds: tuple[tuple[str, Callable[[], str]], ...] = (
            ("phone mobile tel fax telephone cell", lambda: f"(614) 555-{rng.randrange(100, 200):04d}"),
            ("zip zipcode postal postcode", lambda: self._place[2]),
            ("city town", lambda: self._place[0]),
            ("ip", lambda: f"192.0.2.{rng.randrange(1, 250)}"),
            ("mac", lambda: ":".join(f"{rng.randrange(256):02x}" for _ in range(6))),
            ("domain host hostname", lambda: f"{pair.replace(' ', '-').lower()}.example.org"),
            ("slug", lambda: f"{pair.replace(' ', '-').lower()}-{self._number + 2}"),
            ("street address address1", lambda: f"{rng.randrange(10, 990)} {rng.choice(_STREETS)}"),
        )
        for known, made in kinds:
            if own & set(known.split()):
                return made()
        if last in ("state", "region", "province", "district") and "city" in " ".join(self._table.columns):
            return self._place[1]
        for word in reversed(words):
            if word in _WORDS_OF:
                return rng.choice(_WORDS_OF[word])
        if own & {"description", "note", "notes", "comment", "comments", "body", "message", "text", "content"}:
            return rng.choice(_SENTENCES)
        if own & {"code", "number", "no", "sku", "reference", "ref", "token", "key", "hash", "id", "serial"}:
            return f"{''.join(rng.choices('ABCDEFGHKLMNPRSTUVW', k=2))}-{rng.randrange(1000, 9999)}"
        return pair.lower()
