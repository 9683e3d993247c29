"""What tests share: the library domain, a world of it, and sessions that are closed afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from runtime.domain.load import load_domain
from runtime.session.limits import Limits
from runtime.session.session import Session
from runtime.session.world import World, build_world

LIBRARY = Path(__file__).parent / "domains" / "library"


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
