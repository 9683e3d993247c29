"""Claims about `worldsmith eval`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from generator.main import main
from runtime.harness.evaluation.store import read_run
from runtime.harness.record import EpisodeRecord
from tests.conftest import LIBRARY

Eval = Callable[..., int]


def episodes_in(store: Path) -> list[EpisodeRecord]:
    """What a store holds now."""
    return list(read_run(store).records())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Where a run goes."""
    return tmp_path / "run.db"


@pytest.fixture
def evaluate(store: Path) -> Eval:
    """Run the command on the library."""

    def run(*words: object, agent: str = "reference", user: str = "none") -> int:
        options = ["--agent", agent, "--user", user, "--store", str(store)]
        return main(["eval", str(LIBRARY), *options, *map(str, words)])

    return run


def test_the_reference_agent_is_rewarded_for_every_task(
    evaluate: Eval, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("--trials", 2, "--json") == 0
    captured = capsys.readouterr()
    figures = json.loads(captured.out)
    assert [(each["k"], each["value"], each["low"], each["high"], each["tasks"]) for each in figures["pass_hat_k"]] == [
        (1, 1.0, 0.438503, 1.0, 3),
        (2, 1.0, 0.438503, 1.0, 3),
    ]
    assert figures["intervals"] == {"method": "wilson", "level": 0.95, "over": "tasks"}
    assert (figures["episodes"], figures["void"], figures["idle"], figures["store"]) == (6, 0, 0.0, str(store))
    assert captured.err.startswith(f"3 tasks, 6 episodes, 6 owed; store: {store}\n")
    assert "6 of 6, reward 1.000" in captured.err


def test_a_store_is_always_kept_and_named_after_domain_and_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["--agent", "reference", "--user", "none", "-n", "1"]
    assert main(["eval", str(LIBRARY), *words]) == 0
    assert len(list(read_run(tmp_path / "runs" / "library-reference.db").records())) == 1
    assert "store: runs/library-reference.db" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--task", "keep-a-boat"], "Task 'keep-a-boat' cannot be chosen; have: keep-a-book."),
        (["--task", "keep-a-book", "--level", "3"], "--task names the tasks; leave out -n, --split and --level, "),
        (["--level", "6"], "--level is '6'; give levels from 1 to 5 with commas between."),
        (["--agent", "genius"], "no agent 'genius'; have: reference, idle, random, parrot, "),
        (["--user", "nobody"], "o user 'nobody'; have: scripted, "),
        (["--trials", "0"], "--trials is 0; it is a number from 1 to 1,000."),
        (["--max-seconds", "nan"], "--max-seconds is nan; "),
        (["--max-cost", "0"], "--max-cost is 0; give a number of dollars above 0."),
        (
            ["--max-cost", "5", "--agent", "anthropic:claude-unheard-of"],
            "--max-cost cannot hold: anthropic:claude-unheard-of has no list price; "
            "give --price claude-unheard-of=IN,OUT.",
        ),
        (
            ["--max-cost", "5", "--agent", "command:x"],
            "--max-cost does not work with command:x, whose spending is unknown;",
        ),
        (["--price", "my-model=1,2"], "--price names 'my-model', which neither agent nor user is; have: none."),
        (["--store", str(LIBRARY)], "is a folder, not a run store."),
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


def test_another_agent_into_the_same_store_is_refused_and_nothing_is_lost(
    evaluate: Eval, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate() == 0
    kept = episodes_in(store)
    capsys.readouterr()
    assert evaluate(agent="idle") == 2
    assert (
        "has agent 'reference', not 'idle'; give another --store, or --fresh to start a new one."
        in capsys.readouterr().err
    )
    assert episodes_in(store) == kept


def test_a_fresh_run_keeps_the_earlier_one_in_a_file_beside_it(
    evaluate: Eval, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("--fresh") == 0  # nothing is there yet, so nothing is said of it
    kept = episodes_in(store)
    assert "--fresh" not in capsys.readouterr().err
    for number in (1, 2):
        assert evaluate("--fresh", agent="idle") == 0
        aside = store.with_name(f"run.{number}.db")
        assert f"--fresh: the old run of {store} is now in {aside}\n" in capsys.readouterr().err
    assert episodes_in(store.with_name("run.1.db")) == kept
    assert [read_run(store.with_name(f"run{end}.db")).config.agent for end in (".1", ".2", "")] == [
        "reference",
        "idle",
        "idle",
    ]


def test_tasks_of_a_file_are_played_by_split_and_level_and_judged_again(
    evaluate: Eval, store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = [json.loads(line) for line in (LIBRARY / "tasks.jsonl").read_text(encoding="utf-8").splitlines()]
    marks = [("train", 3), ("held_out", 3), ("held_out", 5)]
    for number, (task, (split, level)) in enumerate(zip(tasks, marks, strict=True)):
        task.update(id=f"mine-{number}", split=split, difficulty={"complexity": level})
    file = tmp_path / "mine.jsonl"
    file.write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    assert evaluate("--tasks", file, "--split", "held_out", "--level", "3,4", "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["episodes"], list(figures["by_difficulty"])) == (1, ["3"])
    assert [task for _, task in read_run(store).tasks] == ["mine-1"]
    assert main(["rescore", str(store)]) == 0  # as the run kept it: the domain's own file has no such task
    assert "changed: domain 'library' has no task 'mine-1' now; it is judged as the run stored it" in (
        capsys.readouterr().out
    )
    assert main(["rescore", str(store), "--tasks", str(file)]) == 0
    assert capsys.readouterr().out == "1 verdict given again, 0 flipped\n"
    out = tmp_path / "out.jsonl"
    for kind in ("messages", "sft", "rl"):
        assert main(["export", str(store), "--format", kind, "--out", str(out)]) == 0
        (line,) = map(json.loads, out.read_text().splitlines())
        assert (line["task"], line["split"], line["level"]) == ("mine-1", "held_out", 3)


def test_programs_that_never_reach_their_server_are_void_and_not_scored(
    evaluate: Eval, capsys: pytest.CaptureFixture[str]
) -> None:
    program = f"command:{sys.executable} -c 'import sys; sys.exit(\"no such model: x\")'"
    assert evaluate("--task", "keep-a-book", "--name", "My agent", agent=program) == 1
    captured = capsys.readouterr()
    assert "agent My agent, user none" in captured.out
    assert "There is no score: every episode is void" in captured.out
    assert (
        "trial 0 is void: The program never connected to its MCP server; it ended with exit status 1: no such model: x"
        in captured.err
    )


def test_ctrl_c_keeps_what_is_finished_and_says_how_to_go_on(store: Path) -> None:
    words = ["--agent", "reference", "--user", "none", "--trials", "1000", "--store", str(store), "--processes", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "generator", "eval", str(LIBRARY), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stderr is not None
        lines = [process.stderr.readline()]
        while lines[-1] and not re.match("played: [1-9]", lines[-1]):  # until something is finished
            lines.append(process.stderr.readline())
        os.killpg(process.pid, signal.SIGINT)
        out, rest = process.communicate(timeout=60)
    assert process.returncode == 130, (lines, rest)
    kept = len(episodes_in(store))
    assert 0 < kept < 3_000
    last = rest.splitlines()[-1]
    assert last == f"stopped: kept {kept} of 3,000 episodes in {store}; the same command plays the rest"
    assert "Traceback" not in rest
    assert out == ""
