"""Code of a twin's scenarios; the forge's writer lays it out."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from textwrap import wrap

from generator.twin.phrases import Wording

_WIDTH = 96  # of a text before it is cut


def in_code(text: str) -> str:
    """Return a text as code, cut between words where it is long."""
    parts = wrap(text, _WIDTH, break_long_words=False, break_on_hyphens=False, drop_whitespace=False) or [""]
    return " ".join(json.dumps(part, ensure_ascii=False) for part in parts)


def call(start: str, function: str, arguments: Sequence[str]) -> list[str]:
    """Return a call."""
    return [f"{start}{function}({', '.join(arguments)})"]


def pick(
    variable: str, table: str, conditions: Sequence[str], values: Sequence[str] = (), only: Sequence[str] = ()
) -> list[str]:
    """Return the pick of a row that meets all of these conditions."""
    where = in_code(" AND ".join(conditions) or "1")
    if len(where) > _WIDTH:
        where = '"""\n' + "\nAND ".join(conditions) + '\n"""'
    return call(f"{variable} = ", "story.pick", [in_code(table), where, *values, *only])


def wish(
    wording: Wording,
    marks: Mapping[str, str],
    *,
    start: str = "",
    function: str = "story.wish",
    first: str = "",
    is_short: bool = True,
) -> list[str]:
    """Return a request in three registers."""
    told = ", ".join(in_code(each) for each in (wording.plain, wording.formal, wording.casual))
    short = [f"short={in_code(wording.short)}"] if is_short else []
    given = [f"{mark}={value}" for mark, value in marks.items()]
    return call(start, function, [*([first] if first else []), f"({told})", *short, *given])


def in_short(wish: str, short: str, marks: Mapping[str, str]) -> list[str]:
    """Return the short clause of a request that keeps something back."""
    return call("", "story.in_short", [wish, in_code(short), *(f"{mark}={value}" for mark, value in marks.items())])
