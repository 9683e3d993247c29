"""A store in which somebody changed a verdict is noticed by every command that reads it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from runtime.errors import AlteredStore
from runtime.harness.evaluation.store import read_run
from tests.conftest import LIBRARY
from tests.runtime.harness.evaluation.playing import Watching, fail_at, sit

WHERE = "WHERE task = 'keep-a-book' AND trial = 0"
AT = "Episode 0 of task 'keep-a-book' of domain 'library'"


@pytest.fixture(scope="module")
def failed(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a run in which one episode failed."""
    path = tmp_path_factory.mktemp("run") / "run.db"
    sit(path, library, play=fail_at([("keep-a-book", 0)]))
    return path


@pytest.fixture
def store(failed: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(failed, tmp_path / "run.db"))


def write(path: Path, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql, values)


def forge(path: Path, **parts: object) -> None:
    """Give the record of the failed episode other parts."""
    with closing(sqlite3.connect(path)) as connection:
        (line,) = connection.execute(f"SELECT record FROM episode {WHERE}").fetchone()
    write(path, f"UPDATE episode SET record = ? {WHERE}", json.dumps({**json.loads(line), **parts}))


COMMANDS = [
    pytest.param(lambda store: ["report", store], id="report"),
    pytest.param(lambda store: ["compare", store, store], id="compare"),
    pytest.param(lambda store: ["rescore", store], id="rescore"),
    pytest.param(lambda store: ["export", store, "--format", "rl"], id="export"),
    pytest.param(
        lambda store: [
            *("eval", str(LIBRARY), "--agent", "reference", "--user", "none", "--transport", "session"),
            *("--store", store, "--trials", "2"),
        ],
        id="eval_resumes",
    ),
]


@pytest.mark.parametrize("words", COMMANDS)
def test_a_verdict_that_column_and_record_tell_differently_is_one_sentence(
    store: Path, words: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    write(store, f"UPDATE episode SET reward = 1 {WHERE}")
    before = store.read_bytes()
    assert main(words(str(store))) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == (
        f"error: {AT} in {str(store)!r} was altered: its column 'reward' is 1, its record says 0.\n"
    )
    assert store.read_bytes() == before


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("fault", "user", "its column 'fault' is 'user', its record says 'agent'."),
        ("cost", 0.5, "its column 'cost' is 0.5, its record says 0.0."),
        ("trial", 7, "its column 'trial' is 7, its record says 0."),
    ],
)
def test_every_column_is_compared(store: Path, column: str, value: object, said: str) -> None:
    write(store, f"UPDATE episode SET {column} = ? {WHERE}", value)
    with pytest.raises(AlteredStore) as altered:
        read_run(store).rows()
    assert said in str(altered.value)


def test_a_reward_beside_its_differences_is_noticed(store: Path) -> None:
    write(store, f"UPDATE episode SET reward = 1 {WHERE}")
    forge(store, reward=1)
    with pytest.raises(AlteredStore, match=r"was altered: its record has reward 1, and 3 differences at progress 0"):
        read_run(store).rows()


def test_the_score_is_that_of_the_records(store: Path) -> None:
    assert [row.reward for row in read_run(store).rows()] == [0, 1, 1]


def test_a_forged_verdict_is_judged_again(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(store, f"UPDATE episode SET reward = 1, fault = NULL, reason = '' {WHERE}")
    forge(store, reward=1, progress=1.0, differences=[], fault=None, reason="")
    assert main(["rescore", str(store)]) == 1
    assert "keep-a-book trial 0: reward 1 in the run, 0 now" in capsys.readouterr().out


def test_progress_that_is_not_that_of_the_final_state_is_said(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forge(store, progress=0.75)
    assert main(["rescore", str(store)]) == 1
    assert "keep-a-book trial 0: progress 0.75 in the run, 0.0 now" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE task SET idle = 1", "The rewards of doing nothing in "),
        ("UPDATE task SET line = replace(line, 'renew', 'reNew')", "The configuration, domains or tasks in "),
        ("DELETE FROM episode WHERE rowid = 1", "Episode 0 of task 'keep-a-book' of domain 'library' in "),
    ],
)
def test_what_is_changed_while_an_evaluation_runs_is_remembered(
    library: Domain, tmp_path: Path, sql: str, said: str
) -> None:
    path = tmp_path / "run.db"
    with pytest.raises(AlteredStore, match="altered while the evaluation ran") as altered:
        sit(path, library, watching=Watching(lambda number: write(path, sql) if number == 3 else None))
    assert str(altered.value).startswith(said)


def test_a_store_that_is_gone_when_the_evaluation_ends_is_said(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    with pytest.raises(AlteredStore, match="was altered while the evaluation ran: There is no run store"):
        sit(path, library, watching=Watching(lambda number: path.unlink() if number == 3 else None))
