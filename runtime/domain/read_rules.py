"""Read the rules and duties of a loaded `rules.py`, or say why they cannot be kept: prose and code from one source."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from runtime.domain.rule import Duty, DutyDeclaration, Rule, Rulebook, RuleDeclaration
from runtime.domain.tool import Tool
from runtime.sandbox.syntax import walk
from runtime.wording import have

HANDLES = frozenset({"now", "start", "end", "db"})  # what a rules.py calls a database
MOST_RULES = 40  # and duties of a domain
_WRITING = frozenset({"insert", "update", "delete", "new_id"})
_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_DIGITS = re.compile(r"(?<![\w?])\d+(?:\.\d+)?(?!\w)")
_NUMBER_WORDS = re.compile(
    r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twice|thrice|dozen)\b", re.IGNORECASE
)
_PLAIN_NUMBERS = (0, 1)  # what code may hold without a name: none, the first, the next

Declared = tuple[Callable[..., Any], RuleDeclaration | DutyDeclaration]


@dataclass(frozen=True)
class RulesReading:
    """What came of reading: the rules without a fault, and each fault with its line in the file."""

    book: Rulebook
    faults: tuple[tuple[int, str], ...]


def read_rules(
    module: ModuleType, source: ast.Module, tables: Sequence[str], tools: Mapping[str, Tool]
) -> RulesReading:
    """Make the rules and duties of a module that was loaded from this source."""
    faults = list(_faults_of_file(source))
    rules: list[Rule] = []
    duties: list[Duty] = []
    seen: set[str] = set()
    nodes = {node.name: node for node in source.body if isinstance(node, ast.FunctionDef)}
    declared = list(_declared(module))
    if len(declared) > MOST_RULES:
        faults.append((1, f"declares {len(declared)} rules and duties; at most {MOST_RULES} are read."))
    if not declared:
        faults.append((1, "declares neither a rule nor a duty; decorate a function with @rule(...) or @duty(...)."))
    for function, declaration in declared[:MOST_RULES]:
        node = nodes[function.__name__]
        wrong = [*_faults_of_function(node, declaration, tables), *_faults_of_prose(function, node, declaration)]
        if isinstance(declaration, RuleDeclaration):
            wrong += _faults_of_binding(node, declaration, tools)
        if declaration.code in seen:
            wrong.append((node.lineno, "has the code of another one; give each its own."))
        seen.add(declaration.code)
        what = "rule" if isinstance(declaration, RuleDeclaration) else "duty"
        faults += [(line, f"{what} {declaration.code!r} {fault}") for line, fault in wrong]
        if wrong:
            continue
        prose = _filled(_prose(function), declaration.numbers)
        if isinstance(declaration, RuleDeclaration):
            rules.append(
                Rule(
                    code=declaration.code,
                    prose=prose,
                    on=declaration.on,
                    exempt=declaration.exempt,
                    numbers=declaration.numbers,
                    reads=frozenset(declaration.reads),
                    reads_start="start" in _names_read(node),
                    function=function,
                    no_twin=declaration.no_twin,
                )
            )
        else:
            duties.append(Duty(declaration.code, prose, declaration.numbers, frozenset(declaration.reads), function))
    return RulesReading(Rulebook(tuple(rules), tuple(duties)), tuple(sorted(faults)))


def _declared(module: ModuleType) -> Iterator[Declared]:
    for value in vars(module).values():
        declaration = getattr(value, "declaration", None)
        is_ours = callable(value) and getattr(value, "__module__", "") == module.__name__
        if is_ours and isinstance(declaration, RuleDeclaration | DutyDeclaration):
            yield value, declaration


def _faults_of_file(source: ast.Module) -> Iterator[tuple[int, str]]:
    """What holds for the whole file: it only reads, declares no tool, and every number in it has a name."""
    for statement in source.body:
        parts: list[ast.AST] = [statement]
        if isinstance(statement, ast.FunctionDef):
            parts = [statement.args, *statement.body]
            for decorator in statement.decorator_list:
                name = decorator.func if isinstance(decorator, ast.Call) else decorator
                if isinstance(name, ast.Name) and name.id not in ("rule", "duty"):
                    yield decorator.lineno, f"{statement.name!r} is decorated with @{name.id}; write @rule or @duty."
        for part in parts:
            yield from _faults_of_part(part, _docstring_of(statement))


def _faults_of_part(part: ast.AST, docstring: ast.AST | None) -> Iterator[tuple[int, str]]:
    places = {id(each) for node in walk(part) if isinstance(node, ast.Subscript) for each in walk(node.slice)}
    for node in walk(part):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id in HANDLES and node.attr in _WRITING:
                yield node.lineno, f"calls {node.value.id}.{node.attr}; a rule only reads."
        elif isinstance(node, ast.Constant) and node is not docstring and id(node) not in places:
            number = _number_in(node.value)
            if number is not None:
                yield node.lineno, f"holds the number {number}; give it a name in the decorator, as in days={number}."


def _docstring_of(statement: ast.AST) -> ast.AST | None:
    match statement:
        case ast.FunctionDef(body=[ast.Expr(value=ast.Constant(value=str()) as text), *_]):
            return text
        case ast.Expr(value=ast.Constant(value=str()) as text):
            return text
    return None


def _number_in(value: object) -> str | None:
    """A number other than 0 and 1 that a literal is or holds; a word such as B2 holds none."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if value in _PLAIN_NUMBERS else str(value)
    if isinstance(value, str):
        return next((each for each in _DIGITS.findall(value) if float(each) not in _PLAIN_NUMBERS), None)
    return None


def _faults_of_function(
    node: ast.FunctionDef, declaration: RuleDeclaration | DutyDeclaration, tables: Sequence[str]
) -> Iterator[tuple[int, str]]:
    line = node.decorator_list[0].lineno
    if not isinstance(declaration.code, str) or not _CODE.fullmatch(declaration.code) or len(declaration.code) > 60:
        yield line, "has a code that is not capitals, digits and single underscores, such as 'RETURN_WINDOW'."
    for table in declaration.reads:
        if table not in tables:
            yield line, f"reads table {table!r}, which does not exist; {have(table, tables)}."
    for name, number in declaration.numbers.items():
        if type(number) is not int:
            yield line, f"has {name}={number!r}; a number is whole: give cents, days or percent."
    first = ("call", "now", "start") if isinstance(declaration, RuleDeclaration) else ("start", "end")
    taken = tuple(argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
    right = ", ".join((*first, *declaration.numbers))
    if taken[: len(first)] != first or set(taken[len(first) :]) != declaration.numbers.keys() or node.args.defaults:
        yield node.lineno, f"takes ({', '.join(taken)}); write ({right})."
    read = _names_read(node)
    for name in declaration.numbers:
        if name in taken and name not in read:
            yield node.lineno, f"does not use its number {name!r}."


def _names_read(node: ast.FunctionDef) -> set[str]:
    return {
        each.id
        for statement in node.body
        for each in walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load)
    }


def _prose(function: Callable[..., Any]) -> str:
    return " ".join(inspect.cleandoc(function.__doc__ or "").split())


def _filled(prose: str, numbers: Mapping[str, int]) -> str:
    """The prose with its numbers; one that is called `..._cents`, with no unit behind it, is said in dollars."""

    def said(place: re.Match[str]) -> str:
        number = numbers[place[1]]
        if not place[1].endswith("_cents") or prose[place.end() :].lstrip().startswith("cent"):
            return str(number)
        return f"${number / 100:,.2f}".removesuffix(".00")

    return _PLACE.sub(said, prose)


def _faults_of_prose(
    function: Callable[..., Any], node: ast.FunctionDef, declaration: RuleDeclaration | DutyDeclaration
) -> Iterator[tuple[int, str]]:
    """Where the words say something else than the code: a number of their own, or one that is not said."""
    line, prose = node.lineno, _prose(function)
    if not prose:
        yield line, "has no docstring; it is the rule in words."
        return
    places = set(_PLACE.findall(prose))
    bare = _PLACE.sub("", prose)
    for name in sorted(places - declaration.numbers.keys()):
        yield line, f"says {{{name}}}, which is none of its numbers; {have(name, list(declaration.numbers))}."
    for name in sorted(declaration.numbers.keys() - places):
        yield line, f"does not say its number {name!r} in words; write {{{name}}} in the docstring."
    if "{" in bare or "}" in bare:
        yield line, "has a brace in its docstring that is not one of {number}."
    for own in [*re.findall(r"\d+(?:\.\d+)?", bare), *_NUMBER_WORDS.findall(bare)][:1]:
        yield line, f"says {own!r} in its docstring; make it a number of the decorator and write {{its_name}}."


def _faults_of_binding(
    node: ast.FunctionDef, declaration: RuleDeclaration, tools: Mapping[str, Tool]
) -> Iterator[tuple[int, str]]:
    line = node.decorator_list[0].lineno
    if not declaration.on:
        yield line, "is on no tool; name those that it guards."
    for name, argument in declaration.on.items():
        tool = tools.get(name)
        if tool is None:
            yield line, f"is on {name!r}, which is not a tool; {have(name, list(tools))}."
        elif tool.read_only:
            yield line, f"is on {name!r}, which changes nothing; a rule guards tools that write."
        elif argument is not None and argument not in tool.arguments.names:
            yield line, f"names argument {argument!r} of {name!r}; {have(argument, list(tool.arguments.names))}."
        elif argument is not None and not _names_rows(tool.arguments.schema["properties"][argument]):
            yield line, f"names argument {argument!r} of {name!r}; it must be a text, a whole number or a list of them."
    if not isinstance(declaration.no_twin, str):
        yield line, f"has no_twin={declaration.no_twin!r}; say in a sentence why no edited row lets it permit a call."
    for name, reason in declaration.exempt.items():
        if name not in tools:
            yield line, f"leaves out {name!r}, which is not a tool; {have(name, list(tools))}."
        elif name in declaration.on:
            yield line, f"both guards and leaves out {name!r}."
        elif not isinstance(reason, str) or not reason.strip():
            yield line, f"leaves out {name!r} without a reason; say it in a sentence."


def _names_rows(schema: Mapping[str, Any]) -> bool:
    kinds = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    return bool(kinds) and all(
        each.get("type") in ("string", "integer")
        or (each.get("type") == "array" and _names_rows(each.get("items", {"type": "object"})))
        for each in kinds
    )
