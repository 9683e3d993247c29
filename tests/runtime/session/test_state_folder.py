"""Stored sessions: they resume where they were, one process holds each, and what is wrong is said in one line."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runtime.domain.domain import Domain
from runtime.errors import UsageError
from runtime.session.session import Session, open_stored_session
from runtime.session.world import World
from tests.runtime.session.lending import random_call, shown

OpenStored = Callable[..., Session]


@pytest.fixture
def open_stored(library: Domain, world: World, tmp_path: Path) -> OpenStored:
    def open_one(name: str = "one", domain: Domain = library, root: Path = tmp_path, **options: Any) -> Session:
        asked = {"seed": 3, "size": 100, **options.pop("asked", {})}
        return open_stored_session(domain, root, name, lambda: world, asked, **options)

    return open_one


def register(session: Session, number: int) -> None:
    session.call("register_member", name="Ada Park", email=f"ada{number}@example.org")


def refusal(open_one: Callable[[], Session]) -> str:
    with pytest.raises(UsageError) as raised:
        open_one()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_a_session_resumes_where_it_was(open_stored: OpenStored, tmp_path: Path) -> None:
    chance = random.Random(1)
    with open_stored() as session:
        for _ in range(150):
            session.perform(*random_call(chance, session))
        left = (session.diff(), session.digest(), session.snapshot().counter, session.changes)
        twin = session.fork()
    with open_stored() as session:
        assert (session.diff(), session.digest(), session.snapshot().counter, session.changes) == left
        assert (session.changes, session.digest()) == session.scanned()
        for _ in range(60):
            tool, arguments = random_call(chance, session)
            assert shown(session, tool, arguments) == shown(twin, tool, arguments)
        session.reset()
        assert session.diff() == []
    twin.close()
    with open_stored() as session:
        assert session.scanned()[0].rows == {}


IN_ANOTHER_PROCESS = """
import sys
from pathlib import Path
from runtime.errors import UsageError
from runtime.session.state_folder import StateFolder
try:
    StateFolder(Path(sys.argv[1]), "one").release()
except UsageError as error:
    print(error)
"""


def test_a_second_opener_is_refused_here_and_in_another_process(open_stored: OpenStored, tmp_path: Path) -> None:
    command = [sys.executable, "-c", IN_ANOTHER_PROCESS, str(tmp_path)]
    with open_stored():
        for said in (refusal(open_stored), subprocess.run(command, capture_output=True, text=True).stdout.strip()):
            assert said == f"Session 'one' in {str(tmp_path)!r} is in use by another process; choose another name."
        open_stored("two").close()
    assert subprocess.run(command, capture_output=True, text=True).stdout == ""


@pytest.mark.parametrize(
    ("asked", "complaint"),
    [
        pytest.param({"seed": 4}, "was started with seed 3, not 4", id="seed"),
        pytest.param({"task": "T2"}, "was started with task None, not 'T2'", id="task"),
    ],
)
def test_a_session_that_was_started_otherwise_is_refused(
    open_stored: OpenStored, asked: dict[str, Any], complaint: str
) -> None:
    open_stored().close()
    assert complaint in refusal(lambda: open_stored(asked=asked))
    open_stored().close()


@pytest.mark.parametrize("name", ["", "..", "a/b", "/etc", "-a", ".hidden", "a\n", "naïve", "a" * 65, "a b", "a.db"])
def test_a_name_that_is_no_plain_name_is_refused(open_stored: OpenStored, tmp_path: Path, name: str) -> None:
    assert "must be 1 to 64 letters, digits, - and _" in refusal(lambda: open_stored(name))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        pytest.param("session.json", b"", "cannot be read", id="empty_description"),
        pytest.param("session.json", b'{"format": 1, "origin": 7}', "it describes no session", id="origin"),
        pytest.param("session.json", b'{"format": 2}', "it describes no session in format 1", id="format"),
        pytest.param("start.db", b"garbage" * 1000, "is damaged", id="garbage_start"),
        pytest.param("state.db", None, "is damaged", id="no_state"),
    ],
)
def test_a_damaged_folder_is_refused_in_one_line(
    open_stored: OpenStored, tmp_path: Path, file: str, content: bytes | None, complaint: str
) -> None:
    open_stored().close()
    path = tmp_path / "one" / file
    path.unlink() if content is None else path.write_bytes(content)
    for _ in range(2):  # the refused opener lets go of the lock
        assert complaint in refusal(open_stored)
    assert path.exists() == (content is not None)
