"""The demo plays real servers, and says in one line what is wrong with a task or a tool."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generator.commands import demo
from generator.main import main
from tests.conftest import LIBRARY

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def one_task(library_copy: Path) -> Callable[[Callable[[dict[str, Any]], object]], Path]:
    """A copy of the library with its first task only, changed."""

    def copy(change: Callable[[dict[str, Any]], object]) -> Path:
        task = json.loads((library_copy / "tasks.jsonl").read_text().splitlines()[0])
        change(task)
        (library_copy / "tasks.jsonl").write_text(json.dumps(task) + "\n")
        return library_copy

    return copy


def test_a_chain_that_is_rejected_is_named_by_task_and_step(
    capsys: Capture, one_task: Callable[[Callable[[dict[str, Any]], object]], Path]
) -> None:
    path = one_task(lambda task: task["chain"][0].update(arguments={"email": "nobody@example.org"}))
    assert main(["demo", str(path)]) == 1
    shown = capsys.readouterr().out.splitlines()
    at = shown.index("  Renew a book")
    assert shown[at + 2] == "    reference agent: reward 0, after 1 call"
    assert shown[at + 3] == (
        "      find_member was rejected with NOT_FOUND: No member has the e-mail address 'nobody@example.org'."
    )
    assert shown[-2:] == [
        "Of 1 task, the reference agent solved 0 and the idle agent 0.",
        "NOT everything is as it should be.",
    ]


def test_a_tool_that_crashes_ends_the_demo_in_one_line(
    capsys: Capture, one_task: Callable[[Callable[[dict[str, Any]], object]], Path]
) -> None:
    path = one_task(lambda task: None)
    members = path / "tools" / "members.py"
    members.write_text(members.read_text().replace("return member\n", 'return {**member, "name": str(1 // 0)}\n'))
    assert main(["demo", str(path)]) == 1
    *_, error = capsys.readouterr().err.splitlines()
    assert error.startswith("error: Task 'keep-a-book', reference agent: Tool 'find_member' failed")


def test_nothing_but_the_compiled_server_is_played_on(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "write_place", lambda path, files: None)
    assert main(["demo", str(LIBRARY)]) == 1
    *_, error = capsys.readouterr().err.splitlines()
    assert error.startswith("error: Task 'keep-a-book', reference agent: The world's server did not start")
    assert "compiled/library/server.py" in error


def test_a_wrong_expectation_is_explained(
    capsys: Capture, one_task: Callable[[Callable[[dict[str, Any]], object]], Path]
) -> None:
    path = one_task(lambda task: task["expected"][0]["columns"].update(renewals=2))
    assert main(["demo", str(path), "--json"]) == 1
    content = json.loads(capsys.readouterr().out)
    assert content["ok"] is False
    (difference,) = content["tasks"][0]["reference"]["differences"]
    assert (difference["row"]["column"], difference["expected"], difference["actual"]) == ("renewals", 2, 1)


def test_a_domain_with_its_answers_is_built_again_and_compared(
    capsys: Capture, copy_lending: Callable[[Path], Path], tmp_path: Path
) -> None:
    path = copy_lending(tmp_path / "lending")
    (path / "README.md").write_text("Something else.")
    assert main(["demo", str(path), "-n", "1"]) == 1
    assert "NOT the shipped folder; these differ: README.md." in capsys.readouterr().out
