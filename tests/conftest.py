"""What tests share: the library domain, a world of it, and sessions that are closed afterwards."""

from __future__ import annotations

import atexit
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from generator.main import main
from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.errors import UsageError
from runtime.session.session import Session
from runtime.session.workspace import Limits
from runtime.session.world import World, build_world

SHIPPED = {card.parent.name: card.parent for card in sorted(Path(__file__).parents[1].glob("domains/*/domain.json"))}
CHECKED = [*SHIPPED] if os.environ.get("WORLDSMITH_TESTS") == "all" else ["community_garden", "job_seeking", "library"]
"""The shipped domains that this run is about: three, or all of them (`.ci/nightly`)."""
SHIPPED_LIBRARY = SHIPPED["library"]
PLAYED_BY_TESTS = 3  # of its tasks, the first ones, which are written by hand


def _with_few_tasks() -> Path:
    """A copy of the library that has its first tasks alone, so that playing all of them takes little."""
    folder = Path(tempfile.mkdtemp(prefix="library-of-tests-")) / "domains" / "library"
    atexit.register(shutil.rmtree, folder.parent.parent, ignore_errors=True)
    shutil.copytree(SHIPPED_LIBRARY, folder, ignore=shutil.ignore_patterns("__pycache__", "tasks"))
    tasks = folder / "tasks.jsonl"
    tasks.write_bytes(b"".join(tasks.read_bytes().splitlines(keepends=True)[:PLAYED_BY_TESTS]))
    return folder


LIBRARY = _with_few_tasks()
_CACHE = tempfile.TemporaryDirectory(prefix="cache-of-tests-")  # the worlds of tests are not those of whoever runs them
os.environ["XDG_CACHE_HOME"] = _CACHE.name


@pytest.fixture(scope="session", autouse=True)
def no_real_model() -> Iterator[None]:
    """A test that asks a real model fails, and so does a program that it starts."""
    find_address = socket.getaddrinfo

    def find_harmless_address(host: Any, *args: Any, **options: Any) -> Any:
        if any(name in str(host) for name in ("anthropic", "claude", "openai")):
            pytest.fail(f"A test asked a real model at {host}.")
        return find_address(host, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "OPENAI_API_KEY"):
            patch.delenv(name, raising=False)
        patch.setenv("ANTHROPIC_BASE_URL", "http://anthropic.invalid")
        patch.setenv("OPENAI_BASE_URL", "http://openai.invalid/v1")
        patch.setattr(socket, "getaddrinfo", find_harmless_address)
        yield


@contextmanager
def refused(said: str, error: type[Exception] = UsageError) -> Iterator[None]:
    """What is within is refused in one line that says this."""
    with pytest.raises(error) as raised:
        yield
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def until(holds: Callable[[], object], seconds: float = 20) -> None:
    """Wait until something holds; fail if it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.01)


@pytest.fixture
def library_copy(tmp_path: Path) -> Path:
    """The library's folder, free to be changed."""
    return Path(shutil.copytree(LIBRARY, tmp_path / "library", ignore=shutil.ignore_patterns("__pycache__")))


@pytest.fixture(scope="session")
def library() -> Domain:
    """The hand-written domain that the tests are about."""
    return load_domain(LIBRARY)


@pytest.fixture(scope="session")
def world(library: Domain) -> World:
    """The library's world of seed 3 and size 100, which its tasks start from."""
    return build_world(library.populate, library.schema, library.policies, library.now, seed=3, size=100)


@pytest.fixture
def open_session(library: Domain, world: World) -> Iterator[Callable[..., Session]]:
    """Open sessions that end with the test."""
    opened: list[Session] = []

    def open_one(limits: Limits | None = None, **options: object) -> Session:
        opened.append(Session(library, world, limits=limits, **options))
        return opened[-1]

    yield open_one
    for session in opened:
        session.close()


@pytest.fixture
def session(open_session: Callable[..., Session]) -> Session:
    """A session on the library's world."""
    return open_session()


Cli = Callable[..., str]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run a command, which must end with `status`: returns what it prints, or the one line that it is refused with."""

    def run(*words: object, status: int = 0) -> str:
        capsys.readouterr()
        assert main([*map(str, words)]) == status
        printed = capsys.readouterr()
        if status != 2:
            return printed.out
        assert (printed.out, printed.err.count("\n"), printed.err[:7]) == ("", 1, "error: ")
        return printed.err

    return run
