"""`people` of domain.json: what does not fit is one sentence that names the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.domain.people import can_call_in_sql
from runtime.errors import BrokenDomain
from tests.making import world_of


@pytest.mark.parametrize(
    ("people", "fault"),
    [
        pytest.param({"table": "persons"}, "people names table 'persons'; have: ", id="table"),
        pytest.param({"proven_by": {"email": "e-mail"}}, "proves people by 1 column; at least 2", id="proofs"),
        pytest.param({"found_by": {"phone": "find_member"}}, "gives 'phone' to tool 'find_member'; have: ", id="tool"),
        pytest.param({"owns": {"loan": "renewals"}}, "loan.renewals, which is not a foreign key", id="no_reference"),
        pytest.param({"owns": {"loan": "book_id"}}, "leads from 'loan' to 'book', not to 'member'", id="elsewhere"),
    ],
)
def test_people_that_do_not_fit_are_refused(library_copy: Path, people: dict[str, Any], fault: str) -> None:
    card = json.loads((library_copy / "domain.json").read_text())
    card["people"] |= people
    (library_copy / "domain.json").write_text(json.dumps(card))
    with pytest.raises(BrokenDomain, match=rf"domain\.json: .*{fault}"):
        load_domain(library_copy)


def test_every_world_has_namesakes_and_people_who_can_call(library: Domain) -> None:
    for size in (10, 100, 300):
        world = world_of(library, 1, size)
        names = [row[0] for row in world.open().execute("SELECT name FROM member")]
        assert len(set(names)) < len(names)


def test_minors_do_not_call(library: Domain) -> None:
    assert library.people is not None
    people = library.people.model_copy(update={"born": "phone"})  # a column of texts that sort as dates do
    assert can_call_in_sql(people, "2026-03-16 09:30:00").endswith('"member"."phone" <= \'2008-03-16\'')
    assert "<=" not in can_call_in_sql(library.people, "2026-03-16 09:30:00")
