"""A list of allowed texts that stands in a file of tools more than once has one name there."""

from __future__ import annotations

from generator.build.design import Record
from generator.build.writing.code import name_choices

STATES = ["open", "closed"]


def record(name: str, **choices: list[str]) -> Record:
    fields = [
        {"name": field, "type": "text", "description": field, "choices": values} for field, values in choices.items()
    ]
    return Record.model_validate({"name": name, "fields": fields})


def test_a_list_of_two_places_is_named_for_its_field() -> None:
    records = [record("Loan", loan_status=STATES, kind=["a", "b"]), record("LoanLine", loan_status=STATES)]
    assert name_choices(records, []) == {("open", "closed"): "LoanStatus"}


def test_two_lists_of_fields_of_one_name_are_told_apart_by_their_records() -> None:
    other = ["waiting", "ready"]
    records = [
        record("Loan", status=STATES),
        record("LoanLine", status=STATES),
        record("Hold", status=other),
        record("HoldLine", status=other),
    ]
    assert name_choices(records, []) == {("open", "closed"): "Status", ("waiting", "ready"): "HoldStatus"}


def test_a_name_that_a_record_has_is_not_taken() -> None:
    records = [record("Status", status=STATES), record("Line", status=STATES)]
    assert name_choices(records, []) == {("open", "closed"): "StatusStatus"}
