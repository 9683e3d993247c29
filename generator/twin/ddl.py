"""Read the statements of a SQL dump into tables and rows, and name everything else that it makes."""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from generator.gates.constraints import listed
from generator.twin.source import Reference, SourceColumn, SourceTable, TwinSource
from generator.twin.sql import (
    NAME,
    Dialect,
    InsertedRows,
    Statement,
    guess_dialect,
    read_rows,
    split_statements,
    unquote,
)
from generator.twin.trees import (
    columns_of,
    comment_at,
    cured,
    in_sqlite,
    sequences_in,
    set_default,
    set_plain_type,
)
from generator.twin.words import word_set
from runtime.errors import UsageError

DIALECTS = {"postgres": "PostgreSQL", "mysql": "MySQL", "sqlite": "SQLite", "tsql": "SQL Server"}
logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of every statement that it passes through


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
_SILENT = word_set(
    "SET SELECT USE BEGIN COMMIT START END PRAGMA LOCK UNLOCK ANALYZE VACUUM DROP COMMENT IF PRINT EXEC C CONNECT "
    "DELIMITER FLUSH ROLLBACK RESTRICT UNRESTRICT"
)
_SILENT_MADE = word_set("DATABASE SCHEMA INDEX USER ROLE LOGIN STATISTICS TABLESPACE")


def read_sql(text: str, title: str, origin: str, dialect: Dialect | None = None) -> TwinSource:
    """Read the statements of a dump; errors: UsageError if they make no table."""
    found = dialect or guess_dialect(text)
    reader = SqlReader(found)
    for statement in split_statements(text, found):
        reader.take(statement)
    source = reader.finish(title, f"{origin} ({DIALECTS[found]})")
    if not source.tables:
        why = f" {reader.unread[0]}" if reader.unread else " A CREATE TABLE is needed."
        raise UsageError(
            f"{origin!r} makes no table that can be read as {DIALECTS[found]}; --dialect names another.{why}"
        )
    return source


class SqlReader:
    """Takes one statement after the other; `finish` gives what they made."""

    def __init__(self, dialect: Dialect) -> None:
        self.unread: list[str] = []
        self._dialect = dialect
        self._tables: dict[str, SourceTable] = {}  # by name in lower case
        self._declared: dict[str, list[str]] = defaultdict(list)  # all columns, with those that are left out
        self._part_of: dict[str, str] = {}  # partitions
        self._enums: dict[str, tuple[str, ...]] = {}
        self._domains: dict[str, exp.ColumnDef] = {}
        self._inserted: list[InsertedRows] = []
        self._counters: set[str] = set()  # sequences that fill a column
        self._lost: dict[str, list[str]] = defaultdict(list)
        self._foreign: Counter[str] = Counter()

    def take(self, statement: Statement) -> None:
        """Read one statement."""
        words = statement.head.split() or [""]
        if words[0] in ("INSERT", "COPY", "REPLACE") and words[1:2] != ["TABLE"]:
            self._take_rows(statement, words)
        elif words[0] in ("CREATE", "REPLACE"):
            self._take_create(statement.sql)
        elif words[0] == "ALTER":
            self._take_alter(statement.sql, words)
        elif words[:2] == ["COMMENT", "ON"] and words[2:3] in (["TABLE"], ["COLUMN"]):
            self._take_comment(statement.sql)
        elif words[0] in ("GRANT", "REVOKE"):
            self._foreign["GRANT and REVOKE (rights)"] += 1
        elif words[0] not in _SILENT:
            self._foreign[words[0] or statement.sql[:20]] += 1

    def finish(self, title: str, origin: str) -> TwinSource:
        """Return the tables with their rows, and what is left out."""
        tables = {table.name: table for table in self._tables.values()}
        for table in tables.values():
            self._finish_table(table)
        rows = 0
        for inserted in self._inserted:
            name = self._part_of.get(inserted.table.lower(), inserted.table.lower())
            known = self._tables.get(name)
            if known is None:
                self._lost["Rows of tables that were not read"].append(f"{inserted.table} ({len(inserted.rows):,})")
                continue
            columns = inserted.columns or self._declared[name]
            known.rows += [dict(zip(columns, row, strict=False)) for row in inserted.rows]
            rows += len(inserted.rows)
        self._lost[_LOST["SEQUENCE"]] = [each for each in self._lost[_LOST["SEQUENCE"]] if each not in self._counters]
        losses = [f"{what}: {', '.join(dict.fromkeys(names))}." for what, names in self._lost.items() if names]
        losses += self.unread
        if self._dialect == "mysql":
            losses.append("Texts are compared exactly; MySQL takes 'a' and 'A' for the same, unless told otherwise.")
        if self._foreign:
            told = ", ".join(f"{many} x {what}" for what, many in self._foreign.items())
            losses.append(f"Statements that are not read: {told}.")
        return TwinSource(title, origin, tables, losses=losses, real_rows=rows > 0)

    # CREATE

    def _take_create(self, sql: str) -> None:
        found = _CREATE.match(sql)
        how, what = (found["how"].upper(), found["what"].upper()) if found else ("", "")
        name = unquote(found["name"]) if found and found["name"] else ""
        if what == "TABLE" and not re.search("TEMP|VIRTUAL|FOREIGN", how):
            self._take_table(sql, name)
        elif what == "TABLE":
            kind = how.split()[0].capitalize()
            self._lost[f"{'Temporary' if kind == 'Temp' else kind} tables"].append(name)
        elif what == "INDEX" and "UNIQUE" in how:
            self._take_index(sql, name)
        elif what == "TYPE":
            labels = re.search(r"\bAS\s+ENUM\s*\((.*)\)\s*$", sql, re.IGNORECASE | re.DOTALL)
            if labels:
                self._enums[name.lower()] = tuple(
                    each.replace("''", "'") for each in re.findall(r"'((?:[^']|'')*)'", labels[1])
                )
            else:
                self._lost["Composite types"].append(name)
        elif what == "DOMAIN":
            body = re.sub(r"\bCONSTRAINT\s+\S+|\bVALUE\b", lambda part: "value" if part[0] == "VALUE" else "", sql)
            body = re.split(rf"DOMAIN\s+{NAME}\s+(?:AS\s+)?", body, maxsplit=1, flags=re.IGNORECASE)[-1]
            if tree := self._parse(f"CREATE TABLE d (value {body})", f"DOMAIN {name}"):
                self._domains.update({name.lower(): each for each in tree.find_all(exp.ColumnDef)})
        elif what in _LOST:
            self._lost[_LOST[what]].append(name)
        elif what not in _SILENT_MADE:
            self._foreign[f"CREATE {what}"] += 1

    def _take_table(self, sql: str, name: str) -> None:
        if part := re.search(rf"\bPARTITION\s+OF\s+({NAME})", sql, re.IGNORECASE):
            self._make_part(name, unquote(part[1]))
            return
        tree = self._parse(cured(sql, self._dialect), f"TABLE {name}")
        if tree is None:
            return
        schema = tree.this
        if name.lower() in self._tables:
            self._lost["Tables whose name was read before, in another schema"].append(name)
        elif not isinstance(schema, exp.Schema):
            self._lost["Tables made from a query"].append(name)
        else:
            table = SourceTable(name, {})
            properties = tree.args.get("properties")
            parent = ""
            for each in properties.expressions if properties else []:
                if isinstance(each, exp.SchemaCommentProperty):
                    table.comment = each.this.name
                elif isinstance(each, exp.InheritsProperty) and each.expressions:
                    parent = each.expressions[0].name.lower()
            for part in schema.expressions:
                self._take_part(table, part)
            above = self._tables.get(parent)
            if above and table.columns.keys() <= above.columns.keys():
                self._make_part(name, parent)
                return
            if above:
                table.columns = {**above.columns, **table.columns}
            self._tables[name.lower()] = table

    def _take_part(self, table: SourceTable, part: exp.Expression) -> None:
        """Take a column or a constraint of a table."""
        if isinstance(part, exp.ColumnDef):
            self._take_column(table, part)
        elif isinstance(part, exp.Identifier):  # of SQLite, without a type
            self._declared[table.name.lower()].append(part.name)
            table.columns[part.name] = SourceColumn(part.name, "text", comment=comment_at(part))
        elif isinstance(part, exp.Constraint):
            for each in part.expressions:
                self._take_part(table, each)
        elif isinstance(part, exp.PrimaryKey):
            table.key = tuple(columns_of(part.expressions) or table.key)
        elif isinstance(part, exp.ForeignKey):
            self._take_reference(table, columns_of(part.expressions) or [], part.args["reference"])
        elif isinstance(part, exp.UniqueColumnConstraint):
            inner = part.this
            columns = columns_of(inner.expressions if isinstance(inner, exp.Schema) else [inner])
            if columns:
                table.uniques.append(tuple(columns))
            else:
                self._lost["UNIQUE of an expression"].append(f"{table.name} ({part.sql(dialect='sqlite')})")
        elif isinstance(part, exp.CheckColumnConstraint):
            table.checks.append(in_sqlite(part.this))
        elif isinstance(part, exp.ExcludeColumnConstraint):
            self._lost["Constraints"].append(f"{table.name} (EXCLUDE)")

    def _take_column(self, table: SourceTable, part: exp.ColumnDef) -> None:
        name, given = part.name, part.args.get("kind")
        if name not in self._declared[table.name.lower()]:
            self._declared[table.name.lower()].append(name)
        where = f"{table.name}.{name}"
        column = SourceColumn(name, "text")
        if given is None or not self._set_type(table, column, given):
            raw = given.sql(dialect=self._dialect) if given is not None else ""
            self._lost["Columns of binary or geometric data"].append(f"{where} ({raw})")
            table.columns.pop(name, None)
            return
        if not column.comment:
            column.comment = comment_at(part)
        for constraint in part.constraints:
            kind = constraint.kind
            if isinstance(kind, exp.NotNullColumnConstraint):
                column.required = not kind.args.get("allow_null")
            elif isinstance(kind, exp.DefaultColumnConstraint):
                self._set_default(column, kind.this, where)
            elif isinstance(kind, exp.PrimaryKeyColumnConstraint):
                table.key = (name,)
            elif isinstance(kind, exp.AutoIncrementColumnConstraint) or (
                isinstance(kind, exp.GeneratedAsIdentityColumnConstraint) and kind.expression is None
            ):
                column.made = "counter"
            elif isinstance(kind, exp.ComputedColumnConstraint | exp.GeneratedAsIdentityColumnConstraint):
                self._lost["Generated columns"].append(f"{where} ({kind.sql(dialect='sqlite')})")
                return
            elif isinstance(kind, exp.CommentColumnConstraint):
                column.comment = kind.this.name
            elif isinstance(kind, exp.UniqueColumnConstraint):
                table.uniques.append((name,))
            elif isinstance(kind, exp.CheckColumnConstraint):
                table.checks.append(in_sqlite(kind.this))
            elif isinstance(kind, exp.Reference):
                self._take_reference(table, [name], kind)
            elif isinstance(kind, exp.CollateColumnConstraint) and "NOCASE" in kind.sql().upper():
                self._lost["COLLATE NOCASE, so that values are compared exactly"].append(where)
            elif isinstance(kind, exp.OnUpdateColumnConstraint):
                self._lost["ON UPDATE of a timestamp, which an update leaves as it is"].append(where)
        table.columns[name] = column

    def _set_type(self, table: SourceTable, column: SourceColumn, given: exp.Expression) -> bool:
        """Set what a column holds; false if it is nothing that a twin can hold."""
        raw = given.sql(dialect=self._dialect)
        name = given.this.value.upper() if type(given) is exp.DataType else raw.upper()
        own = unquote(re.sub(r"\(.*", "", raw).strip() or '""').lower()
        if own in self._enums:
            column.choices = self._enums[own]
            return True
        if own in self._domains:
            self._set_domain(table, column, self._domains[own])
            return True
        if own == "citext":
            self._lost["citext, so that values are compared exactly"].append(f"{table.name}.{column.name}")
        if name == "SET":
            self._lost["SET columns, which hold their values as one text"].append(f"{table.name}.{column.name}")
        if name.startswith("TIMESTAMP") and name.endswith("TZ"):
            self._lost["Time zones, so that times are as written"].append(f"{table.name}.{column.name}")
        return set_plain_type(column, given, name, self._dialect)

    def _set_domain(self, table: SourceTable, column: SourceColumn, domain: exp.ColumnDef) -> None:
        base = SourceTable(table.name, {})
        self._take_column(base, domain)
        inner = base.columns["value"]
        column.kind, column.longest, column.decimals = inner.kind, inner.longest, inner.decimals
        column.required, column.default = inner.required, inner.default
        for check in base.checks:
            table.checks.append(re.sub(r"\bvalue\b", f'"{column.name}"', check))

    def _set_default(self, column: SourceColumn, given: exp.Expression, where: str) -> None:
        self._counters |= {unquote(name) for name in sequences_in(given)}
        if lost := set_default(column, given):
            self._lost["Defaults that are computed"].append(f"{where} ({lost})")

    def _take_reference(self, table: SourceTable, columns: Sequence[str], given: exp.Expression) -> None:
        target = given.this
        named = columns_of(target.expressions) if isinstance(target, exp.Schema) else None
        parent = (target.this if isinstance(target, exp.Schema) else target).name
        table.references.append(Reference(tuple(columns), parent, tuple(named or ())))
        for option in given.args.get("options") or []:
            said = str(option).upper()
            if said.startswith(("ON DELETE", "ON UPDATE")) and not said.endswith(("RESTRICT", "NO ACTION")):
                self._lost[f"{said}, which is RESTRICT in the twin"].append(f"{table.name}.{', '.join(columns)}")
            elif said.startswith("DEFERRABLE"):
                self._lost["DEFERRABLE foreign keys, which the twin checks at once"].append(
                    f"{table.name}.{', '.join(columns)}"
                )

    def _take_index(self, sql: str, name: str) -> None:
        tree = self._parse(sql, f"INDEX {name}")
        if tree is None or not isinstance(tree.this, exp.Index):
            return
        table = self._tables.get(tree.this.args["table"].name.lower())
        parameters = tree.this.args.get("params")
        columns = columns_of(parameters.args.get("columns") or []) if parameters else None
        if table and columns and not (parameters and parameters.args.get("where")):
            table.uniques.append(tuple(columns))
        elif table:
            text = " ".join(re.split(r"\bON\b", sql, maxsplit=1, flags=re.IGNORECASE)[-1].split())
            self._lost["Unique indexes that are partial or of an expression"].append(f"{name} ({text})")

    # ALTER, COMMENT, INSERT

    def _make_part(self, name: str, whole: str) -> None:
        self._tables.pop(name.lower(), None)
        self._part_of[name.lower()] = whole.lower()
        self._lost["Partitions, whose rows are those of the whole table"].append(name)

    def _take_alter(self, sql: str, words: Sequence[str]) -> None:
        if words[1:2] == ["SEQUENCE"]:
            if re.search(r"\bOWNED\s+BY\b", sql, re.IGNORECASE) and (
                named := re.match(rf"ALTER\s+SEQUENCE\s+({NAME})", sql, re.I)
            ):
                self._counters.add(unquote(named[1]))
            return
        if words[1:2] != ["TABLE"]:
            return
        named = re.match(rf"ALTER\s+TABLE\s+(?:ONLY\s+|IF\s+EXISTS\s+)*({NAME})", sql, re.IGNORECASE)
        table = self._tables.get(unquote(named[1]).lower()) if named else None
        if table and (attached := re.search(rf"\bATTACH\s+PARTITION\s+({NAME})", sql, re.IGNORECASE)):
            self._make_part(unquote(attached[1]), table.name)
            return
        if _ALTERS_NOTHING.match(sql):
            return
        if named is None or table is None:
            return
        identity = re.search(
            rf"ALTER\s+COLUMN\s+({NAME})\s+ADD\s+GENERATED.*?(?:SEQUENCE\s+NAME\s+({NAME}))?", sql, re.I | re.S
        )
        if identity:
            if column := table.columns.get(unquote(identity[1])):
                column.made = "counter"
            return
        tree = self._parse(sql, f"ALTER TABLE {table.name}")
        for action in tree.args.get("actions") or [] if tree else []:
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
            elif isinstance(action, exp.AlterColumn):
                column = table.columns.get(action.this.name)
                if column and action.args.get("default") is not None:
                    self._set_default(column, action.args["default"], f"{table.name}.{column.name}")
                elif column and action.args.get("allow_null") is False:
                    column.required = True
            else:
                self._lost["Changes of tables that are not read"].append(f"{table.name} ({action.sql()[:60]})")

    def _take_comment(self, sql: str) -> None:
        tree = self._parse(sql, "COMMENT")
        if not isinstance(tree, exp.Comment) or tree.expression is None:
            return
        text, target = tree.expression.name, tree.this
        if str(tree.args.get("kind")).upper() == "TABLE":
            if table := self._tables.get(target.name.lower()):
                table.comment = text
        elif isinstance(target, exp.Column):
            table = self._tables.get(target.table.lower())
            if table and target.name in table.columns:
                table.columns[target.name].comment = text

    def _take_rows(self, statement: Statement, words: Sequence[str]) -> None:
        try:
            rows = read_rows(statement, self._dialect)
        except ValueError as error:
            self.unread.append(f"Rows of an INSERT are left out: {error}.")
            return
        if rows is None:
            self._lost["Rows that come from a query"].append(" ".join(words[:4]))
            return
        self._inserted.append(rows)

    def _parse(self, sql: str, what: str) -> exp.Expr | None:
        try:
            tree = sqlglot.parse_one(sql, read=self._dialect)
        except (SqlglotError, RecursionError) as error:
            self.unread.append(f"{what} could not be read: {' '.join(sql.split())[:120]} ({_why(error)}).")
            return None
        if isinstance(tree, exp.Command):
            self.unread.append(f"{what} could not be read: {' '.join(sql.split())[:120]}.")
            return None
        return tree

    def _finish_table(self, table: SourceTable) -> None:
        """Give names the spelling of what they name, and columns the values that a CHECK lists for them."""
        exact = {name.lower(): name for name in table.columns}
        table.key = tuple(exact.get(name.lower(), name) for name in table.key)
        table.uniques = [tuple(exact.get(name.lower(), name) for name in each) for each in table.uniques]
        for at, key in enumerate(table.references):
            parent = self._tables.get(self._part_of.get(key.table.lower(), key.table.lower()))
            spelled = {name.lower(): name for name in parent.columns} if parent else {}
            theirs = tuple(spelled.get(name.lower(), name) for name in key.theirs) or (parent.key if parent else ())
            own = tuple(exact.get(name.lower(), name) for name in key.columns)
            table.references[at] = Reference(own, parent.name if parent else key.table, theirs)
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


_ALTERS_NOTHING = re.compile(
    rf"ALTER\s+TABLE\s+(?:ONLY\s+)?{NAME}\s+(?:OWNER|ENABLE|DISABLE|CLUSTER|REPLICA|INHERIT|SET|ATTACH|FORCE|CHECK)\b",
    re.IGNORECASE,
)


def _why(error: Exception) -> str:
    """What sqlglot expected, and in which line of the statement, without its tokens."""
    told = error.errors[0] if isinstance(error, ParseError) and error.errors else {}
    said = str(told.get("description") or type(error).__name__).partition(" but got ")[0].rstrip(".")
    return f"{said[:1].lower()}{said[1:]} in line {told.get('line', 1)} of the statement"
