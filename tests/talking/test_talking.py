"""Whoever does the work is rewarded, however they talk: each way of talking, on the tasks of every shipped domain."""

from __future__ import annotations

import pytest

from tests.talking.talkers import TALKS, Talk, converse
from worldsmith import tasks

EVERY = {
    "library": 8,
    "job_seeking": 24,
    "second_hand_marketplace": 8,
    "community_garden": 4,
}  # one task of so many is played here


@pytest.mark.parametrize("domain", EVERY)
@pytest.mark.parametrize("talk", TALKS)
def test_an_agent_that_does_the_work_is_rewarded_however_it_talks(domain: str, talk: Talk) -> None:
    chosen = (*tasks(domain)[:: EVERY[domain]], *tasks(domain, file="expert")[:: EVERY[domain]])
    played = [converse(task, talk) for task in chosen]
    failed = [(each.task, each.why) for each in played if not each.reward]
    assert len(failed) <= (1 if talk == "slips" else 0), failed
