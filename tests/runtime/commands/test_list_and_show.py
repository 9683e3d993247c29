"""`list` and `show` say what there is, as text and as JSON; a typo lists the choices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.main import main
from tests.making import write_domain

Capture = pytest.CaptureFixture[str]


def test_list_names_domains_and_what_they_hold(capsys: Capture) -> None:
    assert main(["list"]) == 0
    assert "library: Town library; 15 tools, 6 tables, 256 tasks" in capsys.readouterr().out


def test_a_broken_domain_is_listed_and_the_others_too(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_domain(tmp_path / "domains", clock="yesterday")
    monkeypatch.chdir(tmp_path)
    assert main(["list"]) == 1
    output = capsys.readouterr().out
    assert "small: broken, 1 fault;" in output
    assert "library: Town library" in output


def test_a_link_in_a_loop_or_out_of_the_folder_is_a_fault_of_that_domain(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looped = write_domain(tmp_path / "domains" / "x")
    looped.rename(tmp_path / "domains" / "looped")
    (tmp_path / "domains" / "looped" / "tools" / "again.py").symlink_to("again.py")
    out = write_domain(tmp_path / "domains")
    (out / "tools").rename(tmp_path / "elsewhere")
    (out / "tools").symlink_to(tmp_path / "elsewhere")
    monkeypatch.chdir(tmp_path)
    assert main(["list"]) == 1
    output = capsys.readouterr().out
    assert "looped: broken, 1 fault;" in output
    assert "small: broken, 1 fault;" in output
    assert "library: Town library" in output
    assert main(["show", "looped"]) == main(["show", "small"]) == 2
    said = capsys.readouterr().err
    assert "it is a link that leads back to itself" in said
    assert "outside of its folder; put the file there" in said


def test_show_describes_tables_tools_and_tasks(capsys: Capture) -> None:
    assert main(["show", "library"]) == 0
    output = capsys.readouterr().out
    for words in ("Table hold: A member's place in the queue", "cancel_hold: Cancel a hold.", "  keep-a-book"):
        assert words in output
    assert "and 236 more" in output
    assert main(["show", "library", "--task", "keep-a-book"]) == 0
    assert "is changed: due_on 2026-04-03, renewals 1" in capsys.readouterr().out


def test_show_as_json_holds_policies_and_schemas(capsys: Capture) -> None:
    assert main(["show", "library", "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["tables"]["hold"]["columns"]["note"]["policy"] == "semantic"
    assert main(["show", "library", "--tool", "cancel_hold", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["input_schema"]["required"] == ["hold_id"]
    assert main(["show", "library", "--task", "keep-a-book", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["id"] == "keep-a-book"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        pytest.param(["show", "libary"], "error: no domain 'libary'; have: library", id="domain"),
        pytest.param(["show", "library", "--tool", "cancel_hodl"], "error: No tool 'cancel_hodl' exists;", id="tool"),
        pytest.param(["show", "library", "--task", "x"], "error: Domain 'library' has no task 'x'; have:", id="task"),
    ],
)
def test_a_typo_is_one_line_that_lists_the_choices(capsys: Capture, words: list[str], error: str) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(error)
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_every_fault_of_a_broken_domain_is_a_line(capsys: Capture, tmp_path: Path) -> None:
    path = write_domain(tmp_path, clock="yesterday", world="")
    assert main(["show", str(path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("error: ") for line in lines)
