"""Which functions of a file reach themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from runtime.sandbox.syntax import walk


def recursions(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Functions that reach themselves by mentioning one another, whether called, passed on or held by a constant."""
    lines: dict[str, int] = {}
    mentions: dict[str, set[str]] = {}
    constants = {id(each) for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign | ast.ClassDef)}
    for node in walk(tree):
        match node:
            case ast.FunctionDef(name=name):
                inner = set(_loads(node)) - _locals(node)
                lines.setdefault(name, node.lineno)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function)
                | ast.NamedExpr(target=ast.Name(id=name), value=ast.Lambda() as function)
            ):
                inner = set(_loads(function)) - {each.arg for each in function.args.args}
                lines.setdefault(name, node.lineno)
            case (
                ast.Assign(targets=[ast.Name(id=name)])
                | ast.AnnAssign(target=ast.Name(id=name))
                | ast.ClassDef(name=name)
            ) if id(node) in constants:
                inner = set(_loads(node))
            case _:
                continue
        mentions.setdefault(name, set()).update(inner)
    circles = _in_circles(mentions)
    yield from ((line, repr(name)) for name, line in lines.items() if name in circles)


def _in_circles(mentions: dict[str, set[str]]) -> set[str]:
    """The names that lead back to themselves, in one pass over all (Tarjan's strongly connected components)."""
    found = {name for name, mentioned in mentions.items() if name in mentioned}
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}  # of the names that a name reaches and that are still open
    opened: list[str] = []
    is_open: set[str] = set()
    for start in mentions:
        path = [] if start in number else [(start, iter(mentions[start]))]
        while path:
            name, rest = path[-1]
            if name not in number:
                number[name] = lowest[name] = len(number)
                opened.append(name)
                is_open.add(name)
            following = next((each for each in rest if each in mentions), None)
            if following is not None:
                if following not in number:
                    path.append((following, iter(mentions[following])))
                elif following in is_open:
                    lowest[name] = min(lowest[name], number[following])
                continue
            path.pop()
            if path:
                above = path[-1][0]
                lowest[above] = min(lowest[above], lowest[name])
            if lowest[name] == number[name]:
                circle: list[str] = []
                while not circle or circle[-1] != name:
                    circle.append(opened.pop())
                is_open.difference_update(circle)
                if len(circle) > 1:
                    found.update(circle)
    return found


def _loads(node: ast.AST) -> Iterator[str]:
    for each in walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id


def _locals(function: ast.FunctionDef) -> set[str]:
    """Names that the function binds to something else than a function."""
    arguments = function.args
    names = {each.arg for each in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    for node in walk(function):
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Lambda):
            names |= {each.id for each in node.targets if isinstance(each, ast.Name)}
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def passes_itself(call: ast.Call) -> bool:
    """Whether a function is an argument of a call of itself."""
    arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
    return isinstance(call.func, ast.Name) and any(
        isinstance(each, ast.Name) and each.id == call.func.id for each in arguments
    )
