"""`worldsmith new`: from a keyword to a verified domain, or with `--draft` to one that is filled in by hand."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.author.stage import ROLES, figures_by_stage, roles_asked
from generator.commands.place import building_beside
from generator.tasks.make import MOST_TASKS
from runtime.commands.options import (
    PRICE,
    Part,
    command,
    flag,
    int_option,
    list_option,
    option,
    path_option,
    text_option,
)
from runtime.commands.output import Result
from runtime.compiling import UNFILLED
from runtime.domain.domain import FORMAT
from runtime.domain.load import load_domain
from runtime.domain.locale import AMERICAN
from runtime.errors import KeywordRefused, UsageError
from runtime.model.book import AnswerBook
from runtime.model.model import Price, read_prices
from runtime.sandbox.files import is_there, parse_json, read_text
from runtime.text_table import table_lines
from runtime.wording import counted, print_lines, said_seconds

if TYPE_CHECKING:
    from generator.author.design import BuildOrder
    from generator.author.draft import Draft
    from runtime.commands.progress import Progress
    from runtime.model.choose import Models

ANSWERS = "answers.jsonl"
CHOICES = "anthropic:MODEL, openai:MODEL, relay:DIR, recorded, recorded:FILE"

_MOST_TOOLS = 100
_USUAL_TOOLS, _USUAL_TASKS = 50, 64
_LONGEST_KEYWORD = 80


def model_options(tools: str) -> Sequence[Part]:
    """Say who answers, how much it may cost, and how many tools and tasks are made; `tools` is the usual number."""
    return (
        list_option("--model", "[ROLE=]SPEC", f"who answers: {CHOICES}; ROLE is one of {', '.join(ROLES)}"),
        int_option("--tools", said=f"how many tools (default {tools})", within=(3, _MOST_TOOLS)),
        int_option(
            "-n", "--count", said=f"tasks to make (default: as before, or {_USUAL_TASKS})", within=(0, MOST_TASKS)
        ),
        option("--max-cost", type=float, above=0, metavar="USD", help="stop before more than this is spent"),
        PRICE,
        int_option("--repairs", said="how often a gate may send an answer back", within=(0, 10), default=3),
        flag("--no-rules", "leave out who calls and the rules of the house"),
    )


@command(
    "new",
    "Design, write and prove a domain. Every answer is kept at once in answers.jsonl; the same command resumes where "
    "a stopped one was, and asks nothing twice. With --draft, no model is asked: the folder has a table, a tool and a "
    "world that load at once, with FILL IN wherever words of yours belong.",
    option("keyword", help='what the domain is about, as in "job seeking"'),
    option("--source", action="append", type=Path, metavar="FILE", help="a document to follow (repeatable)"),
    path_option("--out", "DIR", "the domain's folder (default domains/NAME)"),
    flag("--draft", "write a draft to fill in by hand"),
    *model_options(str(_USUAL_TOOLS)),
    int_option("--tables", said="how many tables, one more or less (default: as the trade needs)", within=(4, 40)),
    text_option("--locale", "TAG", "the country of the office, as in en-GB (default: en-US)"),
    path_option("--status", "FILE", "write how it goes to this file at every step, as JSON"),
    list_option("--beside", "DIR", "another domain whose build spends from the same --max-cost"),
    flag("--json", "check the domain at the end, and print its figures with a verdict: keep, mend or look"),
)
def new(arguments: argparse.Namespace) -> int | Result:
    """Build the domain; 0 if it is there at the end."""
    from generator.author.design import BuildOrder, read_sources
    from generator.author.locale import choose_locale
    from generator.commands.check import check_rest
    from generator.commands.child_build import end_with_parent
    from generator.commands.judge_build import judge_build
    from runtime.commands.progress import Progress

    keyword, name = check_keyword(arguments.keyword)
    out: Path = arguments.out or Path("domains") / name
    if arguments.draft:
        return _write_draft(name, out, arguments.locale)
    check_model(arguments)
    end_with_parent()
    sources = read_sources(arguments.source or [])
    tools, locale = arguments.tools or _USUAL_TOOLS, choose_locale(arguments.locale or AMERICAN.tag)
    order = BuildOrder(keyword, name, tools, sources, locale=locale, tables=arguments.tables)
    with Progress(f"building {name}") as progress:
        asyncio.run(build_order(order, out, arguments, progress))
    if arguments.json:
        report = check_rest(out.resolve(), ())  # its children run elsewhere
        return Result(judge_build(out, report.as_json()), ())
    print(out)
    return 0


async def build_order(order: BuildOrder, out: Path, arguments: argparse.Namespace, progress: Progress) -> None:
    """Build a domain into its folder; errors: UsageError, StageFailed, ModelFailed."""
    from generator.author.ask import Asker
    from generator.author.build import build
    from generator.author.locale import choose_locale
    from generator.author.stage import usual_questions
    from generator.commands.watch_build import BuildWatcher, relay_folders

    started = time.monotonic()
    specs: list[str] = arguments.model
    rules, sets = _what_is_wanted(out, arguments)
    order = replace(order, rules=rules, sets=sets)
    made = [folder for folder in (out, out.parent) if not folder.exists()]
    try:
        with _open_book(order, specs, out, arguments) as book:
            has_answers = any(entry.stage == "scenarios" for entry in book)
            scenarios = has_answers or set(specs) != {"recorded"}
            roles = roles_asked(scenarios=scenarios, rules="rules" in book.header)
            models = choose_models_of(arguments, roles, book)
            order = replace(
                order,
                count=_count_tools(book),
                locale=choose_locale(str(book.header.get("locale", AMERICAN.tag))),
                tables=tables if isinstance(tables := book.header.get("tables"), int) else None,
                scenarios=scenarios,
                tasks=_count_tasks(arguments, out),
                rules="rules" in book.header,
                sets="sets" in book.header,
            )
            questions, status = usual_questions(order.parts), getattr(arguments, "status", None)
            watcher = BuildWatcher(book, progress, relay_folders(specs), questions, models=models, status=status)
            if not scenarios:
                watcher.said("no answers for scenarios were recorded, so the domain is built without")
            beside = [Path(each) / ANSWERS for each in getattr(arguments, "beside", ())]
            spent = partial(_cost_of, beside)
            asker = Asker(models, watcher, arguments.repairs, arguments.max_cost, spent, questions=questions)
            draft = await build(order, asker, book, out)
            for line in _told(draft, book):
                watcher.said(line)
            tools, tables = counted(len(draft.catalogue.tools), "tool"), counted(len(draft.schema.tables), "table")
            watcher.said(f"{tools} over {tables}; {watcher.sums}; {said_seconds(time.monotonic() - started)}")
    except BaseException as error:
        is_new = out in made and (out / ANSWERS).is_file()
        if is_new and (isinstance(error, KeywordRefused) or not any(AnswerBook.read(out / ANSWERS))):
            (out / ANSWERS).unlink(missing_ok=True)
            for folder in made:
                with contextlib.suppress(OSError):  # another build writes there
                    folder.rmdir()
        raise


def _cost_of(books: Sequence[Path]) -> float:
    """Return what the answers of these builds cost so far, those that have begun."""
    return sum(AnswerBook.read(path).usage().cost or 0.0 for path in books if is_there(path))


def _told(draft: Draft, book: AnswerBook) -> Iterator[str]:
    """What each stage took, all runs of the build together, and what was dropped."""
    rows = [[each.stage, each.requests, each.repairs, f"{each.tokens:,}"] for each in figures_by_stage(book)]
    yield from table_lines(["stage", "requests", "repairs", "tokens"], rows)
    for tool, reason in draft.dropped.items():
        yield f"dropped tool {tool}: {reason}"
    for code, reason in draft.lost_rules.items():
        yield f"dropped rule {code}: {reason}"


def choose_models_of(arguments: argparse.Namespace, roles: Sequence[str], book: AnswerBook) -> Models:
    """Open the models of a command line for some roles; errors: UsageError."""
    from runtime.model.choose import choose_models

    prices = {model: Price.plain(*dollars) for model, dollars in read_prices(arguments.price).items()}
    models = choose_models(arguments.model, roles, book=book, prices=prices)
    if arguments.max_cost is not None and (unpriced := models.of_unknown_cost()):
        raise UsageError(f"--max-cost cannot hold: the price of {', '.join(unpriced)} is not known; give --price.")
    return models


def _what_is_wanted(out: Path, arguments: argparse.Namespace) -> tuple[bool, bool]:
    """Return whether a build asks for callers and rules, and for scenarios of sets; errors: UsageError.

    Recorded answers say it themselves.
    """
    recorded = [Path(spec.partition(":")[2]) for spec in arguments.model if spec.startswith("recorded:")]
    for path in (out / ANSWERS, *recorded):
        if is_there(path) and path.stat().st_size:
            header = AnswerBook.read(path).header
            has_rules = "rules" in header
            if has_rules and arguments.no_rules:
                raise UsageError(
                    f"{str(path)!r} is of a domain with rules; leave out --no-rules, or give another --out."
                )
            return has_rules, "sets" in header
    return not arguments.no_rules, not arguments.no_rules


def _open_book(order: BuildOrder, specs: Sequence[str], out: Path, arguments: argparse.Namespace) -> AnswerBook:
    """The book of answers; from recorded answers alone, what was ordered is read from it."""
    path = out / ANSWERS
    if not is_there(path) and out.is_dir():
        foreign = sorted(each.name for each in out.iterdir())
        if foreign:
            raise UsageError(f"{str(out)!r} holds {foreign[0]!r}, which no build wrote; give another --out.")
    if set(specs) != {"recorded"}:
        return AnswerBook.open(path, order.header)
    if not is_there(path):
        raise UsageError(f"There are no recorded answers in {str(path)!r}.")
    return AnswerBook.open(path, order.header if arguments.source else {"keyword": order.keyword})


def check_model(arguments: argparse.Namespace) -> None:
    """Refuse a build without a model; errors: UsageError."""
    if not arguments.model:
        raise UsageError(f"No model was named; give --model SPEC, with {CHOICES}.")


def check_keyword(words: str) -> tuple[str, str]:
    """Return a keyword and the name of its domain, `job seeking` and `job_seeking`; errors: UsageError."""
    keyword = " ".join(words.split())
    name = re.sub(r"[^a-z0-9]+", "_", keyword.lower()).strip("_")[:40]
    if not name or not name[0].isalpha():
        raise UsageError(f"Keyword {keyword!r} names no domain; write a few words, as in 'job seeking'.")
    if len(keyword) > _LONGEST_KEYWORD:
        raise UsageError(
            f"The keyword has {len(keyword)} characters; at most {_LONGEST_KEYWORD} name a domain. "
            "Longer descriptions go into a file, with --source."
        )
    return keyword, name


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
        count = parse_json(read_text(out / "domain.json"))["provenance"]["tasks"]["count"]
    except (UsageError, ValueError, LookupError, TypeError):
        return _USUAL_TASKS
    return min(count, MOST_TASKS) if isinstance(count, int) else _USUAL_TASKS


_SCHEMA = f"""CREATE TABLE thing (  -- {UNFILLED}: what a row is
    thing_id TEXT,  -- {UNFILLED}: what it holds
    label TEXT NOT NULL,  -- {UNFILLED}: what it holds
    PRIMARY KEY (thing_id)
) STRICT, WITHOUT ROWID;
"""
_TOOL = f'''"""{UNFILLED}: what these tools are for."""

from typing import Annotated

from runtime import Database, TypedDict, tool


class Found(TypedDict):
    thing_id: Annotated[str, "{UNFILLED}"]
    label: Annotated[str, "{UNFILLED}"]


@tool(reads=["thing"], rejects=["NOT_FOUND"])
def show_thing(db: Database, thing_id: Annotated[str, "{UNFILLED}"]) -> Found:
    """{UNFILLED}: what this tool does, for the agent that reads it."""
    row = db.require("thing", thing_id)
    return {{"thing_id": row["thing_id"], "label": row["label"]}}
'''
_WORLD = f'''"""{UNFILLED}: rows for any world.size, made from world.random; these are the same for every seed."""

from runtime import WorldBuilder


def populate(world: WorldBuilder) -> None:
    for number in (1, 2, 3):
        world.insert("thing", label=f"Thing {{number}}")
'''


def _write_draft(name: str, folder: Path, tag: str | None) -> int:
    """Write the folder and say what is next."""
    from generator.author.locale import choose_locale

    locale = choose_locale(tag or AMERICAN.tag)
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{str(folder)!r} is there already; choose another keyword or --out.")
    card: dict[str, Any] = {
        "format": FORMAT,
        "name": name,
        "version": "0.1.0",
        "title": name.replace("_", " ").capitalize(),
        "summary": f"{UNFILLED}: what this world is about, in a sentence.",
        "clock": datetime.now().strftime("%Y-%m-%d 09:00:00"),
        **({} if locale.is_american else {"locale": locale.model_dump(mode="json")}),
    }
    files = {
        "domain.json": json.dumps(card, indent=2) + "\n",
        "schema.sql": _SCHEMA,
        "tools/thing.py": _TOOL,
        "world.py": _WORLD,
    }
    with building_beside(folder) as building:
        new = building / name
        (new / "tools").mkdir(parents=True)
        for path, text in files.items():
            (new / path).write_text(text, encoding="utf-8")
        load_domain(new)
        new.rename(folder)
    print_lines(
        [
            f"{folder}: a table, a tool and a world",
            f"Look at it with `worldsmith show {folder}`; `worldsmith check {folder}` lists what is left to do.",
        ]
    )
    return 0
