"""A session: one private mutable copy of a world, on which tools are called one transaction at a time."""

from __future__ import annotations

import decimal
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from pydantic_core import to_json

from runtime.domain.changes import (
    Changes,
    RowDifference,
    RowStep,
    apply_in_order,
    apply_unchecked,
    scan_changes,
    scan_digest,
)
from runtime.domain.domain import Domain
from runtime.domain.rule import Declared, Duty
from runtime.domain.schema import Row, Schema, Value
from runtime.domain.tool import Tool
from runtime.domain.waiting import CLOCK_TOOLS, WAIT
from runtime.errors import EnvironmentFault, Rejection, UsageError
from runtime.sandbox.budget import light
from runtime.sandbox.files import read_bytes
from runtime.sandbox.sqlite import MOST_BYTES, open_memory
from runtime.session import reuse
from runtime.session.clock import TABLE, Clock, ClockPlan, ClockState, Event, When, read_plan, written
from runtime.session.faults import FAULT_LOG, SECONDS_OF_CALL, FaultSource, ServiceFault
from runtime.session.ruling import ForbiddenCall, Ruling
from runtime.session.state_folder import START, StateFolder
from runtime.session.workspace import Database, Limits, Workspace
from runtime.session.world import World


class Outcome(NamedTuple):
    """The outcome of a call: a result, a rejection or a fault of the service, and the text that a model reads.

    A slow call has a result and a `fault`; any other fault leaves both empty. `broken` are the rules that forbade a
    call which went through all the same, on a session that judges.
    """

    result: Mapping[str, Any] | None
    rejection: Rejection | None
    text: str
    fault: ServiceFault | None = None
    broken: tuple[ForbiddenCall, ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """A state as the clock and the rows in which it differs from its world; any session of that world takes it."""

    world: World
    changes: Changes
    counter: int
    clock: ClockState = ClockState()


class Session:
    """One private copy of a world.

    It opens its database when it is first needed and can be parked: a parked session keeps only the rows it changed,
    and comes back unchanged. One thread uses it at a time.

    A `strict` session rejects what the domain's rules forbid; any other lets it through, as agents get it, and says so
    in the outcome if it `judges`. With `faults` some calls of `perform` meet failures of the service; `call` never.
    Where its world has a plan, its clock moves by `wait` and by calls, and what the plan has happens on the way.
    """

    def __init__(
        self,
        domain: Domain,
        world: World,
        *,
        limits: Limits | None = None,
        folder: StateFolder | None = None,
        strict: bool = False,
        judges: bool = False,
        faults: FaultSource | None = None,
    ) -> None:
        self.domain = domain
        self.world = world
        self.limits = limits or Limits()
        self.strict = strict
        self.judges = judges
        self.faults = faults
        self.last: Outcome | None = None  # of `perform`
        self.parts: Mapping[str, Session] = {}  # by prefix, where several sessions are one
        self.call_count = 0
        self._folder = folder
        self._changes = Changes()
        self._counter = world.counter
        self._connection: sqlite3.Connection | None = None
        self._workspace: Workspace | None = None
        self._database: Database | None = None
        self.clock = Clock(domain.now, world.plan)
        self._closed = False
        self._ruling: Ruling | None = None
        self._start: sqlite3.Connection | None = None
        self._start_workspace: Workspace | None = None  # of the rules
        if folder is not None and folder.resumed:
            with closing(world.open()) as start, closing(folder.connect()) as state:
                self._changes = scan_changes(start, state, domain.schema)
                (self._counter,) = state.execute("PRAGMA user_version").fetchone()
                _, self.clock.state = read_plan(state)

    def call(self, tool: str, /, **arguments: Any) -> Mapping[str, Any]:
        """Call a tool and return its result; errors: Rejection, EnvironmentFault."""
        outcome = self._perform(tool, arguments)
        if outcome.rejection is not None:
            raise outcome.rejection
        assert outcome.result is not None
        return outcome.result

    def perform(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        """Call a tool as an agent does: a rejection or a service fault is an outcome; errors: EnvironmentFault."""
        if self.faults is None or self.plan is not None and name in CLOCK_TOOLS:
            outcome = self._perform(name, arguments)
        elif self.faults.is_wait(name, self.domain.tools):
            outcome = self._wait(self.faults, arguments)
        else:
            outcome = self._perform_under(self.faults, name, arguments)
        self.last = outcome
        return outcome

    def _perform_under(self, faults: FaultSource, name: str, arguments: Mapping[str, Any]) -> Outcome:
        tool = self.domain.tools.get(name)
        if tool is not None:
            self._pass_time(SECONDS_OF_CALL)
        fault = None if tool is None else faults.draw(name, bool(tool.writes), self.clock.state.elapsed)
        outcome = Outcome(None, None, "" if fault is None else fault.text, fault)
        if fault is None or fault.kind in ("slow", "timeout_after"):
            performed = self._perform(name, arguments)
            if fault is None or fault.kind == "slow":
                outcome = performed._replace(fault=fault)
                self._pass_time(0 if fault is None else round(fault.seconds))
            elif performed.rejection is None:
                outcome = outcome._replace(broken=performed.broken)
            else:  # nothing is behind this timeout
                outcome = outcome._replace(fault=replace(fault, kind="timeout_before"))
        if outcome.fault is not None and self._folder is not None:
            # Logged where the state lives: a caller that learns of it from elsewhere would know too much.
            entry = {"call": self.call_count, "kind": outcome.fault.kind, "seconds": outcome.fault.seconds}
            with (self._folder.path / FAULT_LOG).open("a", encoding="utf-8") as log:
                log.write(f"{json.dumps(entry)}\n")
        return outcome

    def _wait(self, faults: FaultSource, arguments: Mapping[str, Any]) -> Outcome:
        try:
            seconds = faults.seconds_asked(arguments)
        except Rejection as rejection:
            return Outcome(None, rejection, str(rejection))
        self._pass_time(seconds)
        return Outcome(waited := {"waited_seconds": seconds}, None, to_json(waited).decode())

    def _perform(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        workspace = self.open()
        self.call_count += 1
        if self.plan is not None and name in CLOCK_TOOLS:
            return self._ask_clock(name, arguments)
        if self.plan is not None and self.plan.call_seconds:
            self._pass_time(self.plan.call_seconds)
        try:
            tool = self.domain.find_tool(name)
            checked = tool.check(arguments)
            broken: tuple[ForbiddenCall, ...] = ()
            if (self.strict or self.judges) and tool.writes and self.domain.rules:
                broken = tuple(self._rule().forbidding(workspace, tool.name, checked))
                if self.strict and broken:
                    raise broken[0].rejection
            outcome = self._transact(workspace, tool, checked, by_agent=True)
            if self.plan is not None:  # what the call set off at once
                with workspace.aside():
                    self._pass_time(0)
            return outcome._replace(broken=broken) if broken else outcome
        except Rejection as rejection:
            return Outcome(None, rejection, str(rejection))

    def forbidding(self, tool: str, arguments: Mapping[str, Any]) -> tuple[ForbiddenCall, ...]:
        """The rules that forbid a call now, strict or not; none for a call that the tool itself does not take.

        Errors: EnvironmentFault.
        """
        try:
            checked = self.domain.find_tool(tool).check(arguments)
        except Rejection:
            return ()
        return tuple(self._rule().forbidding(self.open(), tool, checked))

    def unmet_duties(self) -> tuple[Duty, ...]:
        """The duties of the domain that are not fulfilled now; errors: EnvironmentFault."""
        return tuple(self._rule().unmet(self.open()))

    def _rule(self) -> Ruling:
        if self._ruling is None:
            self._ruling = Ruling(self.domain, self.limits, self._workspace_at_start)
        return self._ruling

    def _workspace_at_start(self) -> Workspace:
        self._start_workspace = reuse.open_workspace(self.domain, self.world, self.limits)
        return self._start_workspace

    # The clock

    @property
    def plan(self) -> ClockPlan | None:
        """What happens on this session's clock; without one its time never moves."""
        return self.clock.plan

    def plan_for(self, plan: ClockPlan | None) -> None:
        """Give the session another plan than its world's, until it is reset: while a scenario is being told."""
        self.clock.plan = plan

    def settle(self) -> None:
        """Let the clock go to the end of its plan, as it does before a verdict."""
        if self.plan is not None:
            self.open()
            self._pass_time(self.clock.last)

    @contextmanager
    def settled(self) -> Iterator[Session]:
        """This session as it is once its clock has come to an end; it stays as it is itself."""
        if self.plan is None:
            yield self
            return
        with self.fork() as ended:
            ended.settle()
            yield ended

    def _ask_clock(self, name: str, arguments: Mapping[str, Any]) -> Outcome:
        try:
            checked = CLOCK_TOOLS[name].check(arguments)
            result = self.clock.wait(self, dict(checked)) if name == WAIT else self.clock.tell()
        except Rejection as rejection:
            return Outcome(None, rejection, str(rejection))
        self._keep_time()
        return Outcome(result, None, to_json(result).decode())

    def _pass_time(self, seconds: int) -> None:
        self.clock.move(self, seconds)
        if self.plan is not None:
            self._keep_time()

    def _keep_time(self) -> None:
        """Tell the database what time it is, and store it where the state is stored."""
        self._show_time()
        if self._folder is not None:
            self._store_time(self.clock.state)

    def _show_time(self) -> Workspace:
        workspace = self.open()
        if workspace.now != self.clock.now:
            workspace.now = self.clock.now
            self._database = Database(workspace, workspace.now)
        return workspace

    def _store_time(self, state: ClockState) -> None:
        if self.world.plan is not None:
            assert self._connection is not None
            self._connection.execute(f"UPDATE {TABLE} SET state = ?", (written(state),))

    def apply_event(self, event: Event) -> str:
        """Do what an event of the plan does, in one transaction with the clock; a sentence if it was refused.

        Errors: EnvironmentFault.
        """
        workspace = self._show_time()
        try:
            if event.call is not None:
                tool = self.domain.find_tool(event.call.tool)
                self._transact(workspace, tool, tool.check(event.call.arguments))
            elif event.rows:
                self._edit_rows(workspace, event)
        except Rejection as rejection:
            return str(rejection)
        return ""

    def _edit_rows(self, workspace: Workspace, event: Event) -> None:
        """Make the row changes of an event; errors: Rejection, also of a row that is not there."""
        tables = frozenset(self.domain.schema.tables)
        declared = Declared(code=event.id, prose="", numbers={}, reads=tables, writes=tables, function=bool)
        try:
            with workspace.enter_call(declared, self.limits, self._changes):
                for edit in event.rows:
                    if edit.kind == "added":
                        keys = self.domain.schema.tables[edit.table].primary_key
                        workspace.insert(edit.table, {**edit.columns, **dict(zip(keys, edit.key, strict=True))})
                    elif edit.kind == "changed":
                        workspace.update(edit.table, tuple(edit.key), edit.columns)
                    else:
                        workspace.delete(edit.table, tuple(edit.key))
            self._commit(workspace)
        except (Rejection, EnvironmentFault) as error:
            workspace.roll_back()
            raise Rejection.failed_precondition(str(error)) from error
        finally:
            workspace.leave_call()

    def holds(self, when: When) -> bool:
        """True if a SELECT of the plan returns a row now; errors: EnvironmentFault."""
        self._show_time()
        try:
            return self.finds(when.sql, when.values)
        except Rejection as rejection:
            raise EnvironmentFault(f"A condition of the plan cannot be evaluated: {rejection}") from rejection

    def finds(self, sql: str, values: Mapping[str, Value]) -> bool:
        """True if a SELECT returns a row, run as a tool runs its own, on all tables and within the same limits.

        Errors: EnvironmentFault, Rejection.
        """
        workspace = self.open()
        tables = frozenset(self.domain.schema.tables)
        declared = Declared(code="select", prose="", numbers={}, reads=tables, function=bool)
        try:
            with workspace.enter_call(declared, self.limits):
                return bool(workspace.read(sql, values)[1])
        finally:
            workspace.leave_call()

    def _commit(self, workspace: Workspace) -> None:
        if self._folder is not None:
            self._store_time(self.clock.state)
        workspace.commit()

    def _transact(
        self, workspace: Workspace, tool: Tool, arguments: Mapping[str, Any], *, by_agent: bool = False
    ) -> Outcome:
        """Run a tool in one transaction: all of its writes or none."""
        clock = self.clock.state
        try:
            outcome = self._run_tool(workspace, tool, arguments)
            if by_agent and self.plan is not None:
                self.clock.note_call(tool.name)
            if tool.writes:
                self._commit(workspace)
            return outcome
        except BaseException as error:
            workspace.roll_back()
            self.clock.state = clock
            if isinstance(error, sqlite3.Error):
                raise EnvironmentFault(f"Tool {tool.name!r} could not write the state: {error}.") from error
            raise

    def _run_tool(self, workspace: Workspace, tool: Tool, arguments: Mapping[str, Any]) -> Outcome:
        try:
            with workspace.enter_call(tool, self.limits, self._changes):
                result = light(tool.function(self._database, **arguments))
        except (Rejection, EnvironmentFault, RecursionError):  # a deep stack was full before the call began
            raise
        except (OverflowError, decimal.Overflow):
            raise Rejection.invalid_argument(_OUTGROWN) from None
        except sqlite3.Error:
            raise
        except Exception as error:
            raise EnvironmentFault(f"Tool {tool.name!r} crashed: {type(error).__name__}: {error}.") from error
        finally:
            workspace.leave_call()
        try:
            checked = tool.result.check(result)
        except OverflowError:
            raise Rejection.invalid_argument(_OUTGROWN) from None
        except ValueError as error:
            raise EnvironmentFault(f"Tool {tool.name!r} returned a result that breaks its schema: {error}") from error
        content = to_json(checked)
        if len(content) > self.limits.result_bytes:
            raise Rejection.resource_exhausted(
                f"The result has {len(content):,} bytes; at most {self.limits.result_bytes:,} can be returned. "
                "Ask for less at once."
            )
        return Outcome(checked, None, content.decode())

    def snapshot(self) -> Snapshot:
        """Remember the present state; costs in proportion to what changed since the start."""
        return Snapshot(self.world, self._changes.copy(), self._present_counter(), self.clock.state)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back, or over, to a snapshot of the same world by rewriting only the rows that differ."""
        if self._closed:
            raise UsageError(_CLOSED)
        if snapshot.world is not self.world:
            raise UsageError("This snapshot is of another world; restore it on a session of that world.")
        if self._connection is not None or self._folder is not None:
            self._move_to(snapshot.changes, snapshot.counter, snapshot.clock)
        self._changes = snapshot.changes.copy()
        self._counter = snapshot.counter
        self.clock.state = snapshot.clock
        if self._connection is not None and self.plan is not None:
            self._keep_time()

    def reset(self) -> None:
        self.plan_for(self.world.plan)
        self.restore(Snapshot(self.world, Changes(), self.world.counter))
        if self.faults is not None:
            self.faults.reset()

    def fork(self) -> Session:
        """Another session, in memory, in the same state; from here on the two share nothing that changes."""
        forked = Session(self.domain, self.world, limits=self.limits, strict=self.strict)
        forked.judges = self.judges
        forked._changes = self._changes.copy()
        forked._counter = self._present_counter()
        forked.clock = Clock(self.domain.now, self.plan, self.clock.state)
        forked.faults = deepcopy(self.faults)
        return forked

    def diff(self) -> list[RowDifference]:
        return self._changes.differences(self.domain.schema, self.domain.policies)

    @property
    def changes(self) -> Changes:
        """The changed rows since the start, generated columns included; a copy."""
        return self._changes.copy()

    def digest(self) -> str:
        """128 bits of the present state in hexadecimal; generated columns do not count."""
        return f"{self._changes.digest(self.world.digest, self.domain.policies):032x}"

    def image(self) -> bytes:
        """The present state as the bytes of a SQLite database file."""
        self.open()
        assert self._connection is not None
        if self._folder is None:
            self._store_time(self.clock.state)
            return self._connection.serialize()
        with self.fork() as copy:  # the bytes of a database in WAL mode are of no use without its files
            return copy.image()

    def scanned(self) -> tuple[Changes, str]:
        """Recompute changes and digest from the whole state and the whole world; they must equal the tracked ones."""
        self.open()
        assert self._connection is not None
        changes = scan_changes(self.start, self._connection, self.domain.schema)
        return changes, f"{scan_digest(self._connection, self.domain.schema, self.domain.policies):032x}"

    def part_of(self, table: str) -> tuple[Session, str]:
        """The session that holds a table, and the table's name there: where several are one, that of its prefix."""
        return self, table

    @property
    def is_stored(self) -> bool:
        return self._folder is not None

    @property
    def connection(self) -> sqlite3.Connection | None:
        """The database connection, while there is one."""
        return self._connection

    @property
    def start(self) -> sqlite3.Connection:
        """A copy of the world as it was before any call, to read from; it closes with the session."""
        if self._closed:
            raise UsageError(_CLOSED)
        if self._start is None:
            self._start = self.world.open()
        return self._start

    def read_start(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """What a SELECT finds in the world as it was before any call; errors: sqlite3.Error."""
        return self.start.execute(sql, values).fetchall()

    def open(self) -> Workspace:
        """Open the database on the thread that will use it, if it is not open already."""
        if self._workspace is None:
            if self._closed:
                raise UsageError(_CLOSED)
            if self._folder is None and not self._changes.rows and self._counter == self.world.counter:
                self._workspace = reuse.open_workspace(self.domain, self.world, self.limits)
            else:
                self._workspace = self._reopen()
            self._connection = self._workspace.connection
            self._workspace.now = self.clock.now
            self._database = Database(self._workspace, self.clock.now)
        return self._workspace

    def _reopen(self) -> Workspace:
        """Open the stored state, or bring a copy of the world to the state of a parked or forked session."""
        connection = self.world.open() if self._folder is None else self._folder.connect()
        try:
            if self._folder is None:
                self._bring_forward(connection)
            else:
                connection.execute(
                    "PRAGMA trusted_schema = ON"
                )  # its checks may use the functions that tools are given
        except BaseException:
            connection.close()
            raise
        return reuse.confine(connection, self.domain, self.world, self.limits)

    def park(self) -> None:
        """Close the database and keep only what changed; the next use opens it again, unchanged."""
        if self._connection is not None:
            self._counter = self._present_counter()
            self._connection.close()
            self._connection = self._workspace = self._database = None
        self._ruling = None
        if self._start_workspace is not None:
            self._start_workspace.connection.close()
            self._start_workspace = None
        if self._start is not None:
            self._start.close()
            self._start = None

    def close(self) -> None:
        """End the session for good; a file-backed one stays on disk."""
        given = self.domain, self.world, self.limits
        if self._start_workspace is not None:
            reuse.give_back(self._start_workspace, *given, Changes())
            self._start_workspace = None
        if self._workspace is not None and self._folder is None:
            self._counter = self._present_counter()
            reuse.give_back(self._workspace, *given, self._changes)
            self._connection = self._workspace = self._database = None
        self.park()
        self._closed = True
        if self._folder is not None:
            self._folder.release()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _present_counter(self) -> int:
        return self._workspace.counter if self._workspace is not None else self._counter

    def _bring_forward(self, connection: sqlite3.Connection) -> None:
        """Put the changes of a parked or forked session into a fresh copy of its world."""
        if self._changes.rows:
            connection.execute("BEGIN")
            apply_unchecked(connection, self.domain.schema, list(Changes().steps_to(self._changes)))
            connection.execute("COMMIT")
        if self._counter != self.world.counter:
            connection.execute(f"PRAGMA user_version = {self._counter}")

    def _move_to(self, target: Changes, counter: int, clock: ClockState) -> None:
        workspace, connection = self.open(), self._connection
        assert connection is not None
        steps = list(self._changes.steps_to(target))
        if not steps and counter == self._present_counter():
            return

        def write(apply: Callable[[sqlite3.Connection, Schema, Sequence[RowStep]], None]) -> None:
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                apply(connection, self.domain.schema, steps)
                workspace.set_counter(counter)
                self._store_time(clock)

        try:
            write(apply_in_order)
        except sqlite3.IntegrityError:  # rows that swap unique values, or refer to each other, have no good order
            connection.execute("PRAGMA foreign_keys = OFF")  # it costs all prepared statements
            try:
                write(apply_unchecked)
            finally:
                connection.execute("PRAGMA foreign_keys = ON")


def open_stored_session(
    domain: Domain,
    root: Path,
    name: str,
    world: Callable[[], World],
    asked: Mapping[str, Any],
    *,
    limits: Limits | None = None,
    strict: bool = False,
    faults: FaultSource | None = None,
) -> Session:
    """Resume the session of this name in a state folder, or start it from a world.

    `asked` is what the caller wants of the session, such as its seed or task; where the stored one is another, that is
    an error. Errors: UsageError.
    """
    folder = StateFolder(root, name)
    try:
        if not folder.resumed:
            fresh = world()
            origin = {**fresh.origin, **asked}
            folder.create(fresh.image, {"domain": domain.name, "origin": origin})
        stored = folder.describe()
        stored |= stored.get("origin", {})
        for what, value in {"domain": domain.name, **asked}.items():
            if stored.get(what) != value:
                raise UsageError(
                    f"Session {name!r} was started with {what} {stored.get(what)!r}, not {value!r}; "
                    "choose another name."
                )
        image = read_bytes(folder.path / START, MOST_BYTES)
        with closing(open_memory(image)) as start:
            (counter,) = start.execute("PRAGMA user_version").fetchone()
            plan, _ = read_plan(start)
        first = World(image, counter, domain.schema, domain.policies, stored.get("origin", {}), plan=plan)
        return Session(domain, first, limits=limits, folder=folder, strict=strict, faults=faults)
    except (sqlite3.Error, MemoryError) as error:  # the latter for an empty image
        folder.release()
        raise UsageError(f"The session in {str(folder.path)!r} is damaged: {error or 'start.db is empty'}.") from error
    except BaseException:
        folder.release()
        raise


_OUTGROWN = "With these arguments a number outgrows what can be computed."
_CLOSED = "The session is closed; open a new one."
