"""Which domains a batch makes, one after another, and what each took: `worldsmith new --batch FILE`."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from generator.build.ask import CostSpent
from generator.build.roles import roles_asked
from runtime.errors import EnvironmentFault, ModelFailed, StageFailed, UsageError
from runtime.model.book import AnswerBook
from runtime.model.choose import choose_models
from runtime.model.prices import Price, read_prices
from runtime.sandbox.files import is_there, parse_json, read_lines, read_text
from runtime.terminal import print_lines
from runtime.text_table import table_lines
from runtime.wording import counted

MOST_LINES = 1_000


@dataclass(frozen=True)
class BatchDomain:
    """A line of the batch: its arguments, as those of a command of its own, and the folder that it makes."""

    place: str  # FILE:LINE
    arguments: argparse.Namespace
    name: str
    out: Path


@dataclass(frozen=True)
class BatchRow:
    """What a domain took up to now, all commands together, as its folder says; `state` is one or two words."""

    name: str
    state: str
    tokens: int
    repairs: int
    dropped: int
    dollars: float | None

    def as_json(self) -> dict[str, Any]:
        """The row as plain JSON values."""
        return {**vars(self), "dollars": None if self.dollars is None else round(self.dollars, 6)}


def read_batch(
    path: Path,
    common: argparse.Namespace,
    add_options: Callable[[argparse.ArgumentParser], None],
    place_of: Callable[[argparse.Namespace], tuple[str, Path]],
) -> list[BatchDomain]:
    """The domains of a file, one a line: a keyword with options, in place of those that the command has for all.

    `place_of` gives the name and the folder of a line's arguments. Errors: UsageError with the first wrong line.
    """
    found: list[BatchDomain] = []
    for number, line in read_lines(path):
        place = f"{path}:{number}"
        try:
            words = shlex.split(line.decode(), comments=True)
        except ValueError as error:
            raise UsageError(f"{place}: the line cannot be read: {str(error).lower()}.") from None
        if not words:
            continue
        parser = _LineParser(place)
        add_options(parser)
        arguments = parser.parse_args(words)
        for option, value in vars(common).items():
            if option in vars(arguments) and getattr(arguments, option) == parser.get_default(option):
                setattr(arguments, option, value)
        try:
            if arguments.keyword is None:
                raise UsageError("the line has options, but no keyword.")
            name, out = place_of(arguments)
        except UsageError as error:
            raise UsageError(f"{place}: {error}") from None
        twice = [each.place for each in found if each.out == out]
        if twice:
            raise UsageError(f"{place}: {str(out)!r} is made by {twice[0]} already; give one of them another keyword.")
        found.append(BatchDomain(place, arguments, name, out))
        if len(found) > MOST_LINES:
            raise UsageError(f"{str(path)!r} names more than {MOST_LINES:,} domains.")
    if not found:
        raise UsageError(f'{str(path)!r} names no domain; write one a line, as in: "job seeking" --tools 40.')
    return found


def make_batch(
    batch: Sequence[BatchDomain], make: Callable[[argparse.Namespace], object], most: float | None, *, as_json: bool
) -> int:
    """Make the domains that are not there yet; 1 if one failed, else 0. `most` dollars are spent on all of them.

    One that fails is said, and the next is made; the same command goes on where a stopped one was.
    """
    _say(_plan_lines(batch, most))
    spent, failed = 0.0, dict[str, str]()
    for each in batch:
        if _is_made(each):
            continue
        left = None if most is None else most - spent
        if left is not None and left <= 0:
            failed[each.name] = "not begun"
            continue
        before = _read_row(each).dollars or 0.0
        limits = [limit for limit in (left, each.arguments.max_cost) if limit is not None]
        each.arguments.max_cost = min(limits) if limits else None
        try:
            make(each.arguments)
        except (UsageError, StageFailed, ModelFailed, EnvironmentFault) as error:
            failed[each.name] = "stopped" if isinstance(error, CostSpent) else "failed"
            _say([f"error: {each.name}: {error}"])
        spent += (_read_row(each).dollars or 0.0) - before
    rows = [replace(row, state=failed.get(row.name, row.state)) for row in map(_read_row, batch)]
    if as_json:
        json.dump({"domains": [row.as_json() for row in rows]}, sys.stdout, indent=2, ensure_ascii=False)
        print()
    else:
        print_lines(_result_lines(rows))
    return 1 if failed else 0


class _LineParser(argparse.ArgumentParser):
    """A line's options, whose faults are ours to say."""

    def __init__(self, place: str) -> None:
        super().__init__(prog=place, add_help=False, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}.")


def _is_made(domain: BatchDomain) -> bool:
    """Whether its folder is whole, and what the line asks for; errors: UsageError for another's answers."""
    if not (is_there(domain.out / "domain.json") and is_there(domain.out / "answers.jsonl")):
        return False
    asked = domain.arguments
    tools = {"tools": asked.tools} if asked.tools is not None else {}
    AnswerBook.read(domain.out / "answers.jsonl", {"keyword": " ".join(asked.keyword.split()), **tools})
    if asked.no_scenarios:
        return True
    tasks = _read_provenance(domain.out).get("tasks")
    count = tasks.get("count") if isinstance(tasks, dict) else 0
    return asked.count in (None, count)


def _read_provenance(out: Path) -> dict[str, Any]:
    try:
        made = parse_json(read_text(out / "domain.json"))["provenance"]
    except (UsageError, ValueError, LookupError, TypeError):
        return {}
    return made if isinstance(made, dict) else {}


def _read_row(domain: BatchDomain) -> BatchRow:
    if not is_there(domain.out / "answers.jsonl"):
        return BatchRow(domain.name, "new", 0, 0, 0, 0.0)
    book = AnswerBook.read(domain.out / "answers.jsonl")
    usage = book.usage()
    dropped = _read_provenance(domain.out).get("dropped")
    return BatchRow(
        name=domain.name,
        state="made" if is_there(domain.out / "domain.json") else counted(len(book), "answer"),
        tokens=usage.prompt + usage.completion,
        repairs=sum(entry.attempt > 1 for entry in book),
        dropped=len(dropped) if isinstance(dropped, dict) else 0,
        dollars=usage.cost,
    )


def _plan_lines(batch: Sequence[BatchDomain], most: float | None) -> Iterator[str]:
    """What there is of each domain, and what it took up to now; errors: UsageError with the first wrong line."""
    rows = [_read_row(each) for each in batch]
    for each in batch:
        asked = each.arguments
        book = _book_of(each)
        rules = not asked.no_rules if book is None else "rules" in book.header
        roles = roles_asked(asked.model or [], book, scenarios=not asked.no_scenarios, rules=rules)
        try:
            prices = {model: Price.plain(*dollars) for model, dollars in read_prices(asked.price).items()}
            models = choose_models(asked.model or [], roles, book=book, prices=prices)
            if (most or asked.max_cost) is not None and models.of_unknown_cost():
                raise UsageError(
                    f"--max-cost cannot hold: the price of {', '.join(models.of_unknown_cost())} is not known; "
                    "give --price."
                )
            _is_made(each)
        except UsageError as error:
            raise UsageError(f"{each.place}: {error}") from None
    made: list[list[object]] = [
        [row.name, row.state, each.arguments.tools or 50, row.tokens] for row, each in zip(rows, batch, strict=True)
    ]
    made.append(["in all", "", "", sum(row.tokens for row in rows)])
    return table_lines(["domain", "there is", "tools", "tokens"], made)


def _book_of(domain: BatchDomain) -> AnswerBook | None:
    path = domain.out / "answers.jsonl"
    return AnswerBook.read(path) if is_there(path) else None


def _result_lines(rows: Sequence[BatchRow]) -> Iterator[str]:
    known = [row.dollars for row in rows if row.dollars is not None]
    whole = BatchRow(
        "in all",
        "",
        sum(row.tokens for row in rows),
        sum(row.repairs for row in rows),
        sum(row.dropped for row in rows),
        sum(known) if len(known) == len(rows) else None,
    )
    return table_lines(
        ["domain", "state", "tokens", "repairs", "dropped tools", "dollars"],
        (
            [row.name, row.state, row.tokens, row.repairs, row.dropped, _shown_dollars(row.dollars)]
            for row in [*rows, whole]
        ),
    )


def _shown_dollars(dollars: float | None) -> str:
    return "unknown" if dollars is None else f"{dollars:.2f}"


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, file=sys.stderr, flush=True)
