"""Several domains as one session: a call reaches one of them, and what is taken back or killed is so in all."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from runtime.domain.hybrid import HybridDomain, unite
from runtime.domain.load import find_domain, load_domain
from runtime.errors import Rejection, UsageError
from runtime.session.hybrid import HybridSession, resume_session, start_session, take_world
from runtime.session.world import World, WorldCache
from tests.conftest import SHIPPED

CALL = {"name": "Ada Park", "email": "ada@example.org"}


@cache
def united() -> HybridDomain:
    return unite([load_domain(SHIPPED["library"]), load_domain(SHIPPED["community_garden"])])


@cache
def world() -> World:
    return take_world(WorldCache(), united(), 1, 60)


def opened() -> HybridSession:
    session = start_session(united(), world())
    assert isinstance(session, HybridSession)
    return session


def test_a_call_changes_the_office_of_its_prefix_and_no_other() -> None:
    with opened() as session:
        before = {prefix: part.digest() for prefix, part in session.parts.items()}
        session.call("library__register_member", **CALL)
        after = {prefix: part.digest() for prefix, part in session.parts.items()}
        assert {prefix for prefix in before if before[prefix] != after[prefix]} == {"library__"}
        assert {table for table, _ in session.changes.rows} == {"library__member"}
        assert [row.table for row in session.diff()] == ["library__member"]
        assert (session.changes, session.digest()) == session.scanned()


def test_a_tool_is_found_under_its_offices_name_alone() -> None:
    with opened() as session:
        for name in ("register_member", "community_garden__register_member", "library__"):
            with pytest.raises(Rejection, match="No tool"):
                session.call(name, **CALL)
        assert not session.changes.rows


def test_forks_snapshots_and_resets_are_those_of_all_offices() -> None:
    with opened() as session:
        start, snapshot = session.digest(), session.snapshot()
        session.call("library__register_member", **CALL)
        with session.fork() as fork:
            changed = fork.digest()
            fork.restore(fork.snapshot())
            assert fork.digest() == changed == session.digest() != start
            fork.call("library__register_member", name="Bo Park", email="bo@example.org")
        assert session.digest() == changed
        session.park()
        assert session.digest() == changed
        session.restore(snapshot)
        assert session.digest() == start
        session.call("library__register_member", **CALL)
        session.reset()
        assert session.digest() == start


def test_the_rows_of_all_offices_are_read_under_their_prefixes() -> None:
    with opened() as session:
        for table in united().schema.tables:
            assert session.read_start(f'SELECT count(*) FROM "{table}"')
        with pytest.raises(UsageError, match="none holds all of it"):
            session.image()


def test_a_killed_session_resumes_in_every_office(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.runtime.session.test_hybrid", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        acknowledged = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    with resume_session(united(), tmp_path, "s", world, {"seed": 1}) as session:
        assert session.digest() == acknowledged
        assert {table for table, _ in session.changes.rows} == {"library__member"}


@pytest.mark.parametrize(
    ("named", "sentence"),
    [
        ("library+library", "has 'library' twice"),
        ("library+nowhere", "no domain 'nowhere'"),
        ("library+community_garden+job_seeking+smart_home+wedding_planning", "joins 5 domains"),
    ],
)
def test_what_cannot_be_joined_is_one_clear_sentence(named: str, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        find_domain(named)


def test_folders_are_joined_by_their_paths() -> None:
    garden, library = SHIPPED["community_garden"], SHIPPED["library"]
    domain = find_domain(f"{library}+{garden}")
    assert domain.name == "library+community_garden"
    assert load_domain(domain.path).digest == domain.digest == united().digest


def call_without_end(root: Path) -> None:
    """Make a call and print the digest; then wait to be killed."""
    with resume_session(united(), root, "s", world, {"seed": 1}) as session:
        session.call("library__register_member", **CALL)
        print(session.digest(), flush=True)
        sys.stdin.read()
        signal.pause()


if __name__ == "__main__":
    call_without_end(Path(sys.argv[1]))
