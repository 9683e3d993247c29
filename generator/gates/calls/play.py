"""Perform calls on a session and check each: its kind of outcome, and that what must not change has not changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from generator.gates.text_ids import ids_among, ids_in, text_columns
from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault
from runtime.sandbox.connect import open_memory
from runtime.session.session import Outcome, Session, Snapshot
from runtime.session.world import World

FREE_KINDS = ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")  # need no declaration

Trouble = Literal["fault", "undeclared", "changed_on_rejection", "changed_by_reading", "broken_state", "id_in_text"]


class RandomCall(NamedTuple):
    """A tool and its arguments, which may be anything that an agent can send."""

    tool: str
    arguments: Any


@dataclass(frozen=True)
class Failure:
    """What must not happen, and did: at which call, and one sentence."""

    kind: Trouble
    tool: str
    sentence: str


_CALLS_PER_DUTY = 16


@dataclass(frozen=True)
class CallOutcome:
    """What one call came to: no outcome where it crashed."""

    outcome: Outcome | None
    failures: tuple[Failure, ...]


class CallPlayer:
    """One session and what is known of its state: a call that is rejected, or only reads, must leave it as it is."""

    def __init__(self, domain: Domain, world: World, principal: str | None) -> None:
        self.domain = domain
        self.world = world
        self.principal = principal
        self.session = Session(domain, world, principal=principal)
        self.history: list[RandomCall] = []  # the calls that led to the present state
        self._note_state()

    def play(self, call: RandomCall) -> CallOutcome:
        """Perform one call."""
        self.history.append(call)
        try:
            self._ask_rules(call)
            outcome = self.session.perform(call.tool, call.arguments)
        except EnvironmentFault as fault:
            failures = [Failure("fault", call.tool, str(fault)), *self._changed(call, "changed_on_rejection")]
            return CallOutcome(None, tuple(failures))
        return CallOutcome(outcome, tuple(self._check(call, outcome)))

    def _ask_rules(self, call: RandomCall) -> None:
        """Let the rules judge the call, and now and then the duties the state; errors: EnvironmentFault."""
        if self.domain.rules:
            self.session.forbidding(call.tool, call.arguments)
            if len(self.history) % _CALLS_PER_DUTY == 0:
                self.session.unmet_duties()

    def _check(self, call: RandomCall, outcome: Outcome) -> Iterator[Failure]:
        tool = self.domain.tools.get(call.tool)
        rejection = outcome.rejection
        if rejection is not None:
            allowed = {*FREE_KINDS, *tool.rejects} if tool is not None else {"NOT_FOUND"}
            if rejection.kind not in allowed:
                yield Failure("undeclared", call.tool, f"rejects with {rejection}, a kind that it does not declare")
            yield from self._changed(call, "changed_on_rejection")
        elif tool is not None and tool.read_only:
            yield from self._changed(call, "changed_by_reading")
        else:
            self._note_state()

    def _note_state(self) -> None:
        self._changes = self.session.changes
        self._digest = self.session.digest()
        self._image = self._bytes()

    def _bytes(self) -> bytes:
        self.session.open()
        connection = self.session.connection
        assert connection is not None
        return connection.serialize()

    def _changed(self, call: RandomCall, kind: Trouble) -> Iterator[Failure]:
        """Say what a call changed that must change nothing: in the session's books, or behind them."""
        verb = "was rejected" if kind == "changed_on_rejection" else "declares no writes"
        if self.session.changes != self._changes or self.session.digest() != self._digest:
            yield Failure(kind, call.tool, f"{verb}, but changed {_rows_between(self._changes.rows, self.session)}")
            self._note_state()
            return
        image = self._bytes()
        if image != self._image:
            if moved := _contents_differ(self._image, image, self.domain):
                yield Failure(kind, call.tool, f"{verb}, but changed {moved} in the database")
            self._image = image

    def snapshot(self) -> tuple[Snapshot, list[RandomCall]]:
        """The present state and how it came about."""
        return self.session.snapshot(), list(self.history)

    def restore(self, snapshot: tuple[Snapshot, list[RandomCall]]) -> None:
        """Go back to it."""
        self.session.restore(snapshot[0])
        self.history = list(snapshot[1])
        self._note_state()

    def reset(self) -> bool:
        """Go back to the world; whether that is where the session is now, by a full scan."""
        self.session.reset()
        self.history = []
        self._note_state()
        changes, digest = self.session.scanned()
        return not changes.rows and digest == f"{self.world.digest:032x}"

    def reopen(self) -> None:
        """Close the database and open it again."""
        self.session.park()
        self._note_state()

    def move_to_fork(self) -> None:
        """Go on in another session that was split off."""
        forked = self.session.fork()
        self.session.close()
        self.session = forked
        self._note_state()

    def check_state(self) -> Iterator[Failure]:
        """What is wrong with the state: constraints, the session's books against a full scan, ids in texts."""
        tool = self.history[-1].tool if self.history else "-"
        session = self.session
        session.open()
        assert session.connection is not None
        for sentence in faults_of_database(session.connection):
            yield Failure("broken_state", tool, sentence)
        changes, digest = session.scanned()
        if changes != session.changes or digest != session.digest():
            yield Failure("broken_state", tool, "the session's changes and digest are not those of a full scan")
        yield from self._ids_in_texts(tool)

    def _ids_in_texts(self, tool: str) -> Iterator[Failure]:
        """An id that a tool wrote into a text by itself: it stands in no argument."""
        schema = self.domain.schema
        changed = self.session.changes.rows
        after: dict[str, list[Any]] = {name: [] for name in schema.tables}
        for (name, _), change in changed.items():
            if change.after is not None:
                after[name].append(change.after)
        ids = ids_among(schema, after)
        given: list[str] | None = None
        for name, rows in after.items():
            for column in text_columns(schema.tables[name], self.domain.policies):
                for row in rows:
                    for token in ids_in(row[schema.tables[name].positions[column]], ids):
                        given = _texts_in([call.arguments for call in self.history]) if given is None else given
                        if not any(token in text for text in given):
                            yield Failure("id_in_text", tool, f"wrote the id {token!r} into the text {name}.{column}")
                            return

    def close(self) -> None:
        """End the session."""
        self.session.close()


def faults_of_database(connection: sqlite3.Connection) -> Iterator[str]:
    """What SQLite itself finds wrong with a state: references, and every other constraint."""
    for name, _, parent, *_ in connection.execute("PRAGMA foreign_key_check").fetchmany(1):
        yield f"a row of {name} refers to a missing row of {parent}"
    for (said,) in connection.execute("PRAGMA integrity_check(1)").fetchall():
        if said != "ok":
            yield f"SQLite's integrity check says {said!r}"


def _texts_in(value: Any) -> list[str]:
    """All texts within a value, however deep."""
    texts, pending = [], [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            texts.append(each)
        elif isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            pending += [*each, *each.values()]
    return texts


def _rows_between(before: Mapping[Any, Any], session: Session) -> str:
    now = session.changes.rows
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return ", ".join(f"{table} {' / '.join(map(str, key))}" for table, key in names[:3]) or "the digest"


def _contents_differ(before: bytes, after: bytes, domain: Domain) -> str:
    """The first table in which two images differ by more than the order of their pages."""
    with closing(open_memory(before)) as one, closing(open_memory(after)) as other:
        for table in domain.schema.tables.values():
            if one.execute(table.select_all).fetchall() != other.execute(table.select_all).fetchall():
                return table.name
        counters = [connection.execute("PRAGMA user_version").fetchone() for connection in (one, other)]
        return "the counter of ids" if counters[0] != counters[1] else ""
