"""Find SQL whose text is put together from values: an argument of a call, or what a row holds, belongs behind a `?`."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator

from runtime.sandbox.syntax import children, walk

_READING = ("select", "first", "value")
_GROWING = ("append", "extend", "insert")
_COUNTING = ("len", "bool", "range")


def faults_of_sql_text(source: ast.Module, handles: Collection[str] = frozenset({"db"})) -> Iterator[tuple[int, str]]:
    """The line of each statement whose text holds a value, and a sentence about it; `handles` name databases."""
    values = _Values(source)
    for function in values.functions.values():
        for call in _calls(function):
            match call:
                case ast.Call(func=ast.Attribute(value=ast.Name(id=handle), attr=verb), args=[text, *_]) if (
                    handle in handles
                ):
                    name = values.named_in(text, function) if verb in _READING else None
                    if name is not None:
                        yield call.lineno, f"the SQL text holds the value of {name!r}; pass it as a parameter (?)."


class _Values:
    """Follows texts within one file back to parameters; a text made of constants alone, however chosen, holds none."""

    def __init__(self, source: ast.Module) -> None:
        self.functions = {each.name: each for each in source.body if isinstance(each, ast.FunctionDef)}
        self._bound = {name: _bindings(function) for name, function in self.functions.items()}
        self._calls: dict[str, list[tuple[ast.Call, ast.FunctionDef]]] = defaultdict(list)
        for function in self.functions.values():
            for call in _calls(function):
                if isinstance(call.func, ast.Name):
                    self._calls[call.func.id].append((call, function))
        self._under_way: set[tuple[str, str]] = set()
        self._choices: set[str] = set()
        self._choices |= {
            target.id
            for each in source.body
            if isinstance(each, ast.Assign) and self._is_choice(each.value)
            for target in each.targets
            if isinstance(target, ast.Name)
        }

    def named_in(self, node: ast.AST, function: ast.FunctionDef) -> str | None:
        """The first name of a value that the text of an expression holds."""
        parts: list[ast.AST]
        match node:
            case ast.Name(id=name):
                return self._behind(name, function)
            case ast.Compare() | ast.UnaryOp(op=ast.Not()):
                return None
            case ast.IfExp(body=body, orelse=other):
                parts = [body, other]
            case ast.BoolOp(op=ast.And(), values=values):
                parts = [values[-1]]
            case ast.BinOp(left=ast.Constant() | ast.List() as text, op=ast.Mult()):
                parts = [text]
            case ast.Subscript(value=table):  # whatever chooses among constants is none of the text
                parts = [table]
            case ast.GeneratorExp(elt=element) | ast.ListComp(elt=element) | ast.SetComp(elt=element):
                parts = [element]
            case ast.Call(func=ast.Name(id=name)) if name in _COUNTING:
                return None
            case ast.Call(func=ast.Name(id=name)) if name in self.functions:
                return self._returned(name)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, *others]):
                parts = [table, *others]
            case _:
                parts = children(node)
        return next((found for part in parts if (found := self.named_in(part, function)) is not None), None)

    def _behind(self, name: str, function: ast.FunctionDef) -> str | None:
        """What a name of a function stands for: itself if it is a parameter that is given values."""
        if (function.name, name) in self._under_way:
            return None
        self._under_way.add((function.name, name))
        try:
            if any(self.named_in(each, function) is not None for each in self._bound[function.name][name]):
                return name
            parameters = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            for position, parameter in enumerate(parameters):
                if parameter.arg == name and not self._is_choice(parameter.annotation):
                    return name if self._is_given_values(function, position, name) else None
            others = (function.args.vararg, function.args.kwarg)
            return name if any(each is not None and each.arg == name for each in others) else None
        finally:
            self._under_way.remove((function.name, name))

    def _is_given_values(self, function: ast.FunctionDef, position: int, name: str) -> bool:
        """Whether a parameter holds a value: of a tool always, of a function beside it if a call gives it one."""
        if function.decorator_list:
            return True
        for call, caller in self._calls[function.name]:
            given = [*call.args[position : position + 1], *(each.value for each in call.keywords if each.arg == name)]
            if any(self.named_in(each, caller) is not None for each in given):
                return True
        return False

    def _returned(self, name: str) -> str | None:
        function = self.functions[name]
        returned = [each.value for each in walk(function) if isinstance(each, ast.Return) and each.value]
        if (name, "return") in self._under_way:
            return None
        self._under_way.add((name, "return"))
        try:
            return next((found for each in returned if (found := self.named_in(each, function)) is not None), None)
        finally:
            self._under_way.remove((name, "return"))

    def _is_choice(self, annotation: ast.expr | None) -> bool:
        """Whether a parameter takes one of a few constants, which may stand in SQL (`ORDER BY label {direction}`)."""
        match annotation:
            case ast.Name(id=name):
                return name in self._choices
            case ast.Subscript(value=ast.Name(id="Literal")):
                return True
            case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=[kind, *_])):
                return self._is_choice(kind)
        return False


def _bindings(function: ast.FunctionDef) -> dict[str, list[ast.expr]]:
    """What each name of a function is bound to, loops and growing lists included."""
    bound: dict[str, list[ast.expr]] = defaultdict(list)
    for node in walk(function):
        targets: list[ast.expr] = []
        value: ast.expr | None = None
        match node:
            case ast.Assign():
                targets, value = node.targets, node.value
            case ast.AugAssign() | ast.AnnAssign() | ast.NamedExpr():
                targets, value = [node.target], node.value
            case ast.For() | ast.comprehension():
                targets, value = [node.target], node.iter
            case ast.Call(func=ast.Attribute(value=ast.Name() as grown, attr=verb), args=[*_, last]) if (
                verb in _GROWING
            ):
                targets, value = [grown], last
        if value is not None:
            for name in [each for target in targets for each in walk(target) if isinstance(each, ast.Name)]:
                bound[name.id].append(value)
    return bound


def _calls(function: ast.FunctionDef) -> Iterator[ast.Call]:
    return (node for node in walk(function) if isinstance(node, ast.Call))
