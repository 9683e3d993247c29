"""How the code of a twin's scenarios is laid out: calls on one line where they fit, long texts on several."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from generator.twin.phrases import Wording

_WIDTH = 112


def in_code(text: str) -> str:
    """A text as code."""
    return json.dumps(text, ensure_ascii=False)


def call(start: str, function: str, arguments: Sequence[str]) -> list[str]:
    """A call, on one line if it fits."""
    line = f"{start}{function}({', '.join(arguments)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return [line]
    indent = " " * (len(start) - len(start.lstrip()))
    inner = [f"{indent}    {line}" for each in arguments for line in f"{each},".split("\n")]
    return [f"{start}{function}(", *inner, f"{indent})"]


def pick(
    variable: str, table: str, conditions: Sequence[str], values: Sequence[str] = (), only: Sequence[str] = ()
) -> list[str]:
    """The pick of a row that meets all of these conditions."""
    where = in_code(" AND ".join(conditions) or "1")
    if len(where) > _WIDTH - 20:
        where = '"""\n    ' + "\n    AND ".join(conditions) + '\n    """'
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
    """A request in three registers."""
    lines = [f"{start}{function}(", *([f"    {first},"] if first else []), "    ("]
    for each in (wording.plain, wording.formal, wording.casual):
        lines += [f"        {line}" for line in _text(each)]
        lines[-1] += ","
    lines.append("    ),")
    if is_short:
        short = list(_text(wording.short))
        lines += [f"    short={short[0]}", *(f"    {line}" for line in short[1:])]
        lines[-1] += ","
    return [*lines, *(f"    {mark}={value}," for mark, value in marks.items()), ")"]


def in_short(wish: str, short: str, marks: Mapping[str, str]) -> list[str]:
    """The short clause of a request that keeps something back."""
    given = [f"{mark}={value}" for mark, value in marks.items()]
    return call("", "story.in_short", [wish, "\n".join(_text(short)), *given])


def _text(words: str) -> Iterator[str]:
    """A text in quotes, cut between words where it is long."""
    line = ""
    for word in words.split(" "):
        if len(line) + len(word) > _WIDTH - 16:
            yield in_code(f"{line} ")
            line = word
        else:
            line = f"{line} {word}" if line else word
    yield in_code(line)
