"""Execute cases on real sessions, and compare what a call came to with what its case expects."""

from __future__ import annotations

import json
import math
import sqlite3
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from generator.gates.cases.case import Case, CaseBook, Change, Rows, is_concrete, merge_rows, read_cases
from generator.gates.folder import FolderRequest
from generator.isolation.job import job
from runtime.domain.changes import RowDifference
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import is_desk_tool
from runtime.domain.policies import Policies
from runtime.domain.schema import Schema
from runtime.errors import EnvironmentFault, RejectionKind, UsageError
from runtime.sandbox.sqlite import open_memory
from runtime.session.session import Session
from runtime.session.world import World


@dataclass(frozen=True)
class CaseReport:
    """What one case came to, one of the paper's three outcomes (section 4.1.2); `differences` says why unexpected.

    Nothing was observed if its rows do not fit.
    """

    topic: str
    id: str
    tool: str
    kind: Literal["success", "rejection", "unexpected"]
    differences: list[str]
    observed: Observed | None = None


@dataclass(frozen=True)
class CasesReport:
    """What every case of a folder came to, in the file's order, and a sentence for each case that is missing."""

    cases: list[CaseReport]
    uncovered: list[str]

    @property
    def unexpected(self) -> list[CaseReport]:
        """Those that are not as expected."""
        return [each for each in self.cases if each.kind == "unexpected"]


@job("cases")
def prove_cases(asked: FolderRequest) -> CasesReport:
    """Run `cases.jsonl` of a domain folder; errors: BrokenDomain, UsageError."""
    domain = load_domain(asked.folder)
    book = read_cases(asked.folder / "cases.jsonl")
    reports = []
    for topic, own in book.items():
        runner = CaseRunner(domain, own.rows, topic)
        reports += [runner.run(case) for case in own.cases]
    return CasesReport(reports, list(_uncovered(domain, book)))


def _uncovered(domain: Domain, book: CaseBook) -> Iterator[str]:
    """Yield a sentence for each case that a tool lacks, or that could not fail."""
    for tool in domain.tools.values():
        if is_desk_tool(tool.name):
            continue
        own = [case for topic in book.values() for case in topic.cases if case.tool == tool.name]
        for case in own:
            if case.is_success and not case.changes and not is_concrete(case.result):
                yield f"case {case.id!r} expects nothing that could be otherwise"
        if not any(case.is_success for case in own):
            yield f"tool {tool.name!r} has no case in which it succeeds"
        for kind in sorted(set(tool.rejects) - {case.rejects for case in own}):
            yield f"tool {tool.name!r} has no case that is rejected with {kind}"


class CaseRunner:
    """Runs the cases of one topic on a domain; worlds of equal rows are built once."""

    def __init__(self, domain: Domain, base: Rows, topic: str = "") -> None:
        self.domain = domain
        self.base = base
        self.topic = topic
        self._worlds: dict[str, World] = {}

    def run(self, case: Case) -> CaseReport:
        """Run one case."""
        try:
            observed = self.observe(case)
        except UsageError as error:
            return CaseReport(self.topic, case.id, case.tool, "unexpected", [str(error)])
        differences = compare(case, observed, self.domain.schema, self.defaults)
        kind: Literal["success", "rejection"] = "success" if case.is_success else "rejection"
        return CaseReport(self.topic, case.id, case.tool, "unexpected" if differences else kind, differences, observed)

    def observe(self, case: Case, domain: Domain | None = None) -> Observed:
        """Call the tool of this domain or of a variant; generated columns count as changes, too. Errors: UsageError."""
        domain = domain or self.domain
        with Session(domain, self.world(case.rows)) as session:
            try:
                outcome = session.perform(case.tool, case.arguments)
            except EnvironmentFault as fault:
                return Observed(fault=True, sentence=f"{fault}{_line_of(fault)}")
            if outcome.rejection is not None:
                rejection = outcome.rejection
                return Observed(rejection=rejection.kind, sentence=rejection.sentence)
            changes = session.changes.differences(domain.schema, self._nothing_ignored)
            return Observed(result=json.loads(outcome.text), changes=tuple(changes))

    def world(self, rows: Rows) -> World:
        """Return the world of the base with a case's own rows; errors: UsageError."""
        name = json.dumps(rows, sort_keys=True)
        world = self._worlds.get(name)
        if world is None:
            world = self._worlds[name] = world_of(self.domain.schema, self.domain.policies, self.base, rows)
        return world

    @cached_property
    def defaults(self) -> Mapping[str, Mapping[str, Any]]:
        """What each column holds when an insert leaves it out, by table."""
        found: dict[str, dict[str, Any]] = {}
        with closing(open_memory()) as connection:
            self.domain.schema.create(connection)
            for table in self.domain.schema.tables:
                described = connection.execute(f'PRAGMA table_info("{table}")').fetchall()
                found[table] = {
                    row[1]: None if row[4] is None else connection.execute(f"SELECT {row[4]}").fetchone()[0]
                    for row in described
                }
        return found

    @cached_property
    def _nothing_ignored(self) -> Policies:
        """Policies under which every column counts."""
        return Policies(self.domain.schema, {}, {})


def _line_of(fault: EnvironmentFault) -> str:
    """Return the line of the tool's file that crashed, for the debugger; empty if unknown."""
    frames = traceback.extract_tb(fault.__cause__.__traceback__) if fault.__cause__ else []
    lines = [frame.line for frame in frames if Path(frame.filename).parent.name == "tools" and frame.line]
    return f" The line: `{lines[-1]}`" if lines else ""


def keys_of(schema: Schema) -> dict[str, tuple[str, ...]]:
    """Return the key columns of each table."""
    return {name: table.primary_key for name, table in schema.tables.items()}


def world_of(schema: Schema, policies: Policies, base: Rows, rows: Rows) -> World:
    """Return a world of exactly these rows; errors: UsageError that names the row that does not fit."""
    merged = merge_rows(base, rows, keys_of(schema))
    unknown = [table for table in merged if table not in schema.tables]
    if unknown:
        raise UsageError(f"rows of {unknown[0]!r}, which is not a table; have: {', '.join(schema.tables)}")
    with closing(open_memory()) as connection:
        schema.create(connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("BEGIN")
        connection.execute("PRAGMA defer_foreign_keys = ON")
        for table in sorted(merged, key=schema.parents_first.__getitem__):
            for row in merged[table]:
                _insert(connection, schema, table, row)
        broken = connection.execute("PRAGMA foreign_key_check").fetchone()
        if broken:
            raise UsageError(f"a given row of {broken[0]} refers to a row of {broken[2]} that is not given")
        connection.execute("COMMIT")
        return World(connection.serialize(), 0, schema, policies, {"file": "case"})


def _insert(connection: sqlite3.Connection, schema: Schema, table: str, row: Mapping[str, Any]) -> None:
    try:
        connection.execute(schema.tables[table].insert_columns(tuple(row)), tuple(row.values())).fetchall()
    except (sqlite3.Error, OverflowError, ValueError) as error:
        shown = json.dumps(row, ensure_ascii=False)
        raise UsageError(f"the row of {table} {shown} does not fit: {error}") from error


_NEW = "$new:"

New = dict[str, list[Any]]  # keys of new rows by table


@dataclass(frozen=True)
class Observed:
    """What a call came to: a result with its changes, a rejection, or a fault."""

    result: Mapping[str, Any] | None = None
    changes: tuple[RowDifference, ...] = ()
    rejection: RejectionKind | None = None
    sentence: str = ""  # of the rejection or the fault
    fault: bool = False

    def described(self) -> dict[str, Any]:
        """As JSON, for a model or a person."""
        if self.fault:
            return {"crash": self.sentence}
        if self.rejection:
            return {"rejects": self.rejection, "sentence": self.sentence}
        return {"result": self.result, "changes": [describe_change(change).as_json for change in self.changes]}


def describe_change(change: RowDifference) -> Change:
    """Return a row difference in the terms of a case."""
    if change.kind == "added":
        return Change(table=change.table, added=dict(change.after or {}))
    key = change.key[0] if len(change.key) == 1 else list(change.key)
    if change.kind == "removed":
        return Change(table=change.table, key=key, removed=True)
    return Change(table=change.table, key=key, changed={name: new for name, (_, new) in change.changed.items()})


def compare(case: Case, observed: Observed, schema: Schema, defaults: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """List the ways in which a call did not do what its case expects; `defaults` holds column defaults by table."""
    if observed.fault:
        return [f"it crashed: {observed.sentence}"]
    if observed.rejection != case.rejects:
        got = f"{observed.rejection}: {observed.sentence}" if observed.rejection else "success"
        returned = [] if observed.result is None else [f"it returned {_shown(observed.result)}"]
        return [f"expected {case.rejects or 'success'}, got {got}", *returned]
    if case.rejects:
        return []
    new: New = {table: [] for table in schema.tables}
    for change in observed.changes:
        if change.kind == "added":
            new[change.table].append(change.key[0])
    result = [] if case.result is None else _differences("result", case.result, observed.result, new)
    return [*result, *_changed_differently(case.changes, observed.changes, schema, defaults, new)]


def _changed_differently(
    expected: Sequence[Change],
    observed: Sequence[RowDifference],
    schema: Schema,
    defaults: Mapping[str, Mapping[str, Any]],
    new: New,
) -> Iterator[str]:
    pending = list(observed)
    for change in expected:
        key_columns = schema.tables[change.table].primary_key
        found = next((each for each in pending if _is_meant(change, each, key_columns, new)), None)
        if found is None:
            what = "added to" if change.added is not None else "removed from" if change.removed else "changed in"
            which = "" if change.added is not None else f" {change.key!r}"
            names = [f"{each.table} {' / '.join(map(str, each.key))} ({each.kind})" for each in observed]
            yield f"no row{which} was {what} {change.table}; changed were {', '.join(names) or 'none'}"
            continue
        pending.remove(found)
        where = f"{change.table} {' / '.join(map(str, found.key))}"
        wanted = change.changed or {}
        if change.added is not None:
            wanted = {**defaults[change.table], **change.added}
            if len(key_columns) == 1 and key_columns[0] not in change.added:
                wanted.pop(key_columns[0], None)
        for column, value in wanted.items():
            yield from _differences(f"{where}: {column}", value, (found.after or {}).get(column), new)
        for column, (_, now) in found.changed.items() if change.changed is not None else ():
            if column not in wanted:
                yield f"{where}: {column} became {now!r}, which is not expected to change"
    yield from (f"not expected: {_shown(describe_change(left).as_json)}" for left in pending)


def _is_meant(change: Change, observed: RowDifference, key_columns: Sequence[str], new: New) -> bool:
    kind = "added" if change.added is not None else "removed" if change.removed else "changed"
    if (change.table, kind) != (observed.table, observed.kind):
        return False
    if change.added is not None:
        stated = [change.added.get(column) for column in key_columns]
        # New rows without a stated key are taken in the order of their creation.
        return None in stated or not list(_differences("", stated, list(observed.key), new))
    return list(observed.key) == (change.key if isinstance(change.key, list) else [change.key])


def _differences(where: str, wanted: Any, got: Any, new: New) -> Iterator[str]:
    """Compare a stated value with an observed one; `new` are the keys of the rows that the call added, by table."""
    if isinstance(wanted, str) and wanted.startswith(_NEW):
        table, _, number = wanted.removeprefix(_NEW).partition(":")
        position = int(number or 1) if (number or "1").isdigit() else 0
        if got not in new.get(table, [])[max(position - 1, 0) : position]:
            yield f"{where} is {_shown(got)}, expected the key of new row {number or 1} of {table}"
    elif isinstance(wanted, dict) and wanted.keys() == {"$any"}:
        return
    elif isinstance(wanted, dict) and wanted.keys() == {"$contains"}:
        missing = [part for part in wanted["$contains"] if str(part).lower() not in str(got).lower()]
        if missing or not isinstance(got, str):
            yield f"{where} is {_shown(got)}, which does not contain {_shown(missing)}"
    elif isinstance(wanted, dict) and isinstance(got, dict):
        for key, value in wanted.items():
            if key not in got:
                yield f"{where} has no {key!r}"
            else:
                yield from _differences(f"{where}.{key}", value, got[key], new)
    elif isinstance(wanted, list) and isinstance(got, list):
        if len(wanted) != len(got):
            yield f"{where} has {len(got)} items, expected {len(wanted)}: {_shown(got)}"
        for position, (one, other) in enumerate(zip(wanted, got, strict=False)):
            yield from _differences(f"{where}[{position}]", one, other, new)
    elif not _equal(wanted, got):
        yield f"{where} is {_shown(got)}, expected {_shown(wanted)}"


def _equal(wanted: Any, got: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, float) or isinstance(got, float):
        numbers = isinstance(wanted, int | float) and isinstance(got, int | float)
        return numbers and math.isclose(wanted, got, rel_tol=1e-9, abs_tol=1e-9)
    return type(wanted) is type(got) and bool(wanted == got)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 400 else f"{text[:400]}..."
