"""The stages that screen a keyword and design its tools: parameters, results, preconditions, effects."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, get_args

from pydantic import Field, TypeAdapter, ValidationError

from generator.author.ask import Asker, Question, ask, entries_named
from generator.author.design import (
    MOST_CONVENTIONS,
    PLAIN_TYPES,
    BuildOrder,
    Catalogue,
    KeptParts,
    Parameter,
    Quantity,
    Screening,
    ToolDesign,
    quote_sources,
)
from generator.author.draft import Draft
from generator.author.writing.designs import prompt
from runtime.domain.arguments import Date, Timestamp
from runtime.domain.load import MOST_TOOLS_PER_FILE
from runtime.domain.people import DECLINE, IDENTIFY
from runtime.errors import KeywordRefused, RejectionKind

_KINDS: dict[str, Any] = {
    **{"text": str, "integer": int, "number": float, "boolean": bool},
    **{"date": Date, "timestamp": Timestamp},
}
_FEW_TOOLS = 24  # up to which fewer entities are asked for
_TOOLS_PER_TOPIC = 7  # on average, at least
_OFFICE_TABLES = 2  # of identifications and of declined requests, where people call
_RESERVED = {"db", "self", "None", "tool", "and", "or", "not", "in", "is", "if", "for", "from", "class", "def", "with"}


async def design_tools(asker: Asker, draft: Draft) -> Draft:
    """Return the draft with its tools, and with `callers` if people call; errors: StageFailed."""
    order = draft.order
    least, most, topics = math.ceil(order.count * 0.8), math.floor(order.count * 1.2), most_topics(order.count)
    question = Question(
        stage="tools",
        key="catalogue",
        prompt=prompt(
            "tools",
            keyword=order.keyword,
            count=order.count,
            least=least,
            most=most,
            topics=topics,
            most_per_topic=MOST_TOOLS_PER_FILE,
            conventions_most=MOST_CONVENTIONS,
            entities=_how_many_entities(order),
            sources=quote_sources(order.sources),
            conventions=prompt("conventions"),
            callers=prompt("tools_callers") if order.rules else "",
        ),
        repair="Give title, summary and clock again, but of the lists only the parts that change: they are merged by "
        "name. `drop` names parts to remove.",
        max_tokens=48_000,
    )
    asked = await ask(
        asker,
        question,
        Catalogue,
        lambda catalogue: [
            *faults_of_catalogue(catalogue, least, most, topics),
            *(faults_of_callers(catalogue) if order.rules else ()),
            *(_faults_of_keeping(catalogue, order.kept) if order.kept else ()),
            *_faults_of_size(catalogue, order),
        ],
        merge=lambda before, repair: before.merged(repair),
        excerpt=entries_named(entities=["name"], records=["name"], tools=["name"]),
    )
    return replace(draft, catalogue=asked.insist("The design of the tools"))


def _how_many_entities(order: BuildOrder) -> str:
    if order.kept:
        return str(len(order.kept.entities))
    if order.tables:
        return str(max(2, order.tables - (_OFFICE_TABLES if order.rules else 0)))
    return "6 to 14, as many as the trade needs," if order.count > _FEW_TOOLS else "3 to 6"


def _faults_of_size(catalogue: Catalogue, order: BuildOrder) -> Iterator[str]:
    """Yield that there are more or fewer entities than become the tables that were asked for."""
    wanted = _how_many_entities(order)
    if order.tables and abs(len(catalogue.entities) - int(wanted)) > 1:
        yield f"there are {len(catalogue.entities)} entities; {wanted} are wanted, one more or less is accepted"


def most_topics(count: int) -> int:
    """Return how many topics so many tools may have: each is a file, and a request of its own in later stages."""
    return max(2, math.ceil(count / _TOOLS_PER_TOPIC))


def faults_of_catalogue(catalogue: Catalogue, least: int, most: int, topics: int) -> list[str]:
    """Return what makes a catalogue unusable; one sentence each."""
    return list(_faults(catalogue, least, most, topics))


def faults_of_callers(catalogue: Catalogue) -> Iterator[str]:
    """Yield why people could not call this office: they are not found, or a tool is designed that every office has."""
    callers = catalogue.callers
    if callers is None:
        yield (
            "callers: missing; name the people who call and how they are found, such as "
            '{"entity": "member", "found_by": {"email": "find_member_by_email"}}'
        )
        return
    key = f"{callers.entity}_id"
    tools = {tool.name: tool for tool in catalogue.tools}
    if callers.entity not in [entity.name for entity in catalogue.entities]:
        yield f"callers: {callers.entity!r} is not an entity"
    for name in callers.found_by.values():
        if name not in tools:
            yield f"callers: there is no tool {name!r}"
    for detail, name in callers.found_by.items():
        if name in tools:
            yield from _faults_of_finding(catalogue, tools[name], detail, key)
    for name in (IDENTIFY, DECLINE):
        if name in tools:
            yield f"tool {name!r}: every office has it already; name it in `drop`"


def _faults_of_keeping(catalogue: Catalogue, kept: KeptParts) -> Iterator[str]:
    """Yield what a twin's design lacks of its source."""
    entities = {entity.name for entity in catalogue.entities}
    for name in kept.entities:
        if name not in entities:
            yield f"the source has the table {name!r}; add an entity of this name"
    tools = {tool.name: {parameter.name for parameter in tool.parameters} for tool in catalogue.tools}
    for name, parameters in kept.tools.items():
        if name not in tools:
            yield f"the source has the operation {name}({', '.join(parameters)}); add a tool of this name"
        for missing in [each for each in parameters if name in tools and each not in tools[name]]:
            yield f"tool {name!r}: the source gives it {missing!r}; add the parameter"


def _faults_of_finding(catalogue: Catalogue, tool: ToolDesign, detail: str, key: str) -> Iterator[str]:
    if [parameter.name for parameter in tool.parameters if parameter.required] != [detail]:
        yield f"callers: {tool.name!r} must take {detail!r} and require nothing else"
    record = next((each for each in catalogue.records if each.name == tool.returns), None)
    if record is not None and not any(field.name == key and not field.many for field in record.fields):
        yield f"callers: {tool.name!r} must return one record of a person, with {key!r}; {record.name} has none"
    if tool.writes:
        yield f"callers: {tool.name!r} writes; finding a person changes nothing"


def _faults(catalogue: Catalogue, least: int, most: int, most_topics: int) -> Iterator[str]:
    tools = catalogue.tools
    if not least <= len(tools) <= most:
        yield f"there are {len(tools)} tools; {least} to {most} are accepted: add tools, or name some in `drop`"
    if len(catalogue.topics) > most_topics:
        yield f"there are {len(catalogue.topics)} topics; at most {most_topics} are accepted: move tools into fewer"
    for what, names in (
        ("tool", [tool.name for tool in tools]),
        ("record", [record.name for record in catalogue.records]),
        ("entity", [entity.name for entity in catalogue.entities]),
        ("topic", [topic.name for topic in catalogue.topics]),
    ):
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"{what} {name!r} appears twice"
    topics = {topic.name for topic in catalogue.topics}
    for topic in sorted(topics):
        size = len(catalogue.of_topic(topic))
        if not 1 <= size <= MOST_TOOLS_PER_FILE:
            yield f"topic {topic!r} has {size} tools; a topic has 1 to {MOST_TOOLS_PER_FILE}"
    yield from _faults_of_records(catalogue)
    entities = {entity.name for entity in catalogue.entities}
    for tool in tools:
        for fault in _faults_of_tool(tool, catalogue, topics, entities):
            yield f"tool {tool.name!r}: {fault}"
    for entity in sorted(entities):
        if not any(entity in tool.writes for tool in tools):
            yield f"no tool names entity {entity!r} in `writes`; add one, or name the entity in `drop`"
        if not any(entity in tool.reads and entity not in tool.writes for tool in tools):
            yield f"no tool that only reads names entity {entity!r} in `reads`; add one that lists or shows it"


def _faults_of_records(catalogue: Catalogue) -> Iterator[str]:
    names = {record.name for record in catalogue.records}
    used = {tool.returns for tool in catalogue.tools}
    for record in catalogue.records:
        used |= {field.type for field in record.fields}
        fields = [field.name for field in record.fields]
        if len(fields) != len(set(fields)):
            yield f"record {record.name!r} has a field twice"
        for field in record.fields:
            for fault in _faults_of_quantity(field, names):
                yield f"record {record.name!r}, field {field.name!r}: {fault}"
    for name in sorted(names - used):
        yield f"record {name!r} is returned by no tool and held by no record; name it in `drop`"
    inner = {record.name: {field.type for field in record.fields} & names for record in catalogue.records}
    while free := [name for name, held in inner.items() if not held & inner.keys()]:
        for name in free:
            del inner[name]
    yield from (f"record {name!r} holds itself" for name in sorted(inner))


def _faults_of_tool(tool: ToolDesign, catalogue: Catalogue, topics: set[str], entities: set[str]) -> Iterator[str]:
    records = {record.name for record in catalogue.records}
    if tool.topic not in topics:
        yield f"topic {tool.topic!r} is not declared; have: {', '.join(sorted(topics))}"
    if tool.returns not in records:
        yield f"returns record {tool.returns!r}, which is not declared"
    for entity in dict.fromkeys([*tool.reads, *tool.writes]):
        if entity not in entities:
            yield f"names entity {entity!r}, which is not declared; have: {', '.join(sorted(entities))}"
    names = [parameter.name for parameter in tool.parameters]
    if len(names) != len(set(names)):
        yield "has a parameter twice"
    for parameter in tool.parameters:
        for fault in _faults_of_parameter(parameter):
            yield f"parameter {parameter.name!r}: {fault}"
    kinds = get_args(RejectionKind)
    if any(each.otherwise == "RESOURCE_EXHAUSTED" for each in tool.preconditions):
        yield f"RESOURCE_EXHAUSTED is raised by the system only; have: {', '.join(kinds[:-1])}"
    for parameter in tool.parameters:
        if (
            parameter.name.endswith(("_id", "_ids"))
            and not parameter.many
            and not any(each.otherwise in ("NOT_FOUND", "ALREADY_EXISTS") for each in tool.preconditions)
        ):
            yield (
                f"takes {parameter.name!r} without a precondition that it exists, such as "
                '{"rule": "The loan exists", "otherwise": "NOT_FOUND"}'
            )
            break


def _faults_of_parameter(parameter: Parameter) -> Iterator[str]:
    yield from _faults_of_quantity(parameter, set())
    if parameter.name in _RESERVED:
        yield "is a reserved word"
    default = parameter.default
    if default is None:
        return
    if parameter.required:
        yield "is required and has a default; one of them goes"
    if parameter.many:
        yield "a list has no default but null"
    elif parameter.type in _KINDS and not _fits(parameter, default):
        yield f"default {default!r} does not fit its type {parameter.type}"


def _fits(parameter: Parameter, value: object) -> bool:
    kind = _KINDS[parameter.type]
    if kind in (int, float):
        kind = Annotated[kind, Field(ge=parameter.minimum, le=parameter.maximum)]
    try:
        TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError:
        return False
    return not parameter.choices or value in parameter.choices


def _faults_of_quantity(quantity: Quantity, records: set[str]) -> Iterator[str]:
    if quantity.type not in PLAIN_TYPES and quantity.type not in records:
        yield f"type {quantity.type!r} is unknown; have: {', '.join([*PLAIN_TYPES, *sorted(records)])}"
    if quantity.choices and quantity.type != "text":
        yield "only texts have choices"
    if len(set(quantity.choices)) != len(quantity.choices) or len(quantity.choices) == 1:
        yield "choices need two different texts or more"
    bounded = quantity.many or quantity.type in ("text", "integer", "number")
    if not bounded and (quantity.minimum is not None or quantity.maximum is not None):
        yield f"a {quantity.type} has no minimum or maximum"
    lengths = quantity.many or quantity.type == "text"
    for bound in (quantity.minimum, quantity.maximum):
        if bound is not None and lengths and (bound < 0 or bound != int(bound)):
            yield f"{bound:g} is not a length"
    if quantity.minimum is not None and quantity.maximum is not None and quantity.minimum > quantity.maximum:
        yield "its minimum is above its maximum"


async def screen(asker: Asker, draft: Draft, key: str = "keyword") -> Draft:
    """Return the draft, if a world of its keyword may be made; errors: KeywordRefused."""
    order = draft.order
    question = Question(
        stage="screen",
        key=key,
        prompt=prompt("screen", keyword=order.keyword, count=order.count, sources=quote_sources(order.sources)),
        max_tokens=1_000,
    )
    screening = (await ask(asker, question, Screening, lambda _: ())).insist("The screening")
    if screening.decision == "no":
        raise KeywordRefused(f"No world is made of {order.keyword!r}: {screening.reason}")
    return replace(draft, screening=screening.reason)
