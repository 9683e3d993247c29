"""Mutation testing: make the mutants of a domain's tools, and count those that its cases notice."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from generator.gates.cases.case import Case, CaseBook, read_cases
from generator.gates.cases.outcome import compare
from generator.gates.cases.run import CaseRunner
from generator.gates.operators import Edit, Kind, Operators, replaced
from generator.isolation.job import job
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.errors import BrokenDomain, Rejection
from runtime.sandbox.budget import Budget
from runtime.sandbox.module import LOAD_STEPS, compile_module, parse

_Unit = ast.FunctionDef | ast.Assign | ast.AnnAssign


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
    killing = _Killing(domain, book)
    by_tool = {name: ToolMutants() for name in domain.tools if tools is None or name in tools}
    for mutant in make_mutants(domain, by_tool):
        count = by_tool[mutant.tool]
        count.total += 1
        if killing.kills(mutant):
            count.killed += 1
        else:
            count.survivors.append(Survivor(mutant.edit.line, mutant.edit.kind, mutant.edit.description))
    return MutantsReport(by_tool)


class _Killing:
    """The cases that are as expected on the domain itself, by tool; those that killed last are tried first."""

    def __init__(self, domain: Domain, book: CaseBook) -> None:
        self.domain = domain
        self.cases: dict[str, list[tuple[CaseRunner, Case]]] = {name: [] for name in domain.tools}
        for own in book.values():
            runner = CaseRunner(domain, own.rows)
            for case in own.cases:
                if case.tool in self.cases and not runner.run(case).differences:
                    self.cases[case.tool].append((runner, case))

    def kills(self, mutant: Mutant) -> bool:
        """Return whether a case of a tool that the mutant changes notices it."""
        variant = mutant.variant(self.domain)
        for cases in (self.cases[tool] for tool in mutant.tools):
            for at, (runner, case) in enumerate(cases):
                observed = runner.observe(case, variant)
                if compare(case, observed, self.domain.schema, runner.defaults):
                    cases.insert(0, cases.pop(at))
                    return True
        return False


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
        _strip_annotations(tree)
        self._units = dict(_units_of(tree))
        self._functions = {name: unit for name, unit in self._units.items() if isinstance(unit, ast.FunctionDef)}
        self._texts = {name: ast.unparse(each) for name, each in self._functions.items()}
        self._reached = {name: self._reached_by(name) for name in self._functions}
        self._tools = [name for name in self._functions if name in names]
        self._top = [(each, ast.unparse(each)) for each in tree.body if _stands_before_functions(each)]

    def mutants(self, wanted: set[str]) -> Iterator[Mutant]:
        """Yield the mutants that belong to some of the file's tools."""
        for tool in self._tools:
            for name, unit in self._units.items():
                reaching = tuple(each for each in self._tools if name in self._reached[each])
                if tool in wanted and reaching[:1] == (tool,):
                    for edit, functions in self._edited(name, unit, reaching):
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

    def _edited(
        self, name: str, unit: _Unit, tools: tuple[str, ...]
    ) -> Iterator[tuple[Edit, dict[str, Callable[..., Any]]]]:
        seen = {ast.unparse(unit)}
        edits = [edit for part in _parts(unit) for edit in self._operators.edits(part)]
        for edit in sorted(edits, key=lambda edit: edit.line):
            code = ast.unparse(replaced(unit, edit.target, edit.replacement))
            if code not in seen:
                seen.add(code)
                functions = self._load(name, unit, code, tools)
                if functions is not None:
                    yield edit, functions

    def _load(self, name: str, unit: _Unit, code: str, tools: tuple[str, ...]) -> dict[str, Callable[..., Any]] | None:
        """Load the tools of the file with one unit replaced, as every domain's code is; None if it is refused.

        Only the constants, the unit and the functions that reach it are compiled; the others stay what they are.
        """
        texts = [code if statement is unit else text for statement, text in self._top]
        texts += [
            code if other is unit else self._texts[each]
            for each, other in self._functions.items()
            if name in self._reached[each]
        ]
        module = dict(self._module)
        try:
            with Budget(LOAD_STEPS):
                exec(compile_module("\n".join(texts), "mutant"), module)
        except (BrokenDomain, ArithmeticError, LookupError, Rejection, TypeError, ValueError):
            return None
        return {tool: module[tool] for tool in tools}


def _units_of(tree: ast.Module) -> Iterator[tuple[str, _Unit]]:
    """Yield the functions and constants of a file by name."""
    for statement in tree.body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name, statement
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                if not isinstance(statement.value, ast.Subscript | None):  # names of types aside
                    yield name, statement


def _parts(unit: _Unit) -> list[ast.stmt]:
    """Return what of a unit runs: not its declaration."""
    if not isinstance(unit, ast.FunctionDef):
        return [unit]
    return unit.body[1:] if ast.get_docstring(unit, clean=False) is not None else unit.body


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
    """Return whether a statement is an import or a constant."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return not isinstance(statement.value, ast.Subscript)
    return isinstance(statement, ast.ImportFrom)
