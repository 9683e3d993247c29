"""Claims about `--engine ray`, on a cluster of two nodes with a processor each; run by `.ci/frameworks ray`."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from uuid import uuid4

import pytest

from runtime.harness.evaluation.store import read_run

BIN = Path(sys.executable).parent
PORT = 6421
ENGINE = ("--engine", f"ray:127.0.0.1:{PORT}")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Two nodes; the second one joins the first."""
    usual = ("--num-cpus=1", "--object-store-memory=100000000")
    os.environ |= {"RAY_worker_niceness": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": uuid4().hex * 2}
    try:
        for where in (("--head", f"--port={PORT}", "--include-dashboard=false"), (f"--address=127.0.0.1:{PORT}",)):
            subprocess.run([BIN / "ray", "start", *where, *usual], check=True, capture_output=True)
        yield
    finally:
        subprocess.run([BIN / "ray", "stop"], check=True, capture_output=True)


def worldsmith(*words: object) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([BIN / "worldsmith", *map(str, words)], capture_output=True, text=True)
    print(done.stderr)
    return done


def told(path: Path) -> list[object]:
    """All that a store says of its tasks and episodes, but for how long they took."""
    run = read_run(path)
    records = [vars(record) | {"seconds": 0.0} for record in run.records()]
    return [run.tasks, run.trials, *records]


@pytest.mark.parametrize("agent", ["reference", "idle"])
def test_a_run_on_two_nodes_is_that_of_this_machine(agent: str, tmp_path: Path) -> None:
    words = ("eval", "library", "job_seeking", "-n", 3, "--trials", 2, "--agent", agent, "--processes", 2, "--store")
    there = worldsmith(*words, tmp_path / "there.db", *ENGINE)
    here = worldsmith(*words, tmp_path / "here.db", "--engine", "local")
    assert there.returncode == here.returncode == 0
    assert told(tmp_path / "there.db") == told(tmp_path / "here.db")
    scores = [done.stdout.split("tokens")[0] for done in (there, here)]
    assert scores[0] == scores[1]


def test_rates_that_are_measured_on_two_nodes_are_those_of_this_machine(tmp_path: Path) -> None:
    words = ("calibrate", "library", "-n", 4, "--trials", 2, "--agent", "comply_all", "--processes", 2)
    for where, more in (("there", ENGINE), ("here", ())):
        files = ("--store", tmp_path / f"{where}.db", "--rates", tmp_path / f"{where}.jsonl")
        assert worldsmith(*words, *files, *more).returncode == 0
    assert (tmp_path / "there.jsonl").read_bytes() == (tmp_path / "here.jsonl").read_bytes()


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    three = ("-n", "3", "--trials", "40", "--agent", "reference", "--processes", "2")
    words = ("eval", "library", *three, "--store", str(path))
    command = [str(BIN / "worldsmith"), *words, *ENGINE]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: kept(path) >= 5)
    assert kept(path) < 120
    (first, *_) = workers()
    os.kill(first, signal.SIGKILL)
    out, error = running.communicate(timeout=300)
    assert running.returncode == 0, error
    assert "3 tasks, 120 episodes, 0 void" in out
    assert kept(path) == 120
    assert worldsmith("rescore", path).returncode == 0


def test_what_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    words = ("eval", "library", "--store", tmp_path / "run.db", "--agent")
    for more, sentence in (
        (("idle", "--engine", "ray:127.0.0.1:9"), "there is no Ray cluster at '127.0.0.1:9'"),
        (
            ("idle", "--engine", "ray:somewhere"),
            "'somewhere' is not an address of a Ray cluster; give HOST:PORT or auto",
        ),
        (("idle", *ENGINE, "--processes", 3), "--processes is 3; the Ray cluster has 2 processors"),
        (("command:true", *ENGINE), "--engine ray plays no --agent command:"),
    ):
        done = worldsmith(*words, *more)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1 + done.stderr.count(" owed; ")), done.stderr
        assert sentence in done.stderr


def kept(path: Path) -> int:
    """How many episodes a store holds by now."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        try:
            return int(connection.execute("SELECT count(*) FROM episode").fetchone()[0])
        except sqlite3.Error:
            return 0


def workers() -> list[int]:
    """The processes of this machine that play episodes for Ray."""
    named = [(int(path.parent.name), path.read_bytes()) for path in Path("/proc").glob("[0-9]*/cmdline")]
    return [number for number, command in named if command.startswith(b"ray::PlayingActor")]


def wait_for(claim: Callable[[], bool], seconds: float = 120.0) -> None:
    latest = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < latest
        time.sleep(0.02)
