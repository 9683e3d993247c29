"""`worldsmith mine`: from texts of tasks to keywords for `worldsmith new`, what the domains at hand lack first."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from generator.audit.foreign import KINDS, ForeignSet, SetSource
from generator.author.ask import Asker, Question, ask, side_by_side
from generator.author.design import BuildOrder, DesignPart, Sentence
from generator.author.draft import Draft
from generator.author.stages.tools import screen
from generator.author.writing.designs import prompt
from generator.commands.new import CHOICES, check_keyword, choose_models_of
from generator.commands.watch_build import BuildWatcher, relay_folders
from generator.themes import MinedText, Theme, agree, clean_texts, find_themes
from runtime.commands.options import JSON, PRICE, command, int_option, list_option, option, path_option, text_option
from runtime.commands.output import Result, check_output, write_output
from runtime.commands.progress import Progress
from runtime.domain.load import find_domain, named_folders
from runtime.errors import KeywordRefused, UsageError
from runtime.model.book import AnswerBook
from runtime.sandbox.files import parse_json, read_lines
from runtime.text_table import table_lines
from runtime.wording import counted

_LEAST = 0.2  # mean cosine of two clusters that are joined
_GOOD = 7  # of 10: usefulness and modelability, as EnvScaler has it
_SHOWN, _LONGEST_TEXT = 6, 1_000  # texts of a theme that a model reads, and characters of each
_SET_SECONDS = 60
_TOOLS = 50  # that a world of a keyword would have, as its screening is told


class ThemeReading(DesignPart):
    """What a model takes a theme to be."""

    keyword: str = Field(min_length=3, max_length=60)
    stateful: Literal["yes", "no"]
    usefulness: int = Field(ge=1, le=10)
    modelability: int = Field(ge=1, le=10)
    reason: Sentence


@command(
    "mine",
    "Find themes in the texts of tasks: those with like words are put together and named by their words, or by a "
    "model, which also screens them; they are ranked by their size and by how far they are from the domains at hand. "
    "With --out, a keyword on each line, for `xargs worldsmith new`.",
    option("texts", help="a file: a text on each line, or a JSON object; or tau2:retail, general-agent, bfcl:base"),
    path_option("--data", "PATH", "checkout of that set"),
    text_option("--field", "NAME", "of a JSON object, the field that holds the text", default="text"),
    text_option("--known", "PATTERN", "an expression whose first group, in an id, is a text's theme: print the purity"),
    list_option("--domain", "DOMAIN", "at hand (default: all that `worldsmith list` shows)"),
    option("--least", type=float, within=(0.1, 1), default=_LEAST, metavar="X", help="cosine that joins (default 0.2)"),
    int_option("--fewest", said="texts of a theme", within=(1, 10_000), default=2),
    int_option("-n", "--count", said="themes to print", within=(1, 10_000), default=20),
    list_option("--model", "SPEC", f"who names and screens them: {CHOICES}"),
    option("--max-cost", type=float, above=0, metavar="USD", help="stop before more than this is spent"),
    PRICE,
    path_option("--out", "FILE", "write the keywords; answers of a model are kept in FILE.answers.jsonl"),
    JSON,
)
def mine(arguments: argparse.Namespace) -> Result:
    """Find the themes, and write their keywords."""
    if arguments.out is not None:
        check_output(arguments.out)
    if arguments.model and arguments.out is None:
        raise UsageError("--model needs --out FILE, so that every answer is kept.")
    given = list(_read(arguments))
    texts = clean_texts(given)
    if not texts:
        raise UsageError(f"{arguments.texts!r} holds no text of four words or more.")
    themes = find_themes(texts, dict(_domains(arguments.domain)), arguments.least)
    fit = [each for each in themes if len(each.texts) >= arguments.fewest][: arguments.count]
    agreement = agree(texts, arguments.least) if arguments.known else None
    readings = _ask_model(arguments, fit) if arguments.model else [(each.label, "") for each in fit]
    found = list(zip(fit, *zip(*readings, strict=True), strict=True)) if fit else []
    keywords = list(dict.fromkeys(keyword for _, keyword, refused in found if not refused and _is_keyword(keyword)))
    if arguments.out is not None:
        write_output(arguments.out, [f"{each}\n" for each in keywords])
    rows = [
        [keyword, len(theme.texts), theme.nearest, f"{theme.likeness:.2f}", refused or theme.texts[0].id]
        for theme, keyword, refused in found
    ]
    lines = [
        f"{counted(len(given), 'text')}, {len(texts)} after cleaning; {counted(len(themes), 'theme')}, "
        f"{sum(len(each.texts) >= arguments.fewest for each in themes)} of {arguments.fewest} texts or more",
        *table_lines(["keyword", "texts", "nearest domain", "likeness", "such as, or why not"], rows),
    ]
    if agreement is not None:
        lines += [
            "",
            f"against {agreement.known} known themes: {agreement.clusters} clusters, purity {agreement.purity:.3f}, "
            f"wholeness {agreement.wholeness:.3f}; the nearest text is of the same theme for {agreement.nearest:.3f} "
            f"of {agreement.nearest_of}",
        ]
    if not arguments.model:
        lines += ["", "Keywords are words that texts share: read them before you build. `worldsmith new` screens each."]
    content = {
        "texts": len(given),
        "clean": len(texts),
        "themes": len(themes),
        "agreement": agreement,
        "keywords": keywords,
        "ranked": [{"keyword": keyword, "refused": refused, **_described(theme)} for theme, keyword, refused in found],
    }
    return Result(content, lines)


def _described(theme: Theme) -> dict[str, Any]:
    return {
        "label": theme.label,
        "rank": round(theme.rank, 4),
        "nearest": theme.nearest,
        "likeness": round(theme.likeness, 4),
        "texts": [each.id for each in theme.texts],
    }


def _read(arguments: argparse.Namespace) -> Iterator[MinedText]:
    """Yield the texts of a file or of a task set; errors: UsageError."""
    try:
        known = re.compile(arguments.known) if arguments.known else None
    except re.error as error:
        raise UsageError(f"--known is {arguments.known!r}, which is not a regular expression: {error}.") from None
    for id_, text in _texts_of_set(arguments) if arguments.data else _texts_of_file(arguments):
        found = known.search(id_) if known else None
        if known is not None and (found is None or not found.groups()):
            raise UsageError(f"--known {arguments.known!r} has no group that finds a theme in {id_!r}.")
        yield MinedText(id_, text, found[1] if found else "")


def _texts_of_set(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    kind, _, name = arguments.texts.partition(":")
    if kind not in KINDS or not arguments.data.is_dir():
        raise UsageError(f"--data needs a folder and a set of {', '.join(KINDS)}; got {arguments.texts!r}.")
    source = SetSource(kind, name, arguments.data, seconds=_SET_SECONDS)
    with ForeignSet(source) as opened:
        yield from ((each.id, each.text) for each in opened.tasks)


def _texts_of_file(arguments: argparse.Namespace) -> Iterator[tuple[str, str]]:
    for number, line in read_lines(Path(arguments.texts)):
        try:
            text = line.decode()
            record = parse_json(text) if text.startswith("{") else {arguments.field: text}
        except ValueError as error:
            raise UsageError(f"Line {number} of {arguments.texts!r} is not UTF-8, or not JSON: {error}.") from None
        if not isinstance(record.get(arguments.field), str):
            raise UsageError(f"Line {number} of {arguments.texts!r} has no text in {arguments.field!r}; see --field.")
        yield str(record.get("id", number)), record[arguments.field]


def _domains(names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the domains at hand with their words: title, summary, and what tools say of themselves."""
    found = {card.parent.name: card.parent for root in reversed(named_folders()) for card in root.glob("*/domain.json")}
    for place in names or map(str, found.values()):
        domain = find_domain(place)
        tools = (f"{each.name} {each.description}" for each in domain.tools.values())
        yield domain.name, " ".join([domain.card.title, domain.card.summary, *tools])


def _is_keyword(label: str) -> bool:
    try:
        return bool(check_keyword(label))
    except UsageError:
        return False


def _ask_model(arguments: argparse.Namespace, themes: Sequence[Theme]) -> list[tuple[str, str]]:
    """Have a model name and screen themes: each keyword, and why it is refused, empty where it is not."""
    named = hashlib.sha256(json.dumps([[t.id for t in each.texts] for each in themes]).encode()).hexdigest()
    book = AnswerBook.open(arguments.out.with_name(f"{arguments.out.name}.answers.jsonl"), {"mined": named})
    with book, Progress(f"naming {counted(len(themes), 'theme')}") as progress:
        about = 2 * len(themes)
        watcher = BuildWatcher(book, progress, relay_folders(arguments.model), about, is_whole=False)
        models = choose_models_of(arguments, ["screen"], book)
        asker = Asker(models, watcher, max_cost=arguments.max_cost, questions=about)
        return asyncio.run(_name_all(asker, themes))


async def _name_all(asker: Asker, themes: Sequence[Theme]) -> list[tuple[str, str]]:
    return await side_by_side([_name(asker, theme, f"theme{number}") for number, theme in enumerate(themes, start=1)])


async def _name(asker: Asker, theme: Theme, key: str) -> tuple[str, str]:
    shown = "\n\n".join(
        f"Request {at}:\n{each.text[:_LONGEST_TEXT]}" for at, each in enumerate(theme.texts[:_SHOWN], 1)
    )
    question = Question(
        stage="theme",
        key=key,
        role="screen",
        prompt=prompt("theme", label=theme.label, texts=shown),
        max_tokens=1_000,
    )
    asked = await ask(
        asker, question, ThemeReading, lambda it: () if _is_keyword(it.keyword) else (f"{it.keyword!r} names nothing",)
    )
    reading = asked.insist(f"The reading of the theme {theme.label!r}")
    if reading.stateful == "no" or min(reading.usefulness, reading.modelability) < _GOOD:
        marks = f"usefulness {reading.usefulness}, modelability {reading.modelability}, stateful {reading.stateful}"
        return reading.keyword, f"{marks}: {reading.reason}"
    try:
        await screen(asker, Draft(key, order=BuildOrder(reading.keyword, key, _TOOLS)), key)
    except KeywordRefused as refused:
        return reading.keyword, str(refused)
    return reading.keyword, ""
