"""A broken domain folder is refused with one line per fault that names the file and what would be right."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain, UsageError
from tests.making import SCHEMA, make_domain, write_domain

CHILD = """
CREATE TABLE child (           -- A child
    child_id TEXT PRIMARY KEY, -- Its id
    thing_id TEXT NOT NULL {}  -- Its thing
) STRICT, WITHOUT ROWID;
"""
INDEX = "CREATE INDEX child_by_thing ON child (thing_id);"


def _tool(head: str, parameters: str = "", body: str = 'return {"done": True}', result: str = "Done") -> str:
    return f'\n{head}\ndef act(db: Database{parameters}) -> {result}:\n    """Act."""\n    {body}\n'


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        pytest.param(
            {"tools": _tool('@tool(reads=["thnig"])')},
            "tools/things.py:11: tool 'act' reads table 'thnig', which does not exist; have: thing.",
            id="tool_reads_unknown_table",
        ),
        pytest.param(
            {"tools": _tool('@tool(rejects=["TEAPOT"])')},
            "tools/things.py:11: tool 'act' declares rejection 'TEAPOT'; have: INVALID_ARGUMENT, NOT_FOUND,",
            id="unknown_rejection",
        ),
        pytest.param(
            {"tools": _tool("@tool()", ", name: str")},
            "tools/things.py:11: tool 'act' parameter 'name' has no description; write `Annotated[TYPE,",
            id="parameter_without_description",
        ),
        pytest.param(
            {"tools": '\n@tool()\ndef act(db: Database) -> Done:\n    return {"done": True}\n'},
            "tools/things.py:11: tool 'act' has no docstring; it is the manual that the agent reads.",
            id="tool_without_docstring",
        ),
        pytest.param(
            {"tools": '\n@tool()\ndef act(name: Annotated[str, "A name"]) -> Done:\n    """Act."""\n    return {}\n'},
            "tools/things.py:11: tool 'act' must take the database first: `db: Database`.",
            id="tool_without_database",
        ),
        pytest.param({"tools": ""}, "tools/things.py: declares 0 tools (@tool); a file has 1 to 10.", id="no_tool"),
        pytest.param(
            {
                "tools": _tool(
                    '@tool(reads=["thing"])', body='return {"done": bool(db.value("SELECT colour FROM thing"))}'
                )
            },
            "tools/things.py:14: SQLite does not accept this SQL: no such column: colour.",
            id="sql_with_unknown_column",
        ),
        pytest.param(
            {"tools": _tool("@tool()", body='return {"done": db.value("SELECT 1 FROM thing") == 1}')},
            "tools/things.py:14: tool 'act' reads table 'thing', which it does not declare.",
            id="sql_on_undeclared_table",
        ),
        pytest.param(
            {"columns": {"thing.colour": {"policy": "semantic", "reason": "free words"}}},
            "domain.json: policy for unknown column 'thing.colour'; have: thing_id, label, amount.",
            id="policy_for_unknown_column",
        ),
        pytest.param({"clock": "yesterday"}, "domain.json: 'clock'", id="bad_clock"),
        pytest.param({"format": 99}, "domain.json: has format 99; this version reads 1.", id="another_format"),
        pytest.param({"schema": "-- nothing\n"}, "schema.sql: it makes no table;", id="no_table"),
        pytest.param(
            {"schema": SCHEMA.replace("STRICT, WITHOUT ROWID", "STRICT")},
            "schema.sql: table 'thing' must end in `STRICT, WITHOUT ROWID`.",
            id="hidden_rowid",
        ),
        pytest.param(
            {"schema": SCHEMA.replace("-- How many", "")},
            "schema.sql: column 'thing.amount' has no comment; write one behind it",
            id="column_without_comment",
        ),
        pytest.param(
            {"schema": SCHEMA.replace("amount INTEGER", "amount REAL")},
            "domain.json: column 'thing.amount' is REAL and compared exactly; declare a tolerance",
            id="float_without_tolerance",
        ),
        pytest.param(
            {"schema": SCHEMA + CHILD.format("REFERENCES nobody ON DELETE RESTRICT") + INDEX},
            "schema.sql: foreign key 'child.thing_id' names table 'nobody', which does not exist",
            id="foreign_key_to_nothing",
        ),
        pytest.param(
            {"schema": SCHEMA + "CREATE TRIGGER t AFTER INSERT ON thing BEGIN SELECT 1; END;"},
            "schema.sql: it does more than make tables and indexes, which is not allowed.",
            id="trigger",
        ),
        pytest.param(
            {"world": '"""Empty."""\n'}, "world.py: has no function populate(world).", id="world_without_populate"
        ),
    ],
)
def test_a_broken_folder_is_refused_with_a_line_that_names_the_fault(
    tmp_path: Path, parts: dict[str, object], fault: str
) -> None:
    with pytest.raises(BrokenDomain) as refused:
        make_domain(tmp_path, **parts)
    assert any(fault in line for line in refused.value.faults), refused.value.faults
    for line in refused.value.faults:
        assert "\n" not in line
        assert "Traceback" not in line
        assert line.startswith(("domain.json:", "schema.sql:", "tools/things.py:", "world.py:"))


@pytest.mark.parametrize(
    ("file", "added", "said"),
    [
        ("tools/things.py", "\nimport os\nos.system('touch HOME/owned')\n", "tools/things.py:"),
        ("world.py", "\nX = [n for n in range(10**12)]\n", "world.py"),
        ("schema.sql", "\nATTACH 'HOME/owned' AS other;\n", "does more than make tables"),
        (
            "tools/things.py",
            "\n@tool()\ndef f(db: Database) -> Done:\n    db.select(\"ATTACH 'x' AS v\")\n",
            "more than a SELECT",
        ),
    ],
)
def test_nothing_of_a_foreign_folder_runs_that_is_not_allowed(tmp_path: Path, file: str, added: str, said: str) -> None:
    folder, home = tmp_path / "domain", tmp_path / "home"
    home.mkdir()
    folder.mkdir()
    path = write_domain(folder)
    (path / file).write_text((path / file).read_text() + added.replace("HOME", str(home)))
    with pytest.raises(BrokenDomain, match=said):
        load_domain(path)
    assert not list(home.iterdir())


@pytest.mark.parametrize("name", ["schema.sql", "world.py"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    path = write_domain(tmp_path)
    (path / name).unlink()
    with pytest.raises(BrokenDomain, match=f"{name}: is missing; a domain needs it."):
        load_domain(path)


def test_a_folder_without_a_card_is_no_domain(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a domain folder; it has no domain.json."):
        load_domain(tmp_path)


def test_the_same_tool_in_two_files_is_refused(tmp_path: Path) -> None:
    path = write_domain(tmp_path)
    shutil.copy(path / "tools" / "things.py", path / "tools" / "again.py")
    with pytest.raises(BrokenDomain, match="tool 'do_nothing' is declared in tools/again.py too; rename one."):
        load_domain(path)


def test_the_library_is_without_fault_and_tells_what_its_tools_do(library: Domain) -> None:
    assert len(library.tools) == 15
    assert library.tools["search_books"].read_only
    assert not library.tools["borrow_book"].destructive
    assert library.tools["cancel_hold"].destructive
    assert library.schema.tables["loan"].by_name["due_on"].comment == "Last day without a fee"
    assert library.schema.tables["member"].comment == "A person with a library card"


def test_the_digest_follows_what_is_served_and_nothing_else(library_copy: Path, library: Domain) -> None:
    assert load_domain(library_copy).digest == library.digest
    (library_copy / "tasks.jsonl").unlink()
    assert load_domain(library_copy).digest == library.digest
    (library_copy / "policy.md").write_text("Other rules.")
    assert load_domain(library_copy).digest != library.digest
