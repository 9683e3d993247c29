"""Build domains from scripted answers, and watch how it goes."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from generator.author.ask import Asker
from generator.author.build import build
from generator.author.design import BuildOrder
from generator.author.draft import Draft
from generator.author.stage import Stage
from runtime.model.book import AnswerBook, RecordedModel
from runtime.model.choose import Models
from runtime.model.model import Answer, Model, Request
from tests.generator import lending
from tests.runtime.model.scripted import ScriptedModel


class Notes:
    """A watcher that writes everything down."""

    def __init__(self) -> None:
        self.repairs: list[tuple[str, str, tuple[str, ...]]] = []
        self.sentences: list[str] = []

    def asked(self, request: Request) -> None:
        """Not of interest."""

    def answered(self, request: Request, answer: Answer | None) -> None:
        """Not of interest."""

    def repaired(self, stage: str, key: str, complaints: Sequence[str]) -> None:
        """Keep the complaints."""
        self.repairs.append((stage, key, tuple(complaints)))

    def began(self, stages: Sequence[Stage], number: int, count: int) -> None:
        """Not of interest."""

    def said(self, sentence: str) -> None:
        """Keep the sentence."""
        self.sentences.append(sentence)


ORDER = BuildOrder(lending.KEYWORD, "tool_lending", lending.COUNT)


def build_lending(
    out: Path,
    script: Any = None,
    *,
    model: Model | None = None,
    repairs: int = 2,
    notes: Notes | None = None,
    scenarios: bool = True,
    tasks: int = 0,
) -> tuple[Draft, ScriptedModel]:
    """Build the lending domain into a folder, from its answers or from a script of the test's own."""
    scripted = ScriptedModel(script if script is not None else lending.answers())
    with AnswerBook.open(out / "answers.jsonl", ORDER.header) as book:
        asker = Asker(Models(RecordedModel(book, model or scripted), {}), notes or Notes(), repairs)
        return asyncio.run(build(replace(ORDER, scenarios=scenarios, tasks=tasks), asker, book, out)), scripted


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a domain folder but its answers."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "answers.jsonl"
    }


def leave_out_scenarios(folder: Path) -> None:
    """Take from a folder's answers those of its scenarios."""
    path = folder / "answers.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line).get("stage") not in ("scenarios", "reading")]
    assert len(kept) < len(lines)
    path.write_text("".join(kept))


@contextmanager
def answering(folder: Path, answers: dict[Any, dict[str, Any]], texts: list[str] | None = None) -> Iterator[list[str]]:
    """Answer the requests of a relay folder and of those in it; yields what was answered, as its path there.

    The words of each request are added to `texts`.
    """
    asked: list[str] = []
    done = threading.Event()

    def answer() -> None:
        while not done.is_set():
            for request in sorted(folder.rglob("*.request.md")):
                if request.parent.name == "stale":
                    continue
                name = request.name.removesuffix(".request.md")
                stage, key, _ = name.split(".")
                reply = request.with_name(f"{name}.answer.json")
                content = answers.get((stage, key)) or answers.get((stage, key.partition("-")[0])) or answers.get(stage)
                if content is not None and not reply.exists():
                    if texts is not None:
                        texts.append(request.read_text(encoding="utf-8"))
                    asked.append(request.relative_to(folder).as_posix().removesuffix(".request.md"))
                    new = request.with_name(f"{name}.answer.tmp")
                    new.write_text(json.dumps(content))
                    new.replace(reply)
            time.sleep(0.05)

    answerer = threading.Thread(target=answer)
    answerer.start()
    try:
        yield asked
    finally:
        done.set()
        answerer.join()
