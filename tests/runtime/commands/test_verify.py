"""Claims about `worldsmith verify`."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from runtime.session.session import Session, open_stored_session
from runtime.session.world import World
from runtime.task.task import replay
from runtime.task.task_file import read_tasks

TASK = ("--domain", "library", "--task", "keep-a-book")
DUE = "new due date=April 3"


@pytest.fixture
def start(world: World, tmp_path: Path) -> Path:
    """The world of the library's tasks as a file."""
    path = tmp_path / "start.db"
    path.write_bytes(world.image)
    return path


@pytest.fixture
def finished(library: Domain, world: World, tmp_path: Path) -> Path:
    """The state that task keep-a-book asks for, as a file."""
    path = tmp_path / "finished.db"
    with Session(library, world) as session:
        replay(session, read_tasks(library)["keep-a-book"].chain)
        path.write_bytes(session.image())
    return path


@pytest.fixture
def fails(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command that must end with status 2 and one line; return that line."""

    def run(*words: str | Path) -> str:
        assert main(["verify", *map(str, words)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("error: ")
        assert captured.err.count("\n") == 1
        return captured.err

    return run


def change(path: Path, sql: str, *values: object) -> Path:
    """Run a statement on a database file, whatever its constraints say of references."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(sql, values)
        connection.commit()
    return path


def test_a_state_is_judged_against_a_task(finished: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["verify", str(finished), *TASK, "--told", DUE]) == 0
    captured = capsys.readouterr()
    assert captured.out == (
        "Reward 1, progress 100%.\nThe final state is as it should be, and nothing else was changed.\n"
    )
    assert captured.err == ""


def test_an_answer_not_told_and_a_start_state_are_not_rewarded(
    start: Path, finished: Path, capsys: pytest.CaptureFixture[str]
):
    assert main(["verify", str(finished), *TASK]) == 1
    assert capsys.readouterr().out == (
        "Reward 0, progress 75%.\n- The user was not told the new due date, which is 2026-04-03.\n"
        "Reached: identified, request 1, rules, nothing else.\nMissed: answers.\n"
    )
    assert main(["verify", str(start), *TASK, "--told", DUE]) == 1
    assert "loan 'LOAN-0016': due_on is 2026-03-20, expected 2026-04-03." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (["It is due on April 3."], "--told 'It is due on April 3.' is not NAME=VALUE, such as --told 'new due date="),
        (["new due date="], "--told 'new due date=' is not NAME=VALUE"),
        ([DUE, DUE], "--told gives 'new due date' twice; an answer has one value"),
        (["due date=April 3"], "requires no answer 'due date'; have: new due date"),
    ],
)
def test_what_is_told_must_be_a_value_for_the_name_of_an_answer(
    finished: Path, told: list[str], sentence: str, fails: Callable[..., str]
):
    assert sentence in fails(finished, *TASK, *(part for each in told for part in ("--told", each)))


def test_the_verdict_as_json_has_every_difference(start: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["verify", str(start), *TASK, "--json"]) == 1
    verdict = json.loads(capsys.readouterr().out)
    parts = [
        "reward",
        "progress",
        "differences",
        "expected",
        "made",
        "collateral",
        "search_steps",
        "pairs",
        "violations",
        "nearest",
        "components",
    ]
    assert list(verdict) == parts
    assert (verdict["reward"], verdict["progress"], verdict["expected"], verdict["made"]) == (0, 0.0, 4, 0)
    expected = ["missing_row", "wrong_value", "wrong_value", "missing_answer"]
    assert [d["kind"] for d in verdict["differences"]] == expected
    assert verdict["differences"][1]["row"] == {"table": "loan", "key": ["LOAN-0016"], "column": "due_on"}
    keys = ["kind", "row", "expected", "actual", "together", "answer", "sentence"]
    assert all(list(difference) == keys for difference in verdict["differences"])


def test_two_states_of_one_start_are_compared(start: Path, finished: Path, capsys: pytest.CaptureFixture[str]):
    options = ["--domain", "library", "--start", str(start), "--expected", str(finished)]
    assert main(["verify", str(finished), *options]) == 0
    assert main(["verify", str(start), *options]) == 1
    assert main(["verify", str(start), *options, "--json"]) == 1
    captured = capsys.readouterr().out
    assert json.loads(captured[captured.index("{") :])["expected"] == 3


def test_a_file_that_holds_no_state_is_named_in_one_line(
    start: Path, tmp_path: Path, fails: Callable[..., str], library: Domain
):
    garbage, empty, other, torn = (tmp_path / f"{name}.db" for name in ("garbage", "empty", "other", "torn"))
    garbage.write_bytes(b"no database at all " * 100)
    empty.touch()
    change(other, "CREATE TABLE member (member_id TEXT PRIMARY KEY)")
    torn.write_bytes(start.read_bytes()[:5000])
    compare = ("--domain", "library", "--start", start, "--expected", start)
    for options in (TASK, compare):
        assert f"there is no database file '{tmp_path / 'none.db'}'" in fails(tmp_path / "none.db", *options)
        assert "there is no database file" in fails(tmp_path, *options)
        assert "garbage.db' cannot be read: file is not a database" in fails(garbage, *options)
        assert "empty.db' has no column 'member.member_id'; is it of this domain?" in fails(empty, *options)
        assert "other.db' has no column 'member.name'" in fails(other, *options)
        assert "torn.db' " in fails(torn, *options)
    assert "garbage.db' cannot" in fails(start, "--domain", "library", "--start", garbage, "--expected", start)


def test_an_unknown_task_or_domain_is_named_with_the_choices(start: Path, fails: Callable[..., str]):
    assert "is not in a session's folder, which names its domain; add --domain" in fails(start, "--task", "nope")
    assert "has no task 'nope'; have: keep-a-book, card-and-queue, late-and-next" in fails(
        start, "--task", "nope", "--domain", "library"
    )
    assert "no domain 'libary'; have: library" in fails(start, "--task", "keep-a-book", "--domain", "libary")
    assert "no domain 'libary'" in fails(start, "--domain", "libary", "--start", start, "--expected", start)


def test_the_state_file_of_a_session_that_is_still_open_can_be_judged(
    library: Domain, world: World, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with open_stored_session(library, tmp_path, "mine", lambda: world, {}) as session:
        replay(session, read_tasks(library)["keep-a-book"].chain)
        assert main(["verify", str(tmp_path / "mine" / "state.db"), *TASK[2:], "--told", DUE]) == 0
        session.call("cancel_hold", hold_id=waiting_hold(world))
        assert main(["verify", str(tmp_path / "mine" / "state.db"), *TASK[2:], "--told", DUE]) == 1


def waiting_hold(world: World) -> str:
    with closing(world.open()) as connection:
        return str(connection.execute("SELECT hold_id FROM hold WHERE status = 'waiting'").fetchone()[0])


def test_options_that_do_not_go_together_are_refused(start: Path, fails: Callable[..., str]):
    for options in ([], [*TASK[2:], "--start", "x.db"], ["--domain", "library", "--start", "x.db"]):
        assert "--" in fails(start, *options)
