"""Sessions that were played, of which tasks can be made: episodes of runs, plays, and files that `serve` wrote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from generator.tasks.make import write_lines
from runtime.domain.domain import Domain
from runtime.domain.handbook import with_handbook
from runtime.domain.load import is_carried
from runtime.errors import UsageError
from runtime.harness.conversation import Message
from runtime.harness.evaluation.store import Run, read_outcomes, read_run
from runtime.harness.outcome import accepted_calls, told_to_user
from runtime.sandbox.files import is_there, read_lines
from runtime.session.world import World
from runtime.task.handbook import plain_steps
from runtime.task.task import Step, Task, WorldRecipe, start_world
from runtime.task.task_file import find_task, parse_task, task_line
from runtime.task.user import User, Wish
from runtime.wording import have

NO_TASK = "none"  # the id of a source in which nobody wants anything


@dataclass(frozen=True)
class PlayedSession:
    """A session: `name` is that of its run or play, `source` the task that was played, or one of nobody's on its world.

    `lost` is what an agent did that lost the source, and `told` what it told the user, by the name of the answer.
    """

    name: str
    domain: Domain = field(repr=False)
    source: Task
    calls: tuple[Step, ...]
    lost: tuple[Step, ...] | None = None
    told: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def world(self) -> World:
        """The world that it started from; errors: UsageError, EnvironmentFault."""
        return start_world(self.source, self.domain)


def steps_of(messages: Sequence[Message], domain: Domain) -> tuple[Step, ...]:
    """Return the calls of a conversation that went through, with their values written out.

    `domain` is as it was played, perhaps with a handbook, of which the calls have no trace.
    """
    made = (Step(tool=call.tool, arguments={**call.arguments}) for _, call in accepted_calls(messages))
    return tuple(plain_steps(made, domain))


def nobodys_task(domain: Domain, world: WorldRecipe) -> Task:
    """Return a task in which nobody wants anything."""
    nobody = User(profile="Nobody.", wishes=[Wish(words=["Nobody asks for anything."], acts=False)])
    return Task(format=2, id=NO_TASK, domain=domain.name, title="No task", world=world, user=nobody)


class SavedPlay(BaseModel):
    """A session as `debug_save_play` writes it."""

    model_config = ConfigDict(extra="forbid")

    domain: str
    task: str | None = None
    world: WorldRecipe
    calls: list[Step]


def read_session(asked: str, domain: Domain, tasks: Path | None = None) -> PlayedSession:
    """Read the session that RUN, RUN:NUMBER, RUN:TASK or PLAY.json means; errors: UsageError."""
    path, _, which = (asked, "", "") if Path(asked).is_file() else asked.rpartition(":")
    if Path(path).suffix == ".json":
        try:
            saved = SavedPlay.model_validate_json(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValidationError) as error:
            raise UsageError(
                f"{path!r} is not a play that debug_save_play wrote: {' '.join(str(error).split())}."
            ) from error
        if saved.domain != domain.name:
            raise UsageError(f"{path!r} was played in domain {saved.domain!r}, not in {domain.name!r}.")
        source = find_task(domain, saved.task, tasks) if saved.task else nobodys_task(domain, saved.world)
        return PlayedSession(Path(path).stem, domain, source, tuple(saved.calls))
    run = read_run(Path(path or asked))
    records = read_outcomes(run).numbered(run)
    own = [(number, record) for number, record in records if record.domain == domain.name]
    chosen = [each for each in own if which in ("", str(each[0]), each[1].task)] or own[:0]
    if not chosen:
        names = [*map(str, dict(own)), *dict.fromkeys(record.task for _, record in own)]
        raise UsageError(f"Run {path!r} has no episode {which!r} in domain {domain.name!r}; {have(which, names)}.")
    return session_of_episode(run, min(chosen, key=lambda each: each[1].reward != 0)[0], domain)


def session_of_episode(run: Run, number: int, domain: Domain) -> PlayedSession:
    """Return the session of an episode by its number; errors: UsageError if it is void, or its task is another one."""
    record = run.attempt(number)
    if record.reward is None:
        raise UsageError(f"Episode {number} of {str(run.path)!r} is void: {record.why} Choose one that was judged.")
    source, as_played = run.tasks[record.domain, record.task], with_handbook(domain) if run.config.handbook else domain
    calls = steps_of(record.messages, as_played)
    played = PlayedSession(run.path.stem, domain, source, calls)
    if record.reward:
        return played
    told = told_to_user(source, domain, played.world, record.messages)
    return PlayedSession(run.path.stem, domain, source, calls, calls, told)


def own_file(named: str, folder: Path) -> Path:
    """Return the file of a domain's own tasks; one that is shipped has its tasks in a folder here."""
    return Path("tasks") / f"{folder.name}.jsonl" if is_carried(named) else folder / "tasks.jsonl"


def ids_in(path: Path) -> list[str]:
    """Return the ids of the tasks in a file, none where there is none; errors: UsageError."""
    return [task.id for task in _read(path)]


def add_task(task: Task, path: Path) -> None:
    """Add a task to a file in one step; errors: UsageError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_lines(path, [task_line(each) for each in (*_read(path), task)])


def _read(path: Path) -> Iterable[Task]:
    try:
        return [parse_task(line) for _, line in read_lines(path) if line.strip()] if is_there(path) else []
    except ValueError as error:
        raise UsageError(
            f"{str(path)!r} holds a line that is not a task: {' '.join(str(error).split())[:200]}."
        ) from None
