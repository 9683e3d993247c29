"""Claims about `worldsmith suite`, and about `worldsmith eval --suite`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from runtime.harness.evaluation.store import read_run
from runtime.page.figures import describe_run
from tests.runtime.suite_files import write_suite_file

THERE = {"first": 2, "second": 4}


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A suite of two domains."""
    return write_suite_file(tmp_path, THERE)


def test_a_suite_is_shown_in_a_wide_and_in_a_narrow_terminal(
    suite: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    assert main(["suite", "show", str(suite)]) == 0
    wide = capsys.readouterr().out.splitlines()
    assert wide[:2] == ["suite many", "2 domains, 6 tasks"]
    assert wide[3].split("  ")[0] == "domain"
    assert wide[5].split()[:7] == ["second", "4", "4", "0", "2", "1", "1"]
    monkeypatch.setenv("COLUMNS", "40")
    assert main(["suite", "show", str(suite)]) == 0
    narrow = capsys.readouterr().out.splitlines()
    assert narrow[-1].split() == wide[5].split()  # figures are never cut
    assert main(["suite", "show", str(suite), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["tasks"], [len(each["tasks"]) for each in shown["domains"]]) == (6, [2, 4])
    assert shown["domains"][1]["levels"] == {"1": 2, "2": 1, "3": 1}


def test_parts_of_a_suite_are_suites_and_the_same_bytes_every_time(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["suite", "split", str(suite), "--tasks", "2", "--domains", "1,2", "--seed", "3", "--json"]
    out = tmp_path / "parts"
    assert main([*words, "--out", str(out)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(each["tasks"], len(each["domains"])) for each in told["parts"]] == [(2, 1), (2, 2)]
    made = {path.name: path.read_bytes() for path in out.iterdir()}
    assert sorted(made) == ["many-1.toml", "many-2.toml"]
    assert main([*words, "--out", str(out)]) == 0
    assert {path.name: path.read_bytes() for path in out.iterdir()} == made
    capsys.readouterr()
    assert main(["suite", "show", str(out / "many-2.toml"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"] == 2


def test_a_suite_is_one_run_with_means_over_tasks_and_over_domains(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "run.db"
    options = ["--user", "none", "--store", str(store)]
    assert main(["eval", "--suite", str(suite), "--agent", "reference", *options, "--level", "1"]) == 0
    assert "suite many (2 domains): agent reference" in " ".join(capsys.readouterr().out.split())
    assert main(["eval", "--suite", str(suite), "--agent", "reference", *options, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert {name: each["tasks"] for name, each in figures["by_domain"].items()} == THERE
    assert figures["macro"]["avg_at_k"] == [{"k": 1, "value": 1.0}]
    assert set(figures["by_form"]) == {"direct"}
    assert figures["config"]["suite"] == "many"
    assert main(["rescore", str(store)]) == 2  # no folder of these names is known here
    assert main(["rescore", str(store), "--suite", str(suite)]) == 0
    page = describe_run(read_run(store))
    assert page["lead"].startswith("Suite many, 2 domains: First (first), ")
    assert any("counts the same, is 1.000." in note for note in page["notes"])


def test_a_part_of_a_suite_is_some_tasks_of_each_domain_or_of_some_domains(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for domains, wanted in (([], dict.fromkeys(THERE, 1)), (["first"], {"first": 1})):
        store = str(tmp_path / f"{len(domains)}.db")
        options = ["--agent", "idle", "--store", store, "--json"]
        main(["eval", *domains, "--suite", str(suite), "-n", "1", *options])
        by_domain = json.loads(capsys.readouterr().out)["by_domain"]
        assert {name: each["tasks"] for name, each in by_domain.items()} == wanted


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param("", "No domain was named; name some, or give --suite FILE.", id="nothing"),
        pytest.param("nowhere --suite paper", "The suite 'paper' has no domain 'nowhere'; have: ", id="domain"),
        pytest.param("--suite paper --task a", "--suite names the tasks; leave out --task and --tasks", id="task"),
        pytest.param("--suite paper -n 0", "-n is 0; give a number of tasks of each domain from 1.", id="count"),
    ],
)
def test_a_suite_beside_what_contradicts_it_is_refused(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *words.split(), "--agent", "idle"]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ")
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
