"""`study judge`: judges that are fooled by agents that the rule does not reward."""

from __future__ import annotations

import json

from runtime.judge_study import AGENTS, STRATA
from tests.conftest import Cli


def test_toy_judges_are_fooled_and_the_rule_is_not(cli: Cli) -> None:
    found = json.loads(cli("study", "judge", "library", "-n", 8, "--most", 10, "--json"))
    assert list(found["passed_by_agent"]) == list(AGENTS)
    assert found["bank"].keys() <= set(STRATA)
    assert max(found["bank"].values()) <= 10
    by_agent = {name: {of: each["count"] for of, each in row.items()} for name, row in found["passed_by_agent"].items()}
    assert (by_agent["claimer"]["rule"], by_agent["claimer"]["lexical"]) == (0, 8)
    assert by_agent["claimer"]["polite"] >= 6
    assert (by_agent["random"]["rule"], by_agent["random"]["busy"]) == (0, 8)
    assert by_agent["reference"]["rule"] == 8
    for judge in found["judges"].values():
        assert judge["false_passes"]["of"] + judge["false_fails"]["of"] == sum(found["bank"].values())


def test_a_judge_that_is_not_there_is_refused(cli: Cli) -> None:
    assert "No model 'wise'" in cli("study", "judge", "library", "-n", 1, "--judge", "wise", status=2)
