"""Mutation operators: which small faults are planted in the code and the queries of a tool or rule, one at a time."""

from __future__ import annotations

import ast
import copy
import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.gates.cases.run import defaults_of
from generator.gates.constraints import choices_in
from runtime.domain.schema import Schema, Table
from runtime.sandbox.sqlite import open_memory

Kind = Literal[
    "negated condition",
    "changed comparison",
    "changed connective",
    "removed check",
    "changed constant",
    "changed operation",
    "dropped write",
    "dropped column",
    "swapped column",
    "changed order",
    "changed limit",
]
DROPPED = "(dropped)"
_DIALECT = "sqlite"
_LONGEST = 100  # characters of either side in a description
_MOST_ROWS = 12  # a greater LIMIT or slice is a cap that the rows of a case never reach
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
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sum": "len", "sorted": "list"}
_SQL_COMPARED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.LT: exp.LTE,
    exp.LTE: exp.LT,
    exp.GT: exp.GTE,
    exp.GTE: exp.GT,
}
_SQL_OTHERS: dict[type[exp.Expr], tuple[type[exp.Expr], Kind]] = {
    exp.And: (exp.Or, "changed connective"),
    exp.Or: (exp.And, "changed connective"),
    exp.Sum: (exp.Count, "changed operation"),
    exp.Count: (exp.Sum, "changed operation"),
    exp.Min: (exp.Max, "changed operation"),
    exp.Max: (exp.Min, "changed operation"),
    exp.Add: (exp.Sub, "changed operation"),
    exp.Sub: (exp.Add, "changed operation"),
}


@dataclass(frozen=True)
class Edit:
    """A node that gives way to another, and the words that show it."""

    target: ast.AST
    replacement: ast.AST
    kind: Kind
    before: str
    after: str
    line: int

    @property
    def description(self) -> str:
        """The change on one line."""
        return f"{_short(self.before)} -> {_short(self.after)}"


class _QueryEdit(NamedTuple):
    """A query with one change, on the line of the query on which it is."""

    line: int
    text: str
    kind: Kind
    before: str
    after: str


class Operators:
    """Every operator, applied to code of one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._choices = [values for values in choices_in(schema).values() if len(values) > 1]
        self._defaults = defaults_of(schema)
        self._connection = open_memory()
        schema.create(self._connection)
        self._known: dict[str, list[_QueryEdit]] = {}

    def edits(self, statement: ast.stmt) -> Iterator[Edit]:
        """Yield all edits of a statement and what is in it."""
        for node, parent in _walk(statement, None):
            yield from _logic(node)
            yield from _arithmetic(node)
            yield from self._constants(node, parent)
            yield from self._writes(node)

    def _constants(self, node: ast.AST, parent: ast.AST | None) -> Iterator[Edit]:
        """Move numbers by one, turn flags, put another value of a closed set, change queries."""
        if not isinstance(node, ast.Constant):
            return
        match node.value:
            case bool() as flag:
                yield _edit("changed constant", node, ast.Constant(not flag))
            case int() as number:
                if not isinstance(parent, ast.Subscript | ast.Slice | ast.Compare):  # a cap, or a limit moved elsewhere
                    shown = parent if isinstance(parent, ast.BinOp | ast.Call | ast.Assign | ast.keyword) else node
                    yield _edit("changed constant", node, ast.Constant(number + 1), shown)
            case str() as text if re.match(r"\s*(SELECT|WITH)\b", text, re.IGNORECASE):
                for change in self._changed_queries(text):
                    line, made, kind, before, after = change
                    yield Edit(node, ast.Constant(made), kind, before, after, node.lineno + line - 1)
            case str() as text:
                is_name = isinstance(parent, ast.Subscript | ast.Call | ast.Expr)
                is_name = is_name or (isinstance(parent, ast.Dict) and any(node is key for key in parent.keys))
                other = None if is_name else self._other_choice(text)
                if other is not None:
                    yield _edit("changed constant", node, ast.Constant(other))

    def _other_choice(self, text: str) -> str | None:
        """Return the next value of the closed set that a text is of."""
        found = next((values for values in self._choices if text in values), None)
        return found[(found.index(text) + 1) % len(found)] if found else None

    def _writes(self, node: ast.AST) -> Iterator[Edit]:
        """Leave out a write or one of its columns; put values into other columns of the same type."""
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("db"), "insert" | "update" | "delete"))):
                yield Edit(node, ast.Pass(), "dropped write", ast.unparse(node), DROPPED, node.lineno)
        match node:
            case ast.Call(ast.Attribute(ast.Name("db"), "insert" | "update" as verb), [ast.Constant(str(name)), *_]):
                table = self._schema.tables.get(name)
                if table is not None:
                    yield from self._dropped_columns(node, verb, table)
                    yield from _swapped_columns(node, verb, table)

    def _dropped_columns(self, node: ast.Call, verb: str, table: Table) -> Iterator[Edit]:
        for keyword in node.keywords:
            column = table.by_name.get(keyword.arg or "")
            if column is None or column.name in table.primary_key or (verb == "update" and len(node.keywords) == 1):
                continue
            default = self._defaults[table.name].get(column.name)
            is_default = isinstance(keyword.value, ast.Constant) and keyword.value.value == default
            if verb == "insert" and (is_default or (default is None and not column.nullable)):
                continue
            changed = ast.Call(node.func, node.args, [each for each in node.keywords if each is not keyword])
            before = f"{verb} {table.name}: {column.name}={ast.unparse(keyword.value)}"
            yield Edit(node, changed, "dropped column", before, DROPPED, keyword.value.lineno)

    def _changed_queries(self, text: str) -> list[_QueryEdit]:
        if text not in self._known:
            try:
                query = sqlglot.parse_one(text, dialect=_DIALECT)
            except SqlglotError:
                query = None
            marks = [None] * len([*query.find_all(exp.Placeholder)]) if query else []
            is_query = isinstance(query, exp.Query) and self._is_query(text, marks)
            made = self._changed(query) if is_query and query is not None else ()
            self._known[text] = sorted(each for each in made if self._is_query(each.text, marks))
        return self._known[text]

    def _is_query(self, text: str, marks: list[None]) -> bool:
        try:
            self._connection.execute(f"EXPLAIN {text}", marks).close()
        except sqlite3.Error:
            return False
        return True

    def _changed(self, query: exp.Expr) -> Iterator[_QueryEdit]:
        for node in [*query.walk(bfs=False)]:
            for kind, other in self._others(node):
                before = node.parent if isinstance(node, exp.Literal | exp.Column) and node.parent else node
                lines = [each.meta["line"] for each in node.walk() if "line" in each.meta]
                shown = _said(before)
                node.replace(other)
                text, after = _said(query), _said(other if before is node else before)
                other.replace(node)
                yield _QueryEdit(min(lines, default=1), text, kind, shown, after)

    def _others(self, node: exp.Expr) -> Iterator[tuple[Kind, exp.Expr]]:
        """Yield what may take the place of a node of a query."""
        if type(node) in _SQL_OTHERS:
            other, kind = _SQL_OTHERS[type(node)]
            yield kind, other(**node.copy().args)
        if type(node) in _SQL_COMPARED and not _joins(node):
            yield "changed comparison", _SQL_COMPARED[type(node)](**node.copy().args)
        elif isinstance(node, exp.Not):
            yield "negated condition", node.this.copy()
        elif isinstance(node, exp.Is | exp.In | exp.Exists | exp.Between | exp.Like):
            if not isinstance(node.parent, exp.Not):
                yield "negated condition", exp.Not(this=node.copy())
        elif isinstance(node, exp.Ordered) and not node.index:  # what follows only orders equals
            is_down = bool(node.args.get("desc"))
            yield "changed order", exp.Ordered(this=node.this.copy(), desc=not is_down, nulls_first=is_down)
        elif isinstance(node, exp.Literal):
            yield from self._other_literals(node)
        elif isinstance(node, exp.Column) and node.find_ancestor(exp.Where, exp.Having) is not None:
            other_column = self._lookalike(node)
            if other_column is not None:
                yield "swapped column", exp.column(other_column, node.table or None)

    def _other_literals(self, node: exp.Literal) -> Iterator[tuple[Kind, exp.Expr]]:
        if node.is_string:
            choice = self._other_choice(node.name)
            if choice is not None:
                yield "changed constant", exp.Literal.string(choice)
        elif isinstance(node.parent, exp.Limit):
            if node.name.isdigit() and 1 < int(node.name) <= _MOST_ROWS:
                yield "changed limit", exp.Literal.number(int(node.name) - 1)
        elif node.name.isdigit() and not isinstance(node.parent, exp.Select):
            is_end = node.arg_key == "expression" and isinstance(node.parent, exp.LT | exp.GTE)
            yield "changed constant", exp.Literal.number(int(node.name) + (-1 if is_end else 1))

    def _lookalike(self, column: exp.Column) -> str | None:
        """Return the column that is most like one of a query, looked for in the SELECTs around it."""
        select = column.find_ancestor(exp.Select)
        while select is not None:
            for named in select.find_all(exp.Table):
                table = self._schema.tables.get(named.name)
                if table and column.name in table.by_name and column.table in ("", named.alias_or_name):
                    return _lookalike({each.name: each.type for each in table.columns}, column.name)
            select = select.find_ancestor(exp.Select)
        return None


def _walk(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Yield nodes with their parents in the order of the code, without the words of messages."""
    yield node, parent
    if not isinstance(node, ast.Raise | ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _walk(child, node)


def _logic(node: ast.AST) -> Iterator[Edit]:
    """Negate conditions, flip and shift comparisons, remove checks and operands."""
    match node:
        case ast.If(test=test, body=[ast.Raise() as raised, *_]):
            yield _edit("negated condition", test, _negated(test))
            before = f"if {ast.unparse(test)}: raise {_kind_of(raised)}"
            yield Edit(test, ast.Constant(False), "removed check", before, DROPPED, node.lineno)
        case ast.If(test=test) | ast.IfExp(test=test):
            yield _edit("negated condition", test, _negated(test))
        case ast.comprehension(ifs=conditions):
            for condition in conditions:
                yield _edit("negated condition", condition, _negated(condition))
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("db"), "require"))):
            yield Edit(node, ast.Pass(), "removed check", ast.unparse(node), DROPPED, node.lineno)
        case ast.Compare(left, operations, compared):
            for at, operation in enumerate(operations):
                flipped = [*operations[:at], _COMPARED[type(operation)](), *operations[at + 1 :]]
                yield _edit("changed comparison", node, ast.Compare(left, flipped, compared))
                for side, value in enumerate([left, *compared][at : at + 2], at):
                    if isinstance(value, ast.Constant) and type(value.value) is int:
                        # Away from the limit: nearer to it would be the same as the flipped comparison.
                        grows = isinstance(operation, ast.Gt | ast.LtE | ast.Eq | ast.NotEq) == (side > at)
                        moved = ast.Constant(value.value + (1 if grows else -1))
                        yield _edit("changed constant", value, moved, node)
        case ast.BoolOp(operation, values):
            other = ast.Or() if isinstance(operation, ast.And) else ast.And()
            yield _edit("changed connective", node, ast.BoolOp(other, values))
            for at in range(len(values)):
                kept = values[:at] + values[at + 1 :]
                yield _edit("removed check", node, kept[0] if len(kept) == 1 else ast.BoolOp(operation, kept))


def _arithmetic(node: ast.AST) -> Iterator[Edit]:
    """Turn `+` into `-`, `min` into `max`, a sum into a count; leave out sorting."""
    match node:
        case ast.BinOp(left, operation, right) if type(operation) in _COMPUTED:
            yield _edit("changed operation", node, ast.BinOp(left, _COMPUTED[type(operation)](), right))
        case ast.AugAssign(target, operation, value) if type(operation) in _COMPUTED:
            yield _edit("changed operation", node, ast.AugAssign(target, _COMPUTED[type(operation)](), value))
        case ast.Call(ast.Name(name), arguments, keywords) if name in _CALLED:
            kept = [] if name == "sorted" else keywords
            yield _edit("changed operation", node, ast.Call(ast.Name(_CALLED[name], ast.Load()), arguments, kept))


def _swapped_columns(node: ast.Call, verb: str, table: Table) -> Iterator[Edit]:
    columns = {each.name: each.type for each in table.columns if each.name not in table.primary_key}
    written = {each.arg: each.value for each in node.keywords if each.arg in columns}
    for name, value in written.items():
        among = {each: kind for each, kind in columns.items() if each in written}
        free = {each: kind for each, kind in columns.items() if each == name or each not in written}
        other = _lookalike(among, name) or _lookalike(free, name)
        if other is None or (other in written and ast.dump(written[other]) == ast.dump(value)):
            continue
        renamed = {name: other, other: name}
        keywords = [ast.keyword(renamed.get(each.arg or "", each.arg), each.value) for each in node.keywords]
        pairs = [(each, written[each]) for each in (name, other) if each in written]
        before = ", ".join(f"{each}={ast.unparse(own)}" for each, own in pairs)
        after = ", ".join(f"{renamed[each]}={ast.unparse(own)}" for each, own in pairs)
        changed = ast.Call(node.func, node.args, keywords)
        yield Edit(node, changed, "swapped column", f"{verb} {table.name}: {before}", after, value.lineno)


def _lookalike(columns: Mapping[str, str], column: str) -> str | None:
    """Return the column of the same type that is most like this one: with the same ending, or else the next."""
    names = [name for name, kind in columns.items() if kind == columns[column]]
    start = names.index(column)
    others = names[start + 1 :] + names[:start]
    ending = column.rpartition("_")[2]
    return next((name for name in others if name.rpartition("_")[2] == ending), others[0] if others else None)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], _OPPOSITE):
        return ast.Compare(test.left, [_COMPARED[type(test.ops[0])]()], test.comparators)
    return ast.UnaryOp(ast.Not(), test)


def _kind_of(node: ast.Raise) -> str:
    match node.exc:
        case ast.Call(ast.Attribute(attr=name)):
            return name.upper()
        case ast.Call(ast.Name("Rejection"), [ast.Constant(str(name)), *_]):
            return name
    return ast.unparse(node.exc)[:40] if node.exc else ""


def _joins(node: exp.Expr) -> bool:
    """Return whether a comparison only ties tables together, so that no case could miss that it is flipped."""
    sides = (node.this, node.expression)
    return all(isinstance(side, exp.Column) for side in sides) and node.find_ancestor(exp.Join) is not None


def _edit(kind: Kind, target: ast.AST, replacement: ast.AST, shown: ast.AST | None = None) -> Edit:
    """Return an edit that is described by the code of both nodes, or of a greater node around them."""
    line = getattr(target, "lineno", 1)
    if shown is None or shown is target:
        return Edit(target, replacement, kind, ast.unparse(target), ast.unparse(replacement), line)
    return Edit(target, replacement, kind, ast.unparse(shown), ast.unparse(replaced(shown, target, replacement)), line)


def replaced(tree: ast.AST, target: ast.AST, replacement: ast.AST) -> ast.AST:
    """Return a copy of a tree with another node in the place of one."""
    return copy.deepcopy(tree, {id(target): replacement})


def _said(node: exp.Expr) -> str:
    return node.sql(dialect=_DIALECT, comments=False)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."
