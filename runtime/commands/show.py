"""`worldsmith list` and `worldsmith show`: the domains; one of them, its tools, tasks, graph or policy."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from runtime.commands.options import DOMAIN, JSON, TASKS, command, flag, one_of, text_option
from runtime.commands.output import Result
from runtime.domain.caller_rules import identifies_callers
from runtime.domain.domain import Domain, DomainCard
from runtime.domain.load import find_domain, known_domains, load_domain
from runtime.domain.locale import Locale
from runtime.domain.schema import read_schema
from runtime.domain.tool import Tool, first_sentence
from runtime.errors import Rejection, UsageError
from runtime.graph import Graph, read_graph
from runtime.sandbox.files import files_in, is_there, parse_json, read_lines, read_text
from runtime.task.origin import is_reference
from runtime.task.task import Task
from runtime.task.values import said_value
from runtime.verification.verdict import said_cell
from runtime.wording import counted, printable

_MOST = 20  # entries of a list that are shown to a person; JSON has all


@command(
    "list",
    "List the domains in ./domains and in the package. Their files are read, not executed; `worldsmith show` reports "
    "every fault of a domain.",
    JSON,
)
def list_domains(arguments: argparse.Namespace) -> Result:
    """List what each domain holds; 1 if one of them is broken."""
    rows: list[dict[str, Any]] = []
    broken: list[dict[str, Any]] = []
    for name, path in known_domains().items():
        try:
            rows.append({"domain": name, **count_parts(path), "path": path})
        except (UsageError, ValueError) as error:
            broken.append({"domain": name, "path": path, "faults": faults_of(path, error)})
    lines = [
        f"{row['domain']}: {row['title']}; "
        + ", ".join(counted(row[f"{noun}s"], noun) for noun in ("tool", "table", "task"))
        for row in rows
    ]
    for item in broken:
        faults = counted(len(item["faults"]), "fault")
        lines.append(f"{item['domain']}: broken, {faults}; see: worldsmith show {item['path']}")
    return Result(
        {"domains": rows, "broken": broken}, lines or ["no domains; put one in ./domains"], 1 if broken else 0
    )


def count_parts(path: Path) -> dict[str, Any]:
    """Count what a domain holds without executing it; errors: UsageError, ValueError."""
    card = DomainCard.model_validate(parse_json(read_text(path / "domain.json")))
    reading = read_schema(read_text(path / "schema.sql"))
    if reading.faults:
        raise UsageError("\n".join(reading.faults))
    own = sum(
        line.startswith("@tool") for file in files_in(path / "tools", ".py") for line in read_text(file).splitlines()
    )
    built_in = 2 if card.people is not None and identifies_callers(reading.schema) else 0
    tasks = path / "tasks.jsonl"
    return {
        "title": card.title,
        "tools": own + built_in,
        "tables": len(reading.schema.tables),
        "tasks": sum(bool(line) for _, line in read_lines(tasks)) if is_there(tasks) else 0,
    }


def faults_of(path: Path, error: Exception) -> list[str]:
    """Return every fault of a broken domain, or the one that was met."""
    try:
        load_domain(path)
    except UsageError as broken:
        return str(broken).splitlines()
    return str(error).splitlines()


@command(
    "show",
    "Show a domain, or one part of it. Exit 2 with every fault of a domain that is broken.",
    DOMAIN,
    one_of(
        text_option("--tool", "NAME", "show one tool with its schemas"),
        text_option("--task", "ID", "show one task"),
        flag("--graph", "show the tool dependency graph; --json has its evidence"),
        flag("--policy-text", "show policy.md as its rules and tools state it"),
    ),
    TASKS,
    JSON,
)
def show(arguments: argparse.Namespace) -> int | Result:
    """Show what was asked for, as JSON or in words."""
    from runtime.task.task_file import find_task, read_tasks

    domain = find_domain(arguments.domain)
    content: Any
    if arguments.tool:
        try:
            tool = domain.find_tool(arguments.tool)
        except Rejection as rejection:
            raise UsageError(rejection.sentence) from None
        content = _describe_tool(tool, read_graph(domain.path) if is_there(domain.path / "graph.json") else None)
        lines = _tell_tool(content)
    elif arguments.task:
        task = find_task(domain, arguments.task, arguments.tasks)
        content, lines = task.model_dump(mode="json", exclude_defaults=True), _tell_task(task, domain.locale)
    elif arguments.graph:
        content = _describe_graph(domain.name, read_graph(domain.path))
        lines = _tell_graph(content)
    elif arguments.policy_text:
        from runtime.domain.policy_text import write_policy

        if not domain.rules:
            raise UsageError(f"Domain {domain.name!r} has no rules.py that a policy could be made of.")
        content, lines = {"domain": domain.name, "policy": write_policy(domain)}, iter(())
        if not arguments.json:
            print(content["policy"], end="")  # byte for byte, for a file
            return 0
    else:
        content = _describe_domain(domain, list(read_tasks(domain, file=arguments.tasks)))
        lines = _tell_domain(content)
    return Result(content, _wrapped(lines))


def _wrapped(lines: Iterable[str]) -> Iterator[str]:
    width = max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 100
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)  # continued lines stand under the text they continue
        yield from textwrap.wrap(printable(line), width, subsequent_indent=indent) or [""]


def _tell_domain(content: Mapping[str, Any]) -> Iterator[str]:
    yield "{title} ({domain}), version {version}, digest {digest}".format(**content)
    yield content["summary"]
    yield f"It is {content['clock']} there, always."
    if "locale" in content:
        yield Locale.model_validate(content["locale"]).sentence
    for name, table in content["tables"].items():
        yield ""
        yield f"Table {name}: {table['comment']}"
        for column, each in table["columns"].items():
            yield f"  {column} ({each['type']}, {each['policy']}): {each['comment']}"
    tasks = content["tasks"]
    yield ""
    yield f"{counted(len(content['tools']), 'tool')}; --tool NAME shows one"
    yield from (f"  {name}: {first}" for name, first in content["tools"].items())
    yield ""
    yield f"{counted(len(tasks), 'task')}; --task ID shows one"
    yield from (f"  {task}" for task in tasks[:_MOST])
    if len(tasks) > _MOST:
        yield f"  and {len(tasks) - _MOST} more"


def _tell_tool(content: Mapping[str, Any]) -> Iterator[str]:
    yield f"{content['tool']} in {content['file']}"
    yield from content["description"].splitlines()
    for title in ("reads", "writes", "rejects"):
        yield f"{title.capitalize()}: {', '.join(content[title]) or 'nothing'}"
    for title, schema in (("Takes", content["input_schema"]), ("Returns", content["output_schema"])):
        yield f"{title}:"
        for name, each in schema.get("properties", {}).items():
            kinds = [part.get("type") or part.get("$ref", "").rpartition("/")[2] for part in each.get("anyOf", [each])]
            kind = " or ".join(map(str, each.get("enum") or filter(None, kinds)))
            optional = "" if name in schema.get("required", ()) else ", optional"
            yield f"  {name} ({kind}{optional}): {each.get('description', '')}"
    for title, own, other in (("Leads to", "source", "target"), ("Follows", "target", "source")):
        edges = [edge for edge in content["edges"] if edge[own] == content["tool"]]
        names = dict.fromkeys(edge[other] for edge in edges)
        ways = {name: ", ".join(edge["kind"] for edge in edges if edge[other] == name) for name in names}
        if ways:
            yield f"{title}: {'; '.join(f'{name} ({kind})' for name, kind in ways.items())}"


def _tell_task(task: Task, locale: Locale) -> Iterator[str]:
    yield f"{task.title} ({task.id}), level {task.level or 'unknown'}, {task.split}"
    yield f"World: seed {task.world.seed}, size {task.world.size}, {counted(len(task.added), 'row')} added"
    yield f"User: {task.user.profile}"
    for number, wish in enumerate(task.user.wishes, 1):
        yield ""
        yield f"Request {number} ({wish.form}):"
        yield from (f"  {words}" for words in wish.words)
        for fact in wish.facts:
            yield f"  The user knows: {fact.name}, {fact.in_full}{' (told when asked)' if fact.withheld else ''}"
    for end in [task.to_end(number) for number in range(len(task.ends) + 1)]:
        yield ""
        yield "Reference chain:" if end is task else "Or:"
        for number, step in enumerate(end.chain):
            given = ", ".join(f"{name}={_told_argument(value)}" for name, value in step.arguments.items())
            yield f"  {number}. {step.tool}({given})"
        yield "Then:"
        for row in end.expected:
            said = ", ".join(" ".join(said_cell(name, value, locale.symbol)) for name, value in row.columns.items())
            yield f"  {row.table} {' / '.join(map(str, row.key))} is {row.kind}{': ' if said else ''}{said}"
    yield from (f"  It holds that {check.claim}" for check in task.checks)
    if task.clock is not None:
        yield f"On its clock, until {task.clock.until}:"
        yield from (f"  {event.sentence}" for event in task.clock.events)
    yield from (f"  The user was told the {answer.name}: {said_value(answer, locale)}" for answer in task.answers)


def _told_argument(value: Any) -> str:
    return f"step {value['$step']}'s {value.get('path')}" if is_reference(value) else repr(value)


def _tell_graph(content: Mapping[str, Any]) -> Iterator[str]:
    for name in ("domain", "nodes", "edges", "density"):
        yield f"{name}: {content[name]}"
    for name in ("kinds", "isolated", "unexecuted", "crashed"):
        value = content[name]
        parts = [f"{key}: {each}" for key, each in value.items()] if isinstance(value, Mapping) else value
        yield f"{name}: {_listed(parts)}"
    yield "leads_to:"
    yield from (f"  {tool}: {_listed(targets)}" for tool, targets in content["leads_to"].items())


def _listed(parts: Sequence[str]) -> str:
    more = f", and {len(parts) - _MOST} more" if len(parts) > _MOST else ""
    return ", ".join(parts[:_MOST]) + more or "none"


def _describe_domain(domain: Domain, tasks: list[str]) -> dict[str, Any]:
    return {
        "domain": domain.name,
        "title": domain.card.title,
        "summary": domain.card.summary,
        "version": domain.card.version,
        "digest": domain.digest,
        "clock": domain.now,
        **({} if domain.locale.is_american else {"locale": domain.locale.model_dump(mode="json")}),
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
        "tasks": tasks,
    }


def _describe_tool(tool: Tool, graph: Graph | None) -> dict[str, Any]:
    return {
        "tool": tool.name,
        "description": tool.description,
        "file": tool.file,
        "reads": sorted(tool.reads),
        "writes": sorted(tool.writes),
        "rejects": sorted(tool.rejects),
        "input_schema": tool.arguments.schema,
        "output_schema": tool.result.schema,
        "edges": [
            edge.model_dump(include={"source", "target", "kind"})
            for edge in (graph.edges if graph else ())
            if tool.name in (edge.source, edge.target)
        ],
    }


def _describe_graph(name: str, graph: Graph) -> dict[str, Any]:
    connected = {end for edge in graph.edges for end in (edge.source, edge.target)}
    return {
        "domain": name,
        "nodes": len(graph.nodes),
        "edges": len(graph.edges),
        "density": round(graph.density, 4),
        "kinds": graph.kinds,
        "isolated": [tool for tool in graph.nodes if tool not in connected],
        "unexecuted": list(graph.unexecuted),
        "crashed": dict(graph.crashed),
        "leads_to": {
            tool: [
                f"{target} ({', '.join(edge.kind for edge in edges)})"
                for target, edges in groupby(graph.out_of(tool), lambda edge: edge.target)
            ]
            for tool in graph.nodes
        },
        "starts": graph.starts,
        "tools": {node.id: node.model_dump(exclude={"id"}) for node in graph.nodes.values()},
        "links": graph.edges,
    }
