"""Claims about `--without FORM` of `eval` and `calibrate`, on a domain with rules and all forms."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from runtime.harness.evaluation.rates import read_rates
from tests.conftest import SHIPPED_LIBRARY

Play = Callable[..., int]
DENIED = "renew-what-others-want-and-2-more-0060"


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Run a command on a copy of the whole library in an empty folder."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SHIPPED_LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__"))

    def run(command: str, *words: object, agent: str = "reference") -> int:
        return main([command, "./library", "--agent", agent, "--transport", "session", *map(str, words)])

    return run


def test_what_a_rule_costs_an_agent_that_always_complies(
    play: Play, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play("calibrate", "--task", DENIED, "--trials", 1, agent="comply_all") == 0
    capsys.readouterr()
    without = ("--task", DENIED, "--trials", 1, "--without", "denied", "--json")
    assert play("calibrate", *without, agent="comply_all") == 0
    figures = json.loads(capsys.readouterr().out)
    cost = {"form": "denied", "tasks": 1, "with": 0.0, "without": 1.0, "difference": 1.0, "unpaired": 0}
    assert figures["cost"] == cost
    assert (figures["agent"], figures["stale"]) == ("comply_all (without denied)", 0)
    assert Path(figures["store"]).name == "library-comply_all-without-denied.db"
    apart = {name: read_rates(tmp_path / "library" / f"{name}.jsonl") for name in ("rates", "rates-without-denied")}
    assert [each.task for each in apart["rates"]] == [DENIED]
    assert [each.task for each in apart["rates-without-denied"]] == [f"{DENIED}-without-denied"]


def test_what_a_belief_costs_an_agent_that_always_trusts(play: Play, capsys: pytest.CaptureFixture[str]) -> None:
    task = ("--task", "expect-another-due-date-and-1-more-0031", "--trials", 1)
    assert play("calibrate", *task, agent="trust_all") == 0
    capsys.readouterr()
    assert play("calibrate", *task, "--without", "mistaken", agent="trust_all") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "mistaken: mean 0.000 with it and 1.000 without it (+1.000), measured both ways on 1 task" in said


@pytest.mark.parametrize(("form", "n"), [("withheld", 1), ("mistaken", 2), ("coupled", 2)])
def test_the_reference_agent_solves_what_is_eased_and_the_idle_one_does_not(
    play: Play, form: str, n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    for agent, reward in (("reference", 1.0), ("idle", 0.0)):
        assert play("eval", "-n", n, "--without", form, "--json", agent=agent) == 0
        figures = json.loads(capsys.readouterr().out)
        assert (figures["tasks"], figures["avg_at_k"][0]["value"]) == (n, reward)
        assert figures["config"]["without"] == form


def test_what_was_eased_before_is_taken_from_its_file_until_its_original_changes(play: Play, tmp_path: Path) -> None:
    assert play("eval", "-n", 1, "--without", "withheld") == 0
    (file,) = (tmp_path / "eased").iterdir()
    first = file.read_bytes()
    marked = first.replace(b"Swap places", b"Change places", 1)
    assert marked != first
    file.write_bytes(marked)
    assert play("eval", "-n", 1, "--without", "withheld", "--fresh") == 0
    assert file.read_bytes() == marked
    with (tmp_path / "library" / "policy.md").open("a") as policy:
        policy.write("\nNobody borrows on Sundays.\n")
    assert play("eval", "-n", 1, "--without", "withheld", "--fresh") == 0
    assert json.loads(file.read_text())["title"] == json.loads(first)["title"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(("--without", "outside"), "have: withheld, mistaken, coupled, denied.", id="no_such_form"),
        pytest.param(
            ("--without", "denied", "--task", "card-and-queue"),
            "Task 'card-and-queue' has no wish of the form 'denied' to take off; it has: direct.",
            id="task_of_another_form",
        ),
        pytest.param(
            ("--without", "denied", "--task", "wait-for-one-more-book-and-2-more-0028"),
            "it wants nothing that a rule denies: it is an allowed twin already.",
            id="allowed_twin",
        ),
        pytest.param(("--without", "withheld", "-n", 99), "-n is 99; domain 'library' has 1 such task", id="too_many"),
    ],
)
def test_what_cannot_be_eased_is_said_in_one_sentence(
    play: Play, capsys: pytest.CaptureFixture[str], words: tuple[object, ...], said: str
) -> None:
    assert play("eval", *words) == 2
    assert said in capsys.readouterr().err


def test_so_many_are_drawn_of_the_tasks_that_have_something_to_take_off(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play("eval", "-n", 16, "--without", "denied") == 2  # 29 have the form, and 16 of them are permitted
    assert "-n is 16; domain 'library' has 13 such tasks of the form 'denied'." in capsys.readouterr().err
    lines = (SHIPPED_LIBRARY / "tasks.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    direct = [line for line in lines if '"form":' not in line]
    Path("direct.jsonl").write_text("".join(direct[:9]), encoding="utf-8")
    assert play("eval", "--tasks", "direct.jsonl", "--without", "denied") == 2
    said = "No task of domain 'library' has a mechanism 'denied' to take off; their forms: direct."
    assert said in capsys.readouterr().err


def test_scores_of_eased_tasks_do_not_go_into_the_store_of_others(
    play: Play, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play("eval", "--task", DENIED, "--store", "run.db") == 0
    assert play("eval", "--task", DENIED, "--store", "run.db", "--without", "denied") == 2
    assert "form taken off the tasks '', not 'denied'" in capsys.readouterr().err
