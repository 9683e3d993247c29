"""How the syntax tree of a domain's file is rewritten: prices are put in, and bounded forms stand for operations."""

from __future__ import annotations

import ast
from typing import TypeVar

from runtime.sandbox.allowed import (
    BOUNDED_NAMES,
    CAUGHT_EXCEPTIONS,
    CHARGED_METHODS,
    HANDLE_ATTRIBUTES,
    KEYED_METHODS,
    METHODS,
)
from runtime.sandbox.prices import price
from runtime.sandbox.syntax import drop_annotations, walk

FREE_ELEMENTS = 16

_OPERATIONS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "add_in_place"),
    ast.Sub: ("subtract", "subtract_in_place"),
    ast.Mult: ("multiply", "multiply"),
    ast.Pow: ("power", "power"),
    ast.FloorDiv: ("floor_divide", "floor_divide"),
    ast.Mod: ("modulo", "modulo"),
    ast.LShift: ("shift_left", "shift_left"),
    ast.BitOr: ("unite", "unite_in_place"),
    ast.BitAnd: ("intersect", "intersect_in_place"),
    ast.BitXor: ("differ", "differ_in_place"),
}
_OTHERS: dict[type[ast.operator], tuple[str, str]] = {ast.Div: ("divide", "divide"), ast.RShift: ("shift_right",) * 2}
_PLACE = ".depth"  # the local variable of each function that says how deep it is within others
_Node = TypeVar("_Node", bound=ast.AST)


class Bounding(ast.NodeTransformer):
    """Puts the price into every loop and function, and the bounded form in place of every operation that could grow."""

    _in_tool = False
    _is_inner = False  # the function that is visited lies within another one
    _is_counted = True  # the function that is visited is one within which others may begin it again
    _mentioned: frozenset[str] = frozenset()
    _makers: frozenset[str] = frozenset()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._mentioned = frozenset(each.id for each in walk(node) if isinstance(each, ast.Name))
        self._makers = frozenset(
            name
            for each in node.body
            if isinstance(each, ast.ImportFrom | ast.ClassDef)
            for name in ([each.name] if isinstance(each, ast.ClassDef) else [alias.name for alias in each.names])
        )
        for statement in node.body:
            if isinstance(statement, ast.FunctionDef):
                self._in_tool = bool(statement.decorator_list)
                self.visit(statement)
            elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
                statement.value = _Constant().visit(statement.value)
            elif isinstance(statement, ast.ClassDef):
                for field in statement.body:
                    if isinstance(field, ast.AnnAssign) and field.value:
                        field.value = _Constant().visit(field.value)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        steps = price(node.body, self._makers)
        self._visit_defaults(node.args)
        is_inner, self._is_inner = self._is_inner, True
        if is_inner:
            drop_annotations(node)
        outer, self._is_counted = self._is_counted, not node.decorator_list or node.name in self._mentioned
        start = int(ast.get_docstring(node, clean=False) is not None)
        first = node.body[min(start, len(node.body) - 1)]
        body = self._visited(node.body[start:]) or [_at(first, ast.Pass())]
        if self._is_counted:
            place = _at(first, ast.Name(_PLACE, ast.Store()))
            left = _at(body[-1], ast.Expr(_call(body[-1], "leave", _at(body[-1], ast.Name(_PLACE, ast.Load())))))
            body = [
                _at(first, ast.Assign([place], _priced(first, "enter", steps))),
                _at(first, ast.Try(body, [], [], [left])),
            ]
        else:
            body.insert(0, _at(first, ast.Expr(_priced(first, "tick", steps))))
        node.body = [*node.body[:start], *body]
        self._is_counted, self._is_inner = outer, is_inner
        return node

    def _visit_defaults(self, arguments: ast.arguments) -> None:
        arguments.defaults = [_Constant().visit(each) for each in arguments.defaults]
        arguments.kw_defaults = [each and _Constant().visit(each) for each in arguments.kw_defaults]

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        if self._in_tool and node.value:
            node.value = _weighed(node.value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        entered = _priced(node.body, "enter", price([node.body], self._makers))
        self._visit_defaults(node.args)
        node.body = _call(node.body, "leave", entered, self.visit(node.body))
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        steps = price([node.target, *node.body], self._makers)
        self.generic_visit(node)
        node.iter = _rows(node.target, node.iter)
        node.body.insert(0, _at(node.body[0], ast.Expr(_priced(node.body[0], "tick", steps))))
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        match node.targets:
            case [ast.Subscript(slice=index) as target] if _keyed(index) is not index:
                return self._put(target, node.value)
        self.generic_visit(node)
        depth = max(map(_depth, node.targets))
        if depth:
            node.value = _call(node.value, "unpacked", node.value, _at(node, ast.Constant(depth)))
        return node

    def _put(self, target: ast.Subscript, value: ast.expr) -> ast.stmt:
        parts = [self.visit(part) for part in (value, target.value, target.slice)]
        return _at(target, ast.Expr(_call(target, "put", *parts)))

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        """Each turn pays for what is made of it and for the conditions and inner loops that lead there."""
        made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        inner = [part for loop in node.generators for part in (loop.target, *loop.ifs)]
        steps = price([*made, *inner, *(loop.iter for loop in node.generators[1:])], self._makers)
        self.generic_visit(node)
        for loop in node.generators:
            loop.iter = _rows(loop.target, loop.iter)
            loop.ifs.insert(0, _priced(loop.iter, "tick", steps))

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        if isinstance(node.target, ast.Subscript) and node.value:
            return self._put(node.target, node.value)
        node.target = self.visit(node.target)
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.ExceptHandler:
        body = self._visited(node.body)
        here = ast.Name(_PLACE, ast.Load()) if self._is_counted else ast.Constant(0)
        node.body = [_at(body[0], ast.Expr(_call(body[0], "return_to", _at(node, here)))), *body]
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        value: ast.expr = self.visit(node.value)
        names = _OPERATIONS.get(type(node.op))
        constant = isinstance(node.target, ast.Subscript) and isinstance(node.target.slice, ast.Constant)
        if isinstance(node.target, ast.Subscript) and not constant:
            names = names or _OTHERS[type(node.op)]
        if names is None or (_is_small_step(node.op, value) and (constant or isinstance(node.target, ast.Name))):
            node.target, node.value = self.visit(node.target), value
            return node
        if isinstance(node.target, ast.Subscript):
            container, index = self.visit(node.target.value), self.visit(node.target.slice)
            operation = _name(node, names[1])
            return _at(node, ast.Expr(_call(node, "augment_item", container, index, operation, value)))
        assert isinstance(node.target, ast.Name)
        read = _at(node, ast.Name(node.target.id, ast.Load()))
        return _at(node, ast.Assign([node.target], _call(node, names[1], read, value)))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        names = _OPERATIONS.get(type(node.op))
        if names is None or _is_small_step(node.op, node.right) or _is_small_step(node.op, node.left):
            return node
        return _call(node, names[0], node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not | ast.Invert) or isinstance(node.operand, ast.Constant):
            return node
        return _call(node, "plus" if isinstance(node.op, ast.UAdd) else "minus", node.operand)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        first, operation, second = node.left, node.ops[0], node.comparators[0]
        if isinstance(operation, ast.In | ast.NotIn):
            if _is_constant(second) or (_is_constant(first) and isinstance(second, ast.Dict)):
                return node
            found = _call(node, "contains", first, second)
            return found if isinstance(operation, ast.In) else _at(node, ast.UnaryOp(ast.Not(), found))
        operands = [node.left, *node.comparators]
        for position, op in enumerate(node.ops):
            pair = operands[position : position + 2]
            if not isinstance(op, ast.Is | ast.IsNot) and not any(map(_is_quickly_compared, pair)):
                operands[position] = _call(operands[position], "side", operands[position])
        node.left, node.comparators = operands[0], operands[1:]
        return node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "isinstance":
            node.args[0] = self.visit(node.args[0])
            return node
        self.generic_visit(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = _call(keyword.value, "spread", keyword.value)
        if isinstance(function, ast.Attribute) and function.attr in CHARGED_METHODS:
            return _at(node, ast.Call(_name(node, "call_method"), [node.func, *node.args], node.keywords))
        if isinstance(function, ast.Attribute) and function.attr in KEYED_METHODS and node.args:
            if _keyed(node.args[0]) is not node.args[0]:
                return _at(node, ast.Call(_name(node, "call_keyed"), [node.func, *node.args], node.keywords))
        elif _is_message(function):
            node.args = [_call(each, "shown", each) if _weighed(each) is not each else each for each in node.args]
        elif _is_outward(function):
            node.args = [_weighed(each) for each in node.args]
            for keyword in node.keywords:
                keyword.value = _weighed(keyword.value)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.Starred:
        self.generic_visit(node)
        node.value = _call(node.value, "spread", node.value)
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.slice, ast.Slice):
            if _keyed(node.slice) is node.slice:
                return node
            if isinstance(node.ctx, ast.Load):
                return _call(node, "item", node.value, node.slice)
            node.value, node.slice = _call(node, "into", node.value), _keyed(node.slice)
            return node
        part = node.slice
        if _is_length(part.lower, none=True) and _is_length(part.upper) and part.step is None:
            return node
        bounds = [each or _at(node, ast.Constant(None)) for each in (part.lower, part.upper, part.step)]
        return _call(node, "cut", node.value, *bounds)

    def visit_Dict(self, node: ast.Dict) -> ast.Dict:
        self.generic_visit(node)
        for position, key in enumerate(node.keys):
            if key is None:
                node.values[position] = _call(node.values[position], "spread", node.values[position])
            else:
                node.keys[position] = _keyed(key)
        return node

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        is_long = len(node.elts) > FREE_ELEMENTS and isinstance(node.ctx, ast.Load)
        return _call(node, "made", node) if is_long else node

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        self.generic_visit(node)
        is_long = len(node.elts) > FREE_ELEMENTS and isinstance(node.ctx, ast.Load) and not _is_constant(node)
        return _call(node, "made", node) if is_long else node

    def visit_Set(self, node: ast.Set) -> ast.Set:
        self.generic_visit(node)
        node.elts = [_keyed(each) for each in node.elts]
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.ListComp:
        self._visit_comprehension(node)
        return node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.GeneratorExp:
        self._visit_comprehension(node)
        return node

    def visit_DictComp(self, node: ast.DictComp) -> ast.expr:
        self._visit_comprehension(node)
        pair = _at(node, ast.Tuple([node.key, node.value], ast.Load()))
        return _call(node, "dict_of", _at(node, ast.GeneratorExp(pair, node.generators)))

    def visit_SetComp(self, node: ast.SetComp) -> ast.expr:
        self._visit_comprehension(node)
        return _call(node, "set_of", _at(node, ast.GeneratorExp(node.elt, node.generators)))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.FormattedValue:
        self.generic_visit(node)
        if node.format_spec is None:
            node.value = _call(node.value, "shown", node.value)
            return node
        value = node.value
        if node.conversion != -1:
            plain = ast.FormattedValue(_call(value, "shown", value), node.conversion, None)
            value = _at(value, ast.JoinedStr([_at(value, plain)]))
        return _at(node, ast.FormattedValue(_call(node, "format", value, node.format_spec), -1, None))

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr in HANDLE_ATTRIBUTES:
            return _call(node, "unclocked", node.value, _at(node, ast.Constant(node.attr)))
        return node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id in BOUNDED_NAMES and isinstance(node.ctx, ast.Load):
            return _name(node, node.id)
        return node

    def _visited(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [self.visit(statement) for statement in body]


class _Constant(ast.NodeTransformer):
    """Every session sees the constants at the top of a file: lists, sets and dicts become their read-only kind."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        names = _OPERATIONS.get(type(node.op))
        return _call(node, "frozen", _call(node, names[0], node.left, node.right) if names else node)

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        self.generic_visit(node)
        return _call(node, "table", node)

    def visit_List(self, node: ast.List) -> ast.expr:
        self.generic_visit(node)
        return _at(node, ast.Tuple(node.elts, ast.Load()))

    def visit_Set(self, node: ast.Set) -> ast.expr:
        self.generic_visit(node)
        return _call(node, "frozenset_of", node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in BOUNDED_NAMES:
            node.func = _name(node, node.func.id)
        return _call(node, "tuple_of", node) if isinstance(node.func, ast.Attribute) else node

    def visit_Subscript(self, node: ast.Subscript) -> ast.Subscript:
        return node


def _at(place: ast.AST, node: _Node) -> _Node:
    return ast.copy_location(node, place)


def _name(place: ast.AST, name: str) -> ast.Name:
    return _at(place, ast.Name(f".{name}", ast.Load()))


def _call(place: ast.AST, name: str, *arguments: ast.expr) -> ast.Call:
    return _at(place, ast.Call(_name(place, name), list(arguments), []))


def _priced(place: ast.AST, name: str, steps: int) -> ast.Call:
    return _call(place, name, _at(place, ast.Constant(steps)))


def _keyed(node: ast.expr) -> ast.expr:
    simple = isinstance(node, ast.Constant | ast.JoinedStr | ast.UnaryOp | ast.Starred)
    return node if simple else _call(node, "key", node)


def _rows(target: ast.expr, values: ast.expr) -> ast.expr:
    """The values of a loop, in an order that is the same in every process, also where one of them is unpacked."""
    depth = _depth(target)
    match values:
        case ast.Call(func=ast.Attribute(attr="items") | ast.Name(id=".enumerate" | ".zip")):
            is_row = True
        case _:
            is_row = False
    if depth == 0 or (depth == 1 and is_row):
        return _call(values, "ordered", values)
    return _call(values, "rows", values, _at(values, ast.Constant(depth)))


def _depth(target: ast.expr) -> int:
    """How deep the tuples of a target are nested."""
    return 1 + max(map(_depth, target.elts), default=0) if isinstance(target, ast.Tuple | ast.List) else 0


def _is_message(function: ast.expr) -> bool:
    """A call of an exception, which writes its arguments into a message."""
    maker = function.value if isinstance(function, ast.Attribute) else function
    return isinstance(maker, ast.Name) and maker.id in CAUGHT_EXCEPTIONS | {"Rejection"}


def _is_outward(function: ast.expr) -> bool:
    """A call of a handle, which may write its arguments into a message or a row."""
    return isinstance(function, ast.Attribute) and function.attr not in METHODS | {"choice"}


def _weighed(node: ast.expr) -> ast.expr:
    plain = isinstance(node, ast.Constant | ast.JoinedStr | ast.Starred)
    return node if plain else _call(node, "side", node)


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List):
        return all(isinstance(each, ast.Constant) for each in node.elts)
    return False


def _is_quickly_compared(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, float)


def _is_small_step(operation: ast.operator, operand: ast.expr) -> bool:
    """A number added or taken away: nothing grows by more than a bit."""
    is_number = isinstance(operand, ast.Constant) and isinstance(operand.value, int | float)
    return is_number and isinstance(operation, ast.Add | ast.Sub)


def _is_length(node: ast.expr | None, none: bool = False) -> bool:
    if node is None:
        return none
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and 0 <= node.value <= FREE_ELEMENTS
