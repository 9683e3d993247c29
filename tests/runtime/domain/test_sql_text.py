"""SQL that is put together from values is refused at load, with its line; SQL made of constants is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain
from tests.making import TOOL, write_domain

HEAD = '''
_ORDERS = {"label": "label DESC", "id": "thing_id"}
_COLUMNS = "thing_id, label"


def _first(db: Database, where: str, *values: str) -> bool:
    return bool(db.first(f"SELECT {_COLUMNS} FROM thing WHERE {where}", *values))


def _quoted(text: str) -> str:
    return "'" + text + "'"


@tool(reads=["thing"])
def find(
    db: Database,
    label: Annotated[str, "What"],
    labels: Annotated[list[str], "Which"],
    order: Annotated[Literal["ASC", "DESC"], "How"] = "ASC",
) -> Done:
    """Find things."""
'''


def folder_with(tmp_path: Path, body: str) -> Path:
    """A domain with one tool of this body."""
    lines = "".join(f"    {line}\n" for line in [*body.split("\n"), 'return {"done": True}'])
    folder = write_domain(tmp_path, tools=HEAD + lines)
    path = folder / "tools" / "things.py"
    path.write_text(path.read_text().replace("import Annotated", "import Annotated, Literal"))
    return folder


@pytest.mark.parametrize(
    ("body", "line", "name"),
    [
        pytest.param("db.first(f\"SELECT label FROM thing WHERE label = '{label}'\")", 1, "label", id="f_string"),
        pytest.param("db.value('SELECT label FROM thing WHERE label = {}'.format(label))", 1, "label", id="format"),
        pytest.param("sql = 'SELECT 1 FROM thing'\nsql += f' WHERE 1 = {label}'\ndb.first(sql)", 3, "sql", id="grown"),
        pytest.param("for each in labels:\n    db.first(f'SELECT {each}')", 2, "each", id="loop"),
        pytest.param("db.first('SELECT 1 WHERE 1 = ' + _quoted(label))", 1, "label", id="function"),
        pytest.param("w = ['1 = 1']\nw.append(f'a = {label}')\ndb.first(f'SELECT {w}')", 3, "w", id="list"),
    ],
)
def test_sql_that_holds_a_value_is_refused(tmp_path: Path, body: str, line: int, name: str) -> None:
    with pytest.raises(BrokenDomain) as broken:
        load_domain(folder_with(tmp_path, body))
    at = TOOL.count("\n") + HEAD.count("\n") + line
    said = f"tools/things.py:{at}: the SQL text holds the value of {name!r}; pass it as a parameter (?)."
    assert said in broken.value.faults


@pytest.mark.parametrize(
    "body",
    [
        "marks = ', '.join('?' * len(labels))\ndb.select(f'SELECT label FROM thing WHERE label IN ({marks})', *labels)",
        "marks = ', '.join('?' for _ in labels)\ndb.select('SELECT 1 WHERE 1 IN (' + marks + ')', *labels)",
        "db.select(f'SELECT label FROM thing ORDER BY {_ORDERS[label]}')",
        "db.select(f'SELECT label FROM thing ORDER BY {_ORDERS.get(label, \"label\")} {order}')",
        "where = ['1 = 1']\nif label:\n    where.append('label = ?')\n"
        "db.select(f'SELECT {_COLUMNS} FROM thing WHERE {\" AND \".join(where)}', label)",
        "extra = ' AND label = ?' if label else ''\ndb.first('SELECT 1 WHERE 1 = 1' + extra, label)",
        "_first(db, 'label = ?', label)",
    ],
)
def test_sql_that_is_made_of_constants_is_accepted(tmp_path: Path, body: str) -> None:
    assert list(load_domain(folder_with(tmp_path, body)).tools) == ["find"]
