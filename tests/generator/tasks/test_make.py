"""`worldsmith tasks -n`: the same file for any number of processes; what cannot be made is one clear line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from generator.tasks import make
from generator.tasks.make import Making, chain_and_rows, make_tasks, write_lines
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.task.task_file import read_tasks
from tests.conftest import SHIPPED_LIBRARY


def test_the_file_is_the_same_for_any_number_of_processes(
    library_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, three = library_copy.parent / "one.jsonl", library_copy.parent / "three.jsonl"
    words = ["tasks", str(library_copy), "-n", "18", "--level", "1"]
    assert main([*words, "--processes", "1", "--out", str(one)]) == 0
    assert main([*words, "--processes", "3", "--out", str(three), "--json"]) == 0
    assert one.read_bytes() == three.read_bytes()
    lines = one.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 18
    shown, _, figured = capsys.readouterr().out.partition("\n{")
    assert "18 proven tasks" in shown.splitlines()[0]
    assert "proven tasks per second" in shown
    figures = json.loads("{" + figured)
    passed, tried = figures["proofs"]["replay"]
    assert figures["kept"] == 18 <= figures["tried"] <= tried == passed


def ids_in(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_new_tasks_stand_behind_the_others_and_are_made_once(
    library_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = library_copy / "tasks.jsonl"
    before, ids_before = file.read_text(encoding="utf-8").splitlines(), ids_in(file)
    words = ["tasks", str(library_copy), "--level", "1", "--unverified"]
    assert main([*words, "-n", "3"]) == 0
    three = ids_in(file)[len(before) :]
    assert main([*words, "-n", "6", "--json"]) == 0
    assert f'"others": {len(before)}' in capsys.readouterr().out
    tasks = list(read_tasks(load_domain(library_copy)).values())[len(before) :]
    assert file.read_text(encoding="utf-8").splitlines()[: len(before)] == before
    assert {task.id for task in tasks} > {*three}
    assert len({chain_and_rows(task) for task in tasks}) == 6
    assert all(task.proofs == {"unverified": True} for task in tasks)
    assert not list(library_copy.glob(".*.new"))
    capsys.readouterr()
    assert main([*words, "-n", "2", "--replace"]) == 0
    assert ids_in(file)[:-2] == ids_before  # which were written by hand
    assert f"kept, as no scenario makes them: {len(before)} tasks" in capsys.readouterr().out


def test_what_else_a_file_holds_is_not_lost(library_copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = library_copy.parent / "t.jsonl"
    words = ["tasks", str(library_copy), "-n", "2", "--level", "1", "--out", str(out), "--unverified"]
    for held, why in (("a letter", "is not a task"), (_line_of_job_seeking(), "is of domain 'job_seeking'")):
        out.write_text(held, encoding="utf-8")
        assert main(words) == 2
        assert f"because of line 1, which {why}; give another --out, or --replace to " in capsys.readouterr().err
        assert out.read_text(encoding="utf-8") == held


def _line_of_job_seeking() -> str:
    return (SHIPPED_LIBRARY.with_name("job_seeking") / "tasks.jsonl").read_text(encoding="utf-8").splitlines()[0]


def test_nothing_is_written_into_a_domain_that_the_package_carries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in SHIPPED_LIBRARY.glob("*.*")}
    monkeypatch.chdir(tmp_path)
    assert main(["tasks", "library", "-n", "2", "--level", "1", "--unverified"]) == 0
    assert capsys.readouterr().out.startswith("tasks/library.jsonl: 2 unverified tasks, ")
    assert {path.name: path.stat().st_mtime_ns for path in SHIPPED_LIBRARY.glob("*.*")} == before
    made = ids_in(tmp_path / "tasks" / "library.jsonl")
    assert main(["show", "library", "--tasks", "tasks/library.jsonl", "--task", made[0]]) == 0
    words = ["--format", "world", "--task", made[1], "--out", "start.db"]
    assert main(["export", "library", "--tasks", "tasks/library.jsonl", *words]) == 0
    words = ["--agent", "reference", "--user", "none"]
    assert main(["eval", "library", "--tasks", "tasks/library.jsonl", *words]) == 0
    capsys.readouterr()
    assert main(["verify", "start.db", "--domain", "library", "--task", made[1], "--tasks", "tasks/library.jsonl"]) == 1
    assert "Reward 0" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        pytest.param(["-n", "0"], "-n is 0; it is a number from 1 to 100,000.", id="none"),
        pytest.param(["-n", "3", "--level", "8"], "--level is 8; it is a number from 1 to 7.", id="complexity"),
        pytest.param(["-n", "3", "--rows", "9"], "--rows is 9; it is a number from 100 to 100,000.", id="rows"),
        pytest.param(["-n", "3", "--seed", "-1"], "--seed is -1; it is a number from 0", id="seed"),
        pytest.param(
            ["-n", "3", "--processes", "0"], "--processes is 0; it is a number from 1 to 256.", id="processes"
        ),
        pytest.param(["-n", "3", "--out", "no/new.jsonl"], "there is no folder 'no'", id="no_folder"),
    ],
)
def test_an_impossible_option_is_one_line(
    words: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tasks", "library", *words]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("lacking", ["scenarios.py", "graph.json"])
def test_a_domain_that_lacks_what_tasks_are_made_of_says_so(
    lacking: str, library_copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (library_copy / lacking).unlink()
    assert main(["tasks", str(library_copy), "-n", "3"]) == 2
    *progress, said = capsys.readouterr().err.splitlines()
    assert said.startswith(f"error: Domain 'library' has no {lacking}; ")
    assert all(line.startswith("making 3 tasks, ") for line in progress)  # on a slow machine


def test_what_cannot_be_made_is_given_up_with_the_reasons(
    library_copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make, "_TRIED_AT_LEAST", 10)
    (library_copy / "scenarios.py").write_text(
        '''"""Nothing that the world holds."""

from runtime.story import Story, scenario


@scenario
def find_nobody(story: Story) -> None:
    """The user wants a book that costs nothing."""
    story.pick("book", "copies > 1000")
'''
    )
    before = (library_copy / "tasks.jsonl").read_bytes()
    assert main(["tasks", str(library_copy), "-n", "2", "--level", "1"]) == 2
    said = capsys.readouterr().err
    assert "0 of 2 tasks hold after 20 candidates, so nothing was written" in said
    assert "`worldsmith check library`" in said
    assert "error:       20  no row for the scenario; the first: scenario find_nobody at level 1" in said.splitlines()
    assert (library_copy / "tasks.jsonl").read_bytes() == before


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "tasks.jsonl").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        write_lines(tmp_path / "tasks.jsonl", ["{}"])
    assert [path.name for path in tmp_path.iterdir()] == ["tasks.jsonl"]


def test_where_fewer_will_do_those_that_hold_are_kept(library_copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(make, "_TRIED_AT_LEAST", 10)
    monkeypatch.setattr(make, "_TRIED_PER_TASK", 3)
    (library_copy / "scenarios.py").write_text(
        '''"""A wish about one row of each world."""

from runtime.story import Story, scenario


@scenario
def give_a_new_number(story: Story) -> None:
    """The user has a new phone number."""
    story.pick("member", "member_id = (SELECT min(member_id) FROM member)", mine=True)
    phone = story.choose("phone", ("(614) 555-7301",))
    story.tell("My new phone number is {phone}.", phone=phone)
    story.call("change_phone", member_id=story.identify(), phone=phone)
'''
    )
    made = make_tasks(Making(library_copy, 7, least=1, complexity=1, processes=1))
    assert 0 < len(made.lines) < 7
    assert made.unmet[0].startswith(f"level 1: {len(made.lines)} of 7 tasks; of 21 candidates ")
