"""Write the documents of a domain folder: its card, its rules in words, its README."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from generator.build.design import Catalogue, DatabaseDesign, ToolDesign
from generator.build.writing.designs import sentence
from runtime.domain.domain import FORMAT
from runtime.domain.people import People
from runtime.domain.schema import Schema
from runtime.task.task import Task


def write_card(
    name: str,
    version: str,
    catalogue: Catalogue,
    database: DatabaseDesign,
    provenance: Mapping[str, Any],
    people: People | None = None,
) -> str:
    """`domain.json`."""
    columns = {
        rule.column: rule.model_dump(mode="json", exclude_none=True, exclude={"column"})
        for rule in sorted(database.policies, key=lambda rule: rule.column)
        if rule.policy != "hard" or rule.tolerance or rule.spelled
    }
    card = {
        "format": FORMAT,
        "name": name,
        "version": version,
        "title": catalogue.title,
        "summary": catalogue.summary,
        "clock": catalogue.clock,
        "columns": columns,
        "logs": {log.table: log.reason for log in database.logs},
        **({"people": people.model_dump(mode="json", exclude_defaults=True)} if people else {}),
        "provenance": provenance,
    }
    return json.dumps(card, indent=2, ensure_ascii=False) + "\n"


def write_policy(catalogue: Catalogue) -> str:
    """`policy.md`: the preconditions of the tools as rules in words."""
    return "\n".join(_policy_lines(catalogue)).strip() + "\n"


def _policy_lines(catalogue: Catalogue) -> Iterator[str]:
    yield f"# Rules of {catalogue.title}"
    yield ""
    yield f"The time is {catalogue.clock}. It does not pass."
    yield "A call that breaks a rule is refused and changes nothing."
    if catalogue.conventions:
        yield ""
        yield from (f"- {sentence(convention)}" for convention in catalogue.conventions)
    for topic in catalogue.topics:
        ruled = [tool for tool in catalogue.of_topic(topic.name) if _rules(tool)]
        if ruled:
            yield ""
            yield f"## {_heading(topic.name)}"
            yield ""
        for tool in ruled:
            yield f"- `{tool.name}`: {' '.join(_rules(tool))}"


def _rules(tool: ToolDesign) -> list[str]:
    """The rules beyond the existence of what a call names, which needs no saying."""
    return [sentence(each.rule) for each in tool.preconditions if each.otherwise != "NOT_FOUND"]


def write_readme(
    name: str, catalogue: Catalogue, schema: Schema, figures: Sequence[str], samples: Sequence[Task] = ()
) -> str:
    """`README.md`: story, tables, tools by topic, some tasks, figures."""
    return "\n".join(_readme_lines(name, catalogue, schema, figures, samples)) + "\n"


def _readme_lines(
    name: str, catalogue: Catalogue, schema: Schema, figures: Sequence[str], samples: Sequence[Task]
) -> Iterator[str]:
    yield f"# {catalogue.title}"
    yield ""
    yield f"{catalogue.summary} The clock stands at {catalogue.clock}."
    yield ""
    yield "```sh"
    yield f"worldsmith serve {name}    # to any MCP client, over stdio"
    yield f"worldsmith check {name}    # prove every figure below again, offline"
    yield "```"
    yield ""
    yield "## Tables"
    yield ""
    yield "| table | a row is | columns |"
    yield "| --- | --- | --- |"
    for table in schema.tables.values():
        yield f"| `{table.name}` | {_cell(table.comment)} | {', '.join(table.column_names)} |"
    for topic in catalogue.topics:
        yield ""
        yield f"## {_heading(topic.name)}"
        yield ""
        for tool in catalogue.of_topic(topic.name):
            optional = ", ".join(
                parameter.name if parameter.required else f"[{parameter.name}]" for parameter in tool.parameters
            )
            yield f"- `{tool.name}({optional})`: {sentence(tool.description)}"
    if samples:
        yield ""
        yield "## Some tasks"
        yield ""
        yield "What a user says, one wish after another:"
    for task in samples:
        yield ""
        yield f"- `{task.id}`"
        yield from (f"  > {' '.join(words.split())}\n  >" for words in task.user.words[:-1])
        yield f"  > {' '.join(task.user.words[-1].split())}"
    yield ""
    yield "## Figures"
    yield ""
    yield from (f"- {figure}" for figure in figures)


def _heading(topic: str) -> str:
    return topic.replace("_", " ").capitalize()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
