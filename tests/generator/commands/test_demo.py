"""The demo plays real servers, and says in one line what is wrong with a task or a tool."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mcp.client.stdio  # noqa: F401  it takes standard error as it is when imported, not as a test captures it
import pytest

from generator.main import main
from tests.conftest import LIBRARY
from tests.generator.building import build_lending
from tests.making import write_domain

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def one_task(tmp_path: Path) -> Callable[[Callable[[dict[str, Any]], object]], Path]:
    """A copy of the library with its first task only, changed."""

    def copy(change: Callable[[dict[str, Any]], object]) -> Path:
        path = tmp_path / "library"
        shutil.copytree(LIBRARY, path, ignore=shutil.ignore_patterns("__pycache__"))
        task = json.loads((path / "tasks.jsonl").read_text().splitlines()[0])
        change(task)
        (path / "tasks.jsonl").write_text(json.dumps(task) + "\n")
        return path

    return copy


def test_a_domain_without_tasks_has_nothing_to_play(capsys: Capture, tmp_path: Path) -> None:
    assert main(["demo", str(write_domain(tmp_path))]) == 2
    assert capsys.readouterr().err.startswith("error: Domain 'small' has no tasks to play;")


def test_a_chain_that_is_rejected_is_named_by_task_and_step(
    capsys: Capture, one_task: Callable[[Callable[[dict[str, Any]], object]], Path]
) -> None:
    path = one_task(lambda task: task["chain"][0].update(arguments={"email": "nobody@example.org"}))
    assert main(["demo", str(path)]) == 1
    assert capsys.readouterr().err == (
        "error: Task 'keep-a-book', step 0 (find_member) was rejected with "
        "NOT_FOUND: No member has the e-mail address 'nobody@example.org'.\n"
    )


def test_a_wrong_expectation_is_explained(
    capsys: Capture, one_task: Callable[[Callable[[dict[str, Any]], object]], Path]
) -> None:
    path = one_task(lambda task: task["expected"][0]["columns"].update(renewals=2))
    assert main(["demo", str(path), "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["ok"] is False
    (difference,) = content["tasks"][0]["reference"]["differences"]
    assert (difference["column"], difference["expected"], difference["actual"]) == ("renewals", 2, 1)


def test_a_domain_that_a_model_wrote_is_rebuilt_and_compared(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "tool_lending"
    folder.mkdir()
    build_lending(folder, tasks=2)
    assert main(["demo", str(folder), "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["rebuilt"]["different"] == []
    assert {"schema.sql", "world.py", "scenarios.py", "graph.json", "cases.jsonl"} <= set(content["rebuilt"]["same"])
    assert [task["reference"]["reward"] for task in content["tasks"]] == [1, 1]
    (folder / "world.py").write_text((folder / "world.py").read_text() + "# edited\n")
    assert main(["demo", str(folder), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["rebuilt"]["different"] == ["world.py"]
