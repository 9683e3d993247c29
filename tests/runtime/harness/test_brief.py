from __future__ import annotations

import dataclasses

from runtime.domain.domain import Domain
from runtime.harness.conversation import episode_seed, system_message


def test_the_brief_states_who_the_assistant_is_and_the_clock_in_words(library: Domain) -> None:
    text = system_message(library, with_policy=False)
    assert library.card.title in text
    assert library.card.summary.strip() in text
    assert "The current time is 2026-03-16 09:30:00, a Monday." in text
    assert library.policy.strip() not in text


def test_the_policy_is_added_where_asked_for(library: Domain) -> None:
    assert library.policy.strip()
    assert system_message(library, with_policy=True).endswith(library.policy.strip())
    without = dataclasses.replace(library, policy=" \n")
    assert system_message(without, with_policy=True) == system_message(library, with_policy=False)


def test_the_seed_is_of_the_episode(library: Domain) -> None:
    seeds = {episode_seed(library, task, trial) for task in ("a", "b") for trial in range(3)}
    assert len(seeds) == 6
