"""Claims about the run store: what it keeps, what it refuses, what may be added to it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.harness.episode import EpisodeLimits
from runtime.harness.evaluation.store import read_run
from runtime.task.task_file import read_tasks
from tests.conftest import refused
from tests.runtime.harness.evaluation.playing import CONFIG, read, sit

ALL = [("library", task, trial) for task in ("keep-a-book", "card-and-queue", "late-and-next") for trial in (0, 1)]


@pytest.fixture(scope="module")
def finished(library: Domain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of a run over the library's tasks, two trials each."""
    path = tmp_path_factory.mktemp("run") / "run.db"
    sit(path, library, trials=2)
    return path


@pytest.fixture
def store(finished: Path, tmp_path: Path) -> Path:
    """A copy of that store."""
    return Path(shutil.copy(finished, tmp_path / "run.db"))


def write_into(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(sql)


def test_a_run_is_read_as_it_was_played(library: Domain, finished: Path) -> None:
    run = read_run(finished)
    assert run.config == CONFIG
    assert run.config.limits == EpisodeLimits(100, 200, 1800.0)
    assert {name: domain.digest for name, domain in run.domains.items()} == {"library": library.digest}
    assert [task for _, task in run.tasks] == list(read_tasks(library))
    assert list(run.tasks.values()) == list(read_tasks(library).values())
    assert set(run.trials.values()) == {2}
    assert {record.idle for record in run.outcomes()} == {0}
    assert [(each.domain, each.task, each.trial) for each in run.records()] == ALL
    assert run.seconds > 0


def test_more_trials_and_more_tasks_extend_a_run_and_repeat_nothing(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    assert sit(path, library, tasks="keep-a-book").played == 1
    assert sit(path, library, tasks="keep-a-book,late-and-next").played == 1
    assert sit(path, library, trials=2).played == 4
    assert read(path) == ALL
    assert sit(path, library, tasks="keep-a-book").played == 0
    assert set(read_run(path).trials.values()) == {2}  # asking for less takes nothing back


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (replace(CONFIG, with_policy=False), "policy given to the agent True, not False"),
        (replace(CONFIG, limits=EpisodeLimits(turns=7)), "limit of turns 100, not 7"),
        (replace(CONFIG, agent="idle", user="scripted"), "agent 'reference', not 'idle'"),
    ],
)
def test_a_changed_configuration_is_refused_by_name_with_both_values(
    library: Domain, store: Path, changed: object, said: str
) -> None:
    before = store.read_bytes()
    with refused(f"{said}; give another --store"):
        sit(store, library, config=changed)  # type: ignore[arg-type]
    assert read(store) == ALL
    assert len(store.read_bytes()) == len(before)


@pytest.mark.parametrize("file", ["tools/books.py", "policy.md"])
def test_a_domain_with_another_deciding_file_is_refused(
    store: Path, library: Domain, library_copy: Path, file: str
) -> None:
    with (library_copy / file).open("a", encoding="utf-8") as end:
        end.write("\n")
    changed = load_domain(library_copy)
    with pytest.raises(UsageError, match=rf"{library.digest[:12]}.*{changed.digest[:12]}"):
        sit(store, changed)


def test_a_task_with_another_line_is_refused_and_the_others_may_go_on(store: Path, library_copy: Path) -> None:
    lines = (library_copy / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    first = json.loads(lines[0])
    first["user"]["wishes"][0]["words"] = ["Renew my book, please."]
    (library_copy / "tasks.jsonl").write_text("\n".join([json.dumps(first), *lines[1:]]), encoding="utf-8")
    changed = load_domain(library_copy)
    with pytest.raises(UsageError, match="task 'keep-a-book' with another line in tasks.jsonl"):
        sit(store, changed)
    assert sit(store, changed, tasks="card-and-queue", trials=3).played == 1


def test_two_evaluations_cannot_write_into_one_store(library: Domain, tmp_path: Path) -> None:
    path = tmp_path / "run.db"
    hold = (
        "import sys, pathlib; from runtime.harness.evaluation.store import hold_store\n"
        "with hold_store(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match="Another evaluation writes to"):
            sit(path, library)
        other.kill()
    assert sit(path, library).played == 3


def no_database(path: Path) -> Path:
    path.write_text("episodes\n" * 200)
    return path


def another_database(path: Path) -> Path:
    write_into(path.with_name("other.db"), "CREATE TABLE thing (x)")
    return path.with_name("other.db")


BAD = [
    (no_database, "cannot be used as a run store: file is not a database"),
    (another_database, "is not a run store of format 5"),
]


@pytest.mark.parametrize(("spoil", "said"), BAD)
def test_what_is_no_store_is_refused_in_one_line_and_left_as_it_is(
    library: Domain, store: Path, spoil: object, said: str
) -> None:
    path = spoil(store)  # type: ignore[operator]
    before = path.read_bytes() if path.is_file() else b""
    for use in (lambda: read(path), lambda: sit(path, library)):
        with refused(said):
            use()
    assert before == (path.read_bytes() if path.is_file() else b"")
