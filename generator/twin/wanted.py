"""Which new values the users of a twin ask for: code that chooses one, by what the column is and what rows hold."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from generator.twin.code import call, in_code
from generator.twin.settled import SettledTable
from generator.twin.source import SourceColumn
from generator.twin.words import is_note, is_person, is_technical, money_minor, referring, tokens

_FIRST = ("Denise", "Miguel", "Priya", "Kevin", "Aaliyah", "Tom", "Hannah", "Marcus")
_LAST = ("Walker", "Ortega", "Raman", "Tran", "Brooks", "Kowalski", "Lindgren", "Bell")
_PHONES = ("(614) 555-0142", "(614) 555-0168", "(740) 555-0186", "(503) 555-0119", "(919) 555-0177")
_EMAILS = ("front.desk@example.com", "hello.there@example.org", "mail.me@example.net", "my.inbox@example.com")
_STREETS = ("1418 Maple Ave", "27 Cedar Ln", "905 5th St", "360 Oak St", "88 Harbor Rd")
_NOTES = (
    *("Please call before you come", "Leave it at the front desk on Friday", "Ask for Denise at the side entrance"),
    *("Paid in cash at the counter today", "Prefers to be reached in the morning"),
)
_STATES = frozenset(("state", "status", "stage", "phase"))
_CONTACTS = frozenset(("email", "phone", "tel", "telephone", "mobile", "fax"))
_MOVABLE = frozenset(
    (
        "appointment",
        "arrival",
        "deadline",
        "delivery",
        "departure",
        "due",
        "end",
        "ends",
        "event",
        "expires",
        "expiry",
        "pickup",
    )
    + ("required", "return", "scheduled", "start", "starts", "until", "valid", "visit")
)
_DAYS = (20, 23, 27, 31)
_MOST_WORDS, _LONGEST = 4, 40  # of a value that people say by the way
_LEAST_OPTIONS = 2
_LONGEST_CODE = 4  # letters of an abbreviation
_SMALL = 10  # dollars; prices below it have cents


@dataclass(frozen=True)
class Wanted:
    """A new value: code that chooses it, and which wording fits."""

    lines: tuple[str, ...]
    wording: str
    rank: int
    """The lower, the sooner people would ask for it."""
    options: int = 2
    """How many values there are at least."""


def wanted(
    table: SettledTable, column: str, words: str, rows: Sequence[Mapping[str, Any]], variable: str = "value"
) -> Wanted | None:
    """A new value for a column, in a variable; None if nobody would say one."""
    own, parts = table.columns[column], {*tokens(column)}
    if is_technical(own) or column in referring(table) or column in table.key:
        return None
    name = in_code({"value": f"new {words}", "other": f"other {words}"}.get(variable, words))
    if own.choices:
        said = {_aloud(each): each for each in own.choices}
        wording, rank = ("mark", 0) if parts & _STATES else ("correct", 3)
        return _chosen(variable, name, said, wording, rank)
    if own.kind == "boolean":
        is_state = words.endswith(("ed", "ive", "able")) and " " not in words
        return _chosen(variable, name, {words: True, f"no longer {words}": False}, "mark", 4) if is_state else None
    if own.kind in ("date", "timestamp"):
        return _a_day(own, variable, name)
    options = dict.fromkeys(each for each in _options(table, column, rows) if _is_allowed(table, column, each))
    if money_minor(own) is not None:
        return _chosen(variable, name, options, "amount", 1, f"story.money(|, minor={money_minor(own)})")
    if own.kind in ("integer", "real"):
        return _chosen(variable, name, options, "amount", 2)
    if is_note(own):
        return _chosen(variable, name, options, "note", 4, f"story.dictate({in_code(words)}, |)")
    is_contact = not parts.isdisjoint(_CONTACTS)
    return _chosen(variable, name, options, "contact" if is_contact else "correct", 1 if is_contact else 3)


def _chosen(
    variable: str, name: str, options: Mapping[Any, Any], wording: str, rank: int, around: str = "|"
) -> Wanted | None:
    """A value that is chosen among options, by the words for them where they have some."""
    if len(options) < _LEAST_OPTIONS:
        return None
    shown = f"({', '.join(map(_literal, options))})"
    if set(options.values()) != {None}:
        shown = "{" + ", ".join(f"{in_code(said)}: {_literal(value)}" for said, value in options.items()) + "}"
    before, after = around.split("|")
    lines = call(f"{variable} = {before}", "story.choose", [name, shown])
    return Wanted((*lines[:-1], f"{lines[-1]}{after}"), wording, rank, len(options))


def _a_day(column: SourceColumn, variable: str, name: str) -> Wanted | None:
    """A day to come, for what can be moved; what happens with a new row happens today."""
    if _MOVABLE.isdisjoint(tokens(column.name)):
        if variable in ("value", "other"):
            return None
        return Wanted(
            (f"{variable} = " + ("story.day(0)" if column.kind == "date" else 'story.moment(0, "09:00")'),), "day", 5
        )
    day = f"story.choose({name}, {_DAYS!r})"
    day = f"story.day({day})" if column.kind == "date" else f'story.moment(story.day({day}), "14:00")'
    return Wanted((f"{variable} = {day}",), "day", 5, len(_DAYS))


def _aloud(choice: str) -> str:
    """A value of a closed set as people say it: in progress for IN_PROGRESS, but PG for PG."""
    is_word = "_" in choice or (choice.isupper() and choice.isalpha() and len(choice) > _LONGEST_CODE)
    return choice.replace("_", " ").lower() if is_word else choice


def _literal(value: Any) -> str:
    return in_code(value) if isinstance(value, str) else repr(value)


def _options(table: SettledTable, column: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    own, parts = table.columns[column], {*tokens(column)}
    given = [row[column] for row in rows if row[column] is not None]
    if own.kind in ("integer", "real"):
        return _numbers(table, column, given)
    if own.kind != "text":
        return []
    if is_note(own):
        return list(_NOTES)
    if "email" in parts or "mail" in parts:
        return list(_EMAILS)
    if parts & (_CONTACTS - {"email"}):
        return list(_PHONES)
    if parts & {"address", "street"} and "ip" not in parts:
        return list(_STREETS)
    if "name" in parts and is_person(table) and "user" not in parts and "company" not in parts:
        pairs = zip(_FIRST, _LAST, strict=True)
        return list(_FIRST if "first" in parts else _LAST if "last" in parts else map(" ".join, pairs))
    texts = [each for each in dict.fromkeys(given) if _is_short(each)]
    names = [each for each in texts if " " in each][:12]
    if column == table.label and len(names) > len(texts) // 2:
        mixed = [f"{one.rsplit(' ', 1)[0]} {other.rsplit(' ', 1)[1]}" for one, other in pairwise(names)]
        return [each for each in mixed if each not in given and _is_short(each)][:6]
    if any(column in unique for unique in table.uniques):
        return [other for text in texts[:5] if (other := _other_code(text)) not in given and other != text]
    return texts[:6] if len(texts) >= 3 else []


def _numbers(table: SettledTable, column: str, given: Sequence[Any]) -> list[Any]:
    own = table.columns[column]
    if {*given} <= {0, 1} and given:  # yes and no as numbers
        return []
    middle = median(given) if given else 20
    minor = money_minor(own)
    if minor is not None:
        dollars = max(1.0, middle / minor)
        if dollars < _SMALL:
            amounts = [round(int(dollars * share * 10) / 10 + 0.09, 2) for share in (0.8, 1.1, 1.3, 1.6, 2)]
        else:
            step = 10 ** max(0, len(str(int(dollars))) - 2) * 5
            amounts = [max(step, round(dollars * share / step) * step) for share in (0.8, 1.1, 1.3, 1.6, 2)]
        return [round(each * minor) for each in amounts] if own.kind == "integer" else amounts
    if own.kind == "real":
        return [round(middle * share, 1) for share in (0.8, 1.1, 1.3, 1.6, 2)]
    if given and all(1900 <= each <= 2100 for each in given):  # a year
        return [2019, 2020, 2021, 2022, 2023]
    step = max(1, round(middle / 4))
    found = [int(middle) + step * number for number in (-2, -1, 1, 2, 3)]
    least, most = own.least if own.least is not None else 1, own.most
    return [each for each in found if each >= least and (most is None or each <= most)]


def _other_code(text: str) -> str:
    """Another code of the same looks: the digits change; empty if there are too few."""
    rng = random.Random(text)
    if sum(letter.isdigit() for letter in text) < 3:
        return text
    return re.sub(r"\d", lambda found: rng.choice([each for each in "123456789" if each != found[0]]), text)


def _is_short(text: Any) -> bool:
    is_text = isinstance(text, str) and text.isprintable() and text.strip() == text and text[-1:] not in ".,;:!?"
    return is_text and 0 < len(text) <= _LONGEST and len(text.split()) <= _MOST_WORDS


def _is_allowed(table: SettledTable, column: str, value: Any) -> bool:
    """Whether the checks of a column alone, and its length, let a value through."""
    longest = table.columns[column].longest
    if isinstance(value, str) and longest is not None and len(value) > longest:
        return False
    with closing(sqlite3.connect(":memory:")) as connection:
        for check in table.checks:
            try:
                (broken,) = connection.execute(f"SELECT ({check}) IS 0 FROM (SELECT ? AS {column})", [value]).fetchone()
            except sqlite3.Error:  # a check of other columns, too
                continue
            if broken:
                return False
    return True
