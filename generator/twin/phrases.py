"""Requests and their scenarios as text: the shapes of `sayings.toml`, with words and code in their marks."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Any

from generator.twin.words import capital

SHAPES: dict[str, Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_name("sayings.toml").read_text(encoding="utf-8")
)
REGISTERS = ("plain", "formal", "casual", "short")
_WIDTH = 96  # of a text before it is cut
_MARK = re.compile(r"<(\w(?:[^<>]|<\w[^<>]*>)*)>")


@dataclass(frozen=True)
class Phrase:
    """What a row is called: in a request, and in its short clause, where no value has an ending of ours."""

    words: str
    short: str
    is_bare: bool = False
    """Whether it is a person's name and nothing else."""

    def owns(self, what: str) -> Phrase:
        """Return something that the row has: "Maya's phone number", "the price of the track Crazy"."""
        short = f"the {what} of {self.short}"
        return Phrase(f"{self.words}'s {what}" if self.is_bare else f"the {what} of {self.words}", short)


Part = str | Phrase | Sequence[str] | Callable[..., Sequence[str]]
"""What stands for a mark: words, a row in words, lines of code, or the code for the arguments in the mark."""
Parts = Mapping[str, Part]
NOTHING: Parts = MappingProxyType({})


def requested(
    saying: str,
    parts: Parts,
    row: Phrase | None = None,
    given: Mapping[str, str] = {},
    kept_back: Mapping[str, str] = {},
) -> dict[str, Part]:
    """Return the arguments of a request about a row: whole, without its short clause, and of that clause alone.

    `given` is the code of the values that its words name, `kept_back` of those that only the short clause does.
    """
    told: list[str] = []
    for register in REGISTERS:
        said = {name: part for name, part in parts.items() if isinstance(part, str | Phrase)}
        words = filled(SHAPES[saying][register], _spoken(said, row, is_short=register == "short")).strip()
        told.append(in_code(capital(words) if register in ("plain", "formal") else words))
    (*whole, short), also, back = told, _arguments(given), _arguments(kept_back)
    three = f"({', '.join(whole)})"
    return {
        "request": ", ".join([three, f"short={short}", *also]),
        "untold": ", ".join([three, *also]),
        "in short": ", ".join([short, *also, *back]),
    }


def _spoken(parts: Mapping[str, str | Phrase], row: Phrase | None, *, is_short: bool) -> dict[str, Part]:
    """Return the parts of a request as one register has them, and what the row owns."""
    own: dict[str, str | Phrase] = {}
    if row is not None:
        own = {"row": row, "their": "their" if row.is_bare else "its"}
        if isinstance(column := parts.get("column"), str):
            own["part"] = row.owns(column)

    def said(part: str | Phrase) -> str:
        return part if isinstance(part, str) else part.short if is_short else part.words

    told: dict[str, Part] = {name: said(part) for name, part in {**own, **parts}.items()}
    return told | ({"its": lambda what: [said(row.owns(what))]} if row is not None else {})


def _arguments(given: Mapping[str, str]) -> list[str]:
    return [f"{name}={code}" for name, code in given.items()]


def filled(text: str, parts: Parts) -> str:
    """Return a text with its marks replaced; a line that is one mark becomes as many lines as its code has.

    <Part> is <part> with a capital, and <set row; value> is what the part `set` returns for "row" and "value".
    """
    lines: list[str] = []
    for line in text.strip("\n").splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if _MARK.fullmatch(line.strip()) and not isinstance(found := _part(line.strip()[1:-1], parts), str):
            lines += [indent + each for each in found]
        else:
            lines.append(_MARK.sub(lambda mark: "".join(_part(mark[1], parts)), line))
    return "\n".join(lines)


def _part(mark: str, parts: Parts) -> str | Sequence[str]:
    part = parts.get(mark, parts.get(mark[:1].lower() + mark[1:]))
    if isinstance(part, str):
        return part if mark in parts else capital(part)
    if part is not None and not callable(part):
        assert not isinstance(part, Phrase)
        return part
    name = max((name for name in parts if mark.startswith(f"{name} ")), key=len)
    make, arguments = parts[name], filled(mark.removeprefix(f"{name} "), parts)
    assert callable(make)
    return make(*arguments.split("; "))


def in_code(text: str) -> str:
    """Return a text as code, cut between words where it is long."""
    parts = wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False, drop_whitespace=False) or [""]
    return " ".join(json.dumps(part, ensure_ascii=False) for part in parts)


def pick(
    variable: str, table: str, conditions: Sequence[str], values: Sequence[str] = (), only: Sequence[str] = ()
) -> str:
    """Return the code that picks a row that meets all of these conditions."""
    where = in_code(" AND ".join(conditions) or "1")
    if len(where) > _WIDTH:
        where = '"""\n' + "\nAND ".join(conditions) + '\n"""'
    return f"{variable} = story.pick({', '.join([in_code(table), where, *values, *only])})"
