"""Every mutant of a domain's tools: one edit each, attributed to the tools that reach the edited code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.gates.cases.run import defaults_of
from generator.gates.mutants.columns import (
    RowKnowledge,
    dropped_column,
    dropped_write,
    results_in,
    returned_row,
    rows_in,
    swapped_column,
    swapped_results,
)
from generator.gates.mutants.edit import CodeEdit, Kind, apply_edit
from generator.gates.mutants.logic import (
    changed_clock,
    changed_comparison,
    changed_connective,
    changed_number,
    changed_operation,
    dropped_filter,
    dropped_jump,
    dropped_rejection,
    negated_condition,
    swapped_state,
)
from generator.gates.mutants.sql import QueryEdits
from runtime.domain.domain import Domain
from runtime.domain.people import is_desk_tool
from runtime.domain.schema import Schema
from runtime.errors import BrokenDomain, Rejection
from runtime.sandbox.code import compile_module, loading_budget
from runtime.sandbox.syntax import parse

_LOGIC = (
    negated_condition,
    dropped_rejection,
    changed_comparison,
    changed_connective,
    dropped_filter,
    changed_number,
    changed_operation,
    changed_clock,
    dropped_jump,
    swapped_state,
)
_ROWS = (dropped_write, dropped_column, swapped_column, swapped_results)
_Unit = ast.FunctionDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Mutant:
    """A tool with one edit; it is also one of the other `tools` that reach the edited helper or constant."""

    id: str
    tool: str
    tools: tuple[str, ...]
    line: int
    kind: Kind
    description: str
    functions: Mapping[str, Callable[..., Any]] = field(repr=False)

    def variant(self, domain: Domain) -> Domain:
        """The domain with this mutant in the place of the tool."""
        mutated = {name: replace(domain.tools[name], function=self.functions[name]) for name in self.tools}
        return replace(domain, tools={**domain.tools, **mutated})


def make_mutants(domain: Domain, tools: Collection[str] | None = None) -> list[Mutant]:
    """The mutants of these tools, or of all, in the order of files, tools and lines: the same in every process.

    A mutant of what several tools reach is made once, for the first of them in its file.
    """
    files: dict[str, list[str]] = {}
    for name, tool in domain.tools.items():
        if not is_desk_tool(name):
            files.setdefault(tool.file, []).append(name)
    queries = QueryEdits(domain.schema)
    defaults = defaults_of(domain.schema)
    try:
        found: list[Mutant] = []
        for file, names in sorted(files.items()):
            wanted = set(names) if tools is None else set(names) & set(tools)
            if wanted:
                module = domain.tools[names[0]].function.__globals__
                path = domain.path / file
                found += MutatedFile(domain.schema, path, names, module, queries, defaults).mutants(wanted)
        return found
    finally:
        queries.close()


class MutatedFile:
    """A file of tools, or of rules, with the module that was loaded from it: what each reaches, and its mutants."""

    def __init__(
        self,
        schema: Schema,
        path: Path,
        names: list[str],
        module: dict[str, Any],
        queries: QueryEdits,
        defaults: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self.queries = queries
        self.module = module
        self.tree = parse(path.read_text(encoding="utf-8"))
        results = results_in(self.tree)
        _strip_annotations(self.tree)
        self.units = dict(_units_of(self.tree))
        functions = {name: unit for name, unit in self.units.items() if isinstance(unit, ast.FunctionDef)}
        self.functions = functions
        self.texts = {name: ast.unparse(each) for name, each in functions.items()}
        self.reached = {name: self._reached_by(name) for name in functions}
        self.tools = [name for name in functions if name in names]
        helpers = {name: returned_row(each, schema) for name, each in functions.items() if name not in names}
        self.rows = {name: rows_in(each, schema, helpers) for name, each in functions.items()}
        self.known = RowKnowledge(schema, defaults, {}, {}, results)
        self.top = [(each, ast.unparse(each)) for each in self.tree.body if _stands_before_functions(each)]

    def mutants(self, wanted: set[str]) -> Iterator[Mutant]:
        """The mutants that belong to some of the file's tools."""
        for tool in self.tools:
            number = 0
            for name, unit in self.units.items():
                reaching = tuple(each for each in self.tools if name in self.reached[each])
                if tool not in wanted or reaching[:1] != (tool,):
                    continue
                for edit, functions in self._edited(name, unit, reaching):
                    number += 1
                    where = f"{tool}:{number}"
                    yield Mutant(where, tool, reaching, edit.line, edit.kind, edit.description, functions)

    def _reached_by(self, function: str) -> set[str]:
        pending, seen = [function], set()
        while pending:
            name = pending.pop()
            if name in self.units and name not in seen:
                seen.add(name)
                inside = ast.walk(ast.Module(_parts(self.units[name]), []))
                pending += [node.id for node in inside if isinstance(node, ast.Name)]
        return seen

    def _edited(
        self, name: str, unit: _Unit, tools: tuple[str, ...]
    ) -> Iterator[tuple[CodeEdit, dict[str, Callable[..., Any]]]]:
        seen = {ast.unparse(unit)}
        for edit in sorted(self._edits(name, unit), key=lambda edit: edit.line):
            code = ast.unparse(apply_edit(unit, edit))
            if code not in seen:
                seen.add(code)
                functions = self._load(name, unit, code, tools)
                if functions is not None:
                    yield edit, functions

    def _edits(self, name: str, unit: _Unit) -> Iterator[CodeEdit]:
        parents = {child: node for node in ast.walk(unit) for child in ast.iter_child_nodes(node)}
        known = replace(self.known, rows=self.rows.get(name, {}), parents=parents)
        for part in _parts(unit):
            for node in _sites(part):
                for logic in _LOGIC:
                    yield from logic(node, parents)
                for rows in _ROWS:
                    yield from rows(node, known)
                yield from self.queries.edits(node)

    def _load(self, name: str, unit: _Unit, code: str, tools: tuple[str, ...]) -> dict[str, Callable[..., Any]] | None:
        """The tools of the file with one unit replaced, by the way that every domain's code takes; None if it is shut.

        Only the constants, the unit and the functions that reach it are compiled; the others stay what they are.
        """
        texts = [code if statement is unit else text for statement, text in self.top]
        texts += [
            code if other is unit else self.texts[each]
            for each, other in self.functions.items()
            if name in self.reached[each]
        ]
        module = dict(self.module)
        try:
            with loading_budget():
                exec(compile_module("\n".join(texts), "mutant"), module)
        except (BrokenDomain, ArithmeticError, LookupError, NameError, Rejection, TypeError, ValueError):
            return None
        return {tool: module[tool] for tool in tools}


def _units_of(tree: ast.Module) -> Iterator[tuple[str, _Unit]]:
    """The functions and constants of a file by name."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name, statement
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if not isinstance(statement.value, ast.Subscript | None):  # names of types aside
                    yield name, statement


def _parts(unit: _Unit) -> list[ast.stmt]:
    """What of a unit runs: not its declaration."""
    if not isinstance(unit, ast.FunctionDef):
        return [unit]
    return unit.body[1:] if ast.get_docstring(unit, clean=False) is not None else unit.body


def _sites(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement that may be edited, in the order of the code: not the words of a message."""
    yield node
    if isinstance(node, ast.Raise | ast.JoinedStr):
        return
    for child in _parts(node) if isinstance(node, ast.FunctionDef) else ast.iter_child_nodes(node):
        yield from _sites(child)


def _strip_annotations(tree: ast.Module) -> None:
    """Take the types out of functions and constants, which no edit may touch and which take long to compile."""
    classes = {id(node) for each in tree.body if isinstance(each, ast.ClassDef) for node in ast.walk(each)}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.AnnAssign) and id(node) not in classes:
            node.annotation = ast.copy_location(ast.Constant(None), node)


def _stands_before_functions(statement: ast.stmt) -> bool:
    """Whether it is an import or a constant."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return not isinstance(statement.value, ast.Subscript)
    return isinstance(statement, ast.ImportFrom)
