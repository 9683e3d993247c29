"""`study scaling`: more domains teach a model of the next call more about others; and scores of runs over domains."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import SHIPPED, SHIPPED_LIBRARY, Cli

DOMAINS = ("community_garden", "library", "online_learning")


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    path = tmp_path / "three.toml"
    members = (f'[domains.{name}]\npath = "{SHIPPED[name]}"\n' for name in DOMAINS)
    path.write_text("format = 1\n" + "\n".join(members))
    return path


def test_a_model_is_taught_on_every_choice_and_tested_on_the_others(suite: Path, cli: Cli, tmp_path: Path) -> None:
    words = ("study", "scaling", suite, "--tasks", 12, "--out", tmp_path / "out", "--json")
    found = json.loads(cli(*words))
    assert [(at["domains"], at["choices"]) for at in found["points"]] == [(1, 3), (2, 3)]
    assert {name: each["tasks"] for name, each in found["domains"].items()} == dict.fromkeys(DOMAINS, 12)
    for at in found["points"]:
        assert at["accuracy"] > found["request_like_tool"] > found["chance"]  # teaching is worth something
        assert at["low"] < at["accuracy"] < at["high"]
    one, two = found["points"]
    assert two["gain"] == pytest.approx(two["accuracy"] - one["accuracy"], abs=1e-5)
    rows = list(csv.reader((tmp_path / "out" / "scaling.csv").read_text().splitlines()))
    assert [row[:2] for row in rows[1:]] == [["1", "3"], ["2", "3"]]
    plot = ElementTree.fromstring((tmp_path / "out" / "scaling.svg").read_text())
    assert len(plot.findall("{*}polyline")) == 3
    assert json.loads(cli(*words)) == found


def test_scores_of_runs_are_drawn_over_the_domains_they_were_trained_on(cli: Cli, tmp_path: Path) -> None:
    stores = {4: "reference", 1: "idle"}
    for size, agent in stores.items():
        cli("eval", SHIPPED_LIBRARY, "-n", 6, "--agent", agent, "--store", tmp_path / f"{size}.db")
    named = [word for size in stores for word in ("--store", f"{size}={tmp_path / f'{size}.db'}")]
    found = json.loads(cli("study", "scaling", *named, "--out", tmp_path / "out", "--json"))
    assert [(run["domains"], run["Avg@1"], run["tasks"]) for run in found["runs"]] == [(1, "0.000", 6), (4, "1.000", 6)]
    assert (tmp_path / "out" / "scaling.svg").read_text().count("<circle") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Give domains to teach, or runs"),
        (["--store", "many=run.db"], "it is a number of domains and a run store"),
        (["SUITE", "--sizes", "1,3"], "fewer can teach"),
        (["SUITE", "--sizes", "one"], "give numbers with commas between"),
    ],
)
def test_what_cannot_be_studied_is_one_sentence(words: list[str], said: str, suite: Path, cli: Cli) -> None:
    assert said in cli("study", "scaling", *[str(suite) if word == "SUITE" else word for word in words], status=2)
