"""How a domain's file becomes a module: checked, rewritten so that it pays for its steps, run with few builtins."""

from __future__ import annotations

import ast
import sys
import traceback
from functools import lru_cache
from pathlib import Path
from threading import Lock
from types import CodeType, ModuleType
from typing import NamedTuple, TypeVar

from runtime.errors import BrokenDomain, Rejection, UsageError
from runtime.sandbox.allowed import BOUNDED_METHODS, BOUNDED_NAMES
from runtime.sandbox.budget import Budget, allowed_builtins
from runtime.sandbox.files import read_text
from runtime.sandbox.policy import find_faults

LOAD_STEPS = 100_000
_SMALL = 1 << 32
_OF_SETS = (ast.Sub, ast.BitOr, ast.BitAnd)  # operators
_Node = TypeVar("_Node", bound=ast.AST)


def parse(source: str, filename: str = "<unknown>") -> ast.Module:
    """Return the syntax tree of a text; errors: those of `ast.parse`.

    CPython 3.11 keeps one count of the depth of a tree for all threads: two that parse at once can end in
    "SystemError: AST constructor recursion depth mismatch".
    """
    with _lock:
        try:
            return ast.parse(source, filename)
        except SystemError:  # code that is not ours parsed at the same time
            return ast.parse(source, filename)


_lock = Lock()


def faults_in(source: str, filename: str) -> list[str]:
    """Return what keeps a source from being loaded, one line per fault."""
    try:
        compile_module(source, filename)
    except BrokenDomain as broken:
        return list(broken.faults)
    return []


def load_module(path: Path, module_name: str, shown_as: str | None = None) -> ModuleType:
    """Return the module of a checked file, known to `sys.modules` so that its annotations resolve.

    Faults name it as `shown_as`, or by its path. Errors: BrokenDomain.
    """
    name = shown_as or str(path)
    try:
        source = read_text(path)
    except UsageError as error:
        raise BrokenDomain([f"{name}: cannot be read: {error}"]) from error
    code = compile_module(source, str(path), name)
    module = ModuleType(module_name)
    vars(module).update(__file__=str(path), __builtins__=allowed_builtins())
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
        del sys.modules[module_name]
        wrong = f"{type(error).__name__} while loading: {error}; the top of a file must run"
        raise BrokenDomain([f"{name}:{_line_of(error, str(path))}: {wrong}"]) from error
    return module


def compile_module(source: str, filename: str, shown_as: str | None = None) -> CodeType:
    """Return the bounded code of a source; errors: BrokenDomain."""
    name = shown_as or filename
    try:
        code, faults, _ = _bounded_code(source, filename)
    except SyntaxError as error:
        raise BrokenDomain([f"{name}:{error.lineno or 1}: {error.msg}; write valid Python"]) from error
    except ValueError as error:
        raise BrokenDomain([f"{name}:1: {error}; write valid Python"]) from error
    except (RecursionError, MemoryError) as error:
        right = "expressions are nested too deeply; split them into several statements"
        raise BrokenDomain([f"{name}:1: {right}"]) from error
    if code is None:
        raise BrokenDomain([f"{name}:{line}: {wrong}" for line, wrong in faults])
    return code


class MethodCall(NamedTuple):
    """A call `name.method("text", ...)` in a function at the top of a file."""

    function: str
    line: int
    name: str
    method: str
    text: str


def method_calls(path: Path) -> list[MethodCall]:
    """Return the calls with a literal text first in a file that was loaded."""
    return _bounded_code(read_text(path), str(path))[2]


@lru_cache(maxsize=100)
def _bounded_code(source: str, filename: str) -> tuple[CodeType | None, list[tuple[int, str]], list[MethodCall]]:
    """Return the code of a source, or its faults with their lines, and its calls of methods.

    A file that is loaded again is not read again.
    """
    tree = parse(source, filename)
    faults = find_faults(tree)
    if faults:
        return None, faults, []
    bounding = _Bounding()
    bounded = bounding.rewrite(tree)
    with _lock:
        code: CodeType = compile(bounded, filename, "exec", dont_inherit=True)
    return code, [], bounding.method_calls


def _line_of(error: BaseException, filename: str) -> int:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename]
    return lines[-1] or 1 if lines else 1


_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Mult: "multiply",
    ast.Pow: "power",
    ast.Mod: "modulo",
}


class _Bounding(ast.NodeTransformer):
    """Put a tick into every function and loop, and the bounded form in place of every operation that could explode."""

    def __init__(self) -> None:
        self.method_calls: list[MethodCall] = []
        self._function = ""

    def rewrite(self, tree: ast.Module) -> ast.Module:
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef):
                self._function = statement.name
                self.visit(statement)
            elif isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value:
                statement.value = self._constant(statement.value)
        return tree

    def _constant(self, value: ast.expr) -> ast.expr:
        """Return what every session sees: lists, sets and dicts become their read-only kind."""
        return value if isinstance(value, ast.Constant | ast.Subscript) else _call("frozen", self.visit(value))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.visit(node.args)
        start = int(ast.get_docstring(node, clean=False) is not None)
        place = node.body[min(start, len(node.body) - 1)]
        body = [self.visit(statement) for statement in node.body[start:]]
        node.body = [*node.body[:start], ast.copy_location(ast.Expr(_call("tick", place=place)), place), *body]
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        node.defaults = [self._constant(each) for each in node.defaults]
        node.kw_defaults = [each and self._constant(each) for each in node.kw_defaults]
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[ast.Constant(value=str(text)), *_]
            ):
                self.method_calls.append(MethodCall(self._function, node.lineno, name, method, text))
        self.generic_visit(node)
        return node

    def visit_keyword(self, node: ast.keyword) -> ast.keyword:
        value = self.visit(node.value)
        node.value = value if node.arg else _call("grown", value)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        self.generic_visit(node)
        body = node.body
        node.body = ast.copy_location(ast.BoolOp(ast.And(), [_call("tick", place=body), body]), body)
        return node

    def visit_For(self, node: ast.For) -> ast.For:
        self.generic_visit(node)
        node.iter = _gone_through(node)
        node.body.insert(0, ast.copy_location(ast.Expr(_call("tick", place=node.iter)), node.iter))
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        self.generic_visit(node)
        node.iter = _gone_through(node)
        node.ifs.insert(0, _call("tick", place=node.iter))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        node.target = self.visit(node.target)
        node.value = self.visit(node.value) if node.value else None
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.Assign:
        self.generic_visit(node)
        for each in node.targets:
            if isinstance(each, ast.Tuple | ast.List):
                node.value = _call("in_order", node.value, _is_nested(each))
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        self.generic_visit(node)
        if isinstance(node.op, _OF_SETS):
            node.value = _light(node.value)
        name = _OPERATIONS.get(type(node.op))
        if name is None or _is_small_step(node.op, node.value):
            return node
        name = "add_in_place" if name == "add" else name
        if isinstance(node.target, ast.Subscript):
            operation = _name(node, name)
            call = _call("augment", node.target.value, node.target.slice, operation, node.value, place=node)
            return ast.copy_location(ast.Expr(call), node)
        assert isinstance(node.target, ast.Name)
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node)
        return ast.copy_location(ast.Assign([node.target], _call(name, read, node.value, place=node)), node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        name = _OPERATIONS.get(type(node.op))
        if isinstance(node.op, _OF_SETS):
            node.left, node.right = _light(node.left), _light(node.right)
        if name is None or _is_small_step(node.op, node.right) or _is_small_step(node.op, node.left):
            return node
        return _call(name, node.left, node.right, place=node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        node.value = self.visit(node.value)
        return _call("method", node) if node.attr in BOUNDED_METHODS else node

    def visit_Compare(self, node: ast.Compare) -> ast.Compare:
        self.generic_visit(node)
        sides = [node.left, *node.comparators]
        for number, operator in enumerate(node.ops):
            right = sides[number + 1]
            if isinstance(operator, ast.In | ast.NotIn):
                sides[number] = _light(sides[number])
                sides[number + 1] = right if _is_written_out(right) else _call("searched", right)
            elif not isinstance(operator, ast.Is | ast.IsNot) and not isinstance(right, ast.Constant):
                sides[number] = _light(sides[number])
        node.left, *node.comparators = sides
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.slice, ast.Slice):
            return _call("grown", node)
        node.slice = _light(node.slice)
        return node

    def visit_Set(self, node: ast.Set) -> ast.Set:
        self.generic_visit(node)
        node.elts = [_light(each) for each in node.elts]
        return node

    def visit_SetComp(self, node: ast.SetComp) -> ast.SetComp:
        self.generic_visit(node)
        node.elt = _light(node.elt)
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.expr:
        self.generic_visit(node)
        node.keys = [key and _light(key) for key in node.keys]
        return _call("grown", node) if None in node.keys else node

    def visit_DictComp(self, node: ast.DictComp) -> ast.DictComp:
        self.generic_visit(node)
        node.key = _light(node.key)
        return node

    def visit_Starred(self, node: ast.Starred) -> ast.Starred:
        node.value = self.visit(node.value)
        node.value = _call("taken", node.value) if isinstance(node.ctx, ast.Load) else node.value
        return node

    def visit_List(self, node: ast.List | ast.Tuple) -> ast.expr:
        self.generic_visit(node)
        is_made_of_others = isinstance(node.ctx, ast.Load) and any(isinstance(each, ast.Starred) for each in node.elts)
        return _call("grown", node) if is_made_of_others else node

    visit_Tuple = visit_List

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        values = [value for value in node.values if isinstance(value, ast.FormattedValue)]
        for value in values:
            shown: ast.expr = _call("shown", self.visit(value.value))
            if value.format_spec is not None:
                if value.conversion != -1:
                    shown = ast.copy_location(ast.FormattedValue(shown, value.conversion, None), value)
                    shown = ast.copy_location(ast.JoinedStr([shown]), value)
                shown = _call("format", shown, self.visit(value.format_spec))
                value.format_spec, value.conversion = None, -1
            value.value = shown
        return _call("grown", node) if values else node

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return _name(node, node.id) if node.id in BOUNDED_NAMES and isinstance(node.ctx, ast.Load) else node


def _is_nested(target: ast.Tuple | ast.List) -> ast.Constant:
    nested = any(isinstance(each, ast.Tuple | ast.List) for each in target.elts)
    return ast.copy_location(ast.Constant(nested), target)


def _gone_through(loop: ast.For | ast.comprehension) -> ast.expr:
    """Return what a loop goes over, with sets in order; what is unpacked is not a set."""
    if not isinstance(loop.target, ast.Tuple | ast.List):
        return _call("ordered", loop.iter)
    return _call("unpacked", loop.iter, _is_nested(loop.target))


def _light(value: ast.expr) -> ast.expr:
    if isinstance(value, ast.Starred):
        value.value = _light(value.value)
        return value
    return value if isinstance(value, ast.Constant | ast.JoinedStr) else _call("light", value)


def _is_written_out(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) or (
        isinstance(value, ast.Tuple | ast.List | ast.Set) and all(isinstance(each, ast.Constant) for each in value.elts)
    )


def _name(place: ast.AST, name: str) -> ast.Name:
    return ast.copy_location(ast.Name(f".{name}", ast.Load()), place)


def _call(name: str, *arguments: ast.expr, place: ast.AST | None = None) -> ast.Call:
    place = place or arguments[0]
    return ast.copy_location(ast.Call(_name(place, name), list(arguments), []), place)


def _is_small_step(operation: ast.operator, operand: ast.expr) -> bool:
    """Return whether a constant is added: nothing grows by more than a bit."""
    number = operand.value if isinstance(operand, ast.Constant) else None
    return isinstance(number, int | float) and abs(number) < _SMALL and isinstance(operation, ast.Add)
