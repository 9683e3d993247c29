"""Where an iterator may be made: only where it is used up, so that none is kept and none nests without end."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from runtime.sandbox.allowed import BUILTINS, ITERATING_METHODS, ITERATORS
from runtime.sandbox.syntax import children, walk

MAX_NESTED = 6
_ONLY_ARGUMENT = {"max": 0, "min": 0, "reduce": 1, "sum": 0, "defaultdict": 1, "isinstance": None}
"""Functions that may give an argument back as it is, and the one of their arguments that they use up."""

_NESTING = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def kept_iterators(tree: ast.Module, imported: dict[str, str]) -> Iterator[tuple[ast.AST, str]]:
    """Every iterator that is made where it could be kept, and every one that is nested too deep."""
    makers = {name for name in ITERATORS if name in BUILTINS or name in imported or name == "reversed"}
    consumers = BUILTINS | imported.keys()
    used_up: set[int] = set()
    called: set[int] = set()
    nodes = walk(tree)
    for node in nodes:
        used_up.update(map(id, _used_up_by(node, consumers)))
        if isinstance(node, ast.Call):
            called.add(id(node.func))
    for node in nodes:
        match node:
            case ast.GeneratorExp() if id(node) not in used_up:
                yield node, "a generator that is kept; write a list comprehension, in brackets"
            case ast.Call(func=ast.Name(id=name)) if name in makers and id(node) not in used_up:
                yield node, f"an iterator that is kept; write list({name}(...))"
            case ast.Name(id=name, ctx=ast.Load()) if name in makers and id(node) not in called:
                yield node, f"{name!r} as a value; call it where its values are used up"
            case ast.FunctionDef() if _depth(node) > MAX_NESTED:
                yield node, f"more than {MAX_NESTED} comprehensions or lambdas within one another; write a for loop"


def _used_up_by(node: ast.AST, consumers: frozenset[str] | set[str]) -> list[ast.expr]:
    match node:
        case ast.For() | ast.comprehension():
            return [node.iter]
        case ast.Starred():
            return [node.value]
        case ast.Assign(targets=[ast.Tuple() | ast.List()]):
            return [node.value]
        case ast.Compare():
            return [right for op, right in zip(node.ops, node.comparators, strict=True) if isinstance(op, ast.In)]
        case ast.Call(func=ast.Attribute(attr=name), args=arguments) if name in ITERATING_METHODS:
            return arguments
        case ast.Call(func=ast.Name(id=name), args=arguments) if name in consumers:
            if name not in _ONLY_ARGUMENT:
                return arguments
            place = _ONLY_ARGUMENT[name]
            alone = name not in ("max", "min") or len(arguments) == 1
            return arguments[place : place + 1] if place is not None and alone else []
    return []


def _depth(node: ast.AST) -> int:
    """How many comprehensions and lambdas stand within one another, at most."""
    within = max(map(_depth, children(node)), default=0)
    return within + isinstance(node, _NESTING)
