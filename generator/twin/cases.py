"""Decide what `cases.jsonl` of a twin holds: for each tool calls that succeed and one for each kind of rejection.

What must come of a call follows from the operation and from a scratch database with the schema's own constraints; the
tools are not run.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

from generator.gates.cases.case import Case, Change, TopicCases
from generator.twin.examples import Row, fresh_values, read_world, sample_rows
from generator.twin.operations import safe_name
from generator.twin.rejections import breakable_uniques, breaking, clearable, is_free, kinds_of, written_by
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation, OperationParameter, SourceColumn
from generator.twin.tools import MOST_LIMIT, USUAL_LIMIT
from generator.twin.words import free_texts, snake
from runtime.domain.domain import Domain
from runtime.errors import RejectionKind

_SEED, _SIZES = 1, (100, 300, 1_000)  # of the world whose rows are taken: the first in which no table is too small
_LEAST_ROWS = 2  # of a table, so that one can have what another one has
_ROWS = 5  # of each table, and what they refer to
_MISSING = 999_999_999
_TOPIC = "twin"


def write_cases_of(settled: Settled, operations: Sequence[Operation], domain: Domain) -> dict[str, TopicCases]:
    """The cases of each operation on a few rows of the twin's own world."""
    worlds = (read_world(domain, _SEED, size) for size in _SIZES)
    world = next((rows for rows in worlds if min(map(len, rows.values())) >= _LEAST_ROWS), None)
    rows = sample_rows(settled, world or read_world(domain, _SEED, _SIZES[-1]), _ROWS)
    writer = _CaseWriter(settled, rows, domain.now)
    with closing(writer):
        cases = [case for operation in operations for case in writer.cases(operation)]
    return {_TOPIC: TopicCases(rows=rows, cases=cases)}


class _CaseWriter:
    """Writes the cases of operations on given rows."""

    def __init__(self, settled: Settled, rows: Mapping[str, list[Row]], now: str) -> None:
        self._settled, self._rows, self._now = settled, rows, now
        self._scratch = sqlite3.connect(":memory:", isolation_level=None)
        self._scratch.executescript(settled.sql)
        for name, own in rows.items():
            for row in own:
                self._scratch.execute(_insertion(name, row), [*row.values()])
        self._scratch.execute("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        self._scratch.close()

    def cases(self, operation: Operation) -> Iterator[Case]:
        """The cases of one operation, numbered."""
        table = self._settled.tables[operation.table]
        by_verb = {"find": self._find, "get": self._get, "create": self._create, "delete": self._delete}
        made = by_verb.get(operation.verb, self._update)(operation, table)
        for number, case in enumerate(made, 1):
            yield case.model_copy(update={"id": f"{operation.name}-{number}"})

    # Reading

    def _find(self, operation: Operation, table: SettledTable) -> Iterator[Case]:
        needed = self._needed(operation, table)
        yield self._found(operation, table, needed, f"every {table.noun}" if not needed else "what is asked for")
        for parameter in operation.parameters:
            if parameter.role in ("limit", "offset") or (parameter.required and parameter.name in needed):
                continue
            for row in self._rows[table.name]:
                value = self._wanted(parameter, table, row)
                if value is None:
                    continue
                asked = {**needed, parameter.name: value}
                if 0 < len(self._matching(operation, table, asked)) < max(2, len(self._rows[table.name])):
                    yield self._found(operation, table, asked, f"only {table.nouns} that fit {parameter.name}")
                    break
        pages = {each.role: each.name for each in operation.parameters if each.role in ("limit", "offset")}
        if "limit" in pages:
            paged = {pages["limit"]: 1} | ({pages["offset"]: 1} if "offset" in pages else {})
            yield self._found(operation, table, {**needed, **paged}, "one page of the list")

    def _found(self, operation: Operation, table: SettledTable, asked: Row, title: str) -> Case:
        found = self._matching(operation, table, asked)
        by_role = {each.role: each for each in operation.parameters}
        limit = asked.get(by_role["limit"].name, USUAL_LIMIT) if "limit" in by_role else MOST_LIMIT
        start = asked.get(by_role["offset"].name, 0) if "offset" in by_role else 0
        if "offset" in by_role and "page" in by_role["offset"].name.lower():
            start = (max(start, 1) - 1) * limit
        rows = safe_name(snake(table.nouns))
        shown = [self._shown(table, row) for row in found[start : start + limit]]
        total = "total" if rows != "total" else "total_"
        return Case(tool=operation.name, title=title, arguments=asked, result={rows: shown, total: len(found)})

    def _matching(self, operation: Operation, table: SettledTable, asked: Mapping[str, Any]) -> list[Row]:
        roles = {each.name: each for each in operation.parameters}
        found = [
            row
            for row in self._rows[table.name]
            if all(_fits(roles[name], table, row, value) for name, value in asked.items())
        ]
        order = [*([table.label] if table.label else []), *table.key]
        return sorted(found, key=lambda row: [(row[name] is not None, row[name]) for name in order])

    def _wanted(self, parameter: OperationParameter, table: SettledTable, row: Row) -> Any:
        """A value of a filter that a row fits."""
        if parameter.role == "search":
            texts = [parameter.column] if parameter.column else free_texts(table)
            text = next((row[name] for name in texts[:1] if row[name]), None)
            return text[:200].upper() if text and text.isascii() else text and text[:200]
        value = row[parameter.column or ""]
        return None if value is None else self._argument(table.columns[parameter.column or ""], value)

    def _needed(self, operation: Operation, table: SettledTable) -> Row:
        """What every call of a list must say."""
        for row in self._rows[table.name]:
            needed = {each.name: self._wanted(each, table, row) for each in operation.parameters if each.required}
            if None not in needed.values():
                return needed
        return {}

    def _get(self, operation: Operation, table: SettledTable) -> Iterator[Case]:
        for row in self._rows[table.name][:2]:
            title = f"{table.noun} is shown"
            yield Case(
                tool=operation.name,
                title=title,
                arguments=self._key(operation, table, row),
                result=self._shown(table, row),
            )
        yield from self._unknown(operation, table, {})

    # Writing

    def _create(self, operation: Operation, table: SettledTable) -> Iterator[Case]:
        values = [each for each in operation.parameters if each.role == "value"]
        whole = self._new_row(operation, table, values)
        if whole is None:
            return
        yield self._created(operation, table, whole, values, f"{table.noun} is added with all that can be said")
        needed = [each for each in values if each.required]
        least = self._new_row(operation, table, needed) if len(needed) < len(values) else None
        if least is not None:
            yield self._created(operation, table, least, needed, f"{table.noun} is added with what must be said")
        for kind in kinds_of(operation, self._settled):
            for broken in self._breaking_rows(kind, operation, table, whole):
                if self._outcome(_insertion(table.name, broken), [*broken.values()]) == kind:
                    asked = self._arguments(table, broken, values)
                    yield Case(tool=operation.name, title=_refusal(kind, table), arguments=asked, rejects=kind)
                    break
            else:
                yield from self._made_at_once(operation, table, values, whole) if kind == "ALREADY_EXISTS" else ()

    def _made_at_once(
        self, operation: Operation, table: SettledTable, values: Sequence[OperationParameter], whole: Row
    ) -> Iterator[Case]:
        """A second row of the same moment, where a unique set has a column that the clock fills."""
        for columns in breakable_uniques(operation, table):
            shared = {name: whole[name] for name in columns}
            fresh = {name: self._free_key(table, name) for name in table.key if name not in columns}
            rows = {table.name: [{**self._rows[table.name][0], **shared, **fresh}]}
            asked, title = self._arguments(table, whole, values), _refusal("ALREADY_EXISTS", table)
            yield Case(tool=operation.name, title=title, rows=rows, arguments=asked, rejects="ALREADY_EXISTS")
            return

    def _created(
        self, operation: Operation, table: SettledTable, row: Row, values: Sequence[OperationParameter], title: str
    ) -> Case:
        added = {name: value for name, value in row.items() if not (table.counted and name in table.key)}
        result = {**self._shown(table, dict.fromkeys(table.columns) | row)}
        result |= {name: f"$new:{table.name}" for name in table.key if table.counted}
        return Case(
            tool=operation.name,
            title=title,
            arguments=self._arguments(table, row, values),
            result=result,
            changes=[Change(table=table.name, added=added)],
        )

    def _update(self, operation: Operation, table: SettledTable) -> Iterator[Case]:
        values = [each for each in operation.parameters if each.role == "value"]
        clear = next((each for each in operation.parameters if each.role == "clear"), None)
        for row in self._rows[table.name]:
            changes = self._changes(operation, table, row, values)
            if changes:
                yield self._changed(operation, table, row, changes, f"{table.noun} is changed")
                break
        else:
            yield from self._changed_back(operation, table)
        optional = [each for each in values if not each.required]
        if len(optional) > 1:
            needed = [each for each in values if each.required]
            for row in reversed(self._rows[table.name]):
                changes = self._changes(operation, table, row, [*needed, optional[-1]])
                if changes:
                    yield self._changed(operation, table, row, changes, "what is left out stays as it is")
                    break
        for row in self._rows[table.name]:
            emptied = [name for name in clearable(operation, table) if row[name] is not None][:1] if clear else []
            if clear and emptied and self._try_change(table, row, {emptied[0]: None}) is None:
                case = self._changed(operation, table, row, {emptied[0]: None}, "a column is emptied")
                asked = {**self._key(operation, table, row), clear.name: emptied}
                yield case.model_copy(update={"arguments": asked})
                break
        yield from self._refused_changes(operation, table, values)

    def _changed_back(self, operation: Operation, table: SettledTable) -> Iterator[Case]:
        """An action on a row that is not in its state yet, where every row is."""
        for row in self._rows[table.name]:
            before = {
                name: next((each for each in table.columns[name].choices or (0, 1) if each != value), value)
                for name, value in operation.constants.items()
            }
            if before and self._try_change(table, row, before) is None:
                changed = {**row, **before}
                case = self._changed(operation, table, changed, {**operation.constants}, f"{table.noun} is changed")
                yield case.model_copy(update={"rows": {table.name: [changed]}})
                return

    def _refused_changes(
        self, operation: Operation, table: SettledTable, values: Sequence[OperationParameter]
    ) -> Iterator[Case]:
        first = self._rows[table.name][0]
        fitting = self._changes(operation, table, first, values)
        yield from self._unknown(operation, table, self._arguments(table, {**first, **fitting}, values))
        if operation.verb == "update" and is_free(operation):
            asked = self._key(operation, table, first)
            yield Case(tool=operation.name, title="nothing is changed", arguments=asked, rejects="INVALID_ARGUMENT")
        for kind in kinds_of(operation, self._settled):
            tried = (
                (row, broken)
                for row in self._rows[table.name]
                for broken in self._breaking_changes(kind, operation, row)
            )
            for row, broken in tried:
                needed = {each.column: row[each.column] for each in values if each.required and each.column}
                if self._try_change(table, row, {**needed, **broken, **operation.constants}) == kind:
                    said = [each for each in values if each.column in broken or each.required]
                    asked = {**self._key(operation, table, row), **self._arguments(table, {**row, **broken}, said)}
                    emptied = [name for name, value in broken.items() if value is None]
                    clear = next((each.name for each in operation.parameters if each.role == "clear"), None)
                    asked |= {clear: emptied} if clear and emptied else {}
                    yield Case(tool=operation.name, title=_refusal(kind, table), arguments=asked, rejects=kind)
                    break
            else:
                yield from self._taken_by_another(operation, table, values) if kind == "ALREADY_EXISTS" else ()

    def _taken_by_another(
        self, operation: Operation, table: SettledTable, values: Sequence[OperationParameter]
    ) -> Iterator[Case]:
        """A change to what another row has, which is given to the case where no row of the table will do."""
        row = self._rows[table.name][0]
        given = [name for name in table.columns if not (table.counted and name in table.key)]
        every = [OperationParameter(name, "value", name) for name in given]
        other = self._new_row(Operation("", "create", table.name, tuple(every)), table, every, ahead=True)
        columns = next(iter(breakable_uniques(operation, table)), ())
        said = [each for each in values if each.column in columns or each.required]
        if other is not None and said:
            if shared := {name: row[name] for name in columns if name not in written_by(operation, table)}:
                other |= shared | {name: self._free_key(table, name) for name in table.key if name not in shared}
            taken = {**row, **{name: other[name] for name in columns}}
            asked = {**self._key(operation, table, row), **self._arguments(table, taken, said)}
            title = _refusal("ALREADY_EXISTS", table)
            rows = {table.name: [other]}
            yield Case(tool=operation.name, title=title, rows=rows, arguments=asked, rejects="ALREADY_EXISTS")

    def _changed(
        self, operation: Operation, table: SettledTable, row: Row, changes: Mapping[str, Any], title: str
    ) -> Case:
        values = [each for each in operation.parameters if each.role == "value"]
        said = [each for each in values if each.column in changes]
        after = {**row, **changes}
        different = {name: value for name, value in changes.items() if row[name] != value}
        key = [row[name] for name in table.key]
        return Case(
            tool=operation.name,
            title=title,
            arguments={**self._key(operation, table, row), **self._arguments(table, after, said)},
            result=self._shown(table, after),
            changes=[Change(table=table.name, key=key[0] if len(key) == 1 else key, changed=different)],
        )

    def _changes(
        self, operation: Operation, table: SettledTable, row: Row, values: Sequence[OperationParameter]
    ) -> Row:
        """Other values of a row for these parameters, with the constants, that the constraints let through."""
        changes: Row = {**operation.constants}
        for parameter in values:
            name = parameter.column or ""
            others = [each[name] for each in self._rows[table.name] if each[name] not in (None, row[name])]
            fresh = fresh_values(table.columns[name], row[name], self._now)
            parents = self._parents(table, name)
            for value in [*([] if parents else fresh), *others, *parents]:
                if value != row[name] and self._try_change(table, row, {**changes, name: value}) is None:
                    changes[name] = value
                    break
            else:
                if parameter.required:
                    changes[name] = row[name]
        different = any(row[name] != value for name, value in changes.items())
        return changes if different and self._try_change(table, row, changes) is None else {}

    def _delete(self, operation: Operation, table: SettledTable) -> Iterator[Case]:
        where = " AND ".join(f"{name} = ?" for name in table.key)
        statement = f"DELETE FROM {table.name} WHERE {where}"
        outcomes = [
            (row, self._outcome(statement, [row[name] for name in table.key])) for row in self._rows[table.name]
        ]
        free = next((row for row, kind in outcomes if kind is None), None)
        added: dict[str, list[Row]] = {}
        if free is None:
            writing = [OperationParameter(name, "value", name) for name in table.columns if name not in table.key]
            create = Operation("", "create", table.name, tuple(writing))
            made = self._new_row(create, table, writing, ahead=True)
            if made is not None:
                free, added = dict.fromkeys(table.columns) | made, {table.name: [made]}
        if free is not None:
            key = [free[name] for name in table.key]
            yield Case(
                tool=operation.name,
                title=f"{table.noun} is removed",
                rows=added,
                arguments=self._key(operation, table, free),
                result=self._shown(table, free),
                changes=[Change(table=table.name, key=key[0] if len(key) == 1 else key, removed=True)],
            )
        yield from self._unknown(operation, table, {})
        held = next((row for row, kind in outcomes if kind == "FAILED_PRECONDITION"), None)
        if held is not None:
            asked = self._key(operation, table, held)
            title = f"{table.noun} that others refer to stays"
            yield Case(tool=operation.name, title=title, arguments=asked, rejects="FAILED_PRECONDITION")

    # Rows that break something

    def _breaking_rows(
        self, kind: RejectionKind, operation: Operation, table: SettledTable, whole: Row
    ) -> Iterator[Row]:
        if kind == "NOT_FOUND":
            yield from ({**whole, **broken} for broken in self._without_parent(operation, table))
        elif kind == "ALREADY_EXISTS":
            for columns in breakable_uniques(operation, table):
                if not any(table.columns[name].made == "clock" for name in columns):  # no row has this very moment
                    yield from ({**whole, **{name: row[name] for name in columns}} for row in self._rows[table.name])
        elif kind == "FAILED_PRECONDITION":
            for check in table.checks:
                found = breaking(check, table, operation, written_by(operation, table))
                yield from ({**whole, **broken} for broken in found)

    def _breaking_changes(self, kind: RejectionKind, operation: Operation, row: Row) -> Iterator[Row]:
        table = self._settled.tables[operation.table]
        if kind == "NOT_FOUND":
            yield from self._without_parent(operation, table)
        elif kind == "ALREADY_EXISTS":
            for columns in breakable_uniques(operation, table):
                written = [name for name in columns if name in written_by(operation, table)]
                others = (each for each in self._rows[table.name] if each is not row)
                yield from ({name: other[name] for name in written} for other in others)
        elif kind == "FAILED_PRECONDITION":
            for check in table.checks:
                yield from breaking(check, table, operation, written_by(operation, table), row)

    def _without_parent(self, operation: Operation, table: SettledTable) -> Iterator[Row]:
        written = written_by(operation, table)
        for reference in table.references:
            for name in reference.columns:
                if name in written:
                    yield {name: _missing(table.columns[name])}

    def _unknown(self, operation: Operation, table: SettledTable, others: Row) -> Iterator[Case]:
        keys = [each for each in operation.parameters if each.role == "key"]
        unknown = {each.name: _missing(table.columns[each.column or ""]) for each in keys}
        for each in keys:
            column = table.columns[each.column or ""]
            if column.choices or column.kind == "boolean":
                unknown[each.name] = self._key(operation, table, self._rows[table.name][0])[each.name]
        yield Case(
            tool=operation.name,
            title=f"there is no such {table.noun}",
            arguments={**others, **unknown},
            rejects="NOT_FOUND",
        )

    # Rows that fit

    def _new_row(
        self,
        operation: Operation,
        table: SettledTable,
        values: Sequence[OperationParameter],
        *,
        ahead: bool = False,
    ) -> Row | None:
        """A row with a value for each of these parameters that the constraints let through; None if there is none."""
        said = [each.column or "" for each in values]
        for template in self._rows[table.name]:
            row = {name: template[name] for name in said}
            row |= dict(operation.constants)
            for name, column in table.columns.items():
                if column.made == "clock" and name not in row:
                    row[name] = self._now[:10] if column.kind == "date" else self._now
                elif name not in row and column.default is not None:
                    row[name] = column.default
                elif name in row and row[name] is None:
                    row[name] = next(iter(fresh_values(column, None, self._now)), None)
            if table.counted or ahead:
                row |= {name: self._free_key(table, name) for name in table.key if name not in row}
            found = self._fitting(table, row, said)
            if found is not None:
                return found
        return None

    def _fitting(self, table: SettledTable, row: Row, said: Sequence[str]) -> Row | None:
        """A row with its unique values replaced until it fits."""
        for attempt in range(1, 40):
            if self._outcome(_insertion(table.name, row), [*row.values()]) is None:
                return row
            for columns in [*table.uniques, *([] if table.counted else [table.key])]:
                for name in columns:
                    parents = self._parents(table, name)
                    if name not in said:
                        continue
                    fresh = parents or [*fresh_values(table.columns[name], row[name], self._now)]
                    row = {**row, name: fresh[attempt % len(fresh)] if fresh else row[name]}
                    if self._outcome(_insertion(table.name, row), [*row.values()]) is None:
                        return row
        return None

    def _free_key(self, table: SettledTable, name: str) -> Any:
        """What `db.new_id` gives, or a key that is not taken."""
        taken = {row[name] for row in self._rows[table.name]}
        if table.columns[name].kind in ("integer", "real"):
            return next(number for number in range(1, len(taken) + 2) if number not in taken)
        return f"{table.name.upper()}-9999"

    def _parents(self, table: SettledTable, name: str) -> list[Any]:
        reference = next((each for each in table.references if name in each.columns), None)
        if reference is None:
            return []
        theirs = reference.theirs[reference.columns.index(name)]
        return [row[theirs] for row in self._rows[reference.table]]

    # The scratch database

    def _outcome(self, statement: str, values: Sequence[Any]) -> RejectionKind | None:
        """The kind of rejection that a statement comes to; nothing of it stays."""
        self._scratch.execute("BEGIN")
        try:
            self._scratch.execute(statement, values)
        except sqlite3.IntegrityError as error:
            if error.sqlite_errorname in ("SQLITE_CONSTRAINT_PRIMARYKEY", "SQLITE_CONSTRAINT_UNIQUE"):
                return "ALREADY_EXISTS"
            if statement.startswith("DELETE"):
                return "FAILED_PRECONDITION"
            return "FAILED_PRECONDITION" if error.sqlite_errorname == "SQLITE_CONSTRAINT_CHECK" else "NOT_FOUND"
        finally:
            self._scratch.execute("ROLLBACK")
        return None

    def _try_change(self, table: SettledTable, row: Row, changes: Mapping[str, Any]) -> RejectionKind | None:
        settings = ", ".join(f"{name} = ?" for name in changes)
        where = " AND ".join(f"{name} = ?" for name in table.key)
        values = [*changes.values(), *(row[name] for name in table.key)]
        return self._outcome(f"UPDATE {table.name} SET {settings} WHERE {where}", values)

    # As arguments and results

    def _key(self, operation: Operation, table: SettledTable, row: Row) -> Row:
        keys = [each for each in operation.parameters if each.role == "key"]
        return self._arguments(table, row, keys)

    def _arguments(self, table: SettledTable, row: Row, parameters: Sequence[OperationParameter]) -> Row:
        return {
            each.name: self._argument(table.columns[each.column or ""], row[each.column or ""])
            for each in parameters
            if row[each.column or ""] is not None
        }

    def _argument(self, column: SourceColumn, value: Any) -> Any:
        return bool(value) if column.kind == "boolean" else value

    def _shown(self, table: SettledTable, row: Row) -> Row:
        truths = {name for name, column in table.columns.items() if column.kind == "boolean"}
        return {
            name: bool(row[name]) if name in truths and row[name] is not None else row[name] for name in table.columns
        }


def _fits(parameter: OperationParameter, table: SettledTable, row: Row, value: Any) -> bool:
    if parameter.role in ("limit", "offset"):
        return True
    if parameter.role == "search":
        names = [parameter.column] if parameter.column else free_texts(table)
        return value.lower() in " / ".join(row[name] or "" for name in names).lower()
    own = row[parameter.column or ""]
    if own is None:
        return False
    return bool({"least": own >= value, "most": own <= value}.get(parameter.role, own == value))


def _missing(column: SourceColumn) -> Any:
    """A key that no row has."""
    if column.kind in ("date", "timestamp"):
        return "1900-01-01" if column.kind == "date" else "1900-01-01 00:00:00"
    return _MISSING if column.kind in ("integer", "real") else "~missing"[: column.longest]


def _insertion(table: str, row: Mapping[str, Any]) -> str:
    return f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"


def _refusal(kind: RejectionKind, table: SettledTable) -> str:
    titles: dict[RejectionKind, str] = {
        "NOT_FOUND": f"{table.noun} refers to what is not there",
        "ALREADY_EXISTS": f"{table.noun} is there already",
    }
    return titles.get(kind, f"{table.noun} breaks a constraint")
