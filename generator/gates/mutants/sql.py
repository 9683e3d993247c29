"""Edits of a tool's queries: terms dropped, comparisons and numbers changed, columns swapped, orders reversed."""

from __future__ import annotations

import ast
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlglot import exp

from generator.gates.mutants.columns import columns_of
from generator.gates.mutants.edit import DROPPED, CodeEdit, Kind
from generator.gates.mutants.lookalike import lookalike
from generator.gates.mutants.query import DIALECT, owner_of, read_query
from runtime.domain.schema import Schema
from runtime.sandbox.connect import open_memory

_COMPARED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.LT: exp.LTE,
    exp.LTE: exp.LT,
    exp.GT: exp.GTE,
    exp.GTE: exp.GT,
    exp.Or: exp.And,
}
_COMPUTED: dict[type[exp.Expr], type[exp.Expr]] = {
    exp.Add: exp.Sub,
    exp.Sub: exp.Add,
    exp.Mul: exp.Add,
    exp.Div: exp.Mul,
    exp.Min: exp.Max,
    exp.Max: exp.Min,
}
_UPWARD = (exp.GT, exp.LTE, exp.EQ, exp.NEQ)  # with a greater number, not the same as another comparison
_DOWNWARD = (exp.LT, exp.GTE)
_INFIX = (exp.Binary, exp.In, exp.Between)  # what stands between or after its first operand
_CLAUSES: dict[type[exp.Expr], str] = {
    exp.Select: "select",
    exp.From: "from",
    exp.Join: "from",
    exp.Where: "where",
    exp.Group: "group",
    exp.Having: "having",
    exp.Order: "order",
    exp.Limit: "limit",
}
_CONDITIONS = ("where", "having", "on", "select")


@dataclass(frozen=True)
class _Change:
    """A query with one edit, on the line of the query on which it is."""

    line: int
    text: str
    kind: Kind
    before: str
    after: str


class QueryEdits:
    """Makes the edits of queries; SQLite says which of them still are queries."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._connection = open_memory()
        schema.create(self._connection)
        self._known: dict[str, list[_Change]] = {}

    def close(self) -> None:
        """Close the database that the queries were tried on."""
        self._connection.close()

    def edits(self, node: ast.AST) -> Iterator[CodeEdit]:
        """All edits of a text that is a query."""
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            return
        if not re.match(r"\s*(SELECT|WITH)\b", node.value, re.IGNORECASE):
            return
        for each in self._changes(node.value):
            yield CodeEdit(
                node, ast.Constant(each.text), each.kind, each.before, each.after, node.lineno + each.line - 1
            )

    def _changes(self, text: str) -> list[_Change]:
        if text not in self._known:
            query = read_query(text)
            marks = [None] * len([*query.find_all(exp.Placeholder)]) if query else []
            made = _Editing(query, self.schema).changes() if query and self._is_query(text, marks) else iter(())
            self._known[text] = [change for change in made if self._is_query(change.text, marks)]
        return self._known[text]

    def _is_query(self, text: str, marks: list[None]) -> bool:
        try:
            self._connection.execute(f"EXPLAIN {text}", marks).close()
        except sqlite3.Error:
            return False
        return True


class _Editing:
    """Goes through one query in the order of its text."""

    def __init__(self, query: exp.Query, schema: Schema) -> None:
        self._query = query
        self._schema = schema
        self._has_several_tables = len([*query.find_all(exp.Table)]) > 1
        self._terms: dict[int, exp.Expr] = {}  # what takes the place of a term, by the term's identity

    def changes(self) -> Iterator[_Change]:
        """Every edit; lines never go back."""
        line = 1
        for change in self._visited(self._query, "select"):
            line = max(line, change.line)
            yield replace(change, line=line)

    def _visited(self, node: exp.Expr, clause: str) -> Iterator[_Change]:
        clause = _CLAUSES.get(type(node), clause)
        if isinstance(node, exp.Order):
            yield from self._visited_order(node)
            return
        if id(node) in self._terms:
            yield self._changed(node, self._terms[id(node)], "dropped condition of a query", after=DROPPED)
        if isinstance(node, exp.Where | exp.Having):
            self._terms |= _droppable(node.this)
        elif isinstance(node, exp.Join) and node.args.get("on"):
            self._terms |= dict([*_droppable(node.args["on"]).items()][1:])
        inner = node.this if isinstance(node, exp.Not) else node
        first = inner.this if isinstance(inner, _INFIX) else None
        if first is not None:
            yield from self._visited(first, clause)
        yield from self._edited(node, clause)
        rest = [child for child in (node if first is None else inner).iter_expressions() if child is not first]
        for child in sorted(rest, key=lambda child: not isinstance(child, exp.With)):  # it is kept last, and said first
            is_on = isinstance(node, exp.Join) and child is node.args.get("on")
            yield from self._visited(child, "on" if is_on else clause)

    def _children(self, node: exp.Expr, clause: str) -> Iterator[_Change]:
        for child in [*node.iter_expressions()]:
            yield from self._visited(child, clause)

    def _edited(self, node: exp.Expr, clause: str) -> Iterator[_Change]:
        yield from self._changed_operation(node)
        if clause in _CONDITIONS:
            yield from self._changed_comparison(node, clause)
            yield from self._changed_number(node)
        if isinstance(node, exp.Column) and clause in ("select", "where", "having", "order"):
            yield from self._swapped_column(node, clause)

    def _changed_comparison(self, node: exp.Expr, clause: str) -> Iterator[_Change]:
        """`<` becomes `<=` and the like; IS NULL, IN, BETWEEN and EXISTS become their opposites."""
        kind: Kind = "changed comparison of a query"
        other = _COMPARED.get(type(node))
        if other is not None and not (clause == "on" and not node.find(exp.Literal, exp.Placeholder)):
            yield self._changed(node, _as(other, node), kind)
        elif isinstance(node, exp.Not) and isinstance(node.this, exp.Is | exp.In | exp.Exists | exp.Between):
            yield self._changed(node, node.this, kind)
        elif isinstance(node, exp.Like) and node.args.get("negate"):
            yield self._changed(node, exp.Like(this=node.this.copy(), expression=node.expression.copy()), kind)
        elif _can_be_negated(node):
            yield self._changed(node, exp.Not(this=node.copy()), kind)

    def _changed_number(self, node: exp.Expr) -> Iterator[_Change]:
        """A whole number is one more or one less, but not where a changed comparison comes to the same."""
        if not isinstance(node, exp.Literal) or node.is_string or not node.name.isdigit():
            return
        if isinstance(node.parent_select, exp.Select) and node is node.parent_select.expressions[0]:
            return
        is_compared = node.parent is not None and node.arg_key == "expression"
        steps: tuple[int, ...] = (1, -1)
        if is_compared and isinstance(node.parent, _UPWARD):
            steps = (1,)
        elif is_compared and isinstance(node.parent, _DOWNWARD):
            steps = (-1,)
        for step in steps:
            number = exp.Literal.number(str(int(node.name) + step))
            yield self._changed(node, number, "changed number of a query", shown=node.parent)

    def _changed_operation(self, node: exp.Expr) -> Iterator[_Change]:
        """`+` becomes `-`, `min` becomes `max`, LEFT JOIN becomes JOIN, DISTINCT is left out."""
        kind: Kind = "changed operation of a query"
        if type(node) in _COMPUTED:
            yield self._changed(node, _as(_COMPUTED[type(node)], node), kind)
        elif isinstance(node, exp.Join) and node.side == "LEFT":
            yield self._without(node, "side", kind, "LEFT JOIN", "JOIN")
        elif isinstance(node, exp.Select) and node.args.get("distinct"):
            yield self._without(node, "distinct", kind, "SELECT DISTINCT", "SELECT")
        elif isinstance(node, exp.Distinct) and not isinstance(node.parent, exp.Select):
            yield self._changed(node, node.expressions[0], kind)

    def _swapped_column(self, node: exp.Column, clause: str) -> Iterator[_Change]:
        """A column of the same table and type takes the place of another."""
        owner = owner_of(node, self._schema)
        other = lookalike(columns_of(self._schema, owner.table), node.name) if owner else None
        if owner is None or other is None:
            return
        if clause == "order" and not node.table and _is_later_key(node, self._schema.tables[owner.table].primary_key):
            return  # which row of equals comes first
        is_qualified = bool(node.table) or self._has_several_tables
        swapped: exp.Expr = exp.column(other, owner.given if is_qualified else None)
        if isinstance(node.parent, exp.Select):
            swapped = exp.alias_(swapped, node.name)
        yield self._changed(node, swapped, "swapped column of a query")

    def _visited_order(self, order: exp.Order) -> Iterator[_Change]:
        """The first term of ORDER BY is left out; the direction of each is reversed."""
        first, *others = terms = [*order.expressions]
        for term in terms:
            # What begins at the same place comes in a fixed order, since mutants are numbered: a plain name goes first.
            comes_after = bool(others) and isinstance(term.this, exp.Column) and not term.this.table
            dropped = [*self._without_first(order, first, others)] if term is first else []
            yield from () if comes_after else dropped
            yield from self._children(term, "order")
            yield from dropped if comes_after else ()
            is_down = bool(term.args.get("desc"))
            turned = exp.Ordered(this=term.this.copy(), desc=None if is_down else True, nulls_first=is_down)
            yield self._changed(term, turned, "changed order")

    def _without_first(self, order: exp.Order, first: exp.Ordered, others: list[exp.Expr]) -> Iterator[_Change]:
        if others:
            left = exp.Order(expressions=[each.copy() for each in others])
            yield self._changed(order, left, "changed order", f"ORDER BY {_said(first)}", DROPPED)
        elif order.parent is not None and not self._is_key(first):
            whole = self._without(order.parent, "order", "changed order", _said(order), DROPPED)
            yield replace(whole, line=_line_of(order))

    def _is_key(self, term: exp.Ordered) -> bool:
        """Whether a term is a table's key, in whose order rows come anyway."""
        if not isinstance(term.this, exp.Column) or term.args.get("desc"):
            return False
        owner = owner_of(term.this, self._schema)
        return owner is not None and self._schema.tables[owner.table].primary_key == (term.this.name,)

    def _changed(
        self,
        node: exp.Expr,
        other: exp.Expr,
        kind: Kind,
        before: str = "",
        after: str = "",
        shown: exp.Expr | None = None,
    ) -> _Change:
        """The query with another node in the place of one, which is put back afterwards."""
        line = _line_of(node)
        before = before or _said(shown or node)
        other = other.copy()
        if node is self._query:
            text = _said(other)
        else:
            node.replace(other)
            text = _said(self._query)
            after = after or _said(shown or other)
            other.replace(node)
        return _Change(line, text, kind, before, after or _said(other))

    def _without(self, node: exp.Expr, part: str, kind: Kind, before: str, after: str) -> _Change:
        """The query without a part of a node."""
        other = node.copy()
        other.set(part, None)
        return self._changed(node, other, kind, before, after)


def _droppable(condition: exp.Expr) -> dict[int, exp.Expr]:
    """What a term of a condition is replaced by, so that it is as good as not there and takes the same values."""
    is_either = isinstance(condition, exp.Or)
    terms = [*condition.flatten(unnest=False)] if isinstance(condition, exp.Or | exp.And) else [condition]
    found: dict[int, exp.Expr] = {}
    for term in terms:
        marks = " OR ".join("?" for _ in term.find_all(exp.Placeholder))
        text = f"({'0 AND' if is_either else '1 OR'} {marks})" if marks else "0" if is_either else "1"
        found[id(term)] = exp.condition(text, dialect=DIALECT)
    return found


def _can_be_negated(node: exp.Expr) -> bool:
    if isinstance(node, exp.Is):
        return isinstance(node.expression, exp.Null)
    return isinstance(node, exp.In | exp.Exists | exp.Between) and not isinstance(node.parent, exp.Not)


def _as(kind: type[exp.Expr], node: exp.Expr) -> exp.Expr:
    return kind(**node.copy().args)


def _is_later_key(column: exp.Column, key: tuple[str, ...]) -> bool:
    order = column.find_ancestor(exp.Order)
    return order is not None and column.parent in order.expressions[1:] and column.name in key


def _line_of(node: exp.Expr) -> int:
    lines = [each.meta["line"] for each in node.walk() if "line" in each.meta]
    return min(lines, default=1)


def _said(node: exp.Expr) -> str:
    return node.sql(dialect=DIALECT, comments=False)
