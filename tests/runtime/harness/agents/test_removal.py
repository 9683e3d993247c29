"""An episode's folder is removed with whatever a program left there, and what it left does not change a verdict."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.harness.agents.folder import Folder
from runtime.harness.agents.removal import remove_folder
from runtime.harness.evaluation.store import read_run
from tests.runtime.harness.agents.hostile import PROGRAMS, command, evaluate
from tests.runtime.harness.agents.test_isolation import works

SAID = os.strerror(errno.ENOTDIR)
NESTS = "import os\nfor each in range(3000):\n    os.mkdir('0')\n    os.chdir('0')\nopen('file', 'w').close()"


def test_a_folder_is_removed_however_deep_and_whatever_is_in_it(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept").touch()
    folder = tmp_path / "folder"
    (folder / "closed" / "inner").mkdir(parents=True)
    (folder / "1").touch()
    (folder / "link").symlink_to(other)
    (folder / "closed" / "link").symlink_to("/no/such")
    os.mkfifo(folder / "closed" / "pipe")
    subprocess.run([sys.executable, "-c", NESTS], cwd=folder, check=True)
    (folder / "closed").chmod(0)
    folder.chmod(0)
    remove_folder(folder)
    assert sorted(tmp_path.rglob("*")) == [other, other / "kept"]


def test_what_cannot_be_removed_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = Folder()
    real, folder.path = folder.path, tmp_path / "link"
    folder.path.symlink_to(real)
    folder.remove()
    assert caplog.messages == [f"Folder {str(tmp_path / 'link')!r} of an agent's program cannot be removed: {SAID}."]
    remove_folder(real)


@pytest.mark.parametrize("words", [(), ("--isolate", "--pass-path", str(PROGRAMS))], ids=["plain", "isolated"])
def test_an_episode_that_left_3000_folders_within_folders_has_its_verdict(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    if words and not works():
        return
    (tmp_path / "temporary").mkdir()
    done = evaluate(tmp_path / "run.db", command("nests.py"), *words, TMPDIR=str(tmp_path / "temporary"))
    assert done.returncode == 0, done.stderr
    (record,) = read_run(tmp_path / "run.db").records()
    assert record.end == "done"
    assert list((tmp_path / "temporary").iterdir()) == []
