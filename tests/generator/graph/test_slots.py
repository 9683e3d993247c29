"""A value's name tells which columns it stands in, and which rows it names."""

from __future__ import annotations

import pytest

from generator.gates.calls.sample import keys_named, link, other_texts, slots_of
from runtime.domain.domain import Domain
from runtime.domain.schema import Schema, read_schema

SCHEMA = """
CREATE TABLE room (       -- A room
    id TEXT PRIMARY KEY,  -- Its id
    name TEXT NOT NULL    -- What it is called
) STRICT, WITHOUT ROWID;
CREATE TABLE guest (      -- A guest
    guest_id TEXT PRIMARY KEY,  -- Its id
    home_email TEXT NOT NULL    -- Where mail goes
) STRICT, WITHOUT ROWID;
CREATE TABLE stay (       -- A stay
    guest_id TEXT NOT NULL REFERENCES guest ON DELETE RESTRICT,  -- Who
    day TEXT NOT NULL,    -- When
    room TEXT NOT NULL REFERENCES room ON DELETE RESTRICT,  -- Where
    PRIMARY KEY (guest_id, day)
) STRICT, WITHOUT ROWID;
CREATE INDEX stay_by_room ON stay (room);
"""


@pytest.fixture(scope="module")
def schema() -> Schema:
    reading = read_schema(SCHEMA)
    assert not reading.faults
    return reading.schema


@pytest.mark.parametrize(
    ("name", "tables", "keys"),
    [
        pytest.param("guest_id", ["guest"], [("guest", "guest_id")], id="exact"),
        pytest.param("guest_id", ["stay"], [("guest", "guest_id")], id="reference"),
        pytest.param("room_id", ["room"], [("room", "id")], id="table_and_column"),
        pytest.param("new_room_id", ["room"], [("room", "id")], id="ends_with_table_and_id"),
        pytest.param("words", ["room"], [], id="nothing"),
        pytest.param("id", ["room", "guest"], [], id="too_general"),
    ],
)
def test_a_name_leads_to_the_rows_it_names(
    schema: Schema, name: str, tables: list[str], keys: list[tuple[str, str]]
) -> None:
    assert keys_named(name, tables, schema) == keys


def test_a_name_leads_to_columns_that_end_with_it(schema: Schema) -> None:
    assert link("email", ["guest"], schema) == [("guest", "home_email")]


def test_dates_and_choices_are_no_words(library: Domain) -> None:
    slots = {(tool.name, slot.name): slot for tool in library.tools.values() for slot in slots_of(tool, library.schema)}
    assert slots["search_books", "words"].is_open
    assert not slots["calculate_late_fee", "due_on"].is_words
    assert not slots["list_loans", "status"].is_words
    assert slots["register_member", "phone"].is_words


def test_another_text_keeps_the_shape() -> None:
    assert next(other_texts("LOAN-0017")) == "LOAN-1128"
    assert next(other_texts("Last Winters")) == "Mbtu Xjoufst"
    assert next(other_texts("ada@example.org")) == "beb@fybnqmf.psh"
    assert next(other_texts("–")) == "–2"
