"""A bike shop of six tables, settled by hand: what the readers and the schema writer give to the rest of the twin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator.twin.settled import SettledTable, SourceSchema
from generator.twin.source import Reference, SourceColumn

SQL = """
-- A bike shop: customers bring bikes, staff take orders for services.

CREATE TABLE customer (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL UNIQUE CHECK (length(email) <= 80),
    phone TEXT,
    joined_on TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE staff (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('mechanic', 'sales', 'manager')),
    active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1))
) STRICT, WITHOUT ROWID;

CREATE TABLE service (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    price REAL NOT NULL CHECK (price >= 0),
    minutes INTEGER NOT NULL CHECK (minutes > 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE bike (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer ON DELETE RESTRICT,
    serial_no TEXT NOT NULL UNIQUE,
    model TEXT NOT NULL,
    color TEXT,
    year INTEGER CHECK (year > 1950)
) STRICT, WITHOUT ROWID;

CREATE INDEX bike_by_customer ON bike (customer_id);

CREATE TABLE work_order (
    id INTEGER PRIMARY KEY,
    bike_id INTEGER NOT NULL REFERENCES bike ON DELETE RESTRICT,
    staff_id INTEGER REFERENCES staff ON DELETE RESTRICT,
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_progress', 'ready', 'picked_up')),
    opened_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    note TEXT,
    CHECK (due_on >= opened_on)
) STRICT, WITHOUT ROWID;

CREATE INDEX work_order_by_bike ON work_order (bike_id);
CREATE INDEX work_order_by_staff ON work_order (staff_id);

CREATE TABLE order_line (
    work_order_id INTEGER NOT NULL REFERENCES work_order ON DELETE RESTRICT,
    service_id INTEGER NOT NULL REFERENCES service ON DELETE RESTRICT,
    quantity INTEGER NOT NULL DEFAULT 1 CHECK (quantity BETWEEN 1 AND 20),
    PRIMARY KEY (work_order_id, service_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX order_line_by_service ON order_line (service_id);
"""

CUSTOMERS = (
    *(("Maya Ortega", "maya@example.com", "(614) 555-0142"), ("Tom Kowalski", "tomk@example.com", None)),
    *(("Priya Raman", "priya@example.com", "(614) 555-0107"), ("Luis Goncalves", "luis@example.com", "(740) 555-0186")),
    *(("Denise Walker", "denise@example.com", "(614) 555-0133"), ("Kevin Tran", "kevin@example.com", None)),
)
STAFF = (
    ("Jane Peacock", "mechanic", 1),
    ("Omar Haddad", "mechanic", 1),
    ("Ruth Ellis", "sales", 1),
    ("Ben Cho", "manager", 0),
)
SERVICES = (
    *(("Tune-up", 79.0, 60), ("Brake adjustment", 24.5, 20), ("Wheel truing", 30.0, 30)),
    *(("Chain replacement", 42.75, 25), ("Bearing service", 95.0, 90), ("Flat repair", 12.0, 10)),
)
BIKES = (
    *((1, "WTU-10482", "Trek Domane", "blue", 2021), (1, "WTU-10977", "Surly Troll", "green", 2018)),
    *((2, "GX-55120", "Giant Escape", "black", 2020), (3, "SP-30041", "Specialized Diverge", None, 2023)),
    *((4, "KN-77310", "Kona Dew", "red", None), (5, "CN-20873", "Cannondale Quick", "white", 2019)),
    *((6, "RL-66214", "Raleigh Redux", "orange", 2016), (3, "BN-90155", "Bianchi Via Nirone", "celeste", 2022)),
)
ORDERS = (
    *((1, 1, "picked_up", "2026-01-12", "2026-01-15", None), (2, 2, "ready", "2026-03-02", "2026-03-09", "Squeaks")),
    *((3, 1, "open", "2026-03-10", "2026-03-17", None), (4, None, "open", "2026-03-11", "2026-03-20", None)),
    *(
        (5, 2, "in_progress", "2026-03-05", "2026-03-13", "Call first"),
        (1, 1, "open", "2026-03-12", "2026-03-19", None),
    ),
    *((6, 2, "ready", "2026-02-20", "2026-02-27", None), (8, 1, "picked_up", "2026-02-02", "2026-02-05", None)),
)
LINES = (
    (1, 1, 1),
    (1, 4, 1),
    (2, 2, 2),
    (3, 1, 1),
    (3, 6, 2),
    (3, 3, 2),
    (4, 5, 1),
    (5, 4, 1),
    (6, 2, 1),
    (7, 3, 2),
    (8, 1, 1),
    (8, 6, 1),
)


def bike_shop() -> SourceSchema:
    """Six tables: customers, staff, services, bikes, work orders, and lines that link orders with services."""
    whole, text, real, day = "integer", "text", "real", "date"
    tables = [
        SettledTable(
            "customer",
            "customers",
            "customer",
            "customers",
            _columns(
                SourceColumn("id", whole, required=True, made="counter"),
                SourceColumn("name", text, required=True, comment="Full name"),
                SourceColumn("email", text, required=True, longest=80),
                SourceColumn("phone", text),
                SourceColumn("joined_on", day, required=True, made="clock"),
            ),
            ("id",),
            counted=True,
            uniques=[("email",)],
            rows=_rows(("name", "email", "phone", "joined_on"), [(*row, "2025-05-04") for row in CUSTOMERS]),
            label="name",
        ),
        SettledTable(
            "staff",
            "staff",
            "staff member",
            "staff members",
            _columns(
                SourceColumn("id", whole, required=True, made="counter"),
                SourceColumn("name", text, required=True),
                SourceColumn("role", text, required=True, choices=("mechanic", "sales", "manager")),
                SourceColumn("active", "boolean", required=True, default=1),
            ),
            ("id",),
            counted=True,
            uniques=[("name",)],
            rows=_rows(("name", "role", "active"), STAFF),
            label="name",
        ),
        SettledTable(
            "service",
            "services",
            "service",
            "services",
            _columns(
                SourceColumn("id", whole, required=True, made="counter"),
                SourceColumn("name", text, required=True),
                SourceColumn("price", real, required=True, decimals=2),
                SourceColumn("minutes", whole, required=True),
            ),
            ("id",),
            counted=True,
            uniques=[("name",)],
            checks=["price >= 0", "minutes > 0"],
            rows=_rows(("name", "price", "minutes"), SERVICES),
            label="name",
        ),
        SettledTable(
            "bike",
            "bikes",
            "bike",
            "bikes",
            _columns(
                SourceColumn("id", whole, required=True, made="counter"),
                SourceColumn("customer_id", whole, required=True),
                SourceColumn("serial_no", text, required=True),
                SourceColumn("model", text, required=True),
                SourceColumn("color", text),
                SourceColumn("year", whole),
            ),
            ("id",),
            counted=True,
            references=[Reference(("customer_id",), "customer", ("id",))],
            uniques=[("serial_no",)],
            checks=["year > 1950"],
            rows=_rows(("customer_id", "serial_no", "model", "color", "year"), BIKES),
            label="serial_no",
        ),
        SettledTable(
            "work_order",
            "work_orders",
            "work order",
            "work orders",
            _columns(
                SourceColumn("id", whole, required=True, made="counter"),
                SourceColumn("bike_id", whole, required=True),
                SourceColumn("staff_id", whole, comment="Who does the work"),
                SourceColumn(
                    "status", text, required=True, default="open", choices=("open", "in_progress", "ready", "picked_up")
                ),
                SourceColumn("opened_on", day, required=True),
                SourceColumn("due_on", day, required=True, comment="When the customer can pick it up"),
                SourceColumn("note", text),
            ),
            ("id",),
            counted=True,
            references=[Reference(("bike_id",), "bike", ("id",)), Reference(("staff_id",), "staff", ("id",))],
            checks=["due_on >= opened_on"],
            rows=_rows(("bike_id", "staff_id", "status", "opened_on", "due_on", "note"), ORDERS),
        ),
        SettledTable(
            "order_line",
            "order_lines",
            "order line",
            "order lines",
            _columns(
                SourceColumn("work_order_id", whole, required=True),
                SourceColumn("service_id", whole, required=True),
                SourceColumn("quantity", whole, required=True, default=1, least=1, most=20),
            ),
            ("work_order_id", "service_id"),
            references=[
                Reference(("work_order_id",), "work_order", ("id",)),
                Reference(("service_id",), "service", ("id",)),
            ],
            rows=_rows(("work_order_id", "service_id", "quantity"), LINES, key=False),
        ),
    ]
    return SourceSchema(
        "Bike shop", {table.name: table for table in tables}, sql=_commented(SQL), clock="2026-03-16 09:30:00"
    )


def _columns(*columns: SourceColumn) -> dict[str, SourceColumn]:
    return {column.name: column for column in columns}


def _rows(names: Sequence[str], rows: Sequence[tuple[Any, ...]], *, key: bool = True) -> list[dict[str, Any]]:
    return [
        {**({"id": number} if key else {}), **dict(zip(names, row, strict=True))} for number, row in enumerate(rows, 1)
    ]


def _commented(sql: str) -> str:
    """The SQL with a comment for each table and column, as a domain's schema must have them."""
    lines = sql.splitlines()
    for number, line in enumerate(lines):
        if line.startswith(("CREATE TABLE", "    ")) and not line.startswith(("    CHECK", "    PRIMARY")):
            lines[number] = f"{line}  -- {line.replace('CREATE TABLE', '').split()[0].replace('_', ' ')}"
    return "\n".join(lines) + "\n"
