"""`worldsmith init`: a draft loads at once and says what is left to do; a person's database is only read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.load import load_domain
from runtime.session.session import Session
from runtime.session.world import build_world

OWN = """
CREATE TABLE customer (id INTEGER PRIMARY KEY AUTOINCREMENT, email VARCHAR(80) UNIQUE, name TEXT NOT NULL, x BOOLEAN);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INT NOT NULL REFERENCES customer ON DELETE CASCADE,
    total NUMERIC CHECK (total >= 0), note BLOB, parent INT REFERENCES orders, "odd name" TEXT
);
CREATE TABLE log (what, at);
CREATE TABLE "order" (id INTEGER PRIMARY KEY);
CREATE TABLE dice (id INTEGER PRIMARY KEY, cast_as INTEGER CHECK (cast_as != random()));
CREATE VIEW v AS SELECT * FROM log;
INSERT INTO log VALUES (1, 'a'), (1, 'a');
INSERT INTO dice VALUES (1, 2);
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's database, in the folder where the command runs."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OWN)
        for number in range(1, 101):
            connection.execute(
                "INSERT INTO customer (email, name, x) VALUES (?, ?, 1)", (f"{number}@x.org", f"N'{number}\n")
            )
            values = (number, 101 - number if number > 50 else number, number * 1.5, b"\0\xff", number - 1 or None)
            connection.execute("INSERT INTO orders VALUES (?, ?, ?, ?, ?, NULL)", values)
        connection.commit()
    return path


def test_a_draft_of_a_database_loads_with_its_tables_keys_and_rows(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = own.read_bytes()
    assert main(["init", "shop", "--from", "own.db"]) == 0
    said = capsys.readouterr().out
    assert "left out: column of orders 'odd name'" in said
    assert "left out: table 'order': its name" in said
    assert "table 'log' has no primary key; the draft numbers its rows in 'row_number_'" in said
    assert "foreign keys and rules of table 'dice': its SQL calls the SQL function random(), which is not" in said
    assert own.read_bytes() == before
    domain = load_domain(Path("domains/shop"))
    assert list(domain.schema.tables) == ["customer", "orders", "log", "dice"]
    orders = domain.schema.tables["orders"]
    assert {key.parent for key in orders.foreign_keys} == {"customer", "orders"}
    assert {column.name: column.type for column in orders.columns}["total"] == "REAL"
    assert "CHECK (total >= 0)" in domain.schema.sql
    assert "UNIQUE (email)" in domain.schema.sql
    world = build_world(domain.populate, domain.schema, domain.policies, domain.now, 1, 100)
    with closing(world.open()) as connection:
        counts = [connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in domain.schema.tables]
    assert all(counts)
    assert sum(counts) <= 48
    with Session(domain, world) as session:
        assert session.call("show_customer", id=1) == {"id": 1, "email": "1@x.org", "name": "N'1\n", "x": 1}
    assert main(["show", "shop"]) == 0


def test_an_empty_draft_loads_and_check_says_what_is_left(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "plain"]) == 0
    assert main(["check", "plain", "--calls", "20"]) == 1
    said = capsys.readouterr().out
    assert "FILL IN in schema.sql, line 1, 2, 3" in said
    assert "seeds 1 and 2 give the same world" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["Shop"], "A domain cannot be named 'Shop'; write lower-case letters, digits and _."),
        (["shop", "--from", "no.db"], "There is no database file 'no.db'."),
        (["shop", "--from", "text.db"], "'text.db' cannot be read: file is not a database."),
        (["shop", "--from", "empty.db"], "'empty.db' holds no table that a domain could have."),
        (["there"], "'domains/there' is there already; choose another name."),
    ],
)
def test_what_cannot_be_a_draft_is_one_line(
    own: Path, words: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("text.db").write_text("no database " * 100)
    sqlite3.connect("empty.db").execute("PRAGMA user_version = 1").connection.close()
    Path("domains/there").mkdir(parents=True)
    assert main(["init", *words]) == 2
    assert capsys.readouterr().err == f"error: {sentence}\n"
    assert [path.name for path in Path("domains").iterdir()] == ["there"]
