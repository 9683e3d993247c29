"""What the studio shows of domains, as JSON: a card for each, one of them whole, and pages of the rows of a table."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from generator.author.stage import MENDED, MENDING, beside, figures_by_stage
from runtime.commands.show import count_parts, faults_of
from runtime.domain.domain import Domain, DomainCard
from runtime.domain.handbook import HANDBOOK
from runtime.domain.hybrid import JOINER, is_hybrid, parts_of
from runtime.domain.load import find_folder, find_place, known_domains
from runtime.domain.rule import Rule
from runtime.domain.schema import Table
from runtime.errors import UsageError
from runtime.graph import Graph, read_graph
from runtime.model.book import AnswerBook
from runtime.sandbox.files import MIB, is_there, parse_json, read_text
from runtime.server.listing import list_tools
from runtime.session.hybrid import take_world
from runtime.session.world import WorldCache
from runtime.wording import have
from worldsmith.catalog import DomainTask, load, tasks

ROWS_PER_PAGE = 100
_MOST_RECORD = 64 * MIB

_worlds = WorldCache()
_given: dict[str, Path] = {}  # domains that the command was given, by name


def show_domain(named: str) -> str:
    """Have a domain shown that a name or path means, also one in a folder of its own; its name. Errors: UsageError."""
    path = find_place(named) if is_hybrid(named) else find_folder(named)
    name = JOINER.join(part.name for part in parts_of(path))
    _given[name] = path
    return name


def load_shown(name: str) -> Domain:
    """Load a domain that is shown; errors: UsageError."""
    return load(path_of(name))


def path_of(name: str) -> str:
    """Return what finds a domain that is shown: its name, or the path that the command was given."""
    return str(_given.get(name, name))


def list_cards() -> list[dict[str, Any]]:
    """Return a card for each domain that has a name here; one that cannot be loaded says why."""
    return [_card(name, path) for name, path in _shown().items()]


def describe_domain(name: str) -> dict[str, Any]:
    """Return everything a domain's page shows but rows; errors: UsageError."""
    domain = load_shown(name)
    readme, graph = domain.path / "README.md", domain.path / "graph.json"
    return {
        "name": name,  # of its folder, by which links find it
        "title": domain.card.title,
        "about": domain.card.summary,
        "clock": domain.now,
        "policy": domain.policy,
        "handbook": is_there(domain.path / HANDBOOK),
        "readme": read_text(readme) if is_there(readme) else "",
        "twin": _twin(domain.path),
        "mending": any(map(is_there, _mending_files(domain.path))),
        "rules": [_rule(each) for each in (*domain.rules.rules, *domain.rules.duties)],
        "tables": [_table(domain, table) for table in domain.schema.tables.values()],
        "tools": _tools(domain),
        "graph": _graph(read_graph(domain.path)) if is_there(graph) else None,
        "tasks": [
            _fields(each, "id", "title", "level", "split") | {"forms": sorted(each.forms)}
            for each in tasks_shown(domain)
        ],
    }


def read_example_rows(name: str, table: str, page: int = 0, find: str = "") -> dict[str, Any]:
    """Return a page of a table of a domain's example world; errors: UsageError, EnvironmentFault."""
    domain = load_shown(name)
    with closing(take_world(_worlds, domain).open()) as connection:
        return read_rows(domain, connection, table, page, find)


def read_rows(
    domain: Domain, connection: sqlite3.Connection, name: str, page: int = 0, find: str = ""
) -> dict[str, Any]:
    """Return a page of the rows of a table, by primary key: all, or those with a text in any column.

    A page after the last one is the last one. Errors: UsageError where there is no such table.
    """
    table = domain.schema.tables.get(name)
    if table is None:
        raise UsageError(f"Domain {domain.name!r} has no table {name!r:.100}; {have(name, domain.schema.tables)}.")
    where, values = "", []
    if find:
        where = "WHERE " + " OR ".join(f'instr(lower("{column}"), lower(?))' for column in table.column_names)
        values = [find] * len(table.columns)
    (total,) = connection.execute(f'SELECT count(*) FROM "{name}" {where}', values).fetchone()
    pages = max(1, math.ceil(total / ROWS_PER_PAGE))
    page = min(max(page, 0), pages - 1)
    order = ", ".join(f'"{column}"' for column in table.primary_key)
    statement = f"{table.select_all} {where} ORDER BY {order} LIMIT ? OFFSET ?"
    rows = connection.execute(statement, [*values, ROWS_PER_PAGE, page * ROWS_PER_PAGE]).fetchall()
    columns = list(table.column_names)
    return {"columns": columns, "rows": rows, "total": total, "page": page, "pages": pages, "changed": []}


def describe_mending(name: str) -> dict[str, Any]:
    """Return how `worldsmith mend` goes on a domain, what is left, and what its answers took; errors: UsageError.

    `at` is when it was noted, in seconds since 1970; None once nothing is left.
    """
    noted, *books = _mending_files(find_folder(path_of(name)))
    shown: dict[str, Any] = {"note": "", "mended": [], "told": [], "left": {}, "at": None}
    if is_there(noted):
        shown |= parse_json(read_text(noted, _MOST_RECORD)) | {"at": noted.stat().st_mtime}
    book = next(filter(is_there, books), None)
    return shown | {"stages": [vars(each) for each in figures_by_stage(AnswerBook.read(book))] if book else []}


def stamp_mending() -> dict[str, Any]:
    """Return what changes as a domain is mended, by its name."""
    return {name: [size_and_time(each) for each in _mending_files(path)] for name, path in _shown().items()}


def size_and_time(path: Path) -> tuple[int, int]:
    """Return what changes as a file is written to; zeros while it is not there."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _mending_files(folder: Path) -> tuple[Path, ...]:
    """Return where a mending notes how it goes, and its answers, until its end and afterwards."""
    return beside(folder, MENDING), beside(folder, MENDED), folder / MENDED


def _shown() -> dict[str, Path]:
    return {**known_domains(), **_given}


def _twin(path: Path) -> dict[str, Any] | None:
    """Return the account of a twin, what stays open, and the report of its last update; None for another domain."""
    record, report = (path / name for name in ("twin.json", "drift.json"))
    if not is_there(record):
        return None
    told = parse_json(read_text(record, _MOST_RECORD))
    drift = parse_json(read_text(report, _MOST_RECORD)) if is_there(report) else None
    return {"account": told["account"], "opened": told["opened"], "drift": drift}


def _card(name: str, path: Path) -> dict[str, Any]:
    """Return what the files say, which are not executed: to load every domain takes many seconds."""
    try:
        if len(parts_of(path)) > 1:
            domain = load(path)
            counts = {
                "tools": len(domain.tools),
                "tables": len(domain.schema.tables),
                "tasks": len(tasks_shown(domain)),
            }
            return {"name": name, "title": domain.card.title, "about": domain.card.summary, **counts}
        card = DomainCard.model_validate(parse_json(read_text(path / "domain.json")))
        return {"name": name, "about": card.summary, **count_parts(path)}
    except (UsageError, ValueError) as error:
        return {"name": name, "title": name, "error": "\n".join(faults_of(path, error))}


def tasks_shown(domain: Domain) -> tuple[DomainTask, ...]:
    """Return a domain's own tasks and those with a clock, none where it has no file of them or an empty one."""
    own, timed = domain.path / "tasks.jsonl", domain.path / "tasks" / "time.jsonl"
    shown = tasks(domain) if own.is_file() and own.stat().st_size else ()
    return (*shown, *(tasks(domain, file=timed) if timed.is_file() else ()))


def _fields(value: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _table(domain: Domain, table: Table) -> dict[str, Any]:
    parents = {
        column: {"table": key.parent, "column": parent}
        for key in table.foreign_keys
        for column, parent in zip(key.columns, key.parent_columns, strict=True)
    }
    columns = [
        _fields(each, "name", "type", "comment", "nullable")
        | {"references": parents.get(each.name), "policy": domain.policies.of(table.name, each.name).policy}
        for each in table.columns
    ]
    return _fields(table, "name", "comment") | {"key": list(table.primary_key), "columns": columns}


def _tools(domain: Domain) -> list[dict[str, Any]]:
    listed: Mapping[str, Mapping[str, Any]] = {each["name"]: each for each in list_tools(domain)}
    return [
        {
            "name": tool.name,
            "topic": _topic(tool.file),
            "description": tool.description,
            "reads_only": tool.read_only,
            "reads": sorted(tool.reads - tool.writes),
            "writes": sorted(tool.writes),
            "rejects": sorted(tool.rejects),
            "rules": [each.code for each in domain.rules.on(tool.name)],
            "input_schema": listed[tool.name]["inputSchema"],
            "output_schema": listed[tool.name]["outputSchema"],
        }
        for tool in domain.tools.values()
    ]


def _topic(file: str) -> str:
    """Return the name of a tool's file without folder and ending, in words."""
    return "built in" if file == "the template" else file.removeprefix("tools/").removesuffix(".py").replace("_", " ")


def _rule(declared: Any) -> dict[str, Any]:
    shown = {"code": declared.code, "text": declared.prose}
    if isinstance(declared, Rule):
        return shown | {"kind": "rule", "tools": list(declared.on), "exempt": dict(declared.exempt)}
    return shown | {"kind": "duty", "tools": [], "exempt": {}}


def _graph(graph: Graph) -> dict[str, Any]:
    return {
        "nodes": list(graph.nodes),
        "edges": [edge.model_dump(mode="json", exclude_defaults=True) for edge in graph.edges],
        "starts": [each.model_dump() for each in graph.starts],
        "unexecuted": list(graph.unexecuted),
    }
