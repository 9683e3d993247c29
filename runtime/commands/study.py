"""`worldsmith study`: what a set of domains is, in tables and pictures."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.output_file import STUDY, add_force, check_output, write_output
from runtime.errors import UsageError
from runtime.sandbox.files import is_there
from runtime.terminal import print_lines
from runtime.text_table import lay_out
from runtime.wording import counted

if TYPE_CHECKING:
    from runtime.domain.domain import Domain
    from runtime.study.facts import DomainFacts
    from runtime.suites.split import Similarity
    from runtime.task.task import Task


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser("study", help="tables and pictures of a set of domains (no model needed)")
    topics = parser.add_subparsers(metavar="TOPIC", required=True)
    domains = topics.add_parser(
        "domains",
        help="tasks, tokens, tools, tables, density and similarity of domains",
        description="Print the tables 8 and 9 of the ScaleEnv paper for these domains, and how alike they are. --out "
        "writes them as CSV, and the figures 4 (all tools in a plane, by t-SNE of their words) and 5 (tools, tables, "
        "density of the graph) as SVG and CSV.",
    )
    domains.add_argument("domains", metavar="FOLDER|SUITE", help="a folder of domains, or a suite by its file or name")
    domains.add_argument("--out", type=Path, metavar="DIR", help="write the tables and pictures into this folder")
    domains.add_argument("--json", action="store_true", help="print it as JSON")
    add_force(domains)
    domains.set_defaults(run=study_domains)


def study_domains(arguments: argparse.Namespace) -> int:
    """Print the tables, and write the pictures that are asked for; 1 if scikit-learn is not there for one of them."""
    from runtime.study.facts import gather_facts, mean_tokens, tokens_as_json
    from runtime.suites.similarity import domain_similarity

    found = list(_find(arguments.domains))
    domains = [domain for domain, _ in found]
    facts = [gather_facts(domain, tasks) for domain, tasks in found]
    similarity = domain_similarity(domains)
    if arguments.json:
        json.dump(
            {
                "domains": [each.as_json() for each in facts],
                "tasks": sum(each.tasks for each in facts),
                "mean_tokens": {
                    "foundation": tokens_as_json(mean_tokens([each.foundation for each in facts])),
                    "per_task": tokens_as_json(mean_tokens([each.per_task for each in facts])),
                },
                "similarity": [
                    {"domains": [one, other], "value": similarity[one, other]}
                    for one, other in combinations([each.name for each in facts], 2)
                ],
            },
            sys.stdout,
            indent=2,
            ensure_ascii=False,
        )
        print()
    else:
        print_lines(_describe(facts, similarity, shutil.get_terminal_size().columns))
    return 0 if arguments.out is None else _write(arguments.out, domains, facts, similarity, force=arguments.force)


def _find(words: str) -> Iterator[tuple[Domain, Sequence[Task]]]:
    """The domains that are meant, each with its tasks; errors: UsageError."""
    from runtime.domain.load import load_domain
    from runtime.suites.members import open_members
    from runtime.suites.suite import read_suite
    from runtime.task.task_file import read_tasks

    folder = Path(words)
    if not folder.is_dir():
        for each in open_members(read_suite(words)):
            yield each.domain, [chosen.task for chosen in each.tasks]
        return
    if is_there(folder / "domain.json"):
        raise UsageError(f"{words!r} is one domain; name the folder that holds it and others.")
    places = sorted(card.parent for card in folder.glob("*/domain.json"))
    if not places:
        raise UsageError(f"{words!r} holds no domains; name a folder of domain folders, or a suite.")
    names: dict[str, Path] = {}
    for place in places:
        domain = load_domain(place)
        if domain.name in names:
            raise UsageError(f"{str(names[domain.name])!r} and {str(place)!r} are both the domain {domain.name!r}.")
        names[domain.name] = place
        yield domain, list(read_tasks(domain).values())


def _describe(facts: Sequence[DomainFacts], similarity: Similarity, width: int) -> Iterator[str]:
    from runtime.study.tables import task_columns, token_columns

    yield from lay_out(task_columns(facts), width)
    yield ""
    if any(each.foundation for each in facts):
        yield from lay_out(token_columns(facts, "foundation"), width)
        if any(each.per_task for each in facts):
            yield ""
            yield from lay_out(token_columns(facts, "per_task"), width)
        by_hand = sum(each.foundation is None for each in facts)
        if by_hand:
            yield f"(no tokens are recorded of {counted(by_hand, 'domain')})"
    else:
        yield "No domain says how many tokens it took."
    pairs = sorted(combinations([each.name for each in facts], 2), key=lambda pair: -similarity[pair])
    if pairs:
        yield ""
        for words, pair in (("most", pairs[0]), ("least", pairs[-1]))[: len(pairs)]:
            yield f"{words} alike: {pair[0]} and {pair[1]}, {similarity[pair]:.3f}"


def _write(
    out: Path, domains: Sequence[Domain], facts: Sequence[DomainFacts], similarity: Similarity, *, force: bool
) -> int:
    from runtime.study.draw_structure import draw_structure
    from runtime.study.draw_tools import draw_tools
    from runtime.study.projection import project
    from runtime.study.tables import as_csv, similarity_csv, structure_csv, tasks_csv, tokens_csv
    from runtime.suites.similarity import tool_names, tool_vectors

    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"--out {str(out)!r} cannot be a folder: {error.strerror}.") from error
    texts = {
        "tasks.csv": tasks_csv(facts),
        "tokens.csv": tokens_csv(facts),
        "structure.csv": structure_csv(facts),
        "structure.svg": draw_structure(facts),
        "similarity.csv": similarity_csv([each.name for each in facts], similarity),
    }
    missing = ""
    try:
        points = project(tool_vectors(domains))
    except UsageError as error:
        missing = str(error)
    else:
        tools = tool_names(domains)
        places = ([*tool, f"{x:.4f}", f"{y:.4f}"] for tool, (x, y) in zip(tools, points, strict=True))
        texts |= {"tools.csv": as_csv(["domain", "tool", "x", "y"], places), "tools.svg": draw_tools(tools, points)}
    for name in texts:
        check_output(out / name, STUDY, force=force)
    for name, text in texts.items():
        write_output(out / name, STUDY, [text], force=force)
    print(f"wrote {', '.join(sorted(texts))} to {out}", file=sys.stderr)
    if missing:
        print(f"error: tools.csv and tools.svg were left out: {missing}", file=sys.stderr)
    return 1 if missing else 0
