"""Load a domain folder, or say everything that is wrong with it: one line per fault, each with its file."""

from __future__ import annotations

import ast
import hashlib
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, islice, zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from pydantic import ValidationError

from runtime.domain.desk import desk_rules, desk_tools, faults_of_desk
from runtime.domain.domain import FORMAT, Domain, DomainCard
from runtime.domain.invariants import Invariants, faults_of_invariants
from runtime.domain.people import faults_of_people
from runtime.domain.policies import Policies, faults_of_policies
from runtime.domain.read_rules import HANDLES, read_rules
from runtime.domain.rule import Duty, Rule, Rulebook
from runtime.domain.schema import Schema, read_schema
from runtime.domain.sql_text import faults_of_sql_text
from runtime.domain.tool import Declaration, Tool, read_tool
from runtime.errors import BrokenDomain, UsageError
from runtime.sandbox.budget import Budget
from runtime.sandbox.code import load_module, loading_budget
from runtime.sandbox.connect import open_memory
from runtime.sandbox.files import hold_path, is_there, parse_json, read_bytes, read_text
from runtime.sandbox.preparing import tables_read
from runtime.sandbox.syntax import parse, walk

MOST_FILES = 200  # in tools/
MOST_TOOLS_PER_FILE = 10
MOST_SOURCE = 500_000  # bytes of all files in tools/
RULES = "rules.py"
_MOST_FAULTS = 100
_WRITING = ("insert", "update", "delete", "new_id")
SERVED = ("domain.json", "schema.sql", "policy.md", "rules.py", "world.py")  # beside tools/: what serving needs


def load_domain(path: Path, *, any_sql: bool = False) -> Domain:
    """Read a domain folder; errors: UsageError if it is none, BrokenDomain with every fault that was found.

    With `any_sql` its tools may run SQL that is made of values: to try what a session does about such statements.
    """
    if not is_there(path / "domain.json"):
        raise UsageError(f"{str(path)!r} is not a domain folder; it has no domain.json.")
    faults: list[str] = []
    files = _tool_files(path, faults)
    card = _read_card(path / "domain.json", faults)
    schema = _read_schema_file(path / "schema.sql", faults)
    policy = _read(path / "policy.md", faults) if os.path.lexists(path / "policy.md") else ""
    if schema is not None and card is not None:
        _add(faults, (f"domain.json: {fault}" for fault in faults_of_policies(schema, card.columns, card.logs)))
    budget = loading_budget()
    tools = _read_tools(path, files, schema, faults, budget, any_sql=any_sql)
    rules = _read_rules_file(path / RULES, schema, tools, faults, budget)
    if schema is not None and card is not None and card.people is not None:
        found = list(faults_of_people(schema, card.people, tools)) or faults_of_desk(card.people, schema, tools)
        _add(faults, (f"domain.json: people {fault}" for fault in found))
        if not faults:
            rules = rules.beside(desk_rules(card.people, schema, tools))
            tools = dict(sorted({**tools, **desk_tools(card.people, schema, rules.rules)}.items()))
    populate, invariants = _read_world_program(path / "world.py", schema, faults, budget)
    if faults or card is None or schema is None or populate is None:
        more = ["and more."] if len(faults) > _MOST_FAULTS else []
        raise BrokenDomain([*faults[:_MOST_FAULTS], *more])
    return Domain(
        path=path,
        card=card,
        schema=schema,
        policies=Policies(schema, card.columns, card.logs),
        tools=tools,
        populate=populate,
        policy=policy or "",
        digest=_digest_of_files(path, files),
        rules=rules,
        invariants=invariants,
    )


def _add(faults: list[str], found: Iterable[str]) -> None:
    """Add faults, one more than are told: each may be long, and there may be very many."""
    faults += islice(found, max(0, _MOST_FAULTS + 1 - len(faults)))


def _tool_files(path: Path, faults: list[str]) -> list[Path]:
    """The files in `tools/`, by name; those that are no plain files of the folder are faults."""
    try:
        names = sorted(f"tools/{file.name}" for file in hold_path(path, "tools").glob("*.py"))
        if not names:
            faults.append("tools: holds no Python file; a domain needs at least one tool.")
        if len(names) > MOST_FILES:
            faults.append(f"tools: holds {len(names):,} files; at most {MOST_FILES} are read.")
        paths = [hold_path(path, name) for name in names[:MOST_FILES]]
        size = sum(file.lstat().st_size for file in paths)
        if size > MOST_SOURCE:
            faults.append(f"tools: holds {size:,} bytes of code; at most {MOST_SOURCE:,} are read.")
            return []
        return paths
    except UsageError as error:
        faults.append(f"tools: {error}")
    except OSError as error:
        faults.append(f"tools: cannot be read: {error.strerror}.")
    return []


def _read(path: Path, faults: list[str]) -> str | None:
    """The text of a file beside domain.json; what keeps it from being read is a fault."""
    try:
        return read_text(path)
    except UsageError as error:
        faults.append(f"{path.name}: cannot be read: {error}")
        return None


def _read_card(path: Path, faults: list[str]) -> DomainCard | None:
    text = _read(path, faults)
    if text is None:
        return None
    try:
        content = parse_json(text)
        if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
            faults.append(f"domain.json: has format {content['format']!r}; this version reads {FORMAT}.")
            return None
        return DomainCard.model_validate(content)
    except ValidationError as error:
        for fault in error.errors(include_url=False):
            where = ".".join(str(part) for part in fault["loc"]) or "it"
            _add(faults, [f"domain.json: {where!r}: {fault['msg'].removeprefix('Value error, ')}."])
    except ValueError as error:
        faults.append(f"domain.json: cannot be read: {error}.")
    return None


def _read_schema_file(path: Path, faults: list[str]) -> Schema | None:
    if _is_missing(path, faults):
        return None
    text = _read(path, faults)
    if text is None:
        return None
    reading = read_schema(text)
    for fault, line in zip_longest(reading.faults, reading.lines, fillvalue=0):
        faults.append(f"schema.sql:{line}: {fault}" if line else f"schema.sql: {fault}")
    return reading.schema if reading.schema.tables else None


def _is_missing(path: Path, faults: list[str]) -> bool:
    if os.path.lexists(path):
        return False
    faults.append(f"{path.name}: is missing; a domain needs it.")
    return True


def _read_tools(
    folder: Path, files: Sequence[Path], schema: Schema | None, faults: list[str], budget: Budget, *, any_sql: bool
) -> dict[str, Tool]:
    tables = tuple(schema.tables) if schema else ()
    tools: dict[str, Tool] = {}
    for file in files:
        name = f"tools/{file.name}"
        module = _load(file, name, faults, budget, within=folder)
        if module is None or schema is None:
            continue
        source = parse(read_text(file, within=folder))
        functions = _declared_functions(module)
        if not functions:
            faults.append(f"{name}: declares no tool; decorate a function with @tool(...).")
        if len(functions) > MOST_TOOLS_PER_FILE:
            faults.append(f"{name}: declares {len(functions)} tools; at most {MOST_TOOLS_PER_FILE} belong in one file.")
        for function in functions:
            if not isinstance(function.__dict__["declaration"], Declaration):
                faults.append(f"{name}: {function.__name__!r} is a rule or a duty; write it in {RULES}.")
                continue
            reading = read_tool(function, source, name, tables)
            _add(faults, (f"{name}:{line}: {fault}" for line, fault in reading.faults))
            if function.__name__ in tools:
                earlier = tools[function.__name__].file
                faults.append(f"{name}: tool {function.__name__!r} is declared in {earlier} too; rename one.")
            elif reading.tool is not None:
                tools[function.__name__] = reading.tool
        wrong = chain(_faults_of_use(source, schema, tools), () if any_sql else faults_of_sql_text(source))
        _add(faults, (f"{name}:{line}: {fault}" for line, fault in wrong))
    return dict(sorted(tools.items()))


def _read_rules_file(
    path: Path, schema: Schema | None, tools: Mapping[str, Tool], faults: list[str], budget: Budget
) -> Rulebook:
    """The rules and duties of a domain; none where it has no file of them."""
    if schema is None or not os.path.lexists(path):
        return Rulebook()
    module = _load(path, RULES, faults, budget)
    if module is None:
        return Rulebook()
    source = parse(read_text(path))
    reading = read_rules(module, source, tuple(schema.tables), tools)
    rules: dict[str, Rule | Duty] = {each.function.__name__: each for each in reading.book.rules}
    rules |= {each.function.__name__: each for each in reading.book.duties}
    wrong = chain(reading.faults, _faults_of_use(source, schema, rules, HANDLES), faults_of_sql_text(source, HANDLES))
    _add(faults, (f"{RULES}:{line}: {fault}" for line, fault in wrong))
    return reading.book


def _read_world_program(
    path: Path, schema: Schema | None, faults: list[str], budget: Budget
) -> tuple[Callable[[Any], None] | None, Invariants]:
    if _is_missing(path, faults):
        return None, {}
    module = _load(path, "world.py", faults, budget)
    populate = getattr(module, "populate", None)
    if module is not None and not callable(populate):
        faults.append("world.py: has no function populate(world).")
    invariants = getattr(module, "INVARIANTS", {})
    if schema is not None:
        _add(faults, (f"world.py: {fault}" for fault in faults_of_invariants(invariants, schema)))
    return populate, invariants


def _load(path: Path, name: str, faults: list[str], budget: Budget, within: Path | None = None) -> ModuleType | None:
    try:
        folder = hashlib.sha256(str(path.parent.resolve()).encode()).hexdigest()[:12]
        return load_module(path, f"worldsmith_domain_{folder}.{path.stem}", shown_as=name, within=within, budget=budget)
    except BrokenDomain as broken:
        _add(faults, broken.faults)
    return None


def _declared_functions(module: ModuleType) -> list[Callable[..., Any]]:
    return [
        value
        for value in vars(module).values()
        if callable(value) and hasattr(value, "declaration") and value.__module__ == module.__name__
    ]


def _faults_of_use(
    source: ast.Module,
    schema: Schema,
    declared_by: Mapping[str, Tool | Rule | Duty],
    handles: Collection[str] = frozenset({"db"}),
) -> Iterator[tuple[int, str]]:
    """Check every constant SELECT and table name in the code against the schema and what its function declares."""
    with closing(open_memory()) as connection:
        schema.create(connection)
        for statement in source.body:
            owner = declared_by.get(statement.name) if isinstance(statement, ast.FunctionDef) else None
            for call in _constant_calls(statement, handles):
                verb, text = cast(ast.Attribute, call.func).attr, str(cast(ast.Constant, call.args[0]).value)
                read: frozenset[str] = frozenset()
                if verb in ("select", "first", "value"):
                    try:
                        read = tables_read(connection, text, schema.tables)
                    except (sqlite3.Error, ValueError) as error:
                        yield call.lineno, f"SQLite does not accept this SQL: {error!s:.200}."
                elif verb in ("get", "require", *_WRITING):
                    if text not in schema.tables:
                        yield (
                            call.lineno,
                            f"names table {text!r}, which does not exist; have: {', '.join(schema.tables)}.",
                        )
                        continue
                    read = frozenset({text})
                if owner is not None:
                    does, declared = ("writes", owner.writes) if verb in _WRITING else ("reads", owner.reads)
                    for table in sorted(read - declared):
                        what = f"{owner.label[0].lower()}{owner.label[1:]}"
                        yield call.lineno, f"{what} {does} table {table!r}, which it does not declare."


def _constant_calls(statement: ast.stmt, handles: Collection[str]) -> Iterator[ast.Call]:
    """Calls of a method of a database whose first argument is a text that stands in the code."""
    for node in walk(statement):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in handles
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            yield node


def _digest_of_files(path: Path, tool_files: Sequence[Path]) -> str:
    """One digest over the files that serving needs."""
    digest = hashlib.sha256()
    for file in [path / name for name in SERVED] + list(tool_files):
        if is_there(file, within=path):
            digest.update(f"{file.relative_to(path).as_posix()}\0".encode())
            digest.update(read_bytes(file, within=path).replace(b"\r\n", b"\n"))
            digest.update(b"\0")
    return digest.hexdigest()
