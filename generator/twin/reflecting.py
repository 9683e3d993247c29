"""Reflect a database that an engine opens, a server's or a SQLite file: the statements that it tells, and its rows.

All is read in one transaction that can only read, so that tables and rows are of one moment.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Text, case, cast, column, func, inspect, select, table, text, tuple_
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from generator.twin.account import TableRows
from generator.twin.ddl import SqlReader, check_account
from generator.twin.rows import MOST_ROWS
from generator.twin.source import SourceTable, TwinSource
from generator.twin.sql import DIALECTS, Dialect, Statement
from runtime.errors import UsageError
from runtime.wording import counted

_DIALECTS: dict[str, Dialect] = {"postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite"}
_DRIVERS = {"postgresql": ("psycopg", "postgres"), "mysql": ("pymysql", "mysql"), "mariadb": ("pymysql", "mysql")}
_SECRET = re.compile("pass|pwd|secret|token|key", re.IGNORECASE)
_AT_ONCE = 500  # rows that are asked for by their keys


def read_server(address: str, most: int = MOST_ROWS) -> TwinSource:
    """Read a running database; errors: UsageError in one sentence, without the password."""
    from sqlalchemy import create_engine

    try:
        url = make_url(address)
        kind = url.get_backend_name()
        if kind not in _DRIVERS:
            raise UsageError(f"A server of {kind!r} is not read; have: {', '.join(_DRIVERS)}, sqlite.")
        if not url.database:
            raise UsageError(f"The address of the {kind} server names no database; write {kind}://USER@HOST/DATABASE.")
        driver, extra = _DRIVERS[kind]
        engine = create_engine(url.set(drivername=f"{kind}+{driver}"))
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise UsageError("The address of the server cannot be read; write KIND://USER@HOST:PORT/DATABASE.") from error
    except ImportError as error:
        raise UsageError(f"Reading {kind} needs {driver}; pip install 'worldsmith[{extra}]'.") from error
    origin = f"{url.database} ({DIALECTS[_DIALECTS[kind]]} at {url.host or 'this machine'})"
    try:
        return reflect(engine, url.database, origin, most)
    except SQLAlchemyError as error:
        said = " ".join(str(getattr(error, "orig", None) or error).split())
        hidden = [url.password, *(each for name, each in url.query.items() if _SECRET.search(name))]
        for secret in hidden:
            said = said.replace(str(secret), "***") if secret else said
        raise UsageError(f"{origin} cannot be read: {said.rstrip('.')}.") from error
    finally:
        engine.dispose()


def reflect(engine: Engine, title: str, origin: str, most: int = MOST_ROWS) -> TwinSource:
    """Return the tables of a database with some rows of each, and those that they refer to."""
    name = engine.dialect.name
    dialect = _DIALECTS[name]
    if dialect != "sqlite":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.connect() as connection:
        if dialect == "postgres":
            connection.execute(text("SET TRANSACTION READ ONLY"))
        elif dialect == "mysql":
            connection.exec_driver_sql("ROLLBACK")
            connection.exec_driver_sql("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        reader = SqlReader(dialect)
        source = reader.read(map(Statement, _STATEMENTS[dialect](connection)), title, origin)
        if not source.tables:
            raise UsageError(f"{origin} holds no table that can be read.")
        _take_rows(connection, reader, most)
        _count(connection, reader)
        check_account(source)
        return source


# What the engine tells

_NOT_OURS = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%'"
_NOT_OF = "NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = {0}.oid AND d.deptype = 'e')"
_TABLES = f"c.relkind IN ('r', 'p') AND {_NOT_OURS} AND {_NOT_OF.format('c')}"
_NAME = "quote_ident(n.nspname) || '.' || quote_ident({0})"
_OF = f"pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND {_TABLES}"
_POSTGRES = (
    # Enums and domains
    f"""SELECT 'CREATE TYPE ' || {_NAME.format("t.typname")} || ' AS ENUM ('
        || string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) || ')'
        FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace JOIN pg_enum e ON e.enumtypid = t.oid
        WHERE {_NOT_OURS} GROUP BY n.nspname, t.typname, t.oid ORDER BY t.oid""",
    f"""SELECT 'CREATE DOMAIN ' || {_NAME.format("t.typname")} || ' AS ' || format_type(t.typbasetype, t.typtypmod)
        || CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END || coalesce(' DEFAULT ' || t.typdefault, '')
        || coalesce((SELECT string_agg(' ' || pg_get_constraintdef(k.oid), '' ORDER BY k.oid)
            FROM pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'), '')
        FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
        WHERE t.typtype = 'd' AND {_NOT_OURS} AND {_NOT_OF.format("t")} ORDER BY t.oid""",
    # Tables, parents before their partitions and children
    f"""SELECT 'CREATE TABLE ' || {_NAME.format("c.relname")} || ' (' || coalesce((SELECT string_agg(
            quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attgenerated <> '' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(v.adbin, v.adrelid)
                || ') STORED' WHEN v.oid IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(v.adbin, v.adrelid) ELSE '' END
            || CASE a.attidentity WHEN '' THEN '' WHEN 'a' THEN ' GENERATED ALWAYS AS IDENTITY'
                ELSE ' GENERATED BY DEFAULT AS IDENTITY' END
            || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attnum)
            FROM pg_attribute a LEFT JOIN pg_attrdef v ON v.adrelid = a.attrelid AND v.adnum = a.attnum
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '') || ')'
        || coalesce((SELECT ' INHERITS (' || i.inhparent::regclass::text || ')' FROM pg_inherits i
            WHERE i.inhrelid = c.oid LIMIT 1), '')
        FROM {_OF} ORDER BY (EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = c.oid)), n.nspname, c.oid""",
    f"""SELECT 'ALTER TABLE ' || {_NAME.format("c.relname")} || ' ADD CONSTRAINT ' || quote_ident(k.conname) || ' '
        || pg_get_constraintdef(k.oid) FROM {_OF} JOIN pg_constraint k ON k.conrelid = c.oid
        WHERE k.contype IN ('p', 'u', 'c', 'f', 'x') AND k.conislocal AND NOT c.relispartition
        ORDER BY array_position(ARRAY['c', 'p', 'u', 'x', 'f'], k.contype::text), c.oid, k.oid""",
    f"""SELECT pg_get_indexdef(i.indexrelid) FROM {_OF} JOIN pg_index i ON i.indrelid = c.oid
        WHERE i.indisunique AND NOT c.relispartition
        AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = c.oid)
        ORDER BY i.indexrelid""",
    f"""SELECT 'COMMENT ON ' || CASE WHEN d.objsubid = 0 THEN 'TABLE ' ELSE 'COLUMN ' END || {_NAME.format("c.relname")}
        || coalesce('.' || quote_ident(a.attname), '') || ' IS ' || quote_literal(d.description)
        FROM {_OF} JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
        ORDER BY c.oid, d.objsubid""",
    # What a twin lacks
    f"""SELECT CASE c.relkind WHEN 'S' THEN 'CREATE SEQUENCE ' WHEN 'm' THEN 'CREATE MATERIALIZED VIEW '
            WHEN 'f' THEN 'CREATE FOREIGN TABLE ' ELSE 'CREATE VIEW ' END || {_NAME.format("c.relname")}
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND {_NOT_OURS} AND {_NOT_OF.format("c")}
        WHERE c.relkind IN ('v', 'm', 'f') OR c.relkind = 'S' AND NOT EXISTS (
            SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')) ORDER BY c.oid""",
    f"""SELECT CASE p.prokind WHEN 'p' THEN 'CREATE PROCEDURE ' WHEN 'a' THEN 'CREATE AGGREGATE '
            ELSE 'CREATE FUNCTION ' END || {_NAME.format("p.proname")}
        FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE {_NOT_OURS} AND {_NOT_OF.format("p")} ORDER BY p.oid""",
    f"""SELECT 'CREATE TRIGGER ' || quote_ident(g.tgname) FROM {_OF} JOIN pg_trigger g ON g.tgrelid = c.oid
        WHERE NOT g.tgisinternal AND g.tgparentid = 0 ORDER BY g.oid""",
    f"SELECT 'CREATE POLICY ' || quote_ident(p.polname) FROM {_OF} JOIN pg_policy p ON p.polrelid = c.oid ORDER BY 1",
    f"SELECT 'CREATE RULE ' || quote_ident(r.rulename) FROM {_OF} JOIN pg_rewrite r ON r.ev_class = c.oid ORDER BY 1",
    "SELECT 'CREATE EXTENSION ' || quote_ident(extname) FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY oid",
)


def _postgres(connection: Connection) -> Iterator[str]:
    for query in _POSTGRES:
        for (sql,) in connection.exec_driver_sql(query.replace("%", "%%")).all():
            # The dump calls a partition so; here it is a child, whose rows its parent shows.
            yield sql


_MYSQL_LOST = (
    ("TRIGGER", "SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = database() ORDER BY 1"),
    ("EVENT", "SELECT event_name FROM information_schema.events WHERE event_schema = database() ORDER BY 1"),
    (
        "{routine}",
        "SELECT routine_name, routine_type FROM information_schema.routines WHERE routine_schema = database() "
        "ORDER BY 1",
    ),
)


def _mysql(connection: Connection) -> Iterator[str]:
    for name, kind in connection.exec_driver_sql("SHOW FULL TABLES").all():
        if kind == "BASE TABLE":
            quoted = connection.dialect.identifier_preparer.quote_identifier(name).replace("%", "%%")
            yield str(connection.exec_driver_sql(f"SHOW CREATE TABLE {quoted}").all()[0][1])
        elif kind in ("VIEW", "SEQUENCE"):
            yield f"CREATE {kind} `{name}`"
    for what, query in _MYSQL_LOST:
        for row in connection.exec_driver_sql(query).all():
            yield f"CREATE {what.format(routine=row[-1])} `{row[0]}`"


def _sqlite(connection: Connection) -> Iterator[str]:
    query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    made = [(name, sql) for name, sql in connection.exec_driver_sql(query).all() if not name.startswith("sqlite_")]
    virtual = tuple(f"{name}_" for name, sql in made if re.match(r"CREATE\s+VIRTUAL", sql, re.IGNORECASE))
    # Not the tables that hold the content of a virtual one.
    yield from (sql for name, sql in made if not (virtual and name.startswith(virtual)))


_STATEMENTS: dict[Dialect, Callable[[Connection], Iterator[str]]] = {
    "postgres": _postgres,
    "mysql": _mysql,
    "sqlite": _sqlite,
}


# Rows


def _take_rows(connection: Connection, reader: SqlReader, most: int) -> None:
    """Read the first rows of each table, and the rows that they refer to."""
    source, places = reader.source, reader.places
    totals: dict[str, int] = {}
    taken: dict[str, dict[tuple[Any, ...], None]] = {name: {} for name in source.tables}
    pending: list[tuple[str, tuple[str, ...], list[tuple[Any, ...]]]] = []
    for name, (schema, own) in places.items():
        totals[name] = connection.execute(
            select(func.count()).select_from(table(own, schema=schema or None))
        ).scalar_one()
        source.account.rows[name] = TableRows(totals[name])
        pending.append((name, (), []))
    while pending:
        name, by, keys = pending.pop(0)
        rows = _select(connection, source.tables[name], places[name], by, keys, most)
        new = [row for row in rows if row not in taken[name]]
        taken[name].update(dict.fromkeys(new))
        names = list(source.tables[name].columns)
        for key in source.tables[name].references:
            if totals.get(key.table, 0) > most and set(key.columns) <= set(names):
                at = [names.index(each) for each in key.columns]
                held = dict.fromkeys(values for row in new if None not in (values := tuple(row[each] for each in at)))
                wanted = [*held]
                pending += [(key.table, key.theirs, wanted[i : i + _AT_ONCE]) for i in range(0, len(wanted), _AT_ONCE)]
    for name, found in taken.items():
        reader.fill(source.tables[name], list(source.tables[name].columns), found)
        own_rows = source.account.rows[name]
        own_rows.kept = len(found)
        if beyond := totals[name] - len(found):
            own_rows.left_out[f"only the first {counted(most, 'row')} are taken (--rows takes more)"] = beyond
    source.real_rows = any(taken.values())


def _select(
    connection: Connection,
    own: SourceTable,
    place: tuple[str, str],
    by: Sequence[str],
    keys: Sequence[tuple[Any, ...]],
    most: int,
) -> list[tuple[Any, ...]]:
    """Select rows in the order of their key: the first ones, or those that have one of the given keys."""
    shown = [_shown(connection, name, each.kind).label(f"c{at}") for at, (name, each) in enumerate(own.columns.items())]
    query = select(*shown).select_from(table(place[1], schema=place[0] or None)).limit(most)
    query = query.order_by(*(column(name) for name in own.key if name in own.columns))
    if by:
        query = query.where(tuple_(*(column(name) for name in by)).in_(list(keys))).limit(None)
    return [tuple(row) for row in connection.execute(query)]


def _shown(connection: Connection, name: str, kind: str) -> ColumnElement[Any]:
    """Return a column as a dump writes it: the server makes texts of dates, arrays and addresses, not its driver."""
    plain: ColumnElement[Any] = column(name)
    if connection.dialect.name == "sqlite" or kind in ("integer", "real", "boolean"):
        return plain
    if connection.dialect.name == "postgresql":
        return case((plain.is_not(None), func.format("%s", plain)))
    return cast(plain, Text)


# The second count


def _count(connection: Connection, reader: SqlReader) -> None:
    """Count columns, keys and references a second time, as SQLAlchemy's own inspector sees them in the catalog."""
    catalog, counts = inspect(connection), reader.account.counts
    for schema, own in reader.places.values():
        place = {"schema": schema or None}
        counts["table"] += 1
        counts["column"] += len(catalog.get_columns(own, **place))
        counts["key"] += bool(catalog.get_pk_constraint(own, **place)["constrained_columns"])
        counts["reference"] += len(catalog.get_foreign_keys(own, **place))
