"""Parse and compile Python one text at a time.

CPython 3.11 keeps one count of the depth of a syntax tree for all threads, so that two that parse at once can end in
"SystemError: AST constructor recursion depth mismatch".
"""

from __future__ import annotations

import ast
from threading import Lock
from types import CodeType

_lock = Lock()


def parse(source: str, filename: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a text; errors: those of `ast.parse`."""
    with _lock:
        return ast.parse(source, filename)


def compile_tree(tree: ast.Module, filename: str) -> CodeType:
    """Return the code of a syntax tree; errors: those of `compile`."""
    with _lock:
        code: CodeType = compile(tree, filename, "exec", dont_inherit=True)
        return code


def walk(tree: ast.AST) -> list[ast.AST]:
    """Return every node of a tree, parents first."""
    nodes = [tree]
    for node in nodes:  # it grows meanwhile
        nodes += children(node)
    return nodes


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes directly below a node, in the order of its fields, without `ctx`, which says nothing new."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


class _Fields(dict[type[ast.AST], tuple[str, ...]]):
    """The fields of each kind of node that may hold nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        fields = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN)
        self[kind] = fields
        return fields


_PLAIN = frozenset({"ctx", "id", "attr", "arg", "name", "asname", "module", "level", "type_comment", "conversion"})
_FIELDS = _Fields()
