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
    with pytest.raises(AlteredStore, match=r"was altered: its record has reward 1, and 4 differences at progress 0"):
        read_run(store).rows()


ROW = {"table": "loan", "key": ["LOAN-1"], "before": None, "after": None}
DEEP = json.loads("[" * 200 + "]" * 200)


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"final": [{**ROW, "table": "../x"}]}, "its final state has a table '../x', the domain has none"),
        ({"final": [{**ROW, "key": ["a", "b"]}]}, "its final state has a row of 'loan' whose 'key' is 2 values, not 1"),
        ({"final": [{**ROW, "after": ["x"] * 3}]}, "its final state has a row of 'loan' whose 'after' is 3 values, "),
        ({"said": DEEP}, "was altered: its record cannot be read: it is nested too deeply"),
    ],
)
@pytest.mark.parametrize("words", COMMANDS[:4])
def test_a_record_that_cannot_be_of_its_run_is_one_sentence(
    store: Path,
    words: Callable[[str], list[str]],
    parts: dict[str, object],
    said: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    forge(store, **parts)
    assert main(words(str(store))) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err.count("\n")) == ("", 1)
    assert said in captured.err


def test_a_record_as_deep_as_no_reader_goes_is_one_sentence(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    deep = f'"said": {"[" * 90_000}{"]" * 90_000}'
    write(store, f"""UPDATE episode SET record = replace(record, '"said":[0]', ?) {WHERE}""", deep)
    assert main(["report", str(store)]) == 1
    assert capsys.readouterr().err.endswith("cannot be read: it is nested too deeply.\n")


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE run SET began = '99999'", "99999"),
        ("UPDATE domain SET content = json_set(content, '$.tables.loan.columns', json('[]'))", "table 'loan' of a "),
    ],
)
def test_what_a_run_cannot_be_is_one_sentence(
    store: Path, sql: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(store, sql)
    assert main(["report", str(store)]) == 2
    captured = capsys.readouterr().err
    assert said in captured
    assert captured.count("\n") == 1


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
        ("DELETE FROM episode WHERE rowid = 1", "Episode 0 of task '"),
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


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"progress": 1.5}, "its 'progress' is 1.5: Input should be less than or equal to 1."),
        ({"progress": -0.5}, "its 'progress' is -0.5: "),
        ({"progress": float("nan")}, "its 'progress' is nan: "),
        ({"progress": "0.5"}, "its 'progress' is '0.5': "),
        ({"tokens": {"prompt": -5}}, "its 'tokens.prompt' is -5: "),
        ({"tokens": {"prompt": 0.5}}, "its 'tokens.prompt' is 0.5: "),
        ({"cost": -1.0}, "its 'cost' is -1.0: "),
        ({"cost": float("inf")}, "its 'cost' is inf: "),
        ({"seconds": -3.0}, "its 'seconds' is -3.0: "),
        ({"own_seconds": -3.0}, "its 'own_seconds' is -3.0: "),
        ({"turns": -1}, "its 'turns' is -1: "),
        ({"slips": True}, "its 'slips' is True: "),
        ({"end": "won"}, "its 'end' is 'won': "),
        ({"messages": [{"role": "judge"}]}, "its 'messages.0.role' is 'judge': "),
        ({"differences": [{"kind": "none"}]}, "its 'differences.0.kind' is 'none': "),
        ({"final": [{"table": "book", "key": 3}]}, "its 'final.0.key' is 3: "),
    ],
)
def test_a_record_that_no_episode_can_have_is_one_sentence(
    store: Path, parts: dict[str, object], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    forge(store, **parts)
    assert main(["report", str(store)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(f"error: {AT} in {str(store)!r} was altered: {said}")
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE task SET idle = -5", "a task has idle -5, not 0 or 1"),
        ("UPDATE task SET trials = 0", "a task has trials 0, not 1 to 1,000"),
        ("UPDATE task SET trials = 1000000000", "a task has trials 1000000000, not 1 to 1,000"),
        ("UPDATE task SET position = -1", "a task has position -1, not a position from 0"),
        ("UPDATE run SET seconds = -1", "a run has seconds -1.0, not a number of seconds"),
        ("UPDATE run SET seconds = 9e999", "a run has seconds inf, not a number of seconds"),
    ],
)
def test_a_column_that_no_run_can_have_is_one_sentence(
    store: Path, sql: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(store, sql)
    for words in (["report", str(store)], ["compare", str(store), str(store)], ["rescore", str(store)]):
        assert main(words) == 1
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err == f"error: The run store {str(store)!r} was altered: {said}.\n"


@pytest.mark.parametrize(
    ("table", "column", "old", "new", "said"),
    [
        ("run", "config", '"turns": 100', '"turns": "many"', "limits.turns"),
        ("run", "config", '{"agent"', '{"agent": "x", "agent"', "'agent' appears twice"),
        ("domain", "content", '"title":"Town library"', '"title":5', "its 'title' is 5"),
        ("task", "line", '"size":100', '"size":5000000', "its 'world.size' is 5000000"),
        ("task", "line", '"id":', '"id":"x","id":', "'id' appears twice"),
    ],
)
def test_what_a_run_says_of_itself_has_its_form(
    store: Path, table: str, column: str, old: str, new: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = store.read_bytes()
    write(store, f"UPDATE {table} SET {column} = replace({column}, ?, ?)", old, new)
    assert store.read_bytes() != before
    assert main(["report", str(store)]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert captured.err.startswith(f"error: The run store {str(store)!r} is damaged: ")
