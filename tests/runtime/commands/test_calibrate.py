"""Claims about `worldsmith calibrate`: how often an agent solves each task, and what the rates of several say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.harness.evaluation.rates import digests_of, fresh_rates, read_rates
from runtime.task.task_file import read_tasks
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.playing import CONFIG, fail_at, sit

Calibrate = Callable[..., int]


@pytest.fixture
def calibrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calibrate:
    """Run the command on a copy of the library in an empty folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(LIBRARY, tmp_path / "library")

    def run(*words: object, agent: str = "reference") -> int:
        options = ["--agent", agent, "--user", "none"]
        return main(["calibrate", "library", *options, *map(str, words)])

    return run


def test_what_is_played_is_kept_as_a_rate_of_each_task(
    calibrate: Calibrate, library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate("--trials", 2) == 0
    said = capsys.readouterr().out
    assert "2  1.000 (0.439-1.000)  1.000 (0.439-1.000)\n" in said
    assert "library/rates.jsonl: 3 rates of reference" in said
    rates = read_rates(tmp_path / "library" / "rates.jsonl")
    assert [(each.task, each.agent, each.n, each.c) for each in rates] == [
        (name, "reference", 2, 2) for name in ("keep-a-book", "card-and-queue", "late-and-next")
    ]


def test_a_rate_of_a_task_or_a_rule_that_changed_is_stale(calibrate: Calibrate, tmp_path: Path) -> None:
    def fresh() -> int:
        domain = load_domain(tmp_path / "library")
        tasks = {("library", name): task for name, task in read_tasks(domain).items()}
        return len(fresh_rates(read_rates(tmp_path / "mine.jsonl"), digests_of(tasks, {"library": domain.digest})))

    assert calibrate("--trials", 1, "--rates", "mine.jsonl") == 0
    tasks = tmp_path / "library" / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace('"title":"', '"title":"Again: ', 1))
    assert fresh() == 3  # a title is not played
    words = tasks.read_text().splitlines()[0].partition('"words":["')[2][:12]
    tasks.write_text(tasks.read_text().replace(words, f"Hello! {words}", 1))
    assert fresh() == 2
    with (tmp_path / "library" / "policy.md").open("a") as policy:
        policy.write("\nNobody borrows on Sundays.\n")
    assert fresh() == 0


def test_figures_have_mixed_groups(
    calibrate: Calibrate, library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sit(tmp_path / "run.db", library, play=fail_at([("keep-a-book", 0)]), trials=2, config=CONFIG)
    assert calibrate("--trials", 2, "--store", "run.db", "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["mixed"] == {"k": 2, "share": 0.333333}
    for group in (figures, figures["by_difficulty"]["unknown"], figures["by_form"]["direct"]):
        assert [(each["k"], round(each["value"], 3)) for each in group["pass_hat_k"]] == [(1, 0.833), (2, 0.667)]


def test_rates_with_faults_stand_beside_those_without(
    calibrate: Calibrate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate("--trials", 2, "--store", "plain.db", agent="blind") == 0
    assert calibrate("--trials", 2, "--store", "harsh.db", "--faults", "harsh", agent="blind") == 0
    said = capsys.readouterr().out.splitlines()[-1]
    assert "tasks measured both ways: 1.000 without faults, 0." in said
    kept = [(each.faults, each.n) for each in read_rates(tmp_path / "library" / "rates.jsonl")]
    assert kept == [("", 2)] * 3 + [("harsh", 2)] * 3


def test_a_file_that_holds_no_rates_is_refused_before_anything_is_played(
    calibrate: Calibrate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "library" / "rates.jsonl").write_text("no JSON\n")
    assert calibrate() == 2
    assert "rates.jsonl', line 1, is not a rate that calibrate wrote: " in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
