"""`worldsmith suite` and `worldsmith study`: what many domains hold, nested parts of a suite, tables."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.commands.options import (
    DOMAINS,
    JSON,
    SPLITS,
    command,
    int_option,
    list_option,
    option,
    path_option,
    text_option,
)
from runtime.commands.output import Result, check_output, make_folder, write_output
from runtime.errors import UsageError
from runtime.text_table import table_lines
from runtime.wording import counted

if TYPE_CHECKING:
    from runtime.domain.domain import Domain
    from runtime.study import DomainFacts
    from runtime.suites import MemberTasks, SuiteFile
    from runtime.task.task import Task


SUITE = option("suite", help="a suite's file, or the name of one in ./domains")


@command("suite show", "List the domains of a suite, their tasks by level and split.", SUITE, JSON)
def show_suite(arguments: argparse.Namespace) -> Result:
    """Show what a suite holds."""
    from runtime.suites import open_members, read_suite

    suite = read_suite(arguments.suite)
    rows = [_describe_member(each) for each in open_members(suite)]
    count = sum(len(row["tasks"]) for row in rows)
    content = {"suite": suite.name, "title": suite.title, "path": suite.path, "tasks": count, "domains": rows}
    levels = sorted({level for row in rows for level in row["levels"]})
    cells = []
    for row in rows:
        by_split = [row["splits"].get(split, 0) for split in SPLITS]
        by_level = [row["levels"].get(level, 0) for level in levels]
        cells.append([row["domain"], len(row["tasks"]), *by_split, *by_level, row["tools"], row["tables"]])
    titles = [f"level {level}" if level != "unknown" else "no level" for level in levels]
    table = table_lines(["domain", "tasks", *SPLITS, *titles, "tools", "tables"], cells)
    title = f": {suite.title}" if suite.title else ""
    head = [f"suite {suite.name}{title}", f"{counted(len(rows), 'domain')}, {counted(count, 'task')}", ""]
    return Result(content, [*head, *table])


def _describe_member(member: MemberTasks) -> dict[str, Any]:
    tasks = [chosen.task for chosen in member.tasks]
    return {
        "domain": member.domain.name,
        "path": member.domain.path,
        "tools": len(member.domain.tools),
        "tables": len(member.domain.schema.tables),
        "splits": dict(sorted(Counter(task.split for task in tasks).items())),
        "levels": dict(sorted(Counter(str(task.level or "unknown") for task in tasks).items())),
        "forms": dict(sorted(Counter(form for task in tasks for form in {w.form for w in task.user.wishes}).items())),
        "tasks": [task.id for task in tasks],
    }


@command(
    "suite split",
    "Write nested suites of 1, 2, 4 and more of the domains. The domains of each are among those of the next, and the "
    "number of tasks is the same, to study how the number of domains affects what is learned.",
    SUITE,
    path_option("--out", "DIR", "folder of the files NAME-1.toml, ...", required=True),
    int_option("--tasks", said="of each part (default: as many as all parts can have)", within=(1, 1_000_000)),
    text_option("--domains", "N,N", "of each part (default 1,2,4, ... as far as the suite goes)"),
    option("--seed", type=int, default=1, metavar="S", help="of the order of domains and tasks (default 1)"),
    JSON,
)
def split_into_parts(arguments: argparse.Namespace) -> Result:
    """Write the parts of a suite, and say which domains they have."""
    from runtime.suites import read_suite

    suite = read_suite(arguments.suite)
    sizes = _sizes(arguments.domains, suite)
    made, rows = write_parts(suite, arguments.out, sizes, arguments.tasks, arguments.seed)
    content = {"suite": suite.name, "seed": arguments.seed, "parts": made}
    return Result(content, table_lines(["file", "domains", "tasks", "of each"], rows))


def write_parts(
    suite: SuiteFile, out: Path, sizes: Sequence[int] | None = None, tasks: int | None = None, seed: int = 1
) -> tuple[list[dict[str, Any]], list[list[object]]]:
    """Write nested parts of a suite into a folder; what they hold, and that as rows of a table. Errors: UsageError."""
    from runtime.suites import open_members, split_suite, write_suite

    sizes, members = sizes or _sizes(None, suite), open_members(suite)
    parts = split_suite(suite, members, sizes, tasks, seed)
    make_folder(out)
    paths = [out / f"{suite.name}-{size}.toml" for size in sizes]
    for path in paths:
        check_output(path)
    places = _places(suite, members, out)
    made, rows = list[dict[str, Any]](), list[list[object]]()
    for size, path, part in zip(sizes, paths, parts, strict=True):
        title = f"{counted(size, 'domain')} of {suite.name[:40]}, seed {seed}"
        write_output(path, [write_suite(title, part, places)])
        shares = {name: len(ids) for name, ids in part.items()}
        count = sum(shares.values())
        made.append({"path": path, "tasks": count, "domains": shares})
        rows.append([path, size, count, ", ".join(f"{name} {share}" for name, share in shares.items())])
    return made, rows


@command(
    "suite mix",
    "Write suites for the stages of a training run from measured rates: tasks that are always or never solved are "
    "dropped; of the others, each stage draws the most likely around a mean rate, which falls from stage to stage; "
    "every domain has the same share as far as it goes. Rates of tasks that have changed since do not count.",
    SUITE,
    list_option("--rates", "FILE", "rates that `worldsmith eval --rates` wrote (default: those of the domains)"),
    text_option("--agent", "NAME", "whose rates (default: the only agent in the files)"),
    path_option("--out", "DIR", "folder of the files NAME-stage-1.toml, ...", required=True),
    int_option("--tasks", said="of each stage", within=(1, 1_000_000), required=True),
    int_option("--stages", said="how many", within=(1, 1_000), default=4),
    option("--first", type=float, within=(0, 1), default=0.7, metavar="P", help="mean rate of stage 1 (default 0.7)"),
    option("--last", type=float, within=(0, 1), default=0.2, metavar="P", help="of the last stage (default 0.2)"),
    option("--width", type=float, above=0, default=0.15, metavar="P", help="deviation around the mean (default 0.15)"),
    option("--seed", type=int, default=1, metavar="S", help="of the draw (default 1)"),
    JSON,
)
def mix_by_rates(arguments: argparse.Namespace) -> Result:
    """Write the stages, and say what they hold."""
    from runtime.harness.evaluation.rates import FILE, read_rates
    from runtime.mix import RateMix, measured_tasks, mix
    from runtime.suites import open_members, read_suite, write_suite

    suite = read_suite(arguments.suite)
    members = open_members(suite)
    files = [Path(each) for each in arguments.rates] or [each.domain.path / FILE for each in members]
    for path in map(Path, arguments.rates):
        if not path.is_file():
            raise UsageError(f"There is no file of rates {str(path)!r}; `worldsmith eval DOMAIN --rates` writes one.")
    rates = [rate for path in files for rate in read_rates(path)]
    measured = measured_tasks(members, rates, arguments.agent)
    asked = RateMix(arguments.tasks, arguments.stages, arguments.first, arguments.last, arguments.width, arguments.seed)
    stages = mix(measured, asked)
    make_folder(arguments.out)
    places = _places(suite, members, arguments.out)
    made, rows = [], []
    for number, stage in enumerate(stages, start=1):
        path = arguments.out / f"{suite.name}-stage-{number}.toml"
        title = f"Stage {number} of {len(stages)} of {suite.name[:40]}, seed {arguments.seed}"
        write_output(path, [write_suite(title, stage.tasks, places)])
        shares = {name: len(ids) for name, ids in stage.tasks.items()}
        made.append({"path": path, "aim": stage.aim, "mean": stage.mean, "domains": shares})
        shown = ", ".join(f"{name} {share}" for name, share in shares.items())
        rows.append([path, sum(shares.values()), f"{stage.aim:.2f}", f"{stage.mean:.3f}", shown])
    dropped = measured.dropped
    content = {"suite": suite.name, "agent": measured.agent, "dropped": dropped, "stages": made}
    said = ", ".join(f"{count} {why}" for why, count in dropped.items())
    lines = [f"{counted(len(measured.rates), 'task')} by {measured.agent} left; dropped: {said}", ""]
    return Result(content, [*lines, *table_lines(["file", "tasks", "aim", "mean rate", "of each"], rows)])


def _sizes(words: str | None, suite: SuiteFile) -> list[int]:
    """Return how many domains the parts have, smallest first; errors: UsageError."""
    most = len(suite.members)
    if words is None:
        return [2**power for power in range(most.bit_length()) if 2**power <= most]
    sizes = _numbers("--domains", words)
    for size in sizes:
        if not 1 <= size <= most:
            raise UsageError(f"--domains names {size}; the suite {suite.name!r} has {counted(most, 'domain')}.")
    return sizes


def _numbers(name: str, words: str) -> list[int]:
    try:
        return sorted({int(each) for each in words.split(",")})
    except ValueError:
        raise UsageError(f"{name} is {words!r}; give numbers with commas between, as in 1,2,4.") from None


def _places(suite: SuiteFile, members: Sequence[MemberTasks], out: Path) -> dict[str, dict[str, str]]:
    """Return `path` and `file` of the domains that have some, relative to the folder of the parts."""
    places: dict[str, dict[str, str]] = {}
    for each in members:
        own = each.domain.path if suite.members[each.domain.name].path else None
        found = {"path": own, "file": each.file}
        places[each.domain.name] = {
            key: Path(os.path.relpath(path, out)).as_posix() for key, path in found.items() if path is not None
        }
    return places


@command(
    "study domains",
    "Print the tables 8 and 9 of the ScaleEnv paper for these domains, and how similar they are.",
    option("domains", metavar="FOLDER|SUITE", help="a folder of domains, or a suite by its file or name"),
    path_option("--out", "DIR", "write the tables as CSV into this folder"),
    JSON,
)
def study_domains(arguments: argparse.Namespace) -> Result:
    """Print the tables, and write the files that are asked for."""
    return study_set(arguments.domains, arguments.out)


def study_set(named: str, out: Path | None) -> Result:
    """Study the domains of a folder or a suite, and write the tables into a folder if one is given."""
    from runtime.study import csv_files, domain_similarity, gather_facts, mean_tokens

    found = list(_find(named))
    facts = [gather_facts(domain, tasks) for domain, tasks in found]
    similarity = domain_similarity([domain for domain, _ in found])
    pairs = list(combinations([each.name for each in facts], 2))
    content = {
        "domains": facts,
        "tasks": sum(each.tasks for each in facts),
        "mean_tokens": {of: mean_tokens(facts, of) for of in ("foundation", "per_task")},
        "similarity": [{"domains": pair, "value": similarity[pair]} for pair in pairs],
    }
    if out is not None:
        make_folder(out)
        for name, text in csv_files(facts, similarity).items():
            write_output(out / name, [text])
            print(f"wrote {out / name}", file=sys.stderr)
    return Result(content, _describe_study(facts, similarity, sorted(pairs, key=lambda pair: -similarity[pair])))


def _find(words: str) -> Iterator[tuple[Domain, Sequence[Task]]]:
    """Load the domains that are meant, each with its tasks; errors: UsageError."""
    from runtime.domain.load import load_domain
    from runtime.suites import open_members, read_suite
    from runtime.task.task_file import read_tasks

    if not Path(words).is_dir():
        for each in open_members(read_suite(words)):
            yield each.domain, [chosen.task for chosen in each.tasks]
        return
    domains = [load_domain(card.parent) for card in sorted(Path(words).glob("*/domain.json"))]
    if len({domain.name for domain in domains}) < max(1, len(domains)):
        raise UsageError(f"{words!r} must hold domain folders of different names; or name a suite.")
    for domain in domains:
        yield domain, list(read_tasks(domain).values())


def _describe_study(
    facts: Sequence[DomainFacts], similarity: Mapping[tuple[str, str], float], pairs: Sequence[tuple[str, str]]
) -> Iterator[str]:
    from runtime.study import task_table, token_table

    yield from table_lines(*task_table(facts))
    for of in ("foundation", "per_task"):
        if any(getattr(each, of) for each in facts):
            yield ""
            yield from table_lines(*token_table(facts, of))
    for words, at in (("most", 0), ("least", -1))[: len(pairs)]:
        yield f"{words} alike: {pairs[at][0]} and {pairs[at][1]}, {similarity[pairs[at]]:.3f}"


@command(
    "study tools",
    "ScaleEnv's figure 4: how near the tools of these domains lie to each other and to those of other benchmarks, by a "
    "sentence encoder (Universal Sentence Encoder, multilingual); needs the extra `worldsmith[study]`. Other tools are "
    "read from JSON schemas, or from a checkout of tau2-bench or VitaBench, whose code is not run.",
    option("domains", metavar="FOLDER|SUITE", help="a folder of domains, or a suite by its file or name"),
    list_option("--beside", "NAME=PATH", "tools of another benchmark: a JSON file, a Python file, or a folder of such"),
    path_option("--out", "FILE", "write the t-SNE of all tools as an SVG"),
    JSON,
)
def study_tools(arguments: argparse.Namespace) -> Result:
    """Compare the tools, and draw them if asked."""
    from runtime.chart import plane_chart
    from runtime.tool_study import encode, neighbors, project, read_foreign, tools_of

    sets = [tools_of(domain) for domain, _ in _find(arguments.domains)] + list(map(read_foreign, arguments.beside))
    vectors = encode(sets)
    found = neighbors(sets, vectors)
    if arguments.out is not None:
        points = iter(project(vectors))
        groups = {each.name: [(*next(points), f"{tool} ({each.name})") for tool in each.tools] for each in sets}
        marked = [each.name for each in sets if each.foreign]
        write_output(arguments.out, [plane_chart("Tools by what they do (t-SNE)", groups, marked)])
    head = ["set", "tools", "nearest tool is its own", "cosine to another domain's nearest", "mostly in"]
    rows = [
        [
            each.name,
            each.tools,
            each.own,
            "-" if each.low is None else f"{each.likeness:.3f} ({each.low:.3f}-{each.high:.3f})",
            each.nearest or "-",
        ]
        for each in found
    ]
    said = "Intervals at 95% over tools: Wilson's of shares, normal ones of cosines."
    return Result({"sets": found}, [*table_lines(head, rows), "", said])


@command(
    "study judge",
    "Judge against rule, as in ScaleEnv's table 4: play the tasks with scripted agents and with every known mistake, "
    "draw a bank of final states by what is wrong with them, and show how often each judge passes what the rule fails "
    "and fails what it rewards; and what each judge passes of agents that only claim, look, or guess. The judges are "
    "three toys, and a model if one is named, which is asked about the bank alone.",
    DOMAINS,
    text_option("--judge", "MODEL", "a model to judge the bank: anthropic:MODEL, openai:MODEL, relay:DIR"),
    int_option("-n", "--count", said="tasks of each domain", within=(1, 10_000), default=32),
    int_option("--most", said="episodes of each stratum of the bank", within=(1, 10_000), default=60),
    option("--seed", type=int, default=1, metavar="S", help="of the choice of tasks and episodes (default 1)"),
    JSON,
)
def study_judge(arguments: argparse.Namespace) -> Result:
    """Play the bank, ask the judges, and print the tables."""
    from runtime.harness.evaluation.opinions import TOYS
    from runtime.judge_study import describe_judges, study_judges

    models = [arguments.judge] if arguments.judge else []
    study = study_judges(sample_tasks(arguments), [*TOYS, *models], arguments.most, arguments.seed, models)
    lines = []
    for head, *rows in describe_judges(study):
        lines += [*table_lines([str(each) for each in head], rows), ""]
    lines.append(
        "Shares with Wilson's intervals at 95%, over episodes; several are of one task, so they are a little narrow."
    )
    return Result(study, lines)


def sample_tasks(arguments: argparse.Namespace) -> list[tuple[Task, Domain]]:
    """Draw `--count` tasks of each domain by `--seed`, or all where there are fewer; errors: UsageError."""
    from runtime.domain.load import find_domain
    from runtime.harness.evaluation.plan import choose_tasks, draw

    found = []
    for domain in {domain.name: domain for domain in map(find_domain, arguments.domain)}.values():
        tasks = choose_tasks([domain])
        found += [(each.task, domain) for each in draw(tasks, arguments.count, arguments.seed)]
    return found


@command(
    "study scaling",
    "ScaleEnv's figure 3 in small: teach a model of the next call (a conditional logit, no language model) on every "
    "choice of N domains with the same number of tasks and steps, and test it on the domains left out. With --store, "
    "instead, the scores of runs over the number of domains that their agents were trained on.",
    option("domains", metavar="FOLDER|SUITE", nargs="?", help="a folder of domains, or a suite by its file or name"),
    list_option("--store", "N=RUN.db", "the run of an agent that was trained on N domains"),
    text_option("--sizes", "N,N", "how many domains teach (default 1,2,4,8, as far as the domains go)"),
    int_option("--tasks", said="that teach, and of each domain that test", within=(8, 10_000), default=48),
    option("--seed", type=int, default=1, metavar="S", help="of the choice of tasks and of the steps (default 1)"),
    path_option("--out", "DIR", "write scaling.csv and scaling.svg into this folder"),
    JSON,
)
def study_scaling_command(arguments: argparse.Namespace) -> Result:
    """Teach and test, or read the runs, and show what N domains give."""
    from runtime.chart import line_chart
    from runtime.study import as_csv

    if bool(arguments.store) == bool(arguments.domains):
        raise UsageError("Give domains to teach, or runs with --store N=RUN.db.")
    title, head, rows, plot, lines, content = (_runs_over_domains if arguments.store else _teach_domains)(arguments)
    if arguments.out is not None:
        make_folder(arguments.out)
        write_output(arguments.out / "scaling.csv", [as_csv([head, *rows])])
        write_output(arguments.out / "scaling.svg", [line_chart(title, "domains", "share", plot, doubling=True)])
    return Result(content, [*table_lines(head, rows), "", *lines])


def _runs_over_domains(arguments: argparse.Namespace) -> tuple[Any, ...]:
    from runtime.harness.evaluation.store import read_run
    from runtime.harness.evaluation.summary import summarize

    found = []
    for words in arguments.store:
        number, _, store = words.partition("=")
        if not number.isdecimal() or not int(number) or not store:
            raise UsageError(f"--store is {words!r}; it is a number of domains and a run store, such as 4=run.db.")
        run = read_run(Path(store))
        score = summarize(run).scores.avg_at_k[0]
        if score.value is None:
            raise UsageError(f"The run store {store!r} has no episode with a verdict.")
        found.append((int(number), run.config.agent, score))
    found.sort(key=lambda each: each[0])
    head = ["domains", "agent", "tasks", "Avg@1", "low", "high"]
    rows = [[size, agent, at.tasks, *(f"{x:.3f}" for x in (at.value, at.low, at.high))] for size, agent, at in found]
    plot = {"Avg@1": [(size, at.value, at.low, at.high) for size, _, at in found]}
    content = {"runs": [dict(zip(head, row, strict=True)) for row in rows]}
    return "Score over training domains", head, rows, plot, ["Wilson's intervals at 95%, over tasks."], content


def _teach_domains(arguments: argparse.Namespace) -> tuple[Any, ...]:
    from runtime.chart import point
    from runtime.commands.progress import Progress
    from runtime.harness.evaluation.plan import place_of
    from runtime.harness.evaluation.scores import plain
    from runtime.scaling_study import study_scaling

    found = [
        (domain, sorted(tasks, key=lambda task: place_of(arguments.seed, domain.name, task.id))[: arguments.tasks])
        for domain, tasks in _find(arguments.domains)
    ]
    usual = [size for size in (1, 2, 4, 8) if size < len(found)]
    sizes = usual if arguments.sizes is None else _numbers("--sizes", arguments.sizes)
    if not sizes or not 1 <= sizes[0] <= sizes[-1] < len(found):
        raise UsageError(f"One of {counted(len(found), 'domain')} at least is tested, so fewer can teach; see --sizes.")
    with Progress("teaching choices of domains") as progress:
        study = study_scaling(found, sizes, arguments.tasks, arguments.seed, progress.tell)
    points = study["points"]
    head = ["domains", "choices", "accuracy", "low", "high", "gain", "from", "to", "whole chains", "most alike"]
    numbers = ("accuracy", "low", "high", "gain", "gain_low", "gain_high", "chains", "alike")
    rows = [
        [at.domains, at.choices, *("" if (x := getattr(at, name)) is None else f"{x:.3f}" for name in numbers)]
        for at in points
    ]
    flat = study["request_like_tool"]
    plot = {
        "all choices": [point(at.domains, at.accuracy, at.low, at.high) for at in points],
        "most alike quarter": [point(at.domains, at.alike) for at in points if at.alike is not None],
        "untaught": [point(at.domains, flat) for at in points],
    }
    lines = [
        f"{counted(len(found), 'domain')}; untaught, the tool most like the request is right for {flat:.3f}, any tool "
        f"for {study['chance']:.3f}. Normal intervals at 95% over held-out domains; gains are paired by domain.",
    ]
    return "Next call on held-out domains", head, rows, plot, lines, plain(study)
