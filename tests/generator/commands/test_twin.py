"""`worldsmith twin`: from a source to a folder that `check` proves, or one sentence and nothing written."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from io import StringIO
from pathlib import Path

import pytest

from generator.main import main
from tests.conftest import LIBRARY

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "twin.md").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _block(kind: str) -> str:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)[0]


def test_the_example_of_the_page_becomes_a_domain_that_check_proves(capsys: pytest.CaptureFixture[str]) -> None:
    Path("shop.sql").write_text(_block("sql"), encoding="utf-8")
    twin, check, serve = _block("bash").splitlines()
    assert main(shlex.split(twin)[1:]) == 0
    said = capsys.readouterr().out
    assert "Read shop.sql (SQLite): 2 tables, all 9 rows kept." in said
    assert re.search(r"domains/shop: 2 tables, 10 tools, [1-9]\d* tasks\.", said)
    assert _block("text").strip() in said
    front = re.search(r"^```text\n(Read .*?)^```", (ROOT / "README.md").read_text(), flags=re.MULTILINE | re.DOTALL)
    assert front
    assert [line for line in front[1].splitlines() if line.partition(" proven in ")[0] not in said] == []
    assert "worldsmith check shop" in said
    assert main([*shlex.split(check)[1:], "--calls", "500"]) == 0
    assert "shop: ok" in capsys.readouterr().out
    folder = Path("domains/shop")
    assert [path.name for path in Path("domains").iterdir()] == ["shop"]
    assert json.loads((folder / "domain.json").read_text())["real_rows"] is True
    assert "- Views: cheap." in (folder / "README.md").read_text()
    assert "Name on the label" in (folder / "tools" / "product.py").read_text()
    assert serve.startswith("worldsmith serve shop")
    _write_the_first_rule(capsys)
    assert main(shlex.split(twin)[1:]) == 2
    assert "'domains/shop' is there already; choose another --name or --out." in capsys.readouterr().err


def _write_the_first_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """Go the way of the page: by questions, and on a copy without tasks by options, which comes to the same."""
    part = PAGE.partition("## The first rule")[2].partition("\n## ")[0]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```", part, flags=re.MULTILINE | re.DOTALL)
    (_, ask), (_, written), (_, then), (_, made) = blocks
    shutil.copytree("domains/shop", "domains/plain", ignore=shutil.ignore_patterns("tasks.jsonl"))
    card = Path("domains/plain/domain.json")
    card.write_text(card.read_text().replace('"name": "shop"', '"name": "plain"'))
    rows = re.findall(r"^\| (?!question|---).*? \|(.*?)\|$", part, flags=re.MULTILINE)
    answers = [each.strip("` ") for each in rows]
    assert len(answers) == 6
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.stdin", StringIO("\n".join(answers) + "\n"))
        assert main(shlex.split(ask)[1:]) == 0
    printed = capsys.readouterr()
    for question in ("Which table calls (category, product), or a new one [clerk]", "[STATUS_IS_RETIRED]"):
        assert question in printed.err
    assert [line for line in written.splitlines() if line not in printed.out] == []
    (options,) = re.findall(r"is `(--people .*?)`\. It takes", part, flags=re.DOTALL)
    assert main(["rule", "plain", *shlex.split(options)]) == 0
    for name in ("rules.py", "rule_cases.jsonl", "scenarios.py", "tools/callers.py", "world.py", "schema.sql"):
        assert (Path("domains/plain") / name).read_text() == (Path("domains/shop") / name).read_text(), name
    shutil.rmtree("domains/plain")
    capsys.readouterr()
    for line in then.splitlines():
        assert main(shlex.split(line)[1:]) == 0
    told = capsys.readouterr().out
    assert [line for line in made.splitlines() if line not in told] == []


@pytest.mark.parametrize(
    ("source", "content", "said"),
    [
        ("shop.sql", None, "'shop.sql' does not exist; give a SQL text"),
        ("shop.sql", "", "'shop.sql' is empty."),
        ("shop.sql", "CREATE TABEL x (id INT);", "'shop.sql' makes no table that can be read as SQLite"),
        ("shop.sql", "\0\1\2", "'shop.sql' is a binary file"),
        ("postgresql://me:s3cret@localhost:1/shop", None, "shop (PostgreSQL at localhost) cannot be read: "),
        ("mysql://me:s3cret@localhost:1", None, "names no database; write mysql://USER@HOST/DATABASE"),
        ("oracle://me:s3cret@localhost/shop", None, "A server of 'oracle' is not read; have: postgresql, mysql"),
        ("api.yaml", "swagger: '2.0'", "is Swagger 2.0"),
        (".", None, "'.' is a folder; give a SQL text"),
    ],
)
def test_bad_sources_are_one_sentence_and_nothing_is_written(
    source: str, content: str | None, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path(source).write_text(content, encoding="utf-8")
    assert main(["twin", source, "--name", "shop"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "s3cret" not in error
    assert error.count("\n") == 1
    assert not Path("domains").exists()


def test_a_compiled_domain_with_real_rows_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(LIBRARY, "domains/library")
    assert main(["compile", "domains/library", "--out", "plain"]) == 0
    assert "warning" not in capsys.readouterr().err
    card = Path("domains/library/domain.json")
    card.write_text(json.dumps(json.loads(card.read_text()) | {"real_rows": True}), encoding="utf-8")
    assert main(["compile", "domains/library", "--out", "real"]) == 0
    assert "warning: what was compiled has rows of library that may be about real people" in capsys.readouterr().err


def test_a_model_designs_a_twin_that_keeps_what_the_source_fixes(
    lending_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers = f"recorded:{lending_folder / 'answers.jsonl'}"
    Path("lending.sql").write_text(
        "CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\nINSERT INTO item VALUES (1, 'A saw of mine');"
    )
    assert main(["twin", "lending.sql", "--model", answers, "--tools", "5", "-n", "3"]) == 0
    assert "All 1 given row: the world is made up" in capsys.readouterr().out
    folder = Path("domains/lending")
    assert json.loads((folder / "domain.json").read_text())["provenance"]["twin_of"] == "lending.sql (SQLite)"
    assert "## What the source has and this twin lacks" in (folder / "README.md").read_text()
    written = (folder / "source.md").read_text()
    assert "### item" in written
    assert "A saw of mine" not in written


def test_a_design_without_a_table_of_the_source_is_sent_back(
    lending_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("zoo.sql").write_text("CREATE TABLE lion (id INTEGER PRIMARY KEY, name TEXT NOT NULL);")
    answers = f"recorded:{lending_folder / 'answers.jsonl'}"
    assert main(["twin", "zoo.sql", "--model", answers, "--tools", "5"]) == 1
    assert "the source has the table 'lion'; add an entity of this name" in capsys.readouterr().err


NOTES = """
openapi: 3.0.3
info: {title: Notes, version: "1"}
paths:
  /notes:
    get:
      operationId: listNotes
      responses: {"200": {content: {application/json: {schema: {type: array, items: {$ref: "#/n"}}}}}}
    post:
      operationId: createNote
      requestBody: {content: {application/json: {schema: {required: [title], properties: {title: {type: string}}}}}}
      responses: {"201": {content: {application/json: {schema: {$ref: "#/n"}}}}}
n: {type: object, required: [id, title], properties: {id: {type: integer}, title: {type: string}}}
"""


def test_one_kind_of_request_is_said_and_fails_with_its_gates(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("notes.yaml").write_text(NOTES, encoding="utf-8")
    monkeypatch.setattr("generator.commands.check_report.LEAST_KILLED", 1.1)  # so that a gate fails
    assert main(["twin", "notes.yaml"]) == 1
    said = capsys.readouterr().out
    assert "2 tools, 4 tasks. The tasks are of one kind (4 of level 1) and use 1 of 2 tools." in said
    assert "notes: FAILED at mutants" in said
    assert "domains/notes" in said
    assert Path("domains/notes/domain.json").is_file()


def test_no_value_of_a_secret_column_goes_anywhere(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ", ".join(f"({n}, 'user{n}', 'sk_live_5{n}REALKEYREALKEY', {n})" for n in range(1, 5))
    Path("keys.sql").write_text(
        "CREATE TABLE account (id integer PRIMARY KEY, login text NOT NULL UNIQUE, api_key text NOT NULL, age integer);"
        f"INSERT INTO account VALUES {rows};"
    )
    assert main(["twin", "keys.sql"]) == 0
    assert "since they may be secret: account.api_key." in capsys.readouterr().out
    files = [path for path in Path("domains/keys").rglob("*") if path.is_file()]
    assert [path.name for path in files if b"REALKEY" in path.read_bytes()] == []
    assert "api key" not in Path("domains/keys/tasks.jsonl").read_text()
    assert main(["twin", "keys.sql", "--name", "kept", "--keep-secrets", "account.key"]) == 2  # of which one is kept
    assert "'account.key' is no column; write it as table.column" in capsys.readouterr().err
