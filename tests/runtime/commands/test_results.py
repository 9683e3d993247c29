"""`report`, `compare`, `rescore` and `export` of stored runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.world import read_world
from runtime.task.task import start_world
from runtime.task.task_file import find_task
from tests.conftest import LIBRARY, Cli
from tests.runtime.harness.evaluation.playing import fail_at, sit
from tests.runtime.harness.evaluation.test_rescore import rewrite_task
from tests.runtime.harness.played import keep, play, some_episodes


@pytest.fixture(scope="module")
def store(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nine episodes of the library's tasks."""
    path = tmp_path_factory.mktemp("run") / "run.db"
    keep(path, library, some_episodes(library))
    return path


def test_the_page_of_a_run_lies_beside_its_store_unless_told_otherwise(store: Path, tmp_path: Path, cli: Cli) -> None:
    page, other = store.with_suffix(".html"), tmp_path / "page.html"
    assert cli("report", store).startswith(f"{page}: 9 episodes, ")
    told = json.loads(cli("report", store, "--out", other, "--json"))
    assert other.read_bytes() == page.read_bytes()
    assert told == {"file": str(other), "bytes": page.stat().st_size, "episodes": 9}
    assert [*tmp_path.iterdir()] == [other]


def test_two_runs_are_compared_in_words_and_as_json(library: Domain, tmp_path: Path, cli: Cli) -> None:
    stores = tmp_path / "a.db", tmp_path / "b.db"
    sit(stores[0], library, play=fail_at([("keep-a-book", 0)]))
    sit(stores[1], library)
    lines = cli("compare", *stores).splitlines()
    assert lines[0] == "A  mean reward 0.667  agent reference, user none"
    assert "B - A  +0.333  (-0.320 to +0.987, 95%)" in lines
    assert "B better on 1, worse on 0; sign test p = 1" in lines
    assert lines[-2:] == ["only B solves (1):", "  library:keep-a-book"]
    found = json.loads(cli("compare", *stores, "--json"))
    assert found["difference"]["value"] == pytest.approx(1 / 3, abs=1e-6)
    assert found["only_second_solves"] == [["library", "keep-a-book"]]
    assert (found["tasks"], found["better"], found["worse"], found["p"]) == (3, 1, 0, 1.0)


def test_a_verdict_that_flips_is_listed_with_status_1_and_the_store_stays(tmp_path: Path, cli: Cli) -> None:
    folder, path = Path(shutil.copytree(LIBRARY, tmp_path / "library")), tmp_path / "run.db"
    sit(path, load_domain(folder))
    words = ("rescore", path, "--domain", folder)
    assert cli(*words) == "3 verdicts given again, 0 flipped\n"
    rewrite_task(folder, "keep-a-book", answers=[{"name": "day", "value": "2026-05-05", "kind": "date"}])
    before = path.read_bytes()
    found = json.loads(cli(*words, "--json", status=1))
    assert [(flip["task"], flip["before"], flip["now"]) for flip in found["flips"]] == [("keep-a-book", 1, 0)]
    assert found["flips"][0]["why"]
    assert (found["judged"], found["unjudged"]) == (3, {})
    assert path.read_bytes() == before
    assert "flip: library:keep-a-book trial 0: reward 1 in the run, 0 now" in cli(*words, status=1)


@pytest.mark.parametrize(("kind", "lines"), [("messages", 9), ("sft", 4), ("rl", 3)])
def test_a_run_is_exported_as_json_lines(store: Path, tmp_path: Path, kind: str, lines: int, cli: Cli) -> None:
    out = tmp_path / "out.jsonl"
    told = json.loads(cli("export", store, "--format", kind, "--out", out, "--json"))
    assert told["lines"] == lines == len(out.read_text(encoding="ascii").splitlines())
    assert cli("export", store, "--format", kind) == out.read_text()
    assert [*tmp_path.iterdir()] == [out]


def test_nothing_to_train_on_is_no_success_and_no_file(library: Domain, tmp_path: Path, cli: Cli) -> None:
    keep(tmp_path / "run.db", library, [play(library, "keep-a-book", [])])
    said = cli("export", tmp_path / "run.db", "--format", "sft", "--out", tmp_path / "out.jsonl", status=1)
    assert said == "nothing was written: 0 of 1 episode; left out: 1 reward below 1\n"
    assert not (tmp_path / "out.jsonl").exists()


def test_an_exported_world_is_that_of_the_task(library: Domain, tmp_path: Path, cli: Cli) -> None:
    words = ("export", "library", "--format", "world", "--task", "keep-a-book", "--out")
    path, again = tmp_path / "start.db", tmp_path / "again.db"
    digest = start_world(find_task(library, "keep-a-book"), library).digest
    assert f"digest {digest:032x}" in cli(*words, path)
    told = json.loads(cli(*words, again, "--json"))
    size = path.stat().st_size
    assert told == {"task": "keep-a-book", "file": str(again), "bytes": size, "digest": f"{digest:032x}"}
    assert again.read_bytes() == path.read_bytes()
    assert read_world(path, library.schema, library.policies).digest == digest


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


def test_an_openenv_folder_plays_its_tasks_by_its_own_code_and_declares_its_reward(tmp_path: Path, cli: Cli) -> None:
    folder = tmp_path / "exported"
    assert f"{folder}: library with 3 tasks, " in cli("export", LIBRARY, "--format", "openenv", "--out", folder)
    done = subprocess.run([sys.executable, "-P", "-c", PLAY, folder], cwd="/", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    manifest = (folder / "openenv.yaml").read_text()
    assert "reward: {range: [0.0, 1.0], oracle_tolerance: 0.0, floor_margin: 1.0}" in manifest
    assert "oracle: {form: script, location: oracle.py}" in manifest
    assert (folder / "oracle.py").is_file()
