"""`worldsmith tasks`: a file of another domain is made anew, and a scenario that comes to no task is explained."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from generator.commands import tasks as tasks_command
from generator.main import main
from generator.tasks import make
from runtime.domain.load import load_domain
from runtime.model.book import RecordedModel
from runtime.model.choose import Models
from runtime.model.model import Request
from runtime.task.task_file import read_tasks
from tests.conftest import SHIPPED_LIBRARY, Cli
from tests.runtime.model.scripted import ScriptedModel


def test_the_tasks_of_a_copied_domain_are_one_fault_and_can_be_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(SHIPPED_LIBRARY, tmp_path / "mine", ignore=shutil.ignore_patterns("__pycache__"))
    card = json.loads((folder / "domain.json").read_text()) | {"name": "mine"}
    (folder / "domain.json").write_text(json.dumps(card))
    faults: list[str] = []
    assert read_tasks(load_domain(folder), faults) == {}
    assert len(faults) == 1
    assert faults[0].endswith(
        " tasks of domain 'library', not of 'mine'; `worldsmith tasks mine -n N --replace` writes the file anew."
    )
    for old in (None, "not a task\n", "{}\n"):
        if old is not None:
            (folder / "tasks.jsonl").write_text(old)
        assert main(["tasks", "./mine", "-n", "2", "--level", "1", "--unverified"]) == 2
        assert capsys.readouterr().err
        assert main(["tasks", "./mine", "-n", "2", "--level", "1", "--unverified", "--replace"]) == 0
        assert len(read_tasks(load_domain(folder))) == 2


SCENARIO = """from runtime.story import Story, scenario


@scenario
def ask_for_something(story: Story) -> None:
    story.wish("Could you have a look?")
    {body}
"""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            'story.call("find_member", email="nobody@example.org")',
            "scenario ask_for_something at level 1: The scenario's call of find_member was rejected: NOT_FOUND: "
            "No member has the e-mail address 'nobody@example.org'",
        ),
        (
            'story.call("show_loan", loan_id="LOAN-0")',
            "scenario ask_for_something at level 1: The scenario's call of show_loan was rejected: ",
        ),
        ('story.pick("cat")', "There is no table 'cat'; have: "),
        ('story.me("TRUE")', "The domain says nothing of the people who call; add `people` to domain.json"),
    ],
)
def test_a_scenario_that_comes_to_no_task_is_said_with_its_own_fault(
    body: str, said: str, library_copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make, "_TRIED_AT_LEAST", 10)
    card = json.loads((library_copy / "domain.json").read_text())
    card.pop("people", None)
    (library_copy / "domain.json").write_text(json.dumps(card))
    (library_copy / "tasks.jsonl").unlink()
    (library_copy / "scenarios.py").write_text(SCENARIO.format(body=body))
    assert main(["tasks", str(library_copy), "-n", "2", "--level", "1", "--unverified"]) == 2
    assert said in capsys.readouterr().err


def test_a_model_decides_at_the_gate_how_far_the_tools_of_each_task_expand(
    library_copy: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opinion(request: Request) -> dict[str, Any]:
        goes_on = "chains so far, the task's own among them: 1\n" in request.prompt
        return {"probability": 0.5 if goes_on else 0.4, "reason": "One more is enough."}

    model, files = ScriptedModel(opinion), [tmp_path / f"{name}.jsonl" for name in ("plain", "gated")]
    by_formula = ("tasks", library_copy, "-n", 3, "--level", 1, "--json", "--out")
    cli(*by_formula, files[0])
    monkeypatch.setattr(tasks_command, "choose_models_of", lambda *_: Models(model, {}))
    asked = json.loads(cli(*by_formula, files[1], "--gate", "anthropic:any"))["gate"]
    plain, gated = ([json.loads(line) for line in file.read_text().splitlines()] for file in files)
    assert [task["id"] for task in plain] == [task["id"] for task in gated]
    assert asked["went_on"] == 3
    assert asked["asked"] == len(model.requests)
    assert "|D| = " in model.requests[0].prompt
    assert all(task["difficulty"]["chains"] >= 2 for task in gated)
    least = 3 * len(load_domain(library_copy).tools) // 4
    assert all(len(task["explorable"]) >= least for task in gated)


def test_what_was_answered_at_the_gate_is_kept_and_asked_for_once(
    library_copy: Path, tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "gated.jsonl"
    words = ("tasks", library_copy, "-n", 1, "--level", 1, "--json", "--replace", "--out", out, "--gate")
    model = ScriptedModel({"expansion": {"probability": 0, "reason": "It is enough."}})
    with monkeypatch.context() as patched:
        patched.setattr(tasks_command, "choose_models_of", lambda _, __, book: Models(RecordedModel(book, model), {}))
        first = json.loads(cli(*words, "anthropic:any"))["gate"]
    line = out.read_text()
    assert json.loads(cli(*words, "recorded"))["gate"] == first
    assert out.read_text() == line
    assert len(model.requests) == first["asked"] == 1
    assert "leave it out with --day" in cli(*words, "recorded", "--day", 2, status=2)
