"""Let a model put the words of tasks as each persona would, and keep what says the same; the rest stays plain.

A wish is kept as rewritten if every fact of it survives and none is added; what was dictated stands letter by letter.
Answers are written to `narrations.jsonl` in the domain's folder, from which the same narration comes again.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import Field

from generator.build.ask import Asker, ask, side_by_side
from generator.build.design import DesignPart, schema_of
from generator.build.writing.prompts import prompt
from generator.isolation.job import job
from generator.isolation.limits import ProvingLimits
from generator.isolation.prove import prove_all
from generator.scenarios.judge import GREETING
from generator.tasks.proofs.identifiability import try_identifiability
from generator.tasks.proofs.knowledge import StatedKnowledge
from generator.tasks.proofs.replayer import TaskReplayer
from generator.tasks.proofs.sufficiency import try_sufficiency
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import EnvironmentFault, Rejection, StageFailed, UsageError
from runtime.model.model import Request
from runtime.task.dictation import is_dictated
from runtime.task.task import KnownFact, Task, start_world
from runtime.task.user import MOST_WORDINGS
from runtime.verification.text.match import match_text, tells

FILE = "narrations.jsonl"
ROLE = "narrate"
TASKS_PER_REQUEST = 8
_AT_ONCE = 8  # requests
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'-]+")  # a capital that no sentence begins with
_ONESELF = frozenset({"i", "i'm", "i'd", "i'll", "i've"})
_SECONDS = ProvingLimits(cpu_seconds=1_200, wall_seconds=6_000, answer_bytes=64 * 1024**2)


class NarratedTask(DesignPart):
    """The words of one task as a model put them."""

    id: str
    words: list[str]


class NarratedTasks(DesignPart):
    """What a model answers for some tasks."""

    tasks: list[NarratedTask] = Field(default=[])


@dataclass
class Narration:
    """The tasks after it, how many wishes were rewritten, and why others stayed plain."""

    tasks: list[Task] = field(default_factory=list)
    rewritten: int = 0
    plain: Counter[str] = field(default_factory=Counter)  # by reason
    first_reasons: dict[str, str] = field(default_factory=dict)

    def keep_plain(self, task: Task, reason: str, sentence: str, wishes: int = 1) -> None:
        """Count wishes that stay as they were."""
        self.plain[reason] += wishes
        self.first_reasons.setdefault(reason, f"{task.id}: {sentence}")

    @property
    def as_json(self) -> dict[str, Any]:
        """Counts."""
        return {"rewritten": self.rewritten, "plain": dict(self.plain)}


async def narrate(asker: Asker, tasks: Sequence[Task], folder: Path, processes: int | None = None) -> Narration:
    """The tasks in their personas' words; errors: ModelFailed, UsageError."""
    batches = [tasks[at : at + TASKS_PER_REQUEST] for at in range(0, len(tasks), TASKS_PER_REQUEST)]
    limit = asyncio.Semaphore(_AT_ONCE)
    answers = await side_by_side([_ask(asker, batch, limit) for batch in batches])
    told = {each.id: each.words for each in chain.from_iterable(answers)}
    narration = Narration()
    for task in tasks:
        narration.tasks.append(_narrated(task, told.get(task.id), narration))
    await asyncio.to_thread(_prove_again, tasks, narration, folder, processes)
    return narration


def request_for(tasks: Sequence[Task]) -> Request:
    """The question about some tasks; its key is that of their words, so that no answer is taken for another."""
    asked = json.dumps([[task.id, task.user.profile, task.user.words] for task in tasks], ensure_ascii=False)
    return Request(
        role=ROLE,
        stage=ROLE,
        key=blake2b(asked.encode(), digest_size=8).hexdigest(),
        attempt=1,
        prefix="",
        prompt=prompt("narrate", tasks="\n\n".join(map(_described, tasks))),
        schema=schema_of(NarratedTasks),
        max_tokens=1_000 + 1_000 * len(tasks),
    )


def faults_of_wish(task: Task, number: int, words: str) -> Iterator[str]:
    """Why a wish in other words does not say what the plain one says."""
    plain = task.user.words[number]
    for text in task.texts_said("dictated"):
        if is_dictated(text, plain) and not is_dictated(text, words):
            yield f"it does not dictate the text {text!r} word for word"
    told = [fact for fact in task.user.facts if _says(plain, fact)]
    for fact in told:
        if not _says(words, fact):
            yield f"{fact.name} {fact.said!r} is missing"
    known = {
        word.casefold() for text in (plain, *(fact.said for fact in told)) for word in re.findall(r"[\w'-]+", text)
    }
    for name in _NAME.findall(words):
        if name.casefold() not in known | _ONESELF:
            yield f"{name!r} is added"
    if number and GREETING.search(words) and not GREETING.search(plain):
        yield "it greets in the middle of a conversation"
    match = match_text(plain, words, [fact.said for fact in told])
    if not match.same:
        yield match.reason


@dataclass(frozen=True)
class WordsRequest:
    """Tasks of a domain folder with new words."""

    folder: Path
    tasks: list[Task]


@dataclass(frozen=True)
class WordsReport:
    """For each task why its words do not hold; empty if they do."""

    faults: list[str]


@job("words")
def prove_words(asked: WordsRequest) -> WordsReport:
    """Prove that the words of tasks say enough, and one thing only; errors: BrokenDomain."""
    domain = load_domain(asked.folder)
    return WordsReport([_fault_of_words(domain, task) for task in asked.tasks])


def _fault_of_words(domain: Domain, task: Task) -> str:
    try:
        with TaskReplayer(domain, task, start_world(task, domain)) as replayer:
            knowledge = StatedKnowledge(domain, task)
            trials = [*try_sufficiency(replayer, knowledge), *try_identifiability(replayer, knowledge)]
    except (EnvironmentFault, Rejection, UsageError) as error:
        return str(error)
    return next((trial.fault for trial in trials if not trial.passed), "")


async def _ask(asker: Asker, tasks: Sequence[Task], limit: asyncio.Semaphore) -> list[NarratedTask]:
    async with limit:
        try:
            asked = await ask(asker, request_for(tasks), NarratedTasks, lambda _: ())
        except StageFailed as failed:
            asker.watcher.said(str(failed))
            return []
    return asked.artifact.tasks


def _narrated(task: Task, words: Sequence[str] | None, narration: Narration) -> Task:
    """A task with the wishes that say the same in other words."""
    plain = task.user.words
    if words is None or len(words) != len(plain):
        said = "it was left out" if words is None else f"{len(words)} wishes came of {len(plain)}"
        narration.keep_plain(task, "no wish for each wish", said, len(plain))
        return task
    wishes = []
    for number, (old, new) in enumerate(zip(plain, map(str.strip, words), strict=True)):
        fault = next(faults_of_wish(task, number, new), "") if new != old else ""
        if fault:
            narration.keep_plain(task, "another meaning", fault)
        elif new == old:
            narration.keep_plain(task, "the same words", "nothing was rewritten")
        else:
            narration.rewritten += 1
        wish = task.user.wishes[number]
        wordings = wish.words if fault or new == old else [new, *wish.words][:MOST_WORDINGS]
        wishes.append(wish.model_copy(update={"words": wordings}))
    return task.model_copy(update={"user": task.user.model_copy(update={"wishes": wishes})})


def _prove_again(before: Sequence[Task], narration: Narration, folder: Path, processes: int | None) -> None:
    """Prove that the new words hold in the world of their task; where they do not, the plain ones come back."""
    changed = [at for at, task in enumerate(narration.tasks) if task.user.words != before[at].user.words]
    shares = max(1, processes or 2)
    parts = [part for share in range(shares) if (part := changed[share::shares])]
    asked = [WordsRequest(folder, [narration.tasks[at] for at in part]) for part in parts]
    reports = prove_all(prove_words, asked, _SECONDS, processes, reads=[folder])
    for part, report in zip(parts, reports, strict=True):
        for at, fault in zip(part, report.faults, strict=True):
            if fault:
                pairs = zip(narration.tasks[at].user.words, before[at].user.words, strict=True)
                rewritten = sum(new != old for new, old in pairs)
                narration.rewritten -= rewritten
                narration.keep_plain(before[at], "unproven", fault, rewritten)
                narration.tasks[at] = before[at]


def _says(words: str, fact: KnownFact) -> bool:
    """Whether words tell a fact; a text that goes into a call as it is said stands as it is written."""
    if fact.value == fact.said and fact.said in words:
        return True
    if fact.value == fact.said and not any(letter.isdigit() for letter in fact.said):
        return False
    return tells(words, fact.said)


def _described(task: Task) -> str:
    verbatim = [text for text in task.texts if any(text in words for words in task.user.words)]
    verbatim += [fact.said for fact in task.user.facts if fact.value == fact.said and fact.said not in verbatim]
    wishes = "\n".join(f"{number}. {words}" for number, words in enumerate(task.user.words, start=1))
    exactly = f"\nLetter by letter: {' | '.join(verbatim)}" if verbatim else ""
    return f"## {task.id}\n\nWho: {task.user.profile}\n\n{wishes}\n{exactly}".rstrip()
