"""Read the statements that make tables, in a dump or as a server tells them, and account for everything that they make.

What statements do to rows is run in a scratch database (`loading`), from which the rows are then taken.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from typing import Any, get_args

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.gates.constraints import listed
from generator.twin.account import Part, TableRows
from generator.twin.counting import count_plainly
from generator.twin.loading import CannotLoad, Scratch, StagedTable, clock_of, why
from generator.twin.source import Reference, SourceColumn, SourceTable, TwinSource
from generator.twin.sql import NAME, Dialect, Statement, guess_dialect, split_name, split_statements, unquote
from generator.twin.trees import columns_of, comment_at, cured, in_sqlite, plain, sequences_in, set_default, set_type
from generator.twin.words import word_set
from runtime.errors import UsageError

DIALECTS = {"postgres": "PostgreSQL", "mysql": "MySQL", "sqlite": "SQLite", "tsql": "SQL Server"}
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of every statement that it passes through

_CREATE = re.compile(
    r"(?:CREATE|REPLACE)\s+(?P<how>(?:(?:OR\s+REPLACE|DEFINER\s*=\s*\S+|ALGORITHM\s*=\s*\w+|SQL\s+SECURITY\s+\w+"
    r"|TEMP|TEMPORARY|UNLOGGED|GLOBAL|LOCAL|MATERIALIZED|RECURSIVE|CONSTRAINT|UNIQUE|FOREIGN|VIRTUAL|CLUSTERED"
    r"|NONCLUSTERED|FULLTEXT|SPATIAL|TRUSTED|PROCEDURAL)\s+)*)(?P<what>[A-Z]+)\s+(?:CONCURRENTLY\s+)?"
    rf"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>{NAME})?",
    re.IGNORECASE,
)
_LOST = {
    "VIEW": "Views",
    "TRIGGER": "Triggers, so that what they change does not happen",
    "FUNCTION": "Functions",
    "PROCEDURE": "Procedures",
    "AGGREGATE": "Aggregates",
    "EVENT": "Events",
    "RULE": "Rules of the server",
    "POLICY": "Row-level policies",
    "SEQUENCE": "Sequences that no column counts by",
    "EXTENSION": "Extensions",
    "OPERATOR": "Operators",
    "COLLATION": "Collations",
}
_ROWS = word_set("INSERT COPY REPLACE UPDATE DELETE TRUNCATE WITH MERGE")
_SILENT = word_set(
    "SET SELECT USE BEGIN COMMIT START END PRAGMA LOCK UNLOCK ANALYZE VACUUM DROP COMMENT IF PRINT EXEC C CONNECT "
    "DELIMITER FLUSH ROLLBACK RESTRICT UNRESTRICT"
)
_SILENT_MADE = word_set("DATABASE SCHEMA INDEX USER ROLE LOGIN STATISTICS TABLESPACE")


def read_sql(text: str, title: str, origin: str, dialect: Dialect | None = None) -> TwinSource:
    """Run the statements of a dump; errors: UsageError if they make no table, or the account does not close."""
    found = dialect or guess_dialect(text)
    reader = SqlReader(found, clock_of(text))
    for statement in split_statements(text, found):
        reader.take(statement)
    source = reader.finish(title, f"{origin} ({DIALECTS[found]})")
    if not source.tables:
        unread = [f"{fact.why}: {fact.where}." for fact in source.account.facts.values() if fact.part == "statement"]
        raise UsageError(
            f"{origin!r} makes no table that can be read as {DIALECTS[found]}; --dialect names another. "
            f"{unread[0] if unread else 'A CREATE TABLE is needed.'}"
        )
    reader.count(text)
    return source


class SqlReader:
    """Takes one statement after the other; `finish` gives what they made."""

    def __init__(self, dialect: Dialect, clock: str = "2025-01-01 09:00:00") -> None:
        self.source = TwinSource("", "")
        self.account = self.source.account
        self.arrays: set[str] = set()
        """Columns that hold arrays."""
        self._dialect = dialect
        self._tables: dict[tuple[str, str], SourceTable] = {}  # by schema and name
        self._staged: dict[str, StagedTable] = {}  # by name of the table
        self._written: dict[str, str] = {}  # names as they are written, without a schema
        self._targets: dict[str, list[tuple[list[str], list[str], list[str]]]] = {}  # columns, table, theirs
        self._part_of: dict[tuple[str, str], SourceTable] = {}  # partitions
        self._enums: dict[str, tuple[str, ...]] = {}
        self._domains: dict[str, exp.ColumnDef] = {}
        self._counters: set[str] = set()  # sequences that fill a column
        self._sequences: list[str] = []
        self._schema = "public" if dialect == "postgres" else ""
        self._filled: dict[int, str] = {}  # table by place of the statement
        self._uncounted: set[int] = set()  # places of statements whose parts cannot be counted
        self._at = 0
        self._scratch = Scratch(dialect, clock, self._find_staged)

    def take(self, statement: Statement) -> None:
        """Read one statement."""
        words, self._at = statement.words, statement.at
        if words[0] in _ROWS and words[1:2] != ["TABLE"] or words[:2] == ["TRUNCATE", "TABLE"]:
            self._take_rows(statement)
        elif words[0] in ("CREATE", "REPLACE"):
            self._take_create(statement)
        elif words[0] == "ALTER":
            self._take_alter(statement, words)
        elif words[:2] == ["COMMENT", "ON"] and words[2:3] in (["TABLE"], ["COLUMN"]):
            self._take_comment(statement)
        elif words[:2] == ["DROP", "TABLE"]:
            self._take_drop(statement)
        elif words[0] in ("GRANT", "REVOKE"):
            self.account.lose("statement", "GRANT and REVOKE (rights)", "Statements that are not read")
        elif words[0] in ("SET", "USE"):
            if path := re.match(r"(?:SET\s+search_path\s*(?:=|TO)|USE)\s*[`\"'\[]?(\w+)", statement.sql, re.IGNORECASE):
                self._schema = path[1].lower()
            elif "@" in statement.sql:
                self._scratch.set_variable(statement.sql)
        elif words[0] not in _SILENT:
            self._lose(statement, "Statements that are not read")

    def finish(self, title: str, origin: str) -> TwinSource:
        """Return the tables with their rows."""
        source, lost = self.source, self._scratch.lost
        source.title, source.origin = title, origin
        source.tables = {table.name: table for table in self._tables.values()}
        for table in source.tables.values():
            self._finish_table(table)
            staged = self._staged[table.name]
            names = [name for name in table.columns if name in staged.columns]
            self.fill(table, names, self._scratch.rows(staged, names))
            self.account.rows[table.name] = TableRows(len(table.rows), len(table.rows))
        for name, reason in [*lost, *self._scratch.gone]:
            own = self.account.rows.setdefault(name, TableRows(0))
            if places := lost.get((name, reason)):
                lines = ", ".join(f"{line}" for line, _ in places[:3]) + (", ..." if places[3:] else "")
                own.left_out[f"{reason} (line {lines}: {places[0][1]})"] += len(places)
            else:
                own.left_out[reason] += self._scratch.gone[name, reason]
        for name in self._sequences:
            if name not in self._counters:
                self.account.lose("statement", name, _LOST["SEQUENCE"])
        if self._dialect == "mysql":
            remark = "Texts are compared exactly; MySQL takes 'a' and 'A' for the same, unless told otherwise."
            self.account.remarks.append(remark)
        source.real_rows = any(table.rows for table in source.tables.values())
        return source

    def fill(self, table: SourceTable, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Give a table the rows that an engine returned."""
        columns = [(table.columns[name], f"{table.name}.{name}" in self.arrays) for name in names]
        for row in rows:
            values = zip(columns, row, strict=True)
            table.rows.append({each.name: plain(value, each, is_array=is_array) for (each, is_array), value in values})

    def count(self, text: str) -> None:
        """Count the dump a second time, plainly; errors: UsageError where the account does not close."""
        given = dict.fromkeys(self.account.rows, 0)
        for place, found in count_plainly(text, self._dialect).items():
            if place not in self._uncounted:
                for part in get_args(Part):
                    if found[part]:
                        self.account.counts[part] += found[part]
            if found["row"]:
                name = self._filled.get(place, f"line {text.count(chr(10), 0, place) + 1}")
                given[name] = given.get(name, 0) + found["row"]
        for name, many in given.items():
            own = self.account.rows.setdefault(name, TableRows(0))
            own.given = many + self._scratch.made[name]
            if name not in self.source.tables and name in self._filled.values():
                own.left_out["their table was not read"] = own.given
        check_account(self.source)

    @property
    def places(self) -> dict[str, tuple[str, str]]:
        """Schema and name of each table, by the name that it has in the twin's source."""
        return {table.name: (key[0], self._written[table.name]) for key, table in self._tables.items()}

    # Tables

    def _key(self, parts: Sequence[str]) -> tuple[str, str]:
        """Return schema and name by which a table is known; PostgreSQL keeps the case of quoted names."""
        keeps = {"postgres": '"', "mysql": '"`'}.get(self._dialect, "")
        folded = [unquote(each) if each[0] in keeps or keeps[1:] else unquote(each).lower() for each in parts]
        schema = folded[-2] if len(folded) > 1 else self._schema
        return ("" if schema in ("dbo", "main") else schema), folded[-1]

    def _find(self, parts: Sequence[str]) -> SourceTable | None:
        key = self._key(parts)
        if found := self._part_of.get(key) or self._tables.get(key):
            return found
        known = {**self._tables, **self._part_of}
        wanted = [each for each in known if each[1].lower() == key[1].lower() and key[0] in (each[0], self._schema, "")]
        same = [each for each in wanted if each[0] == key[0]] or wanted
        return known[same[0]] if len(same) == 1 else None

    def _find_staged(self, parts: Sequence[str]) -> StagedTable | None:
        table = self._find(parts)
        return self._staged[table.name] if table else None

    def _note(self, part: Part, where: str, reason: str = "") -> str:
        """Note a part of the source, changed if there is a reason; return its place in the account."""
        place, again = where, 1
        while (part, place) in self.account.facts:
            again += 1
            place = f"{where} ({again})"
        self.account.keep(part, place)
        if reason:
            self.account.change(part, place, reason)
        return place

    def _lose(self, statement: Statement, reason: str, told: str = "") -> None:
        self._uncounted.add(statement.at)
        line = f"line {statement.line}: " if statement.line else ""
        self.account.lose("statement", f"{line}{statement.said()}{f' ({told})' if told else ''}", reason)

    def _take_create(self, statement: Statement) -> None:
        sql = statement.sql
        found = _CREATE.match(sql)
        how, what = (found["how"].upper(), found["what"].upper()) if found else ("", "")
        name = unquote(found["name"]) if found and found["name"] else ""
        if what == "TABLE" and found and not re.search("TEMP|VIRTUAL|FOREIGN", how):
            self._take_table(statement, split_name(found["name"] or '""'))
        elif what == "TABLE":
            kind = how.split()[0].capitalize()
            self._uncounted.add(statement.at)
            self.account.lose("statement", name, f"{'Temporary' if kind == 'Temp' else kind} tables")
        elif what == "INDEX" and "UNIQUE" in how:
            self._take_index(statement, name)
        elif what == "TYPE":
            labels = re.search(r"\bAS\s+ENUM\s*\((.*)\)\s*$", sql, re.IGNORECASE | re.DOTALL)
            if labels:
                texts = re.findall(r"'((?:[^']|'')*)'", labels[1])
                self._enums[name.lower()] = tuple(each.replace("''", "'") for each in texts)
            else:
                self.account.lose("statement", name, "Composite types")
        elif what == "DOMAIN":
            body = re.sub(r"\bCONSTRAINT\s+\S+|\bVALUE\b", lambda part: "value" if part[0] == "VALUE" else "", sql)
            body = re.split(rf"DOMAIN\s+{NAME}\s+(?:AS\s+)?", body, maxsplit=1, flags=re.IGNORECASE)[-1]
            if tree := self._parse(statement, f"CREATE TABLE d (value {body})"):
                self._domains.update({name.lower(): each for each in tree.find_all(exp.ColumnDef)})
        elif what == "SEQUENCE":
            self._sequences.append(name)
        elif what in _LOST:
            taken = self.account.facts.get(("statement", name))
            is_other = taken is not None and taken.why != _LOST[what]
            self.account.lose("statement", f"{what.lower()} {name}" if is_other else name, _LOST[what])
        elif what not in _SILENT_MADE:
            self._lose(statement, "Statements that are not read")

    def _take_table(self, statement: Statement, parts: list[str]) -> None:
        sql, key = statement.sql, self._key(parts)
        if part := re.search(rf"\bPARTITION\s+OF\s+({NAME})", sql, re.IGNORECASE):
            if whole := self._find(split_name(part[1])):
                self._make_part(key, unquote(parts[-1]), whole)
            self._uncounted.add(statement.at)
            return
        tree = self._parse(statement, cured(sql, self._dialect))
        if tree is None:
            return
        if key in self._tables:
            self._lose(statement, "Tables that are made a second time")
            return
        if not isinstance(tree.this, exp.Schema):
            self._lose(statement, "Tables made from a query")
            return
        name = unquote(parts[-1]) if self._dialect != "postgres" or parts[-1][0] == '"' else unquote(parts[-1]).lower()
        taken = {table.name: table for table in self._tables.values()}
        name = name if name not in taken else f"{key[0] or 'main'}.{name}"
        stages = {each.stage.lower() for each in self._staged.values()}
        table, stage = SourceTable(name, {}), name if name.lower() not in stages else f"{name} of {len(stages)}"
        above = None
        self._staged[name] = StagedTable(name, stage)
        properties = tree.args.get("properties")
        for each in properties.expressions if properties else []:
            if isinstance(each, exp.SchemaCommentProperty):
                table.comment = each.this.name
            elif isinstance(each, exp.InheritsProperty) and each.expressions:
                above = self._find(split_name(each.expressions[0].sql(dialect="postgres")))
        if above and {each.name for each in tree.this.find_all(exp.ColumnDef)} <= above.columns.keys():
            del self._staged[name]
            self._make_part(key, name, above)
            self._uncounted.add(statement.at)
            return
        self._tables[key] = table
        self._written[name] = unquote(parts[-1]) if self._dialect != "postgres" else key[1]
        self._note("table", name)
        for each in tree.this.expressions:
            self._take_part(table, each)
        if above:
            table.columns = {**above.columns, **table.columns}
            self._staged[name].columns = {**self._staged[above.name].columns, **self._staged[name].columns}

    def _make_part(self, key: tuple[str, str], name: str, whole: SourceTable) -> None:
        if table := self._tables.pop(key, None):
            rows = self._scratch.rows(self._staged[table.name], [])
            for at, filled in self._filled.items():
                self._filled[at] = whole.name if filled == table.name else filled
            if rows:
                self._move(self._staged[table.name], self._staged[whole.name])
            del self._staged[table.name]
        self._part_of[key] = whole
        self.account.change(
            "table" if table else "statement", name, "Partitions, whose rows are those of the whole table"
        )

    def _move(self, part: StagedTable, whole: StagedTable) -> None:
        self._scratch.build(whole)
        names = ", ".join(f'"{each}"' for each in part.columns if each in whole.columns)
        stage = (f'"{whole.stage}"', f'"{part.stage}"')
        self._scratch.connection.execute(f"INSERT INTO {stage[0]} ({names}) SELECT {names} FROM {stage[1]}")

    def _take_part(self, table: SourceTable, part: exp.Expression) -> None:
        """Take a column or a constraint of a table."""
        if isinstance(part, exp.ColumnDef | exp.Identifier):
            self._take_column(table, part)
        elif isinstance(part, exp.Constraint):
            for each in part.expressions:
                self._take_part(table, each)
        elif isinstance(part, exp.PrimaryKey):
            table.key = tuple(columns_of(part.expressions) or table.key)
            self._note("key", table.name)
            self._staged[table.name].uniques.append(table.key)
        elif isinstance(part, exp.ForeignKey):
            self._take_reference(table, columns_of(part.expressions) or [], part.args["reference"])
        elif isinstance(part, exp.UniqueColumnConstraint):
            inner = part.this
            columns = columns_of(inner.expressions if isinstance(inner, exp.Schema) else [inner])
            if columns:
                self._take_unique(table, columns)
            else:
                place = self._note("unique", f"{table.name} ({part.sql(dialect='sqlite')})")
                self.account.lose("unique", place, "UNIQUE of an expression")
        elif isinstance(part, exp.CheckColumnConstraint):
            self._take_check(table, part.this)
        elif isinstance(part, exp.ExcludeColumnConstraint):
            self.account.lose("statement", f"{table.name} (EXCLUDE)", "Constraints")

    def _take_unique(self, table: SourceTable, columns: Sequence[str]) -> None:
        table.uniques.append(tuple(columns))
        self._staged[table.name].uniques.append(tuple(columns))
        self._note("unique", f"{table.name} ({', '.join(columns)})")

    def _take_check(self, table: SourceTable, given: exp.Expression) -> None:
        table.checks.append(in_sqlite(given))
        self._note("check", f"{table.name} ({' '.join(table.checks[-1].split())})")

    def _take_column(self, table: SourceTable, part: exp.ColumnDef | exp.Identifier) -> None:
        name, given = part.name, part.args.get("kind")
        where, staged = f"{table.name}.{name}", self._staged[table.name]
        staged.columns.setdefault(name, "")
        column = SourceColumn(name, "text", comment=comment_at(part))
        if ("column", where) not in self.account.facts:
            self.account.keep("column", where)
        if given is None or not self._set_type(table, column, given):
            raw = given.sql(dialect=self._dialect) if given is not None else ""
            if given is not None and raw or not isinstance(part, exp.Identifier) and self._dialect != "sqlite":
                self.account.lose("column", f"{where}", "Columns of binary or geometric data")
                table.columns.pop(name, None)
                column.kind = "text"
                given = None
            elif given is None:
                table.columns[name] = column
        else:
            table.columns[name] = column
        is_kept = name in table.columns
        kinds = [each.kind for each in part.args.get("constraints") or []]
        for kind in kinds:
            if isinstance(kind, exp.NotNullColumnConstraint):
                column.required = not kind.args.get("allow_null")
            elif isinstance(kind, exp.DefaultColumnConstraint):
                self._take_default(table, column, kind.this, is_kept)
            elif isinstance(kind, exp.PrimaryKeyColumnConstraint):
                table.key = (name,)
                self._note("key", table.name)
                staged.uniques.append(table.key)
                is_rowid = self._dialect == "sqlite" and given is not None and given.sql().upper() in ("INT", "INTEGER")
                staged.counter = name if is_rowid else staged.counter
            elif isinstance(kind, exp.AutoIncrementColumnConstraint) or (
                isinstance(kind, exp.GeneratedAsIdentityColumnConstraint) and kind.expression is None
            ):
                column.made, staged.counter = "counter", name
            elif isinstance(kind, exp.ComputedColumnConstraint | exp.GeneratedAsIdentityColumnConstraint):
                self.account.lose("column", where, "Generated columns")
                staged.generated.append(name)
                table.columns.pop(name, None)
            elif isinstance(kind, exp.CommentColumnConstraint):
                column.comment = kind.this.name
            elif isinstance(kind, exp.UniqueColumnConstraint):
                self._take_unique(table, [name])
            elif isinstance(kind, exp.CheckColumnConstraint):
                self._take_check(table, kind.this)
            elif isinstance(kind, exp.Reference):
                self._take_reference(table, [name], kind)
            elif isinstance(kind, exp.CollateColumnConstraint) and "NOCASE" in kind.sql().upper():
                self.account.change("column", where, "COLLATE NOCASE, so that values are compared exactly")
            elif isinstance(kind, exp.OnUpdateColumnConstraint):
                column.may_be_given = False
                self.account.change("column", where, "ON UPDATE of a timestamp, which an update leaves as it is")
        if column.made == "counter":
            staged.counter = name

    def _set_type(self, table: SourceTable, column: SourceColumn, given: exp.Expression) -> bool:
        """Set what a column holds; false if it is nothing that a twin can hold."""
        raw, where = given.sql(dialect=self._dialect), f"{table.name}.{column.name}"
        own = unquote(re.sub(r"\(.*", "", raw).strip() or '""').lower()
        if own in self._enums:
            column.choices = self._enums[own]
        elif own in self._domains:
            self._set_domain(table, column, self._domains[own])
        else:
            is_kept, changed = set_type(column, given, self._dialect)
            if changed:
                self.account.change("column", where, changed)
                if changed.startswith("Arrays"):
                    self.arrays.add(where)
            if not is_kept:
                return False
        if column.choices:
            self.account.keep("choices", where)
        return True

    def _set_domain(self, table: SourceTable, column: SourceColumn, domain: exp.ColumnDef) -> None:
        kind = domain.args["kind"]
        self._set_type(table, column, kind)
        for constraint in domain.constraints:
            if isinstance(constraint.kind, exp.CheckColumnConstraint):
                table.checks.append(re.sub(r"\bvalue\b", f'"{column.name}"', in_sqlite(constraint.kind.this)))
            elif isinstance(constraint.kind, exp.NotNullColumnConstraint):
                column.required = not constraint.kind.args.get("allow_null")
            elif isinstance(constraint.kind, exp.DefaultColumnConstraint):
                set_default(column, constraint.kind.this)

    def _take_default(self, table: SourceTable, column: SourceColumn, given: exp.Expression, is_kept: bool) -> None:
        where, staged = f"{table.name}.{column.name}", self._staged[table.name]
        if isinstance(given, exp.Null):
            return
        self._note("default", where)
        for name in map(unquote, sequences_in(given)):
            self._counters.add(name)
            self._scratch.counters[name] = (staged, column.name)
        lost = set_default(column, given)
        if column.made != "counter":
            staged.columns[column.name] = self._scratch.default(given)
        if lost and is_kept:
            self.account.lose("default", where, "Defaults that are computed")

    def _take_reference(self, table: SourceTable, columns: Sequence[str], given: exp.Expression) -> None:
        target = given.this
        named = columns_of(target.expressions) if isinstance(target, exp.Schema) else None
        parent = target.this if isinstance(target, exp.Schema) else target
        parts = [each.sql(dialect="postgres") for each in (parent.args.get("db"), parent.this) if each]
        place = self._note("reference", f"{table.name} ({', '.join(columns)}) -> {parent.name}")
        self._targets.setdefault(table.name, []).append(([*columns], parts, [*(named or ())]))
        said = [str(option).upper() for option in given.args.get("options") or []]
        acts = [each for each in said if each.startswith("ON ") and not each.endswith(("RESTRICT", "NO ACTION"))]
        reasons = (
            [f"{' and '.join(acts)}, which {'is' if len(acts) == 1 else 'are'} RESTRICT in the twin"] if acts else []
        )
        if any(each.startswith("DEFERRABLE") for each in said):
            reasons.append("DEFERRABLE foreign keys, which the twin checks at once")
        if reasons:
            self.account.change("reference", place, "; ".join(reasons))

    def _take_index(self, statement: Statement, name: str) -> None:
        tree = self._parse(statement, statement.sql)
        if tree is None or not isinstance(tree.this, exp.Index):
            return
        table = self._find(split_name(tree.this.args["table"].sql(dialect="postgres")))
        parameters = tree.this.args.get("params")
        columns = columns_of(parameters.args.get("columns") or []) if parameters else None
        if table and columns and not (parameters and parameters.args.get("where")):
            self._take_unique(table, columns)
        else:
            text = " ".join(re.split(r"\bON\b", statement.sql, maxsplit=1, flags=re.IGNORECASE)[-1].split())
            place = self._note("unique", f"{name} ({text})")
            self.account.lose("unique", place, "Unique indexes that are partial or of an expression")

    # ALTER, DROP, COMMENT

    def _take_alter(self, statement: Statement, words: Sequence[str]) -> None:
        sql = statement.sql
        if words[1:2] == ["SEQUENCE"]:
            owned = re.match(rf"ALTER\s+SEQUENCE\s+({NAME})\s+OWNED\s+BY\s+({NAME})", sql, re.IGNORECASE)
            if owned and (staged := self._find_staged(split_name(owned[2])[:-1] or ["x"])):
                self._counters.add(unquote(owned[1]))
                self._scratch.counters[unquote(owned[1])] = (staged, unquote(owned[2]))
            return
        if words[1:2] == ["TYPE"]:
            self._take_label(sql)
            return
        named = re.match(rf"ALTER\s+TABLE\s+(?:ONLY\s+|IF\s+EXISTS\s+)*({NAME})", sql, re.IGNORECASE)
        if named is None:
            return
        table = self._find(split_name(named[1]))
        if table and (attached := re.search(rf"\bATTACH\s+PARTITION\s+({NAME})", sql, re.IGNORECASE)):
            self._make_part(self._key(split_name(attached[1])), unquote(attached[1]), table)
            self._uncounted.add(statement.at)
        elif self._key(split_name(named[1])) in self._part_of or _ALTERS_NOTHING.match(sql):
            self._uncounted.add(statement.at)
        elif table is None:
            self._lose(statement, "Changes of tables that were not read")
        elif identity := re.search(rf"ALTER\s+(?:COLUMN\s+)?({NAME})\s+ADD\s+GENERATED", sql, re.IGNORECASE):
            if column := table.columns.get(unquote(identity[1])):
                column.made = "counter"
                self._staged[table.name].counter = column.name
            if sequence := re.search(rf"SEQUENCE\s+NAME\s+({NAME})", sql, re.IGNORECASE):
                self._scratch.counters[unquote(sequence[1])] = (self._staged[table.name], unquote(identity[1]))
        elif tree := self._parse(statement, cured(sql, self._dialect)):
            for action in tree.args.get("actions") or []:
                self._take_action(statement, table, action)

    def _take_label(self, sql: str) -> None:
        """Take ALTER TYPE ... ADD VALUE and RENAME VALUE."""
        name = unquote((re.match(rf"ALTER\s+TYPE\s+({NAME})", sql, re.IGNORECASE) or ["", '""'])[1]).lower()
        added = re.search(
            r"ADD\s+VALUE\s+(?:IF\s+NOT\s+EXISTS\s+)?'((?:[^']|'')*)'(?:\s+(BEFORE|AFTER)\s+'((?:[^']|'')*)')?",
            sql,
            re.I,
        )
        renamed = re.search(r"RENAME\s+VALUE\s+'((?:[^']|'')*)'\s+TO\s+'((?:[^']|'')*)'", sql, re.IGNORECASE)
        before = self._enums.get(name, ())
        labels = [*before]
        if added and added[1] not in labels:
            place = labels.index(added[3]) + (added[2].upper() == "AFTER") if added[3] in labels else len(labels)
            labels.insert(place, added[1].replace("''", "'"))
        elif renamed:
            labels = [renamed[2] if each == renamed[1] else each for each in labels]
        if name in self._enums:
            self._enums[name] = tuple(labels)
            for table in self._tables.values():
                for column in table.columns.values():
                    column.choices = tuple(labels) if column.choices == before else column.choices

    def _take_action(self, statement: Statement, table: SourceTable, action: exp.Expression) -> None:
        staged = self._staged[table.name]
        if isinstance(action, exp.AddConstraint):
            for part in action.expressions:
                self._take_part(table, part)
        elif isinstance(action, exp.ColumnDef):
            self._take_column(table, action)
        elif isinstance(action, exp.ModifyColumn) and (changed := action.find(exp.ColumnDef)):
            before = table.columns.get(changed.name)
            self._take_column(table, changed)
            if before and changed.name in table.columns:
                table.columns[changed.name].comment = table.columns[changed.name].comment or before.comment
        elif isinstance(action, exp.AlterColumn) and (column := table.columns.get(action.name)):
            if action.args.get("default") is not None:
                self._take_default(table, column, action.args["default"], True)
                staged.counter = column.name if column.made == "counter" else staged.counter
            elif action.args.get("dtype") is not None:
                self._set_type(table, column, action.args["dtype"])
            elif "allow_null" in action.args:
                column.required = not action.args["allow_null"]
        elif isinstance(action, exp.AlterRename):
            self._rename(table, action.this.name)
        elif isinstance(action, exp.RenameColumn):
            self._rename_column(table, action.this.name, action.args["to"].name)
        elif isinstance(action, exp.Drop) and action.args.get("kind") == "COLUMN":
            for name in (each.name for each in action.args.get("tables") or []):
                table.columns.pop(name, None)
                staged.columns.pop(name, None)
                self.account.lose("column", f"{table.name}.{name}", "Columns that the source drops again")
        elif not isinstance(action, exp.AlterColumn):
            self._lose(statement, "Changes of tables that are not read")

    def _rename(self, table: SourceTable, name: str) -> None:
        """Give a table another name, in the account, too."""
        old, table.name = table.name, name
        self._tables = {(key[0], name) if each is table else key: each for key, each in self._tables.items()}
        self._staged[name] = self._staged.pop(old)
        self._staged[name].name = name
        self._targets[name] = self._targets.pop(old, [])
        self._filled = {at: name if filled == old else filled for at, filled in self._filled.items()}
        scratch = self._scratch
        scratch.made[name] += scratch.made.pop(old, 0)
        for key in [each for each in scratch.gone if each[0] == old]:
            scratch.gone[name, key[1]] += scratch.gone.pop(key)
        for key in [each for each in scratch.lost if each[0] == old]:
            scratch.lost[name, key[1]] += scratch.lost.pop(key)
        self.account.change("table", old, "Tables that the source itself renames")

    def _rename_column(self, table: SourceTable, old: str, new: str) -> None:
        column = table.columns.pop(old, None)
        staged = self._staged[table.name]
        if column and old in staged.columns:
            column.name = new
            table.columns[new] = column
            self._scratch.build(staged)
            self._scratch.connection.execute(f'ALTER TABLE "{staged.stage}" RENAME COLUMN "{old}" TO "{new}"')
            staged.columns = {new if name == old else name: default for name, default in staged.columns.items()}
            staged.counter = new if staged.counter == old else staged.counter
            staged.built = (dict(staged.columns), staged.counter)
            table.key = tuple(new if name == old else name for name in table.key)
            table.uniques = [tuple(new if name == old else name for name in each) for each in table.uniques]

    def _take_drop(self, statement: Statement) -> None:
        names = re.sub(
            r"DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?|\b(?:CASCADE|RESTRICT)\b", "", statement.sql, flags=re.IGNORECASE
        )
        for name in re.findall(NAME, names):
            key = self._key(split_name(name))
            if table := self._tables.pop(key, None):
                self.account.lose("table", table.name, "Tables that the source itself drops")
                many = len(self._scratch.rows(self._staged.pop(table.name), []))
                self._scratch.gone[table.name, "the source itself drops their table"] += many

    def _take_comment(self, statement: Statement) -> None:
        tree = self._parse(statement, statement.sql)
        target = tree.this if tree else None
        if tree is None or not isinstance(tree.expression, exp.Literal):
            return
        text = " ".join(tree.expression.name.split())
        parts = [str(each.sql(dialect="postgres")) for each in getattr(target, "parts", [])]
        if isinstance(target, exp.Table) and (table := self._find(parts)):
            table.comment = text
        elif (
            isinstance(target, exp.Column)
            and (table := self._find(parts[:-1] or ["x"]))
            and target.name in table.columns
        ):
            table.columns[target.name].comment = text

    def _take_rows(self, statement: Statement) -> None:
        try:
            table = self._scratch.take(statement)
            if table:
                self._filled[statement.at] = table.name
        except CannotLoad as error:
            self._lose(statement, "Statements that cannot be loaded", str(error))
            words = re.match(
                rf"(?:INSERT|REPLACE|COPY)\s+(?:IGNORE\s+|OR\s+\w+\s+)?(?:INTO\s+)?({NAME})", statement.sql, re.I
            )
            table = self._find_staged(split_name(words[1])) if words else None
            self._filled[statement.at] = table.name if table else unquote(words[1]) if words else ""
            self._fell(statement, table)

    def _fell(self, statement: Statement, table: StagedTable | None) -> None:
        """Count the rows of a statement that fell as a whole, by the plain count of it."""
        many = sum(
            found["row"] for found in count_plainly(f"{statement.sql};\n{statement.data}", self._dialect).values()
        )
        if table and many:
            self._scratch.gone[table.name, f"their statement in line {statement.line} cannot be loaded"] += many

    def _parse(self, statement: Statement, sql: str) -> exp.Expr | None:
        try:
            tree = sqlglot.parse_one(sql, read=self._dialect)
        except (SqlglotError, RecursionError) as error:
            self._lose(statement, "Statements that could not be read", why(error))
            return None
        if isinstance(tree, exp.Command):
            self._lose(statement, "Statements that could not be read")
            return None
        return tree

    def _finish_table(self, table: SourceTable) -> None:
        """Give names the spelling of what they name, and columns the values that a CHECK lists for them."""
        exact = {name.lower(): name for name in table.columns}
        table.key = tuple(exact.get(name.lower(), name) for name in table.key)
        table.uniques = [tuple(exact.get(name.lower(), name) for name in each) for each in table.uniques]
        for columns, parts, named in self._targets.get(table.name, []):
            parent = self._find(parts)
            spelled = {name.lower(): name for name in parent.columns} if parent else {}
            theirs = tuple(spelled.get(name.lower(), name) for name in named) or (parent.key if parent else ())
            own = tuple(exact.get(name.lower(), name) for name in columns)
            table.references.append(Reference(own, parent.name if parent else unquote(parts[-1]), theirs))
        for check in list(table.checks):
            name, texts = listed(check)
            column = table.columns.get(exact.get(name.lower(), name))
            if column and column.kind == "text" and not column.choices:
                column.choices = tuple(texts)
                table.checks.remove(check)
                continue
            flag = re.fullmatch(r"\W*(\w+)\W+IN \(0, 1\)", check)
            column = table.columns.get(exact.get(flag[1].lower(), "")) if flag else None
            if column and column.kind == "integer":
                column.kind = "boolean"
                table.checks.remove(check)


def check_account(source: TwinSource) -> None:
    """Raise a UsageError where a source has by a plain count what was not read."""
    if difference := next(source.account.differences(), None):
        raise UsageError(f"{source.origin} was not read in full, which is a fault of ours. {difference}")


_ALTERS_NOTHING = re.compile(
    rf"ALTER\s+TABLE\s+(?:ONLY\s+)?{NAME}\s+(?:OWNER|ENABLE|DISABLE|CLUSTER|REPLICA|INHERIT|SET|FORCE|CHECK)\b",
    re.IGNORECASE,
)
