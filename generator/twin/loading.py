"""Run what a dump does to rows in a scratch SQLite database, whose columns keep values as they are written."""

from __future__ import annotations

import hashlib
import random
import re
import sqlite3
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel, SqlglotError

from generator.twin.source import SourceTable
from generator.twin.sql import DIALECTS, ESCAPED, NAME, QUOTED, Dialect, Statement, hidden_parts, split_name, unquote

CONFLICT = "ON CONFLICT, IGNORE or REPLACE says so"


@dataclass
class StagedTable:
    """A table that is being read, and the columns of the scratch database that hold its rows."""

    source: SourceTable
    stage: str
    place: tuple[str, str]
    """Its schema, and its name without it."""
    columns: dict[str, str] = field(default_factory=dict)
    """Also those that the twin lacks, each with its default in SQLite's SQL."""
    counter: str = ""
    """The column that is counted where no value is given."""
    generated: list[str] = field(default_factory=list)
    """Columns that are computed; an INSERT without names says DEFAULT for them, or passes over them."""
    references: list[tuple[list[str], list[str], list[str]]] = field(default_factory=list)
    """Columns, the name of the table that they refer to as it is written, and its columns."""
    given: int = 0
    """How many rows the dump lists, by a second count, or its queries make."""
    gone: Counter[str] = field(default_factory=Counter)
    """How many rows fell or were taken away again, by reason."""
    lost: dict[str, list[tuple[int, str]]] = field(default_factory=lambda: defaultdict(list))
    """Rows that could not be loaded, by reason: line and text."""
    built: dict[str, str] = field(default_factory=dict)
    """The columns that the scratch database has by now, with their defaults; the counted one under no name."""


class CannotLoad(Exception):
    """A statement, or a row of it, cannot be loaded: why."""


_GAP = r"(?:\s|--[^\n]*(?=\n)|\#[^\n]*(?=\n)|/\*.*?\*/)*"
_INSERT = re.compile(
    r"(?P<verb>INSERT|REPLACE)\s+(?P<how>(?:(?:IGNORE|LOW_PRIORITY|DELAYED|OR\s+\w+)\s+)*)"
    rf"(?:INTO\s+)?(?P<table>{NAME})"
    rf"{_GAP}(?:\({_GAP}(?P<columns>{NAME}(?:{_GAP},{_GAP}{NAME})*){_GAP}\){_GAP})?"
    rf"(?:OVERRIDING\s+\w+\s+VALUE{_GAP})?VALUES?{_GAP}(?=\(|ROW\b)",
    re.IGNORECASE | re.DOTALL,
)
_COPY = re.compile(rf"COPY\s+({NAME})\s*(?:\(([^)]*)\))?", re.IGNORECASE)
_BETWEEN = re.compile(rf"{_GAP},?{_GAP}(?:ROW\s*(?=\())?", re.IGNORECASE | re.DOTALL)
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])"


def _plain(dialect: Dialect) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what a tuple of plain literals looks like, and one of its values."""
    value = rf"(?:NULL|TRUE|FALSE|{_NUMBER}|N?{ESCAPED if dialect == 'mysql' else QUOTED})"
    flags = re.IGNORECASE | re.DOTALL
    return re.compile(rf"\(\s*{value}\s*(?:,\s*{value}\s*)*\)(?=\s*(?:,|$))", flags), re.compile(value, flags)


_PLAIN = {dialect: _plain(dialect) for dialect in DIALECTS}
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "Z": "\x1a"}
_COPIED = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)


def clock_of(text: str) -> str:
    """Return the time at which a dump is run: the end of the latest day that stands in it and is not to come."""
    today = str(date.today())
    days = {found for found in re.findall(r"\b(?:19|20)\d\d-[01]\d-[0-3]\d\b", text) if found <= today}
    return f"{max(days)} 23:59:00" if days else "2025-01-01 09:00:00"


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
        self._dialect, self._clock, self._find = dialect, clock, find
        self._variables: dict[str, Any] = {}
        self._last: StagedTable | None = None
        self._scan = re.compile("|".join([*hidden_parts(dialect), r"(?P<open>\()", r"(?P<close>\))"]), re.DOTALL)
        functions: dict[str, Any] = {**_functions(clock), "nextval": self._counted}
        functions |= dict.fromkeys(("currval", "lastval", "last_insert_id", "scope_identity"), self._last_key)
        for name, function in functions.items():
            self.connection.create_function(name, -1, function)

    def take(self, statement: Statement) -> StagedTable | None:
        """Run a statement; return the table whose rows it lists. Errors: CannotLoad for all of it."""
        try:
            if copied := _COPY.match(statement.sql):
                return self._copy(statement, copied)
            if inserted := _INSERT.match(statement.sql):
                return self._insert(statement, inserted)
            return self._run(statement)
        except _ERRORS as error:
            raise CannotLoad(why(error)) from error

    def set_variables(self, sql: str) -> None:
        """Note what SET @x = ... or DECLARE @x INT = ... sets; what cannot be computed stays unset."""
        for name, value in re.findall(r"@(\w+)(?:\s+\w+)?\s*:?=\s*([^,;]+)", sql):
            try:
                tree = sqlglot.parse_one(f"SELECT {value}", read=self._dialect)
                self._variables[name.lower()] = self.connection.execute(self._sql(tree)).fetchone()[0]
            except _ERRORS:
                self._variables.pop(name.lower(), None)

    def _target(self, written: str, named: str = "") -> tuple[StagedTable, list[str]]:
        """Return a table, and the columns that are named of it; errors: CannotLoad."""
        table, columns = self._find(split_name(written)), [unquote(name) for name in split_name(named)]
        if table is None:
            raise CannotLoad(f"no table {unquote(written)!r} was read")
        self.build(table)
        known = {name.lower() for name in table.columns}
        if unknown := next((name for name in columns if name.lower() not in known), None):
            raise CannotLoad(f"table {table.source.name} has no column named {unknown}")
        return table, columns

    def _copy(self, statement: Statement, found: re.Match[str]) -> StagedTable:
        table, named = self._target(found[1], found[2] or "")
        first = statement.line + statement.sql.count("\n") + 1
        for at, line in enumerate(statement.data.split("\n")):
            if line := line.removesuffix("\r"):
                row = [_copied(value) for value in line.split("\t")]
                self._put(table, named, row, "INSERT", first + at, f"'{line}'")
        return table

    def _insert(self, statement: Statement, found: re.Match[str]) -> StagedTable:
        sql = statement.sql
        columns = re.sub(r"--[^\n]*\n|/\*.*?\*/", " ", found["columns"] or "", flags=re.DOTALL)
        table, named = self._target(found["table"], columns)
        tuples, tail = self._tuples(sql, found.end())
        if tail:
            self._run(statement)
            return table
        how = re.search("REPLACE|IGNORE", (found["verb"] + found["how"]).upper())
        verb = f"INSERT OR {how[0]}" if how else "INSERT"
        if how:
            self._make_unique(table)
        before, done, line, last = self._count(table), 0, statement.line, 0
        for begin, end, row in tuples:
            line, last = line + sql.count("\n", last, begin), begin
            done += self._put(table, named, row, verb, line, sql[begin:end])
        if short := done - (self._count(table) - before):
            table.gone[CONFLICT] += short
        return table

    def _tuples(self, sql: str, at: int) -> tuple[list[tuple[int, int, list[Any] | None]], str]:
        """Return the tuples behind VALUES, those of plain literals read, and what follows them."""
        plain, value = _PLAIN[self._dialect]
        tuples: list[tuple[int, int, list[Any] | None]] = []
        while True:
            gap = _BETWEEN.match(sql, at)
            at = gap.end() if gap else at
            row = None
            if found := plain.match(sql, at):
                row = [_value(each, self._dialect) for each in value.findall(sql, at + 1, found.end() - 1)]
            elif not sql.startswith("(", at):
                return tuples, sql[at:]
            end = found.end() if found else self._close(sql, at)
            tuples.append((at, end, row))
            at = end

    def _close(self, sql: str, at: int) -> int:
        depth = 0
        for found in self._scan.finditer(sql, at):
            depth += {"open": 1, "close": -1}.get(found.lastgroup or "", 0)
            if depth == 0:
                return found.end()
        raise CannotLoad(f"a tuple is not closed: {' '.join(sql[at : at + 40].split())}")

    def _put(
        self, table: StagedTable, named: list[str], row: Sequence[Any] | None, verb: str, line: int, text: str
    ) -> bool:
        """Insert a row of plain values, or a tuple whose values the engine computes; note why if it cannot be."""
        try:
            given, marks = row or (), ["?"] * len(row or ())
            if row is None:
                tree = sqlglot.parse_one(f"SELECT {text[1:-1]}", read=self._dialect)
                if not isinstance(tree, exp.Select) or any(isinstance(each, exp.Alias) for each in tree.expressions):
                    raise CannotLoad("its values cannot be read")
                marks = ["" if _is_default(each) else self._sql(each) for each in tree.expressions]
            columns = self._fitting(table, named, len(marks))
            names = ", ".join(_quoted(name) for name, mark in zip(columns, marks, strict=True) if mark)
            values = ", ".join(filter(None, marks))
            body = f"({names}) VALUES ({values})" if values else "DEFAULT VALUES"
            self.connection.execute(f"{verb} INTO {_quoted(table.stage)} {body}", given)
        except _ERRORS as error:
            table.lost[why(error).replace(table.stage, table.source.name)].append((line, Statement(text).said))
            return False
        self._last = table
        return True

    def _fitting(self, table: StagedTable, named: list[str], many: int) -> list[str]:
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

    def _run(self, statement: Statement) -> StagedTable | None:
        """Run a statement as a whole: INSERT ... SELECT, SET or ON CONFLICT, UPDATE, DELETE."""
        replace = "INSERT INTO " if self._dialect == "mysql" else "INSERT OR REPLACE INTO "
        sql = re.sub(r"^REPLACE\s+(?:INTO\s+)?", replace, statement.sql, flags=re.IGNORECASE)
        tree = sqlglot.parse_one(sql, read=self._dialect)
        target = tree.find(exp.Table)
        if not isinstance(tree, exp.Insert | exp.Update | exp.Delete | exp.TruncateTable) or target is None:
            raise CannotLoad("it cannot be read")
        table, _ = self._target(target.sql(dialect="postgres", comments=False).partition(" ")[0])
        if isinstance(tree, exp.TruncateTable):
            tree = exp.delete(target.copy())
        tree.set("returning", None)
        if conflict := tree.args.get("conflict"):
            action = exp.var("DO UPDATE" if conflict.expressions else "DO NOTHING")
            tree.set("conflict", exp.OnConflict(action=action, expressions=conflict.expressions))
        if tree.args.get("conflict") or tree.args.get("alternative") or tree.args.get("ignore"):
            self._make_unique(table)
        before = self._count(table)
        self.connection.execute(self._sql(tree))
        self._last = table
        added = self._count(table) - before
        if added < 0:
            table.gone["the source itself deletes them"] -= added
        elif not isinstance(tree.expression, exp.Values):
            table.given += added
        elif short := len(tree.expression.expressions) - added:
            table.gone[CONFLICT] += short
        return table if isinstance(tree, exp.Insert) else None

    # Tables

    def build(self, table: StagedTable) -> None:
        """Make a table at the first need of it, and anew where columns or defaults changed: new ones fill its rows."""
        wanted = {**table.columns, "": table.counter}
        if table.built == wanted:
            return
        stage, parts = _quoted(table.stage), []
        for name, default in table.columns.items():
            is_given = default and name != table.counter
            parts.append(f"{_quoted(name)} DEFAULT ({default})" if is_given else _quoted(name))
        kept, rows = [_quoted(name) for name in table.columns if name in table.built], []
        if table.built:
            rows = self.connection.execute(f"SELECT {', '.join(kept)} FROM {stage} ORDER BY rowid").fetchall()
            self.connection.execute(f"DROP TABLE {stage}")
        self.connection.execute(f"CREATE TABLE {stage} ({', '.join(parts)})")
        if table.counter:
            name, index, trigger = map(_quoted, (table.counter, f"{table.stage} by key", f"{table.stage} counted"))
            following = f"(SELECT coalesce(max({name}), 0) + 1 FROM {stage})"
            self.connection.execute(f"CREATE INDEX {index} ON {stage} ({name})")
            self.connection.execute(
                f"CREATE TRIGGER {trigger} AFTER INSERT ON {stage} WHEN NEW.{name} IS NULL "
                f"BEGIN UPDATE {stage} SET {name} = {following} WHERE rowid = NEW.rowid; END"
            )
        marks = ", ".join("?" * len(kept))
        if rows:
            self.connection.executemany(f"INSERT INTO {stage} ({', '.join(kept)}) VALUES ({marks})", rows)
        table.built = wanted

    def default(self, given: exp.Expression) -> str:
        """Return a default in SQLite's SQL; empty if the engine cannot compute it."""
        try:
            sql = self._sql(given)
            self.connection.execute(f"SELECT {sql}")
        except _ERRORS:
            return ""
        return sql

    def rows(self, table: StagedTable, columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return all rows in the order in which they came."""
        self.build(table)
        names = ", ".join(map(_quoted, columns)) or "1"
        return self.connection.execute(f"SELECT {names} FROM {_quoted(table.stage)} ORDER BY rowid").fetchall()

    def _count(self, table: StagedTable) -> int:
        return int(self.connection.execute(f"SELECT count(*) FROM {_quoted(table.stage)}").fetchone()[0])

    def _make_unique(self, table: StagedTable) -> None:
        for at, columns in enumerate([table.source.key, *table.source.uniques]):
            if columns:
                index, names = _quoted(f"{table.stage} {at}"), ", ".join(map(_quoted, columns))
                self.connection.execute(
                    f"CREATE UNIQUE INDEX IF NOT EXISTS {index} ON {_quoted(table.stage)} ({names})"
                )

    # Counted keys

    def _of_sequence(self, *sequence: str) -> tuple[StagedTable, str]:
        """Return what a sequence counts, or what was counted last."""
        name = unquote(sequence[0]) if sequence else ""
        table = self._find([name.removesuffix("_id_seq")]) if sequence else self._last
        if name not in self.counters and (table is None or not table.counter):
            raise CannotLoad(f"no column is counted by {name!r}")
        return self.counters[name] if table is None or name in self.counters else (table, table.counter)

    def _counted(self, sequence: str) -> int:
        table, column = self._of_sequence(sequence)
        query = f"SELECT coalesce(max({_quoted(column)}), 0) + 1 FROM {_quoted(table.stage)}"
        return int(self.connection.execute(query).fetchone()[0])

    def _last_key(self, *sequence: str) -> Any:
        table, column = self._of_sequence(*sequence[:1])
        query = f"SELECT {_quoted(column)} FROM {_quoted(table.stage)} ORDER BY rowid DESC LIMIT 1"
        return next(iter(self.connection.execute(query).fetchone() or ()), None)

    # Expressions

    def _sql(self, tree: exp.Expr) -> str:
        """Return a tree in the scratch database's SQL; errors: CannotLoad, SqlglotError."""
        whole = exp.Tuple(expressions=[tree.copy()])
        known = {each.alias for each in tree.find_all(exp.CTE)}
        for node in reversed([*whole.walk()][1:]):  # parts before what they are part of
            plain = self._table(node) if isinstance(node, exp.Table) and node.name not in known else None
            plain = plain or _plainer(node, self._dialect, self._clock, self._variables)
            if plain is not node:
                node.replace(plain)
        return str(whole.expressions[0].sql(dialect="sqlite", unsupported_level=ErrorLevel.RAISE, comments=False))

    def _table(self, node: exp.Table) -> exp.Table | None:
        """Return a table of the scratch database, with the name that it has in the dump."""
        parts = [each.sql(dialect="postgres") for each in (node.args.get("db"), node.this) if each]
        table = self._find(parts) if isinstance(node.this, exp.Identifier) else None
        if table is None:
            return None
        self.build(table)
        alias = node.args.get("alias") or exp.TableAlias(this=exp.to_identifier(node.name, quoted=True))
        return exp.Table(this=exp.to_identifier(table.stage, quoted=True), alias=alias)


_TIMES: dict[type[exp.Expr], str] = {
    **{exp.CurrentDate: "date", exp.UtcDate: "date", exp.CurrentTime: "time"},
    **dict.fromkeys((exp.CurrentTimestamp, exp.CurrentDatetime, exp.UtcTimestamp), "datetime"),
    **dict.fromkeys((exp.Localtimestamp, exp.Localtime), "datetime"),
}
_SIGNS: dict[type[exp.Expr], int] = {exp.Add: 1, exp.Sub: -1, exp.DateAdd: 1, exp.DateSub: -1, exp.TsOrDsAdd: 1}
_KINDS = (
    ("DATE$", "date"),
    ("TIMESTAMP|DATETIME", "datetime"),
    (".*INT", "INTEGER"),
    (".*(CHAR|TEXT)", "TEXT"),
    ("FLOAT|DOUBLE|REAL|DECIMAL|NUMERIC", "REAL"),
)


def _call(name: str, *given: exp.Expr | str) -> exp.Anonymous:
    parts = [exp.Literal.string(each) if isinstance(each, str) else each for each in given]
    return exp.Anonymous(this=name, expressions=parts)


def _plainer(node: exp.Expr, dialect: Dialect, clock: str, variables: dict[str, Any]) -> Any:
    """Return a literal, cast, time or interval, whose parts are already plain, as SQLite computes it."""
    text = exp.Literal.string
    if isinstance(node, exp.National | exp.RawString | exp.ByteString):
        return text(node.name)
    if isinstance(node, exp.BitString):
        return text(node.name) if dialect == "postgres" else exp.Literal.number(int(node.name, 2))
    if isinstance(node, exp.Literal) and node.is_string:
        if "\0" in node.name:
            return exp.cast(exp.HexString(this=node.name.encode().hex()), "TEXT")
        return _call("datetime", clock) if node.name.lower() == "now" and isinstance(node.parent, exp.Func) else node
    if isinstance(node, exp.Literal):
        return text(node.name) if isinstance(number_of(node.name), str) else node
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and node.this.is_string:
        return text(f"-{node.this.name}")
    if isinstance(node, exp.Parameter):
        if node.name.lower() not in variables:
            raise CannotLoad(f"@{node.name} is not known")
        return exp.convert(variables[node.name.lower()])
    if function := _TIMES.get(type(node)):
        return _call(function, clock)
    if isinstance(node, exp.Introducer | exp.AtTimeZone):
        return node.expression if isinstance(node, exp.Introducer) else node.this
    if isinstance(node, exp.Array):
        return _call("json_array", *node.expressions)
    if isinstance(node, exp.Anonymous) and node.name.upper() == "VALUES":  # ON DUPLICATE KEY UPDATE b = VALUES(b)
        return exp.column(node.expressions[0].name, "excluded")
    if isinstance(node, exp.Cast | exp.Convert):
        to, value = (node.this, node.expression) if isinstance(node, exp.Convert) else (node.args["to"], node.this)
        kind = next((kind for words, kind in _KINDS if re.match(words, to.sql().upper())), "")
        if isinstance(value, exp.Literal | exp.Neg | exp.Null) or not kind:
            return value
        return _call(kind, value) if kind.islower() else exp.cast(value, kind)
    return _moved(node, _SIGNS[type(node)]) if type(node) in _SIGNS else node


def _moved(node: exp.Expr, sign: int) -> exp.Expr:
    """Return a time that is moved by a number of units; errors: CannotLoad for any other interval."""
    by, unit, is_day = node.expression, node.args.get("unit"), getattr(node.this, "name", "") in ("date", "curdate")
    if isinstance(by, exp.Interval):
        by, unit = by.this, by.args.get("unit")
    elif isinstance(node, exp.Add | exp.Sub):
        if not is_day:
            return node
        unit = exp.var("day")
    written = f"{by.sql()} {unit.name if unit else ''}".upper()
    found = re.fullmatch(r"\W*?(-?)\W*(\d+)\W+(SECOND|MINUTE|HOUR|DAY|WEEK|MONTH|YEAR)S?\W*", written)
    if found is None:
        raise CannotLoad(f"the interval {written.strip()!r} is not plain")
    many = sign * int(found[1] + found[2]) * (7 if found[3] == "WEEK" else 1)
    name = "date" if is_day and found[3] in ("DAY", "WEEK", "MONTH", "YEAR") else "datetime"
    return _call(name, node.this, f"{many:+d} {found[3].replace('WEEK', 'DAY').lower()}")


def _functions(clock: str) -> dict[str, Callable[..., Any]]:
    """Return the functions that SQLite lacks, by name."""
    rng = random.Random(0)

    def unistr(text: str) -> str:
        return re.sub(r"\\u([0-9a-fA-F]{4})|\\(\\)", lambda e: "\\" if e[2] else chr(int(e[1], 16)), text)

    now = "now sysdate getdate getutcdate sysdatetime sysutcdatetime statement_timestamp clock_timestamp"
    ids = "uuid gen_random_uuid uuid_generate_v1 uuid_generate_v4 newid newsequentialid"
    return {
        **dict.fromkeys(now.split(), lambda *_: clock),
        "curdate": lambda: clock[:10],
        **dict.fromkeys(ids.split(), lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4))),
        **dict.fromkeys(("rand", "random"), lambda *_: rng.random()),
        "md5": lambda text: None if text is None else hashlib.md5(str(text).encode()).hexdigest(),
        "unistr": unistr,
        "concat": lambda *given: "".join(str(each) for each in given if each is not None),
    }


def why(error: Exception) -> str:
    """Return what stands against a statement, without the parser's tokens."""
    errors = getattr(error, "errors", None)
    told = str(errors[0].get("description") if errors else error) or type(error).__name__
    said = " ".join(told.partition(" but got ")[0].partition("\n")[0].split()).rstrip(".")
    return f"{said[:1].lower()}{said[1:]}"


_ERRORS = (CannotLoad, SqlglotError, sqlite3.Error, RecursionError, ValueError)  # the last: of endless digits


def _is_default(value: exp.Expr) -> bool:
    return isinstance(value, exp.Var | exp.Column) and value.sql().upper() == "DEFAULT"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
