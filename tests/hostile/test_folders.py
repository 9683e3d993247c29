"""A hostile folder is refused in one sentence by every command that reads it, and nothing outside of it is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.corpus import FOLDERS
from tests.hostile.trial import run_all

# Of each kind one; `python -m tests.hostile.folders` runs all of them through every command.
SAMPLE = {
    "attach_and_update": ("show", "check"),
    "endless_select": ("show",),
    "check_that_bursts": ("show",),
    "tool_of_nested_parts": ("show",),
    "schema_is_endless": ("show", "compile"),
    "tools_are_a_link_out": ("check", "serve"),
    "tasks_are_a_pipe": ("show",),
    "tasks_of_10_gb": ("show",),
    "deep_json": ("show",),
    "edit_outside": ("new",),
    "answers_are_a_link_out": ("new",),
    "title_that_writes_the_screen": ("show", "serve"),
}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_hostile_folder_harms_nothing(name: str, tmp_path: Path) -> None:
    (hostile,) = [each for each in FOLDERS if each.name == name]
    _, faults = run_all(hostile, tmp_path, SAMPLE[name])
    assert not faults


def test_the_corpus_has_each_folder_once() -> None:
    names = [each.name for each in FOLDERS]
    assert len(names) == len(set(names)) >= 40
    assert SAMPLE.keys() <= set(names)
