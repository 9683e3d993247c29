"""Claims about the gate on spelled columns: values that are none, or that cannot be told apart, are named."""

from __future__ import annotations

import pytest

from generator.gates.worlds import find_misspelt
from runtime.domain.domain import Domain
from runtime.domain.policies import ColumnPolicy, Spelled
from runtime.session.world import build_world


@pytest.mark.parametrize(
    ("column", "spelled", "said"),
    [
        pytest.param("member.email", "email", "", id="fits"),
        pytest.param("member.phone", "phone", "", id="fits_where_it_is_there"),
        pytest.param("member.name", "phone", "is spelled 'phone', but", id="none"),
    ],
)
def test_a_spelled_column_is_held_to_its_world(library: Domain, column: str, spelled: Spelled, said: str):
    policy = ColumnPolicy(policy="hard", spelled=spelled, reason="for this test")
    policies = library.policies.tightened(library.schema, {column: policy})
    found = list(find_misspelt(build_world(library.populate, library.schema, policies, library.now, 1, 100)))
    assert (len(found) == 1 and said in found[0]) if said else found == []
