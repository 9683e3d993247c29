"""Near-duplicates fit the schema, differ in what the user tells, and leave the chain as it was."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from generator.tasks.distract import harmless
from generator.tasks.proofs.replayer import Candidate
from runtime.domain.changes import RowName
from runtime.domain.domain import Domain, broken_invariants
from runtime.domain.schema import Value
from runtime.task.task import AddedRow


def _row(number: int) -> AddedRow:
    return AddedRow(table="loan", columns={"loan_id": f"LOAN-{number:04d}"})


def test_ids_are_dealt_over_originals_and_near_duplicates(candidates: list[Candidate]) -> None:
    lowest = others = 0
    for candidate in candidates:
        for table, key in candidate.picks:
            added = [str(row.columns[f"{table}_id"]) for row in candidate.task.added if row.table == table]
            if len(added) > 2:
                lowest += str(key[0]) < min(added)
                others += min(added) < str(key[0])
    assert 0 < lowest < others


def test_near_duplicates_keep_to_what_always_holds(candidates: list[Candidate], library: Domain) -> None:
    for candidate in candidates:
        with closing(candidate.world.open()) as connection:
            assert not list(broken_invariants(connection, library.invariants)), candidate.task.id


def test_a_near_duplicate_differs_in_something_that_is_told(candidates: list[Candidate], library: Domain) -> None:
    told = {
        "loan": {"book_id", "member_id"},
        "hold": {"book_id", "member_id"},
        "member": {"email", "name", "phone"},
        "book": {"title", "author"},
    }
    for candidate in candidates:
        rows = {each: studied_row(library, candidate, each) for each in candidate.picks}
        for row in candidate.task.added:
            if row.table not in dict(candidate.picks):
                continue  # it makes another tool usable
            assert row.columns.keys() & told[row.table], row
            assert row.columns.keys() <= told[row.table] | {f"{row.table}_id"}, row
            like = [rows[each] for each in rows if each[0] == row.table]
            assert any(any(row.columns[name] != one[name] for name in row.columns) for one in like), row


def studied_row(library: Domain, candidate: Candidate, name: RowName) -> dict[str, Value]:
    table = library.schema.tables[name[0]]
    with closing(candidate.world.open()) as connection:
        return table.record(connection.execute(table.select_row, name[1]).fetchone())


def test_rows_that_change_the_chain_are_dropped_and_the_others_stay() -> None:
    rows = [_row(number) for number in range(25)]
    asked = 0

    def holds(some: Sequence[AddedRow]) -> bool:
        nonlocal asked
        asked += 1
        return not {"LOAN-0003", "LOAN-0017"} & {str(row.columns["loan_id"]) for row in some}

    kept = harmless(rows, holds)
    assert kept == [row for number, row in enumerate(rows) if number not in (3, 17)]
    assert asked <= 24
