"""A rule that denies hardly any call, or nearly all, decides nothing; how often it denies is measured."""

from __future__ import annotations

from generator.gates.request import FolderRequest
from generator.gates.rules.trial import DeniedShares, measure_denied
from tests.conftest import LIBRARY


def test_the_rules_of_the_library_are_measured_on_accepted_calls() -> None:
    shares = measure_denied(FolderRequest(LIBRARY))
    assert all(0 <= shares.denied[code] <= accepted for code, accepted in shares.accepted.items())
    assert sum(shares.accepted.values()) > 100


def test_a_rule_that_denies_hardly_anything_is_named_with_its_figures() -> None:
    shares = DeniedShares({"RARE": 100, "FAIR": 100, "ASIDE": 100}, {"RARE": 2, "FAIR": 40, "ASIDE": 100})
    (fault,) = shares.faults("ASIDE")
    assert fault.startswith("rule RARE: it denies 2 of 100 calls that its tools accept")
