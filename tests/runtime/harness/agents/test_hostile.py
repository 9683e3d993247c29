"""Hostile programs that are not isolated: what they can read of us, change, and leave behind, on Linux."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from generator.main import main
from tests.runtime.harness.agents.hostile import SECRETS, command, evaluate, told
from tests.runtime.harness.agents.test_program import alive

TWO = "keep-a-book,card-and-queue"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a run goes; nothing else has such a name."""
    folder = tmp_path / "kept"
    folder.mkdir()
    return folder / "where-nobody-looks.db"


def test_no_ancestor_shows_a_program_the_store_or_a_secret(store: Path) -> None:
    done = evaluate(store, command("looks_up.py", os.getpid()), "--pass-env", "OTHER_TOKEN")
    assert done.returncode == 0, done.stderr
    found = told(store)
    watcher, worker, evaluation = found["ancestors"]
    assert watcher["environ"] in ("", None)
    assert "runtime.harness.evaluation.worker" in worker["cmdline"]
    assert "\0eval\0" in evaluation["cmdline"]
    assert store.name not in str(found)
    assert not [secret for secret in SECRETS.values() if secret in str(found["ancestors"])]
    assert [(each["links"], each["memory"]) for each in found["ancestors"]] == [([], False)] * 3
    assert {name: found["environ"].get(name) for name in SECRETS} == {
        "WORLDSMITH_ADMIN_TOKEN": None,
        "ANTHROPIC_API_KEY": None,
        "OTHER_TOKEN": SECRETS["OTHER_TOKEN"],
    }
    assert found["environ"]["PWD"] != str(store.parent)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("column", "was altered: its column 'reward' is 1, its record says 0."),
        ("record", "was altered: its column 'reward' is 0, its record says 1."),
        ("both", "was altered while the evaluation ran: it kept reward 0, the store has reward 1."),
        ("deletes", "was altered while the evaluation ran: it kept reward 0, the store has none of that name."),
        ("replaces", "was altered while the evaluation ran: it kept reward 0, the store has none of that name."),
    ],
)
def test_a_program_that_changes_how_an_episode_was_judged_gets_no_score(
    store: Path, what: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = evaluate(store, command("rewrites.py", store, what), task=TWO)
    assert done.returncode == 1
    assert done.stdout == ""
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: Episode 0 of task '")
    assert f"of domain 'library' in {str(store)!r} {said}" in last
    if what in ("both", "replaces"):  # the verdict is forged throughout, but is not what the final state says
        assert main(["rescore", str(store)]) == 1
        out = capsys.readouterr().out
        assert "reward 1 in the run, 0 now" in out
        assert "the record is not what its final state says: neither domain nor task has changed since" in out


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        pytest.param(("1",), 0, "gave up", id="kills_its_watcher"),
        pytest.param(("1", "stop"), 0, "out of time", id="stops_its_watcher"),
        pytest.param(("2",), 1, "A worker process was ended by signal 9", id="kills_the_worker_too"),
    ],
)
def test_a_process_without_parents_is_gone_when_the_evaluation_is_over(
    store: Path, tmp_path: Path, words: tuple[str, ...], status: int, said: str
) -> None:
    done = evaluate(store, command("escapes.py", tmp_path / "left", *words), "--max-seconds", "3")
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stderr
    assert alive(int((tmp_path / "left").read_text())) == []


def test_what_escaped_from_one_episode_is_gone_before_the_next_ends(store: Path, tmp_path: Path) -> None:
    began = time.time()
    done = evaluate(store, command("escapes.py", tmp_path / "left", "1"), "--max-seconds", "3", task=TWO)
    assert done.returncode == 0, done.stderr
    assert alive(*map(int, (tmp_path / "left").read_text().split())) == []
    assert (tmp_path / "left").stat().st_mtime > began


def test_chains_of_processes_that_replace_each_other_are_gone_when_the_evaluation_is_over(
    store: Path, tmp_path: Path
) -> None:
    done = evaluate(store, command("flees.py", tmp_path / "report"), "--max-seconds", "5")
    ended = time.time()
    assert done.returncode == 0, done.stderr
    assert "still run" not in done.stderr
    time.sleep(1)
    assert max(map(float, (tmp_path / "report").read_text().split())) < ended
