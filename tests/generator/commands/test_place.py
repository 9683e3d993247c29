"""What is built beside a folder takes its place in one step, and a killed command leaves nothing for long."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from generator.commands.place import building_beside, clear_beside, exchange

_BUILD = """
import sys
from pathlib import Path
from generator.commands.place import building_beside
folder = Path(sys.argv[1])
with building_beside(folder) as place:
    if folder.exists():
        folder.rename(place / "shop.old")
    print(place.name, flush=True)
    sys.stdin.read()
"""


def begin(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Start a process that builds beside a folder, which it has moved aside, and the name of the place."""
    words = [sys.executable, "-c", _BUILD, str(folder)]
    running = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    return running, running.stdout.readline().strip()


@pytest.mark.parametrize("has_one_step", [True, False])
def test_two_folders_change_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_one_step: bool) -> None:
    if not has_one_step:
        monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    new, old = tmp_path / "new", tmp_path / "old"
    for folder in (new, old):
        folder.mkdir()
        (folder / folder.name).touch()
    exchange(new, old)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("*/*")) == ["new/old", "old/new"]


def test_what_a_killed_command_left_goes_and_what_a_running_one_builds_stays(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    running, at_work = begin(folder)
    killed, left = begin(folder)
    killed.kill()
    killed.communicate()
    assert {each.name for each in tmp_path.iterdir()} == {at_work, left}
    with building_beside(folder) as place:
        assert {each.name for each in tmp_path.iterdir()} == {at_work, place.name}
    running.communicate("")
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_a_killed_command_moved_aside_is_put_back(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "mine").touch()
    killed, _ = begin(folder)
    assert not folder.exists()
    killed.kill()
    killed.communicate()
    clear_beside(folder)
    assert [each.name for each in tmp_path.rglob("*")] == ["shop", "mine"]
