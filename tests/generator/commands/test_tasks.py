"""`worldsmith tasks`: an exported file is the world a task starts from; a raised task is one level harder."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.world import read_world
from runtime.task.task import start_world
from runtime.task.task_file import find_task, read_tasks
from tests.conftest import SHIPPED_LIBRARY


def test_an_exported_world_is_that_of_the_task(
    library: Domain, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "start.db"
    assert main(["tasks", "library", "--export", "keep-a-book", str(path)]) == 0
    digest = start_world(find_task(library, "keep-a-book"), library).digest
    assert f"digest {digest:032x}" in capsys.readouterr().out
    assert main(["tasks", "library", "--export", "keep-a-book", str(tmp_path / "again.db"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "task": "keep-a-book",
        "file": str(tmp_path / "again.db"),
        "bytes": path.stat().st_size,
        "digest": f"{digest:032x}",
    }
    assert (tmp_path / "again.db").read_bytes() == path.read_bytes()
    assert read_world(path, library.schema, library.policies).digest == digest
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["library", "--export", "x", "new.db"], "has no task 'x'; have: keep-a-book", id="no_task"),
        pytest.param(["library", "--export", "keep-a-book", "old.db"], "File exists", id="file_exists"),
        pytest.param(["library", "--export", "keep-a-book", "no/new.db"], "No such file or directory", id="no_folder"),
    ],
)
def test_what_cannot_be_exported_is_one_line(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.db").write_text("mine")
    assert main(["tasks", *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["old.db"]
    assert (tmp_path / "old.db").read_text() == "mine"


def test_tasks_that_are_always_solved_are_made_again_one_level_harder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(SHIPPED_LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__"))
    before = read_tasks(load_domain(folder))
    _, easier, *_ = (task.id for task in before.values() if task.level == 2)
    assert main(["tasks", "./library", "--raise"]) == 2
    assert "measure with `worldsmith calibrate ./library --agent A`" in capsys.readouterr().err
    play = ["--agent", "reference", "--task", easier, "--trials", "4"]
    assert main(["calibrate", "./library", *play]) == 0
    capsys.readouterr()
    assert main(["tasks", "./library", "--raise", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    after = read_tasks(load_domain(folder))
    (harder,) = [after[name] for name in after.keys() - before.keys()]
    assert (told["raised"], told["refused"]) == ({easier: harder.id}, {})
    assert (harder.easier, harder.level) == (easier, 3)
    assert all(passed == tried for passed, tried in harder.proofs.values())
    assert {name: after[name] for name in before} == before
    hand_made = next(task.id for task in before.values() if not task.id[-4:].isdigit())
    assert main(["tasks", "./library", "--raise", hand_made]) == 0
    assert f"  {hand_made}: not raised, its id is not that of a task" in capsys.readouterr().out


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
    body: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(SHIPPED_LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__"))
    card = json.loads((folder / "domain.json").read_text())
    card.pop("people", None)
    (folder / "domain.json").write_text(json.dumps(card))
    (folder / "tasks.jsonl").unlink()
    (folder / "scenarios.py").write_text(SCENARIO.format(body=body))
    assert main(["tasks", "./library", "-n", "2", "--level", "1", "--unverified"]) == 2
    assert said in capsys.readouterr().err
