"""`worldsmith new`: from a keyword to a verified domain, or from a file of keywords to many, several at a time."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.build.stage import PROPOSES, ROLES, figures_by_stage, roles_asked
from runtime.commands.output import print_result
from runtime.errors import EnvironmentFault, KeywordRefused, ModelFailed, StageFailed, UsageError
from runtime.model.book import AnswerBook
from runtime.model.prices import Price, read_prices
from runtime.sandbox.files import is_there, parse_json, read_lines, read_text
from runtime.text_table import table_lines
from runtime.wording import counted, said_seconds

if TYPE_CHECKING:
    from generator.build.design import BuildOrder
    from generator.build.draft import Draft
    from runtime.commands.progress import Progress
    from runtime.model.choose import Models

CHOICES = "anthropic:MODEL, openai:MODEL, relay:DIR, recorded, recorded:FILE"

_MOST_TOOLS = 100
_USUAL_TOOLS, _USUAL_TASKS = 50, 64
_LONGEST_KEYWORD = 80
_AT_ONCE = 4  # domains of a batch


@dataclass(frozen=True)
class _Wanted:
    """A domain that is to be made."""

    keyword: str
    out: Path

    @property
    def name(self) -> str:
        return slug(self.keyword)

    @property
    def answers(self) -> Path:
        return self.out / "answers.jsonl"

    def is_made(self) -> bool:
        """Whether its folder is whole; errors: UsageError if it is another keyword's."""
        made = is_there(self.out / "domain.json") and is_there(self.answers)
        return made and AnswerBook.read(self.answers, {"keyword": self.keyword}) is not None


@dataclass(frozen=True)
class _Row:
    """What a domain took up to now, all commands together, as its folder says."""

    name: str
    state: str
    tokens: int = 0
    dollars: float | None = 0.0


def add_new(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "new",
        description="Design, write and prove a domain. Every answer is kept at once in answers.jsonl; the same command "
        "resumes where a stopped one was, and asks nothing twice.",
    )
    parser.add_argument("keyword", nargs="?", help='what the domain is about, as in "job seeking"')
    parser.add_argument(
        "--batch",
        type=Path,
        metavar="FILE",
        help=f"make a domain of each line of this file, a keyword, {_AT_ONCE} at a time; one by one under --max-cost, "
        "which is for all of them",
    )
    parser.add_argument(
        "--model",
        action="append",
        metavar="[ROLE=]SPEC",
        help=f"who answers: {CHOICES}; ROLE is one of {', '.join(ROLES)} (repeatable)",
    )
    parser.add_argument("--tools", type=int, metavar="N", help=f"how many tools (default {_USUAL_TOOLS})")
    parser.add_argument(
        "--source", action="append", type=Path, metavar="FILE", help="a document to follow (repeatable)"
    )
    parser.add_argument("--no-scenarios", action="store_true", help="leave out what tasks are made of")
    parser.add_argument("--no-rules", action="store_true", help="leave out who calls and the rules of the house")
    parser.add_argument(
        "-n", "--count", type=int, metavar="N", help=f"make N tasks (default: as before, or {_USUAL_TASKS})"
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="the domain's folder (default domains/NAME); with --batch, all folders'"
    )
    parser.add_argument("--max-cost", type=float, metavar="DOLLARS", help="stop before more than this is spent")
    parser.add_argument(
        "--price",
        action="append",
        default=[],
        metavar="MODEL=IN,OUT",
        help="price of a model without a list price: dollars per million tokens in and out (repeatable)",
    )
    parser.add_argument("--repairs", type=int, default=3, metavar="N", help="how often a gate may send an answer back")
    parser.add_argument("--json", action="store_true", help="with --batch: print what each domain took as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Build the domain, or those of a batch; 0 if they are there at the end."""
    from runtime.commands.progress import Progress

    if arguments.batch is not None:
        return _build_batch(arguments)
    if arguments.keyword is None:
        raise UsageError("No keyword was given; say what the domain is about, or give --batch FILE.")
    if arguments.json:
        raise UsageError("--json goes with --batch; a single domain says its folder.")
    wanted = _check_keyword(arguments.keyword, arguments.out)
    _check_options(arguments)
    with Progress(f"building {wanted.name}") as progress:
        asyncio.run(_build(wanted, arguments, progress, arguments.max_cost))
    print(wanted.out)
    return 0


def _build_batch(arguments: argparse.Namespace) -> int:
    from runtime.commands.progress import Progress

    if arguments.keyword is not None:
        raise UsageError(f"--batch names the keywords, and so does {arguments.keyword!r}; give one or the other.")
    batch = _read_batch(arguments)
    missing = [each for each in batch if not each.is_made()]
    failed: dict[str, str] = {}

    async def build_all() -> None:
        at_once = asyncio.Semaphore(_AT_ONCE if arguments.max_cost is None else 1)
        spent = 0.0

        async def build_one(wanted: _Wanted) -> None:
            nonlocal spent
            async with at_once:
                before = _row_of(wanted).dollars or 0.0
                try:
                    if arguments.max_cost is not None and spent >= arguments.max_cost:
                        raise StageFailed(f"not begun, since --max-cost is ${arguments.max_cost:.2f}")
                    left = None if arguments.max_cost is None else arguments.max_cost - spent
                    await _build(wanted, arguments, progress, left)
                except (UsageError, StageFailed, ModelFailed, EnvironmentFault) as error:
                    failed[wanted.name] = "failed"
                    progress.said(f"error: {wanted.name}: {error}")
                spent += (_row_of(wanted).dollars or 0.0) - before
                progress.advance()

        await asyncio.gather(*map(build_one, missing))

    with Progress(f"building {counted(len(missing), 'domain')}", len(missing)) as progress:
        asyncio.run(build_all())
    rows = [replace(row, state=failed.get(row.name, row.state)) for row in map(_row_of, batch)]
    dollars = [row.dollars for row in rows if row.dollars is not None]
    total = sum(dollars) if len(dollars) == len(rows) else None
    rows_and_sum = [*rows, _Row("in all", "", sum(row.tokens for row in rows), total)]
    cells = [[*asdict(row).values()][:-1] + [_shown_dollars(row.dollars)] for row in rows_and_sum]
    shown = table_lines(["domain", "state", "tokens", "dollars"], cells)
    print_result(arguments, {"domains": [asdict(row) for row in rows]}, shown)
    return 1 if failed else 0


def _shown_dollars(dollars: float | None) -> str:
    return "unknown" if dollars is None else f"{dollars:.2f}"


def _read_batch(arguments: argparse.Namespace) -> list[_Wanted]:
    """The domains of a file, one keyword a line; errors: UsageError with the first wrong line, or wrong options."""
    _check_options(arguments)
    found: list[_Wanted] = []
    for number, line in read_lines(arguments.batch):
        keyword = line.decode(errors="replace").partition("#")[0].strip()
        place = f"{arguments.batch}:{number}"
        if not keyword:
            continue
        if '"' in keyword or "--" in keyword:
            raise UsageError(f"{place}: a line is a keyword alone; options are given to the command, for all of them.")
        try:
            wanted = _check_keyword(keyword, (arguments.out or Path("domains")) / slug(keyword))
        except UsageError as error:
            raise UsageError(f"{place}: {error}") from None
        if any(each.out == wanted.out for each in found):
            raise UsageError(f"{place}: an earlier line makes {str(wanted.out)!r} already; give another keyword.")
        found.append(wanted)
        _choose_models(arguments, _read_book(wanted), max_cost=arguments.max_cost)
    if not found:
        raise UsageError(f"{str(arguments.batch)!r} names no domain; write a keyword a line, as in: job seeking")
    return found


def _read_book(wanted: _Wanted) -> AnswerBook | None:
    return AnswerBook.read(wanted.answers) if is_there(wanted.answers) else None


def _row_of(wanted: _Wanted) -> _Row:
    book = _read_book(wanted)
    if book is None:
        return _Row(wanted.name, "new")
    usage = book.usage()
    return _Row(
        wanted.name,
        "made" if is_there(wanted.out / "domain.json") else counted(len(book), "answer"),
        usage.prompt + usage.completion,
        usage.cost,
    )


async def _build(wanted: _Wanted, arguments: argparse.Namespace, progress: Progress, max_cost: float | None) -> None:
    """Build a domain into its folder; errors: UsageError, StageFailed, ModelFailed."""
    from generator.build.ask import Asker
    from generator.build.build import build
    from generator.build.design import BuildOrder, read_sources
    from generator.commands.watch_build import BuildWatcher, relay_folders

    started = time.monotonic()
    specs: list[str] = arguments.model
    out, sources = wanted.out, read_sources(arguments.source or [])
    order = BuildOrder(
        wanted.keyword, wanted.name, arguments.tools or _USUAL_TOOLS, sources, rules=_wants_rules(wanted, arguments)
    )
    made = [folder for folder in (out, out.parent) if not folder.exists()]
    try:
        with _open_book(order, specs, out, arguments) as book:
            has_answers = any(entry.stage == "scenarios" for entry in book)
            scenarios = not arguments.no_scenarios and (has_answers or set(specs) != {"recorded"})
            models = _choose_models(arguments, book, scenarios=scenarios, max_cost=max_cost)
            order = replace(
                order,
                count=_count_tools(book),
                scenarios=scenarios,
                tasks=_count_tasks(arguments, out),
                proposes=PROPOSES in _roles(arguments, book, scenarios=scenarios),
                rules="rules" in book.header,
            )
            prefix = f"{wanted.name}: " if arguments.batch is not None else ""
            watcher = BuildWatcher(book, progress, prefix, relay_folders(specs))
            if not scenarios and not arguments.no_scenarios:
                watcher.said("no answers for scenarios were recorded, so the domain is built without")
            draft = await build(order, Asker(models, watcher, arguments.repairs, max_cost), book, out)
            for line in _told(draft, book):
                watcher.said(line)
            tools, tables = counted(len(draft.catalogue.tools), "tool"), counted(len(draft.schema.tables), "table")
            watcher.said(f"{tools} over {tables}; {watcher.sums}; {said_seconds(time.monotonic() - started)}")
    except KeywordRefused:
        if out in made:  # nothing is left but its one answer, and the folders that were made for it
            wanted.answers.unlink(missing_ok=True)
            for folder in made:
                with contextlib.suppress(OSError):  # another build writes there
                    folder.rmdir()
        raise


def _told(draft: Draft, book: AnswerBook) -> Iterator[str]:
    """What each stage took, all runs of the build together, and what was dropped."""
    rows = [[each.stage, each.requests, each.repairs, f"{each.tokens:,}"] for each in figures_by_stage(book)]
    yield from table_lines(["stage", "requests", "repairs", "tokens"], rows)
    for tool, reason in draft.dropped.items():
        yield f"dropped tool {tool}: {reason}"
    for code, reason in draft.lost_rules.items():
        yield f"dropped rule {code}: {reason}"


def _roles(arguments: argparse.Namespace, book: AnswerBook | None, *, scenarios: bool) -> list[str]:
    rules = not arguments.no_rules if book is None else "rules" in book.header
    return roles_asked(arguments.model, book, scenarios=scenarios, rules=rules)


def _choose_models(
    arguments: argparse.Namespace, book: AnswerBook | None, *, scenarios: bool | None = None, max_cost: float | None
) -> Models:
    from runtime.model.choose import choose_models

    prices = {model: Price.plain(*dollars) for model, dollars in read_prices(arguments.price).items()}
    scenarios = not arguments.no_scenarios if scenarios is None else scenarios
    models = choose_models(arguments.model, _roles(arguments, book, scenarios=scenarios), book=book, prices=prices)
    if max_cost is not None and (unpriced := models.of_unknown_cost()):
        raise UsageError(f"--max-cost cannot hold: the price of {', '.join(unpriced)} is not known; give --price.")
    return models


def _wants_rules(wanted: _Wanted, arguments: argparse.Namespace) -> bool:
    """Whether a build asks for callers and rules: recorded answers say it themselves; errors: UsageError."""
    recorded = [Path(spec.partition(":")[2]) for spec in arguments.model if spec.startswith("recorded:")]
    for path in (wanted.answers, *recorded):
        if is_there(path) and path.stat().st_size:
            has_rules = "rules" in AnswerBook.read(path).header
            if has_rules and arguments.no_rules:
                raise UsageError(
                    f"{str(path)!r} is of a domain with rules; leave out --no-rules, or give another --out."
                )
            return has_rules
    return not arguments.no_rules


def _open_book(order: BuildOrder, specs: Sequence[str], out: Path, arguments: argparse.Namespace) -> AnswerBook:
    """The book of answers; from recorded answers alone, what was ordered is read from it."""
    path = out / "answers.jsonl"
    if not is_there(path) and out.is_dir():
        foreign = sorted(each.name for each in out.iterdir())
        if foreign:
            raise UsageError(f"{str(out)!r} holds {foreign[0]!r}, which no build wrote; give another --out.")
    if set(specs) != {"recorded"}:
        return AnswerBook.open(path, order.header)
    if not is_there(path):
        raise UsageError(f"There are no recorded answers in {str(path)!r}.")
    return AnswerBook.open(path, order.header if arguments.source else {"keyword": order.keyword})


def _check_options(arguments: argparse.Namespace) -> None:
    from generator.tasks.make import MOST_TASKS

    if not arguments.model:
        raise UsageError(f"No model was named; give --model SPEC, with {CHOICES}.")
    if arguments.tools is not None and not 3 <= arguments.tools <= _MOST_TOOLS:
        raise UsageError(f"--tools is {arguments.tools}; a domain has 3 to {_MOST_TOOLS} tools.")
    if not 0 <= arguments.repairs <= 10:
        raise UsageError(f"--repairs is {arguments.repairs}; 0 to 10 make sense.")
    if arguments.count is not None and not 0 <= arguments.count <= MOST_TASKS:
        raise UsageError(f"-n is {arguments.count}; 0 to {MOST_TASKS:,} can be made.")
    if arguments.max_cost is not None and not arguments.max_cost > 0:
        raise UsageError(f"--max-cost is {arguments.max_cost:g}; give a number of dollars above 0.")


def _check_keyword(words: str, out: Path | None) -> _Wanted:
    keyword = " ".join(words.split())
    name = slug(keyword)
    if not name or not name[0].isalpha():
        raise UsageError(f"Keyword {keyword!r} names no domain; write a few words, as in 'job seeking'.")
    if len(keyword) > _LONGEST_KEYWORD:
        raise UsageError(
            f"The keyword has {len(keyword)} characters; at most {_LONGEST_KEYWORD} name a domain. "
            "Longer descriptions go into a file, with --source."
        )
    return _Wanted(keyword, out or Path("domains") / name)


def _count_tools(book: AnswerBook) -> int:
    """How many tools the answers are for, which a file of somebody else's may say in any way."""
    count = book.header.get("tools")
    if not isinstance(count, int) or not 3 <= count <= _MOST_TOOLS:
        raise UsageError(f"{str(book.path)!r} is for {count!r:.80} tools; a domain has 3 to {_MOST_TOOLS}.")
    return count


def _count_tasks(arguments: argparse.Namespace, out: Path) -> int:
    """How many tasks are asked for; a folder that is built again gets as many as it was made with."""
    from generator.tasks.make import MOST_TASKS

    if arguments.count is not None:
        return int(arguments.count)
    try:
        count = parse_json(read_text(out / "domain.json"))["provenance"]["tasks"]["count"]
    except (UsageError, ValueError, LookupError, TypeError):
        return _USUAL_TASKS
    return min(count, MOST_TASKS) if isinstance(count, int) else _USUAL_TASKS


def slug(keyword: str) -> str:
    """A keyword as the name of a domain: `job seeking` as `job_seeking`."""
    return re.sub(r"[^a-z0-9]+", "_", keyword.lower()).strip("_")[:40]
