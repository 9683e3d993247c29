"""`worldsmith suite`, `eval --suite`, and `study domains`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.harness.evaluation.store import read_run
from runtime.page.figures import describe_run
from tests.conftest import Cli
from tests.making import write_domain
from tests.runtime.suite_files import write_library, write_suite_file

THERE = {"first": 2, "second": 4}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two domains."""
    return write_suite_file(tmp_path, THERE)


def test_a_suite_is_shown_in_a_wide_and_in_a_narrow_terminal(
    suite: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    wide = cli("suite", "show", suite).splitlines()
    assert wide[:2] == ["suite many", "2 domains, 6 tasks"]
    assert wide[5].split()[:7] == ["second", "4", "4", "0", "2", "1", "1"]
    monkeypatch.setenv("COLUMNS", "40")
    assert cli("suite", "show", suite).splitlines()[-1].split() == wide[5].split()  # figures are never cut
    shown = json.loads(cli("suite", "show", suite, "--json"))
    assert (shown["tasks"], [len(each["tasks"]) for each in shown["domains"]]) == (6, [2, 4])
    assert shown["domains"][1]["levels"] == {"1": 2, "2": 1, "3": 1}


def test_parts_of_a_suite_are_suites_and_the_same_bytes_every_time(suite: Path, tmp_path: Path, cli: Cli) -> None:
    out = tmp_path / "parts"
    words = ("suite", "split", suite, "--tasks", 2, "--domains", "1,2", "--seed", 3, "--json", "--out", out)
    told = json.loads(cli(*words))
    assert [(each["tasks"], len(each["domains"])) for each in told["parts"]] == [(2, 1), (2, 2)]
    made = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(made) == ["many-1.toml", "many-2.toml"]
    cli(*words)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == made
    assert json.loads(cli("suite", "show", out / "many-2.toml", "--json"))["tasks"] == 2


def test_a_suite_or_a_part_of_it_is_one_run_with_means_over_tasks_and_over_domains(
    suite: Path, tmp_path: Path, cli: Cli
) -> None:
    store = tmp_path / "run.db"
    words = ("--suite", suite, "--agent", "reference", "--user", "none", "--json", "--store")
    figures = json.loads(cli("eval", *words, store))
    assert {name: each["tasks"] for name, each in figures["by_domain"].items()} == THERE
    assert figures["macro"]["avg_at_k"] == [{"k": 1, "value": 1.0}]
    assert (set(figures["by_form"]), figures["config"]["suite"]) == ({"direct"}, "many")
    domains = ("--domain", tmp_path / "first", "--domain", tmp_path / "second")
    assert cli("rescore", store, *domains) == "6 verdicts given again, 0 flipped\n"
    page = describe_run(read_run(store))
    assert page["lead"].startswith("Suite many, 2 domains: First (first), ")
    assert any("counts the same, is 1.000." in note for note in page["notes"])
    for chosen, wanted in (((), dict.fromkeys(THERE, 1)), (("first",), {"first": 1})):
        figures = json.loads(cli("eval", *chosen, "-n", 1, *words, tmp_path / f"{len(chosen)}.db"))
        assert {name: each["tasks"] for name, each in figures["by_domain"].items()} == wanted


STAGES = {"tools": (900, 80), "code": (100, 20), "scenarios": (400, 40)}
TOKENS = {"by_stage": {name: {"prompt": one, "completion": two} for name, (one, two) in STAGES.items()}}


def test_a_folder_of_domains_is_told_in_tables_as_json_and_as_csv(library: Domain, tmp_path: Path, cli: Cli) -> None:
    folder, out = tmp_path / "domains", tmp_path / "study"
    folder.mkdir()
    write_domain(folder, provenance={"tokens": TOKENS | {"estimated": True}, "tasks": {"count": 4}})
    write_library(folder, "copy")
    told = [" ".join(line.split()) for line in cli("study", "domains", folder, "--out", out).splitlines()]
    for line in (
        "small ~1,000 ~100 ~1,100",
        "small ~100 ~10 ~110",
        "ScaleEnv's paper ~74,600 ~18,600 ~93,200",
        "total 3 3 0 16 7",
        "most alike: copy and small, 0.000",
    ):
        assert line in told
    rows = (out / "domains.csv").read_text().splitlines()
    assert rows[2] == "small,0,0,0,0,0,0,1,1,,,1000,100,1100,100,10,110,1"
    assert rows[1].startswith("copy,3,3,0,1,1,1,15,6,")
    assert (out / "similarity.csv").read_text().splitlines()[1] == "copy,1.000000,0.000000"
    content = json.loads(cli("study", "domains", folder, "--json"))
    assert [(each["domain"], each["tools"], each["tasks"]) for each in content["domains"]] == [
        ("copy", len(library.tools), 3),
        ("small", 1, 0),
    ]
    assert content["mean_tokens"]["foundation"] == {"prompt": 1000, "completion": 100, "total": 1100}
    assert content["similarity"] == [{"domains": ["copy", "small"], "value": 0.0}]
