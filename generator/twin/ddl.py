"""Read the statements that make tables, in a dump or as a server tells them, and account for everything that they make.

What statements do to rows is run in a scratch database (`loading`), from which the rows are then taken.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, get_args

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.gates.constraints import listed
from generator.twin.account import Part, TableRows
from generator.twin.loading import CannotLoad, Scratch, StagedTable, clock_of, why
from generator.twin.source import Reference, SourceColumn, SourceTable, TwinSource
from generator.twin.sql import (
    DIALECTS,
    NAME,
    Dialect,
    Statement,
    count_words,
    guess_dialect,
    split_name,
    split_statements,
    unquote,
    unread_part,
)
from generator.twin.trees import columns_of, comment_at, cured, in_sqlite, plain, sequences_in, set_default, set_type
from generator.twin.words import word_set
from runtime.errors import UsageError

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)  # it warns of every statement that it passes through

_CREATE = re.compile(
    r"(?:CREATE|REPLACE)\s+(?P<how>(?:(?:OR\s+REPLACE|DEFINER\s*=\s*\S+|ALGORITHM\s*=\s*\w+|SQL\s+SECURITY\s+\w+"
    r"|TEMP|TEMPORARY|UNLOGGED|GLOBAL|LOCAL|MATERIALIZED|RECURSIVE|CONSTRAINT|UNIQUE|FOREIGN|VIRTUAL|CLUSTERED"
    r"|NONCLUSTERED|FULLTEXT|SPATIAL|TRUSTED|PROCEDURAL)\s+)*)(?P<what>[A-Z]+)\s+(?:CONCURRENTLY\s+)?"
    rf"(?:IF\s+NOT\s+EXISTS\s+)?(?P<name>{NAME})?",
    re.IGNORECASE,
)
_TEXT = r"'((?:[^']|'')*)'"
_UNREAD = "Statements that are not read"
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
    "SELECT BEGIN COMMIT START END PRAGMA LOCK UNLOCK ANALYZE VACUUM DROP COMMENT IF PRINT EXEC C CONNECT "
    "DELIMITER FLUSH ROLLBACK RESTRICT UNRESTRICT"
)
_SILENT_MADE = word_set("DATABASE SCHEMA INDEX USER ROLE LOGIN STATISTICS TABLESPACE")
_ALTERS_NOTHING = re.compile(
    rf"ALTER\s+TABLE\s+(?:ONLY\s+)?{NAME}\s+(?:OWNER|ENABLE|DISABLE|CLUSTER|REPLICA|INHERIT|SET|FORCE|CHECK)\b",
    re.IGNORECASE,
)


def read_sql(text: str, title: str, origin: str, dialect: Dialect | None = None) -> TwinSource:
    """Run the statements of a dump; errors: UsageError if they make no table, or the account does not close."""
    found = dialect or guess_dialect(text)
    statements = [*split_statements(text, found)]
    if lost := unread_part(text, statements, found):
        raise UsageError(f"{origin!r} was not read in full, which is a fault of ours: {lost!r} is in no statement.")
    reader = SqlReader(found, clock_of(text))
    source = reader.read(statements, title, f"{origin} ({DIALECTS[found]})", is_counted=True)
    if not source.tables:
        unread = [f"{fact.why}: {fact.where}." for fact in source.account.facts.values() if fact.part == "statement"]
        raise UsageError(
            f"{origin!r} makes no table that can be read as {DIALECTS[found]}; --dialect names another. "
            f"{unread[0] if unread else 'A CREATE TABLE is needed.'}"
        )
    check_account(source)
    return source


class SqlReader:
    """Takes one statement after the other; `read` gives what they made."""

    def __init__(self, dialect: Dialect, clock: str = "2025-01-01 09:00:00") -> None:
        self.source = TwinSource("", "")
        self.account = self.source.account
        self.arrays: set[str] = set()
        """Columns that hold arrays."""
        self._dialect = dialect
        self._tables: dict[tuple[str, str], StagedTable] = {}  # by schema and name; that of a partition is the whole's
        self._parts: set[tuple[str, str]] = set()
        self._taken: set[str] = set()  # names of tables that the default schema has
        self._enums: dict[str, tuple[str, ...]] = {}
        self._domains: dict[str, exp.ColumnDef] = {}
        self._sequences: list[str] = []
        self._schema = "public" if dialect == "postgres" else ""
        self._has_parts = True  # whether the parts of the statement that is being taken can be counted
        self._scratch = Scratch(dialect, clock, self._find)

    def read(self, every: Sequence[Statement], title: str, origin: str, *, is_counted: bool = False) -> TwinSource:
        """Take all statements, and return the tables that they make with their rows; count them a second time."""
        for statement in every:
            if (found := _CREATE.match(statement.sql)) and found["what"].upper() == "TABLE" and found["name"]:
                schema, name = self._key(split_name(found["name"]))
                self._taken |= {name} if schema == self._schema else set()
        for statement in every:
            self._has_parts = True
            counts = count_words(statement, self._dialect) if is_counted else Counter()
            self._take(statement, counts["row"])
            if self._has_parts:
                self.account.counts.update({part: counts[part] for part in get_args(Part) if counts[part]})
        source = self.source
        source.title, source.origin = title, origin
        staged = {each.source.name: each for each in self._tables.values()}
        source.tables = {name: each.source for name, each in staged.items()}
        for each in staged.values():
            self._finish(each)
        for name in self._sequences:
            if name not in self._scratch.counters:
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

    @property
    def places(self) -> dict[str, tuple[str, str]]:
        """Schema and name of each table, by the name that it has in the twin's source."""
        return {each.source.name: each.place for each in self._tables.values()}

    def _take(self, statement: Statement, rows: int) -> None:
        """Take a statement, which lists so many rows."""
        words, sql = statement.words, statement.sql
        if words[0] in _ROWS:
            self._take_rows(statement, rows)
        elif words[0] == "CREATE":
            self._take_create(statement)
        elif words[0] == "ALTER":
            self._take_alter(statement, words)
        elif words[:2] == ["COMMENT", "ON"] and words[2:3] in (["TABLE"], ["COLUMN"]):
            self._take_comment(statement)
        elif words[:2] == ["DROP", "TABLE"]:
            self._take_drop(sql)
        elif words[0] in ("GRANT", "REVOKE"):
            self.account.lose("statement", "GRANT and REVOKE (rights)", _UNREAD)
        elif words[0] in ("SET", "USE", "DECLARE"):
            if path := re.match(r"(?:SET\s+search_path\s*(?:=|TO)|USE)\s*[`\"'\[]?(\w+)", sql, re.IGNORECASE):
                self._schema = path[1].lower()
            self._scratch.set_variables(sql)
        elif words[0] not in _SILENT:
            self._lose(statement, _UNREAD)

    # Names and notes

    def _key(self, parts: Sequence[str]) -> tuple[str, str]:
        """Return schema and name by which a table is known; PostgreSQL keeps the case of quoted names."""
        keeps = {"postgres": '"', "mysql": '"`'}.get(self._dialect, "")
        folded = [unquote(each) if each[0] in keeps or keeps[1:] else unquote(each).lower() for each in parts]
        schema = folded[-2] if len(folded) > 1 else self._schema
        return ("" if schema in ("dbo", "main") else schema), folded[-1]

    def _find(self, parts: Sequence[str]) -> StagedTable | None:
        key = self._key(parts or ["x"])
        if found := self._tables.get(key):
            return found
        wanted = [each for each in self._tables if each[1].lower() == key[1].lower()]
        wanted = [each for each in wanted if key[0] in (each[0], self._schema, "")]
        same = [each for each in wanted if each[0] == key[0]] or wanted
        return self._tables[same[0]] if len(same) == 1 else None

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
        self._has_parts = False
        line = f"line {statement.line}: " if statement.line else ""
        self.account.lose("statement", f"{line}{statement.said}{f' ({told})' if told else ''}", reason)

    def _parse(self, statement: Statement, sql: str = "") -> exp.Expr | None:
        told = ""
        try:
            tree = sqlglot.parse_one(cured(sql or statement.sql, self._dialect), read=self._dialect)
            if not isinstance(tree, exp.Command):
                return tree
        except (SqlglotError, RecursionError) as error:
            told = why(error)
        self._lose(statement, "Statements that could not be read", told)
        return None

    # CREATE

    def _take_create(self, statement: Statement) -> None:
        found = _CREATE.match(statement.sql)
        how, what = (found["how"].upper(), found["what"].upper()) if found else ("", "")
        written = found["name"] or '""' if found else '""'
        name = unquote(written)
        if what == "TABLE" and (kind := re.search("TEMP|VIRTUAL|FOREIGN", how)):
            self._has_parts = False
            self.account.lose("statement", name, f"{kind[0].replace('TEMP', 'TEMPORARY').capitalize()} tables")
        elif what == "TABLE":
            self._take_table(statement, split_name(written))
        elif what == "INDEX" and "UNIQUE" in how:
            self._take_index(statement, name)
        elif what == "TYPE" and (labels := re.search(r"\bAS\s+ENUM\s*\((.*)\)\s*$", statement.sql, re.I | re.S)):
            self._enums[name.lower()] = tuple(each.replace("''", "'") for each in re.findall(_TEXT, labels[1]))
        elif what == "TYPE":
            self.account.lose("statement", name, "Composite types")
        elif what == "DOMAIN":
            body = re.split(rf"DOMAIN\s+{NAME}\s+(?:AS\s+)?", statement.sql, maxsplit=1, flags=re.IGNORECASE)[-1]
            body = re.sub(r"\bVALUE\b", "value", re.sub(r"\bCONSTRAINT\s+\S+", "", body))
            if tree := self._parse(statement, f"CREATE TABLE d (value {body})"):
                self._domains.update({name.lower(): each for each in tree.find_all(exp.ColumnDef)})
        elif what == "SEQUENCE":
            self._sequences.append(name)
        elif what in _LOST:
            taken = self.account.facts.get(("statement", name))
            is_other = taken is not None and taken.why != _LOST[what]
            self.account.lose("statement", f"{what.lower()} {name}" if is_other else name, _LOST[what])
        elif what not in _SILENT_MADE:
            self._lose(statement, _UNREAD)

    def _take_table(self, statement: Statement, parts: list[str]) -> None:
        key = self._key(parts)
        if part := re.search(rf"\bPARTITION\s+OF\s+({NAME})", statement.sql, re.IGNORECASE):
            self._take_partition(statement, key, part[1])
            return
        tree = self._parse(statement)
        if tree is None:
            return
        if key in self._tables or not isinstance(tree.this, exp.Schema):
            again = key in self._tables
            self._lose(statement, "Tables that are made a second time" if again else "Tables made from a query")
            return
        inherits = tree.find(exp.InheritsProperty)
        of = inherits.expressions[0].sql(dialect="postgres") if inherits else ""
        above = self._find(split_name(of)) if of else None
        if above and {each.name for each in tree.this.find_all(exp.ColumnDef)} <= above.columns.keys():
            self._take_partition(statement, key, of)
            return
        name = key[1] if self._dialect == "postgres" else unquote(parts[-1])
        names = [each.source.name for each in self._tables.values()]
        if name in names or (parts[1:] and key[0] not in ("", "public") and key[1] in self._taken):
            name = f"{key[0] or 'main'}.{name}"
        table = SourceTable(name, dict(above.source.columns) if above else {})
        staged = StagedTable(
            table, f"{name} {len(self.account.facts)}", (key[0], key[1] if self._dialect == "postgres" else name)
        )
        if above:
            staged.columns = dict(above.columns)
        if told := tree.find(exp.SchemaCommentProperty):
            table.comment = told.this.name
        self._tables[key] = staged
        self._note("table", name)
        for each in tree.this.expressions:
            self._take_part(staged, each)

    def _take_partition(self, statement: Statement, key: tuple[str, str], of: str) -> None:
        """Take a table whose rows are those of another one, of which it has all columns."""
        whole, part = self._find(split_name(of)), self._tables.get(key)
        if whole is None or (part and self._scratch.rows(part, [])):
            self._lose(statement, "Partitions of tables that are not read, or that have rows before")
            return
        reason = "Partitions, whose rows are those of the whole table"
        self.account.change("table" if part else "statement", part.source.name if part else key[1], reason)
        self._tables[key] = whole
        self._parts.add(key)
        self._has_parts = False

    def _take_part(self, staged: StagedTable, part: exp.Expression, column: str = "") -> None:
        """Take a column or a constraint of a table, or a constraint of a column."""
        table = staged.source
        if isinstance(part, exp.ColumnDef | exp.Identifier):
            self._take_column(staged, part)
        elif isinstance(part, exp.Constraint):
            for each in part.expressions:
                self._take_part(staged, each)
        elif isinstance(part, exp.PrimaryKey | exp.PrimaryKeyColumnConstraint):
            table.key = (column,) if column else tuple(columns_of(part.expressions) or table.key)
            self._note("key", table.name)
        elif isinstance(part, exp.ForeignKey):
            self._take_reference(staged, columns_of(part.expressions) or [], part.args["reference"])
        elif isinstance(part, exp.Reference):
            self._take_reference(staged, [column], part)
        elif isinstance(part, exp.UniqueColumnConstraint):
            inner = part.this
            columns = columns_of(inner.expressions if isinstance(inner, exp.Schema) else [inner])
            self._take_unique(table, [column] if column else columns, part.sql(dialect="sqlite"))
        elif isinstance(part, exp.CheckColumnConstraint):
            table.checks.append(in_sqlite(part.this))
            self._note("check", f"{table.name} ({' '.join(table.checks[-1].split())})")
        elif isinstance(part, exp.ExcludeColumnConstraint):
            self.account.lose("statement", f"{table.name} (EXCLUDE)", "Constraints")

    def _take_unique(self, table: SourceTable, columns: Sequence[str] | None, written: str) -> None:
        if columns:
            table.uniques.append(tuple(columns))
        place = self._note("unique", f"{table.name} ({', '.join(columns or [written])})")
        if not columns:
            self.account.lose("unique", place, "Unique indexes that are partial or of an expression")

    def _take_index(self, statement: Statement, name: str) -> None:
        tree = self._parse(statement)
        if tree is None or not isinstance(tree.this, exp.Index):
            return
        staged = self._find(_written(tree.this.args["table"]))
        parameters = tree.this.args.get("params") or exp.IndexParameters()
        columns = None if parameters.args.get("where") else columns_of(parameters.args.get("columns") or [])
        text = " ".join(re.split(r"\bON\b", statement.sql, maxsplit=1, flags=re.IGNORECASE)[-1].split())
        table = staged.source if staged and columns else SourceTable(name, {})
        self._take_unique(table, columns if staged else None, text)

    def _take_column(self, staged: StagedTable, part: exp.ColumnDef | exp.Identifier) -> None:
        table, name, given = staged.source, part.name, part.args.get("kind")
        where = f"{table.name}.{name}"
        staged.columns.setdefault(name, "")
        column = SourceColumn(name, "text", comment=comment_at(part))
        self.account.keep("column", where)
        is_kept = given is None or self._set_type(staged, column, given)
        if given is None and isinstance(part, exp.ColumnDef) and self._dialect != "sqlite":
            is_kept = False
        for constraint in part.args.get("constraints") or []:
            kind = constraint.kind
            if isinstance(kind, exp.NotNullColumnConstraint):
                column.required = not kind.args.get("allow_null")
            elif isinstance(kind, exp.DefaultColumnConstraint):
                self._take_default(staged, column, kind.this, is_kept)
            elif isinstance(kind, exp.AutoIncrementColumnConstraint) or (
                isinstance(kind, exp.GeneratedAsIdentityColumnConstraint) and kind.expression is None
            ):
                column.made = "counter"
            elif isinstance(kind, exp.ComputedColumnConstraint | exp.GeneratedAsIdentityColumnConstraint):
                self.account.lose("column", where, "Generated columns")
                staged.generated.append(name)
            elif isinstance(kind, exp.CommentColumnConstraint):
                column.comment = kind.this.name
            elif isinstance(kind, exp.CollateColumnConstraint) and "NOCASE" in kind.sql().upper():
                self.account.change("column", where, "COLLATE NOCASE, so that values are compared exactly")
            elif isinstance(kind, exp.OnUpdateColumnConstraint):
                column.may_be_given = False
                self.account.change("column", where, "ON UPDATE of a timestamp, which an update leaves as it is")
            else:
                self._take_part(staged, kind, name)
        if not is_kept and name not in staged.generated:
            self.account.lose("column", where, "Columns of binary or geometric data")
        is_rowid = self._dialect == "sqlite" and given is not None and given.sql().upper() in ("INT", "INTEGER")
        if column.made == "counter" or (is_rowid and part.find(exp.PrimaryKeyColumnConstraint)):
            staged.counter = name
        if is_kept and name not in staged.generated:
            table.columns[name] = column
        else:
            table.columns.pop(name, None)

    def _set_type(self, staged: StagedTable, column: SourceColumn, given: exp.Expression) -> bool:
        """Set what a column holds; false if it is nothing that a twin can hold."""
        raw, where = given.sql(dialect=self._dialect), f"{staged.source.name}.{column.name}"
        own = unquote(re.sub(r"\(.*", "", raw).strip() or '""').lower()
        changed = ""
        if own in self._enums:
            column.choices = self._enums[own]
        elif domain := self._domains.get(own):
            self._set_type(staged, column, domain.args["kind"])
            self._take_domain(staged.source, column, domain)
        else:
            is_kept, changed = set_type(column, given, self._dialect)
            if not is_kept:
                return False
        if changed:
            self.account.change("column", where, changed)
            self.arrays |= {where} if changed.startswith("Arrays") else set()
        if column.choices:
            self.account.keep("choices", where)
        return True

    def _take_domain(self, table: SourceTable, column: SourceColumn, domain: exp.ColumnDef) -> None:
        for kind in (each.kind for each in domain.constraints):
            if isinstance(kind, exp.CheckColumnConstraint):
                table.checks.append(re.sub(r"\bvalue\b", f'"{column.name}"', in_sqlite(kind.this)))
            elif isinstance(kind, exp.NotNullColumnConstraint):
                column.required = not kind.args.get("allow_null")
            elif isinstance(kind, exp.DefaultColumnConstraint):
                set_default(column, kind.this)

    def _take_default(self, staged: StagedTable, column: SourceColumn, given: exp.Expression, is_kept: bool) -> None:
        if isinstance(given, exp.Null):
            return
        where = self._note("default", f"{staged.source.name}.{column.name}")
        for name in map(unquote, sequences_in(given)):
            self._scratch.counters[name] = (staged, column.name)
        lost = set_default(column, given)
        if column.made == "counter":
            staged.counter = column.name
        else:
            staged.columns[column.name] = self._scratch.default(given)
        if lost and is_kept:
            self.account.lose("default", where, "Defaults that are computed")

    def _take_reference(self, staged: StagedTable, columns: list[str], given: exp.Expression) -> None:
        target = given.this
        named = columns_of(target.expressions) if isinstance(target, exp.Schema) else None
        parent = target.this if isinstance(target, exp.Schema) else target
        staged.references.append((columns, _written(parent), named or []))
        said = [str(option).upper() for option in given.args.get("options") or []]
        acts = [each for each in said if each.startswith("ON ") and not each.endswith(("RESTRICT", "NO ACTION"))]
        verb = "are" if len(acts) > 1 else "is"
        reasons = [f"{' and '.join(acts)}, which {verb} RESTRICT in the twin"] if acts else []
        if any(each.startswith("DEFERRABLE") for each in said):
            reasons.append("DEFERRABLE foreign keys, which the twin checks at once")
        where = f"{staged.source.name} ({', '.join(columns)}) -> {parent.name}"
        self._note("reference", where, "; ".join(reasons))

    # ALTER, DROP, COMMENT

    def _take_alter(self, statement: Statement, words: Sequence[str]) -> None:
        sql = statement.sql
        if words[1:2] == ["SEQUENCE"]:
            owned = re.match(rf"ALTER\s+SEQUENCE\s+({NAME})\s+OWNED\s+BY\s+({NAME})", sql, re.IGNORECASE)
            if owned and (staged := self._find(split_name(owned[2])[:-1])):
                self._scratch.counters[unquote(owned[1])] = (staged, unquote(owned[2]))
            return
        if words[1:2] == ["TYPE"]:
            self._take_label(sql)
            return
        named = re.match(rf"ALTER\s+TABLE\s+(?:ONLY\s+|IF\s+EXISTS\s+)*({NAME})", sql, re.IGNORECASE)
        if named is None:
            return
        key, staged = self._key(split_name(named[1])), self._find(split_name(named[1]))
        if attached := re.search(rf"\bATTACH\s+PARTITION\s+({NAME})", sql, re.IGNORECASE):
            self._take_partition(statement, self._key(split_name(attached[1])), named[1])
        elif _ALTERS_NOTHING.match(sql) or key in self._parts:
            self._has_parts = False
        elif staged is None:
            self._lose(statement, "Changes of tables that were not read")
        elif identity := re.search(rf"ALTER\s+(?:COLUMN\s+)?({NAME})\s+ADD\s+GENERATED", sql, re.IGNORECASE):
            if column := staged.source.columns.get(unquote(identity[1])):
                column.made, staged.counter = "counter", column.name
            if sequence := re.search(rf"SEQUENCE\s+NAME\s+({NAME})", sql, re.IGNORECASE):
                self._scratch.counters[unquote(sequence[1])] = (staged, unquote(identity[1]))
        elif tree := self._parse(statement):
            for action in tree.args.get("actions") or []:
                self._take_action(statement, staged, action)

    def _take_label(self, sql: str) -> None:
        """Take ALTER TYPE ... ADD VALUE and RENAME VALUE."""
        named = re.match(rf"ALTER\s+TYPE\s+({NAME})\s+(ADD|RENAME)\s+VALUE\b", sql, re.IGNORECASE)
        name = unquote(named[1]).lower() if named else ""
        if named is None or name not in self._enums:
            return
        before, texts = self._enums[name], [each.replace("''", "'") for each in re.findall(_TEXT, sql)]
        labels = [*before]
        if named[2].upper() == "RENAME":
            labels = [texts[1] if each == texts[0] else each for each in labels]
        elif texts[0] not in labels:
            is_after = re.search(r"\bAFTER\s+'", sql, re.IGNORECASE) is not None
            labels.insert(labels.index(texts[1]) + is_after if texts[1:] else len(labels), texts[0])
        self._enums[name] = tuple(labels)
        for column in (each for staged in self._tables.values() for each in staged.source.columns.values()):
            column.choices = tuple(labels) if column.choices == before else column.choices

    def _take_action(self, statement: Statement, staged: StagedTable, action: exp.Expression) -> None:
        table = staged.source
        if isinstance(action, exp.AddConstraint):
            for part in action.expressions:
                self._take_part(staged, part)
        elif isinstance(action, exp.ColumnDef):
            self._take_column(staged, action)
            if staged.built:  # its rows have the default of now, whatever is set later
                self._scratch.build(staged)
        elif isinstance(action, exp.ModifyColumn) and (changed := action.find(exp.ColumnDef)):
            before = table.columns.get(changed.name)
            self._take_column(staged, changed)
            if before and changed.name in table.columns:
                table.columns[changed.name].comment = table.columns[changed.name].comment or before.comment
        elif isinstance(action, exp.AlterColumn) and (column := table.columns.get(action.name)):
            if action.args.get("default") is not None:
                self._take_default(staged, column, action.args["default"], True)
            elif action.args.get("dtype") is not None:
                self._set_type(staged, column, action.args["dtype"])
            elif "allow_null" in action.args:
                column.required = not action.args["allow_null"]
        elif isinstance(action, exp.AlterRename):
            self.account.change("table", table.name, "Tables that the source itself renames")
            table.name = action.this.name
            staged.place = (staged.place[0], table.name)
            new = (staged.place[0], self._key([action.this.sql(dialect="postgres")])[1])
            self._tables = {new if each is staged else key: each for key, each in self._tables.items()}
        elif isinstance(action, exp.RenameColumn):
            self._rename_column(staged, action.this.name, action.args["to"].name)
        elif isinstance(action, exp.Drop) and action.args.get("kind") == "COLUMN":
            for name in (each.name for each in action.args.get("tables") or []):
                table.columns.pop(name, None)
                staged.columns.pop(name, None)
                self.account.lose("column", f"{table.name}.{name}", "Columns that the source drops again")
        elif not isinstance(action, exp.AlterColumn):
            self._lose(statement, "Changes of tables that are not read")

    def _rename_column(self, staged: StagedTable, old: str, new: str) -> None:
        table = staged.source
        if column := table.columns.pop(old, None):
            self._scratch.build(staged)
            self._scratch.connection.execute(f'ALTER TABLE "{staged.stage}" RENAME COLUMN "{old}" TO "{new}"')
            column.name = new
            table.columns[new] = column
            staged.columns = {new if name == old else name: default for name, default in staged.columns.items()}
            staged.counter = new if staged.counter == old else staged.counter
            staged.built[new] = staged.built.pop(old)
            table.key = tuple(new if name == old else name for name in table.key)
            table.uniques = [tuple(new if name == old else name for name in each) for each in table.uniques]

    def _take_drop(self, sql: str) -> None:
        names = re.sub(r"DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?|\b(?:CASCADE|RESTRICT)\b", "", sql, flags=re.IGNORECASE)
        for name in re.findall(NAME, names):
            if staged := self._tables.pop(self._key(split_name(name)), None):
                self.account.lose("table", staged.source.name, "Tables that the source itself drops")
                staged.gone["the source itself drops their table"] += len(self._scratch.rows(staged, []))
                self._note_rows(staged)

    def _take_comment(self, statement: Statement) -> None:
        tree = self._parse(statement)
        if tree is None or not isinstance(tree.expression, exp.Literal):
            return
        parts = [str(each.sql(dialect="postgres")) for each in getattr(tree.this, "parts", [])]
        is_column = isinstance(tree.this, exp.Column)
        staged = self._find(parts[:-1] if is_column else parts)
        target: Any = staged.source if staged else None
        target = target.columns.get(tree.this.name) if target and is_column else target
        if target:
            target.comment = " ".join(tree.expression.name.split())

    # Rows

    def _take_rows(self, statement: Statement, rows: int) -> None:
        try:
            staged = self._scratch.take(statement)
            if staged:
                staged.given += rows
        except CannotLoad as error:
            self._lose(statement, "Statements that cannot be loaded", str(error))
            words = re.match(rf"\w+\s+(?:IGNORE\s+|OR\s+\w+\s+)?(?:INTO\s+)?({NAME})", statement.sql, re.IGNORECASE)
            staged = self._find(split_name(words[1])) if words else None
            if staged and rows:
                staged.given += rows
                staged.gone[f"their statement in line {statement.line} cannot be loaded"] += rows
            elif rows and words:
                own = self.account.rows.setdefault(unquote(words[1]), TableRows(0))
                own.given += rows
                own.left_out["their table was not read"] += rows

    def _note_rows(self, staged: StagedTable) -> None:
        """Note the rows of a table, and which are left out."""
        own = self.account.rows[staged.source.name] = TableRows(staged.given, len(staged.source.rows), staged.gone)
        for reason, places in staged.lost.items():
            lines = ", ".join(f"{line}" for line, _ in places[:3]) + (", ..." if places[3:] else "")
            own.left_out[f"{reason} (line {lines}: {places[0][1]})"] += len(places)

    def _finish(self, staged: StagedTable) -> None:
        """Give a table its rows, names the spelling of what they name, and columns the values that a CHECK lists."""
        table = staged.source
        table.key = _spelled(table.key, table)
        table.uniques = [_spelled(each, table) for each in table.uniques]
        for columns, parts, named in staged.references:
            found = self._find(parts)
            theirs = (_spelled(named, found.source) or found.source.key) if found else tuple(named)
            parent = found.source.name if found else unquote(parts[-1])
            table.references.append(Reference(_spelled(columns, table), parent, theirs))
        for check in list(table.checks):
            name, texts = listed(check)
            flag = re.fullmatch(r"\W*(\w+)\W+IN \(0, 1\)", check)
            column = table.columns.get(_spelled([flag[1] if flag else name], table)[0])
            if column and not flag and column.kind == "text" and not column.choices:
                column.choices = tuple(texts)
                table.checks.remove(check)
            elif column and flag and column.kind == "integer":
                column.kind = "boolean"
                table.checks.remove(check)
        names = [name for name in table.columns if name in staged.columns]
        self.fill(table, names, self._scratch.rows(staged, names))
        self._note_rows(staged)


def _spelled(names: Iterable[str], table: SourceTable) -> tuple[str, ...]:
    """Return names of columns as their table spells them."""
    exact = {name.lower(): name for name in table.columns}
    return tuple(exact.get(name.lower(), name) for name in names)


def _written(table: exp.Expr) -> list[str]:
    """Return schema and name of a table as they are written, quotes included."""
    return [each.sql(dialect="postgres") for each in (table.args.get("db"), table.this) if each]


def check_account(source: TwinSource) -> None:
    """Raise a UsageError where a source has by a plain count what was not read."""
    if difference := next(source.account.differences(), None):
        raise UsageError(f"{source.origin} was not read in full, which is a fault of ours. {difference}")
