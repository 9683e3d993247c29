"""`worldsmith handbook`: have a model write a domain's rules as the articles of a handbook to search."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from generator.author.mend import MendAsker
from generator.author.stages.handbook import write_handbook
from generator.commands.new import CHOICES, check_model, choose_models_of
from generator.commands.watch_build import BuildWatcher, relay_folders
from generator.gates.folder import FolderRequest
from generator.gates.rules.handbook import prove_handbook
from generator.isolation.process import run_job
from runtime.commands.options import DOMAIN, JSON, PRICE, command, int_option, list_option, option
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.domain.handbook import HANDBOOK
from runtime.domain.load import RULES, find_folder, is_carried
from runtime.errors import UsageError
from runtime.model.book import AnswerBook
from runtime.sandbox.files import replacing

ANSWERS = "handbook_answers.jsonl"
_ROLE = "rules"


@command(
    "handbook",
    "Ask a model once for the rules and duties of a finished domain as the articles of a handbook, prove that these "
    "decide every rule case and are found by search, and write handbook.json, for `--policy handbook`. The answer is "
    "kept at once in handbook_answers.jsonl; the same command resumes, and `--model recorded` asks nobody.",
    DOMAIN,
    list_option("--model", "[ROLE=]SPEC", f"who answers: {CHOICES}; ROLE is {_ROLE}"),
    option("--max-cost", type=float, above=0, metavar="USD", help="stop before more than this is spent"),
    PRICE,
    int_option("--repairs", said="how often the gate may send an answer back", within=(0, 10), default=3),
    JSON,
)
def handbook(arguments: argparse.Namespace) -> Result:
    """Write the handbook of a domain."""
    check_model(arguments)
    folder = find_folder(arguments.domain)
    if is_carried(arguments.domain):
        raise UsageError(f"{folder.name} belongs to the installed package; copy it to ./domains to write its handbook.")
    if not (folder / RULES).is_file():
        raise UsageError(f"{folder.name} has no {RULES}; a handbook is made of its rules.")
    try:
        with (
            Progress(f"writing the handbook of {folder.name}") as progress,
            AnswerBook.open(folder / ANSWERS, {"handbook": True}) as book,
        ):
            watcher = BuildWatcher(book, progress, relay_folders(arguments.model), 1, is_whole=False)
            models = choose_models_of(arguments, [_ROLE], book)
            asker = MendAsker(models, watcher, arguments.repairs, arguments.max_cost, questions=1)
            text = asyncio.run(write_handbook(asker, folder))
    finally:
        if not any(AnswerBook.read(folder / ANSWERS)):
            (folder / ANSWERS).unlink()
    with replacing(folder / HANDBOOK) as file:
        file.write(text.encode())
    usage = book.usage()
    report = run_job(prove_handbook, FolderRequest(folder))
    content: dict[str, Any] = {"domain": folder.name, "file": folder / HANDBOOK, "articles": report.figures.own}
    content |= {"tokens": usage.prompt + usage.completion}
    line = f"{folder / HANDBOOK}: {report.figures.own} articles, {content['tokens']:,} tokens"
    return Result(content, [line, *report.faults], 1 if report.faults else 0)
