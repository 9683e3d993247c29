"""`worldsmith audit`: prove the golds of a task set by execution, another's or our own."""

from __future__ import annotations

import argparse

from generator.audit.foreign import KINDS, ForeignSet, find_source
from generator.audit.proofs import Finding, audit_tasks, compare_sets
from generator.audit.report import table_of_proofs, write_html, write_markdown
from generator.isolation.job import ProvingLimits
from generator.isolation.process import run_jobs
from generator.tasks.proofs.recheck import recheck_tasks, shares_of_tasks
from runtime.commands.options import JSON, command, int_option, list_option, option, path_option, text_option
from runtime.commands.output import Result, write_output
from runtime.commands.progress import Progress
from runtime.domain.load import find_folder
from runtime.errors import UsageError

_SECONDS = 60


@command(
    "audit",
    "Replay the golds of a task set with its own tools in a child process, and chains near them; print what is wrong, "
    "unfair, open, unsourced, unstable, redundant or differs, each with a witness that can be replayed. Exit 0: "
    "nothing is wrong; exit 1: something is. A domain of ours is proven by the proofs of `check`. "
    "The code of a set runs with your rights: audit in a container what you do not trust.",
    option("set", metavar="SET", help="tau2:retail, tau2:airline, general-agent, bfcl:base, or a domain of ours"),
    path_option("--data", "PATH", "checkout of the set"),
    path_option("--world", "PATH", "tau2:airline: tau-bench's airline/data, where the set lacks its db.json"),
    path_option("--against", "PATH", "another version of the set: list tasks whose gold writes differ"),
    path_option("--rules", "FILE", "rules that every gold write has to keep"),
    list_option("--task", "ID", "audit this task only"),
    text_option("--python", "PROGRAM", "interpreter that has the packages of the set (default: this one)"),
    int_option("--limit", said="audit this many tasks, spread evenly", within=(1, 10**6)),
    int_option("--seconds", said="stop a replay after N seconds", within=(1, 3600), default=_SECONDS),
    path_option("--out", "FILE", "write the report with all witnesses: FILE.md or FILE.html"),
    JSON,
)
def audit(arguments: argparse.Namespace) -> Result:
    """Run the proofs; 0 if nothing is wrong."""
    if arguments.out is not None and arguments.out.suffix not in (".md", ".html"):
        raise UsageError(f"--out is {str(arguments.out)!r}; it ends in .md or .html.")
    if arguments.data is None and arguments.set.partition(":")[0] in KINDS:
        raise UsageError(f"{arguments.set!r} needs --data PATH, a checkout of the set.")
    number, found = _audit_foreign(arguments) if arguments.data else _audit_own(arguments)
    if arguments.out is not None:
        write = write_html if arguments.out.suffix == ".html" else write_markdown
        write_output(arguments.out, write(arguments.set, number, found))
    content = {"set": arguments.set, "tasks": number, "findings": [each.as_json() for each in found]}
    lines = [f"{each.task}  {each.proof}  {each.word}  {each.sentence}" for each in found]
    lines += ["", *table_of_proofs(found)] if found else []
    lines.append(f"{number:,} tasks of {arguments.set}, {len(found):,} findings.")
    return Result(content, lines, int(any(each.word == "wrong" for each in found)))


def _audit_foreign(arguments: argparse.Namespace) -> tuple[int, list[Finding]]:
    about = {each: getattr(arguments, each) for each in ("world", "rules", "python", "seconds", "limit")}
    if arguments.rules is not None and not arguments.rules.is_file():
        raise UsageError(f"There is no file of rules {str(arguments.rules)!r}.")
    with ForeignSet(find_source(arguments.set, arguments.data, **about)) as opened:
        wanted = set(arguments.task)
        if absent := wanted - {task.id for task in opened.tasks}:
            raise UsageError(f"{arguments.set} has no task {min(absent)!r}; {opened.tasks[0].id!r} is its first.")
        tasks = [task for task in opened.tasks if not wanted or task.id in wanted]
        with Progress(f"auditing {arguments.set}", len(tasks)) as progress:
            found = audit_tasks(opened, tasks, progress.advance)
        if arguments.against is not None:
            with ForeignSet(find_source(arguments.set, arguments.against, **about)) as other:
                found += compare_sets(opened, other, tasks)
        if not opened.is_sound():
            raise UsageError("A replay changed the database that all start from: the set keeps records we do not see.")
    return len(tasks), found


def _audit_own(arguments: argparse.Namespace) -> tuple[int, list[Finding]]:
    if arguments.against or arguments.rules or arguments.world or arguments.task or arguments.limit:
        raise UsageError(
            f"{arguments.set!r} is a domain of ours; --world, --against, --rules, --task, --limit need --data."
        )
    folder = find_folder(arguments.set)
    shares = shares_of_tasks(folder)
    told = run_jobs(recheck_tasks, shares, ProvingLimits(3_600, wall_seconds=36_000.0))
    found = [Finding(arguments.set, "OWN", "wrong", fault) for each in told for fault in each.faults]
    return sum(each.tasks for each in told), found
