"""A tool: a plain typed function over the database, with its declaration, its schemas and its border."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any, TypeVar, get_type_hints

from runtime.domain.arguments import Signature, faults_of_annotation
from runtime.errors import REJECTION_KINDS, Rejection, RejectionKind

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Declaration:
    """What a tool says of itself: the tables it reads and writes, the kinds of rejection it raises."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    rejects: tuple[str, ...]


@dataclass(frozen=True)
class Tool:
    """A verified function over the database, offered over MCP.

    `operations` are the row helpers (insert, update, delete) that its code calls, by itself or through others;
    `defaults` are the values of optional arguments that a call leaves out.
    """

    name: str
    description: str
    file: str
    reads: frozenset[str]
    writes: frozenset[str]
    rejects: frozenset[RejectionKind]
    arguments: Signature
    result: Signature
    function: Callable[..., Any] = field(repr=False)
    operations: frozenset[str] = frozenset()
    defaults: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return f"Tool {self.name!r}"

    @property
    def read_only(self) -> bool:
        return not self.writes

    @property
    def destructive(self) -> bool:
        """True if a call can change or remove existing rows, not only add new ones."""
        return bool(self.writes) and self.operations != {"insert"}

    def check(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The arguments of an agent's call as the function takes them; errors: Rejection."""
        if type(arguments) is not dict:
            if not isinstance(arguments, Mapping):
                raise Rejection.invalid_argument(f"The arguments are {str(arguments)[:80]!r}; they must be an object.")
            arguments = dict(arguments)
        try:
            checked: Mapping[str, Any] = self.arguments.check_untrusted(arguments)
            return checked
        except (ValueError, OverflowError, RecursionError) as error:
            raise Rejection.invalid_argument(str(error)) from None


def tool(
    *, reads: Sequence[str] = (), writes: Sequence[str] = (), rejects: Sequence[RejectionKind] = ()
) -> Callable[[Function], Function]:
    """Declare a function as a tool: the tables it reads and writes, and the kinds of rejection it can raise.

    INVALID_ARGUMENT for arguments that do not fit the signature and RESOURCE_EXHAUSTED for a call that outgrows its
    budget need no declaration. A table that is written may be read.
    """

    def declare(function: Function) -> Function:
        function.__dict__["declaration"] = Declaration(tuple(reads), tuple(writes), tuple(rejects))
        return function

    return declare


def read_tool(function: Callable[..., Any], file: str, tables: Sequence[str]) -> tuple[Tool | None, list[str]]:
    """Return the tool of a declared function, or each fault."""
    name = function.__name__
    declaration: Declaration = function.__dict__["declaration"]
    faults = list(_faults_of_declaration(declaration, tables))
    description = inspect.cleandoc(function.__doc__ or "")
    if not description:
        faults.append("has no docstring; it is the manual that the agent reads.")
    try:
        hints = get_type_hints(function, include_extras=True)
    except Exception as error:  # the annotations are the author's expressions: whatever they raise is their fault
        return None, [f"tool {name!r} has an annotation that fails: {error}."]
    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or getattr(hints.get(parameters[0].name), "__name__", "") != "Database":
        faults.append("must take the database first: `db: Database`.")
    result = hints.pop("return", None)
    faults += _faults_of_parameters(parameters[1:], hints)
    faults += [f"returns {fault}" for fault in faults_of_annotation(result, top_level=True)]
    if faults:
        return None, [f"tool {name!r} {fault}" for fault in faults]
    return (
        Tool(
            name=name,
            description=description,
            file=file,
            reads=frozenset(declaration.reads) | frozenset(declaration.writes),
            writes=frozenset(declaration.writes),
            rejects=frozenset(kind for kind in REJECTION_KINDS if kind in declaration.rejects),
            arguments=Signature(
                f"{name}_arguments",
                {parameter.name: (hints[parameter.name], parameter.default) for parameter in parameters[1:]},
            ),
            result=Signature(f"{name}_result", result),
            function=function,
            operations=frozenset(_operations_of(function)),
            defaults={each.name: each.default for each in parameters[1:] if each.default is not each.empty},
        ),
        [],
    )


def _faults_of_declaration(declaration: Declaration, tables: Sequence[str]) -> Iterator[str]:
    for verb, named in (("reads", declaration.reads), ("writes", declaration.writes)):
        for table in named:
            if table not in tables:
                yield f"{verb} table {table!r}, which does not exist; have: {', '.join(tables)}."
    for kind in declaration.rejects:
        if kind not in REJECTION_KINDS:
            yield f"declares rejection {kind!r}; have: {', '.join(REJECTION_KINDS)}."


def _faults_of_parameters(parameters: Sequence[inspect.Parameter], hints: Mapping[str, Any]) -> Iterator[str]:
    for parameter in parameters:
        where = f"parameter {parameter.name!r}"
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD, parameter.POSITIONAL_ONLY):
            yield f"{where} must be a plain named one."
        elif parameter.name not in hints:
            yield f"{where} has no type."
        elif not any(
            isinstance(extra, str) and extra.strip() for extra in getattr(hints[parameter.name], "__metadata__", ())
        ):
            yield f'{where} has no description; write `Annotated[TYPE, "what it is"]`.'
        else:
            for fault in faults_of_annotation(hints[parameter.name]):
                yield f"{where} is {fault}"


def _operations_of(function: Callable[..., Any]) -> Iterator[str]:
    """Yield the row helpers that a function can reach through the functions of its file."""
    pending, seen = [function.__code__], set()
    while pending:
        code = pending.pop()
        if code in seen:
            continue
        seen.add(code)
        pending += [each for each in code.co_consts if isinstance(each, CodeType)]
        for name in code.co_names:
            if name in ("insert", "update", "delete"):
                yield name
            pending += [each.__code__ for each in [function.__globals__.get(name)] if isinstance(each, FunctionType)]


def first_sentence(description: str) -> str:
    """The first paragraph of a description on one line."""
    return " ".join(textwrap.dedent(description).split("\n\n")[0].split())
