"""Hand a source to the forge: a document about it, and what a model's design must keep (`worldsmith twin --model`).

Given rows are not shown to a model, since they may be about real people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.author.design import KeptParts, Source
from generator.twin.source import Operation, OperationParameter, SettledTable, SourceColumn, SourceSchema
from generator.twin.words import snake
from runtime.domain.schema import Schema
from runtime.errors import UsageError
from runtime.wording import counted

FILE = "source.md"
LACKS = "What the source has and this twin lacks"
READ = "How the source was read: what source.md leaves out or simplifies, unless the design has it all the same"
MOST_TOOLS = 100
_TOOLS_PER_TABLE, _LEAST_TOOLS = 5, 8  # where the source has no operations


def source_of(settled: SourceSchema, origin: str) -> Source:
    """The document that the forge follows."""
    return Source(FILE, "\n".join(_lines(settled, origin)) + "\n")


def kept_of(settled: SourceSchema, origin: str) -> KeptParts:
    """What the design must have: each table as an entity, and each operation of the source with its parameters.

    Errors: UsageError where a source has more operations than a domain may have tools.
    """
    tools = {snake(each.name): _parameters(each) for each in settled.operations}
    if len(tools) > MOST_TOOLS:
        raise UsageError(
            f"The source has {len(tools)} operations and a domain at most {MOST_TOOLS} tools; choose some --tables."
        )
    return KeptParts(origin, tuple(settled.tables), tools)


def count_tools(settled: SourceSchema, kept: KeptParts) -> int:
    """How many tools to ask for: a few more than the source has operations, or some for each table."""
    wanted = len(kept.tools) + max(2, len(kept.tools) // 10) if kept.tools else _TOOLS_PER_TABLE * len(settled.tables)
    return min(MOST_TOOLS, max(_LEAST_TOOLS, wanted))


def losses_of(settled: SourceSchema, schema: Schema) -> Iterator[str]:
    """What the source has and the database that a model designed lacks: given rows, spellings, columns."""
    rows = sum(len(table.rows) for table in settled.tables.values())
    if rows:
        yield f"All {counted(rows, 'given row')}: the world is made up, and no given row was shown to the model."
    renamed = [each.name for each in settled.operations if snake(each.name) != each.name]
    if renamed:
        yield f"The spelling of names: {', '.join(f'{each} is {snake(each)}' for each in renamed)}."
    for table in settled.tables.values():
        there = schema.tables[table.name].positions if table.name in schema.tables else {}
        own = [name for name in table.columns if name not in table.key]
        missing = [name for name in own if not {name, f"{name}_cents"} & {*there}]
        if missing:
            yield f"Columns of {table.name}: {', '.join(missing)}."


def _parameters(operation: Operation) -> tuple[str, ...]:
    """The parameters to keep: all but keys, whose names and types are the domain's, and paging."""
    kept = [each for each in operation.parameters if each.role not in ("key", "clear", "limit", "offset")]
    return tuple(map(_name_of, kept))


def _name_of(parameter: OperationParameter) -> str:
    """A parameter as domains name it: customer_id, where the source says customerId."""
    column = parameter.column or ""
    return column if column.endswith("_id") else snake(parameter.name)


def _lines(settled: SourceSchema, origin: str) -> Iterator[str]:
    yield f"# {settled.title}: {origin}"
    yield ""
    yield (
        "This process exists. Every table below is an entity with the same name, and keeps its columns, conditions and "
        "references, except that ids are text named ENTITY_id and amounts of money are integer cents."
    )
    yield from ("", "## Tables")
    for table in settled.tables.values():
        yield from _table(table)
    if settled.operations:
        yield from ("", "## Operations", "", "Each is a tool with this name and these parameters.", "")
        yield from map(_operation, settled.operations)
    if settled.opened:
        yield from ("", "## Operations that the source does not explain", "")
        yield "Decide what each does in this trade and design a tool, unless it is about none of the tables."
        yield from ("", *(f"- {_plain(each)}: {_plain(why)}" for each, why in settled.opened.items()))


def _table(table: SettledTable) -> Iterator[str]:
    yield from ("", f"### {table.name}", "")
    if table.comment:
        yield from (_plain(table.comment), "")
    refers = {name: each.table for each in table.references for name in each.columns}
    for name, column in table.columns.items():
        yield f"- {name}: {', '.join(_facts(table, column, refers.get(name, '')))}"
    if table.uniques:
        yield f"- unique: {'; '.join(' with '.join(each) for each in table.uniques)}"
    if table.checks:
        yield f"- always: {'; '.join(map(_plain, table.checks))}"


def _facts(table: SettledTable, column: SourceColumn, refers: str) -> Iterator[str]:
    yield f"one of {', '.join(column.choices)}" if column.choices else column.kind
    if column.name in table.key:
        yield "key"
    elif column.required:
        yield "required"
    if refers:
        yield f"refers to {refers}"
    if column.default is not None:
        yield f"default {column.default!r}"
    if column.made == "clock":
        yield "filled with the current time"
    if column.longest is not None:
        yield f"at most {column.longest} characters"
    bounds = [f"at least {column.least:g}"] if column.least is not None else []
    yield from bounds + ([f"at most {column.most:g}"] if column.most is not None else [])
    if column.comment:
        yield _plain(column.comment)


def _operation(operation: Operation) -> str:
    given = ", ".join(
        _key_name(each, operation) if each.role == "key" else _name_of(each) + ("" if each.required else "?")
        for each in operation.parameters
    )
    sets = "".join(f" Sets {name} to {value!r}." for name, value in operation.constants.items())
    said = f" {_plain(operation.description)}" if operation.description else ""
    return f"- `{snake(operation.name)}({given})`, {operation.verb} {operation.table} ({operation.said}).{said}{sets}"


def _key_name(key: OperationParameter, operation: Operation) -> str:
    """A key as domains name it: customer_id, where the source says customerId or id."""
    column = key.column or ""
    return column if column.endswith("_id") else f"{operation.table.rstrip('_')}_id"


def _plain(text: str) -> str:
    return " ".join(text.split())


def appendix(losses: Sequence[str], read: Sequence[str]) -> str:
    """The end of the README of a twin that a model designed: what it lacks, and how its source was read."""
    parts = [f"## {LACKS}", "", *([f"- {each}" for each in losses] or ["Nothing."])]
    if read:
        parts += ["", f"## {READ}", "", *(f"- {each}" for each in read)]
    return "\n".join(parts)
