"""What the rows of a dump are once its statements have been run, and that the account of it closes."""

# ruff: noqa: E501  (tables of SQL)

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from generator.twin.database import read_database
from generator.twin.ddl import read_sql
from runtime.errors import UsageError

ITEM = "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price DECIMAL(8,2));\n"
NOTES = "CREATE TABLE Notes (Id INTEGER PRIMARY KEY, Body TEXT, Pinned INTEGER DEFAULT 0);\n"
USER = "CREATE TABLE `user` (`id` int AUTO_INCREMENT PRIMARY KEY, `active` bit(1), `name` varchar(50)) ENGINE=InnoDB;\n"
T = "CREATE TABLE t (a {}, b {});\n"
PAIR = "CREATE TABLE t (id int PRIMARY KEY, v text);\n"


def _read(sql, dialect=None):
    """Read a dump; whatever it is, its account closes, and no row is lost without a reason."""
    source = read_sql(sql, "test", "test.sql", dialect)
    assert list(source.account.differences()) == []
    for name, rows in source.account.rows.items():
        kept = len(source.tables[name].rows) if name in source.tables else 0
        assert rows.given == kept + rows.left_out.total()
    return source


def _values(sql, dialect=None, table=None):
    source = _read(sql, dialect)
    return [tuple(row.values()) for row in source.tables[table or next(iter(source.tables))].rows]


@pytest.mark.parametrize(
    ("dialect", "sql", "rows"),
    [
        # What stands between two tuples
        ("sqlite", ITEM + "INSERT INTO item VALUES\n(1, 'A', 10.50), -- sale; (9)\n(2, 'B', 2);", [(1, "A", 10.5), (2, "B", 2)]),
        ("mysql", ITEM + "INSERT INTO item (id /* ( */, name) VALUES /* one */ (1, 'A'), # two\n(2, 'B');", [(1, "A", None), (2, "B", None)]),
        ("postgres", ITEM + "INSERT INTO item -- to\n(id, name) VALUES (1, /* in */ 'A')\n,\n-- (\n(2, 'B')", [(1, "A", None), (2, "B", None)]),
        # A word before a text
        ("mysql", USER + "INSERT INTO `user` VALUES (1,b'1','Ann'),(2,b'0',_utf8mb4'Bo');", [(1, 1, "Ann"), (2, 0, "Bo")]),
        ("postgres", T.format("bit(3)", "date") + "INSERT INTO t VALUES (B'101', DATE '2024-03-01');", [("101", "2024-03-01")]),
        ("postgres", T.format("text", "timestamp") + r"INSERT INTO t VALUES (E'a\nb\'c', TIMESTAMP '2024-03-01 10:00:00');", [("a\nb'c", "2024-03-01 10:00:00")]),
        ("tsql", T.format("int", "nvarchar(9)") + "INSERT INTO t VALUES (CAST(12 AS int), N'x''y')\nINSERT INTO t VALUES (2, N'z')\nGO\n", [(12, "x'y"), (2, "z")]),
        # Columns in another case
        ("sqlite", NOTES + "INSERT INTO notes (id, body, pinned) VALUES (5, 'hello', 1), (6, 'bye', 1);", [(5, "hello", 1), (6, "bye", 1)]),
        ("mysql", NOTES + "INSERT INTO notes (`ID`, BODY) VALUES (5, 'x');", [(5, "x", 0)]),
        ("postgres", NOTES + 'INSERT INTO "notes" (ID, Body) VALUES (5, \'x\');', [(5, "x", 0)]),
        # What the engine computes
        ("postgres", T.format("timestamp", "date") + "INSERT INTO t VALUES (NOW() - INTERVAL '2 days', '2024-05-05'), ('2024-05-01 10:00:00', CURRENT_DATE - 1);", [("2024-05-03 23:59:00", "2024-05-05"), ("2024-05-01 10:00:00", "2024-05-04")]),
        ("mysql", T.format("datetime", "date") + "INSERT INTO t VALUES (DATE_SUB(NOW(), INTERVAL 2 HOUR), '2024-05-05'), (NULL, CURDATE() + INTERVAL 1 WEEK);", [("2024-05-05 21:59:00", "2024-05-05"), (None, "2024-05-12")]),
        ("sqlite", T.format("TEXT", "TEXT") + "INSERT INTO t VALUES (datetime('now', '-1 day'), '2024-05-05'), (date('now'), CURRENT_TIMESTAMP);", [("2024-05-04 23:59:00", "2024-05-05"), ("2024-05-05", "2024-05-05 23:59:00")]),
        ("sqlite", T.format("TEXT", "TEXT") + r"INSERT INTO t VALUES (replace('a\nb','\n',char(10)), unistr('a\u000ab')), ('a'||char(10)||'b', lower('ABC'));", [("a\nb", "a\nb"), ("a\nb", "abc")]),
        ("postgres", T.format("text", "text") + "INSERT INTO t VALUES ($$it's$$, md5('x')), ($q$;$q$, concat('upd', 'ated'));", [("it's", "9dd4e461268c8034f5c8564e155c67a6"), (";", "updated")]),
        ("mysql", T.format("text", "int") + r'''INSERT INTO t VALUES ("Lamp", (5)), ("12\" Desk; wide", 1 + 1), ('a', /* n */ 4);''', [("Lamp", 5), ('12" Desk; wide', 2), ("a", 4)]),
        ("mysql", PAIR + "SET @x = 7;\nINSERT INTO t SET id = @x, v = 'a';\nINSERT INTO t VALUES ROW(8, 'b'), ROW(@x + 2, 'c');", [(7, "a"), (8, "b"), (9, "c")]),
        ("postgres", 'CREATE TABLE t (id serial PRIMARY KEY, "Price ($)" numeric(6,2));INSERT INTO t ("Price ($)") VALUES (5), ((SELECT 2 * max(7)));INSERT INTO t VALUES (nextval(\'t_id_seq\'), 1), (DEFAULT, 2);', [(1, 5), (2, 14), (3, 1), (4, 2)]),
        ("mysql", "CREATE TABLE p (id int AUTO_INCREMENT PRIMARY KEY, n int);INSERT INTO p (n) VALUES (1), (2);INSERT INTO p VALUES (NULL, LAST_INSERT_ID());", [(1, 1), (2, 2), (3, 2)]),
        ("postgres", "CREATE TABLE p (n int);INSERT INTO p VALUES (5), (6);ALTER TABLE p ADD COLUMN id serial;INSERT INTO p (n) SELECT n + 2 FROM p;", [(5, 1), (6, 2), (7, 3), (8, 4)]),
        ("sqlite", "CREATE TABLE p (id INTEGER PRIMARY KEY, n);INSERT INTO p VALUES (NULL, 1), (7, 2), (NULL, 3);", [(1, 1), (7, 2), (8, 3)]),
        # Numbers stay exact, and values as they are written
        ("sqlite", T.format("", "UNSIGNED BIG INT") + "INSERT INTO t VALUES (12345678901234567890, '007'), (0.12345678901234567, 0x1F), (X'41', -3);", [("12345678901234567890", "007"), ("0.12345678901234567", 31), (b"A", -3)]),
        ("mysql", T.format("bigint unsigned", "decimal(30,10)") + "INSERT INTO t VALUES (18446744073709551615, 12345678901234567.25), (-1, '1,50');", [("18446744073709551615", "12345678901234567.25"), (-1, "1,50")]),
        ("postgres", T.format("numeric", "boolean") + "COPY t (a, b) FROM stdin;\n123456789012345678901\tt\n1.50\tf\n\\.\n", [("123456789012345678901", 1), (1.5, 0)]),
        # COPY's escapes
        ("postgres", T.format("text", "text") + "COPY t FROM stdin;\ncaf\\303\\251\t\\x41\\t\\\\\n\\N\t\\b;\n\\.\n", [("café", "A\t\\"), (None, "\b;")]),
        ("postgres", T.format("text[]", "int[]") + "COPY t FROM stdin;\n{a,\"b, \\\\\"c\",NULL}\t{1,2}\n{}\t{{1},{2}}\n\\.\n", [('["a", "b, \\"c", null]', "[1, 2]"), ("[]", "[[1], [2]]")]),
        # Statements that change rows
        ("sqlite", PAIR + "INSERT INTO t VALUES (1,'a'),(2,'b'),(3,'c');UPDATE t SET v = upper(v) WHERE id < 3;DELETE FROM t WHERE t.id = 2;", [(1, "A"), (3, "c")]),
        ("postgres", PAIR + "INSERT INTO public.t VALUES (1,'a') ON CONFLICT DO NOTHING;INSERT INTO t VALUES (1,'b'),(2,'c') ON CONFLICT (id) DO UPDATE SET v = t.v || excluded.v RETURNING id;", [(1, "ab"), (2, "c")]),
        ("mysql", PAIR + "INSERT IGNORE INTO t VALUES (1,'a'),(1,'b');INSERT INTO t VALUES (1,'c') ON DUPLICATE KEY UPDATE v = VALUES(v);REPLACE INTO t VALUES (2,'d'),(2,'e');", [(1, "c"), (2, "e")]),
        ("sqlite", PAIR + "INSERT INTO t SELECT 1, 'a' UNION ALL SELECT 2, 'b';ALTER TABLE t ADD COLUMN n INTEGER DEFAULT 5;INSERT INTO t (id) VALUES (3);", [(1, "a", 5), (2, "b", 5), (3, None, 5)]),
        ("sqlite", "CREATE TABLE old (a INT);INSERT INTO old VALUES (1);ALTER TABLE old RENAME TO t;ALTER TABLE t RENAME COLUMN a TO b;INSERT INTO t (b) VALUES (2);", [(1,), (2,)]),
        ("postgres", "CREATE TABLE t (id INT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, v TEXT);" + "INSERT INTO t (v) SELECT 'a' WHERE NOT EXISTS (SELECT * FROM t WHERE v = 'a');" * 2, [(1, "a")]),
        # Lines of SQL Server without semicolons
        ("tsql", "CREATE TABLE t (a int, b int)\nSET IDENTITY_INSERT t ON\n  INSERT INTO dbo.t (a, b) VALUES (1, 2)\nUPDATE t\nSET b = 3\nINSERT dbo.t VALUES (4, 5);\n", [(1, 3), (4, 5)]),
        ("tsql", "CREATE TABLE t (a int)\nGO\nCREATE PROCEDURE p AS\nBEGIN\nINSERT INTO t VALUES (9);\nEND\nGO\nDECLARE @x int = 2\nINSERT INTO t VALUES (@x)\nALTER TABLE t\nADD b int\nINSERT INTO t VALUES (3, N'4')", [(2, None), (3, 4)]),
        ("mysql", "CREATE TABLE a (id int);INSERT INTO a VALUES (1);DROP TABLE a;CREATE TABLE b (id int);INSERT INTO b VALUES (2);", [(2,)]),
        # Defaults, also the clock's
        ("postgres", "CREATE TABLE a (id serial PRIMARY KEY, plan text DEFAULT 'free', made_at timestamp DEFAULT CURRENT_TIMESTAMP);INSERT INTO a (id) VALUES (1), (2);", [(1, "free", "2025-01-01 09:00:00"), (2, "free", "2025-01-01 09:00:00")]),
        ("mysql", "CREATE TABLE a (id int PRIMARY KEY, on_ date DEFAULT (CURRENT_DATE), v varchar(9) DEFAULT 'x');INSERT INTO a VALUES (1, DEFAULT, 'y'), (2, '2023-04-05', DEFAULT);", [(1, "2023-04-05", "y"), (2, "2023-04-05", "x")]),
        ("sqlite", "CREATE TABLE a (id INTEGER PRIMARY KEY, at DATETIME DEFAULT (datetime('now')), n INT DEFAULT (1 + 1));INSERT INTO a DEFAULT VALUES;", [(1, "2025-01-01 09:00:00", 2)]),
    ],
)  # fmt: skip
def test_rows_are_what_the_statements_make_of_them(dialect, sql, rows):
    assert _values(sql, dialect) == rows


@pytest.mark.parametrize(
    ("dialect", "sql", "rows", "said"),
    [
        ("sqlite", ITEM + "INSERT INTO item VALUES (1, 'A', 1),\n(2, frobnicate(3), 2), (3, 'C', 3);", 2, "no such function: FROBNICATE (line 3: (2, frobnicate(3), 2)): item (1)."),
        ("sqlite", ITEM + f"INSERT INTO item VALUES (1, 'A', 1), (2, 0x{'F' * 9000}, 2);", 1, "integer string conversion"),
        ("postgres", ITEM + "INSERT INTO item VALUES (1, 'A', 1), (2, 'B', ~~), (3, 'C', 3);", 2, "(line 2: (2, 'B', ~~)): item (1)."),
        ("mysql", ITEM + "INSERT INTO item VALUES (1, 'A', 1), (2, 'B'), (3, @nobody, 3);", 1, "2 values for 3 columns (line 2: (2, 'B'))"),
        ("sqlite", ITEM + "INSERT INTO item (id, colour) VALUES (1, 'red'), (2, 'blue');", 0, "line 2: INSERT INTO item (id, colour) VALUES (1, 'red'), (2, 'blue') (table item has no column named colour)"),
        ("postgres", ITEM + "INSERT INTO item (id) VALUES (1);COPY item (id, hue) FROM stdin;\n1\tred\n2\tblue\n\\.\n", 1, "because their statement in line 2 cannot be loaded: item (2)."),
        ("mysql", ITEM + "UPDATE nowhere SET a = 1;\nINSERT INTO item VALUES (1, 'A', 1);INSERT INTO gone VALUES (1), (2);", 1, "because their table was not read: gone (2)."),
    ],
)  # fmt: skip
def test_what_cannot_be_loaded_falls_alone_and_is_named_with_its_line(dialect, sql, rows, said):
    source = _read(sql, dialect)
    assert len(source.tables["item"].rows) == rows
    assert said in "\n".join(source.account.losses())


@pytest.mark.parametrize(
    ("dialect", "sql", "tables"),
    [
        ("postgres", "CREATE TABLE public.orders (id int, a text);CREATE TABLE archive.orders (id int, b text);INSERT INTO archive.orders VALUES (1, 'x');INSERT INTO public.orders VALUES (2, 'y');INSERT INTO orders VALUES (3, 'z');", {"orders": [(2, "y"), (3, "z")], "archive.orders": [(1, "x")]}),
        ("postgres", "CREATE TABLE archive.film (id int);CREATE TABLE public.film (id int);INSERT INTO public.film VALUES (2);", {"archive.film": [], "film": [(2,)]}),
        ("postgres", 'CREATE TABLE "User" (id int, name text);CREATE TABLE "user" (id int, login text);INSERT INTO "user" VALUES (1, \'bob\');INSERT INTO "User" VALUES (2, \'Ann\');', {"User": [(2, "Ann")], "user": [(1, "bob")]}),
        ("mysql", "USE `a`;CREATE TABLE `t` (`id` int);INSERT INTO `t` VALUES (1);USE `b`;CREATE TABLE `t` (`id` int);INSERT INTO `t` VALUES (2),(3);", {"t": [(1,)], "b.t": [(2,), (3,)]}),
        ("tsql", "CREATE TABLE [dbo].[t] ([id] int);CREATE TABLE [old].[t] ([id] int);INSERT [old].[t] VALUES (1);INSERT dbo.T ([ID]) VALUES (2);", {"t": [(2,)], "old.t": [(1,)]}),
    ],
)  # fmt: skip
def test_tables_of_one_name_in_two_schemas_or_cases_are_kept_apart(dialect, sql, tables):
    source = _read(sql, dialect)
    assert {name: [tuple(row.values()) for row in table.rows] for name, table in source.tables.items()} == tables


@pytest.mark.parametrize(
    ("sql", "labels"),
    [
        ("ALTER TYPE mood ADD VALUE 'happy';", ("sad", "ok", "happy")),
        ("ALTER TYPE mood ADD VALUE IF NOT EXISTS 'so so' BEFORE 'ok';", ("sad", "so so", "ok")),
        ("ALTER TYPE mood RENAME VALUE 'sad' TO 'low';", ("low", "ok")),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_an_enum_has_the_values_that_were_added_later(sql, labels, is_first):
    table = "CREATE TABLE t (id int, m mood);"
    enum = "CREATE TYPE mood AS ENUM ('sad','ok');"
    source = _read(enum + (sql + table if is_first else table + sql), "postgres")
    assert source.tables["t"].columns["m"].choices == labels


@pytest.mark.parametrize(
    ("dialect", "type_", "kind", "said"),
    [
        *(("sqlite", each, "integer", "") for each in ("UNSIGNED BIG INT", "LONG INTEGER", "INT2")),
        *(("sqlite", each, "text", "") for each in ("NATIVE CHARACTER(70)", "VARYING CHARACTER(255)", "CLOB")),
        *(("sqlite", each, "real", "") for each in ("MONEY", "CURRENCY", "DOUBLE PRECISION")),
        ("postgres", "uuid", "text", ""),
        ("postgres", "jsonb", "json", "JSON, which is one text whose parts nothing checks: t.c."),
        ("postgres", "varchar(10)[]", "json", "Arrays, which are one JSON text: t.c."),
        ("postgres", "interval", "text", "Intervals, which are plain text: t.c."),
        ("postgres", "inet", "text", "Addresses of networks, whose form is not checked: t.c."),
        ("postgres", "daterange", "text", "Ranges, which are plain text: t.c."),
        ("postgres", "timestamptz", "timestamp", "Time zones, so that times are as written: t.c."),
        ("postgres", "money", "real", ""),
        ("postgres", "ltree", "text", "Columns of the type ltree, as text: t.c."),
        ("mysql", "set('a','b')", "text", "SET columns, which hold their values as one text: t.c."),
        ("mysql", "year", "integer", ""),
        ("tsql", "uniqueidentifier", "text", ""),
    ],
)
def test_types_are_kept_or_named(dialect, type_, kind, said):
    source = _read(f"CREATE TABLE t (c {type_});", dialect)
    assert source.tables["t"].columns["c"].kind == kind
    told = [each for each in source.account.losses() if "MySQL" not in each]
    assert told == ([said] if said else [])


def test_declared_facts_of_columns_are_told():
    sql = """CREATE TABLE t (ref uuid NOT NULL, price numeric(6,2), many numeric(5),
        signed_on date DEFAULT CURRENT_DATE, made timestamp DEFAULT now());"""
    columns = _read(sql, "postgres").tables["t"].columns
    assert columns["ref"].form == "uuid"
    assert (columns["price"].digits, columns["price"].decimals) == (6, 2)
    assert (columns["many"].kind, columns["many"].digits) == ("integer", 5)
    for name in ("signed_on", "made"):
        assert (columns[name].made, columns[name].may_be_given) == ("clock", True)


def test_every_part_of_a_schema_is_accounted_for():
    sql = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, code TEXT UNIQUE CHECK (code <> ''), n INT DEFAULT 3 CHECK (n > 0));
        CREATE TABLE b (a_id INT REFERENCES a (id), m TEXT, CHECK (m IN ('x', 'y')), UNIQUE (a_id, m));
        CREATE UNIQUE INDEX i ON b (lower(m));
        CREATE TRIGGER t AFTER INSERT ON a BEGIN INSERT INTO b VALUES (1, 'x'); SELECT CASE 1 WHEN 1 THEN 2 END; END;
        CREATE VIEW v AS SELECT 1;
    """
    account = _read(sql).account
    expected = {"table": 2, "column": 5, "key": 1, "unique": 3, "check": 3, "default": 1, "reference": 1}
    assert account.counts == expected
    assert account.as_json["parts"]["statement"] == {"kept": 0, "changed": 0, "lost": 2}
    assert account.facts["unique", "i (b (lower(m)))"].fate == "lost"


@pytest.mark.parametrize(
    ("left_out", "said"),
    [
        ("split_statements", "INSERT INTO item VALUES \\(2, .* is in no statement"),
        ("CREATE", "has 1 of the kind 'table' by a plain count, and 0 were read"),
    ],
)
def test_what_is_in_a_dump_and_was_not_read_is_an_error(monkeypatch, left_out, said):
    if left_out == "CREATE":
        monkeypatch.setattr("generator.twin.account.Account.keep", lambda *_: None)
    else:
        split = read_sql.__globals__[left_out]
        monkeypatch.setitem(read_sql.__globals__, left_out, lambda *given: [*split(*given)][:-1])
    with pytest.raises(UsageError, match=said):
        read_sql(ITEM + "INSERT INTO item VALUES (1, 'A', 1);\nINSERT INTO item VALUES (2, 'B', 1);", "t", "t.sql")


def test_a_sqlite_file_and_its_dump_are_the_same_source(tmp_path):
    path = tmp_path / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(ITEM + "INSERT INTO item VALUES (1, 'a\nb''c', 1.5), (2, NULL, 3);" + NOTES)
        dump = "\n".join(connection.iterdump())
    filed, dumped = read_database(path), _read(dump)
    assert filed.tables == dumped.tables
    assert filed.account.facts == dumped.account.facts


@pytest.mark.parametrize(
    ("added", "old", "new"),
    [
        ("DEFAULT (1 + 2)", 3, 3),
        ("DEFAULT 7", 7, 7),
        ("", None, None),
        (";ALTER TABLE t ALTER COLUMN n SET DEFAULT 4 + 1", None, 5),
    ],
)
def test_a_column_that_is_added_fills_rows_as_in_the_source(added, old, new):
    source = _read(
        "CREATE TABLE t (id int PRIMARY KEY);INSERT INTO t VALUES (1);"
        f"ALTER TABLE t ADD COLUMN n int {added};INSERT INTO t (id) VALUES (2);",
        "postgres",
    )
    assert [row.get("n") for row in source.tables["t"].rows] == [old, new]
