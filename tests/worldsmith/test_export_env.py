"""Claims about `worldsmith export-env`: the folder needs no worldsmith, and what is asked wrongly is one sentence."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from generator.main import main

# A chain is played by the code of the folder alone; what it imported of ours lies there.
PLAY = """
import sys
folder = sys.argv[1]
sys.path.insert(0, folder)
from worldsmith import Rollout, tasks
for task in tasks(folder + "/domain"):
    with Rollout(task).sync() as rollout:
        rollout.open()
        say = rollout.seat("reference")
        while not rollout.done:
            rollout.take(say())
        assert rollout.verdict().reward == 1
ours = [m for m in sys.modules.values() if (m.__name__ + ".").startswith(("runtime.", "worldsmith."))]
assert all(m.__file__.startswith(folder) for m in ours)
assert not {"mcp", "aiosqlite", "anthropic", "starlette", "rich"} & sys.modules.keys()
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported") / "library"
    assert main(["export-env", "openenv", str(folder), "--domain", "library"]) == 0
    return folder


def test_the_folder_plays_its_tasks_by_its_own_code(exported: Path) -> None:
    done = subprocess.run([sys.executable, "-P", "-c", PLAY, exported], cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_manifest_declares_reward_floor_and_oracle(exported: Path) -> None:
    manifest = (exported / "openenv.yaml").read_text()
    assert "reward: {range: [0.0, 1.0], oracle_tolerance: 0.0, floor_margin: 1.0}" in manifest
    assert "oracle: {form: script, location: oracle.py}" in manifest
    assert (exported / "oracle.py").is_file()


def test_a_folder_that_holds_something_is_left_as_it_is(exported: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export-env", "openenv", str(exported), "--domain", "library"]) == 2
    assert "is not an empty folder" in capsys.readouterr().err
