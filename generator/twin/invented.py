"""Values that nobody gave: rows of a table that has none, and what the users of a twin want a column to be."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from statistics import median
from typing import Any
from uuid import UUID

from generator.twin.phrases import in_code
from generator.twin.source import SettledTable, SourceColumn
from generator.twin.words import VALUES, is_note, is_person, is_technical, money_minor, referring, tokens, word_set
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
_WANTED = VALUES["wanted"]
_WANTED_FIRST, _WANTED_LAST = _WANTED["first"].split(), _WANTED["last"].split()
_DAYS = (20, 23, 27, 31)
_SHARES = (0.8, 1.1, 1.3, 1.6, 2)  # of what is usual, as new amounts
_MOST_WORDS, _LONGEST = 4, 40  # of a value that people say by the way
_LEAST_OPTIONS = 2
_LONGEST_CODE = 4  # letters of an abbreviation
_SMALL = 10  # dollars; prices below it have cents


# Rows


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


# Wishes


@dataclass(frozen=True)
class NewValue:
    """A new value: code that chooses it, and which wording fits."""

    lines: tuple[str, ...]
    wording: str
    rank: int
    """The lower, the sooner people would ask for it."""
    options: int = 2
    """How many values there are at least."""


def wanted(
    table: SettledTable, column: str, words: str, rows: Sequence[Mapping[str, Any]], variable: str = "value"
) -> NewValue | None:
    """Return a new value for a column, in a variable; None if nobody would say one."""
    own, parts = table.columns[column], {*tokens(column)}
    if is_technical(own) or column in referring(table) or column in table.key:
        return None
    name = in_code({"value": f"new {words}", "other": f"other {words}"}.get(variable, words))
    if own.kind in ("date", "timestamp"):
        return _a_day(own, variable, name)
    minor, around = money_minor(own), "|"
    options: Mapping[Any, Any]
    if own.choices:
        options = {_aloud(each): each for each in own.choices}
        wording, rank = ("mark", 0) if parts & NAMES["state"] else ("correct", 3)
    elif own.kind == "boolean":
        is_state = words.endswith(("ed", "ive", "able")) and " " not in words
        options = {words: True, f"no longer {words}": False} if is_state else {}
        wording, rank = "mark", 4
    else:
        options = dict.fromkeys(each for each in _options(table, column, rows) if _is_allowed(table, column, each))
        if minor is not None:
            wording, rank, around = "amount", 1, f"story.money(|, minor={minor})"
        elif own.kind in ("integer", "real"):
            wording, rank = "amount", 2
        elif is_note(own):
            wording, rank, around = "note", 4, f"story.dictate({in_code(words)}, |)"
        else:
            is_contact = parts & NAMES["phone"] or "email" in parts
            wording, rank = ("contact", 1) if is_contact else ("correct", 3)
    if len(options) < _LEAST_OPTIONS:
        return None
    shown = f"({', '.join(map(_literal, options))})"
    if set(options.values()) != {None}:
        shown = "{" + ", ".join(f"{in_code(said)}: {_literal(value)}" for said, value in options.items()) + "}"
    line = f"{variable} = {around.replace('|', f'story.choose({name}, {shown})', 1)}"
    return NewValue((line,), wording, rank, len(options))


def _a_day(column: SourceColumn, variable: str, name: str) -> NewValue | None:
    """Return a day to come, for what can be moved; what happens with a new row happens today."""
    is_movable, is_date = not NAMES["movable"].isdisjoint(tokens(column.name)), column.kind == "date"
    if not is_movable and variable in ("value", "other"):
        return None
    day = f"story.choose({name}, {_DAYS!r})" if is_movable else "0"
    moment = f'story.moment(story.day({day}), "14:00")' if is_movable else 'story.moment(0, "09:00")'
    line = f"{variable} = {f'story.day({day})' if is_date else moment}"
    return NewValue((line,), "day", 5, len(_DAYS) if is_movable else _LEAST_OPTIONS)


def _aloud(choice: str) -> str:
    """Return a value of a closed set as people say it: in progress for IN_PROGRESS, but PG for PG."""
    is_word = "_" in choice or (choice.isupper() and choice.isalpha() and len(choice) > _LONGEST_CODE)
    return choice.replace("_", " ").lower() if is_word else choice


def _literal(value: Any) -> str:
    return in_code(value) if isinstance(value, str) else repr(value)


def _options(table: SettledTable, column: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    own, parts = table.columns[column], {*tokens(column)}
    given = [row[column] for row in rows if row[column] is not None]
    if own.kind in ("integer", "real"):
        return _amounts(own, given)
    if own.kind != "text":
        return []
    for what, fits in (
        ("notes", is_note(own)),
        ("emails", parts & {"email", "mail"}),
        ("phones", parts & NAMES["phone"]),
        ("streets", parts & {"address", "street"} and "ip" not in parts),
    ):
        if fits:
            return list(_WANTED[what])
    if "name" in parts and is_person(table) and parts.isdisjoint({"user", "company"}):
        pairs = map(" ".join, zip(_WANTED_FIRST, _WANTED_LAST, strict=True))
        return list(_WANTED_FIRST if "first" in parts else _WANTED_LAST if "last" in parts else pairs)
    texts = [each for each in dict.fromkeys(given) if _is_short(each)]
    names = [each for each in texts if " " in each][:12]
    if column == table.label and len(names) > len(texts) // 2:
        mixed = [f"{one.rsplit(' ', 1)[0]} {other.rsplit(' ', 1)[1]}" for one, other in pairwise(names)]
        return [each for each in mixed if each not in given and _is_short(each)][:6]
    if any(column in unique for unique in table.uniques):
        return [other for text in texts[:5] if (other := _other_code(text)) not in given and other != text]
    return texts[:6] if len(texts) >= 3 else []


def _amounts(own: SourceColumn, given: Sequence[Any]) -> list[Any]:
    if {*given} <= {0, 1} and given:  # yes and no as numbers
        return []
    middle = median(given) if given else 20
    minor = money_minor(own)
    if minor is not None:
        dollars = max(1.0, middle / minor)
        step = 10 ** max(0, len(str(int(dollars))) - 2) * 5
        amounts = [max(step, round(dollars * share / step) * step) for share in _SHARES]
        if dollars < _SMALL:
            amounts = [round(int(dollars * share * 10) / 10 + 0.09, 2) for share in _SHARES]
        return [round(each * minor) for each in amounts] if own.kind == "integer" else amounts
    if own.kind == "real":
        return [round(middle * share, 1) for share in _SHARES]
    if given and all(1900 <= each <= 2100 for each in given):  # a year
        return [2019, 2020, 2021, 2022, 2023]
    step = max(1, round(middle / 4))
    found = [int(middle) + step * number for number in (-2, -1, 1, 2, 3)]
    least, most = own.least if own.least is not None else 1, own.most
    return [each for each in found if each >= least and (most is None or each <= most)]


def _other_code(text: str) -> str:
    """Return another code of the same looks: the digits change, if there are three."""
    rng = random.Random(text)
    if sum(letter.isdigit() for letter in text) < 3:
        return text
    return re.sub(r"\d", lambda found: rng.choice([each for each in "123456789" if each != found[0]]), text)


def _is_short(text: Any) -> bool:
    is_text = isinstance(text, str) and text.isprintable() and text.strip() == text and text[-1:] not in ".,;:!?"
    return is_text and 0 < len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS


def _is_allowed(table: SettledTable, column: str, value: Any) -> bool:
    """Return whether the checks of a column alone, and its length, let a value through."""
    is_broken = isinstance(value, str) and len(value) > (table.columns[column].longest or len(value))
    with closing(sqlite3.connect(":memory:")) as connection:
        for check in table.checks:
            with suppress(sqlite3.Error):  # of a check of other columns, too
                row = connection.execute(f"SELECT ({check}) IS 0 FROM (SELECT ? AS {column})", [value]).fetchone()
                is_broken = is_broken or row[0]
    return not is_broken
