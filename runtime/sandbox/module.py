"""How a domain's file becomes a module: checked, rewritten so that it pays for its steps, run with few builtins."""

from __future__ import annotations

import ast
import sys
from functools import lru_cache
from pathlib import Path
from threading import Lock
from types import CodeType, ModuleType
from typing import TypeVar

from runtime.errors import BrokenDomain, Rejection, UsageError
from runtime.sandbox.allowed import (
    BOUNDED_METHODS,
    BOUNDED_NAMES,
    COPYING_METHODS,
    EXCEPTIONS,
    FREE_METHODS,
    HANDLE_ATTRIBUTES,
)
from runtime.sandbox.budget import Budget
from runtime.sandbox.files import read_text
from runtime.sandbox.operations import allowed_builtins
from runtime.sandbox.policy import find_faults

LOAD_STEPS = 100_000
_MAX_SOURCE = 200_000
_SMALL = 1 << 32
_SHORT = 16  # elements and letters that cost nothing
_Node = TypeVar("_Node", bound=ast.AST)


def parse(source: str, filename: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a text; errors: those of `ast.parse`.

    CPython 3.11 keeps one count of the depth of a tree for all threads: two that parse at once can end in
    "SystemError: AST constructor recursion depth mismatch".
    """
    with _lock:
        return ast.parse(source, filename)


_lock = Lock()


def faults_in(source: str, filename: str) -> list[str]:
    """Return what keeps a source from being loaded, one line per fault."""
    _, faults = _compile(source, filename, filename)
    return faults


def compile_module(source: str, filename: str) -> CodeType:
    """Return the bounded code of a source; errors: BrokenDomain."""
    code, faults = _compile(source, filename, filename)
    if code is None:
        raise BrokenDomain(faults)
    return code


def load_module(path: Path, module_name: str, shown_as: str | None = None, within: Path | None = None) -> ModuleType:
    """Return the module of a checked file, known to `sys.modules` so that its annotations resolve.

    The file is in its folder, or below `within`. Faults name it as `shown_as`, or by its path. Errors: BrokenDomain.
    """
    name = shown_as or str(path)
    try:
        source = read_text(path, within=within)
    except UsageError as error:
        raise BrokenDomain([f"{name}: cannot be read: {error}"]) from error
    code, faults = _compile(source, str(path), name)
    if code is None:
        raise BrokenDomain(faults)
    module = ModuleType(module_name)
    vars(module).update(__file__=str(path), __builtins__=allowed_builtins())
    before = sys.modules.get(module_name)
    sys.modules[module_name] = module
    try:
        with Budget(LOAD_STEPS):
            exec(code, vars(module))
    except (
        ArithmeticError,
        AttributeError,
        ImportError,
        LookupError,
        NameError,
        Rejection,
        TypeError,
        ValueError,
    ) as error:
        if before is None:
            del sys.modules[module_name]
        else:
            sys.modules[module_name] = before
        wrong = f"{type(error).__name__} while loading: {error}; the top of a file must run"
        raise BrokenDomain([f"{name}:{_line_of(error, str(path))}: {wrong}"]) from error
    return module


def _compile(source: str, filename: str, shown_as: str) -> tuple[CodeType | None, list[str]]:
    if len(source) > _MAX_SOURCE:
        return None, [f"{shown_as}:1: {len(source)} characters; at most {_MAX_SOURCE} are read, so split the file"]
    try:
        code, faults = _bounded_code(source, filename)
        return code, [f"{shown_as}:{line}: {wrong}" for line, wrong in faults]
    except SyntaxError as error:
        return None, [f"{shown_as}:{error.lineno or 1}: {error.msg}; write valid Python"]
    except ValueError as error:
        return None, [f"{shown_as}:1: {error}; write valid Python"]
    except (RecursionError, MemoryError):
        return None, [f"{shown_as}:1: expressions are nested too deeply; split them into several statements"]


@lru_cache(maxsize=100)
def _bounded_code(source: str, filename: str) -> tuple[CodeType | None, tuple[tuple[int, str], ...]]:
    """Return the code of a source, or its faults with their lines; a file that is loaded again is not checked again."""
    tree = parse(source, filename)
    faults = find_faults(tree)
    if faults:
        return None, tuple(faults)
    bounded = _Bounding().rewrite(tree)
    with _lock:
        code: CodeType = compile(bounded, filename, "exec", dont_inherit=True)
    return code, ()


def _line_of(error: BaseException, filename: str) -> int:
    line, traceback = 1, error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == filename:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line


_OPERATIONS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "add_in_place"),
    ast.Sub: ("sub", "isub"),
    ast.Mult: ("multiply", "multiply"),
    ast.Pow: ("power", "power"),
    ast.Mod: ("modulo", "modulo"),
    ast.LShift: ("shift_left", "shift_left"),
    ast.BitOr: ("or_", "ior"),
    ast.BitAnd: ("and_", "iand"),
    ast.BitXor: ("xor", "ixor"),
}
_OTHERS = {ast.Div: "divide", ast.FloorDiv: "floor_divide", ast.RShift: "shift_right"}
_SCALAR_CALLS = frozenset({"len", "bool", ".contains", ".float", ".int", ".plain", ".str"})


class _Bounding:
    """Puts a tick into every function and loop, and the bounded form in place of every operation that could explode."""

    def __init__(self) -> None:
        self._visitors = {getattr(ast, name[7:]): getattr(self, name) for name in dir(self) if name[:7] == "_visit_"}
        self._is_tool = False

    def rewrite(self, tree: ast.Module) -> ast.Module:
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self._is_tool = bool(statement.decorator_list)
                self._visit(statement)
            for part in statement.body if isinstance(statement, ast.ClassDef) else [statement]:
                if isinstance(part, ast.Assign | ast.AnnAssign) and part.value:
                    part.value = self._constant(part.value)
        return tree

    def _constant(self, value: ast.expr) -> ast.expr:
        """Return what every session sees: lists, sets and dicts become their read-only kind."""
        if isinstance(value, ast.Constant | ast.Subscript):
            return value
        return _call(value, "frozen", self._visit(value))

    def _visit(self, node: _Node) -> _Node:
        visitor = self._visitors.get(type(node), self._descend)
        return visitor(node)  # type: ignore[no-any-return]

    def _descend(self, node: _Node) -> _Node:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                value[:] = [self._visit(each) if isinstance(each, ast.AST) else each for each in value]
            elif isinstance(value, ast.expr | ast.arguments):
                setattr(node, name, self._visit(value))
        return node

    def _visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self._visit_arguments(node.args)
        start = int(ast.get_docstring(node, clean=False) is not None)
        place = node.body[min(start, len(node.body) - 1)]
        body = [self._visit(statement) for statement in node.body[start:]]
        node.body = [*node.body[:start], _at(place, ast.Expr(_call(place, "tick"))), *body]
        return node

    def _visit_arguments(self, node: ast.arguments) -> ast.arguments:
        node.defaults = [self._constant(each) for each in node.defaults]
        node.kw_defaults = [each and self._constant(each) for each in node.kw_defaults]
        return node

    def _visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self._visit_arguments(node.args)
        body = self._visit(node.body)
        node.body = _at(body, ast.BoolOp(ast.And(), [_call(body, "tick"), body]))
        return node

    def _visit_For(self, node: ast.For) -> ast.For:
        self._descend(node)
        node.iter = _call(node.iter, "ordered", node.iter)
        node.body.insert(0, _at(node.iter, ast.Expr(_call(node.iter, "tick"))))
        return node

    def _visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self._descend(node)
        node.iter = _call(node.iter, "ordered", node.iter)
        node.ifs.insert(0, _call(node.iter, "tick"))
        return node

    def _visit_DictComp(self, node: ast.DictComp) -> ast.DictComp:
        self._descend(node)
        node.key = _weighed(node.key)
        return node

    def _visit_SetComp(self, node: ast.SetComp) -> ast.SetComp:
        self._descend(node)
        node.elt = _weighed(node.elt)
        return node

    def _visit_Return(self, node: ast.Return) -> ast.Return:
        self._descend(node)
        if self._is_tool and node.value:
            node.value = _weighed(node.value)  # it is checked and written out
        return node

    def _visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.target = self._visit(node.target)
        node.value = self._visit(node.value) if node.value else None
        return node

    def _visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        value = self._visit(node.value)
        names = _OPERATIONS.get(type(node.op))
        if isinstance(node.target, ast.Subscript):
            container, index = self._visit(node.target.value), _weighed(self._visit(node.target.slice))
            operation = _name(node, names[1] if names else _OTHERS[type(node.op)])
            return _at(node, ast.Expr(_call(node, "augment", container, index, operation, value)))
        if names is None or _is_small_step(node.op, value):
            node.value = value
            return node
        assert isinstance(node.target, ast.Name)
        read = _at(node, ast.Name(node.target.id, ast.Load()))
        return _at(node, ast.Assign([node.target], _call(node, names[1], read, value)))

    def _visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self._descend(node)
        names = _OPERATIONS.get(type(node.op))
        if names is None or _is_small_step(node.op, node.right) or _is_small_step(node.op, node.left):
            return node
        return _call(node, names[0], node.left, node.right)

    def _visit_Compare(self, node: ast.Compare) -> ast.expr:
        self._descend(node)
        operation, second = node.ops[0], node.comparators[0]
        if isinstance(operation, ast.In | ast.NotIn):
            constants = isinstance(second, ast.Tuple | ast.List) and all(map(_is_constant, second.elts))
            if constants:
                return node
            found = _call(node, "contains", node.left, second)
            return found if isinstance(operation, ast.In) else _at(node, ast.UnaryOp(ast.Not(), found))
        if not any(map(_is_constant, [node.left, *node.comparators])):
            node.left, node.comparators = _weighed(node.left), [_weighed(each) for each in node.comparators]
        return node

    def _visit_Call(self, node: ast.Call) -> ast.expr:
        function = node.func
        if isinstance(function, ast.Name) and function.id == "isinstance":
            node.args[0] = self._visit(node.args[0])
            return node
        self._descend(node)
        for keyword in node.keywords:
            if keyword.arg is None:
                keyword.value = _call(keyword.value, "taken", keyword.value)
        if not isinstance(function, ast.Attribute):
            if isinstance(function, ast.Name) and function.id in EXCEPTIONS:
                node.args = [_call(each, "shown", each) for each in node.args]
            return node
        if function.attr in COPYING_METHODS and not node.args:
            return _call(node, "grown", node)
        if function.attr not in FREE_METHODS:  # what is hashed or compared, or written into a message or a row
            node.args = [_weighed(each) for each in node.args]
            for keyword in node.keywords:
                keyword.value = _weighed(keyword.value)
        if function.attr in BOUNDED_METHODS or function.attr in COPYING_METHODS:
            node.func = _call(node, "method", function)
            owner = function.value  # the methods of handles have some of these names, too
            if isinstance(owner, ast.Name) and function.attr not in ("count", "index"):
                kind = _at(node, ast.Call(_name(node, "type"), [owner], []))
                is_data = _at(node, ast.Compare(kind, [ast.In()], [_name(node, "DATA")]))
                node.func = _at(node, ast.IfExp(is_data, node.func, function))
        return node

    def _visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        node.value = self._visit(node.value)
        return _call(node, "plain", node) if node.attr in HANDLE_ATTRIBUTES else node

    def _visit_Starred(self, node: ast.Starred) -> ast.Starred:
        node.value = self._visit(node.value)
        node.value = _call(node.value, "taken", node.value)
        return node

    def _visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self._descend(node)
        if not isinstance(node.slice, ast.Slice):
            node.slice = _weighed(node.slice)
            return node
        return node if _is_short(node.slice) else _call(node, "grown", node)

    def _visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                shown: ast.expr = _call(value, "shown", self._visit(value.value))
                if value.format_spec is not None:
                    if value.conversion != -1:
                        shown = _at(
                            value, ast.JoinedStr([_at(value, ast.FormattedValue(shown, value.conversion, None))])
                        )
                    shown = _call(value, "format", shown, self._visit(value.format_spec))
                    value.format_spec, value.conversion = None, -1
                value.value = shown
        return node if all(map(_is_constant, node.values)) else _call(node, "grown", node)

    def _visit_Dict(self, node: ast.Dict) -> ast.Dict:
        node.values = [self._visit(value) for value in node.values]
        keys = [key and self._visit(key) for key in node.keys]
        node.values = [
            value if key else _call(value, "taken", value) for key, value in zip(keys, node.values, strict=True)
        ]
        node.keys = [key and _weighed(key) for key in keys]
        return node

    def _visit_List(self, node: _Node) -> ast.AST:
        """A list or tuple, which may be made of other ones."""
        self._descend(node)
        long = len(node.elts) > _SHORT or any(isinstance(each, ast.Starred) for each in node.elts)  # type: ignore[attr-defined]
        return _call(node, "grown", node) if long and isinstance(node.ctx, ast.Load) else node  # type: ignore

    _visit_Tuple = _visit_List

    def _visit_Set(self, node: ast.Set) -> ast.Set:
        node.elts = [_weighed(self._visit(each)) for each in node.elts]
        return node

    def _visit_Name(self, node: ast.Name) -> ast.Name:
        return _name(node, node.id) if node.id in BOUNDED_NAMES and isinstance(node.ctx, ast.Load) else node


def _at(place: ast.AST, node: _Node) -> _Node:
    return ast.copy_location(node, place)


def _name(place: ast.AST, name: str) -> ast.Name:
    return _at(place, ast.Name(f".{name}", ast.Load()))


def _call(place: ast.AST, name: str, *arguments: ast.expr) -> ast.Call:
    return _at(place, ast.Call(_name(place, name), list(arguments), []))


def _weighed(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(ast.Name(name), [*arguments]):
            simple = name in _SCALAR_CALLS or (name == ".grown" and isinstance(arguments[0], ast.JoinedStr))
        case _:
            simple = isinstance(node, ast.Constant | ast.JoinedStr | ast.Starred | ast.Compare | ast.GeneratorExp)
    return node if simple else _call(node, "weigh", node)


def _is_constant(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _is_small_step(operation: ast.operator, operand: ast.expr) -> bool:
    """Return whether a number is added or taken away: nothing grows by more than a bit."""
    number = operand.value if isinstance(operand, ast.Constant) else None
    return isinstance(number, int | float) and abs(number) < _SMALL and isinstance(operation, ast.Add | ast.Sub)


def _is_short(part: ast.Slice) -> bool:
    """Return whether a slice such as [:10] has few elements, whatever it is made of."""
    upper = part.upper.value if isinstance(part.upper, ast.Constant) else None
    return isinstance(upper, int) and 0 <= upper <= _SHORT and part.step is None
