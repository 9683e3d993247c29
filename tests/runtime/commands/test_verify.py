"""`worldsmith verify`: a final database is judged against a task, with what the user was told."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.session.session import Session, open_stored_session
from runtime.session.world import World
from runtime.task.task import replay
from runtime.task.task_file import read_tasks
from tests.conftest import Cli

TASK = ("--domain", "library", "--task", "keep-a-book")
DUE = "new due date=April 3"
FINE = "Reward 1, progress 100%.\nThe final state is as it should be, and nothing else was changed.\n"
UNTOLD = (
    "Reward 0, progress 75%.\n- The user was not told the new due date, which is 2026-04-03.\n"
    "Reached: identified, request 1, rules, nothing else.\nMissed: answers.\n"
)


@pytest.fixture
def states(library: Domain, world: World, tmp_path: Path) -> dict[str, Path]:
    """The state that a task starts from, the one it asks for, and files that hold none."""
    with Session(library, world) as session:
        replay(session, read_tasks(library)["keep-a-book"].chain)
        finished = session.image()
    files = {"start": world.image, "finished": finished, "empty": b"", "torn": world.image[:5000]}
    for name, content in files.items():
        (tmp_path / f"{name}.db").write_bytes(content)
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE member (member_id TEXT PRIMARY KEY)")
    return {path.stem: path for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("state", "told", "status", "said"),
    [
        ("finished", [DUE], 0, FINE),
        ("finished", [], 1, UNTOLD),
        ("start", [DUE], 1, "loan 'LOAN-0016': due_on is 2026-03-20, expected 2026-04-03."),
        ("finished", ["It is due."], 2, "--told 'It is due.' is not NAME=VALUE, such as --told 'new due date="),
        ("finished", ["new due date="], 2, "--told 'new due date=' is not NAME=VALUE"),
        ("finished", [DUE, DUE], 2, "--told gives 'new due date' twice; an answer has one value"),
        ("finished", ["due date=April 3"], 2, "requires no answer 'due date'; have: new due date"),
        ("empty", [], 2, "empty.db' has no column 'member.member_id'; is it of this domain?"),
        ("other", [], 2, "other.db' has no column 'member.name'"),
        ("torn", [], 2, "torn.db' "),
    ],
)
def test_a_state_is_judged_or_refused(
    state: str, told: list[str], status: int, said: str, states: dict[str, Path], cli: Cli
) -> None:
    options = [part for each in told for part in ("--told", each)]
    assert said in cli("verify", states[state], *TASK, *options, status=status)


def test_the_verdict_as_json_has_every_difference(states: dict[str, Path], cli: Cli) -> None:
    verdict = json.loads(cli("verify", states["start"], *TASK, "--json", status=1))
    parts = "reward progress differences expected made collateral search_steps pairs violations nearest components"
    assert list(verdict) == parts.split()
    assert (verdict["reward"], verdict["progress"], verdict["expected"], verdict["made"]) == (0, 0.0, 4, 0)
    expected = ["missing_row", "wrong_value", "wrong_value", "missing_answer"]
    assert [each["kind"] for each in verdict["differences"]] == expected
    assert verdict["differences"][1]["row"] == {"table": "loan", "key": ["LOAN-0016"], "column": "due_on"}
    keys = ["kind", "row", "expected", "actual", "together", "answer", "symbol", "sentence"]
    assert all(list(each) == keys for each in verdict["differences"])


def test_the_state_file_of_a_session_that_is_still_open_can_be_judged(
    library: Domain, world: World, tmp_path: Path, cli: Cli
) -> None:
    with closing(world.open()) as connection:
        (hold,) = connection.execute("SELECT hold_id FROM hold WHERE status = 'waiting'").fetchone()
    words = ("verify", tmp_path / "mine" / "state.db", *TASK[2:], "--told", DUE)
    with open_stored_session(library, tmp_path, "mine", lambda: world, {}) as session:
        replay(session, read_tasks(library)["keep-a-book"].chain)
        assert cli(*words) == FINE
        session.call("cancel_hold", hold_id=hold)
        assert "Reward 0" in cli(*words, status=1)
