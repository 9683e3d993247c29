"""Settle a source's tables into schema.sql: names, types, keys and conditions of a domain; what cannot be is said."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.twin.account import Account, TableRows
from generator.twin.rows import broken_checks, convert, convert_rows, cut_rows, fit_kinds, latest_time, load_rows
from generator.twin.secrets import hide_secrets
from generator.twin.source import (
    Operation,
    Reference,
    SettledTable,
    SourceColumn,
    SourceSchema,
    SourceTable,
    TwinSource,
)
from generator.twin.words import capital, description_of, find_label, referring, safe_names, spoken_nouns
from runtime.domain.schema import read_schema
from runtime.errors import UsageError
from runtime.sandbox.sqlite import MOST_COLUMNS, MOST_SQL
from runtime.wording import a

MOST_TABLES = 60
_BOOKKEEPING = {
    *("schema_migrations", "ar_internal_metadata", "django_migrations", "alembic_version", "flyway_schema_history"),
    *("knex_migrations", "knex_migrations_lock", "_prisma_migrations", "__efmigrationshistory", "databasechangelog"),
}
_FILLED = {"created_at", "updated_at", "inserted_at", "modified_at", "last_update", "last_updated", "date_joined"}
_TYPES = {"integer": "INTEGER", "boolean": "INTEGER", "real": "REAL"}
_NO_KEY = "row_number"
Names = Mapping[str, Mapping[str, str]]  # safe names of columns, by the source's names of table and column


def settle(
    source: TwinSource, chosen: Sequence[str] = (), *, synthetic: bool = False, taken: Collection[str] = ()
) -> SourceSchema:
    """Make of a source's tables what a domain can have; errors: UsageError.

    `taken` names columns, as the source does, whose values are taken though they look secret: "account.api_key".
    """
    account = source.account
    for name, read in source.tables.items():
        account.rows.setdefault(name, TableRows(len(read.rows))).kept = 0  # what the reader kept is settled now
    given = _choose(source, chosen)
    names = safe_names(table.name for table in given)
    columns = {table.name: safe_names(table.columns) for table in given}
    nouns = spoken_nouns([*names.values()])
    tables: dict[str, SettledTable] = {}
    for each in given:
        tables[names[each.name]] = table = _settle_table(each, names, columns, account)
        table.noun, table.nouns = nouns[table.name]
        if not synthetic:
            own = columns[each.name]
            table.rows = [{own[old]: value for old, value in row.items() if old in own} for row in each.rows]
        elif each.rows:
            account.rows[each.name].left_out["all rows are made up"] += len(each.rows)
    cut_rows(tables)
    fit_kinds(tables)
    hide_secrets(tables, taken)
    for table in tables.values():
        _keep_references(table, tables)
    for table in tables.values():
        _settle_counters(table)
        _keep_defaults(table)
        _keep_checks(table)
    tables = _parents_first(tables)
    clock = latest_time(tables.values())
    for table in tables.values():
        convert_rows(table, clock)
        for check in broken_checks(table, table_sql(table)):
            table.lose_check(check, "CHECKs that given rows break")
    sql = make_sql(tables)
    if (many := len(sql)) > MOST_SQL:
        raise UsageError(f"schema.sql would have {many:,} characters; at most {MOST_SQL:,} are read. Use --tables a,b.")
    if faults := read_schema(sql).faults:
        raise UsageError(f"The tables of {source.origin} make no schema: {faults[0]}")
    load_rows(tables, sql)
    if renamed := "; ".join(_renamed(names, columns)):
        account.remarks.append(f"Renamed to snake_case: {renamed}.")
    operations = [*_operations(source.operations, names, columns, account)]
    if difference := next(account.differences(), None):
        raise UsageError(f"{source.origin} was not read as it is, which is a fault of worldsmith: {difference}")
    words = " ".join(source.title.replace("_", " ").replace("-", " ").split())
    title, opened = capital(words)[:80] or "Twin", dict(source.opened)
    return SourceSchema(title, tables, operations, sql, clock, account, opened, has_examples=not source.real_rows)


def _renamed(names: Mapping[str, str], columns: Names) -> Iterator[str]:
    for table, name in names.items():
        changed = [f"{old} to {new}" for old, new in columns[table].items() if old != new]
        said = f"{table} to {name}" if table != name else table
        if changed or table != name:
            yield f"{said} ({', '.join(changed)})" if changed else said


# Tables


def _choose(source: TwinSource, chosen: Sequence[str]) -> list[SourceTable]:
    """Return the tables of a twin: all, or the chosen ones with those that their required keys need."""
    exact = {name.lower(): name for name in source.tables}
    if unknown := [name for name in chosen if name.lower() not in exact]:
        near = difflib.get_close_matches(unknown[0].lower(), exact, 5) or list(exact)[:20]
        have = ", ".join(exact[name] for name in near)
        raise UsageError(f"--tables names {unknown[0]!r}, which {source.origin} does not have; have: {have}.")
    wanted = [exact[name.lower()] for name in chosen]
    for name in wanted:  # grows
        table = source.tables[name]
        for key in table.references:
            known = [each for each in key.columns if each in table.columns]
            is_needed = all(table.columns[each].required or each in table.key for each in known)
            if is_needed and key.table in source.tables and key.table not in wanted:
                wanted.append(key.table)
    if not chosen:
        wanted = [name for name in source.tables if name.lower() not in _BOOKKEEPING]
    which = "that --tables leaves out" if chosen else "in which tools for migrations keep their books"
    for name in [name for name in source.tables if name not in wanted]:
        source.account.lose("table", name, f"Tables {which}")
        if rows := len(source.tables[name].rows):
            source.account.rows[name].left_out["their table is left out"] += rows
    if not wanted:
        raise UsageError(f"{source.origin} has no table of its own.")
    if len(wanted) > MOST_TABLES:
        raise UsageError(
            f"{source.origin} has {len(wanted)} tables; a twin has at most {MOST_TABLES}. Choose with --tables a,b; "
            f"those that they need come along. Have: {', '.join(wanted)}."
        )
    return [source.tables[name] for name in source.tables if name in wanted]


def _settle_table(table: SourceTable, names: Mapping[str, str], columns: Names, account: Account) -> SettledTable:
    """Return a table in safe names, with a key; its references may still name what is not a key."""
    own = columns[table.name]
    settled = SettledTable(names[table.name], {}, said=table.name, comment=table.comment, account=account)
    settled.spelled = {new: old for old, new in own.items() if new != old}
    for name, column in table.columns.items():
        where, made, choices = f"{table.name}.{name}", column.made, column.choices
        if len(settled.columns) >= MOST_COLUMNS - 1 and name not in table.key:
            account.lose("column", where, f"Columns beyond the first {MOST_COLUMNS - 1} of a table")
            continue
        if made == "" and own[name] in _FILLED and column.kind in ("date", "timestamp") and column.default is None:
            made = "clock"
            account.change("column", where, "Columns that tools fill with the time of the call, as their names suggest")
        if not all(map(_is_plain, choices)):
            choices = ()
            account.lose("choices", where, "Lists of values that a twin cannot have")
        settled.columns[own[name]] = replace(column, name=own[name], made=made, choices=choices)
    for each in table.uniques:
        if {own.get(name) for name in each} <= settled.columns.keys():
            settled.uniques.append(tuple(own[name] for name in each))
        else:
            account.lose("unique", f"{table.name} ({', '.join(each)})", "UNIQUE of columns that are left out")
    if {*table.key} <= own.keys():
        settled.key = tuple(own[name] for name in table.key)
    else:
        account.lose("key", table.name, "Keys of columns that are left out")
    required = [each for each in settled.uniques if all(settled.columns[name].required for name in each)]
    settled.key = settled.key or min(required, key=len, default=())
    if not settled.key:
        name = _NO_KEY if _NO_KEY not in settled.columns else f"{_NO_KEY}_"
        settled.columns[name] = SourceColumn(name, "integer", made="counter", comment="Number of the row")
        settled.key, settled.spelled[name] = (name,), "rowid"
        account.change("table", table.name, f"Tables without a key, whose rows are numbered in {_NO_KEY}")
    for name in settled.key:
        settled.columns[name] = replace(settled.columns[name], required=True, default=None)
    # The key comes first: integrity_check of SQLite 3.40 mistakes columns of tables without rowid where it does not.
    settled.columns = {name: settled.columns[name] for name in (*settled.key, *settled.columns)}
    settled.uniques = [each for each in dict.fromkeys(settled.uniques) if set(each) != set(settled.key)]
    for key in table.references:
        theirs = columns.get(key.table, {})
        if key.table in names and {*key.columns} <= own.keys() and {*key.theirs} <= theirs.keys():
            pairs = tuple(own[name] for name in key.columns), tuple(theirs[name] for name in key.theirs)
            settled.references.append(Reference(pairs[0], names[key.table], pairs[1]))
        else:
            where = f"{table.name} ({', '.join(key.columns)}) -> {key.table}"
            account.lose("reference", where, "Foreign keys to what is not there")
    settled.checks = [renamed_check(check, own) for check in table.checks]
    settled.said_checks = dict(zip(settled.checks, table.checks, strict=True))
    return settled


def _is_plain(text: str) -> bool:
    """Return whether a text can stand in schema.sql, whose comments and lines mean something."""
    return "--" not in text and "\n" not in text


def renamed_check(check: str, own: Mapping[str, str]) -> str:
    """Return a condition in SQLite's SQL with other names of columns."""
    by_lower = {name.lower(): safe for name, safe in own.items()}
    try:
        tree = sqlglot.parse_one(check, read="sqlite")
    except SqlglotError:
        return check
    for column in tree.find_all(exp.Column):
        if column.name.lower() in by_lower:
            column.set("this", exp.to_identifier(by_lower[column.name.lower()]))
    return tree.sql(dialect="sqlite")


def _keep_references(table: SettledTable, tables: Mapping[str, SettledTable]) -> None:
    """Keep the foreign keys whose target is a key of the same types."""
    kept: dict[tuple[str, ...], Reference] = {}
    for key in table.references:
        parent = tables[key.table]
        pairs = zip(key.columns, key.theirs, strict=False)
        if len(key.columns) != len(key.theirs) or {*key.theirs} not in [{*parent.key}, *map(set, parent.uniques)]:
            _lose_reference(table, key, parent, "Foreign keys to columns that are not a key")
        elif any(_type(table.columns[mine]) != _type(parent.columns[theirs]) for mine, theirs in pairs):
            _lose_reference(table, key, parent, "Foreign keys of another type than the key they name")
        elif kept.setdefault(key.columns, key) != key:
            _lose_reference(table, key, parent, "Foreign keys of columns that have another one")
    table.references = list(kept.values())


def _lose_reference(table: SettledTable, key: Reference, parent: SettledTable, why: str) -> None:
    own = ", ".join(table.spelled.get(name, name) for name in key.columns)
    table.account.lose("reference", f"{table.said} ({own}) -> {parent.said}", why)


def _type(column: SourceColumn) -> str:
    return _TYPES.get(column.kind, "TEXT")


def _settle_counters(table: SettledTable) -> None:
    """Decide whether the key is counted, and by which column people name a row."""
    first, own = table.columns[table.key[0]], referring(table)
    is_single = len(table.key) == 1 and first.name not in own
    table.counted = is_single and (first.kind == "integer" or first.made == "counter")
    for column in table.columns.values():
        if column.made == "counter" and not (table.counted and column is first):
            column.made = ""
            table.change(column.name, "Values that the source makes by itself, and callers of the twin give")
        elif column.made == "counter" and column.kind == "text":
            table.change(column.name, "Keys that are counted in the twin, such as USERS-0001")
    table.label = find_label(table.columns, table.key, own, table.uniques)


def _keep_defaults(table: SettledTable) -> None:
    for column in table.columns.values():
        if column.kind not in ("integer", "real") and (column.least, column.most) != (None, None):
            column.least = column.most = None
            table.change(column.name, "Bounds of columns that are text in the twin")
        given = column.default
        try:
            column.default = convert(given, column)
        except (ValueError, ArithmeticError):
            column.default = None
        if given is not None and (column.default is None or not _is_plain(str(given))):
            table.account.lose("default", table.where(column.name), "Defaults that a twin cannot have")
            column.default = None


def _keep_checks(table: SettledTable) -> None:
    """Keep the conditions that SQLite takes in an empty table."""
    for check in table.checks:
        if not _is_plain(check) or read_schema(table_sql(replace(table, checks=[check]))).faults:
            table.lose_check(check, "CHECKs that SQLite does not take")
    table.checks = [*dict.fromkeys(table.checks)]


def _parents_first(tables: dict[str, SettledTable]) -> dict[str, SettledTable]:
    """Order the tables; in a circle, nullable references yield first, and none is part of its row's own key."""
    ordered: dict[str, SettledTable] = {}
    left = dict(tables)
    while left:
        pending = {
            name: [key for key in table.references if key.table in left and key.table != name]
            for name, table in left.items()
        }
        ready = [name for name, keys in pending.items() if not keys]
        if not ready:
            strict = [name for name, keys in pending.items() if not any(is_required(left[name], key) for key in keys)]
            ready = strict[:1] or [min(pending, key=lambda name: len(pending[name]))]
        for name in ready:
            ordered[name] = table = left.pop(name)
            for key in pending[name]:
                if not set(key.columns).isdisjoint(table.key):
                    table.references.remove(key)
                    _lose_reference(table, key, tables[key.table], "Foreign keys of a circle that are part of a key")
    return ordered


def is_required(table: SettledTable, key: Reference) -> bool:
    """Return whether every row has this reference."""
    return all(table.columns[name].required for name in key.columns)


# SQL


def make_sql(tables: Mapping[str, SettledTable]) -> str:
    """Return schema.sql."""
    return "\n".join(table_sql(table, tables) for table in tables.values())


def table_sql(table: SettledTable, tables: Mapping[str, SettledTable] | None = None) -> str:
    """Return the statements that make a table, with its foreign keys and their indexes if all tables are given."""
    references = table.references if tables else []
    parts = [f"PRIMARY KEY ({', '.join(table.key)})", *(f"UNIQUE ({', '.join(each)})" for each in table.uniques)]
    parts += [f"CHECK ({check})" for check in table.checks]
    for key in references:
        target = f"{key.table} ({', '.join(key.theirs)})"
        parts.append(f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {target} ON DELETE RESTRICT")
    lines = [f"CREATE TABLE {table.name} (  -- {_comment(table.comment or capital(a(table.noun)))}"]
    for name, column in table.columns.items():
        described = description_of(table, name, tables) if tables else name
        lines.append(f"    {' '.join(_column_sql(column))},  -- {_comment(described)}")
    lines += [",\n".join(f"    {part}" for part in parts), ") STRICT, WITHOUT ROWID;"]
    for number, columns in enumerate(dict.fromkeys(key.columns for key in references), 1):
        name = f"{table.name[:40]}_by_{number}_{columns[0][:15]}"
        lines.append(f"CREATE INDEX {name} ON {table.name} ({', '.join(columns)});")
    return "\n".join(lines) + "\n"


def _column_sql(column: SourceColumn) -> Iterator[str]:
    name = column.name
    yield f"{name} {_type(column)}"
    if column.required:
        yield "NOT NULL"
    if column.default is not None:
        yield f"DEFAULT {_literal(column.default)}"
    if column.choices:
        yield f"CHECK ({name} IN ({', '.join(map(_literal, column.choices))}))"
    elif column.kind == "boolean":
        yield f"CHECK ({name} IN (0, 1))"
    for limit, sign in ((column.least, ">="), (column.most, "<=")):
        if limit is not None:
            yield f"CHECK ({name} {sign} {limit:.15g})"


def _literal(value: object) -> str:
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)


def _comment(text: str) -> str:
    return " ".join(text.replace("--", " ").split())[:160] or "A row"


def _operations(
    operations: Sequence[Operation], names: Mapping[str, str], columns: Names, account: Account
) -> Iterator[Operation]:
    """Yield the operations of the source in safe names; those of tables that are left out are said."""
    for operation in operations:
        if operation.table not in names:
            account.lose("operation", operation.said or operation.name, "Operations of tables that are left out")
            continue
        own = columns[operation.table]
        parameters = tuple(replace(each, column=own.get(each.column or "")) for each in operation.parameters)
        constants = {
            own[name]: int(value) if isinstance(value, bool) else value
            for name, value in operation.constants.items()
            if name in own
        }
        yield replace(operation, table=names[operation.table], parameters=parameters, constants=constants)
