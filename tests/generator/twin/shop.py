"""A bike shop of six tables: customers, staff, services, bikes, orders, and lines that link orders with services."""

from __future__ import annotations

from generator.twin.ddl import read_sql
from generator.twin.schema import settle
from generator.twin.source import SourceSchema

SQL = """
CREATE TABLE customer (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,  -- Full name
    email VARCHAR(80) NOT NULL UNIQUE,
    phone TEXT,
    joined_on DATE NOT NULL DEFAULT CURRENT_DATE
);
CREATE TABLE staff (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    role TEXT NOT NULL CHECK (role IN ('mechanic', 'sales', 'manager')),
    active BOOLEAN NOT NULL DEFAULT 1
);
CREATE TABLE service (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    price DECIMAL(8, 2) NOT NULL CHECK (price >= 0),
    minutes INTEGER NOT NULL CHECK (minutes > 0)
);
CREATE TABLE bike (
    id INTEGER PRIMARY KEY,
    customer_id INTEGER NOT NULL REFERENCES customer,
    serial_no TEXT NOT NULL UNIQUE,
    make TEXT NOT NULL,
    color TEXT,
    year INTEGER CHECK (year > 1950)
);
CREATE TABLE work_order (
    id INTEGER PRIMARY KEY,
    bike_id INTEGER NOT NULL REFERENCES bike,
    staff_id INTEGER REFERENCES staff,  -- Who does the work
    status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_progress', 'ready', 'picked_up')),
    opened_on DATE NOT NULL,
    due_on DATE NOT NULL,  -- When the customer can pick it up
    note TEXT,
    CHECK (due_on >= opened_on)
);
CREATE TABLE order_line (
    work_order_id INTEGER NOT NULL REFERENCES work_order,
    service_id INTEGER NOT NULL REFERENCES service,
    quantity INTEGER NOT NULL DEFAULT 1 CHECK (quantity BETWEEN 1 AND 20),
    PRIMARY KEY (work_order_id, service_id)
);
INSERT INTO customer (name, email, phone) VALUES
    ('Maya Ortega', 'maya@example.com', '(614) 555-0142'), ('Tom Kowalski', 'tomk@example.com', NULL), ('Priya
    Raman', 'priya@example.com', '(614) 555-0107'), ('Luis Goncalves', 'luis@example.com', '(740) 555-0186'),
    ('Denise Walker', 'denise@example.com', '(614) 555-0133'), ('Kevin Tran', 'kevin@example.com', NULL);
INSERT INTO staff (name, role, active) VALUES
    ('Jane Peacock', 'mechanic', 1), ('Omar Haddad', 'mechanic', 1), ('Ruth Ellis', 'sales', 1), ('Ben Cho',
    'manager', 0);
INSERT INTO service (name, price, minutes) VALUES
    ('Tune-up', 79.0, 60), ('Brake adjustment', 24.5, 20), ('Wheel truing', 30.0, 30), ('Chain replacement', 42.75,
    25), ('Bearing service', 95.0, 90), ('Flat repair', 12.0, 10);
INSERT INTO bike (customer_id, serial_no, make, color, year) VALUES
    (1, 'WTU-10482', 'Trek Domane', 'blue', 2021), (1, 'WTU-10977', 'Surly Troll', 'green', 2018), (2, 'GX-55120',
    'Giant Escape', 'black', 2020), (3, 'SP-30041', 'Specialized Diverge', NULL, 2023), (4, 'KN-77310', 'Kona Dew',
    'red', NULL), (5, 'CN-20873', 'Cannondale Quick', 'white', 2019), (6, 'RL-66214', 'Raleigh Redux', 'orange',
    2016), (3, 'BN-90155', 'Bianchi Via Nirone', 'celeste', 2022);
INSERT INTO work_order (bike_id, staff_id, status, opened_on, due_on, note) VALUES
    (1, 1, 'picked_up', '2026-01-12', '2026-01-15', NULL), (2, 2, 'ready', '2026-03-02', '2026-03-09', 'Squeaks'),
    (3, 1, 'open', '2026-03-10', '2026-03-17', NULL), (4, NULL, 'open', '2026-03-11', '2026-03-20', NULL), (5, 2,
    'in_progress', '2026-03-05', '2026-03-13', 'Call first'), (1, 1, 'open', '2026-03-12', '2026-03-19', NULL), (6,
    2, 'ready', '2026-02-20', '2026-02-27', NULL), (8, 1, 'picked_up', '2026-02-02', '2026-02-05', NULL);
INSERT INTO order_line (work_order_id, service_id, quantity) VALUES
    (1, 1, 1), (1, 4, 1), (2, 2, 2), (3, 1, 1), (3, 6, 2), (3, 3, 2), (4, 5, 1), (5, 4, 1), (6, 2, 1), (7, 3, 2),
    (8, 1, 1), (8, 6, 1);
"""


def bike_shop() -> SourceSchema:
    return settle(read_sql(SQL, "bike_shop", "shop.sql", "sqlite"))
