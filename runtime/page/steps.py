"""A recorded episode as the steps of a play: each call and each thing said, and the cells that every call changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from runtime.domain.changes import RowStep
from runtime.domain.domain import Domain
from runtime.domain.handbook import with_handbook
from runtime.domain.load import find_named
from runtime.domain.schema import Schema
from runtime.domain.waiting import CLOCK_TOOLS
from runtime.errors import WorldsmithError
from runtime.harness.conversation import Message
from runtime.harness.evaluation.store import DomainInRun, Run
from runtime.harness.outcome import accepted_calls
from runtime.harness.record import EpisodeRecord, write_changes
from runtime.sandbox.files import parse_json
from runtime.session.clock import Clock
from runtime.session.hybrid import start_session
from runtime.session.world import WorldCache
from runtime.task.task import start_world

MOST_TEXT = 12_000  # characters of one message or one value
_MOST_EXACT = 2**53  # beyond it, a browser's numbers lose digits

Cell = dict[str, Any]


def tell_steps(record: EpisodeRecord, cells: Mapping[int, Sequence[Cell]] | None) -> list[dict[str, Any]]:
    """Return the steps of an episode; `cells` are those that each call changed, by the call's number from 1.

    Where nobody knows them, they are None of each call. The steps are like those of a play, but what does not apply to
    a step is left out: there are many in a report.
    """
    steps = [_step(0, "start")]
    broken: dict[int, list[str]] = {}
    for violation in record.violations:
        if violation.call is not None:
            broken.setdefault(violation.call, []).append(violation.sentence)
    unanswered: list[dict[str, Any]] = []
    calls = 0
    for message in record.messages:
        if message.role == "tool" and unanswered:
            step = unanswered.pop(0)
            step["replies"].append(_reply(message))
            if message.is_error:
                step["refused"] = True
            if message.fault:
                step["fault"] = message.fault
            if step["tool"] in CLOCK_TOOLS and '"now":' in message.text:
                step["time"] = {"now": str(parse_json(message.text.encode())["now"]), "events": []}
        elif message.role == "user" or (message.role == "assistant" and not message.by_agent):
            steps[-1]["replies"].append(_reply(message))
        elif message.role == "assistant":
            unanswered = []
            for call in message.calls:
                calls += 1
                step = _step(len(steps), "call", tool=call.name, arguments=exact(call.arguments))
                if cells is None:
                    step["cells"] = None
                elif calls in cells:
                    step["cells"] = list(cells[calls])
                if calls in broken:
                    step["violations"] = broken[calls]
                steps.append(step)
                unanswered.append(step)
            if not message.calls:
                steps.append(_step(len(steps), "say"))
            if message.text.strip():
                steps[-max(len(message.calls), 1)]["text"] = cut(message.text)
    if record.end == "gave_up":
        steps.append(_step(len(steps), "say", note=cut(record.why)))
    steps[-1] |= {"done": True, "ended": record.end}
    return steps


def tell_time(clock: Clock, known: int = 0) -> dict[str, Any] | None:
    """Return what time it is, and which events happened after the first ones; None where time stands still."""
    if clock.plan is None:
        return None
    events = [
        {"at": at, "event": event.id, "did": cut(event.does), "notice": event.notice, "refused": cut(fault)}
        for at, event, fault in clock.happened[known:]
    ]
    return {"now": clock.now, "events": events}


def _step(number: int, kind: str, **parts: Any) -> dict[str, Any]:
    return {"number": number, "kind": kind, **parts, "replies": []}


def _reply(message: Message) -> dict[str, Any]:
    return {"role": message.role, "text": cut(message.text)}


class Replayer:
    """Makes the calls of recorded episodes again, on domains of this machine that are the same as in the run."""

    def __init__(self) -> None:
        self._domains: dict[str, Domain | None] = {}
        self._worlds = WorldCache()

    def cells(self, run: Run, record: EpisodeRecord) -> dict[int, list[Cell]] | None:
        """Return the cells that each call of an episode changed, by the call's number from 1.

        None where the domain is not here or has changed since, so that the calls do not lead to the recorded end.
        """
        domain, task = self.find(run.domains[record.domain]), run.tasks[record.domain, record.task]
        cells: dict[int, list[Cell]] = {}
        if domain is None:
            return None
        try:
            as_played: Domain = with_handbook(domain) if run.config.handbook else domain
            with start_session(as_played, start_world(task, domain, self._worlds)) as session:
                for _, call in accepted_calls(record.messages, timed=bool(task.clock)):
                    before = session.changes
                    session.perform(call.tool, call.arguments)
                    changed = list(changed_cells(domain.schema, before.steps_to(session.changes)))
                    if changed:
                        cells[call.number] = changed
                session.settle()
                final = write_changes(session.changes)
        except WorldsmithError:
            return None
        return cells if final == record.final or record.end == "void" else None

    def find(self, described: DomainInRun) -> Domain | None:
        """Return a domain as it was in a run, None where it is not here like that."""
        if described.digest not in self._domains:
            domain = None
            with suppress(WorldsmithError):
                domain = find_named(described.name)
            self._domains[described.digest] = domain if domain and domain.digest == described.digest else None
        return self._domains[described.digest]


def changed_cells(schema: Schema, rows: Iterable[RowStep]) -> Iterator[Cell]:
    """Yield the cells in which rows differ; `row` says whether the row was added, changed or removed."""
    for (name, key), (before, after) in rows:
        kind = "added" if before is None else "removed" if after is None else "changed"
        for place, column in enumerate(schema.tables[name].column_names):
            was, now = (None if row is None else exact(row[place]) for row in (before, after))
            if kind != "changed" or was != now:
                told = {"table": name, "key": [exact(part) for part in key], "row": kind, "column": column}
                yield told | {"was": was, "now": now}


def exact(value: Any) -> Any:
    """Return a value for a browser: a number that it would round, as text; a long text, cut."""
    match value:
        case bool() | None:
            return value
        case int():
            return value if abs(value) <= _MOST_EXACT else str(value)
        case str():
            return cut(value)
        case Mapping():
            return {str(name): exact(each) for name, each in value.items()}
        case list() | tuple():
            return [exact(each) for each in value]
    return value


def cut(text: str) -> str:
    """Return a text, or its start and what is missing."""
    left = len(text) - MOST_TEXT
    return text if left <= 0 else f"{text[:MOST_TEXT]}\n... and {left:,} more characters, which the store holds"
