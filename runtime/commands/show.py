"""`worldsmith show`: what a domain, one of its tools, or one of its tasks is."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.domain.tool import Tool, first_sentence
from runtime.errors import Rejection, UsageError
from runtime.task.task import Task, find_task, read_tasks


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("show", help="show a domain, a tool or a task (no model needed)")
    parser.add_argument("domain", help="name or path of a domain")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--tool", metavar="NAME", help="show one tool with its schemas")
    what.add_argument("--task", metavar="ID", help="show one task: words, facts, chain, expected changes")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for."""
    domain = find_domain(arguments.domain)
    content: dict[str, Any]
    if arguments.tool:
        try:
            tool = domain.find_tool(arguments.tool)
        except Rejection as rejection:
            raise UsageError(rejection.sentence) from None
        content, lines = _tool_as_json(tool), _describe_tool(tool)
    elif arguments.task:
        task = find_task(domain, arguments.task)
        content, lines = task.model_dump(mode="json", exclude_defaults=True), _describe_task(task)
    else:
        content, lines = _domain_as_json(domain), _describe_domain(domain)
    if arguments.json:
        json.dump(content, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        _print_wrapped(lines)
    return 0


def _domain_as_json(domain: Domain) -> dict[str, Any]:
    return {
        "domain": domain.name,
        "title": domain.card.title,
        "summary": domain.card.summary,
        "version": domain.card.version,
        "digest": domain.digest,
        "clock": domain.now,
        "tables": {
            table.name: {
                "comment": table.comment,
                "columns": {
                    column.name: {
                        "type": column.type,
                        "comment": column.comment,
                        "policy": domain.policies.of(table.name, column.name).policy,
                    }
                    for column in table.columns
                },
            }
            for table in domain.schema.tables.values()
        },
        "tools": {tool.name: first_sentence(tool.description) for tool in domain.tools.values()},
        "tasks": [task.id for task in read_tasks(domain).values()],
    }


def _describe_domain(domain: Domain) -> Iterator[str]:
    yield f"{domain.card.title} ({domain.name} {domain.card.version})"
    yield domain.card.summary
    yield f"The clock stands at {domain.now}."
    yield ""
    yield "Tables"
    for table in domain.schema.tables.values():
        yield f"  {table.name}: {table.comment}"
        yield f"    {', '.join(table.column_names)}"
    for file in sorted({tool.file for tool in domain.tools.values()}):
        yield ""
        yield file
        for tool in domain.tools.values():
            if tool.file == file:
                yield f"  {tool.name}({', '.join(tool.arguments.names)})"
                yield f"    {first_sentence(tool.description)}"
    tasks = read_tasks(domain)
    yield ""
    yield f"{len(tasks)} tasks"
    for task in list(tasks.values())[:10]:
        yield f"  {task.id}: {task.title}"
    if len(tasks) > 10:
        yield f"  and {len(tasks) - 10} more"


def _tool_as_json(tool: Tool) -> dict[str, Any]:
    return {
        "tool": tool.name,
        "description": tool.description,
        "file": tool.file,
        "reads": sorted(tool.reads),
        "writes": sorted(tool.writes),
        "rejects": sorted(tool.rejects),
        "input_schema": tool.arguments.schema,
        "output_schema": tool.result.schema,
    }


def _describe_tool(tool: Tool) -> Iterator[str]:
    yield f"{tool.name} ({tool.file})"
    yield from tool.description.splitlines()
    yield ""
    required = tool.arguments.schema.get("required", [])
    for name, schema in tool.arguments.schema["properties"].items():
        yield f"  {name}{'' if name in required else ' (optional)'}: {schema.get('description', '')}"
    yield ""
    yield f"reads {', '.join(sorted(tool.reads)) or 'no table'}; writes {', '.join(sorted(tool.writes)) or 'no table'}"
    yield f"rejects with {', '.join(sorted(tool.rejects)) or 'nothing but bad arguments'}"


def _describe_task(task: Task) -> Iterator[str]:
    yield f"{task.title} ({task.domain} / {task.id}, {task.split})"
    yield f"world: seed {task.world.seed}, size {task.world.size}, {len(task.added)} added rows"
    yield ""
    yield f"The user: {task.user.profile}"
    for words in task.user.words:
        yield f'  "{words}"'
    yield "knows"
    for fact in task.user.facts:
        yield f"  {fact.name}: {fact.said}"
    yield ""
    yield "One way to reach the goal"
    for number, step in enumerate(task.chain):
        arguments = ", ".join(f"{name}={_shown(value)}" for name, value in step.arguments.items())
        yield f"  {number}. {step.tool}({arguments})"
    yield ""
    yield "The final state"
    for row in task.expected:
        yield f"  {row.table} {' / '.join(map(str, row.key))} {row.kind}"
        for column, value in row.columns.items():
            yield f"    {column} = {value!r}"
    for answer in task.answers:
        yield f"  the user is told the {answer.name}: {answer.value!r}"


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "$step" in value:
        return f"<{value['path']} of step {value['$step']}>"
    return json.dumps(value, ensure_ascii=False)


def _print_wrapped(lines: Iterator[str]) -> None:
    """Fit lines to the terminal, continued lines under the text they continue."""
    width = max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 100
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        print("\n".join(textwrap.wrap(line, width, subsequent_indent=f"{indent}  ", drop_whitespace=True)) or "")
