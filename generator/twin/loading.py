"""Run what a dump does to rows in a scratch SQLite database, whose columns keep values as they are written."""

from __future__ import annotations

import hashlib
import random
import re
import sqlite3
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from generator.twin.sql import ESCAPED, NAME, QUOTED, Dialect, Statement, hidden_parts, split_name, unquote

_CLOCK = "2025-01-01 09:00:00"  # of a dump in which no date stands
CONFLICT = "ON CONFLICT, IGNORE or REPLACE says so"


@dataclass
class StagedTable:
    """A table of the scratch database: its columns in their order, each with its default in SQLite's SQL."""

    name: str
    stage: str
    columns: dict[str, str] = field(default_factory=dict)
    counter: str = ""
    """The column that is counted where no value is given."""
    uniques: list[tuple[str, ...]] = field(default_factory=list)
    generated: list[str] = field(default_factory=list)
    """Columns that are computed; an INSERT without names says DEFAULT for them, or passes over them."""
    built: tuple[dict[str, str], str] | None = None


class CannotLoad(Exception):
    """A statement, or a row of it, cannot be loaded: why."""


_GAP = r"(?:\s|--[^\n]*(?=\n)|\#[^\n]*(?=\n)|/\*.*?\*/)*"
_INSERT = re.compile(
    rf"(?P<verb>INSERT|REPLACE)\s+(?P<how>(?:(?:IGNORE|LOW_PRIORITY|DELAYED|OR\s+\w+)\s+)*)(?:INTO\s+)?(?P<table>{NAME})"
    rf"{_GAP}(?:\({_GAP}(?P<columns>{NAME}(?:{_GAP},{_GAP}{NAME})*){_GAP}\){_GAP})?"
    rf"(?:OVERRIDING\s+\w+\s+VALUE{_GAP})?VALUES?{_GAP}(?=\(|ROW\b)",
    re.IGNORECASE | re.DOTALL,
)
_COPY = re.compile(rf"COPY\s+({NAME})\s*(?:\(([^)]*)\))?", re.IGNORECASE)
_BETWEEN = re.compile(rf"{_GAP},?{_GAP}(?:ROW\s*(?=\())?", re.IGNORECASE | re.DOTALL)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])"


def _plain(dialect: Dialect) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what a tuple of plain literals looks like, and one of its values."""
    text = f"N?{ESCAPED if dialect == 'mysql' else QUOTED}"
    value = rf"(?:NULL|TRUE|FALSE|{_NUMBER}|{text})"
    flags = re.IGNORECASE | re.DOTALL
    return re.compile(rf"\(\s*{value}\s*(?:,\s*{value}\s*)*\)(?=\s*(?:,|$))", flags), re.compile(value, flags)


_PLAIN = {dialect: _plain(dialect) for dialect in ("postgres", "mysql", "sqlite", "tsql")}
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "Z": "\x1a"}
_COPIED = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)


def clock_of(text: str) -> str:
    """Return the time at which a dump is run: the end of the latest day that stands in it and is not to come."""
    today = str(date.today())
    days = {found for found in re.findall(r"\b(?:19|20)\d\d-[01]\d-[0-3]\d\b", text) if found <= today}
    return f"{max(days)} 23:59:00" if days else _CLOCK


def number_of(text: str) -> int | float | str:
    """Return a number exactly: as text where an integer has more than 63 bits, or a decimal more than 15 digits."""
    if re.fullmatch(r"[+-]?\d+", text):
        return int(text) if -(2**63) <= int(text) < 2**63 else text
    digits = re.sub(r"[eE].*|\D", "", text).lstrip("0")
    return float(text) if len(digits) <= 15 or "e" in text.lower() else text


def _value(text: str, dialect: Dialect) -> Any:
    if text[-1] == "'":
        inner = text[text.index("'") + 1 : -1].replace("''", "'")
        if dialect != "mysql" or "\\" not in inner:
            return inner
        return re.sub(r"\\([%_])|\\(.)", lambda e: e[0] if e[1] else _ESCAPES.get(e[2], e[2]), inner, flags=re.DOTALL)
    word = {"NULL": None, "TRUE": 1, "FALSE": 0}
    return word[text.upper()] if text.upper() in word else number_of(text)


def _copied(value: str) -> str | None:
    """Return a value of a COPY block, in which octal and hexadecimal escapes are bytes of UTF-8."""
    if value == r"\N":
        return None
    if "\\" not in value:
        return value

    def unescaped(found: re.Match[str]) -> str:
        code = int(found[1], 8) if found[1] else int(found[2], 16) if found[2] else None
        return chr(0xDC00 + code) if code and code > 127 else chr(code) if code else _ESCAPES.get(found[3], found[3])

    text = _COPIED.sub(unescaped, value)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class Scratch:
    """Takes one statement about rows after the other."""

    def __init__(self, dialect: Dialect, clock: str, find: Callable[[Sequence[str]], StagedTable | None]) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.counters: dict[str, tuple[StagedTable, str]] = {}
        """Sequences that count a column, by name."""
        self.lost: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        """Rows that could not be loaded, by table and reason: line and text."""
        self.made: Counter[str] = Counter()
        self.gone: Counter[tuple[str, str]] = Counter()
        """Rows that queries made, by table, and rows that statements took away again, by table and why."""
        self._dialect, self._clock, self._find = dialect, clock, find
        self._variables: dict[str, Any] = {}
        self._last: StagedTable | None = None
        self._scan = re.compile("|".join([*hidden_parts(dialect), r"(?P<open>\()", r"(?P<close>\))"]), re.DOTALL)
        for name, (many, function) in _functions(clock).items():
            self.connection.create_function(name, many, function)
        for name in (
            "nextval",
            "currval",
            "setval",
            "lastval",
            "last_insert_id",
            "last_insert_rowid",
            "scope_identity",
        ):
            self.connection.create_function(name, -1, self._counted if name == "nextval" else self._last_key)
        self.connection.create_function("next_key", 2, self._next)

    # Statements

    def take(self, statement: Statement) -> StagedTable | None:
        """Run a statement; return the table whose rows it lists. Errors: CannotLoad for all of it."""
        try:
            if copied := _COPY.match(statement.sql):
                return self._copy(statement, copied)
            if inserted := _INSERT.match(statement.sql):
                return self._insert(statement, inserted)
            return self._run(statement)
        except (SqlglotError, sqlite3.Error, RecursionError) as error:
            raise CannotLoad(why(error)) from error

    def set_variable(self, sql: str) -> None:
        """Note what MySQL's SET @x = ... sets; what cannot be computed stays unset."""
        for name, value in re.findall(r"@(\w+)\s*:?=\s*([^,;]+(?:\([^)]*\))?)", sql):
            try:
                tree = sqlglot.parse_one(f"SELECT {value}", read=self._dialect)
                self._variables[name.lower()] = self.connection.execute(self._sql(tree)).fetchone()[0]
            except (SqlglotError, sqlite3.Error, CannotLoad):
                self._variables.pop(name.lower(), None)

    def _target(self, written: str) -> StagedTable:
        table = self._find(split_name(written))
        if table is None:
            raise CannotLoad(f"no table {unquote(written)!r} was read")
        self.build(table)
        return table

    def _copy(self, statement: Statement, found: re.Match[str]) -> StagedTable:
        table = self._target(found[1])
        columns = [unquote(part) for part in found[2].split(",")] if found[2] else [*table.columns]
        lines = [line.removesuffix("\r") for line in statement.data.split("\n")]
        first = statement.line + statement.sql.count("\n") + 1
        batch = [(first + at, [_copied(value) for value in line.split("\t")]) for at, line in enumerate(lines) if line]
        self._fill(table, columns, batch)
        return table

    def _insert(self, statement: Statement, found: re.Match[str]) -> StagedTable:
        sql, table = statement.sql, self._target(found["table"])
        named = [unquote(name) for name in _names(found["columns"])] if found["columns"] else None
        tuples, tail = self._tuples(sql, found.end())
        how = " OR REPLACE" if "REPLACE" in (found["verb"] + found["how"]).upper() else ""
        how = " OR IGNORE" if "IGNORE" in found["how"].upper() else how
        if tail:
            how, tail = self._conflict(tail, table)
        if conflicts := bool(how or tail):
            self._make_unique(table)
        before, done = self._count(table), 0
        batch: list[tuple[int, list[Any]]] = []
        line, last = statement.line, 0
        for begin, end, row in tuples:
            line, last = line + sql.count("\n", last, begin), begin
            if row is not None and not conflicts:
                batch.append((line, row))
                continue
            done += self._fill(table, named, batch)
            batch = []
            try:
                self._insert_odd(table, named, sql[begin:end], row, f"INSERT{how}", tail)
                done += 1
            except (CannotLoad, SqlglotError, sqlite3.Error, RecursionError) as error:
                text = why(error).replace(table.stage, table.name)
                self.lost[table.name, text].append((line, statement.said(sql[begin:end])))
        done += self._fill(table, named, batch)
        if short := done - (self._count(table) - before):
            self.gone[table.name, CONFLICT] += short
        self._number(table)
        return table

    def _tuples(self, sql: str, at: int) -> tuple[list[tuple[int, int, list[Any] | None]], str]:
        """Return the tuples behind VALUES, those of plain literals read, and what follows them."""
        plain, value = _PLAIN[self._dialect]
        tuples: list[tuple[int, int, list[Any] | None]] = []
        while True:
            gap = _BETWEEN.match(sql, at)
            at = gap.end() if gap else at
            if found := plain.match(sql, at):
                row = [_value(each, self._dialect) for each in value.findall(sql, at + 1, found.end() - 1)]
                tuples.append((at, found.end(), row))
                at = found.end()
            elif sql.startswith("(", at):
                end = self._close(sql, at)
                tuples.append((at, end, None))
                at = end
            else:
                return tuples, sql[at:]

    def _close(self, sql: str, at: int) -> int:
        depth = 0
        for found in self._scan.finditer(sql, at):
            depth += {"open": 1, "close": -1}.get(found.lastgroup or "", 0)
            if depth == 0:
                return found.end()
        raise CannotLoad(f"a tuple is not closed: {' '.join(sql[at : at + 40].split())}")

    def _conflict(self, tail: str, table: StagedTable) -> tuple[str, str]:
        """Return how conflicts are resolved, from what follows the tuples."""
        tree = sqlglot.parse_one(f"INSERT INTO t VALUES (1) {tail}", read=self._dialect)
        conflict = tree.args.get("conflict")
        if not isinstance(conflict, exp.OnConflict):
            return "", ""
        if not conflict.expressions:
            return " OR IGNORE", ""
        for name in conflict.expressions:
            for new in [*name.find_all(exp.Anonymous, exp.Values)]:  # VALUES(b) of MySQL
                named = new.find(exp.Identifier)
                new.replace(exp.column(named.name if named else new.name, "excluded"))
        sets = [self._sql(each) for each in conflict.expressions]
        return "", f"ON CONFLICT DO UPDATE SET {', '.join(sets)}"

    def _insert_odd(
        self, table: StagedTable, named: list[str] | None, text: str, row: list[Any] | None, verb: str, tail: str
    ) -> None:
        """Insert a tuple whose values the engine computes, or whose conflicts it resolves."""
        if row is None:
            tree = sqlglot.parse_one(f"SELECT {text[1:-1]}", read=self._dialect)
            given: list[Any] = tree.expressions
            if not isinstance(tree, exp.Select) or any(isinstance(each, exp.Alias) for each in given):
                raise CannotLoad("its values cannot be read")
        else:
            given = row
        columns = self._fitting(table, named, len(given))
        pairs = [pair for pair in zip(columns, given, strict=True) if not _is_default(pair[1])]
        names = ", ".join(_quoted(name) for name, _ in pairs)
        values = ", ".join("?" if row is not None else self._sql(value) for _, value in pairs)
        alias = f" AS {_quoted(table.name)}" if table.name != table.stage else ""
        into = f"{verb} INTO {_quoted(table.stage)}{alias}"
        body = f"({names}) VALUES ({values})" if pairs else "DEFAULT VALUES"
        self.connection.execute(f"{into} {body} {tail}", [value for _, value in pairs] if row is not None else [])
        self._last = table

    def _fitting(self, table: StagedTable, named: list[str] | None, many: int) -> list[str]:
        """Return the columns of so many values; errors: CannotLoad."""
        columns = named or [*table.columns]
        passed = [*table.generated, *([table.counter] if self._dialect == "tsql" and table.counter else [])]
        if not named and many == len(columns) - len(passed):
            columns = [name for name in columns if name not in passed]
        if not named and self._dialect == "postgres":
            columns = columns[:many]
        if many != len(columns):
            raise CannotLoad(f"{many} values for {len(columns)} columns")
        return columns

    def _fill(self, table: StagedTable, named: list[str] | None, batch: Sequence[tuple[int, list[Any]]]) -> int:
        """Insert rows of plain values; return how many went in."""
        by_length: dict[int, list[list[Any]]] = defaultdict(list)
        for line, row in batch:
            try:
                self._fitting(table, named, len(row))
            except CannotLoad as error:
                self.lost[table.name, str(error)].append((line, " ".join(repr(row)[1:60].split())))
            else:
                by_length[len(row)].append(row)
        for many, rows in by_length.items():
            columns = self._fitting(table, named, many)
            names = ", ".join(map(_quoted, columns))
            marks = ", ".join("?" * many)
            insert = f"INSERT INTO {_quoted(table.stage)} ({names}) VALUES ({marks})"
            counted = columns.index(table.counter) if table.counter in columns else None
            try:
                if counted is None or all(row[counted] is not None for row in rows):
                    self.connection.executemany(insert, rows)
                else:
                    for row in rows:
                        self.connection.execute(insert, row)
                        self._number(table)
            except sqlite3.Error as error:
                raise CannotLoad(why(error).replace(table.stage, table.name)) from error
            self._last = table
        return sum(map(len, by_length.values()))

    def _run(self, statement: Statement) -> StagedTable | None:
        """Run a statement that lists no tuples: INSERT ... SELECT or SET, UPDATE, DELETE."""
        sql = re.sub(r"^REPLACE\s+(?:INTO\s+)?", "INSERT OR REPLACE INTO ", statement.sql, flags=re.IGNORECASE)
        if self._dialect == "mysql" and sql != statement.sql:
            sql = sql.replace("INSERT OR REPLACE", "INSERT", 1)
        tree = sqlglot.parse_one(sql, read=self._dialect)
        target = tree.find(exp.Table)
        if not isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.TruncateTable) or target is None:
            raise CannotLoad("it cannot be read")
        table = self._target(target.sql(dialect="postgres", comments=False).partition(" ")[0])
        if isinstance(tree, exp.TruncateTable):
            tree = exp.delete(target.copy())
        tree.set("returning", None)
        if conflicts := isinstance(tree, exp.Insert) and bool(
            tree.args.get("conflict") or tree.args.get("alternative")
        ):
            self._make_unique(table)
        before = self._count(table)
        is_list = isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Values)
        self.connection.execute(self._sql(tree))
        self._last = table
        self._number(table)
        added = self._count(table) - before
        if added < 0:
            self.gone[table.name, "the source itself deletes them"] -= added
        elif not is_list:
            self.made[table.name] += added
        elif conflicts:
            self.gone[table.name, CONFLICT] += len(tree.expression.expressions) - added
        return table if isinstance(tree, exp.Insert) else None

    # Tables

    def build(self, table: StagedTable) -> None:
        """Make a table, or make it anew where its columns have changed since; its rows stay."""
        if table.built == (table.columns, table.counter):
            return
        parts = []
        for name, default in table.columns.items():
            if name == table.counter:
                default = f"next_key({_text(table.stage)}, {_text(name)})"
            parts.append(f"{_quoted(name)} DEFAULT ({default})" if default else _quoted(name))
        stage, kept = _quoted(table.stage), []
        if table.built:
            self.connection.execute(f"ALTER TABLE {stage} RENAME TO before")
            kept = [_quoted(name) for name in table.built[0] if name in table.columns]
        self.connection.execute(f"CREATE TABLE {stage} ({', '.join(parts)})")
        if table.built:
            names = ", ".join(kept)
            self.connection.execute(f"INSERT INTO {stage} ({names}) SELECT {names} FROM before ORDER BY rowid")
            self.connection.execute("DROP TABLE before")
        if table.counter:
            index = _quoted(f"{table.stage} by key")
            self.connection.execute(f"CREATE INDEX {index} ON {stage} ({_quoted(table.counter)})")
        table.built = (dict(table.columns), table.counter)

    def default(self, given: exp.Expression) -> str:
        """Return a default in SQLite's SQL; empty if the engine cannot compute it."""
        try:
            sql = self._sql(given)
            self.connection.execute(f"CREATE TABLE probe (x DEFAULT ({sql}))")
        except (SqlglotError, sqlite3.Error, CannotLoad):
            return ""
        try:
            self.connection.execute("INSERT INTO probe DEFAULT VALUES")
        except sqlite3.Error:
            return ""
        finally:
            self.connection.execute("DROP TABLE probe")
        return sql

    def rows(self, table: StagedTable, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return all rows in the order in which they came."""
        self.build(table)
        names = ", ".join(map(_quoted, columns)) or "1"
        return self.connection.execute(f"SELECT {names} FROM {_quoted(table.stage)} ORDER BY rowid").fetchall()

    def _count(self, table: StagedTable) -> int:
        return int(self.connection.execute(f"SELECT count(*) FROM {_quoted(table.stage)}").fetchone()[0])

    def _make_unique(self, table: StagedTable) -> None:
        for at, columns in enumerate(table.uniques):
            names = ", ".join(map(_quoted, columns))
            index = _quoted(f"{table.stage} {at}")
            self.connection.execute(f"CREATE UNIQUE INDEX IF NOT EXISTS {index} ON {_quoted(table.stage)} ({names})")

    # Counted keys

    def _next(self, stage: str, column: str) -> int:
        query = f"SELECT coalesce(max({_quoted(column)}), 0) + 1 FROM {_quoted(stage)}"
        return int(self.connection.execute(query).fetchone()[0])

    def _number(self, table: StagedTable) -> None:
        """Count the keys that were given as NULL, as SQLite and MySQL do."""
        if table.counter and self._dialect in ("sqlite", "mysql"):
            name, stage = _quoted(table.counter), _quoted(table.stage)
            after = f"next_key({_text(table.stage)}, {_text(table.counter)})"
            self.connection.execute(f"UPDATE {stage} SET {name} = {after} WHERE {name} IS NULL")

    def _counted(self, sequence: str) -> int:
        table, column = self._of_sequence(sequence)
        return self._next(table.stage, column)

    def _of_sequence(self, sequence: str) -> tuple[StagedTable, str]:
        name = unquote(sequence)
        if name in self.counters:
            return self.counters[name]
        table = self._find([name.removesuffix("_id_seq")])
        if table is None or not table.counter:
            raise CannotLoad(f"no column is counted by {name!r}")
        return table, table.counter

    def _last_key(self, *sequence: str) -> Any:
        table, column = self._of_sequence(sequence[0]) if sequence else (self._last, "")
        if table is None or not (column or table.counter):
            return None
        query = f"SELECT {_quoted(column or table.counter)} FROM {_quoted(table.stage)} ORDER BY rowid DESC LIMIT 1"
        row = self.connection.execute(query).fetchone()
        return row[0] if row else None

    # Expressions

    def _sql(self, tree: exp.Expr) -> str:
        """Return a tree in the scratch database's SQL; errors: CannotLoad, SqlglotError."""
        known = {each.alias for each in tree.find_all(exp.CTE)}
        return str(
            tree.copy()
            .transform(self._node, known, copy=False)
            .sql(dialect="sqlite", unsupported_level=ErrorLevel.RAISE, comments=False)
        )

    def _node(self, node: exp.Expression, known: set[str]) -> Any:
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier) and node.name not in known:
            parts = [each.sql(dialect="postgres") for each in (node.args.get("db"), node.this) if each]
            if table := self._find(parts):
                self.build(table)
                alias = node.args.get("alias") or (
                    exp.TableAlias(this=exp.to_identifier(node.name, quoted=True)) if node.name != table.stage else None
                )
                return exp.Table(this=exp.to_identifier(table.stage, quoted=True), alias=alias)
        if isinstance(node, exp.Subquery | exp.Paren):
            return node
        return _plainer(node, self._dialect, self._clock, self._variables)


def _plainer(node: exp.Expression, dialect: Dialect, clock: str, variables: dict[str, Any]) -> Any:
    """Return a literal, cast, time or interval as SQLite computes it."""
    text = exp.Literal.string
    if isinstance(node, exp.National | exp.RawString | exp.ByteString):
        return text(node.name)
    if isinstance(node, exp.UnicodeString):
        return text(
            re.sub(r"\\(?:\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4}))", lambda e: chr(int(e[1] or e[2], 16)), node.name)
        )
    if isinstance(node, exp.BitString):
        return text(node.name) if dialect == "postgres" else exp.Literal.number(int(node.name, 2))
    if isinstance(node, exp.HexString) and dialect == "postgres":
        return exp.Literal.number(int(node.name, 16))
    if isinstance(node, exp.Introducer):
        return node.expression
    if isinstance(node, exp.Literal):
        if not node.is_string and isinstance(number_of(node.name), str):
            return text(node.name)
        if node.is_string and "\0" in node.name:
            return exp.func("text_of", text(node.name.encode().hex()))
        is_now = node.is_string and node.name.lower() == "now" and isinstance(node.parent, exp.Func)
        return text(clock) if is_now else node
    if isinstance(node, exp.Boolean):
        return exp.Literal.number(int(node.this))
    if isinstance(node, exp.Parameter):
        if node.name.lower() not in variables:
            raise CannotLoad(f"@{node.name} is not known")
        return exp.convert(variables[node.name.lower()])
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and isinstance(number_of(node.this.name), str):
        return text(f"-{node.this.name}")
    if isinstance(node, exp.CurrentDate):
        return text(clock[:10])
    if isinstance(node, exp.CurrentTime):
        return text(clock[11:])
    if isinstance(node, exp.CurrentTimestamp | exp.CurrentDatetime | exp.Localtimestamp | exp.Localtime):
        return text(clock)
    if isinstance(node, exp.AtTimeZone):
        return node.this.transform(_plainer, dialect, clock, variables)
    if isinstance(node, exp.Array):
        return exp.func(
            "json_array", *(each.transform(_plainer, dialect, clock, variables) for each in node.expressions)
        )
    if isinstance(node, exp.Cast | exp.Convert):
        return _cast(node, dialect, clock, variables)
    moved = _moved(node, dialect)
    if moved is not None:
        return exp.func(moved[0], moved[1].transform(_plainer, dialect, clock, variables), *map(text, moved[2]))
    if isinstance(node, exp.Column) and not node.table and node.this.quoted and dialect in ("sqlite", "mysql"):
        return node if node.find_ancestor(exp.From, exp.Select, exp.Update, exp.Delete) else text(node.name)
    return node


def _cast(node: exp.Expression, dialect: Dialect, clock: str, variables: dict[str, Any]) -> Any:
    """Return a cast that SQLite has, or the value; a literal stays as it is written."""
    is_convert = isinstance(node, exp.Convert)
    to = (node.this if is_convert else node.args["to"]).sql().upper()
    given = node.expression if is_convert else node.this
    if isinstance(given, exp.Literal) and given.is_string and given.name.lower() == "now" and "REGCLASS" not in to:
        given = exp.CurrentTimestamp()
    if given is None:
        raise CannotLoad("a conversion that cannot be read")
    value = given.transform(_plainer, dialect, clock, variables)
    if isinstance(given, exp.Literal | exp.National | exp.Neg | exp.Null | exp.RawString | exp.ByteString):
        return value
    if re.match("DATE$|TIMESTAMP|DATETIME", to):
        return exp.func("date" if to == "DATE" else "datetime", value)
    kinds = {"INT": "INTEGER", "CHAR|TEXT": "TEXT", "FLOAT|DOUBLE|REAL|DECIMAL|NUMERIC": "REAL"}
    kind = next((kind for words, kind in kinds.items() if re.search(words, to)), None)
    return exp.cast(value, kind) if kind else value


_UNITS = {"s": "seconds", "mi": "minutes", "h": "hours", "d": "days", "w": "days", "mo": "months", "y": "years"}


def _moved(node: exp.Expression, dialect: Dialect) -> tuple[str, exp.Expression, list[str]] | None:
    """Return how a time is moved: the function, the time, and SQLite's modifiers; None for anything else."""
    signs: dict[type[exp.Expression], int] = {
        exp.Add: 1,
        exp.Sub: -1,
        exp.DateAdd: 1,
        exp.DateSub: -1,
        exp.TsOrDsAdd: 1,
    }
    sign = signs.get(type(node))
    if sign is None:
        return None
    by, unit = node.expression, node.args.get("unit")
    is_day = isinstance(node.this, exp.CurrentDate) or "DATE" in node.this.sql().upper()[:8]
    if isinstance(by, exp.Interval):
        by, unit = by.this, by.args.get("unit")
    elif isinstance(node, exp.Add | exp.Sub):
        if not isinstance(node.this, exp.CurrentDate):
            return None
        unit = exp.var("day")
    written = f"{by.sql()} {unit.name if unit else ''}".replace("'", " ").replace("- ", "-")
    parts = re.findall(r"([+-]?\s*\d+(?:\.\d+)?)\s*([a-zA-Z]+)", written)
    modifiers = []
    for number, word in parts:
        known = next((name for start, name in _UNITS.items() if word.lower().startswith(start)), None)
        if known is None:
            raise CannotLoad(f"an interval of {word!r}")
        modifiers.append(f"{sign * float(number.replace(' ', '')) * (7 if word[:1] in 'wW' else 1):+g} {known}")
    if not modifiers:
        raise CannotLoad(f"the interval {written.strip()!r} is not plain")
    keeps_day = is_day and all(each.endswith(("days", "months", "years")) for each in modifiers)
    return ("date" if keeps_day else "datetime"), node.this, modifiers


def _functions(clock: str) -> dict[str, tuple[int, Callable[..., Any]]]:
    """Return the functions that SQLite lacks, by name, with how many arguments they take."""
    rng = random.Random(0)

    def strict(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given: None if None in given else function(*given)

    def unistr(text: str) -> str:
        pattern = r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4})|(\\))"
        return re.sub(pattern, lambda e: "\\" if e[5] else chr(int(e[1] or e[2] or e[3] or e[4], 16)), text)

    def digest(name: str) -> Callable[..., Any]:
        return strict(
            lambda text: hashlib.new(name, text if isinstance(text, bytes) else str(text).encode()).hexdigest()
        )

    def padded(text: str, many: int, by: str = " ", *, left: bool) -> str:
        fill = (by * many)[: max(0, many - len(str(text)))]
        return (fill + str(text) if left else str(text) + fill)[:many]

    now = ["now", "sysdate", "getdate", "getutcdate", "sysdatetime", "sysutcdatetime", "utc_timestamp", "localtime"]
    now += ["transaction_timestamp", "statement_timestamp", "clock_timestamp", "sysdatetimeoffset", "localtimestamp"]
    ids = [
        "uuid",
        "gen_random_uuid",
        "uuid_generate_v1",
        "uuid_generate_v4",
        "uuidv4",
        "uuidv7",
        "newid",
        "newsequentialid",
    ]
    return {
        **{name: (-1, lambda *_: clock) for name in now},
        **{name: (-1, lambda *_: clock[:10]) for name in ("curdate", "utc_date")},
        "curtime": (-1, lambda *_: clock[11:]),
        **{name: (0, lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4))) for name in ids},
        "rand": (-1, lambda *_: rng.random()),
        "random": (0, lambda: rng.random()),
        "text_of": (1, lambda digits: bytes.fromhex(digits).decode()),
        "unistr": (1, strict(unistr)),
        **{name: (1, digest(name)) for name in ("md5", "sha1", "sha256")},
        "concat": (-1, lambda *given: "".join(str(each) for each in given if each is not None)),
        "concat_ws": (-1, lambda by, *given: str(by).join(str(each) for each in given if each is not None)),
        "left": (2, strict(lambda text, many: str(text)[:many])),
        "right": (2, strict(lambda text, many: str(text)[-many:] if many else "")),
        "lpad": (-1, strict(lambda *given: padded(*given, left=True))),
        "rpad": (-1, strict(lambda *given: padded(*given, left=False))),
        "repeat": (2, strict(lambda text, many: str(text) * min(many, 10_000))),
        "reverse": (1, strict(lambda text: str(text)[::-1])),
        "char_length": (1, strict(lambda text: len(str(text)))),
        "initcap": (1, strict(lambda text: str(text).title())),
        "gen_salt": (-1, lambda *_: "$2a$06$"),
        "crypt": (2, strict(lambda text, salt: f"{salt}{hashlib.sha256(str(text).encode()).hexdigest()[:53]}")),
    }


def why(error: Exception) -> str:
    """Return what stands against a statement, without the parser's tokens."""
    errors = getattr(error, "errors", None)
    told = str(errors[0].get("description") if errors else error) or type(error).__name__
    said = " ".join(told.partition(" but got ")[0].partition("\n")[0].split()).rstrip(".")
    return f"{said[:1].lower()}{said[1:]}"


def _names(columns: str) -> Iterator[str]:
    yield from split_name(re.sub(r"--[^\n]*\n|/\*.*?\*/", " ", columns, flags=re.DOTALL))


def _is_default(value: Any) -> bool:
    if isinstance(value, exp.Column):
        return value.name.upper() == "DEFAULT" and not value.this.quoted
    return isinstance(value, exp.Var) and value.name.upper() == "DEFAULT"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
