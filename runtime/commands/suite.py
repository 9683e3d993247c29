"""`worldsmith suite`: what a suite holds, and nested parts of it."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.output_file import SUITE, add_force, check_output, write_output
from runtime.errors import UsageError
from runtime.terminal import print_lines
from runtime.text_table import TableColumn, lay_out
from runtime.wording import counted

if TYPE_CHECKING:
    from runtime.suites.members import MemberTasks
    from runtime.suites.split import SuitePart
    from runtime.suites.suite import SuiteFile

_LEVELS = (1, 2, 3, 4, 5)


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "suite", help="show a suite of domains, or split it into nested parts (no model needed)"
    )
    verbs = parser.add_subparsers(metavar="VERB", required=True)
    show = verbs.add_parser("show", help="list the domains of a suite, their tasks by level and split")
    split = verbs.add_parser(
        "split",
        help="write suites of 1, 2, 4, ... of the domains, each with as many tasks",
        description="Write nested suites: the domains of each are among those of the next, and the number of tasks is "
        "the same, as in a study of how the number of domains bears on what is learned.",
    )
    for each in (show, split):
        each.add_argument("suite", help="a suite's file, or the name of one in ./domains")
        each.add_argument("--json", action="store_true", help="print it as JSON")
    split.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the files NAME-1.toml, ... go")
    split.add_argument("--tasks", type=int, metavar="N", help="of each part (default: as many as all parts can have)")
    split.add_argument("--domains", metavar="N,N", help="of each part (default 1,2,4, ... as far as the suite goes)")
    split.add_argument("--seed", type=int, default=1, metavar="S", help="of the order of domains and tasks (default 1)")
    order = split.add_mutually_exclusive_group()
    order.add_argument(
        "--most-similar",
        dest="order",
        action="store_const",
        const="most_similar",
        default="seed",
        help="begin with the domains whose tools are most alike in words",
    )
    order.add_argument(
        "--least-similar",
        dest="order",
        action="store_const",
        const="least_similar",
        help="begin with the domains whose tools are least alike",
    )
    add_force(split)
    show.set_defaults(run=show_suite)
    split.set_defaults(run=split_into_parts)


def show_suite(arguments: argparse.Namespace) -> int:
    """Print what a suite holds."""
    from runtime.suites.members import open_members
    from runtime.suites.suite import read_suite

    suite = read_suite(arguments.suite)
    members = open_members(suite)
    if arguments.json:
        _print_json(
            {
                "suite": suite.name,
                "title": suite.title,
                "path": str(suite.path),
                "tasks": sum(len(each.tasks) for each in members),
                "domains": [_member_as_json(each) for each in members],
            }
        )
        return 0
    tasks = sum(len(each.tasks) for each in members)
    title = f": {suite.title}" if suite.title else ""
    print_lines([f"suite {suite.name}{title}", f"{counted(len(members), 'domain')}, {counted(tasks, 'task')}", ""])
    print_lines(lay_out(_columns(members), shutil.get_terminal_size().columns))
    return 0


def split_into_parts(arguments: argparse.Namespace) -> int:
    """Write the parts of a suite, and say which domains they have."""
    from runtime.suites.members import open_members
    from runtime.suites.similarity import domain_similarity
    from runtime.suites.split import mean_similarity, order_domains, split_suite
    from runtime.suites.suite import read_suite

    suite = read_suite(arguments.suite)
    sizes = _sizes(arguments.domains, suite)
    if arguments.tasks is not None and arguments.tasks < 1:
        raise UsageError(f"--tasks is {arguments.tasks}; give a number from 1.")
    members = open_members(suite)
    similarity = domain_similarity([each.domain for each in members])
    order = order_domains(list(suite.members), arguments.order, arguments.seed, similarity)
    parts = split_suite(suite, members, order, sizes, arguments.tasks, arguments.seed)
    _make_folder(arguments.out)
    paths = {size: arguments.out / f"{suite.name}-{size}.toml" for size in sizes}
    for path in paths.values():
        check_output(path, SUITE, force=arguments.force)
    for (size, path), part in zip(paths.items(), parts, strict=True):
        write_output(path, SUITE, [_text_of(suite, members, part, size, arguments)], force=arguments.force)
    alike = [mean_similarity(part.tasks, part.tasks, similarity) for part in parts]
    if arguments.json:
        _print_json(
            {
                "suite": suite.name,
                "order": arguments.order,
                "seed": arguments.seed,
                "domains": order,
                "parts": [
                    {
                        "path": str(path),
                        "tasks": part.count,
                        "similarity": round(mean, 6) if size > 1 else None,
                        "domains": {name: len(ids) for name, ids in part.tasks.items()},
                    }
                    for (size, path), part, mean in zip(paths.items(), parts, alike, strict=True)
                ],
            }
        )
        return 0
    columns = [
        TableColumn("file", [str(path) for path in paths.values()], is_text=True),
        TableColumn("domains", [str(size) for size in sizes]),
        TableColumn("tasks", [f"{part.count:,}" for part in parts]),
        TableColumn("of each", [_range_of(part) for part in parts], rank=1),
        TableColumn(
            "similarity", [f"{mean:.3f}" if size > 1 else "-" for size, mean in zip(sizes, alike, strict=True)], 2
        ),
    ]
    print_lines([f"domains in order: {', '.join(order)}", ""])
    print_lines(lay_out(columns, shutil.get_terminal_size().columns))
    return 0


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {str(path)!r} cannot be a folder: {error.strerror}.") from error


def _sizes(words: str | None, suite: SuiteFile) -> list[int]:
    """How many domains the parts have, from the smallest; errors: UsageError."""
    most = len(suite.members)
    if words is None:
        return [2**power for power in range(most.bit_length()) if 2**power <= most]
    if not re.fullmatch(r"[0-9]{1,4}(,[0-9]{1,4})*", words) or len(set(words.split(","))) < words.count(",") + 1:
        raise UsageError(f"--domains is {words!r}; give numbers of domains with commas between, as in 1,2,4.")
    sizes = sorted(map(int, words.split(",")))
    if not 1 <= sizes[0] <= sizes[-1] <= most:
        wrong = sizes[0] if sizes[0] < 1 else sizes[-1]
        raise UsageError(f"--domains names {wrong}; the suite {suite.name!r} has {counted(most, 'domain')}.")
    return sizes


def _text_of(
    suite: SuiteFile, members: Sequence[MemberTasks], part: SuitePart, size: int, arguments: argparse.Namespace
) -> str:
    from runtime.suites.write import write_suite

    def seen_from_there(path: Path) -> str:
        return Path(os.path.relpath(path, arguments.out)).as_posix()

    places: dict[str, dict[str, str]] = {}
    for each in members:
        name = each.domain.name
        path = {"path": seen_from_there(each.domain.path)} if suite.members[name].path else {}
        places[name] = path | ({"file": seen_from_there(each.file)} if each.file else {})
    order = {"seed": "chosen by chance", "most_similar": "most alike", "least_similar": "least alike"}[arguments.order]
    title = f"{counted(size, 'domain')} of {suite.name[:40]}, {order}, seed {arguments.seed}"
    return write_suite(title, part.tasks, places)


def _range_of(part: SuitePart) -> str:
    shares = [len(ids) for ids in part.tasks.values()]
    return f"{min(shares):,}" if min(shares) == max(shares) else f"{min(shares):,} to {max(shares):,}"


def _columns(members: Sequence[MemberTasks]) -> Iterator[TableColumn]:
    domains = [each.domain for each in members]
    tasks = [[chosen.task for chosen in each.tasks] for each in members]
    yield TableColumn("domain", [each.name for each in domains], is_text=True)
    yield TableColumn("tasks", [f"{len(own):,}" for own in tasks])
    for split in ("train", "held_out"):
        yield TableColumn(split, [f"{sum(task.split == split for task in own):,}" for own in tasks], 1)
    for level in (*_LEVELS, None):
        title = "no level" if level is None else f"level {level}"
        counts = [sum(task.level == level for task in own) for own in tasks]
        if any(counts):
            yield TableColumn(title, [f"{count:,}" for count in counts], 2)
    yield TableColumn("tools", [str(len(each.tools)) for each in domains], 3)
    yield TableColumn("tables", [str(len(each.schema.tables)) for each in domains], 3)


def _member_as_json(member: MemberTasks) -> dict[str, Any]:
    tasks = [chosen.task for chosen in member.tasks]
    levels: Mapping[int | None, int] = Counter(task.level for task in tasks)
    return {
        "domain": member.domain.name,
        "path": str(member.domain.path),
        "tools": len(member.domain.tools),
        "tables": len(member.domain.schema.tables),
        "splits": dict(sorted(Counter(task.split for task in tasks).items())),
        "levels": {str(level or "unknown"): levels[level] for level in (*_LEVELS, None) if levels[level]},
        "forms": dict(sorted(Counter(form for task in tasks for form in {w.form for w in task.user.wishes}).items())),
        "tasks": [task.id for task in tasks],
    }


def _print_json(content: Any) -> None:
    json.dump(content, sys.stdout, indent=2, ensure_ascii=False)
    print()
