"""A world: an initial database state, built by a domain's world program from a seed and a size."""

from __future__ import annotations

import math
import random
import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from pydantic import ValidationError

from runtime.domain.changes import Changes, scan_digest
from runtime.domain.domain import Domain
from runtime.domain.policies import Policies
from runtime.domain.schema import Key, Schema, Value
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.sandbox.budget import Budget, spend
from runtime.sandbox.sqlite import open_foreign, open_memory
from runtime.session.clock import TABLE, ClockPlan, read_plan, write_plan
from runtime.session.past import Office
from runtime.session.workspace import make_id
from runtime.wording import counted

_STEPS_PER_INSERT, _TEXT_PER_STEP = 30, 64  # as in a call of a tool
CODE_STEPS_PER_ROW = 2_000  # what a world program may do for each row that was asked for
LARGEST_SIZE = 5_000_000  # rows
_LARGEST_COUNTER = 2**30  # SQLite keeps the counter in 31 bits
_LEAST_IDS_DEALT, _IDS_DEALT_PER_ROW = 9_999, 10  # some are left for rows added later

DEFAULT_SEED, DEFAULT_SIZE = 1, 300

IdNumbers = Literal["counted", "dealt"]
"""How ids are numbered: 1, 2, 3, ... as the rows were made, or at random."""


@dataclass(frozen=True, eq=False)
class World:
    """An immutable database state that sessions start from; shared by all of them."""

    image: bytes = field(repr=False)
    counter: int
    schema: Schema = field(repr=False)
    policies: Policies = field(repr=False)
    origin: Mapping[str, Any]  # {"seed", "size"}, with {"task"} for that of a task and {"ids"} if dealt; or {"file"}
    known_digest: int | None = field(default=None, repr=False)
    plan: ClockPlan | None = None  # of its clock, if that moves

    def open(self) -> sqlite3.Connection:
        """A private copy in memory."""
        return open_memory(self.image)

    @cached_property
    def digest(self) -> int:
        """128 bits that depend on every value but those of generated columns, and on nothing else."""
        if self.known_digest is not None:
            return self.known_digest
        with closing(self.open()) as connection:
            return scan_digest(connection, self.schema, self.policies)

    def with_rows(self, rows: Iterable[tuple[str, Mapping[str, Value]]]) -> World:
        """Add rows, given as table and complete record; errors: UsageError."""
        changes = Changes()
        with closing(self.open()) as connection:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("BEGIN")
            connection.execute("PRAGMA defer_foreign_keys = ON")
            try:
                for name, record in rows:
                    table = self.schema.tables.get(name)
                    if table is None or record.keys() != table.positions.keys():
                        raise UsageError(f"The added row {dict(record)!r} is not a complete row of {name!r}.")
                    connection.execute(table.insert_row, [record[column] for column in table.column_names])
                    key = tuple(record[column] for column in table.primary_key)
                    changes.record(name, key, None, connection.execute(table.select_row, key).fetchone())
                connection.execute("COMMIT")
            except sqlite3.Error as error:
                raise UsageError(f"The added rows do not fit the world: {error}.") from error
            digest = changes.digest(self.digest, self.policies)  # follows from the changes alone
            return replace(self, image=connection.serialize(), known_digest=digest)

    def with_values(self, table: str, key: Key, columns: Mapping[str, Value]) -> World:
        """Return this world with some values of a row changed; errors: UsageError for a row that does not take them."""
        declared, changes = self.schema.tables[table], Changes()
        with closing(self.open()) as connection:
            try:
                before = connection.execute(declared.select_row, key).fetchone()
                connection.execute(declared.update_columns(tuple(columns)), (*columns.values(), *key))
                after = connection.execute(declared.select_row, key).fetchone()
            except sqlite3.Error as error:
                raise UsageError(f"{table} {list(key)!r} does not take {dict(columns)!r:.300}: {error}.") from error
            if before is None:
                raise UsageError(f"The world has no {table} {list(key)!r}, which is to take {dict(columns)!r:.300}.")
            changes.record(table, key, before, after)
            return replace(self, image=connection.serialize(), known_digest=changes.digest(self.digest, self.policies))

    def named(self, task: str, **more: Any) -> World:
        """Return this world as the start of a task, with more that its origin says."""
        return replace(self, origin={**self.origin, "task": task, **more}, known_digest=self.digest)

    def planned(self, plan: ClockPlan) -> World:
        """Return this world with a clock that moves; the plan is in the image, too."""
        with closing(self.open()) as connection:
            write_plan(connection, plan)
            return replace(self, image=connection.serialize(), known_digest=self.digest, plan=plan)


class WorldBuilder:
    """What a world program is handed: `seed`ed randomness, the `size` asked for, the frozen clock, and inserting."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        schema: Schema,
        now: str,
        seed: int,
        size: int,
        ids: IdNumbers = "counted",
    ) -> None:
        self.random = random.Random(seed)
        self.seed = seed
        self.size = size
        self.now = now
        self.today = now[:10]
        self._connection = connection
        self._schema = schema
        self._counters = dict.fromkeys(schema.tables, 0)
        self._dealer = random.Random(f"ids of world {seed}") if ids == "dealt" else None
        self._dealt: dict[str, set[int]] = {name: set() for name in schema.tables}
        self._most = max(_LEAST_IDS_DEALT, _IDS_DEALT_PER_ROW * size)

    def insert(self, table: str, /, **values: Value) -> dict[str, Any]:
        """Add one row. A key of one column that is left out is taken from the table's counter. Returns the row."""
        declared = self._schema.tables.get(table)
        if declared is None:
            raise EnvironmentFault(f"world.py fills table {table!r}; have: {', '.join(self._schema.tables)}.")
        if len(declared.primary_key) == 1 and declared.primary_key[0] not in values:
            values = {declared.primary_key[0]: make_id(declared, self._next_number(table)), **values}
        text = sum(len(value) for value in values.values() if isinstance(value, str))
        spend(_STEPS_PER_INSERT + text // _TEXT_PER_STEP)
        try:
            sql = declared.insert_columns(tuple(values))
            (row,) = self._connection.execute(sql, tuple(values.values())).fetchall()
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise EnvironmentFault(
                f"world.py makes a row of {table} that does not fit: {error}; row: {values}."
            ) from error
        return declared.record(row)

    def update(self, table: str, /, *key: Value, **values: Value) -> None:
        """Change the row with this key: what refers to a row that is inserted after it is set once both are there."""
        declared = self._schema.tables[table]
        spend(_STEPS_PER_INSERT)
        try:
            self._connection.execute(declared.update_columns(tuple(values)), (*values.values(), *key))
        except (sqlite3.Error, OverflowError, UnicodeError) as error:
            raise EnvironmentFault(
                f"world.py changes a row of {table} so that it does not fit: {error}; row: {key}, {values}."
            ) from error

    def count(self, table: str, number: int) -> None:
        """Number the rows that are added to a table from here on, after a world program has given keys of its own."""
        self._counters[table] = max(self._counters[table], number)

    def share(self, fraction: float, least: int = 1) -> int:
        """How many rows a table gets that takes this fraction of the size."""
        return max(least, round(self.size * fraction))

    def day(self, offset: int) -> str:
        """Return the date `offset` days from today, as YYYY-MM-DD."""
        return str(datetime.fromisoformat(self.today).date() + timedelta(days=offset))

    def moment(self, offset: int, time: str) -> str:
        """Return a time of day (HH:MM) `offset` days from today, as YYYY-MM-DD HH:MM:SS."""
        return f"{self.day(offset)} {time}:00"

    @property
    def counter(self) -> int:
        """A number that no id of the world exceeds, unless the world program made the id itself."""
        return self._most if self._dealer else max(self._counters.values(), default=0)

    def _next_number(self, table: str) -> int:
        """Return the table's next number, or one at random, so that no order of ids tells which row came first."""
        if self._dealer is None:
            self._counters[table] += 1
            return self._counters[table]
        dealt = self._dealt[table]
        self._most = max(self._most, 2 * len(dealt))
        while (number := self._dealer.randint(1, self._most)) in dealt:
            pass
        dealt.add(number)
        return number


def build_world(
    populate: Callable[[WorldBuilder], None],
    schema: Schema,
    policies: Policies,
    now: str,
    seed: int,
    size: int,
    ids: IdNumbers = "counted",
    lived: Domain | None = None,
) -> World:
    """Run a world program on empty tables, and live the past of a domain; errors: EnvironmentFault, UsageError."""
    if not 1 <= size <= LARGEST_SIZE:
        raise UsageError(f"World size {size} is out of range; it counts rows, from 1 to {LARGEST_SIZE:,}.")
    with closing(open_memory()) as connection:
        schema.create(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN")
        if schema.has_required_circle:
            connection.execute("PRAGMA defer_foreign_keys = ON")
        builder = WorldBuilder(connection, schema, now, seed, size, ids)
        with Budget(CODE_STEPS_PER_ROW * (size + 1_000)):
            _run(populate, builder)
        if schema.has_required_circle and (broken := connection.execute("PRAGMA foreign_key_check").fetchone()):
            raise EnvironmentFault(
                f"world.py makes a row of {broken[0]!r} that refers to a missing row of {broken[2]!r}."
            )
        connection.execute(f"PRAGMA user_version = {builder.counter}")
        connection.execute("COMMIT")
        origin, counter = {"seed": seed, "size": size} | ({"ids": ids} if ids == "dealt" else {}), builder.counter
        if lived is not None and lived.days is not None:
            office = Office(lived, connection, seed, size)
            with Budget(CODE_STEPS_PER_ROW * (size + 1_000)):
                _run(lived.days, office)
            counter = office.counter
        return World(connection.serialize(), counter, schema, policies, origin)


def make_world(domain: Domain, seed: int, size: int, ids: IdNumbers = "counted") -> World:
    """Return a newly built world of a domain, with the past that it lives; errors: EnvironmentFault, UsageError."""
    return build_world(domain.populate, domain.schema, domain.policies, domain.now, seed, size, ids, domain)


def read_world(
    path: Path,
    schema: Schema,
    policies: Policies,
    say: Callable[[str], None] = lambda line: None,
    renamed: Mapping[str, str] = MappingProxyType({}),
) -> World:
    """Copy a person's own database file into the domain's tables; errors: UsageError that names what does not fit.

    Names may differ in case, and be those that `renamed` has for tables ("order_") and columns ("order_.from_").
    What was taken and what was left out is said, a line each.
    """
    if not path.is_file():
        why = "; that is a folder" if path.is_dir() else ""
        raise UsageError(f"There is no database file {str(path)!r}{why}.")
    readable = {*schema.tables, *(renamed.get(name, name) for name in schema.tables), "sqlite_master"}
    told: list[str] = []
    try:
        with closing(open_memory()) as connection, closing(open_foreign(path, readable)) as own:
            schema.create(connection)
            (counter,) = own.execute("PRAGMA user_version").fetchone()
            if not 0 <= counter < _LARGEST_COUNTER:
                counter = 0  # the file uses the field for something else; new ids avoid those that are taken
            made = own.execute("SELECT type, name FROM sqlite_master").fetchall()
            tables = _spelled({name: renamed.get(name, name) for name in schema.tables}, [name for _, name in made])
            connection.execute("BEGIN")
            taken: set[str] = set()
            for table in schema.tables.values():
                theirs = tables[table.name] or table.name
                taken.add(theirs)
                have = [row[1] for row in own.execute(f"PRAGMA table_info({_quoted(theirs)})")]
                names = {name: renamed.get(f"{table.name}.{name}", name) for name in table.column_names}
                found = _spelled(names, [*have, "rowid"] if have else [])
                if missing := [name for name, column in found.items() if column is None]:
                    what = f"column '{table.name}.{missing[0]}'" if have else f"table {table.name!r}"
                    raise UsageError(f"{str(path)!r} has no {what}, which the domain needs.")
                query = f"SELECT {', '.join(_quoted(each) for each in found.values() if each)} FROM {_quoted(theirs)}"
                copied = connection.executemany(table.insert_row, own.execute(query))
                told.append(f"{counted(max(copied.rowcount, 0), 'row')} of {table.name!r} taken")
                if extra := sorted({*have} - {*found.values()}):
                    named = ", ".join(map(repr, extra))
                    told.append(f"ignored, since {table.name!r} of the domain has no such column: {named}")
            others = [
                name
                for kind, name in made
                if kind in ("table", "view") and name not in (*taken, TABLE) and not name.startswith("sqlite_")
            ]
            if others:
                told.append(f"ignored, since the domain has no such table: {', '.join(map(repr, others))}")
            connection.execute("COMMIT")
            broken = connection.execute("PRAGMA foreign_key_check").fetchone()
            if broken:
                raise UsageError(
                    f"{str(path)!r} has a row of {broken[0]!r} that refers to a missing row of {broken[2]!r}."
                )
            connection.execute(f"PRAGMA user_version = {counter}")
            scan_digest(connection, schema, policies)  # reads every value: text that is not Unicode fails here
            for line in told:
                say(f"{path.name}: {line}")
            world = World(connection.serialize(), counter, schema, policies, {"file": path.name})
            plan, _ = read_plan(own)
            return world if plan is None else world.planned(plan)
    except (sqlite3.Error, ValidationError) as error:
        raise UsageError(f"{str(path)!r} cannot be used as a world: {error}.") from error


def _spelled(renamed: Mapping[str, str], have: Iterable[str]) -> dict[str, str | None]:
    """Return how a file spells each name: all as the domain does, or each as the source does, in whatever case."""
    by_lower = {name.lower(): name for name in have}
    is_ours = all(name.lower() in by_lower for name in renamed)
    return {
        name: by_lower.get(name.lower()) if is_ours else by_lower.get(said.lower(), by_lower.get(name.lower()))
        for name, said in renamed.items()
    }


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _run(program: Callable[[Any], None], given: WorldBuilder | Office) -> None:
    try:
        program(given)
    except Rejection as rejection:
        raise EnvironmentFault(f"world.py does too much at size {given.size}: {rejection.sentence}") from rejection
    except EnvironmentFault:
        raise
    except Exception as error:
        raise EnvironmentFault(f"world.py crashed: {type(error).__name__}: {error}.") from error


class WorldCache:
    """The worlds that were built last, so that sessions which start alike share one image.

    Keeps at most `most` of them and at most `most_bytes` of images; the last one is kept whatever its size.
    """

    def __init__(self, most: int = 16, most_bytes: float = math.inf) -> None:
        self._most = most
        self._most_bytes = most_bytes
        self._size = 0  # bytes
        self._worlds: OrderedDict[tuple[str, Any], World] = OrderedDict()  # by the domain's digest and a key
        self._lock = threading.Lock()

    def take(self, domain: Domain, seed: int = DEFAULT_SEED, size: int = DEFAULT_SIZE) -> World:
        return self.keep(
            domain,
            (seed, size),
            lambda: make_world(domain, seed, size),
        )

    def keep(self, domain: Domain, key: Any, build: Callable[[], World]) -> World:
        with self._lock:
            world = self._worlds.pop((domain.digest, key), None)
            if world is None:
                world = build()
                self._size += len(world.image)
            self._worlds[domain.digest, key] = world
            while len(self._worlds) > 1 and (len(self._worlds) > self._most or self._size > self._most_bytes):
                self._size -= len(self._worlds.popitem(last=False)[1].image)
            return world
