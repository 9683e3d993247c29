"""The warehouse of these tests, and a world of it."""

from __future__ import annotations

import pytest

from runtime.domain.domain import Domain
from runtime.session.world import World
from tests.making import world_of
from tests.runtime.session.warehouse import make_warehouse


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return make_warehouse(tmp_path_factory.mktemp("warehouse"))


@pytest.fixture(scope="session")
def worlds(warehouse: Domain) -> World:
    return world_of(warehouse, 1, 20)
