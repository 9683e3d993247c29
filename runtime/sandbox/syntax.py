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
    """The syntax tree of a text; errors: those of `ast.parse`."""
    with _lock:
        return ast.parse(source, filename)


def compile_tree(tree: ast.Module, filename: str) -> CodeType:
    """The code of a syntax tree; errors: those of `compile`."""
    with _lock:
        code: CodeType = compile(tree, filename, "exec", dont_inherit=True)
        return code


def is_deep(tree: ast.AST, most: int) -> bool:
    """Whether nodes stand within one another more than so many times."""
    level = [tree]
    for _ in range(most):
        level = [child for node in level for child in children(node)]
    return bool(level)


def walk(tree: ast.AST) -> list[ast.AST]:
    """Every node of a tree, in the order of `ast.walk`; it takes a third of the time."""
    nodes = [tree]
    for node in nodes:  # it grows meanwhile
        nodes += children(node)
    return nodes


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below a node, in the order of its fields."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
    return found


def drop_annotations(function: ast.FunctionDef) -> None:
    """Take the types from a function within another one, which would be made again whenever it is defined."""
    arguments = function.args
    function.returns = None
    for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if each is not None:
            each.annotation = None
