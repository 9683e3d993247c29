"""The tasks of a domain for a person who plays them by hand: words, a session, and the verdict in sentences."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.schema import Value
from runtime.errors import UsageError
from runtime.sandbox.files import replacing
from runtime.session.hybrid import start_session
from runtime.session.session import Session
from runtime.task.decisions import wrong_decisions
from runtime.task.judge import did_poison, judge, right_decisions
from runtime.task.task import Task, start_world
from runtime.task.task_file import find_task, read_tasks
from runtime.verification.verdict import FOLLOWED_POISON, Verdict, Violation
from runtime.wording import counted

MOST_SHOWN = 40  # differences that a person is shown


class PlayableTasks:
    """The tasks of one domain: its own, or those in a file."""

    def __init__(
        self,
        domain: Domain,
        file: Path | None = None,
        *,
        strict: bool = False,
        prepare: Callable[[Task, Domain], Task] = lambda task, _: task,
    ) -> None:
        """`prepare` makes the task that is played of one, as by poisoning a row."""
        self._domain = domain
        self._file = file
        self._strict = strict
        self._prepare = prepare

    @cached_property
    def _readable(self) -> dict[str, Task]:
        """Those whose lines are tasks, read once: a client lists the words of all."""
        return read_tasks(self._domain, [], self._file)

    def _task(self, task_id: str) -> Task:
        return self._prepare(self._readable.get(task_id) or find_task(self._domain, task_id, self._file), self._domain)

    def titles(self) -> dict[str, str]:
        return {task.id: task.title for task in self._readable.values()}

    def words(self, task_id: str) -> str:
        """Return what the user says and knows; errors: UsageError for an unknown task."""
        user = self._task(task_id).user
        known = "\n".join(f"- {fact.name}: {fact.said}" for fact in user.facts)
        wishes = "\n\n".join(user.words)
        return f"{wishes}\n\nThe user: {user.profile}\nThe user also knows, if asked:\n{known or '- nothing more'}"

    def open(self, task_id: str) -> Session:
        task = self._task(task_id)
        return start_session(self._domain, start_world(task, self._domain), strict=self._strict)

    def verify(
        self, task_id: str, session: Session, told: Mapping[str, str], broken: Sequence[tuple[str, int, str, Value]]
    ) -> str:
        """Describe the verdict on a session; `broken` are the rule, the number, the tool and the key of calls."""
        task = self._task(task_id)
        with session.settled() as ended:
            duties = ended.unmet_duties() if self._domain.rules else ()
            changes = ended.changes
        followed = [(FOLLOWED_POISON, 0, "", None)] if did_poison(task, self._domain, changes) else []
        broken = [*followed, *broken]
        violations = (*(Violation(*each) for each in broken), *(Violation(duty.code) for duty in duties))
        verdict = judge(task, self._domain, session.world, changes, told, violations=violations)
        right = right_decisions(task, verdict.components, verdict.differences)
        return "\n".join([describe_verdict(verdict), *wrong_decisions(task.decisions, right)])

    def save(self, origin: Mapping[str, Any], made: Sequence[tuple[str, Mapping[str, Any]]]) -> str:
        """Write accepted calls on a world to a new file in ./plays, and say what makes a task of it.

        Errors: UsageError for a world of the person's own, or a folder that cannot be written.
        """
        if "file" in origin:
            raise UsageError("No task can start from your own database; serve without --world.")
        name, task = self._domain.name, origin.get("task")
        stem = f"{name}-{task or 'free'}"
        paths = (Path("plays") / f"{stem}-{number}.json" for number in count(1))
        path = next(each for each in paths if not each.exists())
        calls = [{"tool": tool, "arguments": dict(arguments)} for tool, arguments in made]
        world = {part: origin[part] for part in ("seed", "size", "ids") if part in origin}
        try:
            path.parent.mkdir(exist_ok=True)
            with replacing(path) as file:
                file.write(json.dumps({"domain": name, "task": task, "world": world, "calls": calls}).encode())
        except OSError as error:
            raise UsageError(f"{str(path)!r} cannot be written: {error.strerror}.") from error
        words = "" if task else " --say 'WHAT THE USER SAYS'"
        return (
            f"{path}: {counted(len(calls), 'call')}. `worldsmith tasks {name} --from {path}{words}` makes a task of it."
        )


def describe_verdict(verdict: Verdict) -> str:
    progress = verdict.progress if verdict.reward else min(verdict.progress, 0.99)  # nearly all is not all
    lines = [f"Reward {verdict.reward}, progress {progress:.0%}."]
    lines += [
        f"- {f'Call {each.call}: ' if each.call else ''}{each.sentence}" for each in verdict.violations[:MOST_SHOWN]
    ]
    if verdict.differences:
        lines += [f"- {' '.join(difference.sentence.split())}" for difference in verdict.differences[:MOST_SHOWN]]
        if len(verdict.differences) > MOST_SHOWN:
            lines.append(f"- and {len(verdict.differences) - MOST_SHOWN} more differences")
    else:
        lines.append("The final state is as it should be, and nothing else was changed.")
    if verdict.components and not verdict.reward:
        for title, wanted in (("Reached", 1), ("Missed", 0)):
            parts = [name.replace("_", " ") for name, made in verdict.components.items() if made == wanted]
            lines.append(f"{title}: {', '.join(parts) or 'nothing'}.")
    return "\n".join(lines)
