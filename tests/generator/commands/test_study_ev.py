"""`study ev`: what proofs keep out of a set of tasks."""

from __future__ import annotations

import json

from tests.conftest import Cli


def test_what_proofs_refuse_is_counted_with_an_interval(cli: Cli) -> None:
    found = json.loads(cli("study", "ev", "community_garden", "-n", 6, "--seed", 101, "--json"))
    (of_domain,) = found["domains"]
    usable = of_domain["usable"]
    assert usable["count"] >= 6
    assert usable["of"] - usable["count"] == sum(of_domain["refused"].values()) > 0
    assert usable["interval"][0] < usable["count"] / usable["of"] < usable["interval"][1]
    assert of_domain["examples"].keys() <= of_domain["refused"].keys()
    assert found["usable"] == usable
