"""An edit: one small change to the syntax tree of a tool, and the words that show it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "dropped condition of a query",
    "changed comparison of a query",
    "changed number of a query",
    "changed operation of a query",
    "swapped column of a query",
    "changed order",
    "negated condition",
    "changed comparison",
    "changed connective",
    "dropped condition",
    "changed number",
    "flipped flag",
    "changed operation",
    "changed clock",
    "dropped jump",
    "swapped state",
    "dropped write",
    "dropped column",
    "swapped column",
    "swapped results",
    "dropped rejection",
    "changed rejection",
]
DROPPED = "(dropped)"
_LONGEST = 100  # characters of either side in a description


@dataclass(frozen=True)
class CodeEdit:
    """A node of the tree that gives way to another, or to statements that may be none."""

    target: ast.AST
    replacement: ast.AST | list[ast.stmt]
    kind: Kind
    before: str
    after: str
    line: int

    @property
    def description(self) -> str:
        """The change on one line."""
        return f"{_short(self.before)} -> {_short(self.after)}"


def edit(kind: Kind, target: ast.AST, replacement: ast.AST | list[ast.stmt]) -> CodeEdit:
    """An edit that is described by the code of both nodes."""
    after = ast.unparse(replacement) if isinstance(replacement, ast.AST) else DROPPED
    return CodeEdit(target, replacement, kind, ast.unparse(target), after, getattr(target, "lineno", 1))


def apply_edit(tree: ast.stmt, change: CodeEdit) -> ast.stmt:
    """A statement with one edit; whatever the edit does not touch is shared with the original."""
    edited = _edited(tree, change)
    assert isinstance(edited, ast.stmt)
    return edited


def _edited(node: ast.AST, change: CodeEdit) -> ast.AST:
    if node is change.target:
        assert isinstance(change.replacement, ast.AST)
        return change.replacement
    fields = {name: getattr(node, name) for name in node._fields if hasattr(node, name)}
    for name, value in fields.items():
        if isinstance(value, ast.AST):
            fields[name] = _edited(value, change)
        elif isinstance(value, list):
            fields[name] = _edited_list(value, change)
            if name == "body" and value and not fields[name]:
                fields[name] = [ast.Pass()]
    if all(fields[name] is getattr(node, name) for name in fields):
        return node
    return ast.copy_location(type(node)(**fields), node)


def _edited_list(values: list[ast.AST], change: CodeEdit) -> list[ast.AST]:
    edited: list[ast.AST] = []
    for value in values:
        if value is change.target and isinstance(change.replacement, list):
            edited += change.replacement
        else:
            edited.append(_edited(value, change) if isinstance(value, ast.AST) else value)
    unchanged = len(edited) == len(values) and all(one is other for one, other in zip(edited, values, strict=True))
    return values if unchanged else edited


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
