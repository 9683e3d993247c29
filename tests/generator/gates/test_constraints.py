"""Claims about attacks on constraints: each kind is attacked, and one that does not refuse is named."""

from __future__ import annotations

from typing import Any

import pytest

from generator.gates.constraints import attack, attack_world
from runtime.domain.schema import read_schema
from runtime.session.world import World

END = ") STRICT, WITHOUT ROWID;"
Sample = tuple[str, dict[str, Any]]


def faults_of(sql: str, *rows: Sample) -> list[str]:
    """The faults of an attack on a schema, which must be one that SQLite accepts."""
    reading = read_schema(sql)
    assert reading.schema.tables, reading.faults
    return list(attack(reading.schema, rows).faults)


def thing(columns: str, row: dict[str, Any]) -> tuple[str, Sample]:
    """A table with a key and these columns, and a row of it."""
    return f"CREATE TABLE thing (thing_id TEXT PRIMARY KEY, {columns}{END}", ("thing", {"thing_id": "T1", **row})


def test_every_constraint_of_the_library_refuses(world: World) -> None:
    report = attack_world(world)
    assert report.faults == ()
    assert report.attacked == report.refused
    # 6 keys, 1 UNIQUE, 28 NOT NULL or key columns, 31 typed columns, 7 CHECKs, 6 foreign keys
    assert report.attacked == 6 + 1 + 28 + 31 + 7 + 6


MEANINGFUL: dict[str, tuple[str, dict[str, Any]]] = {
    "lower_bound": ("n INTEGER NOT NULL CHECK (n > 0)", {"n": 4}),
    "range": ("n INTEGER CHECK (n BETWEEN 3 AND 5)", {"n": 4}),
    "real": ("r REAL CHECK (r >= 0.5)", {"r": 0.75}),
    "choices": ("s TEXT CHECK (s IN ('on', 'off'))", {"s": "on"}),
    "length": ("s TEXT CHECK (length(s) BETWEEN 2 AND 60)", {"s": "abc"}),
    "like": ("s TEXT CHECK (s LIKE '%_@_%')", {"s": "a@b.c"}),
    "lower_case": ("s TEXT CHECK (s = lower(s))", {"s": "abc"}),
    "date": ("d TEXT CHECK (d = date(d))", {"d": "2026-01-01"}),
    "both_or_none": ("a TEXT, b TEXT, CHECK ((a IS NULL) = (b IS NULL))", {"a": "x", "b": "y"}),
    "sum": ("a INTEGER, b INTEGER, c INTEGER, CHECK (a + b = c)", {"a": 1, "b": 2, "c": 3}),
    "needed_in_one_state": (
        "s TEXT CHECK (s IN ('out', 'back')), at TEXT, CHECK (s <> 'back' OR at IS NOT NULL)",
        {"s": "out", "at": None},
    ),
    "behind_a_stricter_one": ("n INTEGER CHECK (n > 0), CHECK (n > -5)", {"n": 1}),
    "comments": ("n INTEGER /* CHECK ( */ CHECK (n -- ) \n > 0)", {"n": 1}),
    "of_a_unique_column": ("n INTEGER UNIQUE CHECK (n > 0)", {"n": 1}),
    "unique_only_nulls_so_far": ("a TEXT UNIQUE, b TEXT", {"a": None}),
    "unique_two_columns": ("a TEXT, b TEXT, UNIQUE (a, b)", {"a": "x", "b": None}),
}


@pytest.mark.parametrize("name", MEANINGFUL)
def test_a_constraint_that_means_something_is_broken_whatever_the_rows_hold(name: str) -> None:
    sql, sample = thing(*MEANINGFUL[name])
    assert faults_of(sql, sample) == []


@pytest.mark.parametrize(
    ("index", "row"), [("(lower(a))", {"a": "x"}), ("(a) WHERE s = 'on'", {"s": "off"})], ids=["expression", "part"]
)
def test_a_unique_index_is_attacked(index: str, row: dict[str, Any]) -> None:
    sql, sample = thing("a TEXT, s TEXT", row)
    assert faults_of(f"{sql}CREATE UNIQUE INDEX i ON thing {index};", sample) == []


@pytest.mark.parametrize("check", ["1", "length(x) >= 0", "typeof(x) <> 'blob' OR 1"])
def test_a_check_that_refuses_nothing_is_named_with_what_was_tried(check: str) -> None:
    sql, sample = thing(f"x TEXT CHECK ({check})", {"x": None})
    (fault,) = faults_of(sql, sample)
    assert fault.startswith(f"CHECK ({check}) of thing refused none of")


def test_a_table_that_is_not_strict_has_no_types_to_attack_and_accepts_null_keys() -> None:
    faults = faults_of("CREATE TABLE thing (id TEXT PRIMARY KEY, n INTEGER);", ("thing", {"id": "T"}))
    assert faults == ["NOT NULL of thing.id did not refuse a row that breaks it; it was accepted"]


def test_keys_that_are_references_and_shared_or_point_to_themselves_are_attacked() -> None:
    sql = f"""
        CREATE TABLE person (id TEXT PRIMARY KEY, boss TEXT REFERENCES person ON DELETE RESTRICT{END}
        CREATE TABLE team (id INTEGER PRIMARY KEY, lead TEXT UNIQUE REFERENCES person ON DELETE RESTRICT{END}
        CREATE TABLE member (
            team INTEGER REFERENCES team ON DELETE RESTRICT, person TEXT REFERENCES person ON DELETE RESTRICT,
            PRIMARY KEY (team, person){END}
        CREATE TABLE badge (
            team INTEGER, person TEXT UNIQUE REFERENCES person ON DELETE RESTRICT, number INTEGER PRIMARY KEY,
            FOREIGN KEY (team, person) REFERENCES member (team, person) ON DELETE RESTRICT{END}
    """
    rows: list[Sample] = [
        ("badge", {"team": 1, "person": "A", "number": 7}),  # given before its parents
        ("person", {"id": "A", "boss": None}),
        ("person", {"id": "B", "boss": "A"}),
        ("team", {"id": 1, "lead": "B"}),
        ("member", {"team": 1, "person": "A"}),
    ]
    assert faults_of(sql, *rows) == []


@pytest.mark.parametrize(
    ("sample", "said"),
    [
        pytest.param(("thing", {"thing_id": "T2", "n": 0}), "does not fit: CHECK constraint failed: n > 0", id="check"),
        pytest.param(("thing", {"thing_id": "T1", "n": 1}), "does not fit: UNIQUE constraint failed", id="key"),
        pytest.param(("thing", {"thing_id": "T2", "m": 1}), "has no column named m", id="column"),
        pytest.param(("thong", {"thing_id": "T2"}), "names unknown table 'thong'; have: thing", id="table"),
    ],
)
def test_a_sample_row_that_does_not_fit_is_a_fault_of_its_own(sample: Sample, said: str) -> None:
    sql, fine = thing("n INTEGER CHECK (n > 0)", {"n": 1})
    (fault,) = faults_of(sql, fine, sample)
    assert said in fault
    assert fault.startswith(f"sample row of {sample[0]} {{")


def test_a_table_without_a_sample_row_cannot_be_attacked() -> None:
    sql, sample = thing("n INTEGER", {"n": 1})
    faults = faults_of(f"{sql} CREATE TABLE empty (id TEXT PRIMARY KEY{END}", sample)
    assert faults == ["table 'empty' has no sample row; its constraints were not attacked"]
