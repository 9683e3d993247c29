"""Claims about which texts and states are rewarded: a dictated text in any letters, and nothing else."""

from __future__ import annotations

from tests.trust.__main__ import is_trusted, measure_all
from tests.trust.text_kinds import HONEST, HOSTILE, SPELLINGS


def test_a_sample_of_honest_texts_is_rewarded_and_of_hostile_ones_and_wrong_states_is_not():
    groups, _ = measure_all(("texts", "state"), sample=True)
    assert is_trusted(groups), {
        title: [kind for kind in kinds if (kind.share < 1) == (title == "honest")] for title, kinds in groups.items()
    }
    assert len(groups["hostile"]) >= 40
    assert len(groups["honest"]) >= 20
    assert len(groups["state"]) >= 10


def test_each_kind_has_a_name_of_its_own():
    names = [kind.name for kinds in (HONEST, HOSTILE, *SPELLINGS.values()) for kind in kinds]
    assert len(set(names)) == len(names)
