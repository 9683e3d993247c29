"""Rules and duties that no tool enforces, code and prose from one source: read from `rules.py`, or refused."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeVar

from runtime.domain.locale import AMERICAN, Locale, minor_of
from runtime.domain.schema import Value
from runtime.domain.tool import Tool
from runtime.wording import have

Function = TypeVar("Function", bound=Callable[..., bool])

HANDLES = frozenset({"now", "start", "end", "db"})  # what a rules.py calls a database
MOST_RULES = 40  # and duties of a domain
_WRITING = frozenset({"insert", "update", "delete", "new_id"})
_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*")
_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_DIGITS = re.compile(r"(?<![\w?])\d+(?:\.\d+)?(?!\w)")
_PERCENT = 100
_PLAIN_NUMBERS = (0, 1)  # what code may hold without a name: none, the first, the next


@dataclass(frozen=True)
class Call:
    """A call that a rule judges; `item` is the value of the argument that `on` names, in a batch one of its values."""

    tool: str
    arguments: Mapping[str, Any]
    item: Value = None


@dataclass(frozen=True)
class RuleDeclaration:
    """What the decorator of a rule or a duty states; a duty is `on` no tools."""

    code: str
    reads: tuple[str, ...]
    numbers: Mapping[str, int]
    on: Mapping[str, str | None] | None = None
    exempt: Mapping[str, str] = field(default_factory=dict)
    no_counterfactual: str = ""


def rule(
    code: str,
    *,
    on: Mapping[str, str | None],
    reads: Sequence[str] = (),
    exempt: Mapping[str, str] | None = None,
    no_counterfactual: str = "",
    no_twin: str = "",
    **numbers: int,
) -> Callable[[Function], Function]:
    """Declare a function of a call, the present state and the start as a rule: whether the call is allowed.

    `on` names the tools, each with the argument whose value a refusal notes; where that is a list, each item is judged
    by itself. `exempt` names tools that could do the same and are not bound, each with the reason. Where no edit of one
    row lets the rule permit what it denies, `no_counterfactual` says why; `no_twin` is its old name. The docstring is
    the rule in words, with `{number}` for each of the numbers, which the function takes by their names.
    """

    def declare(function: Function) -> Function:
        declaration = RuleDeclaration(
            code, tuple(reads), numbers, dict(on), dict(exempt or {}), no_counterfactual or no_twin
        )
        function.__dict__["declaration"] = declaration
        return function

    return declare


def duty(code: str, *, reads: Sequence[str] = (), **numbers: int) -> Callable[[Function], Function]:
    """Declare a function of the start and the end as a duty: whether what had to be done was done."""

    def declare(function: Function) -> Function:
        function.__dict__["declaration"] = RuleDeclaration(code, tuple(reads), numbers)
        return function

    return declare


def allows(rule: Callable[..., bool], state: Any, tool: str, **arguments: Any) -> bool:
    """Return whether a rule of the same file would allow a call in a state, as the start is one to a duty."""
    declared: RuleDeclaration = rule.__dict__["declaration"]
    item = arguments.get((declared.on or {})[tool] or "")
    return rule(Call(tool, arguments, item), state, state, **declared.numbers)


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What a rule and a duty have in common; `prose` has the numbers filled in."""

    code: str
    prose: str
    numbers: Mapping[str, int]
    reads: frozenset[str]
    reads_start: bool = True  # whether it looks at the start at all
    writes: frozenset[str] = frozenset()
    function: Callable[..., bool] = field(repr=False)

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"{type(self).__name__} {self.code!r}"

    @property
    def name(self) -> str:
        """The name under which its SQL statements are cached."""
        return self.code


@dataclass(frozen=True, kw_only=True)
class Rule(Declared):
    """A rule that guards calls; `on`, `exempt` and `no_counterfactual` are as they were declared."""

    on: Mapping[str, str | None]
    exempt: Mapping[str, str]
    no_counterfactual: str = ""

    def calls(self, tool: str, arguments: Mapping[str, Any]) -> Iterator[Call]:
        """Yield the call as the rule judges it: once, or once for each item of a batch."""
        argument = self.on[tool]
        items = arguments.get(argument) if argument is not None else None
        for item in items if isinstance(items, list | tuple) else [items]:
            yield Call(tool, arguments, item)


@dataclass(frozen=True, kw_only=True)
class Duty(Declared):
    """A duty, which is checked at the end."""


@dataclass(frozen=True)
class Rulebook:
    """The rules and duties of a domain, in the order of its `rules.py`; both are empty where it has none."""

    rules: tuple[Rule, ...] = ()
    duties: tuple[Duty, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.rules or self.duties)

    def beside(self, rules: Sequence[Rule]) -> Rulebook:
        """Return these rules after others, without those whose code is here, too."""
        return Rulebook((*(each for each in rules if each.code not in self.codes), *self.rules), self.duties)

    @property
    def codes(self) -> list[str]:
        """The codes of rules and duties."""
        return [*(each.code for each in self.rules), *(each.code for each in self.duties)]

    def is_rule(self, code: str) -> bool:
        """True for the code of a rule, under which a refusal is recorded; a duty has one, too."""
        return any(each.code == code for each in self.rules)

    def states(self, value: Any) -> bool:
        """True if a duty states a value: an amount of money, or a text in double quotes."""
        if isinstance(value, str):
            return any(f'"{value}"' in each.prose for each in self.duties)
        fees = [(name, number) for each in self.duties for name, number in each.numbers.items()]
        return any(number == value and minor_of(name) is not None for name, number in fees)

    def on(self, tool: str) -> list[Rule]:
        """The rules that guard calls of a tool."""
        return [each for each in self.rules if tool in each.on]


def read_rules(
    module: ModuleType,
    source: ast.Module,
    tables: Sequence[str],
    tools: Mapping[str, Tool],
    locale: Locale = AMERICAN,
) -> tuple[Rulebook, list[tuple[int, str]]]:
    """Return the rules and duties of a module loaded from this source, and each fault with its line in the file."""
    faults = list(_faults_of_file(source))
    rules: list[Rule] = []
    duties: list[Duty] = []
    seen: set[str] = set()
    nodes = {node.name: node for node in source.body if isinstance(node, ast.FunctionDef)}
    declared = [
        value
        for value in vars(module).values()
        if callable(value)
        and getattr(value, "__module__", "") == module.__name__
        and isinstance(getattr(value, "declaration", None), RuleDeclaration)
    ]
    if not 1 <= len(declared) <= MOST_RULES:
        faults.append(
            (1, f"declares {len(declared)} rules and duties with @rule or @duty; 1 to {MOST_RULES} are read.")
        )
    for function in declared[:MOST_RULES]:
        node, own = nodes[function.__name__], function.declaration
        prose = " ".join(inspect.cleandoc(function.__doc__ or "").split())
        wrong = [
            *_faults_of_function(node, own, tables),
            *_faults_of_prose(prose, own),
            *_faults_of_binding(own, tools),
        ]
        if own.code in seen:
            wrong.append("has the code of another one; give each its own.")
        seen.add(own.code)
        faults += [(node.lineno, f"{'duty' if own.on is None else 'rule'} {own.code!r} {fault}") for fault in wrong]
        if wrong:
            continue
        common = {"code": own.code, "prose": fill_numbers(prose, own.numbers, locale), "numbers": own.numbers}
        common |= {"reads": frozenset(own.reads), "function": function}
        if own.on is None:
            duties.append(Duty(**common))
        else:
            reads_start = "start" in _names_read(node)
            rules.append(
                Rule(
                    **common,
                    on=own.on,
                    exempt=own.exempt,
                    no_counterfactual=own.no_counterfactual,
                    reads_start=reads_start,
                )
            )
    return Rulebook(tuple(rules), tuple(duties)), sorted(faults)


def _faults_of_file(source: ast.Module) -> Iterator[tuple[int, str]]:
    """Check that the file only reads and gives every number a name."""
    for statement in source.body:
        parts: list[ast.AST] = [statement]
        if isinstance(statement, ast.FunctionDef):  # without its decorators
            parts = [statement.args, *statement.body]
        nodes = [node for part in parts for node in ast.walk(part)]
        texts = {id(each.value) for each in (*nodes, statement) if isinstance(each, ast.Expr)}  # docstrings
        places = {id(each) for node in nodes if isinstance(node, ast.Subscript) for each in ast.walk(node.slice)}
        whole = {id(each) for node in nodes if isinstance(node, ast.BinOp) for each in _wholes_in(node)}
        for node in nodes:
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                if node.value.id in HANDLES and node.attr in _WRITING:
                    yield node.lineno, f"calls {node.value.id}.{node.attr}; a rule only reads."
            elif isinstance(node, ast.Constant) and id(node) not in texts | places | whole:
                number = _number_in(node.value)
                if number is not None:
                    wanted = f"give it a name in the decorator, as in days={number}"
                    yield node.lineno, f"holds the number {number}; {wanted}."


def _wholes_in(node: ast.BinOp) -> Iterator[ast.Constant]:
    """Yield the 100 by which a percentage is divided, or a share multiplied."""
    if isinstance(node.op, ast.Mult | ast.Div | ast.FloorDiv):
        sides = (node.left, node.right)
        yield from (each for each in sides if isinstance(each, ast.Constant) and each.value == _PERCENT)


def _number_in(value: object) -> str | None:
    """Return a number other than 0 and 1 that a literal is or contains; a word such as B2 contains none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return None if value in _PLAIN_NUMBERS else str(value)
    if isinstance(value, str):
        return next((each for each in _DIGITS.findall(value) if float(each) not in _PLAIN_NUMBERS), None)
    return None


def _faults_of_function(node: ast.FunctionDef, declaration: RuleDeclaration, tables: Sequence[str]) -> Iterator[str]:
    if not isinstance(declaration.code, str) or not _CODE.fullmatch(declaration.code) or len(declaration.code) > 60:
        yield "has a code that is not capitals, digits and single underscores, such as 'RETURN_WINDOW'."
    for table in declaration.reads:
        if table not in tables:
            yield f"reads table {table!r}, which does not exist; {have(table, tables)}."
    for name, number in declaration.numbers.items():
        if type(number) is not int:
            yield f"has {name}={number!r}; a number is whole: give cents, days or percent."
    first = ("start", "end") if declaration.on is None else ("call", "now", "start")
    taken = tuple(argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs])
    if taken[: len(first)] != first or set(taken[len(first) :]) != declaration.numbers.keys() or node.args.defaults:
        yield f"takes ({', '.join(taken)}); write ({', '.join((*first, *declaration.numbers))})."
    for name in declaration.numbers.keys() & set(taken) - _names_read(node):
        yield f"does not use its number {name!r}."


def _names_read(node: ast.FunctionDef) -> set[str]:
    names = (each for statement in node.body for each in ast.walk(statement) if isinstance(each, ast.Name))
    return {each.id for each in names if isinstance(each.ctx, ast.Load)}


def fill_numbers(prose: str, numbers: Mapping[str, int], locale: Locale = AMERICAN) -> str:
    """Put numbers into the prose; one named `..._cents` without a unit after it is written in the office's currency."""

    def written(place: re.Match[str]) -> str:
        number, minor = numbers[place[1]], minor_of(place[1])
        if minor is None or prose[place.end() :].lstrip().startswith(("cent", locale.unit)):
            return str(number)
        return locale.money(number, minor)

    return _PLACE.sub(written, prose)


def _faults_of_prose(prose: str, declaration: RuleDeclaration) -> Iterator[str]:
    """Yield where the words differ from the code: a number of their own, or a missing one."""
    if not prose:
        yield "has no docstring; it is the rule in words."
        return
    places, bare = set(_PLACE.findall(prose)), _PLACE.sub("", prose)
    for name in sorted(places - declaration.numbers.keys()):
        yield f"says {{{name}}}, which is none of its numbers; {have(name, list(declaration.numbers))}."
    for name in sorted(declaration.numbers.keys() - places):
        yield f"does not say its number {name!r} in words; write {{{name}}} in its words, the docstring."
    for number in re.findall(r"\d+(?:\.\d+)?", bare)[:1]:
        yield f"says {number!r} in its docstring; make it a number of the decorator and write {{its_name}}."


def _faults_of_binding(declaration: RuleDeclaration, tools: Mapping[str, Tool]) -> Iterator[str]:
    if declaration.on == {}:
        yield "is on no tool; name those that it guards."
    for name, argument in (declaration.on or {}).items():
        tool = tools.get(name)
        if tool is None:
            yield f"is on {name!r}, which is not a tool; {have(name, list(tools))}."
        elif tool.read_only:
            yield f"is on {name!r}, which changes nothing; a rule guards tools that write."
        elif argument is not None and argument not in tool.arguments.names:
            yield f"names argument {argument!r} of {name!r}; {have(argument, list(tool.arguments.names))}."
    for name, reason in declaration.exempt.items():
        if name not in tools or name in (declaration.on or {}):
            yield f"leaves out {name!r}, which is not one of the other tools; {have(name, list(tools))}."
        elif not isinstance(reason, str) or not reason.strip():
            yield f"leaves out {name!r} without a reason; say it in a sentence."
