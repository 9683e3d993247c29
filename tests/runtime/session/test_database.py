"""What a tool can read and write, and what it cannot: each statement and each row helper on its own."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import EnvironmentFault, Rejection
from runtime.session.session import Session
from runtime.session.world import World, read_world
from tests.runtime.session.warehouse import make_warehouse, stock


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return make_warehouse(tmp_path_factory.mktemp("warehouse"))


@pytest.fixture(scope="module")
def worlds(warehouse: Domain) -> World:
    return stock(warehouse)


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
        pytest.param("SELECT ?", ["x' OR '1'='1"], "x' OR '1'='1", id="hostile_value"),
        pytest.param("SELECT ? IS NULL", [None], 1, id="null"),
        pytest.param("WITH many AS (SELECT * FROM item WHERE amount > 5) SELECT count(*) FROM many", [], 4, id="cte"),
        pytest.param("SELECT count(*) FROM item", [], 10, id="count"),
        pytest.param("SELECT sum(amount) OVER (ORDER BY item_id) FROM item ORDER BY 1 DESC", [], 45, id="window"),
        pytest.param("SELECT (SELECT max(amount) FROM item)", [], 9, id="subquery"),
        pytest.param("SELECT count(*) FROM item WHERE item_id IN (SELECT item_id FROM crate)", [], 5, id="in_subquery"),
        pytest.param("VALUES (7)", [], 7, id="values"),
        pytest.param("SELECT price FROM item WHERE amount = 4", [], 2.0, id="whole_real"),
        pytest.param("SELECT 1 UNION ALL SELECT 2", [], 1, id="union"),
        pytest.param(
            "SELECT group_concat(label, '|') FROM item WHERE amount < 2", [], "item 1 0|item 1 1", id="concat"
        ),
        pytest.param("SELECT 1; -- the end", [], 1, id="closing_semicolon"),
    ],
)
def test_sql_reads_declared_tables(session: Session, sql: str, values: list[Any], answer: object) -> None:
    assert next(iter(rows(session, sql, *values)[0].values())) == answer


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM secret",
        "SELECT 1 FROM secret",
        "SELECT count(*) FROM secret",
        "SELECT EXISTS (SELECT 1 FROM secret)",
        "SELECT 1 WHERE 1 IN secret",
        "SELECT 1 FROM item, secret",
        "WITH s AS (SELECT word FROM secret) SELECT * FROM s",
        "SELECT (SELECT word FROM SECRET)",
        'SELECT word FROM main."secret" AS item',
        "SELECT item_id FROM item UNION SELECT word FROM secret",
        "SELECT * FROM event",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM sqlite_schema",
        "SELECT * FROM sqlite_temp_master",
        "SELECT * FROM pragma_table_info('item')",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM json_each('[1]')",
        "SELECT * FROM json_tree('[1]')",
        "SELECT * FROM dbstat",
        "SELECT * FROM nowhere",
        "PRAGMA user_version",
        "PRAGMA user_version = 7",
        "PRAGMA foreign_keys = OFF",
        "ATTACH ':memory:' AS other",
        "DETACH main",
        "INSERT INTO item (item_id, label) VALUES ('x', 'x')",
        "INSERT INTO item (item_id, label) VALUES ('x', 'x') RETURNING *",
        "REPLACE INTO item (item_id, label) VALUES ('x', 'x')",
        "UPDATE item SET amount = 7",
        "DELETE FROM item",
        "WITH x AS (SELECT 1) DELETE FROM slot",
        "CREATE TABLE mine (a)",
        "CREATE TEMP TABLE mine (a)",
        "CREATE VIEW mine AS SELECT * FROM secret",
        "CREATE TRIGGER mine AFTER INSERT ON item BEGIN SELECT 1; END",
        "DROP TABLE slot",
        "ALTER TABLE item ADD COLUMN more TEXT",
        "CREATE INDEX mine ON item (amount)",
        "BEGIN",
        "COMMIT",
        "END",
        "ROLLBACK",
        "SAVEPOINT here",
        "RELEASE here",
        "VACUUM",
        "ANALYZE",
        "REINDEX",
        "EXPLAIN DELETE FROM item",
        "SELECT load_extension('x')",
        "SELECT random()",
        "SELECT randomblob(4)",
        "SELECT zeroblob(9)",
        "SELECT sqlite_version()",
        "SELECT last_insert_rowid()",
        "SELECT total_changes()",
        "SELECT readfile('/etc/passwd')",
        "SELECT json('{}')",
        "SELECT CURRENT_TIMESTAMP",
        "SELECT CURRENT_DATE",
        "SELECT CURRENT_TIME",
        "SELECT 1; SELECT 2",
        "SELECT 1; DELETE FROM item",
        "SELECT ?, ?",
        "SELECT ?1, :name",
        "SELECT nothing FROM item",
        "SELEC",
        "",
        "-- only a comment",
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


def test_vacuum_writes_no_file(session: Session, tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault):
        session.call("query", sql=f"VACUUM INTO '{tmp_path / 'copy.db'}'", values=None)
    assert list(tmp_path.iterdir()) == []


def test_a_statement_of_one_tool_never_serves_another(session: Session) -> None:
    sql = "SELECT word FROM secret"
    for _ in range(3):
        assert session.call("query_secret", sql=sql)["rows"] == [{"word": "swordfish"}]
        with pytest.raises(EnvironmentFault, match="'query' reads table 'secret', which it does not declare"):
            session.call("query", sql=sql, values=None)


def test_a_read_tool_cannot_use_the_row_helpers_of_a_table_it_does_not_declare(session: Session) -> None:
    with pytest.raises(EnvironmentFault, match="reads table 'crate', which it does not declare"):
        session.call("look_up", table="crate", item_id=1)
    with pytest.raises(EnvironmentFault, match="writes table 'secret', which it does not declare"):
        write(session, "insert", "secret", secret_id=7, word="mine")
    with pytest.raises(EnvironmentFault, match="writes table 'nowhere', which it does not declare"):
        write(session, "insert", "nowhere", a=7)


# Row helpers


@pytest.mark.parametrize(
    ("verb", "table", "key", "values", "complaint"),
    [
        pytest.param(
            "insert", "item", [], {"item_id": "I", "label": 7}, "writes 7 to item.label, which is TEXT", id="int"
        ),
        pytest.param(
            "insert", "item", [], {"item_id": "I", "label": "a", "amount": "7"}, "writes '7' to item.amount", id="text"
        ),
        pytest.param(
            "insert", "item", [], {"item_id": "I", "label": "a", "amount": 7.0}, "writes 7.0 to item.amount", id="float"
        ),
        pytest.param(
            "insert",
            "item",
            [],
            {"item_id": "I", "label": "a", "price": "7"},
            "writes '7' to item.price",
            id="text_real",
        ),
        pytest.param(
            "insert", "item", [], {"item_id": "I", "name": "a"}, "unknown column item.name; have", id="column"
        ),
        pytest.param("update", "item", ["ITEM-0001"], {"name": "a"}, "unknown column item.name; have", id="set_column"),
        pytest.param("update", "item", ["ITEM-0001"], {"item_id": "I"}, "keys never change", id="key_change"),
        pytest.param("update", "item", ["ITEM-0001"], {}, "updates no column", id="nothing"),
        pytest.param("update", "item", ["I"], {"amount": 1}, "does not exist; look it up first", id="absent"),
        pytest.param("delete", "item", ["I"], {}, "does not exist; look it up first", id="delete_absent"),
        pytest.param("delete", "item", [], {}, "gives 0 key values for item; its key is item_id", id="no_key"),
        pytest.param("update", "slot", [1], {"crate_id": 1}, "gives 1 key values for slot", id="half_a_key"),
        pytest.param("insert", "item", [], {"item_id": "I"}, "NOT NULL", id="not_null"),
        pytest.param("insert", "item", [], {}, "syntax error", id="empty"),
        pytest.param("update", "event", [1], {"what": "a"}, "is a log; only insert there", id="log_update"),
        pytest.param("delete", "event", [1], {}, "is a log; only insert there", id="log_delete"),
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
    ("kind", "error", "complaint"),
    [
        pytest.param("nan", Rejection, "The price of the item would become nan", id="nan"),
        pytest.param("inf", Rejection, "The price of the item would become -inf", id="inf"),
        pytest.param("big", Rejection, "The amount of the item would outgrow 64 bits", id="big"),
        pytest.param("small", Rejection, "The amount of the item would outgrow 64 bits", id="small"),
        pytest.param("list", EnvironmentFault, r"writes \[1\] to item.amount", id="list"),
    ],
)
def test_a_value_that_no_column_holds_is_refused(
    session: Session, kind: str, error: type[Exception], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        session.call("write_odd", kind=kind)
    assert session.diff() == []


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
            *("insert", "slot", [], {"aisle": 0, "order": 0}),
            *("ALREADY_EXISTS", "Another slot has the same aisle, order already."),
            id="two_column_key",
        ),
        pytest.param(
            *("update", "item", ["ITEM-0002"], {"label": "item 1 0"}),
            *("ALREADY_EXISTS", "Another item has the same label already."),
            id="unique_update",
        ),
        pytest.param(
            *("insert", "crate", [], {"crate_id": 90, "item_id": "I"}),
            *("NOT_FOUND", "The crate refers to a record that does not exist."),
            id="foreign_key",
        ),
        pytest.param(
            *("update", "slot", [0, 0], {"crate_id": 90}),
            *("NOT_FOUND", "The slot refers to a record that does not exist."),
            id="foreign_key_update",
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
        pytest.param({"price": -0.0}, {"price": 0.0}, id="negative_zero"),
        pytest.param({"price": 0.1 + 0.2}, {"price": 0.1 + 0.2}, id="float"),
        pytest.param({"amount": True}, {"amount": 1}, id="bool"),
        pytest.param({"amount": 2**53 - 1}, {"amount": 2**53 - 1}, id="large"),
        pytest.param({"amount": None}, {"amount": None}, id="null"),
        pytest.param({"label": "naïve ☃ 𝄞"}, {"label": "naïve ☃ 𝄞"}, id="unicode"),
        pytest.param({"label": ""}, {"label": ""}, id="empty"),
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


def test_a_key_of_another_type_is_refused_although_sqlite_would_find_the_row(session: Session) -> None:
    write(session, "insert", "item", item_id="7", label="seven")
    before = session.digest()
    for verb, values in (("update", {"amount": 7}), ("delete", {})):
        with pytest.raises(EnvironmentFault, match="item.item_id 7, which is TEXT"):
            write(session, verb, "item", 7, **values)
    assert session.digest() == before


def test_delete_returns_the_row_and_removes_it(session: Session) -> None:
    assert write(session, "delete", "slot", 0, 0) == {"aisle": 0, "order": 0, "crate_id": 1}
    assert [(line.table, line.key, line.kind) for line in session.diff()] == [("slot", (0, 0), "removed")]


def test_the_log_of_a_domain_takes_new_rows(session: Session) -> None:
    assert session.call("report", what="started")["rows"] == [{"event_id": 11, "what": "started"}]


# New ids


def test_new_ids_are_the_same_in_every_session(warehouse: Domain, worlds: World) -> None:
    taken = []
    for _ in range(2):
        with Session(warehouse, worlds) as session:
            taken.append([session.call("take_ids", table=table, count=3)["ids"] for table in ("item", "crate", "item")])
    assert taken[0] == taken[1]
    assert taken[0] == [["ITEM-0011", "ITEM-0012", "ITEM-0013"], [14, 15, 16], ["ITEM-0017", "ITEM-0018", "ITEM-0019"]]


def test_a_new_id_is_never_one_of_a_row_that_was_deleted(session: Session) -> None:
    (added,) = session.call("add_item", label="first")["rows"]
    write(session, "delete", "item", added["item_id"])
    (again,) = session.call("add_item", label="second")["rows"]
    assert (added["item_id"], again["item_id"]) == ("ITEM-0011", "ITEM-0012")


def test_a_new_id_skips_keys_that_are_taken(session: Session) -> None:
    write(session, "insert", "item", item_id="ITEM-0011", label="taken")
    write(session, "insert", "crate", crate_id=12, item_id="ITEM-0011")
    assert session.call("take_ids", table="crate", count=2)["ids"] == [11, 13]
    session.reset()
    write(session, "insert", "item", item_id="ITEM-0011", label="taken")
    assert session.call("take_ids", table="item", count=1)["ids"] == ["ITEM-0012"]


@pytest.mark.parametrize("counter", [pytest.param(0, id="unset"), pytest.param(-9, id="negative")])
def test_new_ids_are_unique_in_a_file_whose_ids_look_like_ours(warehouse: Domain, tmp_path: Path, counter: int) -> None:
    path = tmp_path / "own.db"
    own = sqlite3.connect(path)
    warehouse.schema.create(own)
    own.executemany("INSERT INTO item (item_id, label) VALUES (?, ?)", [(f"ITEM-{i:04d}", f"{i}") for i in (1, 2, 4)])
    own.execute(f"PRAGMA user_version = {counter}")
    own.commit()
    own.close()
    with Session(warehouse, read_world(path, warehouse.schema, warehouse.policies)) as session:
        ids = [session.call("add_item", label=f"new {i}")["rows"][0]["item_id"] for i in range(3)]
    assert ids == ["ITEM-0003", "ITEM-0005", "ITEM-0006"]


def test_a_rejection_gives_its_new_ids_back(session: Session) -> None:
    for _ in range(2):
        with pytest.raises(Rejection):
            session.call("add_and_fail", how="reject")
        with pytest.raises(EnvironmentFault):
            session.call("add_and_fail", how="crash")
    assert session.call("take_ids", table="item", count=1)["ids"] == ["ITEM-0011"]


def test_a_key_of_two_columns_has_no_new_id(session: Session) -> None:
    with pytest.raises(EnvironmentFault, match="wants an id for slot, whose key has several columns"):
        session.call("take_ids", table="slot", count=1)


# After the call


def test_a_database_that_a_tool_kept_is_of_no_use_after_the_call(session: Session) -> None:
    session.call("take_ids", table="item", count=1)
    kept = session._database
    assert kept is not None
    uses: list[Callable[[], object]] = [
        lambda: kept.get("item", "ITEM-0001"),
        lambda: kept.insert("item", item_id="I", label="late"),
        lambda: kept.update("item", "ITEM-0001", amount=9),
        lambda: kept.delete("slot", 0, 0),
        lambda: kept.new_id("item"),
        lambda: kept.select("SELECT * FROM item"),
    ]
    for use in uses:
        with pytest.raises(EnvironmentFault, match="after the call had ended"):
            use()
    assert session.scanned()[0].rows == {}
