"""What is different in a source: each change by name, a rename only where nothing else could be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.commands.twin import read_source
from generator.twin.drift import find_drift, record_of
from generator.twin.parts import digest_of, merge, read_parts, write_parts
from generator.twin.schema import settle

OFFICE = """
CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE person (
    id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, phone TEXT, street TEXT, town TEXT,
    team_id INTEGER REFERENCES team (id), score INTEGER NOT NULL DEFAULT 0 CHECK (score >= 0),
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'active'))
);
CREATE TABLE asset (id INTEGER PRIMARY KEY, room TEXT NOT NULL, floor INTEGER NOT NULL, maker TEXT, bought_on DATE);
CREATE TABLE badge (id INTEGER NOT NULL, code TEXT NOT NULL, level INTEGER NOT NULL, PRIMARY KEY (id));
CREATE TABLE note (id INTEGER PRIMARY KEY, words TEXT NOT NULL);
INSERT INTO team VALUES (1, 'North'), (2, 'South');
INSERT INTO person (id, email, phone, street, town, team_id, score, state) VALUES
    (1, 'a@example.com', '555-0101', '1 Elm St', 'Salem', 1, 3, 'new'),
    (2, 'b@example.com', '555-0102', '2 Oak St', 'Dover', 2, 5, 'active');
INSERT INTO badge VALUES (1, 'A1', 3), (2, 'B2', 4);
"""
SPLIT = """CREATE TABLE asset_place (id INTEGER PRIMARY KEY, room TEXT NOT NULL, floor INTEGER NOT NULL);
CREATE TABLE asset_maker (id INTEGER PRIMARY KEY, maker TEXT, bought_on DATE);"""
ASSET, NOTE = (next(line for line in OFFICE.splitlines() if f"TABLE {name} " in line) for name in ("asset", "note"))
BADGE = "CREATE TABLE badge"
TEN_WAYS = (
    (("street", "road"), ["column person.street looks renamed to road: same type and values"]),
    (("phone TEXT", "phone TEXT NOT NULL"), ["person.phone is required (NOT NULL)"]),
    (("('new', 'active')", "('new', 'active', 'gone')"), ["person.state: allowed values came: gone"]),
    (
        (ASSET, SPLIT),
        [
            "table asset looks split into asset_place and asset_maker, which have its columns",
            "table asset_place came (0 rows)",
            "table asset_maker came (0 rows)",
        ],
    ),
    (("PRIMARY KEY (id)", "PRIMARY KEY (code)"), ['badge: key is "code", and was "id"']),
    ((" REFERENCES team (id)", ""), ["person: reference went: team_id -> team"]),
    ((BADGE, f"CREATE TABLE tag (id INTEGER PRIMARY KEY, word TEXT);\n{BADGE}"), ["table tag came (0 rows)"]),
    (("DEFAULT 0", "DEFAULT 1"), ["person.score: default is 1, and was 0"]),
    (("level INTEGER", "level REAL"), ['badge.level: type is "real", and was "integer"']),
    ((NOTE, ""), ["table note went"]),
)
OTHERS = (
    (
        ("street TEXT, town TEXT", "town TEXT, street TEXT"),
        ["the source has the same tables and columns in another order"],
    ),
    (("'Salem'", "'Rome'"), ["rows have other values of person.town"]),
    ((", (2, 'B2', 4)", ""), ["badge: rows is 1, and was 2"]),
    (("score >= 0", "score >= 1"), ["person: CHECK went: score >= 0", "person: CHECK came: score >= 1"]),
    (
        ("CREATE TABLE asset", "CREATE UNIQUE INDEX i ON person (town);\nCREATE TABLE asset"),
        ["person: UNIQUE came: town"],
    ),
    (("phone TEXT", "phone VARCHAR(20)"), ["person.phone: greatest length is 20, and was none"]),
    (("CREATE TABLE asset", "CREATE VIEW v AS SELECT 1 AS a;\nCREATE TABLE asset"), ["Views v came"]),
    ((NOTE, NOTE.replace("note", "remark")), ["table note looks renamed to remark"]),
    (("words TEXT", "body TEXT"), ["column note.words looks renamed to body: same type and place"]),
    (
        ("town TEXT,", "town TEXT, born DATE NOT NULL DEFAULT '2000-01-01',"),
        ["column person.born came (date, optional)"],
    ),
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def told(old: str, new: str, name: str = "office.sql") -> list[str]:
    records = []
    for text in (old, new):
        Path(name).write_text(text, encoding="utf-8")
        source = read_source(name)
        records.append(record_of(source, settle(source)))
    return [each.sentence for each in find_drift(*records).differences]


def changed(*changes: tuple[str, str]) -> str:
    text = OFFICE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


@pytest.mark.parametrize(("change", "said"), [*TEN_WAYS, *OTHERS])
def test_each_change_is_said_alone(change: tuple[str, str], said: list[str]) -> None:
    assert told(OFFICE, changed(change)) == said


def test_ten_changes_at_once_are_all_said() -> None:
    found = told(OFFICE, changed(*(change for change, _ in TEN_WAYS)))
    assert sorted(found) == sorted(sentence for _, said in TEN_WAYS for sentence in said)


def test_a_part_that_fails_is_traced_to_the_columns_that_its_reason_names() -> None:
    sources = []
    for text in (
        OFFICE,
        changed(("street", "road"), ("score >= 0", "score >= 1"), ("phone TEXT", "phone TEXT NOT NULL")),
    ):
        Path("office.sql").write_text(text, encoding="utf-8")
        source = read_source("office.sql")
        sources.append(record_of(source, settle(source)))
    drift, code = find_drift(*sources), 'db.first("SELECT street, phone FROM person")'
    renamed, required = "column person.street looks renamed to road: same type and values", "person.phone is required"
    assert drift.causes(code, "no such column: street") == [renamed]
    assert [each[: len(required)] for each in drift.causes(code, "it crashed")] == [required, renamed[: len(required)]]


def test_a_column_that_could_be_either_of_two_is_not_called_renamed() -> None:
    both = [("street TEXT", "road TEXT, lane TEXT"), ("street,", "road, lane,")]
    both += [(f"'{each}'", f"'{each}', '{each}'") for each in ("1 Elm St", "2 Oak St")]
    came = [f"column person.{each} came (text, optional)" for each in ("road", "lane")]
    assert told(OFFICE, changed(*both)) == ["column person.street went", *came]


@pytest.mark.parametrize("source", [OFFICE, OFFICE.replace("(score >=", '("score" >=')], ids=["plain", "quoted"])
def test_an_unchanged_source_has_no_difference(source: str) -> None:
    assert told(source, source) == []


API = """
openapi: 3.0.3
info: {title: Notes, version: "1"}
paths:
  /notes:
    get:
      operationId: listNotes
      parameters: [{name: topic, in: query, schema: {type: string}}, {name: limit, in: query, schema: {type: integer}}]
      responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: *note}}}}}
    post:
      operationId: createNote
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/NewNote"}}}}
      responses: {"201": {description: made, content: {application/json: {schema: *note}}}}
  /notes/{id}:
    get:
      operationId: getNote
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses: {"200": {description: ok, content: {application/json: {schema: *note}}}}
components:
  schemas:
    NewNote: {type: object, required: [title], properties: {title: {type: string}, topic: {type: string}}}
    Note:
      type: object
      required: [id, title]
      properties: {id: {type: integer}, title: {type: string}, topic: {type: string}}
""".replace("*note", '{$ref: "#/components/schemas/Note"}')


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("createNote", "addNote", ['POST /notes: name is "addNote", and was "createNote"']),
        (
            "name: limit",
            "name: page_size",
            ["parameter GET /notes: limit looks renamed to page_size: same type and place"],
        ),
        ("/notes/{id}:", "/memos/{id}:", ["operation GET /notes/{id} looks renamed to GET /memos/{id}"]),
    ],
)
def test_what_an_api_renames_is_said(old: str, new: str, said: list[str]) -> None:
    assert told(API, API.replace(old, new), "notes.yaml") == said


PROGRAM = '"""Tools."""\n\nfrom runtime import Database, tool\n\n\n@tool()\ndef a(db: Database): ...\n'
START = '"""Tools."""\n\nfrom runtime import Database, tool\n'
OWN = "\n\n# Mine\n@tool()\ndef mine(db: Database): ...\n"


@pytest.mark.parametrize(
    ("old", "new", "merged"),
    [
        (PROGRAM + OWN, PROGRAM, PROGRAM + OWN),
        (PROGRAM + OWN, PROGRAM.replace("a(", "b("), PROGRAM.replace("a(", "b(") + OWN),
        (PROGRAM.replace("a(db", "a(db, x"), PROGRAM, PROGRAM.replace("a(db", "a(db, x")),
        (START, PROGRAM, START),
        (
            PROGRAM.replace("Database, tool", "Database, add_days, tool") + OWN,
            PROGRAM.replace("Database, tool", "Database, Date, tool"),
            PROGRAM.replace("Database, tool", "Database, Date, add_days, tool") + OWN,
        ),
    ],
    ids=["nothing new", "a generated part is another", "an edited part", "a deleted part", "imports of both"],
)
def test_own_parts_of_a_file_are_kept_beside_generated_ones(old: str, new: str, merged: str) -> None:
    files = [Path(name) for name in ("base.py", "old.py", "new.py")]
    for file, text in zip(files, (PROGRAM, old, new), strict=True):
        file.write_text(text, encoding="utf-8")
    base = {name: digest_of(text) for name, text in read_parts(files[0]).items()}
    write_parts(files[1], merge(base, read_parts(files[1]), read_parts(files[2])))
    assert files[1].read_text(encoding="utf-8") == merged


def test_a_card_with_own_keys_is_merged_key_by_key() -> None:
    card: dict[str, Any] = {
        "name": "café",
        "title": "Café",
        "columns": {"a.b": {"policy": "hard"}, "a.c": 1},
        "logs": {},
    }
    mine = card | {"title": "Mein Café", "columns": {**card["columns"], "a.d": 2}, "people": {"table": "a"}}
    now = card | {"columns": {"a.b": 3}, "clock": "later"}
    parts = []
    for number, each in enumerate((card, mine, now)):
        Path(str(number)).mkdir()
        file = Path(str(number), "domain.json")
        file.write_text(json.dumps(each, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        parts.append(read_parts(file))
    base = {name: digest_of(text) for name, text in parts[0].items()}
    write_parts(file, merge(base, *parts[1:]))
    merged = mine | {"columns": {"a.b": 3, "a.d": 2}, "clock": "later"}
    assert json.loads(file.read_text(encoding="utf-8")) == merged
