"""Claims about whose answers are rewarded: those of honest assistants, and nobody else's, in whole conversations."""

from __future__ import annotations

from tests.trust.__main__ import HONEST_LEAST, HOSTILE_MOST, PER_KIND, total
from tests.trust.answers import measure
from tests.trust.kinds import HONEST, HOSTILE


def test_a_sample_of_honest_assistants_is_rewarded_and_of_hostile_ones_is_not():
    measured = measure(PER_KIND)
    assert total(measured.honest).share >= HONEST_LEAST, [kind for kind in measured.honest if kind.share < 1]
    assert total(measured.hostile).share <= HOSTILE_MOST, [kind for kind in measured.hostile if kind.share > 0]
    assert measured.void == 0
    assert min(kind.played for kind in (*measured.honest, *measured.hostile)) >= PER_KIND


def test_there_are_many_kinds_and_each_has_a_name_of_its_own():
    assert len(HONEST) >= 60
    assert len(HOSTILE) >= 40
    assert len({kind.name for kind in (*HONEST, *HOSTILE)}) == len(HONEST) + len(HOSTILE)
