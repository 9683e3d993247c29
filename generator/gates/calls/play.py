"""Decide whether a call went wrong: its kind of outcome, and that what must not change has not changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Set
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal

from generator.gates.text_ids import ids_among, ids_in, text_columns
from runtime.domain.domain import Domain
from runtime.domain.schema import Key
from runtime.errors import EnvironmentFault
from runtime.sandbox.sqlite import open_memory
from runtime.session.session import Outcome, Session
from runtime.session.world import World

FREE_KINDS = ("INVALID_ARGUMENT", "RESOURCE_EXHAUSTED")  # need no declaration
_CALLS_PER_DUTY = 16  # between two looks at the duties

Trouble = Literal["fault", "undeclared", "changed_on_rejection", "changed_by_reading", "broken_state", "id_in_text"]


@dataclass
class Failure:
    """What must not happen, and did: one sentence, then how often, and the call that first showed it in one line."""

    kind: Trouble
    tool: str
    sentence: str
    line: str = ""
    times: int = 1


class CallPlayer:
    """One session and what is known of its state: a call that is rejected, or only reads, must leave it as it is."""

    def __init__(self, domain: Domain, world: World) -> None:
        self.domain = domain
        self.world = world
        self.session = Session(domain, world)
        self.history: list[tuple[str, Any]] = []  # the tools and arguments that led to the present state
        self._note_state()

    def play(self, tool: str, arguments: Any) -> tuple[Outcome | None, list[Failure]]:
        """Perform one call, whose arguments may be anything; there is no outcome where it crashed."""
        self.history.append((tool, arguments))
        try:
            if self.domain.rules:
                self.session.forbidding(tool, arguments)
                if len(self.history) % _CALLS_PER_DUTY == 0:
                    self.session.unmet_duties()
            outcome = self.session.perform(tool, arguments)
        except EnvironmentFault as fault:
            return None, [Failure("fault", tool, str(fault)), *self._changed(tool, "changed_on_rejection")]
        return outcome, [*self._check(tool, outcome)]

    def _check(self, name: str, outcome: Outcome) -> Iterator[Failure]:
        tool = self.domain.tools.get(name)
        rejection = outcome.rejection
        if rejection is not None:
            allowed = {*FREE_KINDS, *tool.rejects} if tool is not None else {"NOT_FOUND"}
            if rejection.kind not in allowed:
                yield Failure("undeclared", name, f"rejects with {rejection}, a kind that it does not declare")
            yield from self._changed(name, "changed_on_rejection")
        elif tool is not None and tool.read_only:
            yield from self._changed(name, "changed_by_reading")
        else:
            before = self._changes.rows
            self._note_state()
            now = self._changes.rows
            yield from self._ids_in_texts(name, {each for each in now if now[each] != before.get(each)})

    def _note_state(self) -> None:
        self._changes = self.session.changes
        self._image = self._connection().serialize()

    def _connection(self) -> sqlite3.Connection:
        self.session.open()
        assert self.session.connection is not None
        return self.session.connection

    def _changed(self, tool: str, kind: Trouble) -> Iterator[Failure]:
        """Say what a call changed that must change nothing: in the session's books, or behind them."""
        verb = "was rejected" if kind == "changed_on_rejection" else "declares no writes"
        before, now = self._changes.rows, self.session.changes.rows
        names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
        if names:
            shown = ", ".join(f"{table} {' / '.join(map(str, key))}" for table, key in names[:3])
            yield Failure(kind, tool, f"{verb}, but changed {shown}")
            self._note_state()
            return
        image = self._connection().serialize()
        if image != self._image:
            if moved := _contents_differ(self._image, image, self.domain):
                yield Failure(kind, tool, f"{verb}, but changed {moved} in the database")
            self._image = image

    def _ids_in_texts(self, tool: str, written: Set[tuple[str, Key]]) -> Iterator[Failure]:
        """Find an id that a tool wrote into a text by itself: no argument holds it."""
        schema = self.domain.schema
        rows = {name: change.after for name, change in self._changes.rows.items() if change.after is not None}
        ids = ids_among(schema, {table: [row for (name, _), row in rows.items() if name == table] for table, _ in rows})
        for name in written & rows.keys():
            table = schema.tables[name[0]]
            for column in text_columns(table, self.domain.policies):
                for token in ids_in(rows[name][table.positions[column]], ids):
                    if token not in _texts_in([arguments for _, arguments in self.history]):
                        yield Failure("id_in_text", tool, f"wrote the id {token!r} into the text {table.name}.{column}")
                        return

    def reset(self) -> bool:
        """Go back to the world; return whether that is where the session is now, by a full scan."""
        self.session.reset()
        self.history = []
        self._note_state()
        changes, digest = self.session.scanned()
        return not changes.rows and digest == f"{self.world.digest:032x}"

    def check_state(self) -> Iterator[Failure]:
        """Say what is wrong with the state: constraints, and the session's books against a full scan."""
        tool = self.history[-1][0] if self.history else "-"
        connection = self._connection()
        for name, _, parent, *_ in connection.execute("PRAGMA foreign_key_check").fetchmany(1):
            yield Failure("broken_state", tool, f"a row of {name} refers to a missing row of {parent}")
        for (said,) in connection.execute("PRAGMA integrity_check(1)").fetchall():
            if said != "ok":
                yield Failure("broken_state", tool, f"SQLite says {said!r}")
        changes, digest = self.session.scanned()
        if changes != self.session.changes or digest != self.session.digest():
            yield Failure("broken_state", tool, "the session's changes and digest are not those of a full scan")


def _texts_in(value: Any) -> str:
    """Return all texts within a value in one."""
    texts, pending = [], [value]
    while pending:
        each = pending.pop()
        if isinstance(each, str):
            texts.append(each)
        elif isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            pending += [*each, *each.values()]
    return "\n".join(texts)


def _contents_differ(before: bytes, after: bytes, domain: Domain) -> str:
    """Name the first table in which two images differ by more than the order of their pages."""
    with closing(open_memory(before)) as one, closing(open_memory(after)) as other:
        for table in domain.schema.tables.values():
            if one.execute(table.select_all).fetchall() != other.execute(table.select_all).fetchall():
                return table.name
        counters = [connection.execute("PRAGMA user_version").fetchone() for connection in (one, other)]
        return "the counter of ids" if counters[0] != counters[1] else ""
