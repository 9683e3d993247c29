"""What one pass through a block of statements costs: a step is about what a turn of an empty loop takes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from runtime.sandbox.allowed import BOUNDED_NAMES, CHARGED_METHODS, KEYED_METHODS

FREE = 2.0
"""What every block may hold besides its own step: a call and a few names, as most do."""


def price(block: Iterable[ast.AST]) -> int:
    """The steps of a block; loops, functions and comprehensions in it pay for their own turns."""
    return 1 + max(0, round(sum(_price_of(node) for node in _nodes_of(block)) - FREE))


def _nodes_of(block: Iterable[ast.AST]) -> Iterator[ast.AST]:
    waiting = list(block)
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.For):
            waiting.append(node.iter)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            waiting.append(node.generators[0].iter)
        elif not isinstance(node, ast.FunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def _price_of(node: ast.AST) -> float:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return 4 if name in BOUNDED_NAMES else 0.5
        case ast.Call(func=ast.Attribute(attr=name)):
            return 8 if name in CHARGED_METHODS else 4 if name in KEYED_METHODS else 1
        case ast.Call():
            return 1
        case ast.Dict() | ast.Set():
            return 1 + len(getattr(node, "values", ())) / 8
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return 0.5 + len(elements) / 16
        case ast.JoinedStr():
            return 1
        case ast.FormattedValue(format_spec=spec):
            return 2 if spec is None else 12
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return 3
        case ast.For() | ast.FunctionDef() | ast.Lambda() | ast.Try():
            return 1
        case ast.BinOp() | ast.AugAssign() | ast.Compare() | ast.Subscript():
            return 0.5
        case ast.Raise():
            return 4
        case ast.expr() | ast.stmt():
            return 0.1
    return 0
