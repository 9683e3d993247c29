"""What these tests share: the library's graph, a composer, and candidates of every complexity."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generator.tasks.compose import Composer
from generator.tasks.plan import MadeOf
from generator.tasks.proofs.replayer import Candidate
from generator.tasks.studied_world import Network, StudiedWorld
from runtime.domain.domain import Domain
from runtime.graph import Graph, read_graph


@pytest.fixture(scope="session")
def graph(library: Domain) -> Graph:
    """The library's dependency graph."""
    return read_graph(library.path)


@pytest.fixture(scope="session")
def composer(library: Domain, graph: Graph) -> Iterator[Composer]:
    """Composes the library's tasks."""
    with Composer(library, graph) as one:
        yield one


@pytest.fixture(scope="session")
def candidates(composer: Composer) -> list[Candidate]:
    """Candidates of the first three complexities, several of each."""
    return [composer.compose(MadeOf(number, complexity)) for complexity in (1, 2, 3) for number in range(1, 9)]


@pytest.fixture(scope="session")
def studied(library: Domain, graph: Graph) -> Iterator[StudiedWorld]:
    """A small world of the library."""
    one = StudiedWorld(library, Network(library, graph, {}), seed=1, size=100)
    yield one
    one.close()
