"""A small domain whose tools do on request what a tool should not: any SQL, any write, failing half-way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from tests.making import TOOL, write_domain

SCHEMA = """
CREATE TABLE item (                 -- Something that is stored
    item_id    TEXT PRIMARY KEY,    -- Its number
    label      TEXT NOT NULL UNIQUE,  -- What is written on it
    price      REAL,                -- What it costs
    amount     INTEGER CHECK (amount >= 0),  -- How many there are
    touched_at TEXT                 -- When it was last changed
) STRICT, WITHOUT ROWID;

CREATE TABLE crate (                -- A box of one item
    crate_id INTEGER PRIMARY KEY,   -- Its number
    item_id  TEXT NOT NULL REFERENCES item ON DELETE RESTRICT  -- What is in it
) STRICT, WITHOUT ROWID;
CREATE INDEX crate_by_item ON crate (item_id);

CREATE TABLE slot (                 -- A place for a crate
    aisle    INTEGER NOT NULL,      -- Which aisle
    "order"  INTEGER NOT NULL,      -- Which place in the aisle
    crate_id INTEGER REFERENCES crate ON DELETE RESTRICT,  -- What stands there
    PRIMARY KEY (aisle, "order")
) STRICT, WITHOUT ROWID;
CREATE INDEX slot_by_crate ON slot (crate_id);

CREATE TABLE event (                -- Something that happened
    event_id INTEGER PRIMARY KEY,   -- Its number
    what     TEXT NOT NULL          -- What happened
) STRICT, WITHOUT ROWID;

CREATE TABLE secret (               -- What only its keeper may read
    secret_id INTEGER PRIMARY KEY,  -- Its number
    word      TEXT NOT NULL         -- The word
) STRICT, WITHOUT ROWID;
"""

TOOLS = '''
from typing import Literal

from runtime import Field


class Rows(TypedDict):
    rows: Annotated[list[dict[str, str | int | float | None]], "Rows"]


class Ids(TypedDict):
    ids: Annotated[list[str | int], "New keys"]


@tool(reads=["item", "crate", "slot"])
def query(
    db: Database, sql: Annotated[str, "SQL"], values: Annotated[list[str | int | float | None] | None, "Bound"] = None
) -> Rows:
    """Run SQL."""
    return {"rows": db.select(sql, *(values or []))}


@tool(reads=["secret"])
def query_secret(db: Database, sql: Annotated[str, "SQL"]) -> Rows:
    """Run SQL with the right to read secrets."""
    return {"rows": db.select(sql)}


@tool(writes=["item", "crate", "slot", "event"], rejects=["ALREADY_EXISTS", "NOT_FOUND", "FAILED_PRECONDITION"])
def write(
    db: Database,
    verb: Annotated[Literal["insert", "update", "delete"], "What to do"],
    table: Annotated[str, "Table"],
    key: Annotated[list[str | int | float | None], "Key"],
    values: Annotated[dict[str, str | int | float | bool | None], "Columns"],
) -> Rows:
    """Call a row helper."""
    if verb == "insert":
        return {"rows": [db.insert(table, **values)]}
    if verb == "update":
        return {"rows": [db.update(table, *key, **values)]}
    return {"rows": [db.delete(table, *key)]}


@tool(writes=["item", "crate", "slot"])
def take_ids(db: Database, table: Annotated[str, "Table"], count: Annotated[int, "How many"]) -> Ids:
    """Take new ids and use none."""
    return {"ids": [db.new_id(table) for _ in range(count)]}


@tool(writes=["item"], rejects=["ALREADY_EXISTS"])
def add_item(db: Database, label: Annotated[str, "Label", Field(max_length=100000)]) -> Rows:
    """Add an item under a new id."""
    return {"rows": [db.insert("item", item_id=db.new_id("item"), label=label, touched_at=db.now)]}


@tool(writes=["item"])
def touch(db: Database, item_id: Annotated[str, "Item"], at: Annotated[str, "When"]) -> Rows:
    """Change only the bookkeeping."""
    return {"rows": [db.update("item", item_id, touched_at=at)]}


@tool(writes=["event"])
def report(db: Database, what: Annotated[str, "What happened"]) -> Rows:
    """Add to the log."""
    return {"rows": [db.insert("event", event_id=db.new_id("event"), what=what)]}
'''

FAILURES = '''
from typing import Literal
class Count(TypedDict):
    count: Annotated[int, "How many"]


class Rows(TypedDict):
    rows: Annotated[list[dict[str, str | int | float | None]], "Rows"]


@tool(writes=["item", "crate"], rejects=["FAILED_PRECONDITION"])
def add_and_fail(
    db: Database,
    how: Annotated[
        Literal["reject", "crash", "recursion", "fill"],
        "How it ends",
    ],
) -> Count:
    """Add an item and a crate, then fail."""
    for _ in range(3):
        item = db.insert("item", item_id=db.new_id("item"), label=f"item {db.new_id('item')}")
        db.insert("crate", crate_id=db.new_id("crate"), item_id=item["item_id"])
    if how == "reject":
        raise Rejection.failed_precondition("It may not be.")
    if how == "crash":
        return {"count": 1 // 0}
    if how == "recursion":
        return {
            "count": db.value(
                "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c"
            )
        }
    for i in range(100000):
        db.insert("item", item_id=db.new_id("item"), label=f"{i:0999d}")
    return {"count": 0}


@tool(reads=["item"])
def count_rows(db: Database, to: Annotated[int, "How far"]) -> Count:
    """Count in SQL and fetch every row."""
    numbers = "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) SELECT i FROM c"
    count = 0
    for _ in range(3):
        count += len(db.select(numbers, to))
    return {"count": count}
'''

WORLD = '''"""A shelf of items."""


def populate(world):
    items = [
        world.insert("item", label=f"item {world.seed} {number}", price=number * 0.5, amount=number)
        for number in range(world.share(0.5))
    ]
    for number, item in enumerate(items[::2]):
        crate = world.insert("crate", item_id=item["item_id"])
        world.insert("slot", aisle=number % 3, order=number, crate_id=crate["crate_id"])
    world.insert("secret", word="swordfish")
'''

GENERATED = {"policy": "generated", "reason": "bookkeeping"}
COLUMNS = {"item.price": {"policy": "hard", "tolerance": 0.001, "reason": "a float"}, "item.touched_at": GENERATED}


def make_warehouse(folder: Path, **parts: Any) -> Domain:
    """Write and load the domain."""
    card = {"columns": COLUMNS, "logs": {"event": "what happened is not compared"}}
    path = write_domain(folder, **{"schema": SCHEMA, "tools": TOOLS, "world": WORLD, **card, **parts})
    (path / "tools" / "failures.py").write_text(TOOL + FAILURES)
    return load_domain(path)
