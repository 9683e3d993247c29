"""Edits for twins: a rule names its columns, and columns that a CHECK ties change together."""

from __future__ import annotations

from generator.tasks.proofs.shortcuts import ShortcutCounts
from generator.tasks.proofs.twin_edits import _Place, _ties_of, columns_named
from runtime.domain.schema import read_schema

_SCHEMA = """
CREATE TABLE offer (  -- An offer
    offer_id    TEXT PRIMARY KEY,  -- Number
    state       TEXT NOT NULL CHECK (state IN ('open', 'declined')),  -- State
    decided_on  TEXT,              -- When decided
    remark      TEXT,              -- Remark
    CHECK ((state = 'open') = (decided_on IS NULL))
) STRICT, WITHOUT ROWID;
"""
_OPEN = ("O1", "open", None, "a")
_DECLINED = ("O2", "declined", "2024-01-01", "b")


def _row_is_open(row: dict[str, object]) -> bool:
    return row["state"] == "open"


def _rule(row: dict[str, object]) -> bool:
    """Says remark, which is no column that it looks at."""
    return not _row_is_open(row)


def test_a_rule_names_its_columns_itself_or_where_it_calls_its_own_file_but_not_in_its_prose():
    assert columns_named(_rule, ["offer_id", "state", "decided_on", "remark"]) == {"state"}


def test_columns_that_a_check_ties_are_taken_together_as_another_row_has_them():
    table = read_schema(_SCHEMA).schema.tables["offer"]
    place = _Place(table, _OPEN, (1, 2, 3), (1,), _ties_of(_SCHEMA, tuple(table.column_names)))
    assert place.tied_to(1) == [2]
    assert place.edit(_DECLINED, (1, 2)).after == ("O1", "declined", "2024-01-01", "a")


def test_rules_that_nearly_always_permit_are_a_fault_however_few_tasks_there_are():
    assert "0 of 18 wishes" in ShortcutCounts(tasks=64, ruled=18, denied=0).lopsided[0]
    assert "refuse_all" in ShortcutCounts(tasks=64, ruled=20, denied=17).lopsided[0]
    assert ShortcutCounts(tasks=64, ruled=20, denied=4).lopsided == []
    assert ShortcutCounts(tasks=64, ruled=11, denied=0).lopsided == []
