"""Read what a person gives as a database: a SQL text, a SQLite file, or the address of a server.

A file or server is read in one transaction that can only read, so that tables and rows are of one moment.
"""

from __future__ import annotations

import codecs
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import StaticPool

from generator.twin.account import TableRows
from generator.twin.ddl import SqlReader, check_account, read_sql
from generator.twin.rows import MOST_ROWS
from generator.twin.source import SourceTable, TwinSource
from generator.twin.sql import DIALECTS, Dialect, Statement
from runtime.errors import UsageError
from runtime.sandbox.files import check_regular
from runtime.sandbox.sqlite import open_foreign
from runtime.wording import counted

MOST_BYTES = 25_000_000  # of a SQL text

_DRIVERS: dict[str, tuple[str, Dialect]] = {
    "postgresql": ("psycopg", "postgres"),
    "mysql": ("pymysql", "mysql"),
    "mariadb": ("pymysql", "mysql"),
}
_SECRET = re.compile("pass|pwd|secret|token|key", re.IGNORECASE)
_AT_ONCE = 500  # rows that are asked for by their keys


def read_database(path: Path, dialect: str | None = None, most: int = MOST_ROWS) -> TwinSource:
    """Read a SQL text or a SQLite file; errors: UsageError in one sentence."""
    check_regular(path)
    with path.open("rb") as file:
        beginning = file.read(100_000)
    if beginning.startswith(b"SQLite format 3\0"):
        return _read_sqlite_file(path, most)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise UsageError(
            f"{str(path)!r} has {size / 1e6:.0f} MB; a SQL text of at most {MOST_BYTES / 1e6:.0f} MB is read. "
            "Dump fewer rows or tables, or give the address of the server: a few hundred rows of each table are plenty."
        )
    wide = beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))  # as SQL Server's tools write it
    if b"\0" in beginning and not wide:
        raise UsageError(f"{str(path)!r} is a binary file, not a SQLite database; write a dump as SQL text.")
    text = path.read_text(encoding="utf-16" if wide else "utf-8-sig", errors="replace")
    if not text.strip():
        raise UsageError(f"{str(path)!r} is empty.")
    known = next((each for each in DIALECTS if each == dialect), None)
    if dialect is not None and known is None:
        raise UsageError(f"--dialect {dialect!r} is unknown; have: {', '.join(DIALECTS)}.")
    return read_sql(text, path.stem, path.name, known)


def _read_sqlite_file(path: Path, most: int) -> TwinSource:
    def opened() -> sqlite3.Connection:
        connection = open_foreign(path, ())
        connection.text_factory = lambda content: content.decode(errors="replace")
        return connection

    engine = sa.create_engine("sqlite://", creator=opened, poolclass=StaticPool)
    try:
        return _reflect(engine, "sqlite", path.stem, f"{path.name} (a SQLite file)", most)
    except (sqlite3.Error, DBAPIError) as error:
        raise UsageError(f"{str(path)!r} cannot be read: {getattr(error, 'orig', error)}.") from error


def read_server(address: str, most: int = MOST_ROWS) -> TwinSource:
    """Read a running database; errors: UsageError in one sentence, without the password."""
    try:
        url = sa.make_url(address)
        kind = url.get_backend_name()
        if kind not in _DRIVERS:
            raise UsageError(f"A server of {kind!r} is not read; have: {', '.join(_DRIVERS)}, sqlite.")
        if not url.database:
            raise UsageError(f"The address of the {kind} server names no database; write {kind}://USER@HOST/DATABASE.")
        driver, dialect = _DRIVERS[kind]
        engine = sa.create_engine(url.set(drivername=f"{kind}+{driver}"), isolation_level="REPEATABLE READ")
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise UsageError("The address of the server cannot be read; write KIND://USER@HOST:PORT/DATABASE.") from error
    except ImportError as error:
        raise UsageError(f"Reading {kind} needs {driver}; pip install 'worldsmith[{dialect}]'.") from error
    origin = f"{url.database} ({DIALECTS[dialect]} at {url.host or 'this machine'})"
    try:
        return _reflect(engine, dialect, url.database, origin, most)
    except SQLAlchemyError as error:
        said = " ".join(str(getattr(error, "orig", None) or error).split())
        for secret in (url.password, *(each for name, each in url.query.items() if _SECRET.search(name))):
            said = said.replace(str(secret), "***") if secret else said
        raise UsageError(f"{origin} cannot be read: {said.rstrip('.')}.") from error
    finally:
        engine.dispose()


def _reflect(engine: Engine, dialect: Dialect, title: str, origin: str, most: int) -> TwinSource:
    """Return the tables of a database with some rows of each, and those that they refer to."""
    with engine.connect() as connection:
        for begin in _BEGINS[dialect]:
            connection.exec_driver_sql(begin)
        reader = SqlReader(dialect)
        source = reader.read([*map(Statement, _TOLD[dialect](connection))], title, origin)
        if not source.tables:
            raise UsageError(f"{origin} holds no table that can be read.")
        _take_rows(connection, reader, most)
        _count(connection, reader)
        check_account(source)
        return source


# What the engine tells

_NOT_OURS = "n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_%%'"
_NOT_OF = "NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = {0}.oid AND d.deptype = 'e')"
_TABLE = "quote_ident(n.nspname) || '.' || quote_ident(c.relname)"
_CLASSES = f"pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND {_NOT_OURS} AND {_NOT_OF.format('c')}"
_OF = f"{_CLASSES} AND c.relkind IN ('r', 'p')"
_POSTGRES = (
    # Enums and domains
    """SELECT 'CREATE TYPE ' || quote_ident(t.typname) || ' AS ENUM ('
        || string_agg(quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) || ')'
        FROM pg_type t JOIN pg_enum e ON e.enumtypid = t.oid GROUP BY t.typname, t.oid ORDER BY t.oid""",
    f"""SELECT 'CREATE DOMAIN ' || quote_ident(t.typname) || ' AS ' || format_type(t.typbasetype, t.typtypmod)
        || CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END || coalesce(' DEFAULT ' || t.typdefault, '')
        || coalesce((SELECT string_agg(' ' || pg_get_constraintdef(k.oid), '' ORDER BY k.oid)
            FROM pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'), '')
        FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace AND {_NOT_OURS} AND t.typtype = 'd'""",
    # Tables, parents before their partitions and children
    f"""SELECT 'CREATE TABLE ' || {_TABLE} || ' (' || coalesce((SELECT string_agg(
            quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
            || CASE WHEN a.attgenerated <> '' THEN ' GENERATED ALWAYS AS (' || pg_get_expr(v.adbin, v.adrelid)
                || ') STORED' WHEN v.oid IS NOT NULL THEN ' DEFAULT ' || pg_get_expr(v.adbin, v.adrelid) ELSE '' END
            || CASE WHEN a.attidentity = '' THEN '' ELSE ' GENERATED BY DEFAULT AS IDENTITY' END
            || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attnum)
            FROM pg_attribute a LEFT JOIN pg_attrdef v ON v.adrelid = a.attrelid AND v.adnum = a.attnum
            WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped), '') || ')'
        || coalesce((SELECT ' INHERITS (' || i.inhparent::regclass::text || ')' FROM pg_inherits i
            WHERE i.inhrelid = c.oid LIMIT 1), '')
        FROM {_OF} ORDER BY (EXISTS (SELECT 1 FROM pg_inherits i WHERE i.inhrelid = c.oid)), n.nspname, c.oid""",
    f"""SELECT 'ALTER TABLE ' || {_TABLE} || ' ADD CONSTRAINT ' || quote_ident(k.conname) || ' '
        || pg_get_constraintdef(k.oid) FROM {_OF} JOIN pg_constraint k ON k.conrelid = c.oid
        WHERE k.contype IN ('p', 'u', 'c', 'f', 'x') AND k.conislocal AND NOT c.relispartition
        ORDER BY array_position(ARRAY['c', 'p', 'u', 'x', 'f'], k.contype::text), c.oid, k.oid""",
    f"""SELECT pg_get_indexdef(i.indexrelid) FROM {_OF} JOIN pg_index i ON i.indrelid = c.oid
        WHERE i.indisunique AND NOT c.relispartition
        AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = c.oid)
        ORDER BY i.indexrelid""",
    f"""SELECT 'COMMENT ON ' || CASE WHEN d.objsubid = 0 THEN 'TABLE ' ELSE 'COLUMN ' END || {_TABLE}
        || coalesce('.' || quote_ident(a.attname), '') || ' IS ' || quote_literal(d.description)
        FROM {_OF} JOIN pg_description d ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
        ORDER BY c.oid, d.objsubid""",
)
_LOST: dict[Dialect, str] = {  # what a twin lacks: its kind and its name
    "postgres": f"""
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'f' THEN 'FOREIGN TABLE'
            ELSE 'VIEW' END, quote_ident(c.relname) FROM {_CLASSES}
            WHERE c.relkind IN ('v', 'm', 'f') OR c.relkind = 'S' AND NOT EXISTS (
            SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i'))
        UNION ALL SELECT CASE p.prokind WHEN 'p' THEN 'PROCEDURE' WHEN 'a' THEN 'AGGREGATE' ELSE 'FUNCTION' END,
            quote_ident(p.proname) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            WHERE {_NOT_OURS} AND {_NOT_OF.format("p")}
        UNION ALL SELECT 'TRIGGER', quote_ident(g.tgname) FROM {_OF} JOIN pg_trigger g ON g.tgrelid = c.oid
            WHERE NOT g.tgisinternal AND g.tgparentid = 0
        UNION ALL SELECT 'POLICY', quote_ident(p.polname) FROM {_OF} JOIN pg_policy p ON p.polrelid = c.oid
        UNION ALL SELECT 'RULE', quote_ident(r.rulename) FROM {_OF} JOIN pg_rewrite r ON r.ev_class = c.oid
        UNION ALL SELECT 'EXTENSION', quote_ident(extname) FROM pg_extension WHERE extname <> 'plpgsql'
        ORDER BY 1, 2""",
    "mysql": """
        SELECT 'TRIGGER', trigger_name FROM information_schema.triggers WHERE trigger_schema = database()
        UNION ALL SELECT 'EVENT', event_name FROM information_schema.events WHERE event_schema = database()
        UNION ALL SELECT routine_type, routine_name FROM information_schema.routines
            WHERE routine_schema = database() ORDER BY 1, 2""",
}


def _postgres(connection: Connection) -> Iterator[str]:
    for query in _POSTGRES:
        yield from connection.exec_driver_sql(query).scalars().all()
    for kind, name in connection.exec_driver_sql(_LOST["postgres"]).all():
        yield f"CREATE {kind} {name}"


def _mysql(connection: Connection) -> Iterator[str]:
    quoted = connection.dialect.identifier_preparer.quote_identifier
    for name, kind in connection.exec_driver_sql("SHOW FULL TABLES").all():
        if kind == "BASE TABLE":
            show = f"SHOW CREATE TABLE {quoted(name)}".replace("%", "%%")
            yield str(connection.exec_driver_sql(show).all()[0][1])
        elif kind in ("VIEW", "SEQUENCE"):
            yield f"CREATE {kind} {quoted(name)}"
    for kind, name in connection.exec_driver_sql(_LOST["mysql"]).all():
        yield f"CREATE {kind} {quoted(name)}"


def _sqlite(connection: Connection) -> Iterator[str]:
    query = "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
    made = [(name, sql) for name, sql in connection.exec_driver_sql(query).all() if not name.startswith("sqlite_")]
    virtual = tuple(f"{name}_" for name, sql in made if re.match(r"CREATE\s+VIRTUAL", sql, re.IGNORECASE))
    # Not the tables that hold the content of a virtual one.
    yield from (sql for name, sql in made if not (virtual and name.startswith(virtual)))


_TOLD: dict[Dialect, Callable[[Connection], Iterator[str]]] = {
    "postgres": _postgres,
    "mysql": _mysql,
    "sqlite": _sqlite,
}
_BEGINS: dict[Dialect, tuple[str, ...]] = {
    "postgres": ("SET TRANSACTION READ ONLY",),
    "mysql": ("ROLLBACK", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY"),
    "sqlite": (),
}


# Rows


def _take_rows(connection: Connection, reader: SqlReader, most: int) -> None:
    """Read the first rows of each table, and the rows that they refer to."""
    tables, rows = reader.source.tables, reader.account.rows
    taken: dict[str, dict[tuple[Any, ...], None]] = {name: {} for name in tables}
    pending: list[tuple[str, tuple[str, ...], list[tuple[Any, ...]]]] = [(name, (), []) for name in tables]
    for name, (schema, own) in reader.places.items():
        count = sa.select(sa.func.count()).select_from(sa.table(own, schema=schema or None))
        rows[name] = TableRows(connection.execute(count).scalar_one())
    while pending:
        name, by, keys = pending.pop(0)
        found = _select(connection, tables[name], reader.places[name], most)
        if by:
            found = found.where(sa.tuple_(*map(sa.column, by)).in_(keys)).limit(None)
        new = [each for row in connection.execute(found) if (each := tuple(row)) not in taken[name]]
        taken[name].update(dict.fromkeys(new))
        names = list(tables[name].columns)
        for key in tables[name].references:
            if key.table in rows and rows[key.table].given > most and set(key.columns) <= set(names):
                at = [names.index(each) for each in key.columns]
                wanted = [*dict.fromkeys(each for row in new if None not in (each := tuple(row[i] for i in at)))]
                pending += [(key.table, key.theirs, wanted[i : i + _AT_ONCE]) for i in range(0, len(wanted), _AT_ONCE)]
    for name, held in taken.items():
        reader.fill(tables[name], list(tables[name].columns), held)
        rows[name].kept = len(held)
        if beyond := rows[name].given - len(held):
            rows[name].left_out[f"only the first {counted(most, 'row')} are taken (--rows takes more)"] = beyond
    reader.source.real_rows = any(taken.values())


def _select(connection: Connection, own: SourceTable, place: tuple[str, str], most: int) -> sa.Select[Any]:
    """Return a query for the first rows in the order of their key, with values as a dump writes them."""
    dialect = connection.dialect.name

    def shown(name: str, kind: str) -> sa.ColumnElement[Any]:
        """Let the server, not its driver, make texts of dates, arrays and addresses."""
        plain: sa.ColumnElement[Any] = sa.column(name)
        if dialect == "sqlite" or kind in ("integer", "real", "boolean"):
            return plain
        return (
            sa.case((plain.is_not(None), sa.func.format("%s", plain)))
            if dialect == "postgresql"
            else sa.cast(plain, sa.Text)
        )

    columns = [shown(name, each.kind).label(f"c{at}") for at, (name, each) in enumerate(own.columns.items())]
    query = sa.select(*columns).select_from(sa.table(place[1], schema=place[0] or None)).limit(most)
    return query.order_by(*(sa.column(name) for name in own.key if name in own.columns))


# The second count


def _count(connection: Connection, reader: SqlReader) -> None:
    """Count columns, keys and references a second time, as SQLAlchemy's own inspector sees them in the catalog."""
    catalog, counts = sa.inspect(connection), reader.account.counts
    for schema, own in reader.places.values():
        place = {"schema": schema or None}
        counts["table"] += 1
        counts["column"] += len(catalog.get_columns(own, **place))
        counts["key"] += bool(catalog.get_pk_constraint(own, **place)["constrained_columns"])
        counts["reference"] += len(catalog.get_foreign_keys(own, **place))
