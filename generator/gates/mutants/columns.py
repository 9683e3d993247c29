"""Edits of what a tool does with rows: writes left out or cut short, columns and results mistaken for each other."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from generator.gates.mutants.edit import DROPPED, CodeEdit, edit
from generator.gates.mutants.logic import Parents
from generator.gates.mutants.lookalike import lookalike
from generator.gates.mutants.query import read_query, tables_of
from runtime.domain.schema import Schema

Columns = Mapping[str, str]  # name to type


@dataclass(frozen=True)
class RowKnowledge:
    """What is known of the rows in one function: the columns behind each variable, and the results of the file."""

    schema: Schema
    defaults: Mapping[str, Mapping[str, Any]]
    rows: Mapping[str, Columns]
    parents: Parents
    results: tuple[Columns, ...]

    def columns_of(self, table: str) -> Columns:
        """The columns of a table with their types, in declared order."""
        return columns_of(self.schema, table)


def columns_of(schema: Schema, table: str) -> Columns:
    """The columns of a table with their types, in declared order."""
    declared = schema.tables.get(table)
    return {column.name: column.type for column in declared.columns} if declared else {}


def rows_in(function: ast.FunctionDef, schema: Schema, helpers: Mapping[str, Columns]) -> dict[str, Columns]:
    """The columns of every variable that holds a row or is taken from a list of rows."""
    known: dict[str, Columns] = {}
    for _ in range(2):  # a list may be made after the loop that names its elements, as seen from the top
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) | ast.NamedExpr(ast.Name(id=name), value):
                    target, source = name, value
                case ast.For(target=ast.Name(id=name), iter=value) | ast.comprehension(ast.Name(id=name), value):
                    target, source = name, value
                case _:
                    continue
            columns = row_columns(source, schema, known, helpers)
            if columns:
                known[target] = columns
    return known


def row_columns(
    source: ast.expr, schema: Schema, known: Mapping[str, Columns], helpers: Mapping[str, Columns]
) -> Columns:
    """The columns of the row, or of each row, that an expression gives; empty if that is not known."""
    match source:
        case ast.Name(id=name):
            return known.get(name, {})
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=int()) | ast.Slice()):
            return known.get(name, {})
        case ast.Call(func=ast.Name(id="sorted" | "list" | "reversed"), args=[inner, *_]):
            return row_columns(inner, schema, known, helpers)
        case ast.Call(func=ast.Name(id=name)):
            return helpers.get(name, {})
        case ast.Call(func=ast.Attribute(value=ast.Name(id="db"), attr=verb), args=[ast.Constant(value=str(text)), *_]):
            if verb in ("get", "require", "insert", "update", "delete"):
                return columns_of(schema, text)
            if verb in ("select", "first"):
                return _selected(text, schema)
    return {}


def _selected(sql: str, schema: Schema) -> Columns:
    """The columns that a query's first SELECT lists under their own names, with their types."""
    query = read_query(sql)
    select = query.find(exp.Select) if query else None
    if select is None:
        return {}
    listed = {each.alias_or_name for each in select.expressions if isinstance(each, exp.Alias | exp.Column | exp.Star)}
    tables = {table.name for table in tables_of(select)}
    found: dict[str, str] = {}
    for table in (name for name in schema.tables if name in tables):
        for name, kind in columns_of(schema, table).items():
            if name in listed or "*" in listed:
                found.setdefault(name, kind)
    return found


def returned_row(function: ast.FunctionDef, schema: Schema) -> Columns:
    """The columns of the row that a helper returns; empty if it returns none."""
    known = rows_in(function, schema, {})
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and node.value is not None:
            return row_columns(node.value, schema, known, {})
    return {}


def results_in(tree: ast.Module) -> tuple[Columns, ...]:
    """The fields of each TypedDict of a file with the code of their types."""
    found = []
    for statement in tree.body:
        if isinstance(statement, ast.ClassDef):
            fields = [each for each in statement.body if isinstance(each, ast.AnnAssign)]
            found.append(
                {each.target.id: _bare(each.annotation) for each in fields if isinstance(each.target, ast.Name)}
            )
    return tuple(found)


def _bare(annotation: ast.expr) -> str:
    match annotation:
        case ast.Subscript(value=ast.Name(id="Annotated" | "NotRequired"), slice=inner):
            return _bare(inner.elts[0] if isinstance(inner, ast.Tuple) else inner)
    return ast.unparse(annotation)


def dropped_write(node: ast.AST, known: RowKnowledge) -> Iterator[CodeEdit]:
    """A write is left out; where its row is used, the row that is there or that was asked for takes its place."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id="db"), attr="insert" | "update" | "delete"))):
            yield edit("dropped write", node, [])
        case ast.Call() if isinstance(known.parents.get(node), ast.Expr):
            return
        case ast.Call(func=ast.Attribute(value=ast.Name(id="db"), attr="update" | "delete")):
            read = ast.Call(ast.Attribute(ast.Name("db", ast.Load()), "require", ast.Load()), node.args, [])
            yield CodeEdit(node, read, "dropped write", ast.unparse(node), DROPPED, node.lineno)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="db"), attr="insert"), keywords=keywords):
            names: list[ast.expr | None] = [ast.Constant(each.arg) if each.arg else None for each in keywords]
            row = ast.Dict(names, [each.value for each in keywords])
            yield CodeEdit(node, row, "dropped write", ast.unparse(node), DROPPED, node.lineno)


def dropped_column(node: ast.AST, known: RowKnowledge) -> Iterator[CodeEdit]:
    """A column of an insert or update is left out, if that is another row and a row at all."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="db"), attr=verb), args=[ast.Constant(value=str(name)), *_]
        ) if verb in ("insert", "update") and name in known.schema.tables:
            if verb == "update" and len(node.keywords) == 1:
                return
        case _:
            return
    table = known.schema.tables[name]
    for keyword in node.keywords:
        column = table.by_name.get(keyword.arg or "")
        if column is None:
            continue
        if verb == "insert" and column.name not in table.primary_key:
            default = known.defaults[name].get(column.name)
            is_default = isinstance(keyword.value, ast.Constant) and keyword.value.value == default
            if is_default or (default is None and not column.nullable):
                continue
        elif verb == "insert":
            continue
        kept = [each for each in node.keywords if each is not keyword]
        changed = ast.Call(node.func, node.args, kept)
        before = f"{verb} {name}: {column.name}={ast.unparse(keyword.value)}"
        yield CodeEdit(node, changed, "dropped column", before, DROPPED, keyword.value.lineno)


def swapped_column(node: ast.AST, known: RowKnowledge) -> Iterator[CodeEdit]:
    """Two values of one write change places, or a write or a read names another column of the same type."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="db"), attr="insert" | "update" as verb),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield from _swapped_in_write(node, verb, name, known)
        case ast.Subscript(value=value, slice=ast.Constant(value=str(column)), ctx=ast.Load()):
            columns = row_columns(value, known.schema, known.rows, {})
            other = lookalike(columns, column)
            if other is not None:
                yield edit("swapped column", node, ast.Subscript(value, ast.Constant(other), ast.Load()))


def _swapped_in_write(node: ast.Call, verb: str, table: str, known: RowKnowledge) -> Iterator[CodeEdit]:
    columns = known.columns_of(table)
    keys = known.schema.tables[table].primary_key if table in known.schema.tables else ()
    written = {each.arg: each for each in node.keywords if each.arg in columns}
    given = {name: columns[name] for name in columns if name in written and name not in keys}
    swapped: set[frozenset[str]] = set()
    for name in given:
        other = lookalike(given, name)
        if other is None:
            free = {each: kind for each, kind in columns.items() if each == name or each not in written}
            other = lookalike({each: kind for each, kind in free.items() if each not in keys}, name)
        if other is None or frozenset((name, other)) in swapped:
            continue
        swapped.add(frozenset((name, other)))
        renamed = {name: other, other: name}
        keywords = [ast.keyword(renamed.get(each.arg or "", each.arg), each.value) for each in node.keywords]
        places = [each for each in (name, other) if each in written]
        if len({ast.dump(written[each].value) for each in places}) < len(places):
            continue
        before = ", ".join(f"{each}={ast.unparse(written[each].value)}" for each in places)
        after = ", ".join(f"{renamed[each]}={ast.unparse(written[each].value)}" for each in places)
        changed = ast.Call(node.func, node.args, keywords)
        line = written[name].value.lineno
        yield CodeEdit(node, changed, "swapped column", f"{verb} {table}: {before}", after, line)


def swapped_results(node: ast.AST, known: RowKnowledge) -> Iterator[CodeEdit]:
    """Two values of the same type in a result change places."""
    if not isinstance(node, ast.Dict):
        return
    keys = [each.value if isinstance(each, ast.Constant) else None for each in node.keys]
    types = next((each for each in known.results if keys and set(keys) <= each.keys()), None)
    if types is None or None in keys:
        return
    present = {str(key): types[str(key)] for key in keys}
    done: set[frozenset[int]] = set()
    for position, key in enumerate(present):
        other = lookalike(present, key)
        if other is None:
            continue
        places = frozenset((position, keys.index(other)))
        one, two = position, keys.index(other)
        if places in done or ast.dump(node.values[one]) == ast.dump(node.values[two]):
            continue
        done.add(places)
        values = [*node.values]
        values[one], values[two] = values[two], values[one]
        before = f"{key!r}: {ast.unparse(node.values[one])}"
        yield CodeEdit(
            node,
            ast.Dict(node.keys, values),
            "swapped results",
            before,
            ast.unparse(values[one]),
            node.values[one].lineno,
        )
