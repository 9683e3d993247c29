"""`worldsmith list` and `worldsmith show`: the domains; one of them, its tools, tasks, graph or policy."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.options import add_tasks_file
from runtime.commands.output import print_json, print_result
from runtime.domain.desk import has_desk
from runtime.domain.domain import Domain, DomainCard
from runtime.domain.load import find_domain, known_domains, load_domain
from runtime.domain.schema import read_schema
from runtime.domain.tool import Tool, first_sentence
from runtime.errors import Rejection, UsageError
from runtime.graph import Graph, read_graph
from runtime.sandbox.files import is_there, parse_json, read_lines, read_text
from runtime.wording import counted, printable

if TYPE_CHECKING:
    from runtime.task.task import Task

_MOST_TASKS = 10  # listed to a person; JSON has all


def add_list(commands: Any) -> None:
    """Add `worldsmith list`."""
    parser = commands.add_parser(
        "list",
        description="List the domains in ./domains and in the package. Their files are read, not executed; `worldsmith "
        "show` reports every fault of a domain.",
    )
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(run=list_domains)


def list_domains(arguments: argparse.Namespace) -> int:
    """Print one line per domain; 1 if one of them is broken."""
    rows: list[dict[str, Any]] = []
    broken: list[dict[str, Any]] = []
    for name, path in known_domains().items():
        try:
            rows.append({"domain": name, **_count(path), "path": path})
        except (UsageError, ValueError) as error:
            broken.append({"domain": name, "path": path, "faults": _faults(path, error)})
    lines = [
        f"{row['domain']}: {row['title']}; "
        + ", ".join(counted(row[f"{noun}s"], noun) for noun in ("tool", "table", "task"))
        for row in rows
    ]
    for item in broken:
        faults = counted(len(item["faults"]), "fault")
        lines.append(f"{item['domain']}: broken, {faults}; see: worldsmith show {item['path']}")
    print_result(arguments, {"domains": rows, "broken": broken}, lines or ["no domains; put one in ./domains"])
    return 1 if broken else 0


def _count(path: Path) -> dict[str, Any]:
    """Count what a domain holds without executing it; errors: UsageError, ValueError."""
    card = DomainCard.model_validate(parse_json(read_text(path / "domain.json")))
    reading = read_schema(read_text(path / "schema.sql"))
    if reading.faults:
        raise UsageError("\n".join(reading.faults))
    files = sorted(path.glob("tools/*.py"))
    own = sum(line.startswith("@tool") for file in files for line in read_text(file).splitlines())
    built_in = 2 if card.people is not None and has_desk(reading.schema) else 0
    tasks = path / "tasks.jsonl"
    return {
        "title": card.title,
        "tools": own + built_in,
        "tables": len(reading.schema.tables),
        "tasks": sum(bool(line) for _, line in read_lines(tasks)) if is_there(tasks) else 0,
    }


def _faults(path: Path, error: Exception) -> list[str]:
    """Return every fault of a broken domain, or the one that was met."""
    try:
        load_domain(path)
    except UsageError as broken:
        return str(broken).splitlines()
    return str(error).splitlines()


def add_show(commands: Any) -> None:
    """Add `worldsmith show`."""
    parser = commands.add_parser("show")
    parser.add_argument("domain", help="name or path of a domain")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--tool", metavar="NAME", help="show one tool with its schemas")
    what.add_argument("--task", metavar="ID", help="show one task: words, facts, chain, rows that change, distractors")
    add_tasks_file(parser)
    what.add_argument("--graph", action="store_true", help="show the tool dependency graph in figures")
    what.add_argument("--edge", nargs=2, metavar=("FROM", "TO"), help="show the executed evidence between two tools")
    what.add_argument("--policy", action="store_true", help="show policy.md as its rules and tools state it")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(run=show)


def show(arguments: argparse.Namespace) -> int:
    """Print what was asked for."""
    from runtime.task.task_file import find_task, read_tasks

    domain = find_domain(arguments.domain)
    content: Any
    if arguments.tool:
        try:
            tool = domain.find_tool(arguments.tool)
        except Rejection as rejection:
            raise UsageError(rejection.sentence) from None
        graph = read_graph(domain.path) if is_there(domain.path / "graph.json") else None
        content, lines = _tool_as_json(tool, graph), _describe_tool(tool, graph)
    elif arguments.task:
        from runtime.commands.show_task import describe_task

        task = find_task(domain, arguments.task, arguments.tasks)
        content, lines = task.model_dump(mode="json", exclude_defaults=True), describe_task(task, domain)
    elif arguments.edge:
        from runtime.commands.show_graph import describe_evidence, find_edges

        graph = read_graph(domain.path)
        edges = find_edges(graph, *arguments.edge)
        content, lines = {"domain": domain.name, "links": edges}, describe_evidence(edges, graph)
    elif arguments.graph:
        from runtime.commands.show_graph import describe_graph, graph_as_json

        graph = read_graph(domain.path)
        content, lines = graph_as_json(domain.name, graph), describe_graph(domain.card.title, graph)
    elif arguments.policy:
        from runtime.domain.policy_text import write_policy

        if not domain.rules:
            raise UsageError(f"Domain {domain.name!r} has no rules.py that a policy could be made of.")
        text = write_policy(domain)
        content, lines = {"domain": domain.name, "policy": text}, iter(text.splitlines())
        if not (arguments.json or sys.stdout.isatty()):  # byte for byte, for a file
            print(text, end="")
            return 0
    else:
        tasks = read_tasks(domain, file=arguments.tasks)
        content, lines = _domain_as_json(domain, tasks), _describe_domain(domain, tasks)
    if arguments.json:
        print_json(content)
    else:
        _print_wrapped(lines)
    return 0


def _domain_as_json(domain: Domain, tasks: Mapping[str, Task]) -> dict[str, Any]:
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
        "tasks": list(tasks),
    }


def _describe_domain(domain: Domain, tasks: Mapping[str, Task]) -> Iterator[str]:
    yield f"{domain.card.title} ({domain.name} {domain.card.version})"
    yield domain.card.summary
    yield f"Its clock is frozen at {domain.now}."
    yield from ("", "Tables")
    for table in domain.schema.tables.values():
        yield f"  {table.name}: {table.comment}"
        yield f"    {', '.join(table.column_names)}"
    for file in sorted({tool.file for tool in domain.tools.values()}):
        yield from ("", file)
        for tool in domain.tools.values():
            if tool.file == file:
                yield f"  {tool.name}({', '.join(tool.arguments.names)})"
                yield f"    {first_sentence(tool.description)}"
    yield from ("", counted(len(tasks), "task"))
    for task in list(tasks.values())[:_MOST_TASKS]:
        yield f"  {task.id}: {task.title}"
    if len(tasks) > _MOST_TASKS:
        yield f"  and {len(tasks) - _MOST_TASKS} more"


def _tool_as_json(tool: Tool, graph: Graph | None) -> dict[str, Any]:
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


def _describe_tool(tool: Tool, graph: Graph | None) -> Iterator[str]:
    yield f"{tool.name} ({tool.file})"
    yield from tool.description.splitlines()
    yield ""
    required = tool.arguments.schema.get("required", [])
    for name, schema in tool.arguments.schema["properties"].items():
        yield f"  {name}{'' if name in required else ' (optional)'}: {schema.get('description', '')}"
    yield ""
    yield f"reads {', '.join(sorted(tool.reads)) or 'no table'}; writes {', '.join(sorted(tool.writes)) or 'no table'}"
    yield f"rejects with {', '.join(sorted(tool.rejects)) or 'nothing but bad arguments'}"
    if graph and tool.name in graph.nodes:
        from runtime.commands.show_graph import describe_edges_of

        yield from describe_edges_of(tool.name, graph)


def _print_wrapped(lines: Iterable[str]) -> None:
    """Fit lines to the terminal, continued lines under the text they continue."""
    width = max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 100
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        print("\n".join(textwrap.wrap(printable(line), width, subsequent_indent=f"{indent}  ")))
