"""`worldsmith show`: what a domain, one of its tools, one of its tasks, or its tool dependency graph is."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from runtime.commands.describe_graph import (
    describe_edges_of,
    describe_evidence,
    describe_graph,
    find_edges,
    graph_as_json,
)
from runtime.commands.describe_task import describe_task
from runtime.commands.draw_graph import FORMATS
from runtime.commands.output_file import DRAWING, add_force, write_output
from runtime.commands.task_file import add_tasks_file
from runtime.domain.domain import Domain
from runtime.domain.find import find_domain
from runtime.domain.policy_text import write_policy
from runtime.domain.tool import Tool, first_sentence
from runtime.errors import Rejection, UsageError
from runtime.graph import Graph, read_graph
from runtime.sandbox.files import is_there
from runtime.task.task import Task
from runtime.task.task_file import find_task, read_tasks
from runtime.wording import counted, printable


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("show", help="show a domain, a tool, a task or the tool graph (no model needed)")
    parser.add_argument("domain", help="name or path of a domain")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--tool", metavar="NAME", help="show one tool with its schemas")
    what.add_argument("--task", metavar="ID", help="show one task: words, facts, chain, rows that change, distractors")
    add_tasks_file(parser)
    what.add_argument("--graph", action="store_true", help="show the tool dependency graph in figures")
    what.add_argument("--edge", nargs=2, metavar=("FROM", "TO"), help="show the executed evidence between two tools")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="with --graph: draw it, too, as .svg, .dot or .mmd; with --card: put it into this Markdown file, in the "
        "place that is marked for it",
    )
    what.add_argument(
        "--card",
        action="store_true",
        help="show a card in Markdown: story, rules, three conversations as they are played, pass rates",
    )
    what.add_argument("--policy", action="store_true", help="show policy.md as its rules and tools say it")
    add_force(parser)
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what was asked for."""
    if arguments.out and not (arguments.graph or arguments.card):
        raise UsageError("--out draws the graph, or keeps the card; add --graph or --card")
    domain = find_domain(arguments.domain)
    content: dict[str, Any]
    if arguments.tool:
        try:
            tool = domain.find_tool(arguments.tool)
        except Rejection as rejection:
            raise UsageError(rejection.sentence) from None
        graph = read_graph(domain.path) if is_there(domain.path / "graph.json") else None
        content, lines = _tool_as_json(tool, graph), _describe_tool(tool, graph)
    elif arguments.task:
        task = find_task(domain, arguments.task, arguments.tasks)
        content, lines = task.model_dump(mode="json", exclude_defaults=True), describe_task(task, domain)
    elif arguments.edge:
        graph = read_graph(domain.path)
        edges = find_edges(graph, *arguments.edge)
        content = {"domain": domain.name, "links": [edge.model_dump(exclude_none=True) for edge in edges]}
        lines = describe_evidence(edges, graph)
    elif arguments.policy:
        if not domain.rules:
            raise UsageError(f"Domain {domain.name!r} has no rules.py that a policy could be made of.")
        text = write_policy(domain)
        content, lines = {"domain": domain.name, "policy": text}, iter(text.splitlines())
    elif arguments.card:
        from runtime.commands.domain_card import put_card, write_card  # which plays episodes

        text = write_card(domain, read_tasks(domain, file=arguments.tasks))
        if arguments.out:
            put_card(arguments.out, domain.name, text)
            print(f"wrote {arguments.out}", file=sys.stderr)
        content, lines = {"domain": domain.name, "card": text}, iter(())
    elif arguments.graph:
        graph = read_graph(domain.path)
        if arguments.out:
            _write_drawing(arguments.out, domain, graph, force=arguments.force)
        content, lines = graph_as_json(domain.name, graph), describe_graph(domain.card.title, graph, _width())
    else:
        tasks = read_tasks(domain, file=arguments.tasks)
        content, lines = _domain_as_json(domain, tasks), _describe_domain(domain, tasks)
    if arguments.json:
        json.dump(content, sys.stdout, indent=2, ensure_ascii=False)
        print()
    elif arguments.card:
        print("" if arguments.out else content["card"], end="")
    elif arguments.policy and not sys.stdout.isatty():
        print(content["policy"], end="")  # the file's own bytes
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
    yield ""
    yield counted(len(tasks), "task")
    for task in list(tasks.values())[:10]:
        yield f"  {task.id}: {task.title}"
    if len(tasks) > 10:
        yield f"  and {len(tasks) - 10} more"


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
        yield from describe_edges_of(tool.name, graph)


def _write_drawing(path: Path, domain: Domain, graph: Graph, *, force: bool) -> None:
    if path.suffix not in FORMATS:
        raise UsageError(f"--out {str(path)!r} is not a name of a drawing; it ends in {', '.join(FORMATS)}.")
    write_output(path, DRAWING, [FORMATS[path.suffix](domain.card.title, graph)], force=force)
    print(f"wrote {path}", file=sys.stderr)


def _width() -> int:
    """Columns of the terminal, or 100 where the output goes elsewhere."""
    return max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 100


def _print_wrapped(lines: Iterator[str]) -> None:
    """Fit lines to the terminal, continued lines under the text they continue."""
    width = _width()
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()))
        print(
            "\n".join(textwrap.wrap(printable(line), width, subsequent_indent=f"{indent}  ", drop_whitespace=True))
            or ""
        )
