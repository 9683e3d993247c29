"""A small shop with what the library lacks, states of it, and a slow but plain definition of equal final states."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from copy import deepcopy
from itertools import permutations, product
from math import factorial, prod
from pathlib import Path

from runtime.domain.changes import Changes, scan_changes
from runtime.domain.domain import Domain
from runtime.domain.schema import Key, Schema, Value
from runtime.verification.verdict import Verdict
from runtime.verification.verify import verify
from tests.making import make_domain

Record = dict[str, Value]
State = dict[str, list[Record]]
Names = Mapping[tuple[str, Value], Value]  # (table, generated key) -> another one
SameText = Callable[[str, str], bool]

SCHEMA = """
CREATE TABLE product (             -- What can be bought
    sku    TEXT PRIMARY KEY,       -- Article number on the package
    price  REAL NOT NULL           -- Price
) STRICT, WITHOUT ROWID;

CREATE TABLE customer (            -- Who buys
    customer_id     TEXT PRIMARY KEY,  -- Number
    name            TEXT NOT NULL,     -- Full name
    code            TEXT UNIQUE,       -- Code to recommend the shop with
    recommended_by  TEXT REFERENCES customer (code) ON DELETE RESTRICT,  -- Code of another customer
    phone           TEXT,              -- Phone number
    seen_at         TEXT,              -- Last visit
    last_purchase   TEXT REFERENCES purchase ON DELETE RESTRICT          -- Latest purchase
) STRICT, WITHOUT ROWID;
CREATE INDEX customer_by_recommendation ON customer (recommended_by);
CREATE INDEX customer_by_purchase ON customer (last_purchase);

CREATE TABLE purchase (            -- Things bought at once
    purchase_id  TEXT PRIMARY KEY,     -- Number
    customer_id  TEXT NOT NULL REFERENCES customer ON DELETE RESTRICT,   -- Who bought
    follows      TEXT REFERENCES purchase ON DELETE RESTRICT,            -- Purchase that it completes
    total        REAL NOT NULL,        -- What it costs
    note         TEXT,                 -- Words for the packers
    gift         TEXT,                 -- Wrapping
    placed_at    TEXT NOT NULL         -- When
) STRICT, WITHOUT ROWID;
CREATE INDEX purchase_by_customer ON purchase (customer_id);
CREATE INDEX purchase_by_followed ON purchase (follows);

CREATE TABLE line (                -- One article of a purchase
    purchase_id  TEXT NOT NULL REFERENCES purchase ON DELETE RESTRICT,   -- Purchase it is of
    number       INTEGER NOT NULL,     -- Place on the bill
    sku          TEXT NOT NULL REFERENCES product ON DELETE RESTRICT,    -- Article
    quantity     INTEGER NOT NULL,     -- How many
    PRIMARY KEY (purchase_id, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX line_by_article ON line (sku);

CREATE TABLE shipment (            -- A parcel
    shipment_id  TEXT PRIMARY KEY,     -- Number
    purchase_id  TEXT NOT NULL,        -- Purchase of the line it carries
    number       INTEGER NOT NULL,     -- The line it carries
    carrier      TEXT NOT NULL,        -- Who carries it
    FOREIGN KEY (purchase_id, number) REFERENCES line ON DELETE RESTRICT
) STRICT, WITHOUT ROWID;
CREATE INDEX shipment_by_line ON shipment (purchase_id, number);

CREATE TABLE event (               -- What happened
    event_id  INTEGER PRIMARY KEY,     -- Number
    what      TEXT NOT NULL            -- In words
) STRICT, WITHOUT ROWID;

CREATE TABLE node (                -- A place
    node_id  INTEGER PRIMARY KEY,      -- Number
    colour   TEXT NOT NULL             -- Colour on the map
) STRICT, WITHOUT ROWID;

CREATE TABLE link (                -- A way between places
    source  INTEGER NOT NULL REFERENCES node ON DELETE RESTRICT,         -- From
    target  INTEGER NOT NULL REFERENCES node ON DELETE RESTRICT,         -- To
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX link_by_target ON link (target);
"""

COLUMNS = {
    "product.sku": {"policy": "hard", "reason": "printed on the package"},
    "product.price": {"policy": "hard", "tolerance": 0.01, "reason": "rounding"},
    "customer.phone": {"policy": "optional", "reason": "not everyone gives one"},
    "customer.seen_at": {"policy": "generated", "reason": "the clock"},
    "purchase.total": {"policy": "hard", "tolerance": 0.01, "reason": "rounding"},
    "purchase.note": {"policy": "semantic", "reason": "words"},
    "purchase.gift": {"policy": "optional", "reason": "a matter of taste"},
    "purchase.placed_at": {"policy": "generated", "reason": "the clock"},
}


def customer(customer_id: str, name: str, **values: Value) -> Record:
    """A customer; what is left out is NULL."""
    empty = dict.fromkeys(("code", "recommended_by", "phone", "seen_at", "last_purchase"))
    return {"customer_id": customer_id, "name": name, **empty, **values}


def purchase(purchase_id: str, customer_id: str, **values: Value) -> Record:
    """A purchase of 10.0; what is left out is NULL."""
    empty: Record = {"follows": None, "total": 10.0, "note": None, "gift": None, "placed_at": "now"}
    return {"purchase_id": purchase_id, "customer_id": customer_id, **empty, **values}


def line(purchase_id: str, number: int, sku: str = "tea", quantity: int = 1) -> Record:
    """A line of a purchase."""
    return {"purchase_id": purchase_id, "number": number, "sku": sku, "quantity": quantity}


def shipment(shipment_id: str, purchase_id: str, number: int, carrier: str = "post") -> Record:
    """A parcel with one line."""
    return {"shipment_id": shipment_id, "purchase_id": purchase_id, "number": number, "carrier": carrier}


START: State = {
    "product": [{"sku": "tea", "price": 4.5}, {"sku": "pot", "price": 20.0}],
    "customer": [customer("C1", "Ann", code="ANN", phone="1"), customer("C2", "Bob", phone="2", last_purchase="P1")],
    "purchase": [purchase("P1", "C2", note="Ring twice")],
    "line": [line("P1", 1), line("P1", 2, "pot")],
    "shipment": [shipment("S1", "P1", 1), shipment("S2", "P1", 2)],
    "event": [],
    "node": [],
    "link": [],
}


def make_shop(folder: Path) -> Domain:
    """Write and load the shop."""
    return make_domain(folder, schema=SCHEMA, columns=COLUMNS, logs={"event": "what happened, for nobody"})


def with_rows(state: State, **rows: list[Record]) -> State:
    """A state with some more rows, by table."""
    return {table: deepcopy(own) + rows.get(table, []) for table, own in state.items()}


def with_values(state: State, table: str, place: int, **values: Value) -> State:
    """A state in which one row has other values."""
    changed = deepcopy(state)
    changed[table][place].update(values)
    return changed


def write_state(schema: Schema, state: State, *, sound: bool = True) -> sqlite3.Connection:
    """A state as a database; `sound` states break no constraint."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    schema.create(connection)
    connection.execute(f"PRAGMA foreign_keys = {int(sound)}")
    connection.execute("BEGIN")
    connection.execute("PRAGMA defer_foreign_keys = ON")
    for table, rows in state.items():
        names = schema.tables[table].column_names
        connection.executemany(schema.tables[table].insert_row, [[row[name] for name in names] for row in rows])
    connection.execute("COMMIT")
    return connection


def changes_to(shop: Domain, end: State, start: State = START, *, sound: bool = True) -> Changes:
    """The changes from one state to another, by reading a database of each."""
    with (
        closing(write_state(shop.schema, start)) as before,
        closing(write_state(shop.schema, end, sound=sound)) as after,
    ):
        return scan_changes(before, after, shop.schema)


def new_keys(shop: Domain, state: State, start: State = START) -> dict[str, list[Value]]:
    """The generated keys of the added rows by table."""
    found: dict[str, list[Value]] = {}
    for table in shop.schema.tables.values():
        key = table.primary_key[0]
        if _is_generated_key(shop, table.name, key) and table.name not in shop.policies.logs:
            old = {row[key] for row in start[table.name]}
            found[table.name] = [row[key] for row in state[table.name] if row[key] not in old]
    return found


def rename(shop: Domain, state: State, names: Names) -> State:
    """A state with other generated keys, in the rows themselves and wherever foreign keys name them."""
    return {
        table: [
            {
                column: names.get((_origin(shop, table, column)[0], value), value)
                if _is_generated_key(shop, *_origin(shop, table, column))
                else value
                for column, value in row.items()
            }
            for row in rows
        ]
        for table, rows in state.items()
    }


def are_equal(shop: Domain, expected: State, actual: State, same_text: SameText, start: State = START) -> bool:
    """Whether some renaming of generated keys makes the states equal under the policies, by trying all of them."""
    mine, theirs = new_keys(shop, expected, start), new_keys(shop, actual, start)
    if {table: len(keys) for table, keys in mine.items()} != {table: len(keys) for table, keys in theirs.items()}:
        return False
    assert prod(factorial(len(keys)) for keys in mine.values()) <= 5_000
    for orders in product(*(permutations(mine[table]) for table in mine)):
        pairs = zip(theirs.items(), orders, strict=True)
        names = {(table, old): new for (table, keys), order in pairs for old, new in zip(keys, order, strict=True)}
        if _agree(shop, start, expected, rename(shop, actual, names), same_text):
            return True
    return False


def _agree(shop: Domain, start: State, expected: State, actual: State, same_text: SameText) -> bool:
    for table in shop.schema.tables:
        if table in shop.policies.logs:
            continue
        before, mine, theirs = (_by_key(shop, table, state) for state in (start, expected, actual))
        if mine.keys() != theirs.keys():
            return False
        for key, row in mine.items():
            touched = key not in before or any(
                shop.policies.of(table, column).policy != "generated" and value != before[key][column]
                for column, value in row.items()
            )
            old = before.get(key)
            own = {column for column, value in row.items() if touched and (old is None or old[column] != value)}
            if list(differing(shop, table, row, theirs[key], same_text, touched=touched, own=own)):
                return False
    return True


def differing(
    shop: Domain, table: str, row: Record, other: Record, same_text: SameText, *, touched: bool, own: set[str]
) -> Iterator[str]:
    """The columns of a row that are not as they should be; an optional one counts unless the task sets it (`own`)."""
    for column, value in row.items():
        policy, found = shop.policies.of(table, column), other[column]
        if policy.policy == "generated" or (column in own and policy.policy == "optional") or value == found:
            continue
        if touched and policy.policy == "semantic" and same_text(str(value or ""), str(found or "")):
            continue
        if touched and policy.tolerance and abs(float(str(value)) - float(str(found))) <= policy.tolerance:
            continue
        yield column


def _by_key(shop: Domain, table: str, state: State) -> dict[Key, Record]:
    return {tuple(row[name] for name in shop.schema.tables[table].primary_key): row for row in state[table]}


def _origin(shop: Domain, table: str, column: str) -> tuple[str, str]:
    """The table and column that a column's values come from, along its foreign keys."""
    for foreign_key in shop.schema.tables[table].foreign_keys:
        if column in foreign_key.columns:
            return _origin(shop, foreign_key.parent, foreign_key.parent_columns[foreign_key.columns.index(column)])
    return table, column


def _is_generated_key(shop: Domain, table: str, column: str) -> bool:
    return shop.schema.tables[table].primary_key == (column,) and shop.policies.of(table, column).policy == "generated"


def judge(shop: Domain, expected: State, actual: State, *, sound: bool = True) -> Verdict:
    """The verdict on a state of the shop, once it is consistent in itself."""
    verdict = verify(
        shop.schema, shop.policies, changes_to(shop, expected, sound=sound), changes_to(shop, actual, sound=sound)
    )
    assert (verdict.progress == 1.0) == (verdict.reward == 1) == (not verdict.differences)
    assert 0 <= verdict.made <= verdict.expected
    assert "wrong_pattern" not in {difference.kind for difference in verdict.differences}
    return verdict
