"""What always holds in worlds: stated so that it can be asked."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from runtime.domain.domain import MOST_INVARIANTS, Domain, broken_invariants
from runtime.domain.load import load_domain
from runtime.errors import BrokenDomain
from tests.making import WORLD, world_of, write_domain

MANY = {f"Number {number}.": "SELECT label FROM thing" for number in range(MOST_INVARIANTS + 1)}


@pytest.mark.parametrize(
    ("stated", "fault"),
    [
        pytest.param("('All is well.',)", "INVARIANTS is not a dict of texts", id="no_dict"),
        pytest.param("{'All is well.': 3}", "INVARIANTS is not a dict of texts", id="no_text"),
        pytest.param(repr(MANY), "INVARIANTS has 21 entries; at most 20 are read", id="many"),
        pytest.param("{'All is well.': 'SELECT labl FROM thing'}", "no such column: labl", id="column"),
        pytest.param("{'All is well.': 'DELETE FROM thing'}", "SQLite does not accept its SELECT", id="writes"),
        pytest.param("{'All is well.': 'SELECT count(*) FROM thing'}", "returns no column of a table", id="names_none"),
    ],
)
def test_what_cannot_be_asked_is_a_fault_of_the_world_program(tmp_path: Path, stated: str, fault: str) -> None:
    with pytest.raises(BrokenDomain, match="world.py: INVARIANTS") as broken:
        load_domain(write_domain(tmp_path, world=f"{WORLD}\n\nINVARIANTS = {stated}\n"))
    assert fault in str(broken.value)


def test_a_row_that_breaks_what_always_holds_is_told_of(library: Domain) -> None:
    table = library.schema.tables["loan"]
    with closing(world_of(library, 1, 100).open()) as connection:
        assert not list(broken_invariants(connection, library.invariants))
        row = table.record(connection.execute("SELECT * FROM loan WHERE status = 'out'").fetchone())
        past = {"status": "returned", "renewals": 0}
        for number, (changed, sentence) in enumerate(((past, ""), ({}, "Of a book are no more copies out"))):
            for copy in range(3):
                year = f"201{copy}-01"
                days = {"borrowed_on": f"{year}-01", "due_on": f"{year}-15", "returned_at": f"{year}-02 10:00:00"}
                record = {**row, "loan_id": f"LOAN-9{number}{copy}0", **changed, **(days if changed else {})}
                connection.execute(table.insert_row, [record[name] for name in table.column_names])
            said = list(broken_invariants(connection, library.invariants))
            assert any(each.startswith(f"{sentence!r}"[:-1]) for each in said) is bool(sentence)
