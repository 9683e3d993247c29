"""What the tests of tasks share."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.domain.domain import Domain
from tests.generator.tasks.things import make_things


@pytest.fixture
def things(tmp_path: Path) -> Domain:
    """The domain of things to count."""
    return make_things(tmp_path)
