"""A hostile folder is refused in one sentence by every command that reads it, and nothing outside of it is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.corpus import FOLDERS
from tests.hostile.trial import read_together, run_all

# All folders are listed and loaded; the other commands are tried with one of each kind.
SAMPLE = {
    "attach_and_update": ("check",),
    "check_that_bursts": ("show",),
    "schema_is_endless": ("compile",),
    "answers_are_a_link_out": ("new",),
    "title_that_writes_the_screen": ("show",),
}


def test_all_hostile_folders_are_told_for_what_they_are(tmp_path: Path) -> None:
    assert read_together(FOLDERS, tmp_path) == []


@pytest.mark.parametrize("name", SAMPLE)
def test_a_hostile_folder_harms_nothing(name: str, tmp_path: Path) -> None:
    (hostile,) = [each for each in FOLDERS if each.name == name]
    assert run_all(hostile, tmp_path, SAMPLE[name]) == []
