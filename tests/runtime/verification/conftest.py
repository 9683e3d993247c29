"""The shop of these tests."""

from __future__ import annotations

import pytest

from runtime.domain.domain import Domain
from tests.runtime.verification.shop import make_shop


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Domain:
    return make_shop(tmp_path_factory.mktemp("shop"))
