"""Claims about `worldsmith calibrate`: how often an agent solves each task, and what the rates of several say."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from runtime.harness.evaluation.rates import Rate, find_inversions, read_rates
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.playing import CONFIG, fail_at, sit

Calibrate = Callable[..., int]


@pytest.fixture
def calibrate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calibrate:
    """Run the command on a copy of the library in an empty folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(LIBRARY, tmp_path / "library")

    def run(*words: object, agent: str = "reference") -> int:
        options = ["--agent", agent, "--user", "none", "--transport", "session"]
        return main(["calibrate", "library", *options, *map(str, words)])

    return run


def rate(task: str, agent: str, c: int, n: int = 4, **more: object) -> Rate:
    """A rate by hand."""
    fixed = {"domain": "library", "digest": "0" * 64, "level": 1, "forms": ("direct",)}
    how = {"user": "none", "policy": False, "reward": "final_state", "limits": (9, 9, 9.0)}
    return Rate.model_validate({**fixed, **how, "task": task, "agent": agent, "n": n, "c": c, **more})


def test_what_is_played_is_kept_as_a_rate_of_each_task(
    calibrate: Calibrate, library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate("--trials", 2) == 0
    said = capsys.readouterr().out
    assert "all          3  1.000 (0.439-1.000)  1.000 (0.439-1.000)  0.000\n" in said
    assert "library/rates.jsonl: 3 rates of reference store: runs/library-reference.db" in " ".join(said.split())
    rates = read_rates(tmp_path / "library" / "rates.jsonl")
    assert [(each.task, each.agent, each.n, each.c) for each in rates] == [
        (name, "reference", 2, 2) for name in ("keep-a-book", "card-and-queue", "late-and-next")
    ]


def test_a_rate_of_a_task_or_a_rule_that_changed_is_not_shown(
    calibrate: Calibrate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate("--trials", 1, "--rates", "mine.jsonl") == 0
    tasks = tmp_path / "library" / "tasks.jsonl"
    tasks.write_text(tasks.read_text().replace('"title":"', '"title":"Again: ', 1))
    capsys.readouterr()
    again = ("--trials", 1, "--rates", "mine.jsonl", "--json", "--task", "card-and-queue")
    assert calibrate(*again, agent="idle") == 0
    figures = json.loads(capsys.readouterr().out)
    shown = {each["agent"]: each["tasks"] for each in figures["agents"]}
    assert (shown, figures["stale"]) == ({"idle": 1, "reference": 3}, 0)  # a title is not played
    words = tasks.read_text().splitlines()[0].partition('"words":["')[2][:12]
    tasks.write_text(tasks.read_text().replace(words, f"Hello! {words}", 1))
    assert calibrate(*again, agent="idle") == 0
    figures = json.loads(capsys.readouterr().out)
    assert {each["agent"]: each["tasks"] for each in figures["agents"]} == {"idle": 1, "reference": 2}
    assert figures["stale"] == 1
    with (tmp_path / "library" / "policy.md").open("a") as policy:
        policy.write("\nNobody borrows on Sundays.\n")
    assert calibrate(*again, "--fresh", agent="idle") == 0
    figures = json.loads(capsys.readouterr().out)
    assert ([each["agent"] for each in figures["agents"]], figures["stale"]) == (["idle"], 3)


def test_an_inversion_is_a_task_that_the_weaker_of_two_agents_alone_solves() -> None:
    weak = [rate("a", "weak", 0), rate("b", "weak", 1), rate("c", "weak", 0)]
    strong = [rate("a", "strong", 4), rate("b", "strong", 0), rate("c", "strong", 4)]
    (found,) = find_inversions([*weak, *strong])
    assert (found.weak, found.strong) == (weak[1], strong[1])
    assert found.means == (pytest.approx(1 / 12), pytest.approx(2 / 3))
    otherwise = [rate(each.task, "strong", each.c, user="scripted") for each in strong]
    assert find_inversions([*weak, *otherwise]) == []  # not played under the same conditions


def test_mixed_groups_and_inversions_are_shown(
    calibrate: Calibrate, library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from runtime.harness.evaluation.store import read_run
    from runtime.harness.report.page import read_figures

    sit(tmp_path / "run.db", library, play=fail_at([("keep-a-book", 0), ("keep-a-book", 1)]), trials=2, config=CONFIG)
    assert calibrate("--trials", 2, "--store", "run.db") == 0
    path = tmp_path / "library" / "rates.jsonl"
    others = [
        each.model_copy(update={"agent": "weak", "c": int(each.task == "keep-a-book")}) for each in read_rates(path)
    ]
    with path.open("a") as file:
        file.writelines(f"{each.model_dump_json()}\n" for each in others)
    capsys.readouterr()
    assert calibrate("--trials", 2, "--store", "run.db") == 0
    shown = "library:keep-a-book: weak 1 of 2 (mean 0.167) and reference 0 of 2 (mean 0.667)"
    assert shown in " ".join(capsys.readouterr().out.split())
    assert read_figures(read_run(tmp_path / "run.db"))["figures"]["notes"][-1] == (
        "Of groups of 2 trials of a task, 0.0% are mixed: some reach the goal and some do not."
    )


def test_a_file_that_holds_no_rates_is_refused_before_anything_is_played(
    calibrate: Calibrate, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "library" / "rates.jsonl").write_text("no JSON\n")
    assert calibrate() == 2
    assert "rates.jsonl', line 1, is not a rate that calibrate wrote: " in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()
