"""`study signal`: what a reward selects, told by the rule."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from runtime.signal_study import BEHAVIORS, SIGNALS
from tests.conftest import SHIPPED_LIBRARY, Cli


def test_a_judge_selects_whom_it_cannot_tell_from_the_honest(cli: Cli, tmp_path: Path) -> None:
    words = ("study", "signal", SHIPPED_LIBRARY, "-n", 24, "--steps", 40, "--seeds", 3)
    found = json.loads(cli(*words, "--out", tmp_path / "curve.svg", "--json"))
    assert found["trained"] + found["held_out"] == 24
    last = {name: curve[-1] for name, curve in found["curves"].items()}
    start = {name: curve[0][1] for name, curve in found["curves"].items()}
    assert last.keys() == {*SIGNALS, *(f"{name}, by itself" for name in SIGNALS if name != "rule")}
    for step, mean, low, high in last.values():
        assert step == 40
        assert 0 <= low <= mean <= high <= 1
    assert last["rule"][1] > 0.85 > start["rule"] == start["lexical"]
    assert last["lexical"][1] < start["lexical"] / 2
    assert last["lexical, by itself"][1] > 0.75
    for shares in found["selected"].values():
        assert list(shares) == list(BEHAVIORS)
        assert abs(sum(shares.values()) - 1) < 1e-9
    assert max(found["selected"]["lexical"], key=found["selected"]["lexical"].get) == "claimer"
    lines = ElementTree.parse(tmp_path / "curve.svg").findall("{*}polyline")
    assert [len(line.attrib["points"].split()) for line in lines] == [11] * len(SIGNALS)
    assert json.loads(cli(*words, "--json")) == found


def test_without_held_out_tasks_nothing_is_measured(cli: Cli) -> None:
    assert "all of one split" in cli("study", "signal", SHIPPED_LIBRARY, "-n", 1, status=2)
