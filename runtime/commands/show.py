"""`worldsmith list` and `worldsmith show`: the domains; one of them, its tools, tasks, graph or policy."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from runtime.commands.options import add_tasks_file
from runtime.commands.output import as_plain, print_json, print_result
from runtime.domain.caller_rules import identifies_callers
from runtime.domain.domain import Domain, DomainCard
from runtime.domain.load import find_domain, known_domains, load_domain
from runtime.domain.schema import read_schema
from runtime.domain.tool import Tool, first_sentence
from runtime.errors import Rejection, UsageError
from runtime.graph import Graph, read_graph
from runtime.sandbox.files import files_in, is_there, parse_json, read_lines, read_text
from runtime.task.answers import said_value
from runtime.task.origin import is_reference
from runtime.task.task import Task
from runtime.verification.verdict import said_cell
from runtime.wording import counted, printable

_MOST = 20  # entries of a list that are shown to a person; JSON has all


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
    print_result(arguments, {"domains": rows, "broken": broken}, lines or ["no domains; put one in ./domains"])
    return 1 if broken else 0


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


def add_show(commands: Any) -> None:
    """Add `worldsmith show`."""
    parser = commands.add_parser("show")
    parser.add_argument("domain", help="name or path of a domain")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--tool", metavar="NAME", help="show one tool with its schemas")
    what.add_argument("--task", metavar="ID", help="show one task")
    add_tasks_file(parser)
    what.add_argument("--graph", action="store_true", help="show the tool dependency graph; --json has its evidence")
    what.add_argument("--policy", action="store_true", help="show policy.md as its rules and tools state it")
    parser.add_argument("--json", action="store_true", help="print it as JSON")
    parser.set_defaults(run=show)


def show(arguments: argparse.Namespace) -> int:
    """Print what was asked for, as JSON or in words."""
    from runtime.task.task_file import find_task, read_tasks

    domain = find_domain(arguments.domain)
    left_out: tuple[str, ...] = ()  # of the outline
    if arguments.tool:
        try:
            tool = domain.find_tool(arguments.tool)
        except Rejection as rejection:
            raise UsageError(rejection.sentence) from None
        content = _describe_tool(tool, read_graph(domain.path) if is_there(domain.path / "graph.json") else None)
    elif arguments.task:
        content = find_task(domain, arguments.task, arguments.tasks).model_dump(mode="json", exclude_defaults=True)
    elif arguments.graph:
        content, left_out = _describe_graph(domain.name, read_graph(domain.path)), ("starts", "tools", "links")
    elif arguments.policy:
        from runtime.domain.policy_text import write_policy

        if not domain.rules:
            raise UsageError(f"Domain {domain.name!r} has no rules.py that a policy could be made of.")
        content = {"domain": domain.name, "policy": write_policy(domain)}
        if not arguments.json:
            print(content["policy"], end="")  # byte for byte, for a file
            return 0
    else:
        content = _describe_domain(domain, list(read_tasks(domain, file=arguments.tasks)))
    if arguments.json:
        print_json(content)
        return 0
    lines = _outline({name: value for name, value in as_plain(content).items() if name not in left_out})
    if arguments.tool:
        lines = _tell_tool(content)
    elif arguments.task:
        lines = _tell_task(find_task(domain, arguments.task, arguments.tasks))
    elif not arguments.graph:
        lines = _tell_domain(domain, content["tasks"])
    width = max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 100
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip()) + 2)  # continued lines stand under the text they continue
        print("\n".join(textwrap.wrap(printable(line), width, subsequent_indent=indent)))
    return 0


def _tell_domain(domain: Domain, tasks: Sequence[str]) -> Iterator[str]:
    yield f"{domain.card.title} ({domain.name}), version {domain.card.version}, digest {domain.digest}"
    yield domain.card.summary
    yield f"It is {domain.now} there, always."
    for table in domain.schema.tables.values():
        yield ""
        yield f"Table {table.name}: {table.comment}"
        for column in table.columns:
            policy = domain.policies.of(table.name, column.name).policy
            yield f"  {column.name} ({column.type}, {policy}): {column.comment}"
    yield ""
    yield f"{counted(len(domain.tools), 'tool')}; --tool NAME shows one"
    yield from (f"  {tool.name}: {first_sentence(tool.description)}" for tool in domain.tools.values())
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


def _tell_task(task: Task) -> Iterator[str]:
    yield f"{task.title} ({task.id}), level {task.level or 'unknown'}, {task.split}"
    yield f"World: seed {task.world.seed}, size {task.world.size}, {counted(len(task.added), 'row')} added"
    yield f"User: {task.user.profile}"
    for number, wish in enumerate(task.user.wishes, 1):
        yield ""
        yield f"Request {number} ({wish.form}):"
        yield from (f"  {words}" for words in wish.words)
        for fact in wish.facts:
            yield f"  The user knows: {fact.name}, {fact.said}{' (told when asked)' if fact.withheld else ''}"
    for end in [task.to_end(number) for number in range(len(task.ends) + 1)]:
        yield ""
        yield "Reference chain:" if end is task else "Or:"
        for number, step in enumerate(end.chain):
            given = ", ".join(f"{name}={_told_argument(value)}" for name, value in step.arguments.items())
            yield f"  {number}. {step.tool}({given})"
        yield "Then:"
        for row in end.expected:
            said = ", ".join(" ".join(said_cell(name, value)) for name, value in row.columns.items())
            yield f"  {row.table} {' / '.join(map(str, row.key))} is {row.kind}{': ' if said else ''}{said}"
    yield from (f"  It holds that {check.claim}" for check in task.checks)
    yield from (f"  The user was told the {answer.name}: {said_value(answer)}" for answer in task.answers)


def _told_argument(value: Any) -> str:
    return f"step {value['$step']}'s {value.get('path')}" if is_reference(value) else repr(value)


def _outline(value: Any, indent: str = "") -> Iterator[str]:
    """Yield the lines of a JSON value, parts below their names; what is short stands on one line."""
    if _is_short(value):
        yield f"{indent}{_shown(value)}"
        return
    for name, each in value.items() if isinstance(value, Mapping) else enumerate(value):
        if _is_short(each):
            yield f"{indent}{name}: {_shown(each)}"
        else:
            yield f"{indent}{name}:"
            yield from _outline(each, f"{indent}  ")


def _is_short(value: Any) -> bool:
    parts = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    is_record = not isinstance(value, Mapping) or len(value) <= 3
    return is_record and not any(isinstance(part, dict | list) or len(str(part)) > 100 for part in parts)


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {part}" for name, part in value.items()) or "none"
    if isinstance(value, list):
        more = f", and {len(value) - _MOST} more" if len(value) > _MOST else ""
        return ", ".join(map(str, value[:_MOST])) + more or "none"
    return "none" if value is None else str(value)


def _describe_domain(domain: Domain, tasks: list[str]) -> dict[str, Any]:
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
