"""`worldsmith verify`: judge a database file against a task, or against an expected database."""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from runtime.commands.options import add_tasks_file
from runtime.commands.output import print_result
from runtime.domain.changes import scan_changes
from runtime.domain.load import find_domain
from runtime.domain.schema import Schema
from runtime.errors import UsageError
from runtime.sandbox.files import parse_json, read_bytes
from runtime.sandbox.sqlite import open_foreign
from runtime.session.state_folder import DESCRIPTION
from runtime.task.judge import describe_verdict, judge
from runtime.task.task import start_world
from runtime.task.task_file import find_task
from runtime.verification.verdict import UndecidedVerdict, Verdict
from runtime.verification.verify import verify


def add_verify(commands: Any) -> None:
    """Add `worldsmith verify`."""
    parser = commands.add_parser(
        "verify",
        description="Judge ACTUAL.db against a task or an expected database. "
        "Exit 0: reward 1; exit 1: reward 0; exit 2: no verdict.",
    )
    parser.add_argument("actual", type=Path, metavar="ACTUAL.db", help="the final database, such as a state.db")
    parser.add_argument(
        "--domain", help="name or path of the domain (default: the one that the session's folder names)"
    )
    parser.add_argument("--task", metavar="ID", help="judge against this task")
    add_tasks_file(parser)
    told = "what the user was told, once per answer that the task requires"
    parser.add_argument("--told", action="append", default=[], metavar="NAME=VALUE", help=told)
    parser.add_argument("--start", type=Path, metavar="S0.db", help="the database at the start")
    parser.add_argument("--expected", type=Path, metavar="E.db", help="the expected database")
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the verdict; 0 if the reward is 1."""
    if (arguments.task is None) == (arguments.start is None and arguments.expected is None):
        raise UsageError("say either --task ID, or --domain, --start and --expected")
    try:
        verdict = _compare_files(arguments) if arguments.task is None else _judge_task(arguments)
    except UndecidedVerdict as undecided:
        raise UsageError(str(undecided)) from undecided
    print_result(arguments, verdict, describe_verdict(verdict).splitlines())
    return 0 if verdict.reward else 1


def _judge_task(arguments: argparse.Namespace) -> Verdict:
    session = _read_session(arguments.actual)
    name = arguments.domain or session.get("domain")
    if not name:
        raise UsageError(
            f"{str(arguments.actual)!r} is not in a session's folder, which names its domain; add --domain."
        )
    domain = find_domain(name)
    task = find_task(domain, arguments.task, arguments.tasks)
    origin = session.get("origin", {})
    if any(origin.get(part, getattr(task.world, part)) != getattr(task.world, part) for part in ("seed", "size")):
        raise UsageError(f"{str(arguments.actual)!r} started from another world ({origin}) than task {task.id!r}.")
    world = start_world(task, domain)
    with closing(world.open()) as start, _reading(arguments.actual, domain.schema) as actual:
        changes = scan_changes(start, actual, domain.schema)
    return judge(task, domain, world, changes, _read_told(arguments.told))


def _read_session(path: Path) -> dict[str, Any]:
    """Return what the folder of a session says of its start; nothing if the file is in no such folder."""
    try:
        return dict(parse_json(read_bytes(path.with_name(DESCRIPTION))))
    except (OSError, UsageError, ValueError, TypeError):
        return {}


def _read_told(written: Sequence[str]) -> dict[str, str]:
    """Return values by the names of answers; errors: UsageError."""
    told: dict[str, str] = {}
    for each in written:
        name, sign, value = each.partition("=")
        name = name.strip()
        if not sign or not value.strip():
            raise UsageError(f"--told {each!r} is not NAME=VALUE, such as --told 'new due date=2 April'")
        if name in told:
            raise UsageError(f"--told gives {name!r} twice; an answer has one value")
        told[name] = value.strip()
    return told


def _compare_files(arguments: argparse.Namespace) -> Verdict:
    if not (arguments.domain and arguments.start and arguments.expected):
        raise UsageError("--start and --expected go together, with --domain")
    if arguments.told:
        raise UsageError("--told goes with --task; an expected database requires no answers")
    domain = find_domain(arguments.domain)
    with (
        _reading(arguments.start, domain.schema) as start,
        _reading(arguments.expected, domain.schema) as expected,
        _reading(arguments.actual, domain.schema) as actual,
    ):
        return verify(
            domain.schema,
            domain.policies,
            scan_changes(start, expected, domain.schema),
            scan_changes(start, actual, domain.schema),
        )


@contextmanager
def _reading(path: Path, schema: Schema) -> Iterator[sqlite3.Connection]:
    """Open a database file for reading; errors: UsageError if it does not hold the domain's tables."""
    if not path.is_file():
        raise UsageError(f"there is no database file {str(path)!r}")
    try:
        with closing(open_foreign(path, {table.name: table.positions for table in schema.tables.values()})) as file:
            for table in schema.tables.values():
                have = {row[1] for row in file.execute(f'PRAGMA table_info("{table.name}")')}
                missing = [name for name in table.column_names if name not in have]
                if missing:
                    raise UsageError(f"{str(path)!r} has no column '{table.name}.{missing[0]}'; is it of this domain?")
            yield file
    except sqlite3.DatabaseError as error:
        raise UsageError(f"{str(path)!r} cannot be read: {error}") from error
