from __future__ import annotations

import dataclasses
import subprocess
import sys

from runtime.domain.domain import Domain
from runtime.harness.conversation import episode_seed, system_message
from tests.conftest import LIBRARY


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


def test_the_seed_is_of_the_episode_and_the_same_in_every_process(library: Domain) -> None:
    seeds = {episode_seed(library, task, trial) for task in ("a", "b") for trial in range(3)}
    assert len(seeds) == 6
    script = (
        "from pathlib import Path; from runtime.domain.load import load_domain; "
        "from runtime.harness.conversation import episode_seed; "
        f"print(episode_seed(load_domain(Path({str(LIBRARY)!r})), 'a', 2))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert int(done.stdout) == episode_seed(library, "a", 2)
