"""Designs as the text that a model reads: shorter than JSON, and exact."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from generator.build.design import Catalogue, Parameter, Precondition, Quantity, Record, ToolDesign, ToolTables
from generator.build.writing.prompts import prompt


def describe_tools(tools: Iterable[ToolDesign], tables: Mapping[str, ToolTables] | None = None) -> str:
    """A section for each tool; with its tables, once they are known."""
    return "\n\n".join("\n".join(_tool_lines(tool, (tables or {}).get(tool.name))) for tool in tools)


def describe_wants(tools: Iterable[ToolDesign]) -> str:
    """A section for each tool as a scenario needs it: not that an id exists, how a call is refused, or the tables."""
    return "\n\n".join("\n".join([*_said_lines(tool), *_required(tool), *_effect_lines(tool)]) for tool in tools)


def describe_records(records: Iterable[Record]) -> str:
    """A section for each record."""
    return "\n".join(_record_line(record) for record in records)


def describe_fields(records: Iterable[Record]) -> str:
    """A line for each record that only names its fields, and the records that stand in them."""
    records = list(records)
    names = {record.name for record in records}
    lines = []
    for record in records:
        fields = [f"{field.name} ({_type(field)})" if field.type in names else field.name for field in record.fields]
        lines.append(f"- {record.name} = {{{', '.join(fields)}}}")
    return "\n".join(lines)


def describe_conventions(catalogue: Catalogue) -> str:
    """What holds for every tool: the conventions of all domains, and those of this one."""
    own = describe_own_conventions(catalogue)
    return prompt("conventions") + (f"\n{own}" if own else "")


def describe_own_conventions(catalogue: Catalogue) -> str:
    """What holds for every tool of this domain; empty if nothing was said."""
    own = "\n".join(f"- {convention}" for convention in catalogue.conventions)
    return f"In this domain:\n\n{own}\n" if own else ""


def describe_rules(catalogue: Catalogue) -> str:
    """What the writing tools keep up, for whoever makes rows: preconditions and effects, without parameters."""
    lines = [f"- {convention}" for convention in catalogue.conventions]
    for tool in catalogue.tools:
        if tool.writes:
            states = [
                each.rule for each in tool.preconditions if each.otherwise in ("ALREADY_EXISTS", "FAILED_PRECONDITION")
            ]
            if states or tool.effects:
                lines.append(f"- {tool.name}: {'; '.join([*states, *tool.effects])}")
    return "\n".join(lines)


def describe_entities(catalogue: Catalogue) -> str:
    """A line for each entity."""
    return "\n".join(f"- {entity.name}: {entity.description}" for entity in catalogue.entities)


def _tool_lines(tool: ToolDesign, tables: ToolTables | None) -> Iterator[str]:
    yield from _said_lines(tool)
    for precondition in tool.preconditions:
        yield f"{_requirement(precondition)}; otherwise {precondition.otherwise}"
    yield from _effect_lines(tool)
    own, writes = (tables.reads, tables.writes) if tables else (tool.reads, tool.writes)
    reads = list(dict.fromkeys([*own, *writes]))
    yield f"- reads {', '.join(reads) or 'nothing'}; writes {', '.join(writes) or 'nothing'}"


def _said_lines(tool: ToolDesign) -> Iterator[str]:
    yield f"### {tool.name}"
    yield tool.description
    for parameter in tool.parameters:
        yield f"- {parameter.name}: {_parameter_type(parameter)}. {parameter.description}"
    yield f"- returns {tool.returns}"


def _required(tool: ToolDesign) -> Iterator[str]:
    return (_requirement(each) for each in tool.preconditions if each.otherwise != "NOT_FOUND")


def _requirement(precondition: Precondition) -> str:
    return f"- requires: {precondition.rule.rstrip('.')}"


def _effect_lines(tool: ToolDesign) -> Iterator[str]:
    return (f"- effect: {effect}" for effect in tool.effects)


def _record_line(record: Record) -> str:
    fields = "; ".join(f"{field.name} {_type(field)}: {field.description}" for field in record.fields)
    return f"- {record.name} = {{{fields}}}"


def _parameter_type(parameter: Parameter) -> str:
    text = _type(parameter)
    if parameter.required:
        return text
    return f"{text}, optional" + (f" (default {parameter.default!r})" if parameter.default is not None else "")


def _type(quantity: Quantity) -> str:
    text = quantity.type
    if quantity.choices:
        text += f" (one of {', '.join(quantity.choices)})"
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


def sentence(text: str) -> str:
    """A text that begins and ends as a sentence does."""
    text = " ".join(text.split())
    return text if text.endswith((".", "!", "?")) else f"{text}."
