"""Edits change files of the draft that they are for, and no other file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from generator.build.build import _move
from generator.build.edits import HandEdit, apply_edits, read_edits
from runtime.errors import UsageError


def write(folder: Path, **parts: str) -> None:
    line = {"file": "schema.sql", "old": "one", "new": "two", "reason": "Two is right.", **parts}
    (folder / "edits.jsonl").write_text(json.dumps(line) + "\n")


def test_an_edit_replaces_a_text_that_occurs_once(tmp_path: Path) -> None:
    write(tmp_path, file="tools/loans.py")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "loans.py").write_text("one\n")
    apply_edits(tmp_path, read_edits(tmp_path))
    assert (tmp_path / "tools" / "loans.py").read_text() == "two\n"


@pytest.mark.parametrize(
    "file", ["/etc/passwd", "../x", "tools/../../x", "answers.jsonl", "edits.jsonl", "tools/x.sh", ".bashrc", ""]
)
def test_an_edit_of_any_other_file_is_refused_before_a_question_is_asked(file: str, tmp_path: Path) -> None:
    write(tmp_path, file=file)
    with pytest.raises(UsageError, match=r"line 1: .* is not a file that an edit may change; have: domain.json"):
        read_edits(tmp_path)


def test_an_edit_that_was_not_read_is_held_inside_the_folder_too(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("one")
    folder = tmp_path / "draft"
    folder.mkdir()
    (folder / "schema.sql").symlink_to(victim)
    for file in (str(victim), "../victim", "schema.sql"):
        edit = HandEdit.model_construct(file=file, old="one", new="owned", reason="none")
        with pytest.raises(UsageError):
            apply_edits(folder, [edit])
    assert victim.read_text() == "one"


def test_a_finished_folder_is_laid_down_through_no_link(tmp_path: Path) -> None:
    made, out, mine = tmp_path / "made", tmp_path / "out", tmp_path / "mine"
    for folder in (made / "tools", out, mine):
        folder.mkdir(parents=True)
    (made / "tools" / "loans.py").write_text("new\n")
    (made / "schema.sql").write_text("new\n")
    (mine / "work.py").write_text("precious\n")
    (out / ".schema.sql.new").symlink_to(mine / "work.py")
    _move(made, out)
    assert (out / "schema.sql").read_text() == "new\n"
    shutil.rmtree(out / "tools")
    (out / "tools").symlink_to(mine)
    with pytest.raises(UsageError, match="outside of its folder"):
        _move(made, out)
    assert [path.name for path in mine.iterdir()] == ["work.py"]
    assert (mine / "work.py").read_text() == "precious\n"
