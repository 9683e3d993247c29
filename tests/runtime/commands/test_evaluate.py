"""Claims about `worldsmith eval`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from runtime.harness.evaluation.store import read_run
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.kill_eval import episodes_in, finish, kill_once

Eval = Callable[..., int]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a run goes."""
    return tmp_path / "run.db"


@pytest.fixture
def evaluate(store: Path) -> Eval:
    """Run the command on the library."""

    def run(*words: object, agent: str = "reference", user: str = "none") -> int:
        options = ["--agent", agent, "--user", user, "--store", str(store), "--transport", "session"]
        return main(["eval", str(LIBRARY), *options, *map(str, words)])

    return run


def test_the_reference_agent_is_rewarded_for_every_task(
    evaluate: Eval, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("--trials", 2, "--json") == 0
    captured = capsys.readouterr()
    figures = json.loads(captured.out)
    assert [(each["k"], each["value"], each["low"], each["high"]) for each in figures["pass_hat_k"]] == [
        (1, 1.0, 1.0, 1.0),
        (2, 1.0, 1.0, 1.0),
    ]
    assert (figures["episodes"], figures["void"], figures["idle"], figures["store"]) == (6, 0, 0.0, str(store))
    assert captured.err.startswith(f"3 tasks, 6 episodes, 6 owed; store: {store}\n")
    assert "6 of 6, reward 1.000" in captured.err


def test_the_idle_agent_is_rewarded_for_none(evaluate: Eval, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate(agent="idle") == 0
    assert "Avg@1   0.000 (0.000-0.000)    idle agent 0.000" in capsys.readouterr().out


def test_the_same_command_again_plays_nothing_and_says_the_same(
    evaluate: Eval, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("--json") == 0
    first = json.loads(capsys.readouterr().out)
    assert evaluate("--json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == first
    assert "3 episodes, 0 owed" in captured.err


def test_a_store_is_always_kept_and_named_after_domain_and_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--agent", "reference", "--user", "none", "--transport", "session", "--tasks", "1"]
    assert main(["eval", str(LIBRARY), *words]) == 0
    assert len(list(read_run(tmp_path / "runs" / "library-reference.db").records())) == 1
    assert "store: runs/library-reference.db" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--tasks", "keep-a-boat"], "There is no task 'keep-a-boat' to choose; have: keep-a-book, "),
        (["--tasks", "9"], "--tasks is 9; domain 'library' has 3 to choose from."),
        (["--agent", "genius"], "no agent 'genius'; have: reference, idle, random, parrot, "),
        (["--user", "nobody"], "o user 'nobody'; have: scripted, "),
        (["--trials", "0"], "--trials is 0; it is a number from 1 to 1,000."),
        (["--concurrency", "-1"], "--concurrency is -1; "),
        (["--max-seconds", "nan"], "--max-seconds is nan; "),
        (["--max-cost", "0"], "--max-cost is 0; give a number of dollars above 0."),
        (
            ["--max-cost", "5", "--agent", "anthropic:claude-unheard-of"],
            "--max-cost cannot hold: the price of anthropic:claude-unheard-of is not known.",
        ),
        (["--max-cost", "5", "--agent", "command:x"], "--max-cost cannot hold: the price of command:x is not known."),
        (["--store", str(LIBRARY)], "is a folder, not a run store."),
        (["--split", "held_out"], "Domain 'library' has no task in split 'held_out'."),
    ],
)
def test_what_cannot_be_is_one_clear_line(
    evaluate: Eval, store: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert evaluate(*words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert captured.err.count("\n") == 1
    assert said in captured.err
    assert not store.exists()


def test_no_agent_and_an_unknown_domain_are_one_clear_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["eval", str(LIBRARY)]) == 2
    assert capsys.readouterr().err.startswith("error: No agent was named; give --agent A, with reference, idle, ")
    assert main(["eval", "libary", "--agent", "idle"]) == 2
    assert "no domain 'libary'; have: library" in capsys.readouterr().err


def test_another_agent_into_the_same_store_is_refused_and_nothing_is_lost(
    evaluate: Eval, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate() == 0
    kept = episodes_in(store)
    capsys.readouterr()
    assert evaluate(agent="idle") == 2
    assert "has agent 'reference', not 'idle'; give another --store." in capsys.readouterr().err
    assert episodes_in(store) == kept


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(store: Path) -> None:
    words = ["--agent", "reference", "--user", "none", "--trials", "400", "--store", str(store), "--processes", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "generator", "eval", str(LIBRARY), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        lines = [process.stderr.readline(), process.stderr.readline()]  # the second comes while it plays
        os.killpg(process.pid, signal.SIGINT)
        out, rest = process.communicate(timeout=60)
    assert process.returncode == 130, (lines, rest)
    kept = len(episodes_in(store))
    assert 0 < kept < 1200
    last = rest.splitlines()[-1]
    assert last == f"stopped: kept {kept} of 1,200 episodes in {store}; the same command plays the rest"
    assert "Traceback" not in rest
    assert out == ""


def test_a_killed_run_owes_only_what_was_not_stored(store: Path) -> None:
    kill = kill_once(store, 60, 0.0)
    assert kill is not None
    assert 0 < kill.after < 180
    assert len(finish(store, 60)) == 180


def test_a_full_disk_is_one_clear_line_and_what_was_kept_stays(store: Path) -> None:
    words = ["--agent", "reference", "--user", "none", "--trials", "200", "--store", str(store), "--processes", "1"]
    limited = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000)); "
    limited += "from generator.main import main; sys.exit(main(sys.argv[2:]))"
    done = subprocess.run(
        [sys.executable, "-c", limited, "", "eval", str(LIBRARY), *words, "--transport", "session"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith(f"error: The store {str(store)!r} cannot be written: ")
    assert "Traceback" not in done.stderr
    assert 0 < len(episodes_in(store)) < 600
