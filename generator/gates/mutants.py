"""Decide which planted faults a domain's cases must notice: a dozen operators on code and queries, one at a time."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType
from typing import Any, Literal

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.gates.cases.case import Case, CaseBook, read_cases
from generator.gates.cases.run import CaseRunner, compare
from generator.gates.constraints import choices_in
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.domain.schema import Schema
from runtime.errors import BrokenDomain, Rejection
from runtime.sandbox.budget import Budget
from runtime.sandbox.module import LOAD_STEPS, compile_module, parse

Kind = Literal[
    "negated condition",
    "changed comparison",
    "changed connective",
    "removed check",
    "changed constant",
    "changed operation",
    "dropped write",
    "dropped column",
    "changed order",
    "changed limit",
]
DROPPED = "(dropped)"
_LONGEST = 100  # characters of either side in a description
_MOST_ROWS = 12  # a greater LIMIT is a cap that the rows of a case never reach
_PAIRS = (
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn), (ast.Is, ast.IsNot)),
    *((ast.And, ast.Or), (ast.Add, ast.Sub)),
)
_OTHERS: dict[type[ast.AST], Any] = {
    **{one: other for pair in _PAIRS for one, other in (pair, pair[::-1])},
    **{ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult},
}
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "sum": "len", "sorted": "list"}
_SQL_PAIRS: dict[Kind, tuple[tuple[type[exp.Expr], type[exp.Expr]], ...]] = {
    "changed comparison": ((exp.EQ, exp.NEQ), (exp.LT, exp.LTE), (exp.GT, exp.GTE)),
    "changed connective": ((exp.And, exp.Or),),
    "changed operation": ((exp.Min, exp.Max), (exp.Add, exp.Sub)),
}
_SQL_OTHERS = {
    one: (kind, other) for kind, pairs in _SQL_PAIRS.items() for pair in pairs for one, other in (pair, pair[::-1])
}
_Unit = ast.FunctionDef | ast.Assign | ast.AnnAssign
SoundCases = dict[str, list[tuple[CaseRunner, Case]]]


@dataclass(frozen=True)
class MutantsRequest:
    """The mutants of some tools of a domain folder, or of all."""

    folder: Path
    tools: list[str] | None = None


@dataclass(frozen=True)
class Survivor:
    """A mutant that no case notices."""

    line: int
    kind: Kind
    description: str


@dataclass
class ToolMutants:
    """The mutants of one tool."""

    total: int = 0
    killed: int = 0
    survivors: list[Survivor] = field(default_factory=list)


@dataclass(frozen=True)
class MutantsReport:
    """The mutants of each tool."""

    by_tool: dict[str, ToolMutants]

    @property
    def total(self) -> int:
        """How many mutants there are."""
        return sum(count.total for count in self.by_tool.values())

    @property
    def killed(self) -> int:
        """How many of them a case notices."""
        return sum(count.killed for count in self.by_tool.values())


@dataclass(frozen=True)
class Edit:
    """A node that gives way to another, and the words that show it."""

    target: ast.AST
    replacement: ast.AST
    kind: Kind
    before: str
    after: str

    @property
    def line(self) -> int:
        """The line in the file."""
        return int(getattr(self.target, "lineno", 1))

    @property
    def description(self) -> str:
        """The change on one line."""
        return f"{_short(self.before)} -> {_short(self.after)}"

    @property
    def span(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Line and column, in bytes, of the target's start and of its end in the file."""
        target: Any = self.target
        return (target.lineno, target.col_offset), (target.end_lineno, target.end_col_offset)

    def spliced(self, text: str) -> str:
        """Return the text of the file with this edit made."""
        (first, start), (last, end) = self.span
        lines = text.encode().splitlines(keepends=True)
        new = ast.unparse(self.replacement)
        new = f"({new})" if isinstance(self.replacement, ast.expr) else new
        lines[first - 1 : last] = [lines[first - 1][:start] + new.encode() + lines[last - 1][end:]]
        return b"".join(lines).decode()


@dataclass(frozen=True)
class Mutant:
    """A tool with one edit; it is also one of the other `tools` that reach the edited helper or constant."""

    tool: str
    tools: tuple[str, ...]
    edit: Edit
    functions: Mapping[str, Callable[..., Any]] = field(repr=False)

    def variant(self, domain: Domain) -> Domain:
        """Return the domain with this mutant in the place of the tool."""
        mutated = {name: replace(domain.tools[name], function=self.functions[name]) for name in self.tools}
        return replace(domain, tools={**domain.tools, **mutated})


@job("mutants")
def prove_mutants(asked: MutantsRequest) -> MutantsReport:
    """Run the cases of a domain folder against the mutants of its tools; errors: BrokenDomain, UsageError."""
    return count_killed(load_domain(asked.folder), read_cases(asked.folder / "cases.jsonl"), asked.tools)


def count_killed(domain: Domain, book: CaseBook, tools: Collection[str] | None = None) -> MutantsReport:
    """Count the mutants of these tools, or of all, and list those that the cases leave alive."""
    cases = sound_cases(domain, book)
    by_tool = {name: ToolMutants() for name in domain.tools if tools is None or name in tools}
    for mutant in make_mutants(domain, by_tool):
        count = by_tool[mutant.tool]
        count.total += 1
        if is_noticed(mutant, domain, cases):
            count.killed += 1
        else:
            count.survivors.append(Survivor(mutant.edit.line, mutant.edit.kind, mutant.edit.description))
    return MutantsReport(by_tool)


def sound_cases(domain: Domain, book: CaseBook) -> SoundCases:
    """Return the cases of each tool that come out as they must, and so may notice its mutants."""
    cases: SoundCases = {name: [] for name in domain.tools}
    for topic in book.values():
        runner = CaseRunner(domain, topic.rows)
        for case in topic.cases:
            if case.tool in cases and not runner.run(case).differences:
                cases[case.tool].append((runner, case))
    return cases


def is_noticed(mutant: Mutant, domain: Domain, cases: SoundCases) -> bool:
    """Return whether a case comes out otherwise on a mutant."""
    variant = mutant.variant(domain)
    tried = (each for tool in mutant.tools for each in cases[tool])
    return any(compare(case, runner.observe(case, variant), domain.schema, runner.defaults) for runner, case in tried)


def make_mutants(domain: Domain, tools: Collection[str] | None = None) -> Iterator[Mutant]:
    """Yield the mutants of these tools, or of all, in the order of files, tools and lines: the same in every process.

    A mutant of what several tools reach is made once, for the first of them in its file.
    """
    files: dict[str, list[str]] = {}
    for name, tool in domain.tools.items():
        if not is_desk_tool(name):
            files.setdefault(tool.file, []).append(name)
    operators = Operators(domain.schema)
    for file, names in sorted(files.items()):
        wanted = set(names) if tools is None else set(names) & set(tools)
        if wanted:
            module = domain.tools[names[0]].function.__globals__
            yield from MutatedFile(domain.path / file, names, module, operators).mutants(wanted)


class MutatedFile:
    """A file of tools, or of rules, with the module that was loaded from it: what each reaches, and its mutants."""

    def __init__(self, path: Path, names: list[str], module: dict[str, Any], operators: Operators) -> None:
        self._operators = operators
        self._module = module
        tree = parse(path.read_text(encoding="utf-8"))
        self._units = dict(_units_of(tree))
        self._functions = {name: unit for name, unit in self._units.items() if isinstance(unit, ast.FunctionDef)}
        self._reached = {name: self._reached_by(name) for name in self._functions}
        self._tools = [name for name in self._functions if name in names]

    def mutants(self, wanted: set[str]) -> Iterator[Mutant]:
        """Yield the mutants that belong to some of the file's tools."""
        for tool in self._tools:
            for name, unit in self._units.items():
                reaching = tuple(each for each in self._tools if name in self._reached[each])
                if tool in wanted and reaching[:1] == (tool,):
                    seen = {ast.unparse(unit)}
                    edits = [edit for part in _parts(unit) for edit in self._operators.edits(part)]
                    for edit in sorted(edits, key=lambda edit: edit.line):
                        code = _unparsed(unit, edit.target, edit.replacement)
                        functions = None if code in seen else self._load(name, code, reaching)
                        seen.add(code)
                        if functions is not None:
                            yield Mutant(tool, reaching, edit, functions)

    def _reached_by(self, function: str) -> set[str]:
        pending, seen = [function], set()
        while pending:
            name = pending.pop()
            if name in self._units and name not in seen:
                seen.add(name)
                inside = ast.walk(ast.Module(_parts(self._units[name]), []))
                pending += [node.id for node in inside if isinstance(node, ast.Name)]
        return seen

    def _load(self, name: str, code: str, tools: tuple[str, ...]) -> dict[str, Callable[..., Any]] | None:
        """Run the code of one unit in a copy of the module, whose functions see it; None if the code is refused."""
        module = dict(self._module)
        for each in self._functions:
            if each != name and name in self._reached[each]:
                own = self._module[each]
                module[each] = FunctionType(own.__code__, module, each, own.__defaults__, own.__closure__)
                module[each].__kwdefaults__ = own.__kwdefaults__
        try:
            with Budget(LOAD_STEPS):
                exec(compile_module(code, "mutant"), module)
        except (BrokenDomain, ArithmeticError, LookupError, Rejection, TypeError, ValueError):
            return None
        return {tool: module[tool] for tool in tools}


class Operators:
    """Every operator, applied to code of one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._choices = [values for values in choices_in(schema).values() if len(values) > 1]

    def edits(self, statement: ast.stmt) -> Iterator[Edit]:
        """Yield all edits of a statement and what is in it."""
        for node, parent in _walk(statement, None):
            yield from _logic(node)
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
                if not isinstance(parent, ast.Subscript | ast.Slice | ast.Compare):  # a cap, or a comparison's own edit
                    shown = parent if isinstance(parent, ast.BinOp | ast.Call | ast.Assign | ast.keyword) else node
                    yield _edit("changed constant", node, ast.Constant(number + 1), shown)
            case str() as text if re.match(r"\s*(SELECT|WITH)\b", text, re.IGNORECASE):
                for kind, made, before, after in self._changed_queries(text):
                    yield Edit(node, ast.Constant(made), kind, before, after)
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
        """Leave out a write or one of its columns."""
        match node:
            case ast.Expr(ast.Call(ast.Attribute(ast.Name("db"), "insert" | "update" | "delete"))):
                yield Edit(node, ast.Pass(), "dropped write", ast.unparse(node), DROPPED)
            case ast.Call(ast.Attribute(ast.Name("db"), "insert" | "update" as verb), [ast.Constant(str(name)), *_]):
                columns = self._schema.tables[name].by_name if name in self._schema.tables else {}
                for keyword in node.keywords:
                    column = columns.get(keyword.arg or "")
                    if column is not None and (column.nullable or (verb == "update" and len(node.keywords) > 1)):
                        kept = [each for each in node.keywords if each is not keyword]
                        before = f"{verb} {name}: {keyword.arg}={ast.unparse(keyword.value)}"
                        yield Edit(node, ast.Call(node.func, node.args, kept), "dropped column", before, DROPPED)

    def _changed_queries(self, text: str) -> Iterator[tuple[Kind, str, str, str]]:
        """Yield each change of a query: its kind, the whole text, and both sides in short."""
        try:
            query = sqlglot.parse_one(text, dialect="sqlite")
        except SqlglotError:
            return
        for node in [*query.walk(bfs=False)] if isinstance(query, exp.Query) else ():
            for kind, other in self._sql_others(node):
                before = node.parent if isinstance(node, exp.Literal) and node.parent else node
                shown = _said(before)
                node.replace(other)
                text, after = _said(query), _said(other if before is node else before)
                other.replace(node)
                yield kind, text, shown, after

    def _sql_others(self, node: exp.Expr) -> Iterator[tuple[Kind, exp.Expr]]:
        """Yield what may take the place of a node of a query."""
        if type(node) in _SQL_OTHERS:
            kind, other = _SQL_OTHERS[type(node)]
            yield kind, other(**node.copy().args)
        elif isinstance(node, exp.Not):
            yield "negated condition", node.this.copy()
        elif isinstance(node, exp.Is | exp.In | exp.Exists | exp.Between | exp.Like):
            if not isinstance(node.parent, exp.Not):
                yield "negated condition", exp.Not(this=node.copy())
        elif isinstance(node, exp.Ordered) and not node.index:  # what follows only orders equals
            is_down = bool(node.args.get("desc"))
            yield "changed order", exp.Ordered(this=node.this.copy(), desc=not is_down, nulls_first=is_down)
        elif isinstance(node, exp.Literal) and node.is_string:
            choice = self._other_choice(node.name)
            if choice is not None:
                yield "changed constant", exp.Literal.string(choice)
        elif isinstance(node, exp.Literal) and node.name.isdigit():
            if isinstance(node.parent, exp.Limit) and 1 < int(node.name) <= _MOST_ROWS:
                yield "changed limit", exp.Literal.number(int(node.name) - 1)
            elif not isinstance(node.parent, exp.Limit | exp.Select):
                is_end = node.arg_key == "expression" and isinstance(node.parent, exp.LT | exp.GTE)
                yield "changed constant", exp.Literal.number(int(node.name) + (-1 if is_end else 1))


def _logic(node: ast.AST) -> Iterator[Edit]:
    """Negate conditions, flip comparisons and connectives, remove checks, turn `+` into `-` and `min` into `max`."""
    match node:
        case ast.If(test=test) | ast.IfExp(test=test):
            yield _edit("negated condition", test, _negated(test))
            if isinstance(node, ast.If) and isinstance(node.body[0], ast.Raise):
                yield Edit(test, ast.Constant(False), "removed check", f"if {ast.unparse(test)}: raise", DROPPED)
        case ast.comprehension(ifs=conditions):
            yield from (_edit("negated condition", each, _negated(each)) for each in conditions)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("db"), "require"))):
            yield Edit(node, ast.Pass(), "removed check", ast.unparse(node), DROPPED)
        case ast.Compare(left, operations, compared):
            for at, operation in enumerate(operations):
                flipped = [*operations[:at], _OTHERS[type(operation)](), *operations[at + 1 :]]
                yield _edit("changed comparison", node, ast.Compare(left, flipped, compared))
        case ast.BoolOp(operation, values):
            yield _edit("changed connective", node, ast.BoolOp(_OTHERS[type(operation)](), values))
            for at in range(len(values)):
                kept = values[:at] + values[at + 1 :]
                yield _edit("removed check", node, kept[0] if len(kept) == 1 else ast.BoolOp(operation, kept))
        case ast.BinOp(left, operation, right) if type(operation) in _OTHERS:
            yield _edit("changed operation", node, ast.BinOp(left, _OTHERS[type(operation)](), right))
        case ast.AugAssign(target, operation, value) if type(operation) in _OTHERS:
            yield _edit("changed operation", node, ast.AugAssign(target, _OTHERS[type(operation)](), value))
        case ast.Call(ast.Name(name), arguments, keywords) if name in _CALLED:
            options = [] if name == "sorted" else keywords
            yield _edit("changed operation", node, ast.Call(ast.Name(_CALLED[name], ast.Load()), arguments, options))


def _walk(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Yield nodes with their parents in the order of the code, without the words of messages."""
    yield node, parent
    if not isinstance(node, ast.Raise | ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _walk(child, node)


def _negated(test: ast.expr) -> ast.expr:
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    return ast.UnaryOp(ast.Not(), test)


def _edit(kind: Kind, target: ast.AST, replacement: ast.AST, shown: ast.AST | None = None) -> Edit:
    """Return an edit that is described by the code of both nodes, or of a greater node around them."""
    if shown is None or shown is target:
        return Edit(target, replacement, kind, ast.unparse(target), ast.unparse(replacement))
    return Edit(target, replacement, kind, ast.unparse(shown), _unparsed(shown, target, replacement))


def _unparsed(tree: ast.AST, target: ast.AST, replacement: ast.AST) -> str:
    """Return the code of a tree with another node in the place of one, which is put back: copying trees is slow."""
    if tree is target:
        return ast.unparse(replacement)
    places: list[tuple[Any, Any]] = []
    places += [
        (vars(node), name) for node in ast.walk(tree) for name, value in ast.iter_fields(node) if value is target
    ]
    lists = [value for node in ast.walk(tree) for _, value in ast.iter_fields(node) if isinstance(value, list)]
    places += [(each, at) for each in lists for at, part in enumerate(each) if part is target]
    for holder, place in places:
        holder[place] = replacement
    code = ast.unparse(tree)
    for holder, place in places:
        holder[place] = target
    return code


def _said(node: exp.Expr) -> str:
    return node.sql(dialect="sqlite", comments=False)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def _units_of(tree: ast.Module) -> Iterator[tuple[str, _Unit]]:
    """Yield the functions and constants of a file by name, without types and decorators, which no edit may touch."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name):
                statement.decorator_list, statement.returns = [], None
                for node in ast.walk(statement.args):
                    if isinstance(node, ast.arg):
                        node.annotation = None
                yield name, statement
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if isinstance(statement, ast.AnnAssign):
                    statement.annotation = ast.copy_location(ast.Constant(None), statement)
                if not isinstance(statement.value, ast.Subscript | None):  # names of types aside
                    yield name, statement


def _parts(unit: _Unit) -> list[ast.stmt]:
    """Return the part of a unit that runs: not its declaration."""
    if not isinstance(unit, ast.FunctionDef):
        return [unit]
    return unit.body[1:] if ast.get_docstring(unit, clean=False) is not None else unit.body
