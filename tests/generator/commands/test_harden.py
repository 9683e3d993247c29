"""Claims about `worldsmith harden`: what an agent always solves is raised, proven, and kept if it measures harder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from generator.tasks.compose import Composer
from generator.tasks.hardening.ways import ways_of
from generator.tasks.plan import MadeOf, plan_of
from generator.tasks.proofs.all import prove_candidate
from generator.tasks.remake import remake
from generator.tasks.task_id import read_task_id, task_id
from runtime.domain.load import load_domain
from runtime.graph import read_graph
from runtime.task.task_file import parse_task, read_tasks
from tests.conftest import SHIPPED_LIBRARY

Command = Callable[..., int]
TASKS = "renew-what-others-want-and-2-more-0242,expect-another-due-date-and-1-more-0038,ask-for-the-whole-debt-0180"


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command on a copy of the whole library in an empty folder, with an agent that always complies."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SHIPPED_LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__"))

    def run(command: str, *words: object, agent: str = "comply_all") -> int:
        return main([command, "./library", "--agent", agent, "--transport", "session", *map(str, words)])

    return run


def test_what_is_always_solved_is_raised_and_names_its_easier_sibling(
    play: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (tmp_path / "library" / "tasks.jsonl").read_bytes()
    assert play("calibrate", "--task", TASKS, "--trials", 4) == 0
    capsys.readouterr()
    assert play("harden", "--task", TASKS, "--trials", 2, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    ways = {each["easier"]: (each["task"], each["way"], each["n"], each["c"]) for each in told["raised"]}
    assert (told["measured"], told["solved"], told["unjudged"]) == (3, 3, 0)
    assert ways["renew-what-others-want-and-2-more-0242"] == (
        "renew-what-others-want-and-2-more-d1-0242",
        "denied twin",
        2,
        0,
    )
    assert ways["expect-another-due-date-and-1-more-0038"][1:] == ("level", 2, 0)
    assert (tmp_path / "library" / "tasks.jsonl").read_bytes() == before
    first = (tmp_path / "library" / "harder.jsonl").read_bytes()
    store = tmp_path / "runs" / "library-comply_all-harder.db"
    harder = [parse_task(line) for line in first.splitlines()]
    assert {task.id: task.easier for task in harder} == {each["task"]: each["easier"] for each in told["raised"]}
    assert all(passed == tried for task in harder for passed, tried in task.proofs.values())

    (tmp_path / "library" / "harder.jsonl").unlink()  # as if it was stopped before it was written
    capsys.readouterr()
    assert play("harden", "--task", TASKS, "--trials", 2) == 0
    assert ", 0 owed; store:" in capsys.readouterr().err
    assert (tmp_path / "library" / "harder.jsonl").read_bytes() == first
    assert store.is_file()

    assert play("eval", "--tasks", "library/harder.jsonl", "--store", "run.db", "--json", agent="reference") == 0
    assert json.loads(capsys.readouterr().out)["avg_at_k"][0]["value"] == 1.0


def test_what_is_as_easy_is_not_kept(play: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task = ("--task", "ask-for-the-whole-debt-0180")
    assert play("calibrate", *task, "--trials", 1, agent="reference") == 0
    capsys.readouterr()
    assert play("harden", *task, "--trials", 1, "--least", 1, "--json", agent="reference") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["solved"], told["raised"]) == (1, [])
    assert told["as_easy"] >= 2
    assert not (tmp_path / "library" / "harder.jsonl").exists()


def test_without_rates_calibrate_is_named(play: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert play("harden", "--task", TASKS) == 2
    said = capsys.readouterr().err
    assert "has no rate of agent 'comply_all' for these tasks as they are now" in said
    assert "`worldsmith calibrate ./library --agent comply_all` measures some." in said
    assert play("calibrate", "--task", TASKS, "--trials", 1) == 0
    capsys.readouterr()
    assert play("harden", "--task", TASKS) == 0  # one trial each says too little
    assert "0 of 3 measured tasks always solved, 0 raised" in capsys.readouterr().out


@pytest.mark.parametrize("number", [22, 38])
def test_a_raised_task_is_made_again_of_its_id_alone(number: int) -> None:
    domain = load_domain(SHIPPED_LIBRARY)
    (task,) = [each for each in read_tasks(domain).values() if each.id.endswith(f"-{number:04d}")]
    with Composer(domain, read_graph(SHIPPED_LIBRARY)) as composer:
        raised = [composer.compose_of(way.made) for way in ways_of(task) if way.name in ("level", "near-duplicates")]
        for candidate in raised:
            line = candidate.task.model_copy(update={"easier": task.id})
            assert remake(composer, line).task == line
            assert prove_candidate(candidate).holds
    assert {len(each.task.added) > len(task.added) for each in raised} == {True}


@pytest.mark.parametrize(
    "made",
    [
        MadeOf(1_000_014),
        MadeOf(3_000_014, complexity=4, rows=500, near_duplicates=24, denied=True, form="looked_up"),
        MadeOf(1_000_014, denied=False),
        MadeOf(1_000_077, form="changed_mind"),
    ],
)
def test_an_id_says_all_that_a_task_is_made_of(made: MadeOf) -> None:
    name = task_id(["a" * 60, "another"], plan_of(made))
    assert len(name) <= 64
    assert read_task_id(name) == made
