"""What a tool can read and write, and what it cannot: each statement and each row helper on its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.session.world import World
from tests.making import make_domain, world_of


@pytest.fixture
def session(warehouse: Domain, worlds: World) -> Iterator[Session]:
    with Session(warehouse, worlds) as opened:
        yield opened


def write(session: Session, verb: str, table: str, *key: Any, **values: Any) -> dict[str, Any]:
    (row,) = rows_of(session.call("write", verb=verb, table=table, key=list(key), values=values))
    return row


def rows(session: Session, sql: str, *values: Any) -> list[dict[str, Any]]:
    return rows_of(session.call("query", sql=sql, values=list(values)))


def rows_of(result: Mapping[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result["rows"]
    return found


# Reading


@pytest.mark.parametrize(
    ("sql", "values", "answer"),
    [
        pytest.param("SELECT amount FROM item WHERE item_id = ?", ["ITEM-0003"], 2, id="bound_value"),
        pytest.param("SELECT (SELECT max(amount) FROM item)", [], 9, id="subquery"),
    ],
)
def test_sql_reads_declared_tables(session: Session, sql: str, values: list[Any], answer: object) -> None:
    assert next(iter(rows(session, sql, *values)[0].values())) == answer


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM secret",
        "WITH s AS (SELECT word FROM secret) SELECT * FROM s",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM pragma_table_info('item')",
        "PRAGMA user_version = 7",
        "ATTACH ':memory:' AS other",
        "INSERT INTO item (item_id, label) VALUES ('x', 'x') RETURNING *",
        "DELETE FROM item",
        "BEGIN",
        "VACUUM",
        "EXPLAIN DELETE FROM item",
        "SELECT load_extension('x')",
        "SELECT random()",
        "SELECT CURRENT_TIMESTAMP",
        "SELECT 1; DELETE FROM item",
        "SELEC",
    ],
)
def test_other_sql_is_a_fault_and_changes_nothing(session: Session, sql: str) -> None:
    before = session.digest()
    for _ in range(2):  # a virtual table exists from its second use on
        with pytest.raises(EnvironmentFault):
            session.call("query", sql=sql, values=None)
    changes, digest = session.scanned()
    assert (digest, changes.rows) == (before, {})
    assert rows(session, "SELECT count(*) AS n FROM item") == [{"n": 10}]


def test_a_statement_of_one_tool_never_serves_another(session: Session) -> None:
    sql = "SELECT word FROM secret"
    for _ in range(3):
        assert session.call("query_secret", sql=sql)["rows"] == [{"word": "swordfish"}]
        with pytest.raises(EnvironmentFault, match="'query' reads table 'secret', which it does not declare"):
            session.call("query", sql=sql, values=None)


# Row helpers


@pytest.mark.parametrize(
    ("verb", "table", "key", "values", "complaint"),
    [
        pytest.param(
            "insert", "item", [], {"item_id": "I", "label": "a", "amount": "7"}, "writes '7' to item.amount", id="text"
        ),
        pytest.param("update", "item", ["I"], {"amount": 1}, "does not exist; look it up first", id="absent"),
        pytest.param("update", "event", [1], {"what": "a"}, "is a log; only insert there", id="log_update"),
    ],
)
def test_a_helper_used_wrongly_is_a_fault_that_changes_nothing(
    session: Session, verb: str, table: str, key: list[Any], values: dict[str, Any], complaint: str
) -> None:
    session.call("report", what="started")
    before = session.digest()
    with pytest.raises(EnvironmentFault, match=re.escape(complaint)):
        write(session, verb, table, *key, **values)
    assert session.digest() == before == session.scanned()[1]


@pytest.mark.parametrize(
    ("verb", "table", "key", "values", "kind", "sentence"),
    [
        pytest.param(
            *("insert", "item", [], {"item_id": "ITEM-0001", "label": "new"}),
            *("ALREADY_EXISTS", "Another item has the same item id already."),
            id="primary_key",
        ),
        pytest.param(
            *("insert", "item", [], {"item_id": "I", "label": "item 1 0"}),
            *("ALREADY_EXISTS", "Another item has the same label already."),
            id="unique",
        ),
        pytest.param(
            *("insert", "crate", [], {"crate_id": 90, "item_id": "I"}),
            *("NOT_FOUND", "The crate refers to a record that does not exist."),
            id="foreign_key",
        ),
        pytest.param(
            *("update", "item", ["ITEM-0001"], {"amount": -1}),
            *("FAILED_PRECONDITION", "The item would break the rule 'amount >= 0'."),
            id="check",
        ),
        pytest.param(
            *("delete", "item", ["ITEM-0001"], {}),
            *("FAILED_PRECONDITION", "Other records still refer to this item; remove them first."),
            id="referenced",
        ),
    ],
)
def test_a_broken_constraint_is_a_rejection(
    session: Session, verb: str, table: str, key: list[Any], values: dict[str, Any], kind: str, sentence: str
) -> None:
    with pytest.raises(Rejection) as raised:
        write(session, verb, table, *key, **values)
    assert (raised.value.kind, raised.value.sentence) == (kind, sentence)
    assert session.scanned()[0].rows == {}


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        pytest.param({"price": 5}, {"price": 5.0}, id="whole_number"),
        pytest.param({"amount": True}, {"amount": 1}, id="bool"),
    ],
)
def test_a_helper_returns_a_row_as_a_select_reads_it(
    session: Session, stored: dict[str, Any], read: dict[str, Any]
) -> None:
    for verb, key in (("insert", []), ("update", ["I0"])):
        given = {"item_id": "I0", "label": "new"} if verb == "insert" else {}
        returned = write(session, verb, "item", *key, **{**given, **stored})
        (selected,) = rows(session, "SELECT * FROM item WHERE item_id = ?", "I0")
        assert repr(returned) == repr(selected)
        assert selected.items() >= read.items()
        assert (session.changes, session.digest()) == session.scanned()


# New ids


def test_new_ids_are_the_same_in_every_session(warehouse: Domain, worlds: World) -> None:
    taken = []
    for _ in range(2):
        with Session(warehouse, worlds) as session:
            taken.append([session.call("take_ids", table=table, count=3)["ids"] for table in ("item", "crate", "item")])
    assert taken[0] == taken[1]
    assert taken[0] == [["ITEM-0011", "ITEM-0012", "ITEM-0013"], [14, 15, 16], ["ITEM-0017", "ITEM-0018", "ITEM-0019"]]


def test_a_new_id_skips_keys_that_are_taken(session: Session) -> None:
    write(session, "insert", "item", item_id="ITEM-0011", label="taken")
    write(session, "insert", "crate", crate_id=12, item_id="ITEM-0011")
    assert session.call("take_ids", table="crate", count=2)["ids"] == [11, 13]
    session.reset()
    write(session, "insert", "item", item_id="ITEM-0011", label="taken")
    assert session.call("take_ids", table="item", count=1)["ids"] == ["ITEM-0012"]


# After the call


def test_one_row_of_a_table_that_is_named_in_the_plural_is_said_in_the_singular(tmp_path: Path) -> None:
    tools = '''
@tool(writes=["doctors"], rejects=["ALREADY_EXISTS", "NOT_FOUND"])
def add(db: Database, key: Annotated[int, "Who is looked up"]) -> Done:
    """Add one."""
    db.require("doctors", key)
    db.insert("doctors", doctor_id=2, email="a")
    return {"done": True}
'''
    schema = (
        "CREATE TABLE doctors (  -- A doctor\n doctor_id INTEGER PRIMARY KEY,  -- K\n"
        " email TEXT UNIQUE  -- E\n) STRICT, WITHOUT ROWID;\n"
    )
    fill = 'def populate(world):\n    world.insert("doctors", doctor_id=1, email="a")\n'
    domain = make_domain(tmp_path, schema=schema, tools=tools, world=fill)
    with Session(domain, world_of(domain, 1, 10)) as session:
        assert session.perform("add", {"key": 99}).text == "NOT_FOUND: No doctor 99 exists."
        assert session.perform("add", {"key": 1}).text == "ALREADY_EXISTS: Another doctor has the same email already."
