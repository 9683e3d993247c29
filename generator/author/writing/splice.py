"""Replace functions and constants of a program by name, and leave the rest of its text as it is."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass

from runtime.sandbox.module import parse

_INVALID = "# What follows is not valid Python."


def with_parts(code: str, changed: str) -> str:
    """Return a program in which functions and constants of the top level are as they were changed; new ones come first.

    What is not valid Python is put at the end, where the gate finds it, until the next change takes its place.
    """
    code = code.partition(_INVALID)[0]
    code, changed = (textwrap.dedent(each).strip("\n") + "\n" for each in (code, changed))
    try:
        places, parts = parts_of(code), parts_of(changed)
    except SyntaxError:
        return f"{code}\n\n{_INVALID}\n{changed}"
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


@dataclass(frozen=True)
class Piece:
    """A function or a constant of the top level: decorators, head with docstring, and body; a constant is all body."""

    marks: str
    head: str
    body: str

    def __str__(self) -> str:
        return f"{self.marks}{self.head}{self.body}"

    @property
    def plain_body(self) -> str:
        """The block without its indentation."""
        return textwrap.dedent(self.body)


def pieces_of(code: str) -> dict[str, Piece]:
    """Return the functions and constants of the top level by name; errors: SyntaxError."""
    lines = [f"{line}\n" for line in code.splitlines()]
    functions = {node.name: node for node in parse(code).body if isinstance(node, ast.FunctionDef)}
    found = {}
    for name, (first, last) in parts_of(code).items():
        node, head, start = functions.get(name), first - 1, first - 1
        if node is not None:
            doc = node.body[0]
            has_doc = isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant)
            start, head = node.lineno - 1, (doc.end_lineno or doc.lineno) if has_doc else doc.lineno - 1
        cuts = (first - 1, start, head, last)
        found[name] = Piece(*("".join(lines[low:high]) for low, high in zip(cuts, cuts[1:], strict=False)))
    return found


def carry(code: str, old: str, new: str) -> str:
    """Return a program with what differs between two renderings of it; the rest, and what only code has, stays."""
    mine, before, after = pieces_of(code), pieces_of(old), pieces_of(new)
    changed = []
    for name, piece in after.items():
        was, own = before.get(name), mine.get(name)
        if was is not None and own is not None and piece != was:
            marks, head = own.marks if piece.marks == was.marks else piece.marks, own.head
            piece = Piece(marks, head if piece.head == was.head else piece.head, piece.body)
        changed += [str(piece)] if after[name] != was else []
    gone = {name for name, piece in before.items() if piece.marks and name not in after}
    lines = code.splitlines()
    for name, (first, last) in reversed(parts_of(code).items() if gone else ()):
        if name in gone:
            del lines[first - 1 : last]
    return with_parts("\n".join(lines), "\n\n".join(changed)) if changed or gone else code
