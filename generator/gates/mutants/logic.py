"""Edits of a tool's logic: conditions, comparisons, numbers, arithmetic, the clock, jumps and rejections."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

from generator.gates.mutants.edit import DROPPED, CodeEdit, edit
from runtime.errors import REJECTION_KINDS

Parents = Mapping[ast.AST, ast.AST]

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPPOSITE = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
_CALLED = {"min": "max", "max": "min", "floor": "ceil", "ceil": "floor", "any": "all", "all": "any"}
_CLOCKS = {"now": "today", "today": "now"}
_LONGEST_CUT = 12  # a longer slice is a cap on results, which no small case reaches


def negated_condition(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """`if a:` becomes `if not a:`; so does the condition of `x if a else y`."""
    if isinstance(node, ast.If | ast.IfExp):
        yield edit("negated condition", node.test, _negated(node.test))


def changed_comparison(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """`<` becomes `<=` and the like; `==`, `in` and `is` become their opposites."""
    if isinstance(node, ast.Compare):
        for position, operation in enumerate(node.ops):
            ops = [*node.ops]
            ops[position] = _COMPARED[type(operation)]()
            yield edit("changed comparison", node, ast.Compare(node.left, ops, node.comparators))


def changed_connective(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """`and` becomes `or`, and the reverse; each operand is dropped in turn."""
    if not isinstance(node, ast.BoolOp):
        return
    other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    yield edit("changed connective", node, ast.BoolOp(other, node.values))
    for position in range(len(node.values)):
        kept = node.values[:position] + node.values[position + 1 :]
        yield edit("dropped condition", node, kept[0] if len(kept) == 1 else ast.BoolOp(node.op, kept))


def dropped_filter(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """A condition of a comprehension is left out."""
    if isinstance(node, ast.comprehension):
        for position, condition in enumerate(node.ifs):
            kept = node.ifs[:position] + node.ifs[position + 1 :]
            changed = ast.comprehension(node.target, node.iter, kept, node.is_async)
            shown = f"if {ast.unparse(condition)}"
            yield CodeEdit(node, changed, "dropped condition", shown, DROPPED, condition.lineno)


def changed_number(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """An integer is one more or one less, but not where a changed comparison comes to the same."""
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield edit("flipped flag", node, ast.Constant(not node.value))
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        parent = parents.get(node)
        target: ast.expr = node
        value = node.value
        if isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.USub):
            target, value, parent = parent, -value, parents.get(parent)
        if isinstance(parent, ast.Subscript) or (isinstance(parent, ast.Slice) and value > _LONGEST_CUT):
            return  # an index one further on only crashes
        for step in _steps(target, parent):
            changed = _number(value + step)
            shown = parent if isinstance(parent, ast.Compare | ast.BinOp | ast.Call | ast.Assign) else target
            after = _shown_in(shown, target, changed)
            yield CodeEdit(target, changed, "changed number", ast.unparse(shown), after, node.lineno)


def _shown_in(shown: ast.AST, target: ast.AST, changed: ast.AST) -> str:
    """The code around a changed node."""
    if shown is target:
        return ast.unparse(changed)
    fields: dict[str, Any] = {}
    for name, value in ast.iter_fields(shown):
        if isinstance(value, list):
            fields[name] = [changed if each is target else each for each in value]
        else:
            fields[name] = changed if value is target else value
    return ast.unparse(ast.copy_location(type(shown)(**fields), shown))


def changed_operation(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """`+` becomes `-`, `min` becomes `max`, sorting is left out."""
    if isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED and not _has_text(node):
        yield edit("changed operation", node, ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right))
    elif isinstance(node, ast.AugAssign) and type(node.op) in _COMPUTED and not _is_text(node.value):
        yield edit("changed operation", node, ast.AugAssign(node.target, _COMPUTED[type(node.op)](), node.value))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLED:
        name = ast.Name(_CALLED[node.func.id], ast.Load())
        if node.func.id not in ("floor", "ceil"):  # both need not be imported
            yield edit("changed operation", node, ast.Call(name, node.args, node.keywords))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sorted":
        unsorted = ast.Call(ast.Name("list", ast.Load()), node.args, [])
        yield edit("changed order", node, unsorted)


def swapped_state(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """A rule reads the present state where it read the start, and the reverse; no tool has more than one."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="start" | "now" | "end") as state, attr=verb)):
            if verb in ("get", "require", "select", "first", "value"):
                parameters = _parameters_around(node, parents)
                for other in parameters & {"start", "now", "end"} - {state.id}:
                    yield edit("swapped state", state, ast.Name(other, ast.Load()))


def _parameters_around(node: ast.AST, parents: Parents) -> set[str]:
    around: ast.AST | None = node
    while around is not None and not isinstance(around, ast.FunctionDef):
        around = parents.get(around)
    return {argument.arg for argument in around.args.args} if isinstance(around, ast.FunctionDef) else set()


def changed_clock(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """`db.now` becomes `db.today`, and the reverse."""
    match node:
        case ast.Attribute(value=ast.Name(id="db" | "now" | "start" | "end"), attr="now" | "today"):
            yield edit("changed clock", node, ast.Attribute(node.value, _CLOCKS[node.attr], ast.Load()))


def dropped_jump(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """`break` and `continue` are left out."""
    if isinstance(node, ast.Break | ast.Continue):
        yield edit("dropped jump", node, [])


def dropped_rejection(node: ast.AST, parents: Parents) -> Iterator[CodeEdit]:
    """A check that raises, or that only requires a row, is left out; a rejection is of another kind."""
    match node:
        case ast.If(test=test, body=[ast.Raise() as raised], orelse=rest):
            before = f"if {ast.unparse(test)}: raise {_kind_of(raised)}"
            yield CodeEdit(node, rest, "dropped rejection", before, DROPPED, node.lineno)
        case ast.Raise() if node not in getattr(parents.get(node), "body", [])[:1]:
            yield CodeEdit(node, [], "dropped rejection", f"raise {_kind_of(node)}", DROPPED, node.lineno)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="db"), attr="require"))):
            yield edit("dropped rejection", node, [])
    if isinstance(node, ast.Raise):
        yield from _changed_kind(node)


def _changed_kind(node: ast.Raise) -> Iterator[CodeEdit]:
    kinds = REJECTION_KINDS[:5]  # RESOURCE_EXHAUSTED is the runtime's own
    match node.exc:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="Rejection"), attr=name), args=arguments):
            if name.upper() in kinds:
                other = _next(kinds, name.upper())
                call = ast.Call(
                    ast.Attribute(ast.Name("Rejection", ast.Load()), other.lower(), ast.Load()), arguments, []
                )
                yield CodeEdit(node.exc, call, "changed rejection", name.upper(), other, node.lineno)
        case ast.Call(func=ast.Name(id="Rejection"), args=[ast.Constant(value=str() as name) as first, *_]):
            if name in kinds:
                other = _next(kinds, name)
                yield CodeEdit(first, ast.Constant(other), "changed rejection", name, other, node.lineno)


def _next(kinds: tuple[str, ...], kind: str) -> str:
    return kinds[(kinds.index(kind) + 1) % len(kinds)]


def _kind_of(node: ast.Raise) -> str:
    match node.exc:
        case ast.Call(func=ast.Attribute(attr=name)):
            return name.upper()
        case ast.Call(func=ast.Name(id="Rejection"), args=[ast.Constant(value=str() as name), *_]):
            return name
    return ast.unparse(node.exc)[:40] if node.exc else ""


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _OPPOSITE):
        return ast.Compare(test.left, [_COMPARED[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _steps(node: ast.expr, parent: ast.AST | None) -> tuple[int, ...]:
    """By what to change a number: `x > 2` is not changed to `x > 1`, which `x >= 2` is for integers."""
    if not isinstance(parent, ast.Compare) or len(parent.ops) != 1:
        return (1, -1)
    operation, is_left = parent.ops[0], node is parent.left
    if isinstance(operation, ast.Gt | ast.LtE):
        return (-1,) if is_left else (1,)
    if isinstance(operation, ast.Lt | ast.GtE):
        return (1,) if is_left else (-1,)
    return (1,)


def _number(value: int) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def _has_text(node: ast.BinOp) -> bool:
    return _is_text(node.left) or _is_text(node.right)


def _is_text(node: ast.expr) -> bool:
    """Whether a value is a text or a list as far as its code shows."""
    match node:
        case ast.JoinedStr() | ast.List() | ast.ListComp() | ast.Tuple() | ast.Constant(value=str()):
            return True
        case ast.BinOp():
            return _has_text(node)
        case ast.Call(func=ast.Name(id="str" | "list" | "tuple" | "sorted")):
            return True
        case ast.Call(func=ast.Attribute(attr="join" | "strip" | "lower" | "upper" | "select")):
            return True
    return False
