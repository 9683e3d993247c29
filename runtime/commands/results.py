"""Commands on what was played: `report`, `compare` and `rescore` of runs, `verify` of a final database."""

from __future__ import annotations

import argparse
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.options import (
    JSON,
    PRICE,
    STORE,
    TASKS,
    command,
    flag,
    int_option,
    list_option,
    option,
    path_option,
    reward,
    text_option,
)
from runtime.commands.output import Result, check_output, write_output
from runtime.domain.changes import scan_changes
from runtime.domain.domain import Domain
from runtime.domain.load import find_domain
from runtime.domain.schema import Schema
from runtime.errors import UsageError
from runtime.harness.evaluation.store import Run, read_run
from runtime.sandbox.files import parse_json, read_bytes
from runtime.sandbox.sqlite import open_foreign
from runtime.session.state_folder import DESCRIPTION
from runtime.task.judge import judge
from runtime.task.playable import describe_verdict
from runtime.task.task import Task, start_world
from runtime.task.task_file import find_task
from runtime.verification.verdict import UndecidedVerdict
from runtime.wording import counted

if TYPE_CHECKING:
    from runtime.harness.evaluation.opinions import JudgeReport


@command(
    "report",
    "Write a run as one HTML page: failures by reason, episodes step by step with the final state beside the expected "
    "one, scores. It is the studio's page of the run; it loads nothing from elsewhere. With --card, write instead one "
    "small JSON file with the scores and everything they depend on, which `rescore --card` verifies.",
    STORE,
    path_option("--out", "FILE", "default: beside the store, run.html or run.card.json for run.db"),
    flag("--card", "write a result card"),
    int_option(
        "--most",
        said="show at most N episodes in full, failures first; the list has all",
        within=(0, 10**6),
        default=200,
    ),
    JSON,
)
def report(arguments: argparse.Namespace) -> Result:
    """Write the page or the card, and say where it is."""
    from runtime.page.freeze import page_parts

    store: Path = arguments.store
    run = read_run(store)
    suffix = ".card.json" if arguments.card else ".html"
    beside = store.with_suffix(suffix) if store.suffix == ".db" else store.with_name(f"{store.name}{suffix}")
    path: Path = arguments.out or beside
    check_output(path)
    if arguments.card:
        from runtime.harness.evaluation.card import card_of, describe_card, write_card

        card = card_of(run)
        write_output(path, [write_card(card)])
        return Result(card.model_dump(mode="json") | {"file": path}, [f"{path}: {describe_card(card)}"])
    write_output(path, page_parts(run, arguments.most))
    size, (count, _, _) = path.stat().st_size, run.progress()
    line = f"{path}: {counted(count, 'episode')}, {size / 1024:,.0f} KiB"
    return Result({"file": path, "bytes": size, "episodes": count}, [line])


@command(
    "compare",
    "Pair two runs by task: the difference of their mean rewards with an interval, an exact sign test, and the tasks "
    "that only one of them solves. With --gate, exit 1 if B is worse than A beyond the interval, has no verdict on a "
    "task of A, or was played under other conditions.",
    path_option("first", "A.db", "the store of a run"),
    path_option("second", "B.db", "the store of another run over the same tasks"),
    flag("--gate", "decide whether B may follow A, for CI"),
    path_option("--junit", "FILE.xml", "write the gate as JUnit XML, with a case for each task"),
    path_option("--markdown", "FILE.md", "write the gate as a Markdown summary"),
    JSON,
)
def compare_runs(arguments: argparse.Namespace) -> Result:
    """Compare two runs; with --gate, 1 if the second is worse."""
    from runtime.harness.evaluation.compare import compare, describe
    from runtime.harness.evaluation.gate import decide, junit, markdown

    for path in filter(None, (arguments.junit, arguments.markdown)):
        if not arguments.gate:
            raise UsageError(f"{str(path)!r} is a file for the result of --gate; add --gate.")
        check_output(path)
    comparison = compare(read_run(arguments.first), read_run(arguments.second))
    if not arguments.gate:
        return Result(comparison, describe(comparison))
    gate = decide(comparison)
    if arguments.junit:
        write_output(arguments.junit, [junit(gate)])
    if arguments.markdown:
        write_output(arguments.markdown, (f"{line}\n" for line in markdown(gate)))
    content = comparison.as_json() | {"gate": {"passed": gate.passed, "reasons": gate.reasons}}
    return Result(content, [*describe(comparison), *gate.lines], int(not gate.passed))


@command(
    "rescore",
    "Judge every final state in a run by the present code, domain and tasks, and list the verdicts that flip. The "
    "store is not changed. Exit 0: no verdict changed; exit 1: one flipped, is missing, or differs from the card.",
    STORE,
    path_option("--card", "FILE", "verify this result card of the run"),
    text_option(
        "--judge",
        "J",
        "ask a judge too which requests were handled, and compare it with the verdicts: anthropic:MODEL, openai:MODEL, "
        "relay:DIR, or a toy, lexical, polite or busy; kept in run.judge-J.jsonl beside the store",
    ),
    option(
        "--judge-sees",
        choices=("talk", "calls"),
        default="talk",
        help="what was said (default), or calls and policy too",
    ),
    PRICE,
    list_option("--domain", "DOMAIN", "name or path of a domain of the run (default: the one that has its name here)"),
    TASKS,
    reward(None),
    JSON,
)
def rescore_run(arguments: argparse.Namespace) -> Result:
    """Judge a run again; 1 if a verdict flips."""
    from runtime.harness.evaluation.rescore import describe, rescore

    domains, run = list(map(find_domain, arguments.domain)), read_run(arguments.store)
    card, wrong = _read_card(arguments.card, run) if arguments.card else ([], [])
    rescored = rescore(run, arguments.tasks, domains, arguments.reward)
    content = rescored.as_json() | ({"card": {"file": arguments.card, "differences": wrong}} if card else {})
    status = 1 if rescored.flips or rescored.unjudged or wrong else 0
    lines = [*describe(rescored), *card]
    if arguments.judge:
        opinions = _ask_judge(arguments, run, domains)
        content, lines = content | {"judge": opinions}, [*lines, *opinions.lines]
    return Result(content, lines, status)


def _ask_judge(arguments: argparse.Namespace, run: Run, given: Sequence[Domain]) -> JudgeReport:
    """Ask a judge about the episodes of a run; its answers are kept beside the store. Errors: UsageError."""
    from runtime.harness.evaluation.opinions import ask_judge
    from runtime.harness.evaluation.rescore import domains_of
    from runtime.model.model import Price, read_prices

    domains = domains_of(run, given)
    name = re.sub(r"[^A-Za-z0-9.+-]+", "-", arguments.judge).strip("-")
    path = run.path.with_name(f"{run.path.stem}.judge-{name}.jsonl")
    played = ((each, run.tasks[each.domain, each.task], domains[each.domain]) for each in run.records())
    prices = {model: Price.plain(*dollars) for model, dollars in read_prices(arguments.price).items()}
    return ask_judge(arguments.judge, played, path, arguments.judge_sees, prices)


def _read_card(path: Path, run: Run) -> tuple[list[str], list[str]]:
    """Return what to say of a card beside the store of its run, and what differs; errors: UsageError."""
    from runtime.harness.evaluation.card import card_differences, read_card

    wrong = list(card_differences(read_card(path), run))
    return [*(f"card: {each}" for each in wrong)] or [f"card: {path} is the card of this run"], wrong


@command(
    "verify",
    "Judge a final database against a task. Exit 0: reward 1; exit 1: reward 0; exit 2: no verdict.",
    path_option("actual", "ACTUAL.db", "the final database, such as a state.db"),
    text_option("--domain", "DOMAIN", "name or path of the domain (default: the one that the session's folder names)"),
    option("--task", metavar="ID", required=True, help="judge against this task"),
    TASKS,
    list_option("--told", "NAME=VALUE", "what the user was told, for an answer that the task requires"),
    JSON,
)
def verify_state(arguments: argparse.Namespace) -> Result:
    """Judge a database; 0 if the reward is 1."""
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
    if "poison" in origin:  # the session started from a poisoned row
        task = Task.model_validate({**task.model_dump(mode="json"), "poison": origin["poison"]})
    world = start_world(task, domain)
    with closing(world.open()) as start, _reading(arguments.actual, domain.schema) as actual:
        changes = scan_changes(start, actual, domain.schema)
    try:
        verdict = judge(task, domain, world, changes, _read_told(arguments.told))
    except UndecidedVerdict as undecided:
        raise UsageError(str(undecided)) from undecided
    return Result(verdict, describe_verdict(verdict).splitlines(), 0 if verdict.reward else 1)


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
        name, sign, value = (part.strip() for part in each.partition("="))
        if not sign or not value:
            raise UsageError(f"--told {each!r} is not NAME=VALUE, such as --told 'new due date=2 April'")
        if name in told:
            raise UsageError(f"--told gives {name!r} twice; an answer has one value")
        told[name] = value
    return told


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
