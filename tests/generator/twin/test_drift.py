"""What is different in a source: each change by name, renames only where nothing else could be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.commands.twin import read_source
from generator.twin.drift import find_drift, record_of
from generator.twin.schema import settle

SQL = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE person (
    id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT NOT NULL, phone TEXT, street TEXT, town TEXT,
    team_id INTEGER REFERENCES team (id), state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'active')),
    score INTEGER NOT NULL DEFAULT 0 CHECK (score >= 0)
);
CREATE TABLE note (id INTEGER PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES person (id), words TEXT NOT NULL);
INSERT INTO team VALUES (1, 'North'), (2, 'South');
INSERT INTO person VALUES (1, 'a@example.com', 'Ada Park', '555-0101', '1 Elm St', 'Salem', 1, 'new', 3),
    (2, 'b@example.com', 'Bo Lund', '555-0102', '2 Oak St', 'Dover', 2, 'active', 5);
INSERT INTO note VALUES (1, 1, 'Calls back'), (2, 2, 'Moved away');
"""
PERSON = SQL[SQL.index("CREATE TABLE person") : SQL.index("CREATE TABLE note")]


def _record(text: str, name: str = "office.sql") -> dict[str, Any]:
    Path(name).write_text(text, encoding="utf-8")
    source = read_source(name)
    return record_of(source, settle(source))


def _told(old: str, new: str, name: str = "office.sql") -> list[str]:
    return [each.sentence for each in find_drift(_record(old, name), _record(new, name)).differences]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("street TEXT", "road TEXT", ["person.street looks renamed to road: same type and values"]),
        ("phone TEXT", "phone TEXT NOT NULL", ["person.phone is NOT NULL now"]),
        ("'active')", "'active', 'gone')", ["person.state: the allowed values 'gone' came"]),
        ("note (id INTEGER PRIMARY KEY,", "note (id INTEGER, UNIQUE (words),", []),
        (" REFERENCES team (id)", "", ["reference of person went: team_id -> team"]),
        ("CREATE TABLE note", "CREATE TABLE tag (id INTEGER PRIMARY KEY);\nCREATE TABLE note", ["table tag came"]),
        ("DEFAULT 0", "DEFAULT 1", ["person.score: the default is 1, and was 0"]),
        ("score INTEGER", "score REAL", ["person.score is of type real, and was integer"]),
        (SQL[SQL.index("CREATE TABLE note") : SQL.index("INSERT INTO team")], "", ["table note went"]),
        ("score >= 0", "score >= 1", []),
        ("CREATE TABLE team", "CREATE VIEW v AS SELECT 1;\nCREATE TABLE team", []),
        ("(2, 2, 'Moved away')", "(2, 2, 'Moved in')", ["rows of note have other values of words"]),
        (", (2, 2, 'Moved away')", "", ["note has 1 row, and had 2"]),
        ("words TEXT", "words TEXT DEFAULT 'x'", []),
        ("CREATE TABLE note", "CREATE UNIQUE INDEX i ON person (name);\nCREATE TABLE note", []),
        ("street TEXT, town TEXT", "town TEXT, street TEXT", []),
        ("phone TEXT", "phone VARCHAR(20)", []),
    ],
)
def test_each(old, new, said):
    assert old in SQL
    text = SQL.replace(old, new)
    if said == ["table note went"]:
        text = text.replace(text[text.index("INSERT INTO note"):], "")
    told = _told(SQL, text)
    print(told)
    assert told == said
