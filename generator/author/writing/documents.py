"""Write the documents of a domain folder: its card, its rules in words, its scenarios, its README."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from generator.author.design import Catalogue, DatabaseDesign, ToolDesign
from generator.author.writing.code import indented, plain, sentence
from generator.gates.worth import Worth
from generator.scenarios.scenario import ScenarioDesign
from runtime.domain.domain import FORMAT
from runtime.domain.locale import AMERICAN, Locale
from runtime.domain.people import People
from runtime.domain.schema import Schema
from runtime.task.task import Task

_LONGEST_SQL = 100


def write_card(
    name: str,
    version: str,
    catalogue: Catalogue,
    database: DatabaseDesign,
    provenance: Mapping[str, Any],
    people: People | None = None,
    *,
    locale: Locale = AMERICAN,
    real_rows: bool = False,
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
        **({} if locale.is_american else {"locale": locale.model_dump(mode="json")}),
        **({"real_rows": True} if real_rows else {}),
        **({"conventions": catalogue.conventions} if catalogue.conventions else {}),
        "columns": columns,
        "logs": {log.table: log.reason for log in database.logs},
        **({"people": people.model_dump(mode="json", exclude_defaults=True)} if people else {}),
        "provenance": provenance,
    }
    return json.dumps(card, indent=2, ensure_ascii=False) + "\n"


def scenarios_file(
    title: str, scenarios: Sequence[ScenarioDesign], conditions: Mapping[str, str], helpers: Sequence[str] = ()
) -> str:
    """`scenarios.py`, not yet formatted, with the conditions that its bodies name and the functions they share."""
    bodies = "\n".join(each.body for each in scenarios)
    used = {name: sql for name, sql in conditions.items() if re.search(rf"\b{name}\b", bodies)}
    constants = "\n".join(f"{name} = {_sql(sql)}" for name, sql in used.items())
    parts = [f'"""{plain(f"What people want of {title}: every function is a scenario.")}"""']
    parts += ["from runtime.story import Story, scenario", *filter(None, [constants])]
    return "\n\n\n".join(["\n\n".join(parts), *helpers, *map(_scenario, scenarios)]) + "\n"


def _sql(text: str) -> str:
    """Return a condition as Python writes it, in lines that are not too long."""
    lines = textwrap.dedent(text).strip().splitlines()
    if len(lines) == 1 and len(lines[0]) <= _LONGEST_SQL:
        return json.dumps(lines[0], ensure_ascii=False)
    broken = [line if len(line) <= _LONGEST_SQL else line.replace(" AND ", "\n    AND ") for line in lines]
    return '"""\n' + textwrap.indent("\n".join(broken), "    ") + '\n"""'


def _scenario(scenario: ScenarioDesign) -> str:
    marks = [f'form="{scenario.form}"'] if scenario.form != "direct" else []
    marks += [f'role="{scenario.role}"'] if scenario.role != "customer" else []
    marked = f"({', '.join(marks)})" if marks else ""
    return (
        f"@scenario{marked}\n"
        f"def {scenario.name}(story: Story) -> None:\n"
        f'    """{plain(scenario.wish)}"""\n'
        f"{indented(scenario.body)}"
    )


def write_policy(catalogue: Catalogue, locale: Locale = AMERICAN) -> str:
    """`policy.md` of a domain without rules: what its tools require."""
    parts = [
        [
            f"# Policy: {catalogue.title}",
            "",
            f"It is {catalogue.clock}, and time does not pass.",
            "A tool refuses a call that does not meet its requirements; a refused call changes nothing.",
        ]
    ]
    conventions = [*([] if locale.is_american else [locale.sentence]), *catalogue.conventions]
    if conventions:
        parts.append([f"- {sentence(convention)}" for convention in conventions])
    for topic in catalogue.topics:
        ruled = [
            f"- `{tool.name}`: {' '.join(_rules(tool))}" for tool in catalogue.of_topic(topic.name) if _rules(tool)
        ]
        if ruled:
            parts.append([f"## {_heading(topic.name)}", "", *ruled])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _rules(tool: ToolDesign) -> list[str]:
    """Return the preconditions of a tool, except that what a call names exists."""
    return [sentence(each.rule) for each in tool.preconditions if each.otherwise != "NOT_FOUND"]


def write_readme(
    name: str,
    catalogue: Catalogue,
    schema: Schema,
    figures: Sequence[str],
    samples: Sequence[Task] = (),
    worth: Worth | None = None,
    locale: Locale = AMERICAN,
) -> str:
    """`README.md`: story, tables, tools by topic, some tasks, what the tasks are worth, figures."""
    parts = [_intro(name, catalogue, locale), _tables(schema)]
    parts += [_topic(catalogue, topic.name) for topic in catalogue.topics]
    if samples:
        parts.append(_samples(samples))
    if worth is not None and worth.tasks:
        parts.append(_worth(worth))
    parts.append(["## Figures", "", *(f"- {figure}" for figure in figures)])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _intro(name: str, catalogue: Catalogue, locale: Locale) -> list[str]:
    place = "" if locale.is_american else f" {locale.sentence}"
    return [
        f"# {catalogue.title}",
        "",
        f"{catalogue.summary} The clock is frozen at {catalogue.clock}.{place}",
        "",
        "```sh",
        f"worldsmith serve {name}    # serve it to any MCP client over stdio",
        f"worldsmith check {name}    # prove every figure below again, offline",
        "```",
    ]


def _tables(schema: Schema) -> list[str]:
    rows = [
        f"| `{table.name}` | {_cell(table.comment)} | {', '.join(table.column_names)} |"
        for table in schema.tables.values()
    ]
    return ["## Tables", "", "| table | a row is | columns |", "| --- | --- | --- |", *rows]


def _topic(catalogue: Catalogue, topic: str) -> list[str]:
    lines = [f"## {_heading(topic)}", ""]
    for tool in catalogue.of_topic(topic):
        optional = ", ".join(each.name if each.required else f"[{each.name}]" for each in tool.parameters)
        lines.append(f"- `{tool.name}({optional})`: {sentence(tool.description)}")
    return lines


def _samples(samples: Sequence[Task]) -> list[str]:
    lines = ["## Sample tasks", "", "What the user says, one request after another:"]
    for task in samples:
        words = [" ".join(each.split()) for each in task.user.words]
        lines += ["", f"- `{task.id}`", *(f"  > {each}\n  >" for each in words[:-1]), f"  > {words[-1]}"]
    return lines


def _worth(worth: Worth) -> list[str]:
    lines = ["## What the tasks are worth", "", *(f"- {line}" for line in worth.lines)]
    lines += [f"- out of range: {miss}" for miss in worth.misses]
    return [*lines, "", *worth.table] if worth.table else lines


def _heading(topic: str) -> str:
    return topic.replace("_", " ").capitalize()


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
