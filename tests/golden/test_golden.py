"""The golden net: what is recorded of every shipped task holds, whatever is restructured.

Planted defects (`tests/generator/tasks/test_planted_defects.py`), planted faults of tools
(`tests/generator/gates/test_mutants.py`) and `tests/conformance` belong to the net, too.
"""

from __future__ import annotations

import pytest

from runtime.session.world import WorldCache
from tests.conftest import CHECKED
from tests.golden.record import read_records, record_of
from worldsmith import tasks

PARTS = 4  # of a domain, each a test of its own, so that processes share the work


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("domain", CHECKED)
def test_worlds_final_states_and_rewards_are_the_recorded_ones(domain: str, part: int) -> None:
    recorded = list(read_records(domain))
    shipped = tasks(domain)
    assert [each.id for each in recorded] == [task.id for task in shipped]
    worlds = WorldCache(64)
    found = [record_of(task, worlds) for task in shipped[part::PARTS]]
    assert found == recorded[part::PARTS]


@pytest.mark.parametrize("domain", CHECKED)
def test_the_reference_solves_every_task_and_nothing_wrong_is_rewarded(domain: str) -> None:
    for each in read_records(domain):
        assert (each.agents, set(each.wrong) - {"0"}) == ("1000", set()), each.id
