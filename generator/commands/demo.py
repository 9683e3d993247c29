"""`worldsmith demo`: rebuild a domain from its recorded answers, and play tasks on its compiled server."""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic_core import to_jsonable_python

from generator.author.ask import Asker
from generator.author.build import build
from generator.author.design import BuildOrder
from generator.commands.handbook import ANSWERS as HANDBOOK_ANSWERS
from generator.commands.watch_build import BuildWatcher
from generator.tasks.interlocks import FILE as INTERLOCKS
from runtime.commands.options import JSON, command, int_option, option
from runtime.commands.output import Result
from runtime.commands.progress import Progress
from runtime.compiling import compile_domain, make_bundle, write_place
from runtime.domain.domain import Domain
from runtime.domain.handbook import HANDBOOK
from runtime.domain.load import find_domain
from runtime.environment import require_mcp
from runtime.errors import EnvironmentFault, UsageError
from runtime.harness.agents.baselines import IdleAgent
from runtime.harness.agents.reference import ReferenceAgent
from runtime.harness.conversation import AgentKind
from runtime.harness.play import Setting, play
from runtime.harness.record import EpisodeRecord
from runtime.harness.users.scripted import ScriptedKind
from runtime.model.book import AnswerBook, RecordedModel
from runtime.model.choose import Models
from runtime.session.world import World
from runtime.task.story import TIMED_FILE
from runtime.task.task import Task, start_world
from runtime.task.task_file import read_tasks
from runtime.wording import counted, said_seconds

ANSWERS = "answers.jsonl"
_MADE_LATER = (ANSWERS, INTERLOCKS, HANDBOOK, HANDBOOK_ANSWERS, TIMED_FILE, "tasks")
_USUAL = "community_garden"  # a domain without answers is only played


@dataclass(frozen=True)
class Rebuilt:
    """A domain built again from its recorded answers, with the files that differ from the shipped ones."""

    answers: int
    files: int
    differences: list[str]
    seconds: float

    @property
    def sentence(self) -> str:
        """What a person is told of it."""
        took = f"Rebuilt from {counted(self.answers, 'recorded answer')} in {said_seconds(self.seconds)}"
        if self.differences:
            return f"{took}: NOT the shipped folder; these differ: {', '.join(self.differences)}."
        return f"{took}: {counted(self.files, 'file')}, each as shipped, byte for byte."


@dataclass(frozen=True)
class DemoTask:
    """A task, and the episodes of two agents, each with the verdict on what it left in the database."""

    task: Task
    reference: EpisodeRecord
    idle: EpisodeRecord

    @property
    def is_fine(self) -> bool:
        """True if the reference agent is rewarded and the idle one is not."""
        return self.reference.reward == 1 and self.idle.reward == 0

    def as_json(self) -> dict[str, Any]:
        """Return the task and both episodes."""
        episodes = {"reference": _as_json(self.reference), "idle": _as_json(self.idle)}
        return {"task": self.task.id, "title": self.task.title, **episodes}


@command(
    "demo",
    "Compile a domain; start the compiled server over stdio once per task and agent; judge each final database by "
    "rule. The reference agent plays the task's chain, the idle agent does nothing. Then rebuild the domain from its "
    "recorded answers, if it has them, and compare every byte.",
    option("domain", nargs="?", default=_USUAL, help=f"name or path of the domain (default {_USUAL})"),
    int_option("-n", "--count", said="play N tasks", within=(1, 10_000), default=4),
    JSON,
)
def demo(arguments: argparse.Namespace) -> Result:
    """Show it all; 0 if the reference agent earns 1 and the idle agent 0 each time."""
    domain = find_domain(arguments.domain)
    tasks = list(read_tasks(domain).values())
    if not tasks:
        raise UsageError(
            f"Domain {domain.name!r} has no tasks to play; make some with `worldsmith tasks {domain.name} -n 10`."
        )
    say: Callable[[str], object] = (lambda _: None) if arguments.json else partial(print, flush=True)
    with TemporaryDirectory(prefix="worldsmith-demo-") as place:
        files = compile_domain(domain)
        server = Path(place) / "compiled" / domain.name
        write_place(server, files)
        size = f"{counted(len(files), 'file')}, and a bundle of {len(make_bundle(domain, files)) / 1024:.0f} KiB"
        say(f"Compiled {domain.name} to a server of {size}.")
        played = _play_all(domain, _choose(tasks, arguments.count), server, say)
        # What takes minutes comes last.
        rebuilt = _rebuild(domain, Path(place) / "rebuilt") if (domain.path / ANSWERS).is_file() else None
    fine = all(each.is_fine for each in played) and not (rebuilt and rebuilt.differences)
    lines = [rebuilt.sentence] if rebuilt else []
    lines.append("Everything is as it should be." if fine else "NOT everything is as it should be.")
    content = {"domain": domain.name, "ok": fine, "rebuilt": rebuilt, "tasks": played}
    return Result(content, lines, 0 if fine else 1)


def _rebuild(domain: Domain, folder: Path) -> Rebuilt:
    """Run the build on the recorded answers alone, and compare; errors: ModelFailed if an answer is missing."""
    folder.mkdir()
    shutil.copyfile(domain.path / ANSWERS, folder / ANSWERS)
    tasks = domain.card.provenance.get("tasks", {}).get("count", 0)
    started = time.monotonic()
    with AnswerBook.open(folder / ANSWERS, {}) as book, Progress(f"rebuilding {domain.name}") as progress:
        stages = {entry.stage for entry in book}
        order = BuildOrder(
            keyword=str(book.header.get("keyword")),
            name=domain.name,
            count=book.header.get("tools", len(domain.tools)),
            scenarios="scenarios" in stages,
            tasks=tasks,
            rules="rules" in book.header,
            sets="sets" in book.header,
            tables=book.header.get("tables"),
        )
        watcher = BuildWatcher(book, progress)
        asyncio.run(build(order, Asker(Models(RecordedModel(book), {}), watcher), book, folder))
        answers = len(book)
    shipped, made = _contents(domain.path), _contents(folder)
    if withdrawn := domain.card.provenance.get("withdrawn"):  # by a person, since it was built
        card = json.loads(made["domain.json"])
        card["provenance"]["withdrawn"] = withdrawn
        made["domain.json"] = f"{json.dumps(card, indent=2, ensure_ascii=False)}\n".encode()
    differences = [name for name in sorted({*shipped, *made}) if shipped.get(name) != made.get(name)]
    return Rebuilt(answers, len(made), differences, round(time.monotonic() - started, 1))


def _contents(folder: Path) -> dict[str, bytes]:
    """Return what a build writes; interlocks, handbook, timed scenarios and further sets of tasks come later."""
    files = {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}
    return {
        name.as_posix(): path.read_bytes()
        for name, path in files.items()
        if "__pycache__" not in name.parts and name.parts[0] not in _MADE_LATER
    }


def _choose(tasks: Sequence[Task], count: int) -> list[Task]:
    """Choose some tasks, the same every time, the smaller worlds first."""
    chosen = random.Random("demo").sample(list(tasks), min(count, len(tasks)))
    return sorted(chosen, key=lambda task: (task.world.size, tasks.index(task)))


def _play_all(domain: Domain, tasks: Sequence[Task], server: Path, say: Callable[[str], object]) -> list[DemoTask]:
    require_mcp()
    played: list[DemoTask] = []
    say(f"Playing {counted(len(tasks), 'task')} on it, over MCP and stdio:")
    for number, task in enumerate(tasks, 1):
        world = start_world(task, domain)
        records = []
        with Progress(f"playing task {number} of {len(tasks)} on the compiled server", 2) as progress:
            for agent in (ReferenceAgent(), IdleAgent()):
                progress.tell(f"{task.title}: {agent.name} agent")
                records.append(_play(task, domain, world, server, agent))
                progress.advance()
        played.append(DemoTask(task, *records))
        say("\n".join(_described(played[-1])))
    rewarded, idle = (sum(getattr(each, who).reward for each in played) for who in ("reference", "idle"))
    say(f"\nOf {counted(len(played), 'task')}, the reference agent solved {rewarded} and the idle agent {idle}.")
    return played


def _described(each: DemoTask) -> Iterator[str]:
    reference = each.reference
    yield ""
    yield f"  {' '.join(each.task.title.split())}"
    yield f'    user: "{_cut(each.task.user.words[0])}"'
    yield f"    reference agent: reward {reference.reward}, after {counted(reference.calls, 'call')}"
    for sentence in filter(None, [reference.why, *(each.sentence for each in reference.differences)]):
        yield f"      {sentence}"
    yield f"    idle agent: reward {each.idle.reward}; {each.idle.reason}"


def _cut(words: str) -> str:
    words = " ".join(words.split())
    return words if len(words) <= 100 else f"{words[:97]}..."


def _play(task: Task, domain: Domain, world: World, server: Path, agent: AgentKind) -> EpisodeRecord:
    """Play a task on a server process of its own; errors: EnvironmentFault for an episode without a verdict."""
    from runtime.harness.mcp_connection import over_stdio

    command = (sys.executable, "-P", str(server / "server.py"))
    setting = Setting(agent, ScriptedKind(), connect=over_stdio(command))
    record = asyncio.run(play(task, domain, world, 0, setting))
    if record.reward is None:
        raise EnvironmentFault(f"Task {task.id!r}, {agent.name} agent: {record.why}")
    return record


def _as_json(record: EpisodeRecord) -> dict[str, Any]:
    return {
        "reward": record.reward,
        "progress": record.progress,
        "differences": [{**to_jsonable_python(each), "sentence": each.sentence} for each in record.differences],
        "calls": record.calls,
        "why": record.why,
    }
