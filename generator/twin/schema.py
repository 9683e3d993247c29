"""Settle a source's tables into schema.sql: names, types, keys and conditions of a domain; what cannot be is said."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from generator.twin.account import Account, TableRows
from generator.twin.rows import broken_checks, convert, cut_rows, fit_kinds, latest_time, load_rows
from generator.twin.secrets import hide_secrets
from generator.twin.settled import Settled, SettledTable
from generator.twin.source import Operation, Reference, SourceColumn, SourceTable, TwinSource
from generator.twin.words import capital, description_of, find_label, safe_names, spoken_nouns
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


def settle(
    source: TwinSource, chosen: Sequence[str] = (), *, synthetic: bool = False, taken: Collection[str] = ()
) -> Settled:
    """Make of a source's tables what a domain can have; errors: UsageError.

    `taken` names columns, as the source does, whose values are taken though they look secret: "account.api_key".
    """
    account = source.account
    for name, read in source.tables.items():
        account.rows.setdefault(name, TableRows(len(read.rows))).kept = 0  # what the reader kept is settled now
    tables = _choose(source, chosen, account)
    names = safe_names(table.name for table in tables)
    nouns = spoken_nouns(list(names.values()))
    columns = {table.name: safe_names(table.columns) for table in tables}
    settled = {names[table.name]: _settle_table(table, names, columns, account) for table in tables}
    for given, (name, table) in zip(tables, settled.items(), strict=True):
        table.noun, table.nouns = nouns[name]
        mapped = columns[table.said]
        if synthetic and given.rows:
            account.rows[table.said].left_out["all rows are made up"] += len(given.rows)
        elif given.rows:
            table.rows = [{mapped[old]: value for old, value in row.items() if old in mapped} for row in given.rows]
    cut_rows(settled, account)
    fit_kinds(settled, account)
    hide_secrets(settled, account, taken)
    _keep_references(settled, account)
    for table in settled.values():
        referring = {column for key in table.references for column in key.columns}
        table.counted = _is_counted(table, referring)
        for column in table.columns.values():
            if column.made == "counter" and not (table.counted and column.name in table.key):
                column.made = ""
                why = "Values that the source makes by itself, and callers of the twin give"
                account.change("column", table.where(column.name), why)
            elif column.made == "counter" and column.kind == "text":
                why = "Keys that are counted in the twin, such as USERS-0001"
                account.change("column", table.where(column.name), why)
        table.label = find_label(table.columns, table.key, referring, table.uniques)
        _keep_defaults(table, account)
        _keep_checks(table, account)
    settled = _parents_first(settled)
    clock = latest_time(settled.values())
    for table in settled.values():
        for check in broken_checks(table, table_sql(table)):
            table.checks.remove(check)
            account.lose("check", table.where_check(check), "CHECKs that given rows break")
    _keep_circles(settled, account)
    sql = make_sql(settled)
    if len(sql) > MOST_SQL:
        raise UsageError(
            f"schema.sql would have {len(sql):,} characters; at most {MOST_SQL:,} are read. Use --tables a,b."
        )
    if faults := read_schema(sql).faults:
        raise UsageError(f"The tables of {source.origin} make no schema: {faults[0]}")
    load_rows(settled, sql, clock, account)
    if renamed := [*_renamed(names, columns)]:
        account.remarks.append(f"Renamed to snake_case: {'; '.join(renamed)}.")
    operations = [*_operations(source.operations, names, columns, account)]
    if difference := next(account.differences(), None):
        raise UsageError(f"{source.origin} was not read as it is, which is a fault of worldsmith: {difference}")
    losses = [*source.losses, *account.losses()]
    return Settled(
        _title(source.title),
        settled,
        operations,
        sql,
        clock,
        account,
        losses,
        dict(source.opened),
        has_examples=not source.real_rows,
    )


def _renamed(names: Mapping[str, str], columns: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    for table, name in names.items():
        changed = [f"{old} to {new}" for old, new in columns[table].items() if old != new]
        said = f"{table} to {name}" if table != name else table
        if changed or table != name:
            yield f"{said} ({', '.join(changed)})" if changed else said


def _title(title: str) -> str:
    words = " ".join(title.replace("_", " ").replace("-", " ").split())
    return (words[:1].upper() + words[1:])[:80] or "Twin"


# Tables


def _choose(source: TwinSource, chosen: Sequence[str], account: Account) -> list[SourceTable]:
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
            needed = all(
                table.columns[each].required or each in table.key for each in key.columns if each in table.columns
            )
            if needed and key.table in source.tables and key.table not in wanted:
                wanted.append(key.table)
    if not chosen:
        wanted = [name for name in source.tables if name.lower() not in _BOOKKEEPING]
    for name in [name for name in source.tables if name not in wanted]:
        which = "that --tables leaves out" if chosen else "in which tools for migrations keep their books"
        account.lose("table", name, f"Tables {which}")
        if rows := len(source.tables[name].rows):
            account.rows[name].left_out["their table is left out"] += rows
    if not wanted:
        raise UsageError(f"{source.origin} has no table of its own.")
    if len(wanted) > MOST_TABLES:
        raise UsageError(
            f"{source.origin} has {len(wanted)} tables; a twin has at most {MOST_TABLES}. Choose with --tables a,b; "
            f"those that they need come along. Have: {', '.join(wanted)}."
        )
    return [source.tables[name] for name in source.tables if name in wanted]


def _settle_table(
    table: SourceTable, names: Mapping[str, str], columns: Mapping[str, Mapping[str, str]], account: Account
) -> SettledTable:
    """Return a table in safe names, with a key; its references may still name what is not there."""
    own = columns[table.name]
    settled = SettledTable(names[table.name], table.name, "", "", {}, (), comment=table.comment)
    settled.spelled = {new: old for old, new in own.items() if new != old}
    for name, column in table.columns.items():
        where = f"{table.name}.{name}"
        if len(settled.columns) >= MOST_COLUMNS - 1 and name not in table.key:
            account.lose("column", where, f"Columns beyond the first {MOST_COLUMNS - 1} of a table")
            continue
        made = column.made
        if made == "" and own[name] in _FILLED and column.kind in ("date", "timestamp") and column.default is None:
            made = "clock"
            account.change("column", where, "Columns that tools fill with the time of the call, as their names suggest")
        choices = column.choices
        if any("--" in each or "\n" in each for each in choices):
            choices = ()
            account.lose("choices", where, "Lists of values that a twin cannot have")
        settled.columns[own[name]] = replace(column, name=own[name], made=made, choices=choices)
    for each in table.uniques:
        if all(name in own and own[name] in settled.columns for name in each):
            settled.uniques.append(tuple(own[name] for name in each))
        else:
            account.lose("unique", f"{table.name} ({', '.join(each)})", "UNIQUE of columns that are left out")
    settled.key = tuple(own[name] for name in table.key if name in own and own[name] in settled.columns)
    if len(settled.key) < len(table.key):
        settled.key = ()
        account.lose("key", table.name, "Keys of columns that are left out")
    if not settled.key:
        required = [each for each in settled.uniques if all(settled.columns[name].required for name in each)]
        settled.key = min(required, key=len, default=())
        if not settled.key:
            name = _NO_KEY if _NO_KEY not in settled.columns else f"{_NO_KEY}_"
            number = SourceColumn(name, "integer", required=True, made="counter", comment="Number of the row")
            settled.columns, settled.key = {name: number, **settled.columns}, (name,)
            settled.spelled[name] = "rowid"
            account.change("table", table.name, f"Tables without a key, whose rows are numbered in {_NO_KEY}")
    for name in settled.key:
        settled.columns[name] = replace(settled.columns[name], required=True, default=None)
    # The key comes first: integrity_check of SQLite 3.40 mistakes columns of tables without rowid where it does not.
    settled.columns = {name: settled.columns[name] for name in (*settled.key, *settled.columns)}
    settled.uniques = [each for each in dict.fromkeys(settled.uniques) if set(each) != set(settled.key)]
    for key in table.references:
        theirs = columns.get(key.table, {})
        if key.table in names and set(key.columns) <= own.keys() and set(key.theirs) <= theirs.keys():
            pairs = tuple(own[name] for name in key.columns), tuple(theirs[name] for name in key.theirs)
            settled.references.append(Reference(pairs[0], names[key.table], pairs[1]))
        else:
            where = f"{table.name} ({', '.join(key.columns)}) -> {key.table}"
            account.lose("reference", where, "Foreign keys to what is not there")
    settled.checks = [_renamed_check(check, own) or check for check in table.checks]
    settled.said_checks = dict(zip(settled.checks, table.checks, strict=True))
    return settled


def _renamed_check(check: str, own: Mapping[str, str]) -> str | None:
    by_lower = {name.lower(): safe for name, safe in own.items()}
    try:
        tree = sqlglot.parse_one(check, read="sqlite")
    except SqlglotError:
        return None
    for column in tree.find_all(exp.Column):
        if column.name.lower() in by_lower:
            column.set("this", exp.to_identifier(by_lower[column.name.lower()]))
    return str(tree.sql(dialect="sqlite"))


def _keep_references(tables: Mapping[str, SettledTable], account: Account) -> None:
    """Keep the foreign keys whose target is a key of the same types."""
    for table in tables.values():
        kept: dict[tuple[str, ...], Reference] = {}
        for key in table.references:
            parent = tables[key.table]
            known = [set(parent.key), *map(set, parent.uniques)]
            pairs = zip(key.columns, key.theirs, strict=False)
            if not (len(key.columns) == len(key.theirs) and set(key.theirs) in known):
                why = "Foreign keys to columns that are not a key"
            elif any(_type(table.columns[mine]) != _type(parent.columns[theirs]) for mine, theirs in pairs):
                why = "Foreign keys of another type than the key they name"
            else:
                if kept.setdefault(key.columns, key) == key:
                    continue
                why = "Foreign keys of columns that have another one"
            _lose_reference(table, key, parent, why, account)
        table.references = list(kept.values())


def _lose_reference(table: SettledTable, key: Reference, parent: SettledTable, why: str, account: Account) -> None:
    own = ", ".join(table.spelled.get(name, name) for name in key.columns)
    account.lose("reference", f"{table.said} ({own}) -> {parent.said}", why)


def _type(column: SourceColumn) -> str:
    return _TYPES.get(column.kind, "TEXT")


def _is_counted(table: SettledTable, referring: set[str]) -> bool:
    if len(table.key) != 1 or table.key[0] in referring:
        return False
    column = table.columns[table.key[0]]
    return column.kind == "integer" or column.made == "counter"


def _keep_defaults(table: SettledTable, account: Account) -> None:
    for column in table.columns.values():
        if column.default is None:
            continue
        try:
            column.default = convert(column.default, column)
        except (ValueError, ArithmeticError):
            column.default = str(column.default)
        else:
            if "--" not in str(column.default) and "\n" not in str(column.default):
                continue
        account.lose("default", table.where(column.name), "Defaults that a twin cannot have")
        column.default = None


def _keep_checks(table: SettledTable, account: Account) -> None:
    """Keep the conditions that SQLite takes in an empty table."""
    plain, kept = table_sql(replace(table, checks=[])), []
    if faults := read_schema(plain).faults:
        raise UsageError(f"Table {table.said!r} makes no schema: {faults[0]}")
    for check in dict.fromkeys(table.checks):
        tried = table_sql(replace(table, checks=[check]))
        if "--" in check or "\n" in check or read_schema(tried).faults:
            account.lose("check", table.where_check(check), "CHECKs that SQLite does not take")
        else:
            kept.append(check)
    table.checks = kept


def _parents_first(tables: Mapping[str, SettledTable]) -> dict[str, SettledTable]:
    """Order the tables; in a circle, nullable references yield first."""
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
            ordered[name] = left.pop(name)
    return ordered


def is_required(table: SettledTable, key: Reference) -> bool:
    """Return whether every row has this reference."""
    return all(table.columns[name].required for name in key.columns)


def _keep_circles(tables: Mapping[str, SettledTable], account: Account) -> None:
    """Leave out references to later rows that are part of their row's own key, which must be known before."""
    order = list(tables)
    for name, table in tables.items():
        for key in list(table.references):
            if order.index(key.table) > order.index(name) and not set(key.columns).isdisjoint(table.key):
                table.references.remove(key)
                why = "Foreign keys of a circle that are part of a key"
                _lose_reference(table, key, tables[key.table], why, account)


# SQL


def make_sql(tables: Mapping[str, SettledTable]) -> str:
    """Return schema.sql."""
    return "\n".join(table_sql(table, tables) for table in tables.values())


def table_sql(table: SettledTable, tables: Mapping[str, SettledTable] | None = None) -> str:
    """Return the statements that make a table, with its foreign keys and their indexes if all tables are given."""
    parts = [f"PRIMARY KEY ({', '.join(table.key)})"]
    parts += [f"UNIQUE ({', '.join(each)})" for each in table.uniques]
    parts += [f"CHECK ({check})" for check in table.checks]
    references = table.references if tables else []
    parts += [
        f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {key.table} ({', '.join(key.theirs)}) ON DELETE RESTRICT"
        for key in references
    ]
    lines = [f"CREATE TABLE {table.name} (  -- {_comment(table.comment or capital(a(table.noun)))}"]
    for name, column in table.columns.items():
        described = description_of(table, name, tables) if tables else name
        lines.append(f"    {' '.join(_column_sql(column))},  -- {_comment(described)}")
    lines.append(",\n".join(f"    {part}" for part in parts))
    lines.append(") STRICT, WITHOUT ROWID;")
    for number, columns in enumerate(dict.fromkeys(key.columns for key in references), 1):
        lines.append(
            f"CREATE INDEX {table.name[:40]}_by_{number}_{columns[0][:15]} ON {table.name} ({', '.join(columns)});"
        )
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
    plain = " ".join(text.replace("--", " ").split())
    return plain[:160] or "A row"


def _operations(
    operations: Sequence[Operation],
    names: Mapping[str, str],
    columns: Mapping[str, Mapping[str, str]],
    account: Account,
) -> Iterator[Operation]:
    """Yield the operations of the source in safe names; those of tables that are left out are said."""
    for operation in operations:
        if operation.table not in names:
            account.lose("operation", operation.said or operation.name, "Operations of tables that are left out")
            continue
        own = columns[operation.table]
        parameters = tuple(
            replace(each, column=own.get(each.column) if each.column else None) for each in operation.parameters
        )
        constants = {
            own[name]: int(value) if isinstance(value, bool) else value
            for name, value in operation.constants.items()
            if name in own
        }
        yield replace(operation, table=names[operation.table], parameters=parameters, constants=constants)
