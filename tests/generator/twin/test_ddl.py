"""What is read from SQL texts and SQLite files, and what is said of the rest."""

from __future__ import annotations

import pytest

from generator.twin.database import read_database
from generator.twin.ddl import read_sql
from generator.twin.source import Reference
from runtime.errors import UsageError
from tests.generator.twin.dumps import ALL, MYSQL, POSTGRES, SHOP, sqlite_file


def _losses(source):
    return "\n".join(source.account.losses())


def test_a_postgresql_dump_gives_tables_keys_comments_and_the_rows_of_its_copy_blocks():
    source = read_sql(POSTGRES, "rentals", "rentals.sql")
    film, staff = source.tables["film"], source.tables["staff"]
    assert source.origin == "rentals.sql (PostgreSQL)"
    assert source.real_rows
    assert film.key == ("film_id",)
    assert film.columns["film_id"].made == "counter"
    assert film.comment == "A film that can be rented"
    assert film.columns["title"].comment == "Title on the box"
    assert film.columns["title"].longest == 255
    assert film.columns["rating"].choices == ("G", "PG-13", "R")
    assert film.columns["rating"].default == "G"
    assert film.columns["kind"].choices == ("long", "short")
    assert film.columns["features"].kind == "json"
    assert film.columns["last_update"].made == "clock"
    assert film.columns["released"].kind == "integer"
    assert any('"released" <= 2155' in check for check in film.checks)
    assert staff.references == [Reference(("store_id",), "store", ("store_id",))]
    assert source.tables["store"].uniques == [("manager_id",)]
    assert [row["title"] for row in film.rows] == ["ACADEMY\tDINOSAUR", "Ace; Goldfinger"]
    assert film.rows[1]["released"] is None
    assert len(staff.rows) == 3


def test_every_thing_of_a_postgresql_dump_that_is_not_read_is_named():
    told = _losses(read_sql(POSTGRES, "rentals", "rentals.sql"))
    for part in (
        *("Functions: touch", "film_touch", "Views: titles", "film.searchable", "one_short", "staff_name"),
        *("ON UPDATE CASCADE and ON DELETE SET NULL, which are RESTRICT in the twin: staff (store_id)", "tickets"),
    ):
        assert part in told
    assert "film_film_id_seq" not in told


def test_a_mysql_dump_gives_enums_flags_and_what_conditional_comments_and_delimiters_hold():
    source = read_sql(MYSQL, "orders", "orders.sql")
    order, told = source.tables["Order"], _losses(source)
    assert order.columns["format"].choices == ("gift", "plain")
    assert order.columns["format"].comment == "How it is wrapped"
    assert order.columns["is_paid"].kind == "boolean"
    assert order.comment == "What somebody bought"
    assert order.columns["OrderID"].made == "counter"
    assert order.columns["OrderID"].least == 0
    assert order.rows[1]["tags"] == 'it\'s; "old"'
    assert {"photo", "total"}.isdisjoint(order.columns)
    for part in ("stamp", "tidy", "Order.photo", "Order.total", "Order.tags", "ON UPDATE of a timestamp"):
        assert part in told


def test_a_sqlite_file_is_read_like_its_sql_whatever_its_names_are(tmp_path):
    sql = f"""{SHOP}
        CREATE VIEW [All of it] AS SELECT * FROM product;
        CREATE VIRTUAL TABLE words USING fts5(text);
        CREATE TABLE "käse ""x"" y" (a, picture BLOB, n INTEGER GENERATED ALWAYS AS (length(a)) VIRTUAL);
        INSERT INTO "käse ""x"" y" (a, picture) VALUES (1, zeroblob(20000));
        CREATE TRIGGER log AFTER INSERT ON product BEGIN UPDATE product SET stock = 1; DELETE FROM category; END;
    """
    source = read_database(sqlite_file(tmp_path / "shop.db", sql))
    told = _losses(source)
    assert set(source.tables) == {"category", "product", "customer", "purchase", "purchase_line", 'käse "x" y'}
    assert source.tables['käse "x" y'].rows == [{"a": 1}]
    assert source.tables["product"].columns["name"].comment == "as on the label"
    assert source.tables["purchase"].columns["status"].choices == ("open", "paid", "shipped")
    for part in ("All of it", "cheap", "words", "log", "picture", "y.n."):
        assert part in told


def test_rows_of_a_sqlite_file_beyond_the_limit_are_counted_and_keep_what_they_refer_to(tmp_path):
    sql = """
        CREATE TABLE a (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE b (id INTEGER PRIMARY KEY, a_id INTEGER REFERENCES a);
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) INSERT INTO a SELECT i, i FROM n;
        INSERT INTO b VALUES (1, 5000);
    """
    source = read_database(sqlite_file(tmp_path / "long.db", sql))
    assert len(source.tables["a"].rows) == 2_001
    assert {"id": 5000, "name": "5000"} in source.tables["a"].rows
    assert source.account.rows["a"].given == 5_000
    assert "because only the first 2,000 rows are taken (--rows takes more): a (2,999)." in _losses(source)


@pytest.mark.parametrize("name", ALL)
def test_no_statement_of_a_known_kind_of_dump_is_unread(name):
    assert "could not be" not in _losses(read_sql(ALL[name], name, name))


def test_a_table_that_cannot_be_read_is_said_and_the_others_are_used():
    sql = "CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT CHECK (id > ); FROBNICATE 1;"
    source = read_sql(sql, "t", "t.sql")
    assert list(source.tables) == ["a"]
    assert "Statements that could not be read: line 1: CREATE TABLE b" in _losses(source)
    assert "FROBNICATE" in _losses(source)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is empty"),
        (b"CREATE TABEL x (id INT);", "makes no table"),
        (b"CREATE TABLE x (id INT", "could not be read"),
        (b"\x7fELF\0\0\1", "is a binary file"),
        (b"SQLite format 3\0 but then nothing of the kind", "cannot be read"),
        (b"-- " + b"x" * 50_000_000, "has 50 MB; a SQL text of at most 25 MB is read"),
    ],
)
def test_bad_files_are_refused_in_a_sentence(tmp_path, content, said):
    path = tmp_path / "bad.sql"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=said) as refused:
        read_database(path)
    assert "\n" not in str(refused.value)


def test_sql_server_needs_no_semicolons_and_adds_keys_later():
    sql = """CREATE TABLE brand (
id INT IDENTITY (1, 1) PRIMARY KEY, name CHAR(9) NOT NULL, CONSTRAINT one UNIQUE NONCLUSTERED (name ASC) ON [PRIMARY]);
CREATE TABLE link (a INT NOT NULL, b INT NOT NULL);
Insert Into brand Values ('Haro')
insert INTO brand values ('Trek')
INSERT INTO link VALUES (1, 2);
ALTER TABLE link ADD CONSTRAINT pk PRIMARY KEY NONCLUSTERED (a, b) ON [PRIMARY]"""
    source = read_sql(sql, "bikes", "bikes.sql")
    assert [row["name"] for row in source.tables["brand"].rows] == ["Haro", "Trek"]
    assert source.tables["brand"].uniques == [("name",)]
    assert source.tables["link"].key == ("a", "b")
