"""Show designs to a model as short, exact text, and fill the prompt files of `generator/prompts/` with it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from generator.author.design import Catalogue, Parameter, Quantity, Record, ToolDesign, ToolTables
from generator.author.draft import Draft
from runtime.domain.arguments import weekday
from runtime.domain.schema import Schema

_FOLDER = Path(__file__).parents[2] / "prompts"
_MARK = re.compile(r"\{\{(\w+)\}\}")
_SPACES = re.compile(r"(?<=\S) {2,}")


def prompt(name: str, **values: object) -> str:
    """Return the text of `prompts/NAME.md` with every `{{mark}}` filled; a mark without a value is a KeyError."""
    text = (_FOLDER / f"{name}.md").read_text(encoding="utf-8")
    filled = _MARK.sub(lambda mark: str(values[mark[1]]), text)
    return re.sub(r"\n{3,}", "\n\n", filled).strip() + "\n"


def frame(draft: Draft, name: str, **more: str) -> str:
    """Return the part of a prompt that all topics share: the task, the conventions, and the clock."""
    return prompt(
        name,
        clock=draft.catalogue.clock,
        weekday=weekday(draft.catalogue.clock),
        title=draft.catalogue.title,
        conventions=describe_conventions(draft.catalogue),
        **more,
    )


def about_topic(draft: Draft, name: str, topic: str, tools: Sequence[ToolDesign] | None = None) -> str:
    """Return the part of a prompt about one topic: tables, records, and designs of its tools, or of some of them."""
    tools = draft.catalogue.of_topic(topic) if tools is None else list(tools)
    return prompt(
        name,
        topic=topic,
        about=next(each.description for each in draft.catalogue.topics if each.name == topic),
        schema=compact_sql(draft.sql_of(tools)),
        designs=describe_tools(tools, {tool.name: draft.tables_of(tool.name) for tool in tools}),
        records=describe_records(draft.catalogue.records_of(tools)),
    )


def tools_named(tools: Sequence[ToolDesign], complaints: Sequence[str]) -> list[ToolDesign]:
    """Return the tools that complaints name; all of them if a complaint names none."""
    named = [[tool.name for tool in tools if re.search(rf"\b{tool.name}\b", each)] for each in complaints]
    if not all(named):
        return list(tools)
    return [tool for tool in tools if any(tool.name in each for each in named)]


def as_json(value: object) -> str:
    """Return a value as a model reads it."""
    return json.dumps(value, ensure_ascii=False)


def rows_as_json(rows: Mapping[str, object]) -> str:
    """Return a line for each table with its rows."""
    return "\n".join(f"- {table}: {as_json(own)}" for table, own in rows.items()) or "none"


def compact_sql(schema: str) -> str:
    """Return a schema without the spaces that only align it."""
    return "\n".join(
        line[: len(line) - len(line.lstrip())] + _SPACES.sub(" ", line.strip()) for line in schema.splitlines()
    )


def describe_tools(tools: Iterable[ToolDesign], tables: Mapping[str, ToolTables] | None = None) -> str:
    """Return a section for each tool; with its tables, once they are known."""
    return "\n\n".join("\n".join(_tool_lines(tool, (tables or {}).get(tool.name))) for tool in tools)


def describe_wants(tools: Iterable[ToolDesign]) -> str:
    """Return a section for each tool as a scenario needs it: without missing ids, kinds of rejection, and tables."""
    return "\n\n".join("\n".join([*_said_lines(tool), *_required(tool), *_effect_lines(tool)]) for tool in tools)


def describe_records(records: Iterable[Record]) -> str:
    """Return a line for each record."""
    return "\n".join(_record_line(record) for record in records)


def describe_fields(records: Iterable[Record]) -> str:
    """Return a line for each record that only names its fields, and the records that stand in them."""
    records = list(records)
    names = {record.name for record in records}
    lines = []
    for record in records:
        fields = [f"{field.name} ({_type(field)})" if field.type in names else field.name for field in record.fields]
        lines.append(f"- {record.name} = {{{', '.join(fields)}}}")
    return "\n".join(lines)


def describe_keys(schema: Schema) -> str:
    """Return a line for each table: its columns, and where foreign keys lead."""
    lines = []
    for table in schema.tables.values():
        leads = {key.columns[0]: key.parent for key in table.foreign_keys}
        columns = [f"{name} -> {leads[name]}" if name in leads else name for name in table.column_names]
        lines.append(f"- {table.name} ({table.comment}): {', '.join(columns)}")
    return "\n".join(lines)


def describe_conventions(catalogue: Catalogue) -> str:
    """Return what holds for every tool: the conventions of all domains, and those of this one."""
    own = describe_own_conventions(catalogue)
    return prompt("conventions") + (f"\n{own}" if own else "")


def describe_own_conventions(catalogue: Catalogue) -> str:
    """Return what holds for every tool of this domain; empty if nothing was said."""
    own = "\n".join(f"- {convention}" for convention in catalogue.conventions)
    return f"In this domain:\n\n{own}\n" if own else ""


def describe_rules(catalogue: Catalogue, tools: Iterable[ToolDesign]) -> str:
    """Return what writing tools keep true, for whoever makes rows: preconditions and effects, without parameters."""
    lines = [f"- {convention}" for convention in catalogue.conventions]
    for tool in tools:
        if tool.writes:
            states = [
                each.rule for each in tool.preconditions if each.otherwise in ("ALREADY_EXISTS", "FAILED_PRECONDITION")
            ]
            if states or tool.effects:
                lines.append(f"- {tool.name}: {'; '.join([*states, *tool.effects])}")
    return "\n".join(lines)


def describe_entities(catalogue: Catalogue) -> str:
    """Return a line for each entity."""
    return "\n".join(f"- {entity.name}: {entity.description}" for entity in catalogue.entities)


def _tool_lines(tool: ToolDesign, tables: ToolTables | None) -> Iterator[str]:
    yield from _said_lines(tool)
    for kind, preconditions in groupby(tool.preconditions, key=lambda each: each.otherwise):
        yield f"- {kind} unless: {'; '.join(each.rule.rstrip('.') for each in preconditions)}"
    yield from _effect_lines(tool)
    if tables is None:  # tables are yet to be designed
        yield f"- reads {', '.join(dict.fromkeys([*tool.reads, *tool.writes])) or 'nothing'}"
    writes = tool.writes if tables is None else tables.writes
    yield f"- writes {', '.join(writes) or 'nothing'}"


def _said_lines(tool: ToolDesign) -> Iterator[str]:
    yield f"### {tool.name} -> {tool.returns}"
    yield tool.description
    if tool.parameters:
        yield f"- takes {'; '.join(map(_parameter, tool.parameters))}"


def _required(tool: ToolDesign) -> Iterator[str]:
    rules = [each.rule.rstrip(".") for each in tool.preconditions if each.otherwise != "NOT_FOUND"]
    if rules:
        yield f"- requires: {'; '.join(rules)}"


def _effect_lines(tool: ToolDesign) -> Iterator[str]:
    if tool.effects:
        yield f"- effect: {'; '.join(effect.rstrip('.') for effect in tool.effects)}"


def _record_line(record: Record) -> str:
    return f"- {record.name} = {{{'; '.join(f'{_typed(field)}: {field.description}' for field in record.fields)}}}"


def _parameter(parameter: Parameter) -> str:
    text = _typed(parameter)
    if not parameter.required:
        text += ", optional" + (f", default {parameter.default!r}" if parameter.default is not None else "")
    return f"{text} ({parameter.description})"


def _typed(quantity: Quantity) -> str:
    """Return the name with its type; plain text is not said."""
    kind = _type(quantity)
    return quantity.name if kind == "text" else f"{quantity.name} {kind}"


def _type(quantity: Quantity) -> str:
    text = quantity.type
    if quantity.choices:
        text = f"one of {', '.join(quantity.choices)}"
    if quantity.many:
        text = f"list of {text}"
    if quantity.nullable:
        text += " or null"
    bounds = [_bound(limit) for limit in (quantity.minimum, quantity.maximum)]
    return f"{text} [{'..'.join(bounds)}]" if any(bounds) else text


def _bound(limit: float | None) -> str:
    if limit is None:
        return ""
    return str(int(limit)) if limit == int(limit) else str(limit)
