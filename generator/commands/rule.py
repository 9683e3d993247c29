"""`worldsmith rule`: write who calls, and a rule with its cases and the requests that it denies, by a few questions."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from generator.author.first_rule import ASKED, OPERATORS, Condition, drop_scenarios, write_people, write_rule
from generator.author.stages.rules import policy_text
from generator.author.writing.code import format_files
from generator.commands.place import building_beside, exchange
from generator.commands.tasks import pair_of
from generator.gates.cases.run import prove_cases
from generator.gates.folder import FolderRequest
from generator.gates.rules.prove import prove_rules
from generator.graph.find import find_whole_graph, write_graph
from generator.isolation.process import run_job
from generator.scenarios.lint import ScenariosRequest, prove_scenarios
from generator.tasks.make import Making, make_tasks, write_lines
from generator.tasks.sessions import tasks_by_hand
from runtime.commands.options import DOMAIN, JSON, command, list_option, text_option
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.domain import Domain
from runtime.domain.load import find_folder, is_carried, load_domain
from runtime.domain.people import DESK_TABLES
from runtime.domain.policy_text import POLICY
from runtime.errors import StageFailed, UsageError
from runtime.sandbox.files import read_lines
from runtime.task.story import FILE as SCENARIOS
from runtime.task.task_file import task_line
from runtime.wording import a, counted, have, singular

_REMADE = 12  # tasks, so that it takes minutes at most
_NEW = {"name": "name", "proven_by": "email=email address,phone=phone number"}


@command(
    "rule",
    "Write a rule that no tool enforces: first who calls, where nobody does yet, then which calls it forbids, its "
    "cases, and requests that it denies. Whatever is not given by an option is asked. Nothing is written before it "
    "passed its gates.",
    DOMAIN,
    text_option("--people", "TABLE", "the table of those who call, or the name of a new one"),
    text_option("--name", "COLUMN", "the column with their names"),
    text_option("--proven-by", "A=WORDS,B=WORDS", "two columns or more that prove who calls, with what each is called"),
    text_option("--tools", "A,B", "the tools whose calls it forbids"),
    text_option("--record", "ARGUMENT", "the argument of these tools that names the record which decides"),
    text_option("--when", "CONDITION", f"when it forbids them: COLUMN, then {', '.join(OPERATORS)}, then a value"),
    text_option("--code", "CODE", "its code"),
    text_option("--words", "WORDS", "its words, which become the policy; {limit} is its number"),
    list_option("--exempt", "TOOL=WHY", "a tool that could do the same and is not forbidden"),
    JSON,
)
def rule(arguments: argparse.Namespace) -> Result:
    """Ask, write into a copy of the folder, prove the copy, and put it in the folder's place."""
    folder = find_folder(arguments.domain)
    if is_carried(arguments.domain):
        raise UsageError(f"{folder.name} belongs to the installed package; copy it to ./domains to write a rule.")
    with building_beside(folder) as place:
        new = place / folder.name
        shutil.copytree(folder, new, ignore=shutil.ignore_patterns("__pycache__"))
        domain = load_domain(new)
        has_people = domain.people is not None
        if not has_people:
            _write_people(arguments, domain)
        code = _write_rule(arguments, load_domain(new))
        with Progress(f"proving {code}") as progress:
            dropped = _prove(new, code)
            made = kept = 0
            if not has_people and (new / "tasks.jsonl").is_file():  # its worlds have other rows now
                progress.tell("making its tasks anew")
                count = min(_REMADE, sum(1 for _ in read_lines(new / "tasks.jsonl")))
                tasks = make_tasks(Making(new, count, 1, least=1, replace=True), progress.tell)
                by_hand = [task_line(task) for task in tasks_by_hand(new / "tasks.jsonl", domain.name)]
                write_lines(new / "tasks.jsonl", [*by_hand, *tasks.lines])
                made = len(tasks.lines)
                kept = len(by_hand)
        exchange(new, folder)
    domain = load_domain(folder)
    written = next(each for each in domain.rules.rules if each.code == code)
    lines = [
        f"{folder / 'rules.py'}: {code}: {written.prose}",
        "Its cases, its requests and policy.md were proven and written.",
    ]
    lines += dropped
    lines += [f"Its tasks were made anew, since its worlds have callers now: {made}."] * bool(made)
    stay = f"Kept, as no scenario makes them: {counted(kept, 'task')}; `worldsmith check` proves them."
    lines += [stay] * bool(kept)
    lines.append(f"Next: `worldsmith tasks {arguments.domain} -n 5 --level 4` makes tasks in which it decides.")
    return Result({"domain": folder.name, "rule": code, "words": written.prose, "tasks": made}, lines)


def _write_people(arguments: argparse.Namespace, domain: Domain) -> None:
    tables = list(domain.schema.tables)
    why = "A refusal is recorded for the person who asked, so somebody must call, and be able to prove who they are."
    table = _ask(arguments.people, "--people", f"{why}\nWhich table calls ({', '.join(tables)}), or a new one", "clerk")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", table):
        raise UsageError(f"A table cannot be named {table!r}; write lower-case letters, digits and _.")
    given = {"name": arguments.name, "proven_by": arguments.proven_by}
    if table in tables:
        columns = ", ".join(domain.schema.tables[table].column_names)
        given["name"] = _ask(given["name"], "--name", f"Which column has their names ({columns})")
        wanted = f"Which columns prove who they are, such as {_NEW['proven_by']} ({columns})"
        given["proven_by"] = _ask(given["proven_by"], "--proven-by", wanted)
    else:
        given = _NEW
    pairs = [each.partition("=") for each in str(given["proven_by"]).split(",")]
    proofs = {column.strip(): words.strip() or column.strip().replace("_", " ") for column, _, words in pairs}
    write_people(domain.path, domain, table, str(given["name"]), proofs)
    format_files(domain.path)


def _write_rule(arguments: argparse.Namespace, domain: Domain) -> str:
    writing = {name: tool for name, tool in domain.tools.items() if tool.writes - {*DESK_TABLES}}
    why = "A rule forbids calls that the tools themselves would accept."
    tools = _ask(arguments.tools, "--tools", f"{why}\nWhich tools ({', '.join(writing)})").replace(" ", "").split(",")
    for name in tools:
        if name not in writing:
            raise UsageError(f"{name!r} is not a tool that writes; {have(name, writing)}.")
    required = writing[tools[0]].arguments.schema.get("required", [])
    question = f"Which argument names the record that decides ({', '.join(required)})"
    argument = _ask(arguments.record, "--record", question, *required[:1])
    tables = sorted(writing[tools[0]].writes, key=lambda each: singular(each) not in argument)
    table = domain.schema.tables[tables[0]]
    columns = ", ".join(table.column_names)
    question = f"When is it forbidden: a column of {table.name} ({columns}), then "
    question += f"{', '.join(OPERATORS)}, then a value"
    condition = _condition(_ask(arguments.when, "--when", question), domain, table.name, argument)
    parts = f"{condition.column} {condition.operator} {condition.value}".upper()
    suggested = re.sub(r"[^A-Z0-9]+", "_", parts).strip("_")
    code = _ask(arguments.code, "--code", "A refusal is recorded under the rule's code; its code", suggested)
    noun = singular(table.name.replace("_", " "))
    words = f"Do not {tools[0].partition('_')[0]} {a(noun)} {condition.words}."
    words = _ask(arguments.words, "--words", "The policy tells the agent its words; its words", words)
    reason = f"It names no {noun} that is there."
    others = {name for name, each in writing.items() if table.name in each.writes}
    exempt = {name: reason for name in others if argument not in writing[name].arguments.names}
    exempt |= dict(map(pair_of, arguments.exempt))
    write_rule(domain.path, code, words, tools, condition, exempt)
    format_files(domain.path)
    return code


def _condition(text: str, domain: Domain, table: str, argument: str) -> Condition:
    columns = domain.schema.tables[table].by_name
    for sign in sorted(OPERATORS, key=len, reverse=True):
        column, found, value = text.partition(f" {sign} ")
        if found and column.strip() in columns:
            is_text = columns[column.strip()].type == "TEXT"
            if not is_text and not re.fullmatch(r"-?\d+", value.strip()):
                raise UsageError(f"{column.strip()} is compared with {value!r}; a rule's numbers are whole.")
            return Condition(table, argument, column.strip(), sign, value.strip() if is_text else int(value))
    raise UsageError(f"{text!r} is not a condition; write COLUMN, then one of {', '.join(OPERATORS)}, then a value.")


def _prove(folder: Path, code: str) -> list[str]:
    """Run the gates of what is new, write what follows from it, and return the scenarios that were dropped.

    Errors: StageFailed with the faults.
    """
    asked = FolderRequest(folder)
    (folder / POLICY).write_text(policy_text(folder), "utf-8")
    faults = [*run_job(prove_rules, asked).faults, *run_job(prove_cases, asked).uncovered]
    dropped: dict[str, str] = {}
    if not faults and (folder / SCENARIOS).is_file():
        scenarios = run_job(prove_scenarios, ScenariosRequest(folder)).scenarios
        dropped = {each.name: each.faults[0] for each in scenarios if each.faults}
        if not [each for each in scenarios if each.name.startswith(ASKED) and each.name not in dropped]:
            faults = [*dropped.values()] or ["no request of scenarios.py ends with a call that it forbids"]
    if faults:
        raise StageFailed(f"{code} is not written: {'; '.join(faults)}")
    if dropped:
        drop_scenarios(folder, dropped)
        format_files(folder)
    (folder / "graph.json").write_text(write_graph(find_whole_graph(folder)), "utf-8")
    return [f"Dropped the scenario {name}: {why}" for name, why in dropped.items()]


def _ask(given: str | None, option: str, question: str, default: str = "") -> str:
    """Return what an option gives, or what a person answers; errors: UsageError if nobody does."""
    if given is not None:
        return given
    print(f"{question}{f' [{default}]' if default else ''}: ", end="", file=sys.stderr, flush=True)
    try:
        answer = input().strip() or default
    except EOFError:
        answer = default
        print(default, file=sys.stderr)
    if not answer:
        raise UsageError(f"Nothing was answered; {option} answers it.")
    return answer
