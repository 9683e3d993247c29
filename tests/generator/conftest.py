"""What the generator's tests share: the lending domain, built once for all processes of a test run."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.generator.building import build_lending

TASKS = 3  # of the lending domain


@pytest.fixture(scope="session")
def lending_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The lending domain with its tasks; nobody changes it."""
    place = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        place = place.parent  # which the workers share
    folder = place / "lending"
    with (place / "lending.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (place / "lending.built").exists():
            build_lending(folder, tasks=TASKS)
            (place / "lending.built").touch()
    return folder


@pytest.fixture
def copy_lending(lending_folder: Path) -> Callable[[Path], Path]:
    """Copies the lending domain to a place of a test's own."""
    return lambda place: Path(shutil.copytree(lending_folder, place))
