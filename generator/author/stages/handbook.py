"""Stage `handbook`: the articles in which an office's own people look up its rules and duties, asked for once."""

from __future__ import annotations

from pathlib import Path

from generator.author.ask import Asker, Question, ask, entries_named
from generator.author.draft import PROVING
from generator.author.locale import describe_place, locale_of
from generator.author.writing.designs import prompt
from generator.gates.folder import FolderRequest
from generator.gates.rules.handbook import (
    HandbookRequest,
    HandbookTrial,
    WrittenHandbook,
    describe_office_rules,
    try_handbook,
)
from generator.isolation.process import run_job


async def write_handbook(asker: Asker, folder: Path) -> str:
    """Return the text of `handbook.json` for a finished folder with rules; errors: StageFailed, ModelFailed."""
    office = run_job(describe_office_rules, FolderRequest(folder), PROVING)
    asker.place = describe_place(locale_of(folder))

    def tried(written: WrittenHandbook) -> HandbookTrial:
        return run_job(try_handbook, HandbookRequest(folder, written), PROVING)

    question = Question(
        stage="handbook",
        key="handbook",
        role="rules",
        prompt=prompt("handbook", title=office.title, summary=office.summary, rules="\n".join(office.rules)),
        repair="Give only the articles that change or are new, each one whole; keys in `drop` are removed.",
        max_tokens=16_000,
    )
    asked = await ask(
        asker,
        question,
        WrittenHandbook,
        lambda written: tried(written).faults,
        merge=WrittenHandbook.merged,
        excerpt=entries_named(articles=["key"]),
    )
    return tried(asked.insist("The handbook")).text
