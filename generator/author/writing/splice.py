"""Replace functions and constants of a program by name, and leave the rest of its text as it is."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection

from runtime.sandbox.module import parse


def with_parts(code: str, changed: str) -> str:
    """Return a program in which functions and constants of the top level are as they were changed; new ones come first.

    What is not valid Python is put at the end, where the gate finds it.
    """
    code, changed = (textwrap.dedent(each).strip("\n") + "\n" for each in (code, changed))
    try:
        places, parts = parts_of(code), parts_of(changed)
    except SyntaxError:
        return f"{code}\n\n{changed}"
    lines = code.splitlines()
    for name, (first, last) in sorted(places.items(), key=lambda part: -part[1][0]):
        if name in parts:
            start, end = parts[name]
            lines[first - 1 : last] = changed.splitlines()[start - 1 : end]
    new = [changed.splitlines()[start - 1 : end] for name, (start, end) in parts.items() if name not in places]
    at = min((first for first, _ in places.values()), default=1) - 1
    lines[at:at] = [line for part in new for line in (*part, "")]
    return "\n".join(lines) + "\n"


def parts_of(code: str) -> dict[str, tuple[int, int]]:
    """Return the first and the last line of each function and constant of the top level; errors: SyntaxError."""
    places: dict[str, tuple[int, int]] = {}
    for node in parse(code).body:
        first = node.lineno
        if isinstance(node, ast.FunctionDef):
            name = node.name
            first = min([first, *(mark.lineno for mark in node.decorator_list)])
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            name = ast.unparse(target)
        else:
            continue
        places[name] = (first, node.end_lineno or node.lineno)
    return places


def without_parts(code: str, names: Collection[str]) -> str:
    """Return a program without some functions and constants of the top level."""
    lines = code.splitlines(keepends=True)
    for name, (first, last) in reversed(parts_of(code).items()):
        if name in names:
            del lines[first - 1 : last]
    return "".join(lines)
