"""Commands on what was played: `report`, `compare`, `rescore` and `export` of a run, `verify` of a database."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.options import add_reward, add_tasks_file
from runtime.commands.output import check_output, print_result, write_output
from runtime.domain.changes import scan_changes
from runtime.domain.domain import warn_of_real_rows
from runtime.domain.load import find_domain
from runtime.domain.schema import Schema
from runtime.errors import UsageError
from runtime.harness.evaluation.store import read_run
from runtime.sandbox.files import parse_json, read_bytes
from runtime.sandbox.sqlite import open_foreign
from runtime.session.state_folder import DESCRIPTION
from runtime.task.judge import judge
from runtime.task.playable import describe_verdict
from runtime.task.task import start_world
from runtime.task.task_file import find_task
from runtime.verification.verdict import UndecidedVerdict, Verdict
from runtime.verification.verify import verify
from runtime.wording import counted

if TYPE_CHECKING:
    from runtime.harness.export import ExportCounts


def add_report(commands: Any) -> None:
    """Add `worldsmith report`."""
    from runtime.page.freeze import MOST

    parser = commands.add_parser(
        "report",
        description="Write a run as one HTML page: failures by reason, episodes step by step with the final state "
        "beside the expected one, scores. It is the studio's page of the run; it loads nothing from elsewhere.",
    )
    parser.add_argument("store", type=Path, metavar="STORE", help="the run store that `worldsmith eval` wrote")
    parser.add_argument("--out", type=Path, metavar="FILE.html", help="default: beside the store, run.html for run.db")
    most = f"show at most N episodes in full, failures first; the list has all (default {MOST})"
    parser.add_argument("--most", type=int, default=MOST, metavar="N", help=most)
    parser.add_argument("--json", action="store_true", help="print what was written as JSON")
    parser.set_defaults(run=report)


def report(arguments: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    from runtime.page.freeze import page_parts

    if arguments.most < 0:
        raise UsageError(f"--most is {arguments.most}; it must be 0 or more")
    store: Path = arguments.store
    run = read_run(store)
    beside = store.with_suffix(".html") if store.suffix == ".db" else store.with_name(f"{store.name}.html")
    path: Path = arguments.out or beside
    check_output(path)
    write_output(path, page_parts(run, arguments.most))
    size, (count, _, _) = path.stat().st_size, run.progress()
    lines = [f"{path}: {counted(count, 'episode')}, {size / 1024:,.0f} KiB"]
    print_result(arguments, {"file": path, "bytes": size, "episodes": count}, lines)
    return 0


def add_compare(commands: Any) -> None:
    """Add `worldsmith compare`."""
    parser = commands.add_parser(
        "compare",
        description="Pair two runs by task: the difference of their mean rewards with an interval, an exact sign test, "
        "and the tasks that only one of them solves.",
    )
    parser.add_argument("first", type=Path, metavar="A.db", help="the store of a run")
    parser.add_argument("second", type=Path, metavar="B.db", help="the store of another run over the same tasks")
    parser.add_argument("--json", action="store_true", help="print the comparison as JSON")
    parser.set_defaults(run=compare_runs)


def compare_runs(arguments: argparse.Namespace) -> int:
    """Print the comparison."""
    from runtime.harness.evaluation.compare import compare, describe

    comparison = compare(read_run(arguments.first), read_run(arguments.second))
    print_result(arguments, comparison, describe(comparison))
    return 0


def add_rescore(commands: Any) -> None:
    """Add `worldsmith rescore`."""
    parser = commands.add_parser(
        "rescore",
        description="Judge every final state in a run by the present code, domain and tasks, and list the verdicts "
        "that flip. The store is not changed. Exit 0: no verdict changed; exit 1: one flipped, or is missing.",
    )
    parser.add_argument("store", type=Path, metavar="STORE", help="the store of a run")
    where = "name or path of a domain of the run (default: the one that has its name here; repeatable)"
    parser.add_argument("--domain", action="append", default=[], metavar="DOMAIN", help=where)
    parser.add_argument("--suite", metavar="FILE", help="take the domains of the run from this suite")
    add_tasks_file(parser)
    add_reward(parser, None)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.set_defaults(run=rescore_run)


def rescore_run(arguments: argparse.Namespace) -> int:
    """Print the flips; 1 if there are any."""
    from runtime.domain.load import find_domain
    from runtime.harness.evaluation.rescore import describe, rescore
    from runtime.suites import find_member, read_suite

    run = read_run(arguments.store)
    domains = list(map(find_domain, arguments.domain))
    if arguments.suite is not None:
        suite = read_suite(arguments.suite)
        domains += [find_member(suite, name) for name in suite.members if name in run.domains]
    rescored = rescore(run, arguments.tasks, domains, arguments.reward)
    print_result(arguments, rescored, describe(rescored))
    return 1 if rescored.flips or rescored.unjudged else 0


def add_export(commands: Any) -> None:
    """Add `worldsmith export`."""
    parser = commands.add_parser(
        "export",
        description="Write the episodes of a run as JSON Lines. messages: one line per episode, in the OpenAI format; "
        "sft: the episodes of reward 1 as prompt and completion; rl: one line per task with its trials, their "
        "rewards and advantages. Exit 1: no episode is of that kind.",
    )
    parser.add_argument("store", type=Path, metavar="STORE", help="the run store that `worldsmith eval` wrote")
    parser.add_argument("--format", choices=("messages", "sft", "rl"), required=True, help="what a line holds")
    parser.add_argument("--out", type=Path, metavar="FILE.jsonl", help="write here instead of to stdout")
    add_reward(parser, None)
    parser.add_argument("--json", action="store_true", help="print what was written as JSON (with --out)")
    parser.set_defaults(run=export)


def export(arguments: argparse.Namespace) -> int:
    """Write the lines and say how many; 1 if there are none."""
    from runtime.harness.export import ExportCounts, episode_lines, group_lines, line, sft_lines

    out: Path | None = arguments.out
    if arguments.json and out is None:
        raise UsageError("--json goes with --out; without it stdout holds the lines")
    if out is not None:
        check_output(out)
    run = read_run(arguments.store)
    warn_of_real_rows([each.name for each in run.domains.values() if each.real_rows], "the export")
    counts = ExportCounts()
    write = {"messages": episode_lines, "sft": sft_lines, "rl": group_lines}[arguments.format]
    lines = map(line, write(run, counts, arguments.reward))
    if out is None:
        sys.stdout.writelines(lines)
        print(_summary(counts), file=sys.stderr)
        return 0 if counts.lines else 1
    first = next(lines, None)
    if first is not None:
        write_output(out, chain([first], lines))
    left_out = dict(sorted(counts.left_out.items()))
    content = {"lines": counts.lines, "episodes": counts.episodes, "left_out": left_out}
    print_result(arguments, {"format": arguments.format, "file": out, **content}, [_summary(counts)])
    return 0 if counts.lines else 1


def _summary(counts: ExportCounts) -> str:
    said = f"{counted(counts.lines, 'line')} of {counted(counts.episodes, 'episode')}"
    if not counts.lines:
        said = f"nothing was written: 0 of {counted(sum(counts.left_out.values()), 'episode')}"
    if counts.left_out:
        said += "; left out: " + ", ".join(f"{count} {why}" for why, count in sorted(counts.left_out.items()))
    return said


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
    parser.set_defaults(run=verify_state)


def verify_state(arguments: argparse.Namespace) -> int:
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
