"""Which new values the users of a twin ask for: code that chooses one, by what the column is and what rows hold."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Any

from generator.twin.invented import NAMES
from generator.twin.phrases import in_code
from generator.twin.source import SettledTable, SourceColumn
from generator.twin.words import VALUES, is_note, is_person, is_technical, money_minor, referring, tokens

_WANTED = VALUES["wanted"]
_FIRST, _LAST = _WANTED["first"].split(), _WANTED["last"].split()
_DAYS = (20, 23, 27, 31)
_SHARES = (0.8, 1.1, 1.3, 1.6, 2)  # of what is usual, as new amounts
_MOST_WORDS, _LONGEST = 4, 40  # of a value that people say by the way
_LEAST_OPTIONS = 2
_LONGEST_CODE = 4  # letters of an abbreviation
_SMALL = 10  # dollars; prices below it have cents


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
        return _numbers(own, given)
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
        pairs = map(" ".join, zip(_FIRST, _LAST, strict=True))
        return list(_FIRST if "first" in parts else _LAST if "last" in parts else pairs)
    texts = [each for each in dict.fromkeys(given) if _is_short(each)]
    names = [each for each in texts if " " in each][:12]
    if column == table.label and len(names) > len(texts) // 2:
        mixed = [f"{one.rsplit(' ', 1)[0]} {other.rsplit(' ', 1)[1]}" for one, other in pairwise(names)]
        return [each for each in mixed if each not in given and _is_short(each)][:6]
    if any(column in unique for unique in table.uniques):
        return [other for text in texts[:5] if (other := _other_code(text)) not in given and other != text]
    return texts[:6] if len(texts) >= 3 else []


def _numbers(own: SourceColumn, given: Sequence[Any]) -> list[Any]:
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
