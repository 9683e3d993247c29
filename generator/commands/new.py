"""`worldsmith new`: from a keyword to a verified domain."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.build.roles import PROPOSES, ROLES, roles_asked
from runtime.errors import KeywordRefused, UsageError
from runtime.model.prices import Price, read_prices
from runtime.sandbox.files import is_there, parse_json, read_text
from runtime.wording import counted

if TYPE_CHECKING:
    from generator.build.build import BuildOrder
    from runtime.model.book import AnswerBook

CHOICES = "anthropic:MODEL, openai:MODEL, relay:DIR, recorded, recorded:FILE"

_MOST_TOOLS = 100
_USUAL_TASKS = 64
_LONGEST_KEYWORD = 80


def add_new(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "new",
        description="Design, write and prove a domain. Every answer is kept at once in answers.jsonl; the same command "
        "goes on where a killed one was, and asks nothing twice.",
    )
    add_options(parser)
    parser.add_argument(
        "--batch",
        type=Path,
        metavar="FILE",
        help="make many domains, one a line: a keyword with options of its own; --max-cost is for all of them",
    )
    parser.add_argument("--json", action="store_true", help="with --batch: print what each took as JSON")
    parser.set_defaults(run=run)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add what is said of one domain, on the command line or in a line of a batch."""
    parser.add_argument("keyword", nargs="?", help='what the domain is about, as in "job seeking"')
    parser.add_argument(
        "--model",
        action="append",
        metavar="[ROLE=]SPEC",
        help=f"who answers: {CHOICES}; ROLE is one of {', '.join(ROLES)} (repeatable)",
    )
    parser.add_argument("--tools", type=int, metavar="N", help="how many tools (default 50)")
    parser.add_argument(
        "--source", action="append", type=Path, metavar="FILE", help="a document to follow (repeatable)"
    )
    parser.add_argument("--no-scenarios", action="store_true", help="leave out what tasks are made of")
    parser.add_argument(
        "--no-rules", action="store_true", help="leave out who calls, the rules of the house, and wordings"
    )
    parser.add_argument(
        "-n",
        "--count",
        type=int,
        metavar="N",
        help="make so many tasks of the scenarios (default as before, or 64)",
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="where the folder goes (default domains/NAME)")
    parser.add_argument("--max-cost", type=float, metavar="DOLLARS", help="stop before more than this is spent")
    parser.add_argument(
        "--price",
        action="append",
        default=[],
        metavar="MODEL=IN,OUT",
        help="what a model costs that has no list price: dollars for a million tokens in and out (repeatable)",
    )
    parser.add_argument("--repairs", type=int, default=3, metavar="N", help="how often a gate may send an answer back")


def run(arguments: argparse.Namespace) -> int:
    """Build the domain, or those of a batch; 0 if they stand at the end."""
    if arguments.batch is None:
        if arguments.keyword is None:
            raise UsageError("No keyword was given; say what the domain is about, or give --batch FILE.")
        if arguments.json:
            raise UsageError("--json goes with --batch; a single domain says its folder.")
        print(build_domain(arguments))
        return 0
    from generator.commands.new_batch import make_batch, read_batch

    if arguments.keyword is not None:
        raise UsageError(f"--batch names the keywords, and so does {arguments.keyword!r}; give one or the other.")
    _check_cost(arguments.max_cost)
    common = argparse.Namespace(**{**vars(arguments), "max_cost": None, "out": None})
    batch = read_batch(arguments.batch, common, add_options, lambda line: _check_line(line, arguments.out))
    return make_batch(batch, build_domain, arguments.max_cost, as_json=arguments.json)


def _check_line(line: argparse.Namespace, folder: Path | None) -> tuple[str, Path]:
    """The name and the folder of a line of a batch, which goes into `folder`; errors: UsageError."""
    keyword = _check_options(line)
    line.out = line.out or (folder or Path("domains")) / slug(keyword)
    return slug(keyword), line.out


def build_domain(arguments: argparse.Namespace) -> Path:
    """Build a domain; its folder."""
    from generator.build.ask import Asker
    from generator.build.build import BuildOrder, build
    from generator.build.sources import read_sources
    from generator.commands.watch_build import BuildWatcher, relay_folders
    from generator.tasks.make import MOST_TASKS
    from runtime.commands.progress import Progress
    from runtime.model.choose import choose_models

    keyword = _check_options(arguments)
    specs: list[str] = arguments.model or []
    prices = {model: Price.plain(*dollars) for model, dollars in read_prices(arguments.price).items()}
    sources = read_sources(arguments.source or [])
    name = slug(keyword)
    out: Path = arguments.out or Path("domains") / name
    order = BuildOrder(keyword, name, arguments.tools or 50, sources, rules=_wants_rules(specs, out, arguments))
    made = [folder for folder in (out, out.parent) if not folder.exists()]
    try:
        with _open_book(order, specs, out, arguments) as book:
            has_answers = any(entry.stage == "scenarios" for entry in book)
            wanted = not arguments.no_scenarios and (has_answers or set(specs) != {"recorded"})
            tasks = min(_count_tasks(arguments, out), MOST_TASKS)
            rules = "rules" in book.header
            roles = roles_asked(specs, book, scenarios=wanted, rules=rules)
            count = _count_tools(book)
            order = BuildOrder(keyword, name, count, sources, wanted, tasks, proposes=PROPOSES in roles, rules=rules)
            models = choose_models(specs, roles, book=book, prices=prices)
            unpriced = models.of_unknown_cost()
            if arguments.max_cost is not None and unpriced:
                raise UsageError(
                    f"--max-cost cannot hold: the price of {', '.join(unpriced)} is not known; give --price."
                )
            with Progress(f"building {name}") as progress:
                watcher = BuildWatcher(book, progress, relay_folders(specs))
                if not wanted and not arguments.no_scenarios:
                    progress.said("no answers for scenarios were recorded, so the domain is built without")
                asker = Asker(models, watcher, arguments.repairs, arguments.max_cost)
                draft = asyncio.run(build(order, asker, book, out))
                tools, tables = counted(len(draft.catalogue.tools), "tool"), counted(len(draft.schema.tables), "table")
                progress.said(f"{tools} over {tables}; {watcher.sums}")
    except KeywordRefused:
        if out in made:
            _take_back(out / "answers.jsonl", made)
        raise
    return out


def _wants_rules(specs: Sequence[str], out: Path, arguments: argparse.Namespace) -> bool:
    """Whether a build asks for callers and rules: recorded answers say it themselves; errors: UsageError."""
    from runtime.model.book import AnswerBook

    recorded = [Path(spec.partition(":")[2]) for spec in specs if spec.startswith("recorded:")]
    for path in (out / "answers.jsonl", *recorded):
        if is_there(path) and path.stat().st_size:
            has_rules = "rules" in AnswerBook.read(path).header
            if has_rules and arguments.no_rules:
                raise UsageError(
                    f"{str(path)!r} is of a domain with rules; leave out --no-rules, or give another --out."
                )
            return has_rules
    return not arguments.no_rules


def _check_options(arguments: argparse.Namespace) -> str:
    """The keyword, after a look at what is said beside it; errors: UsageError."""
    from generator.tasks.make import MOST_TASKS

    keyword = _checked_keyword(arguments.keyword)
    if not arguments.model:
        raise UsageError(f"No model was named; give --model SPEC, with {CHOICES}.")
    if arguments.tools is not None and not 3 <= arguments.tools <= _MOST_TOOLS:
        raise UsageError(f"--tools is {arguments.tools}; a domain has 3 to {_MOST_TOOLS} tools.")
    if not 0 <= arguments.repairs <= 10:
        raise UsageError(f"--repairs is {arguments.repairs}; 0 to 10 make sense.")
    if arguments.count is not None and not 0 <= arguments.count <= MOST_TASKS:
        raise UsageError(f"-n is {arguments.count}; 0 to {MOST_TASKS:,} can be made.")
    _check_cost(arguments.max_cost)
    return keyword


def _check_cost(dollars: float | None) -> None:
    if dollars is not None and not dollars > 0:
        raise UsageError(f"--max-cost is {dollars:g}; give a number of dollars above 0.")


def _take_back(answers: Path, made: Sequence[Path]) -> None:
    """Remove what a refused keyword left: its one answer, and the folders that were made for it."""
    answers.unlink(missing_ok=True)
    for folder in made:
        with contextlib.suppress(OSError):  # something else lies there by now
            folder.rmdir()


def _count_tools(book: AnswerBook) -> int:
    """How many tools the answers are for, which a file of somebody else's may say in any way."""
    count = book.header.get("tools")
    if not isinstance(count, int) or not 3 <= count <= _MOST_TOOLS:
        raise UsageError(f"{str(book.path)!r} is for {count!r:.80} tools; a domain has 3 to {_MOST_TOOLS}.")
    return count


def _count_tasks(arguments: argparse.Namespace, out: Path) -> int:
    """How many tasks are asked for; a folder that is built again gets as many as it was made with."""
    if arguments.count is not None:
        return int(arguments.count)
    try:
        card = parse_json(read_text(out / "domain.json"))
        return int(card["provenance"]["tasks"]["count"])
    except (UsageError, ValueError, LookupError, TypeError):
        return _USUAL_TASKS


def _checked_keyword(keyword: str) -> str:
    keyword = " ".join(keyword.split())
    if not slug(keyword) or not slug(keyword)[0].isalpha():
        raise UsageError(f"Keyword {keyword!r} names no domain; write a few words, as in 'job seeking'.")
    if len(keyword) > _LONGEST_KEYWORD:
        raise UsageError(
            f"The keyword has {len(keyword)} characters; at most {_LONGEST_KEYWORD} name a domain. "
            "Longer descriptions go into a file, with --source."
        )
    return keyword


def _open_book(order: BuildOrder, specs: Sequence[str], out: Path, arguments: argparse.Namespace) -> AnswerBook:
    """The book of answers; from recorded answers alone, what was ordered is read from it."""
    from runtime.model.book import AnswerBook

    path = out / "answers.jsonl"
    if not is_there(path) and out.is_dir():
        foreign = sorted(each.name for each in out.iterdir() if each.name != "edits.jsonl")
        if foreign:
            raise UsageError(f"{str(out)!r} holds {foreign[0]!r}, which no build wrote; give another --out.")
    if set(specs) != {"recorded"}:
        return AnswerBook.open(path, order.header)
    if not is_there(path):
        raise UsageError(f"There are no recorded answers in {str(path)!r}.")
    wanted = order.header if arguments.source else {"keyword": order.keyword}
    return AnswerBook.open(path, wanted)


def slug(keyword: str) -> str:
    """A keyword as the name of a domain: `job seeking` as `job_seeking`."""
    return re.sub(r"[^a-z0-9]+", "_", keyword.lower()).strip("_")[:40]
