"""The stage that writes the bodies of tools, topic by topic, and the tables that they turn out to use."""

from __future__ import annotations

import ast
import contextlib
import re
import sqlite3
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from generator.author.ask import Asker, Question, ask, complaints_in, entries_named, side_by_side
from generator.author.design import ToolDesign, ToolTables
from generator.author.draft import Draft
from generator.author.writing.code import TopicCode, indented, lint, placed
from generator.author.writing.designs import about_topic, frame, prompt, tools_named
from generator.gates.folder import FolderRequest, describe_folder
from generator.isolation.process import run_job
from runtime.domain.schema import Schema
from runtime.errors import WorldsmithError
from runtime.sandbox.module import parse
from runtime.sandbox.sqlite import open_memory, tables_read


async def write_code(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with the code of its topics, and without tools that never pass; errors: StageFailed."""
    topics = [topic.name for topic in draft.catalogue.topics]
    written = await side_by_side([_write_topic(asker, draft, topic) for topic in topics])
    dropped = {tool: reason for _, own in written for tool, reason in own.items()}
    code = dict(zip(topics, (own for own, _ in written), strict=True))
    return replace(draft, code=code, dropped={**draft.dropped, **dropped})


async def _write_topic(asker: Asker, draft: Draft, topic: str) -> tuple[TopicCode, dict[str, str]]:
    """Write one file, without the tools that still miss the gate, which come with the reason; errors: StageFailed."""
    tools = draft.catalogue.of_topic(topic)
    shared = frame(draft, "code", body=prompt("body"))
    question = Question(
        stage="code",
        key=topic,
        prefix=shared,
        prompt=about_topic(draft, "code_topic", topic),
        repair="Give only the bodies that change; `helpers` whole, or empty if they stay.",
        max_tokens=16_000,
        narrow=lambda _, complaints: shared + about_topic(draft, "code_topic", topic, tools_named(tools, complaints)),
    )
    asked = await ask(
        asker,
        question,
        TopicCode,
        lambda code: [str(fault) for fault in faults_of_code(draft, topic, code)],
        merge=lambda before, repair: before.with_bodies(repair.bodies, repair.helpers or None),
        excerpt=entries_named(bodies=["tool"]),
    )
    dropped: dict[str, str] = {}
    faults = faults_of_code(draft, topic, asked.artifact) if asked.complaints else []
    while faults:
        concerned = {fault.tool: fault.sentence for fault in faults if fault.tool}
        dropped |= concerned
        if not concerned or len(dropped) == len(tools):
            asked.insist(f"The code of {topic!r}")
        faults = faults_of_code(draft.without(set(dropped)), topic, asked.artifact.without(set(dropped)))
    return asked.artifact.without(set(dropped)), dropped


@dataclass(frozen=True)
class CodeFault:
    """What is wrong with the code of a topic; `tool` is empty if it is in no tool."""

    tool: str
    line: str
    sentence: str

    def __str__(self) -> str:
        where = f"tool {self.tool!r}" if self.tool else "the file"
        return f"{where}, line `{self.line}`: {self.sentence}" if self.line else f"{where}: {self.sentence}"


def faults_of_code(draft: Draft, topic: str, code: TopicCode) -> list[CodeFault]:
    """AST rules, mistakes that show without running, and loading in a child process."""
    tools = draft.catalogue.of_topic(topic)
    faults = [*_faults_of_bodies(tools, code)]
    if faults:
        return faults
    part = with_tables(replace(draft, code={topic: code}).only(topic))
    faults = _faults_of_writes(draft, part, tools)
    with replace(part, cases={}).laid_out() as folder:
        path = folder / "tools" / f"{topic}.py"
        text = path.read_text(encoding="utf-8")
        said = [f"line {line}: {sentence}" for name, line, sentence in lint(folder / "tools") if name == path.name]
        said += [
            f"line {line}: SQL is built here; write one literal string with ? for values, as (? IS NULL OR status = ?)"
            for line in lines_with_built_sql(text)
        ]
        try:
            run_job(describe_folder, FolderRequest(folder))
        except WorldsmithError as error:
            said = [*complaints_in(error), *said]
    names = [tool.name for tool in tools]
    for each in said:
        function, line, sentence = placed(text, each)
        named = re.search(r"tool '(\w+)'", each) if not line else None
        faults.append(CodeFault(named[1] if named else function if function in names else "", line, sentence))
    return faults


def with_tables(draft: Draft) -> Draft:
    """Return the draft with the tables that its code really uses, where its SQL shows them."""
    tables = dict(draft.tables)
    for text in draft.tool_files().values():
        try:
            used = tables_used(text, draft.schema)
        except SyntaxError:
            continue
        for name, own in used.items():
            if any(tool.name == name for tool in draft.catalogue.tools):
                designed = draft.tables_of(name)
                reads = own.reads if own.is_exact else own.reads | {*designed.reads, *designed.writes}
                writes = own.writes if own.is_exact else own.writes | {*designed.writes}
                tables[name] = ToolTables(
                    tool=name,
                    reads=[table for table in draft.schema.tables if table in reads],
                    writes=[table for table in draft.schema.tables if table in writes],
                )
    return replace(draft, tables=tables)


def _faults_of_bodies(tools: Sequence[ToolDesign], code: TopicCode) -> Iterable[CodeFault]:
    names = [tool.name for tool in tools]
    written = [body.tool for body in code.bodies]
    for name in written:
        if name not in names:
            yield CodeFault("", "", f"there is no tool {name!r} in this topic; have: {', '.join(names)}")
    for name in names:
        if name not in written:
            yield CodeFault(name, "", 'it has no body; give {"tool": "' + name + '", "body": "..."} in `bodies`')
        elif written.count(name) > 1:
            yield CodeFault(name, "", "it has two bodies")
    if wrong := syntax_error(code.helpers):
        yield CodeFault("", wrong[0], f"the helpers are not valid Python: {wrong[1]}")
    for body in code.bodies:
        if wrong := syntax_error(f"def tool():\n{indented(body.body) or '    pass'}"):
            yield CodeFault(body.tool, wrong[0], f"the body is not valid Python: {wrong[1]}")


def syntax_error(text: str) -> tuple[str, str] | None:
    """Return the line at which a text is not valid Python, and why; None if it is valid."""
    try:
        parse(textwrap.dedent(text))
    except SyntaxError as error:
        return (error.text or "").strip(), error.msg
    except (ValueError, RecursionError, MemoryError) as error:
        return "", str(error)
    return None


def _faults_of_writes(draft: Draft, part: Draft, tools: Sequence[ToolDesign]) -> list[CodeFault]:
    """Compare what tools write with their designs; what they read is a matter of their code."""
    faults = []
    for tool in tools:
        designed, used = draft.tables_of(tool.name).writes, part.tables_of(tool.name).writes
        for table in used:
            if table not in designed:
                have = ", ".join(designed) or "nothing"
                faults.append(
                    CodeFault(
                        tool.name, "", f"it writes table {table!r}, but the design writes {have}; leave that write out"
                    )
                )
        for table in designed:
            if table not in used:
                faults.append(CodeFault(tool.name, "", f"it never writes table {table!r}, which the design writes"))
    return faults


_READS = ("select", "first", "value")
_WRITES = ("insert", "update", "delete", "new_id")


@dataclass(frozen=True)
class TablesUsed:
    """What one tool uses, with the functions it calls; `is_exact` if every SQL text and table name is a constant."""

    reads: frozenset[str]
    writes: frozenset[str]
    is_exact: bool


def tables_used(source: str, schema: Schema) -> dict[str, TablesUsed]:
    """Return the tables that each function of a file uses, by itself or through others of the file."""
    functions = {node.name: node for node in parse(source).body if isinstance(node, ast.FunctionDef)}
    with closing(open_memory()) as connection:
        schema.create(connection)
        return {name: _use_of(_reached(name, functions), connection, schema) for name in functions}


def lines_with_built_sql(source: str) -> list[int]:
    """Return the lines on which SQL is put together at run time: an agent's text could get into it."""
    return sorted(
        first.lineno
        for verb, first in _database_calls(parse(source))
        if verb in _READS and first is not None and not _is_constant(first)
    )


def _is_constant(sql: ast.expr) -> bool:
    if isinstance(sql, ast.Name):
        return sql.id.isupper()
    return isinstance(sql, ast.Constant) and isinstance(sql.value, str)


def _use_of(functions: Sequence[ast.FunctionDef], connection: sqlite3.Connection, schema: Schema) -> TablesUsed:
    reads: set[str] = set()
    writes: set[str] = set()
    is_exact = True
    for verb, first in (call for function in functions for call in _database_calls(function)):
        if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
            is_exact = False
        elif verb in _READS:
            with contextlib.suppress(sqlite3.Error, ValueError):  # loading the file names what is wrong with it
                reads |= tables_read(connection, first.value, schema.tables)
        elif first.value in schema.tables:
            (writes if verb in _WRITES else reads).add(first.value)
    return TablesUsed(frozenset(reads | writes), frozenset(writes), is_exact)


def _database_calls(function: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "db"
        ):
            yield node.func.attr, node.args[0] if node.args else None


def _reached(name: str, functions: dict[str, ast.FunctionDef]) -> list[ast.FunctionDef]:
    """Return a function and those of the file that it names, directly or through others."""
    found: dict[str, ast.FunctionDef] = {}
    pending = [name]
    while pending:
        current = pending.pop()
        if current in functions and current not in found:
            found[current] = functions[current]
            pending += [node.id for node in ast.walk(functions[current]) if isinstance(node, ast.Name)]
    return list(found.values())
