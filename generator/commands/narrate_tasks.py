"""The part of `worldsmith tasks` that narrates: the model and its answers, and what is printed of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from generator.build.ask import Asker
from generator.build.narrate import ROLE, Narration, narrate
from generator.commands.watch_build import BuildWatcher, relay_folders
from generator.isolation.answer import ProofFailed
from generator.tasks.make import Made, Making
from runtime.commands.progress import Progress
from runtime.errors import StageFailed, UsageError
from runtime.model.answer_book import AnswerBook
from runtime.model.choose import choose_models
from runtime.sandbox.files import is_there
from runtime.task.task_file import task_line
from runtime.wording import counted


def check_model(spec: str, answers: Path) -> None:
    """Whether somebody can be asked, before anything is made; errors: UsageError."""
    if spec != "recorded":
        choose_models([spec], [ROLE])
    elif not is_there(answers):
        raise UsageError(f"There are no recorded narrations in {str(answers)!r}.")


def narrate_tasks(made: Made, making: Making, spec: str, answers: Path) -> Narration:
    """Put the words of the tasks that were made as each persona would; errors: UsageError, ModelFailed, StageFailed."""
    with AnswerBook.open(answers, {"domain": made.tasks[0].domain}) as book:
        models = choose_models([spec], [ROLE], book=book)
        with Progress("narrating") as progress:
            asker = Asker(models, BuildWatcher(book, progress, relay_folders([spec])), repairs=0)
            try:
                narration = asyncio.run(narrate(asker, made.tasks, making.folder, making.processes))
            except ProofFailed as failed:
                raise StageFailed(str(failed)) from failed
    made.tasks = narration.tasks
    made.lines = [task_line(task) for task in narration.tasks]
    return narration


def describe_narration(narration: Narration) -> Iterator[str]:
    """How many wishes were rewritten, and why others were not."""
    wishes = counted(narration.rewritten + sum(narration.plain.values()), "wish")
    yield f"  narrated          {narration.rewritten} of {wishes}; the others stay plain"
    for reason, count in narration.plain.most_common():
        yield f"  {count:>6}  {reason}; the first: {narration.first_reasons[reason]}"
