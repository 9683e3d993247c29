"""What one pass through a block of statements costs: a step is about what a turn of an empty loop takes."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from runtime.sandbox.allowed import BOUNDED_NAMES, CHARGED_METHODS, KEYED_METHODS, METHODS
from runtime.sandbox.syntax import children

FREE = 1.5
"""What every block may hold besides its own step: a call of a function of the file and a few names, as most do."""


def price(block: Iterable[ast.AST], makers: Collection[str] = ()) -> int:
    """The steps of a block; loops, functions and comprehensions in it pay for their own turns.

    `makers` are the classes of the file and what it imports.
    """
    return 1 + max(0, round(sum(_price_of(node, makers) for node in _nodes_of(block)) - FREE))


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
            waiting += children(node)


def _price_of(node: ast.AST, makers: Collection[str]) -> float:
    match node:
        case ast.Call(func=ast.Name(id=name)):
            return 6 if name in BOUNDED_NAMES or name in makers else 0.5
        case ast.Call(func=ast.Attribute(attr=name)):
            return 12 if name in CHARGED_METHODS else 4 if name in KEYED_METHODS else 0.5 if name in METHODS else 5
        case ast.Call():
            return 1
        case ast.Starred() | ast.keyword(arg=None):
            return 5
        case ast.Dict(keys=keys) if None in keys:
            return 2 + 5 * len(keys)
        case ast.Dict() | ast.Set():
            return 2 + len(getattr(node, "values", ())) / 8
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            return 1 + len(elements) / 16
        case ast.JoinedStr():
            return 1
        case ast.FormattedValue(format_spec=spec):
            return 3 if spec is None else 12
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return 3
        case ast.Lambda() | ast.FunctionDef() | ast.Raise():
            return 5
        case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign(op=ast.Add() | ast.Sub()):
            return 0.5
        case ast.BinOp() | ast.AugAssign():
            return 3
        case ast.UnaryOp(op=ast.UAdd() | ast.USub(), operand=ast.expr() as operand):
            return 0.1 if isinstance(operand, ast.Constant) else 1
        case ast.Compare(comparators=compared):
            plain = all(isinstance(each, ast.Constant) and not isinstance(each.value, float) for each in compared)
            searched = isinstance(node.ops[0], ast.In | ast.NotIn) and not isinstance(compared[0], ast.Tuple | ast.List)
            return 5 if searched else 0.5 if plain else 2
        case ast.For() | ast.Try() | ast.Subscript():
            return 1
        case ast.expr() | ast.stmt():
            return 0.1
    return 0
